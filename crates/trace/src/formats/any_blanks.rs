//! Tables whose cells are told apart by blanks, as scripts and reports print them.

use super::any_cell;
use super::any_layout::{NOT_IN_NAMES, ROWS};
use crate::guess;

/// Columns at the end whose cells may have blanks.
const OPEN_ENDED: &[&str] = &["COMMAND", "CMD", "ARGS", "Command", "command", "cmd", "args"];
/// The lines of `free` that Cotrace has no use for.
const OTHERS_OF_FREE: &[&str] = &["Swap:", "Total:", "Low:", "High:", "Comm:"];

/// The names in a header of such a table.
pub(super) struct Names<'a> {
    columns: Vec<&'a str>,
    is_open_ended: bool,
    /// Whether `free` printed it: rows have a label that the header has not.
    is_free: bool,
}

/// What a line is, in words.
enum Line<'a> {
    Row(Vec<&'a str>),
    /// Of the tool, but of no use.
    NoUse,
    Other,
}

impl<'a> Names<'a> {
    /// The names in `line`, if it is a header over `rows`.
    pub(super) fn over(line: &'a str, rows: &[&str]) -> Option<Names<'a>> {
        let line = line.trim().trim_start_matches('#').trim();
        let plain = line.split_whitespace().collect();
        // Names may have blanks, where more of them are between names.
        let wide = line.split("  ").map(str::trim).filter(|name| !name.is_empty()).collect();
        [plain, wide].into_iter().find_map(|names| Names::fit(names, line, rows))
    }

    fn fit(names: Vec<&'a str>, line: &str, rows: &[&str]) -> Option<Names<'a>> {
        let is_name = |name: &&str| {
            name.len() <= 60
                // A report's header begins with a time, in any language; its rows aren't samples.
                && name.is_ascii()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.contains(|c: char| c.is_alphabetic() || c == '%')
                && !name.contains(NOT_IN_NAMES)
                && !name.ends_with([':', ',', ';', '.'])
        };
        let is_table = (2..=200).contains(&names.len())
            && names.iter().all(is_name)
            && names.iter().any(|name| guess::is_metric(name));
        if !is_table {
            return None;
        }
        let has = |name: &str| names.contains(&name);
        let found = Names {
            is_open_ended: names.last().is_some_and(|name| OPEN_ENDED.contains(name)),
            is_free: has("total") && has("used") && has("free"),
            columns: names,
        };
        let mut numbers = vec![0; found.columns.len()];
        let (mut fitting, mut others, mut last_fits) = (0, 0, true);
        for row in rows.iter().filter(|row| !row.starts_with('#') && row.trim() != line).take(ROWS) {
            let words = match found.line(row) {
                Line::Row(words) => words,
                Line::NoUse => continue,
                Line::Other => {
                    (others, last_fits) = (others + 1, false);
                    continue;
                }
            };
            (fitting, last_fits) = (fitting + 1, true);
            for (word, numbers) in words.iter().zip(&mut numbers) {
                *numbers += usize::from(any_cell::number(word, false).is_some());
            }
        }
        others -= usize::from(!last_fits && others > 0);
        let of_numbers = numbers.iter().filter(|count| **count == fitting).count();
        (fitting >= 2 && others * 5 <= fitting && of_numbers * 2 >= found.columns.len()).then_some(found)
    }

    /// The cells of a line: a date and a time of day are one where only that makes it fit.
    fn line<'b>(&self, line: &'b str) -> Line<'b> {
        let line = line.trim();
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let wanted = self.columns.len();
        let first = words.first().copied().unwrap_or_default();
        if self.is_free && first.ends_with(':') {
            if OTHERS_OF_FREE.contains(&first) {
                return Line::NoUse;
            }
            words.remove(0);
        }
        let rest = |start: &str| {
            let start = start.as_ptr() as usize - line.as_ptr() as usize;
            line.get(start..).unwrap_or_default()
        };
        if words.len() == wanted + 1 || (self.is_open_ended && words.len() > wanted) {
            if let (Some(&date), Some(&clock)) = (words.first(), words.get(1))
                && date.contains(['-', '/', '.'])
                && clock.contains(':')
                && guess::stamp(date).is_some()
            {
                let both = rest(date);
                let end = rest(date).len() - rest(clock).len() + clock.len();
                words.remove(0);
                if let (Some(word), Some(both)) = (words.first_mut(), both.get(..end)) {
                    *word = both;
                }
            }
            if self.is_open_ended
                && words.len() > wanted
                && let Some(last) = words.get_mut(wanted - 1)
            {
                *last = rest(last);
                words.truncate(wanted);
            }
        }
        if words.len() == wanted { Line::Row(words) } else { Line::Other }
    }

    /// The table with tabs between its cells, line by line; `text` starts with the header.
    pub(super) fn with_tabs(&self, text: &str) -> String {
        let header = text.lines().next().unwrap_or_default();
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        for line in text.lines() {
            let put = |out: &mut String, cells: &[&str]| {
                for (index, cell) in cells.iter().enumerate() {
                    if index > 0 {
                        out.push('\t');
                    }
                    // No cell of such a table is in quotes.
                    out.extend(cell.chars().map(|c| if c == '"' { '\'' } else { c }));
                }
            };
            if line.trim() == header.trim() {
                put(&mut out, &self.columns);
            } else {
                match self.line(line) {
                    Line::Row(words) => put(&mut out, &words),
                    Line::NoUse => {}
                    Line::Other => put(&mut out, &[line.trim()]),
                }
            }
            out.push('\n');
        }
        out
    }
}
