//! How long the rest of a measurement will take.

use std::collections::BTreeMap;

use cotrace_dataset::{Manifest, RunKind};

use crate::{Plan, Planned};

/// How long runs take, learnt from those made.
#[derive(Default)]
pub(crate) struct Estimate {
    solo_seconds: BTreeMap<String, f64>,
    overhead_seconds: Vec<f64>,
}

impl Estimate {
    pub(crate) fn learn(&mut self, manifest: &Manifest) {
        for run in manifest.runs.iter().filter(|run| run.kind == RunKind::Solo) {
            for (job, seconds) in run.jobs.iter().zip(run.durations_seconds()) {
                self.solo_seconds.insert(job.name.clone(), seconds);
            }
        }
    }

    /// What the last run took beyond its jobs.
    pub(crate) fn add_overhead(&mut self, manifest: &Manifest, seconds: f64) {
        if let Some(run) = manifest.runs.last() {
            let jobs = run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
            self.overhead_seconds.push((seconds - jobs).max(0.0));
        }
    }

    pub(crate) fn seconds(&self, plan: &Plan, todo: &[&Planned]) -> Option<f64> {
        let mean =
            |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        let known: Vec<f64> = self.solo_seconds.values().copied().collect();
        let usual = mean(&known)?;
        let overhead = mean(&self.overhead_seconds).unwrap_or(4.0);
        let solo = |job: usize| self.solo_seconds.get(&plan.jobs[job].name).copied().unwrap_or(usual);
        let run_seconds = |run: &Planned| {
            let alone: f64 = run.jobs.iter().map(|(job, ..)| solo(*job)).sum();
            let end = run.jobs.iter().map(|(job, _, offset)| offset + solo(*job)).fold(0.0, f64::max);
            // Together, jobs take something between the longer of them and one after the other.
            overhead + end.max(if run.jobs.len() > 1 { 0.75 * alone } else { alone })
        };
        Some(todo.iter().map(|run| run_seconds(run)).sum())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::schedule;

    #[test]
    fn what_is_left_shrinks_run_by_run() {
        let job = |name: &str| {
            format!("[[job]]\nname = \"{name}\"\nkind = \"k\"\nframework = \"f\"\ncommand = \"c\"\n")
        };
        let text = format!("name = \"t\"\n{}{}[pairs]\n", job("a"), job("b"));
        let plan = Plan::parse(&text, "plan", PathBuf::new()).expect("a plan");
        let runs = schedule(&plan, |_| true);
        let todo: Vec<&Planned> = runs.iter().collect();
        let mut estimate = Estimate::default();
        assert_eq!(estimate.seconds(&plan, &todo), None, "unknown before anything ran");

        estimate.solo_seconds.insert("a".to_owned(), 10.0);
        estimate.overhead_seconds.push(2.0);
        let left: Vec<f64> =
            (0..=todo.len()).filter_map(|done| estimate.seconds(&plan, &todo[done..])).collect();
        // Six solo runs and a pair of two jobs of 10 s (b is taken to be like a): 6 * 12 + 15 + 2.
        assert_eq!(left[0], 89.0);
        assert!(left.windows(2).all(|pair| pair[1] < pair[0]), "{left:?}");
        assert_eq!(left[todo.len()], 0.0);
    }
}
