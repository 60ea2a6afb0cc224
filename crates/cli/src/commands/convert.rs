//! `cotrace convert IN… -o OUT`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cotrace_trace::{FindingKind, Trace, average, canonical, check, join};

use crate::commands::check::provenance;
use crate::failure::Failure;
use crate::load::{self, PartArgs, ReadArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The trace to read, in any known format; several files of one run become one trace
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// The file to write: .json for the JSON form, else CSV; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The files are several solo runs of one job: write their mean
    #[arg(long)]
    runs: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    part: PartArgs,
    /// Say where each column came from
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let trace = if args.runs { mean(args)? } else { joined(args)? };
    if args.verbose {
        eprint!("{}", provenance(&trace));
    }
    let mut out = Vec::new();
    let json = args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let written =
        if json { canonical::write_json(&trace, &mut out) } else { canonical::write_csv(&trace, &mut out) };
    written.map_err(|error| Failure::Undone(error.to_string()))?;
    if args.output == Path::new("-") {
        load::print(&String::from_utf8_lossy(&out))?;
    } else {
        let mut file =
            std::fs::File::create(&args.output).map_err(|error| Failure::file(&args.output, &error))?;
        file.write_all(&out).map_err(|error| Failure::file(&args.output, &error))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The files of one run as one trace.
fn joined(args: &Args) -> Result<Trace, Failure> {
    let mut traces = Vec::new();
    for path in &args.inputs {
        traces.push(load::whole(path, &args.read)?);
    }
    let file = args.inputs[0].to_string_lossy();
    if traces.len() == 1 {
        load::say_warnings(&file, &traces[0]);
    } else {
        // Errors and warnings are about files.
        let name = traces[0].name.clone();
        for (trace, path) in traces.iter_mut().zip(&args.inputs) {
            trace.name = path.to_string_lossy().into_owned();
        }
        let mut trace = join(traces).map_err(Failure::input)?;
        trace.name = name;
        for warning in &trace.warnings {
            eprintln!("cotrace: {warning}");
        }
        traces = vec![trace];
    }
    let trace = traces.pop().unwrap_or_default();
    load::part(trace, &file, &args.read, &args.part)
}

/// The mean of several runs.
fn mean(args: &Args) -> Result<Trace, Failure> {
    let mut runs = Vec::new();
    for path in &args.inputs {
        let file = path.to_string_lossy();
        let trace = load::whole(path, &args.read)?;
        load::say_warnings(&file, &trace);
        runs.push(load::part(trace, &file, &args.read, &args.part)?);
    }
    let trace = average(&runs).map_err(Failure::input)?.trace;
    for finding in check(&trace).findings.iter().filter(|finding| finding.kind == FindingKind::Runs) {
        let said = format!("{} {}", finding.message, finding.hint);
        eprintln!("cotrace: {}", said.trim_end());
    }
    Ok(trace)
}
