//! The CSV that Grafana exports from a panel: a time and the series as columns, or as rows in older exports.
//!
//! Series without a legend of their own are called as Prometheus calls them, and read as its answers are. Others are
//! known by the words in their names and by the units in their cells.

use std::borrow::Cow;
use std::collections::BTreeSet;

use csv::StringRecord;

use super::clock::{self, DateOrder, Stamp};
use super::series::{self, Series};
use super::{Input, Recognition, subjects};
use crate::record::Recorder;
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

pub(crate) fn recognise(head: &str) -> Recognition {
    let (head, _, said) = without_separator(head);
    let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let cells: Vec<&str> = first.split([',', ';', '\t']).map(|cell| cell.trim().trim_matches('"')).collect();
    let has_time_first = cells.first() == Some(&"Time") && cells.len() > 1;
    if is_long(&cells) || (has_time_first && (said || first.starts_with('"') || first.contains('{'))) {
        Recognition::Yes
    } else {
        Recognition::No("the first line is neither \"Time\",… in quotes nor Series;Time;Value")
    }
}

fn is_long(header: &[&str]) -> bool {
    matches!(header, ["Series", "Time", "Value"])
}

/// The text after a line `sep=,`, how long that line was, and whether there is one.
fn without_separator(text: &str) -> (&str, u64, bool) {
    let text = text.trim_start_matches(['\u{feff}', '\n', '\r']);
    let is_said = text.starts_with("sep=") || text.starts_with("\"sep=");
    match text.split_once('\n') {
        Some((_, rest)) if is_said => (rest, 1, true),
        _ => (text, 0, false),
    }
}

/// A column or a group of rows.
struct Column {
    name: String,
    /// `%`, `B`, `B/s`, `b/s`: what the figures were turned into.
    unit: Option<&'static str>,
    points: Vec<(f64, f64)>,
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let (text, skipped, _) = without_separator(input.text);
    let before = input.text.len() - text.len();
    let line_offset = input.text.get(..before).unwrap_or_default().matches('\n').count().max(skipped as usize) as u64;
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let delimiter = delimiter(first);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    let mut header: Vec<String> = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let mut by_name = std::collections::HashMap::new();
    let mut warnings = Vec::new();
    let mut broken: Option<u64> = None;
    let is_day_first = is_day_first(text, delimiter);
    let new_column = |name: &str| Column { name: name.to_owned(), unit: None, points: Vec::new() };
    loop {
        let more = reader.read_record(&mut record).map_err(|error| {
            ReadError::new(ReadErrorKind::BadHeader, input.file, format!("not a table of cells ({error})"))
        })?;
        if !more {
            break;
        }
        let line = record.position().map_or(0, csv::Position::line) + line_offset;
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if header.is_empty() {
            header = record.iter().map(|cell| cell.trim().to_owned()).collect();
            let names: Vec<&str> = header.iter().map(String::as_str).collect();
            if !is_long(&names) {
                columns = header.iter().skip(1).map(|name| new_column(name)).collect();
            }
            continue;
        }
        if let Some(line) = broken.take() {
            return Err(ReadError::new(ReadErrorKind::RaggedRow, input.file, "a row with too few cells")
                .at_line(line)
                .hinting("Complete the line or remove it."));
        }
        let is_long = columns.is_empty() || !by_name.is_empty();
        let (time_at, wanted) = if is_long { (1, 3) } else { (0, header.len()) };
        if record.len() < wanted {
            broken = Some(line);
            continue;
        }
        let time = record.get(time_at).unwrap_or_default().trim();
        let ordered = if is_day_first { clock::day_first(time) } else { Cow::Borrowed(time) };
        let stamp = clock::stamp(&ordered).filter(|stamp| stamp.dated).ok_or_else(|| {
            ReadError::new(ReadErrorKind::BadTime, input.file, "expected a date and time")
                .at_line(line)
                .in_column("Time")
                .seeing(time)
                .hinting("Such as 2024-05-01 12:00:00.")
        })?;
        let put = |column: &mut Column, cell: &str| -> Result<(), ReadError> {
            let (value, unit) = value(cell.trim()).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                    .at_line(line)
                    .in_column(&column.name)
                    .seeing(cell)
            })?;
            // Zero may be written without a unit.
            if unit.is_some() {
                column.unit = unit;
            }
            column.points.push((stamp.seconds, value));
            Ok(())
        };
        if is_long {
            let name = record.get(0).unwrap_or_default().trim();
            let index = if let Some(&index) = by_name.get(name) { index } else {
                    by_name.insert(name.to_owned(), columns.len());
                    columns.push(new_column(name));
                    columns.len() - 1};
            if let Some(column) = columns.get_mut(index) {
                put(column, record.get(2).unwrap_or_default())?;
            }
        } else {
            for (column, cell) in columns.iter_mut().zip(record.iter().skip(1)) {
                put(column, cell)?;
            }
        }
    }
    if let Some(line) = broken {
        let message = "The last line is cut off; it was left out.";
        warnings.push(Warning::new(WarningKind::CutOff, message).at_line(line));
    }
    let labelled: Option<Vec<Series>> = columns.iter().map(|column| series::selector(&column.name)).collect();
    match labelled {
        Some(mut all) if !all.is_empty() => {
            for (series, column) in all.iter_mut().zip(columns) {
                series.points = column.points;
                series.points.retain(|point| !point.1.is_nan());
                series.line = line_offset + 1;
            }
            series::read(input, options, &all, warnings)
        }
        _ => by_words(input, options, &columns, warnings),
    }
}

