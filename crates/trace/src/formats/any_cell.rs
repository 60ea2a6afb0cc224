//! The numbers in a table's cells, with or without a unit behind them.

use super::decimal;
use super::table::parse_number;
use crate::guess::Suffix;

/// What a number can't be known from.
const UNKNOWN: &[&str] = &["n/a", "na", "#n/a", "null", "none", "nil", "?", "--", "undefined", "unknown"];
/// What is behind a number: how many bytes it is. `MB` is a million, as tools have it that know `MiB` too.
const SIZES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    // As free -h, top and Kubernetes have them.
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("K", 1024.0),
    ("M", 1_048_576.0),
    ("G", 1_073_741_824.0),
    ("T", 1_099_511_627_776.0),
    ("g", 1_073_741_824.0),
];
/// Likewise for bits, which only rates are given in.
const BITS: &[(&str, f64)] = &[
    ("b", 0.125),
    ("bit", 0.125),
    ("kb", 125.0),
    ("Kb", 125.0),
    ("kbit", 125.0),
    ("Mb", 125e3),
    ("Mbit", 125e3),
    ("Gb", 125e6),
    ("Gbit", 125e6),
];

/// The number in a cell and what is behind it; sizes are in bytes. `NaN` if the cell says that it isn't known.
pub(super) fn number(cell: &str, decimal_comma: bool) -> Option<(f64, Suffix)> {
    if let Some(value) = decimal::plain(cell.as_bytes(), b'.') {
        return Some((value, Suffix::None));
    }
    if let Some(rest) = cell.strip_suffix('%') {
        return Some((bare(rest.trim_end(), decimal_comma)?, Suffix::Percent));
    }
    if let Some(sized) = sized(cell, decimal_comma) {
        return Some(sized);
    }
    bare(cell, decimal_comma).map(|value| (value, Suffix::None))
}

/// A number without anything behind it.
fn bare(cell: &str, decimal_comma: bool) -> Option<f64> {
    if let Some(value) = parse_number(cell) {
        return Some(value);
    }
    if cell.contains(',') && cell.len() < 40 {
        let plain = if decimal_comma {
            cell.replace('.', "").replacen(',', ".", 1)
        } else {
            // Groups of three digits.
            let mut groups = cell.split('.').next().unwrap_or_default().split(',').skip(1);
            if groups.any(|group| group.len() != 3) {
                return None;
            }
            cell.replace(',', "")
        };
        return parse_number(&plain);
    }
    UNKNOWN.iter().any(|word| cell.eq_ignore_ascii_case(word)).then_some(f64::NAN)
}

/// `45MiB`, `1.2 GB`, `350 kB/s`, `10 Mbit/s`.
fn sized(cell: &str, decimal_comma: bool) -> Option<(f64, Suffix)> {
    // Most words end in no unit, which shows at once.
    let is_number = cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'));
    if !is_number
        || cell.len() > 40
        || !cell.ends_with(['B', 'b', 's', 'i', 'K', 'M', 'G', 'T', 'g', 't', 'c'])
    {
        return None;
    }
    let end = cell.rfind(|c: char| c.is_ascii_digit())? + 1;
    let (digits, unit) = cell.split_at_checked(end)?;
    let unit = unit.trim_start();
    let (size, is_rate) = match ["/s", "/sec", "ps"].iter().find_map(|ending| unit.strip_suffix(ending)) {
        Some(size) => (size, true),
        None => (unit, false),
    };
    let known = |units: &[(&str, f64)]| units.iter().find(|known| known.0 == size).map(|known| known.1);
    let factor = known(SIZES).or_else(|| known(BITS).filter(|_| is_rate))?;
    let suffix = if is_rate { Suffix::BytesPerSecond } else { Suffix::Bytes };
    Some((bare(digits, decimal_comma)? * factor, suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_behind_them() {
        let mib = 1_048_576.0;
        let cases = [
            ("12.5", false, Some((12.5, Suffix::None))),
            ("12.5%", false, Some((12.5, Suffix::Percent))),
            ("12,5 %", true, Some((12.5, Suffix::Percent))),
            ("1,234.5", false, Some((1234.5, Suffix::None))),
            ("1.234,5", true, Some((1234.5, Suffix::None))),
            ("45MiB", false, Some((45.0 * mib, Suffix::Bytes))),
            ("1.2 GB", false, Some((1.2e9, Suffix::Bytes))),
            ("1,5 GiB", true, Some((1536.0 * mib, Suffix::Bytes))),
            ("1,234.5 MB", false, Some((1234.5e6, Suffix::Bytes))),
            ("7.5Gi", false, Some((7680.0 * mib, Suffix::Bytes))),
            ("1.5g", false, Some((1536.0 * mib, Suffix::Bytes))),
            ("350 kB/s", false, Some((350e3, Suffix::BytesPerSecond))),
            ("10 Mbps", false, Some((1.25e6, Suffix::BytesPerSecond))),
            ("10 MBps", false, Some((10e6, Suffix::BytesPerSecond))),
            ("0B", false, Some((0.0, Suffix::Bytes))),
            ("5 Mb", false, None),
            ("12,34", false, None),
            ("GB", false, None),
            ("x5 GB", false, None),
            ("10:00:00", false, None),
            ("é5B", false, None),
            ("text", false, None),
        ];
        for (cell, decimal_comma, wanted) in cases {
            assert_eq!(number(cell, decimal_comma), wanted, "{cell:?}");
        }
        assert!(number("N/A", false).is_some_and(|(value, _)| value.is_nan()));
        assert!(number("", false).is_some_and(|(value, _)| value.is_nan()));
    }
}
