//! A whole training: split, fit, judge, export.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use burn::module::Module;
use cotrace_dataset::RunKind;
use cotrace_evaluate::{Measured, Training};
use cotrace_forecast::{Baseline, Scene};
use cotrace_model::resourcenet::ResourceNet;
use cotrace_model::{DistanceReference, Forecaster, Header, ModelFile, Network};

use crate::card;
use crate::data::{DataSet, MeasuredPair, solo_seconds};
use crate::evaluate::{Figures, PairFigures, Predictor, bands, describe_capacity, evaluate};
use crate::examples::scales;
use crate::fit::{Checkpoints, FitConfig, fit};
use crate::report::{Report, Section};
use crate::split::Split;

/// The version written into model files.
const VERSION: &str = "1";

/// What to train, on what, and where it goes.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// The data set's folder.
    pub data: PathBuf,
    /// The folder to write to: `<name>.cotrace`, `report.json`, `report.md`, `README.md`.
    pub out: PathBuf,
    /// How to fit.
    pub config: FitConfig,
    /// Share of the pairs held out from the model that is written.
    pub hold_out_pairs: f64,
    /// Groups of jobs to leave out in turn, each with a training of its own; 0: none.
    pub job_folds: usize,
    /// Go on with what an earlier training left.
    pub resume: bool,
}

/// How far a training is.
#[derive(Clone, Debug)]
pub struct TrainProgress {
    /// Which training, for example `model` or `without fio, sqlite`.
    pub task: String,
    /// Its number, from 0.
    pub index: usize,
    /// How many there are.
    pub tasks: usize,
    /// Optimiser steps done.
    pub step: usize,
    /// Of how many.
    pub steps: usize,
    /// Running mean of the training loss.
    pub loss: f32,
}

struct Task {
    name: String,
    split: Split,
    folder: String,
}

/// Trains, judges and writes a model. `progress` is called from several threads.
///
/// # Errors
/// [`crate::DataError`] for the data, [`crate::Stopped`] if `stop` was set (the work done is kept), else what went
/// wrong with a file.
pub fn train(
    options: &TrainOptions,
    stop: &AtomicBool,
    progress: &(dyn Fn(TrainProgress) + Sync),
) -> Result<Report> {
    let started = Instant::now();
    let data = DataSet::read(&options.data)?;
    let pairs = data.pairs();
    anyhow::ensure!(
        pairs.len() >= 5,
        "{}: {} undisturbed co-runs of two jobs; at least 5 are needed",
        options.data.display(),
        pairs.len()
    );
    std::fs::create_dir_all(&options.out).with_context(|| format!("{}", options.out.display()))?;
    let tasks = tasks(&data, options);
    let checkpoints = options.out.join("checkpoints");
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    let networks = fit_all(&tasks, &data, options, &checkpoints, threads, stop, progress)?;

    let mut sections = Vec::new();
    let mut held_out: Vec<PairFigures> = Vec::new();
    let mut fold_rows: Vec<(String, Vec<PairFigures>)> = Vec::new();
    for (task, network) in tasks.iter().zip(&networks) {
        let (training, test): (Vec<_>, Vec<_>) = pairs.iter().partition(|pair| task.split.trains_on(pair));
        let forecaster = forecaster(network, &training, options, serde_json::Value::Null);
        let rows = judge_all(&forecaster, &test);
        if task.split.jobs.is_empty() {
            sections.push(section(
                "unseen pairs",
                &format!(
                    "{} co-runs of pairs held out from the training of the model in this folder: {}. Their jobs were seen alone and with others.",
                    test.len(),
                    task.split.pairs.iter().map(|pair| pair.join(" + ")).collect::<Vec<_>>().join(", ")
                ),
                rows,
            ));
            continue;
        }
        for (name, figures) in rows {
            match fold_rows.iter_mut().find(|(other, _)| *other == name) {
                Some((_, all)) => all.extend(figures),
                None => fold_rows.push((name, figures)),
            }
        }
    }
    if !fold_rows.is_empty() {
        let folds: Vec<String> = tasks.iter().skip(1).map(|task| task.name.clone()).collect();
        sections.push(section(
            "unseen jobs",
            &format!(
                "Every co-run with a job that its model had never seen, from {} further trainings: {}. A pair of jobs of two groups is judged by two models.",
                folds.len(),
                folds.join("; ")
            ),
            fold_rows,
        ));
    }
    // A visitor's job is one the model has not seen: bands come from unseen jobs where these were judged.
    if let Some(section) = sections.last() {
        held_out.extend(section.pairs.iter().cloned());
    }

    let model = networks.first().context("no training")?;
    let report = Report {
        cotrace_report: 1,
        model: "resourcenet".to_owned(),
        data: data.manifest.name.clone(),
        node: describe_capacity(&data.manifest.node.capacity),
        config: options.config.clone(),
        parameters: model.num_params(),
        training_seconds: started.elapsed().as_secs_f64(),
        threads,
        held_out_pairs: tasks[0].split.pairs.iter().cloned().collect(),
        solo_spread: solo_spread(&data),
        sections,
    };
    let training: Vec<&MeasuredPair<'_>> =
        pairs.iter().filter(|pair| tasks[0].split.trains_on(pair)).collect();
    let mut header = header(&training, options, card::json(&report, &data, &tasks[0].split));
    header.bands = bands(&held_out);
    write(options, model, header, &report)?;
    Checkpoints::new(&checkpoints, false).remove()?;
    Ok(report)
}

