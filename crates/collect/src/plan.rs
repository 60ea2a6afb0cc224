//! The plan: which jobs to measure, and in which company.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::Table;

use crate::CollectError;
use read::{Wrong, read_plan};

mod read;

/// What to run, as a plan's file says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobCommand {
    /// A line for `sh -c`.
    Shell(String),
    /// A program and its arguments.
    Argv(Vec<String>),
}

impl JobCommand {
    /// As a person would type it.
    pub fn display(&self) -> String {
        match self {
            JobCommand::Shell(line) => line.trim().to_owned(),
            JobCommand::Argv(words) => words.join(" "),
        }
    }

    /// Program and arguments, after `expand` has filled the placeholders.
    pub(crate) fn words(&self, expand: impl Fn(&str) -> String) -> Vec<String> {
        match self {
            JobCommand::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), expand(line)],
            JobCommand::Argv(words) => words.iter().map(|word| expand(word)).collect(),
        }
    }
}

/// One job of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanJob {
    /// Its name: small letters, digits and `-`.
    pub name: String,
    /// What kind of work: `cpu`, `memory`, `io`, `sql`, `ml`, ….
    pub kind: String,
    /// What it runs on: `spark`, `sqlite`, `native`, ….
    pub framework: String,
    /// One line for people.
    pub description: String,
    /// What it does one after the other, where its demands change clearly in between.
    pub phases: Vec<String>,
    /// The job of which this is another input size.
    pub size_of: Option<String>,
    /// About how long it takes alone, until it has been measured.
    pub seconds: Option<f64>,
    /// What is measured.
    pub command: JobCommand,
    /// Environment variables set for the command, setup and prepare.
    pub env: BTreeMap<String, String>,
    /// Makes the job's inputs; run once per measurement, so it must be quick when they are there.
    pub setup: Option<JobCommand>,
    /// Run before each run of the job, not measured.
    pub prepare: Option<JobCommand>,
    /// Whether the job runs once unmeasured before its first run.
    pub warm_up: bool,
    /// A run of the job that takes longer is killed and counts as failed.
    pub limit_seconds: f64,
    /// How much memory it works on, for people. Nothing is derived from it.
    pub working_set_bytes: Option<f64>,
    /// Programs that must be on the `PATH` (or exist, if a path); otherwise the job is skipped.
    pub requires: Vec<String>,
}

/// Which pairs to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Every pair of two different jobs.
    All,
    /// These pairs; with an offset, the second starts late.
    List(Vec<(String, String)>),
}

/// The pairs of a plan. Jobs that are another size of a job are in [`Plan::sizes`] instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    /// Which pairs.
    pub which: Which,
    /// Whether each job also runs beside a copy of itself.
    pub self_pairs: bool,
    /// Seconds by which the second job starts late; each pair is run once per offset.
    pub offsets: Vec<f64>,
    /// Pairs drawn at random that are run once more, the second job starting late.
    pub late: Option<Late>,
    /// Pairs drawn at random that are run again from the same moment.
    pub repeated: Option<Repeated>,
}

/// Runs in which one job starts while the other is under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Late {
    /// How many of the pairs, as a share of them.
    pub share: f64,
    /// The earliest start, as a share of how long the first job takes alone.
    pub from: f64,
    /// The latest start.
    pub to: f64,
}

/// Repetitions, to know the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// How many pairs.
    pub pairs: usize,
    /// How often each is run in all.
    pub times: u32,
}

/// How jobs in another size are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// How often each is run alone.
    pub solos: u32,
    /// With how many jobs, drawn at random, each is run.
    pub partners: usize,
}

/// A smaller node, made of the whole one for some runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanCut {
    /// Its name: small letters, digits and `-`.
    pub name: String,
    /// The jobs are confined to the node's first cores, this many.
    pub cores: Option<u32>,
    /// The jobs together may use this share of the node's memory.
    pub memory: Option<f64>,
    /// These jobs run on it alone, and in all their pairs.
    pub jobs: Vec<String>,
    /// Whether each also runs beside a copy of itself.
    pub self_pairs: bool,
}

/// The job that tells machines and moments apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanCalibration {
    /// Its index in [`Plan::jobs`]; nothing else of the plan runs it.
    pub job: usize,
    /// It runs when a sitting starts, and again after this many runs.
    pub every: usize,
}

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the data set is called.
    pub name: String,
    /// Time between samples.
    pub sample_seconds: f64,
    /// How often each job runs alone.
    pub solo_repeats: u32,
    /// How often at least each job runs alone in every sitting that runs it with others.
    pub solos_each_sitting: u32,
    /// Where the order of runs comes from: the same seed gives the same order.
    pub seed: u64,
    /// The jobs.
    pub jobs: Vec<PlanJob>,
    /// Their pairs.
    pub pairs: Pairs,
    /// How many groups of three, drawn at random.
    pub triples: usize,
    /// How jobs in another size are measured.
    pub sizes: Sizes,
    /// Smaller nodes.
    pub cuts: Vec<PlanCut>,
    /// The job that runs now and then to tell machines and moments apart.
    pub calibration: Option<PlanCalibration>,
    /// The folder of the plan's file: `{plan}` in commands.
    pub folder: PathBuf,
}

impl Plan {
    /// Reads a plan from a TOML file.
    ///
    /// # Errors
    /// The file can't be read, or [`CollectError::Plan`] naming the job and the key.
    pub fn read(path: &Path) -> Result<Plan, CollectError> {
        let text = fs::read_to_string(path).map_err(CollectError::io("read", path))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let folder = fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
            .map_err(CollectError::io("find", path))?;
        Plan::parse(&text, &path.display().to_string(), folder)
    }

    /// Reads a plan from text. `name` is what errors call it.
    ///
    /// # Errors
    /// [`CollectError::Plan`] naming the job and the key.
    pub fn parse(text: &str, name: &str, folder: PathBuf) -> Result<Plan, CollectError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let (line, column) = error.span().map_or((1, 1), |span| position(text, span.start));
            CollectError::Plan {
                path: name.to_owned(),
                place: format!("line {line}, column {column}"),
                problem: error.message().to_owned(),
            }
        })?;
        read_plan(table, folder).map_err(|Wrong { place, problem }| CollectError::Plan {
            path: name.to_owned(),
            place,
            problem,
        })
    }

    /// The job with this name.
    pub fn job(&self, name: &str) -> Option<&PlanJob> {
        self.jobs.iter().find(|job| job.name == name)
    }

    /// Indices of the jobs that are measured, without the calibration job.
    pub(crate) fn measured(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.jobs.len()).filter(|&job| self.calibration.is_none_or(|calibration| calibration.job != job))
    }
}

/// Line and column, from 1, of a byte offset.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests;
