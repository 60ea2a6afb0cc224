//! What the page does outside of itself: reading files, asking the worker, fetching samples. Every answer comes back
//! as an [`Action`].

use std::cell::Cell;
use std::rc::Rc;

use cotrace_forecast::Forecast;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, FileList, Response};
use yew::prelude::*;

use crate::messages::{ForecastRequest, Measured, ModelInfo, Problem, Samples, SoloSample, TraceInfo};
use crate::state::{Action, Place, State, TruthRequest};
use crate::worker::{Worker, absolute, object, plain, problem};

const MODEL: &str = "models/resourcenet.cotrace";
const SAMPLES: &str = "samples/";
const SAMPLES_INDEX: &str = "samples/index.json";

/// Calls of the worker that give a trace.
const READ: &str = "readTrace";
const READ_AGAIN: &str = "readAgain";

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(self.after(action))
    }
}

/// Where a trace comes from.
pub enum Source {
    /// A file that was chosen or dropped. The worker reads it: the page never holds its bytes.
    File(File),
    /// Text that was pasted.
    Text(String),
    /// One of the samples.
    Sample(SoloSample),
}

/// Does things and tells the state. Cheap to clone.
#[derive(Clone)]
pub struct Actions {
    dispatcher: UseReducerDispatcher<State>,
    worker: Rc<Result<Worker, Problem>>,
    tickets: Rc<Cell<u32>>,
}

impl PartialEq for Actions {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.worker, &other.worker)
    }
}

impl Actions {
    /// Starts the worker.
    pub fn new(dispatcher: UseReducerDispatcher<State>) -> Actions {
        Actions { dispatcher, worker: Rc::new(Worker::start()), tickets: Rc::default() }
    }

    /// Tells the state.
    pub fn dispatch(&self, action: Action) {
        self.dispatcher.dispatch(action);
    }

    /// Calls the worker and tells the state what comes of it.
    fn ask<T, F>(&self, call: &str, args: &JsValue, then: F)
    where
        T: serde::de::DeserializeOwned + 'static,
        F: FnOnce(Result<T, Problem>) -> Action + 'static,
    {
        let dispatcher = self.dispatcher.clone();
        match self.worker.as_ref() {
            Ok(worker) => {
                let answer = worker.call(call, args);
                spawn_local(async move { dispatcher.dispatch(then(answer.await)) });
            }
            Err(problem) => dispatcher.dispatch(then(Err(problem.clone()))),
        }
    }

    /// Loads the model and the samples' index.
    pub fn begin(&self) {
        let args = object(&[("model", absolute(MODEL).into())]);
        self.ask::<ModelInfo, _>("init", &args, Action::EngineAnswered);
        let dispatcher = self.dispatcher.clone();
        spawn_local(async move { dispatcher.dispatch(Action::SamplesArrived(fetch_samples().await)) });
    }

    /// Reads a trace into `place`.
    pub fn read(&self, place: Place, source: Source) {
        let (name, sample, source) = match source {
            Source::File(file) => (file.name(), None, file.into()),
            Source::Text(text) => ("pasted text".to_owned(), None, text.into()),
            Source::Sample(solo) => {
                let url = absolute(&format!("{SAMPLES}{}", solo.file));
                (solo.file, Some(solo.name), object(&[("url", url.into())]))
            }
        };
        let args = object(&[("name", name.as_str().into()), ("source", source)]);
        self.read_call(place, READ, &args, name, sample);
    }

    /// Reads the trace in `place` again, now that the person said how many cores its node has.
    pub fn read_again(&self, place: Place, trace: &TraceInfo, sample: Option<String>, cores: Option<f64>) {
        let options = object(&[("cores", cores.map_or(JsValue::NULL, JsValue::from))]);
        let args = object(&[("handle", trace.handle.into()), ("options", options)]);
        self.read_call(place, READ_AGAIN, &args, trace.name.clone(), sample);
    }

    fn read_call(
        &self,
        place: Place,
        call: &'static str,
        args: &JsValue,
        name: String,
        sample: Option<String>,
    ) {
        let again = call == READ_AGAIN;
        let ticket = self.tickets.get() + 1;
        self.tickets.set(ticket);
        self.dispatch(Action::ReadAsked { place, ticket, name });
        self.ask(call, args, move |answer| Action::ReadArrived { place, ticket, sample, again, answer });
    }

    /// Reads one file into `place`, or the first of two into `place` and the second into the other.
    pub fn read_files(&self, place: Place, files: &FileList) {
        if files.length() > 2 {
            let message = format!("{} files at once: give one or two.", files.length());
            self.dispatch(Action::Refused(place, Problem::new("usage", message)));
            return;
        }
        for (index, place) in [place, place.other()].into_iter().enumerate() {
            if let Some(file) = files.get(index as u32) {
                self.read(place, Source::File(file));
            }
        }
    }

    /// Asks for a forecast.
    pub fn forecast(&self, request: ForecastRequest) {
        self.dispatch(Action::ForecastAsked(request.clone()));
        self.ask::<Forecast, _>("forecast", &plain(&request), move |answer| {
            Action::ForecastArrived(request, answer.map(Rc::new))
        });
    }

    /// Fetches a measured co-run.
    pub fn truth(&self, request: TruthRequest) {
        self.dispatch(Action::TruthAsked(request.clone()));
        let worker = Rc::clone(&self.worker);
        let dispatcher = self.dispatcher.clone();
        spawn_local(async move {
            let answer = fetch_truth(&worker, &request).await;
            dispatcher.dispatch(Action::TruthArrived(request, answer));
        });
    }

    /// Lets the worker forget traces.
    pub fn free(&self, handles: Vec<u32>) {
        if let Ok(worker) = self.worker.as_ref() {
            for &handle in &handles {
                let answer = worker.call::<()>("free", &object(&[("handle", handle.into())]));
                // Forgetting what is already forgotten does no harm.
                spawn_local(async move { drop(answer.await) });
            }
        }
        self.dispatch(Action::Forgotten(handles));
    }
}

async fn fetch_samples() -> Result<Samples, Problem> {
    let failed = |error: JsValue| Problem { file: Some(SAMPLES_INDEX.into()), ..problem(&error) };
    let answer = JsFuture::from(gloo::utils::window().fetch_with_str(&absolute(SAMPLES_INDEX)));
    let response: Response = answer.await.map_err(failed)?.dyn_into().map_err(failed)?;
    if !response.ok() {
        return Err(failed(format!("The samples can't be fetched: status {}.", response.status()).into()));
    }
    let json = JsFuture::from(response.json().map_err(failed)?).await.map_err(failed)?;
    serde_wasm_bindgen::from_value(json).map_err(|error| failed(error.to_string().into()))
}

async fn fetch_truth(worker: &Result<Worker, Problem>, request: &TruthRequest) -> Result<Measured, Problem> {
    let worker = worker.as_ref().map_err(Clone::clone)?;
    let url = absolute(&format!("{SAMPLES}{}", request.file));
    let source = object(&[("url", url.into())]);
    let args = object(&[("name", request.file.as_str().into()), ("source", source)]);
    let trace: TraceInfo = worker.call(READ, &args).await?;
    let handle = object(&[("handle", trace.handle.into())]);
    Reflect::set(&handle, &"step_seconds".into(), &request.step_seconds.into())
        .map_err(|error| problem(&error))?;
    let measured = worker.call("measure", &handle).await;
    drop(worker.call::<()>("free", &handle));
    measured
}
