//! What is kept of a fit, so that one that was stopped goes on where it was and a finished one isn't made again.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use burn::store::ModuleRecord;
use burn::tensor::Bytes;
use serde::{Deserialize, Serialize};

/// Where a fit's state is kept.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoints {
    /// `None`: nowhere.
    folder: Option<PathBuf>,
    /// Everything that the fit depends on.
    configuration: String,
}

/// The state of a fit.
pub(crate) struct Saved {
    /// Optimiser steps done.
    pub(crate) step: usize,
    pub(crate) network: ModuleRecord,
    /// A fit that is finished needs none.
    pub(crate) optimizer: Option<Bytes>,
}

#[derive(Serialize, Deserialize)]
struct State {
    configuration: String,
    step: usize,
}

impl Checkpoints {
    /// Goes on with what the folder holds, if that is of the same configuration.
    pub(crate) fn new(folder: &Path, configuration: String) -> Checkpoints {
        Checkpoints { folder: Some(folder.to_owned()), configuration }
    }

    /// Keeps nothing.
    pub(crate) fn nowhere() -> Checkpoints {
        Checkpoints { folder: None, configuration: String::new() }
    }

    /// The last state, if there is one.
    pub(crate) fn load(&self) -> Result<Option<Saved>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let path = folder.join("state.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read(&path).with_context(|| format!("{}", path.display()))?;
        let state: State = serde_json::from_slice(&text)
            .with_context(|| format!("{}: not a checkpoint; start without --resume", path.display()))?;
        ensure!(
            state.configuration == self.configuration,
            "{}: the checkpoint is of another configuration or other data ({}); start without --resume",
            path.display(),
            state.configuration
        );
        let network = folder.join(format!("network-{}.bpk", state.step));
        let network = ModuleRecord::load(&network).with_context(|| format!("{}", network.display()))?;
        let path = folder.join(format!("optimizer-{}.bpk", state.step));
        let optimizer = if path.exists() {
            let bytes = std::fs::read(&path).with_context(|| format!("{}", path.display()))?;
            Some(Bytes::from_bytes_vec(bytes))
        } else {
            None
        };
        Ok(Some(Saved { step: state.step, network, optimizer }))
    }

    /// Writes weights and optimiser under names of their own, then the state that names them: a stop in between
    /// leaves the state before.
    pub(crate) fn save(
        &self,
        step: usize,
        network: impl FnOnce() -> ModuleRecord,
        optimizer: Option<&dyn Fn() -> Result<Bytes>>,
    ) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let write = |path: &Path, bytes: &[u8]| {
            std::fs::write(path, bytes).with_context(|| format!("{}", path.display()))
        };
        std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        write(&folder.join(format!("network-{step}.bpk")), &network().into_bytes()?)?;
        if let Some(optimizer) = optimizer {
            write(&folder.join(format!("optimizer-{step}.bpk")), &optimizer()?)?;
        }
        let state = State { configuration: self.configuration.clone(), step };
        let temporary = folder.join("state.json.tmp");
        write(&temporary, &serde_json::to_vec(&state)?)?;
        std::fs::rename(&temporary, folder.join("state.json"))
            .with_context(|| format!("{}", temporary.display()))?;
        for old in std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?.flatten() {
            let path = old.path();
            let weights = path.extension().is_some_and(|extension| extension == "bpk");
            let current =
                path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(&format!("-{step}")));
            if weights && !current {
                std::fs::remove_file(&path).with_context(|| format!("{}", path.display()))?;
            }
        }
        Ok(())
    }
}
