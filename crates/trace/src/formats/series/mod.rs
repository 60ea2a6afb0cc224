//! Series with labels, as Prometheus has them: what each is, whose it is, and how they become a trace.

mod cloud;
mod modes;
mod names;
mod words;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use cloud::{CloudSeries, is_known as is_known_cloud, read as read_cloud};
pub(crate) use words::meaning;

use self::names::{Family, Kind, Known};
use super::clock::Stamp;
use super::{Input, subjects};
use crate::record::{Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// Labels that say what a series is or whose. Others are not kept.
const KEPT: &[&str] = &[
    "__name__",
    "instance",
    "node",
    "nodename",
    "cpu",
    "mode",
    "device",
    "interface",
    "container",
    "container_name",
    "pod",
    "pod_name",
    "namespace",
    "name",
    "id",
    "groupname",
    "memtype",
];
/// Shares of decreases above which what is called a counter isn't one.
const MAX_DECREASES: f64 = 0.2;

/// One series.
#[derive(Default)]
pub(crate) struct Series {
    pub(crate) labels: Vec<(&'static str, String)>,
    /// Seconds since 1970 and the value.
    pub(crate) points: Vec<(f64, f64)>,
    /// The line where it starts.
    pub(crate) line: u64,
}

impl Series {
    /// Keeps a label, if it is one that matters.
    pub(crate) fn add_label(&mut self, key: &str, value: &str) {
        if let Some(key) = KEPT.iter().find(|kept| **kept == key)
            && !value.is_empty()
        {
            self.labels.reserve_exact(1);
            self.labels.push((key, value.to_owned()));
        }
    }

    fn label(&self, key: &str) -> Option<&str> {
        self.labels.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    fn first(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.label(key))
    }

    /// Whose it is. `None`: it isn't said, so that it is anybody's.
    fn subject(&self, family: Family) -> Option<String> {
        match family {
            Family::Node => self.first(&["instance", "nodename", "node"]).map(str::to_owned),
            Family::Process => self.first(&["groupname", "instance"]).map(str::to_owned),
            Family::Container => {
                if let Some(pod) = self.first(&["pod", "pod_name"]) {
                    return Some(match self.label("namespace") {
                        Some(namespace) => format!("{namespace}/{pod}"),
                        None => pod.to_owned(),
                    });
                }
                self.first(&["name", "container", "container_name", "id"]).map(str::to_owned)
            }
        }
    }

    /// Whether it is what several containers do together, or the one that only holds a pod's network.
    fn is_group(&self) -> bool {
        let container = self.first(&["container", "container_name", "name"]);
        container.is_none() || container == Some("POD")
    }

    fn is_rising(&self) -> bool {
        let falls = self.points.windows(2).filter(|pair| pair[1].1 < pair[0].1).count();
        falls as f64 <= self.points.len() as f64 * MAX_DECREASES
    }
}

/// A selector as Prometheus writes series: `name{key="value", …}`. `None`: it isn't one.
pub(crate) fn selector(text: &str) -> Option<Series> {
    let mut series = Series::default();
    let (name, mut rest) = text.trim().split_once('{')?;
    let name = name.trim();
    if name.contains([' ', '"', ',']) {
        return None;
    }
    series.add_label("__name__", name);
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if let Some(after) = rest.strip_prefix('}') {
            return after.trim().is_empty().then_some(series);
        }
        let (key, after) = rest.split_once('=')?;
        let mut value = String::new();
        let mut chars = after.trim_start().strip_prefix('"')?.char_indices();
        let end = loop {
            match chars.next()? {
                (at, '"') => break at,
                (_, '\\') => value.push(match chars.next()?.1 {
                    'n' => '\n',
                    other => other,
                }),
                (_, c) => value.push(c),
            }
        };
        series.add_label(key.trim(), &value);
        rest = after.trim_start().get(end + 2..)?;
    }
}

/// A series and what it is.
struct Use<'a> {
    series: &'a Series,
    known: Known,
    source: String,
    subject: Option<String>,
}

