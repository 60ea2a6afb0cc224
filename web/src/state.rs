//! All that the page knows, and how each action changes it. Nothing here knows a browser.

mod history;
mod place;
mod slot;
mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cotrace_forecast::Forecast;
use cotrace_trace::Capacity;

pub use history::{Document, History};
pub use place::{LEAST_SHOWN, PLACES, Place};
pub use slot::{Arrived, Control, Cut, Reading, Slot};
pub use truth::{Truth, TruthRequest, TruthSource};

use crate::fields::{Field, NodeField, NodeForm};
use crate::messages::{
    ForecastRequest, JobRequest, Measured, ModelInfo, Problem, Samples, Stretch, TraceInfo,
};
use crate::models::{Model, Models};
use crate::starts::Starts;

/// The page.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// What forecasts.
    pub models: Models,
    /// CPU over time of samples, where it was asked for.
    pub thumbnails: BTreeMap<String, Vec<Option<f64>>>,
    /// What comes with the page. `Err`: it could not be fetched.
    pub samples: Result<Rc<Samples>, Problem>,
    /// A, B, C and D.
    pub slots: [Slot; PLACES],
    /// What is wanted of each of them.
    pub controls: [Control; PLACES],
    /// How many places are on show.
    pub shown: usize,
    /// What the person said about the node.
    pub node: NodeForm,
    /// The page shows what it begins with: what a person brings takes its place.
    pub example: bool,
    /// What can be undone.
    pub history: History,
    /// The forecast in progress.
    pub asked: Option<ForecastRequest>,
    /// The forecast on show and what it was asked for.
    pub forecast: Option<(ForecastRequest, Rc<Forecast>)>,
    /// Why the last forecast failed, and what it was asked for.
    pub refused: Option<(ForecastRequest, Problem)>,
    /// What comes of other starts of a job, if that was asked.
    pub starts: Option<Starts>,
    /// The measurement in progress.
    pub truth_asked: Option<TruthRequest>,
    /// The measurement on show.
    pub truth: Option<Rc<Truth>>,
    /// Why it can't be had.
    pub truth_problem: Option<Problem>,
    /// A measured co-run that the person brought.
    pub own_truth: Option<Rc<TraceInfo>>,
    /// What went wrong with opening, sharing or keeping.
    pub share_problem: Option<Problem>,
    /// Traces that nothing on show needs any more.
    parked: BTreeSet<u32>,
    /// Traces that the worker can forget.
    pub released: Vec<u32>,
}

impl Default for State {
    fn default() -> State {
        State {
            models: Models::default(),
            thumbnails: BTreeMap::new(),
            samples: Ok(Rc::default()),
            slots: Default::default(),
            controls: Default::default(),
            shown: LEAST_SHOWN,
            node: NodeForm::default(),
            example: false,
            history: History::default(),
            asked: None,
            forecast: None,
            refused: None,
            starts: None,
            truth_asked: None,
            truth: None,
            truth_problem: None,
            own_truth: None,
            share_problem: None,
            parked: BTreeSet::new(),
            released: Vec::new(),
        }
    }
}

