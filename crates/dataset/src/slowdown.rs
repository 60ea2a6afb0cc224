//! How much slower a job was beside others than alone.

use std::collections::BTreeMap;

use crate::stats::{median, spread_percent};
use crate::{Manifest, Run, RunKind};

/// A sitting, the name of a cut, and a job.
type Key<'a> = (u32, Option<&'a str>, &'a str);

/// How long each job takes alone, by sitting and cut, and the slowdowns that follow. A sitting may be on another host
/// than the next, so durations of different sittings are never compared.
#[derive(Clone, Debug)]
pub struct Slowdowns<'a> {
    solos: BTreeMap<Key<'a>, Vec<f64>>,
}

/// How far solo runs of one job on the whole node differ.
#[derive(Clone, Debug, PartialEq)]
pub struct SoloSpread {
    /// The durations in each sitting that has any, in the order of runs.
    pub sittings: BTreeMap<u32, Vec<f64>>,
    /// The median over the sittings' medians.
    pub median_seconds: f64,
    /// Largest minus smallest in percent of the median, within a sitting; the median over sittings. `None`: no sitting
    /// has two.
    pub within_percent: Option<f64>,
    /// The same of the sittings' medians. `None`: there is only one sitting.
    pub between_percent: Option<f64>,
}

impl<'a> Slowdowns<'a> {
    /// Collects the undisturbed solo runs.
    pub fn of(manifest: &'a Manifest) -> Slowdowns<'a> {
        let mut solos: BTreeMap<Key<'a>, Vec<f64>> = BTreeMap::new();
        for run in manifest.runs.iter().filter(|run| run.kind == RunKind::Solo && !run.disturbed) {
            for job in &run.jobs {
                solos.entry((run.sitting, run.cut_name(), &job.name)).or_default().push(job.seconds());
            }
        }
        Slowdowns { solos }
    }

    /// The median time that a job takes alone in a run's sitting and on its node. `None`: it was not measured there.
    pub fn solo_seconds(&self, run: &Run, job: &str) -> Option<f64> {
        median(self.solos.get(&(run.sitting, run.cut_name(), job))?)
    }

    /// The slowdown of each job of a run, `[jobs]`: its duration over [`Slowdowns::solo_seconds`].
    pub fn of_run(&self, run: &Run) -> Vec<Option<f64>> {
        run.jobs.iter().map(|job| Some(job.seconds() / self.solo_seconds(run, &job.name)?)).collect()
    }

    /// How far a job's solo runs differ. `None`: it has none on the whole node.
    pub fn solo_spread(&self, job: &str) -> Option<SoloSpread> {
        let of_job = self.solos.iter().filter(|((_, cut, name), _)| cut.is_none() && *name == job);
        let sittings: BTreeMap<u32, Vec<f64>> =
            of_job.map(|((sitting, ..), seconds)| (*sitting, seconds.clone())).collect();
        let medians: Vec<f64> = sittings.values().filter_map(|seconds| median(seconds)).collect();
        let within: Vec<f64> = sittings.values().filter_map(|seconds| spread_percent(seconds)).collect();
        Some(SoloSpread {
            median_seconds: median(&medians)?,
            within_percent: median(&within),
            between_percent: spread_percent(&medians),
            sittings,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Made, run, solo};

    #[test]
    fn a_slowdown_is_against_the_same_sitting_and_cut() {
        let mut made = Made::new(&["a", "b"], 3);
        for (sitting, seconds) in [(0, 10.0), (0, 12.0), (0, 11.0), (1, 20.0)] {
            made.push(solo("a", seconds).in_sitting(sitting));
        }
        made.push(solo("a", 1.0).disturbed());
        made.push(solo("a", 44.0).cut("one-core"));
        made.push(solo("b", 5.0));
        let cases = [
            ("median of the sitting", run(&[("a", 22.0), ("b", 10.0)]), [Some(2.0), Some(2.0)]),
            ("another sitting", run(&[("a", 30.0), ("b", 9.0)]).in_sitting(1), [Some(1.5), None]),
            ("a sitting without solo runs", run(&[("a", 30.0), ("b", 9.0)]).in_sitting(2), [None, None]),
            ("a cut node", run(&[("a", 66.0), ("b", 9.0)]).cut("one-core"), [Some(1.5), None]),
        ];
        let slowdowns = Slowdowns::of(&made.manifest);
        for (what, run, wanted) in cases {
            assert_eq!(slowdowns.of_run(&run.0), wanted, "{what}");
        }
    }

    #[test]
    fn spread_within_and_between_sittings() {
        let mut made = Made::new(&["a", "b"], 2);
        for (sitting, seconds) in [(0, 9.0), (0, 10.0), (0, 11.0), (1, 15.0)] {
            made.push(solo("a", seconds).in_sitting(sitting));
        }
        made.push(solo("a", 100.0).cut("one-core"));
        let slowdowns = Slowdowns::of(&made.manifest);
        let spread = slowdowns.solo_spread("a").unwrap();
        assert_eq!(spread.median_seconds, 12.5);
        assert_eq!(spread.within_percent, Some(20.0));
        assert_eq!(spread.between_percent, Some(40.0));
        assert_eq!(slowdowns.solo_spread("b"), None);
    }
}
