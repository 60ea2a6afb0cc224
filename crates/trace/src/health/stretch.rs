//! Whether a trace is one job: idle time around it, other things on the machine, several runs in one file.

use super::{FEW_SAMPLES, FindingKind, Looked, Place, Severity};
use crate::busy::{IDLE_BYTES_PER_SECOND, idle_cpu};
use crate::{BusyStretch, Metric, words};

/// Longer than this, with the job in less than half of it, a trace is a machine's day.
const LONG_SECONDS: f64 = 6.0 * 3600.0;
/// Longer than this a trace is hardly one job.
const DAY_SECONDS: f64 = 20.0 * 3600.0;
/// A CPU level around the job that is more than this share of the job's own is worth a word.
const MUCH_BACKGROUND: f64 = 0.05;
/// The lowest level counts as a floor if it is below this share of the highest one,
const FLOOR: f64 = 0.4;
/// if it is this flat,
const FLAT: f64 = 0.15;
/// and if CPU is there for this share of the time.
const OFTEN_ON_FLOOR: f64 = 0.1;

impl Looked<'_> {
    /// Finds what doesn't belong to the job. Returns the part of the trace that does, if there is more.
    pub(super) fn stretch(&mut self) -> Option<BusyStretch> {
        let trace = self.trace;
        if self.nothing_happens() {
            let message = "Nothing happens: all samples are idle.".to_owned();
            self.add(FindingKind::IdleHead, Severity::Warning, message, "Check that the job ran.", None);
            return None;
        }
        let duration = trace.duration_seconds();
        let Some(stretch) = trace.busy_stretch() else {
            if duration > DAY_SECONDS {
                let message =
                    format!("The trace is {} long: that is hardly one job.", words::duration(duration));
                let hint = "If it isn't, cut it to the time in which the job ran.";
                self.add(FindingKind::TooLong, Severity::Warning, message, hint, None);
            }
            self.floor();
            return None;
        };
        self.around(&stretch);
        self.background(&stretch);
        Some(stretch)
    }

    fn nothing_happens(&self) -> bool {
        let trace = self.trace;
        let quiet = idle_cpu(trace);
        let Some(cpu) = trace.node(Metric::CpuCores) else { return false };
        let rates: Vec<&[f64]> = super::WANTED
            .iter()
            .filter(|metric| metric.unit() == "bytes/s")
            .filter_map(|metric| trace.node(*metric))
            .collect();
        // A value that isn't known is not above, and a CPU that isn't known is not idle.
        !cpu.is_empty()
            && cpu.iter().all(|value| *value < quiet)
            && rates.iter().all(|rate| !rate.iter().any(|value| *value > IDLE_BYTES_PER_SECOND))
    }

    /// What is before and after the job.
    fn around(&mut self, stretch: &BusyStretch) {
        let duration = self.trace.duration_seconds();
        let (from, to) = (stretch.from_seconds, stretch.to_seconds);
        let span = format!("from {} to {}", words::duration(from), words::duration(to));
        let place = |from_seconds, to_seconds| Some(Place { column: None, from_seconds, to_seconds });
        if stretch.stretches > 1 {
            let message = format!(
                "Something runs {} times in it, with idle time between; most is done {span}.",
                stretch.stretches
            );
            let hint = "Cut it to one run: idle time counts as the job's run time.";
            self.add(FindingKind::SeveralStretches, Severity::Warning, message, hint, place(from, to));
            return;
        }
        if duration > LONG_SECONDS && to - from < duration / 2.0 {
            let message = format!(
                "The trace is {} long and the job's part of it seems to be {span}.",
                words::duration(duration)
            );
            let hint = "Cut it to that: all the rest counts as its run time.";
            self.add(FindingKind::TooLong, Severity::Warning, message, hint, place(from, to));
            return;
        }
        for (kind, from, to, end) in
            [(FindingKind::IdleHead, 0.0, from, "start"), (FindingKind::IdleTail, to, duration, "end")]
        {
            if to > from {
                let message =
                    format!("Nothing of the job happens in the {} at the {end}.", words::duration(to - from));
                let hint = "Cut them off, unless they are part of the job: they count as its run time.";
                self.add(kind, Severity::Warning, message, hint, place(from, to));
            }
        }
    }

    /// What else runs on the machine, seen from before and after the job.
    fn background(&mut self, stretch: &BusyStretch) {
        let mut levels = Vec::new();
        if let (Some(outside), Some(inside)) = (stretch.idle_cpu_cores, stretch.cpu_cores)
            && outside > idle_cpu(self.trace)
            && outside > inside * MUCH_BACKGROUND
        {
            let share = words::percent(outside / inside);
            levels.push(format!(
                "CPU at {}, {share} of what it is with the job",
                words::amount(outside, "cores")
            ));
        }
        if let Some(outside) = stretch.idle_bytes_per_second
            && outside > IDLE_BYTES_PER_SECOND
        {
            levels.push(format!("disk and network at {}", words::amount(outside, "bytes/s")));
        }
        if !levels.is_empty() {
            let message =
                format!("Something else runs on the machine too: without the job, {}.", levels.join(", "));
            let hint = "It counts as the job's. Record the job alone on the machine if you can.";
            self.add(FindingKind::Background, Severity::Warning, message, hint, None);
        }
    }

    /// A level that CPU never falls below, where there is no time without the job to see it.
    fn floor(&mut self) {
        let Some(cpu) = self.trace.node(Metric::CpuCores) else { return };
        let mut known: Vec<f64> = cpu.iter().copied().filter(|value| value.is_finite()).collect();
        if known.len() < 4 * FEW_SAMPLES {
            return;
        }
        known.sort_by(f64::total_cmp);
        let at = |share: f64| known[((known.len() - 1) as f64 * share) as usize];
        // A few samples lower than all others are no floor.
        let (floor, high) = (at(0.02), at(0.9));
        let flat = known.iter().filter(|value| (**value - floor).abs() <= floor * FLAT).count();
        if floor > 2.0 * idle_cpu(self.trace)
            && floor < high * FLOOR
            && flat as f64 >= known.len() as f64 * OFTEN_ON_FLOOR
        {
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let message = format!(
                "CPU never falls below {}, {} of its mean, and stays there for long.",
                words::amount(floor, "cores"),
                words::percent(floor / mean)
            );
            let hint =
                "Unless that is the job's, something else runs on the machine and counts as the job's.";
            self.add(FindingKind::Background, Severity::Info, message, hint, None);
        }
    }
}
