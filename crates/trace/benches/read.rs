//! How fast files are read, each beside the bare splitting of the same bytes into cells.
//!
//! `cargo xtask bench` runs this and prints the table of `docs/speed.md`.

#![allow(missing_docs)]

#[path = "../tests/common/large.rs"]
mod large;

use std::hint::black_box;
use std::time::Duration;

use cotrace_trace::{Format, ReadOptions, read_as};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use csv::{ByteRecord, ReaderBuilder};

/// Samples of each file: enough that they don't fit the processor's cache.
const SAMPLES: usize = 50_000;

fn reading(criterion: &mut Criterion) {
    for name in large::FORMATS {
        let text = large::large(name, SAMPLES);
        let Some(format) = Format::from_name(name) else { panic!("no format {name}") };
        let mut group = criterion.benchmark_group(*name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(500))
            .measurement_time(Duration::from_secs(2));
        let options = ReadOptions::default();
        // A reader that refuses its file would be fast.
        if let Err(error) = read_as(format, name, text.as_bytes(), &options) {
            eprintln!("{name} is left out: {error}");
            continue;
        }
        group.bench_function("read", |bencher| {
            bencher.iter(|| read_as(format, name, black_box(text.as_bytes()), &options));
        });
        group.bench_function("split", |bencher| {
            bencher.iter(|| match name.rsplit('-').next() {
                Some("json") => walk(black_box(&text)),
                Some("csv") => split(black_box(text.as_bytes()), b','),
                _ => split(black_box(text.as_bytes()), b' '),
            });
        });
        group.finish();
    }
}

/// What it takes to find the cells, and no more.
fn split(bytes: &[u8], delimiter: u8) -> usize {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(bytes);
    let mut record = ByteRecord::new();
    let mut cells = 0;
    while let Ok(true) = reader.read_byte_record(&mut record) {
        cells += record.len();
    }
    cells
}

/// The same for JSON.
fn walk(text: &str) -> usize {
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_or(0, |_| text.len())
}

criterion_group!(benches, reading);
criterion_main!(benches);
