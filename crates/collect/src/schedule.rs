//! The order of runs.

use cotrace_dataset::RunKind;

use crate::{Plan, Which};

/// One run that a plan asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Unique, and the stem of the file's name: `solo_sort_0`, `pair_sort_zip_0s_0`.
    pub id: String,
    /// Alone or together.
    pub kind: RunKind,
    /// Which repetition, from 0.
    pub repeat: u32,
    /// The jobs in the plan's order: index in the plan, label and start offset in seconds.
    pub jobs: Vec<(usize, String, f64)>,
}

/// A small generator of random numbers (SplitMix64): the order must be the same on every machine and version.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Every run of the plan's jobs for which `included` holds, in order of worth: each job alone once, then the pairs
/// with the other solo runs spread between them, then the jobs beside copies of themselves. Random within each part.
pub fn schedule(plan: &Plan, included: impl Fn(usize) -> bool) -> Vec<Planned> {
    let mut random = Random(plan.seed);
    let jobs: Vec<usize> = (0..plan.jobs.len()).filter(|&job| included(job)).collect();

    let solos_of = |random: &mut Random, repeat: u32| {
        let mut solos: Vec<Planned> = jobs.iter().map(|&job| solo(plan, job, repeat)).collect();
        random.shuffle(&mut solos);
        solos
    };
    let mut order = if plan.solo_repeats > 0 { solos_of(&mut random, 0) } else { Vec::new() };
    let more_solos: Vec<Planned> =
        (1..plan.solo_repeats).flat_map(|repeat| solos_of(&mut random, repeat)).collect();

    let mut pairs = Vec::new();
    for (first, second) in named_pairs(plan) {
        if included(first) && included(second) {
            for &offset in &plan.pairs.offsets {
                // Unless the plan lists the pair in an order, who starts late is drawn.
                let swap = plan.pairs.which == Which::All && offset > 0.0 && random.below(2) == 1;
                pairs.push(if swap {
                    pair(plan, second, first, offset)
                } else {
                    pair(plan, first, second, offset)
                });
            }
        }
    }
    random.shuffle(&mut pairs);
    order.extend(spread(pairs, more_solos));

    if plan.pairs.self_pairs {
        let mut own: Vec<Planned> = jobs
            .iter()
            .flat_map(|&job| plan.pairs.offsets.iter().map(move |&offset| pair(plan, job, job, offset)))
            .collect();
        random.shuffle(&mut own);
        order.extend(own);
    }
    order
}

/// The pairs of two jobs that the plan names, as indices.
fn named_pairs(plan: &Plan) -> Vec<(usize, usize)> {
    match &plan.pairs.which {
        Which::All => {
            (0..plan.jobs.len()).flat_map(|a| (a + 1..plan.jobs.len()).map(move |b| (a, b))).collect()
        }
        Which::List(list) => {
            let index = |name: &str| plan.jobs.iter().position(|job| job.name == name);
            list.iter().filter_map(|(a, b)| Some((index(a)?, index(b)?))).collect()
        }
    }
}

fn solo(plan: &Plan, job: usize, repeat: u32) -> Planned {
    let name = &plan.jobs[job].name;
    Planned {
        id: format!("solo_{name}_{repeat}"),
        kind: RunKind::Solo,
        repeat,
        jobs: vec![(job, name.clone(), 0.0)],
    }
}

fn pair(plan: &Plan, first: usize, second: usize, offset: f64) -> Planned {
    let (first_name, second_name) = (&plan.jobs[first].name, &plan.jobs[second].name);
    let second_label = if first == second { format!("{second_name}-2") } else { second_name.clone() };
    let mut jobs = vec![(first, first_name.clone(), 0.0), (second, second_label, offset)];
    jobs.sort_by_key(|(job, ..)| *job);
    Planned {
        id: format!("pair_{first_name}_{second_name}_{offset}s_0"),
        kind: RunKind::Corun,
        repeat: 0,
        jobs,
    }
}

/// `few` spread evenly between `many`, both in their order.
fn spread(many: Vec<Planned>, few: Vec<Planned>) -> Vec<Planned> {
    let (many_count, few_count) = (many.len(), few.len());
    let mut keyed: Vec<(f64, Planned)> = Vec::with_capacity(many_count + few_count);
    for (items, count) in [(many, many_count), (few, few_count)] {
        keyed.extend(
            items.into_iter().enumerate().map(|(index, item)| ((index as f64 + 0.5) / count as f64, item)),
        );
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    keyed.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests;
