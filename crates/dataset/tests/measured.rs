//! Sets that were measured: the one in this repository, and one of others where it is at hand.

use std::path::{Path, PathBuf};

use cotrace_dataset::check::{Severity, check};
use cotrace_dataset::{DataSet, Manifest, Shape, Slowdowns, Splits, checksums, import, report};

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
