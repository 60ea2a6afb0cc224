//! Throws made-up files at the readers of traces: `cargo xtask fuzz`.
//!
//! The targets are those of `crates/trace/fuzz`. What they have tried stays in `target/fuzz/corpus`, so that the next
//! run goes on from there; a file that breaks something is made as small as it gets and kept in
//! `crates/trace/tests/hostile`, where the tests try it again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::process::{output, path_with, run};
use crate::repo::Repo;
use crate::tools;

const FOLDER: &str = "crates/trace/fuzz";
const FIXTURES: &str = "crates/trace/tests/fixtures";
const FINDINGS: &str = "crates/trace/tests/hostile";
/// Seconds in which one file must be done with, its largest size in bytes, and memory in MiB.
const LIMITS: [&str; 3] = ["-timeout=10", "-max_len=65536", "-rss_limit_mb=1024"];
const MINIMISE_SECONDS: u32 = 20;

/// What was asked for.
pub(crate) struct Options {
    seconds: u64,
    target: Option<String>,
    jobs: usize,
}

impl Options {
    pub(crate) fn from_args(args: &mut Args) -> Result<Options> {
        let number = |value: Option<String>, name: &str, default: u64| match value {
            None => Ok(default),
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| *number > 0)
                .with_context(|| format!("{name} is '{text}', but must be a whole number from 1")),
        };
        let seconds = number(args.value("--seconds")?, "--seconds", 60)?;
        let jobs = number(args.value("--jobs")?, "--jobs", 1)? as usize;
        Ok(Options { seconds, target: args.value("--target")?, jobs })
    }
}

struct Outcome {
    target: String,
    seconds: f64,
    executions: u64,
    findings: usize,
}

/// Runs the targets, and prints a table. Fails if something was found.
pub(crate) fn run_targets(repo: &Repo, options: &Options) -> Result<ExitCode> {
    let targets = targets(repo, options.target.as_deref())?;
    let binaries = build(repo)?;
    println!("Fuzzing {} targets for {} s each, {} at a time.", targets.len(), options.seconds, options.jobs);
    let mut waiting = targets.into_iter();
    let mut running: Vec<Run> = Vec::new();
    let mut outcomes = Vec::new();
    loop {
        while running.len() < options.jobs
            && let Some(target) = waiting.next()
        {
            running.push(Run::start(repo, &binaries, target, options.seconds)?);
        }
        if running.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
        for index in (0..running.len()).rev() {
            if running[index].child.try_wait()?.is_some() {
                let outcome = running.remove(index).finish(repo, &binaries)?;
                println!("  {} is done: {} findings", outcome.target, outcome.findings);
                outcomes.push(outcome);
            }
        }
    }
    outcomes.sort_by(|a, b| a.target.cmp(&b.target));
    println!("\n{:<22} {:>8} {:>12} {:>9}", "target", "seconds", "executions", "findings");
    for Outcome { target, seconds, executions, findings } in &outcomes {
        println!("{target:<22} {seconds:>8.0} {executions:>12} {findings:>9}");
    }
    let found: usize = outcomes.iter().map(|outcome| outcome.findings).sum();
    if found > 0 {
        println!("\nWhat was found is in {FINDINGS}; `cargo test -p cotrace-trace --test hostile` shows it.");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The targets that the manifest names, or the one asked for.
fn targets(repo: &Repo, only: Option<&str>) -> Result<Vec<String>> {
    let path = repo.path(FOLDER).join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let all = targets_in(&text);
    match only {
        None => Ok(all),
        Some(name) if all.iter().any(|target| target == name) => Ok(vec![name.to_owned()]),
        Some(name) => bail!("there is no target '{name}'; the targets are {}", all.join(", ")),
    }
}

fn targets_in(manifest: &str) -> Vec<String> {
    let entries = manifest.split("[[bin]]").skip(1);
    let name = |entry: &str| {
        let line = entry.lines().find_map(|line| line.strip_prefix("name = "))?;
        Some(line.trim().trim_matches('"').to_owned())
    };
    entries.filter_map(name).collect()
}

/// Builds all targets; gives their folder. All code is safe Rust, so that no sanitizer would find anything.
fn build(repo: &Repo) -> Result<PathBuf> {
    let bin = tools::cargo_fuzz()?;
    let target = repo.target.join("fuzz");
    let mut build = nightly();
    build
        .args(["cargo", "fuzz", "build", "--sanitizer", "none", "--fuzz-dir", FOLDER])
        .current_dir(&repo.root)
        .env("CARGO_TARGET_DIR", &target)
        .env("PATH", path_with(&[bin])?);
    run(
        &mut build,
        "if the nightly compiler is missing: `rustup toolchain install nightly --profile minimal`",
    )?;
    let said = output(nightly().args(["rustc", "-vV"]), "see what rustup says")?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(target.join(host).join("release"))
}

/// A command with the nightly compiler, whatever started this program.
fn nightly() -> Command {
    let mut rustup = Command::new("rustup");
    for name in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS", "LD_LIBRARY_PATH"] {
        rustup.env_remove(name);
    }
    rustup.args(["run", "nightly"]);
    rustup
}

/// A target at work.
struct Run {
    target: String,
    child: Child,
    start: Instant,
    log: PathBuf,
    /// Where it leaves what it finds.
    artifacts: PathBuf,
}

impl Run {
    fn start(repo: &Repo, binaries: &Path, target: String, seconds: u64) -> Result<Run> {
        let folder = repo.target.join("fuzz");
        let (corpus, artifacts) =
            (folder.join("corpus").join(&target), folder.join("artifacts").join(&target));
        let _ = fs::remove_dir_all(&artifacts);
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&artifacts)?;
        seed(repo, &target, &corpus)?;
        let log = artifacts.with_extension("log");
        let child = Command::new(binaries.join(&target))
            .args(LIMITS)
            .args([format!("-max_total_time={seconds}"), "-print_final_stats=1".to_owned()])
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(&corpus)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log)?)
            .spawn()
            .with_context(|| format!("cannot start the target {target}"))?;
        Ok(Run { target, child, start: Instant::now(), log, artifacts })
    }

    /// Keeps what was found.
    fn finish(mut self, repo: &Repo, binaries: &Path) -> Result<Outcome> {
        let status = self.child.wait()?;
        let seconds = self.start.elapsed().as_secs_f64();
        let log = String::from_utf8_lossy(&fs::read(&self.log)?).into_owned();
        let mut findings = 0;
        let mut entries: Vec<PathBuf> =
            fs::read_dir(&self.artifacts)?.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Merely slow, and within the time.
            if name.starts_with("slow-unit") {
                continue;
            }
            findings += 1;
            let kept =
                repo.path(FINDINGS).join(format!("{}-{}", self.target, name.get(..14).unwrap_or(&name)));
            fs::create_dir_all(repo.path(FINDINGS))?;
            fs::copy(&entry, &kept)?;
            if name.starts_with("crash-") {
                minimise(binaries, &self.target, &kept);
            }
            println!("  {}: {}", self.target, kept.display());
        }
        if findings == 0 && !status.success() {
            bail!("the target {} ended with {status}; see {}", self.target, self.log.display());
        }
        Ok(Outcome { target: self.target, seconds, executions: executions(&log), findings })
    }
}

