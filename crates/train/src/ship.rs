//! The model that ships: fitted to everything, with what evaluations say of it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, anyhow};
use burn::module::Module;
use cotrace_dataset::{DataSet, Manifest};
use cotrace_evaluate::{Case, Evaluation, FitProgress, Row, Training, bands};
use cotrace_model::{DistanceReference, Header, ModelFile, Network};
use serde_json::{Value, json};

use crate::cotrace::{CotraceMethod, fit};

/// The version written into model files.
const VERSION: &str = "1";

/// What to fit, and where it goes.
#[derive(Clone, Debug)]
pub struct ShipOptions {
    /// The data set's folder.
    pub data: PathBuf,
    /// The folder to write to: `cotrace.cotrace` and `README.md`.
    pub out: PathBuf,
    /// How to fit.
    pub method: CotraceMethod,
    /// Seed of everything random.
    pub seed: u64,
    /// An `evaluation.json` of the same data set, for the card: how the model does on what its training has not seen.
    pub figures: Option<PathBuf>,
}

/// Fits our model to every run of a data set and writes it. Gives the card.
///
/// # Errors
/// The data set can't be used, the evaluation is of another one, the fit was stopped, or a file can't be written.
pub fn ship(options: &ShipOptions, stop: &AtomicBool, progress: FitProgress<'_>) -> Result<String> {
    let data = DataSet::read(&options.data)?;
    let evaluation = options.figures.as_deref().map(|path| read_figures(path, &data)).transpose()?;
    let (cases, _) = Case::all(&data);
    let runs = everything(&data.manifest);
    let training = Training::of("all", &data, &cases, &runs);
    let bands =
        bands(&options.method, &training, options.seed, stop, progress).map_err(|error| anyhow!(error))?;
    let (network, experience) =
        fit(&training, &options.method, options.seed, stop, progress).map_err(|error| anyhow!(error))?;
    let parameters = network.num_params();
    let network = Network::Cotrace(network);
    let header = Header {
        name: network.name().to_owned(),
        version: VERSION.to_owned(),
        hidden: network.hidden(),
        scales: std::collections::BTreeMap::new(),
        bands,
        distance: DistanceReference::new(training.cases.iter().map(|case| &case.scene)),
        experience,
        card: card(&data.manifest, parameters, evaluation.as_ref()),
    };
    let page = page(&header, &data.manifest, training.cases.len(), parameters, evaluation.as_ref());
    std::fs::create_dir_all(&options.out).with_context(|| format!("{}", options.out.display()))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = options.out.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("{}", path.display()))
    };
    write("cotrace.cotrace", &ModelFile { header, network }.to_bytes()?)?;
    write("README.md", page.as_bytes())?;
    Ok(page)
}

/// Every undisturbed run of one job or two on the whole node.
fn everything(manifest: &Manifest) -> BTreeSet<String> {
    let seen = manifest.runs.iter().filter(|run| !run.disturbed && run.cut.is_none() && run.jobs.len() <= 2);
    seen.map(|run| run.id.clone()).collect()
}

fn read_figures(path: &Path, data: &DataSet) -> Result<Evaluation> {
    let text = std::fs::read(path).with_context(|| format!("{}", path.display()))?;
    let evaluation: Evaluation =
        serde_json::from_slice(&text).with_context(|| format!("{}: not an evaluation", path.display()))?;
    anyhow::ensure!(
        evaluation.data.name == data.manifest.name,
        "{}: an evaluation on the data set {}, not on {}",
        path.display(),
        evaluation.data.name,
        data.manifest.name
    );
    Ok(evaluation)
}

