//! A model that is ready, as something that can be judged.

use cotrace_evaluate::{Prediction, Predictor, Question};
use cotrace_forecast::Scene;
use cotrace_model::Forecaster;

/// Forecasts what its model takes: `resourcenet` has nothing to say of more than two jobs.
#[derive(Clone, Debug)]
pub struct Ready(pub Forecaster);

impl Predictor for Ready {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        let taken: Vec<usize> =
            (0..questions.len()).filter(|&at| self.0.takes(questions[at].jobs.len())).collect();
        let scenes: Vec<&Scene> = taken.iter().map(|&at| questions[at].scene).collect();
        let mut predictions = vec![None; questions.len()];
        for (at, run) in taken.into_iter().zip(self.0.run(&scenes)) {
            predictions[at] = Some(run.outcome.into());
        }
        predictions
    }
}
