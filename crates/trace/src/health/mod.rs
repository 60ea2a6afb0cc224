//! Whether a trace is fit to forecast from, and what to do where it isn't.

mod report;

pub use report::{Finding, FindingKind, Health, Place, Severity, Status};

use crate::metric::MetricKind;
use crate::{Column, Metric, Trace, Warning};

/// With fewer rows there is nothing to forecast from.
const MIN_SAMPLES: usize = 4;
/// With fewer rows the forecast is coarse.
const FEW_SAMPLES: usize = 10;
/// Mean deviation from the median interval, as a share of it, that is worth a word.
const MAX_JITTER: f64 = 0.2;
/// Share of a metric's values that may be missing.
const MAX_MISSING: f64 = 0.1;
/// How far above its capacity a metric may be for rounding and sampling: CPU and rates are means of counters.
const CAPACITY_SLACK: f64 = 1.05;
/// As a share of all cores: busy enough to be held back by them.
const SATURATED: f64 = 0.95;
/// Share of time saturated that is worth a word.
const MUCH_SATURATED: f64 = 0.2;
/// As a share of all cores: idle.
const IDLE_CPU: f64 = 0.03;
/// As bytes per second of disk or network: idle.
const IDLE_BYTES_PER_SECOND: f64 = 1e6;
/// As a share of the run: idle for long.
const LONG_IDLE: f64 = 0.05;

/// The metrics a forecast uses where the trace has them. CPU it must have.
const WANTED: [Metric; 6] = [
    Metric::CpuCores,
    Metric::MemoryBytes,
    Metric::DiskReadBytesPerSecond,
    Metric::DiskWriteBytesPerSecond,
    Metric::NetworkReceiveBytesPerSecond,
    Metric::NetworkTransmitBytesPerSecond,
];

/// Looks a trace over.
///
/// ```
/// use cotrace_trace::{ReadOptions, Status, check, read};
///
/// let trace = read("short.csv", b"time_seconds,cpu_cores\n1,1\n2,1\n", &ReadOptions::with_cores(2.0))?;
/// let health = check(&trace);
/// assert_eq!(health.status, Status::Unusable);
/// assert_eq!(health.findings[0].message, "The trace has only 2 samples.");
/// # Ok::<(), cotrace_trace::ReadError>(())
/// ```
pub fn check(trace: &Trace) -> Health {
    let mut looked = Looked { trace, intervals: trace.intervals(), findings: Vec::new() };
    let step_seconds = trace.step_seconds();
    looked.samples(step_seconds);
    let gap_seconds = looked.gaps();
    let jitter_ratio = looked.jitter(step_seconds);
    looked.missing();
    for (column, values) in &trace.columns {
        looked.values(column, values);
    }
    looked.capacity();
    looked.saturated();
    looked.idle();
    if trace.jobs.len() > 1 {
        let message = format!("{} jobs ran: the node's columns are of all of them.", trace.jobs.len());
        looked.add(
            FindingKind::SeveralJobs,
            Severity::Info,
            message,
            "A forecast needs each job's trace alone.",
            None,
        );
    }
    for warning in &trace.warnings {
        let plain = Warning { hint: String::new(), ..warning.clone() };
        looked.add(FindingKind::Reading, Severity::Warning, plain.to_string(), &warning.hint, None);
    }
    let mut findings = looked.findings;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let status = match findings.first().map(|finding| finding.severity) {
        Some(Severity::Unusable) => Status::Unusable,
        Some(Severity::Warning) => Status::Warnings,
        Some(Severity::Info) | None => Status::Ok,
    };
    let samples = trace.time_seconds.len();
    let duration_seconds = trace.duration_seconds();
    Health { status, samples, duration_seconds, step_seconds, jitter_ratio, gap_seconds, findings }
}

/// A trace under examination.
struct Looked<'a> {
    trace: &'a Trace,
    intervals: Vec<Option<(f64, f64)>>,
    findings: Vec<Finding>,
}

