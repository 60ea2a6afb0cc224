//! Solo traces in, forecast out.

use burn::tensor::Device;
use cotrace_forecast::{Forecast, MODELLED, ModelName, Outcome, Provenance, Scene, SceneError, SoloInput};
use cotrace_trace::{Capacity, Metric, Trace};

use crate::cotrace::{Ablation, Recall, Rollout, roll_out};
use crate::features::{JOBS, METRICS, SceneFeatures, share_unit};
use crate::file::{Header, ModelError, ModelFile, Network};
use crate::resourcenet::{FreeRun, ResourceNet};

/// Grid steps for both jobs one after the other: what training sequences have, a second for every second.
const SCENE_STEPS: usize = 128;

/// The most jobs of one forecast.
const MOST_JOBS: usize = 16;

/// No forecast runs longer than this many times both jobs one after the other.
const MOST_STRETCH: f64 = 4.0;

/// A job to forecast.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// What to call it.
    pub name: String,
    /// Its solo trace.
    pub trace: &'a Trace,
    /// When it starts, from the first job's start.
    pub offset_seconds: f64,
}

/// What a person may set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The node the jobs are to share. What it leaves open is taken from the traces.
    pub node: Capacity,
}

/// Why there is no forecast.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ForecastError {
    /// The model takes two jobs.
    #[error("the resourcenet model forecasts two jobs together, no fewer and no more; {given} were given")]
    TwoJobs {
        /// How many were given.
        given: usize,
    },
    /// More jobs than any node is shared by.
    #[error("at most {} jobs are forecast together; {given} were given", MOST_JOBS)]
    TooManyJobs {
        /// How many were given.
        given: usize,
    },
    /// The traces make no scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The network gave a value that is no number.
    #[error("the model's answer is no number: its weights are damaged, or the traces hold extreme values")]
    NotANumber,
}

/// A loaded model.
#[derive(Clone, Debug)]
pub struct Forecaster {
    header: Header,
    network: Network,
    experience: Option<Recall>,
    device: Device,
}

/// What a network makes of a scene.
#[derive(Clone, Debug)]
pub struct Run {
    /// What happens.
    pub outcome: Outcome,
    /// What to warn of.
    pub warnings: Vec<String>,
    /// How many times farther off it may be than on jobs that were measured, as the model reckons it; `None`: it doesn't
    /// say.
    pub distance: Option<f64>,
}

/// The device that forecasts run on: burn-flex, the fastest on a CPU and in WebAssembly.
pub fn default_device() -> Device {
    Device::flex()
}

