//! Where things are in this repository.

use std::fs::File;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// The repository's folders.
pub(crate) struct Repo {
    /// The folder of the top-level `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, for native builds.
    pub(crate) target: PathBuf,
    /// This very program. (Asked for at the start: a build may replace its file later.)
    pub(crate) xtask: PathBuf,
}

impl Repo {
    /// Finds the repository from where this crate stands in it. Cargo says where that is; what was true when this
    /// was compiled is second best, because another checkout may share its target folder.
    pub(crate) fn find() -> Result<Self> {
        let here =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let here = PathBuf::from(here);
        let root =
            here.ancestors().nth(2).context("this crate is not in crates/xtask any more")?.to_path_buf();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => std::path::absolute(folder)?,
            None => root.join("target"),
        };
        let xtask = std::env::current_exe().context("cannot tell where this program is")?;
        Ok(Self { root, target, xtask })
    }

    /// A path below the repository's root.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// The target folder for WebAssembly. It is a folder of its own because its compiler may differ from the native
    /// one: sharing would rebuild everything each time the two take turns.
    pub(crate) fn wasm_target(&self) -> PathBuf {
        self.target.join("wasm")
    }

    /// Keeps other runs of these commands from writing the same files until the returned file is dropped.
    pub(crate) fn lock(&self) -> Result<File> {
        let path = self.path("crates/xtask/Cargo.toml");
        let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        if file.try_lock().is_err() {
            println!("Waiting for another run of cargo xtask in this folder.");
            file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        }
        Ok(file)
    }
}
