//! The noise floor: what one measurement says about another of the same runs.
//!
//! Two runs are the same if the same jobs ran in the same order with the same offsets on a node cut in the same way.
//! Every two of them are compared. A forecast that is off by no more than the figures here can't be told from a second
//! measurement.

use std::collections::BTreeMap;

use cotrace_trace::{Column, Metric, Trace};

use crate::{DataSet, Run, RunKind, Slowdowns, Stats};

/// Entries of the grid by share of the makespan.
const TENTHS: usize = 10;
/// Step of the grid by time.
const STEP_SECONDS: f64 = 2.0;

/// Which measurements were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Between {
    /// Solo runs, or co-runs.
    pub kind: Alone,
    /// Both of one sitting, or of two.
    pub sittings: Sittings,
}

/// Whether a job was alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alone {
    /// Solo runs.
    Solo,
    /// Co-runs.
    Corun,
}

/// Whether two measurements are of one sitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sittings {
    /// Both are.
    Same,
    /// They are of two.
    Different,
}

impl Between {
    /// Each of the four.
    pub const ALL: [Between; 4] = [
        Between { kind: Alone::Solo, sittings: Sittings::Same },
        Between { kind: Alone::Solo, sittings: Sittings::Different },
        Between { kind: Alone::Corun, sittings: Sittings::Same },
        Between { kind: Alone::Corun, sittings: Sittings::Different },
    ];

    /// What people call it.
    pub fn title(self) -> &'static str {
        match (self.kind, self.sittings) {
            (Alone::Solo, Sittings::Same) => "alone, one sitting",
            (Alone::Solo, Sittings::Different) => "alone, two sittings",
            (Alone::Corun, Sittings::Same) => "together, one sitting",
            (Alone::Corun, Sittings::Different) => "together, two sittings",
        }
    }

    fn of(a: &Run, b: &Run) -> Between {
        Between {
            kind: if a.kind == RunKind::Solo { Alone::Solo } else { Alone::Corun },
            sittings: if a.sitting == b.sitting { Sittings::Same } else { Sittings::Different },
        }
    }
}

/// How two footprints are laid over each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lay {
    /// Each run in tenths of its makespan: shapes are compared, durations aren't.
    Tenths,
    /// In steps of 2 s from the start, as far as both runs go.
    Seconds,
}

/// Whose footprint, of which metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Footprint {
    /// What is measured.
    pub metric: Metric,
    /// One job's part, or the node's.
    pub of_job: bool,
    /// How the two are laid over each other.
    pub lay: Lay,
    /// Which measurements.
    pub between: Between,
}

/// A slowdown measured twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Twice {
    /// The job's name.
    pub job: String,
    /// The earlier run's id and the later one's.
    pub runs: [String; 2],
    /// The job's slowdown in each.
    pub slowdowns: [f64; 2],
    /// Whether both are of one sitting.
    pub sittings: Sittings,
}

/// The noise floor of a data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noise {
    /// Every slowdown of a co-run that was measured more than once, each two of its measurements.
    pub twice: Vec<Twice>,
    /// Differences of durations in percent of the mean of the two.
    pub durations: BTreeMap<Between, Vec<f64>>,
    /// Mean absolute differences of footprints, one for each two runs (and job), in percent of the capacity; of
    /// metrics without one, in percent of the larger run's mean.
    pub footprints: BTreeMap<Footprint, Vec<f64>>,
}

impl Noise {
    /// Compares every two undisturbed measurements of the same. Disturbed runs are left out.
    pub fn of(data: &DataSet) -> Noise {
        let slowdowns = Slowdowns::of(&data.manifest);
        let mut noise = Noise::default();
        for repeats in repeats(data) {
            let grids: Vec<[Grid; 2]> = repeats
                .iter()
                .map(|(_, trace)| [Grid::of(trace, Lay::Tenths), Grid::of(trace, Lay::Seconds)])
                .collect();
            for later in 1..repeats.len() {
                for earlier in 0..later {
                    let runs = [repeats[earlier].0, repeats[later].0];
                    noise.compare_times(runs, &slowdowns);
                    for (a, b) in grids[earlier].iter().zip(&grids[later]) {
                        noise.compare_footprints(Between::of(runs[0], runs[1]), a, b);
                    }
                }
            }
        }
        noise
    }

    /// What one measured slowdown says about another: absolute differences in points (0.01 of a slowdown).
    pub fn slowdown_points(&self, sittings: Sittings) -> Option<Stats> {
        let of_these = self.twice.iter().filter(|twice| twice.sittings == sittings);
        Stats::of(of_these.map(|twice| 100.0 * (twice.slowdowns[0] - twice.slowdowns[1]).abs()))
    }

