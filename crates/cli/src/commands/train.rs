//! `cotrace train --data DIR`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use clap::builder::RangedU64ValueParser;
use cotrace_train::{CotraceMethod, Recipe, ResourceNetMethod, ShipOptions, ShipProgress, Unusable};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;
use crate::load;

/// Model files can't ask for more.
const MOST_HIDDEN: u64 = 4096;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data set's folder
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which model
    #[arg(long, value_enum, default_value = "cotrace")]
    model: ModelKind,
    /// The folder to write the model file and its card README.md to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// An evaluation.json of the same data set, as cotrace evaluate writes it: its figures go into the card
    #[arg(long, value_name = "FILE")]
    figures: Option<PathBuf>,
    /// Optimiser steps
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    steps: Option<usize>,
    /// Features of hidden layers or states
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_HIDDEN))]
    hidden: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Go on where an earlier training to the same folder was stopped
    #[arg(long)]
    resume: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModelKind {
    /// Ours: progress pointers.
    Cotrace,
    /// The published one.
    Resourcenet,
}

pub(crate) fn run(args: Args) -> Result<ExitCode, Failure> {
    let recipe = match args.model {
        ModelKind::Cotrace => {
            let mut method = CotraceMethod::default();
            method.config.steps = args.steps.unwrap_or(method.config.steps);
            method.config.hidden = args.hidden.unwrap_or(method.config.hidden);
            Recipe::Cotrace(method)
        }
        ModelKind::Resourcenet => {
            let mut method = ResourceNetMethod::default();
            method.config.steps = args.steps.unwrap_or(method.config.steps);
            method.config.hidden = args.hidden.unwrap_or(method.config.hidden);
            Recipe::ResourceNet(method)
        }
    };
    let options = ShipOptions {
        data: args.data,
        out: args.out,
        recipe,
        seed: args.seed,
        figures: args.figures,
        resume: args.resume,
    };
    let stop = cotrace_collect::stop_on_signals();
    let bars = Bars::new();
    let card = cotrace_train::ship(&options, &stop, &|progress| bars.show(progress));
    bars.clear();
    let card = card.map_err(|error| {
        let text = format!("{error:#}");
        let given = error.is::<cotrace_dataset::DataError>() || error.is::<Unusable>();
        if given { Failure::Input(text) } else { Failure::Undone(text) }
    })?;
    load::print(&card)?;
    Ok(ExitCode::SUCCESS)
}

/// One bar per fit; without a terminal, a line now and then.
struct Bars {
    all: MultiProgress,
    /// How many there must be is known once the first fit runs.
    bars: Mutex<Vec<ProgressBar>>,
}

impl Bars {
    fn new() -> Bars {
        Bars { all: MultiProgress::with_draw_target(ProgressDrawTarget::stderr()), bars: Mutex::default() }
    }

    fn show(&self, progress: &ShipProgress) {
        let ShipProgress { fit, index, fits, step, steps, what } = progress;
        if self.all.is_hidden() {
            if step % 50 == 0 || step == steps {
                eprintln!("[{}/{fits}] {fit}: step {step} of {steps}, {what}", index + 1);
            }
            return;
        }
        let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        while bars.len() < *fits {
            let bar = self.all.add(ProgressBar::new(0));
            if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta} {msg}") {
                bar.set_style(style);
            }
            bars.push(bar);
        }
        if let Some(bar) = bars.get(*index) {
            bar.set_length(*steps as u64);
            bar.set_position(*step as u64);
            bar.set_message(format!("{fit}, {what}"));
        }
    }

    fn clear(&self) {
        // A bar that can't be cleared stays on the screen; the card follows either way.
        let _ = self.all.clear();
    }
}
