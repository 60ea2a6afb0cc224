//! `cotrace export`.

use std::path::PathBuf;
use std::process::ExitCode;

use cotrace_model::{ModelFile, Network, default_device};
use cotrace_train::to_safetensors;

use crate::failure::Failure;
use crate::load;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model: resourcenet, or a model file
    #[arg(long, value_name = "MODEL", default_value = "resourcenet")]
    model: String,
    /// The file to write, in the safetensors format: weights as PyTorch has them
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let bytes = load::model_bytes(&args.model)?;
    let file = ModelFile::from_bytes(&bytes, &default_device())
        .map_err(|error| Failure::Input(format!("{}: {error}", args.model)))?;
    let Network::ResourceNet(network) = &file.network else {
        return Err(Failure::Input(format!(
            "{} is of the kind {}: only resourcenet has a counterpart in PyTorch",
            args.model, file.header.name
        )));
    };
    let weights = to_safetensors(network).map_err(|error| Failure::Undone(format!("{error:#}")))?;
    std::fs::write(&args.out, weights).map_err(|error| Failure::file(&args.out, &error))?;
    Ok(ExitCode::SUCCESS)
}
