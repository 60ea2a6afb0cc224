//! The class that JavaScript sees. It only translates: the work is done in [`crate::store`].

use cotrace_model::Forecaster;
use cotrace_trace::Capacity;
use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use crate::answers::ModelInfo;
use crate::error::ApiError;
use crate::store::{JobRequest, Traces};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type { Capacity, Forecast, JobRequest, Measured, ModelInfo, TraceInfo } from "./types.d.ts";
export type * from "./types.d.ts";
"#;

/// Runs when JavaScript loads the module: a panic is thrown as an error instead of ending in a bare trap.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        let error = ApiError {
            hint: Some("This is a fault of Cotrace. Load it anew to go on.".into()),
            ..ApiError::new("internal", panic.to_string())
        };
        wasm_bindgen::throw_val(thrown(&error));
    }));
}

/// The forecaster and the traces it was given.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Cotrace {
    forecaster: Forecaster,
    traces: Traces,
}

#[wasm_bindgen]
impl Cotrace {
    /// Loads a model file, as fetched: `Cotrace.load(new Uint8Array(await response.arrayBuffer()))`.
    ///
    /// # Errors
    /// Throws `{kind: "model"}` if the bytes are no model.
    pub fn load(
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] weights: &JsValue,
    ) -> Result<Cotrace, JsValue> {
        let weights = bytes("weights", weights)?;
        let forecaster = Forecaster::from_bytes(&weights).map_err(|error| thrown(&error.into()))?;
        Ok(Cotrace { forecaster, traces: Traces::default() })
    }

    /// The model's name and version.
    ///
    /// # Errors
    /// Only if the browser is out of memory.
    #[wasm_bindgen(unchecked_return_type = "ModelInfo")]
    pub fn model(&self) -> Result<JsValue, JsValue> {
        let model = self.forecaster.model();
        plain(&ModelInfo { name: model.name, version: model.version })
    }

    /// The model's card: what it was trained on, how, and how well it does.
    ///
    /// # Errors
    /// Only if the browser is out of memory.
    #[wasm_bindgen(unchecked_return_type = "Record<string, unknown>")]
    pub fn card(&self) -> Result<JsValue, JsValue> {
        plain(self.forecaster.card())
    }

    /// Reads a trace in any format that Cotrace knows and keeps it; the answer has its `handle`. `node` says what
    /// the file may leave open, for example `{cores: 4}`.
    ///
    /// # Errors
    /// Throws what is wrong with the file, and where.
    #[wasm_bindgen(js_name = readTrace, unchecked_return_type = "TraceInfo")]
    pub fn read_trace(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "string")] name: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] content: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Partial<Capacity> | null")] node: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let name = name.as_string().ok_or_else(|| wrong_type("name", "a string"))?;
        let content = bytes("content", content)?;
        let node = capacity("node", node)?;
        let info = self.traces.read(&name, &content, node).map_err(|error| thrown(&error))?;
        plain(&info)
    }

    /// Forecasts two jobs together. `node` overrides what the traces say about the machine.
    ///
    /// # Errors
    /// Throws `{kind: "forecast"}` with why it can't be made, or `{kind: "no-such-trace"}`.
    #[wasm_bindgen(unchecked_return_type = "Forecast")]
    pub fn forecast(
        &self,
        #[wasm_bindgen(unchecked_param_type = "JobRequest[]")] jobs: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Partial<Capacity> | null")] node: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let jobs: Vec<JobRequest> = parsed("jobs", jobs)?;
        let node = capacity("node", node)?;
        let forecast = self.traces.forecast(&self.forecaster, &jobs, node).map_err(|error| thrown(&error))?;
        plain(&forecast)
    }

    /// A trace's node metrics on a grid of `step_seconds`, from its first job's start to its last one's end.
    ///
    /// # Errors
    /// Throws `{kind: "no-such-trace"}` or `{kind: "usage"}`.
    #[wasm_bindgen(unchecked_return_type = "Measured")]
    pub fn measure(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] handle: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] step_seconds: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let step = step_seconds.as_f64().ok_or_else(|| wrong_type("step_seconds", "a number"))?;
        let measured = self.traces.measure(handle_of(handle)?, step).map_err(|error| thrown(&error))?;
        plain(&measured)
    }

    /// Forgets a trace. Returns whether there was one.
    ///
    /// # Errors
    /// Throws `{kind: "usage"}` if `handle` is no whole number.
    #[wasm_bindgen(js_name = freeTrace)]
    pub fn free_trace(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number")] handle: &JsValue,
    ) -> Result<bool, JsValue> {
        Ok(self.traces.free(handle_of(handle)?))
    }
}

/// An error as the plain object that is thrown.
fn thrown(error: &ApiError) -> JsValue {
    // Serialising strings and numbers does not fail; the message alone would still be better than nothing.
    plain(error).unwrap_or_else(|_| JsValue::from_str(&error.message))
}

/// `value` as plain JavaScript: objects, arrays, and `null` for what is missing.
fn plain<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(JsValue::from)
}

fn wrong_type(name: &str, wanted: &str) -> JsValue {
    thrown(&ApiError::usage(format!("{name} must be {wanted}.")))
}

fn bytes(name: &str, value: &JsValue) -> Result<Vec<u8>, JsValue> {
    if let Some(array) = value.dyn_ref::<Uint8Array>() {
        return Ok(array.to_vec());
    }
    match value.dyn_ref::<ArrayBuffer>() {
        Some(buffer) => Ok(Uint8Array::new(buffer).to_vec()),
        None => Err(wrong_type(name, "a Uint8Array or an ArrayBuffer")),
    }
}

fn handle_of(value: &JsValue) -> Result<u32, JsValue> {
    let whole = |number: &f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
    let number =
        value.as_f64().filter(whole).ok_or_else(|| wrong_type("handle", "a number that readTrace gave"))?;
    Ok(number as u32)
}

fn parsed<T: DeserializeOwned>(name: &str, value: &JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value.clone())
        .map_err(|error| thrown(&ApiError::usage(format!("{name} can't be read: {error}."))))
}

/// What is known about a node. A misspelt part would silently be unknown, so it is an error.
fn capacity(name: &str, value: &JsValue) -> Result<Capacity, JsValue> {
    const PARTS: [&str; 4] = ["cores", "memory_bytes", "disk_bytes_per_second", "network_bytes_per_second"];
    if value.is_undefined() || value.is_null() {
        return Ok(Capacity::default());
    }
    if !value.is_object() {
        return Err(wrong_type(name, &format!("an object with some of {}", PARTS.join(", "))));
    }
    let unknown = Reflect::own_keys(value)?
        .iter()
        .filter_map(|key| key.as_string())
        .find(|key| !PARTS.contains(&key.as_str()));
    if let Some(unknown) = unknown {
        let message = format!("{name} has no part {unknown}: it may have {}.", PARTS.join(", "));
        return Err(thrown(&ApiError::usage(message)));
    }
    parsed(name, value)
}
