//! What a tool measured, sample by sample, on its way to becoming a trace.
//!
//! A format's reader says what it finds: at this time, this signal, of this device, in this unit. What formats have
//! in common is done here, once: time (midnight, repeated stamps, several passes over it), counters that become
//! rates, devices that must not count twice, memory without the page cache, percentages that become cores, and where
//! each metric came from.
//!
//! ```text
//! let mut recorder = Recorder::new(input.file, options);
//! let read = recorder.field(Signal::DiskRead, "rkB/s", Unit::KIB_PER_SECOND);
//! recorder.sample(line, stamp, seen);       // opens a sample
//! recorder.put_of(read, "sda", 12.5);       // values belong to the open sample
//! recorder.finish()
//! ```

mod cpu;
mod devices;
mod memory;
mod signal;
#[cfg(test)]
mod tests;
mod timeline;

use std::collections::{HashMap, HashSet};

pub(crate) use devices::{disks, interfaces, is_disk_name, is_interface_name};
pub(crate) use signal::{Scale, Signal, Unit};

use self::timeline::Timeline;
use crate::formats::clock::Stamp;
use crate::trace::is_plausible_cores;
use crate::{Capacity, Column, Metric, ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// A value beyond this is a mistake, in whatever unit.
const MAX_RAW_VALUE: f64 = 1e20;
/// The step of a file that says no times.
const ASSUMED_STEP_SECONDS: f64 = 1.0;
/// The most devices that are told apart.
const MOST_DEVICES: usize = 10_000;
/// The most bytes of series for each byte of text, and the least at which this is looked at.
const MOST_BYTES_PER_BYTE: usize = 8;
const SMALL_BYTES: usize = 16 << 20;

/// A series of a file: a signal, the file's name for it, its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldId(usize);

struct Field {
    signal: Signal,
    source: String,
    unit: Unit,
    is_counter: bool,
    series: Vec<Series>,
    /// Where the series of a device is.
    by_device: HashMap<u32, usize>,
    /// The series after the one last used: devices come in the same order each time.
    next: usize,
}

impl Field {
    /// The file's name, its unit, and whether it counts up.
    fn described(&self) -> String {
        let mut source = self.source.clone();
        if !self.unit.name.is_empty() {
            source.push_str(&format!(" ({})", self.unit.name));
        }
        if self.is_counter {
            source.push_str(", change over time");
        }
        source
    }
}

/// The values of one device, or of the node if it has none.
struct Series {
    device: Option<u32>,
    rows: Rows,
    values: Vec<f64>,
}

/// Which rows the values of a series are in.
enum Rows {
    /// This one and those after it.
    From(u32),
    /// These.
    Listed(Vec<u32>),
}

impl Series {
    /// Puts a value into a row. `false`: there is one already.
    fn put(&mut self, row: u32, value: f64) -> bool {
        let (last, next) = match &self.rows {
            Rows::From(first) => (None, first + self.values.len() as u32),
            Rows::Listed(rows) => (rows.last().copied(), 0),
        };
        match &mut self.rows {
            Rows::From(_) if row == next => {}
            Rows::From(first) if (*first..next).contains(&row) => return false,
            Rows::From(first) => {
                let rows = (*first..next).chain([row]).collect();
                self.rows = Rows::Listed(rows);
            }
            Rows::Listed(_) if last == Some(row) => return false,
            // Times may come out of order in a later pass; what is there twice shows when they are sorted.
            Rows::Listed(rows) => rows.push(row),
        }
        self.values.push(value);
        true
    }

    fn is_in_order(&self) -> bool {
        match &self.rows {
            Rows::From(_) => true,
            Rows::Listed(rows) => rows.is_sorted(),
        }
    }

    /// The row of each value.
    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        let (from, listed) = match &self.rows {
            Rows::From(first) => (*first..first + self.values.len() as u32, [].as_slice()),
            Rows::Listed(rows) => (0..0, rows.as_slice()),
        };
        from.chain(listed.iter().copied())
    }
}

