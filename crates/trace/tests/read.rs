//! Any bytes are read or refused in words, never worse.

mod common;

use std::io::Write;

use common::{assert_sound, fixture, fixtures};
use cotrace_trace::{Format, ReadErrorKind, ReadOptions, Trace, read, read_as};
use flate2::Compression;
use flate2::write::GzEncoder;

fn plain(name: &str, bytes: &[u8]) -> Result<Trace, cotrace_trace::ReadError> {
    read(name, bytes, &ReadOptions::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf16(text: &str, mark: bool, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    mark.into_iter().chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn disguises_change_nothing() {
    for (name, bytes) in fixtures() {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let wanted = plain(&name, &bytes).unwrap();
        assert_sound(&wanted, &name);
        let disguises = [
            ("CRLF", text.replace('\n', "\r\n").into_bytes()),
            ("CR", text.replace('\n', "\r").into_bytes()),
            ("BOM", [b"\xef\xbb\xbf", bytes.as_slice()].concat()),
            ("gzip", gzip(&bytes)),
            ("BOM, CRLF, gzip", gzip(format!("\u{feff}{}", text.replace('\n', "\r\n")).as_bytes())),
            ("UTF-16, little end first", utf16(&text, true, u16::to_le_bytes)),
            ("UTF-16, big end first", utf16(&text, true, u16::to_be_bytes)),
            ("UTF-16 without a mark", utf16(&text, false, u16::to_le_bytes)),
            ("no last line end", text.trim_end().as_bytes().to_vec()),
            ("blank lines after", format!("{text}\n\n").into_bytes()),
        ];
        for (what, bytes) in disguises {
            let trace = plain("unknown", &bytes).unwrap_or_else(|error| panic!("{name}, {what}: {error}"));
            assert_eq!(common::difference(&wanted, &trace), None, "{name}, {what}");
            assert_eq!(
                (&trace.format, &trace.warnings),
                (&wanted.format, &wanted.warnings),
                "{name}, {what}"
            );
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_shorter_or_refused() {
    for (name, bytes) in fixtures() {
        let whole = plain(&name, &bytes).unwrap();
        for end in (0..bytes.len()).step_by(3) {
            let what = format!("{name}, first {end} bytes");
            match plain(&name, &bytes[..end]) {
                Ok(trace) => {
                    assert_sound(&trace, &what);
                    assert!(trace.time_seconds.len() <= whole.time_seconds.len(), "{what}");
                }
                Err(error) => assert!(error.to_string().starts_with(&name), "{what}: {error}"),
            }
        }
        for start in (1..bytes.len()).step_by(7) {
            if let Ok(trace) = plain(&name, &bytes[start..]) {
                assert_sound(&trace, &format!("{name} without its first {start} bytes"));
            }
        }
        let packed = gzip(&bytes);
        for end in 2..packed.len() {
            assert!(plain(&name, &packed[..end]).is_err(), "{name}, first {end} bytes of gzip");
        }
    }
}

#[test]
fn a_file_cut_between_lines_loses_only_rows() {
    for (name, bytes) in fixtures().into_iter().filter(|(name, _)| !name.contains("json")) {
        let whole = plain(&name, &bytes).unwrap();
        let mut longest = 0;
        for (end, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            if let Ok(trace) = plain(&name, &bytes[..=end]) {
                let rows = trace.time_seconds.len();
                assert_eq!(trace.time_seconds, whole.time_seconds[..rows], "{name}");
                longest = longest.max(rows);
            }
        }
        assert_eq!(longest, whole.time_seconds.len(), "{name}");
    }
}

#[test]
fn a_changed_byte_is_survived() {
    let mut numbers = common::Numbers(7);
    for (name, bytes) in fixtures() {
        for round in 0..1000 {
            let mut bytes = bytes.clone();
            for _ in 0..=round % 3 {
                let at = (numbers.next() * bytes.len() as f64) as usize;
                bytes[at] = (numbers.next() * 256.0) as u8;
            }
            if let Ok(trace) = plain(&name, &bytes) {
                assert_sound(&trace, &format!("{name}, round {round}"));
            }
        }
    }
}

#[test]
fn what_is_no_trace_is_named() {
    use ReadErrorKind as K;
    let html = b"\n<!DOCTYPE html>\n<html><body>Sign in</body></html>".as_slice();
    let cases: &[(&str, &[u8], K, &str)] = &[
        ("empty", b"", K::Empty, "empty"),
        ("blank", b" \r\n\n\t", K::Empty, "empty"),
        ("empty gzip", &gzip(b""), K::Empty, "empty"),
        ("web page", html, K::WebPage, "web page"),
        ("spreadsheet", b"PK\x03\x04 and so on", K::Binary, "spreadsheet"),
        ("sa file", b"\x96\xd5\x75\x21 \x00\x00", K::Binary, "sadf"),
        ("zstd", b"\x28\xb5\x2f\xfd rest", K::Binary, "zstd -d"),
        ("broken gzip", b"\x1f\x8b\x08\x00 no gzip at all", K::Binary, "gzip"),
        ("zeros", &[0; 100], K::Binary, "not text"),
        ("noise", &[7, 1, 200, 2, 3, 4, 250, 5], K::Binary, "not text"),
        ("prose", b"Dear all,\nthis is no trace.\n", K::NotATrace, "Cotrace CSV (doesn't start with"),
        ("other JSON", b"{\"a\": 1}", K::NotATrace, "Cotrace JSON (has no \"cotrace_trace\""),
        ("other CSV", b"a,b\n1,2\n", K::NotATrace, "CSV with sar's columns (the first line has no"),
    ];
    for (what, bytes, kind, part) in cases {
        let error = plain("x.csv", bytes).expect_err(what);
        assert_eq!(error.kind, *kind, "{what}: {error}");
        assert!(error.to_string().contains(part), "{what}: {error}");
        assert!(error.to_string().starts_with("x.csv: "), "{what}: {error}");
        assert!(!error.to_string().contains(|c: char| c.is_control()), "{what}: {error}");
    }
}

#[test]
fn size_is_bounded_packed_and_unpacked() {
    let bytes = fixture("solo.csv");
    let limit = |max_bytes| ReadOptions { max_bytes, ..ReadOptions::default() };
    assert!(read("x", &bytes, &limit(bytes.len())).is_ok());
    assert!(read("x", &gzip(&bytes), &limit(bytes.len())).is_ok());
    let bomb = gzip(&vec![b' '; 10_000_000]);
    assert!(bomb.len() < 100_000);
    for (what, bytes, max) in [
        ("plain", &bytes, bytes.len() - 1),
        ("gzip", &gzip(&bytes), bytes.len() - 1),
        ("bomb", &bomb, 1_000_000),
    ] {
        assert_eq!(read("x", bytes, &limit(max)).expect_err(what).kind, ReadErrorKind::TooLarge, "{what}");
    }
}

#[test]
fn latin_1_is_read_and_said() {
    let bytes = b"# Ger\xe4t\ntime_seconds,cpu_cores\n1,1\n2,1\n";
    let trace = plain("x.csv", bytes).unwrap();
    assert_eq!(trace.warnings, ["The file isn't UTF-8; it was read as Latin-1."]);
}

#[test]
fn the_wrong_format_is_refused() {
    for (name, bytes) in fixtures() {
        let right = plain(&name, &bytes).unwrap().format;
        for &format in Format::ALL {
            let result = read_as(format, &name, &bytes, &ReadOptions::default());
            assert_eq!(result.is_ok(), right == format.name(), "{name} as {}: {result:?}", format.name());
        }
    }
}
