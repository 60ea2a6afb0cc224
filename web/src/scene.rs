//! What a person made, as it is shared and kept: version 1 of its JSON. It holds the traces themselves, but for samples.

use cotrace_trace::Capacity;
use serde::{Deserialize, Serialize};

use crate::fields::{Field, NodeForm};
use crate::messages::Samples;
use crate::models::Model;
use crate::state::{Control, LEAST_SHOWN, PLACES, Place, State};

/// The version that is written.
const VERSION: u32 = 1;

/// Everything that a forecast on the page follows from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Version of this form: 1.
    pub cotrace_scene: u32,
    /// The jobs, in the order of their places.
    pub jobs: Vec<SceneJob>,
    /// The node, as far as the person said it.
    #[serde(default)]
    pub node: Capacity,
    /// The model, if it comes with the page and isn't the one to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A job of a scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneJob {
    /// What it is called.
    pub name: String,
    /// The sample that it is, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
    /// Its trace as canonical CSV, if it isn't a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// When it starts.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset_seconds: f64,
    /// How many times as much it has to do as in its trace.
    #[serde(skip_serializing_if = "is_one")]
    pub size: f64,
    /// It is left out.
    #[serde(skip_serializing_if = "is_false")]
    pub muted: bool,
}

// Serde hands these a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(value: &f64) -> bool {
    // Left out it reads as 0, which is none.
    *value == 1.0 || *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !*value
}

/// What is written of the page, and which traces the worker must write for it: the job's index, and its handle.
pub fn written(state: &State) -> (Scene, Vec<(usize, u32)>) {
    let mut jobs = Vec::new();
    let mut traces = Vec::new();
    for place in state.filled() {
        let (slot, control) = (state.slot(place), state.control(place));
        let Some(trace) = &slot.trace else { continue };
        // A part of a sample is no sample.
        let sample = slot.sample().filter(|_| slot.cut.is_none());
        if sample.is_none() {
            traces.push((jobs.len(), trace.handle));
        }
        jobs.push(SceneJob {
            name: trace.name.clone(),
            sample: sample.map(str::to_owned),
            trace: None,
            // What is no number was never forecast.
            offset_seconds: control.offset_seconds().unwrap_or(0.0),
            size: control.times().unwrap_or(1.0),
            muted: control.muted,
        });
    }
    let model = state.models.forecasting().filter(|model| *model != Model::default() && *model != Model::Own);
    let scene = Scene {
        cotrace_scene: VERSION,
        jobs,
        node: state.node.typed_capacity().unwrap_or_default(),
        model: model.map(|model| model.name().to_owned()),
    };
    (scene, traces)
}

impl Scene {
    /// Two samples together.
    pub fn of_samples(names: [&str; 2]) -> Scene {
        let job = |name: &str| SceneJob {
            name: name.to_owned(),
            sample: Some(name.to_owned()),
            ..SceneJob::default()
        };
        Scene { cotrace_scene: VERSION, jobs: names.map(job).into(), ..Scene::default() }
    }

    /// Whether nothing but samples is in it: then an address without traces says it all.
    pub fn is_of_samples(&self) -> bool {
        !self.jobs.is_empty() && self.jobs.iter().all(|job| job.sample.is_some())
    }

    /// What is wrong with it, in words.
    ///
    /// # Errors
    /// It can't be opened, and why.
    pub fn check(&self, samples: &Samples) -> Result<(), String> {
        if self.cotrace_scene != VERSION {
            return Err(format!("It has version {}; this page opens version {VERSION}.", self.cotrace_scene));
        }
        if self.jobs.is_empty() || self.jobs.len() > PLACES {
            return Err(format!("It holds {} jobs; 1 to {PLACES} can be shown.", self.jobs.len()));
        }
        for job in &self.jobs {
            let known = |name: &String| samples.solo.iter().any(|solo| solo.name == *name);
            match (&job.sample, &job.trace) {
                (Some(sample), _) if !known(sample) => {
                    return Err(format!("The sample {sample} is not among those of this page."));
                }
                (None, None) => return Err(format!("The job {} has no trace in it.", job.name)),
                _ => {}
            }
            if !(job.offset_seconds.is_finite() && job.offset_seconds >= 0.0) {
                return Err(format!("The job {} starts at no time.", job.name));
            }
        }
        Ok(())
    }

    /// What is wanted of each job.
    pub fn controls(&self) -> [Control; PLACES] {
        let mut controls: [Control; PLACES] = Default::default();
        for (place, job) in Place::ALL.into_iter().zip(&self.jobs) {
            let unless =
                |value: f64, usual: f64| Field::of((value != usual && value != 0.0).then_some(value));
            controls[place.index()] = Control {
                offset: unless(job.offset_seconds, 0.0),
                size: unless(job.size, 1.0),
                muted: job.muted,
            };
        }
        controls
    }

    /// How many places it needs.
    pub fn shown(&self) -> usize {
        self.jobs.len().max(LEAST_SHOWN)
    }

    /// The form of its node.
    pub fn node_form(&self) -> NodeForm {
        NodeForm::of(&self.node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::SoloSample;

    fn samples() -> Samples {
        let solo = SoloSample {
            name: "sort".into(),
            kind: "io".into(),
            description: String::new(),
            file: "sort.csv".into(),
            seconds: 20.0,
        };
        Samples { solo: vec![solo], ..Samples::default() }
    }

    #[test]
    fn what_is_usual_is_left_out_and_reads_back() {
        let scene = Scene {
            cotrace_scene: 1,
            jobs: vec![
                SceneJob { name: "sort".into(), sample: Some("sort".into()), ..SceneJob::default() },
                SceneJob {
                    name: "mine".into(),
                    trace: Some("time_seconds\n".into()),
                    offset_seconds: 12.5,
                    size: 2.0,
                    muted: true,
                    ..SceneJob::default()
                },
            ],
            node: Capacity { cores: Some(4.0), ..Capacity::default() },
            model: Some("resourcenet".into()),
        };
        let text = serde_json::to_string(&scene).unwrap();
        assert!(!text.contains("\"size\":0") && text.contains("\"size\":2"), "{text}");
        assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), scene);
        assert_eq!(scene.check(&samples()), Ok(()));
        let controls = scene.controls();
        assert_eq!((controls[0].offset_seconds(), controls[0].times()), (Ok(0.0), Ok(1.0)));
        assert_eq!(
            (controls[1].offset_seconds(), controls[1].times(), controls[1].muted),
            (Ok(12.5), Ok(2.0), true)
        );
        assert_eq!(scene.node_form().typed_capacity().unwrap(), scene.node);
        assert!(!scene.is_of_samples() && Scene::of_samples(["sort", "sort"]).is_of_samples());
    }

    #[test]
    fn what_can_not_be_opened_says_why() {
        let good = Scene::of_samples(["sort", "sort"]);
        let with = |change: fn(&mut Scene)| {
            let mut scene = good.clone();
            change(&mut scene);
            scene.check(&samples()).unwrap_err()
        };
        let cases = [
            (with(|scene| scene.cotrace_scene = 2), "version 2"),
            (with(|scene| scene.jobs.clear()), "0 jobs"),
            (with(|scene| scene.jobs = vec![SceneJob::default(); 5]), "5 jobs"),
            (with(|scene| scene.jobs[1].sample = Some("gone".into())), "sample gone"),
            (with(|scene| scene.jobs[1].sample = None), "no trace"),
            (with(|scene| scene.jobs[1].offset_seconds = -1.0), "no time"),
        ];
        for (said, wanted) in cases {
            assert!(said.contains(wanted), "{said} does not say {wanted}");
        }
    }
}
