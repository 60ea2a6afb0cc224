//! All that the page knows, and how each action changes it. Nothing here knows a browser.

mod action;
mod history;
mod place;
mod questions;
mod slot;
mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cotrace_forecast::Forecast;

pub use action::Action;
pub use history::{Document, History};
pub use place::{LEAST_SHOWN, PLACES, Place};
pub use slot::{Arrived, Control, Cut, Reading, Slot};
pub use truth::{Truth, TruthRequest, TruthSource};

use crate::fields::{Field, NodeForm};
use crate::messages::{ForecastRequest, Measured, ModelInfo, Problem, Samples, Stretch, TraceInfo};
use crate::models::{Model, Models};
use crate::starts::Starts;
use action::same_step;

/// The page.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// What the page begins with is not there yet.
    pub beginning: bool,
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
            beginning: true,
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

impl State {
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
        let begun = matches!(&action, Action::Began)
            || matches!(&action, Action::ReadAsked { reading, .. } if !reading.opened);
        next.apply(action);
        next.beginning = next.beginning && !begun && !next.has_begun();
        if undoable && next.document() != before && !before.is_empty() {
            next.history.changed(before, of);
        }
        next.release();
        next
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::Began => {}
            Action::ModelAsked(model) => self.models.ask(model),
            Action::ModelBrought => self.models.bring(Model::Own),
            Action::ModelArrived(model, answer) => self.model_arrived(model, answer),
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

    fn model_arrived(&mut self, model: Model, answer: Result<ModelInfo, Problem>) {
        if answer.is_ok() && self.models.info(model).is_some() {
            // Another model of that name made it: it stays on show, and answers nothing.
            if let Some((request, _)) =
                self.forecast.as_mut().filter(|(request, _)| request.model == model.name())
            {
                request.model.clear();
            }
            self.refused.take_if(|(request, _)| request.model == model.name());
        }
        self.models.arrived(model, answer);
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

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
