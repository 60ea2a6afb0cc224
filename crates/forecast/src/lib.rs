//! What a forecast of a co-run is: its JSON form, its headline figures, and the baselines that need no network.
//!
//! The way from traces to a [`Forecast`]:
//!
//! 1. A [`Scene`] puts the solo traces on one grid and says what node they meet on.
//! 2. Something says how fast each job gets on and what the node shows: a [`Baseline`] here, a network in
//!    `cotrace-model`. Its answer is an [`Outcome`].
//! 3. [`Forecast::assemble`] turns the outcome into what people and programs read.

mod assemble;
mod baseline;
mod forecast;
mod outcome;
mod scene;
mod share;
mod simulate;
mod summary;

pub use assemble::{Bands, DistanceScale, Provenance};
pub use baseline::Baseline;
pub use forecast::{
    Cause, Contribution, Distance, Forecast, JobForecast, Limit, Lost, MemoryFits, MetricForecast, ModelName,
    Verdict,
};
pub use outcome::Outcome;
pub use scene::{MODELLED, Scene, SceneError, SoloInput, SoloJob};
pub use share::{max_min, share_unit};
pub use simulate::{Course, Moment};
pub use summary::{format_duration, headline, losses};
