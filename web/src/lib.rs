//! The Cotrace page: drop two traces, see how the jobs slow each other.
//!
//! [`state`] holds all that the page knows and how each action changes it; [`figures`] and [`charts::layers`] say
//! what a forecast means; [`mod@format`] writes numbers. Those know no browser and are tested natively. The rest lays it
//! out. Reading traces and forecasting happen in a Web Worker ([`worker`]), so that the page never freezes.

pub mod actions;
pub mod app;
pub mod charts;
pub mod compare;
pub mod export;
pub mod fields;
pub mod figures;
#[cfg(test)]
mod fixtures;
mod forecast;
pub mod format;
mod help;
mod icons;
mod jobs;
pub mod memory;
pub mod messages;
pub mod models;
mod node;
pub mod scene;
mod select;
pub mod share;
pub mod starts;
pub mod state;
mod theme;
mod update;
pub mod worker;
