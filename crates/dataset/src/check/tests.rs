use super::*;
use crate::testing::{Made, run, solo, trace, write_trace};
use cotrace_trace::{Column, Metric};

/// A data set with nothing wrong.
fn sound() -> Made {
    let mut made = Made::new(&["a", "b", "a-large"], 1);
    made.push(solo("a", 4.0));
    made.push(solo("b", 6.0));
    made.push(solo("a-large", 9.0));
    made.push(solo("a", 8.0).cut("one-core"));
    made.push(run(&[("a", 5.0), ("b", 7.0)]));
    made.push(run(&[("a", 9.0), ("a", 9.0)]).cut("one-core"));
    for run in &mut made.manifest.runs {
        run.disturbed = false;
    }
    made
}

/// Writes a set; the traces of cut runs say what was left.
fn write(made: &Made, folder: &Path) {
    made.write(folder);
    for run in made.manifest.runs.iter().filter(|run| run.cut.is_some()) {
        let mut cut = trace(run);
        cut.capacity.cores = Some(1.0);
        write_trace(folder, &run.file, &cut);
    }
}

#[test]
fn nothing_wrong_is_found_in_a_sound_set() {
    let folder = tempfile::tempdir().unwrap();
    write(&sound(), folder.path());
    checksums::write(folder.path()).unwrap();
    let findings = check(folder.path()).unwrap();
    assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{findings:?}");
    assert_eq!(
        findings.last().unwrap().to_string(),
        "note: manifest.json: 6 runs (0 disturbed): 2 alone, 1 two jobs from the same moment, \
         1 with a job of another input size, 2 on the node cut to one-core"
    );
}

#[test]
fn each_thing_wrong_is_found() {
    type Break = fn(&mut Made, &Path);
    fn change_trace(made: &Made, folder: &Path, run: usize, change: fn(&mut cotrace_trace::Trace)) {
        let run = &made.manifest.runs[run];
        let mut changed = trace(run);
        change(&mut changed);
        write_trace(folder, &run.file, &changed);
    }
    let cases: [(&str, Break); 24] = [
        ("error: run a_0: its file \"../a_0.csv\" is not in the data set", |made, _| {
            made.manifest.runs[0].file = "../a_0.csv".into();
        }),
        ("error: run a_0: another run has the same id", |made, _| made.manifest.runs[1].id = "a_0".into()),
        ("error: run b_1: another run has the file runs/a_0.csv", |made, _| {
            made.manifest.runs[1].file = "runs/a_0.csv".into();
        }),
        ("error: run a_0: run a_0: job a ends before it starts", |made, _| {
            made.manifest.runs[0].jobs[0].end_seconds = 0.0;
        }),
        ("error: run a_b_4: is of sitting 3, of 1", |made, _| made.manifest.runs[4].sitting = 3),
        ("is marked not disturbed with 3.1 % foreign CPU and 0.0 % steal", |made, _| {
            made.manifest.runs[0].foreign_cpu_ratio = 0.031;
        }),
        ("is marked disturbed with 0.0 % foreign CPU and 2.0 % steal", |made, _| {
            made.manifest.runs[0].steal_ratio = 0.02;
            made.manifest.runs[0].disturbed = true;
        }),
        ("error: run a_0: job a returned 1", |made, _| made.manifest.runs[0].jobs[0].exit_code = 1),
        ("two jobs have the label a", |made, _| made.manifest.runs[5].jobs[1].label = "a".into()),
        ("warning: run a_0: its file is called runs/b_1.csv", |made, _| {
            made.manifest.runs[0].file = "runs/b_1.csv".into();
        }),
        ("error: job a: another job has the same name", |made, _| made.manifest.jobs[1].name = "a".into()),
        ("error: job a-large: is a size of c, which is no job", |made, _| {
            made.manifest.jobs[2].size_of = Some("c".into());
        }),
        ("error: run a_a_5: its cut one-core is another than that of run a_3", |made, _| {
            made.manifest.runs[5].cut.as_mut().unwrap().cores = Some(1.5);
        }),
        ("warning: job b: has no undisturbed solo run in sitting 0: its slowdown in 1 co-runs", |made, _| {
            made.manifest.runs.remove(1);
        }),
        (
            "warning: job a: has no undisturbed solo run in sitting 0 on the node cut to one-core",
            |made, _| {
                made.manifest.runs.remove(3);
            },
        ),
        ("error: run b_1: ", |_, folder| std::fs::remove_file(folder.join("runs/b_1.csv")).unwrap()),
        ("runs/b_1.csv is no canonical trace but ", |_, folder| {
            let text = "Timestamp,cpu_percent\n2026-01-01 00:00:01,5\n2026-01-01 00:00:07,5\n";
            std::fs::write(folder.join("runs/b_1.csv"), text).unwrap();
        }),
        ("1 traces have no column job.<name>.memory_bytes, for example that of run b_1", |made, folder| {
            change_trace(made, folder, 1, |trace| {
                trace.columns.remove(&Column::job("b", Metric::MemoryBytes));
            });
        }),
        ("error: run b_1: job b ran from 0 s to 8 s, outside its trace of 6 s", |made, _| {
            made.manifest.runs[1].jobs[0].end_seconds = 8.0;
        }),
        ("warning: run b_1: its trace doesn't name job b", |made, folder| {
            change_trace(made, folder, 1, |trace| trace.jobs.clear());
        }),
        ("error: run b_1: its trace and the manifest differ about when job b ran", |made, _| {
            made.manifest.runs[1].jobs[0].end_seconds = 5.9;
        }),
        ("error: run a_3: its trace says 2 cores, its node had 1", |made, folder| {
            change_trace(made, folder, 3, |_| {});
        }),
        (
            "warning: runs: cpu_cores: in 1 of 6 runs the jobs' sum is not within 5 % of the node's; worst: b_1",
            |made, folder| {
                change_trace(made, folder, 1, |trace| {
                    trace.columns.get_mut(&Column::node(Metric::CpuCores)).unwrap().fill(1.1);
                });
            },
        ),
        ("error: none.csv: ", |made, _| {
            made.manifest.calibrations.push(crate::Calibration {
                sitting: 0,
                after_runs: 0,
                file: "none.csv".into(),
                started_at: String::new(),
                seconds: 1.0,
                part_seconds: std::collections::BTreeMap::new(),
                foreign_cpu_ratio: 0.0,
                steal_ratio: 0.0,
            });
        }),
    ];
    let mut missed = Vec::new();
    for (wanted, break_it) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut made = sound();
        write(&made, folder.path());
        break_it(&mut made, folder.path());
        made.write_manifest(folder.path());
        let findings = check(folder.path()).unwrap();
        let found = findings.iter().any(|finding| finding.to_string().contains(wanted));
        if !found {
            missed.push(format!("{wanted:?} in {findings:#?}"));
        }
    }
    assert!(missed.is_empty(), "not found: {}", missed.join("\n"));
}

