//! A measured co-run, ready to be forecast and judged.

use std::collections::BTreeMap;

use cotrace_dataset::{DataSet, Run, RunKind, noise};
use cotrace_forecast::{Scene, SoloInput};
use cotrace_trace::{Metric, Trace};
use serde::{Deserialize, Serialize};

mod progress;

use progress::Part;

/// Steps of a scene's grid for all its jobs one after the other, as forecasts have.
const SCENE_STEPS: usize = 128;

/// A measured co-run with the scene that a forecast of it is given.
#[derive(Clone, Debug)]
pub struct Case {
    /// The run's id.
    pub run: String,
    /// The names of its jobs.
    pub jobs: Vec<String>,
    /// What it has in common with other measurements of the same: see [`noise::same`].
    pub same: String,
    /// Index of its sitting.
    pub sitting: u32,
    /// The jobs' solo runs of the same sitting and the node of the co-run.
    pub scene: Scene,
    /// What was measured.
    pub truth: Truth,
}

/// What was measured of a co-run, on its scene's grid, from the first job's start to the last one's end.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// The node's metrics, `[steps]` each; `NaN` where nothing is known.
    pub totals: BTreeMap<Metric, Vec<f64>>,
    /// Each job's own metrics, `[jobs]` of `[steps]`.
    pub jobs: Vec<BTreeMap<Metric, Vec<f64>>>,
    /// When each job ended, from the first job's start, `[jobs]`.
    pub finish_seconds: Vec<f64>,
    /// How far each job had got by the work that it had done, in seconds of its own solo run, at the start of each step
    /// and at the end of the last, `[jobs][steps + 1]`.
    pub progress_seconds: Vec<Vec<f64>>,
}

/// A co-run that can't be a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The run's id.
    pub run: String,
    /// What it lacks.
    pub why: String,
}

impl Case {
    /// Every undisturbed co-run of a data set, on cut nodes too, and those that can't be forecast.
    pub fn all(data: &DataSet) -> (Vec<Case>, Vec<LeftOut>) {
        let mut cases = Vec::new();
        let mut left_out = Vec::new();
        for (run, trace) in data.runs().filter(|(run, _)| run.kind == RunKind::Corun && !run.disturbed) {
            match Case::new(data, run, trace) {
                Ok(case) => cases.push(case),
                Err(why) => left_out.push(LeftOut { run: run.id.clone(), why }),
            }
        }
        (cases, left_out)
    }

    /// A run as a case.
    ///
    /// # Errors
    /// Says what the run lacks.
    pub fn new(data: &DataSet, run: &Run, trace: &Trace) -> Result<Case, String> {
        let solos = run.jobs.iter().map(|job| {
            let solo = data.median_solo(&job.name, run.sitting, None);
            solo.map(|(_, trace)| trace)
                .ok_or_else(|| format!("{} was not measured alone in its sitting", job.name))
        });
        let solos = solos.collect::<Result<Vec<&Trace>, String>>()?;
        Case::with_solos(run, trace, &solos, SceneGrid::Steps(SCENE_STEPS))
    }

    /// A run as a case with solo runs of its jobs given, `[jobs]`.
    ///
    /// # Errors
    /// Says what the traces lack.
    pub fn with_solos(run: &Run, trace: &Trace, solos: &[&Trace], grid: SceneGrid) -> Result<Case, String> {
        let first = run.jobs.iter().map(|job| job.start_seconds).fold(f64::INFINITY, f64::min);
        let last = run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
        let inputs: Vec<SoloInput<'_>> = run
            .jobs
            .iter()
            .zip(solos)
            .map(|(job, trace)| SoloInput {
                name: job.label.clone(),
                trace,
                offset_seconds: job.start_seconds - first,
            })
            .collect();
        let scene = match grid {
            SceneGrid::Steps(most) => Scene::new(&inputs, trace.capacity, most),
            SceneGrid::Seconds(step) => Scene::on_grid(&inputs, trace.capacity, step),
        };
        let scene = scene.map_err(|error| error.to_string())?;
        let step = scene.step_seconds;
        // The grid's last step goes on beyond the last end; what the trace has of that time counts.
        let end = first + ((last - first) / step - 1e-9).ceil().max(1.0) * step;
        let measured = trace.crop(first, end).regrid(step);
        let covered =
            (trace.duration_seconds().min(end) - first) / step - measured.steps.saturating_sub(1) as f64;
        let of_node = whole_steps(&measured.values, covered, &scene.background);
        let of_job = |label: &str| {
            let values = measured.jobs.get(label);
            values.map(|values| whole_steps(values, covered, &BTreeMap::new())).unwrap_or_default()
        };
        let progress_seconds = run
            .jobs
            .iter()
            .zip(solos)
            .map(|(job, solo)| {
                let (from, to) = (job.start_seconds, job.end_seconds);
                let corun = Part { trace, label: &job.label, from, to, alone: false };
                let times = (0..=measured.steps).map(|k| k as f64 * step + first - job.start_seconds);
                progress::progress(Part::of_solo(solo), corun, step, times)
            })
            .collect();
        Ok(Case {
            run: run.id.clone(),
            jobs: run.jobs.iter().map(|job| job.name.clone()).collect(),
            same: noise::same(run),
            sitting: run.sitting,
            truth: Truth {
                totals: of_node,
                jobs: run.jobs.iter().map(|job| of_job(&job.label)).collect(),
                finish_seconds: run.jobs.iter().map(|job| job.end_seconds - first).collect(),
                progress_seconds,
            },
            scene,
        })
    }

    /// Measured slowdown of each job, `[jobs]`: its duration over that of the solo run in the scene.
    pub fn slowdowns(&self) -> Vec<f64> {
        self.slowdowns_of(&self.truth.finish_seconds)
    }

    /// The slowdowns that follow from finish times, `[jobs]`.
    pub fn slowdowns_of(&self, finish_seconds: &[f64]) -> Vec<f64> {
        let jobs = self.scene.jobs.iter().zip(finish_seconds);
        jobs.map(|(job, finish)| (finish - job.offset_seconds) / job.solo_seconds).collect()
    }
}

/// Series of a grid as means over whole steps, as forecasts are: of the last step only the part `covered` is in the trace,
/// and then the node is idle.
fn whole_steps(
    values: &BTreeMap<Metric, Vec<f32>>,
    covered: f64,
    background: &BTreeMap<Metric, f64>,
) -> BTreeMap<Metric, Vec<f64>> {
    values
        .iter()
        .map(|(metric, values)| {
            let mut values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
            let idle = background.get(metric).copied().unwrap_or(0.0);
            if let Some(last) = values.last_mut() {
                *last = idle + (*last - idle) * covered.clamp(0.0, 1.0);
            }
            (*metric, values)
        })
        .collect()
}

/// The grid of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SceneGrid {
    /// At most so many steps for all jobs one after the other, and never finer than the samples.
    Steps(usize),
    /// This spacing.
    Seconds(f64),
}
