//! One module per command: its arguments and what it does.

pub(crate) mod check;
pub(crate) mod collect;
pub(crate) mod convert;
pub(crate) mod data;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod forecast;
pub(crate) mod formats;
pub(crate) mod place;
pub(crate) mod train;
