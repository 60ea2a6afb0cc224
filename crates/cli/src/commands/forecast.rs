//! `cotrace forecast A B`.

use std::path::PathBuf;
use std::process::ExitCode;

use cotrace_forecast::{
    Bands, Baseline, Distance, Forecast, ModelName, Provenance, Scene, SoloInput, Verdict, format_duration,
    headline, losses,
};
use cotrace_model::{Job, Options};
use cotrace_trace::words::scaled;
use cotrace_trace::{Capacity, Column, JobSpan, Metric, Trace, canonical};

use crate::failure::Failure;
use crate::load::{self, Model, ReadArgs};
use crate::table::layout;

/// Rows of the printed table.
const PARTS: usize = 10;

/// Grid steps of a baseline's forecast, as the network's have.
const SCENE_STEPS: usize = 128;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Solo trace of the first job
    a: PathBuf,
    /// Solo trace of the second job
    b: PathBuf,
    /// When the second job starts, after the first
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = load::duration)]
    offset: f64,
    /// The model: cotrace, resourcenet, clipped-sum, conserved-sum, fair-share, or a model file
    #[arg(long, value_name = "MODEL", default_value = load::DEFAULT_MODEL)]
    model: String,
    #[command(flatten)]
    read: ReadArgs,
    /// Print the forecast as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the footprint as a canonical trace (CSV)
    #[arg(long)]
    csv: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let traces = load::named_traces(&[args.a.clone(), args.b.clone()], &args.read)?;
    let model = Model::open(&args.model)?;
    let forecast = forecast(&model, &traces, args.offset, args.read.capacity())?;
    let text = if args.json {
        let mut text = serde_json::to_string_pretty(&forecast).map_err(|e| Failure::Undone(e.to_string()))?;
        text.push('\n');
        text
    } else if args.csv {
        let mut out = Vec::new();
        canonical::write_csv(&as_trace(&forecast, args.read.capacity(), &traces), &mut out)
            .map_err(|error| Failure::Undone(error.to_string()))?;
        String::from_utf8_lossy(&out).into_owned()
    } else {
        readable(&forecast)
    };
    load::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Forecasts two named traces.
pub(crate) fn forecast(
    model: &Model,
    traces: &[(String, Trace)],
    offset_seconds: f64,
    node: Capacity,
) -> Result<Forecast, Failure> {
    let offsets = [0.0, offset_seconds];
    match model {
        Model::Network(forecaster) => {
            let jobs: Vec<Job<'_>> = traces
                .iter()
                .zip(offsets)
                .map(|((name, trace), offset_seconds)| Job { name: name.clone(), trace, offset_seconds })
                .collect();
            forecaster.forecast(&jobs, &Options { node }).map_err(Failure::input)
        }
        Model::Rule(rule) => {
            let inputs: Vec<SoloInput<'_>> = traces
                .iter()
                .zip(offsets)
                .map(|((name, trace), offset_seconds)| SoloInput {
                    name: name.clone(),
                    trace,
                    offset_seconds,
                })
                .collect();
            let scene = Scene::new(&inputs, node, SCENE_STEPS).map_err(Failure::input)?;
            let provenance = Provenance {
                model: ModelName {
                    name: rule.name().to_owned(),
                    version: "1".to_owned(),
                    unseen_jobs_slowdown_points: None,
                },
                // A rule was trained on nothing.
                distance: Distance { score: 0.0, verdict: Verdict::Near },
                bands: Bands::default(),
                warnings: Vec::new(),
            };
            Ok(Forecast::assemble(&scene, &rule.run(&scene), provenance, |_| 1.0))
        }
    }
}

/// The forecast footprint as a co-run's trace.
fn as_trace(forecast: &Forecast, node: Capacity, traces: &[(String, Trace)]) -> Trace {
    let mut trace = Trace {
        capacity: traces.iter().fold(node, |node, (_, trace)| node.or(trace.capacity)),
        jobs: forecast
            .jobs
            .iter()
            .map(|job| JobSpan {
                name: job.name.clone(),
                start_seconds: Some(job.offset_seconds),
                end_seconds: Some(job.finish_seconds),
            })
            .collect(),
        time_seconds: forecast.time_seconds.iter().map(|start| start + forecast.step_seconds).collect(),
        ..Trace::default()
    };
    for (&metric, series) in &forecast.metrics {
        trace.columns.insert(Column::node(metric), series.total.clone());
        for job in &series.jobs {
            trace.columns.insert(Column::job(&job.name, metric), job.contribution.clone());
        }
    }
    trace
}

