//! The plan: which jobs to measure, and in which company.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::CollectError;

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

/// The co-runs of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    /// Which pairs.
    pub which: Which,
    /// Whether each job also runs beside a copy of itself.
    pub self_pairs: bool,
    /// Seconds by which the second job starts late; each pair is run once per offset.
    pub offsets: Vec<f64>,
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
    /// Where the order of runs comes from: the same seed gives the same order.
    pub seed: u64,
    /// The jobs.
    pub jobs: Vec<PlanJob>,
    /// Their pairs.
    pub pairs: Pairs,
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
}

/// Line and column, from 1, of a byte offset.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// What is wrong where.
struct Wrong {
    place: String,
    problem: String,
}

/// A table whose keys are taken one by one, so that what is left over can be named.
struct Section {
    place: String,
    table: Table,
}

impl Section {
    fn wrong<T>(&self, key: &str, problem: impl Into<String>) -> Result<T, Wrong> {
        let comma = if self.place.is_empty() { "" } else { ", " };
        Err(Wrong { place: format!("{}{comma}key {key:?}", self.place), problem: problem.into() })
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, Wrong> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(Value::String(_)) => self.wrong(key, "is empty; write a text or leave the key out"),
            Some(other) => self.wrong(key, format!("must be a text in quotes, not {}", other.type_str())),
        }
    }

    fn needed_text(&mut self, key: &str) -> Result<String, Wrong> {
        match self.text(key)? {
            Some(text) => Ok(text),
            None => self.wrong(key, "is missing"),
        }
    }

    fn number(&mut self, key: &str) -> Result<Option<f64>, Wrong> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(value) => match number(&value) {
                Some(number) => Ok(Some(number)),
                None => self.wrong(key, format!("must be a number, not {}", value.type_str())),
            },
        }
    }

    fn whole(&mut self, key: &str, most: i64) -> Result<Option<i64>, Wrong> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::Integer(number)) if (0..=most).contains(&number) => Ok(Some(number)),
            Some(other) => self.wrong(key, format!("must be a whole number from 0 to {most}, not {other}")),
        }
    }

    fn flag(&mut self, key: &str) -> Result<bool, Wrong> {
        match self.table.remove(key) {
            None => Ok(false),
            Some(Value::Boolean(flag)) => Ok(flag),
            Some(other) => self.wrong(key, format!("must be true or false, not {other}")),
        }
    }

    fn texts(&mut self, key: &str) -> Result<Vec<String>, Wrong> {
        match self.table.remove(key) {
            None => Ok(Vec::new()),
            Some(value) => match strings(&value) {
                Some(texts) => Ok(texts),
                None => self.wrong(key, format!("must be a list of texts, not {value}")),
            },
        }
    }

    fn command(&mut self, key: &str) -> Result<Option<JobCommand>, Wrong> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(line)) if !line.trim().is_empty() => Ok(Some(JobCommand::Shell(line))),
            Some(value) => match strings(&value) {
                Some(words) if !words.is_empty() => Ok(Some(JobCommand::Argv(words))),
                _ => self.wrong(key, "must be a shell line in quotes or a list of words"),
            },
        }
    }

    fn env(&mut self) -> Result<BTreeMap<String, String>, Wrong> {
        let Some(value) = self.table.remove("env") else {
            return Ok(BTreeMap::new());
        };
        let Value::Table(table) = value else {
            return self.wrong("env", "must be a table of texts");
        };
        let mut env = BTreeMap::new();
        for (name, value) in table {
            match value {
                Value::String(text) => env.insert(name, text),
                other => {
                    return self
                        .wrong(&format!("env.{name}"), format!("must be a text in quotes, not {other}"));
                }
            };
        }
        Ok(env)
    }

    /// Complains about the first key nobody asked for.
    fn finish(self, known: &str) -> Result<(), Wrong> {
        match self.table.keys().next() {
            None => Ok(()),
            Some(key) => self.wrong(key, format!("is not known here; known are {known}")),
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) if number.is_finite() => Some(*number),
        _ => None,
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn read_plan(table: Table, folder: PathBuf) -> Result<Plan, Wrong> {
    let mut top = Section { place: String::new(), table };
    let name = top.needed_text("name")?;
    if !is_name(&name) {
        return top
            .wrong("name", format!("{name:?} must be small letters, digits and '-': it names a folder"));
    }
    let sample_seconds = top.number("sample_seconds")?.unwrap_or(0.5);
    if !(0.05..=60.0).contains(&sample_seconds) {
        return top.wrong("sample_seconds", format!("must be from 0.05 to 60, not {sample_seconds}"));
    }
    let solo_repeats = top.whole("solo_repeats", 1000)?.unwrap_or(3) as u32;
    let seed = top.whole("seed", i64::MAX)?.unwrap_or(1) as u64;
    let jobs = match top.table.remove("job") {
        Some(Value::Array(items)) if !items.is_empty() => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| read_job(index, item))
            .collect::<Result<Vec<_>, _>>()?,
        _ => return top.wrong("job", "is missing; write at least one [[job]] table"),
    };
    for (index, job) in jobs.iter().enumerate() {
        if jobs[..index].iter().any(|other| other.name == job.name) {
            return Err(Wrong {
                place: format!("job {:?}, key \"name\"", job.name),
                problem: "is used by an earlier job; names must be unique".to_owned(),
            });
        }
    }
    let pairs = match top.table.remove("pairs") {
        None => Pairs { which: Which::List(Vec::new()), self_pairs: false, offsets: vec![0.0] },
        Some(Value::Table(table)) => read_pairs(Section { place: "[pairs]".to_owned(), table }, &jobs)?,
        Some(_) => return top.wrong("pairs", "must be a table"),
    };
    top.finish("name, sample_seconds, solo_repeats, seed, job and pairs")?;
    Ok(Plan { name, sample_seconds, solo_repeats, seed, jobs, pairs, folder })
}

