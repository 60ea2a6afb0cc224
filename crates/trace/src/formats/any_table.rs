//! Any other table: a header and rows of numbers. What its columns mean is stated by a person or guessed.
//!
//! The text is gone through twice: once to see what each column's cells are like, and again, once the columns' roles
//! are known, to read them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::any_cell::number;
use super::any_layout::{self, BLANKS, Layout};
use super::table::Table;
use super::{Input, Recognition, clock, decimal};
use crate::guess::{self, Cells, Conversion, Moment, Seen, Suffix};
use crate::record::{FieldId, Recorder};
use crate::{Guess, GuessedColumn, ReadError, ReadErrorKind, ReadOptions, Role, Trace, Warning, WarningKind};

/// How many cells of each column are shown.
const EXAMPLES: usize = 3;
/// How many rows are looked at for commas in numbers.
const ROWS_FOR_COMMAS: usize = 200;
/// From this row on, columns without any number are looked at here and there.
const ROWS_LOOKED_AT: u32 = 1000;
const EACH_ROW: u32 = 64;
/// The share of rows that may have another width than the header.
const MOST_LEFT_OUT: f64 = 0.1;
/// What a column may be called whose cells say of what the other figures of the row are.
const SUBJECTS: &[&str] = &[
    "name", "container", "containername", "pod", "podname", "host", "hostname", "instance", "node", "process", "comm",
    "command", "cmd", "service", "vm", "job", "pid", "server", "machine",
];

pub(crate) fn recognise(head: &str) -> Recognition {
    match any_layout::find(head) {
        Ok(_) => Recognition::Yes,
        Err(reason) => Recognition::No(reason),
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut layout = any_layout::find(input.text)
        .map_err(|reason| ReadError::new(ReadErrorKind::BadHeader, input.file, reason))?;
    let text = (layout.delimiter == BLANKS).then(|| any_layout::without_blanks(input.text, layout)).flatten();
    let with_tabs = text.as_ref().map(|text| Input { file: input.file, text });
    if with_tabs.is_some() {
        layout = Layout { delimiter: b'\t', start: 0, line: layout.line };
    }
    let input = with_tabs.as_ref().unwrap_or(input);
    let decimal_comma = has_decimal_commas(input, layout)?;
    let (columns, subjects) = look(input, layout, decimal_comma)?;
    let guess = guess::guess(input.file, &columns, options.mapping.as_ref())?;
    let reading = Reading { input, options, layout, decimal_comma, columns: &columns, guess: &guess };
    let mut trace = reading.subject(subjects).and_then(|subject| reading.read(subject.as_ref())).map_err(
        |mut error| {
            if error.kind != ReadErrorKind::Several {
                error.guess = Some(Box::new(guess.clone()));
            }
            error
        },
    )?;
    if let Some(warning) = warning(&guess) {
        trace.warnings.push(warning);
    }
    trace.guess = Some(guess);
    Ok(trace)
}

fn open<'a>(input: &Input<'a>, layout: Layout) -> Result<Table<'a>, ReadError> {
    let text = input.text.get(layout.start..).unwrap_or_default();
    let mut table = Table::open_with(input.file, text, layout.line, layout.delimiter)?;
    // Names must tell columns apart.
    let mut names = BTreeSet::new();
    for (index, name) in table.header.iter_mut().enumerate() {
        if name.is_empty() {
            *name = format!("column {}", index + 1);
        }
        if !names.insert(name.clone()) {
            *name = format!("{name} ({})", index + 1);
            names.insert(name.clone());
        }
    }
    Ok(table)
}

