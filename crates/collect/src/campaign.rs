//! Measures a whole plan, run by run, and keeps the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cotrace_trace::dataset::{Job, Manifest, Run, RunKind};

use crate::capacity::this_node;
use crate::node::NodeReader;
use crate::output::{write_manifest, write_trace};
use crate::quiet::{QUIET_RATIO, drop_page_cache, wait_until_quiet};
use crate::run::{Bench, Finished};
use crate::{Accounting, CollectError, Plan, Planned, schedule};

/// Foreign CPU above which a run counts as disturbed, as a share of the node.
const FOREIGN_LIMIT: f64 = 0.03;
/// Stolen CPU above which a run counts as disturbed, as a share of the node.
const STEAL_LIMIT: f64 = 0.02;
/// How often a run is made again because it was disturbed.
const DISTURBED_REPEATS: u32 = 2;
/// How often a run is made again because a job failed.
const FAILED_REPEATS: u32 = 1;

/// How to measure a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data set's folder. Runs found there are kept and not made again.
    pub out: PathBuf,
    /// Measure these jobs only, by name.
    pub only: Option<Vec<String>>,
    /// Measure co-runs of this pair only.
    pub only_pair: Option<(String, String)>,
    /// Time between samples, instead of the plan's.
    pub sample_seconds: Option<f64>,
    /// Write traces compressed.
    pub gzip: bool,
    /// Stop after this many runs.
    pub max_runs: Option<usize>,
    /// Tell jobs apart this way, instead of the best that works.
    pub accounting: Option<Accounting>,
    /// Drop the page cache and wait until the machine is quiet before each run, and make disturbed runs again. Left
    /// out in trials on a busy machine.
    pub settle: bool,
    /// Measure the disk's throughput for a new data set; otherwise it stays unknown. Writes and reads 1 GiB.
    pub measure_disk: bool,
    /// The scratch folder, `{work}` in commands, instead of `/var/tmp/cotrace-<plan>`.
    pub work: Option<PathBuf>,
    /// Raised from outside to stop. The run under way is discarded.
    pub stop: Arc<AtomicBool>,
}

impl Options {
    /// The usual way, into the folder `out`.
    pub fn new(out: impl Into<PathBuf>) -> Options {
        Options {
            out: out.into(),
            only: None,
            only_pair: None,
            sample_seconds: None,
            gzip: false,
            max_runs: None,
            accounting: None,
            settle: true,
            measure_disk: true,
            work: None,
            stop: Arc::default(),
        }
    }

    /// The runs of `plan` that these options ask for, in order, whether or not they were made already.
    ///
    /// # Errors
    /// The options name a job that the plan doesn't have.
    pub fn runs(&self, plan: &Plan) -> Result<Vec<Planned>, CollectError> {
        let pair = self.only_pair.as_ref().map(|(a, b)| [a, b]);
        for name in self.only.iter().flatten().chain(pair.into_iter().flatten()) {
            if plan.job(name).is_none() {
                let names: Vec<&str> = plan.jobs.iter().map(|job| job.name.as_str()).collect();
                return Err(CollectError::Options(format!(
                    "the plan has no job {name:?}; it has {}",
                    names.join(", ")
                )));
            }
        }
        let included = |name: &String| self.only.as_ref().is_none_or(|only| only.contains(name));
        let mut runs = schedule(plan, |job| included(&plan.jobs[job].name));
        if let Some([a, b]) = pair {
            runs.retain(|run| {
                let name = |index: usize| run.jobs.get(index).map(|(job, ..)| &plan.jobs[*job].name);
                let (first, second) = (name(0), name(1));
                (first, second) == (Some(a), Some(b)) || (first, second) == (Some(b), Some(a))
            });
        }
        Ok(runs)
    }
}

/// A run that is missing from the data set because a job failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The run.
    pub id: String,
    /// What happened.
    pub reason: String,
}

