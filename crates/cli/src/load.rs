//! Traces and models from files, and the values people type.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use cotrace_forecast::Baseline;
use cotrace_model::Forecaster;
use cotrace_trace::{Capacity, ReadOptions, Trace};

use crate::failure::Failure;

/// The weights that ship with this version.
const SHIPPED: &[u8] = include_bytes!("../../../models/resourcenet/resourcenet.cotrace");

/// The largest trace that is read.
const MOST_BYTES: usize = 256 << 20;

/// What a person says about the node.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct NodeArgs {
    /// Cores of the node
    #[arg(long, value_name = "N", value_parser = positive)]
    cores: Option<f64>,
    /// Memory of the node, for example 24GiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<f64>,
    /// What the node's disks can move per second, for example 500MB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    disk: Option<f64>,
    /// What the node's network can move per second and direction, for example 125MB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    network: Option<f64>,
}

impl NodeArgs {
    pub(crate) fn capacity(&self) -> Capacity {
        Capacity {
            cores: self.cores,
            memory_bytes: self.memory,
            disk_bytes_per_second: self.disk,
            network_bytes_per_second: self.network,
        }
    }
}

/// Which forecaster.
pub(crate) enum Model {
    Network(Box<Forecaster>),
    Rule(Baseline),
}

impl Model {
    /// The shipped model, a baseline by name, or a model file.
    pub(crate) fn open(name: Option<&str>) -> Result<Model, Failure> {
        match name {
            None | Some("resourcenet") => {
                let forecaster = Forecaster::from_bytes(SHIPPED).map_err(Failure::input)?;
                Ok(Model::Network(Box::new(forecaster)))
            }
            Some("clipped-sum") => Ok(Model::Rule(Baseline::ClippedSum)),
            Some("conserved-sum") => Ok(Model::Rule(Baseline::ConservedSum)),
            Some(path) => {
                let path = Path::new(path);
                let bytes = std::fs::read(path).map_err(|error| Failure::file(path, &error))?;
                let forecaster = Forecaster::from_bytes(&bytes)
                    .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
                Ok(Model::Network(Box::new(forecaster)))
            }
        }
    }
}

/// Reads a trace. What the reader noticed goes to standard error.
pub(crate) fn trace(path: &Path, node: &NodeArgs) -> Result<Trace, Failure> {
    let trace = quiet_trace(path, node)?;
    for warning in &trace.warnings {
        eprintln!("cotrace: {}: {warning}", path.display());
    }
    Ok(trace)
}

/// Reads a trace and says nothing.
pub(crate) fn quiet_trace(path: &Path, node: &NodeArgs) -> Result<Trace, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::file(path, &error))?;
    let options = ReadOptions { capacity: node.capacity(), max_bytes: MOST_BYTES, ..ReadOptions::default() };
    cotrace_trace::read(&path.to_string_lossy(), &bytes, &options).map_err(Failure::input)
}

/// Reads several traces and gives each a name of its own.
pub(crate) fn named_traces(paths: &[PathBuf], node: &NodeArgs) -> Result<Vec<(String, Trace)>, Failure> {
    let mut named: Vec<(String, Trace)> = Vec::new();
    for path in paths {
        let trace = trace(path, node)?;
        let mut name = trace.name.clone();
        let mut copy = 1;
        while named.iter().any(|(other, _)| *other == name) {
            copy += 1;
            name = format!("{}-{copy}", trace.name);
        }
        named.push((name, trace));
    }
    Ok(named)
}

/// Writes to standard output. A reader that has gone away is no error of ours.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Undone(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// `30s`, `1m 30s`, `250ms`, or plain seconds.
pub(crate) fn duration(text: &str) -> Result<f64, String> {
    let seconds = match text.trim().parse::<f64>() {
        Ok(seconds) => seconds,
        Err(_) => humantime::parse_duration(text)
            .map_err(|error| format!("{error}; try 30s or 1m 30s"))?
            .as_secs_f64(),
    };
    if seconds >= 0.0 && seconds.is_finite() {
        Ok(seconds)
    } else {
        Err("a time of zero or more is needed, for example 30s".to_owned())
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a number above zero is needed".to_owned()),
    }
}

fn size(text: &str) -> Result<f64, String> {
    match parse_size::parse_size(text) {
        Ok(bytes) if bytes > 0 => Ok(bytes as f64),
        Ok(_) => Err("more than nothing is needed".to_owned()),
        Err(error) => Err(format!("{error}; try 24GiB or 500MB")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_as_typed() {
        for (text, seconds) in [("30s", 30.0), ("1m 30s", 90.0), ("250ms", 0.25), ("2.5", 2.5), ("0", 0.0)] {
            assert_eq!(duration(text), Ok(seconds), "{text}");
        }
        for text in ["-1", "soon", "NaN", ""] {
            assert!(duration(text).is_err(), "{text:?} is no time");
        }
        for (text, bytes) in [("24GiB", 24.0 * 1024.0 * 1024.0 * 1024.0), ("500MB", 5e8), ("1000", 1e3)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        assert!(size("0").is_err() && size("much").is_err());
    }
}
