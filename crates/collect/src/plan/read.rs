//! Reads a plan's TOML key by key, so that every mistake is named with its place.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toml::{Table, Value};

use super::{JobCommand, Late, Pairs, Plan, PlanCalibration, PlanCut, PlanJob, Repeated, Sizes, Which};

/// What is wrong where.
pub(super) struct Wrong {
    pub(super) place: String,
    pub(super) problem: String,
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

    /// The table under `key`.
    fn section(&mut self, key: &str) -> Result<Option<Section>, Wrong> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::Table(table)) => {
                let place =
                    if self.place.is_empty() { format!("[{key}]") } else { format!("{}, {key}", self.place) };
                Ok(Some(Section { place, table }))
            }
            Some(_) => self.wrong(key, "must be a table"),
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

pub(super) fn read_plan(table: Table, folder: PathBuf) -> Result<Plan, Wrong> {
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
    let solos_each_sitting = top.whole("solos_each_sitting", 100)?.unwrap_or(1) as u32;
    let mut jobs = match top.table.remove("job") {
        Some(Value::Array(items)) if !items.is_empty() => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| match item {
                Value::Table(table) => read_job(Section { place: format!("job {}", index + 1), table }),
                _ => Err(Wrong {
                    place: format!("job {}", index + 1),
                    problem: "must be a [[job]] table".to_owned(),
                }),
            })
            .collect::<Result<Vec<_>, _>>()?,
        _ => return top.wrong("job", "is missing; write at least one [[job]] table"),
    };
    let calibration = match top.section("calibration")? {
        None => None,
        Some(mut section) => {
            let every = section.whole("every", 100_000)?.unwrap_or(30).max(1) as usize;
            section.table.entry("name").or_insert_with(|| Value::String("calibration".to_owned()));
            section.table.entry("kind").or_insert_with(|| Value::String("calibration".to_owned()));
            jobs.push(read_job(section)?);
            Some(PlanCalibration { job: jobs.len() - 1, every })
        }
    };
    check_jobs(&jobs)?;
    let pairs = match top.section("pairs")? {
        None => Pairs {
            which: Which::List(Vec::new()),
            self_pairs: false,
            offsets: vec![0.0],
            late: None,
            repeated: None,
        },
        Some(section) => read_pairs(section, &jobs)?,
    };
    let triples = match top.section("triples")? {
        None => 0,
        Some(mut section) => {
            let count = section.whole("count", 100_000)?.unwrap_or(0) as usize;
            section.finish("count")?;
            count
        }
    };
    let sizes = match top.section("sizes")? {
        None => Sizes { solos: solo_repeats, partners: 0 },
        Some(mut section) => {
            let solos = section.whole("solos", 1000)?.map_or(solo_repeats, |solos| solos as u32);
            let partners = section.whole("partners", 1000)?.unwrap_or(0) as usize;
            section.finish("solos and partners")?;
            Sizes { solos, partners }
        }
    };
    let cuts = match top.table.remove("cut") {
        None => Vec::new(),
        Some(Value::Array(items)) => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| read_cut(index, item, &jobs))
            .collect::<Result<Vec<_>, _>>()?,
        Some(_) => return top.wrong("cut", "must be [[cut]] tables"),
    };
    top.finish(
        "name, sample_seconds, solo_repeats, solos_each_sitting, seed, job, pairs, triples, sizes, cut and \
         calibration",
    )?;
    Ok(Plan {
        name,
        sample_seconds,
        solo_repeats,
        solos_each_sitting,
        seed,
        jobs,
        pairs,
        triples,
        sizes,
        cuts,
        calibration,
        folder,
    })
}

/// Names are unique, and another size is one of a job that is none itself.
fn check_jobs(jobs: &[PlanJob]) -> Result<(), Wrong> {
    for (index, job) in jobs.iter().enumerate() {
        let wrong = |key: &str, problem: String| {
            Err(Wrong { place: format!("job {:?}, key {key:?}", job.name), problem })
        };
        if jobs[..index].iter().any(|other| other.name == job.name) {
            return wrong("name", "is used by an earlier job; names must be unique".to_owned());
        }
        if let Some(base) = &job.size_of
            && !jobs.iter().any(|other| other.name == *base && other.size_of.is_none())
        {
            return wrong("size_of", format!("there is no job {base:?} that is not another size itself"));
        }
    }
    Ok(())
}

/// Whether a name can be part of a file name, a column name and a run's id.
fn is_name(name: &str) -> bool {
    let ok = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(ok)
}

fn read_job(mut section: Section) -> Result<PlanJob, Wrong> {
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
    let seconds = section.number("seconds")?;
    if seconds.is_some_and(|seconds| seconds <= 0.0) {
        return section.wrong("seconds", "must be more than 0");
    }
    let job = PlanJob {
        phases: section.texts("phases")?,
        size_of: section.text("size_of")?,
        seconds,
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
        "name, kind, framework, description, phases, size_of, seconds, command, env, setup, prepare, warm_up, \
         limit_seconds, working_set_bytes and requires",
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
    let late = match section.section("late")? {
        None => None,
        Some(mut late) => {
            let mut share = |key: &str, default: f64| match late.number(key)?.unwrap_or(default) {
                share if (0.0..=1.0).contains(&share) => Ok(share),
                other => late.wrong(key, format!("must be a share from 0 to 1, not {other}")),
            };
            let read =
                Late { share: share("share", 0.25)?, from: share("from", 0.25)?, to: share("to", 0.75)? };
            if read.from > read.to {
                return late.wrong("from", "must not be above \"to\"");
            }
            late.finish("share, from and to")?;
            Some(read)
        }
    };
    let repeated = match section.section("repeated")? {
        None => None,
        Some(mut repeated) => {
            let pairs = repeated.whole("pairs", 100_000)?.unwrap_or(0) as usize;
            let times = repeated.whole("times", 1000)?.unwrap_or(2) as u32;
            repeated.finish("pairs and times")?;
            Some(Repeated { pairs, times })
        }
    };
    section.finish("which, self_pairs, offsets, late and repeated")?;
    Ok(Pairs { which, self_pairs, offsets, late, repeated })
}

fn read_cut(index: usize, item: Value, jobs: &[PlanJob]) -> Result<PlanCut, Wrong> {
    let place = format!("cut {}", index + 1);
    let Value::Table(table) = item else {
        return Err(Wrong { place, problem: "must be a [[cut]] table".to_owned() });
    };
    let mut section = Section { place, table };
    let name = section.needed_text("name")?;
    if !is_name(&name) {
        return section.wrong("name", format!("{name:?} must be small letters, digits and '-'"));
    }
    let cores = section.whole("cores", 100_000)?.map(|cores| cores as u32);
    if cores == Some(0) {
        return section.wrong("cores", "must be at least 1");
    }
    let memory = section.number("memory")?;
    if memory.is_some_and(|share| !(share > 0.0 && share < 1.0)) {
        return section.wrong("memory", "must be a share of the node's memory, more than 0 and less than 1");
    }
    if cores.is_none() && memory.is_none() {
        return section.wrong("cores", "is missing, and so is \"memory\": one of them must be cut");
    }
    let named = section.texts("jobs")?;
    if let Some(unknown) = named.iter().find(|name| !jobs.iter().any(|job| job.name == **name)) {
        return section.wrong("jobs", format!("there is no job {unknown:?}"));
    }
    let self_pairs = section.flag("self_pairs")?;
    section.finish("name, cores, memory, jobs and self_pairs")?;
    Ok(PlanCut { name, cores, memory, jobs: named, self_pairs })
}
