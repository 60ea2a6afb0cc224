//! Data set, splits, training, evaluation and export of Cotrace's models.
//!
//! [`train`] does it all: it reads a measured data set ([`DataSet`]), holds some of it out ([`Split`]), fits the
//! network to the rest, judges it on what was held out beside the baselines ([`evaluate`]), and writes the model
//! file, the report and the model card.

mod card;
mod cotrace;
mod data;
mod evaluate;
mod examples;
mod export;
mod fit;
mod ready;
mod report;
mod resourcenet;
mod ship;
mod split;
mod train;

pub use cotrace::{CotraceFit, CotraceMethod};
pub use data::{DataError, DataSet, MeasuredPair};
pub use evaluate::{Figures, PairFigures, Predictor, evaluate};
pub use export::{from_safetensors, to_safetensors};
pub use fit::{FitConfig, Stopped, time_steps};
pub use ready::Ready;
pub use report::{Report, Section};
pub use resourcenet::ResourceNetMethod;
pub use ship::{ShipOptions, ship};
pub use split::Split;
pub use train::{TrainOptions, TrainProgress, train};
