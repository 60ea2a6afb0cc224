//! Whether the job alone takes all that the node has: then its trace doesn't show how much more it could have used.

use super::{FindingKind, Looked, Place, Severity};
use crate::{Column, Metric, words};

/// As a share of what the node has: busy enough to be held back by it.
const SATURATED: f64 = 0.95;
/// Share of time saturated that is worth a word.
const MUCH_SATURATED: f64 = 0.2;
/// The same for memory: there, all is too much, for then a job is pushed out to disk.
const MUCH_MEMORY: f64 = 0.05;
/// Cores that wait for the disks, as a share of all of them, if their capacity isn't known.
const WAITING: f64 = 0.25;
/// A single thread that does nothing but wait.
const WAITING_CORES: f64 = 0.9;

/// What can be used up.
struct Resource {
    what: &'static str,
    columns: &'static [Metric],
    capacity: Option<f64>,
    much: f64,
    severity: Severity,
    hint: &'static str,
}

impl Looked<'_> {
    /// That a job uses all cores or all of a disk is what many do, and nobody can mend it: it is told, no more. Only
    /// memory is a warning, for a job that ran short of it alone was slowed already.
    pub(super) fn saturated(&mut self) {
        let node = self.trace.capacity;
        let hidden = "How much more it would use on a larger node isn't in the trace, and beside any other job that \
                      needs it, it will be slower.";
        let resources = [
            Resource {
                what: "keeps all cores busy",
                columns: &[Metric::CpuCores],
                capacity: node.cores,
                much: MUCH_SATURATED,
                severity: Severity::Info,
                hint: hidden,
            },
            Resource {
                what: "takes all that the disks can do",
                columns: &[Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond],
                capacity: node.disk_bytes_per_second,
                much: MUCH_SATURATED,
                severity: Severity::Info,
                hint: hidden,
            },
            Resource {
                what: "receives all that the network can carry",
                columns: &[Metric::NetworkReceiveBytesPerSecond],
                capacity: node.network_bytes_per_second,
                much: MUCH_SATURATED,
                severity: Severity::Info,
                hint: hidden,
            },
            Resource {
                what: "sends all that the network can carry",
                columns: &[Metric::NetworkTransmitBytesPerSecond],
                capacity: node.network_bytes_per_second,
                much: MUCH_SATURATED,
                severity: Severity::Info,
                hint: hidden,
            },
            Resource {
                what: "takes nearly all memory",
                columns: &[Metric::MemoryBytes],
                capacity: node.memory_bytes,
                much: MUCH_MEMORY,
                severity: Severity::Warning,
                hint: "It may have been slowed already, and no other job fits beside it.",
            },
        ];
        for resource in resources {
            let Some(capacity) = resource.capacity else { continue };
            self.used_up(&resource, capacity * SATURATED);
        }
        if node.disk_bytes_per_second.is_none()
            && let Some(cores) = node.cores
        {
            let waits = Resource {
                what: "waits for the disks",
                columns: &[Metric::CpuIowaitCores],
                capacity: None,
                much: MUCH_SATURATED,
                severity: Severity::Info,
                hint: "They seem to be its limit: beside another job that needs them it will be slower.",
            };
            self.used_up(&waits, (cores * WAITING).min(WAITING_CORES));
        }
    }

    fn used_up(&mut self, resource: &Resource, enough: f64) {
        let series: Vec<&[f64]> =
            resource.columns.iter().filter_map(|metric| self.trace.node(*metric)).collect();
        if series.is_empty() {
            return;
        }
        let (mut known, mut full) = (0.0, 0.0);
        let mut stretch: Option<(f64, f64)> = None;
        let mut longest = (0.0, 0.0);
        for (row, interval) in self.intervals.iter().enumerate() {
            let values = series.iter().filter_map(|values| values.get(row)).filter(|value| value.is_finite());
            let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
            let (Some((from, to)), true) = (*interval, count > 0) else {
                stretch = None;
                continue;
            };
            known += to - from;
            stretch = (sum >= enough).then(|| (stretch.map_or(from, |(start, _)| start), to));
            if let Some((start, end)) = stretch {
                full += to - from;
                if end - start > longest.1 - longest.0 {
                    longest = (start, end);
                }
            }
        }
        if full > known * resource.much {
            let message =
                format!("The job alone {} for {} of the time.", resource.what, words::percent(full / known));
            let column = resource.columns.first().map(|metric| Column::node(*metric).header());
            let place = Some(Place { column, from_seconds: longest.0, to_seconds: longest.1 });
            self.add(FindingKind::Saturated, resource.severity, message, resource.hint, place);
        }
    }
}
