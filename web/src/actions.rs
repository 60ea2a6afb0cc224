//! What the page does outside of itself: reading files, asking the worker, fetching samples. Every answer comes back
//! as an [`Action`].

use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

use cotrace_forecast::Forecast;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, FileList, Response};
use yew::prelude::*;

use crate::memory;
use crate::messages::{
    ForecastRequest, Measured, ModelInfo, Overview, Problem, Samples, SoloSample, Stretch, TraceInfo,
};
use crate::models::Model;
use crate::scene::Scene;
use crate::share::{self, Beginning};
use crate::starts::{Starts, to_try, without_start};
use crate::state::{Action, Arrived, PLACES, Place, Reading, State, TruthRequest, TruthSource};
use crate::worker::{Worker, absolute, object, plain, problem};

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
    /// A trace of something that was saved: its name, and canonical CSV.
    Saved(String, String),
}

/// The first bytes of model files.
const MODEL_MAGIC: &str = "COTRACE1";

/// What files of scenes begin with.
const SCENE_MARK: &str = "\"cotrace_scene\"";

/// Larger files are no scenes.
const MOST_SCENE_BYTES: f64 = 64e6;

/// Does things and tells the state. Cheap to clone.
#[derive(Clone)]
pub struct Actions {
    dispatcher: UseReducerDispatcher<State>,
    worker: Rc<Result<Worker, Problem>>,
    tickets: Rc<Cell<u32>>,
    /// The model that was chosen last.
    chosen: Rc<Cell<Model>>,
}

impl PartialEq for Actions {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.worker, &other.worker)
    }
}

