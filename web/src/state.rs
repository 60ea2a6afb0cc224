//! All that the page knows, and how each action changes it. Nothing here knows a browser.

use std::rc::Rc;

use cotrace_forecast::Forecast;
use cotrace_trace::Capacity;

use crate::fields::{Field, NodeField, NodeForm, parse_offset};
use crate::messages::{
    ForecastRequest, JobRequest, Measured, ModelInfo, Problem, ReadOptions, Samples, Stretch, TraceInfo,
};
use crate::models::{Model, Models};

/// One of the two places for a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The first job.
    A,
    /// The second job.
    B,
}

impl Place {
    /// Both, in order.
    pub const ALL: [Place; 2] = [Place::A, Place::B];

    /// 0 or 1.
    pub fn index(self) -> usize {
        match self {
            Place::A => 0,
            Place::B => 1,
        }
    }

    /// The letter people see.
    pub fn letter(self) -> &'static str {
        letter(self.index())
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Place {
        match self {
            Place::A => Place::B,
            Place::B => Place::A,
        }
    }
}

/// The letter of the job at `index`.
pub fn letter(index: usize) -> &'static str {
    ["A", "B", "C", "D"].get(index).copied().unwrap_or("?")
}

/// A file and how it is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What it is called.
    pub name: String,
    /// The sample it is, if it is one.
    pub sample: Option<String>,
    /// What the person said about it.
    pub options: ReadOptions,
    /// What there is to choose from in it, where it holds several traces.
    pub choices: Vec<String>,
    /// The columns in `options` were said for an earlier table with the same header.
    pub remembered: bool,
    /// It is the same file as before, read in another way: what was typed about it stays.
    pub again: bool,
    /// The part to keep of it.
    pub stretch: Option<Stretch>,
}

/// A trace that was read, and the part of it that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrived {
    /// All of it.
    pub whole: TraceInfo,
    /// The part, if it isn't all.
    pub part: Option<(Stretch, TraceInfo)>,
}

/// What a trace was cut out of.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// All of the file.
    pub whole: Rc<TraceInfo>,
    /// The part that is kept.
    pub stretch: Stretch,
}

/// A place for a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slot {
    /// The read under way, with its number. Answers to other numbers come too late.
    pub reading: Option<(u32, Reading)>,
    /// The trace, as it is forecast.
    pub trace: Option<Rc<TraceInfo>>,
    /// What it was cut out of. `None`: it is all of its file.
    pub cut: Option<Cut>,
    /// How it was read.
    pub read: Reading,
    /// Why the last read failed. The trace before it stays.
    pub problem: Option<Problem>,
    /// How that was read.
    pub failed: Reading,
    /// The number of cores as the person typed it, where the file does not say.
    pub cores: Field,
    /// The seconds between samples as the person typed them, where the file does not say.
    pub step: Field,
}

impl Slot {
    /// The trace with nothing cut off.
    pub fn whole(&self) -> Option<&Rc<TraceInfo>> {
        self.cut.as_ref().map(|cut| &cut.whole).or(self.trace.as_ref())
    }

    /// The sample that the trace came from, if it is one.
    pub fn sample(&self) -> Option<&str> {
        self.trace.as_ref().and(self.read.sample.as_deref())
    }

    /// The trace's file once more, to be read in another way.
    pub fn again(&self) -> Reading {
        Reading { again: true, stretch: None, ..self.read.clone() }
    }

    /// The file that could not be read once more, to be read in another way.
    pub fn failed_again(&self) -> Reading {
        let mut reading = Reading { stretch: None, ..self.failed.clone() };
        if let Some(problem) = self.problem.as_ref().filter(|problem| !problem.details.choices.is_empty()) {
            reading.choices.clone_from(&problem.details.choices);
        }
        reading
    }

