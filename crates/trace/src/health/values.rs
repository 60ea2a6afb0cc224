//! What is wrong with the values of a trace, metric by metric.

use super::{FEW_SAMPLES, FindingKind, Looked, Severity, WANTED};
use crate::metric::MetricKind;
use crate::{Column, Metric, words};

/// Share of a metric's values that may be missing.
const MAX_MISSING: f64 = 0.1;
/// How far above its capacity a metric may be for rounding and sampling: CPU and rates are means of counters.
const CAPACITY_SLACK: f64 = 1.05;

impl Looked<'_> {
    pub(super) fn missing(&mut self) {
        let known = |metric: &Metric| {
            self.trace.node(*metric).is_some_and(|values| values.iter().any(|value| value.is_finite()))
        };
        let missing: Vec<Metric> = WANTED.into_iter().filter(|metric| !known(metric)).collect();
        if missing.contains(&Metric::CpuCores) {
            let message = "CPU is not in the trace.".to_owned();
            self.add(
                FindingKind::MissingMetric,
                Severity::Unusable,
                message,
                "Record it: a forecast starts from it.",
                None,
            );
        }
        let others: Vec<&str> =
            missing.iter().filter(|m| **m != Metric::CpuCores).map(|m| m.title()).collect();
        if !others.is_empty() {
            let message = format!("Not in the trace: {}.", others.join(", "));
            let hint = "The forecast can't say whether the jobs get in each other's way there.";
            self.add(FindingKind::MissingMetric, Severity::Info, message, hint, None);
        }
    }

    pub(super) fn values(&mut self, column: &Column, values: &[f64]) {
        let name = column.header();
        let known: Vec<(usize, f64)> =
            values.iter().copied().enumerate().filter(|(_, value)| value.is_finite()).collect();
        let Some(&(_, first)) = known.first() else { return };
        let absent = values.len() - known.len();
        if absent as f64 > values.len() as f64 * MAX_MISSING {
            let message = format!("{name} is not known in {absent} of {} samples.", values.len());
            self.add(FindingKind::MissingValues, Severity::Warning, message, "", None);
        }
        let negative: Vec<usize> =
            known.iter().filter(|(_, value)| *value < 0.0).map(|(row, _)| *row).collect();
        if let Some(&row) = negative.first() {
            let message =
                format!("{name} is below zero in {} samples, first {}.", negative.len(), values[row]);
            let hint = "A counter may have started anew: cut the trace there.";
            let place = Some(self.place(column, row));
            self.add(FindingKind::Negative, Severity::Warning, message, hint, place);
        }
        let flow = column.metric.kind() == MetricKind::Flow;
        if flow
            && first != 0.0
            && known.len() >= FEW_SAMPLES
            && known.iter().all(|(_, value)| *value == first)
        {
            let message = format!("{name} is {first} {} in all samples.", column.metric.unit());
            let hint = "Rates of a real job vary: what recorded it may have been stuck.";
            self.add(FindingKind::Constant, Severity::Warning, message, hint, None);
        }
        self.above_capacity(column, &known);
    }

    fn above_capacity(&mut self, column: &Column, known: &[(usize, f64)]) {
        let Some(capacity) = column.metric.capacity(&self.trace.capacity) else {
            return;
        };
        let slack = if column.metric.kind() == MetricKind::Flow { CAPACITY_SLACK } else { 1.0 + 1e-6 };
        let above: Vec<&(usize, f64)> = known.iter().filter(|(_, value)| *value > capacity * slack).collect();
        let Some(&&(row, highest)) = above.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        let unit = column.metric.unit();
        let message = format!(
            "{} is above the node's {} in {} samples, at most {}.",
            column.header(),
            words::amount(capacity, unit),
            above.len(),
            words::amount(highest, unit),
        );
        let place = Some(self.place(column, row));
        let hint = "Check what the node has.";
        self.add(FindingKind::AboveCapacity, Severity::Warning, message, hint, place);
    }

    pub(super) fn capacity(&mut self) {
        let capacity = self.trace.capacity;
        if capacity.cores.is_none() {
            let message = "How many cores the node has is not known.".to_owned();
            self.add(FindingKind::UnknownCapacity, Severity::Warning, message, "Say how many.", None);
        }
        if capacity.memory_bytes.is_none() && self.trace.node(Metric::MemoryBytes).is_some() {
            let message = "How much memory the node has is not known.".to_owned();
            let hint = "Say how much, to see whether jobs fit together.";
            self.add(FindingKind::UnknownCapacity, Severity::Info, message, hint, None);
        }
    }
}
