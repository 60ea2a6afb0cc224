//! The time of day, as tools print it.

use std::borrow::Cow;

/// Seconds in a day.
pub(crate) const DAY_SECONDS: f64 = 86_400.0;
/// The last time that is still believed: the year 5138.
const MAX_SECONDS: f64 = 1e11;

/// A time as a file says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stamp {
    /// Since 1970 if it is dated, else since midnight. To the microsecond.
    pub(crate) seconds: f64,
    /// Whether the day is known.
    pub(crate) dated: bool,
}

impl Stamp {
    /// Seconds since 1970. `None`: no time that can be.
    pub(crate) fn unix(seconds: f64) -> Option<Stamp> {
        (0.0..=MAX_SECONDS).contains(&seconds).then(|| Stamp { seconds: round(seconds), dated: true })
    }
}

/// To the microsecond, so that the same time in other digits is the same.
fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// The time that `text` says: a time of day (`13:05:09`, `13:05:09.25`, `13:05:09,25`, `01:05:09 PM`), with a date
/// before it or without (`2024-05-01 13:05:09`, `2024-05-01T13:05:09+02:00`, `20240501 13:05:09`, `01.05.2024
/// 13:05:09`), or seconds, milliseconds or nanoseconds since 1970. A time zone that is a number is taken into
/// account, a name of one is not: it is the same all through a file.
pub(crate) fn stamp(text: &str) -> Option<Stamp> {
    if let Some(seconds) = plain_clock(text.as_bytes()) {
        return Some(Stamp { seconds, dated: false });
    }
    let text = text.trim();
    if let Some(seconds) = plain_dated(text.as_bytes()) {
        return Stamp::unix(seconds);
    }
    if !text.contains(':') {
        return epoch(text);
    }
    let (date_text, clock) = match text.split_once(['T', ' ']) {
        Some((first, rest)) if !first.contains(':') => (Some(first), rest.trim_start()),
        _ => (None, text),
    };
    let (clock, offset) = without_zone(clock);
    let of_day = of_day(clock)?;
    match date_text {
        None => Some(Stamp { seconds: round(of_day), dated: false }),
        Some(date_text) => {
            Stamp::unix(date(date_text.trim_end_matches(','))? * DAY_SECONDS + of_day - offset)
        }
    }
}

/// Reads dates that say no year: `30-11 21:12:12` (the day first), `Nov-30 21:12:12`, `Nov 30 21:12:12`. They come in
/// order, so that January after December is the next year.
#[derive(Default)]
pub(crate) struct Yearless {
    /// The year, where something else in the file says it.
    year: Option<u32>,
    /// Days of the years gone by, where it isn't known.
    days_gone: f64,
    is_leap_year: bool,
    month_first: bool,
    month: u32,
}

impl Yearless {
    /// Reads dates that have the month first, even where the day could be one.
    pub(crate) fn month_first() -> Yearless {
        Yearless { month_first: true, ..Yearless::default() }
    }

    /// The date of the first times to come was in this year.
    pub(crate) fn start(&mut self, year: u32) {
        (self.year, self.month) = (Some(year), 0);
    }

    /// The time that `text` says. Without a year it isn't dated: only how far it is from others means something.
    pub(crate) fn stamp(&mut self, text: &str) -> Option<Stamp> {
        let text = text.trim();
        let colon = text.find(':')?;
        let (date, clock) = text.split_at(text.get(..colon)?.rfind(' ')?);
        let (first, second) = date.trim_end().split_once(['-', '/', ' '])?;
        let second = second.trim_start();
        // A day that can be no month shows the order.
        self.month_first |= whole(second, 32).is_some_and(|day| day > 12);
        let is_name = first.starts_with(|c: char| c.is_ascii_alphabetic());
        let (day, name) = if is_name || self.month_first { (second, first) } else { (first, second) };
        let (day, month) = (whole(day, 32)?, month(name)?);
        let of_day = of_day(without_zone(clock.trim_start()).0)?;
        // A clock set back by a few days over New Year is no year.
        let is_next_year = self.month > month + 6;
        self.month = month;
        if let Some(year) = &mut self.year {
            *year += u32::from(is_next_year);
            return Stamp::unix(days(*year, month, day)? * DAY_SECONDS + of_day);
        }
        let length = |is_leap_year| if is_leap_year { (1972, 366.0) } else { (1971, 365.0) };
        if is_next_year {
            self.days_gone += length(self.is_leap_year).1;
            self.is_leap_year = false;
        }
        self.is_leap_year |= (month, day) == (2, 29);
        let year = length(self.is_leap_year).0;
        let days = self.days_gone + days(year, month, day)? - days(year, 1, 1)?;
        Some(Stamp { seconds: round(days * DAY_SECONDS + of_day), dated: false })
    }
}

