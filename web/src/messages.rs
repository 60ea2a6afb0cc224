//! What the page and its worker say to each other. `crates/wasm` writes these; `pkg/types.d.ts` names them for
//! JavaScript. A test of each side reads `crates/wasm/tests/fixtures/trace.json`, so that neither changes alone.

use std::collections::BTreeMap;
use std::fmt;

use cotrace_trace::{Capacity, Format, Guess, Health, JobSpan, Mapping, Metric};
use serde::{Deserialize, Serialize};

/// What went wrong, where, and what to do about it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Problem {
    /// A word for programs, for example `read`, `forecast`, `load`, `usage`, `internal`.
    pub kind: String,
    /// What is wrong, for people.
    pub message: String,
    /// The file it is about.
    #[serde(default)]
    pub file: Option<Box<str>>,
    /// The line, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// The column of the table, by name.
    #[serde(default)]
    pub column: Option<Box<str>>,
    /// What to do about it.
    #[serde(default)]
    pub hint: Option<Box<str>>,
    /// What else there is to know about a file that can't be read.
    #[serde(flatten)]
    pub details: Box<Details>,
}

/// What else there is to know about a file that can't be read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Details {
    /// The byte, from 0, where there are no lines.
    pub byte: Option<u32>,
    /// What there is to choose from, where a file holds several traces.
    pub choices: Vec<String>,
    /// Each format that was tried, and why it is not that.
    pub tried: Vec<String>,
    /// What the columns of a table were taken for.
    pub guess: Option<Guess>,
    /// What the worker calls the content, which it keeps. `None`: it doesn't.
    pub handle: Option<u32>,
}

impl Problem {
    /// A problem of the page's own.
    pub fn new(kind: &str, message: impl Into<String>) -> Problem {
        Problem { kind: kind.to_owned(), message: message.into(), ..Problem::default() }
    }

    /// What kind of thing it is, in words: `Bad number`. `None`: the message says it all.
    pub fn kind_text(&self) -> Option<String> {
        const PLAIN: [&str; 9] =
            ["", "usage", "worker", "internal", "forecast", "model", "truth", "fetch", "not-a-trace"];
        match self.kind.as_str() {
            kind if PLAIN.contains(&kind) => None,
            "several" => Some("Which one?".to_owned()),
            "bad-json" => Some("Bad JSON".to_owned()),
            kind => {
                let mut text = kind.replace('-', " ");
                if let Some(first) = text.get_mut(..1) {
                    first.make_ascii_uppercase();
                }
                Some(text)
            }
        }
    }

    /// Where it is, in words: `a.csv, line 12, column cpu_cores`. `None`: it has no place.
    pub fn place(&self) -> Option<String> {
        let parts: Vec<String> = [
            self.file.as_deref().map(str::to_owned),
            self.line.map(|line| format!("line {line}")),
            self.details.byte.map(|byte| format!("byte {byte}")),
            self.column.as_ref().map(|column| format!("column {column}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Some(place) => write!(formatter, "{place}: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

/// A series of a trace, in short.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ColumnInfo {
    /// What is measured.
    pub metric: Metric,
    /// `None`: the whole node.
    pub job: Option<String>,
    /// Mean of the known values. `None`: none is known.
    pub mean: Option<f64>,
    /// Largest known value.
    pub peak: Option<f64>,
    /// Share of samples without a value.
    pub missing_ratio: f64,
    /// Where the values came from, in words.
    pub provenance: String,
}

/// A trace held by the worker.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TraceInfo {
    /// What the worker calls it.
    pub handle: u32,
    /// What people call it.
    pub name: String,
    /// The format it was read from.
    pub format: String,
    /// The node it was measured on.
    pub capacity: Capacity,
    /// The number of cores was guessed, because the file does not say it.
    pub cores_assumed: bool,
    /// The time between samples was assumed, because the file says no times.
    pub step_assumed: bool,
    /// What a table's columns were taken for, where no format says it.
    pub guess: Option<Guess>,
    /// The jobs that ran.
    pub jobs: Vec<JobSpan>,
    /// Its series.
    pub columns: Vec<ColumnInfo>,
    /// CPU over time in few points, for a sparkline; `None` where not known.
    pub sparkline: Vec<Option<f64>>,
    /// What was noticed, worst first.
    pub health: Health,
}

/// A part of a trace, in seconds from its start.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Stretch {
    /// From.
    pub from_seconds: f64,
    /// To.
    pub to_seconds: f64,
}

impl Stretch {
    /// The same stretch, counted from a start that is `seconds` earlier.
    #[must_use]
    pub fn later(self, seconds: f64) -> Stretch {
        Stretch { from_seconds: self.from_seconds + seconds, to_seconds: self.to_seconds + seconds }
    }
}

/// How a file is to be read, as far as a person said it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReadOptions {
    /// Cores of its node.
    pub cores: Option<f64>,
    /// Its format. `None`: the content says.
    pub format: Option<Format>,
    /// Which of several things in it.
    pub subject: Option<String>,
    /// Seconds from one sample to the next.
    pub step_seconds: Option<f64>,
    /// What the columns of a table are.
    pub mapping: Option<Mapping>,
}

/// A trace over time in few points. Its time counts from the run's start.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Overview {
    /// Spacing of the points.
    pub step_seconds: f64,
    /// How long the trace is.
    pub duration_seconds: f64,
    /// The node's metrics, each `[time]`; `None` where not known.
    pub metrics: BTreeMap<Metric, Vec<Option<f64>>>,
}

