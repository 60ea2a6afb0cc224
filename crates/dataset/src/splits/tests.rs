use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::testing::{Made, run, solo};

const JOBS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// Ten jobs and a large one, each alone; every pair of ordinary sizes, copies of oneself too; the first pairs twice
/// more; runs with an offset, a size, a cut, a third job, a disturbance.
fn full() -> Made {
    let mut names = JOBS.to_vec();
    names.push("a-large");
    let mut made = Made::new(&names, 1);
    for name in &names {
        made.push(solo(name, 5.0));
        made.push(solo(name, 5.0).repeat(1));
    }
    for (index, a) in JOBS.iter().enumerate() {
        for b in &JOBS[index..] {
            made.push(run(&[(a, 6.0), (b, 6.0)]));
            made.push(run(&[(a, 6.0), (b, 6.0)]).offset(2.0));
            if index == 0 {
                made.push(run(&[(a, 6.0), (b, 6.0)]).repeat(1));
                made.push(run(&[(a, 6.0), (b, 6.0)]).repeat(2));
            }
            made.push(run(&[(a, 9.0), (b, 9.0)]).disturbed());
        }
        made.push(run(&[("a-large", 9.0), (a, 6.0)]));
        made.push(run(&[(a, 9.0), ("b", 6.0), ("c", 9.0)]));
        made.push(run(&[(a, 9.0), ("b", 6.0)]).cut("one-core"));
        made.push(solo(a, 9.0).cut("one-core"));
    }
    made
}

#[test]
fn groups_mix_kinds_and_pairs_are_balanced() {
    let mut names: Vec<String> = (0..25).map(|index| format!("job-{index:02}")).collect();
    names.push("job-03-large".to_owned());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let made = Made::new(&names, 1);
    let splits = Splits::draw(&made.manifest, 7);
    splits.fit(&made.manifest).unwrap();
    assert_eq!(splits.groups.iter().map(Vec::len).collect::<Vec<_>>(), [5; 5]);
    for group in &splits.groups {
        let of_cpu = group.iter().filter(|name| made.manifest.job(name).unwrap().kind == "cpu").count();
        assert!((2..=3).contains(&of_cpu), "{group:?}");
    }
    assert_eq!(splits.held_pairs.len(), 60);
    let mut lost: BTreeMap<&str, usize> = BTreeMap::new();
    for name in splits.held_pairs.iter().flatten() {
        *lost.entry(name).or_default() += 1;
    }
    assert!(lost.len() == 25 && lost.values().all(|pairs| (4..=6).contains(pairs)), "{lost:?}");
    assert_eq!(splits.group_of(&made.manifest, "job-03-large"), splits.group_of(&made.manifest, "job-03"));
}

#[test]
fn only_seed_and_jobs_decide() {
    let made = full();
    let drawn = Splits::draw(&made.manifest, 1);
    let mut other_order = made.manifest.clone();
    other_order.jobs.reverse();
    other_order.runs.clear();
    assert_eq!(Splits::draw(&other_order, 1), drawn);
    assert_ne!(Splits::draw(&made.manifest, 2).held_pairs, drawn.held_pairs);
    // Kept: what was drawn once must be drawn again by every later version.
    let kept = [["a", "e"], ["a", "i"], ["b", "g"]];
    let first: Vec<[&str; 2]> =
        drawn.held_pairs.iter().map(|pair| pair.each_ref().map(|name| &**name)).take(3).collect();
    assert_eq!(first, kept);
}

#[test]
fn each_split_has_its_runs() {
    let made = full();
    let manifest = &made.manifest;
    let splits = Splits::draw(manifest, 1);
    assert_eq!(splits.leaks(manifest).unwrap(), []);
    let names = splits.names(manifest);
    assert_eq!(names.len(), 5 + 5 + 10);
    let held = splits.held_pairs.len();
    assert_eq!(held, 9);
    let held_with_a = splits.held_pairs.iter().filter(|pair| pair[0] == "a").count();
    // Solo runs; each of 55 pairs at two offsets; a-large beside each job.
    let usual = 22 + 2 * (55 - held) + (10 - held_with_a);
    let cases = [
        ("seen-pairs", usual, 2 * (10 - held_with_a)),
        ("unseen-pairs", usual, 2 * held + 2 * held_with_a),
        ("triples", usual, 10),
        ("one-core", usual, 10),
        ("unseen-size", 20 + 2 * 55 + 2 * 10, 10),
    ];
    for (name, train, test) in cases {
        let runs = splits.runs(manifest, name).unwrap();
        assert_eq!((runs.train.len(), runs.test.len()), (train, test), "{name}");
        assert!(runs.test.iter().all(|judged| judged.jobs.len() >= 2), "{name}");
    }
}

#[test]
fn a_pair_whose_first_measurement_was_disturbed_was_not_seen() {
    let mut made = Made::new(&["a", "b"], 1);
    made.push(run(&[("b", 6.0), ("a", 6.0)]).disturbed());
    made.push(run(&[("a", 6.0), ("b", 6.0)]).repeat(1));
    let mut splits = Splits::draw(&made.manifest, 1);
    splits.held_pairs.clear();
    let judged = |made: &Made| splits.runs(&made.manifest, "seen-pairs").unwrap().test.len();
    assert_eq!(judged(&made), 0);
    made.push(run(&[("b", 6.0), ("a", 6.0)]));
    assert_eq!(judged(&made), 1);
}

