//! The command as people use it: what it prints, what it returns.

#[path = "../../evaluate/tests/made/mod.rs"]
mod made;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cotrace_forecast::Forecast;

fn cotrace(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cotrace")).args(args).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/resourcenet/resourcenet.cotrace");
const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cotrace/cotrace.cotrace");
const CO_RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/co-runs");

/// A path in the repository.
fn repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).to_string_lossy().into_owned()
}

/// A solo run of the measured data set that comes with the repository.
fn measured(job: &str) -> String {
    repository(&format!("models/co-runs/runs/solo_{job}_0.csv.gz"))
}

/// A small data set made by a rule, in a folder that is gone with what is returned.
fn small_data() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    made::write(folder.path());
    let path = folder.path().to_string_lossy().into_owned();
    (folder, path)
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, content).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn forecasts_as_table_json_and_csv() {
    let (a, b) = (measured("spark-words"), measured("compress-7z"));
    let table = cotrace(&["forecast", &a, &b, "--offset", "5s"]);
    assert!(table.status.success(), "{}", text(&table.stderr));
    let table = text(&table.stdout);
    for needed in
        ["Together they finish in", "spark-words", "compress-7z", "slowdown", "capacity", "Model cotrace"]
    {
        assert!(table.contains(needed), "{needed:?} is not in\n{table}");
    }

    let json = cotrace(&["forecast", &a, &b, "--offset", "5s", "--json"]);
    let forecast: Forecast = serde_json::from_slice(&json.stdout).expect("a forecast");
    assert_eq!(forecast.cotrace_forecast, 1);
    assert_eq!(forecast.jobs[1].offset_seconds, 5.0);
    assert!(table.contains(&format!("{:.2}x", forecast.jobs[0].slowdown)), "table and JSON differ:\n{table}");

    let folder = tempfile::tempdir().expect("a folder");
    let csv = cotrace(&["forecast", &a, &b, "--offset", "5s", "--csv"]);
    let path = write(folder.path(), "forecast.csv", &text(&csv.stdout));
    let again = cotrace(&["convert", &path]);
    assert!(again.status.success(), "the CSV form is a canonical trace: {}", text(&again.stderr));
    assert_eq!(text(&again.stdout), text(&csv.stdout));
}

#[test]
fn every_model_by_name() {
    let (a, b) = (measured("spark-words"), measured("compress-7z"));
    let slowdown = |model: &str| {
        let out = cotrace(&["forecast", &a, &b, "--json", "--model", model]);
        assert!(out.status.success(), "{model}: {}", text(&out.stderr));
        let forecast: Forecast = serde_json::from_slice(&out.stdout).expect("a forecast");
        assert_eq!(forecast.model.name, model);
        forecast.jobs[0].slowdown
    };
    assert!((slowdown("clipped-sum") - 1.0).abs() < 1e-9, "the clipped sum slows nobody");
    assert!(slowdown("conserved-sum") > 1.1, "two jobs of two threads each do not fit two cores");
    assert!(slowdown("fair-share") > 1.1, "nor do they when shared fairly");
    assert!(slowdown("resourcenet") > 1.0);
    let ours = slowdown("cotrace");
    assert!(ours > 1.0);
    let unnamed = cotrace(&["forecast", &a, &b, "--json"]);
    let unnamed: Forecast = serde_json::from_slice(&unnamed.stdout).expect("a forecast");
    assert_eq!((unnamed.model.name.as_str(), unnamed.jobs[0].slowdown), ("cotrace", ours));
}

fn train<'a>(out: &'a str, data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["train", "--data", data, "--out", out], more].concat()
}

