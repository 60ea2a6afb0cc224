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

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn utf16(text: &str, mark: bool, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    mark.into_iter().chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn the_content_says_the_format() {
    let wrong: Vec<String> = fixtures()
        .iter()
        .filter_map(|fixture| {
            let format = fixture.read_as_unknown().format;
            (format != fixture.format).then(|| format!("{} was read as {format}", fixture.name))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn disguises_change_nothing() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        // What is not UTF-8 already is read as Latin-1, which another disguise would hide.
        let Ok(text) = String::from_utf8(fixture.bytes.clone()) else { continue };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
        let bytes = text.as_bytes();
        let wanted = fixture.read_as_unknown();
        assert_sound(&wanted, &fixture.name);
        let disguises = [
            ("CRLF", text.replace('\n', "\r\n").into_bytes()),
            ("CR", text.replace('\n', "\r").into_bytes()),
            ("BOM", [b"\xef\xbb\xbf", bytes].concat()),
            ("gzip", gzip(bytes)),
            ("zstd", zstd(bytes)),
            ("BOM, CRLF, gzip", gzip(format!("\u{feff}{}", text.replace('\n', "\r\n")).as_bytes())),
            ("UTF-16, little end first", utf16(&text, true, u16::to_le_bytes)),
            ("UTF-16, big end first", utf16(&text, true, u16::to_be_bytes)),
            ("UTF-16 without a mark", utf16(&text, false, u16::to_le_bytes)),
            ("no last line end", text.trim_end().as_bytes().to_vec()),
            ("blank lines after", format!("{text}\n\n").into_bytes()),
        ];
        for (what, bytes) in disguises {
            match fixture.read_disguised(&bytes) {
                Err(error) => wrong.push(format!("{}, {what}: {error}", fixture.name)),
                Ok(trace) => {
                    if let Some(difference) = common::difference(&wanted, &trace) {
                        wrong.push(format!("{}, {what}: {difference}", fixture.name));
                    }
                    if (&trace.format, &trace.warnings) != (&wanted.format, &wanted.warnings) {
                        wrong.push(format!(
                            "{}, {what}: {:?}, not {:?}",
                            fixture.name, trace.warnings, wanted.warnings
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_file_cut_anywhere_is_shorter_or_refused() {
    let mut numbers = common::Numbers(11);
    for fixture in fixtures() {
        let (name, bytes) = (&fixture.name, &fixture.bytes);
        let whole = fixture.read_as_unknown();
        let lines = || bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let anywhere: Vec<usize> = (0..200).map(|_| (numbers.next() * bytes.len() as f64) as usize).collect();
        for end in lines().chain(anywhere.iter().copied()) {
            let what = format!("{name}, first {end} bytes");
            match fixture.read_disguised(&bytes[..end]) {
                Ok(trace) => {
                    assert_sound(&trace, &what);
                    assert!(trace.time_seconds.len() <= whole.time_seconds.len(), "{what}");
                }
                Err(error) => assert!(error.to_string().starts_with("unknown"), "{what}: {error}"),
            }
        }
        for start in lines().step_by(3).chain(anywhere) {
            if let Ok(trace) = fixture.read_disguised(&bytes[start..]) {
                assert_sound(&trace, &format!("{name} without its first {start} bytes"));
            }
        }
        let packed = gzip(bytes);
        for end in (2..packed.len()).step_by(1 + packed.len() / 100) {
            assert!(fixture.read_disguised(&packed[..end]).is_err(), "{name}, first {end} bytes of gzip");
        }
    }
}

#[test]
fn a_changed_byte_is_survived() {
    let mut numbers = common::Numbers(7);
    for fixture in fixtures() {
        for round in 0..200 {
            let mut bytes = fixture.bytes.clone();
            for _ in 0..=round % 3 {
                let at = (numbers.next() * bytes.len() as f64) as usize;
                bytes[at] = (numbers.next() * 256.0) as u8;
            }
            if let Ok(trace) = fixture.read_disguised(&bytes) {
                assert_sound(&trace, &format!("{}, round {round}", fixture.name));
            }
        }
    }
}

#[test]
fn latin_1_in_any_format_is_no_panic() {
    for fixture in fixtures() {
        let mut bytes = fixture.bytes.clone();
        for at in (5..bytes.len()).step_by(97) {
            bytes[at] = 0xe9;
        }
        if let Ok(trace) = fixture.read_disguised(&bytes) {
            assert_sound(&trace, &fixture.name);
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
        ("broken zstd", b"\x28\xb5\x2f\xfd rest", K::Binary, "zstd"),
        ("broken gzip", b"\x1f\x8b\x08\x00 no gzip at all", K::Binary, "gzip"),
        ("zeros", &[0; 100], K::Binary, "not text"),
        ("noise", &[7, 1, 200, 2, 3, 4, 250, 5], K::Binary, "not text"),
        (
            "prose",
            b"Dear all,\nthis is no trace.\n",
            K::NotATrace,
            "Formats tried: Cotrace CSV, Cotrace JSON, sar report",
        ),
        ("other JSON", b"{\"a\": 1}", K::NotATrace, "Formats tried: Cotrace CSV, Cotrace JSON, sar report"),
        ("a list", b"name,city\nAnn,Rome\n", K::NotATrace, ", CSV with sar's columns, "),
        (
            "other CSV",
            b"a,b\n1,2\n",
            K::BadHeader,
            "no column says by its name that it is a metric. Its columns are a, b.",
        ),
    ];
    for (what, bytes, kind, part) in cases {
        let error = plain("x.csv", bytes).expect_err(what);
        assert_eq!(error.kind, *kind, "{what}: {error}");
        assert!(error.to_string().contains(part), "{what}: {error}");
        assert!(error.to_string().starts_with("x.csv: "), "{what}: {error}");
        assert!(!error.to_string().contains(|c: char| c.is_control()), "{what}: {error}");
        let tried = if *kind == K::NotATrace { Format::ALL.len() } else { 0 };
        assert_eq!(error.tried.len(), tried, "{what}: {:?}", error.tried);
    }
}

#[test]
fn size_is_bounded_packed_and_unpacked() {
    let bytes = fixture("cotrace-csv/solo.csv");
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
    assert_eq!(trace.warnings.len(), 1);
    assert_eq!(trace.warnings[0].message, "The file isn't UTF-8; it was read as Latin-1.");
}

#[test]
fn any_format_forced_on_any_file_is_no_panic() {
    for fixture in fixtures() {
        for &format in Format::ALL {
            if let Ok(trace) = read_as(format, "x", &fixture.bytes, &fixture.options) {
                assert_sound(&trace, &format!("{} as {}", fixture.name, format.name()));
            }
        }
    }
}