#[test]
fn checksums_are_held_against_the_files() {
    type Change = fn(&str) -> String;
    let cases: [(&str, Change); 4] = [
        ("error: runs/b_1.csv: its checksum is another", |sums| {
            let mut lines: Vec<String> = sums.lines().map(str::to_owned).collect();
            let line = lines.iter_mut().find(|line| line.ends_with("b_1.csv")).unwrap();
            line.replace_range(..4, "0000");
            lines.join("\n")
        }),
        ("warning: runs/b_1.csv: is not in SHA256SUMS", |sums| {
            let others: Vec<&str> = sums.lines().filter(|line| !line.ends_with("b_1.csv")).collect();
            others.join("\n")
        }),
        ("error: runs/gone.csv: is in SHA256SUMS but not there", |sums| {
            format!("{sums}{}  runs/gone.csv\n", checksums::sha256(b""))
        }),
        ("error: SHA256SUMS: line 1 is no checksum", |sums| format!("# {sums}")),
    ];
    for (wanted, change) in cases {
        let folder = tempfile::tempdir().unwrap();
        write(&sound(), folder.path());
        checksums::write(folder.path()).unwrap();
        let path = folder.path().join(checksums::FILE);
        std::fs::write(&path, change(&std::fs::read_to_string(&path).unwrap())).unwrap();
        let findings = check(folder.path()).unwrap();
        let found = findings.iter().any(|finding| finding.to_string().contains(wanted));
        assert!(found, "{wanted:?} in {findings:#?}");
    }
}

#[test]
fn runs_that_are_lacking_are_counted() {
    let made = sound();
    let mut wanted = Counts::of(&made.manifest, |_| true);
    assert_eq!(against(&made.manifest, &wanted), []);
    wanted.sizes = 4;
    wanted.cuts.insert("half-memory".into(), 2);
    let found: Vec<String> =
        against(&made.manifest, &wanted).iter().map(|finding| finding.what.clone()).collect();
    assert_eq!(
        found,
        ["with a job of another input size: 1 of 4 runs", "on the node cut to half-memory: 0 of 2 runs"]
    );
}
