//! From the series of a file to the metrics of the node: sums over devices, rates of counters, units.

use std::collections::{BTreeSet, HashSet};

use super::devices;
use super::series::{Field, Series};
use super::{Recorder, Scale, Signal};
use crate::{Column, Metric, Trace, Warning, WarningKind};

/// The recorder, once times are in order.
pub(super) struct Sums<'a> {
    pub(super) recorder: Recorder<'a>,
    pub(super) moved: Option<Vec<u32>>,
    /// The rows in which a counter started anew.
    pub(super) resets: BTreeSet<usize>,
}

/// A signal of the whole node, in its base unit.
pub(super) struct Total {
    /// `[time]`, `NaN` where it isn't known.
    pub(super) values: Vec<f64>,
    /// The file's name, its unit, the devices.
    pub(super) source: String,
    pub(super) scale: Scale,
    /// Whether it is the sum of devices, not a figure of the node's own.
    pub(super) of_devices: bool,
}

impl Sums<'_> {
    /// The sum of a signal over devices, from the first field that has it. `choose` picks the devices by their
    /// names; fields with devices go before fields without. `None`: the file doesn't have it.
    pub(super) fn total(
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
            let mut resets = BTreeSet::new();
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
            self.resets.extend(resets);
            return Some(Total { values: sum, source, scale, of_devices: !names.is_empty() });
        }
        None
    }

    /// The sum over all series of these fields.
    pub(super) fn sum_of_fields(&mut self, trace: &Trace, fields: &[usize]) -> Option<Total> {
        let scale = self.recorder.fields[*fields.first()?].unit.scale;
        let mut sum = vec![f64::NAN; trace.time_seconds.len()];
        let (mut resets, mut sources) = (BTreeSet::new(), Vec::new());
        for field in fields.iter().map(|&index| &self.recorder.fields[index]) {
            if field.unit.scale == scale {
                for series in &field.series {
                    self.add(field, series, &trace.time_seconds, &mut sum, &mut resets);
                }
                sources.push(field.described());
            }
        }
        self.resets.extend(resets);
        let source = listed_with(sources.iter().map(String::as_str), " + ");
        Some(Total { values: sum, source, scale, of_devices: false })
    }

    /// Adds a series. A device that has no row at a time wasn't there and adds nothing; a value that isn't known
    /// makes the sum unknown.
    pub(super) fn add(
        &self,
        field: &Field,
        series: &Series,
        times: &[f64],
        sum: &mut [f64],
        resets: &mut BTreeSet<usize>,
    ) {
        let mut before: Option<(f64, f64)> = None;
        let mut add = |row: usize, value: f64| {
            let value = if field.is_counter {
                let rate = match before {
                    Some((_, last)) if value < last => {
                        resets.insert(row);
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
    pub(super) fn all(&mut self, trace: &Trace, signal: Signal) -> Option<Total> {
        self.total(trace, signal, |names| (0..names.len()).collect())
    }

    pub(super) fn disks(&mut self, trace: &mut Trace) {
        for (signal, metric) in [
            (Signal::DiskRead, Metric::DiskReadBytesPerSecond),
            (Signal::DiskWrite, Metric::DiskWriteBytesPerSecond),
        ] {
            if let Some(total) = self.total(trace, signal, devices::disks) {
                put(trace, metric, total);
            }
        }
    }

    pub(super) fn network(&mut self, trace: &mut Trace) {
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
        let of_lo = of_lo
            .or_else(|| self.total(trace, Signal::NetworkReceive, loopback).filter(|total| total.of_devices));
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

    pub(super) fn others(&mut self, trace: &mut Trace) {
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
pub(super) fn put_values(trace: &mut Trace, metric: Metric, values: Vec<f64>, source: String) {
    if values.iter().any(|value| !value.is_nan()) {
        trace.columns.insert(Column::node(metric), values);
        trace.provenance.insert(Column::node(metric), source);
    }
}

/// Names, the first few of them.
pub(super) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    listed_with(names, ", ")
}

pub(super) fn listed_with<'a>(names: impl ExactSizeIterator<Item = &'a str>, between: &str) -> String {
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
pub(super) fn at_least_zero(value: f64) -> f64 {
    if value < 0.0 { 0.0 } else { value }
}

pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut known: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if known.is_empty() {
        return None;
    }
    let middle = known.len() / 2;
    Some(*known.select_nth_unstable_by(middle, f64::total_cmp).1)
}
