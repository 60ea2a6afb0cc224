//! Free-running forecasts: jobs move at the paces that the network gives, many scenes at once.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor, TensorData};
use cotrace_forecast::{Cause, Course, Moment, Outcome, Scene};
use cotrace_trace::Metric;

use super::Ablation;
use super::experience::{Recall, Recalled};
use super::features::{CONTEXT, JobStep, Kind, SceneReader, TERM_CAUSES, TERMS};
use super::footprint::Exponents;
use super::network::{CotraceNet, LEAST_PACE, MOST_PACE, Steps};
use crate::features::METRICS;

/// No forecast runs longer than this many times all jobs one after the other.
const MOST_STRETCH: f64 = 40.0;

/// The course of a scene and why it went so.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// What happens.
    pub outcome: Outcome,
    /// What each part added to each job's pace, `[steps][jobs]`.
    pub reasons: Vec<Vec<Reasons>>,
    /// How many times farther off the forecast may be than one of jobs that were measured, by the job it is worst for; 0
    /// without experience, or if no two jobs run together.
    pub distance: f64,
}

/// What a job's pace is made of, beside its own 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reasons {
    /// Shortages, in the order of [`TERM_NAMES`](super::features::TERM_NAMES).
    pub terms: [f32; TERMS],
    /// Pressure that traces don't show.
    pub latent: f32,
    /// The rest.
    pub residual: f32,
    /// What was measured of jobs like these beyond all that.
    pub experience: f32,
}

/// Values that the network gives of one job and step: pace, terms, latent, residual.
const OUTPUTS: usize = TERMS + 3;

/// Forecasts scenes, each until all its jobs have ended. `known` says which metrics may be used. Where the network gives
/// what is no number, finish times are none either.
pub fn roll_out(
    network: &CotraceNet,
    experience: Option<&Recall>,
    scenes: &[&Scene],
    known: &[bool; METRICS],
    without: Ablation,
    device: &Device,
) -> Vec<Rollout> {
    let readers: Vec<SceneReader<'_>> =
        scenes.iter().map(|scene| SceneReader::new(scene, known, without)).collect();
    let experience = experience.filter(|_| without != Ablation::Experience);
    let mut advisers: Vec<Adviser<'_>> =
        readers.iter().map(|reader| Adviser::new(experience, &reader.kinds)).collect();
    let mut courses: Vec<Course<'_>> = scenes.iter().map(|scene| Course::new(scene)).collect();
    let mut reasons: Vec<Vec<Vec<Reasons>>> = vec![Vec::new(); scenes.len()];
    let mut lost = vec![false; scenes.len()];
    loop {
        let active: Vec<usize> =
            (0..scenes.len()).filter(|&at| !lost[at] && goes_on(scenes[at], &courses[at])).collect();
        if active.is_empty() {
            break;
        }
        let steps: Vec<Vec<JobStep>> = active
            .iter()
            .map(|&at| {
                let moment = courses[at].moment();
                readers[at].step(&moment.progress_seconds, &moment.running)
            })
            .collect();
        let contexts: Vec<&[[f32; CONTEXT]]> = active.iter().map(|&at| &readers[at].contexts[..]).collect();
        let jobs = steps.iter().map(Vec::len).max().unwrap_or(0);
        let paces = network.paces(&stack(&contexts, &steps, jobs, device), without);
        let outputs = Tensor::cat(vec![paces.pace, paces.terms, paces.latent, paces.residual], 3);
        let outputs = outputs.try_into_vec_as::<f32>().expect("a backend on the CPU gives its values");
        for (row, &at) in active.iter().enumerate() {
            let of_scene = &outputs[row * jobs * OUTPUTS..][..scenes[at].jobs.len() * OUTPUTS];
            lost[at] = of_scene.iter().any(|value| !value.is_finite());
            let mut why: Vec<Reasons> = of_scene.chunks_exact(OUTPUTS).map(Reasons::read).collect();
            let mut paces: Vec<f64> = of_scene.chunks_exact(OUTPUTS).map(|job| f64::from(job[0])).collect();
            let moment = courses[at].moment();
            for (job, (pace, why)) in paces.iter_mut().zip(&mut why).enumerate() {
                let recalled = advisers[at].ask(job, &moment.running);
                let corrected = (*pace * recalled.error.exp()).clamp(LEAST_PACE.into(), MOST_PACE.into());
                lost[at] |= !corrected.is_finite();
                why.experience = (corrected - *pace) as f32;
                *pace = corrected;
            }
            reasons[at].push(why);
            courses[at].advance(&paces.iter().map(|pace| pace.recip()).collect::<Vec<_>>());
            advisers[at].note(scenes[at], &courses[at], &moment);
        }
    }
    let exponents = Exponents::of(network, without);
    scenes
        .iter()
        .zip(courses)
        .zip(reasons)
        .zip(lost)
        .zip(advisers)
        .map(|((((scene, course), reasons), lost), adviser)| {
            let mut outcome = course.outcome();
            outcome.causes = causes(&reasons, scene.jobs.len());
            outcome.slowdown_deviations = adviser.slowdown_deviations(scene);
            for metric in scene.known_metrics() {
                let contributions: Vec<Vec<f64>> = (0..scene.jobs.len())
                    .map(|job| exponents.contribution(scene, &outcome, job, metric))
                    .collect();
                outcome.totals.insert(metric, total(scene, &contributions, metric));
                outcome.contributions.insert(metric, contributions);
            }
            if lost {
                outcome.finish_seconds.fill(f64::NAN);
            }
            Rollout { outcome, reasons, distance: adviser.distance() }
        })
        .collect()
}