impl Looked<'_> {
    fn add(
        &mut self,
        kind: FindingKind,
        severity: Severity,
        message: String,
        hint: &str,
        place: Option<Place>,
    ) {
        self.findings.push(Finding { kind, severity, message, hint: hint.to_owned(), place });
    }

    /// The place of row `row` in a column. A row after a gap is its end alone.
    fn place(&self, column: &Column, row: usize) -> Place {
        let end = self.trace.time_seconds.get(row).copied().unwrap_or_default();
        let (from_seconds, to_seconds) = self.intervals.get(row).copied().flatten().unwrap_or((end, end));
        Place { column: Some(column.header()), from_seconds, to_seconds }
    }

    fn samples(&mut self, step_seconds: f64) {
        let count = self.trace.time_seconds.len();
        let severity = match count {
            0..MIN_SAMPLES => Severity::Unusable,
            MIN_SAMPLES..FEW_SAMPLES => Severity::Warning,
            _ => return,
        };
        let message = match count {
            0 => "The trace has no samples.".to_owned(),
            1 => "The trace has only 1 sample.".to_owned(),
            _ => format!("The trace has only {count} samples."),
        };
        let hint = format!("Sample more often than every {step_seconds} s, or run the job on more data.");
        self.add(FindingKind::TooShort, severity, message, &hint, None);
    }

    /// Returns the seconds without samples.
    fn gaps(&mut self) -> f64 {
        let times = &self.trace.time_seconds;
        let gaps: Vec<(f64, f64)> = (0..times.len())
            .filter_map(|row| {
                let start = if row == 0 { 0.0 } else { times[row - 1] };
                // The first row speaks of a part of the time before it; all others of all of it or of nothing.
                let known_from = self.intervals[row].map_or(times[row], |(from, _)| from);
                (known_from > start).then_some((start, known_from))
            })
            .collect();
        let total: f64 = gaps.iter().fold(0.0, |sum, (from, to)| sum + (to - from));
        let longest = gaps.iter().copied().max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
        if let Some((from_seconds, to_seconds)) = longest {
            let message = format!(
                "{} without samples, {total:.1} s in all, the longest of {:.1} s.",
                if gaps.len() == 1 { "1 stretch".to_owned() } else { format!("{} stretches", gaps.len()) },
                to_seconds - from_seconds,
            );
            let place = Some(Place { column: None, from_seconds, to_seconds });
            self.add(
                FindingKind::Gaps,
                Severity::Warning,
                message,
                "What happened there is not known.",
                place,
            );
        }
        total
    }

    /// Returns the mean deviation of intervals from the median, as a share of it.
    fn jitter(&mut self, step_seconds: f64) -> f64 {
        let lengths: Vec<f64> = self.intervals.iter().skip(1).flatten().map(|(from, to)| to - from).collect();
        if lengths.is_empty() || step_seconds <= 0.0 {
            return 0.0;
        }
        let deviation: f64 = lengths.iter().map(|length| (length - step_seconds).abs()).sum();
        let jitter = deviation / lengths.len() as f64 / step_seconds;
        if jitter > MAX_JITTER {
            let message = format!(
                "Samples are {:.0} % off their median distance of {step_seconds} s on average.",
                jitter * 100.0
            );
            self.add(FindingKind::Jitter, Severity::Info, message, "", None);
        }
        jitter
    }

    fn missing(&mut self) {
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

    fn values(&mut self, column: &Column, values: &[f64]) {
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
            "{} is above the node's {capacity} {unit} in {} samples, at most {highest} {unit}.",
            column.header(),
            above.len(),
        );
        let place = Some(self.place(column, row));
        let hint = "Check what the node has.";
        self.add(FindingKind::AboveCapacity, Severity::Warning, message, hint, place);
    }

    fn capacity(&mut self) {
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

    fn saturated(&mut self) {
        let (Some(cores), Some(values)) = (self.trace.capacity.cores, self.trace.node(Metric::CpuCores))
        else {
            return;
        };
        let (mut known, mut full) = (0.0, 0.0);
        for (interval, value) in self.intervals.iter().zip(values) {
            if let Some((from, to)) = interval
                && value.is_finite()
            {
                known += to - from;
                full += if *value >= cores * SATURATED { to - from } else { 0.0 };
            }
        }
        if full > known * MUCH_SATURATED {
            let message =
                format!("The job alone keeps all cores busy for {:.0} % of the time.", full / known * 100.0);
            let hint = "Beside any other job that needs CPU it will be slower.";
            self.add(FindingKind::Saturated, Severity::Info, message, hint, None);
        }
    }

    fn idle(&mut self) {
        let Some(cpu) = self.trace.node(Metric::CpuCores) else {
            return;
        };
        let idle_cpu = self.trace.capacity.cores.unwrap_or(1.0) * IDLE_CPU;
        let rates: Vec<&[f64]> = WANTED
            .iter()
            .filter(|metric| metric.unit() == "bytes/s")
            .filter_map(|metric| self.trace.node(*metric))
            .collect();
        let idle = |row: usize| {
            // A value that isn't known is not above, and a CPU that isn't known is not idle.
            cpu.get(row).is_some_and(|cpu| *cpu < idle_cpu)
                && !rates.iter().any(|rate| rate.get(row).is_some_and(|rate| *rate > IDLE_BYTES_PER_SECOND))
        };
        let times = &self.trace.time_seconds;
        let head = (0..times.len()).take_while(|&row| idle(row)).count();
        if head == times.len() {
            if !times.is_empty() {
                let message = "Nothing happens: all samples are idle.".to_owned();
                self.add(FindingKind::IdleHead, Severity::Warning, message, "Check that the job ran.", None);
            }
            return;
        }
        let tail = (0..times.len()).rev().take_while(|&row| idle(row)).count();
        let duration = self.trace.duration_seconds();
        let head_end = if head == 0 { 0.0 } else { times[head - 1] };
        let tail_start = times[times.len() - 1 - tail];
        for (kind, rows, from_seconds, to_seconds, end) in [
            (FindingKind::IdleHead, head, 0.0, head_end, "start"),
            (FindingKind::IdleTail, tail, tail_start, duration, "end"),
        ] {
            if rows >= 3 && to_seconds - from_seconds > duration * LONG_IDLE {
                let message =
                    format!("Nothing happens in the {:.1} s at the {end}.", to_seconds - from_seconds);
                let hint = "Cut them off, unless they are part of the job: they count as its run time.";
                let place = Some(Place { column: None, from_seconds, to_seconds });
                self.add(kind, Severity::Warning, message, hint, place);
            }
        }
    }
}
