//! Builds the page: charts, samples, the forecaster for JavaScript, then everything into `dist/`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::process::run;
use crate::repo::Repo;
use crate::stamp::{Inputs, Stamp};
use crate::wasm_target::{self, TARGET, WasmTarget};
use crate::{lock, samples, tools};

/// Fast, but without putting large functions into their only callers: browsers compile a function again as a whole once
/// it is hot, and with those of 200 kB that came of it did so for seconds (`docs/speed.md`).
const FORECASTER_LEVEL: [&str; 2] = ["-O3", "--one-caller-inline-max-function-size=100"];

/// What the Rust compiler may use in WebAssembly today, so that `wasm-opt` may use it too.
const WASM_FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// The files of `pkg/` that are built; the others are written by people.
const PKG_FILES: [&str; 4] = ["cotrace.js", "cotrace.d.ts", "cotrace_bg.wasm", "cotrace_bg.wasm.d.ts"];

const COMPILE_ADVICE: &str = "mend what the compiler says above";

/// Builds what is not up to date, into `dist/`.
pub(crate) fn build(repo: &Repo) -> Result<()> {
    let _lock = repo.lock()?;
    tools::npm(repo)?;
    charts(repo)?;
    step("samples", &samples::stamp(repo)?, || samples::write(repo))?;
    forecaster(repo)?;
    page(repo)
}