impl Actions {
    /// Starts the worker.
    pub fn new(dispatcher: UseReducerDispatcher<State>) -> Actions {
        let worker = Rc::new(Worker::start());
        Actions { dispatcher, worker, tickets: Rc::default(), chosen: Rc::default() }
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

    /// Loads the model that was chosen last time, and the samples' index; then shows what the address says, or what was
    /// on the page last, or an example.
    pub fn begin(&self) {
        let model = Model::stored();
        self.chosen.set(model);
        self.dispatch(Action::ModelAsked(model));
        self.fetch_model(model, true);
        let actions = self.clone();
        spawn_local(async move {
            let samples = fetch_samples().await;
            let known = samples.clone().unwrap_or_default();
            actions.dispatch(Action::SamplesArrived(samples));
            match share::at_first().await {
                Ok(Beginning::Scene(scene)) => actions.open(&scene, &known, false),
                Ok(Beginning::Empty) => actions.dispatch(Action::Began),
                Ok(Beginning::Example) => match known.first_pair() {
                    Some((a, b)) => actions.open_samples(&known, [a, b]),
                    None => actions.dispatch(Action::Began),
                },
                Err(problem) => actions.dispatch(Action::ShareFailed(Some(problem))),
            }
        });
    }

    /// Opens what was saved.
    pub fn open(&self, scene: &Scene, samples: &Samples, example: bool) {
        if let Err(why) = scene.check(samples) {
            self.dispatch(Action::ShareFailed(Some(Problem::new("scene", why))));
            return;
        }
        if let Some(model) = scene.model.as_deref().and_then(Model::named) {
            // What is loaded already is only used.
            self.choose_model(model, false);
        }
        self.dispatch(Action::Opened {
            controls: Box::new(scene.controls()),
            shown: scene.shown(),
            node: scene.node_form(),
            example,
        });
        for (place, job) in Place::ALL.into_iter().zip(&scene.jobs) {
            let sample = job.sample.as_ref();
            let sample = sample.and_then(|name| samples.solo.iter().find(|solo| solo.name == *name));
            match (sample, &job.trace) {
                (Some(solo), _) => self.read_as(place, Source::Sample(solo.clone()), true),
                (None, Some(csv)) => self.read_as(place, Source::Saved(job.name.clone(), csv.clone()), true),
                (None, None) => {}
            }
        }
    }

    /// Opens two samples.
    pub fn open_samples(&self, samples: &Samples, names: [&str; 2]) {
        self.open(&Scene::of_samples(names), samples, true);
    }

    /// Writes the traces of a scene into it: all of them, or in at most so many rows.
    ///
    /// # Errors
    /// The worker did not start, or does not know a trace.
    pub async fn fill(
        &self,
        mut scene: Scene,
        traces: &[(usize, u32)],
        rows: Option<u32>,
    ) -> Result<Scene, Problem> {
        let worker = self.worker.as_ref().as_ref().map_err(Clone::clone)?;
        for &(job, handle) in traces {
            let rows = rows.map_or(JsValue::NULL, JsValue::from);
            let csv: String =
                worker.call("writeTrace", &object(&[("handle", handle.into()), ("rows", rows)])).await?;
            if let Some(job) = scene.jobs.get_mut(job) {
                job.trace = Some(csv);
            }
        }
        Ok(scene)
    }

    /// Tries other starts of a job. `others_end_seconds`: when the others would end alone.
    pub fn try_starts(&self, request: &ForecastRequest, place: Place, others_end_seconds: f64) {
        let request = without_start(request, place);
        let Some(moved) = request.jobs.iter().position(|job| job.name == place.letter()) else { return };
        let offsets = to_try(others_end_seconds);
        let args = plain(&request);
        for (name, value) in [("moved", plain(&moved)), ("offsets_seconds", plain(&offsets))] {
            // Setting a property of a plain object does not fail.
            Reflect::set(&args, &name.into(), &value).ok();
        }
        let dispatcher = self.dispatcher.clone();
        let worker = Rc::clone(&self.worker);
        spawn_local(async move {
            let Ok(worker) = worker.as_ref() else { return };
            let finishes = worker.call::<Vec<Vec<f64>>>("finishes", &args).await;
            // What can't be forecast says so where forecasts stand.
            let starts = finishes.map(|finishes| Starts::new(place, request, offsets, &finishes));
            if let Ok(Some(starts)) = starts {
                let best = starts.best_seconds();
                dispatcher.dispatch(Action::StartsArrived(starts));
                dispatcher.dispatch(Action::OffsetTyped(place, best.to_string()));
            }
        });
    }

    /// Reads a measured co-run, to lay over the forecast.
    pub fn bring_truth(&self, file: File) {
        let args = object(&[("name", file.name().as_str().into()), ("source", file.into())]);
        self.ask(READ, &args, Action::TruthBrought);
    }

    /// Lets a model forecast that the person gives.
    pub fn bring_model(&self, file: File) {
        let actions = self.clone();
        self.chosen.set(Model::Own);
        self.dispatch(Action::ModelBrought);
        let args = object(&[("model", file.into()), ("called", Model::Own.name().into())]);
        self.ask::<ModelInfo, _>("loadModel", &args, move |answer| {
            if answer.is_err() {
                actions.chosen.set(Model::default());
            }
            Action::ModelArrived(Model::Own, answer)
        });
    }

    /// Lets `model` forecast: at once if `is_loaded`, or as soon as it is fetched.
    pub fn choose_model(&self, model: Model, is_loaded: bool) {
        self.chosen.set(model);
        self.dispatch(Action::ModelAsked(model));
        if is_loaded {
            model.remember();
        } else {
            self.fetch_model(model, false);
        }
    }

    /// Fetches a model; where none is there yet (`at_first`), the one that stands in for it if it can't be had.
    fn fetch_model(&self, model: Model, at_first: bool) {
        let actions = self.clone();
        let args = object(&[("model", absolute(&model.file()).into()), ("called", model.name().into())]);
        self.ask::<ModelInfo, _>("loadModel", &args, move |answer| {
            match (&answer, model.instead()) {
                // Only what can be had is worth keeping, and only if nothing else was chosen meanwhile.
                (Ok(_), _) if !at_first && actions.chosen.get() == model => model.remember(),
                (Err(_), Some(instead)) if at_first => actions.fetch_model(instead, true),
                _ => {}
            }
            Action::ModelArrived(model, answer)
        });
    }

    /// Reads a trace into `place`.
    pub fn read(&self, place: Place, source: Source) {
        self.read_as(place, source, false);
    }

    fn read_as(&self, place: Place, source: Source, opened: bool) {
        let (name, sample, source) = match source {
            Source::File(file) => (file.name(), None, file.into()),
            Source::Text(text) => ("pasted text".to_owned(), None, text.into()),
            Source::Saved(name, csv) => (name, None, csv.into()),
            Source::Sample(solo) => {
                let url = absolute(&format!("{SAMPLES}{}", solo.file));
                (solo.file, Some(solo.name), object(&[("url", url.into())]))
            }
        };
        let args = object(&[("name", name.as_str().into()), ("source", source)]);
        self.read_call(place, READ, &args, Reading { name, sample, opened, ..Reading::default() });
    }

    /// Reads the content that the worker calls `handle` once more, as `reading` says.
    pub fn read_again(&self, place: Place, handle: u32, reading: Reading) {
        self.read_call(place, READ_AGAIN, &again_args(handle, &reading), reading);
    }

    fn read_call(&self, place: Place, call: &'static str, args: &JsValue, reading: Reading) {
        let ticket = self.tickets.get() + 1;
        self.tickets.set(ticket);
        self.dispatch(Action::ReadAsked { place, ticket, reading: reading.clone() });
        let (dispatcher, worker) = (self.dispatcher.clone(), Rc::clone(&self.worker));
        // The call is made at once: the worker answers in order, and may be told to forget the handle next.
        let first = self.worker.as_ref().as_ref().map(|worker| worker.call::<TraceInfo>(call, args));
        let first = first.map_err(Clone::clone);
        spawn_local(async move {
            let (reading, answer) = match (first, worker.as_ref()) {
                (Ok(first), Ok(worker)) => arrived(worker, first, reading).await,
                (Err(problem), _) => (reading, Err(problem)),
                (_, Err(problem)) => (reading, Err(problem.clone())),
            };
            dispatcher.dispatch(Action::ReadArrived { place, ticket, reading, answer });
        });
    }

    /// Keeps only `stretch` of the trace that the worker calls `whole`.
    pub fn cut(&self, place: Place, whole: u32, stretch: Stretch) {
        self.ask("crop", &crop_args(whole, stretch), move |answer| Action::CutArrived {
            place,
            whole,
            stretch,
            answer,
        });
    }

    /// Asks for a trace over time.
    pub fn overview(&self, handle: u32, then: impl FnOnce(Result<Overview, Problem>) + 'static) {
        match self.worker.as_ref() {
            Ok(worker) => {
                let answer = worker.call("overview", &object(&[("handle", handle.into())]));
                spawn_local(async move { then(answer.await) });
            }
            Err(problem) => then(Err(problem.clone())),
        }
    }

    /// Draws samples small, one after the other.
    pub fn draw_thumbnails(&self, samples: Vec<SoloSample>) {
        let (worker, dispatcher) = (Rc::clone(&self.worker), self.dispatcher.clone());
        spawn_local(async move {
            let Ok(worker) = worker.as_ref() else { return };
            for solo in samples {
                // A sample that can't be had is told where it is chosen.
                if let Ok(trace) = worker.call::<TraceInfo>(READ, &sample_args(&solo.file)).await {
                    dispatcher.dispatch(Action::ThumbnailArrived(solo.name, trace.sparkline.clone()));
                    drop(worker.call::<()>("free", &object(&[("handle", trace.handle.into())])).await);
                }
            }
        });
    }

    /// Reads files into `place` and those after it; saved scenes are opened, and models are used.
    pub fn read_files(&self, place: Place, files: &FileList, samples: &Rc<Samples>) {
        let files: Vec<File> = (0..files.length()).filter_map(|index| files.get(index)).collect();
        let (actions, samples) = (self.clone(), Rc::clone(samples));
        spawn_local(async move {
            let mut places = Place::ALL.into_iter().cycle().skip(place.index()).take(PLACES);
            let mut left_out = Vec::new();
            for file in files {
                match share::beginning(&file).await {
                    start if start.starts_with(MODEL_MAGIC) => actions.bring_model(file),
                    start if start.contains(SCENE_MARK) && file.size() <= MOST_SCENE_BYTES => {
                        actions.open_file(&file, &samples).await;
                    }
                    _ => match places.next() {
                        Some(place) => actions.read(place, Source::File(file)),
                        None => left_out.push(file.name()),
                    },
                }
            }
            if !left_out.is_empty() {
                actions.dispatch(Action::ShareFailed(Some(too_many(&left_out))));
            }
        });
    }

    async fn open_file(&self, file: &File, samples: &Samples) {
        match share::scene_in(file).await {
            Ok(scene) => {
                self.dispatch(Action::ShareFailed(None));
                self.open(&scene, samples, false);
            }
            Err(problem) => self.dispatch(Action::ShareFailed(Some(problem))),
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

fn again_args(handle: u32, reading: &Reading) -> JsValue {
    object(&[("handle", handle.into()), ("options", plain(&reading.options))])
}

/// A file among the samples, to read.
fn sample_args(file: &str) -> JsValue {
    let url = absolute(&format!("{SAMPLES}{file}"));
    object(&[("name", file.into()), ("source", object(&[("url", url.into())]))])
}

fn crop_args(handle: u32, stretch: Stretch) -> JsValue {
    object(&[
        ("handle", handle.into()),
        ("from_seconds", stretch.from_seconds.into()),
        ("to_seconds", stretch.to_seconds.into()),
    ])
}

/// What comes of a read: columns that were said before for a table with the same header are taken for the same
/// again, and the part to keep is cut out.
async fn arrived(
    worker: &Worker,
    first: impl Future<Output = Result<TraceInfo, Problem>>,
    mut reading: Reading,
) -> (Reading, Result<Box<Arrived>, Problem>) {
    let mut answer = first.await;
    let (guess, handle) = match &answer {
        Ok(trace) => (trace.guess.as_ref(), Some(trace.handle)),
        Err(problem) => (problem.details.guess.as_ref(), problem.details.handle),
    };
    let said = reading.options.mapping.is_some();
    let remembered = guess.filter(|_| !said).and_then(memory::recall);
    if let (Some(mapping), Some(handle)) = (remembered, handle) {
        let mut as_before = reading.clone();
        as_before.options.mapping = Some(mapping);
        as_before.remembered = true;
        // If it can't be read like that any more, it is read as if nothing had been said.
        if let Ok(trace) = worker.call::<TraceInfo>(READ_AGAIN, &again_args(handle, &as_before)).await {
            drop(worker.call::<()>("free", &object(&[("handle", handle.into())])));
            (reading, answer) = (as_before, Ok(trace));
        }
    }
    let whole = match answer {
        Ok(whole) => whole,
        Err(problem) => return (reading, Err(problem)),
    };
    let mut part = None;
    if let Some(stretch) = reading.stretch {
        // A stretch that is no longer there is no reason to lose the trace.
        part = worker.call("crop", &crop_args(whole.handle, stretch)).await.ok().map(|part| (stretch, part));
    }
    (reading, Ok(Box::new(Arrived { whole, part })))
}

/// What to say about files that found no place.
fn too_many(names: &[String]) -> Problem {
    const NAMED: usize = 3;
    let (named, more) = names.split_at(names.len().min(NAMED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let message = format!("There is room for {PLACES} jobs. Left out: {}{more}.", named.join(", "));
    Problem { hint: Some("Remove a job, and drop the file again.".into()), ..Problem::new("usage", message) }
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
    let measure =
        |handle: u32| object(&[("handle", handle.into()), ("step_seconds", request.step_seconds.into())]);
    match &request.source {
        TruthSource::File(handle, _) => worker.call("measure", &measure(*handle)).await,
        TruthSource::Sample(file) => {
            let trace: TraceInfo = worker.call(READ, &sample_args(file)).await?;
            let measured = worker.call("measure", &measure(trace.handle)).await;
            drop(worker.call::<()>("free", &object(&[("handle", trace.handle.into())])));
            measured
        }
    }
}
