//! `cotrace convert IN -o OUT`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cotrace_trace::canonical;

use crate::failure::Failure;
use crate::load::{self, NodeArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The trace to read, in any known format
    input: PathBuf,
    /// The file to write: .json for the JSON form, else CSV; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    node: NodeArgs,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let trace = load::trace(&args.input, &args.node)?;
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
