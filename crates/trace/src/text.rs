//! From bytes to text: gzip, zstd, byte order marks, UTF-16, and a clear word on what isn't text at all.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::{ReadError, ReadErrorKind, Warning, WarningKind};

/// How much of a file is looked at to tell text from something else.
const PROBE_BYTES: usize = 4096;

/// A file as text.
pub(crate) struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub(crate) text: Cow<'a, str>,
    /// What was done to get it that a person should know.
    pub(crate) notes: Vec<Warning>,
}

/// Files that are no text: their first bytes, what they are, what to do.
const BINARY: &[(&[u8], &str, &str)] = &[
    (
        b"PK\x03\x04",
        "a ZIP archive or a spreadsheet",
        "Unpack it, or save the sheet as CSV, and use that file.",
    ),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet", "Save the sheet as CSV and use that file."),
    (b"\xfd7zXZ\0", "packed with xz", "Unpack it first: xz -d FILE."),
    (b"BZh", "packed with bzip2", "Unpack it first: bunzip2 FILE."),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "Unpack it and use the file in it."),
    (b"PAR1", "a Parquet file", "Export it as CSV and use that file."),
    (b"SQLite format 3\0", "an SQLite database", "Export the table as CSV and use that file."),
    (b"%PDF", "a PDF document", "Export the figures as CSV and use that file."),
    (b"\x89PNG", "a picture", "Cotrace reads the figures, not a picture of them."),
    (b"\xff\xd8\xff", "a picture", "Cotrace reads the figures, not a picture of them."),
    (b"\x7fELF", "a program", "Give the file that the program wrote."),
    (b"\xd5\x96", SYSSTAT, SADF),
    (b"\x96\xd5", SYSSTAT, SADF),
];
const SYSSTAT: &str = "sysstat's binary data (an sa file)";
const SADF: &str = "Turn it into text where it was written: sadf -d FILE -- -A > trace.csv";

/// The text of a file of at most `max_bytes`, packed and unpacked.
pub(crate) fn decode<'a>(file: &str, bytes: &'a [u8], max_bytes: usize) -> Result<Decoded<'a>, ReadError> {
    if bytes.len() > max_bytes {
        return Err(too_large(file, max_bytes));
    }
    let mut notes = Vec::new();
    let unpacked = if bytes.starts_with(b"\x1f\x8b") {
        Some(unpack(file, "gzip", MultiGzDecoder::new(bytes), max_bytes)?)
    } else if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
        let decoder = StreamingDecoder::new(bytes).map_err(|error| broken(file, "zstd", &error))?;
        Some(unpack(file, "zstd", decoder, max_bytes)?)
    } else {
        None
    };
    let text = match unpacked {
        None => to_text(file, bytes, &mut notes)?,
        Some(unpacked) => match to_text(file, &unpacked, &mut notes)? {
            // What is text as it is need not be copied.
            Cow::Borrowed(text) if text.len() == unpacked.len() => {
                Cow::Owned(String::from_utf8(unpacked).map_err(|_| not_text(file))?)
            }
            text => Cow::Owned(text.into_owned()),
        },
    };
    // Lines that end in CR alone, as very old tools write them.
    let text =
        if text.contains('\r') && !text.contains('\n') { Cow::Owned(text.replace('\r', "\n")) } else { text };
    let text = if text.contains("\u{1b}[") { Cow::Owned(without_colours(&text)) } else { text };
    if text.trim().is_empty() {
        return Err(ReadError::new(ReadErrorKind::Empty, file, "the file is empty"));
    }
    let start = text.trim_start();
    let start = start[..start.floor_char_boundary(256)].to_ascii_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") || start.contains("<html") {
        return Err(ReadError::new(ReadErrorKind::WebPage, file, "this is a web page, not a trace")
            .seeing(text.trim_start().lines().next().unwrap_or_default())
            .hinting("Download the file itself: look for a link called Raw or Download."));
    }
    Ok(Decoded { text, notes })
}

