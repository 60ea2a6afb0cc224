//! Measures small shell jobs for real, under process-tree accounting, which works everywhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cotrace_collect::{Accounting, CollectError, Options, Outcome, Plan, Progress, collect};
use cotrace_dataset::{Manifest, RunKind};
use cotrace_trace::{Metric, Trace, canonical};

/// A job that is busy until it has counted up; about a third of a second.
const BUSY: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

fn plan(jobs: &[(&str, &str)], rest: &str) -> Plan {
    let mut text = "name = \"small\"\nsample_seconds = 0.1\nsolo_repeats = 1\n".to_owned();
    for (name, command) in jobs {
        text += &format!("[[job]]\nname = \"{name}\"\nkind = \"cpu\"\nframework = \"native\"\n");
        text += &format!("command = '''{command}'''\n");
    }
    text += rest;
    Plan::parse(&text, "plan.toml", PathBuf::from("/")).expect("a plan")
}

fn options(folder: &Path) -> Options {
    Options {
        accounting: Some(Accounting::ProcessTree),
        settle: false,
        measure_disk: false,
        work: Some(folder.join("work")),
        ..Options::new(folder.join("out"))
    }
}

fn measure(plan: &Plan, options: &Options) -> (Result<Outcome, CollectError>, Vec<String>) {
    let mut said = Vec::new();
    let outcome = collect(plan, options, &mut |progress| match progress {
        Progress::Note(note) => said.push(note),
        Progress::Failed(failure) => said.push(format!("{}: {}", failure.id, failure.reason)),
        _ => {}
    });
    (outcome, said)
}

fn read_trace(path: &Path) -> Trace {
    canonical::read_csv("run.csv", &fs::read(path).expect("the run's file")).expect("a canonical trace")
}

/// The area under a series: core-seconds from cores.
fn area(trace: &Trace, values: &[f64]) -> f64 {
    let starts = std::iter::once(0.0).chain(trace.time_seconds.iter().copied());
    trace.time_seconds.iter().zip(starts).zip(values).map(|((end, start), value)| (end - start) * value).sum()
}

#[test]
fn two_jobs_alone_and_together() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = plan(&[("one", BUSY), ("two", BUSY)], "[pairs]\noffsets = [0.2]\n");
    let options = options(folder.path());
    let (outcome, said) = measure(&plan, &options);
    let outcome = outcome.expect("measured");
    assert_eq!((outcome.measured, outcome.wanted, outcome.failures.len()), (3, 3, 0), "{said:?}");
    assert!(!outcome.interrupted);

    let text = fs::read_to_string(options.out.join("manifest.json")).expect("a manifest");
    let manifest: Manifest = serde_json::from_str(&text).expect("a manifest of this version");
    assert_eq!(manifest, outcome.manifest);
    assert_eq!(manifest.node.job_accounting, "process-tree");
    assert_eq!(manifest.node.capacity.disk_bytes_per_second, None, "not measured is not zero");
    assert_eq!(manifest.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);

    for run in &manifest.runs {
        let trace = read_trace(&options.out.join(&run.file));
        assert_eq!(trace.jobs.len(), run.jobs.len(), "{}", run.id);
        assert_eq!(trace.capacity, manifest.node.capacity, "{}", run.id);
        for job in &run.jobs {
            let seconds = job.end_seconds - job.start_seconds;
            let values = trace.job(&job.label, Metric::CpuCores).expect("the job's CPU");
            let used = area(&trace, values);
            // A shell loop needs its core all the time; on a busy machine it gets less.
            assert!(
                used > 0.02 && used < seconds * 1.5 + 0.1,
                "{}: {used} core-seconds in {seconds} s",
                run.id
            );
            assert!(job.start_seconds >= job.offset_seconds, "{}: {job:?}", run.id);
            assert!(trace.job(&job.label, Metric::MemoryBytes).is_some(), "{}", run.id);
            assert!(trace.job(&job.label, Metric::PageCacheBytes).is_none(), "{}: a tree can't tell", run.id);
        }
        let end = run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
        assert!(trace.duration_seconds() >= end, "{}: the last sample comes after the last job", run.id);
        assert!(
            trace.node(Metric::MemoryBytes).is_some_and(|values| values.iter().all(|&bytes| bytes > 0.0))
        );
    }
    let pair = manifest.runs.iter().find(|run| run.kind == RunKind::Corun).expect("a co-run");
    assert_eq!(pair.jobs.iter().map(|job| job.offset_seconds).fold(0.0, f64::max), 0.2);

    // Started again, there is nothing left to do, and nothing changes.
    let (again, _) = measure(&plan, &options);
    let again = again.expect("resumed");
    assert_eq!((again.measured, again.manifest), (0, manifest));
}

