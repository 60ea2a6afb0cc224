//! Data sets measured by others, put into this layout.

mod fair_co2;
mod table;

pub use fair_co2::{Imported, fair_co2};
pub use table::ImportError;
