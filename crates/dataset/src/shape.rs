//! What runs there are, by who ran beside whom.

use std::collections::BTreeMap;

use crate::{JobRun, Manifest, Run};

/// Who ran beside whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// One job alone.
    Solo,
    /// A job beside a copy of itself, from the same moment.
    SelfPair,
    /// Two different jobs from the same moment.
    Pair,
    /// Two jobs, one of which was started later.
    OffsetPair,
    /// Three jobs or more.
    Triple,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 5] = [Shape::Solo, Shape::SelfPair, Shape::Pair, Shape::OffsetPair, Shape::Triple];

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Shape::Solo => "alone",
            Shape::SelfPair => "beside a copy of itself",
            Shape::Pair => "two jobs from the same moment",
            Shape::OffsetPair => "two jobs, one later",
            Shape::Triple => "three jobs or more",
        }
    }
}

impl JobRun {
    /// How long the job took.
    pub fn seconds(&self) -> f64 {
        self.end_seconds - self.start_seconds
    }
}

impl Run {
    /// Who ran beside whom.
    pub fn shape(&self) -> Shape {
        match &self.jobs[..] {
            [] | [_] => Shape::Solo,
            [a, b] if a.offset_seconds != b.offset_seconds => Shape::OffsetPair,
            [a, b] if a.name == b.name => Shape::SelfPair,
            [_, _] => Shape::Pair,
            _ => Shape::Triple,
        }
    }

    /// The name of the cut, if the node was cut.
    pub fn cut_name(&self) -> Option<&str> {
        self.cut.as_ref().map(|cut| &*cut.name)
    }

    /// From the first job's start to the last one's end.
    pub fn makespan_seconds(&self) -> f64 {
        let start = self.jobs.iter().map(|job| job.start_seconds).fold(f64::INFINITY, f64::min);
        let end = self.jobs.iter().map(|job| job.end_seconds).fold(f64::NEG_INFINITY, f64::max);
        end - start
    }
}

/// How many runs there are of each kind. Each run is counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs on the whole node with jobs of the ordinary size, by shape; the first of its kind and repeats of it.
    pub shapes: BTreeMap<Shape, usize>,
    /// Runs on the whole node with a job of another input size.
    pub sizes: usize,
    /// Runs on a cut node, by the cut's name.
    pub cuts: BTreeMap<String, usize>,
    /// Of all these, co-runs that repeat an earlier one.
    pub repeats: usize,
    /// Of all these, runs that were disturbed.
    pub disturbed: usize,
}

impl Counts {
    /// Counts the runs for which `included` holds.
    pub fn of(manifest: &Manifest, included: impl Fn(&Run) -> bool) -> Counts {
        Counts::of_runs(manifest.runs.iter().filter(|run| included(run)), |job| manifest.is_size(job))
    }

    /// Counts runs; `is_size` says whether a job is another input size of one.
    pub fn of_runs<'a>(runs: impl IntoIterator<Item = &'a Run>, is_size: impl Fn(&str) -> bool) -> Counts {
        let mut counts = Counts::default();
        for run in runs {
            if let Some(cut) = run.cut_name() {
                *counts.cuts.entry(cut.to_owned()).or_default() += 1;
            } else if run.jobs.iter().any(|job| is_size(&job.name)) {
                counts.sizes += 1;
            } else {
                *counts.shapes.entry(run.shape()).or_default() += 1;
            }
            counts.repeats += usize::from(run.shape() != Shape::Solo && run.repeat > 0);
            counts.disturbed += usize::from(run.disturbed);
        }
        counts
    }

    /// Each kind of run in words with its number, all but those that are part of others.
    pub fn lines(&self) -> Vec<(String, usize)> {
        let shapes = self.shapes.iter().map(|(shape, runs)| (shape.title().to_owned(), *runs));
        let sizes = (self.sizes > 0).then(|| ("with a job of another input size".to_owned(), self.sizes));
        let cuts = self.cuts.iter().map(|(cut, runs)| (format!("on the node cut to {cut}"), *runs));
        shapes.chain(sizes).chain(cuts).collect()
    }
}
