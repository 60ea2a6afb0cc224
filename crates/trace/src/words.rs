//! Times and amounts in sentences.

/// A time as people say it: `42.5 s`, `3 min 20 s`, `5 h 12 min`.
pub(crate) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown time".to_owned();
    }
    if seconds == 0.0 {
        return "0 s".to_owned();
    }
    if seconds.abs() < 0.0095 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 119.95 {
        let digits = if seconds < 9.995 { 2 } else { 1 };
        let text = format!("{seconds:.digits$}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return format!("{text} s");
    }
    minutes(seconds)
}

/// A time of a minute or more, in minutes and seconds, or in hours and minutes: `3 min 20 s`, `5 h 12 min`.
pub fn minutes(seconds: f64) -> String {
    // Above an hour, to the nearest minute.
    let whole = if seconds < 3599.5 { seconds.round() } else { (seconds / 60.0).round() * 60.0 } as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    match (hours, minutes, seconds) {
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A share: `5 %`, `0.4 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent >= 1.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// An amount in a metric's unit, bytes with a prefix: `1.25 cores`, `12.5 MB/s`.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    if unit.starts_with("bytes") { scaled(value, unit) } else { rounded(value, "", unit) }
}

/// Three significant digits with a decimal prefix: `1.23 GB`, `45.6 MB/s`, `789 cores`.
pub fn scaled(value: f64, unit: &str) -> String {
    let (divisor, prefix) = match value.abs() {
        v if v >= 1e9 => (1e9, "G"),
        v if v >= 1e6 => (1e6, "M"),
        v if v >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    rounded(value / divisor, prefix, unit)
}

fn rounded(value: f64, prefix: &str, unit: &str) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let unit = match unit {
        "bytes" => "B",
        "bytes/s" => "B/s",
        other => other,
    };
    format!("{value:.digits$} {prefix}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_amounts_as_people_say_them() {
        let wrong: Vec<String> = [
            (duration(0.0), "0 s"),
            (duration(0.005), "5 ms"),
            (duration(0.5), "0.5 s"),
            (duration(1.234), "1.23 s"),
            (duration(42.0), "42 s"),
            (duration(100.0), "100 s"),
            (duration(119.97), "2 min"),
            (duration(200.0), "3 min 20 s"),
            (duration(3599.6), "1 h"),
            (duration(18_725.0), "5 h 12 min"),
            (duration(f64::NAN), "unknown time"),
            (percent(0.0), "0 %"),
            (percent(0.004), "0.4 %"),
            (percent(0.051), "5 %"),
            (amount(1.25, "cores"), "1.25 cores"),
            (amount(2000.0, "cores"), "2000 cores"),
            (amount(12.5e6, "bytes/s"), "12.5 MB/s"),
            (amount(24e9, "bytes"), "24.0 GB"),
        ]
        .into_iter()
        .filter(|(said, wanted)| said != wanted)
        .map(|(said, wanted)| format!("{said}, not {wanted}"))
        .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