#[test]
fn every_pair_is_judged_once_with_both_jobs_unseen() {
    let made = full();
    let manifest = &made.manifest;
    let splits = Splits::draw(manifest, 1);
    let mut as_pair: BTreeMap<String, usize> = BTreeMap::new();
    let mut as_job: BTreeMap<(String, usize), usize> = BTreeMap::new();
    let unseen: Vec<String> =
        splits.names(manifest).into_iter().filter(|name| name.starts_with("unseen-jobs")).collect();
    assert_eq!(unseen.len(), 15);
    for name in &unseen {
        let one_group = name.matches('-').count() == 2;
        for judged in splits.runs(manifest, name).unwrap().test {
            if judged.jobs.len() == 2 {
                *as_pair.entry(judged.run.clone()).or_default() += 1;
            }
            if one_group {
                for job in judged.jobs {
                    *as_job.entry((judged.run.clone(), job)).or_default() += 1;
                }
            }
        }
    }
    let pairs: BTreeSet<&String> = manifest
        .runs
        .iter()
        .filter(|run| {
            run.jobs.len() == 2
                && !run.disturbed
                && run.cut.is_none()
                && run.jobs.iter().all(|job| !manifest.is_size(&job.name))
        })
        .map(|run| &run.id)
        .collect();
    assert_eq!(as_pair.keys().collect::<BTreeSet<_>>(), pairs);
    assert!(as_pair.values().chain(as_job.values()).all(|times| *times == 1));
    assert_eq!(as_job.len(), 2 * pairs.len());
}

#[test]
fn a_leak_is_found() {
    let made = full();
    let manifest = &made.manifest;
    let splits = Splits::draw(manifest, 1);
    let [first, second] = &splits.held_pairs[0];
    let held = manifest.runs.iter().find(|run| {
        run.jobs.len() == 2 && run.jobs[0].name == *first && run.jobs[1].name == *second && !run.disturbed
    });
    let large = manifest.runs.iter().find(|run| run.jobs[0].name == "a-large");
    let group = splits.group_of(manifest, "a").unwrap();
    let cases = [
        (runs::Kind::UnseenPairs, held, "is judged too"),
        (runs::Kind::Triples, held, "is of a pair held out"),
        (runs::Kind::UnseenSize, large, "has job a-large of an unseen size"),
        (runs::Kind::UnseenJobs(vec![group]), large, "has the unseen job a-large"),
        (runs::Kind::Triples, manifest.runs.iter().find(|run| run.cut.is_some()), "cut node"),
    ];
    for (kind, run, wanted) in cases {
        let mut runs = splits.runs(manifest, &kind.name()).unwrap();
        runs.train.push(run.unwrap().id.clone());
        let leaks = splits.leaks_of(manifest, &kind, &runs);
        assert!(leaks.len() == 1 && leaks[0].why.contains(wanted), "{wanted}: {leaks:?}");
    }
}

#[test]
fn a_file_is_written_once_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(Splits::FILE);
    let splits = Splits::draw(&full().manifest, 3);
    splits.write(&path).unwrap();
    assert_eq!(Splits::read(&path).unwrap(), splits);
    assert!(splits.write(&path).unwrap_err().to_string().ends_with("splits are drawn once"));
    let text = std::fs::read_to_string(&path).unwrap();
    let cases = [
        ("version 2 of splits", text.replace("\"cotrace_splits\": 1", "\"cotrace_splits\": 2")),
        ("not a file of splits", text.replace("seed", "sed")),
    ];
    for (wanted, text) in cases {
        std::fs::write(&path, text).unwrap();
        let error = Splits::read(&path).unwrap_err().to_string();
        assert!(error.contains(wanted) && error.contains("splits.json"), "{error}");
    }
}

#[test]
fn splits_of_other_jobs_are_refused() {
    let made = full();
    let splits = Splits::draw(&made.manifest, 1);
    let mut twice = splits.clone();
    twice.groups[0].push(splits.groups[1][0].clone());
    let mut reversed = splits.clone();
    reversed.held_pairs[0].reverse();
    let mut more = made.manifest.clone();
    more.jobs.push(crate::Job { name: "new".to_owned(), ..more.jobs[0].clone() });
    let cases = [
        (&splits, &more, "seen-pairs", "job new of data set made-up is in 0 groups"),
        (&twice, &made.manifest, "seen-pairs", "is in 2 groups"),
        (&reversed, &made.manifest, "seen-pairs", "in alphabetical order"),
        (
            &splits,
            &made.manifest,
            "unseen-jobs-6",
            "there is no split \"unseen-jobs-6\"; there are seen-pairs,",
        ),
    ];
    for (splits, manifest, name, wanted) in cases {
        let error = splits.runs(manifest, name).unwrap_err().to_string();
        assert!(error.contains(wanted), "{wanted:?} is not in {error:?}");
    }
}
