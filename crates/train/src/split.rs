//! What is trained on and what is held out.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::data::{DataSet, MeasuredPair};

/// Pairs (by the names of their jobs) and jobs that training never sees together or at all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// Unordered pairs held out; their jobs are seen alone and with others.
    pub pairs: BTreeSet<[String; 2]>,
    /// Jobs held out with every pair they are part of, solo runs too.
    pub jobs: BTreeSet<String>,
}

impl Split {
    /// Holds out `share` of the pairs of different jobs, at random but so that no job loses more than it must:
    /// pairs are taken round by round, each round from jobs that have lost least.
    pub fn by_pairs(data: &DataSet, share: f64, seed: u64) -> Split {
        let mut pairs: Vec<[String; 2]> = data.pairs().iter().map(key).collect();
        pairs.sort();
        pairs.dedup();
        pairs.retain(|[a, b]| a != b);
        let take = (pairs.len() as f64 * share).round() as usize;
        pairs.shuffle(&mut SmallRng::seed_from_u64(seed));
        let mut held: BTreeSet<[String; 2]> = BTreeSet::new();
        while held.len() < take {
            let lost = |job: &String| held.iter().filter(|pair| pair.contains(job)).count();
            let next = pairs.iter().filter(|pair| !held.contains(*pair)).min_by_key(|pair| {
                let (a, b) = (lost(&pair[0]), lost(&pair[1]));
                (a.max(b), a + b)
            });
            let Some(next) = next.cloned() else { break };
            held.insert(next);
        }
        Split { pairs: held, jobs: BTreeSet::new() }
    }

    /// Holds out jobs.
    pub fn by_jobs(jobs: impl IntoIterator<Item = String>) -> Split {
        Split { pairs: BTreeSet::new(), jobs: jobs.into_iter().collect() }
    }

    /// The jobs of a data set in `folds` groups, mixed by kind: neighbours in the order of kinds part.
    pub fn job_folds(data: &DataSet, folds: usize, seed: u64) -> Vec<Split> {
        let mut jobs: Vec<(&str, &str)> =
            data.manifest.jobs.iter().map(|job| (job.kind.as_str(), job.name.as_str())).collect();
        jobs.shuffle(&mut SmallRng::seed_from_u64(seed));
        jobs.sort_by_key(|(kind, _)| *kind);
        let folds = folds.clamp(1, jobs.len().max(1));
        (0..folds)
            .map(|fold| {
                Split::by_jobs(jobs.iter().skip(fold).step_by(folds).map(|(_, name)| (*name).to_owned()))
            })
            .collect()
    }

    /// Whether training may see this pair.
    pub fn trains_on(&self, pair: &MeasuredPair<'_>) -> bool {
        !self.pairs.contains(&key(pair)) && !key(pair).iter().any(|job| self.jobs.contains(job))
    }
}

/// A pair's jobs in alphabetical order.
fn key(pair: &MeasuredPair<'_>) -> [String; 2] {
    let mut names = [pair.run.jobs[0].name.clone(), pair.run.jobs[1].name.clone()];
    names.sort();
    names
}