fn readable(forecast: &Forecast) -> String {
    let mut out = format!("{}\n\n", headline(forecast));
    let mut rows = vec![
        ["job", "starts", "alone", "together", "slowdown", "90 % interval", "ends"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for job in &forecast.jobs {
        let [low, high] = job.slowdown_interval;
        rows.push(vec![
            job.name.clone(),
            format_duration(job.offset_seconds),
            format_duration(job.solo_seconds),
            format_duration(job.finish_seconds - job.offset_seconds),
            format!("{:.2}x", job.slowdown),
            if high > low { format!("{low:.2} to {high:.2}") } else { "none".to_owned() },
            format_duration(job.finish_seconds),
        ]);
    }
    out.push_str(&layout(&rows));
    out.push('\n');
    for said in forecast.jobs.iter().filter_map(losses) {
        out.push_str(&format!("{said}\n"));
    }
    if forecast.jobs.iter().any(|job| losses(job).is_some()) {
        out.push('\n');
    }
    out.push_str(&footprint(forecast));
    if let Some(fits) = forecast.memory_fits {
        out.push_str(&format!("\nMemory fits with a probability of {:.0} %.\n", fits.probability * 100.0));
    }
    let depth = match forecast.distance.verdict {
        Verdict::Near => "the jobs are like those it was trained on",
        Verdict::Edge => "the jobs are at the edge of what it was trained on",
        Verdict::Far => "THE JOBS ARE FAR FROM ANYTHING IT WAS TRAINED ON: do not rely on this",
    };
    let name = &forecast.model.name;
    out.push_str(&if Baseline::named(name).is_some() {
        format!("Rule {name}: nothing learned, no bands.\n")
    } else {
        let error = forecast.model.unseen_jobs_slowdown_points.map_or_else(String::new, |points| {
            format!(" On jobs it had never seen, its slowdowns were off by {points:.0} points on average.")
        });
        format!(
            "Model {name} {}: {depth} (distance {:.2}).{error}\n",
            forecast.model.version, forecast.distance.score
        )
    });
    for warning in &forecast.warnings {
        out.push_str(&format!("Note: {warning}\n"));
    }
    out
}

/// The node's use over tenths of the makespan, mean per tenth.
fn footprint(forecast: &Forecast) -> String {
    let metrics: Vec<Metric> = forecast
        .metrics
        .iter()
        .filter(|(_, series)| series.total.iter().any(|value| *value > 0.0))
        .map(|(metric, _)| *metric)
        .collect();
    let mut rows = vec![
        std::iter::once("time".to_owned())
            .chain(metrics.iter().map(|metric| metric.title().to_owned()))
            .collect::<Vec<_>>(),
    ];
    let steps = forecast.time_seconds.len();
    let parts = PARTS.min(steps);
    for part in 0..parts {
        let range = steps * part / parts..steps * (part + 1) / parts;
        let mut row = vec![format!(
            "{} to {}",
            format_duration(forecast.time_seconds[range.start]),
            format_duration((range.end as f64 * forecast.step_seconds).min(forecast.makespan_seconds))
        )];
        for metric in &metrics {
            let values = &forecast.metrics[metric].total[range.clone()];
            row.push(scaled(values.iter().sum::<f64>() / values.len() as f64, metric.unit()));
        }
        rows.push(row);
    }
    let capacity = std::iter::once("capacity".to_owned()).chain(metrics.iter().map(|metric| {
        let capacity = forecast.metrics[metric].capacity;
        capacity.map_or_else(|| "unknown".to_owned(), |value| scaled(value, metric.unit()))
    }));
    rows.push(capacity.collect());
    layout(&rows)
}