impl Reasons {
    /// What one cause adds to the pace.
    pub fn of(&self, cause: Cause) -> f64 {
        match cause {
            Cause::Unseen => f64::from(self.latent + self.residual),
            Cause::Measured => f64::from(self.experience),
            _ => self
                .terms
                .iter()
                .zip(TERM_CAUSES)
                .filter(|(_, of)| *of == cause)
                .map(|(term, _)| f64::from(*term))
                .sum(),
        }
    }

    fn read(outputs: &[f32]) -> Reasons {
        let mut terms = [0.0; TERMS];
        terms.copy_from_slice(&outputs[1..=TERMS]);
        Reasons { terms, latent: outputs[TERMS + 1], residual: outputs[TERMS + 2], experience: 0.0 }
    }
}

/// The reasons by what they are, `[jobs][steps]` per cause.
fn causes(reasons: &[Vec<Reasons>], jobs: usize) -> BTreeMap<Cause, Vec<Vec<f64>>> {
    let mut causes: BTreeMap<Cause, Vec<Vec<f64>>> = BTreeMap::new();
    let all = [Cause::Cpu, Cause::Disk, Cause::Network, Cause::Unseen, Cause::Measured];
    for cause in all {
        let of_job = |job: usize| reasons.iter().map(|step| step[job].of(cause)).collect();
        causes.insert(cause, (0..jobs).map(of_job).collect());
    }
    causes
}

/// What experience says of the jobs of one scene, by who runs beside whom.
struct Adviser<'a> {
    experience: Option<&'a Recall>,
    kinds: &'a [Kind],
    /// By job and by who else runs.
    said: BTreeMap<(usize, Vec<bool>), Recalled>,
    /// Seconds beside others times the deviation there, `[jobs]`: errors of one job beside the same others add up.
    deviation_seconds: Vec<f64>,
}

