//! How much memory reading takes, for each byte of the file's text. Every test of this file is in one function: what
//! runs beside it would be counted too.
// Files of a million rows, made once: how doesn't matter.
#![allow(clippy::format_collect)]

#[path = "common/large.rs"]
mod large;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cotrace_trace::{Format, ReadErrorKind, ReadOptions, read, read_as};

/// The system's allocator, with a count of what is in use and of the most that ever was.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn more(bytes: usize) {
    MOST.fetch_max(IN_USE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: it only counts; the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new may be there together while one is copied to the other.
        more(size);
        IN_USE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes in use at a time while `work` runs, beside what was there before.
fn most_bytes<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = IN_USE.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = work();
    (MOST.load(Relaxed) - before, result)
}

/// For each byte of text, beside the file itself.
const MOST_BYTES_PER_BYTE: f64 = 4.0;
/// The same for files made to take much, of which a single line may take [`MOST_BYTES_OF_A_LINE`] besides.
const MOST_BYTES_PER_HOSTILE_BYTE: f64 = 5.0;
/// A line may have a million characters, each a cell of its own.
const MOST_BYTES_OF_A_LINE: usize = 16 << 20;
/// What any file may take.
const SMALL: usize = 1 << 20;

#[test]
fn memory_is_bounded_by_the_text() {
    let options = ReadOptions { max_bytes: 256 << 20, ..ReadOptions::default() };
    let mut wrong = Vec::new();
    let mut limit = |what: String, text: &[u8], format: Option<Format>, most: f64| {
        let (bytes, result) = most_bytes(|| match format {
            Some(format) => read_as(format, "large", text, &options),
            None => read("large", text, &options),
        });
        let per_byte = bytes as f64 / text.len() as f64;
        println!("{what}: {per_byte:.2} bytes a byte, of {}", text.len());
        if bytes > SMALL && per_byte > most {
            wrong.push(format!("{what}: {per_byte:.2} bytes a byte of text"));
        }
        result
    };

    for name in large::FORMATS {
        let text = large::large(name, 30_000);
        let result = limit((*name).to_owned(), text.as_bytes(), Format::from_name(name), MOST_BYTES_PER_BYTE);
        let trace = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(trace.time_seconds.len(), 30_000 - usize::from(*name == "vmstat"), "{name}");
    }

    // A million rows are read, over eleven midnights where there is a clock.
    for (name, header, cells) in [
        (
            "cotrace-csv",
            "time_seconds,cpu_cores,memory_bytes,disk_read_bytes_per_second",
            ",1.25,800000000,120.5",
        ),
        (
            "sar-csv",
            "timestamp,%user,%system,%iowait,%steal,%idle,kbmemfree,kbmemused,kbbuffers,kbcached,IFACE,rxkB/s,txkB/s",
            ",12.50,3.25,1.00,0.00,83.25,5000000,3000000,40000,900000,eth0,120.50,80.25",
        ),
    ] {
        let mut text = format!("{header}\n");
        for row in 0..1_000_000_u32 {
            let (second, minute, hour) = (row % 60, row / 60 % 60, row / 3600 % 24);
            match name {
                "sar-csv" => writeln!(text, "{hour:02}:{minute:02}:{second:02}{cells}").unwrap(),
                _ => writeln!(text, "{}{cells}", row + 1).unwrap(),
            }
        }
        let result = limit(format!("{name}, a million rows"), text.as_bytes(), None, MOST_BYTES_PER_BYTE);
        let trace = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((trace.format.as_str(), trace.time_seconds.len()), (name, 1_000_000));
        assert_eq!(trace.duration_seconds(), 1e6, "{name}");
    }

    // One device a row, one column a byte, nothing but brackets.
    let devices: String = (0..100_000)
        .map(|at| format!("{:02}:{:02}:{:02},1,2,eth{at},3\n", at / 3600 % 24, at / 60 % 60, at % 60))
        .collect();
    let hostile = [
        ("devices", format!("timestamp,%user,%system,IFACE,rxkB/s\n{devices}")),
        ("columns of one letter", format!("time_seconds,cpu_cores{}\n1\n2\n", ",a".repeat(500_000))),
        ("columns", {
            let names: String = (0..200_000).map(|at| format!(",{at:x}")).collect();
            let cells = ",".repeat(200_001);
            format!("time_seconds,cpu_cores{names}\n1{cells}\n2{cells}\n")
        }),
        ("sar columns", format!("timestamp,%user,%system{}\n12:00:01\n", ",%user".repeat(200_000))),
        ("small numbers", format!("time_seconds,cpu_cores\n{}", "1,1\n".repeat(500_000))),
        (
            "times",
            format!(
                "time_seconds,cpu_cores\n{}",
                (0..500_000).map(|at| format!("{at},\n")).collect::<String>()
            ),
        ),
        ("JSON", format!("{{\"cotrace_trace\":1,\"time_seconds\":[{}1]", "1,".repeat(500_000))),
        ("lists", "[".repeat(2_000_000)),
        ("empty lines", "\n".repeat(2_000_000)),
        ("vmstat", format!(" r  b   swpd   free\n{}", " 1  1 1 1\n".repeat(200_000))),
    ];
    for (what, text) in hostile {
        let most = MOST_BYTES_PER_HOSTILE_BYTE + MOST_BYTES_OF_A_LINE as f64 / text.len() as f64;
        let _ = limit(format!("hostile {what}"), text.as_bytes(), None, most);
    }

    // What is too large is refused before any of it is copied.
    let text = vec![b' '; (64 << 20) + 1];
    let (bytes, result) = most_bytes(|| read("huge", &text, &ReadOptions::default()));
    let error = result.unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "huge: larger than the limit of 64 MiB. Cut it to the run, or sample less often."
    );
    assert!(bytes < 10_000, "{bytes}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
