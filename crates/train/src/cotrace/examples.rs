//! Training examples: steps of measured co-runs, with the pointers where the work done says that they were.
//!
//! The steps of a co-run don't depend on each other once the pointers are known, so all of them are trained on at once.
//! Pointers come from [`Truth::progress_seconds`](cotrace_evaluate::Truth::progress_seconds).

use burn::tensor::{Device, Tensor, TensorData};
use cotrace_evaluate::{Case, SceneGrid, Training};
use cotrace_forecast::{MODELLED, Outcome, share_unit};
use cotrace_model::cotrace::features::{CONTEXT, JobStep, Kind, SceneReader, TERMS};
use cotrace_model::cotrace::{Ablation, Steps, present, saturation};
use cotrace_model::features::METRICS;
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

/// Steps of a forecast's grid for all jobs one after the other.
const SCENE_STEPS: usize = 128;

/// The same of training grids: forecasts are asked for on coarser ones too, by traces of few samples.
const STEPS: [usize; 5] = [72, 48, 36, 24, 16];

/// How often an example lacks some metrics, so that a trace that lacks them is nothing new.
const DROPS: f64 = 0.3;

/// Channels that are never dropped: without CPU there is no forecast worth giving.
const KEPT: usize = 1;

/// Jobs of a training example.
pub(super) const JOBS: usize = 2;

/// Parts of a job's time that are compared with what was measured, besides the whole.
pub(super) const PARTS: usize = 4;

/// One co-run.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// What kind of job each is, `[jobs]`.
    pub(super) kinds: Vec<Kind>,
    contexts: Vec<[f32; CONTEXT]>,
    steps: Vec<Step>,
    /// Duration of each solo run, `[jobs]`.
    solo_seconds: [f32; JOBS],
}

#[derive(Clone, Debug)]
struct Step {
    jobs: Vec<JobStep>,
    /// Seconds of its solo run that each job did.
    done: [f32; JOBS],
    /// Seconds of the step in which each job ran.
    spent: [f32; JOBS],
    /// The part of its time that each job was in.
    part: [usize; JOBS],
    /// What each job's solo trace has where it stood, in shares, for as much of the step as it ran.
    there: [[f32; METRICS]; JOBS],
    /// Logarithm of each job's rate.
    log_rate: [f32; JOBS],
    /// How far beyond capacity each metric's resource was asked for.
    saturation: [f32; METRICS],
    /// What the node showed beyond the background, in shares, and 1 where that is known.
    measured: [f32; METRICS],
    known: [f32; METRICS],
}

/// Several examples of every co-run of two jobs: with any of the jobs' solo runs, on any grid, with metrics left out.
pub(super) fn draw(
    training: &Training<'_>,
    variants: usize,
    without: Ablation,
    rng: &mut SmallRng,
) -> Vec<Example> {
    let mut examples = Vec::new();
    for corun in training.coruns.iter().filter(|corun| corun.run.jobs.len() == JOBS) {
        let Some(solos) = training.solos_of(corun.run) else { continue };
        for variant in 0..variants {
            let traces: Vec<_> = solos.iter().filter_map(|of_job| Some(of_job.choose(rng)?.trace)).collect();
            // The first variant sees what forecasts usually see.
            let (known, steps) = if variant > 0 {
                let steps = STEPS[rng.random_range(0..STEPS.len())];
                (some_metrics(rng), steps)
            } else {
                ([true; METRICS], SCENE_STEPS)
            };
            let case = Case::with_solos(corun.run, corun.trace, &traces, SceneGrid::Steps(steps));
            examples.extend(case.map(|case| Example::new(&case, &known, without)));
        }
    }
    examples
}

fn some_metrics(rng: &mut SmallRng) -> [bool; METRICS] {
    let mut known = [true; METRICS];
    if rng.random_bool(DROPS) {
        for _ in 0..rng.random_range(1..=4) {
            known[rng.random_range(KEPT..METRICS)] = false;
        }
    }
    known
}

