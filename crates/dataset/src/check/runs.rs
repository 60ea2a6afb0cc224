//! What the manifest says about its runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use super::Finding;
use crate::{Manifest, Run, RunKind, Slowdowns};

pub(super) fn check(manifest: &Manifest) -> Vec<Finding> {
    let mut findings = jobs(manifest);
    let mut ids = BTreeSet::new();
    let mut files = BTreeSet::new();
    for run in &manifest.runs {
        let place = format!("run {}", run.id);
        if !ids.insert(&run.id) {
            findings.push(Finding::error(&*place, "another run has the same id"));
        }
        if !files.insert(&run.file) {
            findings.push(Finding::error(&*place, format!("another run has the file {}", run.file)));
        }
        findings.extend(manifest.fault(run).map(|fault| Finding::error(&*place, fault)));
        findings.extend(of_run(manifest, run).map(|what| Finding::error(&*place, what)));
        if !is_inside(&run.file) {
            findings.push(Finding::error(&*place, format!("its file {:?} is not in the data set", run.file)));
        }
        let stem = Path::new(&run.file).file_name().map(|name| name.to_string_lossy());
        if stem.is_none_or(|name| name.split(".csv").next() != Some(&run.id)) {
            findings.push(Finding::warning(&*place, format!("its file is called {}", run.file)));
        }
    }
    findings.extend(cuts(manifest));
    findings.extend(calibrations(manifest));
    findings.extend(solos(manifest));
    findings
}

/// Whether a file's name leads to no other folder than the data set's.
fn is_inside(file: &str) -> bool {
    Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}

fn jobs(manifest: &Manifest) -> Vec<Finding> {
    let mut names = BTreeSet::new();
    let mut findings = Vec::new();
    for job in &manifest.jobs {
        let place = format!("job {}", job.name);
        if !names.insert(&job.name) {
            findings.push(Finding::error(&*place, "another job has the same name"));
        }
        if let Some(base) = &job.size_of
            && manifest.job(base).is_none_or(|base| base.size_of.is_some())
        {
            let what = format!("is a size of {base}, which is no job or itself a size of one");
            findings.push(Finding::error(&*place, what));
        }
        if !manifest.runs.iter().any(|run| run.jobs.iter().any(|in_run| in_run.name == job.name)) {
            findings.push(Finding::note(&*place, "is in no run"));
        }
    }
    findings
}

/// What is wrong with a run besides what makes it unreadable.
fn of_run(manifest: &Manifest, run: &Run) -> impl Iterator<Item = String> {
    let mut wrong = Vec::new();
    if run.sitting as usize >= manifest.sitting_count() {
        wrong.push(format!("is of sitting {}, of {}", run.sitting, manifest.sitting_count()));
    }
    let (foreign, steal) = (run.foreign_cpu_ratio, run.steal_ratio);
    if run.disturbed != (foreign > Run::MOST_FOREIGN || steal > Run::MOST_STEAL) {
        let marked = if run.disturbed { "disturbed" } else { "not disturbed" };
        let (foreign, steal) = (100.0 * foreign, 100.0 * steal);
        wrong.push(format!("is marked {marked} with {foreign:.1} % foreign CPU and {steal:.1} % steal"));
    }
    let mut labels = BTreeSet::new();
    for job in &run.jobs {
        if job.exit_code != 0 {
            wrong.push(format!("job {} returned {}", job.label, job.exit_code));
        }
        if !labels.insert(&job.label) {
            wrong.push(format!("two jobs have the label {}", job.label));
        }
    }
    wrong.into_iter()
}

/// A cut's name must mean one thing.
fn cuts(manifest: &Manifest) -> Vec<Finding> {
    let mut known = BTreeMap::new();
    let mut findings = Vec::new();
    for run in &manifest.runs {
        let Some(cut) = &run.cut else { continue };
        let (first, other) = known.entry(&cut.name).or_insert((&run.id, cut));
        if *other != cut {
            let what = format!("its cut {} is another than that of run {first}", cut.name);
            findings.push(Finding::error(format!("run {}", run.id), what));
        }
    }
    findings
}

fn calibrations(manifest: &Manifest) -> Vec<Finding> {
    let mut findings = Vec::new();
    for calibration in &manifest.calibrations {
        let place = &*calibration.file;
        if !is_inside(place) {
            findings.push(Finding::error(place, "is not in the data set"));
        }
        if calibration.sitting as usize >= manifest.sitting_count() {
            let what = format!("is of sitting {}, of {}", calibration.sitting, manifest.sitting_count());
            findings.push(Finding::error(place, what));
        }
        if calibration.seconds.is_nan() || calibration.seconds <= 0.0 {
            findings.push(Finding::error(place, format!("the calibration took {} s", calibration.seconds)));
        }
    }
    findings
}

/// Every job of a co-run needs an undisturbed solo run in its sitting, or its slowdown isn't known.
fn solos(manifest: &Manifest) -> Vec<Finding> {
    let slowdowns = Slowdowns::of(manifest);
    let mut lacking: BTreeMap<(&str, u32, Option<&str>), usize> = BTreeMap::new();
    for run in manifest.runs.iter().filter(|run| run.kind == RunKind::Corun) {
        let names: BTreeSet<&str> = run.jobs.iter().map(|job| &*job.name).collect();
        for name in names {
            if slowdowns.solo_seconds(run, name).is_none() {
                *lacking.entry((name, run.sitting, run.cut_name())).or_default() += 1;
            }
        }
    }
    let message = |((job, sitting, cut), coruns): ((&str, u32, Option<&str>), usize)| {
        let node = cut.map_or(String::new(), |cut| format!(" on the node cut to {cut}"));
        let what = format!(
            "has no undisturbed solo run in sitting {sitting}{node}: its slowdown in {coruns} co-runs isn't known"
        );
        Finding::warning(format!("job {job}"), what)
    };
    lacking.into_iter().map(message).collect()
}
