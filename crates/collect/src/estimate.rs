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
        for run in manifest.runs.iter().filter(|run| run.kind == RunKind::Solo && run.cut.is_none()) {
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

    /// How long runs will take, with what comes before each; unknown while nothing is known of any job.
    pub(crate) fn seconds<'a>(
        &self,
        plan: &Plan,
        todo: impl IntoIterator<Item = &'a Planned>,
    ) -> Option<f64> {
        let usual = mean(self.solo_seconds.values().copied())
            .or_else(|| mean(plan.jobs.iter().filter_map(|job| job.seconds)))?;
        let overhead = mean(self.overhead_seconds.iter().copied()).unwrap_or(5.0);
        let solo = |job: usize| self.solo(plan, job).unwrap_or(usual);
        let run_seconds = |run: &Planned| {
            let alone: f64 = run.jobs.iter().map(|(job, ..)| solo(*job)).sum();
            let late = run.late.map_or(0.0, |(_, share)| share * alone / run.jobs.len() as f64);
            let end = run.jobs.iter().map(|(job, _, offset)| offset + late + solo(*job)).fold(0.0, f64::max);
            // Together, jobs take something between the longer of them and one after the other.
            overhead + end.max(if run.jobs.len() > 1 { 0.75 * alone } else { alone })
        };
        Some(todo.into_iter().map(run_seconds).sum())
    }

    /// How long a job takes alone: as last measured, else as the plan has it.
    pub(crate) fn solo(&self, plan: &Plan, job: usize) -> Option<f64> {
        self.solo_seconds.get(&plan.jobs[job].name).copied().or(plan.jobs[job].seconds)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
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
        let todo: Vec<Planned> = runs;
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
