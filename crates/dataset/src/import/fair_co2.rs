//! The colocation traces of Fair-CO2, condensed: one server of 96 threads, jobs alone once and in pairs once.
//!
//! `runs.csv` has a line for each run with the jobs' starts and ends, `rounds.csv` one for each repetition that a job
//! made, `runs/<run>.csv` the traces in steps of 2 s. What has to be known about them:
//!
//! - **Work.** Most jobs repeat their work, and beside some partners more often than alone. A job with another number of
//!   rounds is another size of it (`convexHull-8`: eight rounds). It was not measured alone: its solo run is **made** of
//!   the measured one, repeated. The ids of such runs begin with `made_`.
//! - **Time.** `pgbench` runs for a fixed time however slow it is, so its duration says nothing: left out.
//! - **Copies.** Of `llama`, `spark` and other jobs beside copies of themselves only one of the two logs was kept: left
//!   out.
//! - **`llama`** warms up before it starts to count, with CPU and beside its partner, so its figures are noisy.
//! - Memory and disk are known per job only, and memory of `spark` and `nBody` is not comparable between runs.
//! - The cache is always full, so the cache held says nothing.
//! - There were two campaigns, three months apart, on the same machine, of which the second drew twice the power when
//!   idle. Jobs were measured alone in one of them only, so both are taken as one sitting.
//! - Times of day are of an unknown time zone, and written as if it were UTC.

mod traces;

use std::collections::BTreeMap;
use std::path::Path;

use cotrace_trace::{Capacity, canonical};

use super::ImportError;
use super::table::{Row, Table};
use crate::read::LAYOUT;
use crate::{DataError, Job, JobRun, Manifest, Node, Run, RunKind};

/// The machine: two sockets of 24 cores with two threads each.
const CORES: f64 = 96.0;
const MEMORY_BYTES: f64 = 192e9;
/// Step of the traces.
const STEP_SECONDS: f64 = 2.0;

/// Jobs with their kind and framework; others are of kind `other`.
const JOBS: [(&str, &str, &str); 9] = [
    ("breadthFirstSearch", "graph", "pbbs"),
    ("convexHull", "geometry", "pbbs"),
    ("minSpanningForest", "graph", "pbbs"),
    ("nBody", "hpc", "pbbs"),
    ("removeDuplicates", "text", "pbbs"),
    ("suffixArray", "text", "pbbs"),
    ("wordCounts", "text", "pbbs"),
    ("llama", "ml", "llama.cpp"),
    ("spark", "dataflow", "spark"),
];
/// Jobs that end when their time is up.
const TIMED: &str = "pgbench";
/// Jobs of which two copies wrote one log.
const ONE_LOG: [&str; 4] = ["llama", "spark", "x265", "faiss"];

/// What was imported.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The manifest, as it was written.
    pub manifest: Manifest,
    /// Runs left out, and why.
    pub left_out: Vec<String>,
}

/// How often a job repeated its work, by run and slot.
type Rounds = BTreeMap<(String, String), usize>;

/// Puts the data set in `folder` into this layout in the folder `out`, with checksums.
///
/// # Errors
/// A file can't be read or written, or a cell is not what it should be.
pub fn fair_co2(folder: &Path, out: &Path) -> Result<Imported, ImportError> {
    let table = Table::read(&folder.join("runs.csv"))?;
    let rounds = rounds(&folder.join("rounds.csv"))?;
    let mut left_out = Vec::new();
    let mut runs = Vec::new();
    for row in table.rows() {
        let run = run(&row, &rounds)?;
        match reason_against(&run) {
            Some(reason) => left_out.push(format!("{}: {reason}", run.id)),
            None => runs.push(run),
        }
    }
    let alone = name_sizes(&mut runs, &rounds);
    let mut manifest = manifest(&runs);
    std::fs::create_dir_all(out.join("runs")).map_err(DataError::file(out))?;
    let mut traces = BTreeMap::new();
    for run in &runs {
        let path = folder.join("runs").join(format!("{}.csv", run.id));
        traces.insert(run.id.clone(), traces::read(&path, run)?);
    }
    for (made, trace) in traces::repeated(&manifest, &traces, &alone) {
        traces.insert(made.id.clone(), trace);
        manifest.runs.push(made);
    }
    for run in &manifest.runs {
        let path = out.join(&run.file);
        let mut bytes = Vec::new();
        canonical::write_csv(&traces[&run.id], &mut bytes).map_err(DataError::file(&path))?;
        std::fs::write(&path, bytes).map_err(DataError::file(&path))?;
    }
    let path = out.join("manifest.json");
    let mut text = serde_json::to_string_pretty(&manifest).expect("a manifest is plain data");
    text.push('\n');
    std::fs::write(&path, text).map_err(DataError::file(&path))?;
    crate::checksums::write(out)?;
    Ok(Imported { manifest, left_out })
}

fn rounds(path: &Path) -> Result<Rounds, ImportError> {
    let mut rounds = Rounds::new();
    for row in Table::read(path)?.rows() {
        let key = (row.text("run")?.to_owned(), row.text("slot")?.to_owned());
        *rounds.entry(key).or_default() += 1;
    }
    Ok(rounds)
}

