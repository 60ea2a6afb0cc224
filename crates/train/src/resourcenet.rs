//! The published model as a method that can be judged.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use cotrace_evaluate::{FitError, FitProgress, Method, Predictor, Training};
use cotrace_model::Network;
use cotrace_model::resourcenet::ResourceNet;

use crate::checkpoints::Checkpoints;
use crate::examples::scales;
use crate::fit::{FitConfig, fit};
use crate::ready::Ready;

/// Goes up with every change of network, features, examples or loss: figures kept of another one are void.
const REVISION: u32 = 1;

/// The published model. It forecasts pairs only.
#[derive(Clone, Debug, Default)]
pub struct ResourceNetMethod {
    /// How it is fitted.
    pub config: FitConfig,
}

impl ResourceNetMethod {
    /// Fits a network.
    ///
    /// # Errors
    /// See [`fit`].
    pub(crate) fn network(
        &self,
        training: &Training<'_>,
        seed: u64,
        checkpoints: &Checkpoints,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<ResourceNet> {
        let config = FitConfig { seed, ..self.config.clone() };
        let tell = |step: usize, steps: usize, loss: f32| progress(step, steps, &format!("loss {loss:.4}"));
        fit(training, &scales(&training.coruns), &config, checkpoints, stop, &tell)
    }
}

impl Method for ResourceNetMethod {
    fn name(&self) -> String {
        "resourcenet".to_owned()
    }

    fn configuration(&self) -> String {
        format!("revision {REVISION}, {:?}", self.config)
    }

    fn is_seeded(&self) -> bool {
        true
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let network = self.network(training, seed, &Checkpoints::nowhere(), stop, progress)?;
        Ok(Box::new(Ready::new(Network::ResourceNet(network), scales(&training.coruns), None)?))
    }
}