/// What [`collect`] did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The data set as it is now.
    pub manifest: Manifest,
    /// How many runs were made this time.
    pub measured: usize,
    /// How many runs the options ask for.
    pub wanted: usize,
    /// Runs that failed and are left out.
    pub failures: Vec<Failure>,
    /// Jobs that were skipped, and why.
    pub skipped: Vec<(String, String)>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
}

/// What is happening.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The disk of the node is being measured.
    MeasuringNode,
    /// A job's setup or warm-up runs.
    Preparing {
        /// The job.
        job: String,
        /// `setup` or `warm-up`.
        step: &'static str,
    },
    /// A run starts.
    Started {
        /// The run.
        id: String,
        /// How many runs are there already, and how many there will be.
        done: usize,
        /// See `done`.
        total: usize,
        /// How long the rest will take; unknown until a job has been measured.
        remaining_seconds: Option<f64>,
    },
    /// A run is written.
    Finished {
        /// As in the manifest.
        run: Run,
        /// The collector's own part of the run's foreign CPU.
        collector_cpu_ratio: f64,
    },
    /// Something a person should know; nothing is wrong with the data set.
    Note(String),
    /// A run was given up.
    Failed(Failure),
}

/// Measures what `plan` and `options` ask for and is not yet in the output folder. `report` hears what happens.
///
/// # Errors
/// A file can't be read or written, the output folder holds another data set, or a job's setup failed. A job that
/// fails while it is measured is no error: see [`Outcome::failures`].
pub fn collect(plan: &Plan, options: &Options, report: &mut dyn FnMut(Progress)) -> Result<Outcome, CollectError> {
    let sample_seconds = options.sample_seconds.unwrap_or(plan.sample_seconds);
    if !(0.05..=60.0).contains(&sample_seconds) {
        return Err(CollectError::Options(format!("sampling every {sample_seconds} s: choose from 0.05 to 60")));
    }
    let mut runs = options.runs(plan)?;
    let work = options.work.clone().unwrap_or_else(|| PathBuf::from(format!("/var/tmp/cotrace-{}", plan.name)));
    let skipped = skipped_jobs(plan, &work);
    runs.retain(|run| run.jobs.iter().all(|(job, ..)| !skipped.contains_key(&plan.jobs[*job].name)));
    for (job, reason) in &skipped {
        report(Progress::Note(format!("job {job} is skipped: {reason}")));
    }
    if runs.is_empty() {
        return Err(CollectError::Options("there is nothing to measure: see the plan's pairs and repeats".to_owned()));
    }

    for folder in [&options.out.join("runs"), &work.join("logs"), &work.join("scratch")] {
        fs::create_dir_all(folder).map_err(CollectError::io("make", folder))?;
    }
    let accounting = options.accounting.clone().unwrap_or_else(Accounting::detect);
    let manifest_path = options.out.join("manifest.json");
    let manifest = match read_manifest(&manifest_path, plan, sample_seconds, &accounting)? {
        Some(manifest) => manifest,
        None => {
            if options.measure_disk {
                report(Progress::MeasuringNode);
            }
            Manifest {
                cotrace_dataset: 1,
                name: plan.name.clone(),
                node: this_node(options.measure_disk.then_some(&work), &accounting),
                sample_seconds,
                jobs: Vec::new(),
                runs: Vec::new(),
            }
        }
    };
    let reader = NodeReader::new();
    let bench = Bench {
        plan,
        accounting: &accounting,
        reader: &reader,
        capacity: manifest.node.capacity,
        sample_seconds,
        work: &work,
        stop: &options.stop,
    };
    let mut campaign = Campaign {
        bench: &bench,
        options,
        manifest,
        manifest_path,
        estimate: Estimate::default(),
        cache_note_said: false,
        report,
    };
    let wanted = runs.len();
    let mut outcome = campaign.run_all(&runs)?;
    outcome.wanted = wanted;
    outcome.skipped = skipped.into_iter().collect();
    let _ = fs::remove_dir_all(work.join("scratch"));
    Ok(outcome)
}

