//! Reports made for people: lines of words.

use super::table::parse_number;

/// The lines of a text with their numbers from 1, without blanks and CR at their ends.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines().map(str::trim_end))
}

/// The number that a report has there, with a point or a comma for decimals. `NaN` for one that isn't known.
pub(crate) fn number(word: &str) -> Option<f64> {
    parse_number(word).or_else(|| match word.split_once(',') {
        Some((whole, decimals)) if !decimals.contains([',', '.']) => {
            parse_number(&format!("{whole}.{decimals}"))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_locale() {
        for (word, wanted) in [
            ("1.5", Some(1.5)),
            ("1,5", Some(1.5)),
            ("-3", Some(-3.0)),
            ("1e3", Some(1000.0)),
            ("1,234,5", None),
            ("1,234.5", None),
            ("x", None),
        ] {
            assert_eq!(number(word), wanted, "{word}");
        }
        assert!(number("-").is_some_and(f64::is_nan) && number("nan").is_some_and(f64::is_nan));
    }
}
