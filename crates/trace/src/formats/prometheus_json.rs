//! The answers of Prometheus to `query_range`: one, several in an array, or several one after the other. Also what
//! `promtool query range -o json` prints, and what `VictoriaMetrics` exports: a series a line, its values and its times
//! in lists of their own.
//!
//! Metrics are known by their names and labels, see [`super::series`].

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;

use super::series::{self, Series};
use super::{Input, Recognition};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

pub(crate) fn recognise(head: &str) -> Recognition {
    let start = head.trim_start();
    let compact = |text: &str| head.contains(text);
    if !start.starts_with(['{', '[']) {
        Recognition::No("doesn't start with { or [")
    } else if compact("\"resultType\"")
        || (compact("\"metric\"") && (compact("\"values\"") || compact("\"value\"")))
        || (compact("\"status\"") && compact("\"errorType\""))
    {
        Recognition::Yes
    } else {
        Recognition::No("has no \"resultType\" near its start")
    }
}

/// An answer, its data, or a series of it: what a file may be made of.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Node<'a> {
    #[serde(borrow, rename = "errorType")]
    error_type: Cow<'a, str>,
    #[serde(borrow)]
    error: Cow<'a, str>,
    data: Data,
    #[serde(rename = "resultType")]
    result_type: ResultType,
    result: Vec<Item>,
    metric: Option<Labels>,
    values: Points,
    timestamps: Vec<f64>,
    value: Option<Point>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    #[serde(rename = "resultType")]
    result_type: ResultType,
    result: Vec<Item>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResultType {
    #[default]
    Matrix,
    Vector,
    Scalar,
    String,
    Streams,
}

/// A series; or, in a scalar answer, something else.
#[derive(Default)]
struct Item {
    series: Option<Series>,
    is_instant: bool,
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Item, D::Error> {
        struct Items;
        impl<'de> Visitor<'de> for Items {
            type Value = Item;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a series with metric and values")
            }
            fn visit_f64<E>(self, _: f64) -> Result<Item, E> {
                Ok(Item::default())
            }
            fn visit_u64<E>(self, _: u64) -> Result<Item, E> {
                Ok(Item::default())
            }
            fn visit_str<E>(self, _: &str) -> Result<Item, E> {
                Ok(Item::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
                let mut item = Item::default();
                let mut series = Series::default();
                while let Some(key) = map.next_key::<Cow<str>>()? {
                    match &*key {
                        "metric" => {
                            let Labels(labelled) = map.next_value()?;
                            series = Series { points: series.points, ..labelled };
                        }
                        "values" => series.points = map.next_value::<Points>()?.0,
                        "value" => {
                            map.next_value::<IgnoredAny>()?;
                            item.is_instant = true;
                        }
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                item.series = Some(series);
                Ok(item)
            }
        }
        deserializer.deserialize_any(Items)
    }
}

/// Labels, those that matter.
struct Labels(Series);

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Labels, D::Error> {
        struct Maps;
        impl<'de> Visitor<'de> for Maps {
            type Value = Labels;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("labels")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels, A::Error> {
                let mut series = Series::default();
                while let Some((key, value)) = map.next_entry::<Cow<str>, Cow<str>>()? {
                    series.add_label(&key, &value);
                }
                Ok(Labels(series))
            }
        }
        deserializer.deserialize_map(Maps)
    }
}

/// `[[time, "value"], …]`, or values alone.
#[derive(Default)]
struct Points(Vec<(f64, f64)>);

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        struct Lists;
        impl<'de> Visitor<'de> for Lists {
            type Value = Points;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of [time, \"value\"]")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Points, A::Error> {
                let mut points = Vec::new();
                while let Some(Point(time, value)) = list.next_element()? {
                    points.push((time, value.0));
                }
                Ok(Points(points))
            }
        }
        deserializer.deserialize_seq(Lists)
    }
}