/// Jobs that need a program which isn't there.
fn skipped_jobs(plan: &Plan, work: &Path) -> BTreeMap<String, String> {
    let there = |program: &str| {
        let program = program.replace("{work}", &work.display().to_string()).replace("{plan}", &plan.folder.display().to_string());
        if program.contains('/') {
            Path::new(&program).exists()
        } else {
            env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(&program).is_file())
        }
    };
    plan.jobs
        .iter()
        .filter_map(|job| {
            let missing = job.requires.iter().find(|program| !there(program))?;
            Some((job.name.clone(), format!("there is no {missing} on this machine")))
        })
        .collect()
}

/// The manifest in the output folder, if there is one that this measurement may add to.
fn read_manifest(
    path: &Path,
    plan: &Plan,
    sample_seconds: f64,
    accounting: &Accounting,
) -> Result<Option<Manifest>, CollectError> {
    if !path.exists() {
        return Ok(None);
    }
    let unfit = |problem: String| CollectError::DataSet { path: path.to_owned(), problem };
    let text = fs::read_to_string(path).map_err(CollectError::io("read", path))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| unfit(format!("is no manifest: {error}")))?;
    let other = |what: &str, there: &str, here: &str| {
        Err(unfit(format!("{what} there is {there}, here {here}; measure into another folder")))
    };
    if manifest.cotrace_dataset != 1 {
        return other("the version", &manifest.cotrace_dataset.to_string(), "1");
    }
    if manifest.name != plan.name {
        return other("the plan", &manifest.name, &plan.name);
    }
    if manifest.sample_seconds != sample_seconds {
        return other("the sampling step", &manifest.sample_seconds.to_string(), &sample_seconds.to_string());
    }
    if manifest.node.job_accounting != accounting.name() {
        return other("the job accounting", &manifest.node.job_accounting, accounting.name());
    }
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    if manifest.node.kernel != kernel.trim() {
        return other("the kernel", &manifest.node.kernel, kernel.trim());
    }
    for job in &manifest.jobs {
        if let Some(planned) = plan.job(&job.name)
            && planned.command.display() != job.command
            && manifest.runs.iter().any(|run| run.jobs.iter().any(|in_run| in_run.name == job.name))
        {
            return other(&format!("the command of job {}", job.name), &job.command, &planned.command.display());
        }
    }
    Ok(Some(manifest))
}

struct Campaign<'a> {
    bench: &'a Bench<'a>,
    options: &'a Options,
    manifest: Manifest,
    manifest_path: PathBuf,
    estimate: Estimate,
    cache_note_said: bool,
    report: &'a mut dyn FnMut(Progress),
}

