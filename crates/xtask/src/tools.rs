//! What the commands need besides Rust, and how to get it.
//!
//! Programs built by cargo go to a folder of their own, outside `target`, one folder per version:
//! `$COTRACE_TOOLS`, or `cotrace/tools` in the user's cache folder. A program of the right version that is on the
//! search path already is used as it is. JavaScript tools are in `web/node_modules`, in the exact versions of
//! `web/package-lock.json`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::process::{self, apt_install, find_on_path, probe, run};
use crate::repo::Repo;
use crate::stamp::{Inputs, Stamp};
use crate::{lock, wasm_target};

/// Trunk builds the page from `index.html`.
const TRUNK_VERSION: &str = "0.21.14";
const CARGO_FUZZ_VERSION: &str = "0.13.2";
/// The oldest Node.js whose test runner has all the options used here.
const NODE_MAJOR: u32 = 20;
const NODE_ADVICE: &str =
    "install Node.js 20 or later, with npm, and see that `node` and `npm` are on the search path";

/// Gets everything that any command needs, and says where it is.
pub(crate) fn everything(repo: &Repo) -> Result<()> {
    let wasm = wasm_target::find(repo)?;
    println!("WebAssembly target  {}", wasm.description());
    println!("wasm-bindgen        {}", wasm_bindgen(repo)?.display());
    println!("trunk               {}", trunk(repo)?.display());
    npm(repo)?;
    println!("JavaScript tools    {}", repo.path("web/node_modules").display());
    println!("Chromium            {}", chromium()?.display());
    println!("chromedriver        {}", chromedriver()?.display());
    Ok(())
}

/// The folder of tools.
pub(crate) fn folder() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("COTRACE_TOOLS")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("cotrace/tools")))
        .or_else(|| Some(set("HOME")?.join(".cache/cotrace/tools")))
        .context("neither COTRACE_TOOLS nor HOME is set: set COTRACE_TOOLS to a folder for tools")?;
    Ok(std::path::absolute(folder)?)
}

