//! The series of a chart, ready to draw: stacked, in the unit of the axis, on one time grid with the measurement.

use cotrace_forecast::{Forecast, MetricForecast};
use cotrace_trace::Metric;
use serde::Serialize;

use crate::figures::{end_seconds, job_colour, largest};
use crate::format::{Quantity, clock};
use crate::state::Truth;

/// The order of the charts; what is not named comes after.
const ORDER: [Metric; 9] = [
    Metric::CpuCores,
    Metric::MemoryBytes,
    Metric::DiskReadBytesPerSecond,
    Metric::DiskWriteBytesPerSecond,
    Metric::NetworkReceiveBytesPerSecond,
    Metric::NetworkTransmitBytesPerSecond,
    Metric::LoopbackBytesPerSecond,
    Metric::PageCacheBytes,
    Metric::CpuIowaitCores,
];

/// A layer of the stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layer {
    /// The colour of the job it belongs to; `None`: what is there before any job.
    pub job: Option<usize>,
    /// `A`, `B`, … or `before`.
    pub label: String,
    /// Its upper edge: this layer and all below it, `[time]`.
    pub top: Vec<Option<f64>>,
    /// The layer alone, `[time]`.
    pub own: Vec<Option<f64>>,
}

/// When a job is done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// Its colour.
    pub job: usize,
    /// `A`, `B`, …
    pub label: String,
    /// When, in seconds.
    pub at: f64,
}

/// A chart. All values are in `unit`; all series are `[time]`, missing values are `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// The column name, for tests and styles.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The unit of all values.
    pub unit: &'static str,
    /// Steps of the axis are powers of two.
    pub binary: bool,
    /// The middle of each step, in seconds.
    pub time: Vec<f64>,
    /// The end of the time axis, in seconds.
    pub end_seconds: f64,
    /// The top of the value axis.
    pub top: f64,
    /// What the node has.
    pub capacity: Option<f64>,
    /// The stack, lowest first.
    pub layers: Vec<Layer>,
    /// The forecast of the node.
    pub total: Vec<Option<f64>>,
    /// Lower edge of the band; empty if there is none.
    pub lower: Vec<Option<f64>>,
    /// Upper edge of the band; empty if there is none.
    pub upper: Vec<Option<f64>>,
    /// The traces added up.
    pub naive: Vec<Option<f64>>,
    /// The measured co-run; empty if there is none.
    pub truth: Vec<Option<f64>>,
    /// What the node has, in words.
    pub capacity_text: String,
    /// When the jobs are done.
    pub ends: Vec<End>,
    /// When the resource is too short for what is wanted of it: from and to, in seconds.
    pub short: Vec<(f64, f64)>,
    /// The chart in words.
    pub text: String,
    /// Hardly anything happens.
    pub quiet: bool,
}

impl Chart {
    /// Whether the band has any width.
    pub fn has_band(&self) -> bool {
        self.lower.iter().zip(&self.upper).any(|(lower, upper)| lower < upper)
    }
}

/// The charts of a forecast, in order.
pub fn charts(forecast: &Forecast, truth: Option<&Truth>) -> Vec<Chart> {
    let rest = Metric::ALL.iter().filter(|metric| !ORDER.contains(metric));
    let known = ORDER.iter().chain(rest).filter_map(|metric| Some((*metric, forecast.metrics.get(metric)?)));
    known.map(|(metric, series)| chart(metric, series, forecast, truth)).collect()
}

