//! Sets that were measured: the one in this repository, and one of others where it is at hand.

use std::path::{Path, PathBuf};

use cotrace_dataset::check::{Severity, check};
use cotrace_dataset::noise::{Alone, Between, Sittings};
use cotrace_dataset::{DataSet, Manifest, Noise, Shape, Slowdowns, Splits, checksums, import, report};

fn two_cores() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/data")
}

#[test]
fn the_set_of_two_cores_is_read_as_its_page_says() {
    let data = DataSet::read(&two_cores()).unwrap();
    let manifest = &data.manifest;
    assert_eq!((manifest.sittings.len(), manifest.sitting_count()), (0, 1));
    assert_eq!(Shape::ALL.map(|shape| data.coruns(shape).count()), [24, 8, 28, 0, 0]);
    let slowdowns = Slowdowns::of(manifest);
    let all: Vec<f64> = manifest
        .runs
        .iter()
        .filter(|run| run.jobs.len() == 2)
        .flat_map(|run| slowdowns.of_run(run))
        .flatten()
        .collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = all.iter().copied().fold(0.0, f64::max);
    assert_eq!(all.len(), 72);
    let said = [(low, 0.99), (high, 2.21), (mean, 1.42)];
    assert!(said.iter().all(|(value, said)| (value - said).abs() < 0.005), "{said:?}");
    let spread = slowdowns.solo_spread("sqlite-orders").unwrap();
    assert_eq!(spread.within_percent.map(f64::round), Some(22.0));
    assert_eq!(spread.between_percent, None);
}

#[test]
fn nothing_is_broken_in_the_set_of_two_cores() {
    let findings = check(&two_cores()).unwrap();
    let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn what_the_set_of_two_cores_says_about_noise() {
    let data = DataSet::read(&two_cores()).unwrap();
    let noise = Noise::of(&data);
    assert!(noise.twice.is_empty(), "no co-run was repeated");
    let alone = noise.duration_percent(Between { kind: Alone::Solo, sittings: Sittings::Same }).unwrap();
    // Eight jobs, three runs each.
    assert_eq!(alone.count, 24);
    assert!((9.0..10.5).contains(&alone.mean), "{alone:?}");
    let splits = Splits::draw(&data.manifest, 1);
    assert_eq!(splits.leaks(&data.manifest).unwrap(), []);
}

fn co_runs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/co-runs")
}

/// It is measured in sittings, so runs may be missing, but nothing that is there may be broken.
#[test]
fn nothing_is_broken_in_co_runs() {
    let findings = check(&co_runs()).unwrap();
    let broken: Vec<_> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error || finding.place == checksums::FILE)
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_splits_of_co_runs_hold_out_what_they_say() {
    let manifest = Manifest::read(&co_runs()).unwrap();
    let splits = Splits::read(&co_runs().join(Splits::FILE)).unwrap();
    assert_eq!(splits.leaks(&manifest).unwrap(), []);
    assert_eq!(splits.groups.iter().map(Vec::len).collect::<Vec<_>>(), [5; 5], "{:?}", splits.groups);
    assert_eq!(splits.held_pairs.len(), 60, "a fifth of the 300 pairs of different jobs");
    let names = splits.names(&manifest);
    assert_eq!(names.iter().filter(|name| name.starts_with("unseen-jobs-")).count(), 15, "{names:?}");
}

/// `cotrace data report models/co-runs --out docs/co-runs` writes it.
#[test]
fn the_report_of_co_runs_is_of_this_data() {
    let data = DataSet::read(&co_runs()).unwrap();
    let splits = Splits::read(&co_runs().join(Splits::FILE)).unwrap();
    let out = tempfile::tempdir().unwrap();
    report::write(&data, &splits, out.path()).unwrap();
    let page = |folder: &Path| std::fs::read_to_string(folder.join(report::PAGE)).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/co-runs");
    assert!(page(&kept) == page(out.path()), "docs/co-runs is not of models/co-runs: write it again");
}

/// The folder of data that is no part of this repository. `None`: there is none here.
fn extra_data() -> Option<PathBuf> {
    let folder = std::env::var_os("COTRACE_EXTRA_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: COTRACE_EXTRA_DATA names no folder with outside data sets");
    }
    folder
}

#[test]
fn fair_co2_is_imported() {
    let Some(folder) = extra_data() else { return };
    let out = tempfile::tempdir().unwrap();
    let imported = import::fair_co2(&folder.join("fair-co2"), out.path()).unwrap();
    let data = DataSet::read(out.path()).unwrap();
    let findings = check(out.path()).unwrap();
    let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    // 77 runs, of which 23 have a timed job and two are of copies that share a log.
    assert_eq!((imported.left_out.len(), data.coruns(Shape::Solo).count()), (25, 9 + made(&data)));
    // The authors' own figure is 1.503 for this one, of rounds within the overlap only.
    let run =
        data.manifest.runs.iter().find(|run| run.id == "breadthFirstSearch_breadthFirstSearch").unwrap();
    for slowdown in Slowdowns::of(&data.manifest).of_run(run) {
        assert!((slowdown.unwrap() - 1.503).abs() < 0.01, "{slowdown:?}");
    }
    report::write(&data, &Splits::draw(&data.manifest, 1), &out.path().join("report")).unwrap();
}

fn made(data: &DataSet) -> usize {
    data.manifest.runs.iter().filter(|run| run.id.starts_with("made_")).count()
}
