//! Chooses runs of the measured data set as samples for the page.
//!
//! Of some jobs that differ in kind the solo run that stands for the job, as in `cotrace_dataset`: the one of the median
//! duration, of two the earlier repeat. And every co-run of two of them in the same sitting, so that a slowdown is
//! against a solo run of that host. Only undisturbed runs on the whole node. They are copied as they are into
//! `web/generated/samples/`, next to an `index.json`: `{"data": "co-runs", "solo": [{name, kind, description, file,
//! seconds}], "pairs": [{a, b, file, offset_seconds}]}`. Whether a model has learned from a pair is for the model's card
//! to say, which names its data set and what it left out.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::repo::Repo;
use crate::site::copy;
use crate::stamp::{Inputs, Stamp};

const DATA: &str = "models/co-runs";
const OUT: &str = "web/generated/samples";

/// The jobs, in the order in which the page offers them; the first two that ran together are what it begins with.
const JOBS: [&str; 13] = [
    "encode-x264",
    "duckdb-tpch",
    "postgres-bench",
    "spark-terasort",
    "spark-words",
    "compress-7z",
    "build-c",
    "learn-boost",
    "memory-bandwidth",
    "hpcc",
    "fio-direct",
    "small-files",
    "loopback",
];

/// The sitting that the samples are of: the one with runs of every job.
const SITTING: u64 = 0;

/// Whether the samples are up to date.
pub(crate) fn stamp(repo: &Repo) -> Result<Stamp> {
    let inputs = Inputs::new()
        .text("3")
        .text(&JOBS.join(" "))
        .files(&repo.root, &["models/co-runs/manifest.json", "models/co-runs/runs"])?;
    Ok(Stamp::new(repo, "samples", &inputs, &[OUT]))
}

/// Copies the samples for the page.
pub(crate) fn write(repo: &Repo) -> Result<()> {
    write_to(&repo.path(DATA), &JOBS, &repo.path(OUT))
}

fn write_to(data: &Path, jobs: &[&str], out: &Path) -> Result<()> {
    let cannot = || format!("cannot write to {}", out.display());
    if out.exists() {
        fs::remove_dir_all(out).with_context(cannot)?;
    }
    fs::create_dir_all(out).with_context(cannot)?;
    let manifest_path = data.join("manifest.json");
    // The page builds before there is data, and says that it has no samples.
    let index = if manifest_path.exists() {
        let index =
            index(&read(&manifest_path)?, jobs).with_context(|| format!("{}", manifest_path.display()))?;
        for entry in index["solo"].as_array().into_iter().chain(index["pairs"].as_array()).flatten() {
            let name = text(entry, "file")?;
            copy(&data.join("runs").join(name), &out.join(name))?;
        }
        index
    } else {
        json!({ "data": "", "solo": [], "pairs": [] })
    };
    fs::write(out.join("index.json"), format!("{index:#}\n")).with_context(cannot)
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
}

fn index(manifest: &Value, jobs: &[&str]) -> Result<Value> {
    let runs: Vec<&Value> = list(manifest, "runs")?
        .iter()
        .filter(|run| run["disturbed"] != json!(true) && run["cut"].is_null())
        // Sets of a single sitting may leave it out.
        .filter(|run| run["sitting"].as_u64().unwrap_or(0) == SITTING)
        .collect();
    let described = list(manifest, "jobs")?;
    let mut solo = Vec::new();
    for name in jobs {
        let job = described.iter().find(|job| job["name"] == *name);
        let job = job.with_context(|| format!("there is no job {name}, which is to be a sample"))?;
        let mut repeats = Vec::new();
        for run in &runs {
            if run["kind"] == "solo" && run["jobs"][0]["name"] == *name {
                repeats.push((seconds(run)?, *run));
            }
        }
        repeats.sort_by(|a, b| a.0.total_cmp(&b.0));
        let before_middle = repeats.len().saturating_sub(1) / 2;
        let middle = repeats.iter().skip(before_middle).take(if repeats.len() % 2 == 0 { 2 } else { 1 });
        let (seconds, run) = middle
            .min_by_key(|(_, run)| run["repeat"].as_u64())
            .with_context(|| format!("{name}, which is to be a sample, has no undisturbed solo run"))?;
        solo.push(json!({
            "name": name, "kind": text(job, "kind")?, "description": text(job, "description")?,
            "file": file(run)?, "seconds": seconds,
        }));
    }
    let mut pairs = Vec::new();
    for run in runs.iter().filter(|run| run["kind"] == "corun") {
        let [a, b] = list(run, "jobs")?.as_slice() else {
            continue;
        };
        let (a_name, b_name) = (text(a, "name")?, text(b, "name")?);
        let place = |name: &str| jobs.iter().position(|job| *job == name);
        let (Some(a_place), Some(b_place)) = (place(a_name), place(b_name)) else {
            continue;
        };
        let pair =
            json!({ "a": a_name, "b": b_name, "file": file(run)?, "offset_seconds": b["offset_seconds"] });
        pairs.push((a_place.min(b_place), a_place.max(b_place), pair));
    }
    // The page begins with the first one.
    pairs.sort_by_key(|(first, second, _)| (*first, *second));
    let pairs: Vec<Value> = pairs.into_iter().map(|(.., pair)| pair).collect();
    Ok(json!({ "data": manifest["name"].as_str().unwrap_or_default(), "solo": solo, "pairs": pairs }))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value[key].as_array().with_context(|| format!("there is no list \"{key}\""))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().with_context(|| format!("there is no text \"{key}\" in {value}"))
}

