//! The canonical trace as CSV, version 1. [`crate::canonical`] describes it.

use std::collections::BTreeMap;
use std::io;

use super::axis::{self, Axis};
use super::table::{Table, is_plausible, parse_number};
use super::{Input, Recognition};
use crate::trace::is_plausible_cores;
use crate::{
    Capacity, Column, JobSpan, ReadError, ReadErrorKind, ReadOptions, Resource, Trace, Warning, WarningKind,
};

/// The first line, before the version.
const MARK: &str = "# cotrace-trace";
/// The version written, and the last one read.
const VERSION: u32 = 1;

pub(crate) fn recognise(head: &str) -> Recognition {
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    // Comments may come first, the mark among them.
    let telling = lines.find(|line| line.starts_with(MARK) || !line.starts_with('#')).unwrap_or_default();
    let cell = telling.split(',').next().unwrap_or_default().trim().trim_matches('"');
    if telling.starts_with(MARK) || cell == "time_seconds" {
        Recognition::Yes
    } else {
        Recognition::No("doesn't start with \"# cotrace-trace 1\" or a column time_seconds")
    }
}

pub(crate) fn read(input: &Input, _: &ReadOptions) -> Result<Trace, ReadError> {
    let mut trace = Trace::default();
    let (rest, first_line) = read_preamble(input, &mut trace)?;
    let mut table = Table::open(input.file, rest, first_line)?;
    let columns = columns(input.file, &table, &mut trace.warnings)?;
    let mut axis = Axis::default();
    let mut series: Vec<Vec<f64>> = vec![Vec::new(); columns.len()];
    while table.next_row()? {
        let seconds =
            parse_number(table.cell(0)).filter(|&seconds| axis::is_plausible(seconds)).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadTime, input.file, "expected seconds from the run's start")
                    .at_line(table.line())
                    .in_column(&table.header[0])
                    .seeing(table.cell(0))
            })?;
        let keep = axis.push(table.line(), seconds, table.cell(0));
        if series.first().is_some_and(|values| values.capacity() == 0) {
            let rows = table.rows_left();
            for values in &mut series {
                values.reserve(rows);
            }
        }
        for ((index, _), values) in columns.iter().zip(&mut series) {
            // Read also where the row is left out: a broken cell is a broken file.
            let value = table.number(*index)?;
            if keep {
                values.push(value);
            }
        }
    }
    trace.time_seconds = axis.finish(input.file, "time_seconds", &mut trace.warnings)?;
    if trace.time_seconds.is_empty() {
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, "no rows below the header"));
    }
    if table.cut_off {
        trace.warnings.push(table.cut_off_warning());
    }
    for ((_, column), values) in columns.into_iter().zip(series) {
        trace.columns.insert(column, values);
    }
    if let [job] = trace.jobs.as_slice() {
        trace.name.clone_from(&job.name);
    }
    Ok(trace)
}

/// The columns that are ours, with their place in the table.
fn columns(
    file: &str,
    table: &Table,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<(usize, Column)>, ReadError> {
    let bad = |problem: &str, column: &str| {
        ReadError::new(ReadErrorKind::BadHeader, file, problem).at_line(table.header_line).seeing(column)
    };
    if table.header.first().is_none_or(|name| name != "time_seconds") {
        let first = table.header.first().map_or("", String::as_str);
        let error = bad("the first column must be time_seconds", first);
        let is_spreadsheets = first.contains([';', '\t']);
        return Err(if is_spreadsheets {
            error.hinting("Put commas between cells and points in numbers.")
        } else {
            error
        });
    }
    let mut seen = BTreeMap::new();
    let mut columns = Vec::new();
    let mut unknown = 0;
    for (index, name) in table.header.iter().enumerate().skip(1) {
        if seen.insert(name, index).is_some() {
            return Err(bad("two columns have the same name", name));
        }
        if let Some(column) = Column::from_header(name) {
            columns.push((index, column));
            continue;
        }
        unknown += 1;
        if unknown <= MOST_UNKNOWN {
            warnings.push(unknown_column(name).at_line(table.header_line));
        }
    }
    warnings.extend(more_unknown_columns(unknown).map(|warning| warning.at_line(table.header_line)));
    if columns.is_empty() {
        return Err(bad("no column holds a metric that Cotrace knows", &table.header.join(","))
            .hinting("The names carry units, for example cpu_cores and memory_bytes."));
    }
    Ok(columns)
}

/// The warning about a column that is none of ours.
pub(crate) fn unknown_column(name: &str) -> Warning {
    Warning::new(WarningKind::ColumnLeftOut, "Not a metric that Cotrace knows: left out.").in_column(name)
}

/// So many columns that are none of ours are named.
pub(crate) const MOST_UNKNOWN: usize = 50;

/// The warning about those of so many that weren't named.
pub(crate) fn more_unknown_columns(unknown: usize) -> Option<Warning> {
    let more = unknown.checked_sub(MOST_UNKNOWN).filter(|more| *more > 0)?;
    let message = format!("{more} more columns are no metric that Cotrace knows: left out.");
    Some(Warning::new(WarningKind::ColumnLeftOut, message))
}

/// Reads the lines that start with `#`. Gives what is after them and its first line.
fn read_preamble<'a>(input: &Input<'a>, trace: &mut Trace) -> Result<(&'a str, u64), ReadError> {
    let mut rest = input.text;
    let mut number = 1;
    while let Some(line) = rest.lines().next() {
        let trimmed = line.trim();
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            break;
        }
        preamble_line(input.file, number, trimmed, trace)?;
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        number += 1;
    }
    Ok((rest, number))
}

