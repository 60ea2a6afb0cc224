//! The compiler and standard library for `wasm32-unknown-unknown`.
//!
//! Usually that is `rustup target add wasm32-unknown-unknown` and no more. Where rustup can't fetch the target (no
//! network but mirrors of package registries), Debian's `rustc-web` brings a recent compiler with its library's
//! source: the target's standard library is built from that once, kept in the folder of tools, and used through
//! `--sysroot`. Nothing outside that folder changes.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, apt_install, can_apt, find_on_path, output, probe, run};
use crate::repo::Repo;
use crate::tools;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

const DISTRIBUTION_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];
/// Where Debian's packages put the compiler; rustup's comes first on the search path.
const DISTRIBUTION_CARGO: &str = "/usr/bin/cargo";
const DISTRIBUTION_RUSTC: &str = "/usr/bin/rustc";
const DISTRIBUTION_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";
/// The oldest of those that can compile this workspace: its `rust-version`.
const OLDEST: (u32, u32) = (1, 95);

const ADVICE: &str = "run `rustup target add wasm32-unknown-unknown` where rustup's server can be reached, or install \
                      a Rust with that target";

/// A compiler that can build for WebAssembly.
pub(crate) struct WasmTarget {
    /// The compiler's version, as it says it.
    version: String,
    distribution: Option<Distribution>,
}

struct Distribution {
    /// Has `bin`, with links to the compiler, and `lib/rustlib`, with the standard library.
    sysroot: PathBuf,
    linker: PathBuf,
}

impl WasmTarget {
    /// One line for people; it also tells compilers apart.
    pub(crate) fn description(&self) -> String {
        match &self.distribution {
            None => self.version.clone(),
            Some(distribution) => format!("{} ({})", self.version, distribution.sysroot.display()),
        }
    }

    /// Whether this is rustup's toolchain, with its clippy.
    pub(crate) fn is_rustup(&self) -> bool {
        self.distribution.is_none()
    }

    /// A cargo that builds for WebAssembly.
    pub(crate) fn cargo(&self, repo: &Repo, bins: &[PathBuf]) -> Result<Command> {
        let cargo =
            if self.distribution.is_some() { DISTRIBUTION_CARGO.into() } else { process::cargo_program() };
        let mut command = Command::new(cargo);
        self.prepare(repo, &mut command, bins)?;
        Ok(command)
    }

    /// Sets the environment of a command that calls cargo for WebAssembly; `bins` come first on its search path.
    /// The flags that every such build needs are in `.cargo/config.toml`.
    pub(crate) fn prepare(&self, repo: &Repo, command: &mut Command, bins: &[PathBuf]) -> Result<()> {
        let mut path = bins.to_vec();
        command
            .current_dir(&repo.root)
            .env("CARGO_TARGET_DIR", repo.wasm_target())
            // Either would hide the flags in .cargo/config.toml.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS");
        if let Some(distribution) = &self.distribution {
            path.push(distribution.sysroot.join("bin"));
            without_rustup(command)
                .env("CARGO", DISTRIBUTION_CARGO)
                .env("RUSTC", DISTRIBUTION_RUSTC)
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", &distribution.linker)
                // Cargo adds these to the flags in .cargo/config.toml.
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", sysroot_flag(&distribution.sysroot));
        }
        command.env("PATH", process::path_with(&path)?);
        Ok(())
    }
}

fn sysroot_flag(sysroot: &Path) -> OsString {
    let mut flag = OsString::from("--sysroot=");
    flag.push(sysroot);
    flag
}

/// Takes away what rustup and cargo tell the programs they start about the toolchain in use.
fn without_rustup(command: &mut Command) -> &mut Command {
    for name in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "RUSTDOC", "LD_LIBRARY_PATH"] {
        command.env_remove(name);
    }
    command
}

