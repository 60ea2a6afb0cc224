//! The canonical trace as JSON, version 1. [`crate::canonical`] describes it.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::axis::{self, Axis};
use super::canonical_csv::{
    MOST_UNKNOWN, assume, assumptions, check_writable, is_capacity, more_unknown_columns, newer, unknown_column,
};
use super::{Input, Recognition, table};
use crate::{Capacity, Column, JobSpan, ReadError, ReadErrorKind, ReadOptions, Trace};

/// The version written, and the last one read.
const VERSION: u32 = 1;

pub(crate) fn recognise(head: &str) -> Recognition {
    let head = head.trim_start();
    if !head.starts_with('{') {
        Recognition::No("doesn't start with {")
    } else if head.contains("\"cotrace_trace\"") {
        Recognition::Yes
    } else {
        Recognition::No("has no \"cotrace_trace\": 1 near its start")
    }
}

/// The shape of the file. Series are `[time]`.
#[derive(Serialize, Deserialize)]
struct Document {
    cotrace_trace: u32,
    #[serde(default)]
    name: String,
    #[serde(default)]
    node: NodeDocument,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<String>,
    #[serde(default)]
    jobs: Vec<JobDocument>,
    time_seconds: Vec<f64>,
    columns: BTreeMap<String, Vec<Option<f64>>>,
}

/// [`Capacity`], with what isn't known left out.
#[derive(Default, Serialize, Deserialize)]
struct NodeDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cores: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disk_bytes_per_second: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network_bytes_per_second: Option<f64>,
}

/// [`JobSpan`], with what isn't known left out.
#[derive(Serialize, Deserialize)]
struct JobDocument {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end_seconds: Option<f64>,
}

/// The version alone, to be read first: another version may have another shape.
#[derive(Deserialize)]
struct VersionOnly {
    cotrace_trace: u32,
}

pub(crate) fn read(input: &Input, _: &ReadOptions) -> Result<Trace, ReadError> {
    let bad_json = |error: serde_json::Error| {
        ReadError::new(ReadErrorKind::BadJson, input.file, format!("not the JSON of a trace ({error})"))
            .at_line(error.line() as u64)
    };
    let version: VersionOnly = serde_json::from_str(input.text).map_err(bad_json)?;
    match version.cotrace_trace {
        VERSION => {}
        0 => {
            return Err(bad(
                input,
                ReadErrorKind::BadHeader,
                "the version of the trace must be 1",
                "cotrace_trace",
            ));
        }
        version => return Err(newer(input.file, version)),
    }
    let document: Document = serde_json::from_str(input.text).map_err(bad_json)?;
    from_document(input, document)
}

fn bad(input: &Input, kind: ReadErrorKind, problem: &str, column: &str) -> ReadError {
    ReadError::new(kind, input.file, problem).in_column(column)
}

