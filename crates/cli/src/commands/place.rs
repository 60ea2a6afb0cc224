//! `cotrace place TRACES…`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use cotrace_forecast::format_duration;
use cotrace_placement::{MAX_JOBS, Objective, Plan, SlowdownMatrix, best_pairing, never_share};

use crate::commands::forecast::forecast;
use crate::failure::Failure;
use crate::load::{self, Model, ReadArgs};
use crate::table::layout;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Solo traces, two to eight
    #[arg(required = true, num_args = 2..)]
    traces: Vec<PathBuf>,
    /// What the plan is to be good at
    #[arg(long, value_enum, default_value = "machine-time")]
    objective: Goal,
    /// The model, as for forecast
    #[arg(long, value_name = "MODEL", default_value = load::DEFAULT_MODEL)]
    model: String,
    #[command(flatten)]
    read: ReadArgs,
    /// Print the plan and the matrix as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Goal {
    MachineTime,
    WorstSlowdown,
    MeanSlowdown,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.traces.len() > MAX_JOBS {
        return Err(Failure::Usage(format!("{} traces; up to {MAX_JOBS} are placed", args.traces.len())));
    }
    let traces = load::named_traces(&args.traces, &args.read)?;
    let model = Model::open(&args.model)?;
    let n = traces.len();
    let mut slowdowns = vec![vec![1.0; n]; n];
    let mut solo_seconds = vec![0.0; n];
    for a in 0..n {
        for b in a..n {
            let mut pair = vec![traces[a].clone(), traces[b].clone()];
            if a == b {
                pair[1].0.push_str("-2");
            }
            let forecast = forecast(&model, &pair, 0.0, args.read.capacity())?;
            slowdowns[a][b] = forecast.jobs[0].slowdown;
            slowdowns[b][a] = forecast.jobs[1].slowdown;
            solo_seconds[a] = forecast.jobs[0].solo_seconds;
        }
    }
    let matrix = SlowdownMatrix::new(solo_seconds, slowdowns.clone()).map_err(Failure::input)?;
    let objective = match args.objective {
        Goal::MachineTime => Objective::MachineTime,
        Goal::WorstSlowdown => Objective::WorstSlowdown,
        Goal::MeanSlowdown => Objective::MeanSlowdown,
    };
    let plan = best_pairing(&matrix, objective).map_err(Failure::input)?;
    let alone = never_share(&matrix);
    let names: Vec<&str> = traces.iter().map(|(name, _)| name.as_str()).collect();
    if args.json {
        let value = serde_json::json!({
            "jobs": names, "slowdown": slowdowns, "plan": plan, "never_share": alone,
        });
        let text =
            serde_json::to_string_pretty(&value).map_err(|error| Failure::Undone(error.to_string()))?;
        load::print(&format!("{text}\n"))?;
    } else {
        load::print(&readable(&names, &slowdowns, &plan, &alone))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn readable(names: &[&str], slowdowns: &[Vec<f64>], plan: &Plan, alone: &Plan) -> String {
    let mut out = String::from("Together:\n");
    for group in &plan.groups {
        let jobs: Vec<String> = group
            .jobs
            .iter()
            .zip(&group.slowdowns)
            .map(|(&job, slowdown)| format!("{} ({slowdown:.2}x)", names[job]))
            .collect();
        out.push_str(&format!("  {}, {}\n", jobs.join(" + "), format_duration(group.makespan_seconds)));
    }
    out.push_str(&format!(
        "\nMachine time {}; with nobody sharing {}.\n\nForecast slowdown of the row beside the column:\n",
        format_duration(plan.machine_seconds),
        format_duration(alone.machine_seconds)
    ));
    let header = std::iter::once(String::new()).chain(names.iter().map(|name| (*name).to_owned())).collect();
    let mut rows: Vec<Vec<String>> = vec![header];
    for (name, row) in names.iter().zip(slowdowns) {
        rows.push(
            std::iter::once((*name).to_owned())
                .chain(row.iter().map(|value| format!("{value:.2}")))
                .collect(),
        );
    }
    out.push_str(&layout(&rows));
    out
}
