#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cotrace_trace_fuzz::round_trip(bytes));
