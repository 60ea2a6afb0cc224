//! Every check of this repository, one after another, with a table of times at the end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, run as run_command};
use crate::repo::Repo;
use crate::wasm_target::{self, TARGET};
use crate::{site, tools};

struct Step {
    name: &'static str,
    what: &'static str,
    /// A step that must have gone well before, if it is run at all.
    after: Option<&'static str>,
    run: fn(&Repo) -> Result<()>,
}

const STEPS: [Step; 7] = [
    Step { name: "fmt", what: "code is formatted", after: None, run: fmt },
    Step {
        name: "clippy",
        what: "no lint complains, natively and for WebAssembly",
        after: None,
        run: clippy,
    },
    Step { name: "unit", what: "tests of every crate", after: None, run: unit },
    Step {
        name: "doc",
        what: "examples in the documentation run, and it builds without warnings",
        after: None,
        run: doc,
    },
    Step {
        name: "wasm",
        what: "tests of the WebAssembly crates in a headless browser",
        after: None,
        run: wasm,
    },
    Step { name: "build", what: "the page builds into dist/", after: None, run: site::build },
    Step {
        name: "e2e",
        what: "page, package and command used as people use them",
        after: Some("build"),
        run: e2e,
    },
];

const TEST_ADVICE: &str = "mend the failing tests named above";
const LINT_ADVICE: &str = "mend what is named above";

/// Prints the steps.
pub(crate) fn list() {
    for step in &STEPS {
        println!("{:<8} {}", step.name, step.what);
    }
}

enum Outcome {
    Passed,
    Failed(String),
}

/// Runs the steps, all of them or those in `only` (comma-separated), and prints the table.
pub(crate) fn run(repo: &Repo, only: Option<&str>) -> Result<ExitCode> {
    let mut outcomes: Vec<(&Step, f64, Outcome)> = Vec::new();
    for step in chosen(only)? {
        println!("\n== {}: {}", step.name, step.what);
        let failed_before = step.after.filter(|before| {
            outcomes
                .iter()
                .any(|(done, _, outcome)| done.name == *before && !matches!(outcome, Outcome::Passed))
        });
        let start = Instant::now();
        let outcome = match failed_before {
            Some(before) => Outcome::Failed(format!("not run, because {before} failed")),
            None => match (step.run)(repo) {
                Ok(()) => Outcome::Passed,
                Err(error) => Outcome::Failed(format!("{error:#}")),
            },
        };
        if let Outcome::Failed(why) = &outcome {
            println!("{} failed: {why}", step.name);
        }
        outcomes.push((step, start.elapsed().as_secs_f64(), outcome));
    }

    println!("\n{:<8} {:>8}  result", "step", "seconds");
    let mut failed = 0;
    for (step, seconds, outcome) in &outcomes {
        match outcome {
            Outcome::Passed => println!("{:<8} {seconds:>8.1}  ok", step.name),
            Outcome::Failed(why) => {
                failed += 1;
                println!(
                    "{:<8} {seconds:>8.1}  FAILED: {}",
                    step.name,
                    why.lines().next().unwrap_or_default()
                );
            }
        }
    }
    let total: f64 = outcomes.iter().map(|(_, seconds, _)| seconds).sum();
    println!("{:<8} {total:>8.1}\n", "all");
    println!("{} passed, {failed} failed", outcomes.len() - failed);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(only: Option<&str>) -> Result<Vec<&'static Step>> {
    let Some(only) = only else {
        return Ok(STEPS.iter().collect());
    };
    let names: Vec<&str> = only.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    for name in &names {
        if !STEPS.iter().any(|step| step.name == *name) {
            let all: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            bail!("--only: there is no step '{name}'; the steps are {}", all.join(", "));
        }
    }
    if names.is_empty() {
        bail!("--only names no step");
    }
    Ok(STEPS.iter().filter(|step| names.contains(&step.name)).collect())
}

fn native(repo: &Repo, arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments).current_dir(&repo.root);
    command
}

fn fmt(repo: &Repo) -> Result<()> {
    run_command(
        &mut native(repo, &["fmt", "--all", "--check"]),
        "run `cargo fmt --all` (if the command is missing: `rustup component add rustfmt`)",
    )
}

fn clippy(repo: &Repo) -> Result<()> {
    let advice = format!("{LINT_ADVICE} (if the command is missing: `rustup component add clippy`)");
    let lint = ["--all-targets", "--keep-going", "--quiet", "--", "-D", "warnings"];
    run_command(native(repo, &["clippy", "--workspace"]).args(lint), &advice)?;
    let wasm = wasm_target::find(repo)?;
    if !wasm.is_rustup() {
        println!("Not for WebAssembly: the distribution's compiler has no clippy of the same version.");
        return Ok(());
    }
    let mut command = wasm.cargo(repo, &[])?;
    run_command(command.args(["clippy", "--target", TARGET]).args(WASM_PACKAGES).args(lint), &advice)
}

