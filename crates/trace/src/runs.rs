//! Several solo runs of one job as one trace, with how far they differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Column, JobSpan, Metric, Trace, Warning};

/// The most rows of a mean.
const MAX_ROWS: usize = 1 << 20;

/// How far the runs differ that a trace is the mean of: [`Trace::runs`](Trace).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    /// How many.
    pub count: usize,
    /// The shortest one's duration.
    pub shortest_seconds: f64,
    /// The mean of their durations.
    pub mean_seconds: f64,
    /// The longest one's duration.
    pub longest_seconds: f64,
    /// By metric of the node: half the way from the lowest run to the highest one, as a share of their mean,
    /// over the whole run. Metrics that are zero throughout are left out.
    pub spread: BTreeMap<Metric, f64>,
}

/// Several runs as one. Series are `[time]`, as long as the trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Averaged {
    /// The mean of the runs.
    pub trace: Trace,
    /// The lowest run at each time.
    pub low: BTreeMap<Column, Vec<f64>>,
    /// The highest one.
    pub high: BTreeMap<Column, Vec<f64>>,
}

/// Why runs have no mean.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunsError {
    /// There are none.
    #[error("no runs to take the mean of")]
    None,
    /// One is empty.
    #[error("{name} has no duration")]
    Empty {
        /// Which.
        name: String,
    },
    /// They were measured on different nodes.
    #[error(
        "{first} was measured on {first_cores} cores and {second} on {second_cores}: their mean would mean nothing"
    )]
    Cores {
        /// One run.
        first: String,
        /// Another one.
        second: String,
        /// The node of the one.
        first_cores: f64,
        /// The node of the other.
        second_cores: f64,
    },
    /// One holds several jobs.
    #[error("{name} holds {jobs} jobs: it is no run of one job alone")]
    SeveralJobs {
        /// Which.
        name: String,
        /// How many.
        jobs: usize,
    },
}

/// Several solo runs of one job as one trace: their mean.
///
/// Each run's time is stretched or squeezed to the mean of all durations, so that the same part of the job meets
/// the same part; where a run says when its job started and ended, it is the time between. Then each metric is the
/// mean of the runs that know it, step by step, on the finest of the runs' steps. Values stay as they are, also in
/// a run that was squeezed: two busy cores stay two busy cores.
///
/// # Errors
/// [`RunsError`] if there are none, one is empty, or they are no runs of one job on one node.
pub fn average(runs: &[Trace]) -> Result<Averaged, RunsError> {
    let mut parts = runs.iter().map(solo_part).collect::<Result<Vec<Trace>, _>>()?;
    same_node(&mut parts)?;
    let Some(first) = parts.first() else {
        return Err(RunsError::None);
    };
    let durations: Vec<f64> = parts.iter().map(Trace::duration_seconds).collect();
    let mean_seconds = (durations.iter().sum::<f64>() / durations.len() as f64 * 1e6).round() / 1e6;
    let steps = parts
        .iter()
        .map(|run| run.duration_seconds() / run.step_seconds())
        .fold(1.0, f64::max)
        .round()
        .min(MAX_ROWS as f64) as usize;
    let grids: Vec<BTreeMap<Column, Vec<f64>>> = parts.iter().map(|run| run.in_parts(steps)).collect();

    let mut trace = Trace {
        name: common_name(&parts),
        capacity: parts.iter().fold(first.capacity, |capacity, run| capacity.or(run.capacity)),
        jobs: job(&parts, mean_seconds),
        time_seconds: (1..=steps)
            .map(|step| (step as f64 * mean_seconds / steps as f64 * 1e6).round() / 1e6)
            .collect(),
        format: first.format.clone(),
        assumed: first.assumed.clone(),
        step_assumed: parts.iter().all(|run| run.step_assumed),
        guess: first.guess.clone(),
        ..Trace::default()
    };
    for warning in parts.iter().flat_map(|run| &run.warnings) {
        let same = |other: &Warning| (other.kind, &other.message) == (warning.kind, &warning.message);
        if !trace.warnings.iter().any(same) {
            trace.warnings.push(warning.clone());
        }
    }
    let (mut low, mut high) = (BTreeMap::new(), BTreeMap::new());
    let mut spread = BTreeMap::new();
    let columns: BTreeSet<&Column> = grids.iter().flat_map(BTreeMap::keys).collect();
    for column in columns {
        let series: Vec<&Vec<f64>> = grids.iter().filter_map(|grid| grid.get(column)).collect();
        let bounds = Bounds::of(&series, steps);
        if let Some(share) = bounds.spread().filter(|_| column.job.is_none()) {
            spread.insert(column.metric, share);
        }
        let source = parts.iter().find_map(|run| run.provenance.get(column));
        let plural = if series.len() == 1 { "" } else { "s" };
        let mean_of = format!("mean of {} run{plural}", series.len());
        let source = source.map_or_else(|| mean_of.clone(), |source| format!("{source}, {mean_of}"));
        trace.provenance.insert(column.clone(), source);
        trace.columns.insert(column.clone(), bounds.mean);
        low.insert(column.clone(), bounds.low);
        high.insert(column.clone(), bounds.high);
    }
    trace.runs = Some(Runs {
        count: parts.len(),
        shortest_seconds: durations.iter().copied().fold(f64::INFINITY, f64::min),
        mean_seconds,
        longest_seconds: durations.iter().copied().fold(0.0, f64::max),
        spread,
    });
    Ok(Averaged { trace, low, high })
}