/// Removes the folder of tools and the JavaScript tools.
pub(crate) fn clean(repo: &Repo) -> Result<()> {
    for folder in [folder()?, repo.path("web/node_modules")] {
        if folder.exists() {
            println!("Removing {}", folder.display());
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    Ok(())
}

/// The folder of tools, and a lock that keeps other runs from writing to it until dropped.
pub(crate) fn locked_folder() -> Result<(PathBuf, File)> {
    let folder = folder()?;
    let cannot = || format!("cannot write to {}; COTRACE_TOOLS can name another folder", folder.display());
    fs::create_dir_all(&folder).with_context(cannot)?;
    let lock = File::create(folder.join(".lock")).with_context(cannot)?;
    lock.lock().with_context(cannot)?;
    Ok((folder, lock))
}

/// The folder with `wasm-bindgen` and its test runner, in the version of the `wasm-bindgen` crate: the two only
/// understand each other when they are equal.
pub(crate) fn wasm_bindgen(repo: &Repo) -> Result<PathBuf> {
    let version = lock::version(repo, "wasm-bindgen")?;
    cargo_tool("wasm-bindgen-cli", "wasm-bindgen", &["wasm-bindgen", "wasm-bindgen-test-runner"], &version)
}

/// The folder with `trunk`.
pub(crate) fn trunk(_repo: &Repo) -> Result<PathBuf> {
    cargo_tool("trunk", "trunk", &["trunk"], TRUNK_VERSION)
}

/// The folder with `cargo-fuzz`.
pub(crate) fn cargo_fuzz() -> Result<PathBuf> {
    cargo_tool("cargo-fuzz", "cargo-fuzz", &["cargo-fuzz"], CARGO_FUZZ_VERSION)
}

/// Finds the programs of a package, or installs them with cargo. Returns their folder.
fn cargo_tool(package: &str, name: &str, programs: &[&str], version: &str) -> Result<PathBuf> {
    let below = format!("{name}-{version}");
    let complete = |bin: &Path| programs.iter().all(|program| bin.join(program).is_file());
    let installed = folder()?.join(&below).join("bin");
    if complete(&installed) {
        return Ok(installed);
    }
    if let Some(found) = find_on_path(programs[0]) {
        let said = probe(&found, &["--version"]).unwrap_or_default();
        let bin = found.parent().unwrap_or(Path::new("/")).to_path_buf();
        if said.split_whitespace().any(|word| word == version) && complete(&bin) {
            return Ok(bin);
        }
    }

    let (tools, _lock) = locked_folder()?;
    if complete(&installed) {
        return Ok(installed); // Another run has just installed it.
    }
    println!("Installing {package} {version} into {} (once; a few minutes).", tools.display());
    let build = tools.join(format!("build-{below}"));
    let mut install = process::cargo();
    install
        .args(["install", "--locked", "--version", version, package, "--root"])
        .arg(tools.join(&below))
        .current_dir(&tools)
        .env("CARGO_TARGET_DIR", &build)
        .env_remove("RUSTFLAGS")
        // The packages ask for link-time optimisation in one piece. These tools run for seconds: what counts here
        // is how soon they are there.
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    run(
        &mut install,
        &format!(
            "see that crates.io can be reached and run the command again; or install {package} {version} by other \
             means so that `{name}` is on the search path"
        ),
    )?;
    let _ = fs::remove_dir_all(&build);
    if !complete(&installed) {
        bail!("{package} {version} was installed but {} lacks one of {programs:?}", installed.display());
    }
    Ok(installed)
}

/// Checks that Node.js is there and new enough.
pub(crate) fn node() -> Result<()> {
    let said = probe("node", &["--version"]).unwrap_or_default();
    let major = said.trim_start_matches('v').split('.').next().and_then(|word| word.parse::<u32>().ok());
    match major {
        Some(major) if major >= NODE_MAJOR => Ok(()),
        Some(_) => bail!("Node.js is {said}, too old\n  What to do: {NODE_ADVICE}"),
        None => bail!("Node.js is missing\n  What to do: {NODE_ADVICE}"),
    }
}

/// Installs the JavaScript tools that `web/package-lock.json` names, unless they are there.
pub(crate) fn npm(repo: &Repo) -> Result<()> {
    let inputs = Inputs::new().files(&repo.root, &["web/package.json", "web/package-lock.json"])?;
    // The stamp is in the folder that npm empties first, and compares the list that npm writes last: the packages
    // themselves are too many to look at each time.
    let modules = repo.path("web/node_modules");
    let stamp = Stamp::at(modules.join(".cotrace-stamp"), &inputs, vec![modules.join(".package-lock.json")]);
    if stamp.is_fresh()? {
        return Ok(());
    }
    node()?;
    let mut npm = std::process::Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(repo.path("web"));
    run(
        &mut npm,
        "see that the npm registry can be reached; if package.json and package-lock.json differ, run `npm install` in \
         web/ and commit both",
    )?;
    stamp.write()
}

/// A program of the JavaScript tools.
pub(crate) fn npm_program(repo: &Repo, name: &str) -> PathBuf {
    repo.path("web/node_modules/.bin").join(name)
}

/// The browser for tests and screenshots.
pub(crate) fn chromium() -> Result<PathBuf> {
    const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
    if let Some(set) = std::env::var_os("COTRACE_CHROMIUM").filter(|set| !set.is_empty()) {
        let set = PathBuf::from(set);
        if !set.is_file() {
            bail!("COTRACE_CHROMIUM names {}, which is no file", set.display());
        }
        return Ok(set);
    }
    let find = || NAMES.iter().find_map(|name| find_on_path(name));
    if let Some(found) = find() {
        return Ok(found);
    }
    apt_install(&["chromium"], "a Chromium for tests and screenshots")?;
    find().context("the package chromium is installed but no `chromium` is on the search path")
}

/// The program through which WebAssembly tests drive the browser.
pub(crate) fn chromedriver() -> Result<PathBuf> {
    if let Some(found) = find_on_path("chromedriver") {
        return Ok(found);
    }
    apt_install(&["chromium-driver"], "a chromedriver for WebAssembly tests")?;
    find_on_path("chromedriver")
        .context("chromium-driver is installed but no `chromedriver` is on the search path")
}
