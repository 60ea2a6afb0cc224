//! A model that is there, taught by co-runs of one's own.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use cotrace_dataset::DataSet;
use cotrace_evaluate::{Case, Predictor};
use cotrace_model::cotrace::{Ablation, Experience};
use cotrace_model::{Forecaster, Header, ModelFile, Network, default_device};

use crate::cotrace::{extended, measure};
use crate::fit::Stopped;
use crate::ready::Ready;
use crate::ship::Unusable;

/// Fewer pairs can't show whether they help.
const LEAST_PAIRS: usize = 2;

/// What to teach, by what, and where it goes.
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// The data set's folder.
    pub data: PathBuf,
    /// The folder to write to: `cotrace.cotrace` and `README.md`.
    pub out: PathBuf,
}

/// What came of it: slowdown errors in points, each co-run forecast by what the co-runs of other pairs taught.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// Co-runs learned from.
    pub coruns: usize,
    /// Pairs of jobs among them.
    pub pairs: usize,
    /// Mean absolute error of the model as it was.
    pub before_points: f64,
    /// Mean absolute error of the model that saw all pairs but the one that it forecasts.
    pub after_points: f64,
    /// The card that was written, or would have been.
    pub card: String,
}

impl Tuned {
    /// Whether it helped.
    pub fn helped(&self) -> bool {
        self.after_points < self.before_points
    }
}

/// Teaches `model` the co-runs of two jobs of a data set: what it gets wrong on them goes into its experience, its weights
/// stay. Whether that helps is tried on each pair, left out in turn; the model is written either way, and its card says.
/// `progress` is told how many pairs were tried, of how many.
///
/// # Errors
/// [`DataError`](cotrace_dataset::DataError) or [`Unusable`] for what was given, [`Stopped`] if `stop` was set, else what
/// went wrong with a file.
pub fn tune(
    model: ModelFile,
    options: &TuneOptions,
    stop: &AtomicBool,
    progress: &dyn Fn(usize, usize),
) -> Result<Tuned> {
    let ModelFile { header, network } = model;
    let (Network::Cotrace(pointers), Some(experience)) = (&network, &header.experience) else {
        bail!(Unusable(format!(
            "the model {} can't be taught: only cotrace has experience to add to; fit it from scratch instead",
            header.name
        )));
    };
    let data = DataSet::read(&options.data)?;
    let (cases, _) = Case::all(&data);
    let cases: Vec<&Case> = cases.iter().filter(|case| case.jobs.len() == 2).collect();
    let pairs: BTreeSet<&str> = cases.iter().map(|case| &*case.same).collect();
    if pairs.len() < LEAST_PAIRS {
        bail!(Unusable(format!(
            "{}: {} measured pairs of jobs, each with the jobs' solo runs; at least {LEAST_PAIRS} are needed, and five or more \
             to tell much",
            options.data.display(),
            pairs.len()
        )));
    }
    let measurements = measure(pointers, &cases, Ablation::Nothing).map_err(|error| anyhow!(error))?;
    let with = |experience: Experience| -> Result<Ready> {
        let header = Header { experience: Some(experience), ..header.clone() };
        Ok(Ready(Forecaster::from_parts(header, network.clone(), &default_device())?))
    };
    let before = errors(&with(experience.clone())?, &cases);
    let mut after = Vec::new();
    for (done, pair) in pairs.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Err(Stopped { step: done }.into());
        }
        let others = measurements.iter().filter(|measurement| measurement.same != *pair);
        let left_out: Vec<&Case> = cases.iter().filter(|case| case.same == *pair).copied().collect();
        after.extend(errors(&with(extended(experience, others))?, &left_out));
        progress(done + 1, pairs.len());
    }
    let mut tuned = Tuned {
        coruns: cases.len(),
        pairs: pairs.len(),
        before_points: mean(&before),
        after_points: mean(&after),
        card: String::new(),
    };
    tuned.card = card(&tuned, &header, &data.manifest.name);
    let version = format!("{}+{}", header.version, data.manifest.name);
    let experience = Some(extended(experience, &measurements));
    write(
        &options.out,
        &ModelFile { header: Header { experience, version, ..header }, network },
        &tuned.card,
    )?;
    Ok(tuned)
}

/// Absolute slowdown errors in points, of every job of every case.
fn errors(model: &Ready, cases: &[&Case]) -> Vec<f64> {
    let questions: Vec<_> = cases.iter().map(|case| case.question()).collect();
    let forecasts = cases.iter().zip(model.predict(&questions));
    forecasts
        .filter_map(|(case, forecast)| Some((case, case.slowdowns_of(&forecast?.outcome.finish_seconds))))
        .flat_map(|(case, forecast)| {
            forecast
                .into_iter()
                .zip(case.slowdowns())
                .map(|(forecast, measured)| 100.0 * (forecast - measured).abs())
        })
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn card(tuned: &Tuned, header: &Header, data: &str) -> String {
    let Tuned { coruns, pairs, before_points, after_points, .. } = tuned;
    let mut card = format!(
        "# cotrace, taught by {data}\n\n\
         The model cotrace, version {}, that also learned from {coruns} co-runs of {pairs} pairs of jobs of the data set {data}: \
         what it got wrong on them corrects its forecasts of jobs like these. Its weights are the same.\n\n\
         | slowdown error, points | |\n|---|---:|\n\
         | as it was | {before_points:.1} |\n\
         | with what the other pairs taught, each pair left out in turn | {after_points:.1} |\n\n",
        header.version
    );
    let verdict = if tuned.helped() {
        "It helped on pairs that it had not seen, of jobs that it had."
    } else {
        "**It did not help** on pairs that it had not seen: use the model as it was, or measure more pairs."
    };
    let _ = writeln!(
        card,
        "{verdict} The bands are those of the model as it was, in units of what it reckons to be off by."
    );
    card
}

fn write(out: &Path, file: &ModelFile, card: &str) -> Result<()> {
    std::fs::create_dir_all(out).with_context(|| format!("{}", out.display()))?;
    for (name, bytes) in [("cotrace.cotrace", &*file.to_bytes()?), ("README.md", card.as_bytes())] {
        let path = out.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}
