//! Where a table begins in a text, and what is between its cells.

use super::any_blanks::Names;
use super::any_cell;
use crate::guess;

/// How many lines may be before the header.
const MOST_PREAMBLE: usize = 60;
/// How many rows are looked at.
pub(super) const ROWS: usize = 30;
/// How much of the text is looked at, in bytes: lines may be long.
const MOST_BYTES: usize = 1 << 20;
const MOST_COLUMNS: usize = 4000;
const DELIMITERS: &[u8] = b",;\t|";
/// The delimiter of tables with blanks between their cells, be it one or many.
pub(super) const BLANKS: u8 = b' ';
/// What no column is called, but code, markup and assignments have.
pub(super) const NOT_IN_NAMES: &[char] = &['{', '}', '<', '>', '='];

/// A table in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) delimiter: u8,
    /// The byte at which the header begins, behind a `#`.
    pub(super) start: usize,
    /// Its line, from 1.
    pub(super) line: u64,
}

/// Finds the table in `text`, or says why there is none.
pub(super) fn find(text: &str) -> Result<Layout, &'static str> {
    let text = &text[..text.floor_char_boundary(MOST_BYTES)];
    let mut lines: Vec<(usize, u64, &str)> = Vec::new();
    let mut offset = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if !line.trim().is_empty() {
            lines.push((offset, number, line.trim_end()));
        }
        offset += line.len();
        if lines.len() > MOST_PREAMBLE + ROWS {
            break;
        }
    }
    let mut reason = "no header line with names over columns of numbers";
    for (index, &(start, line, header)) in lines.iter().enumerate().take(MOST_PREAMBLE) {
        let rest: Vec<&str> = lines[index + 1..].iter().map(|line| line.2).collect();
        let name = header.trim_start_matches(['#', ' ']);
        let delimiter = best(name, &rest);
        if let Some(delimiter) = delimiter {
            let is_comment = header.starts_with('#');
            // A remark may look like a header; then the header comes after it.
            let next = rest.iter().position(|line| !line.starts_with('#'));
            if is_comment && next.is_some_and(|next| best(rest[next], &rest[next + 1..]).is_some()) {
                continue;
            }
            let start = if is_comment { start + header.len() - name.len() } else { start };
            return Ok(Layout { delimiter, start, line });
        }
        if DELIMITERS.iter().any(|&delimiter| names(name, delimiter).is_some()) {
            reason = "the lines below the names are no rows of numbers";
        }
    }
    for (index, &(start, line, header)) in lines.iter().enumerate().take(MOST_PREAMBLE) {
        let rest: Vec<&str> = lines[index + 1..].iter().map(|line| line.2).collect();
        if Names::over(header, &rest).is_some() {
            return Ok(Layout { delimiter: BLANKS, start, line });
        }
    }
    Err(reason)
}

/// The text of a table with blanks between its cells, from its header on, with tabs instead.
pub(super) fn without_blanks(text: &str, layout: Layout) -> Option<String> {
    let text = text.get(layout.start..)?;
    let start = &text[..text.floor_char_boundary(MOST_BYTES)];
    let mut lines = start.lines().filter(|line| !line.trim().is_empty());
    let header = lines.next()?;
    let rows: Vec<&str> = lines.take(MOST_PREAMBLE + ROWS).collect();
    Some(Names::over(header, &rows)?.with_tabs(text))
}

/// The delimiter with which `header` is one over `rows`, with the most columns.
fn best(header: &str, rows: &[&str]) -> Option<u8> {
    let fits = |&delimiter: &u8| Some((width(header, rows, delimiter)?, delimiter));
    let most = DELIMITERS.iter().filter_map(fits).max_by_key(|(width, _)| *width);
    most.map(|(_, delimiter)| delimiter)
}

/// The names in a header. `None`: it can't be one.
fn names(header: &str, delimiter: u8) -> Option<Vec<&str>> {
    let mut names = cells(header, delimiter);
    if names.len() > 1 && names.last().is_some_and(|name| name.is_empty()) {
        names.pop();
    }
    let is_name = |name: &&&str| name.contains(|c: char| c.is_alphabetic() || c == '%');
    let is_odd = |name: &&str| {
        name.chars().count() > 160
            || name.contains(NOT_IN_NAMES)
            || name.split_whitespace().count() > 8
            || (name.contains(':') && guess::stamp(name).is_some())
    };
    let named = names.iter().filter(is_name).count();
    let filled = names.iter().filter(|name| !name.is_empty()).count();
    let fits = (2..=MOST_COLUMNS).contains(&names.len()) && named > 0 && named * 2 >= filled;
    (fits && !names.iter().any(is_odd)).then_some(names)
}

