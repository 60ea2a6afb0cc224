//! What a reader noticed about a file that it could read all the same.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{excerpt, printable};

/// What kind of thing a reader noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// The file doesn't say how many cores the node has: the number is an assumption.
    CoresAssumed,
    /// The file doesn't say how long a step is: it is an assumption.
    StepAssumed,
    /// The node's number of cores changed during the run.
    CoresChanged,
    /// The file isn't in UTF-8.
    Encoding,
    /// The file ends in the middle of something.
    CutOff,
    /// Rows that say a time again.
    RepeatedTime,
    /// The clock went back.
    ClockBack,
    /// The machine or the tool started anew in the middle.
    Restart,
    /// A counter started anew.
    CounterReset,
    /// A column that Cotrace has no use for, or doesn't know.
    ColumnLeftOut,
    /// Rows that can't be read and were left out.
    RowsLeftOut,
    /// Devices that would count twice.
    DevicesLeftOut,
    /// The first sample was an average since boot.
    SinceBoot,
    /// What went over the network isn't known.
    NetworkUnknown,
    /// Memory in use isn't known.
    MemoryUnknown,
    /// The hypervisor took CPU time.
    Steal,
    /// What columns mean was guessed.
    Guessed,
    /// The file is broken in a way that could be mended.
    Mended,
    /// Anything else.
    Other,
}

/// Something a person should know about how a file was read: what, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind of thing.
    pub kind: WarningKind,
    /// The line of the file where it shows first, from 1. `None`: no particular one.
    pub line: Option<u64>,
    /// The file's name of the column. `None`: no particular one.
    pub column: Option<String>,
    /// What it is, as a sentence.
    pub message: String,
    /// What to do about it, as a sentence. Empty: nothing.
    pub hint: String,
}

impl Warning {
    /// A warning about the file as a whole; the methods below add where, and what to do.
    pub fn new(kind: WarningKind, message: impl Into<String>) -> Warning {
        Warning { kind, line: None, column: None, message: printable(message.into()), hint: String::new() }
    }

    /// In this line, from 1.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Warning {
        self.line = Some(line);
        self
    }

    /// In this column.
    #[must_use]
    pub fn in_column(mut self, column: &str) -> Warning {
        self.column = Some(excerpt(column, 80));
        self
    }

    /// With what to do.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<String>) -> Warning {
        self.hint = printable(hint.into());
        self
    }
}

/// The message and the hint, after the place.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, &self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, Some(column)) => write!(f, "column {column}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(f, " {}", self.hint)?;
        }
        Ok(())
    }
}
