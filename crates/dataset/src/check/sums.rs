//! What the jobs of a run used, against what its node used.

use std::collections::BTreeMap;

use cotrace_trace::{Metric, Trace};

use super::Finding;
use crate::stats::median;
use crate::{DataSet, Run};

/// Within so many percent jobs and node agree.
const AGREE_PERCENT: f64 = 5.0;
/// With less than this, the node's disk was hardly used.
const LEAST_DISK_BYTES_PER_SECOND: f64 = 1e6;
/// How many of the worst runs are named.
const NAMED: usize = 5;

/// A mean over a run: of the node, and of its jobs together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// The node's.
    pub node: f64,
    /// The jobs' together.
    pub jobs: f64,
}

/// What the jobs of one run used against its node, means over the run in each metric's unit. What the trace doesn't
/// say isn't in it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSums {
    /// The run.
    pub id: String,
    /// Its sitting.
    pub sitting: u32,
    /// CPU, memory, disk reads and disk writes. To the jobs' memory is added what is in use when nothing runs.
    pub means: BTreeMap<Metric, Means>,
    /// The least memory in use that is no job's, in bytes.
    pub idle_memory_bytes: Option<f64>,
}

/// What is added up.
pub const METRICS: [Metric; 4] =
    [Metric::CpuCores, Metric::MemoryBytes, Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond];

/// Adds up every run of a data set.
pub fn of(data: &DataSet) -> Vec<RunSums> {
    let mut sums: Vec<RunSums> = data.runs().map(|(run, trace)| RunSums::of(run, trace)).collect();
    relate(&mut sums);
    sums
}

/// Adds to the jobs' memory what the median run of their sitting found in use by nobody.
pub(super) fn relate(sums: &mut [RunSums]) {
    let mut idle: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for run in &*sums {
        idle.entry(run.sitting).or_default().extend(run.idle_memory_bytes);
    }
    for run in sums {
        if let (Some(idle), Some(means)) =
            (median(&idle[&run.sitting]), run.means.get_mut(&Metric::MemoryBytes))
        {
            means.jobs += idle;
        }
    }
}

impl RunSums {
    /// Adds up one run; the jobs' memory is still without what else is in use.
    pub(super) fn of(run: &Run, trace: &Trace) -> RunSums {
        let mut sums = RunSums {
            id: run.id.clone(),
            sitting: run.sitting,
            means: BTreeMap::new(),
            idle_memory_bytes: None,
        };
        for metric in METRICS {
            let rows = rows(run, trace, metric);
            let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
            if seconds > 0.0 {
                let mean = |of: &dyn Fn(&Row) -> f64| {
                    rows.iter().map(|row| of(row) * row.seconds).sum::<f64>() / seconds
                };
                sums.means.insert(metric, Means { node: mean(&|row| row.node), jobs: mean(&|row| row.jobs) });
            }
            if metric == Metric::MemoryBytes {
                sums.idle_memory_bytes = rows.iter().map(|row| row.node - row.jobs).reduce(f64::min);
            }
        }
        sums
    }

    /// The jobs' part of a metric in percent of the node's. `None`: not known, or too little to say.
    pub fn percent(&self, metric: Metric) -> Option<f64> {
        let means = self.means.get(&metric)?;
        let least = match metric {
            Metric::CpuCores | Metric::MemoryBytes => 0.0,
            _ => LEAST_DISK_BYTES_PER_SECOND,
        };
        (means.node > least).then(|| 100.0 * means.jobs / means.node)
    }
}

/// One row of a trace.
struct Row {
    seconds: f64,
    node: f64,
    jobs: f64,
}

/// The rows in which the node's part and every job's are known.
fn rows(run: &Run, trace: &Trace, metric: Metric) -> Vec<Row> {
    let jobs: Option<Vec<&[f64]>> = run.jobs.iter().map(|job| trace.job(&job.label, metric)).collect();
    let (Some(node), Some(jobs)) = (trace.node(metric), jobs) else { return Vec::new() };
    let row = |row: usize| {
        let (from, to) = trace.interval(row)?;
        let jobs = jobs.iter().map(|values| values[row]).sum::<f64>();
        (node[row].is_finite() && jobs.is_finite()).then_some(Row {
            seconds: to - from,
            node: node[row],
            jobs,
        })
    };
    (0..trace.time_seconds.len()).filter_map(row).collect()
}

/// The runs farthest from 100 %, worst first.
pub fn worst(sums: &[RunSums], metric: Metric) -> Vec<(&RunSums, f64)> {
    let mut runs: Vec<(&RunSums, f64)> =
        sums.iter().filter_map(|run| Some((run, run.percent(metric)?))).collect();
    runs.sort_by(|a, b| (b.1 - 100.0).abs().total_cmp(&(a.1 - 100.0).abs()));
    runs
}

/// Whether jobs and node agree about a metric.
pub fn agree(percent: f64) -> bool {
    (percent - 100.0).abs() <= AGREE_PERCENT
}

pub(super) fn findings(sums: &[RunSums]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for metric in METRICS {
        let runs = worst(sums, metric);
        let all = runs.len();
        let off: Vec<_> = runs.into_iter().filter(|(_, percent)| !agree(*percent)).collect();
        let named: Vec<String> =
            off.iter().take(NAMED).map(|(run, percent)| format!("{} {percent:.0} %", run.id)).collect();
        if !off.is_empty() {
            let what = format!(
                "{}: in {} of {all} runs the jobs' sum is not within {AGREE_PERCENT} % of the node's; worst: {}",
                metric.name(),
                off.len(),
                named.join(", ")
            );
            // A job's disk traffic may be counted where it asks for it, the node's where it happens.
            let counts_alike = matches!(metric, Metric::CpuCores | Metric::MemoryBytes);
            findings.push(if counts_alike {
                Finding::warning("runs", what)
            } else {
                Finding::note("runs", what)
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{run, trace};

    #[test]
    fn jobs_against_node() {
        let run = run(&[("a", 4.0), ("b", 2.0)]).0;
        let mut measured = trace(&run);
        // The node used a core more in one of four seconds.
        measured.columns.get_mut(&cotrace_trace::Column::node(Metric::CpuCores)).unwrap()[3] += 1.0;
        let mut sums = [RunSums::of(&run, &measured)];
        assert_eq!(sums[0].idle_memory_bytes, Some(5e8));
        relate(&mut sums);
        let percent = sums[0].percent(Metric::CpuCores).unwrap();
        assert!((percent - 100.0 * 6.0 / 7.0).abs() < 1e-9, "{percent}");
        assert_eq!(sums[0].percent(Metric::MemoryBytes), Some(100.0));
        // Nothing was read: there is nothing to compare.
        assert_eq!(sums[0].percent(Metric::DiskReadBytesPerSecond), None);
        let findings = findings(&sums);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].what.starts_with("cpu_cores: in 1 of 1 runs"), "{}", findings[0].what);
    }
}
