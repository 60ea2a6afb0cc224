//! What a forecast says, in a sentence, in figures and along the time axis. Pure: the screen only lays it out.

use cotrace_forecast::{Cause, Forecast, JobForecast, Limit, Lost};
use cotrace_trace::{Metric, Resource};

use crate::format::{Quantity, UNKNOWN, clock, duration, percent, slowdown};
use crate::state::{Place, Truth};

/// The answer in words: when both are done and what that saves; then who pays for it.
pub fn headline(forecast: &Forecast) -> (String, String) {
    let text = with_their_units(&cotrace_forecast::headline(forecast));
    match text.split_once(". ") {
        Some((together, slowed)) => (format!("{together}."), slowed.to_owned()),
        None => (text, String::new()),
    }
}

/// The same text, but no line breaks between a number and its unit.
fn with_their_units(text: &str) -> String {
    const UNITS: [&str; 5] = ["%", "ms", "s", "min", "h"];
    let mut kept = String::new();
    for word in text.split(' ') {
        if !kept.is_empty() {
            let unit = UNITS.contains(&word.trim_end_matches([',', '.']));
            kept.push(if unit && kept.ends_with(|end: char| end.is_ascii_digit()) { '\u{a0}' } else { ' ' });
        }
        kept.push_str(word);
    }
    kept
}

/// The colour of a job: forecasts call it by its place.
pub fn job_colour(name: &str) -> usize {
    Place::named(name).map_or(0, Place::index)
}

/// A resource in a sentence.
pub fn the(resource: Resource) -> &'static str {
    match resource {
        Resource::Cpu => "the processor",
        Resource::Memory => "memory",
        Resource::Disk => "the disk",
        Resource::Network => "the network",
    }
}

/// Why each job is slowed, a sentence for each stretch.
pub fn reasons(forecast: &Forecast) -> Vec<(usize, String)> {
    let sentence = |name: &str, limit: &Limit| {
        let Limit { from_seconds, to_seconds, resource, share, .. } = limit;
        let use_text = percent(*share);
        format!(
            "{} is held back by {} from {} to {} ({use_text} of it in use).",
            name,
            the(*resource),
            clock(*from_seconds),
            clock(*to_seconds),
        )
    };
    let of_job = |(index, job): (usize, &JobForecast)| {
        job.limits.iter().map(|limit| (index, sentence(&job.name, limit))).collect()
    };
    forecast.jobs.iter().enumerate().flat_map::<Vec<_>, _>(of_job).collect()
}

/// A model's measured error, in words.
pub fn off_by(points: f64) -> String {
    format!("On jobs it had never seen, its slowdowns were off by {:.2}× on average.", points / 100.0)
}

/// The measured co-run beside the forecast, in words; `learned`: whether the model has learned from it, if that is known.
pub fn comparison(forecast: &Forecast, truth: &Truth, learned: Option<bool>) -> String {
    let measured = truth.makespan_seconds();
    let error = forecast.makespan_seconds / measured - 1.0;
    let makespan = match error {
        error if error.abs() < 0.01 => "as forecast".to_owned(),
        error if error > 0.0 => format!("the forecast is {} too long", percent(error)),
        error => format!("the forecast is {} too short", percent(-error)),
    };
    let slowed = measured_slowdowns(forecast, truth);
    let jobs: Vec<String> = forecast
        .jobs
        .iter()
        .zip(slowed)
        .filter_map(|(job, value)| Some(format!("{} {}", job.name, slowdown(value?))))
        .collect();
    let slowdowns = match jobs.len() {
        0 => String::new(),
        1 => format!(", slowdown {}", jobs[0]),
        _ => format!(", slowdowns {}", jobs.join(" and ")),
    };
    let seen = match learned {
        Some(true) => format!(" The model {} has learned from this run.", forecast.model.name),
        Some(false) => format!(" The model {} has never seen this run.", forecast.model.name),
        None => String::new(),
    };
    format!("Measured: {} ({makespan}){slowdowns}.{seen}", duration(measured))
}

/// How much slower each job was in the measured run, as far as that says when they ran.
fn measured_slowdowns(forecast: &Forecast, truth: &Truth) -> Vec<Option<f64>> {
    let jobs = forecast.jobs.iter().zip(&truth.spans);
    jobs.map(|(job, span)| span.map(|(from, to)| (to - from) / job.solo_seconds)).collect()
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// A word for tests and styles: `slowdown-a`, `makespan`, ….
    pub key: String,
    /// What it is.
    pub label: String,
    /// The figure.
    pub value: String,
    /// What to compare it with.
    pub detail: String,
    /// The same, measured.
    pub measured: Option<String>,
    /// The colour of the job it is about.
    pub job: Option<usize>,
}

