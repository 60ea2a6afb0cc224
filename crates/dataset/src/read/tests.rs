use super::*;
use crate::Counts;
use crate::testing::{Made, MadeRun, run, solo};

fn small() -> Made {
    let mut made = Made::new(&["a", "b", "a-large"], 2);
    for seconds in [4.0, 6.0, 5.0] {
        made.push(solo("a", seconds));
    }
    made.push(solo("a", 7.0).in_sitting(1));
    made.push(solo("a", 9.0).cut("one-core"));
    made.push(solo("a", 1.0).disturbed());
    made.push(solo("b", 5.0));
    made.push(run(&[("a", 8.0), ("b", 6.0)]));
    made.push(run(&[("a", 8.0), ("b", 6.0)]).offset(2.0));
    made.push(run(&[("a", 8.0), ("a", 8.0)]));
    made.push(run(&[("a", 8.0), ("b", 6.0), ("b", 9.0)]));
    made.push(run(&[("a", 8.0), ("b", 6.0)]).cut("one-core"));
    made.push(run(&[("a-large", 8.0), ("b", 6.0)]).disturbed());
    made.push(run(&[("a-large", 8.0), ("b", 6.0)]));
    made
}

#[test]
fn runs_are_found_by_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let made = small();
    made.write(folder.path());
    let data = DataSet::read(folder.path()).unwrap();
    let one_core = made.manifest.runs[4].cut.as_ref();
    let seconds = |runs: Vec<(&Run, &Trace)>| -> Vec<f64> {
        runs.iter().map(|(run, _)| run.jobs[0].seconds()).collect()
    };
    assert_eq!(seconds(data.solo_runs("a", 0, None).collect()), [4.0, 6.0, 5.0]);
    assert_eq!(seconds(data.solo_runs("a", 1, None).collect()), [7.0]);
    assert_eq!(seconds(data.solo_runs("a", 0, one_core).collect()), [9.0]);
    assert_eq!(data.median_solo("a", 0, None).unwrap().0.jobs[0].seconds(), 5.0);
    assert!(data.median_solo("b", 1, None).is_none());
    let inputs = |run: &MadeRun| {
        Some(data.inputs(&run.0)?.iter().map(|(run, _)| run.jobs[0].seconds()).collect::<Vec<_>>())
    };
    let pair = run(&[("a", 8.0), ("b", 6.0)]);
    assert_eq!(inputs(&pair), Some(vec![5.0, 5.0]));
    // What a forecast is given was measured on the whole node.
    assert_eq!(inputs(&pair.clone().cut("one-core")), Some(vec![5.0, 5.0]));
    assert_eq!(inputs(&pair.in_sitting(1)), None);
    let shapes = Shape::ALL.map(|shape| data.coruns(shape).count());
    // The solo runs of both sittings; the pair of the cut node is not among the pairs, that of the large size is.
    assert_eq!(shapes, [5, 1, 2, 1, 1]);
    assert_eq!(data.cut_runs("one-core").count(), 2);
    assert_eq!(data.size_runs().count(), 1);
    let counts = Counts::of(&data.manifest, |_| true);
    assert_eq!((counts.sizes, counts.disturbed, counts.repeats), (2, 2, 0));
    assert_eq!(counts.lines().iter().map(|(_, runs)| runs).sum::<usize>(), data.manifest.runs.len());
}

#[test]
fn of_two_in_the_middle_the_earlier_repeat_stands() {
    for (first, second) in [(4.0, 6.0), (6.0, 4.0)] {
        let folder = tempfile::tempdir().unwrap();
        let mut made = Made::new(&["a"], 1);
        made.push(solo("a", second).repeat(1));
        made.push(solo("a", first));
        made.write(folder.path());
        let data = DataSet::read(folder.path()).unwrap();
        assert_eq!(data.median_solo("a", 0, None).unwrap().0.jobs[0].seconds(), first);
    }
}

#[test]
fn a_set_of_one_sitting_need_not_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = Made::new(&["a"], 1);
    made.push(solo("a", 4.0));
    made.write(folder.path());
    let path = folder.path().join("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert!(manifest.as_object_mut().unwrap().remove("sittings").is_some());
    manifest["runs"][0].as_object_mut().unwrap().remove("sitting");
    std::fs::write(&path, manifest.to_string()).unwrap();
    let data = DataSet::read(folder.path()).unwrap();
    assert_eq!((data.manifest.sittings.len(), data.manifest.sitting_count()), (0, 1));
    assert!(data.median_solo("a", 0, None).is_some());
}

#[test]
fn errors_name_the_culprit() {
    type Break = fn(&mut Made, &Path);
    let cases: [(&str, Break); 11] = [
        ("manifest.json: layout 2 is not known", |made, _| made.manifest.cotrace_dataset = 2),
        ("runs/a_0.csv: ", |_, folder| std::fs::remove_file(folder.join("runs/a_0.csv")).unwrap()),
        ("runs/a_0.csv, line 2, column time_seconds", |_, folder| {
            std::fs::write(folder.join("runs/a_0.csv"), "time_seconds,cpu_cores\nx,1\n").unwrap();
        }),
        ("run \"a_0\" has no file", |made, _| made.manifest.runs[0].file.clear()),
        ("run \"\" has no id", |made, _| made.manifest.runs[0].id.clear()),
        ("run a_0 has no jobs", |made, _| made.manifest.runs[0].jobs.clear()),
        ("run a_0: a job has no name", |made, _| made.manifest.runs[0].jobs[0].name.clear()),
        ("run a_0: job c is not among the jobs", |made, _| made.manifest.runs[0].jobs[0].name = "c".into()),
        ("run a_0: job a ends before it starts", |made, _| made.manifest.runs[0].jobs[0].end_seconds = -1.0),
        ("run a_0 is corun but has 1 jobs", |made, _| made.manifest.runs[0].kind = RunKind::Corun),
        ("two runs are called a_1", |made, _| made.manifest.runs[0].id = "a_1".into()),
    ];
    for (wanted, break_it) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut made = small();
        made.write(folder.path());
        break_it(&mut made, folder.path());
        made.write_manifest(folder.path());
        let error = DataSet::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{wanted:?} is not in {error:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("manifest.json"), "{\n").unwrap();
    let error = DataSet::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("not a data set's manifest"), "{error}");
    assert!(DataSet::read(&folder.path().join("none")).unwrap_err().to_string().contains("manifest.json"));
}
