//! Measures a whole plan, run by run, and keeps the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use cotrace_dataset::{Job, Manifest, Run, RunKind};

use crate::bench::Bench;
use crate::capacity::this_node;
use crate::estimate::Estimate;
use crate::manifest::read_manifest;
use crate::node::NodeReader;
use crate::output::{write_manifest, write_trace};
use crate::quiet::{QUIET_RATIO, drop_page_cache, wait_until_quiet};
use crate::run::Finished;
use crate::{Accounting, CollectError, Failure, Options, Outcome, Plan, Planned, Progress};

/// Foreign CPU above which a run counts as disturbed, as a share of the node.
const FOREIGN_LIMIT: f64 = 0.03;
/// Stolen CPU above which a run counts as disturbed, as a share of the node.
const STEAL_LIMIT: f64 = 0.02;
/// How often a run is made again because it was disturbed.
const DISTURBED_REPEATS: u32 = 2;
/// How often a run is made again because a job failed.
const FAILED_REPEATS: u32 = 1;

/// Measures what `plan` and `options` ask for and is not yet in the output folder. `report` hears what happens.
///
/// # Errors
/// A file can't be read or written, the output folder holds another data set, or a job's setup failed. A job that
/// fails while it is measured is no error: see [`Outcome::failures`].
pub fn collect(
    plan: &Plan,
    options: &Options,
    report: &mut dyn FnMut(Progress),
) -> Result<Outcome, CollectError> {
    let sample_seconds = options.sample_seconds.unwrap_or(plan.sample_seconds);
    if !(0.05..=60.0).contains(&sample_seconds) {
        return Err(CollectError::Options(format!(
            "sampling every {sample_seconds} s: choose from 0.05 to 60"
        )));
    }
    let mut runs = options.runs(plan)?;
    let work =
        options.work.clone().unwrap_or_else(|| PathBuf::from(format!("/var/tmp/cotrace-{}", plan.name)));
    let skipped = skipped_jobs(plan, &work);
    runs.retain(|run| run.jobs.iter().all(|(job, ..)| !skipped.contains_key(&plan.jobs[*job].name)));
    for (job, reason) in &skipped {
        report(Progress::Note(format!("job {job} is skipped: {reason}")));
    }
    if runs.is_empty() {
        return Err(CollectError::Options(
            "there is nothing to measure: see the plan's pairs and repeats".to_owned(),
        ));
    }

    for folder in [&options.out.join("runs"), &work.join("logs"), &work.join("scratch")] {
        fs::create_dir_all(folder).map_err(CollectError::io("make", folder))?;
    }
    let accounting = options.accounting.clone().unwrap_or_else(Accounting::detect);
    let manifest_path = options.out.join("manifest.json");
    let there = read_manifest(&manifest_path, plan, sample_seconds, &accounting)?;
    let manifest = there.unwrap_or_else(|| {
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
    });
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
        let program = program
            .replace("{work}", &work.display().to_string())
            .replace("{plan}", &plan.folder.display().to_string());
        if program.contains('/') {
            Path::new(&program).exists()
        } else {
            env::split_paths(&env::var_os("PATH").unwrap_or_default())
                .any(|folder| folder.join(&program).is_file())
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

        let jobs: BTreeSet<usize> =
            todo.iter().flat_map(|run| run.jobs.iter().map(|(job, ..)| *job)).collect();
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
        let place =
            |name: &str| self.bench.plan.jobs.iter().position(|job| job.name == name).unwrap_or(usize::MAX);
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
            let Some(finished) = self.bench.run(planned)? else {
                return Ok(Measured::Stopped);
            };
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
                Some(best)
                    if disturbance(&best) <= 1.0
                        || disturbed >= DISTURBED_REPEATS
                        || !self.options.settle =>
                {
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
                "the page cache can't be dropped without root: later runs may find their inputs in memory"
                    .to_owned(),
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