/// The figures of a forecast, most important first.
pub fn tiles(forecast: &Forecast, truth: Option<&Truth>) -> Vec<Tile> {
    let measured = truth.map(|truth| measured_slowdowns(forecast, truth));
    let mut tiles: Vec<Tile> = forecast
        .jobs
        .iter()
        .enumerate()
        .map(|(index, job)| {
            let [low, high] = job.slowdown_interval;
            Tile {
                key: format!("slowdown-{}", job.name.to_lowercase()),
                label: format!("{} slowed", job.name),
                value: slowdown(job.slowdown),
                detail: format!("{} to {}", slowdown(low), slowdown(high)),
                measured: measured.as_ref().and_then(|measured| measured[index]).map(slowdown),
                job: Some(job_colour(&job.name)),
            }
        })
        .collect();
    tiles.push(Tile {
        key: "makespan".to_owned(),
        label: if forecast.jobs.len() == 2 { "Both done after" } else { "All done after" }.to_owned(),
        value: duration(forecast.makespan_seconds),
        detail: format!("in turn {}", duration(forecast.sequential_seconds)),
        measured: truth.map(|truth| duration(truth.makespan_seconds())),
        job: None,
    });
    tiles.push(peak_tile("peak-cpu", "Peak CPU", forecast, Metric::CpuCores, truth));
    tiles.push(peak_tile("peak-memory", "Peak memory", forecast, Metric::MemoryBytes, truth));
    tiles
}

fn peak_tile(key: &str, label: &str, forecast: &Forecast, metric: Metric, truth: Option<&Truth>) -> Tile {
    let quantity = Quantity::of(metric);
    let (key, label) = (key.to_owned(), label.to_owned());
    let Some(series) = forecast.metrics.get(&metric) else {
        let (value, detail) = (UNKNOWN.to_owned(), "not in every trace".to_owned());
        return Tile { key, label, value, detail, measured: None, job: None };
    };
    let share_of = |peak: f64| match series.capacity {
        Some(capacity) => percent(peak / capacity),
        None => quantity.text(peak),
    };
    let peak = largest(series.total.iter().copied());
    let measured = truth
        .and_then(|truth| truth.measured.metrics.get(&metric))
        .map(|values| share_of(largest(values.iter().copied().flatten())));
    let detail = match series.capacity {
        Some(capacity) => format!("of {}", quantity.text(capacity)),
        None => "capacity unknown".to_owned(),
    };
    Tile { key, label, value: share_of(peak), detail, measured, job: None }
}

/// The largest of the known values; `NaN` if there is none.
pub fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.filter(|value| value.is_finite()).fold(f64::NAN, f64::max)
}

/// A stretch of the time axis, in shares of its length from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// From.
    pub from: f64,
    /// To.
    pub to: f64,
}

/// When a job runs.
#[derive(Clone, Debug, PartialEq)]
pub struct StripRow {
    /// The job.
    pub name: String,
    /// When it starts, in seconds.
    pub offset_seconds: f64,
    /// Alone, from the same start.
    pub alone: Stretch,
    /// Together.
    pub together: Stretch,
    /// Where resources hold it back.
    pub limits: Vec<(Stretch, Resource)>,
    /// When it ended in the measured run.
    pub measured_end: Option<f64>,
    /// The row in words.
    pub text: String,
    /// What stands behind the bar alone.
    pub alone_text: String,
    /// What stands behind the bar together.
    pub together_text: String,
}

/// When the jobs run, alone and together.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Length of the time axis, for the charts too.
    pub end_seconds: f64,
    /// A row for each job.
    pub rows: Vec<StripRow>,
    /// Where the axis is marked, and how.
    pub ticks: Vec<(f64, String)>,
}

/// The end of the time axis that everything on the page shares.
pub fn end_seconds(forecast: &Forecast, truth: Option<&Truth>) -> f64 {
    let alone = forecast.jobs.iter().map(|job| job.offset_seconds + job.solo_seconds);
    let measured = truth.map(Truth::makespan_seconds);
    largest(alone.chain(measured).chain([forecast.makespan_seconds])).max(f64::MIN_POSITIVE)
}

/// Lays the jobs along the time axis.
pub fn strip(forecast: &Forecast, truth: Option<&Truth>) -> Strip {
    let end_seconds = end_seconds(forecast, truth);
    let share = |seconds: f64| (seconds / end_seconds).clamp(0.0, 1.0);
    let stretch = |from: f64, to: f64| Stretch { from: share(from), to: share(to) };
    let rows = forecast
        .jobs
        .iter()
        .enumerate()
        .map(|(index, job)| {
            let start = job.offset_seconds;
            let measured = truth.and_then(|truth| Some(truth.spans.get(index).copied().flatten()?.1));
            let together = job.finish_seconds - start;
            let measured_text = measured.map_or_else(String::new, |end| format!(", measured {}", clock(end)));
            StripRow {
                name: job.name.clone(),
                offset_seconds: start,
                alone: stretch(start, start + job.solo_seconds),
                together: stretch(start, job.finish_seconds),
                limits: job
                    .limits
                    .iter()
                    .map(|limit| (stretch(limit.from_seconds, limit.to_seconds), limit.resource))
                    .collect(),
                measured_end: measured.map(share),
                text: format!(
                    "{}: alone {}, together {}, ends at {}{measured_text}.",
                    job.name,
                    duration(job.solo_seconds),
                    duration(together),
                    clock(job.finish_seconds),
                ),
                alone_text: format!("alone {}", duration(job.solo_seconds)),
                together_text: format!("together {}", duration(together)),
            }
        })
        .collect();
    Strip { end_seconds, rows, ticks: ticks(end_seconds) }
}

