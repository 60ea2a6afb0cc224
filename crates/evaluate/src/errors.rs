//! What one forecast of one measured co-run got right and wrong.

use std::collections::BTreeMap;

use cotrace_forecast::{Outcome, share_unit};
use cotrace_trace::Metric;
use serde::{Deserialize, Serialize};

use crate::{Case, Prediction};

/// Metrics whose errors make the footprint error: those with a capacity that batch jobs compete for.
pub const FOOTPRINT: [Metric; 4] =
    [Metric::CpuCores, Metric::MemoryBytes, Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond];

/// Parts of the time compared, over which means are compared.
const TENTHS: usize = 10;

/// How far time may be warped, as a share of the longer series.
const WARP: f64 = 0.2;

/// Errors of one metric's footprint, in percent of the node's capacity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricErrors {
    /// Mean absolute error over grid steps.
    pub mae_step_percent: f64,
    /// Root mean square error over grid steps.
    pub rmse_step_percent: f64,
    /// Mean absolute error of means over tenths of the time compared.
    pub mae_tenths_percent: f64,
    /// Mean absolute difference along the best alignment of the two series (dynamic time warping, Sakoe and Chiba 1978,
    /// by no more than a fifth of the longer one): whether the shape is right where the time is not.
    pub warped_percent: f64,
}

/// What one forecast of one measured co-run got right and wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseFigures {
    /// The co-run.
    pub run: String,
    /// The names of its jobs.
    pub jobs: Vec<String>,
    /// Errors per metric. The time compared is from the first start to the later of forecast and measured end.
    pub metrics: BTreeMap<Metric, MetricErrors>,
    /// Forecast slowdowns, `[jobs]`.
    pub slowdowns: Vec<f64>,
    /// Measured slowdowns, `[jobs]`: see [`Case::slowdowns`].
    pub measured_slowdowns: Vec<f64>,
    /// Forecast finish times, `[jobs]`.
    pub finish_seconds: Vec<f64>,
    /// Measured finish times, `[jobs]`.
    pub measured_finish_seconds: Vec<f64>,
    /// The forecast's 90 % intervals, if it gave any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<IntervalFigures>,
    /// How many times farther off the forecast may be than others, as the method reckons it, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
}

/// How a forecast's 90 % intervals did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalFigures {
    /// The intervals of the slowdowns, `[jobs]`.
    pub slowdowns: Vec<[f64; 2]>,
    /// Per metric, how many of the tenths lay in their interval, of how many, and its width in percent of capacity.
    pub tenths: BTreeMap<Metric, TenthsCovered>,
}

/// Tenths of one co-run inside their intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenthsCovered {
    /// Inside.
    pub inside: usize,
    /// Known.
    pub known: usize,
    /// Width of the interval.
    pub width_percent: f64,
}

impl CaseFigures {
    /// Judges a forecast.
    pub fn judge(case: &Case, prediction: &Prediction) -> CaseFigures {
        let outcome = &prediction.outcome;
        let mut metrics = BTreeMap::new();
        let mut tenths_covered = BTreeMap::new();
        for (&metric, forecast) in &outcome.totals {
            let Some(errors) = forecast_minus_measured(case, outcome, metric) else { continue };
            let unit = share_unit(metric, &case.scene.node);
            let share = |values: &[f64]| -> Vec<f64> { values.iter().map(|value| value / unit).collect() };
            let measured = share(&case.truth.totals[&metric]);
            let Some(found) = metric_errors(&errors, &share(forecast), &measured) else { continue };
            metrics.insert(metric, found);
            if let Some(half) =
                prediction.intervals.as_ref().and_then(|intervals| intervals.tenth_half_widths.get(&metric))
            {
                let tenths = tenths(&errors);
                tenths_covered.insert(
                    metric,
                    TenthsCovered {
                        inside: tenths.iter().filter(|error| error.abs() <= half / unit).count(),
                        known: tenths.len(),
                        width_percent: 200.0 * half / unit,
                    },
                );
            }
        }
        CaseFigures {
            run: case.run.clone(),
            jobs: case.jobs.clone(),
            metrics,
            slowdowns: case.slowdowns_of(&outcome.finish_seconds),
            measured_slowdowns: case.slowdowns(),
            finish_seconds: outcome.finish_seconds.clone(),
            measured_finish_seconds: case.truth.finish_seconds.clone(),
            intervals: prediction.intervals.as_ref().map(|intervals| IntervalFigures {
                slowdowns: intervals.slowdowns.clone(),
                tenths: tenths_covered,
            }),
            distance: prediction.distance,
        }
    }

