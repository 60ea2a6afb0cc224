//! What several tests use.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use cotrace_trace::{Mapping, Metric, ReadOptions, Trace};

/// A file in `tests/fixtures`.
pub(crate) struct Fixture {
    /// Its format: its folder.
    pub(crate) format: String,
    /// `folder/file`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// What a person must say so that it can be read: `file.options.json` beside it.
    pub(crate) options: ReadOptions,
}

impl Fixture {
    pub(crate) fn read_as_unknown(&self) -> Trace {
        self.read_disguised(&self.bytes).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Reads other bytes with the options of this fixture, under a name that says nothing.
    pub(crate) fn read_disguised(&self, bytes: &[u8]) -> Result<Trace, cotrace_trace::ReadError> {
        cotrace_trace::read("unknown", bytes, &self.options)
    }
}

/// The files in `tests/fixtures`. `subject`, `step_seconds`, `cores` and `mapping` (lines as `Mapping::parse` reads
/// them) come from `file.options.json`.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    for format in entries(&folder).into_iter().filter(|path| path.is_dir()) {
        for path in entries(&format) {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let format = format.file_name().unwrap().to_string_lossy().into_owned();
            if file.ends_with(".options.json") || file == "README.md" {
                continue;
            }
            found.push(Fixture {
                name: format!("{format}/{file}"),
                format,
                bytes: std::fs::read(&path).unwrap(),
                options: options(&path.with_file_name(format!("{file}.options.json"))),
            });
        }
    }
    assert!(found.len() >= 6, "fixtures are missing");
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn options(path: &Path) -> ReadOptions {
    let Ok(text) = std::fs::read(path) else { return ReadOptions::default() };
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let mut options = ReadOptions {
        subject: json["subject"].as_str().map(str::to_owned),
        step_seconds: json["step_seconds"].as_f64(),
        ..ReadOptions::default()
    };
    if let Some(lines) = json["mapping"].as_array() {
        let lines: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap()).collect();
        options.mapping = Some(Mapping::parse(&lines.join("\n")).unwrap());
    }
    options.capacity.cores = json["cores"].as_f64();
    options
}

/// The file in `tests/fixtures` called `folder/file`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    fixtures().into_iter().find(|file| file.name == name).unwrap_or_else(|| panic!("no fixture {name}")).bytes
}

/// Compares two traces; `NaN` equals `NaN`. Says what differs.
pub(crate) fn difference(a: &Trace, b: &Trace) -> Option<String> {
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    if a.capacity != b.capacity || a.jobs != b.jobs || a.assumed != b.assumed {
        return Some(format!("{:?} {:?} / {:?} {:?}", a.capacity, a.jobs, b.capacity, b.jobs));
    }
    if a.time_seconds != b.time_seconds {
        return Some(format!("times {:?} / {:?}", a.time_seconds, b.time_seconds));
    }
    if !a.columns.keys().eq(b.columns.keys()) {
        return Some(format!("columns {:?} / {:?}", a.columns.keys(), b.columns.keys()));
    }
    for (column, values) in &a.columns {
        if !values.iter().zip(&b.columns[column]).all(|(a, b)| same(*a, *b)) {
            return Some(column.header());
        }
    }
    None
}

/// What any trace that was read must keep, whatever the file was.
pub(crate) fn assert_sound(trace: &Trace, what: &str) {
    assert!(!trace.time_seconds.is_empty(), "{what}: no rows");
    assert!(!trace.columns.is_empty(), "{what}: no columns");
    assert!(!trace.name.is_empty(), "{what}: no name");
    assert!(trace.time_seconds[0] >= 0.0, "{what}: starts before 0");
    assert!(trace.time_seconds.windows(2).all(|pair| pair[0] < pair[1]), "{what}: times don't rise");
    for (column, values) in &trace.columns {
        assert_eq!(values.len(), trace.time_seconds.len(), "{what}: {}", column.header());
        assert!(values.iter().all(|value| !value.is_infinite()), "{what}: {} is infinite", column.header());
    }
    let grid = trace.regrid((trace.step_seconds() * 1.7).max(trace.duration_seconds() / 10_000.0));
    assert!(grid.values.values().all(|values| values.len() == grid.steps), "{what}");
    cotrace_trace::check(trace);
}

/// A trace with one column, for grids and health.
pub(crate) fn trace_of(times: &[f64], metric: Metric, values: &[f64]) -> Trace {
    let columns = [(cotrace_trace::Column::node(metric), values.to_vec())].into();
    Trace { name: "test".into(), time_seconds: times.to_vec(), columns, ..Trace::default() }
}

/// Numbers that look random and are the same each time, in 0..1.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Checks figures: fixture, metric, row, what the file says there. Reports every one that is wrong.
pub(crate) fn assert_figures(format: &str, cases: &[(&str, Metric, usize, f64)]) {
    let mut wrong = Vec::new();
    let fixtures = fixtures();
    for (file, metric, row, wanted) in cases {
        let name = format!("{format}/{file}");
        let fixture = fixtures.iter().find(|fixture| fixture.name == name);
        let trace = fixture.unwrap_or_else(|| panic!("no fixture {name}")).read_as_unknown();
        let value = trace.node(*metric).and_then(|values| values.get(*row)).copied();
        if !value.is_some_and(|value| (value - wanted).abs() <= 1e-9 * wanted.abs()) {
            wrong.push(format!("{name}, {}, row {row}: {value:?}, not {wanted}", metric.name()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Rows of a trace with their metrics, checked by hand against the file.
pub(crate) fn assert_values(what: &str, trace: &Trace, cases: &[(usize, Metric, f64)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(row, metric, wanted)| {
            let value = trace.node(*metric).and_then(|values| values.get(*row).copied());
            let right = value.is_some_and(|value| (value - wanted).abs() <= 1e-9 * wanted.abs().max(1e-3));
            (!right).then(|| format!("{what}, row {row}, {}: {value:?}, not {wanted}", metric.name()))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Reads a text that must be readable.
pub(crate) fn read_text(text: &str) -> Trace {
    cotrace_trace::read("x", text.as_bytes(), &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What was said about a trace, in words.
pub(crate) fn warnings(trace: &Trace) -> Vec<String> {
    trace.warnings.iter().map(ToString::to_string).collect()
}
