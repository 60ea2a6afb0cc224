//! Traces and models from files, and the values people type.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use cotrace_forecast::Baseline;
use cotrace_model::Forecaster;
use cotrace_trace::{Capacity, Format, Mapping, ReadError, ReadOptions, Role, Trace, WarningKind};

use crate::failure::Failure;

/// The model that forecasts where none is named.
pub(crate) const DEFAULT_MODEL: &str = "cotrace";

/// The models that ship with this version.
const SHIPPED: [(&str, &[u8]); 2] = [
    (DEFAULT_MODEL, include_bytes!("../../../models/cotrace/cotrace.cotrace")),
    ("resourcenet", include_bytes!("../../../models/resourcenet/resourcenet.cotrace")),
];

/// The largest trace that is read.
const MOST_BYTES: usize = 256 << 20;

/// The most choices that an error lists.
const MOST_CHOICES: usize = 20;

/// What a person says about the node.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct NodeArgs {
    /// Cores of the node
    #[arg(long, value_name = "N", value_parser = positive)]
    cores: Option<f64>,
    /// Memory of the node, for example 24GiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<f64>,
    /// What the node's disks can move per second, for example 500MB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    disk: Option<f64>,
    /// What the node's network can move per second and direction, for example 125MB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    network: Option<f64>,
}

impl NodeArgs {
    pub(crate) fn capacity(&self) -> Capacity {
        Capacity {
            cores: self.cores,
            memory_bytes: self.memory,
            disk_bytes_per_second: self.disk,
            network_bytes_per_second: self.network,
        }
    }
}

/// Which forecaster.
pub(crate) enum Model {
    Network(Box<Forecaster>),
    Rule(Baseline),
}

impl Model {
    /// A shipped model or a baseline by name, or a model file.
    pub(crate) fn open(name: &str) -> Result<Model, Failure> {
        if let Some(rule) = Baseline::named(name) {
            return Ok(Model::Rule(rule));
        }
        let rules = Baseline::ALL.map(Baseline::name);
        let bytes = named_or_file(name, &rules)?;
        let forecaster =
            Forecaster::from_bytes(&bytes).map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        Ok(Model::Network(Box::new(forecaster)))
    }
}

/// A shipped model by its name, or a model file.
pub(crate) fn model_bytes(name: &str) -> Result<Cow<'static, [u8]>, Failure> {
    named_or_file(name, &[])
}

/// The same; `others` are names that would have done, too.
fn named_or_file(name: &str, others: &[&str]) -> Result<Cow<'static, [u8]>, Failure> {
    if let Some((_, bytes)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
        return Ok(Cow::Borrowed(bytes));
    }
    let path = Path::new(name);
    std::fs::read(path).map(Cow::Owned).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let names = SHIPPED.iter().map(|(shipped, _)| *shipped).chain(others.iter().copied());
            let names = names.collect::<Vec<_>>().join(", ");
            Failure::Usage(format!("{name} is no model file and none of {names}"))
        }
        _ => Failure::file(path, &error),
    })
}

/// How files are to be read.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    node: NodeArgs,
    /// Read as this format, whatever the content says: see cotrace formats
    #[arg(long, value_name = "NAME", value_parser = format)]
    format: Option<Format>,
    /// Which container, pod, process or instance, where a file holds several
    #[arg(long, value_name = "SUBJECT")]
    pick: Option<String>,
    /// Time between samples, where the file says no times
    #[arg(long, value_name = "SECONDS", value_parser = duration)]
    step: Option<f64>,
    /// What a column of a table is, where that is guessed wrong; may be given several times
    #[arg(long, value_name = "COLUMN=ROLE[:UNIT]", value_parser = Mapping::parse)]
    map: Vec<(String, Role)>,
    /// Cut each trace to the stretch in which something happens
    #[arg(long, visible_alias = "trim")]
    busy: bool,
}

impl ReadArgs {
    /// What was said about the node.
    pub(crate) fn capacity(&self) -> Capacity {
        self.node.capacity()
    }

    fn options(&self) -> ReadOptions {
        let mapping = (!self.map.is_empty()).then(|| Mapping { columns: self.map.clone() });
        ReadOptions {
            capacity: self.capacity(),
            max_bytes: MOST_BYTES,
            subject: self.pick.clone(),
            step_seconds: self.step,
            mapping,
        }
    }
}

/// Which part of a trace.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct PartArgs {
    /// Where the part begins that is used: 90s or 1m30s from the run's start, or by the file's clock, as 12:30:05
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "busy")]
    from: Option<Moment>,
    /// Where it ends
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "busy")]
    to: Option<Moment>,
}

