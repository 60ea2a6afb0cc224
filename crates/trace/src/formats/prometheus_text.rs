//! Range vectors as Prometheus' console and `promtool query` show them: the series, an arrow, and a line for each
//! value with its time after an `@`.

use super::lines::lines;
use super::series::{self, Series};
use super::{Input, Recognition};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

pub(crate) fn recognise(head: &str) -> Recognition {
    let mut after_head = false;
    for line in head.lines().map(str::trim) {
        if after_head && point(line).is_some() {
            return Recognition::Yes;
        }
        if let Some((_, rest)) = heading(line) {
            if point(rest).is_some() {
                return Recognition::Yes;
            }
            after_head = true;
        } else if !line.is_empty() {
            after_head = false;
        }
    }
    Recognition::No("no series {…} => with lines such as 0.5 @[1700000000]")
}

/// A series and what is after its arrow.
fn heading(line: &str) -> Option<(Series, &str)> {
    let (name, rest) = line.rsplit_once("=>")?;
    let name = name.trim();
    let series = series::selector(name).or_else(|| {
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if is_name { series::selector(&format!("{name}{{}}")) } else { None }
    })?;
    Some((series, rest.trim()))
}

/// `0.5 @[1700000000.123]`, as time and value. Values that aren't finite aren't known.
fn point(line: &str) -> Option<(f64, f64)> {
    let (value, time) = line.split_once('@')?;
    let time = time.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(time.trim());
    let value: f64 = value.trim().parse().ok()?;
    let time: f64 = time.trim().parse().ok()?;
    // The console has had both seconds and milliseconds.
    let time = if time > 1e11 { time / 1e3 } else { time };
    time.is_finite().then_some((time, if value.is_finite() { value } else { f64::NAN }))
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut all: Vec<Series> = Vec::new();
    let mut instant = 0;
    let mut broken = None;
    let mut warnings = Vec::new();
    for (at, line) in lines(input.text) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Some(point) = point(line) {
            if let Some(series) = all.last_mut() {
                series.points.push(point);
            }
        } else if let Some((series, rest)) = heading(line) {
            all.push(Series { line: at, ..series });
            if let (Some(point), Some(series)) = (point(rest), all.last_mut()) {
                instant += 1;
                series.points.push(point);
            }
        } else {
            broken.get_or_insert((at, line));
        }
    }
    if let Some((at, line)) = broken {
        let is_last = input.text.trim_end().ends_with(line);
        if !is_last {
            let problem = "expected a series or a value with its time";
            return Err(ReadError::new(ReadErrorKind::BadNumber, input.file, problem)
                .at_line(at)
                .seeing(line)
                .hinting("Such as: 0.5 @[1700000000]"));
        }
        let message = "The last line is cut off; it was left out.";
        warnings.push(Warning::new(WarningKind::CutOff, message).at_line(at));
    }
    if instant > 0 && instant == all.len() && all.iter().all(|series| series.points.len() == 1) {
        let problem = "these are values of one moment, not of a run";
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, problem)
            .hinting("Ask for a range: promtool query range, or the metric with [5m] after it."));
    }
    series::read(input, options, &all, warnings)
}