fn seconds(run: &Value) -> Result<f64> {
    let time = |key: &str| {
        run["jobs"][0][key].as_f64().with_context(|| format!("there is no number \"{key}\" in {run}"))
    };
    Ok(time("end_seconds")? - time("start_seconds")?)
}

/// A run's file in `runs/`.
fn file(run: &Value) -> Result<&str> {
    let path = text(run, "file")?;
    match path.strip_prefix("runs/") {
        Some(name) if !name.contains(['/', '\\']) && !name.starts_with('.') => Ok(name),
        _ => bail!("the run's file is {path:?}, where runs/<name> is expected"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("cotrace-xtask-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("runs")).unwrap();
        folder
    }

    fn run(kind: &str, jobs: &[&str], file: &str, seconds: f64) -> Value {
        let jobs: Vec<Value> = jobs
            .iter()
            .map(|name| json!({"name": name, "offset_seconds": 0.0, "start_seconds": 0.0, "end_seconds": seconds}))
            .collect();
        json!({"kind": kind, "jobs": jobs, "file": format!("runs/{file}"), "disturbed": false, "sitting": 0})
    }

    fn with(mut run: Value, key: &str, value: impl Into<Value>) -> Value {
        run[key] = value.into();
        run
    }

    fn manifest(runs: &[Value]) -> Value {
        let job = |name: &str| json!({"name": name, "kind": "cpu", "description": "works"});
        json!({"name": "set", "jobs": [job("a"), job("b"), job("c")], "runs": runs})
    }

    #[test]
    fn takes_the_runs_that_stand_for_the_jobs_and_what_ran_together() {
        let solo = |name: &str, file: &str, seconds: f64, repeat: u64| {
            with(run("solo", &[name], file, seconds), "repeat", repeat)
        };
        let runs = [
            solo("a", "a2", 9.0, 2),
            solo("a", "a1", 7.0, 1),
            solo("a", "a0", 8.0, 0),
            with(solo("a", "spoilt", 7.5, 3), "disturbed", true),
            with(solo("a", "elsewhere", 7.6, 4), "sitting", 1),
            with(solo("a", "half", 7.7, 5), "cut", json!({"name": "half"})),
            solo("b", "b1", 5.0, 1),
            solo("b", "b0", 6.0, 0),
            solo("c", "c0", 6.0, 0),
            run("corun", &["a", "a"], "aa", 15.0),
            run("corun", &["b", "a"], "ba", 12.0),
            run("corun", &["b", "c"], "bc", 12.0),
            run("corun", &["a", "b", "b"], "abb", 20.0),
            with(run("corun", &["a", "b"], "spoilt", 15.0), "disturbed", true),
            with(run("corun", &["a", "b"], "elsewhere", 15.0), "sitting", 1),
        ];
        let index = index(&manifest(&runs), &["b", "a"]).unwrap();
        let files = |key: &str| -> Vec<&str> {
            index[key].as_array().unwrap().iter().map(|entry| entry["file"].as_str().unwrap()).collect()
        };
        assert_eq!(files("solo"), ["b0", "a0"], "of three the median, of two the earlier");
        assert_eq!(files("pairs"), ["ba", "aa"]);
        assert_eq!(index["data"], "set");
    }

    #[test]
    fn copies_what_it_lists() {
        let folder = folder("samples");
        let out = folder.join("out");
        write_to(&folder, &["a"], &out).unwrap();
        let empty = read(&out.join("index.json")).unwrap();
        assert_eq!(empty, json!({ "data": "", "solo": [], "pairs": [] }));

        let manifest = manifest(&[run("solo", &["a"], "a0.csv.gz", 9.0)]);
        fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
        fs::write(folder.join("runs/a0.csv.gz"), "zipped").unwrap();
        write_to(&folder, &["a"], &out).unwrap();
        assert_eq!(fs::read_to_string(out.join("a0.csv.gz")).unwrap(), "zipped");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn says_what_is_wrong_with_the_manifest() {
        let escaping = run("solo", &["a"], "../secret", 9.0);
        let mut no_times = run("solo", &["a"], "a0", 9.0);
        no_times["jobs"][0]["end_seconds"] = Value::Null;
        let mut wrong = Vec::new();
        for (manifest, jobs, expected) in [
            (json!({}), ["a"], "\"runs\""),
            (json!({"runs": []}), ["a"], "\"jobs\""),
            (manifest(&[escaping]), ["a"], "../secret"),
            (manifest(&[no_times]), ["a"], "end_seconds"),
            (manifest(&[]), ["z"], "no job z"),
            (manifest(&[]), ["b"], "b, which is to be a sample, has no"),
        ] {
            let said =
                index(&manifest, &jobs).map_or_else(|error| format!("{error:#}"), |index| index.to_string());
            if !said.contains(expected) || said.starts_with('{') {
                wrong.push(format!("{manifest}: {said}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