/// Makes a trace of series.
pub(crate) fn read(
    input: &Input,
    options: &ReadOptions,
    all: &[Series],
    warnings: Vec<Warning>,
) -> Result<Trace, ReadError> {
    let mut uses = Vec::new();
    let groups = modes::Groups::new(all);
    let mut unnamed: Option<&Series> = None;
    for series in all.iter().filter(|series| !series.points.is_empty()) {
        let source = series.label("__name__").unwrap_or("mode");
        let known = match series.label("__name__") {
            Some(name) => names::known(name, |key| series.label(key)),
            None => groups.known(series),
        };
        match known {
            Some(known) => {
                let subject = series.subject(known.family);
                uses.push(Use { series, known, source: source.to_owned(), subject });
            }
            None if series.label("__name__").is_none() => _ = unnamed.get_or_insert(series),
            None => {}
        }
    }
    let Some(first) = all.iter().find(|series| !series.points.is_empty()) else {
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, "no series with values in it")
            .hinting("Ask for a time in which the job ran."));
    };
    if uses.is_empty() && first.label("__name__").is_none() {
        let problem = "its series have no metric's name, for rate(), sum() and the like take it away";
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, problem)
            .at_line(first.line)
            .hinting(ASK_FOR));
    }
    if uses.is_empty() {
        let problem = "no metric in it that Cotrace knows";
        let seen = first.label("__name__").unwrap_or_default();
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, problem)
            .seeing(seen)
            .hinting(KEEP_NAMES));
    }
    let uses = of_subject(input, options, uses)?;
    let mut recorder = Recorder::new(input.file, input.text, options);
    recorder.warnings = warnings;
    if let Some(series) = unnamed {
        let message = "A series without a name was left out: what it measures can't be known.";
        let warning = Warning::new(WarningKind::ColumnLeftOut, message);
        recorder.warnings.push(warning.at_line(series.line).hinting(KEEP_NAMES));
    }
    record(&mut recorder, &uses);
    recorder.finish()
}

const ASK_FOR: &str = "What they measure can't be known. Ask for the metrics as they are, each in a query of its own: \
    node_cpu_seconds_total, node_memory_MemTotal_bytes, node_memory_MemAvailable_bytes, \
    node_disk_read_bytes_total, node_disk_written_bytes_total, node_network_receive_bytes_total, \
    node_network_transmit_bytes_total; Cotrace takes the rates itself.";
const KEEP_NAMES: &str = "Keep the metrics' names: ask for them as they are, without rate() and sums, such as \
    node_cpu_seconds_total; Cotrace takes the rates itself.";

/// The series of the subject that is meant.
fn of_subject<'a>(
    input: &Input,
    options: &ReadOptions,
    mut uses: Vec<Use<'a>>,
) -> Result<Vec<Use<'a>>, ReadError> {
    // An exporter's own processes are of interest where nothing else is.
    if uses.iter().any(|found| found.known.family != Family::Process) {
        uses.retain(|found| {
            found.known.family != Family::Process || found.series.label("groupname").is_some()
        });
    }
    // A group repeats its containers, but for its network, which containers of a pod share.
    let has_single =
        uses.iter().any(|found| found.known.family == Family::Container && !found.series.is_group());
    uses.retain(|found| {
        let is_network =
            matches!(found.known.signal(), Some(Signal::NetworkReceive | Signal::NetworkTransmit));
        let in_pod = found.series.first(&["pod", "pod_name"]).is_some();
        found.known.family != Family::Container
            || !has_single
            || found.known.is_of_all()
            || !found.series.is_group()
            || (is_network && in_pod)
    });
    let names: BTreeSet<&str> = uses
        .iter()
        .filter(|found| !found.known.is_of_all())
        .filter_map(|found| found.subject.as_deref())
        .collect();
    let what = match uses.first().map(|found| found.known.family) {
        Some(family) if uses.iter().all(|found| found.known.family == family) => match family {
            Family::Node => "instances",
            Family::Container => "containers or pods",
            Family::Process => "processes",
        },
        _ => "instances and containers",
    };
    let chosen = subjects::choose(input.file, what, &names, options.subject.as_deref())?.map(str::to_owned);
    uses.retain(|found| found.known.is_of_all() || found.subject.is_none() || found.subject == chosen);
    Ok(uses)
}

