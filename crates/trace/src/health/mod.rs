//! Whether a trace is fit to forecast from, and what to do where it isn't.

mod report;
mod stretch;
mod use_of_node;
mod values;

pub use report::{Finding, FindingKind, Health, Place, Severity, Status};

use crate::{Column, Metric, Trace, Warning, WarningKind, words};

/// With fewer rows there is nothing to forecast from.
const MIN_SAMPLES: usize = 4;
/// With fewer rows the forecast is coarse.
const FEW_SAMPLES: usize = 10;
/// Mean deviation from the median interval, as a share of it, that is worth a word.
const MAX_JITTER: f64 = 0.2;

/// How far the durations of runs of one job may differ, as a share of their mean.
const MAX_RUNS_DIFFER: f64 = 0.2;

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
    let suggestion = looked.stretch();
    looked.runs();
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
        let kind = match warning.kind {
            WarningKind::CounterReset => FindingKind::CounterReset,
            _ => FindingKind::Reading,
        };
        looked.add(kind, Severity::Warning, plain.to_string(), &warning.hint, None);
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
    Health {
        status,
        samples,
        duration_seconds,
        step_seconds,
        jitter_ratio,
        gap_seconds,
        findings,
        suggestion,
    }
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

    /// How far the runs differ that the trace is the mean of.
    fn runs(&mut self) {
        let Some(runs) = &self.trace.runs else { return };
        let times = if runs.count == 1 { "1 run".to_owned() } else { format!("{} runs", runs.count) };
        let (shortest, longest) =
            (words::duration(runs.shortest_seconds), words::duration(runs.longest_seconds));
        let mut message = if shortest == longest {
            format!("The mean of {times}, each {longest}")
        } else {
            format!("The mean of {times}, {shortest} to {longest}")
        };
        let spread = runs.spread.iter().filter(|(metric, share)| WANTED.contains(metric) && **share >= 0.005);
        for (metric, share) in spread {
            message.push_str(&format!(", {} ±{}", metric.title(), words::percent(*share)));
        }
        message.push('.');
        let differ = runs.longest_seconds - runs.shortest_seconds > MAX_RUNS_DIFFER * runs.mean_seconds;
        let (severity, hint) = if differ {
            (Severity::Warning, "They may not be runs of the same job, or something disturbed one of them.")
        } else {
            (Severity::Info, "")
        };
        self.add(FindingKind::Runs, severity, message, hint, None);
    }
}