/// The seconds since midnight of `13:05:09`, the most frequent form by far.
fn plain_clock(text: &[u8]) -> Option<f64> {
    let &[h1, h2, b':', m1, m2, b':', s1, s2] = text else { return None };
    let two = |tens: u8, ones: u8, limit: u32| {
        let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
        let value = u32::from(tens) * 10 + u32::from(ones);
        (tens < 10 && ones < 10 && value < limit).then_some(value)
    };
    Some(f64::from(two(h1, h2, 24)? * 3600 + two(m1, m2, 60)? * 60 + two(s1, s2, 61)?))
}

/// The seconds since 1970 of `2024-05-01 13:05:09`, the most frequent form with a date.
fn plain_dated(text: &[u8]) -> Option<f64> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b' ' | b'T', ref clock @ ..] = text else {
        return None;
    };
    let of_day = plain_clock(clock)?;
    let whole = |digits: &[u8]| {
        digits.iter().try_fold(0_u32, |value, digit| {
            digit.is_ascii_digit().then(|| value * 10 + u32::from(digit - b'0'))
        })
    };
    Some(days(whole(&[y1, y2, y3, y4])?, whole(&[m1, m2])?, whole(&[d1, d2])?)? * DAY_SECONDS + of_day)
}

/// Whether dates such as `03/05/2024` have the day first: as other dates of the same file show.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DateOrder {
    day: bool,
    month: bool,
    /// The first such date, and the last, with the month first and with the day first.
    first: Option<(f64, f64)>,
    last: Option<(f64, f64)>,
}

impl DateOrder {
    /// Takes a time into account.
    pub(crate) fn see(&mut self, text: &str) {
        let Some((first, second, year, _)) = parts(text) else { return };
        self.day |= first > 12;
        self.month |= second > 12;
        if let (Some(month_first), Some(day_first)) = (days(year, first, second), days(year, second, first)) {
            self.first.get_or_insert((month_first, day_first));
            self.last = Some((month_first, day_first));
        }
    }

    /// Whether the day is first where [`date`] would take it for the month. A file that passes the midnight between
    /// 3 May and 4 May is more likely than one that goes on for a month.
    pub(crate) fn is_day_first(self) -> bool {
        let shorter = match (self.first, self.last) {
            (Some(first), Some(last)) => (last.1 - first.1).abs() < (last.0 - first.0).abs(),
            _ => false,
        };
        !self.month && (self.day || shorter)
    }
}

/// Whether it is a date such as `03/05/2024`, whose order has to be found out.
pub(crate) fn is_ordered(text: &str) -> bool {
    parts(text).is_some()
}

/// `03/05/2024 10:00:00` as `2024-05-03 10:00:00`; anything else as it is.
pub(crate) fn day_first(text: &str) -> Cow<'_, str> {
    match parts(text) {
        Some((day, month, year, rest)) => Cow::Owned(format!("{year}-{month}-{day} {rest}")),
        None => Cow::Borrowed(text),
    }
}

/// The numbers of a date such as `03/05/2024` or `03-05-2024`, and what comes after it.
fn parts(text: &str) -> Option<(u32, u32, u32, &str)> {
    let text = text.trim();
    let end = text.find([' ', ',', 'T']).unwrap_or(text.len());
    let (date, rest) = text.split_at_checked(end)?;
    let separator = date.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '/' | '-'))?;
    let mut numbers = date.split(separator);
    let (first, second, year) = (numbers.next()?, numbers.next()?, numbers.next()?);
    if numbers.next().is_some() || first.len() > 2 {
        return None;
    }
    let short = if year.len() <= 2 { 2000 } else { 0 };
    let year = whole(year, 10_000)? + short;
    Some((whole(first, 32)?, whole(second, 32)?, year, rest.trim_start_matches([',', ' ', 'T'])))
}

