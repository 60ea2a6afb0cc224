//! What one sitting measures of what is left, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use cotrace_dataset::Random;

use crate::schedule::solo;
use crate::{Plan, Planned};

/// A job on the whole node or on a cut of it.
pub(crate) type SoloKey = (usize, Option<usize>);

/// What is known when a sitting's runs are chosen.
pub(crate) struct Sitting<'a> {
    pub(crate) plan: &'a Plan,
    /// Its index in the data set.
    pub(crate) index: usize,
    /// Solo runs already made in it.
    pub(crate) solos_here: BTreeMap<SoloKey, u32>,
    /// The ids of all runs that were made, in any sitting.
    pub(crate) made: &'a BTreeSet<String>,
    /// How much time there is.
    pub(crate) seconds: Option<f64>,
}

impl Sitting<'_> {
    /// The runs of the sitting: of `todo`, which is in order of worth, as many as fit into its time, with the solo
    /// runs that they need to be compared with. Co-runs are in random order, so that slow drift of the machine is not
    /// mistaken for interference. A job's first solo run comes just before its first co-run, so that what is measured
    /// can be used wherever the sitting ends; its others are scattered over what follows.
    pub(crate) fn runs(&self, todo: &[Planned], cost: impl Fn(&Planned) -> f64) -> Vec<Planned> {
        let chosen = self.choose(todo, cost);
        let (solos, mut coruns): (Vec<Planned>, Vec<Planned>) =
            chosen.into_iter().partition(|run| run.jobs.len() == 1);
        let mut random = Random::of(self.plan.seed, &format!("sitting {}", self.index));
        random.shuffle(&mut coruns);

        let end = coruns.len() as f64;
        let mut first_needed: BTreeMap<SoloKey, f64> = BTreeMap::new();
        for (place, run) in coruns.iter().enumerate() {
            for key in self.needs(run).into_keys() {
                first_needed.entry(key).or_insert(place as f64);
            }
        }
        let mut introduced: BTreeSet<SoloKey> = self.solos_here.keys().copied().collect();
        let mut placed: Vec<(f64, Planned)> = Vec::new();
        for run in solos {
            let key = (run.jobs[0].0, run.cut);
            let from = first_needed.get(&key).copied();
            let place = match from {
                Some(from) if introduced.insert(key) => from - 0.5,
                _ => {
                    let from = from.unwrap_or(0.0);
                    from + (end - from) * random.share()
                }
            };
            placed.push((place, run));
        }
        placed.extend(coruns.into_iter().enumerate().map(|(place, run)| (place as f64, run)));
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        placed.into_iter().map(|(_, run)| run).collect()
    }

    fn choose(&self, todo: &[Planned], cost: impl Fn(&Planned) -> f64) -> Vec<Planned> {
        let mut chosen: Vec<Planned> = Vec::new();
        let mut taken: BTreeSet<String> = self.made.clone();
        let mut solos = self.solos_here.clone();
        let mut spent = 0.0;
        for run in todo {
            if taken.contains(&run.id) {
                continue;
            }
            let mut with = Vec::new();
            for (key, needed) in self.needs(run) {
                for _ in solos.get(&key).copied().unwrap_or(0)..needed {
                    with.push(self.next_solo(key, &mut taken));
                }
            }
            with.push(run.clone());
            let seconds: f64 = with.iter().map(&cost).sum();
            if self.seconds.is_some_and(|most| spent + seconds > most) {
                break;
            }
            spent += seconds;
            for run in with {
                if run.jobs.len() == 1 {
                    *solos.entry((run.jobs[0].0, run.cut)).or_default() += 1;
                }
                taken.insert(run.id.clone());
                chosen.push(run);
            }
        }
        chosen
    }

    /// The solo runs that a sitting needs beside a co-run: on the same node, and on the whole one.
    fn needs(&self, run: &Planned) -> BTreeMap<SoloKey, u32> {
        let mut needs = BTreeMap::new();
        if run.jobs.len() > 1 {
            let times = if run.cut.is_some() { 1 } else { self.plan.solos_each_sitting };
            for (job, ..) in &run.jobs {
                needs.insert((*job, None), times);
                needs.insert((*job, run.cut), times);
            }
        }
        needs
    }

    /// The job's next solo run that nobody has taken, beyond the plan's repeats if need be.
    fn next_solo(&self, (job, cut): SoloKey, taken: &mut BTreeSet<String>) -> Planned {
        let mut repeat = 0;
        loop {
            let run = solo(self.plan, job, repeat, cut);
            if taken.insert(run.id.clone()) {
                return run;
            }
            repeat += 1;
        }
    }
}

#[cfg(test)]
mod tests;
