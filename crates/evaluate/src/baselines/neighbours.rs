//! What happened to jobs that are alike.

use std::sync::atomic::AtomicBool;

use cotrace_forecast::{Scene, SoloJob};

use super::beside::{Beside, Stretch, examples};
use super::features::{COUNT, features};
use crate::method::{FitError, FitProgress};
use crate::{Method, Predictor, Training};

/// Pairs that are asked.
const NEAREST: usize = 5;

/// Forecasts a job beside another to be as much slower as the most similar jobs were beside the most similar partners.
/// Jobs are compared by statistics of their solo traces, each divided by its spread over the training.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours;

type Point = [Option<f64>; COUNT];

struct Known {
    /// Of the job and of its partner, with the job's slowdown.
    pairs: Vec<(Point, Point, f64)>,
    /// One over the spread of each feature.
    weights: [f64; COUNT],
}

impl Known {
    /// Mean squared difference over what both know.
    fn distance(&self, a: &Point, b: &Point) -> f64 {
        let squares = a
            .iter()
            .zip(b)
            .zip(&self.weights)
            .filter_map(|((a, b), weight)| Some((((*a)? - (*b)?) * weight).powi(2)));
        let (sum, count) = squares.fold((0.0, 0u32), |(sum, count), square| (sum + square, count + 1));
        sum / f64::from(count.max(1))
    }
}

impl Beside for Known {
    fn slowdown(&self, scene: &Scene, job: &SoloJob, partner: &SoloJob) -> f64 {
        let (job, partner) = (features(scene, job), features(scene, partner));
        let mut near: Vec<(f64, f64)> = self
            .pairs
            .iter()
            .map(|(a, b, slowdown)| (self.distance(a, &job) + self.distance(b, &partner), *slowdown))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(NEAREST);
        if near.is_empty() { 1.0 } else { near.iter().map(|(_, s)| s).sum::<f64>() / near.len() as f64 }
    }
}

impl Method for Neighbours {
    fn name(&self) -> String {
        "neighbours".to_owned()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let pairs: Vec<(Point, Point, f64)> = examples(&training.cases)
            .iter()
            .map(|example| {
                let scene = &example.case.scene;
                let of = |job: usize| features(scene, &scene.jobs[job]);
                (of(example.job), of(example.partner), example.slowdown)
            })
            .collect();
        let mut weights = [0.0; COUNT];
        for (f, weight) in weights.iter_mut().enumerate() {
            let values: Vec<f64> = pairs.iter().filter_map(|(job, _, _)| job[f]).collect();
            let count = values.len().max(1) as f64;
            let mean = values.iter().sum::<f64>() / count;
            let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
            // What never differs tells nothing.
            *weight = if spread > 1e-9 { 1.0 / spread } else { 0.0 };
        }
        Ok(Box::new(Stretch(Known { pairs, weights })))
    }
}
