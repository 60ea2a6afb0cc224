//! Training of Cotrace's networks, and what is written of them.
//!
//! - [`CotraceMethod`] and [`ResourceNetMethod`] are the networks as methods of [`cotrace_evaluate`], which fits them
//!   anew for each split and judges them beside the baselines.
//! - [`ship`] fits one of them ([`Recipe`]) to every undisturbed co-run of a data set that it takes, asks further fits
//!   how wide its bands must be, and writes the model file with its card. Fits that were stopped are gone on with.
//! - [`tune`] teaches a model that is there the co-runs of another data set, and says whether that helped.
//! - [`Ready`] is a model file as a method's predictor: it is judged as it is.
//! - [`to_safetensors`] writes the published network's weights for PyTorch.

mod card;
mod checkpoints;
mod cotrace;
mod examples;
mod export;
mod fit;
mod ready;
mod recipe;
mod resourcenet;
mod seeded;
mod ship;
mod tune;

pub use cotrace::{CotraceFit, CotraceMethod};
pub use export::{from_safetensors, to_safetensors};
pub use fit::{FitConfig, Stopped, time_steps};
pub use ready::Ready;
pub use recipe::Recipe;
pub use resourcenet::ResourceNetMethod;
pub use ship::{ShipOptions, ShipProgress, Unusable, ship};
pub use tune::{TuneOptions, Tuned, tune};
