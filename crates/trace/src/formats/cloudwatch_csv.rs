//! A CSV of `CloudWatch` metrics, as its console and scripts write them: rows that describe the columns, then rows
//! with a time first. One metric or several, each a column.

use super::series::{self, CloudSeries};
use super::{Input, Recognition, clock};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// What the first cell of a row that describes the columns says, in small letters.
const LABELS: &[&str] = &["full label", "label", "metricname", "metric name", "metric"];
const TIMES: &[&str] = &["timestamp", "time", "datetime"];

pub(crate) fn recognise(head: &str) -> Recognition {
    let mut labelled = false;
    for line in head.lines().take(20) {
        let cells = cells(line);
        let first = cells.first().map(|cell| cell.to_ascii_lowercase()).unwrap_or_default();
        let names_metrics = cells.iter().skip(1).any(|cell| series::is_known_cloud(cell));
        if first == "full label" || (names_metrics && (is(&first, LABELS) || is(&first, TIMES))) {
            labelled = true;
        }
    }
    if labelled {
        Recognition::Yes
    } else {
        Recognition::No("no row Full label, Label or Timestamp with CloudWatch's metrics such as CPUUtilization")
    }
}

fn is(text: &str, names: &[&str]) -> bool {
    names.contains(&text)
}

/// The cells of a line. Labels with commas are in quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.trim_end().chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut all: Vec<CloudSeries> = Vec::new();
    let mut warnings = Vec::new();
    let mut broken: Option<(u64, String)> = None;
    let mut lines = super::lines::lines(input.text).filter(|(_, line)| !line.trim().is_empty()).peekable();
    while let Some((at, line)) = lines.next() {
        let row = cells(line);
        let first = row.first().map(String::as_str).unwrap_or_default();
        let Some(stamp) = clock::stamp(first).filter(|stamp| stamp.dated) else {
            if all.iter().any(|series| !series.points.is_empty()) {
                // A line in the middle that isn't one of the table's.
                if lines.peek().is_some() && !is(&first.to_ascii_lowercase(), TIMES) {
                    return Err(ReadError::new(ReadErrorKind::BadTime, input.file, "expected a date and time")
                        .at_line(at)
                        .seeing(first));
                }
                if lines.peek().is_none() {
                    broken = Some((at, first.to_owned()));
                }
                continue;
            }
            describe(&mut all, first, &row);
            continue;
        };
        for (index, series) in all.iter_mut().enumerate() {
            let cell = row.get(index + 1).map(String::as_str).unwrap_or_default();
            let value = super::table::parse_number(cell).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                    .at_line(at)
                    .in_column(&series.label)
                    .seeing(cell)
            })?;
            if !value.is_nan() {
                series.points.push((stamp.seconds, value));
            }
        }
    }
    if let Some((at, _)) = broken {
        let message = "The last line is cut off; it was left out.";
        warnings.push(Warning::new(WarningKind::CutOff, message).at_line(at));
    }
    series::read_cloud(input, options, all, warnings)
}

/// Takes what a row says of the columns: their labels, statistics, periods.
fn describe(all: &mut Vec<CloudSeries>, first: &str, row: &[String]) {
    let what = first.to_ascii_lowercase();
    for (index, cell) in row.iter().skip(1).enumerate().filter(|(_, cell)| !cell.is_empty()) {
        while all.len() <= index {
            let label = String::new();
            all.push(CloudSeries { label, statistic: None, points: Vec::new(), period: None });
        }
        let Some(series) = all.get_mut(index) else { continue };
        match what.as_str() {
            "statistic" | "stat" => series.statistic = Some(cell.clone()),
            "period" => {
                let seconds = cell.split_whitespace().next().and_then(|word| word.parse().ok());
                series.period = seconds.filter(|seconds| (1.0..=1e7).contains(seconds));
            }
            // The label that has a metric in it.
            _ if (is(&what, LABELS) || is(&what, TIMES)) && !series::is_known_cloud(&series.label) => {
                // A label may be an instance's name, with the metric in a row of its own.
                if series.label.is_empty() || !series::is_known_cloud(cell) {
                    series.label.clone_from(cell);
                } else {
                    series.label = format!("{} {cell}", series.label);
                }
            }
            _ => {}
        }
    }
}
