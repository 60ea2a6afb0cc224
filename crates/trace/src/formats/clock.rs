//! The time of day, as tools print it.

/// Seconds in a day.
pub(crate) const DAY_SECONDS: f64 = 86_400.0;

/// The seconds since midnight that `text` says: `13:05:09`, `13:05:09.25`, `01:05:09 PM`, with or without a date
/// (`2024-05-01 13:05:09`, `2024-05-01T13:05:09Z`) before it, which counts as days.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix('Z').or_else(|| text.strip_suffix(" UTC")).unwrap_or(text);
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) if date.contains('-') => (Some(date), clock.trim()),
        _ => (None, text),
    };
    let days = match date {
        None => 0.0,
        Some(date) => days(date)?,
    };
    let upper = clock.to_ascii_uppercase();
    let (clock, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(rest), _) => (rest.trim_end(), Some(0)),
        (_, Some(rest)) => (rest.trim_end(), Some(12)),
        _ => (upper.as_str(), None),
    };
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
    // A leap second is 60.
    let plain = second.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let second: f64 = second.parse().ok().filter(|second| plain && (0.0..61.0).contains(second))?;
    Some(days * DAY_SECONDS + f64::from(hour * 3600 + minute * 60) + second)
}

/// Days since 1970-01-01, Gregorian.
fn days(date: &str) -> Option<f64> {
    let mut parts = date.split('-');
    let year = i64::from(whole(parts.next()?, 10_000)?);
    let month = i64::from(whole(parts.next()?, 13)?);
    let day = i64::from(whole(parts.next()?, 32)?);
    if parts.next().is_some() || month == 0 || day == 0 {
        return None;
    }
    // Years that begin in March have the leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some((year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468) as f64)
}

/// A whole number below `limit`, of digits only.
fn whole(text: &str, limit: u32) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|&value| value < limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read() {
        let cases = [
            ("00:00:00", Some(0.0)),
            ("13:05:09", Some(47109.0)),
            (" 13:05:09.25 ", Some(47109.25)),
            ("01:05:09 PM", Some(47109.0)),
            ("12:00:01 AM", Some(1.0)),
            ("12:00:01 pm", Some(43201.0)),
            ("1970-01-02 00:00:03", Some(86403.0)),
            ("2024-02-29T00:00:00Z", Some(19782.0 * 86400.0)),
            ("2000-03-01 00:00:00 UTC", Some(11017.0 * 86400.0)),
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
            ("2024-01 00:00:00", None),
            ("1:2:3:4", None),
            ("", None),
            ("timestamp", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(seconds(text), wanted, "{text:?}");
        }
    }
}