/// Collects what a file says. See the [module](self).
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Recorder<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    text_bytes: usize,
    fields: Vec<Field>,
    devices: Vec<String>,
    device_ids: HashMap<String, u32>,
    has_too_many_devices: bool,
    timeline: Timeline,
    row: Option<u32>,
    row_is_repeated: bool,
    repeated: usize,
    first_repeated: Option<u64>,
    line: u64,
    cores: Vec<(u32, f64)>,
    untimed: bool,
    is_elapsed: bool,
    adds_up: bool,
    steps: u32,
    /// Seconds from one sample to the next, as the file says.
    said_step: Option<f64>,
    /// Percentages of CPU time are what they are, not counts of clock ticks.
    is_grainless: bool,
    /// What the file says the node has, but for the cores: see [`Recorder::cores`].
    pub(crate) capacity: Capacity,
    /// What the reader noticed.
    pub(crate) warnings: Vec<Warning>,
}

impl<'a> Recorder<'a> {
    /// For the file called `file` with so many bytes of text.
    pub(crate) fn new(file: &'a str, text: &str, options: &'a ReadOptions) -> Recorder<'a> {
        Recorder {
            file,
            options,
            text_bytes: text.len(),
            fields: Vec::new(),
            devices: Vec::new(),
            device_ids: HashMap::new(),
            has_too_many_devices: false,
            timeline: Timeline::default(),
            row: None,
            row_is_repeated: false,
            repeated: 0,
            first_repeated: None,
            line: 0,
            cores: Vec::new(),
            untimed: false,
            is_elapsed: false,
            adds_up: false,
            steps: 0,
            said_step: None,
            is_grainless: false,
            capacity: Capacity::default(),
            warnings: Vec::new(),
        }
    }

    /// A series of values that are what they are at the time, or means since the sample before.
    /// `source` is the file's own name for it. The same again gives the same field.
    pub(crate) fn field(&mut self, signal: Signal, source: &str, unit: Unit) -> FieldId {
        self.add_field(signal, source, unit, false)
    }

    /// A series of values that count up from some start: their rate is taken.
    pub(crate) fn counter(&mut self, signal: Signal, source: &str, unit: Unit) -> FieldId {
        self.add_field(signal, source, unit, true)
    }

    fn add_field(&mut self, signal: Signal, source: &str, unit: Unit, is_counter: bool) -> FieldId {
        let same = |field: &Field| {
            field.signal == signal
                && field.source == source
                && field.unit == unit
                && field.is_counter == is_counter
        };
        FieldId(self.fields.iter().position(same).unwrap_or_else(|| {
            let (source, by_device) = (source.to_owned(), HashMap::new());
            self.fields.push(Field {
                signal,
                source,
                unit,
                is_counter,
                series: Vec::new(),
                by_device,
                next: 0,
            });
            self.fields.len() - 1
        }))
    }

    /// From here on the file goes over time again: the next sample may be earlier than the last one.
    pub(crate) fn pass(&mut self) {
        self.timeline.pass();
        self.row = None;
    }

    /// The date of the clock times to come, in days since 1970.
    pub(crate) fn date(&mut self, days: f64) {
        self.timeline.date(days);
    }

    /// The time from which the first sample of this pass speaks, where the file says it: of a sample that is an
    /// average since boot, of a header. Later ones in the same pass are ignored.
    pub(crate) fn start(&mut self, stamp: Stamp) {
        self.timeline.start(stamp);
    }

    /// Opens a sample, or goes on with the last one if its time is the same. `false`: it must be left out, for the
    /// clock went back; what is put is lost.
    pub(crate) fn sample(&mut self, line: u64, stamp: Stamp, seen: &str) -> bool {
        self.row = self.timeline.sample(line, stamp, seen);
        self.row_is_repeated = false;
        self.line = line;
        self.row.is_some()
    }

    /// Opens a sample at so many seconds since the run began, whenever that was.
    pub(crate) fn elapsed(&mut self, line: u64, seconds: f64, seen: &str) -> bool {
        self.is_elapsed = true;
        self.sample(line, Stamp { seconds, dated: true }, seen)
    }

    /// From here on all fields of one signal are added up, whatever they are called: the reader has seen to it that
    /// nothing counts twice. They must be of the same [`Scale`]; those that aren't of the first one's are left out.
    pub(crate) fn add_up(&mut self) {
        self.adds_up = true;
    }

    /// Opens a sample of a file that says no times: one step after the last one.
    pub(crate) fn step(&mut self, line: u64) {
        if !self.untimed {
            self.untimed = true;
            self.timeline.start(Stamp { seconds: 0.0, dated: true });
        }
        self.steps += 1;
        let seconds = f64::from(self.steps) * self.step_seconds();
        self.sample(line, Stamp { seconds, dated: true }, "");
    }

    /// Leaves a step out of a file that says no times.
    pub(crate) fn skip_step(&mut self) {
        self.steps += 1;
        self.row = None;
    }

    /// The file says that there are so many seconds from one sample to the next, of which it says no times.
    pub(crate) fn said_step(&mut self, seconds: f64) {
        if (1e-3..=1e6).contains(&seconds) {
            self.said_step = Some(seconds);
        }
    }

    /// The file's percentages of CPU time are no counts of clock ticks: they don't give away the number of cores.
    pub(crate) fn grainless(&mut self) {
        self.is_grainless = true;
    }

    fn step_seconds(&self) -> f64 {
        self.stated_step().or(self.said_step).unwrap_or(ASSUMED_STEP_SECONDS)
    }

    fn stated_step(&self) -> Option<f64> {
        self.options.step_seconds.filter(|step| *step > 0.0 && *step <= 1e6)
    }

    /// The number of samples so far.
    pub(crate) fn samples(&self) -> usize {
        self.timeline.len()
    }

    /// From the next sample on the node has so many cores.
    pub(crate) fn cores(&mut self, cores: f64) {
        if is_plausible_cores(cores) && self.cores.last().is_none_or(|(_, last)| *last != cores) {
            // Several passes say the same changes again.
            let row = self.row.map_or(0, |row| row + 1);
            if self.cores.iter().all(|(from, _)| *from < row) || self.cores.is_empty() {
                self.cores.push((row, cores));
            }
        }
    }

    /// Puts a value of the node into the open sample.
    pub(crate) fn put(&mut self, field: FieldId, value: f64) {
        self.put_series(field, None, value);
    }

    /// Puts the value of a device into the open sample.
    pub(crate) fn put_of(&mut self, field: FieldId, device: &str, value: f64) {
        let Some(known) = self.fields.get(field.0) else { return };
        // Most often it is the device after the last one.
        let expected = known.series.get(known.next).and_then(|series| series.device);
        let device = if let Some(id) = expected.filter(|id| self.devices[*id as usize] == device) {
            id
        } else if let Some(&id) = self.device_ids.get(device) {
            id
        } else if self.devices.len() >= MOST_DEVICES {
            self.has_too_many_devices = true;
            return;
        } else {
            let id = self.devices.len() as u32;
            self.devices.push(device.to_owned());
            self.device_ids.insert(device.to_owned(), id);
            id
        };
        self.put_series(field, Some(device), value);
    }

    fn put_series(&mut self, field: FieldId, device: Option<u32>, value: f64) {
        let (Some(row), Some(field)) = (self.row, self.fields.get_mut(field.0)) else {
            return;
        };
        let key = device.unwrap_or(u32::MAX);
        let index = if field.series.get(field.next).is_some_and(|series| series.device == device) {
            field.next
        } else if let Some(&index) = field.by_device.get(&key) {
            index
        } else {
            field.by_device.insert(key, field.series.len());
            field.series.push(Series { device, rows: Rows::From(row), values: Vec::new() });
            field.series.len() - 1
        };
        field.next = if index + 1 < field.series.len() { index + 1 } else { 0 };
        let value = if value.abs() <= MAX_RAW_VALUE { value } else { f64::NAN };
        if !field.series[index].put(row, value) && !self.row_is_repeated {
            self.row_is_repeated = true;
            self.repeated += 1;
            self.first_repeated.get_or_insert(self.line);
        }
    }

    /// Makes a trace of it all.
    ///
    /// # Errors
    /// [`ReadError`] if there are too few samples, if time runs backwards, or if nothing was measured.
    pub(crate) fn finish(mut self) -> Result<Trace, ReadError> {
        if let Some(line) = self.first_repeated {
            let rows =
                if self.repeated == 1 { "1 row".to_owned() } else { format!("{} rows", self.repeated) };
            let message = format!("Left out {rows} with the same time as the row before.");
            self.warnings.push(Warning::new(WarningKind::RepeatedTime, message).at_line(line));
        }
        if self.has_too_many_devices {
            let problem = format!("more than {MOST_DEVICES} devices in it");
            return Err(ReadError::new(ReadErrorKind::TooLarge, self.file, problem)
                .hinting("Record those of the node only."));
        }
        let step = self.stated_step();
        let times = std::mem::take(&mut self.timeline).finish(self.file, step, &mut self.warnings)?;
        let cells = times.seconds.len().saturating_mul(self.fields.len());
        if cells > SMALL_BYTES.max(self.text_bytes.saturating_mul(MOST_BYTES_PER_BYTE)) / size_of::<f64>() {
            return Err(ReadError::new(
                ReadErrorKind::TooLarge,
                self.file,
                "its figures hardly share a time",
            )
            .hinting("Record them all at the same times."));
        }
        let mut trace = Trace {
            capacity: self.capacity,
            warnings: std::mem::take(&mut self.warnings),
            start_unix_seconds: times
                .dated
                .then_some(times.origin)
                .filter(|_| !(self.untimed || self.is_elapsed)),
            step_assumed: self.untimed && self.options.step_seconds.is_none() && self.said_step.is_none(),
            time_seconds: times.seconds,
            ..Trace::default()
        };
        if trace.step_assumed {
            let message = format!(
                "The file says no times: {ASSUMED_STEP_SECONDS} s from one sample to the next is assumed."
            );
            let hint = "Say how many seconds it was.";
            trace.warnings.push(Warning::new(WarningKind::StepAssumed, message).hinting(hint));
        }
        let mut sums = Sums { recorder: self, moved: times.moved, resets: 0 };
        sums.cpu(&mut trace);
        sums.memory(&mut trace);
        sums.disks(&mut trace);
        sums.network(&mut trace);
        sums.others(&mut trace);
        if sums.resets > 0 {
            let times = if sums.resets == 1 { "once".to_owned() } else { format!("{} times", sums.resets) };
            let message = format!("A counter started anew {times}: what happened in that step is not known.");
            trace.warnings.push(Warning::new(WarningKind::CounterReset, message));
        }
        if trace.columns.is_empty() {
            return Err(ReadError::new(
                ReadErrorKind::BadHeader,
                self_file(&sums),
                "no figure in it that Cotrace can use",
            )
            .hinting("Record at least CPU."));
        }
        Ok(trace)
    }
}

