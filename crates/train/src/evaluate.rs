//! How well a forecast does on measured co-runs.

use std::collections::BTreeMap;

use cotrace_forecast::{Bands, Baseline, Outcome, Scene};
use cotrace_model::Forecaster;
use cotrace_model::features::share_unit;
use cotrace_trace::{Capacity, Metric};
use serde::{Deserialize, Serialize};

use crate::data::MeasuredPair;

/// Metrics whose errors make the footprint error: those with a capacity that batch jobs compete for.
pub(crate) const FOOTPRINT: [Metric; 4] =
    [Metric::CpuCores, Metric::MemoryBytes, Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond];

/// Parts of the makespan over which means are compared.
const TENTHS: usize = 10;

/// Grid steps for both jobs one after the other, as forecasts have.
const SCENE_STEPS: usize = 128;

/// Something that forecasts scenes of two jobs.
pub trait Predictor {
    /// Its name in reports.
    fn name(&self) -> String;
    /// What happens in each scene.
    fn predict(&self, scenes: &[&Scene]) -> Vec<Outcome>;
}

impl Predictor for Baseline {
    fn name(&self) -> String {
        Baseline::name(*self).to_owned()
    }

    fn predict(&self, scenes: &[&Scene]) -> Vec<Outcome> {
        scenes.iter().map(|scene| self.run(scene)).collect()
    }
}

impl Predictor for Forecaster {
    fn name(&self) -> String {
        self.model().name
    }

    fn predict(&self, scenes: &[&Scene]) -> Vec<Outcome> {
        self.run(scenes).into_iter().map(|run| run.outcome).collect()
    }
}

/// Errors of one metric's footprint, in percent of the node's capacity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the unit is part of each name")]
pub struct MetricErrors {
    /// Mean absolute error over grid steps.
    pub mae_step_percent: f64,
    /// Root mean square error over grid steps.
    pub rmse_step_percent: f64,
    /// Mean absolute error of means over tenths of the makespan.
    pub mae_tenths_percent: f64,
}

/// What one forecast of one measured co-run got right and wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairFigures {
    /// The co-run.
    pub run: String,
    /// Its jobs.
    pub pair: String,
    /// Errors per metric. The time compared is from the first start to the later of forecast and measured end.
    pub metrics: BTreeMap<Metric, MetricErrors>,
    /// Forecast slowdowns.
    pub slowdowns: [f64; 2],
    /// Measured slowdowns: co-run duration over the median solo duration.
    pub measured_slowdowns: [f64; 2],
    /// Forecast finish times.
    pub finish_seconds: [f64; 2],
    /// Measured finish times.
    pub measured_finish_seconds: [f64; 2],
    /// Absolute errors of every step per metric, in shares: for the bands, not for the report.
    #[serde(skip)]
    pub(crate) residuals: BTreeMap<Metric, Vec<f64>>,
}

/// Means over pairs, with their spread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Co-runs judged.
    pub pairs: usize,
    /// Mean over pairs of the footprint error: the mean over CPU, memory, disk reads and disk writes of the mean
    /// absolute error per step, in percent of capacity.
    pub footprint_step_percent: Spread,
    /// The same of means over tenths of the makespan.
    pub footprint_tenths_percent: Spread,
    /// Absolute error of slowdowns in points (0.01 of the solo duration), over jobs of pairs.
    pub slowdown_points: Spread,
    /// Absolute error of finish times in percent of the measured finish time, over jobs of pairs.
    pub finish_percent: Spread,
    /// Mean errors per metric.
    pub metrics: BTreeMap<Metric, MetricErrors>,
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
    /// Of some values; `NaN` of none.
    pub fn of(values: &[f64]) -> Spread {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
        Spread { mean, deviation }
    }
}

