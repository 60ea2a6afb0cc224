//! What any model has to beat: rules, simple learners, and another measurement of the same.
//!
//! | | forecasts slowdowns | forecasts footprints |
//! |---|---|---|
//! | `clipped-sum` | of nobody | the sum of the solo traces up to capacity |
//! | `conserved-sum` | capacity over what is asked of the scarcest resource | the sum with time stretched |
//! | `fair-share` | the same, resources divided max-min | the same |
//! | `train-mean` | the mean of those seen | the same |
//! | `neighbours` | the mean of the five pairs seen whose solo traces are most alike | the same |
//! | `forest` | a random forest's on statistics of both solo traces | the same |
//! | `repeat` | those of an earlier measurement of the same co-run | that measurement |
//!
//! The first three know nothing but the traces ([`Baseline`]). The next three learn how much slower a job is *while*
//! another runs, so that they apply to any start offset and to jobs of different lengths; for three jobs the slowdowns
//! beside each partner add up. The last is the noise floor, and only there where something was measured twice.

mod beside;
mod features;
mod forest;
mod neighbours;
mod repeat;
mod train_mean;

use cotrace_forecast::Baseline;

pub use beside::{Beside, BesideExample, examples};
pub use forest::Forest;
pub use neighbours::Neighbours;
pub use repeat::Repeat;
pub use train_mean::TrainMean;

use crate::Method;

/// Every baseline, in the order of tables.
pub fn all() -> Vec<Box<dyn Method>> {
    let rules = Baseline::ALL.into_iter().map(|baseline| Box::new(baseline) as Box<dyn Method>);
    rules
        .chain([
            Box::new(TrainMean) as Box<dyn Method>,
            Box::new(Neighbours),
            Box::new(Forest),
            Box::new(Repeat),
        ])
        .collect()
}
