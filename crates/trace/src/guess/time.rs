//! The times of a table, in any of the ways that people and programs write them.

use crate::formats::clock::{self, DAY_SECONDS, Stamp};

/// The numbers from which on seconds are a date: 1973. Nothing runs so long.
const DATED_SECONDS: f64 = 1e8;

/// What a time in a table is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    /// A time of day, with a date or without.
    Stamp(Stamp),
    /// Seconds since the run began.
    Elapsed(f64),
}

/// The names of [`super::Role::TIME_UNITS`] and what a number in them is in seconds.
const SCALES: &[(&str, f64)] =
    &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("min", 60.0), ("h", 3600.0)];

/// The time in a cell whose column is in `unit`.
pub(crate) fn moment(cell: &str, unit: &str) -> Option<Moment> {
    if let Some((_, scale)) = SCALES.iter().find(|(name, _)| *name == unit) {
        let cell = cell.trim();
        let number: f64 = cell.parse().or_else(|_| cell.replacen(',', ".", 1).parse()).ok()?;
        let seconds = number * scale;
        return if seconds >= DATED_SECONDS {
            Stamp::unix(seconds).map(Moment::Stamp)
        } else {
            (seconds >= 0.0).then_some(Moment::Elapsed((seconds * 1e6).round() / 1e6))
        };
    }
    stamp(cell).map(Moment::Stamp)
}

/// A clock time as [`clock::stamp`] reads it, and also without seconds, without a clock, or with the month's name.
pub(crate) fn stamp(cell: &str) -> Option<Stamp> {
    let cell = cell.trim();
    if cell.is_empty() || cell.len() > 100 {
        return None;
    }
    clock::stamp(cell).or_else(|| clock::stamp(&with_seconds(cell)?)).or_else(|| spelt(cell)).or_else(|| {
        let has_separator = cell.contains(['-', '/']) || cell.matches('.').count() == 2;
        Stamp::unix(clock::date(cell).filter(|_| has_separator)? * DAY_SECONDS)
    })
}

/// `13:05` becomes `13:05:00`, whatever is around it.
fn with_seconds(text: &str) -> Option<String> {
    let colon = text.find(':')?;
    let minutes = text.get(colon + 1..colon + 3)?;
    let rest = text.get(colon + 3..)?;
    let is_clock = minutes.bytes().all(|byte| byte.is_ascii_digit())
        && !rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ','));
    is_clock.then(|| format!("{}:00{rest}", &text[..colon + 3]))
}

/// `Mon Nov 30 2026 21:16:00 GMT+0000 (Coordinated Universal Time)`, `30 Nov 2026, 21:16:00`.
fn spelt(text: &str) -> Option<Stamp> {
    let (mut month, mut day, mut year, mut of_day, mut zone, mut half) = (None, None, None, None, "", "");
    let text = text.split('(').next().unwrap_or_default();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let starts_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
        if word.contains(':') && starts_with_digit {
            of_day = Some(word);
        } else if of_day.is_some() && matches!(word, "AM" | "PM" | "am" | "pm") {
            half = word;
        } else if of_day.is_some()
            && (word.starts_with(['+', '-']) || word.starts_with("GMT") || word == "UTC")
        {
            zone = word.trim_start_matches("GMT").trim_start_matches("UTC");
        } else if starts_with_digit && word.len() == 4 {
            year = word.parse::<u32>().ok();
        } else if starts_with_digit && day.is_none() {
            day = word.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<u32>().ok();
        } else if !starts_with_digit && month.is_none() {
            month = clock::month(word);
        }
    }
    let days = clock::days(year?, month?, day?)?;
    let mut clock = format!("2000-01-01 {}", of_day?);
    if clock.matches(':').count() == 1 {
        clock.push_str(":00");
    }
    if !half.is_empty() {
        clock = format!("{clock} {half}");
    }
    clock.push_str(zone);
    let of_day = clock::stamp(&clock)?.seconds - clock::days(2000, 1, 1)? * DAY_SECONDS;
    Stamp::unix(days * DAY_SECONDS + of_day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let at = |seconds: f64| Some(Moment::Stamp(Stamp { seconds, dated: true }));
        let clock = |seconds: f64| Some(Moment::Stamp(Stamp { seconds, dated: false }));
        let elapsed = |seconds: f64| Some(Moment::Elapsed(seconds));
        let cases = [
            ("13:05:09", "clock", clock(47_109.0)),
            ("13:05", "clock", clock(47_100.0)),
            ("1:05 PM", "clock", clock(47_100.0)),
            ("2024-05-01T00:01Z", "clock", at(1_714_521_660.0)),
            ("2024-05-01 00:01", "clock", at(1_714_521_660.0)),
            ("5/1/2024 12:01:00 AM", "clock", at(1_714_521_660.0)),
            ("05/01/2024 00:01:00.250", "clock", at(1_714_521_660.25)),
            (
                "Wed May 01 2024 02:01:00 GMT+0200 (Central European Summer Time)",
                "clock",
                at(1_714_521_660.0),
            ),
            ("1 May 2024, 00:01:00", "clock", at(1_714_521_660.0)),
            ("May 1, 2024 12:01 AM", "clock", at(1_714_521_660.0)),
            ("2024-05-01", "clock", at(1_714_521_600.0)),
            ("1714521660", "s", at(1_714_521_660.0)),
            ("1714521660.5", "s", at(1_714_521_660.5)),
            ("1714521660500", "ms", at(1_714_521_660.5)),
            ("1.71452166e9", "s", at(1_714_521_660.0)),
            ("0", "s", elapsed(0.0)),
            ("1,5", "s", elapsed(1.5)),
            ("1500", "ms", elapsed(1.5)),
            ("1.5", "min", elapsed(90.0)),
            ("0.5", "h", elapsed(1800.0)),
            ("-1", "s", None),
            ("nan", "s", None),
            ("12.5", "clock", None),
            ("13:5", "clock", None),
            ("é:é", "clock", None),
            ("", "clock", None),
            ("next Monday", "clock", None),
        ];
        for (cell, unit, wanted) in cases {
            assert_eq!(moment(cell, unit), wanted, "{cell:?} in {unit}");
        }
    }
}
