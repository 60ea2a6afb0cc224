//! Measures a whole plan, run by run, and keeps the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use cotrace_dataset::{Calibration, Job, Manifest, Node, Run, RunKind, Sitting};

use crate::bench::Bench;
use crate::capacity::{boot_id, this_node};
use crate::estimate::Estimate;
use crate::manifest::read_manifest;
use crate::output::{write_manifest, write_trace};
use crate::quiet::{QUIET_RATIO, drop_page_cache, wait_until_quiet};
use crate::record::rfc3339;
use crate::run::Finished;
use crate::sitting::{self, SoloKey};
use crate::stage::Stage;
use crate::{Accounting, CollectError, Failure, Options, Outcome, Plan, Planned, Progress};

/// A sitting that was left is gone on with for this long; after it, a new one begins.
const SITTING_PAUSE: Duration = Duration::from_hours(1);
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
    let accounting = options.accounting.clone().unwrap_or_else(Accounting::detect);
    let work =
        options.work.clone().unwrap_or_else(|| PathBuf::from(format!("/var/tmp/cotrace-{}", plan.name)));
    let mut runs = options.runs(plan)?;
    let skipped = skipped_jobs(plan, &work);
    runs.retain(|run| run.jobs.iter().all(|(job, ..)| !skipped.contains_key(&plan.jobs[*job].name)));
    for (job, reason) in &skipped {
        report(Progress::Note(format!("job {job} is skipped: {reason}")));
    }
    if accounting == Accounting::ProcessTree {
        let limited = |run: &Planned| run.cut.is_some_and(|cut| plan.cuts[cut].memory.is_some());
        if runs.iter().any(limited) {
            report(Progress::Note(
                "memory can't be cut without control groups: those runs are skipped".to_owned(),
            ));
        }
        runs.retain(|run| !limited(run));
    }
    if runs.is_empty() {
        return Err(CollectError::Options(
            "there is nothing to measure: see the plan's pairs and repeats".to_owned(),
        ));
    }

    for folder in [&options.out.join("runs"), &work.join("logs"), &work.join("scratch")] {
        fs::create_dir_all(folder).map_err(CollectError::io("make", folder))?;
    }
    let manifest_path = options.out.join("manifest.json");
    let there = read_manifest(&manifest_path, plan, sample_seconds, &accounting)?;
    let mut manifest = there.unwrap_or_else(|| Manifest {
        cotrace_dataset: 1,
        name: plan.name.clone(),
        node: this_node(None, &accounting),
        sample_seconds,
        jobs: Vec::new(),
        sittings: Vec::new(),
        calibrations: Vec::new(),
        runs: Vec::new(),
    });
    // A run whose file is gone is made again.
    manifest.runs.retain(|run| options.out.join(&run.file).is_file());
    if !goes_on(&manifest, &manifest_path) {
        if options.measure_disk {
            report(Progress::MeasuringNode);
        }
        begin_sitting(&mut manifest, this_node(options.measure_disk.then_some(&work), &accounting));
    }
    let sitting = manifest.sittings.len() - 1;
    let whole = Stage::whole(&accounting, manifest.sittings[sitting].node.capacity);
    let bench = Bench { plan, whole: &whole, sample_seconds, work: &work, stop: &options.stop };
    let calibrate =
        plan.calibration.is_some_and(|calibration| !skipped.contains_key(&plan.jobs[calibration.job].name));
    let mut campaign = Campaign {
        bench: &bench,
        options,
        manifest,
        manifest_path,
        sitting,
        calibrate,
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

/// Whether the data set's last sitting is still under way: on this machine since it was started, a short while ago.
fn goes_on(manifest: &Manifest, path: &Path) -> bool {
    let Some(last) = manifest.sittings.last() else {
        return false;
    };
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let pause = changed.and_then(|changed| SystemTime::now().duration_since(changed).ok());
    last.boot_id == boot_id() && pause.is_some_and(|pause| pause < SITTING_PAUSE)
}

fn begin_sitting(manifest: &mut Manifest, node: Node) {
    if let (true, Some(first)) = (manifest.sittings.is_empty(), manifest.runs.first()) {
        // Runs of a collector that did not know sittings.
        let (started_at, node) = (first.started_at.clone(), manifest.node.clone());
        manifest.sittings.push(Sitting { started_at, node, boot_id: String::new() });
    }
    if manifest.sittings.is_empty() {
        manifest.node = node.clone();
    }
    manifest.sittings.push(Sitting { started_at: rfc3339(SystemTime::now()), node, boot_id: boot_id() });
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
    /// Index of the sitting under way.
    sitting: usize,
    calibrate: bool,
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
        let started = Instant::now();
        let made: BTreeSet<String> = self.manifest.runs.iter().map(|run| run.id.clone()).collect();
        self.estimate.learn(&self.manifest);
        let todo = self.this_sitting(runs, &made);

        let jobs: BTreeSet<usize> =
            todo.iter().flat_map(|run| run.jobs.iter().map(|(job, ..)| *job)).collect();
        self.add_jobs(&jobs);
        let calibration = plan.calibration.filter(|_| self.calibrate && !todo.is_empty());
        self.set_up(&jobs.iter().copied().chain(calibration.map(|calibration| calibration.job)).collect())?;

        let mut warm = BTreeSet::new();
        let mut failures = Vec::new();
        let mut measured = 0;
        for (index, planned) in todo.iter().enumerate() {
            if self.options.max_runs.is_some_and(|most| measured >= most) {
                break;
            }
            let next = self.estimate.seconds(plan, [planned]).unwrap_or(0.0);
            let left = self.options.seconds.map(|most| most - started.elapsed().as_secs_f64());
            if left.is_some_and(|left| next > left) {
                (self.report)(Progress::Note("the time is up".to_owned()));
                break;
            }
            self.calibrate_if_due()?;
            self.warm_up(planned, &mut warm)?;
            if self.stopped() {
                break;
            }
            (self.report)(Progress::Started {
                id: planned.id.clone(),
                done: index,
                total: todo.len(),
                remaining_seconds: self.estimate.seconds(plan, &todo[index..]),
            });
            let since = Instant::now();
            match self.measure(&self.with_offsets(planned))? {
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

    /// What is left to do in this sitting, in its order.
    fn this_sitting(&self, runs: &[Planned], made: &BTreeSet<String>) -> Vec<Planned> {
        let plan = self.bench.plan;
        let mut solos_here: BTreeMap<SoloKey, u32> = BTreeMap::new();
        // A disturbed one can't be compared with: it is made up for when the sitting is gone on with.
        let here =
            |run: &&Run| run.kind == RunKind::Solo && run.sitting as usize == self.sitting && !run.disturbed;
        for run in self.manifest.runs.iter().filter(here) {
            let job = plan.jobs.iter().position(|job| job.name == run.jobs[0].name);
            let cut = run.cut.as_ref().map(|cut| plan.cuts.iter().position(|other| other.name == cut.name));
            if let (Some(job), None | Some(Some(_))) = (job, cut) {
                *solos_here.entry((job, cut.flatten())).or_default() += 1;
            }
        }
        let sitting =
            sitting::Sitting { plan, index: self.sitting, solos_here, made, seconds: self.options.seconds };
        let calibration = plan.calibration.filter(|_| self.calibrate);
        // Every run pays its part of the calibrations.
        let part = calibration.map_or(0.0, |calibration| {
            let seconds = plan.jobs[calibration.job].seconds.unwrap_or(20.0) + 5.0;
            seconds / calibration.every as f64
        });
        sitting.runs(runs, |run| part + self.estimate.seconds(plan, [run]).unwrap_or(0.0))
    }

    /// A run whose late start is known in seconds.
    fn with_offsets(&self, planned: &Planned) -> Planned {
        let mut planned = planned.clone();
        if let Some((late, share)) = planned.late {
            let first = planned.jobs.iter().enumerate().find(|(place, _)| *place != late);
            let alone = first.and_then(|(_, (job, ..))| self.estimate.solo(self.bench.plan, *job));
            planned.jobs[late].2 = (alone.unwrap_or(0.0) * share * 1000.0).round() / 1000.0;
        }
        planned
    }

    /// Runs the calibration job when the sitting begins, and after every so many runs.
    fn calibrate_if_due(&mut self) -> Result<(), CollectError> {
        let Some(calibration) = self.bench.plan.calibration.filter(|_| self.calibrate) else {
            return Ok(());
        };
        let sitting = self.sitting as u32;
        let runs = self.manifest.runs.iter().filter(|run| run.sitting == sitting).count();
        let last = self.manifest.calibrations.iter().rfind(|run| run.sitting == sitting);
        if last.is_some_and(|last| runs < last.after_runs as usize + calibration.every) {
            return Ok(());
        }
        let name = format!("calibration_{sitting}_{runs}");
        let label = self.bench.plan.jobs[calibration.job].name.clone();
        (self.report)(Progress::Preparing { job: label.clone(), step: "run" });
        let planned = Planned {
            id: name.clone(),
            kind: RunKind::Solo,
            repeat: 0,
            jobs: vec![(calibration.job, label.clone(), 0.0)],
            late: None,
            cut: None,
        };
        match self.measure(&planned)? {
            Measured::Stopped => {}
            Measured::Failed(reason) => {
                (self.report)(Progress::Note(format!("the calibration job failed: {reason}")));
            }
            Measured::Run(finished) => {
                let file = self.write(&name, &finished)?;
                let run = Calibration {
                    sitting,
                    after_runs: runs as u32,
                    file,
                    seconds: finished.jobs[0].end_seconds - finished.jobs[0].start_seconds,
                    part_seconds: self.bench.parts(&label),
                    started_at: finished.started_at,
                    foreign_cpu_ratio: finished.foreign_cpu_ratio,
                    steal_ratio: finished.steal_ratio,
                };
                self.manifest.calibrations.push(run.clone());
                write_manifest(&self.manifest, &self.manifest_path)?;
                (self.report)(Progress::Calibrated(run));
            }
        }
        Ok(())
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
                size_of: job.size_of.clone(),
                phases: job.phases.clone(),
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
                    late: None,
                    cut: None,
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
        let busy = wait_until_quiet(&self.bench.whole.reader, &self.options.stop)?;
        if busy >= QUIET_RATIO && !self.stopped() {
            (self.report)(Progress::Note(format!(
                "the machine did not come to rest within a minute: {:.1} % of its CPU is in use",
                busy * 100.0
            )));
        }
        Ok(())
    }

    /// Writes the trace of a run; returns the file's name in the data set.
    fn write(&self, id: &str, finished: &Finished) -> Result<String, CollectError> {
        let ending = if self.options.gzip { "csv.gz" } else { "csv" };
        let file = format!("runs/{id}.{ending}");
        write_trace(&finished.trace, &self.options.out.join(&file), self.options.gzip)?;
        Ok(file)
    }

    /// Writes a run's trace, then the manifest that names it.
    fn keep(&mut self, planned: &Planned, finished: Finished) -> Result<(), CollectError> {
        let file = self.write(&planned.id, &finished)?;
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
            sitting: self.sitting as u32,
            cut: finished.cut,
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
    (finished.foreign_cpu_ratio / Run::MOST_FOREIGN).max(finished.steal_ratio / Run::MOST_STEAL)
}