fn self_file<'a>(sums: &Sums<'a>) -> &'a str {
    sums.recorder.file
}

/// The recorder, once times are in order.
struct Sums<'a> {
    recorder: Recorder<'a>,
    moved: Option<Vec<u32>>,
    resets: usize,
}

/// A signal of the whole node, in its base unit.
struct Total {
    /// `[time]`, `NaN` where it isn't known.
    values: Vec<f64>,
    /// The file's name, its unit, the devices.
    source: String,
    scale: Scale,
}

impl Sums<'_> {
    /// The sum of a signal over devices, from the first field that has it. `choose` picks the devices by their
    /// names; fields with devices go before fields without. `None`: the file doesn't have it.
    fn total(
        &mut self,
        trace: &Trace,
        signal: Signal,
        choose: impl Fn(&[&str]) -> Vec<usize>,
    ) -> Option<Total> {
        let mut fields: Vec<usize> = (0..self.recorder.fields.len())
            .filter(|&index| {
                let field = &self.recorder.fields[index];
                field.signal == signal && !field.series.is_empty()
            })
            .collect();
        if self.recorder.adds_up {
            return self.sum_of_fields(trace, &fields);
        }
        fields.sort_by_key(|&index| {
            self.recorder.fields[index].series.iter().all(|series| series.device.is_none())
        });
        for index in fields {
            let field = &self.recorder.fields[index];
            let of_devices: Vec<&Series> =
                field.series.iter().filter(|series| series.device.is_some()).collect();
            let names: Vec<&str> = of_devices
                .iter()
                .filter_map(|series| Some(self.recorder.devices[series.device? as usize].as_str()))
                .collect();
            let chosen = choose(&names);
            let mut series: Vec<&Series> = chosen.iter().map(|&index| of_devices[index]).collect();
            if names.is_empty() {
                series = field.series.iter().collect();
            }
            if series.is_empty() {
                continue;
            }
            let mut sum = vec![f64::NAN; trace.time_seconds.len()];
            let mut resets = 0;
            for series in series {
                self.add(field, series, &trace.time_seconds, &mut sum, &mut resets);
            }
            let mut source = field.described();
            if !names.is_empty() {
                source.push_str(&format!(" of {}", listed(chosen.iter().map(|&index| names[index]))));
                if chosen.len() < names.len() {
                    let taken: HashSet<usize> = chosen.iter().copied().collect();
                    let left: Vec<&str> = (0..names.len())
                        .filter(|index| !taken.contains(index))
                        .map(|index| names[index])
                        .collect();
                    source.push_str(&format!(", without {}", listed(left.into_iter())));
                }
            }
            let scale = field.unit.scale;
            self.resets += resets;
            return Some(Total { values: sum, source, scale });
        }
        None
    }

    /// The sum over all series of these fields.
    fn sum_of_fields(&mut self, trace: &Trace, fields: &[usize]) -> Option<Total> {
        let scale = self.recorder.fields[*fields.first()?].unit.scale;
        let mut sum = vec![f64::NAN; trace.time_seconds.len()];
        let (mut resets, mut sources) = (0, Vec::new());
        for field in fields.iter().map(|&index| &self.recorder.fields[index]) {
            if field.unit.scale == scale {
                for series in &field.series {
                    self.add(field, series, &trace.time_seconds, &mut sum, &mut resets);
                }
                sources.push(field.described());
            }
        }
        self.resets += resets;
        Some(Total { values: sum, source: listed_with(sources.iter().map(String::as_str), " + "), scale })
    }

    /// Adds a series. A device that has no row at a time wasn't there and adds nothing; a value that isn't known
    /// makes the sum unknown.
    fn add(&self, field: &Field, series: &Series, times: &[f64], sum: &mut [f64], resets: &mut usize) {
        let mut before: Option<(f64, f64)> = None;
        let mut add = |row: usize, value: f64| {
            let value = if field.is_counter {
                let rate = match before {
                    Some((time, last)) if value < last => {
                        *resets += 1;
                        let _ = time;
                        f64::NAN
                    }
                    Some((time, last)) => (value - last) / (times[row] - time),
                    None => f64::NAN,
                };
                if !value.is_nan() {
                    before = Some((times[row], value));
                }
                rate
            } else {
                value
            };
            let known = sum[row];
            let value = value * field.unit.factor;
            // `NaN` with this bit pattern is "nothing put here yet".
            sum[row] = if known.to_bits() == f64::NAN.to_bits() {
                if value.is_nan() { UNKNOWN } else { value }
            } else if known.is_nan() || value.is_nan() {
                UNKNOWN
            } else {
                known + value
            };
        };
        let moved = |row: u32| match &self.moved {
            None => row as usize,
            Some(moved) => moved[row as usize] as usize,
        };
        if self.moved.is_none() && series.is_in_order() {
            series.rows().zip(&series.values).for_each(|(row, &value)| add(row as usize, value));
        } else {
            let mut points: Vec<(usize, f64)> =
                series.rows().map(moved).zip(series.values.iter().copied()).collect();
            points.sort_by_key(|(row, _)| *row);
            points.dedup_by_key(|(row, _)| *row);
            for (row, value) in points {
                add(row, value);
            }
        }
    }

    /// A signal of the whole node: the sum of all its devices, if it has any.
    fn all(&mut self, trace: &Trace, signal: Signal) -> Option<Total> {
        self.total(trace, signal, |names| (0..names.len()).collect())
    }

    fn disks(&mut self, trace: &mut Trace) {
        for (signal, metric) in [
            (Signal::DiskRead, Metric::DiskReadBytesPerSecond),
            (Signal::DiskWrite, Metric::DiskWriteBytesPerSecond),
        ] {
            if let Some(total) = self.total(trace, signal, devices::disks) {
                put(trace, metric, total);
            }
        }
    }

    fn network(&mut self, trace: &mut Trace) {
        for (signal, metric) in [
            (Signal::NetworkReceive, Metric::NetworkReceiveBytesPerSecond),
            (Signal::NetworkTransmit, Metric::NetworkTransmitBytesPerSecond),
        ] {
            if let Some(total) = self.total(trace, signal, devices::interfaces) {
                put(trace, metric, total);
            }
        }
        // What one process sends over loopback another receives: one direction is all of it.
        let loopback = |names: &[&str]| {
            (0..names.len()).filter(|&index| devices::is_loopback(names[index])).collect::<Vec<_>>()
        };
        let of_lo = self.total(trace, Signal::Loopback, |names| (0..names.len()).collect());
        let of_lo = of_lo.or_else(|| {
            let has_devices = self.recorder.fields.iter().any(|field| {
                field.signal == Signal::NetworkReceive && field.series.iter().any(|s| s.device.is_some())
            });
            if has_devices {
                self.total(trace, Signal::NetworkReceive, loopback)
                    .filter(|total| total.source.contains(" of "))
            } else {
                None
            }
        });
        if let Some(total) = of_lo {
            put(trace, Metric::LoopbackBytesPerSecond, total);
            if trace.node(Metric::NetworkReceiveBytesPerSecond).is_none()
                && trace.node(Metric::NetworkTransmitBytesPerSecond).is_none()
            {
                trace.warnings.push(Warning::new(
                    WarningKind::NetworkUnknown,
                    "The only network device in the file is loopback (lo): what went over the wire is not known.",
                ));
            }
        }
    }

    fn others(&mut self, trace: &mut Trace) {
        for (signal, metric) in [
            (Signal::ContextSwitches, Metric::ContextSwitchesPerSecond),
            (Signal::CpuPressure, Metric::CpuPressureRatio),
            (Signal::IoPressure, Metric::IoPressureRatio),
            (Signal::MemoryPressure, Metric::MemoryPressureRatio),
            (Signal::Power, Metric::PowerWatts),
            (Signal::MemoryBandwidth, Metric::MemoryBandwidthBytesPerSecond),
            (Signal::CacheOccupancy, Metric::CacheOccupancyBytes),
        ] {
            if let Some(total) = self.all(trace, signal) {
                put(trace, metric, total);
            }
        }
    }
}