impl TraceInfo {
    /// The format, as a person calls it.
    pub fn format_title(&self) -> &str {
        Format::from_name(&self.format).map_or(self.format.as_str(), |format| format.title())
    }

    /// How long the job ran, or else how long the trace is.
    pub fn solo_seconds(&self) -> f64 {
        let span = match self.jobs.as_slice() {
            [job] => job.end_seconds.zip(job.start_seconds).map(|(end, start)| end - start),
            _ => None,
        };
        span.unwrap_or(self.health.duration_seconds)
    }
}

/// A measured run on an even grid, to lay over a forecast. Its time counts from the first job's start.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Measured {
    /// Spacing of the grid.
    pub step_seconds: f64,
    /// The node's metrics, each `[time]`; `None` where not known.
    pub metrics: BTreeMap<Metric, Vec<Option<f64>>>,
    /// The jobs and when they ran.
    pub jobs: Vec<JobSpan>,
}

/// A model, from its card.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ModelInfo {
    /// For example `cotrace`.
    pub name: String,
    /// For example `1`.
    pub version: String,
    /// Mean absolute slowdown error, in points, on measured co-runs with jobs it had never seen.
    #[serde(default)]
    pub unseen_jobs_slowdown_points: Option<f64>,
    /// The data set it has learned from.
    #[serde(default)]
    pub data: Option<String>,
    /// Pairs of jobs of that set, each in alphabetical order, that it has not learned from.
    #[serde(default)]
    pub held_out_pairs: Vec<[String; 2]>,
}

impl ModelInfo {
    /// Whether it has learned from the co-runs of two jobs of a data set. `None`: it does not say.
    pub fn has_learned(&self, data: &str, jobs: &[String; 2]) -> Option<bool> {
        let mut pair = jobs.clone();
        pair.sort();
        Some(self.data.as_ref()? == data && !self.held_out_pairs.contains(&pair))
    }
}

/// One job of a forecast that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobRequest {
    /// The trace.
    pub handle: u32,
    /// What the forecast shall call it.
    pub name: String,
    /// When it starts, from the first job's start.
    pub offset_seconds: f64,
    /// How many times as much it has to do as in its trace.
    pub size: f64,
}

/// A forecast that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForecastRequest {
    /// The jobs.
    pub jobs: Vec<JobRequest>,
    /// The node, as far as the person said it; the rest comes from the traces.
    pub node: Capacity,
    /// The model, as the worker calls it.
    pub model: String,
}

/// The samples that come with the page: `samples/index.json`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Samples {
    /// The data set that they are of.
    #[serde(default)]
    pub data: String,
    /// Jobs alone.
    pub solo: Vec<SoloSample>,
    /// Two jobs together, measured.
    #[serde(default)]
    pub pairs: Vec<PairSample>,
}

/// A job alone.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct SoloSample {
    /// The job.
    pub name: String,
    /// What kind of work it is.
    pub kind: String,
    /// One line for people.
    pub description: String,
    /// The trace, relative to the index.
    pub file: String,
    /// How long it takes.
    pub seconds: f64,
}

/// Two jobs together.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PairSample {
    /// The first job.
    pub a: String,
    /// The second.
    pub b: String,
    /// The trace, relative to the index.
    pub file: String,
    /// When the second job started, from the first one's start.
    #[serde(default)]
    pub offset_seconds: f64,
}

impl Samples {
    /// The measured run of `first` and `second` in either order whose start offset is nearest to `offset_seconds`.
    pub fn pair(&self, first: &str, second: &str, offset_seconds: f64) -> Option<&PairSample> {
        self.pairs
            .iter()
            .filter_map(|pair| {
                // Seen from the page's A, a pair the other way round has its offset the other way round.
                let offset = if pair.a == first && pair.b == second {
                    pair.offset_seconds
                } else if pair.a == second && pair.b == first {
                    -pair.offset_seconds
                } else {
                    return None;
                };
                Some((pair, (offset - offset_seconds).abs()))
            })
            .min_by(|(_, left), (_, right)| left.total_cmp(right))
            .map(|(pair, _)| pair)
    }