/// Whether the dates of a file have the day before the month.
fn is_day_first(text: &str, delimiter: u8) -> bool {
    let mut order = DateOrder::default();
    // Nearly all dates are written otherwise, which their first line shows.
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let (mut seen, mut quoted) = (false, false);
        // The time is the first cell, or the second.
        for cell in line.splitn(4, |c: char| {
            quoted ^= c == '"';
            c == char::from(delimiter) && !quoted
        }) {
            let cell = cell.trim().trim_matches('"');
            if clock::is_ordered(cell) {
                order.see(cell);
                seen = true;
                break;
            }
        }
        if !seen {
            break;
        }
    }
    order.is_day_first()
}

/// A trace of series with free names.
fn by_words(
    input: &Input,
    options: &ReadOptions,
    columns: &[Column],
    warnings: Vec<Warning>,
) -> Result<Trace, ReadError> {
    let machines = machines(columns);
    let chosen = match machines.len() {
        0 | 1 => None,
        _ => subjects::choose(input.file, "machines", &machines, options.subject.as_deref())?,
    };
    let mut recorder = Recorder::new(input.file, input.text, options);
    recorder.warnings = warnings;
    let mut taken: Vec<(crate::record::Signal, &str)> = Vec::new();
    let (mut unclear, mut same) = (Vec::new(), Vec::new());
    for column in columns {
        let machine = words(&column.name).find(|word| machines.contains(word));
        if machine.is_some() && machine != chosen {
            continue;
        }
        let Some(meaning) = series::meaning(&column.name, column.unit) else {
            unclear.push(column.name.as_str());
            continue;
        };
        if let Some((_, first)) = taken.iter().find(|(signal, _)| *signal == meaning.signal) {
            same.push((column.name.as_str(), *first));
            continue;
        }
        taken.push((meaning.signal, &column.name));
        let field = recorder.field(meaning.signal, &column.name, meaning.unit);
        recorder.pass();
        for &(seconds, value) in &column.points {
            if recorder.sample(1, Stamp { seconds, dated: true }, "") {
                recorder.put(field, value);
            }
        }
    }
    if let Some(&(name, first)) = same.first() {
        let first = crate::error::excerpt(first, 80);
        let message = format!("It says the same as \"{first}\": left out{}.", others(same.len()));
        let warning = Warning::new(WarningKind::ColumnLeftOut, message).in_column(name);
        recorder.warnings.push(warning.hinting("Export one machine's series at a time."));
    }
    if let Some(&first) = unclear.first() {
        let hint = "Name what a series is and its unit, such as CPU user % or Memory used, or export without legends.";
        if taken.is_empty() {
            let problem = "no series in it says what it is";
            return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, problem).seeing(first).hinting(hint));
        }
        let message = format!("What it measures, or in which unit, isn't clear: left out{}.", others(unclear.len()));
        recorder.warnings.push(Warning::new(WarningKind::ColumnLeftOut, message).in_column(first).hinting(hint));
    }
    recorder.finish()
}

/// The words of a name: what is between blanks, quotes and brackets.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| c.is_whitespace() || matches!(c, '"' | '{' | '}' | '(' | ')' | '[' | ']' | '=' | ','))
        .map(|word| word.trim_matches([':', '-']))
        .filter(|word| !word.is_empty())
}

