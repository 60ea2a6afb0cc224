//! A model that is ready, as something that can be judged.

use cotrace_evaluate::{Prediction, Predictor, Question};
use cotrace_forecast::{Bands, Scene};
use cotrace_model::cotrace::Experience;
use cotrace_model::features::Scales;
use cotrace_model::{DistanceReference, Forecaster, Header, ModelError, Network, default_device};

/// Forecasts what its model takes: `resourcenet` has nothing to say of more than two jobs.
#[derive(Clone, Debug)]
pub struct Ready(pub Forecaster);

impl Ready {
    /// A network that was just fitted. It has no bands yet, and no card.
    ///
    /// # Errors
    /// [`ModelError::Experience`] if that can't be used.
    pub(crate) fn new(
        network: Network,
        scales: Scales,
        experience: Option<Experience>,
    ) -> Result<Ready, ModelError> {
        let header = Header {
            name: network.name().to_owned(),
            version: "0".to_owned(),
            hidden: network.hidden(),
            scales,
            bands: Bands::default(),
            distance: DistanceReference::default(),
            experience,
            card: serde_json::Value::Null,
        };
        Ok(Ready(Forecaster::from_parts(header, network, &default_device())?))
    }
}

impl Predictor for Ready {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        let taken: Vec<usize> =
            (0..questions.len()).filter(|&at| self.0.takes(questions[at].jobs.len())).collect();
        let scenes: Vec<&Scene> = taken.iter().map(|&at| questions[at].scene).collect();
        let mut predictions = vec![None; questions.len()];
        for (at, run) in taken.into_iter().zip(self.0.run(&scenes)) {
            predictions[at] = Some(Prediction { distance: run.distance, ..run.outcome.into() });
        }
        predictions
    }
}
