//! Tables of comma separated values: a header, rows of the same width, cells that are numbers or empty.

use csv::{ByteRecord, Position, StringRecord};

use super::decimal;
use crate::{ReadError, ReadErrorKind, Warning, WarningKind};

/// A value beyond this is a mistake: no machine has it, and sums of smaller ones stay finite as `f32`.
const MAX_VALUE: f64 = 1e30;
/// Likewise for values in a unit that is still to be changed, for example from kB to bytes.
const MAX_RAW_VALUE: f64 = 1e20;
/// The longest line, in bytes, and the most columns of a table.
const MOST_LINE_BYTES: usize = 1 << 20;
const MOST_COLUMNS: usize = 10_000;

/// Goes through a table row by row and knows the lines.
pub(crate) struct Table<'a> {
    file: &'a str,
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    line_offset: u64,
    /// The names of the columns, trimmed.
    pub(crate) header: Vec<String>,
    /// The line of the header.
    pub(crate) header_line: u64,
    record: ByteRecord,
    ahead: ByteRecord,
    /// Whether the last line was cut off, and left out.
    pub(crate) cut_off: bool,
    /// How many rows of another width [`Table::next_fitting_row`] left out, and the line of the first.
    pub(crate) left_out: usize,
    pub(crate) first_left_out: Option<u64>,
}

impl<'a> Table<'a> {
    /// The table in `text`, which starts at line `first_line` of `file`. Lines that start with `#` are skipped.
    pub(crate) fn open(file: &'a str, text: &'a str, first_line: u64) -> Result<Table<'a>, ReadError> {
        Table::open_with(file, text, first_line, b',')
    }

    /// The table in `text` whose cells are told apart by `delimiter`. See [`Table::open`].
    pub(crate) fn open_with(
        file: &'a str,
        text: &'a str,
        first_line: u64,
        delimiter: u8,
    ) -> Result<Table<'a>, ReadError> {
        let bad = |problem: String| ReadError::new(ReadErrorKind::BadHeader, file, problem);
        // What only a file made to break things has would take many times its size in memory.
        if let Some(index) = text.split('\n').position(|line| line.len() > MOST_LINE_BYTES) {
            return Err(bad("a line of more than a million characters: no table of samples".to_owned())
                .at_line(first_line + index as u64));
        }
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(delimiter)
            .flexible(true)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let mut table = Table {
            file,
            text,
            reader,
            line_offset: first_line - 1,
            header: Vec::new(),
            header_line: first_line,
            record: ByteRecord::new(),
            ahead: ByteRecord::new(),
            cut_off: false,
            left_out: 0,
            first_left_out: None,
        };
        if !table.fetch()? {
            return Err(bad("no header line with the columns' names".to_owned()));
        }
        if table.record.len() > MOST_COLUMNS {
            let problem = format!("{} columns, where at most {MOST_COLUMNS} are read", table.record.len());
            return Err(bad(problem).at_line(table.line()));
        }
        table.header = table.record.iter().map(|cell| trimmed(cell).to_owned()).collect();
        // A comma at the end of each line names no column.
        if table.header.len() > 1 && table.header.last().is_some_and(String::is_empty) {
            table.header.pop();
        }
        table.header_line = table.line();
        Ok(table)
    }

    /// What to say where [`Table::cut_off`].
    #[allow(clippy::unused_self)]
    pub(crate) fn cut_off_warning(&self) -> Warning {
        Warning::new(WarningKind::CutOff, "The last line is cut off; it was left out.")
    }

    /// The index of the first column called `name`.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|cell| cell == name)
    }

    /// Steps to the next row. `false`: there is none.
    pub(crate) fn next_row(&mut self) -> Result<bool, ReadError> {
        if !self.fetch()? {
            return Ok(false);
        }
        let (cells, wanted) = (self.record.len(), self.header.len());
        let extra_is_blank = self.record.iter().skip(wanted).all(|cell| trimmed(cell).is_empty());
        if cells == wanted || (cells > wanted && extra_is_blank) {
            return Ok(true);
        }
        if cells < wanted {
            std::mem::swap(&mut self.record, &mut self.ahead);
            if !self.fetch()? {
                // The last row only: the file ends in the middle of it.
                self.cut_off = true;
                return Ok(false);
            }
            std::mem::swap(&mut self.record, &mut self.ahead);
        }
        let seen = self.record.iter().map(text_of).collect::<Vec<_>>().join(",");
        let problem = format!("{cells} cells, but the header has {wanted}");
        let mut error =
            ReadError::new(ReadErrorKind::RaggedRow, self.file, problem).at_line(self.line()).seeing(&seen);
        error = if cells > wanted {
            error.hinting("Use a point for decimals and commas between cells only.")
        } else {
            error.hinting("Complete the line or remove it.")
        };
        Err(error)
    }

    /// Steps to the next row that is as wide as the header. `false`: there is none.
    pub(crate) fn next_fitting_row(&mut self) -> Result<bool, ReadError> {
        let mut short_before = false;
        while self.fetch()? {
            let (cells, wanted) = (self.record.len(), self.header.len());
            if cells >= wanted && self.record.iter().skip(wanted).all(|cell| trimmed(cell).is_empty()) {
                return Ok(true);
            }
            self.left_out += 1;
            self.first_left_out.get_or_insert(self.line());
            short_before = cells < wanted;
        }
        if short_before {
            self.cut_off = true;
            self.left_out -= 1;
        }
        Ok(false)
    }

    /// About how many rows are left, the current one among them: for sizing what they go into.
    pub(crate) fn rows_left(&self) -> usize {
        let start = self.record.position().map_or(0, |position| position.byte() as usize);
        let rest = self.text.get(start..).unwrap_or_default();
        let row = rest.trim_start().find('\n').unwrap_or(rest.len());
        rest.len() / (row + 1) + 1
    }

    /// The line of the row.
    pub(crate) fn line(&self) -> u64 {
        self.record.position().map_or(0, |position| line_at(self.text, position)) + self.line_offset
    }

    /// A cell of the row as it is.
    pub(crate) fn bytes(&self, column: usize) -> &[u8] {
        self.record.get(column).unwrap_or_default()
    }

    /// The text of a cell of the row, trimmed.
    pub(crate) fn cell(&self, column: usize) -> &str {
        trimmed(self.record.get(column).unwrap_or_default())
    }

    /// The number in a cell of the row, in a unit that is still to be changed.
    pub(crate) fn raw_number(&self, column: usize) -> Result<f64, ReadError> {
        let value = self.number(column)?;
        if value.abs() > MAX_RAW_VALUE { Err(self.not_a_number(column)) } else { Ok(value) }
    }

    /// The number in a cell of the row. An empty cell, `-`, `N/A` and `NaN` are `NaN`: not known.
    pub(crate) fn number(&self, column: usize) -> Result<f64, ReadError> {
        if let Some(value) = self.plain_number(column) {
            return Ok(value);
        }
        parse_number(self.cell(column)).ok_or_else(|| self.not_a_number(column))
    }

    /// The number in a cell that is a plain decimal, as most are: no need to make text of it first.
    pub(crate) fn plain_number(&self, column: usize) -> Option<f64> {
        decimal::plain(self.record.get(column).unwrap_or_default(), b'.')
    }

    fn not_a_number(&self, column: usize) -> ReadError {
        let cell = self.cell(column);
        let hint = match cell {
            _ if cell.contains(',') => "Use a point for decimals.",
            _ if cell.parse::<f64>().is_ok() => {
                "Such a value can't be; leave the cell empty if it isn't known."
            }
            _ => "Leave the cell empty if the value isn't known.",
        };
        ReadError::new(ReadErrorKind::BadNumber, self.file, "expected a number")
            .at_line(self.line())
            .in_column(self.header.get(column).map_or("", String::as_str))
            .seeing(cell)
            .hinting(hint)
    }

    /// Reads the next record that isn't blank.
    fn fetch(&mut self) -> Result<bool, ReadError> {
        loop {
            let more = self.reader.read_byte_record(&mut self.record).map_err(|error| {
                ReadError::new(ReadErrorKind::BadHeader, self.file, format!("not a table of cells ({error})"))
            })?;
            if !more {
                return Ok(false);
            }
            if self.record.iter().any(|cell| !trimmed(cell).is_empty()) {
                return Ok(true);
            }
        }
    }
}