/// The number of columns, if `header` is one over `rows`.
fn width(header: &str, rows: &[&str], delimiter: u8) -> Option<usize> {
    let names = names(header, delimiter)?;
    let mut numbers = vec![(0_usize, 0_usize); names.len()];
    let (mut fitting, mut others) = (0, 0);
    let mut last_fits = true;
    for row in rows.iter().filter(|row| is_row(row) && **row != header).take(ROWS) {
        let row = cells(row, delimiter);
        last_fits = row.len() >= names.len() && row[names.len()..].iter().all(|cell| cell.is_empty());
        if !last_fits {
            others += 1;
            continue;
        }
        fitting += 1;
        for (cell, (known, number)) in row.iter().zip(&mut numbers) {
            let cell = cell.trim_end_matches('%').trim_end();
            if !cell.is_empty() {
                *known += 1;
                *number += usize::from(is_number(cell));
            }
        }
    }
    // The last line may be cut.
    others -= usize::from(!last_fits);
    let has_numbers = names
        .iter()
        .zip(&numbers)
        .any(|(name, (known, number))| !name.is_empty() && *known > 0 && number * 10 >= known * 8);
    // One row alone is little to go by.
    let of_numbers = numbers.iter().filter(|(known, number)| *known > 0 && number == known).count();
    let is_sure = fitting > 1 || of_numbers * 2 >= names.len();
    (fitting > 0 && others * 5 <= fitting && has_numbers && is_sure).then_some(names.len())
}

/// Whether a line is neither a remark nor drawn.
fn is_row(line: &str) -> bool {
    !line.starts_with('#') && !line.bytes().all(|byte| b"-:|+= ".contains(&byte))
}

fn is_number(cell: &str) -> bool {
    any_cell::number(cell, false).or_else(|| any_cell::number(cell, true)).is_some()
}

/// The cells of a line, without blanks and quotes around them.
fn cells(line: &str, delimiter: u8) -> Vec<&str> {
    let mut cells = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, byte) in line.bytes().enumerate() {
        if byte == b'"' {
            quoted = !quoted;
        } else if byte == delimiter && !quoted {
            cells.push(&line[start..at]);
            start = at + 1;
        }
    }
    cells.push(&line[start..]);
    for cell in &mut cells {
        *cell = cell.trim().trim_matches('"').trim();
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found() {
        let cases: &[(&str, u8, u64, &str)] = &[
            ("t,cpu\n1,2\n2,3\n", b',', 1, "t,cpu"),
            ("a,b\n1,2\n", b',', 1, "a,b"),
            ("t;cpu\n1;2,5\n2;3,5\n", b';', 1, "t;cpu"),
            ("t\tcpu, all (%)\n1\t2\n", b'\t', 1, "t\tcpu"),
            ("t|cpu|mem\n1|2|3\n", b'|', 1, "t|cpu"),
            ("Report of node 7\n\n\nt,cpu\n1,2\n", b',', 4, "t,cpu"),
            ("# made by me\n# t,cpu\n1,2\n2,3\n", b',', 2, "t,cpu"),
            ("# hot, cold\nt,cpu\n1,2\n2,3\n", b',', 2, "t,cpu"),
            ("\"t\",\"cpu, %\"\n\"1\",\"2\"\n", b',', 1, "\"t\""),
            ("t,cpu,\n1,2,\n2,3,\n", b',', 1, "t,cpu"),
            ("t,cpu\n1,2\n2,3\n3", b',', 1, "t,cpu"),
            ("t,mem\n1,2MiB\n2,3 MiB\n", b',', 1, "t,mem"),
            ("t cpu\n1 2\n2 3\n", b' ', 1, "t cpu"),
            ("load of node 7\n  t   cpu (%)\n  1   2\n  2   3\n", b' ', 2, "  t"),
            ("time cpu\n2024-05-01 10:00:00 2\n2024-05-01 10:00:01 3\n", b' ', 1, "time"),
        ];
        for (text, delimiter, line, start) in cases {
            let found = find(text).unwrap_or_else(|reason| panic!("{text:?}: {reason}"));
            assert_eq!((found.delimiter, found.line), (*delimiter, *line), "{text:?}");
            assert!(text[found.start..].starts_with(start), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_table_is_not_taken_for_one() {
        let cases = [
            "Dear all,\nthis is no trace.\n",
            "Yesterday, as I said, it rained\n12, as I said, were wet\n",
            "{\"a\": 1, \"b\": 2}\n{\"a\": 1, \"b\": 3}\n",
            "[1, 2,\n3, 4]\n",
            "int a, b;\na = 1, b = 2;\n",
            "2024-05-01 10:00:00,INFO,started\n2024-05-01 10:00:01,INFO,5\n",
            "<table><tr><td>a,b</td></tr>\n1,2\n",
            "1,2\n3,4\n",
            "name,city\nAnn,Rome\nBob,Oslo\n",
            "a,b\n1,2\n3\n4\n5,6,7\n",
            "t cpu\n1 2\n",
            "cpu\n1\n2\n",
            "t,cpu\n",
            "name value\n1 2\n2 3\n",
            "the cpu is busy\nas it is all day\n1 2 3 4\n2 3 4 5\n",
            "cpu mem\nhigh low\nlow low\n",
            "key: value, other: value\nkey: 1, other: 2\n",
            "import a, b\nprint(a, b)\n",
            "",
        ];
        let wrong: Vec<&str> = cases.into_iter().filter(|text| find(text).is_ok()).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
