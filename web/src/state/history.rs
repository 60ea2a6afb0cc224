//! What the page was before, and what it was before that was undone.

use std::collections::BTreeSet;

use super::place::PLACES;
use super::slot::{Control, Slot};
use crate::fields::NodeForm;

/// The most steps back.
const MOST: usize = 30;

/// All that a person made.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The traces, without what is under way.
    pub slots: [Slot; PLACES],
    /// What is wanted of each job.
    pub controls: [Control; PLACES],
    /// How many places are on show.
    pub shown: usize,
    /// What the person said about the node.
    pub node: NodeForm,
    /// It is what the page began with.
    pub example: bool,
}

/// What can be gone back to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    past: Vec<Document>,
    future: Vec<Document>,
    /// What the last change was of: more of the same is one step.
    last: Option<String>,
}

impl History {
    /// Whether there is anything to undo, and to redo.
    pub fn can(&self) -> (bool, bool) {
        (!self.past.is_empty(), !self.future.is_empty())
    }

    /// Something was changed; `of`: what, if more of the same is to be one step with it.
    pub(super) fn changed(&mut self, before: Document, of: Option<String>) {
        let same = of.is_some() && of == self.last && !self.past.is_empty();
        if !same {
            self.past.push(before);
            if self.past.len() > MOST {
                self.past.remove(0);
            }
        }
        self.future.clear();
        self.last = of;
    }

    /// One step back from `now`.
    pub(super) fn back(&mut self, now: Document) -> Option<Document> {
        let before = self.past.pop()?;
        self.future.push(now);
        self.last = None;
        Some(before)
    }

    /// One step forth again from `now`.
    pub(super) fn forth(&mut self, now: Document) -> Option<Document> {
        let after = self.future.pop()?;
        self.past.push(now);
        self.last = None;
        Some(after)
    }

    /// What the worker must keep so that one can go back.
    pub(super) fn handles(&self) -> BTreeSet<u32> {
        let documents = self.past.iter().chain(&self.future);
        documents.flat_map(|document| &document.slots).flat_map(Slot::handles).collect()
    }
}
