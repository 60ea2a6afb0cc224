//! Calls into the Web Worker that reads traces and forecasts: `{id, call, args}` there, `{id, ok, value | error}` back.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ErrorEvent, MessageEvent, WorkerOptions, WorkerType};

use crate::messages::Problem;

/// Where the worker's script is, relative to the page.
const SCRIPT: &str = "pkg/worker.js";

/// What settles the promise of a call.
struct Settle {
    resolve: Function,
    reject: Function,
}

type Pending = Rc<RefCell<HashMap<u32, Settle>>>;

/// The worker and the calls it has not answered yet.
pub struct Worker {
    inner: web_sys::Worker,
    pending: Pending,
    next: Cell<u32>,
    // Dropping these would cut the worker's line to the page.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Worker {
    /// Starts the worker.
    ///
    /// # Errors
    ///
    /// If the browser has no module workers.
    pub fn start() -> Result<Worker, Problem> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let inner = web_sys::Worker::new_with_options(&absolute(SCRIPT), &options).map_err(|error| {
            Problem::new("worker", format!("The worker can't be started: {}", words(&error)))
        })?;
        let pending = Pending::default();

        let calls = Rc::clone(&pending);
        let on_message = Closure::new(move |event: MessageEvent| settle(&calls, &event.data()));
        inner.set_onmessage(Some(on_message.as_ref().unchecked_ref()));

        // An error outside of any call: the script is missing or broken. No call will be answered.
        let calls = Rc::clone(&pending);
        let on_error = Closure::new(move |event: ErrorEvent| {
            let message = match event.message() {
                message if message.is_empty() => format!("{SCRIPT} can't be loaded."),
                message => message,
            };
            for (_, call) in calls.borrow_mut().drain() {
                call.reject.call1(&JsValue::NULL, &JsValue::from_str(&message)).ok();
            }
        });
        inner.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Worker { inner, pending, next: Cell::new(1), _on_message: on_message, _on_error: on_error })
    }

    /// Calls `call` with `args`; the answer is what the worker says.
    ///
    /// # Errors
    ///
    /// Why the worker can't answer, in its own words.
    pub fn call<T: DeserializeOwned>(
        &self,
        call: &str,
        args: &JsValue,
    ) -> impl Future<Output = Result<T, Problem>> + use<T> {
        let id = self.next.get();
        self.next.set(id.wrapping_add(1));
        let promise = Promise::new(&mut |resolve, reject| {
            self.pending.borrow_mut().insert(id, Settle { resolve, reject });
        });
        let message = object(&[("id", id.into()), ("call", call.into()), ("args", args.clone())]);
        let posted = self.inner.post_message(&message);
        if posted.is_err() {
            self.pending.borrow_mut().remove(&id);
        }
        async move {
            posted.map_err(|error| problem(&error))?;
            let value = JsFuture::from(promise).await.map_err(|error| problem(&error))?;
            serde_wasm_bindgen::from_value(value).map_err(|error| {
                Problem::new("worker", format!("The worker's answer can't be read: {error}"))
            })
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.inner.terminate();
    }
}

/// Hands an answer to the call it belongs to; answers to nobody are dropped.
fn settle(pending: &Pending, answer: &JsValue) {
    let field = |name: &str| Reflect::get(answer, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let Some(id) = field("id").as_f64() else { return };
    let Some(call) = pending.borrow_mut().remove(&(id as u32)) else {
        return;
    };
    let settled = if field("ok").is_truthy() {
        call.resolve.call1(&JsValue::NULL, &field("value"))
    } else {
        call.reject.call1(&JsValue::NULL, &field("error"))
    };
    settled.ok();
}

/// An error of the worker as a problem; whatever it is, something can be said about it.
pub fn problem(error: &JsValue) -> Problem {
    serde_wasm_bindgen::from_value(error.clone()).unwrap_or_else(|_| Problem::new("worker", words(error)))
}

fn words(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| error.as_string()).unwrap_or_else(|| format!("{error:?}"))
}

/// An object of these properties.
pub fn object(properties: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in properties {
        // Setting a property of a plain object does not fail.
        Reflect::set(&object, &(*name).into(), value).ok();
    }
    object.into()
}

/// `value` as plain JavaScript: objects for maps, `null` for what is missing.
pub fn plain<T: Serialize>(value: &T) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

/// The address of `path`, which is relative to the page.
pub fn absolute(path: &str) -> String {
    let base = gloo::utils::document().base_uri().ok().flatten();
    base.and_then(|base| web_sys::Url::new_with_base(path, &base).ok())
        .map_or_else(|| path.to_owned(), |url| url.href())
}
