//! The networks that forecast a co-run from solo traces, in [Burn](https://burn.dev).
//!
//! One definition serves training (`cotrace-train`, with autodiff), the command line and WebAssembly.
//! [`Forecaster`] is the way in: a model file's bytes make one, and it turns solo traces into a
//! [`Forecast`](cotrace_forecast::Forecast).
//!
//! Shapes are written `[batch, time, features]`. Values inside the network are shares of the node's capacity,
//! divided by a scale per metric that the model file carries.

mod distance;
mod file;
mod forecaster;
mod gru;

pub mod cotrace;
pub mod features;
pub mod resourcenet;

pub use distance::DistanceReference;
pub use file::{Header, ModelError, ModelFile, Network};
pub use forecaster::{ForecastError, Forecaster, Job, Options, Run, default_device};
pub use gru::{GruCell, GruCellConfig};