impl<'a> Adviser<'a> {
    fn new(experience: Option<&'a Recall>, kinds: &'a [Kind]) -> Adviser<'a> {
        Adviser { experience, kinds, said: BTreeMap::new(), deviation_seconds: vec![0.0; kinds.len()] }
    }

    /// What it says of a job while these run; nothing of a job alone.
    fn ask(&mut self, job: usize, running: &[bool]) -> Recalled {
        let is_beside = running[job] && running.iter().filter(|&&runs| runs).count() > 1;
        let Some(experience) = self.experience.filter(|_| is_beside) else { return Recalled::default() };
        let kinds = self.kinds;
        *self.said.entry((job, running.to_vec())).or_insert_with(|| {
            let others = running.iter().enumerate().filter(|&(other, &runs)| runs && other != job);
            experience.ask(&kinds[job], &Kind::together(others.map(|(other, _)| &kinds[other])))
        })
    }

    /// Remembers how long each job ran in the step that was just done.
    fn note(&mut self, scene: &Scene, course: &Course<'_>, moment: &Moment<'_>) {
        for job in 0..self.kinds.len() {
            let deviation = self.ask(job, &moment.running).deviation;
            let until = course.finish_seconds(job).unwrap_or(f64::INFINITY);
            let from = moment.start_seconds.max(scene.jobs[job].offset_seconds);
            let seconds = ((moment.start_seconds + scene.step_seconds).min(until) - from).max(0.0);
            self.deviation_seconds[job] += seconds * deviation;
        }
    }

    /// By how much each slowdown may be off, `[jobs]`; empty without experience.
    fn slowdown_deviations(&self, scene: &Scene) -> Vec<f64> {
        if self.experience.is_none() {
            return Vec::new();
        }
        scene
            .jobs
            .iter()
            .zip(&self.deviation_seconds)
            .map(|(job, seconds)| seconds / job.solo_seconds)
            .collect()
    }

    fn distance(&self) -> f64 {
        let scores = |experience: &Recall| {
            self.said.values().map(|recalled| experience.score(*recalled)).fold(0.0, f64::max)
        };
        self.experience.map_or(0.0, scores)
    }
}

fn goes_on(scene: &Scene, course: &Course<'_>) -> bool {
    let latest = scene.jobs.iter().map(|job| job.offset_seconds).fold(0.0, f64::max);
    let most = (latest + MOST_STRETCH * scene.sequential_seconds()) / scene.step_seconds;
    !course.has_ended() && (course.steps() as f64) < most
}

/// One step of each scene as tensors; scenes of fewer jobs are filled up with jobs that don't run.
fn stack(contexts: &[&[[f32; CONTEXT]]], steps: &[Vec<JobStep>], jobs: usize, device: &Device) -> Steps {
    let rows = steps.len() * jobs;
    let mut context = vec![0.0f32; rows * CONTEXT];
    let mut own = vec![0.0f32; rows * METRICS];
    let mut others = vec![0.0f32; rows * METRICS];
    let mut terms = vec![0.0f32; rows * TERMS];
    let mut running = vec![0.0f32; rows];
    let mut beside = vec![0.0f32; rows];
    for (scene, (contexts, steps)) in contexts.iter().zip(steps).enumerate() {
        for (job, (kind, step)) in contexts.iter().zip(steps).enumerate() {
            let row = scene * jobs + job;
            context[row * CONTEXT..][..CONTEXT].copy_from_slice(kind);
            own[row * METRICS..][..METRICS].copy_from_slice(&step.own);
            others[row * METRICS..][..METRICS].copy_from_slice(&step.others);
            terms[row * TERMS..][..TERMS].copy_from_slice(&step.terms);
            running[row] = f32::from(step.running);
            beside[row] = f32::from(step.beside);
        }
    }
    let tensor = |values: Vec<f32>, last: usize| {
        Tensor::<4>::from_data(TensorData::new(values, [steps.len(), jobs, 1, last]), device)
    };
    Steps {
        context: tensor(context, CONTEXT),
        own: tensor(own, METRICS),
        others: tensor(others, METRICS),
        terms: tensor(terms, TERMS),
        running: tensor(running, 1),
        beside: tensor(beside, 1),
    }
}

/// The background and the jobs' contributions, up to capacity, `[steps]`. Memory can be asked for beyond what there is, and
/// that must show.
fn total(scene: &Scene, contributions: &[Vec<f64>], metric: Metric) -> Vec<f64> {
    let background = scene.background.get(&metric).copied().unwrap_or(0.0);
    let ceiling = match metric {
        Metric::MemoryBytes => f64::INFINITY,
        _ => metric.capacity(&scene.node).unwrap_or(f64::INFINITY).max(background),
    };
    let mut total = vec![background; contributions.first().map_or(0, Vec::len)];
    for contribution in contributions {
        for (sum, value) in total.iter_mut().zip(contribution) {
            *sum += value;
        }
    }
    total.into_iter().map(|value| value.clamp(background.min(ceiling), ceiling)).collect()
}

#[cfg(test)]
mod tests {
    use cotrace_forecast::SoloInput;
    use cotrace_trace::{Capacity, Column, Trace};

    use super::*;
    use crate::cotrace::CotraceNetConfig;
    use crate::default_device;

