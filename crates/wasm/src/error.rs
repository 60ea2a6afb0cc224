//! What JavaScript is told when something can't be done.

use std::fmt;

use cotrace_model::{ForecastError, ModelError};
use cotrace_trace::ReadError;
use serde::Serialize;

/// Why something could not be done. Thrown as a plain object with these fields; what is not known is `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ApiError {
    /// A word for programs: one of [`cotrace_trace::ReadErrorKind`] such as `bad-number`, or `model`, `forecast`,
    /// `no-such-trace`, `usage` (a wrong argument), `internal` (a fault of this library: load it anew).
    pub kind: String,
    /// What is wrong, for people.
    pub message: String,
    /// The file it is about.
    pub file: Option<Box<str>>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column of the table, by name.
    pub column: Option<Box<str>>,
    /// What to do about it.
    pub hint: Option<Box<str>>,
}

impl ApiError {
    /// An error about no file.
    pub fn new(kind: &str, message: impl Into<String>) -> ApiError {
        ApiError { kind: kind.to_owned(), message: message.into(), ..ApiError::default() }
    }

    /// An argument of the wrong type or size.
    pub fn usage(message: impl Into<String>) -> ApiError {
        ApiError::new("usage", message)
    }

    /// A handle that is nobody's.
    pub fn no_such_trace(handle: u32) -> ApiError {
        ApiError {
            hint: Some("Read the file again.".into()),
            ..ApiError::new(
                "no-such-trace",
                format!("There is no trace {handle}: it was freed, or never read."),
            )
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> ApiError {
        // The kind's name is how it serialises; that of a unit variant does not fail.
        let kind = serde_json::to_value(error.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let message = if error.seen.is_empty() {
            sentence(&error.problem)
        } else {
            sentence(&format!("{}, saw “{}”", error.problem, error.seen))
        };
        ApiError {
            kind: kind.unwrap_or_else(|| "read".to_owned()),
            message,
            file: Some(error.file.into()),
            line: error.line.and_then(|line| u32::try_from(line).ok()),
            column: error.column,
            hint: (!error.hint.is_empty()).then_some(error.hint),
        }
    }
}

impl From<ModelError> for ApiError {
    fn from(error: ModelError) -> ApiError {
        ApiError::new("model", sentence(&error.to_string()))
    }
}

impl From<ForecastError> for ApiError {
    fn from(error: ForecastError) -> ApiError {
        ApiError::new("forecast", sentence(&error.to_string()))
    }
}

/// `text` with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase).into_iter().flatten();
    let mut sentence: String = first.chain(chars).collect();
    if !sentence.ends_with(['.', '!', '?', '”']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use cotrace_trace::ReadErrorKind;

    use super::*;

    #[test]
    fn a_read_error_keeps_its_place() {
        let error = ReadError::new(ReadErrorKind::BadNumber, "a.csv", "expected a number")
            .at_line(12)
            .in_column("%user")
            .seeing("abc")
            .hinting("Use a point for decimals.");
        let wanted = ApiError {
            kind: "bad-number".into(),
            message: "Expected a number, saw “abc”".into(),
            file: Some("a.csv".into()),
            line: Some(12),
            column: Some("%user".into()),
            hint: Some("Use a point for decimals.".into()),
        };
        assert_eq!(ApiError::from(error), wanted);
    }

    #[test]
    fn what_is_not_known_is_null() {
        let json = serde_json::to_value(ApiError::no_such_trace(7)).unwrap();
        assert_eq!(json["kind"], "no-such-trace");
        assert!(json["message"].as_str().unwrap().contains('7'));
        for field in ["file", "line", "column"] {
            assert!(json.get(field).is_some_and(serde_json::Value::is_null), "{field}");
        }
    }

    #[test]
    fn sentences() {
        for (text, wanted) in [("it broke", "It broke."), ("Done.", "Done."), ("ähm", "Ähm."), ("", ".")] {
            assert_eq!(sentence(text), wanted, "{text:?}");
        }
    }
}