/// A run, with its jobs' names as they are in the table.
fn run(row: &Row<'_>, rounds: &Rounds) -> Result<Run, ImportError> {
    let id = row.text("run")?.to_owned();
    let mut jobs: Vec<JobRun> = Vec::new();
    for slot in ["a", "b"] {
        let name = row.text(slot)?;
        if name.is_empty() && slot == "b" {
            break;
        }
        let (start, end) = (row.known(&format!("{slot}_start_s"))?, row.known(&format!("{slot}_end_s"))?);
        if name.is_empty() || !rounds.contains_key(&(id.clone(), slot.to_owned())) && !is_timed(name) {
            return Err(row.wrong(slot, "a job with a line in rounds.csv"));
        }
        if start < 0.0 || end <= start {
            return Err(row.wrong(&format!("{slot}_end_s"), "an end after the start"));
        }
        let copy = jobs.iter().any(|job| job.name == name);
        jobs.push(JobRun {
            name: name.to_owned(),
            label: if copy { format!("{name}-2") } else { name.to_owned() },
            // Within a step it was the same moment.
            offset_seconds: if start > STEP_SECONDS { start } else { 0.0 },
            start_seconds: start,
            end_seconds: end,
            exit_code: 0,
        });
    }
    let date = row.text("date")?;
    let Some((day, minute)) = date.split_once(' ') else {
        return Err(row.wrong("date", "a day and a time"));
    };
    Ok(Run {
        kind: if jobs.len() == 1 { RunKind::Solo } else { RunKind::Corun },
        repeat: 0,
        file: format!("runs/{id}.csv"),
        id,
        jobs,
        started_at: format!("{day}T{minute}:00Z"),
        foreign_cpu_ratio: 0.0,
        steal_ratio: 0.0,
        disturbed: false,
        sitting: 0,
        cut: None,
    })
}

fn is_timed(job: &str) -> bool {
    job.starts_with(TIMED)
}

fn reason_against(run: &Run) -> Option<String> {
    if let Some(job) = run.jobs.iter().find(|job| is_timed(&job.name)) {
        return Some(format!("{} runs for a fixed time, so its duration is no slowdown", job.name));
    }
    match &run.jobs[..] {
        [a, b] if a.name == b.name && ONE_LOG.contains(&&*a.name) => {
            Some(format!("only one of the two copies of {} has a log", a.name))
        }
        _ => None,
    }
}

/// Calls jobs with another number of rounds than alone by that number. Gives the numbers alone, by job.
fn name_sizes(runs: &mut [Run], rounds: &Rounds) -> BTreeMap<String, usize> {
    let of = |id: &str, index: usize| {
        rounds.get(&(id.to_owned(), ["a", "b"][index.min(1)].to_owned())).copied().unwrap_or(0)
    };
    let alone: BTreeMap<String, usize> = runs
        .iter()
        .filter(|run| run.kind == RunKind::Solo)
        .map(|run| (run.jobs[0].name.clone(), of(&run.id, 0)))
        .collect();
    for run in runs {
        for (index, job) in run.jobs.iter_mut().enumerate() {
            let rounds = of(&run.id, index);
            if alone.get(&job.name).is_some_and(|alone| *alone != rounds) {
                job.name = format!("{}-{rounds}", job.name);
                job.label.clone_from(&job.name);
            }
        }
        if let [first, second] = &mut run.jobs[..]
            && first.name == second.name
        {
            second.label = format!("{}-2", second.name);
        }
    }
    alone
}

fn manifest(runs: &[Run]) -> Manifest {
    let node = Node {
        capacity: Capacity { cores: Some(CORES), memory_bytes: Some(MEMORY_BYTES), ..Capacity::default() },
        cpu_model: "2 × Intel Xeon Gold 6240R".to_owned(),
        kernel: "unknown".to_owned(),
        job_accounting: "docker".to_owned(),
        details: BTreeMap::new(),
    };
    let solos = runs.iter().filter(|run| run.kind == RunKind::Solo).map(|run| &run.jobs[0].name);
    let mut jobs: Vec<Job> = solos.map(|name| job(name, None)).collect();
    for in_run in runs.iter().flat_map(|run| &run.jobs) {
        if jobs.iter().any(|job| job.name == in_run.name) {
            continue;
        }
        let base = in_run.name.rsplit_once('-').map(|(base, _)| base);
        let base = base.filter(|base| jobs.iter().any(|job| job.name == *base));
        jobs.push(job(&in_run.name, base));
    }
    Manifest {
        cotrace_dataset: LAYOUT,
        name: "fair-co2".to_owned(),
        node,
        sample_seconds: STEP_SECONDS,
        jobs,
        sittings: Vec::new(),
        calibrations: Vec::new(),
        runs: runs.to_vec(),
    }
}

fn job(name: &str, size_of: Option<&str>) -> Job {
    let base = size_of.unwrap_or(name);
    let known = JOBS.iter().find(|(known, ..)| *known == base);
    let rounds = name.strip_prefix(base).and_then(|rest| rest.strip_prefix('-'));
    Job {
        name: name.to_owned(),
        kind: known.map_or("other", |(_, kind, _)| kind).to_owned(),
        framework: known.map_or("unknown", |(.., framework)| framework).to_owned(),
        command: String::new(),
        description: rounds.map_or_else(
            || format!("{name} on 48 of 96 threads"),
            |rounds| format!("{base} with {rounds} rounds; its solo run is made of a measured one, repeated"),
        ),
        size_of: size_of.map(str::to_owned),
        phases: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