fn tasks(data: &DataSet, options: &TrainOptions) -> Vec<Task> {
    let split = Split::by_pairs(data, options.hold_out_pairs, options.config.seed);
    let mut tasks = vec![Task { name: "model".to_owned(), split, folder: "model".to_owned() }];
    if options.job_folds > 0 {
        for (at, split) in
            Split::job_folds(data, options.job_folds, options.config.seed).into_iter().enumerate()
        {
            let jobs: Vec<&str> = split.jobs.iter().map(String::as_str).collect();
            let name = format!("without {}", jobs.join(" and "));
            tasks.push(Task { name, split, folder: format!("fold-{at}") });
        }
    }
    tasks
}

/// Fits every task's network, `threads` at a time; the first error ends all.
fn fit_all(
    tasks: &[Task],
    data: &DataSet,
    options: &TrainOptions,
    checkpoints: &Path,
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn(TrainProgress) + Sync),
) -> Result<Vec<ResourceNet>> {
    let next = AtomicUsize::new(0);
    let halt = AtomicBool::new(false);
    let results: Mutex<Vec<(usize, Result<ResourceNet>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(index) else { break };
            let pairs: Vec<_> = data.pairs().into_iter().filter(|pair| task.split.trains_on(pair)).collect();
            let training = training(data, &task.name, &pairs);
            let scales = scales(&training.coruns);
            let tell = |step, steps, loss| {
                if stop.load(Ordering::Relaxed) {
                    halt.store(true, Ordering::Relaxed);
                }
                progress(TrainProgress {
                    task: task.name.clone(),
                    index,
                    tasks: tasks.len(),
                    step,
                    steps,
                    loss,
                });
            };
            let kept = Checkpoints::new(&checkpoints.join(&task.folder), options.resume);
            let fitted = fit(&training, &scales, &options.config, &kept, stop, &tell);
            let failed = fitted.is_err();
            results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, fitted));
            if failed || halt.load(Ordering::Relaxed) {
                next.store(tasks.len(), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// What one training may see.
fn training<'a>(data: &'a DataSet, name: &'a str, pairs: &[MeasuredPair<'a>]) -> Training<'a> {
    let solos = data
        .manifest
        .runs
        .iter()
        .filter(|run| run.kind == RunKind::Solo && !run.disturbed && run.cut.is_none());
    Training {
        name,
        cases: Vec::new(),
        coruns: pairs.iter().map(MeasuredPair::measured).collect(),
        solos: solos.filter_map(|run| Some(Measured { run, trace: data.trace(run)? })).collect(),
        bases: BTreeMap::new(),
    }
}

fn judge_all(model: &Forecaster, pairs: &[&MeasuredPair<'_>]) -> Vec<(String, Vec<PairFigures>)> {
    let pairs: Vec<MeasuredPair<'_>> = pairs.iter().map(|pair| **pair).collect();
    let predictors: [&dyn Predictor; 3] = [model, &Baseline::ClippedSum, &Baseline::ConservedSum];
    predictors.iter().map(|predictor| (predictor.name(), evaluate(*predictor, &pairs))).collect()
}

fn section(name: &str, description: &str, rows: Vec<(String, Vec<PairFigures>)>) -> Section {
    let pairs = rows.first().map(|(_, pairs)| pairs.clone()).unwrap_or_default();
    let rows = rows.into_iter().map(|(name, pairs)| (name, Figures::of(&pairs))).collect();
    Section { name: name.to_owned(), description: description.to_owned(), rows, pairs }
}

fn header(training: &[&MeasuredPair<'_>], options: &TrainOptions, card: serde_json::Value) -> Header {
    let owned: Vec<MeasuredPair<'_>> = training.iter().map(|pair| **pair).collect();
    let scenes: Vec<Scene> = owned
        .iter()
        .filter_map(|pair| Scene::new(&pair.inputs(), pair.trace.capacity, usize::MAX).ok())
        .collect();
    Header {
        name: "resourcenet".to_owned(),
        version: VERSION.to_owned(),
        hidden: options.config.hidden,
        scales: scales(&owned.iter().map(MeasuredPair::measured).collect::<Vec<_>>()),
        bands: cotrace_forecast::Bands::default(),
        distance: DistanceReference::new(&scenes),
        experience: None,
        card,
    }
}

fn forecaster(
    network: &ResourceNet,
    training: &[&MeasuredPair<'_>],
    options: &TrainOptions,
    card: serde_json::Value,
) -> Forecaster {
    let network = Network::ResourceNet(network.clone());
    Forecaster::from_parts(header(training, options, card), network, &cotrace_model::default_device())
        .expect("a header without experience")
}

fn solo_spread(data: &DataSet) -> Vec<(String, f64, f64)> {
    data.manifest
        .jobs
        .iter()
        .filter_map(|job| {
            let median = solo_seconds(data.median_solo(&job.name)?.0);
            let worst = data
                .solo_runs(&job.name)
                .map(|(run, _)| 100.0 * (solo_seconds(run) / median - 1.0).abs())
                .fold(0.0, f64::max);
            Some((job.name.clone(), median, worst))
        })
        .collect()
}

fn write(options: &TrainOptions, network: &ResourceNet, header: Header, report: &Report) -> Result<()> {
    let write = |name: &str, bytes: &[u8]| {
        let path = options.out.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("{}", path.display()))
    };
    let card = card::markdown(report, &header);
    let name = format!("{}.cotrace", header.name);
    let network = Network::ResourceNet(network.clone());
    write(&name, &ModelFile { header, network }.to_bytes()?)?;
    write("report.json", &serde_json::to_vec_pretty(report)?)?;
    write("report.md", report.markdown().as_bytes())?;
    write("README.md", card.as_bytes())
}