/// Judges a predictor on measured pairs.
pub fn evaluate(predictor: &dyn Predictor, pairs: &[MeasuredPair<'_>]) -> Vec<PairFigures> {
    let scenes: Vec<(&MeasuredPair<'_>, Scene)> = pairs
        .iter()
        .filter_map(|pair| Some((pair, Scene::new(&pair.inputs(), pair.trace.capacity, SCENE_STEPS).ok()?)))
        .collect();
    let references: Vec<&Scene> = scenes.iter().map(|(_, scene)| scene).collect();
    let outcomes = predictor.predict(&references);
    scenes.iter().zip(&outcomes).map(|((pair, scene), outcome)| judge(pair, scene, outcome)).collect()
}

fn judge(pair: &MeasuredPair<'_>, scene: &Scene, outcome: &Outcome) -> PairFigures {
    let first = pair.run.jobs.iter().map(|job| job.start_seconds).fold(f64::INFINITY, f64::min);
    let last = pair.run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
    let grid = pair.trace.crop(first, last).regrid(scene.step_seconds);
    let mut metrics = BTreeMap::new();
    let mut residuals = BTreeMap::new();
    for (&metric, forecast) in &outcome.totals {
        let Some(measured) = grid.node(metric) else {
            continue;
        };
        let idle = scene.background.get(&metric).copied().unwrap_or(0.0);
        let unit = share_unit(metric, &scene.node);
        let steps = measured.len().max(forecast.len());
        let errors: Vec<Option<f64>> = (0..steps)
            .map(|k| {
                let forecast = forecast.get(k).copied().unwrap_or(idle);
                let measured = measured.get(k).map_or(idle, |&value| f64::from(value));
                measured.is_finite().then_some((forecast - measured) / unit)
            })
            .collect();
        metrics.insert(metric, metric_errors(&errors));
        residuals.insert(metric, errors.iter().flatten().map(|error| error.abs()).collect());
    }
    PairFigures {
        run: pair.run.id.clone(),
        pair: pair.label(),
        metrics,
        slowdowns: [0, 1]
            .map(|j| (outcome.finish_seconds[j] - scene.jobs[j].offset_seconds) / scene.jobs[j].solo_seconds),
        measured_slowdowns: pair.slowdowns(),
        finish_seconds: [0, 1].map(|j| outcome.finish_seconds[j]),
        measured_finish_seconds: [0, 1].map(|j| pair.run.jobs[j].end_seconds - first),
        residuals,
    }
}

/// Signed errors in shares per step, `None` where nothing was measured, to percent.
fn metric_errors(errors: &[Option<f64>]) -> MetricErrors {
    let known: Vec<f64> = errors.iter().flatten().copied().collect();
    let n = known.len() as f64;
    let tenths: Vec<f64> = (0..TENTHS)
        .filter_map(|tenth| {
            let range = errors.len() * tenth / TENTHS..errors.len() * (tenth + 1) / TENTHS;
            let part: Vec<f64> = errors[range].iter().flatten().copied().collect();
            (!part.is_empty()).then(|| (part.iter().sum::<f64>() / part.len() as f64).abs())
        })
        .collect();
    MetricErrors {
        mae_step_percent: 100.0 * known.iter().map(|error| error.abs()).sum::<f64>() / n,
        rmse_step_percent: 100.0 * (known.iter().map(|error| error * error).sum::<f64>() / n).sqrt(),
        mae_tenths_percent: 100.0 * tenths.iter().sum::<f64>() / tenths.len() as f64,
    }
}

impl PairFigures {
    fn footprint(&self, error: impl Fn(&MetricErrors) -> f64) -> f64 {
        let values: Vec<f64> =
            FOOTPRINT.iter().filter_map(|metric| self.metrics.get(metric)).map(error).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn slowdown_points(&self) -> [f64; 2] {
        [0, 1].map(|j| 100.0 * (self.slowdowns[j] - self.measured_slowdowns[j]).abs())
    }

    fn finish_percent(&self) -> [f64; 2] {
        [0, 1].map(|j| {
            let measured = self.measured_finish_seconds[j];
            100.0 * (self.finish_seconds[j] - measured).abs() / measured
        })
    }
}

impl Figures {
    /// Means over pairs.
    pub fn of(pairs: &[PairFigures]) -> Figures {
        let spread = |values: Vec<f64>| Spread::of(&values);
        let mut metrics: BTreeMap<Metric, Vec<MetricErrors>> = BTreeMap::new();
        for (metric, errors) in pairs.iter().flat_map(|pair| &pair.metrics) {
            metrics.entry(*metric).or_default().push(*errors);
        }
        Figures {
            pairs: pairs.len(),
            footprint_step_percent: spread(
                pairs.iter().map(|pair| pair.footprint(|error| error.mae_step_percent)).collect(),
            ),
            footprint_tenths_percent: spread(
                pairs.iter().map(|pair| pair.footprint(|error| error.mae_tenths_percent)).collect(),
            ),
            slowdown_points: spread(pairs.iter().flat_map(PairFigures::slowdown_points).collect()),
            finish_percent: spread(pairs.iter().flat_map(PairFigures::finish_percent).collect()),
            metrics: metrics.into_iter().map(|(metric, errors)| (metric, mean(&errors))).collect(),
        }
    }
}

fn mean(errors: &[MetricErrors]) -> MetricErrors {
    let mean = |get: fn(&MetricErrors) -> f64| errors.iter().map(get).sum::<f64>() / errors.len() as f64;
    MetricErrors {
        mae_step_percent: mean(|error| error.mae_step_percent),
        rmse_step_percent: mean(|error| error.rmse_step_percent),
        mae_tenths_percent: mean(|error| error.mae_tenths_percent),
    }
}

/// The 90 % bands that errors on held-out pairs ask for.
pub(crate) fn bands(pairs: &[PairFigures]) -> Bands {
    let mut residuals: BTreeMap<Metric, Vec<f64>> = BTreeMap::new();
    for (metric, errors) in pairs.iter().flat_map(|pair| &pair.residuals) {
        residuals.entry(*metric).or_default().extend(errors);
    }
    let ratios = pairs
        .iter()
        .flat_map(|pair| [0, 1].map(|j| (pair.slowdowns[j] / pair.measured_slowdowns[j]).ln().abs()))
        .collect();
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    Bands {
        metrics: residuals
            .into_iter()
            .filter_map(|(metric, errors)| Some((metric, rounded(quantile_90(errors)?))))
            .collect(),
        slowdown_ratio: quantile_90(ratios).map(|ratio| rounded(ratio.exp())),
        slowdown: None,
    }
}

/// The value that at least 90 % lie below, with split conformal's correction for few values.
fn quantile_90(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = ((values.len() + 1) as f64 * 0.9).ceil() as usize;
    values.get(rank.min(values.len()).checked_sub(1)?).copied()
}

/// The capacity that shares refer to, for reports.
pub(crate) fn describe_capacity(capacity: &Capacity) -> String {
    let text = |value: Option<f64>, unit: &str, by: f64| {
        value.map_or_else(|| "unknown".to_owned(), |value| format!("{:.1} {unit}", value / by))
    };
    format!(
        "{}, memory {}, disk {}, network {}",
        text(capacity.cores, "cores", 1.0),
        text(capacity.memory_bytes, "GB", 1e9),
        text(capacity.disk_bytes_per_second, "MB/s", 1e6),
        text(capacity.network_bytes_per_second, "MB/s", 1e6)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_is_the_conformal_one() {
        // Of nine values the tenth in ten is the ninth, of nineteen the eighteenth.
        assert_eq!(quantile_90((1..=9).map(f64::from).collect()), Some(9.0));
        assert_eq!(quantile_90((1..=19).map(f64::from).collect()), Some(18.0));
        assert_eq!(quantile_90(Vec::new()), None);
    }

    #[test]
    fn errors_by_step_and_by_tenth() {
        // Errors that cancel within a tenth count by step, not by tenth.
        let errors: Vec<Option<f64>> = (0..40).map(|k| Some(if k % 2 == 0 { 0.1 } else { -0.1 })).collect();
        let figures = metric_errors(&errors);
        assert!((figures.mae_step_percent - 10.0).abs() < 1e-9);
        assert!((figures.rmse_step_percent - 10.0).abs() < 1e-9);
        assert!(figures.mae_tenths_percent.abs() < 1e-9);
    }
}