fn from_document(input: &Input, document: Document) -> Result<Trace, ReadError> {
    let node = document.node;
    let capacity = Capacity {
        cores: node.cores,
        memory_bytes: node.memory_bytes,
        disk_bytes_per_second: node.disk_bytes_per_second,
        network_bytes_per_second: node.network_bytes_per_second,
    };
    for (name, value) in [
        ("cores", capacity.cores),
        ("memory_bytes", capacity.memory_bytes),
        ("disk_bytes_per_second", capacity.disk_bytes_per_second),
        ("network_bytes_per_second", capacity.network_bytes_per_second),
    ] {
        if value.is_some_and(|value| !is_capacity(name, value)) {
            return Err(bad(input, ReadErrorKind::BadNumber, "expected a number that it can be", name));
        }
    }
    let mut trace = Trace { name: document.name, capacity, ..Trace::default() };
    for word in document.assumed {
        if !assume(&mut trace, &word) {
            let problem = "expected cpu, memory, disk, network or step";
            return Err(bad(input, ReadErrorKind::BadHeader, problem, "assumed").seeing(&word));
        }
    }
    for job in document.jobs {
        if job.name.is_empty() {
            return Err(bad(input, ReadErrorKind::BadHeader, "a job has no name", "jobs"));
        }
        let mut times = [job.start_seconds, job.end_seconds].into_iter().flatten();
        if let Some(seconds) = times.find(|seconds| !table::is_plausible(*seconds)) {
            let error = bad(input, ReadErrorKind::BadNumber, "a job's time that can't be", "jobs");
            return Err(error.seeing(&seconds.to_string()));
        }
        let (name, start_seconds, end_seconds) = (job.name, job.start_seconds, job.end_seconds);
        trace.jobs.push(JobSpan { name, start_seconds, end_seconds });
    }
    let mut axis = Axis::default();
    let mut keep = Vec::with_capacity(document.time_seconds.len());
    for (row, &seconds) in document.time_seconds.iter().enumerate() {
        if !axis::is_plausible(seconds) {
            let problem = format!("expected seconds from the run's start in entry {row}");
            let error = bad(input, ReadErrorKind::BadTime, &problem, "time_seconds");
            return Err(error.seeing(&seconds.to_string()));
        }
        keep.push(axis.push(row as u64 + 1, seconds, &seconds.to_string()));
    }
    trace.time_seconds = axis.finish(input.file, "time_seconds", &mut trace.warnings)?;
    if trace.time_seconds.is_empty() {
        return Err(bad(input, ReadErrorKind::NoRows, "there are no times", "time_seconds"));
    }
    let mut unknown = 0;
    for (name, values) in document.columns {
        if values.len() != keep.len() {
            let problem = format!("{} values for {} times", values.len(), keep.len());
            return Err(bad(input, ReadErrorKind::RaggedRow, &problem, &name));
        }
        let Some(column) = Column::from_header(&name) else {
            unknown += 1;
            if unknown <= MOST_UNKNOWN {
                trace.warnings.push(unknown_column(&name));
            }
            continue;
        };
        let mut kept = Vec::with_capacity(trace.time_seconds.len());
        for (row, value) in values.into_iter().enumerate().filter(|(row, _)| keep[*row]) {
            let value = value.unwrap_or(f64::NAN);
            if !(value.is_nan() || table::is_plausible(value)) {
                let problem = format!("a value that can't be in entry {row}");
                let error = bad(input, ReadErrorKind::BadNumber, &problem, &name);
                return Err(error.seeing(&value.to_string()));
            }
            kept.push(value);
        }
        trace.columns.insert(column, kept);
    }
    trace.warnings.extend(more_unknown_columns(unknown));
    if trace.columns.is_empty() {
        return Err(bad(
            input,
            ReadErrorKind::BadHeader,
            "no column holds a metric that Cotrace knows",
            "columns",
        ));
    }
    Ok(trace)
}

/// Writes the canonical JSON. See [`crate::canonical::write_json`].
pub(crate) fn write(trace: &Trace, mut out: impl io::Write) -> io::Result<()> {
    check_writable(trace)?;
    let document = Document {
        cotrace_trace: VERSION,
        name: trace.name.clone(),
        node: NodeDocument {
            cores: trace.capacity.cores,
            memory_bytes: trace.capacity.memory_bytes,
            disk_bytes_per_second: trace.capacity.disk_bytes_per_second,
            network_bytes_per_second: trace.capacity.network_bytes_per_second,
        },
        assumed: assumptions(trace).into_iter().map(str::to_owned).collect(),
        jobs: trace
            .jobs
            .iter()
            .map(|job| JobDocument {
                name: job.name.clone(),
                start_seconds: job.start_seconds,
                end_seconds: job.end_seconds,
            })
            .collect(),
        time_seconds: trace.time_seconds.clone(),
        columns: trace
            .columns
            .iter()
            .map(|(column, values)| {
                (column.header(), values.iter().map(|value| value.is_finite().then_some(*value)).collect())
            })
            .collect(),
    };
    serde_json::to_writer(&mut out, &document)?;
    out.write_all(b"\n")
}
