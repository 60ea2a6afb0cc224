//! A forecast as files that other programs read.

pub mod csv;
pub mod svg;