    /// Two jobs to begin with: measured together, if possible from the same moment.
    pub fn first_pair(&self) -> Option<(&str, &str)> {
        let known = |name: &str| self.solo.iter().any(|solo| solo.name == name);
        let usable = || self.pairs.iter().filter(|pair| known(&pair.a) && known(&pair.b) && pair.a != pair.b);
        usable()
            .find(|pair| pair.offset_seconds == 0.0)
            .or_else(|| usable().next())
            .map(|pair| (pair.a.as_str(), pair.b.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use cotrace_trace::Role;

    use super::*;

    fn pair(a: &str, b: &str, offset_seconds: f64) -> PairSample {
        PairSample { a: a.into(), b: b.into(), file: format!("{a}+{b}+{offset_seconds}"), offset_seconds }
    }

    fn solo(name: &str) -> SoloSample {
        let (kind, description, file) = ("cpu".into(), String::new(), format!("{name}.csv"));
        SoloSample { name: name.into(), kind, description, file, seconds: 60.0 }
    }

    #[test]
    fn the_nearest_measured_pair_in_either_order() {
        let pairs = vec![pair("x", "y", 0.0), pair("x", "y", 30.0), pair("y", "z", 20.0)];
        let samples = Samples { pairs, ..Samples::default() };
        let cases = [
            ("x", "y", 0.0, Some("x+y+0")),
            ("x", "y", 25.0, Some("x+y+30")),
            ("y", "x", 0.0, Some("x+y+0")),
            ("z", "y", 20.0, Some("y+z+20")),
            ("x", "z", 0.0, None),
        ];
        for (a, b, offset, wanted) in cases {
            let found = samples.pair(a, b, offset).map(|pair| pair.file.as_str());
            assert_eq!(found, wanted, "{a} and {b} at {offset}");
        }
    }

    #[test]
    fn begins_with_two_jobs_that_started_together() {
        let solo = vec![solo("x"), solo("y"), solo("z")];
        let pairs = vec![pair("x", "x", 0.0), pair("x", "gone", 0.0), pair("x", "y", 20.0)];
        let mut samples = Samples { solo, pairs, ..Samples::default() };
        assert_eq!(samples.first_pair(), Some(("x", "y")));
        samples.pairs.push(pair("y", "z", 0.0));
        assert_eq!(samples.first_pair(), Some(("y", "z")));
    }

    #[test]
    fn a_model_has_learned_from_its_data_but_for_what_was_held_out() {
        let json = r#"{"name":"cotrace","version":"1","unseen_jobs_slowdown_points":null,"data":"set",
            "held_out_pairs":[["x","y"]]}"#;
        let model: ModelInfo = serde_json::from_str(json).unwrap();
        let jobs = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        assert_eq!(model.has_learned("set", &jobs("z", "y")), Some(true));
        assert_eq!(model.has_learned("set", &jobs("y", "x")), Some(false));
        assert_eq!(model.has_learned("another", &jobs("z", "y")), Some(false));
        assert_eq!(ModelInfo::default().has_learned("set", &jobs("z", "y")), None);
    }

    #[test]
    fn a_problem_says_where_it_is() {
        let problem = Problem {
            file: Some("a.csv".into()),
            line: Some(12),
            column: Some("cpu_cores".into()),
            ..Problem::new("read", "\"abc\" is not a number")
        };
        assert_eq!(problem.to_string(), "a.csv, line 12, column cpu_cores: \"abc\" is not a number");
        assert_eq!(Problem::new("worker", "stopped").to_string(), "stopped");
        for (kind, wanted) in [
            ("worker", None),
            ("not-a-trace", None),
            ("bad-number", Some("Bad number")),
            ("bad-json", Some("Bad JSON")),
            ("several", Some("Which one?")),
        ] {
            assert_eq!(Problem::new(kind, "no").kind_text().as_deref(), wanted, "{kind}");
        }
    }

    #[test]
    fn a_problem_is_read_with_and_without_its_details() {
        let json = r#"{"kind":"several","message":"2 containers.","file":"a.log","line":null,"column":null,
            "hint":null,"byte":7,"choices":["db","web"],"tried":[],"guess":null,"handle":3}"#;
        let problem: Problem = serde_json::from_str(json).unwrap();
        assert_eq!(problem.details.choices, ["db", "web"]);
        assert_eq!(problem.details.handle, Some(3));
        assert_eq!(problem.place().as_deref(), Some("a.log, byte 7"));
        let bare: Problem = serde_json::from_str(r#"{"kind":"usage","message":"No."}"#).unwrap();
        assert_eq!(bare, Problem::new("usage", "No."));
    }

    #[test]
    fn options_are_written_as_the_worker_reads_them() {
        let options = ReadOptions {
            format: Some(Format::Vmstat),
            step_seconds: Some(5.0),
            mapping: Some(Mapping {
                columns: vec![("t".into(), Role::Time { unit: "s".into() }), ("x".into(), Role::Ignored)],
            }),
            ..ReadOptions::default()
        };
        let wanted = serde_json::json!({
            "cores": null,
            "format": "vmstat",
            "subject": null,
            "step_seconds": 5.0,
            "mapping": { "columns": [["t", { "role": "time", "unit": "s" }], ["x", { "role": "ignored" }]] },
        });
        assert_eq!(serde_json::to_value(options).unwrap(), wanted);
    }
}
