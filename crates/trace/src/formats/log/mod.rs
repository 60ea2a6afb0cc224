//! Logs that people make by running a tool in a loop: blocks of lines, with or without times.

mod blocks;

use std::borrow::Cow;

pub(crate) use blocks::Blocks;

use super::clock::{self, Stamp};

/// The most words that a time has: `Sat Feb 15 11:51:08 PM UTC 2025`.
const MOST_WORDS: usize = 7;

/// The time at the start of a line and what comes after it: as `date` prints it in several languages' order
/// (`Sat Feb 15 23:51:08 UTC 2025`), as scripts do (`2025-02-15 23:51:08.456`), in brackets, or in seconds since
/// 1970. `None`: the line doesn't start with a time.
pub(crate) fn leading(line: &str) -> Option<(Stamp, &str)> {
    // Scripts like to put a rule around a time.
    let line = line.trim_start_matches(['=', '-', '#', '*', ' ', '\t']);
    let (line, bracket) = match line.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(time, rest)| (time, Some(rest)))?,
        None => (line, None),
    };
    // Most lines start with something else, which shows at once.
    if !line.starts_with(|c: char| c.is_ascii_digit()) && !is_day_or_month(line) {
        return None;
    }
    let mut words = [""; MOST_WORDS];
    let mut count = 0;
    let mut rest = line;
    for word in &mut words {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        (*word, rest) = rest.split_at(end);
        count += 1;
    }
    let (stamp, used) = stamp_of(words.get(..count)?)?;
    let mut after = line;
    for _ in 0..used {
        after = after.trim_start();
        after = after.get(after.find(char::is_whitespace).unwrap_or(after.len())..)?;
    }
    match bracket {
        Some(rest) => after.trim().is_empty().then_some((stamp, rest)),
        None => Some((stamp, after)),
    }
    .map(|(stamp, rest)| {
        let rest = rest.trim_start();
        // What is left of the rule.
        let is_rule = rest.chars().all(|c| matches!(c, '=' | '-' | '#' | '*' | ' '));
        (stamp, if is_rule { "" } else { rest })
    })
}

fn is_day_or_month(line: &str) -> bool {
    let word = line.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    is_weekday(word) || is_month(word)
}

fn is_weekday(word: &str) -> bool {
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(&word.trim_end_matches([',', '.']))
}

fn is_month(word: &str) -> bool {
    word.len() == 3 && clock::month(word).is_some() && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The time that words start with, and how many of them it has.
fn stamp_of(words: &[&str]) -> Option<(Stamp, usize)> {
    let first = *words.first()?;
    let first = first.trim_end_matches([',', ':']);
    if !first.contains(':') && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        // A container's id may be all digits too, but has 12 of them.
        let digits = first.split('.').next().unwrap_or_default().len();
        if first.starts_with('1') && matches!(digits, 10 | 13 | 16 | 19) {
            return Some((clock::stamp(first)?, 1));
        }
    }
    if let Some(found) = of_date(words) {
        return Some(found);
    }
    // A date and a clock, or one of them, in one word or two, with a zone or AM and PM after them.
    (1..=3.min(words.len())).rev().find_map(|count| {
        let words = words.get(..count)?;
        let last = words.last()?;
        if !last.contains(':') && (count == 1 || (!is_zone(last) && !is_half(last))) {
            return None;
        }
        let text = words.join(" ");
        Some((clock::stamp(text.trim_end_matches(','))?, count))
    })
}

/// What `date` prints: the name of a day, a month and its day, a clock, a zone, a year, in some order.
fn of_date(words: &[&str]) -> Option<(Stamp, usize)> {
    let (mut month, mut day, mut time, mut half, mut zone, mut year) = (None, None, None, "", "", None);
    let mut used = 0;
    for (index, &word) in words.iter().enumerate() {
        let plain = word.trim_end_matches([',', '.']);
        if is_weekday(plain) && index == 0 {
        } else if is_month(plain) && month.is_none() {
            month = Some(plain);
        } else if plain.len() <= 2 && day.is_none() && time.is_none() && plain.parse::<u32>().is_ok() {
            day = Some(plain);
        } else if plain.len() == 4 && year.is_none() && month.is_some() && plain.parse::<u32>().is_ok() {
            year = Some(plain);
        } else if word.contains(':') && time.is_none() {
            // `ts` of some systems ends its clock in a colon.
            time = Some(word.trim_end_matches([':', ',']));
        } else if is_half(word) && time.is_some() && half.is_empty() {
            half = word;
        } else if is_zone(word)
            && time.is_some()
            && zone.is_empty()
            && year.is_none_or(|_| index < MOST_WORDS)
        {
            zone = word;
        } else {
            break;
        }
        used = index + 1;
        // With the year and the clock all is said, but for a zone at the end.
        if let (Some(_), Some(_)) = (year, time)
            && !words.get(used).is_some_and(|next| (is_half(next) || is_zone(next)) && zone.is_empty())
        {
            break;
        }
    }
    let (month, day, time) = (clock::month(month?)?, day?, time?);
    let text = match year {
        Some(year) => format!("{year}-{month}-{day} {time} {half} {zone}"),
        // Without a year it is a clock that passes midnights.
        None => format!("{time} {half} {zone}"),
    };
    Some((clock::stamp(&text)?, used))
}