/// Whether a comma in a number is before the decimals, rather than between thousands.
fn has_decimal_commas(input: &Input, layout: Layout) -> Result<bool, ReadError> {
    let mut table = open(input, layout)?;
    for _ in 0..ROWS_FOR_COMMAS {
        if !table.next_fitting_row()? {
            break;
        }
        for index in 0..table.header.len() {
            if let Some((whole, decimals)) = table.cell(index).split_once(',') {
                let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let is_number = digits(whole.trim_start_matches('-')) && digits(decimals.trim_end_matches(['%', ' ']));
                if is_number && (layout.delimiter == b';' || decimals.trim_end_matches(['%', ' ']).len() != 3) {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Whether a row is the header again, or a line under it.
fn is_no_sample(table: &Table) -> bool {
    let mut cells = (0..table.header.len()).map(|index| (index, table.cell(index))).filter(|cell| !cell.1.is_empty());
    let is_line = |cell: &str| cell.len() > 1 && cell.bytes().all(|byte| matches!(byte, b'-' | b':' | b'+' | b'='));
    cells.clone().all(|(_, cell)| is_line(cell)) || cells.all(|(index, cell)| cell == table.header[index])
}

/// A column whose cells say of what a row speaks, and its different cells.
struct Subjects {
    column: usize,
    names: BTreeSet<String>,
}

/// What the cells of each column are like.
fn look(input: &Input, layout: Layout, decimal_comma: bool) -> Result<(Vec<Seen>, Option<Subjects>), ReadError> {
    const MOST_SUBJECTS: usize = 1000;
    let mut table = open(input, layout)?;
    let mut columns: Vec<Seen> = table
        .header
        .iter()
        .map(|name| Seen { header: name.clone(), examples: Vec::new(), cells: Cells::default() })
        .collect();
    let mut subjects = table.header.iter().position(|name| {
        let name: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        SUBJECTS.contains(&name.as_str())
    });
    let mut names = BTreeSet::new();
    let mut rows: u32 = 0;
    while table.next_fitting_row()? {
        if is_no_sample(&table) {
            continue;
        }
        rows += 1;
        let is_looked_at = rows <= ROWS_LOOKED_AT || rows.is_multiple_of(EACH_ROW);
        for (index, column) in columns.iter_mut().enumerate() {
            // Most cells are plain decimals. Times and words take longer, and are all alike.
            if column.examples.len() == EXAMPLES {
                if let Some(value) = decimal::plain(table.bytes(index), b'.') {
                    column.cells.known += 1;
                    column.cells.number(value);
                    continue;
                }
                if !is_looked_at && column.cells.numbers == 0 {
                    continue;
                }
            }
            let cell = table.cell(index);
            if cell.is_empty() {
                continue;
            }
            if column.examples.len() < EXAMPLES {
                column.examples.push(crate::error::excerpt(cell, 40));
            }
            let cells = &mut column.cells;
            match number(cell, decimal_comma) {
                Some((value, _)) if value.is_nan() => {}
                Some((value, suffix)) => {
                    cells.known += 1;
                    match suffix {
                        Suffix::None => {}
                        Suffix::Percent => cells.percent = true,
                        size => cells.size = size,
                    }
                    cells.number(value);
                }
                None => {
                    cells.known += 1;
                    if guess::stamp(cell).is_some() {
                        cells.stamps += 1;
                        cells.order.see(cell);
                        cells.clocks += usize::from(cell.contains(':'));
                        let date = cell.split(['T', ' ']).next().and_then(clock::date);
                        let spelt = cell.contains(' ') && cell.contains(|c: char| c.is_ascii_alphabetic());
                        cells.dates += usize::from(date.is_some() || (spelt && cell.len() > 15));
                    }
                }
            }
        }
        if let Some(column) = subjects {
            if !names.contains(table.cell(column)) {
                names.insert(table.cell(column).to_owned());
            }
            if names.len() > MOST_SUBJECTS {
                subjects = None;
            }
        }
    }
    if table.left_out as f64 > f64::from(rows) * MOST_LEFT_OUT + 3.0 {
        return Err(ReadError::new(
            ReadErrorKind::RaggedRow,
            input.file,
            format!("{} rows have more or fewer cells than the header, which has {}", table.left_out, columns.len()),
        )
        .at_line(table.first_left_out.unwrap_or(layout.line))
        .hinting("Use the same cells in each row, and quotes around commas that are no ends of cells."));
    }
    let subjects = subjects.map(|column| Subjects { column, names });
    Ok((columns, subjects.filter(|subjects| subjects.names.len() > 1)))
}

/// The one subject to read: the column and what is in it.
type Subject = (usize, String);

struct Reading<'a> {
    input: &'a Input<'a>,
    options: &'a ReadOptions,
    layout: Layout,
    decimal_comma: bool,
    columns: &'a [Seen],
    guess: &'a Guess,
}

impl Reading<'_> {
    fn error(&self, kind: ReadErrorKind, problem: impl Into<Box<str>>) -> ReadError {
        ReadError::new(kind, self.input.file, problem)
    }

    /// Which rows to read, where they speak of several things.
    fn subject(&self, subjects: Option<Subjects>) -> Result<Option<Subject>, ReadError> {
        let Some(Subjects { column, names }) = subjects else { return Ok(None) };
        if !self.guess.columns.get(column).is_some_and(|column| column.role == Role::Ignored) {
            return Ok(None);
        }
        let header = &self.columns[column].header;
        let wanted = self.options.subject.as_deref().map(str::trim);
        if let Some(wanted) = wanted.filter(|wanted| names.contains(*wanted)) {
            return Ok(Some((column, wanted.to_owned())));
        }
        let several = format!("{} of {header} in one file", names.len());
        let mut error = match wanted {
            Some(wanted) => {
                self.error(ReadErrorKind::Several, format!("{several}, and none is called so")).seeing(wanted)
            }
            None => self.error(ReadErrorKind::Several, several),
        };
        error.choices = names.into_iter().collect();
        Err(error.in_column(header).hinting("Say which one."))
    }

    fn read(&self, subject: Option<&Subject>) -> Result<Trace, ReadError> {
        let mut table = open(self.input, self.layout)?;
        let mut recorder = Recorder::new(self.input.file, self.input.text, self.options);
        recorder.add_up();
        recorder.capacity.memory_bytes = self.options.capacity.memory_bytes;
        let fields = self.fields(&mut recorder)?;
        let (mut date, mut time) = (None, None);
        for (index, column) in self.guess.columns.iter().enumerate() {
            match &column.role {
                Role::Time { unit } if unit == "date" && date.is_none() => date = Some(index),
                Role::Time { unit } if time.is_none() => time = Some((index, unit.as_str())),
                Role::Time { .. } => {
                    let problem = "more than one column is stated to be the time";
                    return Err(self.error(ReadErrorKind::BadHeader, problem).in_column(&column.header));
                }
                _ => {}
            }
        }
        // A date alone is a time, of a sample each day.
        let (date, time) = if time.is_none() { (None, date.map(|date| (date, "clock"))) } else { (date, time) };
        let is_day_first = |column: Option<usize>| {
            column
                .and_then(|column| self.columns.get(column))
                .is_some_and(|column| column.cells.order.is_day_first())
        };
        let day_first = is_day_first(date.or(time.map(|time| time.0)));
        let mut is_first = true;
        while table.next_fitting_row()? {
            if is_no_sample(&table) || subject.is_some_and(|(column, name)| table.cell(*column) != name) {
                continue;
            }
            let line = table.line();
            match time {
                None => recorder.step(line),
                Some((column, unit)) => {
                    let cell = table.cell(column);
                    if cell.is_empty() {
                        recorder.skip_step();
                        continue;
                    }
                    let moment = guess::moment(&in_order(cell, day_first), unit).ok_or_else(|| self.bad_time(&table, column, unit))?;
                    match moment {
                        Moment::Elapsed(seconds) => {
                            if is_first && self.starts_at_zero(column) {
                                recorder.start(clock::Stamp { seconds: 0.0, dated: true });
                            }
                            recorder.elapsed(line, seconds, cell);
                        }
                        Moment::Stamp(mut stamp) => {
                            if let Some(date) = date.filter(|_| !stamp.dated) {
                                let days = clock::date(&in_order(table.cell(date), day_first))
                                    .ok_or_else(|| self.bad_time(&table, date, "date"))?;
                                stamp.seconds += days * clock::DAY_SECONDS;
                                stamp.dated = true;
                            }
                            recorder.sample(line, stamp, cell);
                        }
                    }
                }
            }
            is_first = false;
            for &(index, field) in &fields {
                let cell = table.cell(index);
                let (value, _) = number(cell, self.decimal_comma).ok_or_else(|| {
                    self.error(ReadErrorKind::BadNumber, "expected a number")
                        .at_line(line)
                        .in_column(&table.header[index])
                        .seeing(cell)
                        .hinting("Leave the cell empty if the value isn't known, or state that the column is ignored.")
                })?;
                recorder.put(field, value);
            }
        }
        if table.cut_off {
            recorder.warnings.push(table.cut_off_warning());
        }
        if let Some(line) = table.first_left_out.filter(|_| table.left_out > 0) {
            let rows = if table.left_out == 1 { "1 row".to_owned() } else { format!("{} rows", table.left_out) };
            let message = format!("Left out {rows} with more or fewer cells than the header.");
            recorder.warnings.push(Warning::new(WarningKind::RowsLeftOut, message).at_line(line));
        }
        recorder.finish()
    }

    fn bad_time(&self, table: &Table, column: usize, unit: &str) -> ReadError {
        let problem = match unit {
            "clock" => "expected a time such as 2024-05-01 13:05:09".to_owned(),
            "date" => "expected a date such as 2024-05-01".to_owned(),
            _ => format!("expected a number ({unit})"),
        };
        self.error(ReadErrorKind::BadTime, problem)
            .at_line(table.line())
            .in_column(&table.header[column])
            .seeing(table.cell(column))
    }

    /// Whether the first time is one step after the run's start, rather than somewhere in the life of the machine.
    fn starts_at_zero(&self, column: usize) -> bool {
        let cells = &self.columns[column].cells;
        let step = (cells.last - cells.first) / cells.numbers.saturating_sub(1).max(1) as f64;
        cells.first > 0.0 && cells.first <= 1.5 * step
    }

    /// The fields of the columns that are metrics.
    fn fields(&self, recorder: &mut Recorder) -> Result<Vec<(usize, FieldId)>, ReadError> {
        let mut fields = Vec::new();
        let mut scales: Vec<(Conversion, &str)> = Vec::new();
        for (index, column) in self.guess.columns.iter().enumerate() {
            let Role::Metric { metric, unit } = &column.role else { continue };
            let Some(conversion) = guess::conversion(*metric, &in_bytes(unit, self.columns.get(index))) else { continue };
            if let Some((_, other)) = scales.iter().find(|(known, _)| {
                known.signal == conversion.signal && known.unit.scale != conversion.unit.scale
            }) {
                let problem = format!("{} can't be added up from \"{other}\" and \"{unit}\"", metric.title());
                return Err(self
                    .error(ReadErrorKind::BadHeader, problem)
                    .in_column(&column.header)
                    .hinting("State that one of the columns is ignored."));
            }
            scales.push((conversion, unit));
            let (signal, unit) = (conversion.signal, conversion.unit);
            let field = if conversion.is_counter {
                recorder.counter(signal, &column.header, unit)
            } else {
                recorder.field(signal, &column.header, unit)
            };
            fields.push((index, field));
        }
        let is_metric = |column: &&GuessedColumn| matches!(column.role, Role::Metric { .. });
        let no_use = if self.guess.columns.iter().filter(is_metric).any(GuessedColumn::is_stated) {
            None
        } else {
            of_no_use(self.columns)
        };
        match no_use {
            // A load test's columns may look like a machine's; a GPU's may stand beside a machine's.
            Some((problem, hint, true)) => return Err(self.error(ReadErrorKind::BadHeader, problem).hinting(hint)),
            _ if !fields.is_empty() => return Ok(fields),
            Some((problem, hint, false)) => return Err(self.error(ReadErrorKind::BadHeader, problem).hinting(hint)),
            None => {}
        }
        let names: Vec<String> = self.columns.iter().map(|column| column.header.clone()).collect();
        let example = names.last().map_or("x", String::as_str);
        let example = crate::error::excerpt(example, 60);
        Err(self.error(ReadErrorKind::BadHeader, "no column says by its name that it is a metric").hinting(format!(
            "Its columns are {}. Say what they are, for example {example}=cpu_cores:% of the node.",
            guess::listed(&names)
        )))
    }
}

/// A date with the year first, if the file has its days before months.
fn in_order(cell: &str, day_first: bool) -> Cow<'_, str> {
    if day_first { clock::day_first(cell) } else { Cow::Borrowed(cell) }
}

/// A unit, or the same in bytes where the cells have units of their own, which were changed to bytes already.
fn in_bytes<'a>(unit: &'a str, column: Option<&Seen>) -> Cow<'a, str> {
    const SIZES: &[&str] = &["kB", "KiB", "MB", "MiB", "GB", "GiB", "kbit", "Mbit", "Gbit", "bits"];
    if column.is_none_or(|column| column.cells.size == Suffix::None) {
        return Cow::Borrowed(unit);
    }
    let rest = SIZES.iter().find_map(|size| unit.strip_prefix(size));
    rest.map_or(Cow::Borrowed(unit), |rest| Cow::Owned(format!("bytes{rest}")))
}