/// Makes a file that breaks a target smaller, if that can be done in a short time.
fn minimise(binaries: &Path, target: &str, file: &Path) {
    let smaller = file.with_extension("smaller");
    let _ = Command::new(binaries.join(target))
        .arg("-minimize_crash=1")
        .arg(format!("-max_total_time={MINIMISE_SECONDS}"))
        .arg(format!("-exact_artifact_path={}", smaller.display()))
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if smaller.is_file() {
        let _ = fs::rename(&smaller, file);
    }
}

/// Copies the samples of the target's format to what it starts from; all of them, if it is of no format.
fn seed(repo: &Repo, target: &str, corpus: &Path) -> Result<()> {
    let fixtures = repo.path(FIXTURES);
    let own = fixtures.join(target.replace('_', "-"));
    let folders = if own.is_dir() { vec![own] } else { folders_in(&fixtures)? };
    for folder in folders {
        let format = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for entry in fs::read_dir(&folder)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_file() && name != "README.md" && !name.ends_with(".options.json") {
                fs::copy(entry.path(), corpus.join(format!("seed-{format}-{name}")))?;
            }
        }
    }
    Ok(())
}

fn folders_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}

/// The number of files tried, as the target says it at its end or, if that came early, last.
fn executions(log: &str) -> u64 {
    let at_end = log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let so_far = log.lines().rev().find_map(|line| line.strip_prefix('#')?.split_whitespace().next());
    at_end.or(so_far).and_then(|word| word.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_names_the_targets() {
        let manifest =
            "[package]\nname = \"x\"\n\n[[bin]]\nname = \"a_b\"\npath = \"a.rs\"\n\n[[bin]]\nname = \"c\"\n";
        assert_eq!(targets_in(manifest), ["a_b", "c"]);
    }

    #[test]
    fn executions_are_counted_even_without_an_end() {
        let log = "#2\tINITED cov: 1\n#1024\tpulse\nSUMMARY\n";
        assert_eq!(executions(log), 1024);
        assert_eq!(executions(&format!("{log}stat::number_of_executed_units: 2048\n")), 2048);
        assert_eq!(executions(""), 0);
    }
}
