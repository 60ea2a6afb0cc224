//! Fits every method for every training and judges it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use cotrace_dataset::DataSet;

use crate::evaluation::{DataInfo, Evaluation, MethodInfo, Row, Section, SlowdownFigures};
use crate::figures::{Entry, Figures};
use crate::method::FitError;
use crate::{Case, CaseFigures, Difference, Measure, Method, Plan, Question, Training, TrainingPlan};

/// How to evaluate.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seeds of methods to which seeds matter; others are fitted once.
    pub seeds: Vec<u64>,
    /// Where finished fits' figures are kept, so that an evaluation that was stopped goes on where it was.
    pub cache: Option<PathBuf>,
    /// Names of methods that are compared with every other.
    pub compare: Vec<String>,
    /// How many fits to make at a time.
    pub threads: usize,
}

/// How far an evaluation is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The training.
    pub training: String,
    /// The method.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// Fits done.
    pub done: usize,
    /// Of how many.
    pub of: usize,
    /// Steps of this fit done, of how many, and what is to be said of it.
    pub fit: (usize, usize, String),
}

/// Why there is no evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// Nothing can be judged.
    #[error("{data_set}: no undisturbed co-run has its jobs' solo runs, so nothing can be judged")]
    NoCases {
        /// The data set.
        data_set: String,
    },
    /// A method couldn't be fitted.
    #[error("{method}, training {training}: {source}")]
    Fit {
        /// The method.
        method: String,
        /// The training.
        training: String,
        /// What kept it.
        source: FitError,
    },
    /// Kept figures can't be read or written.
    #[error("{}: {source}", path.display())]
    Cache {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// It was asked to stop. What was done is kept, if there is where.
    #[error(
        "stopped after {done} of {of} fits; finished ones are kept, so the same command goes on from here"
    )]
    Stopped {
        /// Fits done.
        done: usize,
        /// Of how many.
        of: usize,
    },
}

/// The seed that stands for methods to which seeds don't matter.
const UNSEEDED: &[u64] = &[0];

/// Goes up with anything in this crate that changes figures: those kept of another one are void.
const REVISION: u32 = 1;

/// Figures by run, of one fit.
type Judged = BTreeMap<String, CaseFigures>;

/// Fits every method for every training of a plan, once for each seed, and judges it. `progress` is called from several
/// threads.
///
/// # Errors
/// See [`EvaluateError`].
pub fn evaluate(
    data: &DataSet,
    plan: &Plan,
    methods: &[&dyn Method],
    options: &Options,
    stop: &AtomicBool,
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<Evaluation, EvaluateError> {
    let (cases, left_out) = Case::all(data);
    if cases.is_empty() {
        return Err(EvaluateError::NoCases { data_set: data.manifest.name.clone() });
    }
    let seeds_of = |method: &dyn Method| if method.is_seeded() { &options.seeds[..] } else { UNSEEDED };
    let mut tasks = Vec::new();
    for training in &plan.trainings {
        for (at, method) in methods.iter().enumerate() {
            tasks.extend(seeds_of(*method).iter().map(|&seed| Task { training, at, method: *method, seed }));
        }
    }
    let work = Work { data, cases: &cases, cache: options.cache.as_deref(), of: tasks.len(), stop, progress };
    let judged = work.all(&tasks, options.threads)?;
    // By method and seed, one of each training.
    let mut results: Vec<Vec<Vec<Judged>>> =
        methods.iter().map(|method| vec![Vec::new(); seeds_of(*method).len()]).collect();
    for (task, judged) in tasks.iter().zip(judged) {
        let seeds = seeds_of(task.method);
        if let Some(seed) = seeds.iter().position(|&seed| seed == task.seed) {
            results[task.at][seed].push(judged);
        }
    }
    let methods: Vec<MethodInfo> = methods
        .iter()
        .map(|method| MethodInfo { name: method.name(), seeds: seeds_of(*method).to_vec() })
        .collect();
    let sections = plan
        .sections
        .iter()
        .map(|(name, what)| section(name, what, plan, &methods, &results, &options.compare))
        .collect();
    Ok(Evaluation {
        cotrace_evaluation: 1,
        data: DataInfo {
            name: data.manifest.name.clone(),
            jobs: data.manifest.jobs.iter().filter(|job| job.size_of.is_none()).count(),
            co_runs: cases.len(),
            left_out,
        },
        trainings: plan.trainings.iter().map(|training| training.name.clone()).collect(),
        methods,
        sections,
    })
}

/// One fit and what comes of it.
#[derive(Clone, Copy)]
struct Task<'a> {
    training: &'a TrainingPlan,
    /// The method's place.
    at: usize,
    method: &'a dyn Method,
    seed: u64,
}

/// What all tasks have in common.
struct Work<'a> {
    data: &'a DataSet,
    cases: &'a [Case],
    cache: Option<&'a Path>,
    of: usize,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(&Progress) + Sync),
}