/// Finds or makes a compiler for WebAssembly. Quick when there is one.
pub(crate) fn find(repo: &Repo) -> Result<WasmTarget> {
    let forced = match std::env::var("COTRACE_WASM_TARGET").unwrap_or_default().as_str() {
        "" => false,
        "distribution" => true,
        other => bail!("COTRACE_WASM_TARGET is '{other}'; it can only be 'distribution', or not set"),
    };
    if !forced && let Some(target) = rustup_target(repo) {
        return Ok(target);
    }
    if let Some(target) = distribution_target(repo)? {
        return Ok(target);
    }
    if !forced {
        println!("The {TARGET} target is not installed; asking rustup for it.");
        let mut add = Command::new("rustup");
        match run(add.args(["target", "add", TARGET]).current_dir(&repo.root), ADVICE) {
            Ok(()) => {
                return rustup_target(repo).context("rustup added the target but rustc does not find it");
            }
            Err(error) => {
                println!("{error:#}\nrustup could not; trying the distribution's compiler instead.");
            }
        }
    }
    if !distribution_is_there() {
        if !can_apt() {
            let packages = DISTRIBUTION_PACKAGES.join(" ");
            bail!(
                "no compiler for {TARGET}\n  What to do: {ADVICE}; or on Debian, `sudo apt-get install {packages}`"
            );
        }
        apt_install(&DISTRIBUTION_PACKAGES, "a compiler for WebAssembly with its library's source")?;
    }
    build_std()?;
    distribution_target(repo)?.context("the standard library for WebAssembly was built but is not there")
}

/// The toolchain in use, if it has the target.
fn rustup_target(repo: &Repo) -> Option<WasmTarget> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--target", TARGET, "--print", "target-libdir"]).current_dir(&repo.root);
    let libraries = PathBuf::from(output(&mut rustc, "").ok()?);
    has_std(&libraries).then_some(())?;
    Some(WasmTarget { version: probe("rustc", &["--version"])?, distribution: None })
}

fn has_std(libraries: &Path) -> bool {
    let Ok(entries) = fs::read_dir(libraries) else {
        return false;
    };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}

/// The distribution's compiler, if a standard library has been built for its version.
fn distribution_target(repo: &Repo) -> Result<Option<WasmTarget>> {
    let Some(version) = distribution_version() else {
        return Ok(None);
    };
    let sysroot = sysroot_for(&tools::folder()?, &version)?;
    if !has_std(&sysroot.join("lib/rustlib").join(TARGET).join("lib")) {
        return Ok(None);
    }
    Ok(Some(WasmTarget { version, distribution: Some(Distribution { sysroot, linker: linker(repo)? }) }))
}

/// Whether the distribution's compiler is installed, with its library's source.
fn distribution_is_there() -> bool {
    [DISTRIBUTION_CARGO, DISTRIBUTION_RUSTC, DISTRIBUTION_LIBRARY].iter().all(|path| Path::new(path).exists())
}

fn distribution_version() -> Option<String> {
    output(without_rustup(Command::new(DISTRIBUTION_RUSTC).arg("--version")), "").ok()
}

/// The folder for a version's standard library. The full version names it, so that an upgrade builds a new one.
fn sysroot_for(tools: &Path, version: &str) -> Result<PathBuf> {
    if tools.to_string_lossy().contains(char::is_whitespace) {
        bail!(
            "the folder of tools, {}, has a space in its name; set COTRACE_TOOLS to another",
            tools.display()
        );
    }
    let name: String =
        version.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    Ok(tools.join(format!("wasm-std-{}", name.trim_end_matches('-'))))
}

/// rustup's own linker, or another that is there. Debian's `rustc-web` does not bring one.
fn linker(repo: &Repo) -> Result<PathBuf> {
    const NAMES: [&str; 3] = ["rust-lld", "wasm-ld", "lld"];
    let mut ask = Command::new("rustc");
    if let Ok(libraries) = output(ask.args(["--print", "target-libdir"]).current_dir(&repo.root), "") {
        let linker = Path::new(&libraries).with_file_name("bin").join("rust-lld");
        if linker.is_file() {
            return Ok(linker);
        }
    }
    NAMES.iter().find_map(|name| find_on_path(name)).context(
        "no linker for WebAssembly\n  What to do: install Rust with rustup (it brings rust-lld), or on Debian: sudo \
         apt-get install lld",
    )
}

