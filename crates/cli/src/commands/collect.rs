//! `cotrace collect PLAN --out DIR`.

use std::path::PathBuf;
use std::process::ExitCode;

use cotrace_collect::{CollectError, Options, Plan, Progress, stop_on_signals};
use cotrace_forecast::format_duration;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::load;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The plan (TOML)
    plan: PathBuf,
    /// The data set's folder; what it already holds is gone on with
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only these jobs
    #[arg(long, value_name = "JOBS", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Only the co-runs of one pair (with what the plan says of it), for example fio,sort
    #[arg(long, value_name = "A,B", value_parser = pair)]
    pair: Option<(String, String)>,
    /// Time between samples
    #[arg(long, value_name = "TIME", value_parser = load::duration)]
    sample: Option<f64>,
    /// Stop after this many runs
    #[arg(long, value_name = "N")]
    runs: Option<usize>,
    /// Measure what fits into this time, the most useful first
    #[arg(long = "for", value_name = "TIME", value_parser = load::duration)]
    seconds: Option<f64>,
    /// Compress the runs' files with gzip
    #[arg(long)]
    gzip: bool,
    /// Only list the runs there would be
    #[arg(long)]
    dry_run: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (a, b) = text.split_once(',').ok_or("two job names are needed, as a,b")?;
    Ok((a.trim().to_owned(), b.trim().to_owned()))
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let plan = Plan::read(&args.plan).map_err(failure)?;
    let mut options = Options::new(args.out.clone().unwrap_or_default());
    options.only.clone_from(&args.only);
    options.only_pair.clone_from(&args.pair);
    options.sample_seconds = args.sample;
    options.max_runs = args.runs;
    options.seconds = args.seconds;
    options.gzip = args.gzip;
    if args.dry_run {
        for run in options.runs(&plan).map_err(failure)? {
            load::print(&format!("{}\n", run.id))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.out.is_none() {
        return Err(Failure::Usage("where to? Say --out DIR".to_owned()));
    }
    options.stop = stop_on_signals();
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let outcome =
        cotrace_collect::collect(&plan, &options, &mut |progress| show(&bar, progress)).map_err(failure)?;
    bar.finish_and_clear();
    load::print(&format!(
        "{} runs measured, {} asked for, {} failed, {} jobs skipped.\n",
        outcome.measured,
        outcome.wanted,
        outcome.failures.len(),
        outcome.skipped.len()
    ))?;
    if outcome.interrupted {
        return Err(Failure::Undone("stopped; the same command goes on from here".to_owned()));
    }
    if !outcome.failures.is_empty() {
        return Err(Failure::Undone("some runs failed; the same command tries them again".to_owned()));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(bar: &ProgressBar, progress: Progress) {
    let say = |line: String| {
        if bar.is_hidden() {
            eprintln!("{line}");
        } else {
            bar.println(line);
        }
    };
    match progress {
        Progress::MeasuringNode => say("measuring what the disk can do".to_owned()),
        Progress::Preparing { job, step } => say(format!("{job}: {step}")),
        Progress::Started { id, done, total, remaining_seconds } => {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            let left = remaining_seconds.map(|left| format!(", about {} left", format_duration(left)));
            bar.set_message(format!("{id}{}", left.unwrap_or_default()));
        }
        Progress::Calibrated(run) => say(format!("calibration: {}", format_duration(run.seconds))),
        Progress::Finished { run, .. } => {
            let jobs: Vec<String> = run
                .jobs
                .iter()
                .zip(run.durations_seconds())
                .map(|(job, seconds)| format!("{} {}", job.label, format_duration(seconds)))
                .collect();
            let mark = if run.disturbed { "; DISTURBED" } else { "" };
            say(format!(
                "{}: {}; foreign CPU {:.1} %, steal {:.1} %{mark}",
                run.id,
                jobs.join(", "),
                run.foreign_cpu_ratio * 100.0,
                run.steal_ratio * 100.0
            ));
            bar.inc(1);
        }
        Progress::Note(note) => say(note),
        Progress::Failed(failure) => say(format!("{} FAILED: {}", failure.id, failure.reason)),
    }
}

fn failure(error: CollectError) -> Failure {
    match error {
        CollectError::Options(text) => Failure::Usage(text),
        CollectError::Plan { .. } => Failure::Input(error.to_string()),
        other => Failure::Undone(other.to_string()),
    }
}