    /// What the worker holds for this place.
    fn handles(&self) -> impl Iterator<Item = u32> {
        let trace = self.trace.as_ref().map(|trace| trace.handle);
        let whole = self.cut.as_ref().map(|cut| cut.whole.handle);
        let failed = self.problem.as_ref().and_then(|problem| problem.details.handle);
        [trace, whole, failed].into_iter().flatten()
    }
}

/// A measured run that is asked for, to lay over the forecast.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthRequest {
    /// The trace, relative to the samples' index.
    pub file: String,
    /// The names of the jobs in A and B.
    pub names: [String; 2],
    /// The forecast's grid.
    pub step_seconds: f64,
}

/// A measured run of the very jobs in A and B.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// What was asked for.
    pub request: TruthRequest,
    /// The measurement.
    pub measured: Measured,
    /// When A and B started and ended, from the first one's start.
    pub spans: [(f64, f64); 2],
}

impl Truth {
    /// When B started after A. Negative: before A.
    pub fn offset_seconds(&self) -> f64 {
        self.spans[1].0 - self.spans[0].0
    }

    /// First start to last end.
    pub fn makespan_seconds(&self) -> f64 {
        self.spans[0].1.max(self.spans[1].1)
    }
}

/// The page.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// What forecasts.
    pub models: Models,
    /// What comes with the page. `Err`: it could not be fetched.
    pub samples: Result<Rc<Samples>, Problem>,
    /// A and B.
    pub slots: [Slot; 2],
    /// What the person said about the node.
    pub node: NodeForm,
    /// When B starts, as typed.
    pub offset: Field,
    /// The forecast in progress.
    pub asked: Option<ForecastRequest>,
    /// The forecast on show and what it was asked for.
    pub forecast: Option<(ForecastRequest, Rc<Forecast>)>,
    /// Why the last forecast failed.
    pub forecast_problem: Option<Problem>,
    /// The measurement in progress.
    pub truth_asked: Option<TruthRequest>,
    /// The measurement on show.
    pub truth: Option<Rc<Truth>>,
    /// Why it could not be fetched.
    pub truth_problem: Option<Problem>,
    /// Traces that the worker can forget.
    pub released: Vec<u32>,
}

