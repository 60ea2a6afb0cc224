//! What is trained on and what is held out, fixed once for a data set.
//!
//! `splits.json` names jobs, not runs: runs that are measured later fall into place. It is drawn from the list of jobs
//! and a seed, never from what was measured.
//!
//! | split | training may see | it is judged on |
//! |---|---|---|
//! | `seen-pairs` | *the usual* | repeats, other than the first, of pairs that it saw |
//! | `unseen-pairs` | *the usual* | pairs held out: both jobs were seen, with others |
//! | `triples` | *the usual* | three jobs or more together |
//! | `one-core`, `half-memory`: each cut's name | *the usual* | co-runs on that cut node |
//! | `unseen-size` | every job in its ordinary size only | co-runs with a job of another size |
//! | `unseen-jobs-1` | no run of a job of group 1 | pairs with a job of the group; judged are those jobs |
//! | `unseen-jobs-1-2` | no run of a job of groups 1 and 2 | pairs of a job of one with a job of the other |
//!
//! *The usual* is every undisturbed run of one job or two on the whole node, but of pairs held out none, and of other
//! co-runs the first measurement only. One training serves these splits.
//!
//! A job of another size belongs to the group of the job whose size it is, and a pair with one to the same pair. Such
//! jobs are judged by `unseen-size` only. In a split of unseen jobs a forecast of a job needs that job unseen, one of
//! a pair both: figures about jobs come from the splits without one group; figures about pairs from all of them, from
//! the runs of which every job is judged. So each pair counts once.

mod draw;
mod runs;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{DataError, Manifest};

pub use runs::{Judged, Leak, SplitRuns};

/// The version of `splits.json` that is read and written.
const VERSION: u32 = 1;

/// A data set's `splits.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splits {
    /// Version of this file: 1.
    pub cotrace_splits: u32,
    /// The data set's name.
    pub data_set: String,
    /// What it was drawn from, with the jobs.
    pub seed: u64,
    /// The jobs in groups, each with jobs of most kinds. Jobs of another size are not named.
    pub groups: Vec<Vec<String>>,
    /// Pairs of different jobs held out, by name; the jobs of a pair in alphabetical order.
    pub held_pairs: Vec<[String; 2]>,
}

/// Why splits can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SplitsError {
    /// The file can't be read or written.
    #[error("{0}")]
    File(#[from] DataError),
    /// The file is not what this version reads.
    #[error("{file}: not a file of splits: {source}")]
    Broken {
        /// The file.
        file: String,
        /// What is wrong with it, and in which line.
        source: serde_json::Error,
    },
    /// The file is of a version that isn't known.
    #[error("{file}: version {version} of splits is not known; this version reads 1")]
    Version {
        /// The file.
        file: String,
        /// Its version.
        version: u32,
    },
    /// Splits are written once: figures by others would no longer compare.
    #[error("{0}: is there already; splits are drawn once")]
    There(String),
    /// The splits are not of this data set.
    #[error("job {job} of data set {data_set} is in {groups} groups; it must be in one")]
    Group {
        /// The job.
        job: String,
        /// The data set.
        data_set: String,
        /// In how many groups it is.
        groups: usize,
    },
    /// A pair is held out that can't be.
    #[error("the pair held out {first} + {second} is not one of two different jobs in alphabetical order")]
    Pair {
        /// Its first job.
        first: String,
        /// Its second job.
        second: String,
    },
    /// There is no such split.
    #[error("there is no split {name:?}; there are {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
}

impl Splits {
    /// What the file is called, beside the manifest.
    pub const FILE: &str = "splits.json";

    /// How many groups of jobs there are, if there are as many jobs.
    pub const GROUPS: usize = 5;

    /// Draws the splits of a data set: its jobs in five groups, each with jobs of most kinds, and a fifth of the pairs of
    /// different jobs, so that no job loses many more pairs than another.
    pub fn draw(manifest: &Manifest, seed: u64) -> Splits {
        let mut jobs: Vec<(&str, &str)> = manifest
            .jobs
            .iter()
            .filter(|job| job.size_of.is_none())
            .map(|job| (&*job.kind, &*job.name))
            .collect();
        // The order in which a plan lists its jobs must not matter.
        jobs.sort_unstable();
        Splits {
            cotrace_splits: VERSION,
            data_set: manifest.name.clone(),
            seed,
            groups: draw::groups(&jobs, Splits::GROUPS, seed),
            held_pairs: draw::held_pairs(&jobs, seed),
        }
    }

    /// Reads splits from a file.
    ///
    /// # Errors
    /// It can't be read, is no file of splits, or of another version.
    pub fn read(path: &Path) -> Result<Splits, SplitsError> {
        let file = path.display().to_string();
        let text = std::fs::read(path).map_err(DataError::file(path))?;
        let splits: Splits = serde_json::from_slice(&text)
            .map_err(|source| SplitsError::Broken { file: file.clone(), source })?;
        if splits.cotrace_splits != VERSION {
            return Err(SplitsError::Version { file, version: splits.cotrace_splits });
        }
        Ok(splits)
    }

    /// Writes the splits into a new file.
    ///
    /// # Errors
    /// The file is there already, or can't be written.
    pub fn write(&self, path: &Path) -> Result<(), SplitsError> {
        if path.exists() {
            return Err(SplitsError::There(path.display().to_string()));
        }
        let mut text = serde_json::to_string_pretty(self).expect("splits are plain data");
        text.push('\n');
        std::fs::write(path, text).map_err(DataError::file(path))?;
        Ok(())
    }

    /// The group of a job, from 0. `None`: it is in none.
    pub fn group_of(&self, manifest: &Manifest, job: &str) -> Option<usize> {
        let base = manifest.base_job(job);
        self.groups.iter().position(|group| group.iter().any(|name| name == base))
    }

    /// Whether a pair, in any order, is held out.
    pub fn holds_out(&self, manifest: &Manifest, a: &str, b: &str) -> bool {
        let (a, b) = (manifest.base_job(a), manifest.base_job(b));
        self.held_pairs
            .iter()
            .any(|[first, second]| (first == a && second == b) || (first == b && second == a))
    }

    /// Whether every job of a data set is in one group, and pairs held out are pairs.
    ///
    /// # Errors
    /// [`SplitsError::Group`], [`SplitsError::Pair`].
    pub fn fit(&self, manifest: &Manifest) -> Result<(), SplitsError> {
        for job in &manifest.jobs {
            let base = manifest.base_job(&job.name);
            let groups = self.groups.iter().flatten().filter(|name| *name == base).count();
            if groups != 1 {
                let (job, data_set) = (job.name.clone(), manifest.name.clone());
                return Err(SplitsError::Group { job, data_set, groups });
            }
        }
        let wrong = |pair: &&[String; 2]| {
            let known = |name| self.groups.iter().flatten().any(|other: &String| other == name);
            pair[0] >= pair[1] || !known(&pair[0]) || !known(&pair[1])
        };
        match self.held_pairs.iter().find(wrong) {
            Some([first, second]) => Err(SplitsError::Pair { first: first.clone(), second: second.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