/// Text without the codes that colour it (`ESC [1;34m`), as tools write them to a terminal, or wherever they are told to.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split("\u{1b}[");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(piece.len());
        if let Some(rest) = piece.get(end..).and_then(|rest| rest.strip_prefix(['m', 'K'])) {
            out.push_str(rest);
        } else {
            out.push_str("\u{1b}[");
            out.push_str(piece);
        }
    }
    out
}

fn too_large(file: &str, max_bytes: usize) -> ReadError {
    let limit = max_bytes as f64 / f64::from(1 << 20);
    ReadError::new(ReadErrorKind::TooLarge, file, format!("larger than the limit of {limit} MiB"))
        .hinting("Cut it to the run, or sample less often.")
}

fn unpack(file: &str, what: &str, packed: impl Read, max_bytes: usize) -> Result<Vec<u8>, ReadError> {
    let mut out = Vec::new();
    // One byte over the limit shows that there is more than the limit.
    let limit = (max_bytes as u64).saturating_add(1);
    packed.take(limit).read_to_end(&mut out).map_err(|error| broken(file, what, &error))?;
    if out.len() > max_bytes { Err(too_large(file, max_bytes)) } else { Ok(out) }
}

fn broken(file: &str, what: &str, error: &dyn std::fmt::Display) -> ReadError {
    ReadError::new(ReadErrorKind::Binary, file, format!("the {what} data is broken ({error})"))
        .hinting("It may have been cut off while it was copied: copy it again.")
}

fn to_text<'a>(file: &str, bytes: &'a [u8], notes: &mut Vec<Warning>) -> Result<Cow<'a, str>, ReadError> {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return to_text(file, rest, notes);
    }
    let utf16 = match bytes {
        [0xff, 0xfe, rest @ ..] => Some((rest, u16::from_le_bytes as fn([u8; 2]) -> u16)),
        [0xfe, 0xff, rest @ ..] => Some((rest, u16::from_be_bytes as fn([u8; 2]) -> u16)),
        // Without a mark: text of Latin letters has every second byte zero.
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some((bytes, u16::from_le_bytes as fn([u8; 2]) -> u16)),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some((bytes, u16::from_be_bytes as fn([u8; 2]) -> u16)),
        _ => None,
    };
    if let Some((units, decode)) = utf16 {
        let units = units.chunks_exact(2).map(|pair| decode([pair[0], pair[1]]));
        return char::decode_utf16(units)
            .collect::<Result<String, _>>()
            .ok()
            .filter(|text| !is_binary(text.as_bytes()))
            .map(Cow::Owned)
            .ok_or_else(|| not_text(file));
    }
    if let Some((_, what, hint)) = BINARY.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return Err(
            ReadError::new(ReadErrorKind::Binary, file, format!("this is {what}, not text")).hinting(*hint)
        );
    }
    if is_binary(bytes) {
        return Err(not_text(file));
    }
    if let Ok(text) = str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    notes.push(Warning::new(WarningKind::Encoding, "The file isn't UTF-8; it was read as Latin-1."));
    Ok(bytes.iter().map(|&byte| char::from(byte)).collect())
}

fn not_text(file: &str) -> ReadError {
    ReadError::new(ReadErrorKind::Binary, file, "this is not text")
        .hinting("Give a trace as text: CSV, JSON, or what the tool prints.")
}

/// Whether the start has bytes that no text has.
fn is_binary(bytes: &[u8]) -> bool {
    let probe = &bytes[..bytes.len().min(PROBE_BYTES)];
    let odd = probe.iter().filter(|&&b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b));
    // No text has a NUL; a stray control character is no proof.
    probe.contains(&0) || odd.count() * 20 > probe.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_off() {
        for (text, wanted) in [
            ("\u{1b}[32;22mvda   \u{1b}[0m\u{1b}[34;1m  1.5\u{1b}[0m", "vda     1.5"),
            ("a\u{1b}[Kb", "ab"),
            ("\u{1b}[2J\u{1b}[Hx", "\u{1b}[2J\u{1b}[Hx"),
            ("x\u{1b}[", "x\u{1b}["),
            ("x\u{1b}[1;\u{e9}", "x\u{1b}[1;\u{e9}"),
        ] {
            assert_eq!(without_colours(text), wanted, "{text:?}");
        }
    }
}
