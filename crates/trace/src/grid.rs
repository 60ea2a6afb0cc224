//! Traces on an even time grid.

use std::collections::BTreeMap;

use crate::{Column, JobSpan, Metric, Trace};

/// An interval this many times the median is a gap: nothing is known about it.
const GAP_STEPS: f64 = 2.5;

/// A bin needs this share of its time covered by samples; with less it is not known.
const MIN_COVERAGE: f64 = 0.5;

/// The most steps a grid has. Beyond, its step is widened: a day at ten steps a second is below.
const MAX_STEPS: usize = 1 << 20;

/// The most steps that a model is given.
const MOST_MODEL_STEPS: usize = 1024;

/// A trace on an even grid. Entry `k` of each series is the mean over `k * step_seconds .. (k + 1) * step_seconds`,
/// the last one over what the trace covers of it; `NaN` where samples cover less than half of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Spacing of the grid.
    pub step_seconds: f64,
    /// Entries of each series.
    pub steps: usize,
    /// The node's series, `[steps]`.
    pub values: BTreeMap<Metric, Vec<f32>>,
    /// Each job's series, `[steps]`, by the name in its columns.
    pub jobs: BTreeMap<String, BTreeMap<Metric, Vec<f32>>>,
}

impl Grid {
    /// The node's series of `metric`, `[steps]`.
    pub fn node(&self, metric: Metric) -> Option<&[f32]> {
        self.values.get(&metric).map(Vec::as_slice)
    }

    /// The series of `metric` for one job, `[steps]`.
    pub fn job(&self, job: &str, metric: Metric) -> Option<&[f32]> {
        self.jobs.get(job)?.get(&metric).map(Vec::as_slice)
    }
}

impl Trace {
    /// The median time between rows; the first row's time if there is only one row, 0 if there is none.
    pub fn step_seconds(&self) -> f64 {
        median_step(&self.time_seconds)
    }

    /// The time that row `row` speaks of, `(from, to]`. `None`: it follows a gap in the samples and can't speak of
    /// the time before it. The first row speaks of the time from the run's start, or, if it comes late, of one
    /// median step before it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn interval(&self, row: usize) -> Option<(f64, f64)> {
        interval(&self.time_seconds, self.step_seconds(), row)
    }

    /// The step for a grid of this trace alone: that of its samples, or, where that would give more than
    /// `max_steps` of them (or more than 1,024), as long as it must be.
    pub fn model_step_seconds(&self, max_steps: usize) -> f64 {
        let most = max_steps.clamp(1, MOST_MODEL_STEPS);
        self.step_seconds().max(self.duration_seconds() / most as f64)
    }

    /// Every series as means over steps of `step_seconds`, weighted by time. `step_seconds` is an input: it need
    /// not fit the samples. A step that is no positive number, or one that would give more than a million steps,
    /// is replaced: [`Grid::step_seconds`] says what was used.
    pub fn regrid(&self, step_seconds: f64) -> Grid {
        let (step_seconds, steps) = self.grid_shape(step_seconds);
        let mut grid = Grid { step_seconds, steps, ..Grid::default() };
        for (column, values) in self.regrid_columns(step_seconds, self.columns.keys()) {
            match column.job {
                None => grid.values.insert(column.metric, values),
                Some(job) => grid.jobs.entry(job).or_default().insert(column.metric, values),
            };
        }
        grid
    }

    /// Some series as [`Trace::regrid`] gives them, `[steps]` each. Columns that the trace lacks are left out.
    pub fn regrid_columns<'a>(
        &self,
        step_seconds: f64,
        columns: impl IntoIterator<Item = &'a Column>,
    ) -> BTreeMap<Column, Vec<f32>> {
        let (step, steps) = self.grid_shape(step_seconds);
        let intervals = self.intervals();
        let narrow = |value: f64| value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
        columns
            .into_iter()
            .filter_map(|column| Some((column.clone(), self.columns.get(column)?)))
            .map(|(column, values)| {
                let means = bin(&intervals, values, step, steps, self.duration_seconds());
                (column, means.into_iter().map(narrow).collect())
            })
            .collect()
    }

    /// Every series as means over `steps` even parts of the whole, `[steps]` each.
    pub(crate) fn in_parts(&self, steps: usize) -> BTreeMap<Column, Vec<f64>> {
        let (intervals, duration) = (self.intervals(), self.duration_seconds());
        let step = duration / steps as f64;
        let means = |values: &Vec<f64>| bin(&intervals, values, step, steps, duration);
        self.columns.iter().map(|(column, values)| (column.clone(), means(values))).collect()
    }

    /// The trace in at most `rows` rows, means over even parts of its time in five significant digits, so that it is
    /// small. One that has no more rows is as it was.
    #[must_use]
    pub fn coarser(&self, rows: usize) -> Trace {
        let rows = rows.max(1);
        if self.time_seconds.len() <= rows {
            return self.clone();
        }
        let step = self.duration_seconds() / rows as f64;
        let columns = self.in_parts(rows).into_iter();
        let columns = columns.map(|(column, values)| (column, values.into_iter().map(five_digits).collect()));
        Trace {
            time_seconds: (1..=rows).map(|row| (row as f64 * step * 1e6).round() / 1e6).collect(),
            columns: columns.collect(),
            ..self.clone()
        }
    }

    /// The same job with `factor` times as much to do: it uses the same for so many times as long.
    #[must_use]
    pub fn stretched(&self, factor: f64) -> Trace {
        let mut stretched = self.clone();
        stretched.time_seconds.iter_mut().for_each(|time| *time *= factor);
        for job in &mut stretched.jobs {
            job.start_seconds = job.start_seconds.map(|seconds| seconds * factor);
            job.end_seconds = job.end_seconds.map(|seconds| seconds * factor);
        }
        stretched
    }

    /// The part of the trace between two times, with time counted from `from`. A row over one of the two is kept
    /// for its part; jobs that ran only outside are left out.
    #[must_use]
    pub fn crop(&self, from: f64, to: f64) -> Trace {
        let mut cropped = Trace { time_seconds: Vec::new(), ..self.clone() };
        cropped.start_unix_seconds = self.start_unix_seconds.map(|start| start + from);
        cropped.columns.values_mut().for_each(Vec::clear);
        let intervals = self.intervals();
        let mut last = from;
        for (row, &end) in self.time_seconds.iter().enumerate() {
            let start = if row == 0 { 0.0 } else { self.time_seconds[row - 1] };
            if end <= from || start >= to {
                continue;
            }
            let end = end.min(to);
            if end <= last {
                continue;
            }
            last = end;
            cropped.time_seconds.push(end - from);
            // A part of a gap may be short enough to look like none.
            let whole = start >= from && self.time_seconds[row] <= to;
            let known = whole || intervals[row].is_some_and(|(start, _)| start < to);
            for (column, values) in &mut cropped.columns {
                let value = self.columns.get(column).and_then(|series| series.get(row)).copied();
                values.push(value.filter(|_| known).unwrap_or(f64::NAN));
            }
        }
        // Not `clamp`, which panics where `from` comes after `to`.
        let shift = |seconds: f64| seconds.min(to.max(from)).max(from) - from;
        cropped.jobs.retain(|job: &JobSpan| {
            job.start_seconds.is_none_or(|start| start < to) && job.end_seconds.is_none_or(|end| end > from)
        });
        for job in &mut cropped.jobs {
            job.start_seconds = job.start_seconds.map(shift);
            job.end_seconds = job.end_seconds.map(shift);
        }
        cropped
    }

    /// The intervals of all rows.
    pub(crate) fn intervals(&self) -> Vec<Option<(f64, f64)>> {
        let step = self.step_seconds();
        (0..self.time_seconds.len()).map(|row| interval(&self.time_seconds, step, row)).collect()
    }

    /// The step used and the number of steps.
    fn grid_shape(&self, step_seconds: f64) -> (f64, usize) {
        let duration = self.duration_seconds();
        // `NaN` is not above zero, and no duration is a duration of no steps.
        let mut step =
            if step_seconds > 0.0 && step_seconds.is_finite() { step_seconds } else { self.step_seconds() };
        if duration.is_nan() || duration <= 0.0 || step.is_nan() || step <= 0.0 {
            return (if step > 0.0 { step } else { 1.0 }, 0);
        }
        step = step.max(duration / MAX_STEPS as f64);
        let steps = (duration / step - 1e-9).ceil().max(1.0) as usize;
        (step, steps)
    }
}