#[test]
fn a_sitting_has_solo_runs_and_calibrations_of_its_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rest = "[pairs]\nlate = { share = 1.0, from = 0.5, to = 0.5 }\n[calibration]\nevery = 3\n\
        framework = \"native\"\ncommand = \"echo part cpu 0.25; echo part disk 1\"\n";
    let plan = plan(&[("one", BUSY), ("two", "sleep 0.2")], rest);
    let options = options(folder.path());
    let outcome = measure(&plan, &options).0.expect("measured");
    assert_eq!(outcome.measured, 4, "two alone, the pair, the pair with a late start");
    let manifest = outcome.manifest;
    assert_eq!((manifest.sittings.len(), manifest.calibrations.len()), (1, 2));
    let after: Vec<u32> = manifest.calibrations.iter().map(|run| run.after_runs).collect();
    assert_eq!(after, [0, 3]);
    let parts: Vec<(&str, f64)> = manifest.calibrations[0]
        .part_seconds
        .iter()
        .map(|(name, seconds)| (name.as_str(), *seconds))
        .collect();
    assert_eq!(parts, [("cpu", 0.25), ("disk", 1.0)]);
    assert!(options.out.join(&manifest.calibrations[1].file).is_file());
    assert!(manifest.jobs.iter().all(|job| job.name != "calibration"), "it is no job of the data set");

    let late = manifest.runs.iter().find(|run| run.id.contains("_50pc_")).expect("the late start");
    let other = late.jobs.iter().find(|job| job.offset_seconds == 0.0).expect("the first");
    let second = late.jobs.iter().find(|job| job.offset_seconds > 0.0).expect("the second");
    let alone = manifest
        .runs
        .iter()
        .find(|run| run.kind == RunKind::Solo && run.jobs[0].name == other.name)
        .and_then(|run| run.durations_seconds().next())
        .expect("alone");
    assert!((second.offset_seconds - 0.5 * alone).abs() < 0.001, "{} of {alone}", second.offset_seconds);

    // On another day, that is after the machine was started again, a new sitting begins.
    let path = options.out.join("manifest.json");
    let text = fs::read_to_string(&path).expect("a manifest");
    fs::write(&path, text.replace(&manifest.sittings[0].boot_id, "an earlier boot")).expect("written");
    fs::remove_file(options.out.join(&late.file)).expect("removed");
    let again = measure(&plan, &options).0.expect("gone on with").manifest;
    assert_eq!(again.sittings.len(), 2);
    let new: BTreeSet<&str> =
        again.runs.iter().filter(|run| run.sitting == 1).map(|run| run.id.as_str()).collect();
    assert_eq!(new, BTreeSet::from(["solo_one_1", "solo_two_1", late.id.as_str()]));
    assert_eq!(again.calibrations.last().map(|run| (run.sitting, run.after_runs)), Some((1, 0)));
}

#[test]
fn a_cut_node_has_fewer_cores() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cores = folder.path().join("cores");
    let job = format!("nproc >> {}; {BUSY}", cores.display());
    let plan = plan(
        &[("one", &job), ("two", &job)],
        "[[cut]]\nname = \"one-core\"\ncores = 1\njobs = [\"one\", \"two\"]\n\
         [[cut]]\nname = \"half\"\nmemory = 0.5\njobs = [\"one\"]\n",
    );
    let (outcome, said) = measure(&plan, &options(folder.path()));
    let manifest = outcome.expect("measured").manifest;
    assert_eq!(said, ["memory can't be cut without control groups: those runs are skipped"]);
    let seen = fs::read_to_string(&cores).expect("written by the jobs");
    assert!(
        seen.lines().filter(|&cores| cores == "1").count() >= 4,
        "two alone and a pair on one core: {seen:?}"
    );
    let pair = manifest.runs.iter().find(|run| run.id == "one-core_pair_one_two_0s_0").expect("the pair");
    assert_eq!(pair.cut.as_ref().and_then(|cut| cut.cores), Some(1.0));
    let trace = read_trace(&folder.path().join("out").join(&pair.file));
    assert_eq!(trace.capacity.cores, Some(1.0));
    let used = trace.node(Metric::CpuCores).expect("the node's CPU");
    // Ticks are whole hundredths of a second, ten in a sample.
    assert!(used.iter().all(|&cores| cores < 1.25), "{used:?}");
}

#[test]
fn a_lost_file_is_measured_again_and_another_plan_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options { gzip: true, ..options(folder.path()) };
    let (outcome, _) = measure(&plan(&[("one", "true"), ("two", "true")], ""), &options);
    let outcome = outcome.expect("measured");
    let lost = options.out.join(&outcome.manifest.runs[0].file);
    assert!(lost.to_string_lossy().ends_with(".csv.gz"), "{lost:?}");
    fs::remove_file(&lost).expect("removed");
    let (outcome, _) = measure(&plan(&[("one", "true"), ("two", "true")], ""), &options);
    assert_eq!(outcome.expect("resumed").measured, 1);
    assert!(lost.exists());

    let (outcome, _) = measure(&plan(&[("one", "false || true"), ("two", "true")], ""), &options);
    let message = outcome.expect_err("another command").to_string();
    assert!(message.contains("the command of job one there is true, here false || true"), "{message}");
}