/// The seconds since midnight.
fn of_day(clock: &str) -> Option<f64> {
    let clock = clock.trim();
    let end = clock.get(clock.len().saturating_sub(2)..).unwrap_or_default();
    let half = match end {
        "AM" | "am" | "Am" => Some(0),
        "PM" | "pm" | "Pm" => Some(12),
        _ => None,
    };
    let clock = if half.is_some() { clock[..clock.len() - 2].trim_end() } else { clock };
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let mut hour = whole(hour, 24)?;
    if let Some(half) = half {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + half;
    }
    let minute = whole(minute, 60)?;
    let (second, fraction) = second.split_once(['.', ',']).unwrap_or((second, ""));
    // A leap second is 60.
    let second = whole(second, 61)?;
    let fraction = match fraction {
        "" => 0.0,
        digits if digits.len() <= 12 && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("0.{digits}").parse::<f64>().ok()?
        }
        _ => return None,
    };
    Some(f64::from(hour * 3600 + minute * 60 + second) + fraction)
}

/// A time of day without the time zone after it, and how far that is ahead of UTC in seconds.
fn without_zone(clock: &str) -> (&str, f64) {
    if let Some(at) = clock.rfind(['+', '-']).filter(|at| *at >= 5) {
        let digits: String = clock[at + 1..].chars().filter(|c| *c != ':').collect();
        if matches!(digits.len(), 2 | 4)
            && let (Some(hours), Some(minutes)) = (
                digits.get(..2).and_then(|text| whole(text, 24)),
                whole(digits.get(2..).filter(|text| !text.is_empty()).unwrap_or("0"), 60),
            )
        {
            let seconds = f64::from(hours * 3600 + minutes * 60);
            let sign = if clock[at..].starts_with('-') { -1.0 } else { 1.0 };
            return (clock[..at].trim_end(), sign * seconds);
        }
    }
    let rest = clock.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let name = &clock[rest.len()..];
    if name.is_empty() || matches!(name, "AM" | "PM" | "am" | "pm" | "Am" | "Pm") {
        return (clock, 0.0);
    }
    (rest.trim_end(), 0.0)
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size.
fn epoch(text: &str) -> Option<Stamp> {
    let digits = text.split('.').next().unwrap_or_default();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || text.is_empty() {
        return None;
    }
    let scale = match digits.len() {
        9..=10 => 1.0,
        12..=13 => 1e-3,
        15..=16 => 1e-6,
        18..=19 => 1e-9,
        _ => return None,
    };
    Stamp::unix(text.parse::<f64>().ok()? * scale)
}

/// Days from 1970-01-01 to a date: `2024-05-01`, `2024/05/01`, `20240501`, `05/01/24`, `01.05.2024`, `01-MAY-2024`.
/// Where only their order could tell day and month apart, a point means that the day is first, else the month is.
pub(crate) fn date(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return days(whole(&text[..4], 10_000)?, whole(&text[4..6], 13)?, whole(&text[6..], 32)?);
    }
    let separator = text.chars().find(|c| !c.is_ascii_alphanumeric())?;
    let parts: Vec<&str> = text.split(separator).collect();
    let [first, second, third] = parts[..] else { return None };
    if let Some(year) = whole(first, 10_000).filter(|_| first.len() == 4) {
        return days(year, month(second)?, whole(third, 32)?);
    }
    let year = whole(third, 10_000)?;
    let year = if third.len() <= 2 { 2000 + year } else { year };
    if second.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return days(year, month(second)?, whole(first, 32)?);
    }
    let (first, second) = (whole(first, 32)?, whole(second, 32)?);
    let day_first = first > 12 || (separator == '.' && second <= 12);
    if day_first { days(year, second, first) } else { days(year, first, second) }
}

