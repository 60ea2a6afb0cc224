//! What happens in a scene: how far each job has got at each step, and what the node shows.

use std::collections::BTreeMap;

use cotrace_trace::{Metric, MetricKind};

use crate::{Cause, Scene};

/// The course of a co-run on the scene's grid. Parts that a model says nothing of are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// How far each job has got, in seconds of its own solo run, at the start of each step and at the end of the
    /// last: `[jobs][steps + 1]`.
    pub progress_seconds: Vec<Vec<f64>>,
    /// When each job ends, from the first job's start, `[jobs]`.
    pub finish_seconds: Vec<f64>,
    /// What the node shows, background included, `[steps]` per metric.
    pub totals: BTreeMap<Metric, Vec<f64>>,
    /// What each job contributes to it, `[jobs][steps]` per metric. Metrics may be missing: then the total is shared out
    /// by what the jobs' own traces have where they stand.
    pub contributions: BTreeMap<Metric, Vec<Vec<f64>>>,
    /// By how much each slowdown may be off as the model reckons it, one standard deviation, `[jobs]`; empty: it doesn't
    /// say.
    pub slowdown_deviations: Vec<f64>,
    /// What kept each job from being as fast as alone, in seconds lost for every second of its solo run that it does,
    /// `[jobs][steps]` per cause; empty: the model doesn't say.
    pub causes: BTreeMap<Cause, Vec<Vec<f64>>>,
}

impl Outcome {
    /// What errors of a job's slowdown are measured in: what the model reckons, or else that twice as slow is harder to get
    /// right than hardly slower.
    pub fn slowdown_scale(&self, job: usize, slowdown: f64) -> f64 {
        /// Two solo runs differ too.
        const LEAST: f64 = 0.05;
        match self.slowdown_deviations.get(job) {
            Some(deviation) => LEAST + deviation,
            None => 0.1 + (slowdown - 1.0).abs(),
        }
    }

    /// Seconds that a job loses to each cause, `[steps]` per cause.
    pub fn seconds_lost(&self, job: usize) -> BTreeMap<Cause, Vec<f64>> {
        let progress = &self.progress_seconds[job];
        let lost = |causes: &Vec<Vec<f64>>| {
            causes[job].iter().zip(progress.windows(2)).map(|(lost, at)| lost * (at[1] - at[0])).collect()
        };
        self.causes.iter().map(|(&cause, causes)| (cause, lost(causes))).collect()
    }

    /// Number of steps up to the last end.
    pub fn steps(&self) -> usize {
        self.progress_seconds.first().map_or(0, |progress| progress.len().saturating_sub(1))
    }

    /// When the last job ends.
    pub fn makespan_seconds(&self) -> f64 {
        self.finish_seconds.iter().copied().fold(0.0, f64::max)
    }

    /// What job `job` would use of `metric` in each step by its own solo trace and its progress, `[steps]`:
    /// for a flow the work it gets done, so that work is conserved; for a level what it holds while it runs.
    pub fn demand_at_progress(&self, scene: &Scene, job: usize, metric: Metric) -> Vec<f64> {
        let solo = &scene.jobs[job];
        let progress = &self.progress_seconds[job];
        let finish = self.finish_seconds[job];
        (0..self.steps())
            .map(|k| {
                let (from, to) = (progress[k], progress[k + 1]);
                match metric.kind() {
                    MetricKind::Flow => solo.work_between(metric, from, to) / scene.step_seconds,
                    MetricKind::Level => {
                        let start = k as f64 * scene.step_seconds;
                        let end = start + scene.step_seconds;
                        let present = (finish.min(end) - solo.offset_seconds.max(start)) / scene.step_seconds;
                        if present > 0.0 { solo.mean_demand(metric, from, to) * present } else { 0.0 }
                    }
                }
            })
            .collect()
    }
}