#[test]
fn exit_codes_say_what_kind_of_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = measured("spark-words");
    let page = write(folder.path(), "page.csv", "<!DOCTYPE html><html></html>");
    let broken =
        write(folder.path(), "broken.csv", "# cotrace-trace 1\ntime_seconds,cpu_cores\n1,0.5\n2,half\n");
    let model = write(folder.path(), "weights.cotrace", "not weights");
    let (_kept, data) = small_data();
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let evaluate = |more: &[&'static str]| -> Vec<&str> { [&["evaluate", "--data", &data], more].concat() };
    let every = "cotrace, resourcenet, clipped-sum, conserved-sum, fair-share";
    let cases = [
        ("no command", vec![], 2, "Usage"),
        ("unknown option", vec!["forecast", "--fast"], 2, "--fast"),
        ("bad offset", vec!["forecast", &good, &good, "--offset", "soon"], 2, "soon"),
        ("no such file", vec!["forecast", "nowhere.csv", &good], 3, "nowhere.csv"),
        ("a web page", vec!["forecast", &page, &good], 3, "web page"),
        ("a broken number", vec!["check", &broken], 3, ""),
        ("its place", vec!["forecast", &broken, &good], 3, "line 4"),
        ("no model", vec!["forecast", &good, &good, "--model", &model], 3, "weights.cotrace"),
        ("a model unheard of", vec!["forecast", &good, &good, "--model", "oracle"], 2, every),
        ("nor to be exported", vec!["export", "--model", "oracle", "-o", "x"], 2, "cotrace, resourcenet"),
        ("no data set", vec!["evaluate", "--data", "nowhere"], 3, "nowhere"),
        ("no such model", evaluate(&["--model", "oracle"]), 2, "train-mean"),
        ("no such split", evaluate(&["--model", "fair-share", "--split", "odd"]), 2, "unseen-jobs"),
        ("no seeds", evaluate(&["--seeds", "0"]), 2, "seeds"),
        ("parts have names", evaluate(&["--model", "oracle"]), 2, "cotrace, no residual"),
        ("file and rule", evaluate(&["--model", "fair-share", "--model", SHIPPED]), 2, "one after the other"),
        ("file and parts", evaluate(&["--ablations", "--model", SHIPPED]), 2, "one after the other"),
        ("nothing to train on", train(&out, "nowhere", &[]), 3, "nowhere"),
        (
            "no such figures",
            train(&out, CO_RUNS, &["--from-scratch", "--figures", "figures.json"]),
            3,
            "figures.json",
        ),
        ("no steps", train(&out, "nowhere", &["--from-scratch", "--steps", "0"]), 2, "--steps"),
        ("steps of nothing", train(&out, "nowhere", &["--steps", "5"]), 2, "--from-scratch"),
        ("no such teacher", train(&out, "nowhere", &["--from", &model]), 3, "weights.cotrace"),
        ("too large", train(&out, "nowhere", &["--from-scratch", "--hidden", "5000"]), 2, "--hidden"),
        ("it has seen all", vec!["evaluate", "--data", CO_RUNS, "--model", OURS], 3, "was trained on"),
    ];
    let mut wrong = Vec::new();
    for (name, args, code, said) in cases {
        let out = cotrace(&args);
        let stderr = text(&out.stderr);
        if out.status.code() != Some(code) || !stderr.contains(said) {
            wrong.push(format!("{name}: exit code {:?}, said {stderr:?}", out.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn evaluates_rules() {
    let (folder, data) = small_data();
    let out = folder.path().join("figures").display().to_string();
    let rules = ["--model", "clipped-sum", "--model", "fair-share"];
    let args = [&["evaluate", "--data", &data, "--out", &out], &rules[..]].concat();
    let run = cotrace(&args);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let page = std::fs::read_to_string(Path::new(&out).join("report.md")).expect("a page");
    // The terminal shows no pictures.
    let (pictures, words): (Vec<&str>, Vec<&str>) =
        page.split("\n\n").partition(|part| part.starts_with("!["));
    assert!(!pictures.is_empty());
    assert_eq!(text(&run.stdout), words.join("\n\n"));
    let json = std::fs::read(Path::new(&out).join("evaluation.json")).expect("figures");
    let evaluation: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let rows = evaluation["sections"][0]["rows"].as_array().expect("rows");
    let points = |method: &str| {
        let row = rows.iter().find(|row| row["method"] == method).expect("a row");
        row["seeds"][0]["slowdown_points"]["mean"].as_f64().expect("a figure")
    };
    assert!(points("fair-share") < points("clipped-sum"), "{page}");
}

#[test]
fn trains_a_model_that_forecasts_and_is_not_judged_by_what_it_has_seen() {
    let (folder, data) = small_data();
    let out = folder.path().join("model");
    let to = out.display().to_string();
    let model = out.join("resourcenet.cotrace").display().to_string();
    let small = ["--from-scratch", "--model", "resourcenet", "--steps", "2", "--hidden", "4"];
    let run = cotrace(&[&["train", "--data", &data, "--out", &to], &small[..]].concat());
    assert!(run.status.success(), "{}", text(&run.stderr));
    let card = std::fs::read_to_string(out.join("README.md")).expect("a card");
    assert_eq!(text(&run.stdout), card);
    assert!(card.contains("2 optimiser steps") && card.contains("hidden size 4"), "{card}");

    let (a, b) = (measured("spark-words"), measured("compress-7z"));
    let run = cotrace(&["forecast", &a, &b, "--json", "--model", &model]);
    let forecast: Forecast = serde_json::from_slice(&run.stdout).expect("a forecast");
    assert_eq!(forecast.model.name, "resourcenet");

    let run = cotrace(&["evaluate", "--data", &data, "--model", &model]);
    assert_eq!(run.status.code(), Some(3));
    assert!(text(&run.stderr).contains("was trained on"), "{}", text(&run.stderr));
    let export = folder.path().join("weights.safetensors").display().to_string();
    let run = cotrace(&["export", "--model", &model, "--out", &export]);
    assert!(run.status.success() && Path::new(&export).is_file(), "{}", text(&run.stderr));
}

#[test]
fn check_tells_clean_from_doubtful_from_unusable() {
    let folder = tempfile::tempdir().expect("a folder");
    let short =
        write(folder.path(), "short.csv", "# cotrace-trace 1\ntime_seconds,cpu_cores\n1,0.5\n2,0.5\n");
    let out = cotrace(&["check", &short]);
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stdout));
    let out = cotrace(&["check", &short, &measured("spark-words"), "--json"]);
    let reports: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(
        reports.as_array().map(Vec::len),
        Some(2),
        "one report a file, whatever is wrong with another"
    );
    assert_eq!(out.status.code(), Some(3), "as bad as the worst");
}

#[test]
fn convert_is_idempotent_in_both_forms() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (one, two, three) = (path("one.csv"), path("two.json"), path("three.csv"));
    for (from, to) in [(measured("fio-direct"), &one), (one.clone(), &two), (two.clone(), &three)] {
        let out = cotrace(&["convert", &from, "-o", to]);
        assert!(out.status.success(), "{}", text(&out.stderr));
    }
    assert_eq!(std::fs::read(&one).expect("written"), std::fs::read(&three).expect("written"));
}

#[test]
fn place_pairs_every_job_once() {
    let jobs = ["spark-words", "compress-7z", "fio-direct", "memory-bandwidth"];
    let files: Vec<String> = jobs.iter().map(|job| measured(job)).collect();
    let mut args = vec!["place", "--json"];
    args.extend(files.iter().map(String::as_str));
    let out = cotrace(&args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let plan: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let mut placed: Vec<u64> = plan["plan"]["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .flat_map(|group| {
            group["jobs"].as_array().expect("jobs").iter().filter_map(serde_json::Value::as_u64)
        })
        .collect();
    placed.sort_unstable();
    assert_eq!(placed, [0, 1, 2, 3]);
    assert!(plan["plan"]["machine_seconds"].as_f64() <= plan["never_share"]["machine_seconds"].as_f64());
}
