//! How far jobs are from those a model was trained on.

use cotrace_forecast::{Distance, MODELLED, Scene, SoloJob, Verdict};
use cotrace_trace::Metric;
use serde::{Deserialize, Serialize};

use crate::features::share_unit;

/// Shares below this are alike.
const FLOOR: f64 = 0.01;

/// Use beyond the largest of any training job by less than this, in decades, is nothing new: twice as much.
const SLACK: f64 = 0.3;

/// Every so many decades beyond that add 1 to the score: three times as much.
const DECADES: f64 = 0.5;

/// Points of one job that are closer, in decades, are one: five percent.
const ALIKE: f64 = 0.02;

/// Up to this score errors are those of jobs that were measured, or little more.
const NEAR: f64 = 1.4;

/// Up to this score a job is at the edge of the training data; beyond, it is far.
const EDGE: f64 = 2.0;

/// Where the training jobs lie, in a space of mean and peak use per metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DistanceReference {
    /// One point per solo run of the training data, `[runs][2 x metrics]`; a metric a run lacks is `null`.
    pub points: Vec<Vec<Option<f64>>>,
    /// Which job each point is a run of, `[runs]`.
    pub jobs: Vec<String>,
    /// The largest distance of a training job to the nearest other one: a score of 1.
    pub radius: f64,
}

impl DistanceReference {
    /// A reference from the jobs of training scenes. Several runs of a job are several points.
    pub fn new<'a>(scenes: impl IntoIterator<Item = &'a Scene>) -> DistanceReference {
        let mut reference = DistanceReference::default();
        for scene in scenes {
            for job in &scene.jobs {
                let point = point(scene, job);
                let of_job = reference.points.iter().zip(&reference.jobs).filter(|(_, of)| **of == job.name);
                if !of_job.into_iter().any(|(other, _)| alike(other, &point)) {
                    reference.points.push(point);
                    reference.jobs.push(job.name.clone());
                }
            }
        }
        reference.radius = (0..reference.points.len())
            .filter_map(|i| reference.nearest(&reference.points[i], Some(&reference.jobs[i])))
            .fold(0.0, f64::max);
        reference
    }

    /// The score of a scene is how many times farther off the forecast may be than on jobs that were measured, if the model
    /// reckons that, or else how far its farthest job is; or it is that of the metric that goes farthest beyond what any
    /// training job used: a single metric out of range is out of the model's depth, however ordinary the others are.
    pub fn score(&self, scene: &Scene, reckoned: Option<f64>) -> Distance {
        let near = reckoned.unwrap_or_else(|| {
            let nearest = scene.jobs.iter().filter_map(|job| self.nearest(&point(scene, job), None));
            let farthest = nearest.fold(0.0, f64::max);
            if self.radius > 0.0 { farthest / self.radius } else { 0.0 }
        });
        let beyond = MODELLED.into_iter().map(|metric| self.beyond(scene, metric)).fold(0.0, f64::max);
        let score = if beyond > 0.0 { near.max(1.0 + beyond / DECADES) } else { near };
        let verdict = match score {
            s if s <= NEAR => Verdict::Near,
            s if s <= EDGE => Verdict::Edge,
            _ => Verdict::Far,
        };
        Distance { score, verdict }
    }

    /// The metrics of which a scene's jobs use far more than any training job did.
    pub fn unfamiliar(&self, scene: &Scene) -> Vec<Metric> {
        MODELLED.into_iter().filter(|&metric| self.beyond(scene, metric) > 0.0).collect()
    }

    /// How many decades the use of `metric` goes beyond twice the largest of any training job.
    fn beyond(&self, scene: &Scene, metric: Metric) -> f64 {
        let Some(m) = MODELLED.iter().position(|&other| other == metric) else { return 0.0 };
        [2 * m, 2 * m + 1]
            .into_iter()
            .filter_map(|at| {
                let known = self.points.iter().filter_map(|point| *point.get(at)?);
                let largest = known.max_by(f64::total_cmp)?;
                let asked =
                    scene.jobs.iter().filter_map(|job| point(scene, job)[at]).max_by(f64::total_cmp)?;
                Some(asked - largest - SLACK)
            })
            .fold(0.0, f64::max)
    }

    /// Distance to the nearest training run, leaving out those of one job.
    fn nearest(&self, point: &[Option<f64>], except: Option<&str>) -> Option<f64> {
        self.points
            .iter()
            .zip(&self.jobs)
            .filter(|(_, job)| except != Some(job.as_str()))
            .filter_map(|(other, _)| distance(point, other))
            .min_by(f64::total_cmp)
    }
}

/// Whether two runs of a job, or one on two grids, are the same point: so files stay small.
fn alike(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let same_known = a.iter().zip(b).all(|(a, b)| a.is_some() == b.is_some());
    same_known && distance(a, b).is_none_or(|distance| distance < ALIKE)
}

/// Root mean square difference over what both know.
fn distance(a: &[Option<f64>], b: &[Option<f64>]) -> Option<f64> {
    let squares: Vec<f64> = a.iter().zip(b).filter_map(|(a, b)| Some(((*a)? - (*b)?).powi(2))).collect();
    (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}

/// Decades of mean and peak share per metric.
fn point(scene: &Scene, job: &SoloJob) -> Vec<Option<f64>> {
    let mut point = Vec::with_capacity(2 * MODELLED.len());
    for metric in MODELLED {
        let unit = share_unit(metric, &scene.node);
        let values = job.demand.get(&metric);
        let known = values.into_iter().flatten().copied().filter(|value| value.is_finite());
        let (count, sum, most) = known.fold((0u32, 0.0, f64::NEG_INFINITY), |(count, sum, most), value| {
            (count + 1, sum + value, f64::max(most, value))
        });
        for value in [sum / f64::from(count), most] {
            point.push((count > 0).then(|| round((value / unit).max(0.0) + FLOOR)));
        }
    }
    point
}

/// Four decimals of the logarithm: runs that differ less are the same point, and files stay small.
fn round(share: f64) -> f64 {
    (share.log10() * 1e4).round() / 1e4
}