/// Round points in time, at most seven of them: where they are, as a share of the axis, and what they are called.
pub fn ticks(end_seconds: f64) -> Vec<(f64, String)> {
    const STEPS: [f64; 18] = [
        1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0,
        14_400.0, 21_600.0, 43_200.0, 86_400.0,
    ];
    let step = STEPS.into_iter().find(|step| end_seconds / step <= 6.0);
    // Beyond six days whole days are as good as any.
    let step = step.unwrap_or_else(|| (end_seconds / 6.0 / 86_400.0).ceil() * 86_400.0);
    let count = (end_seconds / step).floor() as u32;
    (0..=count)
        .map(|index| f64::from(index) * step)
        .map(|seconds| (seconds / end_seconds, clock(seconds)))
        .collect()
}

/// What to say where memory will more likely than not be too small: when, and whom it would hit.
pub fn memory_alarm(forecast: &Forecast) -> Option<String> {
    let fits = forecast.memory_fits.filter(|fits| fits.probability < 0.5)?;
    let series = forecast.metrics.get(&Metric::MemoryBytes)?;
    let capacity = series.capacity?;
    let k = series.total.iter().position(|total| *total > capacity)?;
    let held =
        |job: usize| series.jobs.get(job).and_then(|job| job.contribution.get(k)).copied().unwrap_or(0.0);
    let largest = (0..series.jobs.len()).max_by(|&a, &b| held(a).total_cmp(&held(b)))?;
    let peak = Quantity::Bytes.text(largest_of(&series.total));
    Some(format!(
        "{} would probably be killed at {}: the jobs ask for up to {peak} of {} memory, and it holds most then. It fits with a \
         probability of {}.",
        series.jobs[largest].name,
        clock(forecast.time_seconds.get(k).copied().unwrap_or(0.0)),
        Quantity::Bytes.text(capacity),
        percent(fits.probability),
    ))
}

fn largest_of(values: &[f64]) -> f64 {
    largest(values.iter().copied())
}

/// What to say of jobs that are far from what the model has learned from.
pub fn far_text(forecast: &Forecast) -> String {
    let error = forecast.model.unseen_jobs_slowdown_points;
    let error = error.map_or_else(String::new, |points| {
        format!(" On jobs it had never seen, its slowdowns were off by {:.2}× on average.", points / 100.0)
    });
    format!("{}{error}", verdict_text(cotrace_forecast::Verdict::Far))
}

/// Seconds that a job loses to one cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// What to, for people.
    pub cause: &'static str,
    /// How many; negative where it gains.
    pub seconds: f64,
    /// The same as a share of the largest loss of any job: for a bar.
    pub share: f64,
}

/// What each job loses time to, most first. Empty where the model doesn't say.
pub fn losses(forecast: &Forecast) -> Vec<(&JobForecast, Vec<Loss>)> {
    let largest = largest(forecast.jobs.iter().flat_map(|job| &job.lost).map(|lost| lost.seconds.abs()));
    let loss = |lost: &Lost| Loss {
        cause: match lost.cause {
            Cause::Cpu => "CPU that others use",
            Cause::Disk => "the disk",
            Cause::Network => "the network",
            Cause::Unseen => "what traces don’t show: caches, memory bandwidth",
            Cause::Measured => "what was measured of jobs like these beyond that",
        },
        seconds: lost.seconds,
        share: if largest > 0.0 { lost.seconds.abs() / largest } else { 0.0 },
    };
    let of_job =
        |job: &'_ JobForecast| job.lost.iter().filter(|lost| lost.seconds.abs() >= 0.05).map(loss).collect();
    forecast.jobs.iter().filter(|job| !job.lost.is_empty()).map(|job| (job, of_job(job))).collect()
}

/// How to name the distance between the jobs and what the model has learned from.
pub fn verdict_text(verdict: cotrace_forecast::Verdict) -> &'static str {
    match verdict {
        cotrace_forecast::Verdict::Near => "The model has learned from jobs like these.",
        cotrace_forecast::Verdict::Edge => "These jobs are at the edge of what the model has learned from.",
        cotrace_forecast::Verdict::Far => {
            "The model has learned from no job like these: forecasts so far from what it knows were off about twice as much. \
             Take this one as a guess."
        }
    }
}

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;
