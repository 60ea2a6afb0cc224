//! Time as it comes from a file: rising, once.

use crate::{ReadError, ReadErrorKind, Warning, WarningKind};

/// The last time that is still believed, in seconds: three thousand years.
const MAX_SECONDS: f64 = 1e11;

/// Collects the times of rows and says which rows to keep.
#[derive(Default)]
pub(crate) struct Axis {
    times: Vec<f64>,
    repeated: usize,
    backwards: usize,
    first_backwards: Option<(u64, String)>,
}

impl Axis {
    /// Adds the time of a row. `false`: the row must be left out, for its time doesn't come after the last one.
    pub(crate) fn push(&mut self, line: u64, seconds: f64, seen: &str) -> bool {
        match self.times.last() {
            Some(&last) if seconds == last => {
                self.repeated += 1;
                false
            }
            Some(&last) if seconds < last => {
                self.backwards += 1;
                self.first_backwards.get_or_insert_with(|| (line, seen.to_owned()));
                false
            }
            _ => {
                self.times.push(seconds);
                true
            }
        }
    }

    /// The times, and warnings about rows left out. A clock that went back for more than a few rows is an error:
    /// most likely the file holds several runs.
    pub(crate) fn finish(
        self,
        file: &str,
        column: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<f64>, ReadError> {
        if self.repeated > 0 {
            let message = format!("Left out {} with the same time as the row before.", rows(self.repeated));
            warnings.push(Warning::new(WarningKind::RepeatedTime, message));
        }
        if let Some((line, seen)) = self.first_backwards {
            if self.backwards > 3.max(self.times.len() / 50) {
                return Err(ReadError::new(ReadErrorKind::BadTime, file, "time runs backwards")
                    .at_line(line)
                    .in_column(column)
                    .seeing(&seen)
                    .hinting("If the file holds several runs, cut it there and read each for itself."));
            }
            let left_out = rows(self.backwards);
            let message = format!("The clock went back: left out {left_out} until it had caught up.");
            warnings.push(Warning::new(WarningKind::ClockBack, message).at_line(line));
        }
        Ok(self.times)
    }
}

/// Whether a time in seconds can be one.
pub(crate) fn is_plausible(seconds: f64) -> bool {
    (0.0..=MAX_SECONDS).contains(&seconds)
}

fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}