/// Removes what the steps here wrote.
pub(crate) fn clean(repo: &Repo) -> Result<()> {
    let _lock = repo.lock()?;
    for folder in
        [repo.path("dist"), repo.path("web/generated"), repo.target.join("xtask"), repo.wasm_target()]
    {
        if folder.exists() {
            println!("Removing {}", folder.display());
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    for file in PKG_FILES {
        let _ = fs::remove_file(repo.path("pkg").join(file));
    }
    Ok(())
}

/// Does the work unless its stamp says that it is done.
fn step(name: &str, stamp: &Stamp, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if stamp.is_fresh()? {
        println!("{name}: up to date");
        return Ok(());
    }
    let start = Instant::now();
    work().with_context(|| format!("{name} could not be built"))?;
    stamp.write()?;
    println!("{name}: built in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Bundles the chart library with our code around it into `web/generated/`.
fn charts(repo: &Repo) -> Result<()> {
    let inputs = Inputs::new().files(&repo.root, &["web/js", "web/package-lock.json"])?;
    let stamp =
        Stamp::new(repo, "charts", &inputs, &["web/generated/page.js", "web/generated/uPlot.min.css"]);
    step("charts", &stamp, || {
        let mut esbuild = Command::new(tools::npm_program(repo, "esbuild"));
        esbuild.current_dir(&repo.root).args([
            "web/js/page.js",
            "--bundle",
            "--format=esm",
            "--target=es2022",
            "--minify",
            // Licences of what is bundled stay in the bundle.
            "--legal-comments=inline",
            "--log-level=warning",
            "--outfile=web/generated/page.js",
        ]);
        run(&mut esbuild, "mend web/js as esbuild says above")?;
        copy(
            &repo.path("web/node_modules/uplot/dist/uPlot.min.css"),
            &repo.path("web/generated/uPlot.min.css"),
        )
    })
}

/// Builds the forecaster for JavaScript into `pkg/`. The caller holds the repository's lock.
pub(crate) fn forecaster(repo: &Repo) -> Result<()> {
    let wasm = wasm_target::find(repo)?;
    let bindgen = tools::wasm_bindgen(repo)?;
    let inputs = Inputs::new().text(&wasm.description()).text(&FORECASTER_LEVEL.join(" ")).files(
        &repo.root,
        &[
            "crates/trace",
            "crates/forecast",
            "crates/model",
            "crates/wasm",
            "Cargo.toml",
            "Cargo.lock",
            ".cargo",
            "web/package-lock.json",
        ],
    )?;
    let outputs = PKG_FILES.map(|file| format!("pkg/{file}"));
    let stamp = Stamp::new(repo, "forecaster", &inputs, &outputs.each_ref().map(String::as_str));
    step("forecaster", &stamp, || {
        tools::npm(repo)?;
        let mut cargo = wasm.cargo(repo, &[])?;
        // As a cdylib, the crate type for JavaScript, and alone: cargo does not optimise across crates where it also
        // makes a library for Rust. The manifest names none, so that tests are optimised across crates too.
        cargo.args(["rustc", "--package", "cotrace-wasm", "--lib", "--crate-type", "cdylib"]);
        cargo.args(["--profile", "wasm-release", "--target", TARGET]);
        run(&mut cargo, COMPILE_ADVICE)?;

        let built = repo.wasm_target().join(TARGET).join("wasm-release/cotrace_wasm.wasm");
        let out = repo.target.join("xtask/pkg");
        let mut glue = Command::new(bindgen.join("wasm-bindgen"));
        glue.args(["--target", "web", "--out-name", "cotrace", "--out-dir"]).arg(&out).arg(&built);
        let version = lock::version(repo, "wasm-bindgen")?;
        run(
            &mut glue,
            &format!("see that wasm-bindgen is version {version}, or run `cargo xtask clean` and try again"),
        )?;
        optimise(repo, &out.join("cotrace_bg.wasm"), &FORECASTER_LEVEL)?;
        PKG_FILES.iter().try_for_each(|file| copy(&out.join(file), &repo.path("pkg").join(file)))
    })
}

/// Builds `dist/`. Everything the page fetches must be in place.
fn page(repo: &Repo) -> Result<()> {
    let wasm = wasm_target::find(repo)?;
    let bindgen = tools::wasm_bindgen(repo)?;
    let trunk = tools::trunk(repo)?;
    let stamp = Stamp::new(repo, "page", &page_inputs(repo, &wasm)?, &["dist"]);
    step("page", &stamp, || {
        // Trunk builds offline, so that it looks for no newer tools; what cargo needs is fetched here.
        let mut fetch = wasm.cargo(repo, &[])?;
        run(fetch.args(["fetch", "--quiet", "--target", TARGET]), "see that crates.io can be reached")?;

        let mut build = Command::new(trunk.join("trunk"));
        wasm.prepare(repo, &mut build, &[bindgen])?;
        build.args(["build", "index.html", "--release", "--offline", "--cargo-profile", "web-release"]);
        // Relative addresses: the page works in any folder of any host.
        build.args(["--public-url", "./"]);
        // Trunk takes NO_COLOR=1 for a wrong option.
        build.env_remove("NO_COLOR");
        run(&mut build, "mend what trunk says above (index.html lists what it gathers)")?;
        minify(repo)?;
        for wasm_file in page_wasm(&repo.path("dist"))? {
            optimise(repo, &wasm_file, &["-Oz"])?;
        }
        offline(repo)?;
        report_sizes(&repo.path("dist"))
    })
}

/// Writes the service worker, which names every file of the page and their version.
fn offline(repo: &Repo) -> Result<()> {
    const INDEX: &str = "index.html";
    let dist = repo.path("dist");
    let mut files = Vec::new();
    list(&dist, &mut files)?;
    let mut names = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&dist).unwrap_or(file);
        let name = name.to_str().with_context(|| format!("{} is no Unicode", file.display()))?;
        // People ask for the folder.
        names.push(if name == INDEX { "./".to_owned() } else { name.replace('\\', "/") });
    }
    let from = repo.path("web/js/sw.js");
    let text = fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
    // The worker's own text counts too: a change of it is another version.
    let version = Inputs::new().text(&text).files(&dist, &[""])?.word();
    let to = dist.join("sw.js");
    let text = service_worker(&text, &version, &names)?;
    fs::write(&to, text).with_context(|| format!("cannot write {}", to.display()))
}

/// The service worker with its version and files filled in.
fn service_worker(template: &str, version: &str, files: &[String]) -> Result<String> {
    let mut text = template.to_owned();
    for (place, value) in
        [("'{{version}}'", serde_json::to_string(version)?), ("['{{files}}']", serde_json::to_string(files)?)]
    {
        if !text.contains(place) {
            bail!("web/js/sw.js has no {place} to fill in");
        }
        text = text.replace(place, &value);
    }
    Ok(text)
}

fn page_inputs(repo: &Repo, wasm: &WasmTarget) -> Result<Inputs> {
    let mut paths: Vec<String> = [
        "index.html",
        "Trunk.toml",
        "web",
        "pkg",
        "docs",
        "crates/trace",
        "crates/forecast",
        "crates/placement",
        "Cargo.toml",
        "Cargo.lock",
        ".cargo",
    ]
    .map(str::to_string)
    .to_vec();
    // The data set is large and reaches the page only as samples, which are in web/generated.
    if let Ok(entries) = fs::read_dir(repo.path("models")) {
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        paths.extend(names.filter(|name| name != "co-runs").map(|name| format!("models/{name}")));
    }
    paths.sort();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    Inputs::new().text(&wasm.description()).files(&repo.root, &paths)
}

/// The page's own WebAssembly in `dist`; the forecaster's is ready as it is.
fn page_wasm(dist: &Path) -> Result<Vec<PathBuf>> {
    let mut files = files_in(dist)?;
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("cotrace-web") && name.ends_with("_bg.wasm")
    });
    if files.is_empty() {
        bail!("{} has no cotrace-web…_bg.wasm: does index.html still name web/Cargo.toml?", dist.display());
    }
    Ok(files)
}

