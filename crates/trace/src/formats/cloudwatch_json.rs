//! The answers of `CloudWatch` to `get-metric-data` and `get-metric-statistics`, one or several of them.

use std::borrow::Cow;

use serde::Deserialize;

use super::series::{self, CloudSeries};
use super::{Input, Recognition, clock};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

pub(crate) fn recognise(head: &str) -> Recognition {
    if !head.trim_start().starts_with(['{', '[']) {
        Recognition::No("doesn't start with { or [")
    } else if head.contains("\"MetricDataResults\"") || head.contains("\"Datapoints\"") {
        Recognition::Yes
    } else {
        Recognition::No("has no \"MetricDataResults\" or \"Datapoints\" near its start")
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Answer<'a> {
    #[serde(borrow)]
    metric_data_results: Vec<MetricData<'a>>,
    #[serde(borrow)]
    label: Cow<'a, str>,
    #[serde(borrow)]
    datapoints: Vec<Datapoint<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct MetricData<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    label: Cow<'a, str>,
    #[serde(borrow)]
    timestamps: Vec<Time<'a>>,
    values: Vec<Option<f64>>,
    #[serde(borrow)]
    status_code: Cow<'a, str>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Datapoint<'a> {
    #[serde(borrow)]
    timestamp: Option<Time<'a>>,
    average: Option<f64>,
    sum: Option<f64>,
}

/// A time in words, or in seconds since 1970 with version 1 of the command.
#[derive(Deserialize)]
#[serde(untagged)]
enum Time<'a> {
    Seconds(f64),
    Text(#[serde(borrow)] Cow<'a, str>),
}

impl Time<'_> {
    fn seconds(&self) -> Result<f64, String> {
        match self {
            Time::Seconds(seconds) => Ok(*seconds),
            Time::Text(text) => match clock::stamp(text).filter(|stamp| stamp.dated) {
                Some(stamp) => Ok(stamp.seconds),
                None => Err(text.to_string()),
            },
        }
    }
}


pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut answers: Vec<Answer> = Vec::new();
    let mut warnings = Vec::new();
    if input.text.trim_start().starts_with('[') {
        answers = serde_json::from_str(input.text).map_err(|error| bad_json(input, &error))?;
    } else {
        for answer in serde_json::Deserializer::from_str(input.text).into_iter::<Answer>() {
            match answer {
                Ok(answer) => answers.push(answer),
                Err(error) if error.is_eof() && !answers.is_empty() => {
                    let message = "The last answer is cut off; it was left out.";
                    warnings.push(Warning::new(WarningKind::CutOff, message));
                    break;
                }
                Err(error) => return Err(bad_json(input, &error)),
            }
        }
    }
    let bad_time = |text: String| {
        ReadError::new(ReadErrorKind::BadTime, input.file, "expected a date and time")
            .in_column("Timestamp")
            .seeing(&text)
    };
    let mut all = Vec::new();
    for answer in answers {
        for data in answer.metric_data_results {
            if data.timestamps.len() != data.values.len() {
                let problem = format!("{} values for {} times", data.values.len(), data.timestamps.len());
                return Err(ReadError::new(ReadErrorKind::RaggedRow, input.file, problem).in_column(&data.label));
            }
            if data.status_code == "PartialData" {
                let warning = Warning::new(WarningKind::CutOff, "CloudWatch says that there is more data than this.");
                let hint = "Ask for the other pages too, or for a shorter time.";
                warnings.push(warning.in_column(&data.label).hinting(hint));
            }
            let mut points = Vec::with_capacity(data.values.len());
            for (time, value) in data.timestamps.iter().zip(&data.values) {
                points.push((time.seconds().map_err(bad_time)?, value.unwrap_or(f64::NAN)));
            }
            // A label may be anything; the id of a query is a second chance.
            let label = if series::is_known_cloud(&data.label) { data.label } else { Cow::Owned(format!("{} {}", data.label, data.id)) };
            all.push(CloudSeries { label: label.into_owned(), statistic: None, points, period: None });
        }
        let statistic = |name: &str| Some(name.to_owned());
        let (mut averages, mut sums) = (Vec::new(), Vec::new());
        for datapoint in &answer.datapoints {
            let Some(time) = &datapoint.timestamp else { continue };
            let seconds = time.seconds().map_err(bad_time)?;
            averages.extend(datapoint.average.map(|value| (seconds, value)));
            sums.extend(datapoint.sum.map(|value| (seconds, value)));
        }
        let is_bytes = answer.label.contains("ytes") || answer.label.starts_with("Network");
        let (statistic, points) = match (is_bytes, averages.is_empty(), sums.is_empty()) {
            (true, _, false) | (false, true, false) => (statistic("Sum"), sums),
            (_, false, _) => (statistic("Average"), averages),
            (_, true, true) if answer.datapoints.is_empty() => continue,
            (_, true, true) => (statistic("neither Average nor Sum"), vec![(0.0, f64::NAN)]),
        };
        // Nothing of such figures is used.
        let period = points.first().filter(|point| point.1.is_nan()).map(|_| 1.0);
        all.push(CloudSeries { label: answer.label.into_owned(), statistic, points, period });
    }
    series::read_cloud(input, options, all, warnings)
}

fn bad_json(input: &Input, error: &serde_json::Error) -> ReadError {
    let (problem, hint) = if error.is_eof() {
        ("the JSON is cut off".to_owned(), "It may have been cut while it was copied: copy it again.")
    } else {
        (format!("not an answer of CloudWatch ({error})"), "")
    };
    ReadError::new(ReadErrorKind::BadJson, input.file, problem).at_line(error.line() as u64).hinting(hint)
}
