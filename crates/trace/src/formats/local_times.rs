//! Times as tools of the sysstat family print them in locales that have no plain clock: `22時35分56秒`, `22.35.56`,
//! `10:35:56 μμ`. They are made plain, line by line, before a reader looks at them.

use std::borrow::Cow;
use std::fmt::Write;

use super::sar_text::{clock_of, half, prefix_words};

/// The lines that are looked at to find out whether times are plain already.
const LOOKED_AT: usize = 200;
/// The most words of a date before a time.
const MOST_WORDS: usize = 3;

/// The text with plain times of day.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.lines().take(LOOKED_AT).any(|line| plain_line(line).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match plain_line(line) {
            Some(line) => out.push_str(&line),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    Cow::Owned(out)
}

/// The line with a plain time of day at its start. A date before the time is left out: the first line of the file has
/// it. `None`: it is plain already, or has no time.
pub(crate) fn plain_line(line: &str) -> Option<String> {
    let mut rest = line.trim_start();
    for skipped in 0..=MOST_WORDS {
        if let Some((seconds, after)) = clock_of(rest) {
            let clock = &rest[..rest.len() - after.len()];
            let words: Vec<&str> = after.split_ascii_whitespace().take(MOST_WORDS).collect();
            let prefix = &words[..prefix_words(&words).min(words.len())];
            let is_plain_clock = clock.trim_end().bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
            let is_plain = prefix.iter().all(|word| matches!(*word, "AM" | "PM" | "am" | "pm"));
            if is_plain_clock && is_plain {
                return None;
            }
            let seconds = (seconds + half(prefix, seconds)).max(0.0) as u64;
            let mut after = after;
            for word in prefix {
                after = after.strip_prefix(word)?.trim_start();
            }
            // After a date there is nothing but the time, and the time zone at most.
            if skipped > 0 && after.len() > 5 {
                return None;
            }
            let mut out = String::with_capacity(line.len());
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            write!(out, "{hours:02}:{minutes:02}:{seconds:02} {after}").ok()?;
            out.truncate(out.trim_end().len());
            return Some(out);
        }
        rest = rest.split_once(' ')?.1.trim_start();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_plain() {
        for (line, wanted) in [
            ("22時35分56秒  CPU    %usr", Some("22:35:56 CPU    %usr")),
            ("22시 35분 56초     0         1    0.00", Some("22:35:56 0         1    0.00")),
            ("22.35.57     all   90,05", Some("22:35:57 all   90,05")),
            ("10:35:56 μμ  CPU    %usr", Some("22:35:56 CPU    %usr")),
            ("12:35:56 πμ  all 1", Some("00:35:56 all 1")),
            ("10:35:56 अपराह्न UTC     CPU    %usr", Some("22:35:56 CPU    %usr")),
            ("10:35:57 PM IST  CPU  %usr", Some("22:35:57 CPU  %usr")),
            ("下午 10:35:56 CPU", Some("22:35:56 CPU")),
            ("2026年11月30日 22時35分56秒", Some("22:35:56")),
            ("2026년 11월 30일 22시 35분 56초", Some("22:35:56")),
            ("30.11.2026 22.35.56", Some("22:35:56")),
            ("30/11/2026 10:35:56 μμ", Some("22:35:56")),
            ("30/11/26 10:35:56 अपराह्न UTC", Some("22:35:56 UTC")),
            ("22:35:56     CPU    %usr", None),
            ("10:35:56 PM  PID %usr", None),
            ("11/30/26 22:35:56", None),
            ("11/30/26 10:35:56 PM", None),
            ("2026-11-30T22:35:56+0100", None),
            ("vda 12.34 1.00 2.00", None),
            ("vda", None),
            ("", None),
        ] {
            assert_eq!(plain_line(line).as_deref(), wanted, "{line}");
        }
        assert!(matches!(plain("10:00:00 CPU\n10:00:01 all\n"), Cow::Borrowed(_)));
        assert_eq!(plain("x\n22.35.57 all 1\r\n"), "x\n22:35:57 all 1\n");
    }
}
