//! The model card: what a model is, what it was fitted to, how well it does, when not to trust it.

use std::fmt::Write as _;

use anyhow::Result;
use cotrace_dataset::Manifest;
use cotrace_evaluate::{Evaluation, Figures, Row, Spread};
use cotrace_model::Header;
use cotrace_trace::Capacity;
use serde_json::{Value, json};

use crate::fit::FitConfig;
use crate::recipe::Recipe;

/// What the publication of `resourcenet` leaves open, and what was chosen.
const CHOICES: [(&str, &str); 10] = [
    (
        "Metrics",
        "nine: CPU, CPU waiting for I/O, memory, page cache, disk read, disk write, network received, network sent, loopback; as shares of the node's capacity, divided by their root mean square over the training co-runs",
    ),
    (
        "Input",
        "both solo traces stacked step by step, the second shifted by its start offset; per job and metric a value and a mask, whether the job runs, how far it is through its solo run; the lengths and the step. Zero where a job has not started or has ended",
    ),
    ("Encoder", "one layer, one direction, the gates in one product"),
    ("Attention", "scaled dot product over the encoder's states, from the decoder state of the step before"),
    (
        "Decoder",
        "reads the metrics and completions that it wrote a step before, and who runs; its first state is made from the encoder's last",
    ),
    (
        "Completion",
        "the decoder writes each job's rate (1 = as fast as alone, 0.1 to 1.2), which is summed up to the completion; a job ends when its completion reaches one, and the sequence with the last job. The slowdown is read off the end",
    ),
    ("Loss", "mean squared error of metrics, completions and rates, the last two weighted"),
    (
        "Teacher forcing",
        "each step reads the truth with a chance that falls from one to zero over the first part of training; from then on the network reads only itself",
    ),
    (
        "Examples",
        "any solo repeat of either job, either order, grids of 0.5, 0.75 and 1 s, some metrics left out",
    ),
    (
        "Jobs' shares",
        "the network forecasts the node; the node's total is split in proportion to what each job's solo trace has where its completion stands",
    ),
];

/// Everything that a card says besides what stands in the model file's header.
pub(crate) struct Card<'a> {
    pub(crate) recipe: &'a Recipe,
    pub(crate) seed: u64,
    pub(crate) manifest: &'a Manifest,
    /// Co-runs that it was fitted to.
    pub(crate) coruns: usize,
    pub(crate) parameters: usize,
    pub(crate) evaluation: Option<&'a Evaluation>,
}