fn preamble_line(file: &str, number: u64, line: &str, trace: &mut Trace) -> Result<(), ReadError> {
    let bad = |problem: &str, seen: &str| {
        ReadError::new(ReadErrorKind::BadHeader, file, problem).at_line(number).seeing(seen)
    };
    if let Some(version) = line.strip_prefix(MARK) {
        return match version.trim().parse::<u32>() {
            Ok(version) if version > VERSION => Err(newer(file, version).at_line(number)),
            Ok(VERSION) => Ok(()),
            _ => Err(bad("the version of the trace must be 1", line)),
        };
    }
    let mut words = line.trim_start_matches('#').split_ascii_whitespace();
    match words.next() {
        Some("node") => {
            for word in words {
                let (key, value) = word.split_once('=').ok_or_else(|| bad("expected key=value", word))?;
                let Some(field) = capacity_field(&mut trace.capacity, key) else {
                    let key = crate::error::excerpt(key, 80);
                    let message = format!("Left out {key} of the node: not known here.");
                    trace.warnings.push(Warning::new(WarningKind::Other, message).at_line(number));
                    continue;
                };
                let parsed = parse_number(value).filter(|value| is_capacity(key, *value));
                *field = Some(parsed.ok_or_else(|| bad_number(file, number, key, value))?);
            }
        }
        Some("job") => {
            let mut job = JobSpan { name: String::new(), start_seconds: None, end_seconds: None };
            for word in words {
                let (key, value) = word.split_once('=').ok_or_else(|| {
                    bad("expected key=value", word).hinting("A space in a name is written %20.")
                })?;
                let seconds = || {
                    let seconds = parse_number(value).filter(|seconds| seconds.is_finite());
                    seconds.ok_or_else(|| bad_number(file, number, key, value))
                };
                match key {
                    "name" => {
                        job.name = percent_decode(value).ok_or_else(|| bad("broken %-escape", value))?;
                    }
                    "start_seconds" => job.start_seconds = Some(seconds()?),
                    "end_seconds" => job.end_seconds = Some(seconds()?),
                    _ => {}
                }
            }
            if job.name.is_empty() {
                return Err(bad("the job has no name", line));
            }
            trace.jobs.push(job);
        }
        Some("assumed") => {
            for word in words {
                if !assume(trace, word) {
                    return Err(bad("expected cpu, memory, disk, network or step", word));
                }
            }
        }
        // Comments.
        _ => {}
    }
    Ok(())
}

/// The error about a trace from the future.
pub(crate) fn newer(file: &str, version: u32) -> ReadError {
    let problem = format!("the trace is of version {version}, this Cotrace reads version {VERSION}");
    ReadError::new(ReadErrorKind::NewerVersion, file, problem).hinting("Use a newer Cotrace.")
}

fn bad_number(file: &str, line: u64, key: &str, value: &str) -> ReadError {
    ReadError::new(ReadErrorKind::BadNumber, file, "expected a number that it can be")
        .at_line(line)
        .in_column(key)
        .seeing(value)
        .hinting("Leave it out if it isn't known.")
}

/// The keys of the node line, in the order in which they are written.
const CAPACITY_KEYS: [&str; 4] =
    ["cores", "memory_bytes", "disk_bytes_per_second", "network_bytes_per_second"];

/// Whether `value` can be the capacity called `key`.
pub(crate) fn is_capacity(key: &str, value: f64) -> bool {
    if key == "cores" { is_plausible_cores(value) } else { value > 0.0 && is_plausible(value) }
}

fn capacity_field<'a>(capacity: &'a mut Capacity, key: &str) -> Option<&'a mut Option<f64>> {
    match key {
        "cores" => Some(&mut capacity.cores),
        "memory_bytes" => Some(&mut capacity.memory_bytes),
        "disk_bytes_per_second" => Some(&mut capacity.disk_bytes_per_second),
        "network_bytes_per_second" => Some(&mut capacity.network_bytes_per_second),
        _ => None,
    }
}

