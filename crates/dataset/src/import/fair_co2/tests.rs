use super::*;
use crate::check::{Severity, check};
use crate::{DataSet, Slowdowns};
use cotrace_trace::Metric;

/// A made-up set in the same layout: two jobs, one of them timed, one with more rounds beside the other.
fn source() -> BTreeMap<&'static str, String> {
    let head = "time_s,node_cpu_frac,node_mem_rd_gbs,node_mem_wr_gbs,node_l3_occ_mb,node_power_w";
    let job = |slot: &str| {
        format!(",{slot}_active,{slot}_cpu_cores,{slot}_mem_gib,{slot}_blk_rd_mbs,{slot}_blk_wr_mbs")
    };
    let solo =
        format!("{head}{}\n0.0,0.5,10,5,70,300,1,48,1,2,0\n2.0,0.25,10,,70,300,1,24,1,0,0\n", job("a"));
    let mut pair = format!("{head}{}{}\n", job("a"), job("b"));
    for step in 0..5 {
        pair.push_str(&format!("{}.0,1,20,5,70,300,1,48,1,0,0,1,47,0.5,0,0\n", 2 * step));
    }
    let runs = "run,date,a,a_start_s,a_end_s,b,b_start_s,b_end_s\n\
                hull,2024-11-13 20:33,hull,0.0,3.5,,,\n\
                spark,2024-11-13 20:35,spark,0.0,4.0,,,\n\
                hull_spark,2024-11-13 20:40,hull,0.5,9.5,spark,0.0,6.0\n\
                hull_hull,2024-11-13 20:50,hull,0.0,7.0,hull,0.0,7.0\n\
                spark_spark,2024-11-13 20:55,spark,0.0,7.0,spark,0.0,7.0\n\
                pgbench-10_hull,2024-11-13 20:59,pgbench-10,0.0,7.0,hull,0.0,7.0\n";
    let mut rounds = "run,slot,workload,round,start_s,end_s\n".to_owned();
    let counts = [
        ("hull", "a", 2),
        ("spark", "a", 4),
        ("hull_spark", "a", 5),
        ("hull_spark", "b", 4),
        ("hull_hull", "a", 2),
        ("hull_hull", "b", 2),
        ("spark_spark", "a", 4),
        ("spark_spark", "b", 4),
        ("pgbench-10_hull", "b", 2),
    ];
    for (run, slot, count) in counts {
        rounds.push_str(&format!("{run},{slot},x,0,0,1\n").repeat(count));
    }
    [
        ("runs.csv", runs.to_owned()),
        ("rounds.csv", rounds),
        ("runs/hull.csv", solo.clone()),
        ("runs/spark.csv", solo),
        ("runs/hull_spark.csv", pair.clone()),
        ("runs/hull_hull.csv", pair),
    ]
    .into()
}

fn import(source: &BTreeMap<&str, String>) -> Result<(DataSet, Imported, tempfile::TempDir), ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let (from, out) = (folder.path().join("from"), folder.path().join("out"));
    std::fs::create_dir_all(from.join("runs")).unwrap();
    for (name, text) in source {
        std::fs::write(from.join(name), text).unwrap();
    }
    let imported = fair_co2(&from, &out)?;
    let data = DataSet::read(&out).unwrap();
    assert_eq!(data.manifest, imported.manifest);
    Ok((data, imported, folder))
}