    /// The mean over CPU, memory, disk reads and disk writes of one kind of error. `None`: none of them is known.
    pub fn footprint(&self, error: impl Fn(&MetricErrors) -> f64) -> Option<f64> {
        let values: Vec<f64> =
            FOOTPRINT.iter().filter_map(|metric| self.metrics.get(metric)).map(error).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Absolute error of a job's slowdown, in points.
    pub fn slowdown_points(&self, job: usize) -> f64 {
        100.0 * (self.slowdowns[job] - self.measured_slowdowns[job]).abs()
    }

    /// Absolute error of a job's finish time, in percent of the measured one.
    pub fn finish_percent(&self, job: usize) -> f64 {
        let measured = self.measured_finish_seconds[job];
        100.0 * (self.finish_seconds[job] - measured).abs() / measured
    }
}

/// Forecast minus measured of one metric in shares, step by step. `None`: it was not measured or not forecast.
pub(crate) fn forecast_minus_measured(
    case: &Case,
    outcome: &Outcome,
    metric: Metric,
) -> Option<Vec<Option<f64>>> {
    let (forecast, measured) = (outcome.totals.get(&metric)?, case.truth.totals.get(&metric)?);
    let idle = case.scene.background.get(&metric).copied().unwrap_or(0.0);
    let unit = share_unit(metric, &case.scene.node);
    let errors = errors(forecast, measured, idle);
    Some(errors.into_iter().map(|error| error.map(|error| error / unit)).collect())
}

/// Forecast minus measured, step by step; `None` where nothing was measured. Beyond the end of either series
/// the node is idle.
fn errors(forecast: &[f64], measured: &[f64], idle: f64) -> Vec<Option<f64>> {
    (0..measured.len().max(forecast.len()))
        .map(|k| {
            let forecast = forecast.get(k).copied().unwrap_or(idle);
            let measured = measured.get(k).copied().unwrap_or(idle);
            measured.is_finite().then_some(forecast - measured)
        })
        .collect()
}

/// Means of the errors over tenths of the time; tenths of which nothing is known are left out.
pub(crate) fn tenths(errors: &[Option<f64>]) -> Vec<f64> {
    (0..TENTHS)
        .filter_map(|tenth| {
            let range = errors.len() * tenth / TENTHS..errors.len() * (tenth + 1) / TENTHS;
            let part: Vec<f64> = errors[range].iter().flatten().copied().collect();
            (!part.is_empty()).then(|| part.iter().sum::<f64>() / part.len() as f64)
        })
        .collect()
}

/// `None`: nothing was measured.
fn metric_errors(errors: &[Option<f64>], forecast: &[f64], measured: &[f64]) -> Option<MetricErrors> {
    let known: Vec<f64> = errors.iter().flatten().copied().collect();
    if known.is_empty() {
        return None;
    }
    let mean = |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count as f64;
    let tenths = tenths(errors);
    Some(MetricErrors {
        mae_step_percent: 100.0 * mean(&mut known.iter().map(|error| error.abs()), known.len()),
        rmse_step_percent: 100.0 * mean(&mut known.iter().map(|error| error * error), known.len()).sqrt(),
        mae_tenths_percent: 100.0 * mean(&mut tenths.iter().map(|error| error.abs()), tenths.len()),
        warped_percent: 100.0 * warped(forecast, measured),
    })
}

/// Mean absolute difference along the cheapest alignment of two series. Steps of which nothing was measured are left
/// out. Zero if one is empty.
fn warped(a: &[f64], b: &[f64]) -> f64 {
    let b: Vec<f64> = b.iter().copied().filter(|value| value.is_finite()).collect();
    let (n, m) = (a.len(), b.len());
    if n == 0 || m == 0 {
        return 0.0;
    }
    // The band follows the straight line from corner to corner, so that series of different lengths meet at the end.
    let width = ((WARP * n.max(m) as f64).ceil() as usize).max(1);
    // Cost so far and length of the way there; of equally cheap ways any will do.
    let mut before = vec![(f64::INFINITY, 0usize); m + 1];
    before[0] = (0.0, 0);
    for (i, &value) in a.iter().enumerate() {
        let mut now = vec![(f64::INFINITY, 0usize); m + 1];
        let (from, to) = ((i * m) / n, ((i + 1) * m).div_ceil(n));
        for j in from.saturating_sub(width)..(to + width).min(m) {
            let (cost, length) = [before[j], before[j + 1], now[j]]
                .into_iter()
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap_or((f64::INFINITY, 0));
            now[j + 1] = (cost + (value - b[j]).abs(), length + 1);
        }
        before = now;
    }
    let (cost, length) = before[m];
    cost / length.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_by_step_and_by_tenth() {
        // Errors that cancel within a tenth count by step, not by tenth.
        let forecast: Vec<f64> = (0..40).map(|k| if k % 2 == 0 { 0.1 } else { -0.1 }).collect();
        let measured = vec![0.0; 40];
        let figures = metric_errors(&errors(&forecast, &measured, 0.0), &forecast, &measured).unwrap();
        assert!((figures.mae_step_percent - 10.0).abs() < 1e-9);
        assert!((figures.rmse_step_percent - 10.0).abs() < 1e-9);
        assert!(figures.mae_tenths_percent.abs() < 1e-9);
    }

    #[test]
    fn the_shorter_series_goes_on_idle_and_gaps_are_no_errors() {
        let found = errors(&[0.5, 0.5], &[0.5, f64::NAN, 0.5, 0.2], 0.2);
        let wanted = [Some(0.0), None, Some(-0.3), Some(0.0)];
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert_eq!(found.is_some(), wanted.is_some());
            assert!((found.unwrap_or(0.0) - wanted.unwrap_or(0.0)).abs() < 1e-12);
        }
        assert!(metric_errors(&[None], &[1.0], &[f64::NAN]).is_none());
    }

    #[test]
    fn warping_forgives_time_not_shape() {
        let peak = |at: usize, height: f64| -> Vec<f64> {
            (0..50).map(|k| if (at..at + 5).contains(&k) { height } else { 0.0 }).collect()
        };
        let cases = [
            ("the same", peak(10, 1.0), peak(10, 1.0), 0.0..1e-12),
            ("later", peak(10, 1.0), peak(15, 1.0), 0.0..1e-12),
            ("too late for the band", peak(5, 1.0), peak(30, 1.0), 0.1..1.0),
            ("half as high", peak(10, 1.0), peak(10, 0.5), 0.02..0.06),
            ("longer", vec![1.0; 30], vec![1.0; 60], 0.0..1e-12),
            ("shorter", vec![1.0; 60], vec![1.0; 7], 0.0..1e-12),
            ("one step", vec![1.0], vec![1.0; 60], 0.0..1e-12),
            ("nothing", vec![], vec![1.0], 0.0..1e-12),
        ];
        let mut wrong = Vec::new();
        for (what, a, b, wanted) in cases {
            let found = warped(&a, &b);
            if !wanted.contains(&found) {
                wrong.push(format!("{what}: {found}, should be in {wanted:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
