#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cotrace_trace_fuzz::read_as_named(env!("CARGO_BIN_NAME"), bytes));
