//! The published model as a method that can be judged.

use std::sync::atomic::AtomicBool;

use cotrace_evaluate::{FitError, FitProgress, Method, Predictor, Training};
use cotrace_forecast::Bands;
use cotrace_model::{DistanceReference, Forecaster, Header, Network, default_device};

use crate::examples::scales;
use crate::fit::{Checkpoints, FitConfig, fit};
use crate::ready::Ready;

/// Goes up with every change of network, features, examples or loss: figures kept of another one are void.
const REVISION: u32 = 1;

/// The published model. It forecasts pairs only.
#[derive(Clone, Debug, Default)]
pub struct ResourceNetMethod {
    /// How it is fitted.
    pub config: FitConfig,
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
        let config = FitConfig { seed, ..self.config.clone() };
        let scales = scales(&training.coruns);
        let tell = |step: usize, steps: usize, loss: f32| progress(step, steps, &format!("loss {loss:.4}"));
        let network = fit(training, &scales, &config, &Checkpoints::nowhere(), stop, &tell)?;
        let header = Header {
            name: self.name(),
            version: "0".to_owned(),
            hidden: config.hidden,
            scales,
            bands: Bands::default(),
            distance: DistanceReference::default(),
            experience: None,
            card: serde_json::Value::Null,
        };
        let network = Network::ResourceNet(network);
        Ok(Box::new(Ready(Forecaster::from_parts(header, network, &default_device())?)))
    }
}
