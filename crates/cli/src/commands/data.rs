//! `cotrace data …`: looks at a measured data set.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cotrace_collect::{Options, Plan};
use cotrace_dataset::check::{self, Severity};
use cotrace_dataset::{DataError, DataSet, Manifest, Splits, SplitsError, checksums, import, report};

use crate::failure::Failure;
use crate::load;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Say all that is wrong with a data set, and what it holds
    Check {
        /// The data set's folder
        data: PathBuf,
        /// The plan it was measured by: say which of its runs are missing
        #[arg(long)]
        plan: Option<PathBuf>,
    },
    /// Write a report with plots: solo traces, slowdowns, noise, how sittings differ
    Report {
        /// The data set's folder
        data: PathBuf,
        /// The report's folder
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Say what each split trains on and is judged on; draws the splits if there are none yet
    Splits {
        /// The data set's folder
        data: PathBuf,
        /// Where the draw comes from
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Write the checksums of a data set's files
    Sums {
        /// The data set's folder
        data: PathBuf,
    },
    /// Make a data set of measurements that others made: the folder fair-co2, as its page describes it
    Import {
        /// The folder of the others' files
        source: PathBuf,
        /// The data set's folder
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Check { data, plan } => check(data, plan.as_deref()),
        Command::Report { data, out } => write_report(data, out),
        Command::Splits { data, seed } => splits(data, *seed),
        Command::Sums { data } => {
            checksums::write(data).map_err(data_failure)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Import { source, out } => import_others(source, out),
    }
}

fn check(data: &Path, plan: Option<&Path>) -> Result<ExitCode, Failure> {
    let mut findings = check::check(data).map_err(data_failure)?;
    if let Some(plan) = plan {
        let plan = Plan::read(plan).map_err(Failure::input)?;
        let runs = Options::new("").runs(&plan).map_err(Failure::input)?;
        let manifest = Manifest::read(data).map_err(data_failure)?;
        findings.extend(check::against(&manifest, &cotrace_collect::counts(&plan, &runs)));
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    }
    for finding in &findings {
        load::print(&format!("{finding}\n"))?;
    }
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Error) => Err(Failure::Input(format!("{}: the data set is broken", data.display()))),
        Some(Severity::Warning) => Ok(ExitCode::from(1)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn write_report(data: &Path, out: &Path) -> Result<ExitCode, Failure> {
    let set = DataSet::read(data).map_err(data_failure)?;
    let fixed = data.join(Splits::FILE);
    let splits = if fixed.exists() {
        Splits::read(&fixed).map_err(splits_failure)?
    } else {
        Splits::draw(&set.manifest, 1)
    };
    for file in report::write(&set, &splits, out).map_err(|error| Failure::Undone(error.to_string()))? {
        load::print(&format!("{}\n", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn splits(data: &Path, seed: u64) -> Result<ExitCode, Failure> {
    let manifest = Manifest::read(data).map_err(data_failure)?;
    let path = data.join(Splits::FILE);
    if !path.exists() {
        Splits::draw(&manifest, seed).write(&path).map_err(splits_failure)?;
    }
    let splits = Splits::read(&path).map_err(splits_failure)?;
    for name in splits.names(&manifest) {
        let runs = splits.runs(&manifest, &name).map_err(splits_failure)?;
        load::print(&format!(
            "{name}: trains on {} runs, judged on {}\n",
            runs.train.len(),
            runs.test.len()
        ))?;
    }
    let leaks = splits.leaks(&manifest).map_err(splits_failure)?;
    for leak in &leaks {
        load::print(&format!("{}: trains on run {}, which {}\n", leak.split, leak.run, leak.why))?;
    }
    Ok(ExitCode::from(u8::from(!leaks.is_empty())))
}

fn import_others(source: &Path, out: &Path) -> Result<ExitCode, Failure> {
    let imported = import::fair_co2(source, out).map_err(Failure::input)?;
    for run in &imported.left_out {
        load::print(&format!("left out {run}\n"))?;
    }
    let manifest = imported.manifest;
    load::print(&format!("{} runs of {} jobs\n", manifest.runs.len(), manifest.jobs.len()))?;
    Ok(ExitCode::SUCCESS)
}

fn data_failure(error: DataError) -> Failure {
    Failure::input(error)
}

fn splits_failure(error: SplitsError) -> Failure {
    Failure::input(error)
}
