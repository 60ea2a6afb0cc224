//! How well forecasts do on measured co-runs that they have not seen.
//!
//! 1. [`Case::all`] makes of every measured co-run a [`Case`]: the [`Scene`](cotrace_forecast::Scene) that a forecast
//!    is given, and what was measured.
//! 2. [`Plan`] says which trainings there are and on which cases each is judged: by a data set's splits, or leaving
//!    each job out in turn.
//! 3. A [`Method`] is fitted to the cases of a training and gives a [`Predictor`]. The [`baselines`] here are rules and
//!    small models from libraries; networks come from `cotrace-train`.
//! 4. [`evaluate`] fits every method for every training, judges it and gives an [`Evaluation`]: `evaluation.json`,
//!    and a page for people.
//!
//! Errors of the footprint are in percent of the node's capacity, those of slowdowns in points (0.01 of the duration of
//! the solo run that the forecast was given).

pub mod baselines;
mod bootstrap;
mod case;
mod conformal;
mod errors;
mod evaluate;
mod evaluation;
mod figures;
mod method;
mod page;
mod plan;
mod plots;
mod rank;
#[cfg(test)]
mod testing;

pub use bootstrap::{Difference, Measure};
pub use case::{Case, LeftOut, SceneGrid, Truth};
pub use conformal::{Conformal, bands};
pub use errors::{CaseFigures, FOOTPRINT, IntervalFigures, MetricErrors, TenthsCovered};
pub use evaluate::{EvaluateError, Options, Progress, evaluate};
pub use evaluation::{DataInfo, Evaluation, MethodInfo, Row, Section, SlowdownFigures};
pub use figures::{Coverage, Entry, Figures, Spread};
pub use method::{
    FitError, FitProgress, Intervals, Measured, Method, Prediction, Predictor, Question, Training,
};
pub use plan::{Plan, Test, TrainingPlan};
pub use plots::{Plot, PlotError};
