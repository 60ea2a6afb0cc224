//! What is found about a trace.

use serde::{Deserialize, Serialize};

use crate::BusyStretch;

/// The verdict on a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Fit to forecast from.
    Ok,
    /// Fit, but see the findings.
    Warnings,
    /// No forecast can be made from it.
    Unusable,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// It makes forecasts worse.
    Warning,
    /// It makes forecasts impossible.
    Unusable,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The reader noticed it: see [`Trace::warnings`](crate::Trace::warnings).
    Reading,
    /// Few rows.
    TooShort,
    /// Far longer than a job: a machine's day.
    TooLong,
    /// Time without samples.
    Gaps,
    /// Uneven time between samples.
    Jitter,
    /// A metric isn't in the trace.
    MissingMetric,
    /// Some of a metric's values aren't known.
    MissingValues,
    /// A metric never changes.
    Constant,
    /// Values below zero.
    Negative,
    /// Values above what the node has.
    AboveCapacity,
    /// A capacity isn't known.
    UnknownCapacity,
    /// The job alone takes all that the node has of something, for long.
    Saturated,
    /// Something else ran on the machine.
    Background,
    /// A counter started anew.
    CounterReset,
    /// Nothing happens at the start.
    IdleHead,
    /// Nothing happens at the end.
    IdleTail,
    /// Several jobs ran: no solo trace.
    SeveralJobs,
    /// Something ran several times, with idle time between.
    SeveralStretches,
    /// The trace is the mean of several runs.
    Runs,
}

/// Where in a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The column's name, where it is about one.
    pub column: Option<String>,
    /// From, in seconds from the run's start.
    pub from_seconds: f64,
    /// To.
    pub to_seconds: f64,
}

/// Something to know about a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is about.
    pub kind: FindingKind,
    /// How much it matters.
    pub severity: Severity,
    /// What it is, in words.
    pub message: String,
    /// What to do about it. Empty: nothing.
    pub hint: String,
    /// Where. `None`: all over.
    pub place: Option<Place>,
}

/// What [`check`](crate::check) finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// The verdict: as bad as the worst finding.
    pub status: Status,
    /// Rows.
    pub samples: usize,
    /// From the run's start to the last row.
    pub duration_seconds: f64,
    /// Median time between rows.
    pub step_seconds: f64,
    /// Mean deviation of the time between rows from the median, as a share of it, without gaps.
    pub jitter_ratio: f64,
    /// Time without samples.
    pub gap_seconds: f64,
    /// What there is to know, the worst first.
    pub findings: Vec<Finding>,
    /// The part to cut the trace to, where it was recorded for longer than the job ran: for
    /// [`Trace::crop`](crate::Trace::crop), once a person agrees.
    #[serde(default)]
    pub suggestion: Option<BusyStretch>,
}