fn is_half(word: &str) -> bool {
    matches!(word, "AM" | "PM" | "am" | "pm")
}

/// `UTC`, `CEST`, `+0200`, `-03`. A header's names are longer or have more in them.
fn is_zone(word: &str) -> bool {
    let named = matches!(word, "UTC" | "GMT" | "Z")
        || ((3..=5).contains(&word.len())
            && word.ends_with('T')
            && word.bytes().all(|byte| byte.is_ascii_uppercase()));
    let offset = word.strip_prefix(['+', '-']).is_some_and(|digits| {
        matches!(digits.len(), 2 | 4 | 5) && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
    });
    named || offset
}

/// A line without the codes that move the cursor and clear the screen.
pub(crate) fn without_escapes(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut pieces = line.split('\u{1b}');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        // ESC [ parameters, and a letter that says what to do.
        match piece.strip_prefix('[') {
            Some(code) => {
                let end = code.find(|c: char| ('\u{40}'..='\u{7e}').contains(&c));
                out.push_str(end.and_then(|end| code.get(end + 1..)).unwrap_or_default());
            }
            None => out.push_str(piece),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_at_the_start_of_lines() {
        let at = |seconds: f64| Some((seconds, true));
        let clock = |seconds: f64| Some((seconds, false));
        let cases = [
            ("2025-02-15 23:51:08.456108", at(1_739_663_468.456_108), ""),
            ("2025-02-15T23:51:08Z web 1%", at(1_739_663_468.0), "web 1%"),
            ("[2025-02-15 23:51:08] web", at(1_739_663_468.0), "web"),
            ("2025-02-15 11:51:08 PM web", at(1_739_663_468.0), "web"),
            ("2025-02-15 23:51:08 +0000 web", at(1_739_663_468.0), "web"),
            ("2025-02-15 23:51:08, web", at(1_739_663_468.0), "web"),
            ("Sat Feb 15 23:51:08 UTC 2025", at(1_739_663_468.0), ""),
            ("Sat Feb 15 11:51:08 PM UTC 2025", at(1_739_663_468.0), ""),
            ("Sat 15 Feb 2025 11:51:08 PM UTC", at(1_739_663_468.0), ""),
            ("Sat, 15 Feb 2025 23:51:08 +0000", at(1_739_663_468.0), ""),
            ("Sat Feb  1 00:00:01 CET 2025", at(1_738_368_001.0), ""),
            ("Feb 15 23:51:08 web 1%", clock(85_868.0), "web 1%"),
            ("Feb 15 23:51:08 CONTAINER ID   NAME", clock(85_868.0), "CONTAINER ID   NAME"),
            ("23:51:08 NAME   CPU(cores)", clock(85_868.0), "NAME   CPU(cores)"),
            ("1739663468 web", at(1_739_663_468.0), "web"),
            ("1739663468.5", at(1_739_663_468.5), ""),
            ("1739663468500 {}", at(1_739_663_468.5), "{}"),
            ("123456789012   web   1%", None, ""),
            ("03a97b8520d8   spark", None, ""),
            ("Sat is a container", None, ""),
            ("may 1", None, ""),
            ("=== 2025-02-15 23:51:08 ===", at(1_739_663_468.0), ""),
            ("[x] web", None, ""),
            ("", None, ""),
        ];
        for (line, wanted, rest) in cases {
            let found = leading(line);
            assert_eq!(found.map(|(stamp, _)| (stamp.seconds, stamp.dated)), wanted, "{line:?}");
            assert_eq!(found.map_or("", |(_, rest)| rest), rest, "{line:?}");
        }
    }

    #[test]
    fn codes_of_the_screen_are_left_out() {
        for (line, wanted) in [
            ("\u{1b}[2J\u{1b}[HCONTAINER", "CONTAINER"),
            ("\u{1b}[Hweb   1%\u{1b}[K", "web   1%"),
            ("web\u{1b}[", "web"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_escapes(line), wanted);
        }
    }
}
