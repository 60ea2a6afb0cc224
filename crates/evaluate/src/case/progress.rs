//! How far a job had got at each moment of a co-run, by the work that it had done.

use std::collections::BTreeMap;

use cotrace_forecast::share_unit;
use cotrace_trace::{Column, JobSpan, Metric, Trace};

/// What counts as work: it takes about as much of it together as alone.
const WORK: [Metric; 4] = [
    Metric::CpuCores,
    Metric::DiskReadBytesPerSecond,
    Metric::DiskWriteBytesPerSecond,
    Metric::LoopbackBytesPerSecond,
];

/// The part of the way that goes by time, not by work: a job that waits gets on too.
const BY_TIME: f64 = 0.15;

/// A job's part of a trace: when it ran, and what its columns are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) trace: &'a Trace,
    pub(super) label: &'a str,
    pub(super) from: f64,
    pub(super) to: f64,
    /// Whether it is all that the node does, so that the node's columns stand in for the job's.
    pub(super) alone: bool,
}

impl<'a> Part<'a> {
    /// The part of the only job of a solo run.
    pub(super) fn of_solo(trace: &'a Trace) -> Part<'a> {
        let label = trace.jobs.first().map_or("", |job| &job.name);
        let (from, to) = match trace.jobs.as_slice() {
            [JobSpan { start_seconds: Some(from), end_seconds: Some(to), .. }] if to > from => (*from, *to),
            _ => (0.0, trace.duration_seconds()),
        };
        Part { trace, label, from, to, alone: true }
    }

    fn seconds(&self) -> f64 {
        self.to - self.from
    }

    /// Work done by each grid line, `[steps + 1]`, by metric: the job's own where it was measured.
    fn work(&self, step: f64) -> BTreeMap<Metric, Vec<f64>> {
        let cropped = self.trace.crop(self.from, self.to);
        let column = |metric| {
            let own = Column::job(self.label, metric);
            if self.alone && !cropped.columns.contains_key(&own) { Column::node(metric) } else { own }
        };
        let columns: Vec<Column> = WORK.into_iter().map(column).collect();
        cropped
            .regrid_columns(step, &columns)
            .into_iter()
            .filter_map(|(column, values)| Some((column.metric, integrate(&values, step, self.seconds())?)))
            .collect()
    }
}

/// How far a job of a co-run had got in its solo run, in seconds of it, at `times` seconds from its start in the co-run.
/// Where both have done the same share of their work they are at the same place.
pub(super) fn progress(
    solo: Part<'_>,
    corun: Part<'_>,
    step: f64,
    times: impl Iterator<Item = f64>,
) -> Vec<f64> {
    let (alone, together) = (solo.work(step), corun.work(step));
    let weights: BTreeMap<Metric, f64> = alone
        .iter()
        .filter(|(metric, _)| together.get(*metric).is_some_and(|work| last(work) > 0.0))
        .map(|(&metric, work)| (metric, last(work) / share_unit(metric, &solo.trace.capacity)))
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    let alone = curve(&alone, &weights, step, solo.seconds());
    let alone = swapped(&alone);
    let together = curve(&together, &weights, step, corun.seconds());
    times
        .map(|time| {
            let done = interpolate(&together, time.clamp(0.0, corun.seconds()));
            interpolate(&alone, done).clamp(0.0, solo.seconds())
        })
        .collect()
}

/// Integral up to each grid line; gaps hold the mean. `None`: nothing is known.
fn integrate(values: &[f32], step: f64, seconds: f64) -> Option<Vec<f64>> {
    let known: Vec<f64> =
        values.iter().filter(|value| value.is_finite()).map(|&value| f64::from(value)).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let mut sum = 0.0;
    let mut integral = vec![0.0];
    for (k, &value) in values.iter().enumerate() {
        let covered = (seconds - k as f64 * step).clamp(0.0, step);
        sum += covered * if value.is_finite() { f64::from(value).max(0.0) } else { mean };
        integral.push(sum);
    }
    (!known.is_empty()).then_some(integral)
}

/// Points of (time, share of the work done): both grow all the way.
fn curve(
    work: &BTreeMap<Metric, Vec<f64>>,
    weights: &BTreeMap<Metric, f64>,
    step: f64,
    seconds: f64,
) -> Vec<(f64, f64)> {
    let lines = (seconds / step - 1e-9).ceil().max(1.0) as usize;
    let sum: f64 = weights.values().sum();
    (0..=lines)
        .map(|k| {
            let time = (k as f64 * step).min(seconds);
            let by_work: f64 = weights
                .iter()
                .filter_map(|(metric, weight)| {
                    let work = work.get(metric)?;
                    Some(weight / sum * work.get(k).copied().unwrap_or(last(work)) / last(work))
                })
                .sum();
            let by_time = time / seconds;
            let share = if sum > 0.0 { BY_TIME * by_time + (1.0 - BY_TIME) * by_work } else { by_time };
            (time, share)
        })
        .collect()
}

fn last(values: &[f64]) -> f64 {
    values.last().copied().unwrap_or(0.0)
}

fn swapped(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().map(|&(x, y)| (y, x)).collect()
}

/// The value at `x` between ascending points.
fn interpolate(points: &[(f64, f64)], x: f64) -> f64 {
    let above = points.partition_point(|point| point.0 < x);
    match (above.checked_sub(1).and_then(|below| points.get(below)), points.get(above)) {
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0),
        (Some(end), None) | (None, Some(end)) => end.1,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use cotrace_trace::Capacity;

    use super::*;

    fn trace(cores: &[f64]) -> Trace {
        Trace {
            capacity: Capacity { cores: Some(2.0), ..Capacity::default() },
            time_seconds: (1..=cores.len()).map(|row| row as f64).collect(),
            columns: [(Column::node(Metric::CpuCores), cores.to_vec())].into(),
            ..Trace::default()
        }
    }

    fn part(trace: &Trace) -> Part<'_> {
        Part { trace, label: "a", from: 0.0, to: trace.duration_seconds(), alone: true }
    }

