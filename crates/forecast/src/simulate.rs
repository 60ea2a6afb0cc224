//! Jobs that advance along their own solo traces, each at a rate that something decides step by step.

use cotrace_trace::Metric;

use crate::{Outcome, Scene};

/// No job is slower than this: a job that gets nothing would never end.
const LEAST_RATE: f64 = 0.02;

/// How far the jobs of a scene have got, step by step.
#[derive(Clone, Debug)]
pub struct Course<'a> {
    scene: &'a Scene,
    progress_seconds: Vec<Vec<f64>>,
    finish_seconds: Vec<Option<f64>>,
}

/// What holds at the start of one step.
#[derive(Clone, Debug)]
pub struct Moment<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// When the step starts, from the first job's start.
    pub start_seconds: f64,
    /// How far each job has got, in seconds of its own solo run, `[jobs]`.
    pub progress_seconds: Vec<f64>,
    /// Whether each job runs in this step, `[jobs]`.
    pub running: Vec<bool>,
}

impl Moment<'_> {
    /// What a job asks for in this step if nothing holds it back, in the metric's unit; nothing if it doesn't run.
    pub fn demand(&self, job: usize, metric: Metric) -> f64 {
        if !self.running[job] {
            return 0.0;
        }
        let at = self.progress_seconds[job];
        self.scene.jobs[job].mean_demand(metric, at, at + self.scene.step_seconds).max(0.0)
    }
}

impl<'a> Course<'a> {
    /// No job has started.
    pub fn new(scene: &'a Scene) -> Course<'a> {
        let count = scene.jobs.len();
        Course { scene, progress_seconds: vec![vec![0.0]; count], finish_seconds: vec![None; count] }
    }

    /// Whether all jobs have ended.
    pub fn has_ended(&self) -> bool {
        self.finish_seconds.iter().all(Option::is_some)
    }

    /// Steps done.
    pub fn steps(&self) -> usize {
        self.progress_seconds.first().map_or(0, |progress| progress.len() - 1)
    }

    /// When a job ended, if it has.
    pub fn finish_seconds(&self, job: usize) -> Option<f64> {
        self.finish_seconds[job]
    }

    /// What holds at the start of the next step.
    pub fn moment(&self) -> Moment<'a> {
        let step = self.scene.step_seconds;
        let start_seconds = self.steps() as f64 * step;
        let jobs = self.scene.jobs.iter().zip(&self.finish_seconds);
        Moment {
            scene: self.scene,
            start_seconds,
            progress_seconds: self
                .progress_seconds
                .iter()
                .map(|progress| progress[progress.len() - 1])
                .collect(),
            running: jobs
                .map(|(job, finish)| finish.is_none() && job.offset_seconds < start_seconds + step)
                .collect(),
        }
    }

    /// Does one step: every job that runs advances by its rate (1 = as fast as alone), `[jobs]`. Finish times are
    /// interpolated within the step.
    pub fn advance(&mut self, rates: &[f64]) {
        let step = self.scene.step_seconds;
        let start = self.steps() as f64 * step;
        for (j, job) in self.scene.jobs.iter().enumerate() {
            let progress = &mut self.progress_seconds[j];
            let now = progress[progress.len() - 1];
            let rate = rates[j].max(LEAST_RATE);
            let runs_for = (start + step - job.offset_seconds).clamp(0.0, step);
            let next = now + runs_for * rate;
            if next >= job.solo_seconds - 1e-9 && self.finish_seconds[j].is_none() {
                self.finish_seconds[j] = Some(start + (step - runs_for) + (job.solo_seconds - now) / rate);
            }
            progress.push(next.min(job.solo_seconds));
        }
    }

    /// The outcome, without totals. Jobs that have not ended are taken to end now.
    pub fn outcome(self) -> Outcome {
        let now = self.steps() as f64 * self.scene.step_seconds;
        Outcome {
            progress_seconds: self.progress_seconds,
            finish_seconds: self.finish_seconds.into_iter().map(|finish| finish.unwrap_or(now)).collect(),
            ..Outcome::default()
        }
    }
}

impl Outcome {
    /// Advances every job by its rate until all have ended. `rates` gives the rates of one step, `[jobs]`. The node shows
    /// what the jobs' own traces have where they stand, up to capacity.
    pub fn simulate(scene: &Scene, mut rates: impl FnMut(&Moment<'_>) -> Vec<f64>) -> Outcome {
        let mut course = Course::new(scene);
        while !course.has_ended() {
            course.advance(&rates(&course.moment()));
        }
        let mut outcome = course.outcome();
        outcome.totals =
            scene.known_metrics().into_iter().map(|metric| (metric, outcome.total(scene, metric))).collect();
        outcome
    }

    /// The background and what each job's solo trace has where it stands, up to capacity, `[steps]`.
    fn total(&self, scene: &Scene, metric: Metric) -> Vec<f64> {
        let background = scene.background.get(&metric).copied().unwrap_or(0.0);
        let capacity = metric.capacity(&scene.node).unwrap_or(f64::INFINITY).max(background);
        let mut total = vec![background; self.steps()];
        for job in 0..scene.jobs.len() {
            for (sum, value) in total.iter_mut().zip(self.demand_at_progress(scene, job, metric)) {
                *sum += value;
            }
        }
        total.into_iter().map(|value| value.min(capacity)).collect()
    }
}
