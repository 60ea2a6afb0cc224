//! The model that ships: fitted to everything, with what evaluations say of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use cotrace_dataset::{DataSet, Manifest};
use cotrace_evaluate::{Case, Evaluation, Training};
use cotrace_model::{DistanceReference, Header, ModelFile, Network};

use crate::card::Card;
use crate::checkpoints::Checkpoints;
use crate::ready::Ready;
use crate::recipe::{Recipe, Runs, numbered, parameters, runs_of};

/// The version written into model files.
const VERSION: &str = "1";

/// What to fit, and where it goes.
#[derive(Clone, Debug)]
pub struct ShipOptions {
    /// The data set's folder.
    pub data: PathBuf,
    /// The folder to write to: the model file, which is called after the model, and its card `README.md`.
    pub out: PathBuf,
    /// What to fit.
    pub recipe: Recipe,
    /// Seed of everything random.
    pub seed: u64,
    /// An `evaluation.json` of the same data set, for the card: how the model does on what its training has not seen.
    pub figures: Option<PathBuf>,
    /// Go on with what was left in `out` when an earlier call was stopped.
    pub resume: bool,
}

/// How far the fits are.
#[derive(Clone, Debug)]
pub struct ShipProgress {
    /// Which fit: `model`, or one for the bands, such as `without fio-direct and spark-sql`.
    pub fit: String,
    /// Its number, from 0.
    pub index: usize,
    /// How many there are.
    pub fits: usize,
    /// Optimiser steps done.
    pub step: usize,
    /// Of how many.
    pub steps: usize,
    /// What is to be said of it.
    pub what: String,
}

/// What was given can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable(pub String);

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

/// Fits a model to every undisturbed co-run of two jobs of a data set and writes it. Gives the card. Several fits run at a
/// time, and `progress` is called from all of them.
///
/// # Errors
/// [`DataError`](cotrace_dataset::DataError) or [`Unusable`] for what was given, [`Stopped`](crate::Stopped) if `stop` was
/// set (what is done is kept), else what went wrong with a file.
pub fn ship(
    options: &ShipOptions,
    stop: &AtomicBool,
    progress: &(dyn Fn(&ShipProgress) + Sync),
) -> Result<String> {
    let name = options.recipe.method().name();
    let data = DataSet::read(&options.data)?;
    let figures = options.figures.as_deref();
    let evaluation = figures.map(|path| read_figures(path, &data, &name)).transpose()?;
    let (cases, _) = Case::all(&data);
    let training = Training::of("all", &data, &cases, &everything(&data.manifest));
    if training.cases.is_empty() {
        return Err(Unusable(format!(
            "{}: no undisturbed co-run of two jobs has its jobs' solo runs, so there is nothing to learn from",
            options.data.display()
        ))
        .into());
    }
    let checkpoints = options.out.join("checkpoints");
    if !options.resume {
        remove(&checkpoints)?;
    }
    let fits = Fits::plan(options, &data, &cases, &training)?;
    let mut networks = fits.all(&checkpoints, stop, progress)?;
    let ready = fits
        .tasks
        .iter()
        .zip(&networks)
        .map(|(task, network)| {
            let seen = fits.training(task);
            let experience = options.recipe.experience(network, &seen)?;
            let ready = Ready::new(network.clone(), options.recipe.scales(&seen), experience)?;
            Ok((task.runs.clone(), ready))
        })
        .collect::<Result<_>>()?;
    let bands = options.recipe.bands(&training, options.seed, &ready)?;
    let network = numbered(networks.swap_remove(0));
    let experience = options.recipe.experience(&network, &training)?;
    let card = Card {
        recipe: &options.recipe,
        seed: options.seed,
        manifest: &data.manifest,
        coruns: training.cases.len(),
        parameters: parameters(&network),
        evaluation: evaluation.as_ref(),
    };
    let header = Header {
        name: name.clone(),
        version: VERSION.to_owned(),
        hidden: network.hidden(),
        scales: options.recipe.scales(&training),
        bands,
        distance: DistanceReference::new(training.cases.iter().map(|case| &case.scene)),
        experience,
        card: card.json()?,
    };
    let page = card.markdown(&header);
    std::fs::create_dir_all(&options.out).with_context(|| format!("{}", options.out.display()))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = options.out.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("{}", path.display()))
    };
    write(&format!("{name}.cotrace"), &ModelFile { header, network }.to_bytes()?)?;
    write("README.md", page.as_bytes())?;
    remove(&checkpoints)?;
    Ok(page)
}

