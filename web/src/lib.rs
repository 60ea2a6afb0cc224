//! The Cotrace page: drop two traces, see how the jobs slow each other.
//!
//! [`state`] holds all that the page knows and how each action changes it; [`figures`] and [`charts::layers`] say
//! what a forecast means; [`mod@format`] writes numbers. Those know no browser and are tested natively. The rest lays it
//! out. Reading traces and forecasting happen in a Web Worker ([`worker`]), so that the page never freezes.

pub mod actions;
pub mod app;
pub mod charts;
pub mod fields;
pub mod figures;
#[cfg(test)]
mod fixtures;
mod forecast;
pub mod format;
mod icons;
mod jobs;
pub mod memory;
pub mod messages;
pub mod models;
mod node;
mod select;
pub mod state;
mod theme;
pub mod worker;
