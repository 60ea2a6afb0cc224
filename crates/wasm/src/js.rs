//! The class that JavaScript sees. It only translates: the work is done in [`crate::store`].

use cotrace_model::Forecaster;
use cotrace_trace::{Capacity, Format, Mapping, ReadOptions};
use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::answers::{FormatInfo, ModelInfo};
use crate::error::ApiError;
use crate::models::Models;
use crate::store::{JobRequest, ReadRequest, Traces};

/// What can be said about a node, as in [`Capacity`].
const NODE: [&str; 4] = ["cores", "memory_bytes", "disk_bytes_per_second", "network_bytes_per_second"];
/// What can be said about a file that is to be read, beside its node.
const READING: [&str; 4] = ["format", "subject", "step_seconds", "mapping"];

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type {
  Capacity, Forecast, FormatInfo, JobRequest, Measured, ModelInfo, Overview, ReadOptions, TraceInfo,
} from "./types.d.ts";
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

/// Models, and the traces they are given.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Cotrace {
    models: Models,
    traces: Traces,
}

#[wasm_bindgen]
impl Cotrace {
    /// One without a model: it reads traces. `loadModel` makes it forecast.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Cotrace {
        Cotrace::default()
    }

    /// One with a model, given as its file was fetched: `Cotrace.load(new Uint8Array(await response.arrayBuffer()))`.
    ///
    /// # Errors
    /// Throws `{kind: "model"}` if the bytes are no model.
    pub fn load(
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] weights: &JsValue,
    ) -> Result<Cotrace, JsValue> {
        let mut cotrace = Cotrace::new();
        cotrace.load_model(weights, &JsValue::NULL)?;
        Ok(cotrace)
    }

    /// Loads a model, to be `called` so, or by its own name; the first one is meant where none is named. One that was called
    /// the same is replaced.
    ///
    /// # Errors
    /// Throws `{kind: "model"}` if the bytes are no model; what was loaded before is still there.
    #[wasm_bindgen(js_name = loadModel, unchecked_return_type = "ModelInfo")]
    pub fn load_model(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] weights: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "string | null")] called: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let weights = bytes("weights", weights)?;
        let called = text("called", called)?;
        plain(&self.models.add(&weights, called.as_deref()).map_err(|error| thrown(&error.into()))?)
    }

    /// What is loaded, in the order in which it was.
    ///
    /// # Errors
    /// Only if the browser is out of memory.
    #[wasm_bindgen(unchecked_return_type = "ModelInfo[]")]
    pub fn models(&self) -> Result<JsValue, JsValue> {
        plain(&self.models.all().map(ModelInfo::of).collect::<Vec<_>>())
    }

    /// A model's name and version, what it has learned from and how far off it is.
    ///
    /// # Errors
    /// Throws `{kind: "no-such-model"}`.
    #[wasm_bindgen(unchecked_return_type = "ModelInfo")]
    pub fn model(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "string | null")] model: &JsValue,
    ) -> Result<JsValue, JsValue> {
        plain(&ModelInfo::of(self.named(model)?))
    }

    /// A model's card: what it was trained on, how, and how well it does.
    ///
    /// # Errors
    /// Throws `{kind: "no-such-model"}`.
    #[wasm_bindgen(unchecked_return_type = "Record<string, unknown>")]
    pub fn card(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "string | null")] model: &JsValue,
    ) -> Result<JsValue, JsValue> {
        plain(self.named(model)?.card())
    }

    /// The formats that can be read, in the order in which they are tried.
    ///
    /// # Errors
    /// Only if the browser is out of memory.
    #[wasm_bindgen(unchecked_return_type = "FormatInfo[]")]
    pub fn formats() -> Result<JsValue, JsValue> {
        plain(&FormatInfo::all())
    }

    /// The largest file that is read, in bytes, packed or unpacked.
    #[wasm_bindgen(js_name = maxBytes)]
    pub fn max_bytes() -> f64 {
        ReadOptions::default().max_bytes as f64
    }

    /// Reads a trace in any format that Cotrace knows and keeps it; the answer has its `handle`. `options` says what
    /// the file may leave open, for example `{cores: 4}` or `{subject: "web"}`.
    ///
    /// # Errors
    /// Throws what is wrong with the file, and where.
    #[wasm_bindgen(js_name = readTrace, unchecked_return_type = "TraceInfo")]
    pub fn read_trace(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "string")] name: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] content: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "ReadOptions | null")] options: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let name = name.as_string().ok_or_else(|| wrong_type("name", "a string"))?;
        let content = bytes("content", content)?;
        let request = read_request(options)?;
        let info = self.traces.read(&name, &content, &request).map_err(|error| thrown(&error))?;
        plain(&info)
    }

    /// Keeps the part of a trace between two times, in seconds from its start, as a trace of its own. The whole stays.
    ///
    /// # Errors
    /// Throws `{kind: "no-such-trace"}`, or `{kind: "usage"}` if there are no samples between the two.
    #[wasm_bindgen(unchecked_return_type = "TraceInfo")]
    pub fn crop(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number")] handle: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] from_seconds: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] to_seconds: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let from = number("from_seconds", from_seconds)?;
        let to = number("to_seconds", to_seconds)?;
        let info = self.traces.crop(handle_of(handle)?, from, to).map_err(|error| thrown(&error))?;
        plain(&info)
    }

    /// A trace's node metrics over its whole time in at most `points` points, to plot it.
    ///
    /// # Errors
    /// Throws `{kind: "no-such-trace"}` or `{kind: "usage"}`.
    #[wasm_bindgen(unchecked_return_type = "Overview")]
    pub fn overview(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] handle: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] points: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let points = number("points", points)?;
        let overview = self.traces.overview(handle_of(handle)?, points).map_err(|error| thrown(&error))?;
        plain(&overview)
    }

    /// Forecasts jobs together: as many as the model takes, always two. `node` overrides what the traces say about the
    /// machine.
    ///
    /// # Errors
    /// Throws `{kind: "forecast"}` with why it can't be made, `{kind: "no-such-trace"}` or `{kind: "no-such-model"}`.
    #[wasm_bindgen(unchecked_return_type = "Forecast")]
    pub fn forecast(
        &self,
        #[wasm_bindgen(unchecked_param_type = "JobRequest[]")] jobs: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Partial<Capacity> | null")] node: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "string | null")] model: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let jobs: Vec<JobRequest> = parsed("jobs", jobs)?;
        let node = capacity("node", node)?;
        let model = self.named(model)?;
        let forecast = self.traces.forecast(model, &jobs, node).map_err(|error| thrown(&error))?;
        plain(&forecast)
    }

    /// When jobs end for each start of job `moved` (from 0) in `offsets_seconds`: an array for each start, of finish times
    /// from the first job's start.
    ///
    /// # Errors
    /// As `forecast`.
    #[wasm_bindgen(unchecked_return_type = "number[][]")]
    pub fn finishes(
        &self,
        #[wasm_bindgen(unchecked_param_type = "JobRequest[]")] jobs: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] moved: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number[]")] offsets_seconds: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Partial<Capacity> | null")] node: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "string | null")] model: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let jobs: Vec<JobRequest> = parsed("jobs", jobs)?;
        let offsets: Vec<f64> = parsed("offsets_seconds", offsets_seconds)?;
        let moved: usize = parsed("moved", moved)?;
        let node = capacity("node", node)?;
        let model = self.named(model)?;
        let finishes = self.traces.finishes(model, &jobs, node, moved, &offsets);
        plain(&finishes.map_err(|error| thrown(&error))?)
    }

    /// A trace as canonical CSV, to keep it or to hand it on; with `rows`, in at most so many rows.
    ///
    /// # Errors
    /// Throws `{kind: "no-such-trace"}` or `{kind: "usage"}`.
    #[wasm_bindgen(js_name = writeTrace)]
    pub fn write_trace(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] handle: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "number | null")] rows: &JsValue,
    ) -> Result<String, JsValue> {
        let rows = if is_missing(rows) { None } else { Some(number("rows", rows)?) };
        self.traces.write(handle_of(handle)?, rows).map_err(|error| thrown(&error))
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
        let step = number("step_seconds", step_seconds)?;
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

impl Cotrace {
    /// The model of a name; the first one if there is no name.
    fn named(&self, name: &JsValue) -> Result<&Forecaster, JsValue> {
        let name = text("model", name)?;
        self.models.get(name.as_deref()).map_err(|error| thrown(&error))
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

fn is_missing(value: &JsValue) -> bool {
    value.is_undefined() || value.is_null()
}

/// Text that may be missing.
fn text(name: &str, value: &JsValue) -> Result<Option<String>, JsValue> {
    match value.as_string() {
        None if !is_missing(value) => Err(wrong_type(name, "a string")),
        text => Ok(text),
    }
}

fn number(name: &str, value: &JsValue) -> Result<f64, JsValue> {
    value.as_f64().ok_or_else(|| wrong_type(name, "a number"))
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

/// What is known about a node.
fn capacity(name: &str, value: &JsValue) -> Result<Capacity, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(Capacity::default());
    }
    parts(name, value, &NODE)?;
    parsed(name, value)
}

/// How a file is to be read.
fn read_request(value: &JsValue) -> Result<ReadRequest, JsValue> {
    /// The part that is not the node.
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Said {
        format: Option<String>,
        subject: Option<String>,
        step_seconds: Option<f64>,
        mapping: Option<Mapping>,
    }
    if value.is_undefined() || value.is_null() {
        return Ok(ReadRequest::default());
    }
    parts("options", value, &[&NODE[..], &READING[..]].concat())?;
    let capacity: Capacity = parsed("options", value)?;
    let said: Said = parsed("options", value)?;
    let format = said.format.as_deref().map(known_format).transpose()?;
    let options = ReadOptions {
        capacity,
        subject: said.subject,
        step_seconds: said.step_seconds,
        mapping: said.mapping,
        ..ReadOptions::default()
    };
    Ok(ReadRequest { format, options })
}

fn known_format(name: &str) -> Result<Format, JsValue> {
    Format::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        thrown(&ApiError::usage(format!("There is no format {name}: there are {}.", names.join(", "))))
    })
}

/// Refuses what is no object, or has other parts than `known`: a misspelt part would silently be left out.
fn parts(name: &str, value: &JsValue, known: &[&str]) -> Result<(), JsValue> {
    if !value.is_object() {
        return Err(wrong_type(name, &format!("an object with some of {}", known.join(", "))));
    }
    let unknown = Reflect::own_keys(value)?
        .iter()
        .filter_map(|key| key.as_string())
        .find(|key| !known.contains(&key.as_str()));
    match unknown {
        None => Ok(()),
        Some(unknown) => {
            let message = format!("{name} has no part {unknown}: it may have {}.", known.join(", "));
            Err(thrown(&ApiError::usage(message)))
        }
    }
}
