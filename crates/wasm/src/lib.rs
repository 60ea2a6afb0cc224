//! Cotrace for JavaScript: [`Cotrace`] reads traces and forecasts how jobs slow each other.
//!
//! `wasm-bindgen --target web` turns this crate into `pkg/cotrace.js`; `pkg/worker.js` runs it in a Web Worker and
//! `pkg/types.d.ts` names what goes in and out. Traces stay in here and JavaScript holds numbers for them
//! (*handles*), so that a forecast copies none; several models may be loaded, and are called by their names. Every failure is thrown as an object `{kind, message, file, line,
//! column, hint}`, see [`ApiError`].

mod answers;
mod error;
mod js;
mod models;
mod store;

pub use answers::{ColumnInfo, FormatInfo, Measured, ModelInfo, Overview, TraceInfo};
pub use error::{ApiError, Details};
pub use js::Cotrace;
pub use models::Models;
pub use store::{JobRequest, ReadRequest, Traces};