fn record(recorder: &mut Recorder, uses: &[Use]) {
    // The node's cores: said, or as many as have figures of their own.
    let said = uses
        .iter()
        .find(|found| found.known.kind == Kind::Cores)
        .and_then(|found| found.series.points.first());
    let counted: BTreeSet<&str> = uses
        .iter()
        .filter(|found| found.known.family == Family::Node && found.known.is_cpu())
        .filter_map(|found| found.series.label("cpu"))
        .collect();
    let summed = uses.iter().find_map(|found| found.known.cores);
    if let Some(cores) =
        said.map(|point| point.1).or(summed).or((!counted.is_empty()).then_some(counted.len() as f64))
    {
        recorder.cores(cores);
    }
    // What is called a counter may have been made a rate that kept its name.
    let mut rising: BTreeMap<&str, bool> = BTreeMap::new();
    for found in uses {
        *rising.entry(&found.source).or_insert(true) &= found.series.is_rising();
    }
    let mut device = String::new();
    for found in uses {
        let Kind::Signal(signal, unit) = found.known.kind else {
            if found.known.kind == Kind::MemoryLimit {
                let limit = found
                    .series
                    .points
                    .last()
                    .map(|point| point.1)
                    .filter(|limit| (1.0..1e18).contains(limit));
                recorder.capacity.memory_bytes = limit.or(recorder.capacity.memory_bytes);
            }
            continue;
        };
        let is_counter = found.known.is_counter && rising.get(found.source.as_str()) == Some(&true);
        let field = if is_counter {
            recorder.counter(signal, &found.source, unit)
        } else {
            recorder.field(signal, &found.source, if found.known.is_counter { as_rate(unit) } else { unit })
        };
        device.clear();
        for key in ["cpu", "device", "interface", "container", "container_name"] {
            if let Some(label) = found.series.label(key).filter(|label| !matches!(*label, "total" | "POD")) {
                if !device.is_empty() {
                    device.push('/');
                }
                device.push_str(label.strip_prefix("/dev/").unwrap_or(label));
            }
        }
        recorder.pass();
        for &(seconds, value) in &found.series.points {
            let Some(stamp) = Stamp::unix(seconds) else { continue };
            if recorder.sample(found.series.line, stamp, "") {
                if device.is_empty() {
                    recorder.put(field, value);
                } else {
                    recorder.put_of(field, &device, value);
                }
            }
        }
    }
}

/// What a counter's unit is once it is a rate: the same, per second.
fn as_rate(unit: Unit) -> Unit {
    if unit == Unit::BYTES { Unit::BYTES_PER_SECOND } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_taken_apart() {
        let series = selector(r#"node_x{cpu="0", job="n", device="a\"b,}", mode=""}"#).unwrap();
        assert_eq!(series.label("__name__"), Some("node_x"));
        assert_eq!(series.label("device"), Some("a\"b,}"));
        assert_eq!((series.label("job"), series.label("mode")), (None, None));
        assert_eq!(selector("{mode=\"idle\"}").unwrap().label("mode"), Some("idle"));
        assert!(selector("{}").is_some());
        for text in ["", "x", "x{", "x{a}", "x{a=\"", "x{a=\"b\"} y", "CPU use {a=\"b\"}", "x{a=é}"] {
            assert!(selector(text).is_none(), "{text}");
        }
    }
}