/// Builds the target's standard library with the distribution's compiler into the folder of tools.
fn build_std() -> Result<()> {
    let version = distribution_version().context("the distribution's rustc does not run")?;
    let numbers = version_numbers(&version).with_context(|| format!("odd version of rustc: {version}"))?;
    if numbers < OLDEST {
        bail!("the distribution's compiler, {version}, is too old\n  What to do: {ADVICE}");
    }
    let (tools, _lock) = tools::locked_folder()?;
    let sysroot = sysroot_for(&tools, &version)?;
    if sysroot.exists() {
        return Ok(()); // Another run has just built it.
    }
    println!("Building the standard library for WebAssembly with {version} (once; about a minute).");
    let work = tools.join("build-wasm-std");
    let result = build_std_in(&work, &sysroot);
    let _ = fs::remove_dir_all(&work);
    result
}

fn build_std_in(work: &Path, sysroot: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(work);
    let crate_folder = work.join("empty");
    let part = work.join("sysroot");
    let libraries = part.join("lib/rustlib").join(TARGET).join("lib");
    let cannot = || format!("cannot write below {}", work.display());
    for folder in [&crate_folder, &libraries, &part.join("bin")] {
        fs::create_dir_all(folder).with_context(cannot)?;
    }
    let manifest = "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n";
    fs::write(crate_folder.join("Cargo.toml"), manifest).with_context(cannot)?;
    fs::write(crate_folder.join("lib.rs"), "#![no_std]\n").with_context(cannot)?;

    let mut build = Command::new(DISTRIBUTION_CARGO);
    without_rustup(&mut build)
        .args(["build", "--release", "--target", TARGET, "-Zbuild-std=std,panic_abort,proc_macro,test"])
        .current_dir(&crate_folder)
        .env("CARGO_TARGET_DIR", work.join("target"))
        .env("RUSTC", DISTRIBUTION_RUSTC)
        // Building std is an unstable feature: this lets a stable compiler do it.
        .env("RUSTC_BOOTSTRAP", "1")
        // As in .cargo/config.toml; bitcode is for link-time optimisation.
        .env("RUSTFLAGS", "-Ctarget-feature=+simd128 -Cembed-bitcode=yes");
    run(&mut build, &format!("see that crates.io can be reached; or {ADVICE}"))?;

    let built = work.join("target").join(TARGET).join("release/deps");
    for entry in fs::read_dir(&built).with_context(|| format!("cannot read {}", built.display()))? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if file.extension().is_some_and(|end| end == "rlib") && !name.starts_with("libempty-") {
            fs::copy(&file, libraries.join(&name)).with_context(cannot)?;
        }
    }
    if !has_std(&libraries) {
        bail!(
            "{} has no libstd: this version of cargo puts it elsewhere\n  What to do: {ADVICE}",
            built.display()
        );
    }
    for program in ["cargo", "rustc", "rustdoc"] {
        let link = part.join("bin").join(program);
        std::os::unix::fs::symlink(Path::new("/usr/bin").join(program), link).with_context(cannot)?;
    }
    fs::rename(&part, sysroot).with_context(|| format!("cannot move {} into place", sysroot.display()))
}

/// `(1, 96)` of `rustc 1.96.0 (…)`.
fn version_numbers(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split_whitespace().nth(1)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions() {
        for (text, expected) in [
            ("rustc 1.96.0 (59807616e 2026-04-14) (built from a source tarball)", Some((1, 96))),
            ("rustc 2.0.1", Some((2, 0))),
            ("rustc", None),
            ("", None),
        ] {
            assert_eq!(version_numbers(text), expected, "{text}");
        }
    }

    #[test]
    fn a_sysroot_is_named_by_its_compiler() {
        let tools = Path::new("/t");
        let one = sysroot_for(tools, "rustc 1.96.0 (abc 2026-04-14)").unwrap();
        assert_eq!(one, Path::new("/t/wasm-std-rustc-1.96.0--abc-2026-04-14"));
        assert_ne!(one, sysroot_for(tools, "rustc 1.96.0 (abd 2026-04-15)").unwrap());
        assert!(
            sysroot_for(Path::new("/a b"), "rustc 1.96.0").unwrap_err().to_string().contains("COTRACE_TOOLS")
        );
    }
}
