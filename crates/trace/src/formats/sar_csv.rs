//! A CSV with sar's columns side by side: one row a sample with the clock time, CPU, disk, memory, network, and
//! sar's own names (`%user`, `rd_sec/s`, `kbmemused`, …). Scripts make such files from sar's reports.
//!
//! The clock has no date, so that a run over midnight shows as a step back by a day. The first row speaks of one
//! sample's time before it, as sar prints a sample when its time is over.

use super::table::Table;
use super::{Input, Recognition, clock, sar_names};
use crate::record::{FieldId, Recorder, Signal};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace};

/// Names of the column with the time.
const TIME: &[&str] = &["timestamp", "time", "Time"];
/// The column with the network device of the row.
const INTERFACE: &str = "IFACE";

pub(crate) fn recognise(head: &str) -> Recognition {
    let header = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let names: Vec<&str> = header.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
    let has = |wanted: &[&str]| wanted.iter().any(|name| names.contains(name));
    if has(TIME) && has(&["%user", "%usr"]) && has(&["%system", "%sys"]) {
        Recognition::Yes
    } else {
        Recognition::No("the first line has no columns timestamp, %user and %system")
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut table = Table::open(input.file, input.text, 1)?;
    let Some(time) = TIME.iter().find_map(|name| table.column(name)) else {
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, "no column timestamp")
            .at_line(table.header_line)
            .seeing(&table.header.join(",")));
    };
    let mut recorder = Recorder::new(input.file, input.text, options);
    let interface = table.column(INTERFACE);
    let mut fields: Vec<(usize, FieldId, bool)> = Vec::new();
    for (index, name) in table.header.iter().enumerate() {
        // The first of two columns of the same name, and of two names for the same.
        if let Some((signal, unit)) = sar_names::signal(name)
            && table.column(name) == Some(index)
        {
            let is_network = matches!(signal, Signal::NetworkReceive | Signal::NetworkTransmit);
            fields.push((index, recorder.field(signal, name, unit), is_network && interface.is_some()));
        }
    }
    while table.next_row()? {
        let cell = table.cell(time);
        // Reports put together repeat the header and end with averages.
        if *cell == table.header[time] || cell.starts_with("Average") {
            continue;
        }
        let stamp = clock::stamp(cell).ok_or_else(|| {
            ReadError::new(ReadErrorKind::BadTime, input.file, "expected a time of day such as 13:05:09")
                .at_line(table.line())
                .in_column(&table.header[time])
                .seeing(cell)
        })?;
        recorder.sample(table.line(), stamp, cell);
        for &(index, field, is_network) in &fields {
            let value = table.raw_number(index)?;
            match interface.filter(|_| is_network) {
                Some(interface) => recorder.put_of(field, table.cell(interface), value),
                None => recorder.put(field, value),
            }
        }
    }
    if table.cut_off {
        recorder.warnings.push(table.cut_off_warning());
    }
    recorder.finish()
}