/// The line of a record in `text`, from 1.
pub(crate) fn line_of(text: &str, record: &StringRecord) -> u64 {
    record.position().map_or(0, |position| line_at(text, position))
}

fn line_at(text: &str, position: &Position) -> u64 {
    // A record begins where the last one ended: blank lines, and the LF of a CR LF, lie before its own line.
    let before = text.as_bytes().get(position.byte() as usize..).unwrap_or_default();
    let ends = before.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|byte| **byte == b'\n');
    position.line() + ends.count() as u64
}

/// A cell as text. What is cut out of text between commas and quotes is text.
fn text_of(cell: &[u8]) -> &str {
    str::from_utf8(cell).unwrap_or_default()
}

/// A cell as text, without white space around it.
fn trimmed(cell: &[u8]) -> &str {
    let is_plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    let text = text_of(cell);
    if is_plain(cell.first()) && is_plain(cell.last()) { text } else { text.trim() }
}

/// A number, `NaN` for a cell that says that it isn't known, `None` for anything else.
pub(crate) fn parse_number(cell: &str) -> Option<f64> {
    if let Some(value) = decimal::plain(cell.as_bytes(), b'.') {
        return Some(value);
    }
    let is_nan = cell.strip_prefix('-').unwrap_or(cell).eq_ignore_ascii_case("nan");
    if cell.is_empty() || cell == "-" || is_nan || cell.eq_ignore_ascii_case("n/a") {
        return Some(f64::NAN);
    }
    cell.parse().ok().filter(|value| is_plausible(*value))
}

/// Whether a value is one that a machine can have. `NaN` is none.
pub(crate) fn is_plausible(value: f64) -> bool {
    value.abs() <= MAX_VALUE
}