/// The card inside the model file.
fn card(manifest: &Manifest, parameters: usize, evaluation: Option<&Evaluation>) -> Value {
    let sections: Vec<Value> = evaluation
        .into_iter()
        .flat_map(|evaluation| &evaluation.sections)
        .map(|section| {
            let rows: Vec<Value> = section.rows.iter().map(row).collect();
            json!({ "name": section.name, "description": section.description, "rows": rows })
        })
        .collect();
    json!({
        "title": "cotrace: progress pointers",
        "data": manifest.name,
        "jobs": manifest.jobs.iter().map(|job| job.name.clone()).collect::<Vec<_>>(),
        "parameters": parameters,
        "held_out": sections,
    })
}

/// Means over seeds.
fn row(row: &Row) -> Value {
    let mean = |get: fn(&cotrace_evaluate::Figures) -> Option<cotrace_evaluate::Spread>| -> Value {
        let spreads: Vec<_> = row.seeds.iter().filter_map(get).collect();
        let of = |value: fn(&cotrace_evaluate::Spread) -> f64| {
            spreads.iter().map(value).sum::<f64>() / spreads.len() as f64
        };
        if spreads.is_empty() {
            Value::Null
        } else {
            json!({ "mean": of(|spread| spread.mean), "deviation": of(|spread| spread.deviation) })
        }
    };
    json!({
        "predictor": row.method,
        "footprint_step_percent": mean(|figures| figures.footprint_step_percent),
        "footprint_tenths_percent": mean(|figures| figures.footprint_tenths_percent),
        "slowdown_points": mean(|figures| figures.slowdown_points),
        "finish_percent": mean(|figures| figures.finish_percent),
    })
}

/// The card as a page.
fn page(
    header: &Header,
    manifest: &Manifest,
    coruns: usize,
    parameters: usize,
    evaluation: Option<&Evaluation>,
) -> String {
    let mut out = String::from(
        "# cotrace: progress pointers\n\n\
         Forecasts what batch jobs do to each other on one node from the trace that each leaves alone. Each job has a \
         pointer on its own solo trace; at every step a small network says how fast it moves, from what the job asks for \
         there, what the others ask for, and what kind of job each is. `crates/model/src/cotrace.rs` says how. This page \
         and the file beside it are written by `cotrace train --model cotrace`.\n\n",
    );
    let jobs = manifest.jobs.iter().filter(|job| job.size_of.is_none()).count();
    let _ = writeln!(
        out,
        "- {parameters} parameters, version {}\n- fitted to all {coruns} undisturbed co-runs of one or two jobs of the data set {} ({jobs} jobs)\n",
        header.version, manifest.name,
    );
    out.push_str(
        "## Bands\n\nHalf-widths of the 90 % bands, from errors on jobs that a fit had not seen, each of five groups left out \
         in turn; whether they hold is in the figures below.\n\n| | half-width |\n|---|---:|\n",
    );
    for (metric, width) in &header.bands.metrics {
        let _ =
            writeln!(out, "| {}, mean over a tenth of the makespan | {width} of capacity |", metric.title());
    }
    if let Some(width) = header.bands.slowdown {
        let _ = writeln!(out, "| slowdown | {width} x (0.02 + its deviation) |");
    }
    out.push_str(
        "\n## When not to trust it\n\n\
         - One kind of machine, few jobs: a job unlike the training jobs, or a node of another size, is out of its depth. \
         The forecast's distance says so, but it is a rule of thumb, not a guarantee.\n\
         - Memory pressure (swapping, an out-of-memory kill) was not in the training data.\n\
         - Network between machines was not in the training data: only loopback.\n\
         - A solo trace that fills the node hides what the job would use on a bigger one.\n",
    );
    match evaluation {
        Some(evaluation) => {
            out.push_str("\n## How well it does\n\nOn what its trainings had not seen; the file here was fitted to all.\n\n");
            // Without its title, and with headings one level down.
            let page = evaluation.markdown();
            let text = page.split_once('\n').map_or("", |(_, text)| text);
            out.push_str(&text.trim_start().replace("\n## ", "\n### "));
        }
        None => out.push_str("\nIt has not been judged.\n"),
    }
    out
}