/// `[time, "value"]`. A value alone has `NaN` for a time.
struct Point(f64, Value);

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Point, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Point;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("[time, \"value\"]")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Point, A::Error> {
                use serde::de::Error;
                let time = list.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let value = list.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
                // serde_json would say that the list is too long, at its end.
                Ok(Point(time, value))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Point, E> {
                Ok(Point(f64::NAN, Value(value)))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Point, E> {
                Ok(Point(f64::NAN, Value(value as f64)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Point, E> {
                Ok(Point(f64::NAN, Value(value as f64)))
            }
            fn visit_unit<E>(self) -> Result<Point, E> {
                Ok(Point(f64::NAN, Value(f64::NAN)))
            }
        }
        deserializer.deserialize_any(Pairs)
    }
}

/// A number in quotes, as Prometheus writes them, or without.
struct Value(f64);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        struct Numbers;
        impl Visitor<'_> for Numbers {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number in quotes")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
                // Infinity is what a division by nothing gives: not known.
                text.parse::<f64>().map(|value| Value(if value.is_finite() { value } else { f64::NAN })).map_err(
                    |_| E::invalid_value(serde::de::Unexpected::Str(text), &self),
                )
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value(value as f64))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value(value as f64))
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value(f64::NAN))
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// One or several of them.
struct Top<'a>(Vec<Node<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Top<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Top<'a>, D::Error> {
        struct Tops;
        impl<'de> Visitor<'de> for Tops {
            type Value = Top<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an answer of Prometheus")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Top<'de>, A::Error> {
                let mut nodes = Vec::new();
                while let Some(node) = list.next_element()? {
                    nodes.push(node);
                }
                Ok(Top(nodes))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Top<'de>, A::Error> {
                let node = Node::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Top(vec![node]))
            }
        }
        deserializer.deserialize_any(Tops)
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut all = Vec::new();
    let mut warnings = Vec::new();
    let mut is_instant = false;
    let mut documents = serde_json::Deserializer::from_str(input.text).into_iter::<Top>();
    let mut start = 0;
    let mut line = 1;
    while let Some(document) = documents.next() {
        // The line at which the answer starts; answers come one after the other.
        let text = input.text.get(start..).unwrap_or_default();
        let blank = text.len() - text.trim_start().len();
        line += newlines(text.get(..blank).unwrap_or_default());
        let Top(nodes) = match document {
            Ok(top) => top,
            Err(error) if error.is_eof() && !all.is_empty() => {
                let message = "The last answer is cut off; it was left out.";
                warnings.push(Warning::new(WarningKind::CutOff, message).at_line(line));
                break;
            }
            Err(error) => return Err(bad_json(input, &error)),
        };
        for node in nodes {
            if !node.error_type.is_empty() || !node.error.is_empty() {
                let problem = "Prometheus didn't answer the question, but with an error";
                return Err(ReadError::new(ReadErrorKind::NoRows, input.file, problem)
                    .at_line(line)
                    .seeing(&format!("{}: {}", node.error_type, node.error))
                    .hinting("Mend the query and ask again."));
            }
            is_instant |= [node.result_type, node.data.result_type].iter().any(|kind| *kind != ResultType::Matrix);
            let mut points = node.values.0;
            // VictoriaMetrics' times are milliseconds.
            for (point, time) in points.iter_mut().zip(&node.timestamps) {
                point.0 = time / 1e3;
            }
            if points.iter().any(|point| point.0.is_nan()) {
                let problem = "a series with fewer times than values";
                return Err(ReadError::new(ReadErrorKind::BadTime, input.file, problem)
                    .at_line(line)
                    .hinting("Export \"timestamps\" beside \"values\"."));
            }
            let own = node.metric.map(|Labels(labelled)| Item {
                series: Some(Series { points, ..labelled }),
                is_instant: node.value.is_some(),
            });
            for item in node.data.result.into_iter().chain(node.result).chain(own) {
                is_instant |= item.is_instant;
                if let Some(series) = item.series.filter(|series| !series.points.is_empty()) {
                    all.push(Series { line, ..series });
                }
            }
        }
        let end = documents.byte_offset();
        line += newlines(input.text.get(start + blank..end).unwrap_or_default());
        start = end;
    }
    if all.is_empty() && is_instant {
        let problem = "the answer holds one moment, not a run";
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, problem)
            .seeing("resultType vector")
            .hinting("Ask /api/v1/query_range, with start, end and step, instead of /api/v1/query."));
    }
    series::read(input, options, &all, warnings)
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

fn bad_json(input: &Input, error: &serde_json::Error) -> ReadError {
    let (problem, hint) = if error.is_eof() {
        ("the JSON is cut off".to_owned(), "It may have been cut while it was copied: copy it again.")
    } else {
        (format!("not an answer of Prometheus ({error})"), "")
    };
    ReadError::new(ReadErrorKind::BadJson, input.file, problem).at_line(error.line() as u64).hinting(hint)
}