/// A value that isn't known, apart from "nothing put here yet" ([`f64::NAN`]).
const UNKNOWN: f64 = f64::from_bits(f64::NAN.to_bits() | 1);

fn put(trace: &mut Trace, metric: Metric, total: Total) {
    put_values(trace, metric, total.values, total.source);
}

/// A column of the node, if any value of it is known.
fn put_values(trace: &mut Trace, metric: Metric, values: Vec<f64>, source: String) {
    if values.iter().any(|value| !value.is_nan()) {
        trace.columns.insert(Column::node(metric), values);
        trace.provenance.insert(Column::node(metric), source);
    }
}

/// Names, the first few of them.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    listed_with(names, ", ")
}

fn listed_with<'a>(names: impl ExactSizeIterator<Item = &'a str>, between: &str) -> String {
    const SHOWN: usize = 6;
    const LONGEST: usize = 120;
    let more = names.len().saturating_sub(SHOWN);
    let mut text =
        names.take(SHOWN).map(|name| crate::error::excerpt(name, LONGEST)).collect::<Vec<_>>().join(between);
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// What can't be below zero but for rounding. Unknown stays unknown, which `f64::max` would make a zero.
fn at_least_zero(value: f64) -> f64 {
    if value < 0.0 { 0.0 } else { value }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut known: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if known.is_empty() {
        return None;
    }
    let middle = known.len() / 2;
    Some(*known.select_nth_unstable_by(middle, f64::total_cmp).1)
}