impl Example {
    pub(super) fn new(case: &Case, known: &[bool; METRICS], without: Ablation) -> Example {
        let scene = &case.scene;
        let reader = SceneReader::new(scene, known, without);
        let truth = Outcome {
            progress_seconds: case.truth.progress_seconds.clone(),
            finish_seconds: case.truth.finish_seconds.clone(),
            ..Outcome::default()
        };
        let step = scene.step_seconds;
        let steps = (0..truth.steps())
            .map(|k| {
                let at: Vec<f64> = truth.progress_seconds.iter().map(|progress| progress[k]).collect();
                let presence: Vec<f64> = (0..JOBS).map(|job| present(scene, &truth, job, k)).collect();
                let running: Vec<bool> = presence.iter().map(|&presence| presence > 0.0).collect();
                let done = [0, 1].map(|job| truth.progress_seconds[job][k + 1] - at[job]);
                let duration = |job: usize| truth.finish_seconds[job] - scene.jobs[job].offset_seconds;
                let part = |job: usize| {
                    let time = (k as f64 + 0.5) * step - scene.jobs[job].offset_seconds;
                    ((time / duration(job)).clamp(0.0, 1.0) * PARTS as f64).min(PARTS as f64 - 1.0) as usize
                };
                let there = [0, 1].map(|job| {
                    let shares = reader.shares(job, at[job], truth.progress_seconds[job][k + 1]);
                    shares.map(|share| (share * presence[job]) as f32)
                });
                let (measured, known) = measured(case, known, k);
                Step {
                    jobs: reader.step(&at, &running),
                    done: done.map(|done| done as f32),
                    spent: [0, 1].map(|job| (presence[job] * step) as f32),
                    part: [0, 1].map(part),
                    there,
                    log_rate: [0, 1].map(|job| {
                        let rate = done[job] / (presence[job] * step).max(1e-9);
                        rate.clamp(0.02, 2.0).ln() as f32
                    }),
                    saturation: MODELLED.map(|metric| saturation(scene, &truth, metric, k) as f32),
                    measured,
                    known,
                }
            })
            .collect();
        let solo_seconds = [0, 1].map(|job| scene.jobs[job].solo_seconds as f32);
        Example { kinds: reader.kinds, contexts: reader.contexts, steps, solo_seconds }
    }

    /// Steps in which both jobs run.
    pub(super) fn beside(&self) -> impl Iterator<Item = usize> {
        (0..self.steps.len()).filter(|&k| self.steps[k].jobs.iter().all(|job| job.beside))
    }

    /// Seconds that a job took in a step, and seconds of its solo run that it did.
    pub(super) fn took(&self, job: usize, k: usize) -> [f64; 2] {
        [self.steps[k].spent[job], self.steps[k].done[job]].map(f64::from)
    }

    /// Duration of a job's solo run.
    pub(super) fn solo_seconds(&self, job: usize) -> f64 {
        f64::from(self.solo_seconds[job])
    }
}

/// The most that examples hold of each feature.
pub(super) struct Seen {
    pub(super) own: [f32; METRICS],
    pub(super) others: [f32; METRICS],
    pub(super) context: [f32; CONTEXT],
}

impl Seen {
    pub(super) fn of(examples: &[Example]) -> Seen {
        let raise = |most: &mut [f32], values: &[f32]| {
            most.iter_mut().zip(values).for_each(|(most, value)| *most = most.max(*value));
        };
        let mut seen = Seen { own: [0.0; METRICS], others: [0.0; METRICS], context: [0.0; CONTEXT] };
        for example in examples {
            example.contexts.iter().for_each(|context| raise(&mut seen.context, context));
            for job in example.steps.iter().flat_map(|step| &step.jobs) {
                raise(&mut seen.own, &job.own);
                raise(&mut seen.others, &job.others);
            }
        }
        seen
    }
}

/// What the node showed beyond the background in a step, in shares.
fn measured(case: &Case, used: &[bool; METRICS], k: usize) -> ([f32; METRICS], [f32; METRICS]) {
    let (mut values, mut known) = ([0.0; METRICS], [0.0; METRICS]);
    for (m, metric) in MODELLED.iter().enumerate() {
        // Forecasts have only what every job's trace knows.
        if !used[m] || !case.scene.jobs.iter().all(|job| job.demand.contains_key(metric)) {
            continue;
        }
        let value = case.truth.totals.get(metric).and_then(|values| values.get(k)).copied();
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let background = case.scene.background.get(metric).copied().unwrap_or(0.0);
            values[m] = ((value - background) / share_unit(*metric, &case.scene.node)) as f32;
            known[m] = 1.0;
        }
    }
    (values, known)
}

