//! What several tests use.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use cotrace_trace::{Metric, Trace};

/// The files in `tests/fixtures`, by name.
pub(crate) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 6, "fixtures are missing");
    files
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

/// A file in `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    fixtures().into_iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no fixture {name}")).1
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
    let grid = trace.regrid(trace.step_seconds() * 1.7);
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
