//! Samples of one subject in a log, and the times that lines around them say.

use crate::formats::clock::Stamp;
use crate::record::{FieldId, Recorder};

/// Where the times of blocks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a line before a block.
    Before,
    /// In a line after a block.
    After,
}

/// A sample that waits for its time.
struct Waiting {
    line: u64,
    values: Vec<(FieldId, f64)>,
}

/// Hands the samples of a log to a recorder, each with its time: the line's own, or that of the line before or after
/// its block, or none.
pub(crate) struct Blocks {
    place: Option<Place>,
    /// Something other than a time has been seen.
    begun: bool,
    current: Option<(Stamp, String)>,
    before_current: Option<Stamp>,
    waiting: Option<Waiting>,
    /// Whether the block has a sample, so far.
    filled: bool,
    any: bool,
}

impl Blocks {
    /// `timed`: whether the log has lines that are times.
    pub(crate) fn new(timed: bool) -> Blocks {
        Blocks {
            place: timed.then_some(Place::Before),
            begun: false,
            current: None,
            before_current: None,
            waiting: None,
            filled: false,
            any: false,
        }
    }

    /// A line that is a time.
    pub(crate) fn time(&mut self, recorder: &mut Recorder, stamp: Stamp, seen: &str) {
        if !self.begun {
            self.begun = true;
        } else if self.current.is_none() && self.place == Some(Place::Before) {
            // The log starts with a block.
            self.place = Some(Place::After);
        }
        self.before_current = self.current.as_ref().map(|(stamp, _)| *stamp);
        self.current = Some((stamp, seen.to_owned()));
        if let Some(Waiting { line, values }) = self.waiting.take() {
            self.put(recorder, line, stamp, seen, self.before_current, &values);
        }
    }

    /// A header: a new block.
    pub(crate) fn header(&mut self, recorder: &mut Recorder) {
        self.begun = true;
        if self.place.is_none() && self.any && !self.filled {
            recorder.skip_step();
        }
        self.filled = false;
    }

    /// Any other line of the tool.
    pub(crate) fn other(&mut self) {
        self.begun = true;
    }

    /// A sample, with the time in its own line if there is one.
    pub(crate) fn sample(
        &mut self,
        recorder: &mut Recorder,
        line: u64,
        own: Option<(Stamp, &str)>,
        values: &[(FieldId, f64)],
    ) {
        self.begun = true;
        self.filled = true;
        if let Some((stamp, seen)) = own {
            self.put(recorder, line, stamp, seen, None, values);
            return;
        }
        match (self.place, &self.current) {
            (Some(Place::Before), Some((stamp, seen))) => {
                let (stamp, seen) = (*stamp, seen.clone());
                self.put(recorder, line, stamp, &seen, self.before_current, values);
            }
            (Some(_), _) => self.waiting = Some(Waiting { line, values: values.to_vec() }),
            (None, _) => {
                self.any = true;
                recorder.step(line);
                for (field, value) in values {
                    recorder.put(*field, *value);
                }
            }
        }
    }

    fn put(
        &mut self,
        recorder: &mut Recorder,
        line: u64,
        stamp: Stamp,
        seen: &str,
        before: Option<Stamp>,
        values: &[(FieldId, f64)],
    ) {
        // The block before the first one with a sample says when that sample's time began.
        if let Some(before) = before.filter(|before| !self.any && before.seconds < stamp.seconds) {
            recorder.start(before);
        }
        self.any = true;
        if recorder.sample(line, stamp, seen) {
            for (field, value) in values {
                recorder.put(*field, *value);
            }
        }
    }
}