#[test]
fn failures_are_tried_again_and_left_out() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tries = folder.path().join("tries");
    let command = format!("echo x >> {}; echo no luck >&2; exit 3", tries.display());
    let options = options(folder.path());
    let (outcome, said) = measure(&plan(&[("bad", &command), ("good", "true")], ""), &options);
    let outcome = outcome.expect("measured");
    assert_eq!(outcome.failures.len(), 1, "{said:?}");
    assert_eq!(outcome.failures[0].id, "solo_bad_0");
    let reason = &outcome.failures[0].reason;
    assert!(reason.contains("exit status: 3") && reason.contains("no luck"), "{reason}");
    assert_eq!(fs::read_to_string(&tries).expect("written").lines().count(), 2, "tried twice");
    assert_eq!(outcome.manifest.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["solo_good_0"]);
}

#[test]
fn what_a_job_leaves_behind_is_killed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (outcome, said) = measure(&plan(&[("leaver", "sleep 60 & sleep 0.3")], ""), &options(folder.path()));
    let run = &outcome.expect("measured").manifest.runs[0];
    assert_eq!(said, ["leaver: killed 1 processes it left behind"]);
    assert!(run.jobs[0].end_seconds < 30.0, "the job ends with its main process: {run:?}");
}

#[test]
fn a_job_over_its_limit_fails() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let jobs = "[[job]]\nname = \"slow\"\nkind = \"cpu\"\nframework = \"native\"\ncommand = \"sleep 60\"\nlimit_seconds = 0.2\n";
    let plan = Plan::parse(
        &format!("name = \"small\"\nsample_seconds = 0.1\nsolo_repeats = 1\n{jobs}"),
        "p",
        "/".into(),
    );
    let (outcome, said) = measure(&plan.expect("a plan"), &options(folder.path()));
    assert_eq!(outcome.expect("measured").failures.len(), 1);
    assert!(said.contains(&"slow: killed after its limit of 0.2 s".to_owned()), "{said:?}");
}

#[test]
fn a_stop_discards_the_run_under_way() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stop = Arc::new(AtomicBool::new(false));
    let options = Options { stop: Arc::clone(&stop), ..options(folder.path()) };
    let plan = plan(&[("quick", "true"), ("slow", "sleep 60")], "");
    let mut started = Vec::new();
    let outcome = collect(&plan, &options, &mut |progress| {
        if let Progress::Started { id, .. } = progress {
            started.push(id.clone());
            if id == "solo_slow_0" {
                let stop = Arc::clone(&stop);
                std::thread::spawn(move || {
                    std::thread::sleep(std::time::Duration::from_millis(300));
                    stop.store(true, Ordering::SeqCst);
                });
            }
        }
    })
    .expect("stopped in good order");
    assert!(outcome.interrupted);
    assert!(outcome.manifest.runs.iter().all(|run| run.id != "solo_slow_0"), "{started:?}");
    assert_eq!(outcome.measured, started.len() - 1, "what had finished is kept: {started:?}");
}

#[test]
fn jobs_whose_program_is_missing_are_skipped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rest = "[[job]]\nname = \"rare\"\nkind = \"cpu\"\nframework = \"native\"\ncommand = \"true\"\n\
                requires = [\"no-such-program\"]\n";
    let (outcome, said) = measure(&plan(&[("plain", "true")], rest), &options(folder.path()));
    let outcome = outcome.expect("measured");
    assert_eq!(said, ["job rare is skipped: there is no no-such-program on this machine"]);
    assert_eq!((outcome.measured, outcome.skipped.len()), (1, 1));
}

#[test]
fn options_that_name_no_job_say_which_there_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options { only: Some(vec!["three".to_owned()]), ..options(folder.path()) };
    let (outcome, _) = measure(&plan(&[("one", "true"), ("two", "true")], ""), &options);
    let message = outcome.expect_err("no such job").to_string();
    assert_eq!(message, "the plan has no job \"three\"; it has one, two");
}

#[test]
fn a_failing_setup_stops_the_measurement() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rest = "[[job]]\nname = \"b\"\nkind = \"cpu\"\nframework = \"native\"\ncommand = \"true\"\n\
                setup = \"echo cannot >&2; exit 9\"\n";
    let (outcome, _) = measure(&plan(&[("a", "true")], rest), &options(folder.path()));
    let message = outcome.expect_err("setup fails").to_string();
    assert!(message.starts_with("job \"b\": setup failed: exit status: 9"), "{message}");
    assert!(message.contains("cannot"), "{message}");
}