impl Card<'_> {
    /// The card inside the model file.
    ///
    /// # Errors
    /// How it was fitted can't be written as JSON.
    pub(crate) fn json(&self) -> Result<Value> {
        let model = self.recipe.method().name();
        let sections: Vec<Value> = self
            .evaluation
            .into_iter()
            .flat_map(|evaluation| &evaluation.sections)
            .map(|section| {
                // Its own figures come first: who looks for one of this model's takes the first of a network.
                let (own, others): (Vec<&Row>, Vec<&Row>) =
                    section.rows.iter().partition(|row| row.method == model);
                let rows: Vec<Value> = own.into_iter().chain(others).map(row).collect();
                json!({ "name": section.name, "description": section.description, "rows": rows })
            })
            .collect();
        let fit = match self.recipe {
            Recipe::Cotrace(method) => serde_json::to_value(&method.config)?,
            Recipe::ResourceNet(method) => {
                serde_json::to_value(FitConfig { seed: self.seed, ..method.config.clone() })?
            }
        };
        Ok(json!({
            "title": self.title(),
            "data": self.manifest.name,
            "node": describe(&self.manifest.node.capacity),
            "jobs": self.manifest.jobs.iter().map(|job| job.name.clone()).collect::<Vec<_>>(),
            "co_runs": self.coruns,
            "fit": fit,
            "seed": self.seed,
            "parameters": self.parameters,
            "held_out": sections,
        }))
    }

    fn title(&self) -> &'static str {
        match self.recipe {
            Recipe::Cotrace(_) => "cotrace: progress pointers",
            Recipe::ResourceNet(_) => "resourcenet: the published model",
        }
    }

    /// What kind of model it is.
    fn what(&self) -> &'static str {
        match self.recipe {
            Recipe::Cotrace(_) => {
                "Forecasts what batch jobs do to each other on one node from the trace that each leaves alone. Each job \
                 has a pointer on its own solo trace; at every step a small network says how fast it moves, from what the \
                 job asks for there, what the others ask for, and what kind of job each is. \
                 `crates/model/src/cotrace.rs` says how."
            }
            Recipe::ResourceNet(_) => {
                "Forecasts what two batch jobs do to each other on one node from the trace that each leaves alone. After \
                 Buchaca, Marcual, Berral, Carrera, *Sequence-to-sequence models for workload interference prediction on \
                 batch processing datacenters*, Future Generation Computer Systems 110 (2020), arXiv 2006.14429. A GRU \
                 encoder reads the stacked solo traces, a GRU decoder with attention writes the co-run."
            }
        }
    }

    /// Optimiser steps, and co-runs in each.
    fn steps(&self) -> (usize, usize) {
        match self.recipe {
            Recipe::Cotrace(method) => (method.config.steps, method.config.batch),
            Recipe::ResourceNet(method) => (method.config.steps, method.config.batch),
        }
    }

    /// The card as a page.
    pub(crate) fn markdown(&self, header: &Header) -> String {
        let model = self.recipe.method().name();
        let mut out = format!(
            "# {}\n\n{} This page and the file beside it are written by `cotrace train --from-scratch --model {model}`.\n\n",
            self.title(),
            self.what()
        );
        let jobs = self.manifest.jobs.iter().filter(|job| job.size_of.is_none()).count();
        let (steps, batch) = self.steps();
        let _ = writeln!(
            out,
            "- {} parameters, hidden size {}, version {}\n\
             - fitted to all {} undisturbed co-runs of two jobs of the data set {} ({jobs} jobs; {})\n\
             - {steps} optimiser steps of {batch} co-runs, seed {}\n",
            self.parameters,
            header.hidden,
            header.version,
            self.coruns,
            self.manifest.name,
            describe(&self.manifest.node.capacity),
            self.seed
        );
        if let Recipe::ResourceNet(_) = self.recipe {
            out.push_str("## What the publication leaves open, and what was chosen\n\n| | |\n|---|---|\n");
            for (what, choice) in CHOICES {
                let _ = writeln!(out, "| {what} | {choice} |");
            }
            out.push('\n');
        }
        bands(&mut out, header);
        self.limits(&mut out);
        match self.evaluation {
            Some(evaluation) => {
                out.push_str(
                    "\n## How well it does\n\nOn what its trainings had not seen; the file here was fitted to all.\n\n",
                );
                // Without its title, and with headings one level down.
                let page = evaluation.markdown();
                let text = page.split_once('\n').map_or("", |(_, text)| text);
                out.push_str(&text.trim_start().replace("\n## ", "\n### "));
            }
            None => out.push_str("\nIt has not been judged.\n"),
        }
        out
    }

    fn limits(&self, out: &mut String) {
        let jobs = match self.recipe {
            Recipe::Cotrace(_) => "It was fitted to pairs; of three jobs and more it has seen none.",
            Recipe::ResourceNet(_) => "Two jobs, no more.",
        };
        let _ = writeln!(
            out,
            "\n## When not to trust it\n\n\
             - One kind of machine, few jobs: a job unlike the training jobs, or a node of another size, is out of its depth. \
             The forecast's distance says so, but it is a rule of thumb, not a guarantee.\n\
             - {jobs} Memory pressure (swapping, an out-of-memory kill) was not in the training data.\n\
             - Network between machines was not in the training data: only loopback.\n\
             - A solo trace that fills the node hides what the job would use on a bigger one."
        );
    }
}

fn bands(out: &mut String, header: &Header) {
    out.push_str(
        "## Bands\n\nHalf-widths of the 90 % bands, from errors on jobs that a fit had not seen, each of five groups left out \
         in turn; whether they hold is in the figures below, where there are any.\n\n| | half-width |\n|---|---:|\n",
    );
    for (metric, width) in &header.bands.metrics {
        let _ =
            writeln!(out, "| {}, mean over a tenth of the makespan | {width} of capacity |", metric.title());
    }
    if let Some(width) = header.bands.slowdown {
        let scale = match header.experience {
            Some(_) => "(0.02 + how far it may be off as the model reckons it)",
            None => "(0.1 + its distance from 1)",
        };
        let _ = writeln!(out, "| slowdown | {width} x {scale} |");
    }
}

/// Means over seeds.
fn row(row: &Row) -> Value {
    let mean = |get: fn(&Figures) -> Option<Spread>| -> Value {
        let spreads: Vec<_> = row.seeds.iter().filter_map(get).collect();
        let of = |value: fn(&Spread) -> f64| spreads.iter().map(value).sum::<f64>() / spreads.len() as f64;
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

/// The capacity that shares refer to.
fn describe(capacity: &Capacity) -> String {
    let text = |value: Option<f64>, unit: &str, by: f64| {
        value.map_or_else(|| "unknown".to_owned(), |value| format!("{:.1} {unit}", value / by))
    };
    format!(
        "{}, memory {}, disk {}, network {}",
        text(capacity.cores, "cores", 1.0),
        text(capacity.memory_bytes, "GB", 1e9),
        text(capacity.disk_bytes_per_second, "MB/s", 1e6),
        text(capacity.network_bytes_per_second, "MB/s", 1e6)
    )
}
