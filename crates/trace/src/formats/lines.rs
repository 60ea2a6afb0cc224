//! Reports made for people: lines of words.

use super::decimal;
use super::table::parse_number;
use crate::{Warning, WarningKind};

/// Counts lines that can't be read, as logs have them.
#[derive(Clone, Copy, Default)]
pub(crate) struct LeftOut {
    count: usize,
    first: u64,
}

impl LeftOut {
    /// This line can't be read.
    pub(crate) fn line(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    /// What to say about them, if there are any.
    pub(crate) fn warning(self) -> Option<Warning> {
        let lines = match self.count {
            0 => return None,
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        let message = format!("Left out {lines} that can't be read.");
        Some(Warning::new(WarningKind::RowsLeftOut, message).at_line(self.first))
    }
}

/// The lines of a text with their numbers from 1, without blanks and CR at their ends.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines().map(str::trim_end))
}

/// Whether a line is a terminal's and not the tool's: an interrupt, a shell's prompt with or without a command, what
/// `script` puts around a session.
pub(crate) fn is_of_terminal(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_ascii_whitespace().next().unwrap_or_default();
    line == "^C"
        || matches!(first, ">" | "exit" | "logout")
        || first.ends_with(['$', '#'])
        || line.ends_with(['$', '#'])
        || line.starts_with('[') && (line.contains("]$ ") || line.contains("]# "))
        || line.starts_with("Script started")
        || line.starts_with("Script done")
}

/// The number that a report has there, with a point or a comma for decimals. `NaN` for one that isn't known.
pub(crate) fn number(word: &str) -> Option<f64> {
    parse_number(word).or_else(|| decimal::plain(word.as_bytes(), b','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_terminals() {
        for line in [
            "^C",
            "$ vmstat 1",
            "# iostat 1",
            "user@host:~$ ",
            "user@host:~/runs$ vmstat 1",
            "[root@node ~]# mpstat 1",
            "[user@node runs]$ vmstat 1",
            "Script started on 2024-05-01 10:00:00+00:00 [TERM=\"xterm\"]",
            "exit",
        ] {
            assert!(is_of_terminal(line), "{line}");
        }
        for line in ["", "lost", "1 0 0 100", "Average: all 1.0", "Device tps", "48.3% 1.0%"] {
            assert!(!is_of_terminal(line), "{line}");
        }
    }

    #[test]
    fn numbers_of_any_locale() {
        for (word, wanted) in [
            ("1.5", Some(1.5)),
            ("1,5", Some(1.5)),
            ("-3", Some(-3.0)),
            ("1e3", Some(1000.0)),
            ("1,234,5", None),
            ("1,234.5", None),
            ("1,", Some(1.0)),
            ("0.1", Some(0.1)),
            ("123456789.987654", Some(123_456_789.987_654)),
            ("999999999999999", Some(999_999_999_999_999.0)),
            ("9007199254740993", Some(9_007_199_254_740_992.0)),
            ("12345678901234567890.5", Some(12_345_678_901_234_567_890.5)),
            ("1.2.3", None),
            ("1e400", None),
            ("x", None),
        ] {
            assert_eq!(number(word), wanted, "{word}");
        }
        assert!(number("-").is_some_and(f64::is_nan) && number("nan").is_some_and(f64::is_nan));
    }
}
