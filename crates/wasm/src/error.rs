//! What JavaScript is told when something can't be done.

use std::fmt;

use cotrace_model::{ForecastError, ModelError};
use cotrace_trace::{Guess, ReadError, ReadErrorKind};
use serde::Serialize;

/// Why something could not be done. Thrown as a plain object with these fields; what is not known is `null`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ApiError {
    /// A word for programs: one of [`cotrace_trace::ReadErrorKind`] such as `bad-number`, or `model`, `forecast`,
    /// `no-such-trace`, `no-such-model`, `usage` (a wrong argument), `internal` (a fault of this library: load it anew).
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
    /// What else there is to know about a file that can't be read.
    #[serde(flatten)]
    pub details: Box<Details>,
}

/// What else there is to know about a file that can't be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Details {
    /// The byte, from 0, where there are no lines.
    pub byte: Option<u32>,
    /// For `several`: what there is to choose from; the options' `subject` names one.
    pub choices: Vec<String>,
    /// For `not-a-trace`: each format that was tried, and why it is not that.
    pub tried: Vec<String>,
    /// What the columns of a table were taken for, where that does not suffice.
    pub guess: Option<Guess>,
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

    /// A name that no loaded model has; or none was given and none is loaded.
    pub fn no_such_model(name: Option<&str>, loaded: &[String]) -> ApiError {
        let name = name.map_or_else(String::new, |name| format!(" {name}"));
        let loaded =
            if loaded.is_empty() { String::new() } else { format!(", only {}", loaded.join(" and ")) };
        ApiError {
            hint: Some("Load its file first.".into()),
            ..ApiError::new("no-such-model", format!("No model{name} is loaded{loaded}."))
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
        let hint = match error.kind {
            ReadErrorKind::NotATrace => "If it is one of the formats all the same, say which.".into(),
            _ => error.hint.clone(),
        };
        let details = Details {
            byte: error.byte.and_then(|byte| u32::try_from(byte).ok()),
            tried: error.tried,
            guess: error.guess.map(|guess| *guess),
            choices: error.choices,
        };
        ApiError {
            kind: kind.unwrap_or_else(|| "read".to_owned()),
            message,
            file: Some(error.file.into()),
            line: error.line.and_then(|line| u32::try_from(line).ok()),
            column: error.column,
            hint: (!hint.is_empty()).then_some(hint),
            details: Box::new(details),
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
        let hint = match error {
            ForecastError::TwoJobs { .. } => {
                Some("The model cotrace forecasts one job alone, and more than two.".into())
            }
            _ => None,
        };
        ApiError { hint, ..ApiError::new("forecast", sentence(&error.to_string())) }
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
            details: Box::default(),
        };
        assert_eq!(ApiError::from(error), wanted);
    }

    #[test]
    fn what_is_not_known_is_null() {
        let json = serde_json::to_value(ApiError::no_such_trace(7)).unwrap();
        assert_eq!(json["kind"], "no-such-trace");
        assert!(json["message"].as_str().unwrap().contains('7'));
        for field in ["file", "line", "column", "byte", "guess"] {
            assert!(json.get(field).is_some_and(serde_json::Value::is_null), "{field}");
        }
        for field in ["choices", "tried"] {
            assert_eq!(json[field], serde_json::json!([]), "{field}");
        }
    }

    #[test]
    fn what_there_is_to_choose_from_is_told() {
        let mut error = ReadError::new(ReadErrorKind::Several, "stats.log", "2 containers in one file");
        error.choices = vec!["db".into(), "web".into()];
        let json = serde_json::to_value(ApiError::from(error)).unwrap();
        assert_eq!(json["kind"], "several");
        assert_eq!(json["choices"], serde_json::json!(["db", "web"]));
    }

    #[test]
    fn the_formats_tried_are_a_list() {
        let error =
            cotrace_trace::read("poem.txt", b"roses are red\n", &cotrace_trace::ReadOptions::default());
        let error = ApiError::from(error.unwrap_err());
        assert_eq!(error.kind, "not-a-trace", "{error:?}");
        // Every format, unless some join in one line.
        let titles = cotrace_trace::Format::ALL.iter().map(|format| format.title());
        let untold: Vec<&str> = titles
            .filter(|title| !error.details.tried.iter().any(|tried| tried.starts_with(title)))
            .collect();
        assert!(untold.is_empty(), "{untold:?} are not in {:#?}", error.details.tried);
        assert!(error.hint.is_some_and(|hint| hint.len() < 100));
    }

    #[test]
    fn sentences() {
        for (text, wanted) in [("it broke", "It broke."), ("Done.", "Done."), ("ähm", "Ähm."), ("", ".")] {
            assert_eq!(sentence(text), wanted, "{text:?}");
        }
    }
}