/// The machines that names speak of, where several say the same but for one word that looks like a machine's name.
fn machines(columns: &[Column]) -> BTreeSet<&str> {
    let is_machine = |word: &&str| {
        word.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | ':'))
            && word.contains(|c: char| c.is_alphanumeric())
            && !word.contains('%')
    };
    // What measures the same, and the words that all of it has.
    let mut alike: Vec<(crate::record::Signal, BTreeSet<&str>, Vec<&str>)> = Vec::new();
    for column in columns {
        let Some(meaning) = series::meaning(&column.name, column.unit) else { continue };
        let own: BTreeSet<&str> = words(&column.name).collect();
        match alike.iter_mut().find(|group| group.0 == meaning.signal) {
            Some((_, common, names)) => {
                common.retain(|word| own.contains(word));
                names.push(&column.name);
            }
            None => alike.push((meaning.signal, own, vec![&column.name])),
        }
    }
    let mut machines = BTreeSet::new();
    for (_, common, names) in alike.iter().filter(|group| group.2.len() > 1) {
        let found: BTreeSet<&str> = names
            .iter()
            .filter_map(|name| words(name).filter(|word| !common.contains(word)).find(is_machine))
            .collect();
        if found.len() == names.len() {
            machines.extend(found);
        }
    }
    machines
}

/// How many are left out beside the one that is named.
fn others(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        2 => ", and another one".to_owned(),
        _ => format!(", and {} others", count - 1),
    }
}

/// What separates cells: outside of quotes and braces.
fn delimiter(header: &str) -> u8 {
    let (mut quoted, mut depth) = (false, 0_i32);
    for byte in header.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => depth -= 1,
            b',' | b';' | b'\t' if !quoted && depth <= 0 => return byte,
            _ => {}
        }
    }
    b','
}

/// A figure with its unit, in bytes, bits, percent or as it is. `null` isn't known.
fn value(cell: &str) -> Option<(f64, Option<&'static str>)> {
    if matches!(cell, "null" | "undefined" | "N/A" | "No data") {
        return Some((f64::NAN, None));
    }
    if let Some(value) = super::lines::number(cell) {
        return Some((value, None));
    }
    let end = cell.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+')))?;
    let (digits, unit) = cell.split_at_checked(end)?;
    let digits = digits.trim();
    let value = super::lines::number(digits).filter(|_| !digits.is_empty())?;
    let unit = unit.trim();
    let (size, is_rate) = match unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps")) {
        Some(size) => (size, true),
        None => (unit, false),
    };
    let prefix = |ending: &str| -> Option<f64> {
        Some(match size.strip_suffix(ending)? {
            "" => 1.0,
            "k" | "K" => 1e3,
            "M" => 1e6,
            "G" => 1e9,
            "T" => 1e12,
            "ki" | "Ki" => 1024.0,
            "Mi" => 1_048_576.0,
            "Gi" => 1_073_741_824.0,
            "Ti" => 1_099_511_627_776.0,
            _ => return None,
        })
    };
    if unit == "%" {
        Some((value, Some("%")))
    } else if let Some(factor) = prefix("B") {
        Some((value * factor, Some(if is_rate { "B/s" } else { "B" })))
    } else {
        let factor = prefix("b").filter(|_| is_rate)?;
        Some((value * factor, Some("b/s")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_units() {
        let cases = [
            ("12.5%", Some((12.5, Some("%")))),
            ("12,5 %", Some((12.5, Some("%")))),
            ("1.5 GiB", Some((1.5 * 1_073_741_824.0, Some("B")))),
            ("350 MB/s", Some((350e6, Some("B/s")))),
            ("10 Mb/s", Some((10e6, Some("b/s")))),
            ("10 Mbps", Some((10e6, Some("b/s")))),
            ("0 B", Some((0.0, Some("B")))),
            ("1.5e3", Some((1500.0, None))),
            ("-2", Some((-2.0, None))),
            ("3 apples", None),
            ("GiB", None),
            ("5 Mb", None),
        ];
        for (cell, wanted) in cases {
            assert_eq!(value(cell), wanted, "{cell:?}");
        }
        assert!(value("null").is_some_and(|(value, unit)| value.is_nan() && unit.is_none()));
        assert!(value("").is_some_and(|(value, _)| value.is_nan()));
    }
}
