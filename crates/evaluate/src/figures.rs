//! Figures about many forecasts.

use std::collections::BTreeMap;

use cotrace_trace::Metric;
use serde::{Deserialize, Serialize};

use crate::errors::{CaseFigures, MetricErrors};
use crate::rank;

/// What a forecast of one case counts for.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// How it did.
    pub figures: &'a CaseFigures,
    /// The jobs whose slowdowns and finish times count.
    pub jobs: &'a [usize],
    /// Whether its footprint counts.
    pub footprint: bool,
}

/// A mean and the standard deviation of what it is a mean of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation (population).
    pub deviation: f64,
}

impl Spread {
    /// Of some values. `None`: there are none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
        (!values.is_empty()).then_some(Spread { mean, deviation })
    }
}

/// A share of intervals that held what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Of so many.
    pub count: usize,
    /// The share, 0 to 1.
    pub share: f64,
    /// Mean width of the intervals, in the unit of the errors beside it.
    pub width: f64,
}

/// Means over cases, with their spread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Co-runs whose footprint was judged.
    pub runs: usize,
    /// Jobs of co-runs whose slowdown was judged.
    pub jobs: usize,
    /// The footprint error: the mean over CPU, memory, disk reads and disk writes of the mean absolute error per step,
    /// in percent of capacity.
    pub footprint_step_percent: Option<Spread>,
    /// The same of means over tenths of the time compared.
    pub footprint_tenths_percent: Option<Spread>,
    /// The same along the best alignment in time.
    pub footprint_warped_percent: Option<Spread>,
    /// Absolute error of slowdowns, in points.
    pub slowdown_points: Option<Spread>,
    /// Mean signed error of slowdowns, in points: forecasts are too high where it is above zero.
    pub slowdown_bias_points: Option<f64>,
    /// Rank correlation of forecast and measured slowdowns.
    pub slowdown_rank_correlation: Option<f64>,
    /// Absolute error of finish times in percent of the measured ones.
    pub finish_percent: Option<Spread>,
    /// Mean errors per metric.
    pub metrics: BTreeMap<Metric, MetricErrors>,
    /// How many of the 90 % intervals of slowdowns held the measured one; width in points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown_coverage: Option<Coverage>,
    /// How many of the 90 % intervals of tenths held the measured one, per metric; width in percent of capacity.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tenths_coverage: BTreeMap<Metric, Coverage>,
}