/// Whether a name can be part of a file name, a column name and a run's id.
fn is_name(name: &str) -> bool {
    let ok = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(ok)
}

fn read_job(index: usize, item: Value) -> Result<PlanJob, Wrong> {
    let place = format!("job {}", index + 1);
    let Value::Table(table) = item else {
        return Err(Wrong { place, problem: "must be a [[job]] table".to_owned() });
    };
    let mut section = Section { place, table };
    let name = section.needed_text("name")?;
    if !is_name(&name) {
        return section.wrong(
            "name",
            format!("{name:?} must be small letters, digits and '-', for example \"sort-2\""),
        );
    }
    section.place = format!("job {name:?}");
    let Some(command) = section.command("command")? else {
        return section.wrong("command", "is missing");
    };
    let working_set_bytes = section.number("working_set_bytes")?;
    if working_set_bytes.is_some_and(|bytes| bytes < 0.0) {
        return section.wrong("working_set_bytes", "must not be negative");
    }
    let limit_seconds = section.number("limit_seconds")?.unwrap_or(3600.0);
    if limit_seconds <= 0.0 {
        return section.wrong("limit_seconds", format!("must be more than 0, not {limit_seconds}"));
    }
    let job = PlanJob {
        kind: section.needed_text("kind")?,
        framework: section.needed_text("framework")?,
        description: section.text("description")?.unwrap_or_default(),
        command,
        env: section.env()?,
        setup: section.command("setup")?,
        prepare: section.command("prepare")?,
        warm_up: section.flag("warm_up")?,
        limit_seconds,
        working_set_bytes,
        requires: section.texts("requires")?,
        name,
    };
    section.finish(
        "name, kind, framework, description, command, env, setup, prepare, warm_up, limit_seconds, \
         working_set_bytes and requires",
    )?;
    Ok(job)
}

fn read_pairs(mut section: Section, jobs: &[PlanJob]) -> Result<Pairs, Wrong> {
    let which = match section.table.remove("which") {
        None => Which::All,
        Some(Value::String(text)) if text == "all" => Which::All,
        Some(Value::Array(items)) => {
            let mut pairs = Vec::new();
            for item in &items {
                let Some([first, second]) =
                    strings(item).and_then(|names| <[String; 2]>::try_from(names).ok())
                else {
                    return section
                        .wrong("which", format!("{item} is not a pair of job names, [\"a\", \"b\"]"));
                };
                for name in [&first, &second] {
                    if !jobs.iter().any(|job| job.name == *name) {
                        return section.wrong("which", format!("there is no job {name:?}"));
                    }
                }
                pairs.push((first, second));
            }
            Which::List(pairs)
        }
        Some(other) => {
            return section
                .wrong("which", format!("must be \"all\" or a list of [\"a\", \"b\"], not {other}"));
        }
    };
    let self_pairs = section.flag("self_pairs")?;
    let offsets = match section.table.remove("offsets") {
        None => vec![0.0],
        Some(value) => {
            let offsets: Option<Vec<f64>> =
                value.as_array().and_then(|items| items.iter().map(number).collect::<Option<Vec<f64>>>());
            match offsets {
                Some(offsets) if !offsets.is_empty() && offsets.iter().all(|&offset| offset >= 0.0) => {
                    offsets
                }
                _ => {
                    return section
                        .wrong("offsets", format!("must be a list of seconds from 0 on, not {value}"));
                }
            }
        }
    };
    section.finish("which, self_pairs and offsets")?;
    Ok(Pairs { which, self_pairs, offsets })
}

#[cfg(test)]
mod tests;
