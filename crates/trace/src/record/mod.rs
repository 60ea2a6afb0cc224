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
mod series;
mod signal;
mod sums;
#[cfg(test)]
mod tests;
mod timeline;

use std::collections::{BTreeSet, HashMap};

pub(crate) use devices::{disks, interfaces, is_disk_name, is_interface_name};
pub(crate) use series::FieldId;
pub(crate) use signal::{Scale, Signal, Unit};

use self::series::{Field, Rows, Series};
use self::sums::Sums;
use self::timeline::Timeline;
use crate::formats::clock::Stamp;
use crate::trace::is_plausible_cores;
use crate::{Capacity, ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// A value beyond this is a mistake, in whatever unit.
const MAX_RAW_VALUE: f64 = 1e20;
/// The step of a file that says no times.
const ASSUMED_STEP_SECONDS: f64 = 1.0;
/// The most devices that are told apart.
const MOST_DEVICES: usize = 10_000;
/// The most bytes of series for each byte of text, and the least at which this is looked at.
const MOST_BYTES_PER_BYTE: usize = 8;
const SMALL_BYTES: usize = 16 << 20;

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
        let mut sums = Sums { recorder: self, moved: times.moved, resets: BTreeSet::new() };
        sums.cpu(&mut trace);
        sums.memory(&mut trace);
        sums.disks(&mut trace);
        sums.network(&mut trace);
        sums.others(&mut trace);
        if !sums.resets.is_empty() {
            let times = if sums.resets.len() == 1 {
                "once".to_owned()
            } else {
                format!("{} times", sums.resets.len())
            };
            let message = format!("A counter started anew {times}: what happened in that step is not known.");
            trace.warnings.push(Warning::new(WarningKind::CounterReset, message));
        }
        if trace.columns.is_empty() {
            return Err(ReadError::new(
                ReadErrorKind::BadHeader,
                sums.recorder.file,
                "no figure in it that Cotrace can use",
            )
            .hinting("Record at least CPU."));
        }
        Ok(trace)
    }
}