/// A moment of a run, as typed.
#[derive(Clone, Debug, PartialEq)]
enum Moment {
    /// From the run's start.
    Seconds(f64),
    /// By the file's clock.
    Clock(String),
}

impl Moment {
    fn seconds(&self, trace: &Trace, file: &str) -> Result<f64, Failure> {
        match self {
            Moment::Seconds(seconds) => Ok(*seconds),
            Moment::Clock(text) => trace.moment(text).ok_or_else(|| {
                Failure::Usage(if trace.start_unix_seconds.is_some() {
                    format!(
                        "{text} is no time; try 12:30:05, 2024-05-01 12:30:05, or 90s from the run's start"
                    )
                } else {
                    format!(
                        "{file} says no dates, so {text} is not known in it; try 90s from the run's start"
                    )
                })
            }),
        }
    }
}

fn moment(text: &str) -> Result<Moment, String> {
    match duration(text) {
        Ok(seconds) => Ok(Moment::Seconds(seconds)),
        Err(_) if text.contains(':') => Ok(Moment::Clock(text.to_owned())),
        Err(error) => Err(format!("{error}, or 12:30:05 by the file's clock")),
    }
}

fn format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| "no such format; cotrace formats lists them".to_owned())
}

/// Why there is no trace.
pub(crate) enum Unread {
    /// The file is none, or must be read in another way.
    Error(Box<ReadError>),
    /// The file could not be read at all, or not be used as was asked.
    Failed(Failure),
}

impl From<Unread> for Failure {
    fn from(unread: Unread) -> Failure {
        match unread {
            Unread::Error(error) => Failure::Input(explained(&error)),
            Unread::Failed(failure) => failure,
        }
    }
}