/// Every undisturbed run of one job or two on the whole node.
fn everything(manifest: &Manifest) -> Runs {
    let seen = manifest.runs.iter().filter(|run| !run.disturbed && run.cut.is_none() && run.jobs.len() <= 2);
    seen.map(|run| run.id.clone()).collect()
}

fn read_figures(path: &Path, data: &DataSet, model: &str) -> Result<Evaluation> {
    let unusable = |what: String| Unusable(format!("{}: {what}", path.display()));
    let text = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
    let evaluation: Evaluation =
        serde_json::from_slice(&text).map_err(|error| unusable(format!("not an evaluation: {error}")))?;
    let of = &evaluation.data.name;
    ensure!(
        *of == data.manifest.name,
        unusable(format!("an evaluation on the data set {of}, not on {}", data.manifest.name))
    );
    let judged: Vec<&str> = evaluation.methods.iter().map(|method| &*method.name).collect();
    ensure!(
        judged.contains(&model),
        unusable(format!("an evaluation of {}, not of {model}", judged.join(", ")))
    );
    Ok(evaluation)
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    }
    Ok(())
}

/// One fit.
struct Task {
    name: String,
    folder: String,
    runs: Runs,
}

/// The fits behind a model: the model's first, then those that its bands come from.
struct Fits<'a> {
    options: &'a ShipOptions,
    data: &'a DataSet,
    cases: &'a [Case],
    tasks: Vec<Task>,
}

impl<'a> Fits<'a> {
    fn plan(
        options: &'a ShipOptions,
        data: &'a DataSet,
        cases: &'a [Case],
        training: &Training<'_>,
    ) -> Result<Fits<'a>> {
        let whole = Task { name: "model".to_owned(), folder: "model".to_owned(), runs: runs_of(training) };
        let mut fits = Fits { options, data, cases, tasks: vec![whole] };
        let all = jobs_of(training);
        for (index, runs) in
            options.recipe.trainings_of_bands(training, options.seed)?.into_iter().enumerate()
        {
            let mut task = Task { name: String::new(), folder: format!("bands-{index}"), runs };
            let seen = jobs_of(&fits.training(&task));
            let unseen: Vec<&str> = all.difference(&seen).map(String::as_str).collect();
            let what = if unseen.is_empty() { "some pairs".to_owned() } else { unseen.join(" and ") };
            task.name = format!("without {what}");
            fits.tasks.push(task);
        }
        Ok(fits)
    }

    /// What a fit may see.
    fn training<'b>(&'b self, task: &'b Task) -> Training<'b> {
        Training::of(&task.name, self.data, self.cases, &task.runs)
    }

    /// Makes every fit, as many at a time as there are threads; the first error ends all.
    fn all(
        &self,
        checkpoints: &Path,
        stop: &AtomicBool,
        progress: &(dyn Fn(&ShipProgress) + Sync),
    ) -> Result<Vec<Network>> {
        let next = AtomicUsize::new(0);
        let results: Mutex<BTreeMap<usize, Result<Network>>> = Mutex::default();
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = self.tasks.get(index) else { break };
                let fitted = self.one(index, task, checkpoints, stop, progress);
                if fitted.is_err() {
                    next.store(self.tasks.len(), Ordering::Relaxed);
                }
                results.lock().unwrap_or_else(PoisonError::into_inner).insert(index, fitted);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 1..threads.min(self.tasks.len()) {
                scope.spawn(work);
            }
            work();
        });
        results.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
    }

    fn one(
        &self,
        index: usize,
        task: &Task,
        checkpoints: &Path,
        stop: &AtomicBool,
        progress: &(dyn Fn(&ShipProgress) + Sync),
    ) -> Result<Network> {
        let ShipOptions { recipe, seed, .. } = self.options;
        let training = self.training(task);
        let kept = Checkpoints::new(&checkpoints.join(&task.folder), recipe.configuration(&training, *seed));
        let tell = |step: usize, steps: usize, what: &str| {
            progress(&ShipProgress {
                fit: task.name.clone(),
                index,
                fits: self.tasks.len(),
                step,
                steps,
                what: what.to_owned(),
            });
        };
        recipe.fit(&training, *seed, &kept, stop, &tell)
    }
}

/// The jobs of a training's co-runs.
fn jobs_of(training: &Training<'_>) -> BTreeSet<String> {
    training.cases.iter().flat_map(|case| case.jobs.clone()).collect()
}
