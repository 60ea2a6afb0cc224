//! `cotrace`: measure jobs, train on what was measured, forecast what two jobs do to each other.
//!
//! Exit codes: 0 fine, 1 fine with warnings (`check`), 2 wrong usage, 3 input unusable, 4 could not do it.

mod commands;
mod failure;
mod load;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{check, collect, convert, data, evaluate, export, forecast, formats, place, train};

/// Forecast how two batch jobs on one machine slow each other down, from the trace each leaves alone.
#[derive(Parser)]
#[command(name = "cotrace", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Forecast two jobs together from their solo traces
    Forecast(forecast::Args),
    /// Say what is wrong with traces
    Check(check::Args),
    /// Write traces in the canonical form, several files or runs as one
    Convert(convert::Args),
    /// List the formats that are read, or say all about one
    Formats(formats::Args),
    /// Say which of up to eight jobs should share a machine
    Place(place::Args),
    /// Run the jobs of a plan alone and together and measure them
    Collect(collect::Args),
    /// Look at a measured data set: check, report, splits, checksums, import
    Data(data::Args),
    /// Train a model on a measured data set
    Train(train::Args),
    /// Judge a model on measured co-runs that it has not seen
    Evaluate(evaluate::Args),
    /// Write a model's weights for PyTorch
    Export(export::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Forecast(args) => forecast::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Formats(args) => formats::run(&args),
        Command::Place(args) => place::run(&args),
        Command::Collect(args) => collect::run(&args),
        Command::Data(args) => data::run(&args),
        Command::Train(args) => train::run(args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Export(args) => export::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("cotrace: {failure}");
            failure.code()
        }
    }
}