/// What can happen.
#[derive(Clone, Debug)]
pub enum Action {
    /// A model was chosen.
    ModelAsked(Model),
    /// It was fetched, or not.
    ModelArrived(Model, Result<ModelInfo, Problem>),
    /// The samples' index was fetched, or not.
    SamplesArrived(Result<Samples, Problem>),
    /// CPU over time of a sample.
    ThumbnailArrived(String, Vec<Option<f64>>),
    /// The read into a place is of no interest any more.
    ReadStopped(Place),
    /// A trace is being read into a place.
    ReadAsked {
        /// Where.
        place: Place,
        /// The number of this read, different from all others.
        ticket: u32,
        /// What is read, and how.
        reading: Reading,
    },
    /// A trace was read, or not.
    ReadArrived {
        /// Where.
        place: Place,
        /// The number of the read.
        ticket: u32,
        /// What was read, and how.
        reading: Reading,
        /// The trace.
        answer: Result<Box<Arrived>, Problem>,
    },
    /// A part of a trace is there, or not.
    CutArrived {
        /// Where.
        place: Place,
        /// The handle of the whole trace.
        whole: u32,
        /// The part.
        stretch: Stretch,
        /// The part as a trace.
        answer: Result<TraceInfo, Problem>,
    },
    /// The whole trace counts again.
    Uncut(Place),
    /// The person has read what is wrong.
    Dismissed(Place),
    /// A place was emptied; beyond the second one it goes, too.
    Removed(Place),
    /// One more place.
    Added,
    /// The job of a place once more, in a place of its own.
    Duplicated(Place),
    /// A and B changed places.
    Swapped,
    /// A job is left out, or counts again.
    Muted(Place, bool),
    /// How much a job has to do was typed.
    SizeTyped(Place, String),
    /// The cores of a trace's node were typed.
    CoresTyped(Place, String),
    /// The seconds between a trace's samples were typed.
    StepTyped(Place, String),
    /// A part of the node was typed.
    NodeTyped(NodeField, String),
    /// A part of the node is again what the traces say.
    NodeReset(NodeField),
    /// A whole node was chosen: what it leaves open is what the traces say.
    NodeChosen(Capacity),
    /// The start of a job was typed.
    OffsetTyped(Place, String),
    /// Everything is emptied.
    Cleared,
    /// Something that was saved is opened: so many places, what is wanted of each, and the node.
    Opened {
        /// What is wanted of each job.
        controls: Box<[Control; PLACES]>,
        /// How many places there are.
        shown: usize,
        /// The node.
        node: NodeForm,
        /// It is what the page begins with.
        example: bool,
    },
    /// One step back.
    Undone,
    /// One step forth again.
    Redone,
    /// A forecast was asked for.
    ForecastAsked(ForecastRequest),
    /// It was made, or not.
    ForecastArrived(ForecastRequest, Result<Rc<Forecast>, Problem>),
    /// What comes of other starts of a job.
    StartsArrived(Starts),
    /// A measurement was asked for.
    TruthAsked(TruthRequest),
    /// It was fetched, or not.
    TruthArrived(TruthRequest, Result<Measured, Problem>),
    /// The person brought a measured co-run, or what was taken for one.
    TruthBrought(Result<TraceInfo, Problem>),
    /// It is of no interest any more.
    TruthDropped,
    /// Opening, sharing or keeping did not work; or what was said of it is read.
    ShareFailed(Option<Problem>),
    /// The worker was told to forget these.
    Forgotten(Vec<u32>),
}

impl State {
    /// The place.
    pub fn slot(&self, place: Place) -> &Slot {
        &self.slots[place.index()]
    }

    /// What is wanted of a job.
    pub fn control(&self, place: Place) -> &Control {
        &self.controls[place.index()]
    }

