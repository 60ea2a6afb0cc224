//! `cotrace train --data DIR`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use cotrace_train::{CotraceMethod, DataError, FitConfig, ShipOptions, Stopped, TrainOptions, TrainProgress};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;
use crate::load;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data set's folder
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which model
    #[arg(long, value_enum, default_value = "resourcenet")]
    model: ModelKind,
    /// The folder to write the model, its report and its card to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Optimiser steps
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Features of encoder and decoder states
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Share of the pairs that are held out to judge the model
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    hold_out: f64,
    /// Also leave out each of this many groups of jobs in turn, to judge jobs never seen; 0: don't
    #[arg(long, value_name = "N", default_value_t = 0)]
    job_folds: usize,
    /// Go on with a training that was stopped
    #[arg(long)]
    resume: bool,
    /// An evaluation.json of the same data set, whose figures go into the card of cotrace
    #[arg(long, value_name = "FILE")]
    figures: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModelKind {
    /// Ours: progress pointers.
    Cotrace,
    /// The published one.
    Resourcenet,
}

pub(crate) fn run(args: Args) -> Result<ExitCode, Failure> {
    if !(0.0..1.0).contains(&args.hold_out) {
        return Err(Failure::Usage("--hold-out needs a share from 0 to below 1, such as 0.2".to_owned()));
    }
    if let ModelKind::Cotrace = args.model {
        return ship(args);
    }
    let defaults = FitConfig::default();
    let options = TrainOptions {
        data: args.data,
        out: args.out,
        config: FitConfig {
            steps: args.steps.unwrap_or(defaults.steps),
            hidden: args.hidden.unwrap_or(defaults.hidden),
            seed: args.seed,
            ..defaults
        },
        hold_out_pairs: args.hold_out,
        job_folds: args.job_folds,
        resume: args.resume,
    };
    let stop = cotrace_collect::stop_on_signals();
    let bars = Bars::new(options.job_folds + 1);
    let report =
        cotrace_train::train(&options, &stop, &|progress| bars.show(&progress)).map_err(|error| {
            if error.downcast_ref::<DataError>().is_some() {
                Failure::Input(format!("{error:#}"))
            } else if error.downcast_ref::<Stopped>().is_some() {
                Failure::Undone(error.to_string())
            } else {
                Failure::Undone(format!("{error:#}"))
            }
        })?;
    bars.clear();
    load::print(&report.markdown())?;
    Ok(ExitCode::SUCCESS)
}

fn ship(args: Args) -> Result<ExitCode, Failure> {
    let mut method = CotraceMethod::default();
    method.config.steps = args.steps.unwrap_or(method.config.steps);
    method.config.hidden = args.hidden.unwrap_or(method.config.hidden);
    let options =
        ShipOptions { data: args.data, out: args.out, method, seed: args.seed, figures: args.figures };
    let stop = cotrace_collect::stop_on_signals();
    let bar = ProgressBar::new(0);
    let card = cotrace_train::ship(&options, &stop, &|step, steps, what| {
        bar.set_length(steps as u64);
        bar.set_position(step as u64);
        bar.set_message(what.to_owned());
    });
    bar.finish_and_clear();
    let card = card.map_err(|error| {
        let text = format!("{error:#}");
        let of_data = error.downcast_ref::<cotrace_dataset::DataError>().is_some();
        if of_data { Failure::Input(text) } else { Failure::Undone(text) }
    })?;
    load::print(&card)?;
    Ok(ExitCode::SUCCESS)
}

/// One bar per training; without a terminal, a line now and then.
struct Bars {
    all: MultiProgress,
    bars: Vec<ProgressBar>,
}

impl Bars {
    fn new(tasks: usize) -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bars = (0..tasks).map(|_| all.add(ProgressBar::new(0).with_style(style.clone()))).collect();
        Bars { all, bars }
    }

    fn show(&self, progress: &TrainProgress) {
        let TrainProgress { task, index, tasks, step, steps, loss } = progress;
        if self.all.is_hidden() {
            if step % 50 == 0 || step == steps {
                eprintln!("[{}/{tasks}] {task}: step {step} of {steps}, loss {loss:.4}", index + 1);
            }
        } else if let Some(bar) = self.bars.get(*index) {
            bar.set_length(*steps as u64);
            bar.set_position(*step as u64);
            bar.set_message(format!("{task}, loss {loss:.4}"));
        }
    }

    fn clear(&self) {
        // A bar that can't be cleared stays on the screen; the report follows either way.
        let _ = self.all.clear();
    }
}