/// Examples filled up to the longest, as tensors.
pub(super) struct Batch {
    pub(super) steps: Steps,
    /// Seconds of its solo run that each job did in each step, `[batch, jobs, time, 1]`.
    pub(super) done: Tensor<4>,
    /// Seconds that each job spent in each part of its time, `[batch, jobs, 1, PARTS]`.
    pub(super) spent: Tensor<4>,
    /// 1 in the part of its time that each job was in, `[batch, jobs, time, PARTS]`.
    pub(super) part: Tensor<4>,
    /// Duration of each solo run, `[batch, jobs, 1, 1]`.
    pub(super) solo: Tensor<4>,
    /// What each job's solo trace has where it stood, in shares, `[batch, jobs, time, METRICS]`.
    pub(super) there: Tensor<4>,
    /// Logarithm of each job's rate, `[batch, jobs, time, 1]`.
    pub(super) log_rate: Tensor<4>,
    /// How far beyond capacity each metric was asked for, `[batch, 1, time, METRICS]`.
    pub(super) saturation: Tensor<4>,
    /// What the node showed, in shares, `[batch, 1, time, METRICS]`.
    pub(super) measured: Tensor<4>,
    /// 1 where that is known, `[batch, 1, time, METRICS]`.
    pub(super) known: Tensor<4>,
}

/// Values of a tensor `[batch, jobs, time, last]` that is filled piece by piece.
struct Filled {
    shape: [usize; 4],
    values: Vec<f32>,
}

impl Filled {
    fn new(shape: [usize; 4]) -> Filled {
        Filled { shape, values: vec![0.0; shape.iter().product()] }
    }

    fn put(&mut self, [n, j, t]: [usize; 3], values: &[f32]) {
        let [_, jobs, time, last] = self.shape;
        self.values[((n * jobs + j) * time + t) * last..][..last].copy_from_slice(values);
    }

    fn add(&mut self, [n, j, t, i]: [usize; 4], value: f32) {
        let [_, jobs, time, last] = self.shape;
        self.values[((n * jobs + j) * time + t) * last + i] += value;
    }

    fn tensor(self, device: &Device) -> Tensor<4> {
        Tensor::from_data(TensorData::new(self.values, self.shape), device)
    }
}

impl Batch {
    pub(super) fn new(examples: &[&Example], device: &Device) -> Batch {
        let n = examples.len();
        let time = examples.iter().map(|example| example.steps.len()).max().unwrap_or(0);
        let of_jobs = |last| Filled::new([n, JOBS, time, last]);
        let (mut own, mut others, mut terms) = (of_jobs(METRICS), of_jobs(METRICS), of_jobs(TERMS));
        let (mut running, mut beside, mut done) = (of_jobs(1), of_jobs(1), of_jobs(1));
        let (mut part, mut there, mut log_rate) = (of_jobs(PARTS), of_jobs(METRICS), of_jobs(1));
        let mut context = Filled::new([n, JOBS, 1, CONTEXT]);
        let mut spent = Filled::new([n, JOBS, 1, PARTS]);
        let mut solo = Filled::new([n, JOBS, 1, 1]);
        let of_node = || Filled::new([n, 1, time, METRICS]);
        let (mut saturation, mut measured, mut known) = (of_node(), of_node(), of_node());
        for (row, example) in examples.iter().enumerate() {
            for job in 0..JOBS {
                context.put([row, job, 0], &example.contexts[job]);
                solo.put([row, job, 0], &[example.solo_seconds[job]]);
            }
            for (t, step) in example.steps.iter().enumerate() {
                for job in 0..JOBS {
                    let at = [row, job, t];
                    let seen = &step.jobs[job];
                    own.put(at, &seen.own);
                    others.put(at, &seen.others);
                    terms.put(at, &seen.terms);
                    running.put(at, &[f32::from(seen.running)]);
                    beside.put(at, &[f32::from(seen.beside)]);
                    done.put(at, &[step.done[job]]);
                    there.put(at, &step.there[job]);
                    log_rate.put(at, &[step.log_rate[job]]);
                    part.add([row, job, t, step.part[job]], 1.0);
                    spent.add([row, job, 0, step.part[job]], step.spent[job]);
                }
                saturation.put([row, 0, t], &step.saturation);
                measured.put([row, 0, t], &step.measured);
                known.put([row, 0, t], &step.known);
            }
        }
        let tensor = |filled: Filled| filled.tensor(device);
        Batch {
            steps: Steps {
                context: tensor(context),
                own: tensor(own),
                others: tensor(others),
                terms: tensor(terms),
                running: tensor(running),
                beside: tensor(beside),
            },
            done: tensor(done),
            spent: tensor(spent),
            part: tensor(part),
            solo: tensor(solo),
            there: tensor(there),
            log_rate: tensor(log_rate),
            saturation: tensor(saturation),
            measured: tensor(measured),
            known: tensor(known),
        }
    }
}