impl Work<'_> {
    /// The figures of every task; the first error ends all.
    fn all(&self, tasks: &[Task<'_>], threads: usize) -> Result<Vec<Judged>, EvaluateError> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results: Mutex<BTreeMap<usize, Result<Judged, EvaluateError>>> = Mutex::new(BTreeMap::new());
        let worker = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(at) else { break };
                let result = self.one(task, &done);
                done.fetch_add(1, Ordering::Relaxed);
                if result.is_err() {
                    next.store(tasks.len(), Ordering::Relaxed);
                }
                results.lock().unwrap_or_else(PoisonError::into_inner).insert(at, result);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(tasks.len()) {
                scope.spawn(worker);
            }
            worker();
        });
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_values().collect()
    }

    fn one(&self, task: &Task<'_>, done: &AtomicUsize) -> Result<Judged, EvaluateError> {
        let Task { training: plan, method, seed, .. } = *task;
        let file = self.cache.map(|folder| kept_in(folder, self.data, plan, method, seed));
        if let Some(kept) = file.as_deref().and_then(read_kept) {
            return Ok(kept);
        }
        let stopped = || EvaluateError::Stopped { done: done.load(Ordering::Relaxed), of: self.of };
        if self.stop.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        let name = method.name();
        let tell = |step: usize, steps: usize, what: &str| {
            (self.progress)(&Progress {
                training: plan.name.clone(),
                method: name.clone(),
                seed,
                done: done.load(Ordering::Relaxed),
                of: self.of,
                fit: (step, steps, what.to_owned()),
            });
        };
        tell(0, 1, "");
        let training = Training::of(&plan.name, self.data, self.cases, &plan.runs);
        let fitted = method.fit(&training, seed, self.stop, &tell);
        if self.stop.load(Ordering::Relaxed) && fitted.is_err() {
            return Err(stopped());
        }
        let predictor = fitted.map_err(|source| EvaluateError::Fit {
            method: name.clone(),
            training: plan.name.clone(),
            source,
        })?;
        let is_tested = |case: &&Case| plan.tests.iter().any(|test| test.run == case.run);
        let tested: Vec<&Case> = self.cases.iter().filter(is_tested).collect();
        let questions: Vec<Question<'_>> = tested.iter().map(|case| case.question()).collect();
        let judged: Judged = tested
            .iter()
            .zip(predictor.predict(&questions))
            .filter_map(|(case, prediction)| Some((case.run.clone(), CaseFigures::judge(case, &prediction?))))
            .collect();
        if let Some(file) = &file {
            keep(file, &judged).map_err(|source| EvaluateError::Cache { path: file.clone(), source })?;
        }
        Ok(judged)
    }
}

fn section(
    name: &str,
    description: &str,
    plan: &Plan,
    methods: &[MethodInfo],
    results: &[Vec<Vec<Judged>>],
    compare: &[String],
) -> Section {
    let entries: Vec<Vec<Vec<Entry<'_>>>> = results
        .iter()
        .map(|seeds| seeds.iter().map(|trainings| entries(name, plan, trainings)).collect())
        .collect();
    let rows = methods
        .iter()
        .zip(&entries)
        .filter(|(_, seeds)| seeds.iter().any(|entries| !entries.is_empty()))
        .map(|(method, seeds)| {
            let first = seeds.first().filter(|_| compare.contains(&method.name));
            Row {
                method: method.name.clone(),
                seeds: seeds.iter().map(|entries| Figures::of(entries)).collect(),
                slowdowns: first.map(|entries| slowdowns(entries)).unwrap_or_default(),
            }
        })
        .collect();
    let mut differences = Vec::new();
    for (of, ours) in methods.iter().zip(&entries).filter(|(method, _)| compare.contains(&method.name)) {
        for (than, theirs) in methods.iter().zip(&entries).filter(|(than, _)| than.name != of.name) {
            differences.extend(
                Measure::ALL.into_iter().filter_map(|measure| {
                    Difference::between(measure, (&of.name, ours), (&than.name, theirs))
                }),
            );
        }
    }
    Section { name: name.to_owned(), description: description.to_owned(), rows, differences }
}

/// Slowdown by slowdown, in four decimals.
fn slowdowns(entries: &[Entry<'_>]) -> Vec<SlowdownFigures> {
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    let of_job = |figures: &CaseFigures, job: usize| SlowdownFigures {
        run: figures.run.clone(),
        job: figures.jobs[job].clone(),
        forecast: rounded(figures.slowdowns[job]),
        interval: figures.intervals.as_ref().map(|intervals| intervals.slowdowns[job].map(rounded)),
        measured: rounded(figures.measured_slowdowns[job]),
        distance: figures.distance.map(rounded),
    };
    entries.iter().flat_map(|entry| entry.jobs.iter().map(|&job| of_job(entry.figures, job))).collect()
}

/// What one method's fits with one seed count for in a section.
fn entries<'a>(section: &str, plan: &'a Plan, trainings: &'a [Judged]) -> Vec<Entry<'a>> {
    let tests = plan.trainings.iter().zip(trainings).flat_map(|(training, judged)| {
        training
            .tests
            .iter()
            .filter(|test| test.section == section)
            .map(move |test| (test, judged.get(&test.run)))
    });
    tests
        .filter_map(|(test, figures)| {
            Some(Entry { figures: figures?, jobs: &test.jobs, footprint: test.footprint })
        })
        .collect()
}

/// The file that keeps the figures of a fit: its name changes with anything that they depend on.
fn kept_in(
    folder: &Path,
    data: &DataSet,
    training: &TrainingPlan,
    method: &dyn Method,
    seed: u64,
) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    for run in &data.manifest.runs {
        (&run.id, &run.started_at, run.disturbed, run.sitting).hash(&mut hasher);
        for job in &run.jobs {
            (&job.name, job.start_seconds.to_bits(), job.end_seconds.to_bits()).hash(&mut hasher);
        }
    }
    training.runs.hash(&mut hasher);
    for test in &training.tests {
        test.run.hash(&mut hasher);
    }
    method.configuration().hash(&mut hasher);
    REVISION.hash(&mut hasher);
    folder.join(method.name()).join(format!("{}-seed{seed}-{:016x}.json", training.name, hasher.finish()))
}

/// Kept figures; `None` if there are none, or a stop left half a file.
fn read_kept(file: &Path) -> Option<Judged> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

fn keep(file: &Path, judged: &Judged) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, serde_json::to_vec(judged)?)
}