impl Figures {
    /// Means over entries.
    pub fn of(entries: &[Entry<'_>]) -> Figures {
        let footprints: Vec<&CaseFigures> =
            entries.iter().filter(|entry| entry.footprint).map(|entry| entry.figures).collect();
        let jobs: Vec<(&CaseFigures, usize)> =
            entries.iter().flat_map(|entry| entry.jobs.iter().map(|&job| (entry.figures, job))).collect();
        let footprint = |error: fn(&MetricErrors) -> f64| {
            Spread::of(&footprints.iter().filter_map(|figures| figures.footprint(error)).collect::<Vec<_>>())
        };
        let of_jobs = |value: &dyn Fn(&CaseFigures, usize) -> f64| -> Vec<f64> {
            jobs.iter().map(|(figures, job)| value(figures, *job)).collect()
        };
        let signed =
            of_jobs(&|figures, job| 100.0 * (figures.slowdowns[job] - figures.measured_slowdowns[job]));
        let pairs: Vec<(f64, f64)> = jobs
            .iter()
            .map(|(figures, job)| (figures.slowdowns[*job], figures.measured_slowdowns[*job]))
            .collect();
        Figures {
            runs: footprints.len(),
            jobs: jobs.len(),
            footprint_step_percent: footprint(|errors| errors.mae_step_percent),
            footprint_tenths_percent: footprint(|errors| errors.mae_tenths_percent),
            footprint_warped_percent: footprint(|errors| errors.warped_percent),
            slowdown_points: Spread::of(&of_jobs(&CaseFigures::slowdown_points)),
            slowdown_bias_points: Spread::of(&signed).map(|spread| spread.mean),
            slowdown_rank_correlation: rank::correlation(&pairs),
            finish_percent: Spread::of(&of_jobs(&CaseFigures::finish_percent)),
            metrics: per_metric(&footprints),
            slowdown_coverage: slowdown_coverage(&jobs),
            tenths_coverage: tenths_coverage(&footprints),
        }
    }
}

fn per_metric(footprints: &[&CaseFigures]) -> BTreeMap<Metric, MetricErrors> {
    let mut metrics: BTreeMap<Metric, Vec<MetricErrors>> = BTreeMap::new();
    for (metric, errors) in footprints.iter().flat_map(|figures| &figures.metrics) {
        metrics.entry(*metric).or_default().push(*errors);
    }
    metrics
        .into_iter()
        .map(|(metric, errors)| {
            let mean =
                |get: fn(&MetricErrors) -> f64| errors.iter().map(get).sum::<f64>() / errors.len() as f64;
            let errors = MetricErrors {
                mae_step_percent: mean(|error| error.mae_step_percent),
                rmse_step_percent: mean(|error| error.rmse_step_percent),
                mae_tenths_percent: mean(|error| error.mae_tenths_percent),
                warped_percent: mean(|error| error.warped_percent),
            };
            (metric, errors)
        })
        .collect()
}

fn slowdown_coverage(jobs: &[(&CaseFigures, usize)]) -> Option<Coverage> {
    let intervals: Vec<([f64; 2], f64)> = jobs
        .iter()
        .filter_map(|(figures, job)| {
            Some((*figures.intervals.as_ref()?.slowdowns.get(*job)?, figures.measured_slowdowns[*job]))
        })
        .collect();
    let inside = intervals.iter().filter(|([low, high], measured)| (low..=high).contains(&measured)).count();
    let width: f64 = intervals.iter().map(|([low, high], _)| 100.0 * (high - low)).sum();
    coverage(inside, intervals.len(), width)
}

fn tenths_coverage(footprints: &[&CaseFigures]) -> BTreeMap<Metric, Coverage> {
    let mut sums: BTreeMap<Metric, (usize, usize, f64)> = BTreeMap::new();
    let covered = footprints.iter().filter_map(|figures| figures.intervals.as_ref());
    for (metric, covered) in covered.flat_map(|intervals| &intervals.tenths) {
        let sum = sums.entry(*metric).or_default();
        sum.0 += covered.inside;
        sum.1 += covered.known;
        sum.2 += covered.width_percent * covered.known as f64;
    }
    sums.into_iter()
        .filter_map(|(metric, (inside, known, width))| Some((metric, coverage(inside, known, width)?)))
        .collect()
}

fn coverage(inside: usize, count: usize, widths: f64) -> Option<Coverage> {
    let n = count as f64;
    (count > 0).then(|| Coverage { count, share: inside as f64 / n, width: widths / n })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::{IntervalFigures, TenthsCovered};

    fn figures(footprint: f64, slowdowns: [f64; 2], measured: [f64; 2]) -> CaseFigures {
        let errors = MetricErrors {
            mae_step_percent: footprint,
            rmse_step_percent: footprint,
            mae_tenths_percent: footprint / 2.0,
            warped_percent: footprint / 4.0,
        };
        CaseFigures {
            run: "run".to_owned(),
            jobs: vec!["a".to_owned(), "b".to_owned()],
            metrics: [(Metric::CpuCores, errors), (Metric::LoopbackBytesPerSecond, errors)].into(),
            slowdowns: slowdowns.to_vec(),
            measured_slowdowns: measured.to_vec(),
            finish_seconds: slowdowns.map(|s| 10.0 * s).to_vec(),
            measured_finish_seconds: measured.map(|s| 10.0 * s).to_vec(),
            intervals: None,
            distance: None,
        }
    }

    #[test]
    fn means_over_what_counts() {
        let cases = [
            figures(4.0, [1.5, 1.0], [1.25, 1.0]),
            figures(8.0, [2.0, 9.9], [2.5, 1.0]),
            figures(99.0, [3.0, 3.0], [2.75, 3.0]),
        ];
        let entries = [
            Entry { figures: &cases[0], jobs: &[0, 1], footprint: true },
            Entry { figures: &cases[1], jobs: &[0], footprint: true },
            Entry { figures: &cases[2], jobs: &[0], footprint: false },
        ];
        let found = Figures::of(&entries);
        assert_eq!((found.runs, found.jobs), (2, 4));
        assert_eq!(found.footprint_step_percent, Some(Spread { mean: 6.0, deviation: 2.0 }));
        assert_eq!(found.footprint_tenths_percent.map(|spread| spread.mean), Some(3.0));
        // 25, 0, 50 and 25 points; signed 25, 0, -50 and 25.
        assert!((found.slowdown_points.unwrap().mean - 25.0).abs() < 1e-9);
        assert!(found.slowdown_bias_points.unwrap().abs() < 1e-9);
        assert!((found.finish_percent.unwrap().mean - (20.0 + 0.0 + 20.0 + 100.0 / 11.0) / 4.0).abs() < 1e-9);
        assert_eq!(found.slowdown_coverage, None);
    }

    #[test]
    fn coverage_of_intervals() {
        let mut case = figures(1.0, [1.5, 2.0], [1.4, 3.0]);
        case.intervals = Some(IntervalFigures {
            slowdowns: vec![[1.25, 1.75], [1.5, 2.5]],
            tenths: [(Metric::CpuCores, TenthsCovered { inside: 8, known: 10, width_percent: 20.0 })].into(),
        });
        let found = Figures::of(&[Entry { figures: &case, jobs: &[0, 1], footprint: true }]);
        assert_eq!(found.slowdown_coverage, Some(Coverage { count: 2, share: 0.5, width: 75.0 }));
        assert_eq!(found.tenths_coverage[&Metric::CpuCores], Coverage { count: 10, share: 0.8, width: 20.0 });
    }

    #[test]
    fn nothing_judged_is_unknown() {
        let found = Figures::of(&[]);
        assert_eq!((found.slowdown_points, found.footprint_step_percent), (None, None));
    }
}
