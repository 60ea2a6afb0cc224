//! Data set, splits, training, evaluation and export of Cotrace's models.
//!
//! [`train`] does it all: it reads a measured data set ([`DataSet`]), holds some of it out ([`Split`]), fits the
//! network to the rest, judges it on what was held out beside the baselines ([`evaluate`]), and writes the model
//! file, the report and the model card.

mod card;
mod data;
mod evaluate;
mod examples;
mod fit;
mod report;
mod split;
mod train;

pub use data::{DataError, DataSet, MeasuredPair};
pub use evaluate::{Figures, PairFigures, Predictor, evaluate};
pub use fit::{FitConfig, Stopped};
pub use report::{Report, Section};
pub use split::Split;
pub use train::{TrainOptions, TrainProgress, train};
