//! Plain decimals, quickly: nearly all numbers in traces are a few digits with a point.

/// The powers of ten that are exact as `f64`.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// So many digits always fit a `u64`.
const MOST_DIGITS: usize = 19;
/// Whole numbers up to here are exact as `f64`.
const MOST_WHOLE: u64 = 1 << 53;

/// The number that `text` is with such a decimal point, rounded as [`str::parse`] rounds it. `None`: it is none, or one of a rarer form that
/// must be parsed in full: with an exponent, with a plus, with very many digits.
pub(crate) fn plain(text: &[u8], decimal_point: u8) -> Option<f64> {
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    // The point is no digit.
    if text.len() > MOST_DIGITS + 1 {
        return None;
    }
    let mut whole: u64 = 0;
    let mut point = None;
    for (at, byte) in text.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            whole = whole.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if *byte == decimal_point && point.is_none() {
            point = Some(at);
        } else {
            return None;
        }
    }
    let digits = text.len() - usize::from(point.is_some());
    if digits == 0 || digits > MOST_DIGITS || whole > MOST_WHOLE {
        return None;
    }
    // Both are exact, so the division rounds once, and rightly.
    let decimals = point.map_or(0, |at| text.len() - 1 - at);
    let value = whole as f64 / POWERS.get(decimals)?;
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_decimals_are_what_they_are_in_full() {
        let mut state = 1_u64;
        let mut seen = 0;
        let mut wrong = Vec::new();
        for round in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let digits = (state >> 20) >> (round % 44);
            let text = digits.to_string();
            let at = (state >> 11) as usize % (text.len() + 1);
            let text = format!("{}{}.{}", ["", "-"][round % 2], &text[..at], &text[at..]);
            let Some(value) = plain(text.as_bytes(), b'.') else { continue };
            seen += 1;
            if text.parse::<f64>().map(f64::to_bits) != Ok(value.to_bits()) {
                wrong.push((text, value));
            }
        }
        assert!(seen > 150_000, "{seen}");
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn each_form() {
        let cases = [
            ("0", Some(0.0)),
            ("12", Some(12.0)),
            ("-0.25", Some(-0.25)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("007", Some(7.0)),
            ("0.0000000000000000001", None),
            ("9007199254740992", Some(9_007_199_254_740_992.0)),
            ("9007199254740993", None),
            ("99999999999999999999", None),
            ("", None),
            (".", None),
            ("-", None),
            ("--1", None),
            ("-.", None),
            ("1.2.3", None),
            ("+1", None),
            ("1e5", None),
            ("1,5", None),
            ("nan", None),
            ("٣", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(plain(text.as_bytes(), b'.'), wanted, "{text}");
            if let Some(value) = wanted {
                assert_eq!(text.parse(), Ok(value), "{text}");
            }
        }
        assert!(plain(b"-0", b'.').is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
    }
}