impl Campaign<'_> {
    fn stopped(&self) -> bool {
        self.options.stop.load(Ordering::SeqCst)
    }

    fn run_all(&mut self, runs: &[Planned]) -> Result<Outcome, CollectError> {
        let plan = self.bench.plan;
        let there: BTreeSet<String> = self
            .manifest
            .runs
            .iter()
            .filter(|run| self.options.out.join(&run.file).is_file())
            .map(|run| run.id.clone())
            .collect();
        self.manifest.runs.retain(|run| there.contains(&run.id));
        let todo: Vec<&Planned> = runs.iter().filter(|run| !there.contains(&run.id)).collect();
        let done_before = runs.len() - todo.len();
        self.estimate.learn(&self.manifest);

        let jobs: BTreeSet<usize> = todo.iter().flat_map(|run| run.jobs.iter().map(|(job, ..)| *job)).collect();
        self.add_jobs(&jobs);
        self.set_up(&jobs)?;

        let mut warm = BTreeSet::new();
        let mut failures = Vec::new();
        let mut measured = 0;
        for (index, planned) in todo.iter().enumerate() {
            if self.options.max_runs.is_some_and(|most| measured >= most) {
                break;
            }
            self.warm_up(planned, &mut warm)?;
            if self.stopped() {
                break;
            }
            (self.report)(Progress::Started {
                id: planned.id.clone(),
                done: done_before + index,
                total: runs.len(),
                remaining_seconds: self.estimate.seconds(plan, &todo[index..]),
            });
            let since = Instant::now();
            match self.measure(planned)? {
                Measured::Stopped => break,
                Measured::Failed(reason) => {
                    let failure = Failure { id: planned.id.clone(), reason };
                    (self.report)(Progress::Failed(failure.clone()));
                    failures.push(failure);
                }
                Measured::Run(finished) => {
                    self.keep(planned, *finished)?;
                    measured += 1;
                    self.estimate.learn(&self.manifest);
                    self.estimate.add_overhead(&self.manifest, since.elapsed().as_secs_f64());
                }
            }
        }
        Ok(Outcome {
            manifest: self.manifest.clone(),
            measured,
            wanted: runs.len(),
            failures,
            skipped: Vec::new(),
            interrupted: self.stopped(),
        })
    }

    /// Names the jobs in the manifest, in the plan's order; jobs of earlier measurements stay.
    fn add_jobs(&mut self, jobs: &BTreeSet<usize>) {
        for &index in jobs {
            let job = &self.bench.plan.jobs[index];
            self.manifest.jobs.retain(|other| other.name != job.name);
            self.manifest.jobs.push(Job {
                name: job.name.clone(),
                kind: job.kind.clone(),
                framework: job.framework.clone(),
                command: job.command.display(),
                description: job.description.clone(),
            });
        }
        let place = |name: &str| self.bench.plan.jobs.iter().position(|job| job.name == name).unwrap_or(usize::MAX);
        self.manifest.jobs.sort_by_key(|job| place(&job.name));
    }

    fn set_up(&mut self, jobs: &BTreeSet<usize>) -> Result<(), CollectError> {
        for &index in jobs {
            let job = &self.bench.plan.jobs[index];
            if let Some(setup) = &job.setup {
                if self.stopped() {
                    return Ok(());
                }
                (self.report)(Progress::Preparing { job: job.name.clone(), step: "setup" });
                self.bench.step(job, setup, &job.name, "setup")?;
            }
        }
        Ok(())
    }

    /// Runs jobs once unmeasured whose plan says so and that have not been warmed up yet.
    fn warm_up(&mut self, planned: &Planned, warm: &mut BTreeSet<usize>) -> Result<(), CollectError> {
        for &(index, ..) in &planned.jobs {
            let job = &self.bench.plan.jobs[index];
            if job.warm_up && warm.insert(index) && !self.stopped() {
                (self.report)(Progress::Preparing { job: job.name.clone(), step: "warm-up" });
                let alone = Planned {
                    id: format!("warm-up_{}", job.name),
                    kind: RunKind::Solo,
                    repeat: 0,
                    jobs: vec![(index, job.name.clone(), 0.0)],
                };
                self.bench.prepare(&alone)?;
                self.bench.run(&alone)?;
            }
        }
        Ok(())
    }

    /// Makes a run, again if it is disturbed or fails.
    fn measure(&mut self, planned: &Planned) -> Result<Measured, CollectError> {
        let mut best: Option<Finished> = None;
        let (mut disturbed, mut failed) = (0, 0);
        loop {
            self.bench.prepare(planned)?;
            if self.options.settle {
                self.settle()?;
            }
            if self.stopped() {
                return Ok(Measured::Stopped);
            }
            let Some(finished) = self.bench.run(planned)? else { return Ok(Measured::Stopped) };
            for note in &finished.notes {
                (self.report)(Progress::Note(note.clone()));
            }
            if let Some(reason) = finished.failure {
                failed += 1;
                if failed > FAILED_REPEATS {
                    return Ok(best.map_or(Measured::Failed(reason), |best| Measured::Run(Box::new(best))));
                }
                (self.report)(Progress::Note(format!("{}: {reason}; trying again", planned.id)));
                continue;
            }
            let (foreign, steal) = (finished.foreign_cpu_ratio, finished.steal_ratio);
            if best.as_ref().is_none_or(|best| disturbance(&finished) < disturbance(best)) {
                best = Some(finished);
            }
            match best.take() {
                Some(best) if disturbance(&best) <= 1.0 || disturbed >= DISTURBED_REPEATS || !self.options.settle => {
                    return Ok(Measured::Run(Box::new(best)));
                }
                kept => best = kept,
            }
            disturbed += 1;
            (self.report)(Progress::Note(format!(
                "{}: disturbed (foreign CPU {:.1} %, steal {:.1} %); running it again",
                planned.id,
                foreign * 100.0,
                steal * 100.0
            )));
        }
    }

    /// Brings the machine to rest.
    fn settle(&mut self) -> Result<(), CollectError> {
        if !drop_page_cache() && !self.cache_note_said {
            self.cache_note_said = true;
            (self.report)(Progress::Note(
                "the page cache can't be dropped without root: later runs may find their inputs in memory".to_owned(),
            ));
        }
        let busy = wait_until_quiet(self.bench.reader, &self.options.stop)?;
        if busy >= QUIET_RATIO && !self.stopped() {
            (self.report)(Progress::Note(format!(
                "the machine did not come to rest within a minute: {:.1} % of its CPU is in use",
                busy * 100.0
            )));
        }
        Ok(())
    }

    /// Writes a run's trace, then the manifest that names it.
    fn keep(&mut self, planned: &Planned, finished: Finished) -> Result<(), CollectError> {
        let ending = if self.options.gzip { "csv.gz" } else { "csv" };
        let file = format!("runs/{}.{ending}", planned.id);
        write_trace(&finished.trace, &self.options.out.join(&file), self.options.gzip)?;
        let run = Run {
            id: planned.id.clone(),
            kind: planned.kind,
            repeat: planned.repeat,
            file,
            disturbed: disturbance(&finished) > 1.0,
            jobs: finished.jobs,
            started_at: finished.started_at,
            foreign_cpu_ratio: finished.foreign_cpu_ratio,
            steal_ratio: finished.steal_ratio,
        };
        self.manifest.runs.push(run.clone());
        write_manifest(&self.manifest, &self.manifest_path)?;
        (self.report)(Progress::Finished { run, collector_cpu_ratio: finished.collector_cpu_ratio });
        Ok(())
    }
}