/// Makes the page's scripts and styles smaller. (Trunk's own minifier stumbles over what wasm-bindgen writes.)
fn minify(repo: &Repo) -> Result<()> {
    let dist = repo.path("dist");
    let mut files = files_in(&dist)?;
    files.retain(|file| file.extension().is_some_and(|end| end == "js" || end == "css"));
    let mut esbuild = Command::new(tools::npm_program(repo, "esbuild"));
    esbuild.args(["--minify", "--legal-comments=inline", "--log-level=warning", "--allow-overwrite"]);
    let mut out = OsString::from("--outdir=");
    out.push(&dist);
    run(esbuild.arg(out).args(&files), "mend what esbuild says above")
}

/// Rewrites a WebAssembly file, smaller and faster.
fn optimise(repo: &Repo, file: &Path, level: &[&str]) -> Result<()> {
    let smaller = file.with_extension("wasm.tmp");
    let mut command = Command::new(tools::npm_program(repo, "wasm-opt"));
    command.args(level).args(WASM_FEATURES).arg("--strip-producers").arg(file).arg("-o").arg(&smaller);
    run(&mut command, "if wasm-opt names a feature, add it to WASM_FEATURES in crates/xtask/src/site.rs")?;
    fs::rename(&smaller, file).with_context(|| format!("cannot replace {}", file.display()))
}

fn report_sizes(dist: &Path) -> Result<()> {
    let mut files = Vec::new();
    list(dist, &mut files)?;
    let kilobytes = |path: &Path| fs::metadata(path).map_or(0, |file| file.len()).div_ceil(1000);
    let total: u64 = files.iter().map(|file| kilobytes(file)).sum();
    println!("dist: {} files, {total} kB; of them", files.len());
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "wasm" || end == "js")) {
        println!("  {:>6} kB  {}", kilobytes(file), file.strip_prefix(dist).unwrap_or(file).display());
    }
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in files_in(folder)? {
        if entry.is_dir() {
            list(&entry, files)?;
        } else {
            files.push(entry);
        }
    }
    Ok(())
}

/// What is in a folder itself, in order of name.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    Ok(entries)
}

/// Copies a file, making the folder it goes to.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(from, to))
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_worker_names_version_and_files() {
        let template = include_str!("../../../web/js/sw.js");
        let files = ["./".to_owned(), "pkg/worker.js".to_owned()];
        let text = service_worker(template, "0123", &files).unwrap();
        assert!(text.contains("const VERSION = \"0123\""), "{text}");
        assert!(text.contains("const FILES = [\"./\",\"pkg/worker.js\"]"), "{text}");
        let error = service_worker("nothing to fill in", "0123", &files).unwrap_err();
        assert!(error.to_string().contains("version"), "{error}");
    }
}
