//! A CSV with sar's columns side by side: one row a sample with the clock time, CPU, disk, memory, network, and
//! sar's own names (`%user`, `rd_sec/s`, `kbmemused`, …). Scripts make such files from sar's reports.
//!
//! The clock has no date, so that a run over midnight shows as a step back by a day. The first row speaks of one
//! sample's time before it, as sar prints a sample when its time is over. Rows of several processors, disks or network
//! devices may share a time.

use super::clock::{self, Stamp};
use super::sar_report::Cores;
use super::table::Table;
use super::{Input, Recognition, lines, sar_names};
use crate::record::{FieldId, Recorder, Scale, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace};

/// Names of the column with the time.
const TIME: &[&str] = &["timestamp", "time", "Time"];
/// Names of a column with the date, where the time doesn't have it.
const DATE: &[&str] = &["date", "Date"];
/// The columns with the processor, the network device and the disk of the row.
const DEVICES: [&str; 3] = ["CPU", "IFACE", "DEV"];

/// What is between cells: semicolons and tabs let numbers have a comma for decimals.
fn delimiter(header: &str) -> u8 {
    [b';', b'\t'].into_iter().find(|byte| header.as_bytes().contains(byte)).unwrap_or(b',')
}

pub(crate) fn recognise(head: &str) -> Recognition {
    let header = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let delimiter = char::from(delimiter(header));
    let names: Vec<&str> = header.split(delimiter).map(|cell| cell.trim().trim_matches('"')).collect();
    let has = |wanted: &[&str]| wanted.iter().any(|name| names.contains(name));
    if has(TIME) && has(&["%user", "%usr"]) && has(&["%system", "%sys"]) {
        Recognition::Yes
    } else {
        Recognition::No("the first line has no columns timestamp, %user and %system")
    }
}

/// Where the figures of a column go.
struct Figure {
    column: usize,
    field: FieldId,
    /// For a single processor.
    of_core: Option<FieldId>,
    /// Which of [`DEVICES`] it is of.
    device: Option<usize>,
}

/// The figures in the table, with the places of its devices' names.
fn figures(table: &Table, devices: [Option<usize>; 3], recorder: &mut Recorder) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (column, name) in table.header.iter().enumerate() {
        // The first of two columns of the same name, and of two names for the same.
        let Some((signal, unit)) = sar_names::signal(name).filter(|_| table.column(name) == Some(column)) else {
            continue;
        };
        let device = match signal {
            _ if unit.scale == Scale::OfNode => Some(0),
            Signal::NetworkReceive | Signal::NetworkTransmit => Some(1),
            // Those of all disks together are besides.
            Signal::DiskRead | Signal::DiskWrite if !name.starts_with('b') => Some(2),
            _ => None,
        };
        let device = device.filter(|index| devices[*index].is_some());
        let of_core = (device == Some(0)).then(|| recorder.field(signal, name, Unit::PERCENT_OF_CORE));
        figures.push(Figure { column, field: recorder.field(signal, name, unit), of_core, device });
    }
    figures
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let first_line = input.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let delimiter = delimiter(first_line);
    let mut table = Table::open_with(input.file, input.text, 1, delimiter)?;
    let Some(time) = TIME.iter().find_map(|name| table.column(name)) else {
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, "no column timestamp")
            .at_line(table.header_line)
            .seeing(&table.header.join(",")));
    };
    let mut recorder = Recorder::new(input.file, input.text, options);
    let date = DATE.iter().find_map(|name| table.column(name));
    let devices = DEVICES.map(|name| table.column(name));
    let figures = figures(&table, devices, &mut recorder);
    let rows_of_cores = if devices[0].is_some() { input.text } else { "" };
    let mut cores = Cores::new(rows_of_cores, |line| {
        line.split([',', ';', '\t']).any(|cell| matches!(cell.trim().trim_matches('"'), "all" | "-1"))
    });
    let mut last: Option<Stamp> = None;
    let (mut names, mut last_names) = ([const { String::new() }; 3], [const { String::new() }; 3]);
    while table.next_row()? {
        let cell = table.cell(time);
        // Reports put together repeat the header and end with averages.
        if *cell == table.header[time] || cell.starts_with("Average") {
            continue;
        }
        let mut stamp = clock::stamp(cell).ok_or_else(|| {
            ReadError::new(ReadErrorKind::BadTime, input.file, "expected a time of day such as 13:05:09")
                .at_line(table.line())
                .in_column(&table.header[time])
                .seeing(cell)
        })?;
        if let Some(days) = date.filter(|_| !stamp.dated).and_then(|date| sure_date(table.cell(date))) {
            stamp = Stamp { seconds: days * clock::DAY_SECONDS + stamp.seconds, dated: true };
        }
        recorder.sample(table.line(), stamp, cell);
        for (name, column) in names.iter_mut().zip(devices) {
            name.clear();
            name.push_str(column.map_or("", |column| table.cell(column)));
        }
        // Another device's row of the same time says the node's figures again.
        let is_again = last == Some(stamp) && names != last_names;
        last = Some(stamp);
        let core = names[0].as_str();
        let is_single = !matches!(core, "" | "all" | "-1");
        if is_single && !(is_again && core == last_names[0]) && !cores.count(core) {
            last_names.clone_from(&names);
            continue;
        }
        for figure in &figures {
            let is_same = figure.device.is_none_or(|device| names[device] == last_names[device]);
            if is_again && is_same {
                continue;
            }
            let value = number(&table, figure.column, delimiter)?;
            match (figure.device, figure.of_core) {
                (Some(0), Some(of_core)) if is_single => recorder.put_of(of_core, core, value),
                (Some(0) | None, _) => recorder.put(figure.field, value),
                (Some(device), _) => recorder.put_of(figure.field, &names[device], value),
            }
        }
        last_names.clone_from(&names);
    }
    if table.cut_off {
        recorder.warnings.push(table.cut_off_warning());
    }
    recorder.finish()
}

/// A date whose order of day and month is beyond doubt.
fn sure_date(text: &str) -> Option<f64> {
    let is_sure = text.contains('.') || text.bytes().take_while(u8::is_ascii_digit).count() == 4;
    clock::date(text).filter(|_| is_sure)
}

/// The number in a cell, which may have its unit with it: `12.5%`.
fn number(table: &Table, column: usize, delimiter: u8) -> Result<f64, ReadError> {
    // Nearly all of them.
    if let Some(value) = table.plain_number(column) {
        return Ok(value);
    }
    let cell = table.cell(column);
    if let Some(digits) = cell.strip_suffix('%')
        && let Some(value) = lines::number(digits.trim_end())
    {
        return Ok(value);
    }
    match lines::number(cell).filter(|_| delimiter != b',') {
        Some(value) => Ok(value),
        None => table.raw_number(column),
    }
}