impl Forecaster {
    /// Loads a model file on the default device.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Forecaster, ModelError> {
        Forecaster::on_device(bytes, &default_device())
    }

    /// Loads a model file on a device.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub fn on_device(bytes: &[u8], device: &Device) -> Result<Forecaster, ModelError> {
        let ModelFile { header, network } = ModelFile::from_bytes(bytes, device)?;
        Forecaster::from_parts(header, network, device)
    }

    /// A forecaster from its parts, for training.
    ///
    /// # Errors
    /// [`ModelError::Experience`] if the header's can't be used.
    pub fn from_parts(header: Header, network: Network, device: &Device) -> Result<Forecaster, ModelError> {
        let experience = header.experience.clone().map(Recall::new).transpose();
        let experience = experience.map_err(ModelError::Experience)?;
        Ok(Forecaster { header, network, experience, device: device.clone() })
    }

    /// The model's card.
    pub fn card(&self) -> &serde_json::Value {
        &self.header.card
    }

    /// Name, version and measured error.
    pub fn model(&self) -> ModelName {
        ModelName {
            name: self.header.name.clone(),
            version: self.header.version.clone(),
            unseen_jobs_slowdown_points: unseen_jobs_slowdown_points(self.card()),
        }
    }

    /// Whether so many jobs can be forecast together. That there are none is for the scene to say.
    pub fn takes(&self, jobs: usize) -> bool {
        match self.network {
            Network::ResourceNet(_) => jobs == JOBS,
            Network::Cotrace(_) => jobs <= MOST_JOBS,
        }
    }

    /// Forecasts jobs together.
    ///
    /// # Errors
    /// See [`ForecastError`].
    pub fn forecast(&self, jobs: &[Job<'_>], options: &Options) -> Result<Forecast, ForecastError> {
        let scene = self.scene(jobs, options)?;
        let Run { outcome, mut warnings, distance } =
            self.run(&[&scene]).pop().ok_or(ForecastError::NotANumber)?;
        let finite = outcome.totals.values().flatten().chain(&outcome.finish_seconds).all(|v| v.is_finite());
        if !finite {
            return Err(ForecastError::NotANumber);
        }
        warnings.extend(self.header.distance.unfamiliar(&scene).into_iter().map(|metric| {
            format!(
                "{}: these jobs use far more than any job the model learned from. Do not rely on this part of the forecast.",
                metric.title()
            )
        }));
        let provenance = Provenance {
            model: self.model(),
            distance: self.header.distance.score(&scene, distance.map(|reckoned| self.scaled(reckoned))),
            bands: self.header.bands.clone(),
            warnings,
        };
        Ok(Forecast::assemble(&scene, &outcome, provenance, |metric| share_unit(metric, &scene.node)))
    }

    /// What comes of each start of one of several jobs, in one batch: finish times of all jobs, from the first job's start,
    /// `[starts][jobs]`.
    ///
    /// # Errors
    /// See [`ForecastError`].
    ///
    /// # Panics
    /// If there is no job `moved`.
    pub fn finishes(
        &self,
        jobs: &[Job<'_>],
        options: &Options,
        moved: usize,
        offsets_seconds: &[f64],
    ) -> Result<Vec<Vec<f64>>, ForecastError> {
        let mut jobs = jobs.to_vec();
        let scenes = offsets_seconds.iter().map(|&offset_seconds| {
            jobs[moved].offset_seconds = offset_seconds;
            self.scene(&jobs, options)
        });
        let scenes: Vec<Scene> = scenes.collect::<Result<_, _>>()?;
        let runs = self.run(&scenes.iter().collect::<Vec<_>>());
        let finishes: Vec<Vec<f64>> = runs.into_iter().map(|run| run.outcome.finish_seconds).collect();
        if finishes.iter().flatten().all(|seconds| seconds.is_finite()) {
            Ok(finishes)
        } else {
            Err(ForecastError::NotANumber)
        }
    }

    /// What a distance that the network reckons means, as far as that was measured.
    fn scaled(&self, reckoned: f64) -> f64 {
        self.header.bands.distance.map_or(reckoned, |scale| scale.score(reckoned))
    }

    fn scene(&self, jobs: &[Job<'_>], options: &Options) -> Result<Scene, ForecastError> {
        if !self.takes(jobs.len()) {
            let given = jobs.len();
            return Err(match self.network {
                Network::ResourceNet(_) => ForecastError::TwoJobs { given },
                Network::Cotrace(_) => ForecastError::TooManyJobs { given },
            });
        }
        let inputs: Vec<SoloInput<'_>> = jobs
            .iter()
            .map(|job| SoloInput {
                name: job.name.clone(),
                trace: job.trace,
                offset_seconds: job.offset_seconds,
            })
            .collect();
        Ok(Scene::new(&inputs, options.node, SCENE_STEPS)?)
    }

    /// Runs the network on scenes, of two jobs each if it is `resourcenet`.
    pub fn run(&self, scenes: &[&Scene]) -> Vec<Run> {
        let known = [true; METRICS];
        match &self.network {
            Network::ResourceNet(network) => self.write(network, scenes, &known),
            Network::Cotrace(network) => {
                let experience = self.experience.as_ref();
                let rollouts = roll_out(network, experience, scenes, &known, Ablation::Nothing, &self.device);
                let run = |rollout: Rollout| Run {
                    outcome: rollout.outcome,
                    warnings: Vec::new(),
                    distance: experience.map(|_| rollout.distance),
                };
                rollouts.into_iter().map(run).collect()
            }
        }
    }

    /// Lets the decoder write.
    fn write(&self, network: &ResourceNet, scenes: &[&Scene], known: &[bool; METRICS]) -> Vec<Run> {
        let features: Vec<SceneFeatures> =
            scenes.iter().map(|scene| SceneFeatures::new(scene, &self.header.scales, known)).collect();
        let most = scenes.iter().map(|scene| most_steps(scene)).max().unwrap_or(0);
        let runs = network.run(&features, most, &self.device);
        scenes
            .iter()
            .zip(&features)
            .zip(&runs)
            .map(|((scene, features), run)| outcome(scene, features, run, &self.header))
            .collect()
    }
}

/// The card's own figure for jobs that its models had never seen.
fn unseen_jobs_slowdown_points(card: &serde_json::Value) -> Option<f64> {
    let sections = card.get("held_out")?.as_array()?;
    let section = sections
        .iter()
        .find(|section| ["unseen jobs", "unseen-jobs"].iter().any(|name| section["name"] == *name))?;
    let rows = section["rows"].as_array()?;
    let of_network = |row: &&serde_json::Value| Network::NAMES.iter().any(|name| row["predictor"] == *name);
    rows.iter().find(of_network)?["slowdown_points"]["mean"].as_f64()
}

fn most_steps(scene: &Scene) -> usize {
    let latest = scene.jobs.iter().map(|job| job.offset_seconds).fold(0.0, f64::max);
    ((latest + MOST_STRETCH * scene.sequential_seconds()) / scene.step_seconds).ceil() as usize
}

/// From the network's steps to the scene's units. Finish times are interpolated within the step in which a job's
/// completion reaches one.
fn outcome(scene: &Scene, features: &SceneFeatures, run: &FreeRun, header: &Header) -> Run {
    let step = scene.step_seconds;
    let mut progress_seconds = Vec::new();
    let mut finish_seconds = Vec::new();
    let mut warnings = Vec::new();
    for (j, job) in scene.jobs.iter().enumerate() {
        let mut progress = vec![0.0];
        let mut at = 0.0;
        let mut finish = None;
        for (k, rates) in run.rates.iter().enumerate() {
            let runs_for = f64::from(features.started(j, k)) * step;
            let rate = f64::from(rates[j]);
            if run.ended_in[j] == Some(k) {
                // The network sums in single precision: its own word on the step counts.
                let start = k as f64 * step + (step - runs_for);
                finish = Some(start + ((job.solo_seconds - at) / rate).clamp(0.0, runs_for));
                at = job.solo_seconds;
            }
            at = (at + runs_for * rate).min(job.solo_seconds);
            progress.push(at);
        }
        finish_seconds.push(finish.unwrap_or_else(|| {
            warnings.push(format!(
                "{} had not ended when the forecast stopped; its end is extrapolated.",
                job.name
            ));
            let rate = run.rates.last().map_or(1.0, |rates| f64::from(rates[j]));
            run.rates.len() as f64 * step + (job.solo_seconds - at) / rate
        }));
        progress_seconds.push(progress);
    }
    let totals =
        scene.known_metrics().into_iter().map(|metric| (metric, total(scene, run, header, metric))).collect();
    let outcome = Outcome { progress_seconds, finish_seconds, totals, ..Outcome::default() };
    Run { outcome, warnings, distance: None }
}

/// The node's series of one metric, `[steps]`, in its unit. What no job asks for alone, nobody gets together, and no
/// job gives back what the node holds without it.
fn total(scene: &Scene, run: &FreeRun, header: &Header, metric: Metric) -> Vec<f64> {
    let m = MODELLED.iter().position(|&other| other == metric).unwrap_or_default();
    let background = scene.background.get(&metric).copied().unwrap_or(0.0);
    let unit = share_unit(metric, &scene.node) * header.scales.get(&metric).copied().unwrap_or(1.0);
    let asked =
        scene.jobs.iter().filter_map(|job| job.demand.get(&metric)).flatten().any(|value| *value > 0.0);
    // Jobs can need more memory than there is, and that must show; nothing else exceeds its capacity.
    let ceiling = match metric {
        Metric::MemoryBytes => f64::INFINITY,
        _ => metric.capacity(&scene.node).unwrap_or(f64::INFINITY).max(background),
    };
    run.metrics
        .iter()
        .map(|step| if asked { background + f64::from(step[m]) * unit } else { background })
        .map(|value| value.max(background).min(ceiling))
        .collect()
}