    const ALL: [bool; METRICS] = [true; METRICS];

    fn trace(cores: f64, seconds: usize) -> Trace {
        Trace {
            capacity: Capacity { cores: Some(2.0), memory_bytes: Some(8e9), ..Capacity::default() },
            time_seconds: (1..=seconds).map(|row| row as f64).collect(),
            columns: [(Metric::CpuCores, cores), (Metric::MemoryBytes, 1e9)]
                .into_iter()
                .map(|(metric, value)| (Column::node(metric), vec![value; seconds]))
                .collect(),
            ..Trace::default()
        }
    }

    fn scene(jobs: &[(&Trace, f64)]) -> Scene {
        let inputs: Vec<SoloInput<'_>> = jobs
            .iter()
            .enumerate()
            .map(|(index, (trace, offset))| SoloInput {
                name: index.to_string(),
                trace,
                offset_seconds: *offset,
            })
            .collect();
        Scene::on_grid(&inputs, Capacity::default(), 1.0).expect("good traces")
    }

    fn network() -> CotraceNet {
        let device = default_device();
        device.seed(3);
        CotraceNetConfig::new().init(&device)
    }

    fn finish(network: &CotraceNet, scene: &Scene) -> Vec<f64> {
        roll_out(network, None, &[scene], &ALL, Ablation::Nothing, &default_device())
            .remove(0)
            .outcome
            .finish_seconds
    }

    #[test]
    fn alone_a_job_is_as_fast_as_alone() {
        let (a, b) = (trace(1.6, 20), trace(2.0, 12));
        let network = network();
        assert!((finish(&network, &scene(&[(&a, 0.0)]))[0] - 20.0).abs() < 1e-4);
        let after = finish(&network, &scene(&[(&a, 0.0), (&b, 25.0)]));
        assert!((after[0] - 20.0).abs() < 1e-4 && (after[1] - 37.0).abs() < 1e-4, "{after:?}");
    }

    #[test]
    fn together_jobs_are_slower_and_their_order_does_not_matter() {
        let (a, b, c) = (trace(1.6, 20), trace(2.0, 12), trace(0.4, 15));
        let network = network();
        let there = finish(&network, &scene(&[(&a, 0.0), (&b, 3.0), (&c, 1.0)]));
        let back = finish(&network, &scene(&[(&c, 1.0), (&a, 0.0), (&b, 3.0)]));
        assert!(there[0] > 21.0 && there[1] > 16.0, "{there:?}");
        for (job, other) in [(0, 1), (1, 2), (2, 0)] {
            assert!((there[job] - back[other]).abs() < 1e-3, "{there:?} {back:?}");
        }
    }

    #[test]
    fn a_batch_is_the_same_as_one_by_one() {
        let (a, b, c) = (trace(1.6, 20), trace(2.0, 12), trace(0.4, 15));
        let scenes =
            [scene(&[(&a, 0.0), (&b, 3.0)]), scene(&[(&c, 0.0)]), scene(&[(&a, 0.0), (&b, 0.0), (&c, 0.0)])];
        let network = network();
        let batch: Vec<&Scene> = scenes.iter().collect();
        let together = roll_out(&network, None, &batch, &ALL, Ablation::Nothing, &default_device());
        for (scene, batched) in scenes.iter().zip(&together) {
            let alone = finish(&network, scene);
            let close = alone.iter().zip(&batched.outcome.finish_seconds).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(close, "{alone:?} {:?}", batched.outcome.finish_seconds);
            assert_eq!(batched.reasons.len(), batched.outcome.steps());
        }
    }

    #[test]
    fn memory_is_a_level_and_cpu_stays_below_capacity() {
        let (a, b) = (trace(1.6, 20), trace(2.0, 12));
        let scene = scene(&[(&a, 0.0), (&b, 0.0)]);
        let outcome = roll_out(&network(), None, &[&scene], &ALL, Ablation::Nothing, &default_device())
            .remove(0)
            .outcome;
        assert!(outcome.totals[&Metric::CpuCores].iter().all(|cores| (0.0..=2.0).contains(cores)));
        assert!(outcome.totals[&Metric::MemoryBytes].iter().all(|bytes| *bytes >= 1e9 - 1.0));
    }
}
