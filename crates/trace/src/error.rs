//! What is wrong with a file, where, and what to do about it.

use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::Guess;

/// The longest excerpt of a file that an error quotes, in characters.
const EXCERPT_CHARS: usize = 80;

/// What kind of thing is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadErrorKind {
    /// There is nothing in it.
    Empty,
    /// It is larger than [`ReadOptions::max_bytes`](crate::ReadOptions), packed or unpacked.
    TooLarge,
    /// It is in none of the formats known; [`ReadError::tried`] says why.
    NotATrace,
    /// It is a web page, for example of a login or of a repository's file view.
    WebPage,
    /// It isn't text: an archive, a spreadsheet, a database, sysstat's own binary.
    Binary,
    /// It was written by a newer Cotrace.
    NewerVersion,
    /// Its head can't be used: a column is missing, twice there, or the node line is broken.
    BadHeader,
    /// A cell that should hold a number doesn't.
    BadNumber,
    /// A time can't be read, or time runs backwards.
    BadTime,
    /// A row has more or fewer cells than the header.
    RaggedRow,
    /// The JSON is broken or has another shape.
    BadJson,
    /// The file holds several things, each a trace of its own: see [`ReadError::choices`].
    Several,
    /// There are no rows, or too few to know how long a step is.
    NoRows,
}

/// Why a file can't be read as a trace: the culprit, where it is, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What kind of thing is wrong.
    pub kind: ReadErrorKind,
    /// The file's name, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The byte, from 0, where there are no lines to count.
    pub byte: Option<u64>,
    /// The column's name in the file.
    pub column: Option<Box<str>>,
    /// What is wrong, in words: `expected a number`.
    pub problem: Box<str>,
    /// What the file has there, shortened and with control characters escaped. Empty: nothing to show.
    pub seen: Box<str>,
    /// What to do about it. Empty: nothing to say.
    pub hint: Box<str>,
    /// For [`ReadErrorKind::Several`]: what there is to choose from, for
    /// [`ReadOptions::subject`](crate::ReadOptions).
    pub choices: Vec<String>,
    /// For [`ReadErrorKind::NotATrace`]: each format that was tried, and how one can tell that it isn't that.
    pub tried: Vec<String>,
    /// What a table's columns were taken for, where that is why it can't be read: what to start from to state it in
    /// [`ReadOptions::mapping`](crate::ReadOptions).
    pub guess: Option<Box<Guess>>,
}

impl ReadError {
    /// An error about `file` as a whole; the methods below add where and what.
    pub fn new(kind: ReadErrorKind, file: &str, problem: impl Into<Box<str>>) -> ReadError {
        ReadError {
            kind,
            file: excerpt(file, 200),
            line: None,
            byte: None,
            column: None,
            problem: printable(problem.into()),
            seen: Box::default(),
            hint: Box::default(),
            choices: Vec::new(),
            tried: Vec::new(),
            guess: None,
        }
    }

    /// At this byte, from 0.
    #[must_use]
    pub fn at_byte(mut self, byte: u64) -> ReadError {
        self.byte = Some(byte);
        self
    }

    /// At this line, from 1.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> ReadError {
        self.line = Some(line);
        self
    }

    /// In this column.
    #[must_use]
    pub fn in_column(mut self, column: &str) -> ReadError {
        self.column = Some(excerpt(column, EXCERPT_CHARS).into());
        self
    }

    /// With what is there, shortened and made safe to print.
    #[must_use]
    pub fn seeing(mut self, seen: &str) -> ReadError {
        self.seen = excerpt(seen, EXCERPT_CHARS).into();
        self
    }

    /// With what to do.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<Box<str>>) -> ReadError {
        self.hint = printable(hint.into());
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(byte) = self.byte {
            write!(f, ", byte {byte}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}", self.problem)?;
        if !self.seen.is_empty() {
            write!(f, ", saw \"{}\"", self.seen)?;
        }
        if !self.hint.is_empty() {
            write!(f, ". {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// The fields, and the whole in words as `message`.
impl Serialize for ReadError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("ReadError", 12)?;
        out.serialize_field("kind", &self.kind)?;
        out.serialize_field("file", &self.file)?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("byte", &self.byte)?;
        out.serialize_field("column", &self.column)?;
        out.serialize_field("problem", &self.problem)?;
        out.serialize_field("seen", &self.seen)?;
        out.serialize_field("hint", &self.hint)?;
        out.serialize_field("choices", &self.choices)?;
        out.serialize_field("tried", &self.tried)?;
        out.serialize_field("guess", &self.guess)?;
        out.serialize_field("message", &self.to_string())?;
        out.end()
    }
}

/// At most `chars` characters of `text`, control characters escaped, an ellipsis where it was cut.
pub(crate) fn excerpt(text: &str, chars: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let piece: String = if needs_escape(c) { c.escape_default().collect() } else { c.to_string() };
        let length = piece.chars().count();
        if used + length > chars {
            // Room for the ellipsis: what is cut was too long by at least one character anyway.
            while used + 1 > chars && out.pop().is_some() {
                used -= 1;
            }
            out.push('…');
            break;
        }
        out.push_str(&piece);
        used += length;
    }
    out
}

/// Words of ours with words of a file in them, made safe to print.
pub(crate) fn printable<T: AsRef<str> + From<String>>(text: T) -> T {
    if text.as_ref().chars().any(needs_escape) {
        let escape = |c: char| if needs_escape(c) { c.escape_default().to_string() } else { c.to_string() };
        text.as_ref().chars().map(escape).collect::<String>().into()
    } else {
        text
    }
}

/// Control characters, and those that reorder or hide text on a screen.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_safe() {
        let long = "a".repeat(500);
        let cases = [
            ("abc", "abc"),
            ("a\tb\0c\u{1b}[31m", "a\\tb\\u{0}c\\u{1b}[31m"),
            ("right\u{202e}left", "right\\u{202e}left"),
            ("näme — ok", "näme — ok"),
        ];
        for (text, wanted) in cases {
            assert_eq!(excerpt(text, 80), wanted);
        }
        assert_eq!(excerpt(&long, 80).chars().count(), 80);
        assert!(excerpt(&long, 80).ends_with("a…"));
        assert_eq!(excerpt(&"\u{1b}".repeat(100), 80).chars().count(), 80 - 80 % 6 + 1);
    }

    #[test]
    fn errors_say_where_what_and_how() {
        let error = ReadError::new(ReadErrorKind::BadNumber, "terasort.csv", "expected a number")
            .at_line(12)
            .in_column("%user")
            .seeing("abc")
            .hinting("Use a point for decimals.");
        assert_eq!(
            error.to_string(),
            "terasort.csv, line 12, column %user: expected a number, saw \"abc\". Use a point for decimals."
        );
        let json: serde_json::Value = serde_json::to_value(&error).unwrap();
        assert_eq!(json["kind"], "bad-number");
        assert_eq!(json["line"], 12);
        assert_eq!(json["column"], "%user");
        assert_eq!(json["message"], error.to_string());
    }
}