/// What kind of figures a table has that Cotrace can't use, what to do instead, and whether all of them are such.
fn of_no_use(columns: &[Seen]) -> Option<(&'static str, &'static str, bool)> {
    let has = |names: &[&str]| columns.iter().any(|column| names.contains(&column.header.trim()));
    if guess::is_nvidia_smi(columns) {
        return Some((
            "its figures are those of a GPU, of which Cotrace knows nothing",
            "Record the node's CPU, memory, disks and network in the same run, for example with vmstat or sar.",
            false,
        ));
    }
    (has(&["responseCode", "grpThreads", "allThreads"]) || has(&["Requests/s", "User Count", "Failures/s"])).then_some((
        "its figures are those of requests in a load test, not of a machine",
        "Record CPU, memory, disks and network of the server while the test runs, for example with sar.",
        true,
    ))
}

/// What a person should check.
fn warning(guess: &Guess) -> Option<Warning> {
    let guessed: Vec<String> = guess
        .columns
        .iter()
        .filter(|column| !column.is_stated())
        .filter_map(|column| {
            let name = crate::error::excerpt(&column.header, 60);
            match &column.role {
                Role::Ignored => None,
                Role::Time { unit } => Some(format!("{name} → time ({unit})")),
                Role::Metric { metric, unit } => Some(format!("{name} → {} in {unit}", metric.title())),
            }
        })
        .collect();
    if guessed.is_empty() {
        return None;
    }
    let message = format!("The columns' meanings were guessed: {}.", guess::listed(&guessed));
    Some(Warning::new(WarningKind::Guessed, message).hinting("Check them, and say what is wrong."))
}
