//! The noise floor: an earlier measurement of the same co-run as its forecast.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use cotrace_forecast::{Outcome, share_unit};
use cotrace_trace::Metric;

use crate::method::{FitError, FitProgress};
use crate::{Case, Method, Prediction, Predictor, Question, Training};

/// Forecasts that what was measured once happens again. No forecaster can be expected to do better: what two measurements
/// of the same differ by is in no trace.
#[derive(Clone, Copy, Debug)]
pub struct Repeat;

/// Measurements by what they have in common.
struct Measured(BTreeMap<String, Case>);

impl Method for Repeat {
    fn name(&self) -> String {
        "repeat".to_owned()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let cases = training.cases.iter().map(|case| (case.same.clone(), (*case).clone()));
        Ok(Box::new(Measured(cases.collect())))
    }
}

impl Predictor for Measured {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        questions.iter().map(|question| Some(again(self.0.get(question.same)?, question).into())).collect()
    }
}

/// The slowdowns measured, on the durations alone in the question; the footprint in shares of capacity, second by second.
fn again(measured: &Case, question: &Question<'_>) -> Outcome {
    let scene = question.scene;
    let step = scene.step_seconds;
    let finish_seconds: Vec<f64> = scene
        .jobs
        .iter()
        .zip(measured.slowdowns())
        .map(|(job, slowdown)| job.offset_seconds + slowdown * job.solo_seconds)
        .collect();
    let makespan = finish_seconds.iter().copied().fold(0.0, f64::max);
    let steps = ((makespan / step - 1e-9).ceil() as usize).max(1);
    let progress_seconds = scene
        .jobs
        .iter()
        .zip(&finish_seconds)
        .map(|(job, finish)| {
            let duration = finish - job.offset_seconds;
            let share = |k: usize| ((k as f64 * step - job.offset_seconds) / duration).clamp(0.0, 1.0);
            (0..=steps).map(|k| share(k) * job.solo_seconds).collect()
        })
        .collect();
    let series = |metric: Metric, values: &[f64]| -> Vec<f64> {
        let (theirs, ours) = (&measured.scene, scene);
        let scale = share_unit(metric, &ours.node) / share_unit(metric, &theirs.node);
        let idle = ours.background.get(&metric).copied().unwrap_or(0.0);
        let at = |k: usize| ((k as f64 + 0.5) * step / theirs.step_seconds) as usize;
        (0..steps).map(|k| values.get(at(k)).map_or(idle, |value| value * scale)).collect()
    };
    let totals = measured
        .truth
        .totals
        .iter()
        .map(|(&metric, values)| (metric, series(metric, &filled(values))))
        .collect();
    Outcome { progress_seconds, finish_seconds, totals, ..Outcome::default() }
}

/// Gaps filled by the value before them, or the first known.
fn filled(values: &[f64]) -> Vec<f64> {
    let mut last = values.iter().copied().find(|value| value.is_finite()).unwrap_or(0.0);
    values
        .iter()
        .map(|&value| {
            if value.is_finite() {
                last = value;
            }
            last
        })
        .collect()
}
