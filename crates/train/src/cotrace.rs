//! Training of the model of progress pointers.

mod examples;
mod experience;
mod fit;

use std::sync::atomic::AtomicBool;

use cotrace_evaluate::{FitError, FitProgress, Method, Prediction, Predictor, Question, Training};
use cotrace_forecast::Scene;
use cotrace_model::cotrace::{Ablation, CotraceNet, Experience, Recall, Rollout, roll_out};
use cotrace_model::default_device;
use cotrace_model::features::METRICS;

pub(crate) use experience::{extended, measure};
pub use fit::CotraceFit;

/// Goes up with every change of network, features, examples or loss: figures kept of another one are void.
const REVISION: u32 = 6;

/// Our model as a method that can be judged.
#[derive(Clone, Debug, Default)]
pub struct CotraceMethod {
    /// How it is fitted.
    pub config: CotraceFit,
    /// What is left out of it.
    pub without: Ablation,
}

/// A fitted network.
struct Fitted {
    network: CotraceNet,
    experience: Option<Recall>,
    without: Ablation,
}

impl CotraceMethod {
    /// Fits the network.
    pub(crate) fn network(
        &self,
        training: &Training<'_>,
        seed: u64,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<CotraceNet, FitError> {
        fit::fit(training, self, seed, stop, progress)
    }

    /// What the network gets wrong on the training that it was fitted to.
    pub(crate) fn experience(
        &self,
        network: &CotraceNet,
        training: &Training<'_>,
    ) -> Result<Option<Experience>, FitError> {
        match self.without {
            Ablation::Experience => Ok(None),
            without => experience::gather(network, training, without),
        }
    }

    /// The model, without each of its parts, and trained without variants of the examples: to see what each is worth.
    pub fn ablations() -> Vec<CotraceMethod> {
        let without = |without| CotraceMethod { without, ..CotraceMethod::default() };
        let one_variant = CotraceFit { variants: 1, ..CotraceFit::default() };
        let plain = CotraceMethod { config: one_variant, ..CotraceMethod::default() };
        Ablation::PARTS.into_iter().map(without).chain([plain]).collect()
    }
}

impl Method for CotraceMethod {
    fn name(&self) -> String {
        match self.without {
            Ablation::Nothing if self.config.variants == 1 => "cotrace, no augmentation".to_owned(),
            Ablation::Nothing => "cotrace".to_owned(),
            part => format!("cotrace, {}", part.title()),
        }
    }

    fn configuration(&self) -> String {
        format!("revision {REVISION}, {self:?}")
    }

    fn is_seeded(&self) -> bool {
        true
    }

    fn reckons_distances(&self) -> bool {
        self.without != Ablation::Experience
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let network = self.network(training, seed, stop, progress)?;
        let experience = self.experience(&network, training)?.map(Recall::new).transpose()?;
        Ok(Box::new(Fitted { network, experience, without: self.without }))
    }
}

impl Predictor for Fitted {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        let scenes: Vec<&Scene> = questions.iter().map(|question| question.scene).collect();
        let known = [true; METRICS];
        let experience = self.experience.as_ref();
        let rollouts = roll_out(&self.network, experience, &scenes, &known, self.without, &default_device());
        let distance = |rollout: &Rollout| experience.map(|_| rollout.distance);
        let prediction =
            |rollout: Rollout| Prediction { distance: distance(&rollout), ..rollout.outcome.into() };
        rollouts.into_iter().map(|rollout| Some(prediction(rollout))).collect()
    }
}
