//! `cotrace train --data DIR`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use clap::builder::RangedU64ValueParser;
use cotrace_model::{ModelFile, default_device};
use cotrace_train::{
    CotraceMethod, Recipe, ResourceNetMethod, ShipOptions, ShipProgress, TuneOptions, Unusable,
};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;
use crate::load;

/// Model files can't ask for more.
const MOST_HIDDEN: u64 = 4096;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data set's folder; with a handful of pairs of your own jobs, cotrace learns what is special about them
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// What is taught the data set's pairs: cotrace, or a model file that came of it
    #[arg(long, value_name = "MODEL", default_value = "cotrace")]
    from: String,
    /// Fit all weights instead, to this data set alone: that takes hundreds of co-runs
    #[arg(long, conflicts_with = "from")]
    from_scratch: bool,
    /// Which model to fit from scratch
    #[arg(long, value_enum, default_value = "cotrace", requires = "from_scratch")]
    model: ModelKind,
    /// The folder to write the model file and its card README.md to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// An evaluation.json of the same data set, as cotrace evaluate writes it: its figures go into the card
    #[arg(long, value_name = "FILE", requires = "from_scratch")]
    figures: Option<PathBuf>,
    /// Optimiser steps
    #[arg(long, value_name = "N", requires = "from_scratch", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    steps: Option<usize>,
    /// Features of hidden layers or states
    #[arg(long, value_name = "N", requires = "from_scratch", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_HIDDEN))]
    hidden: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1, requires = "from_scratch")]
    seed: u64,
    /// Go on where an earlier training to the same folder was stopped
    #[arg(long, requires = "from_scratch")]
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
    if args.from_scratch { fit(args) } else { teach(&args) }
}

/// Teaches a model that is there.
fn teach(args: &Args) -> Result<ExitCode, Failure> {
    let bytes = load::model_bytes(&args.from)?;
    let model = ModelFile::from_bytes(&bytes, &default_device())
        .map_err(|error| Failure::Input(format!("{}: {error}", args.from)))?;
    let options = TuneOptions { data: args.data.clone(), out: args.out.clone() };
    let stop = cotrace_collect::stop_on_signals();
    let bar = ProgressBar::new(0);
    let tuned = cotrace_train::tune(model, &options, &stop, &|done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
        bar.set_message("pairs left out in turn");
    });
    bar.finish_and_clear();
    load::print(&tuned.map_err(|error| failure(&error))?.card)?;
    Ok(ExitCode::SUCCESS)
}

fn failure(error: &anyhow::Error) -> Failure {
    let text = format!("{error:#}");
    let given = error.is::<cotrace_dataset::DataError>() || error.is::<Unusable>();
    if given { Failure::Input(text) } else { Failure::Undone(text) }
}

/// Fits all weights.
fn fit(args: Args) -> Result<ExitCode, Failure> {
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
    load::print(&card.map_err(|error| failure(&error))?)?;
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
