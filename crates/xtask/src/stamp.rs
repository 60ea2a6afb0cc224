//! Knows whether a step is already done: the same inputs, and outputs as the step left them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::repo::Repo;

/// A running hash (FNV-1a) of everything a step depends on. It guards against forgetting to rebuild, not against
/// anyone's malice.
#[derive(Clone)]
pub(crate) struct Inputs(u64);

impl Inputs {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // A separator, so that "ab" + "c" differs from "a" + "bc".
        self.0 = (self.0 ^ 0x1ff).wrapping_mul(0x0100_0000_01b3);
    }

    /// Adds a word, such as a tool's version.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.bytes(text.as_bytes());
        self
    }

    /// Adds a file, or a folder with all below it. What does not exist counts as that.
    pub(crate) fn files(mut self, root: &Path, paths: &[&str]) -> Result<Self> {
        for path in paths {
            self.bytes(path.as_bytes());
            self.tree(&root.join(path))?;
        }
        Ok(self)
    }

    /// All of it in a word.
    pub(crate) fn word(&self) -> String {
        format!("{:016x}", self.0)
    }

    fn tree(&mut self, path: &Path) -> Result<()> {
        let unreadable = || format!("cannot read {}", path.display());
        if path.is_dir() {
            let mut entries: Vec<PathBuf> = fs::read_dir(path)
                .with_context(unreadable)?
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<std::io::Result<_>>()
                .with_context(unreadable)?;
            entries.sort();
            for entry in entries.iter().filter(|entry| !entry.ends_with("node_modules")) {
                self.bytes(entry.file_name().unwrap_or_default().as_encoded_bytes());
                self.tree(entry)?;
            }
        } else if path.is_file() {
            self.bytes(&fs::read(path).with_context(unreadable)?);
        } else {
            self.bytes(b"nothing");
        }
        Ok(())
    }
}

/// The record that a step was done: `step` names it, `outputs` are the files and folders it writes.
pub(crate) struct Stamp {
    file: PathBuf,
    inputs: u64,
    outputs: Vec<PathBuf>,
}

impl Stamp {
    pub(crate) fn new(repo: &Repo, step: &str, inputs: &Inputs, outputs: &[&str]) -> Self {
        Self::at(
            repo.target.join("xtask").join(format!("{step}.stamp")),
            inputs,
            outputs.iter().map(|output| repo.path(output)).collect(),
        )
    }

    /// A record kept elsewhere than the other steps'.
    pub(crate) fn at(file: PathBuf, inputs: &Inputs, outputs: Vec<PathBuf>) -> Self {
        Self { file, inputs: inputs.0, outputs }
    }

    /// The text of the record. The outputs are hashed too: another checkout state or another run may have
    /// replaced them since.
    fn text(&self) -> Result<Option<String>> {
        if self.outputs.iter().any(|output| !output.exists()) {
            return Ok(None);
        }
        let mut written = Inputs::new();
        for output in &self.outputs {
            written.tree(output)?;
        }
        Ok(Some(format!("inputs {:016x}\noutputs {:016x}\n", self.inputs, written.0)))
    }

    /// Whether the step was done with these inputs and nothing has touched its outputs since.
    pub(crate) fn is_fresh(&self) -> Result<bool> {
        let Ok(recorded) = fs::read_to_string(&self.file) else {
            return Ok(false);
        };
        Ok(self.text()?.is_some_and(|text| text == recorded))
    }

    /// Records that the step is done.
    pub(crate) fn write(&self) -> Result<()> {
        let missing = || {
            let names: Vec<_> = self.outputs.iter().filter(|output| !output.exists()).collect();
            format!("the step ended well but did not write {names:?}: is a path in crates/xtask out of date?")
        };
        let text = self.text()?.with_context(missing)?;
        let folder = self.file.parent().context("a stamp without a folder")?;
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&self.file, text))
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cotrace-xtask-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("in/deep")).unwrap();
        folder
    }

    #[test]
    fn is_fresh_only_while_nothing_changed() {
        let folder = folder("stamp");
        let out = folder.join("out");
        fs::write(folder.join("in/deep/a"), "1").unwrap();
        let stamp = |tool: &str| {
            let inputs = Inputs::new().text(tool).files(&folder, &["in", "not there"]).unwrap();
            Stamp::at(folder.join("stamps/x"), &inputs, vec![out.clone()])
        };
        assert!(!stamp("t1").is_fresh().unwrap(), "never done");
        assert!(stamp("t1").write().is_err(), "an output that was not written is an error");
        fs::write(&out, "result").unwrap();
        stamp("t1").write().unwrap();
        assert!(stamp("t1").is_fresh().unwrap(), "just done");
        assert!(!stamp("t2").is_fresh().unwrap(), "another tool");

        fs::write(folder.join("in/deep/a"), "2").unwrap();
        assert!(!stamp("t1").is_fresh().unwrap(), "an input changed");
        fs::write(folder.join("in/deep/a"), "1").unwrap();
        assert!(stamp("t1").is_fresh().unwrap(), "and changed back");
        fs::rename(folder.join("in/deep/a"), folder.join("in/deep/b")).unwrap();
        assert!(!stamp("t1").is_fresh().unwrap(), "an input renamed");
        fs::rename(folder.join("in/deep/b"), folder.join("in/deep/a")).unwrap();
        fs::write(&out, "someone else's").unwrap();
        assert!(!stamp("t1").is_fresh().unwrap(), "an output changed");
        fs::remove_file(&out).unwrap();
        assert!(!stamp("t1").is_fresh().unwrap(), "an output gone");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn keeps_words_apart() {
        assert_ne!(Inputs::new().text("ab").text("c").0, Inputs::new().text("a").text("bc").0);
    }
}