fn five_digits(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let unit = 10f64.powi(value.abs().log10().floor() as i32 - 4);
    // Divided by what is whole, so that decimals stay short.
    if unit < 1.0 { (value / unit).round() / unit.recip().round() } else { (value / unit).round() * unit }
}

/// The median difference of rising times, or the only time.
pub(crate) fn median_step(times: &[f64]) -> f64 {
    let mut differences: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if differences.is_empty() {
        return times.first().copied().unwrap_or(0.0);
    }
    let middle = differences.len() / 2;
    *differences.select_nth_unstable_by(middle, f64::total_cmp).1
}

fn interval(times: &[f64], median_step: f64, row: usize) -> Option<(f64, f64)> {
    let end = times[row];
    let longest = GAP_STEPS * median_step;
    match row.checked_sub(1) {
        None if end > longest => Some((end - median_step, end)),
        None => Some((0.0, end)),
        Some(before) => (end - times[before] <= longest).then_some((times[before], end)),
    }
}

/// Time-weighted means over bins.
fn bin(intervals: &[Option<(f64, f64)>], values: &[f64], step: f64, steps: usize, duration: f64) -> Vec<f64> {
    let mut area = vec![0.0; steps];
    let mut covered = vec![0.0; steps];
    for (interval, &value) in intervals.iter().zip(values) {
        let Some((from, to)) = *interval else { continue };
        if !value.is_finite() {
            continue;
        }
        let mut bin = (from / step).floor().max(0.0) as usize;
        while bin < steps {
            let start = bin as f64 * step;
            // The last bin takes what rounding leaves over.
            let end = if bin + 1 == steps { f64::INFINITY } else { start + step };
            let overlap = to.min(end) - from.max(start);
            if overlap > 0.0 {
                area[bin] += value * overlap;
                covered[bin] += overlap;
            }
            if end >= to {
                break;
            }
            bin += 1;
        }
    }
    (0..steps)
        .map(|bin| {
            let length = step.min(duration - bin as f64 * step);
            if covered[bin] > 0.0 && covered[bin] >= length * MIN_COVERAGE * (1.0 - 1e-9) {
                area[bin] / covered[bin]
            } else {
                f64::NAN
            }
        })
        .collect()
}
