//! Whether one forecaster does better than another, or only did on these jobs.

use std::collections::BTreeMap;

use cotrace_dataset::Random;
use serde::{Deserialize, Serialize};

use crate::figures::Entry;

/// Samples of jobs drawn.
const DRAWS: usize = 4000;

/// An error that two forecasters are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The footprint error per step, in percent of capacity.
    FootprintStepPercent,
    /// The footprint error of tenths, in percent of capacity.
    FootprintTenthsPercent,
    /// The error of slowdowns, in points.
    SlowdownPoints,
    /// The error of finish times, in percent.
    FinishPercent,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 4] = [
        Measure::FootprintStepPercent,
        Measure::FootprintTenthsPercent,
        Measure::SlowdownPoints,
        Measure::FinishPercent,
    ];

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Measure::FootprintStepPercent => "footprint per step, % of capacity",
            Measure::FootprintTenthsPercent => "footprint per tenth, % of capacity",
            Measure::SlowdownPoints => "slowdown, points",
            Measure::FinishPercent => "finish time, %",
        }
    }

    /// The errors of an entry, by the run and what of it they are of.
    fn errors<'a>(self, entry: &Entry<'a>) -> Vec<(Key<'a>, f64)> {
        let figures = entry.figures;
        let footprint = |value: Option<f64>| -> Vec<(Key<'a>, f64)> {
            value
                .filter(|_| entry.footprint)
                .map(|value| ((&*figures.run, None), value))
                .into_iter()
                .collect()
        };
        let jobs = |value: &dyn Fn(usize) -> f64| -> Vec<(Key<'a>, f64)> {
            entry.jobs.iter().map(|&job| ((&*figures.run, Some(job)), value(job))).collect()
        };
        match self {
            Measure::FootprintStepPercent => footprint(figures.footprint(|errors| errors.mae_step_percent)),
            Measure::FootprintTenthsPercent => {
                footprint(figures.footprint(|errors| errors.mae_tenths_percent))
            }
            Measure::SlowdownPoints => jobs(&|job| figures.slowdown_points(job)),
            Measure::FinishPercent => jobs(&|job| figures.finish_percent(job)),
        }
    }
}

/// A run and, where the error is of one, a job of it.
type Key<'a> = (&'a str, Option<usize>);

/// How much larger the errors of one forecaster are than those of another on the same cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Which error.
    pub measure: Measure,
    /// The forecaster.
    pub of: String,
    /// The one it is compared with.
    pub than: String,
    /// Mean error of the one minus that of the other: below zero it does better.
    pub mean: f64,
    /// 95 % of samples of jobs have their difference in here.
    pub interval: [f64; 2],
    /// How many jobs there are to sample from.
    pub jobs: usize,
}