fn chart(metric: Metric, series: &MetricForecast, forecast: &Forecast, truth: Option<&Truth>) -> Chart {
    let quantity = Quantity::of(metric);
    let step = forecast.step_seconds;
    let end_seconds = end_seconds(forecast, truth);
    let measured = truth.and_then(|truth| Some((truth, truth.measured.metrics.get(&metric)?)));

    let mut time: Vec<f64> = forecast.time_seconds.iter().map(|start| start + step / 2.0).collect();
    // A measured run that took longer than forecast goes on past the forecast's grid.
    if measured.is_some() {
        let mut next = time.last().map_or(step / 2.0, |last| last + step);
        while next < end_seconds {
            time.push(next);
            next += step;
        }
    }

    let measured_values: Vec<f64> = measured
        .map(|(truth, values)| {
            time.iter().map(|&at| at_time(values, at / truth.measured.step_seconds)).collect()
        })
        .unwrap_or_default();
    let lines = [&series.total, &series.naive_sum, &measured_values];
    let highest_of = |values: &[&Vec<f64>]| {
        let highest = largest(values.iter().copied().flatten().copied());
        if highest.is_finite() { highest.max(0.0) } else { 0.0 }
    };
    // A band alone is no use of anything: it is as wide for jobs that leave the metric alone.
    let used = highest_of(&lines);
    let highest = used.max(highest_of(&[&series.upper]));

    // A capacity far above all values would flatten them: then it is told in words only.
    let shown_capacity = series.capacity.filter(|capacity| highest >= 0.25 * capacity);
    let top = shown_capacity.unwrap_or(0.0).max(highest);
    let (scale, unit) = quantity.axis(if top > 0.0 { top } else { series.capacity.unwrap_or(1.0) });
    let column = |values: &[f64]| -> Vec<Option<f64>> {
        (0..if values.is_empty() { 0 } else { time.len() })
            .map(|index| {
                values.get(index).copied().filter(|value| value.is_finite()).map(|value| value / scale)
            })
            .collect()
    };

    let mut below = vec![0.0; series.total.len()];
    let mut layers = Vec::new();
    let mut push = |job: Option<usize>, label: &str, own: &[f64]| {
        for (sum, value) in below.iter_mut().zip(own) {
            *sum += value;
        }
        layers.push(Layer { job, label: label.to_owned(), top: column(&below), own: column(own) });
    };
    if series.background > 0.0 {
        push(None, "before", &vec![series.background; series.total.len()]);
    }
    for job in &series.jobs {
        push(Some(job_colour(&job.name)), &job.name, &job.contribution);
    }

    let capacity_text = match series.capacity {
        Some(capacity) => format!("of {}", quantity.text(capacity)),
        None if metric.resource().is_some() => "capacity unknown".to_owned(),
        None => String::new(),
    };
    let peak = largest(series.total.iter().copied());
    let ends = forecast.jobs.iter();
    let ends = ends
        .map(|job| End { job: job_colour(&job.name), label: job.name.clone(), at: job.finish_seconds })
        .collect();
    let short = short(metric, forecast);
    let when: Vec<String> =
        short.iter().map(|(from, to)| format!("{} to {}", clock(*from), clock(*to))).collect();
    let when = if when.is_empty() { String::new() } else { format!(", short from {}", when.join(" and ")) };
    Chart {
        key: metric.name(),
        title: metric.title(),
        unit,
        binary: quantity == Quantity::Bytes,
        end_seconds,
        top: if top > 0.0 { top / scale * 1.04 } else { 1.0 },
        capacity: shown_capacity.map(|capacity| capacity / scale),
        layers,
        total: column(&series.total),
        lower: column(&series.lower),
        upper: column(&series.upper),
        naive: column(&series.naive_sum),
        truth: column(&measured_values),
        text: format!("{}, forecast peak {} {capacity_text}", metric.title(), quantity.text(peak))
            .trim()
            .to_owned()
            + &when,
        ends,
        short,
        capacity_text,
        quiet: used <= series.capacity.map_or(quiet_below(quantity), |capacity| capacity * 0.005),
        time,
    }
}

/// The stretches in which a job is held back by the metric's resource, those that touch as one.
fn short(metric: Metric, forecast: &Forecast) -> Vec<(f64, f64)> {
    let limits = forecast.jobs.iter().flat_map(|job| &job.limits);
    let mut stretches: Vec<(f64, f64)> = limits
        .filter(|limit| metric.resource() == Some(limit.resource))
        .map(|limit| (limit.from_seconds, limit.to_seconds))
        .collect();
    stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged: Vec<(f64, f64)> = Vec::new();
    for (from, to) in stretches {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// What counts as nothing where no capacity says what is much.
fn quiet_below(quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Cores => 0.01,
        Quantity::Bytes => 4e6,
        Quantity::BytesPerSecond => 5e4,
        Quantity::Ratio => 0.005,
        Quantity::Other(_) => 0.0,
    }
}

/// The value of the step that `position` lies in, counted in steps; `NaN` where it is not known.
fn at_time(values: &[Option<f64>], position: f64) -> f64 {
    let known = |index: usize| values.get(index).copied().flatten();
    if position >= 0.0 { known(position as usize).unwrap_or(f64::NAN) } else { f64::NAN }
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;
