//! The times of samples, as a tool printed them: one pass over time, or one for each kind of figure.

use std::collections::HashMap;

use crate::formats::clock::{DAY_SECONDS, Stamp};
use crate::grid::median_step;
use crate::{ReadError, ReadErrorKind, Warning, WarningKind};

/// The longest run that is believed, in seconds: three hundred years.
const MAX_SPAN_SECONDS: f64 = 1e10;

/// Collects the times of samples. A row is a time, in the order in which times are first seen.
#[derive(Default)]
pub(crate) struct Timeline {
    times: Vec<f64>,
    /// Where a time is, by its bits. Filled from the second pass on.
    rows: HashMap<u64, u32>,
    passes: u32,
    /// The time of the last sample in this pass.
    last: Option<f64>,
    /// The row of the last sample in this pass.
    cursor: Option<u32>,
    /// Seconds of the days that a clock without a date has gone through, and of the date said before it.
    day: f64,
    date: f64,
    start: Option<f64>,
    dated: bool,
    undated: bool,
    samples: usize,
    backwards: usize,
    first_backwards: Option<(u64, String)>,
}

/// Times put in order.
pub(crate) struct Times {
    /// Seconds from the run's start, rising.
    pub(crate) seconds: Vec<f64>,
    /// What to add to `seconds` to get the file's own clock.
    pub(crate) origin: f64,
    /// Where each row went. `None`: nowhere else.
    pub(crate) moved: Option<Vec<u32>>,
    /// Whether the file's own clock counts from 1970.
    pub(crate) dated: bool,
}

impl Timeline {
    /// A new pass over time: the next sample may be earlier than the last one.
    pub(crate) fn pass(&mut self) {
        if self.last.is_none() {
            return;
        }
        if self.passes == 0 {
            self.rows = self.times.iter().zip(0..).map(|(time, row)| (time.to_bits(), row)).collect();
        }
        self.passes += 1;
        self.last = None;
        self.cursor = None;
        self.day = 0.0;
    }

    /// The date of the clock times to come, in days since 1970.
    pub(crate) fn date(&mut self, days: f64) {
        self.date = days * DAY_SECONDS;
        self.day = 0.0;
        self.dated = true;
    }

    /// The time at which the first interval of this pass begins.
    pub(crate) fn start(&mut self, stamp: Stamp) {
        if self.last.is_none() {
            let seconds = self.seconds(stamp);
            self.last = Some(seconds);
            self.start = Some(self.start.map_or(seconds, |start| start.min(seconds)));
        }
    }

    /// The row of a sample. `None`: it must be left out, for the clock went back.
    pub(crate) fn sample(&mut self, line: u64, stamp: Stamp, seen: &str) -> Option<u32> {
        let seconds = self.seconds(stamp);
        if self.last == Some(seconds) && self.cursor.is_some() {
            return self.cursor;
        }
        self.samples += 1;
        if self.last.is_some_and(|last| seconds < last) {
            self.backwards += 1;
            self.first_backwards.get_or_insert_with(|| (line, seen.chars().take(100).collect()));
            return None;
        }
        self.last = Some(seconds);
        let row = self.row(seconds);
        self.cursor = Some(row);
        self.cursor
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    fn row(&mut self, seconds: f64) -> u32 {
        // In a second pass, most often the row after the last one.
        let next = self.cursor.map_or(0, |row| row as usize + 1);
        if self.times.get(next).is_some_and(|time| *time == seconds) {
            return next as u32;
        }
        if self.passes > 0
            && let Some(&row) = self.rows.get(&seconds.to_bits())
        {
            return row;
        }
        let row = self.times.len() as u32;
        self.times.push(seconds);
        if self.passes > 0 {
            self.rows.insert(seconds.to_bits(), row);
        }
        row
    }

    fn seconds(&mut self, stamp: Stamp) -> f64 {
        if stamp.dated {
            self.dated = true;
            return stamp.seconds;
        }
        self.undated = true;
        let seconds = self.date + self.day + stamp.seconds;
        // Back by more than half a day: midnight, for it can't be a clock that was set right.
        if self.last.is_some_and(|last| last - seconds > DAY_SECONDS / 2.0) {
            self.day += DAY_SECONDS;
            return seconds + DAY_SECONDS;
        }
        seconds
    }

    /// Puts the times in order. A clock that went back for more than a few samples is an error: most likely the
    /// file holds several runs.
    /// `step`: seconds that a sample takes, where a person says it.
    pub(crate) fn finish(
        mut self,
        file: &str,
        step: Option<f64>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Times, ReadError> {
        if let Some((line, seen)) = self.first_backwards {
            if self.backwards > 3.max(self.samples / 50) {
                return Err(ReadError::new(ReadErrorKind::BadTime, file, "time runs backwards")
                    .at_line(line)
                    .seeing(&seen)
                    .hinting("If the file holds several runs, cut it there and read each for itself."));
            }
            let rows =
                if self.backwards == 1 { "1 row".to_owned() } else { format!("{} rows", self.backwards) };
            let message = format!("The clock went back: left out {rows} until it had caught up.");
            warnings.push(Warning::new(WarningKind::ClockBack, message).at_line(line));
        }
        let moved = (!self.times.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..self.times.len() as u32).collect();
            order.sort_by(|a, b| self.times[*a as usize].total_cmp(&self.times[*b as usize]));
            let mut moved = vec![0; order.len()];
            for (to, from) in order.iter().enumerate() {
                moved[*from as usize] = to as u32;
            }
            self.times.sort_by(f64::total_cmp);
            moved
        });
        let Some(&first) = self.times.first() else {
            return Err(ReadError::new(ReadErrorKind::NoRows, file, "no samples in it"));
        };
        let origin = match self.start {
            Some(start) if start < first => start,
            _ if self.times.len() < 2 => match step {
                Some(step) => first - step,
                None => {
                    return Err(ReadError::new(ReadErrorKind::NoRows, file, "only one sample in it")
                        .hinting("At least two are needed to know how long a sample takes. Or say how many seconds."));
                }
            },
            _ => first - median_step(&self.times),
        };
        let last = self.times.last().copied().unwrap_or(first);
        if last - origin > MAX_SPAN_SECONDS {
            let years = (last - origin) / 86_400.0 / 365.25;
            return Err(ReadError::new(
                ReadErrorKind::BadTime,
                file,
                format!("its times are {years:.0} years apart"),
            )
            .hinting("One of its dates is wrong: mend it, or leave that line out."));
        }
        // Clocks have microseconds at best; the rest is rounding.
        let seconds = self.times.iter().map(|time| ((time - origin) * 1e6).round() / 1e6).collect();
        Ok(Times { seconds, origin, moved, dated: self.dated })
    }
}
