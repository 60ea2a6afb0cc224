//! A random forest.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use cotrace_forecast::{Scene, SoloJob};
use randomforest::criterion::Mse;
use randomforest::table::TableBuilder;
use randomforest::{RandomForestRegressor, RandomForestRegressorOptions};

use super::beside::{Beside, Stretch, examples};
use super::features::features;
use crate::method::{FitError, FitProgress};
use crate::{Method, Predictor, Training};

const TREES: NonZeroUsize = NonZeroUsize::new(300).unwrap();
/// Features that a split may choose from, of all those of both jobs: about a third, as is usual for regression.
const FEATURES: NonZeroUsize = NonZeroUsize::new(18).unwrap();
/// What stands for a metric that a trace doesn't know: no share is as low.
const UNKNOWN: f64 = -1.0;

/// Forecasts how much slower a job is beside another by a random forest (Breiman 2001) on statistics of both solo traces.
/// It learns the slowdown's logarithm.
#[derive(Clone, Copy, Debug)]
pub struct Forest;

/// `None`: there was nothing to learn from.
struct Grown(Option<RandomForestRegressor>);

fn row(scene: &Scene, job: &SoloJob, partner: &SoloJob) -> Vec<f64> {
    let both = features(scene, job).into_iter().chain(features(scene, partner));
    both.map(|value| value.unwrap_or(UNKNOWN)).collect()
}

impl Beside for Grown {
    fn slowdown(&self, scene: &Scene, job: &SoloJob, partner: &SoloJob) -> f64 {
        self.0.as_ref().map_or(1.0, |forest| forest.predict(&row(scene, job, partner)).exp())
    }
}

impl Method for Forest {
    fn name(&self) -> String {
        "forest".to_owned()
    }

    fn is_seeded(&self) -> bool {
        true
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let seen = examples(&training.cases);
        if seen.is_empty() {
            return Ok(Box::new(Stretch(Grown(None))));
        }
        let mut table = TableBuilder::new();
        for example in &seen {
            let scene = &example.case.scene;
            let row = row(scene, &scene.jobs[example.job], &scene.jobs[example.partner]);
            table.add_row(&row, example.slowdown.ln())?;
        }
        let forest = RandomForestRegressorOptions::new()
            .seed(seed)
            .trees(TREES)
            .max_features(FEATURES)
            .parallel()
            .fit(Mse, table.build()?);
        Ok(Box::new(Stretch(Grown(Some(forest)))))
    }
}