/// A month by its number or by its English name.
pub(crate) fn month(text: &str) -> Option<u32> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = text.get(..3).unwrap_or_default().to_ascii_lowercase();
    let named = NAMES.iter().position(|name| *name == start).map(|index| index as u32 + 1);
    named.or_else(|| whole(text, 13))
}

/// Days from 1970-01-01. `None`: there is no such day, or it was before.
pub(crate) fn days(year: u32, month: u32, day: u32) -> Option<f64> {
    let is_leap_year = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap_year),
        1..=12 => 31,
        _ => return None,
    };
    if !(1970..10_000).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    // Years from March on, so that the leap day is the last of one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    // 1 March of the year 0 to 1970.
    days.checked_sub(719_469).map(f64::from)
}

/// A whole number below `limit`, of digits only.
fn whole(text: &str, limit: u32) -> Option<u32> {
    if text.is_empty() || text.len() > 9 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.bytes()
        .try_fold(0_u32, |value, digit| value.checked_mul(10).map(|value| value + u32::from(digit - b'0')))
        .filter(|&value| value < limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read() {
        let clock = |seconds: f64| Some(Stamp { seconds, dated: false });
        let dated =
            |days: f64, seconds: f64| Some(Stamp { seconds: days * DAY_SECONDS + seconds, dated: true });
        let cases = [
            ("00:00:00", clock(0.0)),
            ("13:05:09", clock(47109.0)),
            (" 13:05:09.25 ", clock(47109.25)),
            ("13:05:09,250", clock(47109.25)),
            ("01:05:09 PM", clock(47109.0)),
            ("12:00:01 AM", clock(1.0)),
            ("12:00:01 pm", clock(43201.0)),
            ("13:05:09 CEST", clock(47109.0)),
            ("1970-01-02 00:00:03", dated(1.0, 3.0)),
            ("2024-02-29T00:00:00Z", dated(19782.0, 0.0)),
            ("2024-02-29T01:00:00+01:00", dated(19782.0, 0.0)),
            ("2024-02-28T22:30:00.5-0130", dated(19782.0, 0.5)),
            ("2000-03-01 00:00:00 UTC", dated(11017.0, 0.0)),
            ("2000/03/01 01:00:00 AM", dated(11017.0, 3600.0)),
            ("20240501 00:00:01", dated(19844.0, 1.0)),
            ("01.05.2024 00:00:01", dated(19844.0, 1.0)),
            ("01-MAY-2024 00:00:01", dated(19844.0, 1.0)),
            ("05/01/2024, 12:00:01 AM", dated(19844.0, 1.0)),
            ("2024-05-01T00:00:01", dated(19844.0, 1.0)),
            ("2024-05-32 00:00:01", None),
            ("1714521601", dated(19844.0, 1.0)),
            ("1714521601.25", dated(19844.0, 1.25)),
            ("1714521601250", dated(19844.0, 1.25)),
            ("1714521601000000000", dated(19844.0, 1.0)),
            ("17145", None),
            ("13:05", None),
            ("24:00:00", None),
            ("13:60:00", None),
            ("13:05:99", None),
            ("13:05:-1", None),
            ("13:05:1e1", None),
            ("13:05:inf", None),
            ("13:00:00 PM", None),
            ("00:00:01 AM", None),
            ("2024-13-01 00:00:00", None),
            ("2023-02-29 00:00:00", None),
            ("2024-01 00:00:00", None),
            ("1:2:3:4", None),
            ("", None),
            ("timestamp", None),
            ("é:é:é", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(stamp(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn dates_are_read() {
        let may_1 = Some(19844.0);
        let cases = [
            ("2024-05-01", may_1),
            ("2024/5/1", may_1),
            ("20240501", may_1),
            ("05/01/24", may_1),
            ("05/01/2024", may_1),
            ("01.05.2024", may_1),
            ("01-MAY-2024", may_1),
            ("31/01/24", Some(19753.0)),
            ("01/31/24", Some(19753.0)),
            ("31.12.1969", None),
            ("2024-02-30", None),
            ("1.2", None),
            ("", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(date(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        use jiff::civil::Date;
        let start = Date::constant(1970, 1, 1);
        for year in [1970_u32, 1972, 1999, 2000, 2023, 2024, 2100, 2400, 9999] {
            for month in 0..=13_u32 {
                for day in [0_u32, 1, 28, 29, 30, 31, 32] {
                    let date = Date::new(
                        year.try_into().unwrap(),
                        month.try_into().unwrap(),
                        day.try_into().unwrap(),
                    )
                    .ok();
                    let wanted = date.map(|date| date.since((jiff::Unit::Day, start)).unwrap().get_days());
                    let found = days(year, month, day);
                    assert_eq!(found, wanted.map(f64::from), "{year}-{month}-{day}");
                }
            }
        }
        assert_eq!(days(1969, 12, 31), None);
    }

    #[test]
    fn other_dates_of_a_file_show_which_is_the_day() {
        let cases: &[(&[&str], bool)] = &[
            (&["03/05/2024 10:00:00"], false),
            (&["03/05/2024 23:59:59", "04/05/2024 00:00:00"], true),
            (&["05/03/2024 23:59:59", "05/04/2024 00:00:00"], false),
            (&["03/05/2024, 10:00:00", "13/05/2024, 10:00:00"], true),
            (&["05/03/2024", "05/13/2024"], false),
            (&["03-05-24 10:00:00", "13-05-24 10:00:00"], true),
            (&["2024-05-03", "10:00:00", "é/1/2", ""], false),
        ];
        for (texts, wanted) in cases {
            let mut order = DateOrder::default();
            for text in *texts {
                order.see(text);
            }
            assert_eq!(order.is_day_first(), *wanted, "{texts:?}");
        }
        assert_eq!(day_first("03/05/2024, 10:00:00 PM"), "2024-5-3 10:00:00 PM");
        assert_eq!(day_first("2024-05-03 10:00:00"), "2024-05-03 10:00:00");
    }

    #[test]
    fn dates_without_a_year_are_read() {
        // (year, texts, seconds between them)
        let cases: &[(Option<u32>, &[&str], &[f64])] = &[
            (None, &["30-11 23:59:59", "01-12 00:00:00"], &[1.0]),
            (None, &["Nov-30 23:59:59", "Dec-01 00:00:00.5"], &[1.5]),
            (None, &["Nov 30 23:59:59", "Dec  1 00:00:01"], &[2.0]),
            (None, &["31-12 23:59:59", "01-01 00:00:01", "01-01 00:00:02"], &[2.0, 1.0]),
            (Some(2023), &["31-12 23:59:59", "01-01 00:00:01"], &[2.0]),
            (None, &["28-02 23:59:59", "01-03 00:00:00"], &[1.0]),
            (None, &["28-02 23:59:59", "29-02 00:00:00", "01-03 00:00:00"], &[1.0, 86_400.0]),
            (Some(2024), &["28-02 00:00:00", "01-03 00:00:00"], &[2.0 * 86_400.0]),
            (None, &["11/30 10:00:00", "12/01 10:00:00 UTC"], &[86_400.0]),
        ];
        for (year, texts, wanted) in cases {
            let mut clock = Yearless::default();
            if let Some(year) = year {
                clock.start(*year);
            }
            let seconds: Vec<f64> = texts
                .iter()
                .map(|text| clock.stamp(text).unwrap_or_else(|| panic!("{text}")).seconds)
                .collect();
            let steps: Vec<f64> = seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!(steps, *wanted, "{texts:?}");
        }
        let mut clock = Yearless::default();
        clock.start(2024);
        let wanted = Some(Stamp { seconds: 19844.0 * DAY_SECONDS + 1.0, dated: true });
        assert_eq!(clock.stamp("01-05 00:00:01"), wanted);
        for text in [
            "",
            "time",
            "30-13 10:00:00",
            "10:00:00",
            "30-11",
            "32-11 10:00:00",
            "00-11 1:0:0",
            "-: ::",
            "é-é 1:1:1",
        ] {
            assert_eq!(Yearless::default().stamp(text), None, "{text:?}");
        }
    }
}
