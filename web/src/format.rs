//! Numbers as people read them: at most three significant digits, always with a unit, durations as people say them.

use cotrace_trace::Metric;

use crate::messages::Stretch;

/// Between a number and its unit: a space that does not break the line.
const NBSP: char = '\u{a0}';

/// What stands for a value that is not known.
pub const UNKNOWN: &str = "unknown";

/// `value` with at most three significant digits and no idle zeros: `1234.5` is `1230`, `1.50` is `1.5`.
pub fn digits(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let scale = 10f64.powi(2 - magnitude);
    let rounded = (value * scale).round() / scale;
    // Rounding up may have added a digit: 9.999 is 10.0, which needs one decimal less.
    let magnitude = rounded.abs().log10().floor() as i32;
    let decimals = (2 - magnitude).max(0) as usize;
    let text = format!("{rounded:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number and its unit, kept on one line.
fn with_unit(number: &str, unit: &str) -> String {
    format!("{number}{NBSP}{unit}")
}

/// A duration as people say it, kept on one line: `0.42 s`, `42 s`, `4 min 10 s`, `1 h 5 min`.
pub fn duration(seconds: f64) -> String {
    cotrace_forecast::format_duration(seconds).replace(' ', &NBSP.to_string())
}

/// A point in time on an axis or in a sentence: `0:42`, `4:10`, `1:05:00`.
pub fn clock(seconds: f64) -> String {
    if !seconds.is_finite() {
        return UNKNOWN.to_owned();
    }
    let whole = seconds.max(0.0).round() as u64;
    let (hours, minutes, seconds) = (whole / 3_600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A point in time as a person types it, to a tenth of a second: `0:42`, `0:07.5`, `1:05:00`.
pub fn moment(seconds: f64) -> String {
    if !seconds.is_finite() {
        return UNKNOWN.to_owned();
    }
    let tenths = (seconds.max(0.0) * 10.0).round() as u64;
    let text = clock((tenths / 10) as f64);
    match tenths % 10 {
        0 => text,
        tenth => format!("{text}.{tenth}"),
    }
}

/// A stretch of time in a sentence: `0:42 to 4:10`; one that is too short to tell its ends apart is a point in time.
pub fn stretch(stretch: Stretch) -> String {
    let (from, to) = (moment(stretch.from_seconds), moment(stretch.to_seconds));
    if from == to { from } else { format!("{from} to {to}") }
}

/// How many times as long, with two decimals, so that several line up: `1.60×`.
pub fn slowdown(value: f64) -> String {
    match value {
        value if !value.is_finite() => UNKNOWN.to_owned(),
        value if value < 9.995 => format!("{value:.2}×"),
        value => format!("{}×", digits(value)),
    }
}

/// A share as per cent, without decimals: `61 %`.
pub fn percent(share: f64) -> String {
    if share.is_finite() { with_unit(&format!("{:.0}", share * 100.0), "%") } else { UNKNOWN.to_owned() }
}

/// Bytes in the powers of two that memory is sold in: `512 MiB`, `23.5 GiB`.
pub fn memory(bytes: f64) -> String {
    scaled(bytes, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"])
}

/// Bytes per second in the powers of ten that disks and networks are sold in: `180 MB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"])
}

/// Cores: `1 core`, `2 cores`, `0.42 cores`.
pub fn cores(value: f64) -> String {
    let number = digits(value);
    let unit = if number == "1" { "core" } else { "cores" };
    if value.is_finite() { with_unit(&number, unit) } else { UNKNOWN.to_owned() }
}

fn scaled(value: f64, base: f64, units: &[&str]) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let mut scaled = value;
    let mut unit = 0;
    // 999.6 would read as "1000": better as 1 of the next unit.
    while scaled.abs() >= base - 0.5 && unit + 1 < units.len() {
        scaled /= base;
        unit += 1;
    }
    // Below one of the smallest unit there is nothing to say.
    let number = if unit == 0 { format!("{scaled:.0}") } else { digits(scaled) };
    with_unit(&number, units[unit])
}

/// How a metric's values are written on the page; also what the charts' axes are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Busy cores.
    Cores,
    /// Bytes held.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// A share of one.
    Ratio,
    /// Anything else: the number and the metric's own unit.
    Other(&'static str),
}

impl Quantity {
    /// What `metric` measures.
    pub fn of(metric: Metric) -> Quantity {
        match metric.unit() {
            "cores" => Quantity::Cores,
            "bytes" => Quantity::Bytes,
            "bytes/s" => Quantity::BytesPerSecond,
            "ratio" => Quantity::Ratio,
            unit => Quantity::Other(unit),
        }
    }

    /// `value` with its unit.
    pub fn text(self, value: f64) -> String {
        match self {
            Quantity::Cores => cores(value),
            Quantity::Bytes => memory(value),
            Quantity::BytesPerSecond => rate(value),
            Quantity::Ratio => percent(value),
            Quantity::Other(unit) if value.is_finite() => with_unit(&digits(value), unit),
            Quantity::Other(_) => UNKNOWN.to_owned(),
        }
    }

    /// The divisor and the unit that suit values up to `largest`, so that an axis can show plain numbers.
    pub fn axis(self, largest: f64) -> (f64, &'static str) {
        let pick = |base: f64, units: &[&'static str]| {
            let mut scale = 1.0;
            let mut unit = 0;
            while largest / scale >= base && unit + 1 < units.len() {
                scale *= base;
                unit += 1;
            }
            (scale, units[unit])
        };
        match self {
            Quantity::Cores => (1.0, "cores"),
            Quantity::Bytes => pick(1024.0, &["B", "KiB", "MiB", "GiB", "TiB"]),
            Quantity::BytesPerSecond => pick(1000.0, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]),
            Quantity::Ratio => (0.01, "%"),
            Quantity::Other(unit) => (1.0, unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `write` over `cases` and reports every one that reads differently than wanted.
    fn check(write: impl Fn(f64) -> String, cases: &[(f64, &str)]) {
        let wrong: Vec<String> = cases
            .iter()
            .map(|&(value, wanted)| (value, wanted, write(value).replace(NBSP, " ")))
            .filter(|(_, wanted, got)| got != wanted)
            .map(|(value, wanted, got)| format!("{value}: {got:?}, wanted {wanted:?}"))
            .collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    #[test]
    fn three_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (1.2345, "1.23"),
            (9.999, "10"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1234.5, "1230"),
            (0.012_345, "0.0123"),
            (-2.5, "-2.5"),
            (100.0, "100"),
            (f64::NAN, "unknown"),
        ];
        check(digits, &cases);
    }

    #[test]
    fn points_in_time() {
        check(clock, &[(0.0, "0:00"), (42.4, "0:42"), (250.0, "4:10"), (3_900.0, "1:05:00"), (-1.0, "0:00")]);
    }

    #[test]
    fn points_in_time_to_type() {
        check(
            moment,
            &[(42.0, "0:42"), (7.5, "0:07.5"), (59.97, "1:00"), (3_900.0, "1:05:00"), (-1.0, "0:00")],
        );
    }

    #[test]
    fn stretches_of_time() {
        let text = |from_seconds, to_seconds| stretch(Stretch { from_seconds, to_seconds });
        assert_eq!(text(42.0, 250.5), "0:42 to 4:10.5");
        assert_eq!(text(42.0, 42.0), "0:42");
    }

    #[test]
    fn slowdowns_durations_and_shares() {
        check(
            slowdown,
            &[(1.6, "1.60×"), (1.0, "1.00×"), (9.999, "10×"), (12.34, "12.3×"), (f64::NAN, "unknown")],
        );
        check(duration, &[(250.0, "4 min 10 s"), (f64::NAN, "unknown")]);
        check(percent, &[(0.614, "61 %"), (1.0, "100 %"), (0.0, "0 %")]);
    }

    #[test]
    fn units() {
        let gib = 1024f64.powi(3);
        check(
            memory,
            &[(0.0, "0 B"), (512.0 * 1024.0 * 1024.0, "512 MiB"), (23.465 * gib, "23.5 GiB"), (gib, "1 GiB")],
        );
        check(rate, &[(0.4, "0 B/s"), (999.7, "1 kB/s"), (1.8e8, "180 MB/s"), (2.5e9, "2.5 GB/s")]);
        check(cores, &[(1.0, "1 core"), (2.0, "2 cores"), (0.421, "0.421 cores"), (f64::NAN, "unknown")]);
    }

    #[test]
    fn every_metric_has_a_quantity_that_writes_its_unit() {
        for &metric in Metric::ALL {
            let text = Quantity::of(metric).text(1.5);
            let unit = text.split(NBSP).nth(1).unwrap_or("");
            assert!(!unit.is_empty(), "{} has no unit: {text:?}", metric.name());
        }
    }

    #[test]
    fn axes_take_the_unit_of_their_largest_value() {
        let mib = 1024.0 * 1024.0;
        let cases = [
            (Quantity::Cores, 2.0, (1.0, "cores")),
            (Quantity::Bytes, 900.0 * mib, (mib, "MiB")),
            (Quantity::Bytes, 2048.0 * mib, (1024.0 * mib, "GiB")),
            (Quantity::BytesPerSecond, 3.0e7, (1e6, "MB/s")),
            (Quantity::Ratio, 0.5, (0.01, "%")),
        ];
        for (quantity, largest, wanted) in cases {
            assert_eq!(quantity.axis(largest), wanted, "{quantity:?} up to {largest}");
        }
    }
}