impl Difference {
    /// Compares two forecasters, each with one set of entries for each seed. Errors are means over seeds; cases that only
    /// one of them forecast are left out. The interval comes from samples of the jobs, with replacement: a case counts
    /// as often as the product of how often its jobs were drawn, since cases that share a job are not independent.
    /// `None`: there is nothing to compare.
    pub fn between(
        measure: Measure,
        (of, ours): (&str, &[Vec<Entry<'_>>]),
        (than, theirs): (&str, &[Vec<Entry<'_>>]),
    ) -> Option<Difference> {
        let (ours, theirs) = (means(measure, ours), means(measure, theirs));
        let mut names: Vec<&str> = Vec::new();
        let mut rows: Vec<(Vec<usize>, f64)> = Vec::new();
        for (key, (error, jobs)) in &ours {
            let Some((other, _)) = theirs.get(key) else { continue };
            let indices = jobs
                .iter()
                .map(|job| {
                    names.iter().position(|name| name == job).unwrap_or_else(|| {
                        names.push(job);
                        names.len() - 1
                    })
                })
                .collect();
            rows.push((indices, error - other));
        }
        let mean = |weights: &[f64]| {
            let (sum, weight) = rows.iter().fold((0.0, 0.0), |(sum, weight), (jobs, difference)| {
                let own: f64 = jobs.iter().map(|&job| weights[job]).product();
                (sum + own * difference, weight + own)
            });
            (weight > 0.0).then(|| sum / weight)
        };
        let observed = mean(&vec![1.0; names.len()])?;
        let mut random = Random::of(1, "bootstrap");
        let mut drawn: Vec<f64> = (0..DRAWS)
            .filter_map(|_| {
                let mut weights = vec![0.0; names.len()];
                for _ in 0..names.len() {
                    weights[random.below(names.len())] += 1.0;
                }
                mean(&weights)
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        let at = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
        let interval = if drawn.is_empty() { [observed; 2] } else { [at(0.025), at(0.975)] };
        Some(Difference {
            measure,
            of: of.to_owned(),
            than: than.to_owned(),
            mean: observed,
            interval,
            jobs: names.len(),
        })
    }

    /// Whether the interval leaves no doubt about who does better.
    pub fn is_clear(&self) -> bool {
        self.interval[0] > 0.0 || self.interval[1] < 0.0
    }
}

/// The mean error over seeds of each thing judged, with the names of the run's jobs, each once.
fn means<'a>(measure: Measure, seeds: &[Vec<Entry<'a>>]) -> BTreeMap<Key<'a>, (f64, Vec<&'a str>)> {
    let mut sums: BTreeMap<Key<'a>, (f64, usize, Vec<&'a str>)> = BTreeMap::new();
    for entry in seeds.iter().flatten() {
        let mut jobs: Vec<&str> = entry.figures.jobs.iter().map(String::as_str).collect();
        jobs.sort_unstable();
        jobs.dedup();
        for (key, error) in measure.errors(entry) {
            let sum = sums.entry(key).or_insert((0.0, 0, jobs.clone()));
            sum.0 += error;
            sum.1 += 1;
        }
    }
    sums.into_iter().map(|(key, (sum, count, jobs))| (key, (sum / count as f64, jobs))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::CaseFigures;

    /// All pairs of `jobs` jobs, with errors in points by job.
    fn pairs(jobs: usize, points: impl Fn(usize, usize) -> f64) -> Vec<CaseFigures> {
        let mut cases = Vec::new();
        for a in 0..jobs {
            for b in a + 1..jobs {
                cases.push(CaseFigures {
                    run: format!("{a}-{b}"),
                    jobs: vec![a.to_string(), b.to_string()],
                    metrics: BTreeMap::new(),
                    slowdowns: vec![1.0 + points(a, b) / 100.0, 1.0 + points(b, a) / 100.0],
                    measured_slowdowns: vec![1.0; 2],
                    finish_seconds: vec![1.0; 2],
                    measured_finish_seconds: vec![1.0; 2],
                    intervals: None,
                    distance: None,
                });
            }
        }
        cases
    }

    fn entries(cases: &[CaseFigures]) -> Vec<Entry<'_>> {
        cases.iter().map(|figures| Entry { figures, jobs: &[0, 1], footprint: true }).collect()
    }

    fn compare(ours: &[&[CaseFigures]], theirs: &[CaseFigures]) -> Option<Difference> {
        let ours: Vec<_> = ours.iter().map(|cases| entries(cases)).collect();
        Difference::between(Measure::SlowdownPoints, ("ours", &ours), ("theirs", &[entries(theirs)]))
    }

    #[test]
    fn a_steady_difference_is_clear_and_one_that_hangs_on_a_job_is_not() {
        let theirs = pairs(12, |a, b| 10.0 + (a + b) as f64);
        let steady = compare(&[&pairs(12, |a, b| 7.0 + (a + b) as f64)], &theirs).unwrap();
        assert!((steady.mean + 3.0).abs() < 1e-9, "{steady:?}");
        assert!(steady.is_clear() && steady.jobs == 12, "{steady:?}");
        // All of the gain comes from one job of twelve, which a third of the samples lack.
        let lucky = pairs(12, |a, b| if a == 3 { 0.0 } else { 10.0 + (a + b) as f64 + 0.3 });
        let lucky = compare(&[&lucky], &theirs).unwrap();
        assert!(lucky.mean < 0.0 && !lucky.is_clear(), "{lucky:?}");
    }

    #[test]
    fn seeds_are_averaged_and_only_common_cases_compared() {
        let theirs = pairs(4, |_, _| 10.0);
        let (first, second) = (pairs(4, |_, _| 6.0), pairs(4, |_, _| 8.0));
        let found = compare(&[&first, &second], &theirs[..3]).unwrap();
        assert!((found.mean + 3.0).abs() < 1e-9, "{found:?}");
        assert_eq!(compare(&[&first], &[]), None);
    }
}