impl Default for State {
    fn default() -> State {
        State {
            models: Models::default(),
            samples: Ok(Rc::default()),
            slots: [Slot::default(), Slot::default()],
            node: NodeForm::default(),
            offset: Field::default(),
            asked: None,
            forecast: None,
            forecast_problem: None,
            truth_asked: None,
            truth: None,
            truth_problem: None,
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
    /// The page itself can't take what was given, for example three files at once.
    Refused(Place, Problem),
    /// A place was emptied.
    Removed(Place),
    /// A and B changed places.
    Swapped,
    /// The cores of a trace's node were typed.
    CoresTyped(Place, String),
    /// The seconds between a trace's samples were typed.
    StepTyped(Place, String),
    /// A part of the node was typed.
    NodeTyped(NodeField, String),
    /// A part of the node is again what the traces say.
    NodeReset(NodeField),
    /// The start of B was typed.
    OffsetTyped(String),
    /// A forecast was asked for.
    ForecastAsked(ForecastRequest),
    /// It was made, or not.
    ForecastArrived(ForecastRequest, Result<Rc<Forecast>, Problem>),
    /// A measurement was asked for.
    TruthAsked(TruthRequest),
    /// It was fetched, or not.
    TruthArrived(TruthRequest, Result<Measured, Problem>),
    /// The worker was told to forget these.
    Forgotten(Vec<u32>),
}

impl State {
    /// The place.
    pub fn slot(&self, place: Place) -> &Slot {
        &self.slots[place.index()]
    }

    /// Where a trace goes that was given to no place in particular: the first empty one, or A.
    pub fn free_place(&self) -> Place {
        let free = |place: &Place| self.slot(*place).trace.is_none() && self.slot(*place).reading.is_none();
        Place::ALL.into_iter().find(free).unwrap_or(Place::A)
    }

    /// What the traces say about the node: A's word first.
    pub fn traces_capacity(&self) -> Capacity {
        let capacity = |slot: &Slot| slot.trace.as_ref().map(|trace| trace.capacity).unwrap_or_default();
        capacity(&self.slots[0]).or(capacity(&self.slots[1]))
    }

    /// The forecast that the page should show now. `None`: something is missing or not a number.
    pub fn wanted_forecast(&self) -> Option<ForecastRequest> {
        let model = self.models.used()?.name.clone();
        let offset_seconds = parse_offset(self.offset.text()).ok()?;
        let node = self.node.typed_capacity().ok()?;
        let job = |place: Place, offset_seconds: f64| {
            let handle = self.slot(place).trace.as_ref()?.handle;
            // The forecast calls the jobs as the page does: file names are long, and may be the same.
            Some(JobRequest { handle, name: place.letter().to_owned(), offset_seconds })
        };
        let jobs = vec![job(Place::A, 0.0)?, job(Place::B, offset_seconds)?];
        Some(ForecastRequest { jobs, node, model })
    }

    /// Whether the forecast on show answers what the page says now.
    pub fn forecast_is_current(&self) -> bool {
        self.forecast.as_ref().map(|(request, _)| request) == self.wanted_forecast().as_ref()
    }

    /// Whether an answer is on its way.
    pub fn is_working(&self) -> bool {
        let to_be_asked = self.wanted_forecast().is_some() && !self.forecast_is_current();
        self.models.awaited().is_some()
            || self.asked.is_some()
            || (to_be_asked && self.forecast_problem.is_none())
    }

    /// The measurement that belongs to the forecast on show, if A and B are samples that ran together.
    pub fn wanted_truth(&self) -> Option<TruthRequest> {
        let (request, forecast) = self.forecast.as_ref()?;
        let samples = self.samples.as_ref().ok()?;
        // A part of a job has not been measured together with anything.
        if self.slots.iter().any(|slot| slot.cut.is_some()) {
            return None;
        }
        let (a, b) = (self.slots[0].sample()?, self.slots[1].sample()?);
        let offset_seconds = request.jobs.get(1)?.offset_seconds;
        let pair = samples.pair(a, b, offset_seconds)?;
        Some(TruthRequest {
            file: pair.file.clone(),
            names: [a.to_owned(), b.to_owned()],
            step_seconds: forecast.step_seconds,
        })
    }

    /// Whether the model of the forecast on show has learned from the measured run. `None`: it does not say.
    pub fn has_learned(&self, truth: &Truth) -> Option<bool> {
        let (_, forecast) = self.forecast.as_ref()?;
        let samples = self.samples.as_ref().ok()?;
        self.models.named(&forecast.model.name)?.has_learned(&samples.data, &truth.request.names)
    }

    /// The measurement, if B started in it when it starts in the forecast on show.
    pub fn comparable_truth(&self) -> Option<&Rc<Truth>> {
        let (request, forecast) = self.forecast.as_ref()?;
        let truth = self.truth.as_ref()?;
        let asked = request.jobs.get(1)?.offset_seconds;
        let near = (truth.offset_seconds() - asked).abs() <= forecast.step_seconds.max(2.0);
        (near && self.wanted_truth().as_ref() == Some(&truth.request)).then_some(truth)
    }

    /// The page after `action`.
    #[must_use]
    pub fn after(&self, action: Action) -> State {
        let mut next = self.clone();
        next.apply(action);
        next
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::ModelAsked(model) => self.models.ask(model),
            Action::ModelArrived(model, answer) => self.models.arrived(model, answer),
            Action::SamplesArrived(samples) => self.samples = samples.map(Rc::new),
            Action::ReadAsked { place, ticket, reading } => {
                self.dismiss(place);
                self.slots[place.index()].reading = Some((ticket, reading));
            }
            Action::ReadArrived { place, ticket, reading, answer } => {
                self.read_arrived(place, ticket, reading, answer);
            }
            Action::CutArrived { place, whole, stretch, answer } => {
                self.cut_arrived(place, whole, stretch, answer);
            }
            Action::Uncut(place) => {
                let slot = &mut self.slots[place.index()];
                if let Some(cut) = slot.cut.take() {
                    self.released.extend(slot.trace.replace(cut.whole).map(|part| part.handle));
                    slot.read.stretch = None;
                }
            }
            Action::Dismissed(place) => self.dismiss(place),
            Action::Refused(place, problem) => {
                self.dismiss(place);
                self.slots[place.index()].problem = Some(problem);
            }
            Action::Removed(place) => {
                let slot = std::mem::take(&mut self.slots[place.index()]);
                self.released.extend(slot.handles());
                self.forget_answers();
            }
            Action::Swapped => {
                self.slots.swap(0, 1);
                // Reads under way would answer to the place they were asked for, which is now the other's.
                for slot in &mut self.slots {
                    slot.reading = None;
                }
            }
            Action::CoresTyped(place, text) => self.slots[place.index()].cores.set(text),
            Action::StepTyped(place, text) => self.slots[place.index()].step.set(text),
            Action::NodeTyped(field, text) => self.node.set(field, text),
            Action::NodeReset(field) => self.node.reset(field),
            Action::OffsetTyped(text) => self.offset.set(text),
            Action::ForecastAsked(request) => {
                self.asked = Some(request);
                self.forecast_problem = None;
            }
            Action::ForecastArrived(request, answer) => self.forecast_arrived(request, answer),
            Action::TruthAsked(request) => {
                self.truth_asked = Some(request);
                self.truth_problem = None;
            }
            Action::TruthArrived(request, answer) => self.truth_arrived(request, answer),
            Action::Forgotten(handles) => self.released.retain(|handle| !handles.contains(handle)),
        }
    }

    /// Takes a place's problem away, and lets the worker forget the file.
    fn dismiss(&mut self, place: Place) {
        let slot = &mut self.slots[place.index()];
        slot.failed = Reading::default();
        self.released.extend(slot.problem.take().and_then(|problem| problem.details.handle));
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
            self.released.extend(
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
                self.released.extend(slot.handles());
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
                self.released.extend(before.map(|part| part.handle));
            }
            (Some(_), Err(problem)) => {
                self.dismiss(place);
                self.slots[place.index()].problem = Some(problem);
            }
            (None, answer) => self.released.extend(answer.ok().map(|part| part.handle)),
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
                self.forecast_problem = None;
            }
            Err(problem) => self.forecast_problem = Some(problem),
        }
    }

    fn truth_arrived(&mut self, request: TruthRequest, answer: Result<Measured, Problem>) {
        if self.truth_asked.as_ref() != Some(&request) {
            return;
        }
        self.truth_asked = None;
        match answer.and_then(|measured| truth(request, measured)) {
            Ok(truth) => self.truth = Some(Rc::new(truth)),
            Err(problem) => self.truth_problem = Some(problem),
        }
    }

    fn forget_answers(&mut self) {
        self.asked = None;
        self.forecast = None;
        self.forecast_problem = None;
        self.truth_asked = None;
        self.truth = None;
        self.truth_problem = None;
    }
}

/// Finds A and B among the jobs of `measured`, whose time counts from the first one's start.
fn truth(request: TruthRequest, measured: Measured) -> Result<Truth, Problem> {
    let [a, b] = &request.names;
    let second = if a == b { format!("{b}-2") } else { b.clone() };
    let span = |name: &str| {
        let job = measured.jobs.iter().find(|job| job.name == name)?;
        Some((job.start_seconds?, job.end_seconds?))
    };
    let (Some(a_span), Some(b_span)) = (span(a), span(&second)) else {
        let message = format!("The measured run does not say when {a} and {second} ran.");
        return Err(Problem { file: Some(request.file.into()), ..Problem::new("truth", message) });
    };
    let spans = [a_span, b_span];
    Ok(Truth { request, measured, spans })
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
