//! Chooses runs of the measured data set as samples for the page.
//!
//! Of every job the solo run whose duration is the median of its repeats, and every co-run of two jobs, as the data
//! set's manifest lists them and undisturbed. They are copied as they are into `web/generated/samples/`, next to an
//! `index.json`: `{"solo": [{name, kind, description, file, seconds}], "pairs": [{a, b, file, offset_seconds,
//! seen_in_training}]}`. Which pairs the shipped model has not seen is in its report.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::repo::Repo;
use crate::site::copy;
use crate::stamp::{Inputs, Stamp};

const DATA: &str = "models/data";
const REPORT: &str = "models/resourcenet/report.json";
const OUT: &str = "web/generated/samples";

/// Whether the samples are up to date.
pub(crate) fn stamp(repo: &Repo) -> Result<Stamp> {
    let inputs = Inputs::new()
        .text("2")
        .files(&repo.root, &["models/data/manifest.json", "models/data/runs", REPORT])?;
    Ok(Stamp::new(repo, "samples", &inputs, &[OUT]))
}

/// Copies the samples for the page.
pub(crate) fn write(repo: &Repo) -> Result<()> {
    write_to(&repo.path(DATA), &repo.path(REPORT), &repo.path(OUT))
}

fn write_to(data: &Path, report: &Path, out: &Path) -> Result<()> {
    let cannot = || format!("cannot write to {}", out.display());
    if out.exists() {
        fs::remove_dir_all(out).with_context(cannot)?;
    }
    fs::create_dir_all(out).with_context(cannot)?;
    let manifest_path = data.join("manifest.json");
    // The page builds before there is data, and says that it has no samples.
    let index = if manifest_path.exists() {
        let manifest = read(&manifest_path)?;
        let held_out = if report.exists() { held_out(&read(report)?) } else { Vec::new() };
        let index = index(&manifest, &held_out).with_context(|| format!("{}", manifest_path.display()))?;
        for entry in index["solo"].as_array().into_iter().chain(index["pairs"].as_array()).flatten() {
            let name = text(entry, "file")?;
            copy(&data.join("runs").join(name), &out.join(name))?;
        }
        index
    } else {
        json!({ "solo": [], "pairs": [] })
    };
    fs::write(out.join("index.json"), format!("{index:#}\n")).with_context(cannot)
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
}

/// The pairs that the model was not trained on, each in alphabetical order.
fn held_out(report: &Value) -> Vec<[String; 2]> {
    serde_json::from_value(report["held_out_pairs"].clone()).unwrap_or_default()
}

fn index(manifest: &Value, held_out: &[[String; 2]]) -> Result<Value> {
    let runs: Vec<&Value> =
        list(manifest, "runs")?.iter().filter(|run| run["disturbed"] != json!(true)).collect();
    let mut solo = Vec::new();
    for job in list(manifest, "jobs")? {
        let name = text(job, "name")?;
        let mut repeats = Vec::new();
        for run in &runs {
            if run["kind"] == "solo" && run["jobs"][0]["name"] == name {
                repeats.push((seconds(run)?, *run));
            }
        }
        repeats.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some((seconds, run)) = repeats.get(repeats.len() / 2) else {
            continue;
        };
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
        let mut names = [text(a, "name")?.to_owned(), text(b, "name")?.to_owned()];
        names.sort();
        pairs.push(json!({
            "a": text(a, "name")?, "b": text(b, "name")?, "file": file(run)?,
            "offset_seconds": b["offset_seconds"], "seen_in_training": !held_out.contains(&names),
        }));
    }
    Ok(json!({ "solo": solo, "pairs": pairs }))
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

    fn run(kind: &str, jobs: &[&str], file: &str, seconds: f64, disturbed: bool) -> Value {
        let jobs: Vec<Value> = jobs
            .iter()
            .map(|name| json!({"name": name, "offset_seconds": 0.0, "start_seconds": 0.0, "end_seconds": seconds}))
            .collect();
        json!({"kind": kind, "jobs": jobs, "file": format!("runs/{file}"), "disturbed": disturbed})
    }

    fn manifest(runs: &[Value]) -> Value {
        let job = |name: &str| json!({"name": name, "kind": "cpu", "description": "works"});
        json!({"jobs": [job("a"), job("b")], "runs": runs})
    }

    #[test]
    fn takes_median_solos_and_marks_what_was_held_out() {
        let runs = [
            run("solo", &["a"], "a0", 9.0, false),
            run("solo", &["a"], "a1", 7.0, false),
            run("solo", &["a"], "a2", 8.0, false),
            run("solo", &["a"], "a3", 1.0, true),
            run("solo", &["b"], "b0", 5.0, false),
            run("corun", &["b", "a"], "ba", 12.0, false),
            run("corun", &["a", "a"], "aa", 15.0, false),
            run("corun", &["a", "b"], "spoilt", 15.0, true),
        ];
        let index = index(&manifest(&runs), &[["a".to_owned(), "b".to_owned()]]).unwrap();
        let files = |key: &str| -> Vec<&str> {
            index[key].as_array().unwrap().iter().map(|entry| entry["file"].as_str().unwrap()).collect()
        };
        assert_eq!(files("solo"), ["a2", "b0"]);
        assert_eq!(files("pairs"), ["ba", "aa"]);
        assert_eq!(index["pairs"][0]["seen_in_training"], false);
        assert_eq!(index["pairs"][1]["seen_in_training"], true);
    }

    #[test]
    fn copies_what_it_lists() {
        let folder = folder("samples");
        let (report, out) = (folder.join("report.json"), folder.join("out"));
        write_to(&folder, &report, &out).unwrap();
        let empty = read(&out.join("index.json")).unwrap();
        assert_eq!(empty, json!({ "solo": [], "pairs": [] }));

        let manifest = manifest(&[run("solo", &["a"], "a0.csv.gz", 9.0, false)]);
        fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
        fs::write(folder.join("runs/a0.csv.gz"), "zipped").unwrap();
        write_to(&folder, &report, &out).unwrap();
        assert_eq!(fs::read_to_string(out.join("a0.csv.gz")).unwrap(), "zipped");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn says_what_is_wrong_with_the_manifest() {
        let escaping = run("solo", &["a"], "../secret", 9.0, false);
        let mut no_times = run("solo", &["a"], "a0", 9.0, false);
        no_times["jobs"][0]["end_seconds"] = Value::Null;
        let mut wrong = Vec::new();
        for (manifest, expected) in [
            (json!({}), "\"runs\""),
            (json!({"runs": []}), "\"jobs\""),
            (manifest(&[escaping]), "../secret"),
            (manifest(&[no_times]), "end_seconds"),
        ] {
            let said =
                index(&manifest, &[]).map_or_else(|error| format!("{error:#}"), |index| index.to_string());
            if !said.contains(expected) || said.starts_with('{') {
                wrong.push(format!("{manifest}: {said}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
