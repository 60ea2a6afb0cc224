//! What can happen on the page.

use std::rc::Rc;

use cotrace_forecast::Forecast;
use cotrace_trace::Capacity;

use super::{Arrived, Control, PLACES, Place, Reading, TruthRequest};
use crate::fields::{NodeField, NodeForm};
use crate::messages::{ForecastRequest, Measured, ModelInfo, Problem, Samples, Stretch, TraceInfo};
use crate::models::Model;
use crate::starts::Starts;

/// What can happen.
#[derive(Clone, Debug)]
pub enum Action {
    /// The page begins with nothing on it.
    Began,
    /// A model was chosen.
    ModelAsked(Model),
    /// One's own model is being read, in place of the one of one's own that was there before.
    ModelBrought,
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

/// What an action is of, if more of the same is one step to undo.
pub(super) fn same_step(action: &Action) -> Option<String> {
    match action {
        Action::OffsetTyped(place, _) => Some(format!("start of {}", place.letter())),
        Action::SizeTyped(place, _) => Some(format!("size of {}", place.letter())),
        Action::CoresTyped(place, _) => Some(format!("cores of {}", place.letter())),
        Action::StepTyped(place, _) => Some(format!("step of {}", place.letter())),
        Action::NodeTyped(field, _) => Some(format!("node {}", field.id())),
        _ => None,
    }
}