    #[test]
    fn the_same_share_of_work_is_the_same_place() {
        // Half of the work is in the first quarter of the solo run.
        let solo = trace(&[1.5, 1.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
        let cases = [
            ("as alone", solo.clone(), vec![(0.0, 0.0), (2.0, 2.0), (4.0, 4.0), (8.0, 8.0)]),
            // At half the speed all through.
            (
                "half as fast",
                trace(&[0.75, 0.75, 0.75, 0.75].into_iter().chain([0.25; 12]).collect::<Vec<_>>()),
                vec![(0.0, 0.0), (4.0, 2.0), (8.0, 4.0), (16.0, 8.0)],
            ),
            ("beyond its end", solo.clone(), vec![(-1.0, 0.0), (9.0, 8.0)]),
        ];
        let mut wrong = Vec::new();
        for (what, corun, points) in cases {
            let times = points.iter().map(|(time, _)| *time);
            let found = progress(part(&solo), part(&corun), 1.0, times);
            if found.len() != points.len()
                || found.iter().zip(&points).any(|(found, (_, wanted))| (found - wanted).abs() > 1e-6)
            {
                wrong.push(format!("{what}: {found:?}, should be {points:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn it_never_goes_back_and_ends_at_the_end() {
        let solo = trace(&[0.0, 2.0, 0.0, 0.0, 1.0, 0.1]);
        let corun = trace(&[0.3, 0.0, 0.9, f64::NAN, 1.1, 0.0, 0.0, 0.4, 0.0]);
        let found = progress(part(&solo), part(&corun), 0.5, (0..=18).map(|k| f64::from(k) / 2.0));
        assert!(found.windows(2).all(|pair| pair[0] <= pair[1]), "{found:?}");
        assert!(found[0].abs() < 1e-9 && (found[18] - 6.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn without_work_it_goes_by_time() {
        let nothing = trace(&[0.0; 4]);
        let found = progress(part(&nothing), part(&trace(&[0.0; 8])), 1.0, [0.0, 4.0, 8.0].into_iter());
        assert_eq!(found, [0.0, 2.0, 4.0]);
    }
}
