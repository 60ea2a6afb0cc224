//! The report of a training: held-out errors beside the baselines, as JSON and as Markdown.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::evaluate::{FOOTPRINT, Figures, PairFigures};
use crate::fit::FitConfig;

/// Everything a training has to say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this form: 1.
    pub cotrace_report: u32,
    /// Which model.
    pub model: String,
    /// The data set's name.
    pub data: String,
    /// The node it was measured on.
    pub node: String,
    /// How the model was fitted.
    pub config: FitConfig,
    /// Parameters of the network.
    pub parameters: usize,
    /// Training time in seconds, all trainings together, on how many threads.
    pub training_seconds: f64,
    /// Threads used.
    pub threads: usize,
    /// Pairs that the model in the folder was not trained on, each in alphabetical order.
    pub held_out_pairs: Vec<[String; 2]>,
    /// Solo repeatability: the job's name, its median solo duration in seconds, and the largest deviation of a
    /// repeat from it in percent.
    pub solo_spread: Vec<(String, f64, f64)>,
    /// Held-out errors, split by split.
    pub sections: Vec<Section>,
}

/// One split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// For example `unseen pairs`.
    pub name: String,
    /// What was held out, in words.
    pub description: String,
    /// Means of each predictor, the model first.
    pub rows: Vec<(String, Figures)>,
    /// The model's figures pair by pair.
    pub pairs: Vec<PairFigures>,
}

impl Report {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "# Held-out errors of {}\n", self.model);
        let _ = writeln!(
            out,
            "Data set {} ({}). {} parameters; {} optimiser steps of {} co-runs; seed {}; {:.0} s of training on {} \
             threads for all trainings together.\n",
            self.data,
            self.node,
            self.parameters,
            self.config.steps,
            self.config.batch,
            self.config.seed,
            self.training_seconds,
            self.threads
        );
        out.push_str(&self.sections_markdown());
        out.push_str("## How far repeats of a solo run differ\n\n| job | median, s | largest deviation of a repeat, % |\n|---|---:|---:|\n");
        for (job, seconds, percent) in &self.solo_spread {
            let _ = writeln!(out, "| {job} | {seconds:.1} | {percent:.1} |");
        }
        out
    }

    /// The splits' tables alone, for the model card.
    pub fn sections_markdown(&self) -> String {
        let mut out = String::new();
        for section in &self.sections {
            section.markdown(&mut out);
        }
        out
    }
}

impl Section {
    fn markdown(&self, out: &mut String) {
        let _ = writeln!(out, "## {}\n\n{}\n", capitalised(&self.name), self.description);
        out.push_str(
            "| | footprint per step, % of capacity | footprint per tenth, % of capacity | slowdown, points | finish time, % |\n|---|---:|---:|---:|---:|\n",
        );
        for (name, figures) in &self.rows {
            let cell =
                |spread: crate::evaluate::Spread| format!("{:.1} ± {:.1}", spread.mean, spread.deviation);
            let _ = writeln!(
                out,
                "| {name} | {} | {} | {} | {} |",
                cell(figures.footprint_step_percent),
                cell(figures.footprint_tenths_percent),
                cell(figures.slowdown_points),
                cell(figures.finish_percent)
            );
        }
        out.push_str("\nMean absolute errors; ± is the standard deviation over pairs (footprint) or over the jobs of pairs. Footprint: the mean of CPU, memory, disk reads and disk writes. By metric, per step:\n\n|");
        for metric in FOOTPRINT {
            let _ = write!(out, " | {}", metric.title());
        }
        out.push_str(" |\n|---|---:|---:|---:|---:|\n");
        for (name, figures) in &self.rows {
            let _ = write!(out, "| {name}");
            for metric in FOOTPRINT {
                let error =
                    figures.metrics.get(&metric).map(|errors| format!("{:.1}", errors.mae_step_percent));
                let _ = write!(out, " | {}", error.unwrap_or_else(|| "unknown".to_owned()));
            }
            out.push_str(" |\n");
        }
        out.push_str("\n| co-run | slowdowns forecast | measured |\n|---|---:|---:|\n");
        for pair in &self.pairs {
            let [a, b] = pair.slowdowns;
            let [c, d] = pair.measured_slowdowns;
            let _ = writeln!(out, "| {} | {a:.2}, {b:.2} | {c:.2}, {d:.2} |", pair.pair);
        }
        out.push('\n');
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + characters.as_str())
}