fn unit(repo: &Repo) -> Result<()> {
    let mut tests = native(repo, &["test", "--workspace", "--lib", "--bins", "--tests", "--examples"]);
    run_command(tests.arg("--no-fail-fast"), TEST_ADVICE)?;
    // The other backend gives the same forecasts.
    let golden = ["test", "--package", "cotrace-model", "--features", "ndarray", "--test", "golden"];
    run_command(&mut native(repo, &golden), TEST_ADVICE)
}

fn doc(repo: &Repo) -> Result<()> {
    run_command(&mut native(repo, &["test", "--workspace", "--doc"]), TEST_ADVICE)?;
    let mut build = native(repo, &["doc", "--workspace", "--no-deps", "--quiet"]);
    run_command(build.env("RUSTDOCFLAGS", "-D warnings"), LINT_ADVICE)
}

const WASM_PACKAGES: [&str; 4] = ["--package", "cotrace-wasm", "--package", "cotrace-web"];

/// The profiles that the page is built with: its tests then share all that takes long to compile, Burn above all.
const WASM_PROFILES: [(&str, &str); 2] = [("cotrace-wasm", "wasm-release"), ("cotrace-web", "web-release")];

fn wasm(repo: &Repo) -> Result<()> {
    let wasm = wasm_target::find(repo)?;
    let bindgen = tools::wasm_bindgen(repo)?;
    let (chromium, driver) = (tools::chromium()?, tools::chromedriver()?);
    let settings = repo.target.join("xtask/webdriver.json");
    write_webdriver_settings(&settings, &chromium)?;
    for (package, profile) in WASM_PROFILES {
        let mut command = wasm.cargo(repo, std::slice::from_ref(&bindgen))?;
        // Not the examples in the documentation: those run natively.
        command.args(["test", "--package", package, "--profile", profile, "--target", TARGET]);
        command
            .args(["--lib", "--bins", "--tests", "--no-fail-fast"])
            .env("CHROMEDRIVER", &driver)
            .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &settings)
            .env("WASM_BINDGEN_USE_BROWSER", "1")
            // Seconds; the first start of a browser on a busy machine is slow.
            .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
            .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
        run_command(&mut command, TEST_ADVICE)?;
    }
    Ok(())
}

fn write_webdriver_settings(file: &Path, chromium: &Path) -> Result<()> {
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ];
    let settings = serde_json::json!({ "goog:chromeOptions": { "binary": chromium, "args": arguments } });
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))
        .and_then(|()| fs::write(file, format!("{settings:#}\n")))
        .with_context(|| format!("cannot write {}", file.display()))
}

fn e2e(repo: &Repo) -> Result<()> {
    // Everything, as the unit tests build it: the command alone would have dependencies with other features.
    let mut build =
        native(repo, &["build", "--quiet", "--workspace", "--exclude", "xtask", "--bins", "--tests"]);
    run_command(&mut build, LINT_ADVICE)?;
    let mut files = Vec::new();
    for folder in ["tests/e2e", "pkg", "web/js"] {
        node_tests(&repo.path(folder), &mut files);
    }
    if files.is_empty() {
        bail!("no *.test.mjs in tests/e2e, pkg or web/js");
    }
    let mut node = node(repo)?;
    // One at a time: each starts a browser, and two of those on two cores only wait for each other.
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]).args(&files);
    run_command(&mut node, TEST_ADVICE)
}

/// Node with all that the tests in `tests/e2e` are told by the environment.
fn node(repo: &Repo) -> Result<Command> {
    tools::npm(repo)?;
    let mut node = Command::new("node");
    node.current_dir(&repo.root)
        .env("COTRACE_DIST", repo.path("dist"))
        .env("COTRACE_CHROMIUM", tools::chromium()?)
        .env("COTRACE_BIN", repo.target.join("debug/cotrace"))
        .env("COTRACE_XTASK", &repo.xtask);
    Ok(node)
}

fn node_tests(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() && !entry.ends_with("node_modules") {
            node_tests(&entry, files);
        } else if entry.to_string_lossy().ends_with(".test.mjs") {
            files.push(entry);
        }
    }
}

/// Photographs every view of the page into `target/screenshots`.
pub(crate) fn screenshots(repo: &Repo) -> Result<()> {
    let out = repo.target.join("screenshots");
    let mut node = node(repo)?;
    node.arg("tests/e2e/screenshots.mjs").arg(&out);
    run_command(&mut node, "see what Node.js says above")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_steps_in_their_own_order() {
        let names = |only| chosen(only).map(|steps| steps.iter().map(|step| step.name).collect::<Vec<_>>());
        assert_eq!(names(Some("unit, fmt")).unwrap(), ["fmt", "unit"]);
        assert_eq!(names(None).unwrap().len(), STEPS.len());
        assert!(names(Some("units")).unwrap_err().to_string().contains("fmt, clippy, unit"));
        assert!(names(Some(",")).is_err());
    }

    #[test]
    fn a_step_only_waits_for_one_before_it() {
        for (i, step) in STEPS.iter().enumerate() {
            if let Some(before) = step.after {
                assert!(STEPS[..i].iter().any(|other| other.name == before), "{} after {before}", step.name);
            }
        }
    }
}
