//! Measures a plan: `cargo run --release -p cotrace-collect --example collect -- PLAN --out DIR`.
//!
//! Options: `--only a,b` (jobs), `--pair a,b` (co-runs of that pair only), `--sample SECONDS`, `--runs N` (stop after
//! N runs), `--for SECONDS` (what fits into this time), `--gzip`, `--no-settle` (trial on a busy machine: no rest, no repeats),
//! `--dry-run` (only say which runs there would be).

use std::path::PathBuf;
use std::process::ExitCode;

use cotrace_collect::{Options, Plan, Progress, collect, stop_on_signals};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let mut plan = None;
    let mut options = Options::new("");
    let mut dry_run = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--out" => options.out = PathBuf::from(value()?),
            "--only" => options.only = Some(value()?.split(',').map(str::to_owned).collect()),
            "--pair" => {
                let names = value()?;
                let (a, b) = names.split_once(',').ok_or("--pair needs two names, a,b")?;
                options.only_pair = Some((a.to_owned(), b.to_owned()));
            }
            "--sample" => {
                options.sample_seconds = Some(value()?.parse().map_err(|_| "--sample needs seconds")?);
            }
            "--runs" => options.max_runs = Some(value()?.parse().map_err(|_| "--runs needs a number")?),
            "--for" => options.seconds = Some(value()?.parse().map_err(|_| "--for needs seconds")?),
            "--gzip" => options.gzip = true,
            "--no-settle" => options.settle = false,
            "--dry-run" => dry_run = true,
            other if other.starts_with('-') || plan.is_some() => return Err(format!("what is {other}?")),
            path => plan = Some(PathBuf::from(path)),
        }
    }
    let plan = Plan::read(&plan.ok_or("which plan?")?).map_err(|error| error.to_string())?;
    if dry_run {
        for run in options.runs(&plan).map_err(|error| error.to_string())? {
            println!("{}", run.id);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if options.out.as_os_str().is_empty() {
        return Err("where to? --out DIR".to_owned());
    }
    options.stop = stop_on_signals();
    let outcome = collect(&plan, &options, &mut print).map_err(|error| error.to_string())?;
    println!("{} runs made, {} failed, {} wanted", outcome.measured, outcome.failures.len(), outcome.wanted);
    Ok(if outcome.interrupted || !outcome.failures.is_empty() {
        ExitCode::from(4)
    } else {
        ExitCode::SUCCESS
    })
}

fn print(progress: Progress) {
    match progress {
        Progress::MeasuringNode => println!("measuring the disk"),
        Progress::Preparing { job, step } => println!("{job}: {step}"),
        Progress::Started { id, done, total, remaining_seconds } => {
            let left =
                remaining_seconds.map_or_else(String::new, |s| format!(", about {:.0} min left", s / 60.0));
            println!("[{}/{total}] {id}{left}", done + 1);
        }
        Progress::Finished { run, collector_cpu_ratio } => {
            let jobs: Vec<String> = run
                .jobs
                .iter()
                .zip(run.durations_seconds())
                .map(|(job, seconds)| format!("{} {seconds:.2} s", job.label))
                .collect();
            println!(
                "    {}; foreign CPU {:.2} % (collector {:.2} %), steal {:.2} %{}",
                jobs.join(", "),
                run.foreign_cpu_ratio * 100.0,
                collector_cpu_ratio * 100.0,
                run.steal_ratio * 100.0,
                if run.disturbed { ", DISTURBED" } else { "" }
            );
        }
        Progress::Calibrated(run) => {
            println!("    calibration {:.2} s: {:.2?}", run.seconds, run.part_seconds);
        }
        Progress::Note(note) => println!("    note: {note}"),
        Progress::Failed(failure) => println!("    FAILED {}: {}", failure.id, failure.reason),
    }
}