/// Mean, lowest and highest of several series, `[time]`.
struct Bounds {
    mean: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Bounds {
    fn of(series: &[&Vec<f64>], steps: usize) -> Bounds {
        let mut bounds = Bounds {
            mean: Vec::with_capacity(steps),
            low: Vec::with_capacity(steps),
            high: Vec::with_capacity(steps),
        };
        for step in 0..steps {
            let (mut sum, mut known) = (0.0, 0.0);
            let (mut low, mut high) = (f64::NAN, f64::NAN);
            for value in series.iter().filter_map(|values| values.get(step)).filter(|value| !value.is_nan()) {
                sum += value;
                known += 1.0;
                low = low.min(*value);
                high = high.max(*value);
            }
            bounds.mean.push(if known > 0.0 { sum / known } else { f64::NAN });
            bounds.low.push(low);
            bounds.high.push(high);
        }
        bounds
    }

    fn spread(&self) -> Option<f64> {
        let sum = |values: &[f64]| values.iter().filter(|value| value.is_finite()).sum::<f64>();
        let mean = sum(&self.mean);
        (mean > 0.0).then(|| (sum(&self.high) - sum(&self.low)) / 2.0 / mean)
    }
}

/// The time between the start and the end of its job, or all of it.
fn solo_part(run: &Trace) -> Result<Trace, RunsError> {
    let part = match run.jobs.as_slice() {
        [] => run.clone(),
        [job] => match (job.start_seconds, job.end_seconds) {
            (Some(start), Some(end)) if end > start => run.crop(start, end),
            _ => run.clone(),
        },
        jobs => return Err(RunsError::SeveralJobs { name: run.name.clone(), jobs: jobs.len() }),
    };
    if part.duration_seconds() > 0.0 && part.step_seconds() > 0.0 {
        Ok(part)
    } else {
        Err(RunsError::Empty { name: run.name.clone() })
    }
}

/// Sees to it that all runs have the same cores: those that assumed theirs take the number that another one knows.
pub(crate) fn same_node(runs: &mut [Trace]) -> Result<(), RunsError> {
    let stated = runs
        .iter()
        .find(|run| run.capacity.cores.is_some() && !run.cores_assumed())
        .or_else(|| runs.iter().find(|run| run.capacity.cores.is_some()));
    let Some((first, first_cores)) = stated.and_then(|run| Some((run.name.clone(), run.capacity.cores?)))
    else {
        return Ok(());
    };
    let known = stated.is_some_and(|run| !run.cores_assumed());
    for run in runs {
        let Some(cores) = run.capacity.cores else { continue };
        if run.cores_assumed() && known {
            run.state_cores(first_cores);
        } else if (cores - first_cores).abs() > 1e-6 * first_cores {
            let second = run.name.clone();
            return Err(RunsError::Cores { first, second, first_cores, second_cores: cores });
        }
    }
    Ok(())
}

/// The job, if all runs name the same one.
fn job(runs: &[Trace], end_seconds: f64) -> Vec<JobSpan> {
    let mut names = runs.iter().map(|run| run.jobs.first().map(|job| job.name.as_str()));
    match names.next().flatten() {
        Some(name) if names.all(|other| other == Some(name)) => {
            vec![JobSpan { name: name.to_owned(), start_seconds: Some(0.0), end_seconds: Some(end_seconds) }]
        }
        _ => Vec::new(),
    }
}

/// What the names of runs have in common, without the number at its end: `sort` for `sort-1` and `sort-2`.
fn common_name(runs: &[Trace]) -> String {
    let Some((first, others)) = runs.split_first() else {
        return String::new();
    };
    let mut end = first.name.len();
    for run in others {
        let common: usize = first
            .name
            .chars()
            .zip(run.name.chars())
            .take_while(|(a, b)| a == b)
            .map(|(c, _)| c.len_utf8())
            .sum();
        end = end.min(common);
    }
    if end == first.name.len() && runs.iter().all(|run| run.name.len() == end) {
        return first.name.clone();
    }
    let name = first.name[..end]
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .trim_end_matches(['-', '_', '.', ' ', '#', '(']);
    let name = ["run", "solo"].iter().fold(name, |name, word| {
        let rest = name.strip_suffix(word).map(|rest| rest.trim_end_matches(['-', '_', '.', ' ']));
        rest.filter(|rest| !rest.is_empty()).unwrap_or(name)
    });
    if name.is_empty() { first.name.clone() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_called_by_what_they_share() {
        let cases: &[(&[&str], &str)] = &[
            (&["sort-1", "sort-2"], "sort"),
            (&["solo_sort_0", "solo_sort_1", "solo_sort_12"], "solo_sort"),
            (&["sort", "sort"], "sort"),
            (&["sort2", "sort2"], "sort2"),
            (&["sort-run1", "sort-run2"], "sort"),
            (&["sort", "sort (1)"], "sort"),
            (&["a", "b"], "a"),
            (&["näme1", "nämf2"], "näm"),
            (&["one"], "one"),
        ];
        let wrong: Vec<String> = cases
            .iter()
            .filter_map(|(names, wanted)| {
                let runs: Vec<Trace> =
                    names.iter().map(|name| Trace { name: (*name).into(), ..Trace::default() }).collect();
                let found = common_name(&runs);
                (found != *wanted).then(|| format!("{names:?}: {found}, not {wanted}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