#[test]
fn runs_and_units() {
    let (data, imported, folder) = import(&source()).unwrap();
    let ids: Vec<&str> = imported.manifest.runs.iter().map(|run| &*run.id).collect();
    assert_eq!(ids, ["hull", "spark", "hull_spark", "hull_hull", "made_hull-5"]);
    assert_eq!(imported.left_out.len(), 2, "{:?}", imported.left_out);
    let findings = check(&folder.path().join("out")).unwrap();
    assert!(findings.iter().all(|finding| finding.severity < Severity::Error), "{findings:#?}");

    let trace = data.trace(&data.manifest.runs[0]).unwrap();
    // The run ends within the second step.
    assert_eq!(trace.time_seconds, [2.0, 3.5]);
    assert_eq!(trace.capacity.cores, Some(96.0));
    assert_eq!(trace.node(Metric::CpuCores).unwrap(), [48.0, 24.0]);
    let bandwidth = trace.node(Metric::MemoryBandwidthBytesPerSecond).unwrap();
    assert!(bandwidth[0] == 15e9 && bandwidth[1].is_nan(), "{bandwidth:?}");
    assert_eq!(trace.job("hull", Metric::MemoryBytes).unwrap()[0], 1_073_741_824.0);
    assert_eq!(trace.job("hull", Metric::DiskReadBytesPerSecond).unwrap(), [2e6, 0.0]);
    let labels = |run: usize| data.manifest.runs[run].jobs.iter().map(|job| &*job.label).collect::<Vec<_>>();
    assert_eq!(labels(2), ["hull-5", "spark"]);
    assert_eq!(labels(3), ["hull", "hull-2"]);
}

#[test]
fn more_rounds_are_another_size_with_a_made_solo_run() {
    let (data, ..) = import(&source()).unwrap();
    let manifest = &data.manifest;
    assert_eq!(manifest.job("hull-5").unwrap().size_of.as_deref(), Some("hull"));
    let made = manifest.runs.last().unwrap();
    // Five rounds instead of two: two and a half times 3.5 s.
    assert_eq!(made.jobs[0].seconds(), 8.75);
    let trace = data.trace(made).unwrap();
    assert_eq!(trace.time_seconds, [2.0, 3.5, 5.5, 7.0, 8.75]);
    assert_eq!(trace.job("hull-5", Metric::CpuCores).unwrap(), [48.0, 24.0, 48.0, 24.0, 48.0]);
    let slowdowns = Slowdowns::of(manifest).of_run(&manifest.runs[2]);
    assert_eq!(slowdowns, [Some(9.0 / 8.75), Some(1.5)]);
}

#[test]
fn errors_name_file_line_and_column() {
    let cases = [
        ("runs.csv", "3.5,,,", "x,,,", "runs.csv, line 2, column a_end_s: expected a number, found \"x\""),
        ("runs.csv", "3.5,,,", ",,,", "runs.csv, line 2, column a_end_s: expected a number, found \"\""),
        (
            "runs.csv",
            "0.5,9.5",
            "0.5,0.4",
            "runs.csv, line 4, column a_end_s: expected an end after the start",
        ),
        ("runs.csv", "2024-11-13 20:33", "yesterday", "line 2, column date: expected a day and a time"),
        ("runs.csv", "a_end_s", "end", "runs.csv, line 1: there is no column a_end_s"),
        ("runs.csv", ",hull,0.0,3.5,,,", ",hull", "runs.csv: CSV error: record 1 (line: 2"),
        (
            "rounds.csv",
            "\nhull,a",
            "\nbull,a",
            "runs.csv, line 2, column a: expected a job with a line in rounds.csv",
        ),
        (
            "runs/spark.csv",
            "2.0,0.25",
            "2.0,much",
            "runs/spark.csv, line 3, column node_cpu_frac: expected a number",
        ),
        (
            "runs/spark.csv",
            "2.0,0.25",
            "0.0,0.25",
            "spark.csv, line 3, column time_s: expected a time after the one",
        ),
        ("runs/spark.csv", "2.0,0.25", "2.0,-0.25", "column node_cpu_frac: expected a number not below zero"),
        ("runs/hull_spark.csv", "b_mem_gib", "b_mem", "hull_spark.csv, line 1: there is no column b_mem_gib"),
    ];
    for (file, from, to, wanted) in cases {
        let mut source = source();
        let text = source[file].replace(from, to);
        assert_ne!(text, source[file], "{file} has no {from}");
        source.insert(file, text);
        let error = import(&source).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{wanted:?} is not in {error:?}");
    }
    let mut source = source();
    source.remove("runs/spark.csv");
    assert!(import(&source).map(|_| ()).unwrap_err().to_string().contains("runs/spark.csv"));
}