enum Measured {
    Run(Box<Finished>),
    Failed(String),
    Stopped,
}

/// How far a run is from quiet; over 1 is disturbed.
fn disturbance(finished: &Finished) -> f64 {
    (finished.foreign_cpu_ratio / FOREIGN_LIMIT).max(finished.steal_ratio / STEAL_LIMIT)
}

/// How long runs take, learnt from those made.
#[derive(Default)]
struct Estimate {
    solo_seconds: BTreeMap<String, f64>,
    overhead_seconds: Vec<f64>,
}

impl Estimate {
    fn learn(&mut self, manifest: &Manifest) {
        for run in manifest.runs.iter().filter(|run| run.kind == RunKind::Solo) {
            for (job, seconds) in run.jobs.iter().zip(run.durations_seconds()) {
                self.solo_seconds.insert(job.name.clone(), seconds);
            }
        }
    }

    /// What the last run took beyond its jobs.
    fn add_overhead(&mut self, manifest: &Manifest, seconds: f64) {
        if let Some(run) = manifest.runs.last() {
            let jobs = run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
            self.overhead_seconds.push((seconds - jobs).max(0.0));
        }
    }

    fn seconds(&self, plan: &Plan, todo: &[&Planned]) -> Option<f64> {
        let mean = |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        let known: Vec<f64> = self.solo_seconds.values().copied().collect();
        let usual = mean(&known)?;
        let overhead = mean(&self.overhead_seconds).unwrap_or(4.0);
        let solo = |job: usize| self.solo_seconds.get(&plan.jobs[job].name).copied().unwrap_or(usual);
        let run_seconds = |run: &Planned| {
            let alone: f64 = run.jobs.iter().map(|(job, ..)| solo(*job)).sum();
            let end = run.jobs.iter().map(|(job, _, offset)| offset + solo(*job)).fold(0.0, f64::max);
            // Together, jobs take something between the longer of them and one after the other.
            overhead + end.max(if run.jobs.len() > 1 { 0.75 * alone } else { alone })
        };
        Some(todo.iter().map(|run| run_seconds(run)).sum())
    }
}