/// An error in words, with what there is to choose from.
pub(crate) fn explained(error: &ReadError) -> String {
    let mut text = error.to_string();
    for choice in error.choices.iter().take(MOST_CHOICES) {
        text.push_str(&format!("\n  --pick {}", quoted(choice)));
    }
    if error.choices.len() > MOST_CHOICES {
        text.push_str(&format!("\n  and {} more", error.choices.len() - MOST_CHOICES));
    }
    text
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Reads a trace as it is in the file, and says nothing.
pub(crate) fn whole(path: &Path, args: &ReadArgs) -> Result<Trace, Unread> {
    let bytes = std::fs::read(path).map_err(|error| Unread::Failed(Failure::file(path, &error)))?;
    let (name, options) = (path.to_string_lossy(), args.options());
    let trace = match args.format {
        None => cotrace_trace::read(&name, &bytes, &options),
        Some(format) => cotrace_trace::read_as(format, &name, &bytes, &options),
    };
    let mut trace = trace.map_err(|error| Unread::Error(Box::new(error)))?;
    for warning in &mut trace.warnings {
        let option = match warning.kind {
            WarningKind::CoresAssumed => "--cores N",
            WarningKind::StepAssumed => "--step SECONDS",
            WarningKind::Guessed => "--map COLUMN=ROLE:UNIT",
            WarningKind::MemoryUnknown if warning.hint.starts_with("Say how much") => "--memory SIZE",
            _ => continue,
        };
        let hint = warning.hint.trim_end_matches('.');
        warning.hint =
            if hint.is_empty() { format!("Say it: {option}.") } else { format!("{hint}: {option}.") };
    }
    Ok(trace)
}

/// The part of a trace that was asked for.
pub(crate) fn part(trace: Trace, file: &str, args: &ReadArgs, part: &PartArgs) -> Result<Trace, Failure> {
    if args.busy {
        let Some(busy) = trace.busy_stretch() else {
            eprintln!("cotrace: {file}: no stretch of it is busier than the rest: nothing is cut off");
            return Ok(trace);
        };
        let (from, to) = (seconds(busy.from_seconds), seconds(busy.to_seconds));
        eprintln!("cotrace: {file}: cut to --from {from} --to {to}: {}", busy.reason);
        return Ok(trace.crop(busy.from_seconds, busy.to_seconds));
    }
    if part.from.is_none() && part.to.is_none() {
        return Ok(trace);
    }
    let at = |moment: &Option<Moment>, or: f64| {
        moment.as_ref().map_or(Ok(or), |moment| moment.seconds(&trace, file))
    };
    let (from, to) = (at(&part.from, 0.0)?.max(0.0), at(&part.to, trace.duration_seconds())?);
    let part = trace.crop(from, to);
    if part.time_seconds.is_empty() {
        let end = seconds(trace.duration_seconds());
        let (from, to) = (seconds(from), seconds(to));
        return Err(Failure::Usage(format!(
            "{file} has nothing from {from} to {to}: it goes from 0s to {end}"
        )));
    }
    Ok(part)
}

/// A time as `--from` takes it, to the millisecond.
pub(crate) fn seconds(seconds: f64) -> String {
    format!("{}s", (seconds * 1e3).round() / 1e3)
}

/// What the readers noticed, to standard error.
pub(crate) fn say_warnings(file: &str, trace: &Trace) {
    for warning in &trace.warnings {
        eprintln!("cotrace: {file}: {warning}");
    }
}

/// Reads several traces and gives each a name of its own. What the readers noticed goes to standard error.
pub(crate) fn named_traces(paths: &[PathBuf], args: &ReadArgs) -> Result<Vec<(String, Trace)>, Failure> {
    let mut named: Vec<(String, Trace)> = Vec::new();
    for path in paths {
        let file = path.to_string_lossy();
        let trace = whole(path, args)?;
        say_warnings(&file, &trace);
        let trace = part(trace, &file, args, &PartArgs::default())?;
        let mut name = trace.name.clone();
        let mut copy = 1;
        while named.iter().any(|(other, _)| *other == name) {
            copy += 1;
            name = format!("{}-{copy}", trace.name);
        }
        named.push((name, trace));
    }
    Ok(named)
}

/// Writes to standard output. A reader that has gone away is no error of ours.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Undone(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// `30s`, `1m 30s`, `250ms`, or plain seconds.
pub(crate) fn duration(text: &str) -> Result<f64, String> {
    let seconds = match text.trim().parse::<f64>() {
        Ok(seconds) => seconds,
        Err(_) => humantime::parse_duration(text)
            .map_err(|error| format!("{error}; try 30s or 1m 30s"))?
            .as_secs_f64(),
    };
    if seconds >= 0.0 && seconds.is_finite() {
        Ok(seconds)
    } else {
        Err("a time of zero or more is needed, for example 30s".to_owned())
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a number above zero is needed".to_owned()),
    }
}

fn size(text: &str) -> Result<f64, String> {
    match parse_size::parse_size(text) {
        Ok(bytes) if bytes > 0 => Ok(bytes as f64),
        Ok(_) => Err("more than nothing is needed".to_owned()),
        Err(error) => Err(format!("{error}; try 24GiB or 500MB")),
    }
}

#[cfg(test)]
mod tests {
    use cotrace_trace::ReadErrorKind;

    use super::*;

    #[test]
    fn times_and_sizes_as_typed() {
        for (text, seconds) in [("30s", 30.0), ("1m 30s", 90.0), ("250ms", 0.25), ("2.5", 2.5), ("0", 0.0)] {
            assert_eq!(duration(text), Ok(seconds), "{text}");
        }
        for text in ["-1", "soon", "NaN", ""] {
            assert!(duration(text).is_err(), "{text:?} is no time");
        }
        for (text, bytes) in [("24GiB", 24.0 * 1024.0 * 1024.0 * 1024.0), ("500MB", 5e8), ("1000", 1e3)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        assert!(size("0").is_err() && size("much").is_err());
    }

    #[test]
    fn moments_as_typed() {
        let clock = |text: &str| Ok(Moment::Clock(text.to_owned()));
        for (text, wanted) in [
            ("90s", Ok(Moment::Seconds(90.0))),
            ("1m30s", Ok(Moment::Seconds(90.0))),
            ("90", Ok(Moment::Seconds(90.0))),
            ("12:30:05", clock("12:30:05")),
            ("2024-05-01 12:30:05", clock("2024-05-01 12:30:05")),
        ] {
            assert_eq!(moment(text), wanted, "{text}");
        }
        assert!(moment("soon").is_err() && moment("-5s").is_err());
        assert_eq!((seconds(90.0), seconds(0.1 + 0.2)), ("90s".to_owned(), "0.3s".to_owned()));
    }

    #[test]
    fn choices_can_be_pasted() {
        for (word, wanted) in [("web", "web"), ("db 1", "'db 1'"), ("it's", "'it'\\''s'"), ("", "''")] {
            assert_eq!(quoted(word), wanted);
        }
        let mut error = ReadError::new(ReadErrorKind::Several, "a.log", "30 containers in one file");
        error.choices = (0..30).map(|k| format!("c{k}")).collect();
        let text = explained(&error);
        assert!(text.starts_with("a.log: 30 containers in one file\n  --pick c0\n"), "{text}");
        assert!(text.ends_with("\n  --pick c19\n  and 10 more"), "{text}");
    }
}