    /// What one measured duration says about another, in percent.
    pub fn duration_percent(&self, between: Between) -> Option<Stats> {
        Stats::of(self.durations.get(&between)?.iter().copied())
    }

    /// What one measured footprint says about another, in percent.
    pub fn footprint_percent(&self, footprint: Footprint) -> Option<Stats> {
        Stats::of(self.footprints.get(&footprint)?.iter().copied())
    }

    fn compare_times(&mut self, runs: [&Run; 2], slowdowns: &Slowdowns<'_>) {
        let between = Between::of(runs[0], runs[1]);
        let measured = runs.map(|run| slowdowns.of_run(run));
        for (index, job) in runs[0].jobs.iter().enumerate() {
            let seconds = runs.map(|run| run.jobs[index].seconds());
            let percent = 200.0 * (seconds[0] - seconds[1]).abs() / (seconds[0] + seconds[1]);
            self.durations.entry(between).or_default().push(percent);
            if between.kind == Alone::Corun
                && let (Some(first), Some(second)) = (measured[0][index], measured[1][index])
            {
                self.twice.push(Twice {
                    job: job.name.clone(),
                    runs: runs.map(|run| run.id.clone()),
                    slowdowns: [first, second],
                    sittings: between.sittings,
                });
            }
        }
    }

    fn compare_footprints(&mut self, between: Between, a: &Grid, b: &Grid) {
        for (column, values) in &a.columns {
            let Some(others) = b.columns.get(column) else { continue };
            let Some(percent) = difference_percent(values, others, a.capacity(column.metric)) else {
                continue;
            };
            let (metric, of_job) = (column.metric, column.job.is_some());
            let footprint = Footprint { metric, of_job, lay: a.lay, between };
            self.footprints.entry(footprint).or_default().push(percent);
        }
    }
}

/// The undisturbed runs in groups of the same, those with at least two, in the manifest's order.
pub(crate) fn repeats(data: &DataSet) -> Vec<Vec<(&Run, &Trace)>> {
    let mut groups: BTreeMap<String, Vec<(&Run, &Trace)>> = BTreeMap::new();
    for (run, trace) in data.runs().filter(|(run, _)| !run.disturbed) {
        groups.entry(same(run)).or_default().push((run, trace));
    }
    groups.into_values().filter(|runs| runs.len() > 1).collect()
}

/// What two runs of the same have in common: jobs, offsets and cut.
pub fn same(run: &Run) -> String {
    let jobs: Vec<String> =
        run.jobs.iter().map(|job| format!("{}@{}", job.name, job.offset_seconds)).collect();
    format!("{}|{}", jobs.join("+"), run.cut_name().unwrap_or_default())
}

/// A trace on one of the two grids.
struct Grid {
    lay: Lay,
    columns: BTreeMap<Column, Vec<f32>>,
    capacity: cotrace_trace::Capacity,
}

impl Grid {
    fn of(trace: &Trace, lay: Lay) -> Grid {
        let step = match lay {
            Lay::Tenths => trace.duration_seconds() / TENTHS as f64,
            Lay::Seconds => STEP_SECONDS,
        };
        Grid { lay, columns: trace.regrid_columns(step, trace.columns.keys()), capacity: trace.capacity }
    }

    fn capacity(&self, metric: Metric) -> Option<f64> {
        metric.capacity(&self.capacity)
    }
}

/// Mean absolute difference over the steps known in both, in percent of `capacity` or else of the larger mean.
/// `None`: no step is known in both.
fn difference_percent(a: &[f32], b: &[f32], capacity: Option<f64>) -> Option<f64> {
    let known: Vec<(f64, f64)> = a
        .iter()
        .zip(b)
        .map(|(a, b)| (f64::from(*a), f64::from(*b)))
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .collect();
    let count = known.len() as f64;
    let mean = |values: &dyn Fn(&(f64, f64)) -> f64| known.iter().map(values).sum::<f64>() / count;
    let difference = mean(&|(a, b)| (a - b).abs());
    let whole = capacity.unwrap_or_else(|| mean(&|(a, _)| *a).max(mean(&|(_, b)| *b)));
    match (known.is_empty(), difference == 0.0) {
        (true, _) => None,
        // Two runs without any of it don't differ.
        (false, true) => Some(0.0),
        (false, false) => Some(100.0 * difference / whole),
    }
}

#[cfg(test)]
mod tests;
