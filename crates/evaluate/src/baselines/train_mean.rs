//! The mean of the slowdowns seen.

use std::sync::atomic::AtomicBool;

use cotrace_forecast::{Scene, SoloJob};

use super::beside::{Beside, Stretch, examples};
use crate::method::{FitError, FitProgress};
use crate::{Method, Predictor, Training};

/// Forecasts every job to be as much slower beside another as jobs were in training, on average.
#[derive(Clone, Copy, Debug)]
pub struct TrainMean;

struct Constant(f64);

impl Beside for Constant {
    fn slowdown(&self, _: &Scene, _: &SoloJob, _: &SoloJob) -> f64 {
        self.0
    }
}

impl Method for TrainMean {
    fn name(&self) -> String {
        "train-mean".to_owned()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let seen = examples(&training.cases);
        let sum: f64 = seen.iter().map(|example| example.slowdown).sum();
        let mean = if seen.is_empty() { 1.0 } else { sum / seen.len() as f64 };
        Ok(Box::new(Stretch(Constant(mean))))
    }
}
