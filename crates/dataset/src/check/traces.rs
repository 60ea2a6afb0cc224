//! The traces: there, readable, with the columns expected, and in agreement with the manifest.

use std::collections::BTreeMap;
use std::path::Path;

use cotrace_trace::{Column, Metric, Trace};

use super::Finding;
use super::sums::{self, RunSums};
use crate::read::read_trace;
use crate::{Manifest, Run};

/// Columns that the node of every run has, and each job.
const NODE_METRICS: [Metric; 4] =
    [Metric::CpuCores, Metric::MemoryBytes, Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond];
const JOB_METRICS: [Metric; 2] = [Metric::CpuCores, Metric::MemoryBytes];

/// A trace and the manifest may differ by so much about when a job ran.
const SAME_SECONDS: f64 = 0.01;

pub(super) fn check(folder: &Path, manifest: &Manifest) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut lacking: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut all_sums = Vec::new();
    for run in &manifest.runs {
        let trace = match read_trace(folder, &run.file, manifest.node_of(run.sitting)) {
            Ok(trace) => trace,
            Err(error) => {
                findings.push(Finding::error(format!("run {}", run.id), error.to_string()));
                continue;
            }
        };
        findings.extend(of_trace(manifest, run, &trace));
        for column in missing(run, &trace) {
            lacking.entry(column).or_default().push(&run.id);
        }
        all_sums.push(RunSums::of(run, &trace));
    }
    for (column, runs) in lacking {
        let (count, first) = (runs.len(), runs[0]);
        let what = format!("{count} traces have no column {column}, for example that of run {first}");
        // Without its CPU nothing can be learnt from a run; other columns may not be known from elsewhere.
        let needed = column.ends_with(Metric::CpuCores.name());
        findings.push(if needed { Finding::error("runs", what) } else { Finding::warning("runs", what) });
    }
    for calibration in &manifest.calibrations {
        if let Err(error) = read_trace(folder, &calibration.file, manifest.node_of(calibration.sitting)) {
            findings.push(Finding::error(&*calibration.file, error.to_string()));
        }
    }
    sums::relate(&mut all_sums);
    findings.extend(sums::findings(&all_sums));
    findings
}

/// Columns that a run's trace should have and lacks. Those of jobs are named without the job, so that they add up.
fn missing(run: &Run, trace: &Trace) -> Vec<String> {
    let of_node = NODE_METRICS.into_iter().map(|metric| (Column::node(metric), metric.name().to_owned()));
    let of_jobs = run.jobs.iter().flat_map(|job| {
        JOB_METRICS.map(|metric| (Column::job(&job.label, metric), format!("job.<name>.{}", metric.name())))
    });
    let mut names: Vec<String> = of_node
        .chain(of_jobs)
        .filter(|(column, _)| !trace.columns.contains_key(column))
        .map(|(_, name)| name)
        .collect();
    names.dedup();
    names
}

fn of_trace(manifest: &Manifest, run: &Run, trace: &Trace) -> Vec<Finding> {
    let place = || format!("run {}", run.id);
    let mut findings = Vec::new();
    if trace.format != "cotrace-csv" && trace.format != "cotrace-json" {
        let what = format!("{} is no canonical trace but {}", run.file, trace.format);
        findings.push(Finding::error(place(), what));
    }
    for warning in &trace.warnings {
        findings.push(Finding::warning(place(), format!("{}: {warning}", run.file)));
    }
    // The last interval may be rounded away.
    let end = trace.duration_seconds() + manifest.sample_seconds;
    for job in &run.jobs {
        if job.start_seconds < 0.0 || job.end_seconds > end {
            let (from, to) = (job.start_seconds, job.end_seconds);
            let what = format!(
                "job {} ran from {from} s to {to} s, outside its trace of {} s",
                job.label,
                trace.duration_seconds()
            );
            findings.push(Finding::error(place(), what));
        }
        let Some(span) = trace.jobs.iter().find(|span| span.name == job.label) else {
            findings.push(Finding::warning(place(), format!("its trace doesn't name job {}", job.label)));
            continue;
        };
        let differs =
            |there: Option<f64>, here: f64| there.is_some_and(|there| (there - here).abs() > SAME_SECONDS);
        if differs(span.start_seconds, job.start_seconds) || differs(span.end_seconds, job.end_seconds) {
            let what = format!("its trace and the manifest differ about when job {} ran", job.label);
            findings.push(Finding::error(place(), what));
        }
    }
    findings.extend(capacity(manifest, run, trace).map(|what| Finding::error(place(), what)));
    findings
}

/// Whether a trace says the capacity that its run had.
fn capacity(manifest: &Manifest, run: &Run, trace: &Trace) -> Option<String> {
    let whole = manifest.node_of(run.sitting).capacity;
    let cut = run.cut.as_ref();
    let expected = [
        ("cores", cut.and_then(|cut| cut.cores).or(whole.cores), trace.capacity.cores),
        (
            "bytes of memory",
            cut.and_then(|cut| cut.memory_bytes).or(whole.memory_bytes),
            trace.capacity.memory_bytes,
        ),
    ];
    expected.into_iter().find_map(|(unit, wanted, there)| {
        let (wanted, there) = (wanted?, there?);
        ((wanted - there).abs() > 0.01 * wanted)
            .then(|| format!("its trace says {there} {unit}, its node had {wanted}"))
    })
}
