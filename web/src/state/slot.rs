//! What is in a place.

use std::rc::Rc;

use crate::fields::{Field, parse_offset, parse_positive};
use crate::messages::{Problem, ReadOptions, Stretch, TraceInfo};

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
    /// It belongs to what is being opened, not to what a person brings.
    pub opened: bool,
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
        Reading { again: true, opened: false, stretch: None, ..self.read.clone() }
    }

    /// The file that could not be read once more, to be read in another way.
    pub fn failed_again(&self) -> Reading {
        let mut reading = Reading { stretch: None, opened: false, ..self.failed.clone() };
        if let Some(problem) = self.problem.as_ref().filter(|problem| !problem.details.choices.is_empty()) {
            reading.choices.clone_from(&problem.details.choices);
        }
        reading
    }

    /// What the worker holds for this place.
    pub(super) fn handles(&self) -> impl Iterator<Item = u32> {
        let trace = self.trace.as_ref().map(|trace| trace.handle);
        let whole = self.cut.as_ref().map(|cut| cut.whole.handle);
        let failed = self.problem.as_ref().and_then(|problem| problem.details.handle);
        [trace, whole, failed].into_iter().flatten()
    }

    /// The trace without what is under way or went wrong.
    pub(super) fn settled(&self) -> Slot {
        Slot { reading: None, problem: None, failed: Reading::default(), ..self.clone() }
    }
}

/// What a person wants of the job in a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Control {
    /// When it starts, as typed, in seconds from A's start. A's own is not used.
    pub offset: Field,
    /// How many times as much it has to do as in its trace, as typed.
    pub size: Field,
    /// It is left out.
    pub muted: bool,
}

impl Control {
    /// When it starts.
    ///
    /// # Errors
    /// What to tell the person.
    pub fn offset_seconds(&self) -> Result<f64, String> {
        parse_offset(self.offset.text())
    }

    /// How many times as much it has to do.
    ///
    /// # Errors
    /// What to tell the person.
    pub fn times(&self) -> Result<f64, String> {
        /// Beyond, it is another job.
        const MOST: f64 = 100.0;
        let times = parse_positive(self.size.text())?.unwrap_or(1.0);
        if (MOST.recip()..=MOST).contains(&times) {
            Ok(times)
        } else {
            Err(format!("Give a number from {} to {MOST}.", MOST.recip()))
        }
    }
}