    /// The places on show.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        Place::ALL.into_iter().take(self.shown)
    }

    /// The places on show that hold a trace.
    pub fn filled(&self) -> Vec<Place> {
        self.places().filter(|place| self.slot(*place).trace.is_some()).collect()
    }

    /// Where a trace goes that was given to no place in particular: the first empty one, or A.
    pub fn free_place(&self) -> Place {
        let free = |place: &Place| self.slot(*place).trace.is_none() && self.slot(*place).reading.is_none();
        self.places().find(free).filter(|_| !self.example).unwrap_or(Place::A)
    }

    /// What the traces say about the node: A's word first.
    pub fn traces_capacity(&self) -> Capacity {
        let traces = self.places().filter_map(|place| self.slot(place).trace.as_ref());
        traces.fold(Capacity::default(), |capacity, trace| capacity.or(trace.capacity))
    }

    /// The forecast that the page should show now. `None`: something is missing or not a number.
    pub fn wanted_forecast(&self) -> Option<ForecastRequest> {
        let model = self.models.forecasting()?.name().to_owned();
        let node = self.node.typed_capacity().ok()?;
        let filled = self.filled();
        if filled.len() < LEAST_SHOWN {
            return None;
        }
        let job = |place: Place| {
            let control = self.control(place);
            Some(JobRequest {
                handle: self.slot(place).trace.as_ref()?.handle,
                // The forecast calls the jobs as the page does: file names are long, and may be the same.
                name: place.letter().to_owned(),
                offset_seconds: if place == Place::A { 0.0 } else { control.offset_seconds().ok()? },
                size: control.times().ok()?,
            })
        };
        let counted = filled.into_iter().filter(|place| !self.control(*place).muted);
        let jobs: Vec<JobRequest> = counted.map(job).collect::<Option<_>>()?;
        (!jobs.is_empty()).then_some(ForecastRequest { jobs, node, model })
    }

    /// Whether the forecast on show answers what the page says now.
    pub fn forecast_is_current(&self) -> bool {
        self.forecast.as_ref().map(|(request, _)| request) == self.wanted_forecast().as_ref()
    }

    /// Why what the page says now can't be forecast.
    pub fn forecast_problem(&self) -> Option<&Problem> {
        let (request, problem) = self.refused.as_ref()?;
        (self.wanted_forecast().as_ref() == Some(request)).then_some(problem)
    }

    /// The question to ask next. While one is being answered none is: the newest is asked then, and what lies between is
    /// left out.
    pub fn next_question(&self) -> Option<ForecastRequest> {
        let open = self.asked.is_none() && !self.forecast_is_current() && self.forecast_problem().is_none();
        self.wanted_forecast().filter(|_| open)
    }

    /// Whether an answer is on its way.
    pub fn is_working(&self) -> bool {
        self.models.awaited().is_some() || self.asked.is_some() || self.next_question().is_some()
    }

    /// The places of the jobs of a request.
    fn places_of(request: &ForecastRequest) -> Vec<Place> {
        request.jobs.iter().filter_map(|job| Place::named(&job.name)).collect()
    }

    /// The measurement that belongs to the forecast on show: the one that the person brought, or, if A and B are samples
    /// that ran together, that.
    pub fn wanted_truth(&self) -> Option<TruthRequest> {
        let (request, forecast) = self.forecast.as_ref()?;
        let step_seconds = forecast.step_seconds;
        let places = State::places_of(request);
        if let Some(own) = &self.own_truth {
            let name = |place: &Place| self.slot(*place).trace.as_ref().map(|trace| trace.name.clone());
            let names = places.iter().filter_map(name).collect();
            return Some(TruthRequest {
                source: TruthSource::File(own.handle, own.name.clone()),
                names,
                step_seconds,
            });
        }
        let samples = self.samples.as_ref().ok()?;
        let [a, b] = places[..] else { return None };
        // A part of a job, or a longer one, has not been measured together with anything.
        let as_it_is = |place: Place| {
            let size = request.jobs.iter().find(|job| job.name == place.letter()).map(|job| job.size);
            self.slot(place).cut.is_none() && size == Some(1.0)
        };
        if ![a, b].into_iter().all(as_it_is) {
            return None;
        }
        let offset_seconds = request.jobs[1].offset_seconds - request.jobs[0].offset_seconds;
        let (a, b) = (self.slot(a).sample()?, self.slot(b).sample()?);
        let pair = samples.pair(a, b, offset_seconds)?;
        Some(TruthRequest {
            source: TruthSource::Sample(pair.file.clone()),
            names: vec![a.to_owned(), b.to_owned()],
            step_seconds,
        })
    }

    /// Whether the model of the forecast on show has learned from the measured run. `None`: it does not say.
    pub fn has_learned(&self, truth: &Truth) -> Option<bool> {
        let (request, _) = self.forecast.as_ref()?;
        let samples = self.samples.as_ref().ok()?;
        let [a, b] = &truth.request.names[..] else { return None };
        if truth.is_own() {
            return None;
        }
        self.models.info(Model::named(&request.model)?)?.has_learned(&samples.data, &[a.clone(), b.clone()])
    }

    /// The measurement, if its jobs started in it when they do in the forecast on show, as far as it says that.
    pub fn comparable_truth(&self) -> Option<&Rc<Truth>> {
        let (request, forecast) = self.forecast.as_ref()?;
        let truth = self.truth.as_ref()?;
        if self.wanted_truth().as_ref() != Some(&truth.request) {
            return None;
        }
        let near = match (truth.offset_seconds(), &request.jobs[..]) {
            (Some(measured), [a, b]) if !truth.is_own() => {
                (measured - (b.offset_seconds - a.offset_seconds)).abs() <= forecast.step_seconds.max(2.0)
            }
            _ => true,
        };
        near.then_some(truth)
    }

    /// All that a person made.
    pub fn document(&self) -> Document {
        Document {
            slots: self.slots.each_ref().map(Slot::settled),
            controls: self.controls.clone(),
            shown: self.shown,
            node: self.node.clone(),
            example: self.example,
        }
    }

    /// The page after `action`.
    #[must_use]
    pub fn after(&self, action: Action) -> State {
        let mut next = self.clone();
        let undoable = match &action {
            Action::Undone | Action::Redone => false,
            // What the page begins with replaces nothing.
            Action::Opened { .. } => !self.filled().is_empty(),
            // Opening is one thing, however many traces come of it.
            Action::ReadArrived { reading, .. } => !reading.opened,
            _ => true,
        };
        let of = same_step(&action);
        let before = self.document();
        next.apply(action);
        if undoable && next.document() != before && !before.is_empty() {
            next.history.changed(before, of);
        }
        next.release();
        next
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::ModelAsked(model) => self.models.ask(model),
            Action::ModelArrived(model, answer) => self.models.arrived(model, answer),
            Action::SamplesArrived(samples) => self.samples = samples.map(Rc::new),
            Action::ThumbnailArrived(name, values) => {
                self.thumbnails.insert(name, values);
            }
            Action::ReadStopped(place) => self.slots[place.index()].reading = None,
            Action::ReadAsked { place, ticket, reading } => self.read_asked(place, ticket, reading),
            Action::ReadArrived { place, ticket, reading, answer } => {
                self.read_arrived(place, ticket, reading, answer);
            }
            Action::CutArrived { place, whole, stretch, answer } => {
                self.cut_arrived(place, whole, stretch, answer);
            }
            Action::Uncut(place) => {
                let slot = &mut self.slots[place.index()];
                if let Some(cut) = slot.cut.take() {
                    self.parked.extend(slot.trace.replace(cut.whole).map(|part| part.handle));
                    slot.read.stretch = None;
                }
            }
            Action::Dismissed(place) => self.dismiss(place),
            Action::Removed(place) => self.removed(place),
            Action::Added => self.shown = (self.shown + 1).min(PLACES),
            Action::Duplicated(place) => self.duplicated(place),
            Action::Swapped => {
                self.slots.swap(0, 1);
                let [a, b, ..] = &mut self.controls;
                std::mem::swap(&mut a.size, &mut b.size);
                std::mem::swap(&mut a.muted, &mut b.muted);
                // Reads under way would answer to the place they were asked for, which is now the other's.
                for slot in &mut self.slots[..2] {
                    slot.reading = None;
                }
            }
            Action::Muted(place, muted) => self.controls[place.index()].muted = muted,
            Action::SizeTyped(place, text) => self.controls[place.index()].size.set(text),
            Action::CoresTyped(place, text) => self.slots[place.index()].cores.set(text),
            Action::StepTyped(place, text) => self.slots[place.index()].step.set(text),
            Action::NodeTyped(field, text) => self.node.set(field, text),
            Action::NodeReset(field) => self.node.reset(field),
            Action::NodeChosen(node) => self.node = NodeForm::of(&node),
            Action::OffsetTyped(place, text) => self.controls[place.index()].offset.set(text),
            Action::Cleared => self.clear(),
            Action::Opened { controls, shown, node, example } => {
                self.clear();
                self.controls = *controls;
                self.shown = shown.clamp(LEAST_SHOWN, PLACES);
                self.node = node;
                self.example = example;
            }
            Action::Undone => {
                if let Some(document) = self.history.back(self.document()) {
                    self.show(document);
                }
            }
            Action::Redone => {
                if let Some(document) = self.history.forth(self.document()) {
                    self.show(document);
                }
            }
            Action::ForecastAsked(request) => self.asked = Some(request),
            Action::ForecastArrived(request, answer) => self.forecast_arrived(request, answer),
            Action::StartsArrived(starts) => self.starts = Some(starts),
            Action::TruthAsked(request) => {
                self.truth_asked = Some(request);
                self.truth_problem = None;
            }
            Action::TruthArrived(request, answer) => self.truth_arrived(request, answer),
            Action::TruthBrought(answer) => {
                self.drop_truth();
                match answer {
                    Ok(trace) => self.own_truth = Some(Rc::new(trace)),
                    Err(problem) => {
                        self.parked.extend(problem.details.handle);
                        self.truth_problem = Some(problem);
                    }
                }
            }
            Action::TruthDropped => self.drop_truth(),
            Action::ShareFailed(problem) => self.share_problem = problem,
            Action::Forgotten(handles) => self.released.retain(|handle| !handles.contains(handle)),
        }
    }

    /// Lets the worker forget what nothing on show and nothing that can be gone back to needs.
    fn release(&mut self) {
        if self.parked.is_empty() {
            return;
        }
        let mut needed = self.history.handles();
        needed.extend(self.slots.iter().flat_map(Slot::handles));
        needed.extend(self.own_truth.as_ref().map(|trace| trace.handle));
        let (kept, free): (BTreeSet<u32>, BTreeSet<u32>) =
            self.parked.iter().partition(|handle| needed.contains(handle));
        self.parked = kept;
        self.released.extend(free);
    }

    /// Takes a place's problem away, and lets the worker forget the file.
    fn dismiss(&mut self, place: Place) {
        let slot = &mut self.slots[place.index()];
        slot.failed = Reading::default();
        self.parked.extend(slot.problem.take().and_then(|problem| problem.details.handle));
    }

    /// Empties the page, but for models and samples.
    fn clear(&mut self) {
        for slot in &mut self.slots {
            self.parked.extend(std::mem::take(slot).handles());
        }
        self.controls = Default::default();
        self.shown = LEAST_SHOWN;
        self.node = NodeForm::default();
        self.example = false;
        self.forget_answers();
        self.drop_truth();
    }

    fn show(&mut self, document: Document) {
        let Document { slots, controls, shown, node, example } = document;
        for (slot, before) in self.slots.iter_mut().zip(slots) {
            self.parked.extend(std::mem::replace(slot, before).handles());
        }
        (self.controls, self.shown, self.node, self.example) = (controls, shown, node, example);
        if self.filled().len() < LEAST_SHOWN {
            self.forget_answers();
        }
    }

    fn removed(&mut self, place: Place) {
        let index = place.index();
        self.parked.extend(std::mem::take(&mut self.slots[index]).handles());
        self.controls[index] = Control::default();
        if self.shown > LEAST_SHOWN {
            self.slots[index..self.shown].rotate_left(1);
            self.controls[index..self.shown].rotate_left(1);
            self.shown -= 1;
            // Their reads answer to the places they were asked for.
            self.slots[index..].iter_mut().for_each(|slot| slot.reading = None);
        }
        if self.filled().len() < LEAST_SHOWN {
            self.forget_answers();
        }
    }

    fn duplicated(&mut self, place: Place) {
        let empty = self.places().find(|other| self.slot(*other).trace.is_none());
        let Some(to) = empty.or_else(|| Place::ALL.get(self.shown).copied()) else { return };
        self.shown = self.shown.max(to.index() + 1);
        self.slots[to.index()] = self.slot(place).settled();
        self.controls[to.index()] = self.control(place).clone();
    }

    fn read_asked(&mut self, place: Place, ticket: u32, reading: Reading) {
        // What a person brings takes the place of the example; another sample is only another example.
        if self.example && !reading.opened && !reading.again && reading.sample.is_none() {
            self.clear();
        }
        self.shown = self.shown.max(place.index() + 1);
        self.dismiss(place);
        self.slots[place.index()].reading = Some((ticket, reading));
    }

    fn read_arrived(
        &mut self,
        place: Place,
        ticket: u32,
        reading: Reading,
        answer: Result<Box<Arrived>, Problem>,
    ) {
        let slot = &mut self.slots[place.index()];
        if slot.reading.as_ref().is_none_or(|(asked, _)| *asked != ticket) {
            self.parked.extend(
                match answer {
                    Ok(arrived) => {
                        let part = arrived.part.map(|(_, part)| part.handle);
                        [Some(arrived.whole.handle), part]
                    }
                    Err(problem) => [problem.details.handle, None],
                }
                .into_iter()
                .flatten(),
            );
            return;
        }
        slot.reading = None;
        match answer {
            Ok(arrived) => {
                let Arrived { whole, part } = *arrived;
                self.parked.extend(slot.handles());
                let (cores, step) = (std::mem::take(&mut slot.cores), std::mem::take(&mut slot.step));
                let kept = if reading.again {
                    (cores, step)
                } else {
                    // What was said about the same file in the other place.
                    (Field::of(reading.options.cores), Field::of(reading.options.step_seconds))
                };
                *slot = Slot { read: reading, cores: kept.0, step: kept.1, ..Slot::default() };
                let whole = Rc::new(whole);
                match part {
                    Some((stretch, part)) => {
                        slot.trace = Some(Rc::new(part));
                        slot.cut = Some(Cut { whole, stretch });
                    }
                    None => slot.trace = Some(whole),
                }
            }
            Err(problem) => {
                slot.problem = Some(problem);
                slot.failed = reading;
            }
        }
    }

    fn cut_arrived(
        &mut self,
        place: Place,
        whole: u32,
        stretch: Stretch,
        answer: Result<TraceInfo, Problem>,
    ) {
        let slot = &mut self.slots[place.index()];
        let of = slot.whole().filter(|trace| trace.handle == whole).map(Rc::clone);
        match (of, answer) {
            (Some(whole), Ok(part)) => {
                let before = slot.trace.replace(Rc::new(part));
                // The whole stays, so that it can come back.
                let before = before.filter(|_| slot.cut.is_some());
                slot.cut = Some(Cut { whole, stretch });
                self.parked.extend(before.map(|part| part.handle));
            }
            (Some(_), Err(problem)) => {
                self.dismiss(place);
                self.slots[place.index()].problem = Some(problem);
            }
            (None, answer) => self.parked.extend(answer.ok().map(|part| part.handle)),
        }
    }

    fn forecast_arrived(&mut self, request: ForecastRequest, answer: Result<Rc<Forecast>, Problem>) {
        // An answer to a question that is no longer asked.
        if self.asked.as_ref() != Some(&request) {
            return;
        }
        self.asked = None;
        match answer {
            Ok(forecast) => {
                self.forecast = Some((request, forecast));
                self.refused = None;
            }
            Err(problem) => self.refused = Some((request, problem)),
        }
    }

    fn truth_arrived(&mut self, request: TruthRequest, answer: Result<Measured, Problem>) {
        if self.truth_asked.as_ref() != Some(&request) {
            return;
        }
        self.truth_asked = None;
        match answer.and_then(|measured| truth::truth(request, measured)) {
            Ok(truth) => self.truth = Some(Rc::new(truth)),
            Err(problem) => self.truth_problem = Some(problem),
        }
    }

    fn drop_truth(&mut self) {
        self.parked.extend(self.own_truth.take().map(|trace| trace.handle));
        self.truth_asked = None;
        self.truth = None;
        self.truth_problem = None;
    }

    fn forget_answers(&mut self) {
        self.asked = None;
        self.forecast = None;
        self.refused = None;
        self.starts = None;
        self.truth_asked = None;
        self.truth = None;
        self.truth_problem = None;
    }
}

impl Document {
    /// Whether there is nothing to go back to.
    fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.trace.is_none())
    }
}

/// What an action is of, if more of the same is one step to undo.
fn same_step(action: &Action) -> Option<String> {
    match action {
        Action::OffsetTyped(place, _) => Some(format!("start of {}", place.letter())),
        Action::SizeTyped(place, _) => Some(format!("size of {}", place.letter())),
        Action::CoresTyped(place, _) => Some(format!("cores of {}", place.letter())),
        Action::StepTyped(place, _) => Some(format!("step of {}", place.letter())),
        Action::NodeTyped(field, _) => Some(format!("node {}", field.id())),
        _ => None,
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
