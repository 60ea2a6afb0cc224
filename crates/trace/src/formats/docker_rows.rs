//! Rows that `docker stats` printed in a format of one's own.

use std::borrow::Cow;

use super::clock;
use super::docker_stats::{Cell, Row, percent, size};

/// No row is longer.
const MOST_BYTES: usize = 1000;

/// Rows in a format of one's own, without a header: `{{.Name}},{{.CPUPerc}},{{.MemUsage}}`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bare {
    delimiter: char,
    pub(super) columns: Vec<BareCell>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BareCell {
    Time,
    Is(Cell),
}

impl Bare {
    /// What is between cells. Blanks come last, for they are in cells too.
    const DELIMITERS: &'static [char] = &[',', ';', '\t', '|', ' '];

    /// The format of a row: a name, a percentage, and memory as only docker has it. `None`: it is no such row.
    pub(super) fn of(line: &str) -> Option<Bare> {
        // Nearly all lines are something else, which shows at once.
        if !line.contains("iB") || !line.contains('/') || !line.contains('%') || line.len() > MOST_BYTES {
            return None;
        }
        Bare::DELIMITERS.iter().find_map(|&delimiter| {
            let cells: Vec<&str> = bare_cells(line, delimiter).collect();
            let sizes = |cell: &str| cell.split_once('/').and_then(|(a, b)| Some((size(a)?, size(b)?)));
            let memory = cells.iter().position(|cell| cell.contains("iB") && sizes(cell).is_some())?;
            let (used, limit) = sizes(cells.get(memory)?)?;
            let percents: Vec<(usize, f64)> = cells
                .iter()
                .enumerate()
                .filter_map(|(index, cell)| Some((index, percent(cell).filter(|_| cell.ends_with('%'))?)))
                .collect();
            // The share of memory is one of two percentages, mostly the second.
            let is_share = |percent: f64| (percent - 100.0 * used / limit).abs() < 0.02;
            let cpu = match percents[..] {
                [(index, _)] => index,
                [(first, a), (second, b)] => {
                    if is_share(a) && !is_share(b) {
                        second
                    } else {
                        first
                    }
                }
                _ => return None,
            };
            let others: Vec<usize> = (0..cells.len())
                .filter(|&index| {
                    index != memory && cells.get(index).is_some_and(|cell| sizes(cell).is_some())
                })
                .collect();
            let (mut named, mut timed) = (false, false);
            let columns = cells.iter().enumerate().map(|(index, cell)| {
                let cell = match index {
                    _ if index == cpu => Cell::Cpu,
                    _ if index == memory => Cell::Memory,
                    // Network and disk look the same: it takes both, in docker's order.
                    _ if others.len() == 2 && others.first() == Some(&index) => Cell::Network,
                    _ if others.len() == 2 && others.last() == Some(&index) => Cell::Disk,
                    _ if !timed
                        && clock::stamp(cell).is_some_and(|stamp| stamp.dated || cell.contains(':')) =>
                    {
                        timed = true;
                        return BareCell::Time;
                    }
                    _ if !named
                        && cell.contains(|c: char| c.is_ascii_alphabetic())
                        && sizes(cell).is_none() =>
                    {
                        named = true;
                        Cell::Name
                    }
                    _ => Cell::Unused,
                };
                BareCell::Is(cell)
            });
            Some(Bare { delimiter, columns: columns.collect() })
        })
    }

    /// The row in a line. `None`: it is none.
    pub(super) fn row<'a>(&self, line: &'a str) -> Option<Row<'a>> {
        if line.len() > MOST_BYTES {
            return None;
        }
        let mut row = Row::default();
        let mut count = 0;
        for cell in bare_cells(line, self.delimiter) {
            match self.columns.get(count)? {
                BareCell::Time => row.timestamp = Cow::Borrowed(cell),
                BareCell::Is(Cell::Name) => row.set(Cell::Name, cell.trim_end_matches(':')),
                BareCell::Is(column) => row.set(*column, cell),
            }
            count += 1;
        }
        (count == self.columns.len() && row.cpu.ends_with(['%', '-'])).then_some(row)
    }
}

fn bare_cells(line: &str, delimiter: char) -> impl Iterator<Item = &str> {
    // The blanks around a slash are no ends of cells.
    let is_in_cell = |at: usize| {
        let ends = |text: Option<&str>| text.is_some_and(|text| text.trim_end().ends_with('/'));
        ends(line.get(..at)) || line.get(at..).is_some_and(|rest| rest.trim_start().starts_with('/'))
    };
    let mut start = Some(0);
    let cells = std::iter::from_fn(move || {
        let rest = line.get(start?..)?;
        let base = start?;
        let end = rest.char_indices().find(|&(at, c)| {
            if delimiter == ' ' { c.is_whitespace() && !is_in_cell(base + at) } else { c == delimiter }
        });
        start = end.map(|(at, c)| base + at + c.len_utf8());
        rest.get(..end.map_or(rest.len(), |(at, _)| at))
    });
    cells
        .map(|cell| cell.trim().trim_matches('"').trim())
        .filter(move |cell| delimiter != ' ' || !cell.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_header_are_known() {
        use BareCell::{Is, Time};
        use Cell::{Cpu, Disk, Memory, Name, Network, Unused};
        let cases: &[(&str, &[BareCell])] = &[
            ("web,1.5%,45.3MiB / 1.5GiB", &[Is(Name), Is(Cpu), Is(Memory)]),
            ("web\t45.3MiB / 1.5GiB\t2.95%\t1.5%", &[Is(Name), Is(Memory), Is(Unused), Is(Cpu)]),
            (
                "10:00:01;web;1%;1GiB / 2GiB;50%;1kB / 2kB;0B / 0B;7",
                &[Time, Is(Name), Is(Cpu), Is(Memory), Is(Unused), Is(Network), Is(Disk), Is(Unused)],
            ),
            ("web   1%   1GiB / 2GiB   1kB / 2kB", &[Is(Name), Is(Cpu), Is(Memory), Is(Unused)]),
            ("web: 1% 1GiB / 2GiB", &[Is(Name), Is(Cpu), Is(Memory)]),
        ];
        for (line, wanted) in cases {
            assert_eq!(Bare::of(line).map(|bare| bare.columns), Some(wanted.to_vec()), "{line}");
        }
        for line in ["web,1.5%,45.3MiB", "web,45.3MiB / 1.5GiB", "1%,2%,3%,1GiB / 2GiB", "a / b iB 1%", ""] {
            assert_eq!(Bare::of(line), None, "{line}");
        }
    }
}