/// Notes an assumption by its name. `false`: there is none of this name.
pub(crate) fn assume(trace: &mut Trace, word: &str) -> bool {
    if word == STEP {
        trace.step_assumed = true;
        return true;
    }
    let resource = RESOURCES.iter().find(|(name, _)| *name == word).map(|(_, resource)| *resource);
    resource.is_some_and(|resource| {
        trace.assumed.insert(resource);
        true
    })
}

/// The names of what is assumed in a trace.
pub(crate) fn assumptions(trace: &Trace) -> Vec<&'static str> {
    let resources = RESOURCES.iter().filter(|(_, resource)| trace.assumed.contains(resource));
    resources.map(|(name, _)| *name).chain(trace.step_assumed.then_some(STEP)).collect()
}

/// The assumption that is about no resource.
const STEP: &str = "step";
const RESOURCES: [(&str, Resource); 4] = [
    ("cpu", Resource::Cpu),
    ("memory", Resource::Memory),
    ("disk", Resource::Disk),
    ("network", Resource::Network),
];

/// Writes the canonical CSV. See [`crate::canonical::write_csv`].
pub(crate) fn write(trace: &Trace, mut out: impl io::Write) -> io::Result<()> {
    check_writable(trace)?;
    writeln!(out, "{MARK} {VERSION}")?;
    let mut capacity = trace.capacity;
    let mut node = String::new();
    for key in ["cores", "memory_bytes", "disk_bytes_per_second", "network_bytes_per_second"] {
        if let Some(value) = capacity_field(&mut capacity, key).and_then(|field| *field) {
            node.push(' ');
            node.push_str(key);
            node.push('=');
            node.push_str(&value.to_string());
        }
    }
    if !node.is_empty() {
        writeln!(out, "# node{node}")?;
    }
    let assumed = assumptions(trace);
    if !assumed.is_empty() {
        writeln!(out, "# assumed {}", assumed.join(" "))?;
    }
    for job in &trace.jobs {
        write!(out, "# job name={}", percent_encode(&job.name))?;
        for (key, value) in [("start_seconds", job.start_seconds), ("end_seconds", job.end_seconds)] {
            if let Some(value) = value {
                write!(out, " {key}={value}")?;
            }
        }
        writeln!(out)?;
    }
    let mut table = csv::Writer::from_writer(out);
    table.write_field("time_seconds")?;
    for column in trace.columns.keys() {
        table.write_field(column.header())?;
    }
    table.write_record(None::<&[u8]>)?;
    for (row, seconds) in trace.time_seconds.iter().enumerate() {
        table.write_field(seconds.to_string())?;
        for values in trace.columns.values() {
            let value = values[row];
            table.write_field(if value.is_finite() { value.to_string() } else { String::new() })?;
        }
        table.write_record(None::<&[u8]>)?;
    }
    table.flush()
}

/// Whether what would be written could be read again.
pub(crate) fn check_writable(trace: &Trace) -> io::Result<()> {
    let bad = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let mut last = f64::NEG_INFINITY;
    for (row, &seconds) in trace.time_seconds.iter().enumerate() {
        if !axis::is_plausible(seconds) || seconds <= last {
            return bad(format!("time_seconds must rise from 0, but is {seconds} in row {row}"));
        }
        last = seconds;
    }
    for (column, values) in &trace.columns {
        if values.len() != trace.time_seconds.len() {
            let (have, want) = (values.len(), trace.time_seconds.len());
            return bad(format!("{} has {have} values for {want} times", column.header()));
        }
        if let Some(value) = values.iter().find(|value| value.is_finite() && !is_plausible(**value)) {
            return bad(format!("{} can't be {value}", column.header()));
        }
        if Column::from_header(&column.header()).as_ref() != Some(column) {
            return bad(format!("{} can't be a column's name", column.header()));
        }
    }
    let mut capacity = trace.capacity;
    for key in CAPACITY_KEYS {
        let value = capacity_field(&mut capacity, key).and_then(|field| *field);
        if let Some(value) = value.filter(|value| !is_capacity(key, *value)) {
            return bad(format!("{key} of the node can't be {value}"));
        }
    }
    for job in &trace.jobs {
        if job.name.is_empty() {
            return bad("a job has no name".to_owned());
        }
        if [job.start_seconds, job.end_seconds].into_iter().flatten().any(|seconds| !is_plausible(seconds)) {
            return bad(format!("the start or end of job {} is no number", job.name));
        }
    }
    Ok(())
}

/// Escapes what would end a word: white space, control characters, and the escape itself.
fn percent_encode(name: &str) -> String {
    let mut out = String::new();
    let mut buffer = [0; 4];
    for c in name.chars() {
        if c == '%' || c.is_whitespace() || c.is_control() {
            out.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
    }
    out
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
