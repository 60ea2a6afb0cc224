//! Figures checked by hand.
#![allow(dead_code)]

use cotrace_trace::{Metric, ReadError, ReadOptions, Trace, read};

use crate::common::fixtures;

/// Reads the fixture `folder/file` with its options.
pub(crate) fn read_fixture(name: &str) -> Trace {
    let fixture = fixtures().into_iter().find(|fixture| fixture.name == name).expect(name);
    let trace = fixture.read_as_unknown();
    assert_eq!(trace.format, fixture.format, "{name}");
    trace
}

/// Compares a row of fixtures with what was worked out by hand.
pub(crate) fn check(cases: &[(&str, usize, Metric, f64)]) {
    let mut wrong = Vec::new();
    for &(name, row, metric, wanted) in cases {
        let trace = read_fixture(name);
        let value =
            trace.node(metric).and_then(|values| values.get(row).copied()).unwrap_or(f64::NEG_INFINITY);
        let same =
            (value - wanted).abs() <= 1e-6 * wanted.abs().max(1e-3) || (value.is_nan() && wanted.is_nan());
        if !same {
            wrong.push(format!("{name}, row {row}: {} is {value}, not {wanted}", metric.name()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

pub(crate) fn plain(text: &str) -> Result<Trace, ReadError> {
    read("x", text.as_bytes(), &ReadOptions::default())
}

pub(crate) fn of_subject(text: &str, subject: &str) -> Result<Trace, ReadError> {
    let options = ReadOptions { subject: Some(subject.to_owned()), ..ReadOptions::default() };
    read("x", text.as_bytes(), &options)
}

/// Checks the words of errors.
pub(crate) fn refused(cases: &[(&str, &str)]) {
    for (text, part) in cases {
        let error = plain(text).expect_err(text).to_string();
        assert!(error.contains(part), "{error}\nhas no {part}");
    }
}
