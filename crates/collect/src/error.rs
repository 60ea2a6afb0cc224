//! What can go wrong while measuring.

use std::io;
use std::path::{Path, PathBuf};

/// Why a plan could not be read or a data set not be measured.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The plan is no TOML, or says something that can't be measured.
    #[error("{path}: {place}: {problem}")]
    Plan {
        /// The plan's file.
        path: String,
        /// Where in it, for example `job "sort", key "command"` or `line 3, column 7`.
        place: String,
        /// What is wrong and what to write instead.
        problem: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done, for example `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The output folder holds a data set that this plan can't be added to.
    #[error("{}: {problem}", path.display())]
    DataSet {
        /// The manifest found there.
        path: PathBuf,
        /// What doesn't fit and what to do.
        problem: String,
    },
    /// A kernel file reads differently than expected.
    #[error("{file}: {problem}")]
    Kernel {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The options name a job that the plan doesn't have, or leave nothing to measure.
    #[error("{0}")]
    Options(String),
    /// A job's setup failed.
    #[error("job {job:?}: {step} failed: {problem}")]
    Step {
        /// The job.
        job: String,
        /// `setup`, `prepare` or `start`.
        step: &'static str,
        /// What the command returned or why it could not start, with the end of its output.
        problem: String,
    },
}

impl CollectError {
    /// An [`CollectError::Io`] for use in `map_err`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CollectError {
        let path = path.to_owned();
        move |source| CollectError::Io { action, path, source }
    }
}
