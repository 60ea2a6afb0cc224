//! Times the reading of large files: natively when run, or from JavaScript when built for WebAssembly.
//!
//! `cargo xtask bench` runs both and compares them.

#[path = "../tests/common/large.rs"]
mod large;

use cotrace_trace::{Format, ReadOptions, read_as};

/// Samples of each file.
const SAMPLES: usize = 50_000;

/// A file that can be read again and again.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
pub struct File {
    format: Format,
    bytes: Vec<u8>,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
impl File {
    /// A file in this format. `None`: its reader refuses it.
    pub fn of(format: &str) -> Option<File> {
        let file =
            File { format: Format::from_name(format)?, bytes: large::large(format, SAMPLES).into_bytes() };
        (file.read() > 0).then_some(file)
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Reads it; the number of its rows, or 0.
    pub fn read(&self) -> usize {
        let trace = read_as(self.format, "large", &self.bytes, &ReadOptions::default());
        trace.map_or(0, |trace| trace.time_seconds.len())
    }
}

/// The formats, with commas between them.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
pub fn formats() -> String {
    large::FORMATS.join(",")
}

/// One line a format: its name, the file's bytes, and the median of seconds that reading takes.
fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    for format in formats().split(',') {
        let Some(file) = File::of(format) else { continue };
        let mut seconds: Vec<f64> = (0..15)
            .map(|_| {
                let start = std::time::Instant::now();
                std::hint::black_box(file.read());
                start.elapsed().as_secs_f64()
            })
            .collect();
        seconds.sort_by(f64::total_cmp);
        println!("{format} {} {}", file.bytes(), seconds[seconds.len() / 2]);
    }
}
