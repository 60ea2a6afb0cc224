//! The model card: what a model is, what it was trained on, how well it does, when not to trust it.

use std::fmt::Write as _;

use cotrace_model::Header;
use serde_json::{Value, json};

use crate::data::DataSet;
use crate::report::Report;
use crate::split::Split;

/// What the publication leaves open, and what was chosen.
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

/// The card inside the model file.
pub(crate) fn json(report: &Report, data: &DataSet, split: &Split) -> Value {
    let sections: Vec<Value> = report
        .sections
        .iter()
        .map(|section| {
            let rows: Vec<Value> = section
                .rows
                .iter()
                .map(|(name, figures)| {
                    json!({
                        "predictor": name,
                        "pairs": figures.pairs,
                        "footprint_step_percent": figures.footprint_step_percent,
                        "footprint_tenths_percent": figures.footprint_tenths_percent,
                        "slowdown_points": figures.slowdown_points,
                        "finish_percent": figures.finish_percent,
                    })
                })
                .collect();
            json!({ "name": section.name, "description": section.description, "rows": rows })
        })
        .collect();
    json!({
        "title": "resourcenet: the published model",
        "data": data.manifest.name,
        "node": report.node,
        "jobs": data.manifest.jobs.iter().map(|job| job.name.clone()).collect::<Vec<_>>(),
        "held_out_pairs": split.pairs,
        "parameters": report.parameters,
        "held_out": sections,
    })
}

/// The card as a page.
pub(crate) fn markdown(report: &Report, header: &Header) -> String {
    let mut out = String::from(
        "# resourcenet: the published model\n\n\
         Forecasts what two batch jobs do to each other on one node from the trace that each leaves alone. After \
         Buchaca, Marcual, Berral, Carrera, *Sequence-to-sequence models for workload interference prediction on \
         batch processing datacenters*, Future Generation Computer Systems 110 (2020), arXiv 2006.14429. A GRU \
         encoder reads the stacked solo traces, a GRU decoder with attention writes the co-run. This page and \
         everything beside it is written by `cotrace train`.\n\n",
    );
    let _ = writeln!(
        out,
        "- {} parameters, hidden size {}, version {}\n- trained on the data set {} ({}), {} optimiser steps of {} co-runs, seed {}\n",
        report.parameters,
        report.config.hidden,
        header.version,
        report.data,
        report.node,
        report.config.steps,
        report.config.batch,
        report.config.seed
    );
    out.push_str(&report.sections_markdown());
    out.push_str("## What the publication leaves open, and what was chosen\n\n| | |\n|---|---|\n");
    for (what, choice) in CHOICES {
        let _ = writeln!(out, "| {what} | {choice} |");
    }
    out.push_str("\n## Bands\n\nHalf-widths of the 90 % bands: the 90 % quantile of the absolute errors on the last split above, pooled over steps; they were not checked on further data.\n\n| metric | half-width, share of capacity |\n|---|---:|\n");
    for (metric, width) in &header.bands.metrics {
        let _ = writeln!(out, "| {} | {width} |", metric.name());
    }
    if let Some(ratio) = header.bands.slowdown_ratio {
        let _ = writeln!(out, "| slowdown | times or by {ratio} |");
    }
    out.push_str(
        "\n## When not to trust it\n\n\
         - One machine, few jobs: a job unlike the training jobs, or a node of another size, is out of its depth. \
         The forecast's distance says so, but it is a rule of thumb, not a guarantee.\n\
         - Two jobs, no more. Memory pressure (swapping, an out-of-memory kill) was not in the training data.\n\
         - Network between machines was not in the training data: only loopback.\n\
         - A solo trace that fills the node hides what the job would use on a bigger one.\n",
    );
    out
}
