//! Who shares a machine with whom.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::{PlacementError, SlowdownMatrix};

/// The most jobs that are placed at once.
pub const MAX_JOBS: usize = 8;

/// What a plan is to be good at. The better plan has less of it; among equals the one with less machine time wins,
/// then the one with the lower worst slowdown, then the one that keeps jobs of low numbers alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The sum of the groups' makespans: what is paid for.
    MachineTime,
    /// The slowdown of the job that is slowed most. Without a limit on machines that is never to share, unless a
    /// job is faster beside another.
    WorstSlowdown,
    /// The mean slowdown of all jobs; likewise.
    MeanSlowdown,
}

/// Jobs that run together from the same moment: one or two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Their numbers, from 0, rising.
    pub jobs: Vec<usize>,
    /// The slowdown of each, in the order of `jobs`; 1 alone.
    pub slowdowns: Vec<f64>,
    /// From their start to the end of the last.
    pub makespan_seconds: f64,
}

/// A plan for all jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The groups, by their first job.
    pub groups: Vec<Group>,
    /// The sum of the groups' makespans.
    pub machine_seconds: f64,
    /// The slowdown of the job that is slowed most.
    pub worst_slowdown: f64,
    /// The mean slowdown of all jobs.
    pub mean_slowdown: f64,
}

impl Plan {
    /// How good the plan is at `objective`: less is better.
    pub fn value(&self, objective: Objective) -> f64 {
        match objective {
            Objective::MachineTime => self.machine_seconds,
            Objective::WorstSlowdown => self.worst_slowdown,
            Objective::MeanSlowdown => self.mean_slowdown,
        }
    }

    fn of(matrix: &SlowdownMatrix, pairing: &[(usize, Option<usize>)]) -> Plan {
        let groups: Vec<Group> = pairing.iter().map(|&(job, beside)| group(matrix, job, beside)).collect();
        let slowdowns = || groups.iter().flat_map(|group| group.slowdowns.iter().copied());
        Plan {
            machine_seconds: sum(groups.iter().map(|group| group.makespan_seconds)),
            worst_slowdown: slowdowns().fold(f64::NEG_INFINITY, f64::max),
            mean_slowdown: sum(slowdowns()) / matrix.jobs() as f64,
            groups,
        }
    }

    fn compare(&self, other: &Plan, objective: Objective) -> Ordering {
        let keys = |plan: &Plan| [plan.value(objective), plan.machine_seconds, plan.worst_slowdown];
        keys(self)
            .iter()
            .zip(keys(other))
            .map(|(a, b)| a.total_cmp(&b))
            .find(|ordering| ordering.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// The best plan of all: every job alone or beside one other.
///
/// # Errors
/// [`PlacementError::TooManyJobs`] for more than [`MAX_JOBS`].
pub fn best_pairing(matrix: &SlowdownMatrix, objective: Objective) -> Result<Plan, PlacementError> {
    best_pairing_within(matrix, objective, matrix.jobs())
}

/// The best plan of at most `machines` groups.
///
/// # Errors
/// [`PlacementError::TooManyJobs`] for more than [`MAX_JOBS`], [`PlacementError::TooFewMachines`] if not even pairs
/// fit.
pub fn best_pairing_within(
    matrix: &SlowdownMatrix,
    objective: Objective,
    machines: usize,
) -> Result<Plan, PlacementError> {
    let jobs = matrix.jobs();
    if jobs > MAX_JOBS {
        return Err(PlacementError::TooManyJobs { jobs, most: MAX_JOBS });
    }
    let mut best: Option<Plan> = None;
    let mut pairing = Vec::with_capacity(jobs);
    each_pairing((1 << jobs) - 1, &mut pairing, &mut |pairing| {
        if pairing.len() > machines {
            return;
        }
        let plan = Plan::of(matrix, pairing);
        // Equals come in a fixed order: the first stays.
        if best.as_ref().is_none_or(|best| plan.compare(best, objective).is_lt()) {
            best = Some(plan);
        }
    });
    best.ok_or(PlacementError::TooFewMachines { jobs, machines })
}

/// The plan in which every job runs alone: what others are compared with.
pub fn never_share(matrix: &SlowdownMatrix) -> Plan {
    let alone: Vec<(usize, Option<usize>)> = (0..matrix.jobs()).map(|job| (job, None)).collect();
    Plan::of(matrix, &alone)
}

fn group(matrix: &SlowdownMatrix, job: usize, beside: Option<usize>) -> Group {
    match beside {
        None => Group { jobs: vec![job], slowdowns: vec![1.0], makespan_seconds: matrix.solo_seconds(job) },
        Some(other) => {
            let slowdowns = vec![matrix.slowdown(job, other), matrix.slowdown(other, job)];
            let ends = [matrix.solo_seconds(job) * slowdowns[0], matrix.solo_seconds(other) * slowdowns[1]];
            Group { jobs: vec![job, other], slowdowns, makespan_seconds: ends[0].max(ends[1]) }
        }
    }
}

/// Calls `visit` with each way to split the jobs of a bit set into groups of one and two, in a fixed order.
fn each_pairing(
    left: u32,
    pairing: &mut Vec<(usize, Option<usize>)>,
    visit: &mut impl FnMut(&[(usize, Option<usize>)]),
) {
    if left == 0 {
        visit(pairing);
        return;
    }
    let first = left.trailing_zeros() as usize;
    let rest = left & (left - 1);
    pairing.push((first, None));
    each_pairing(rest, pairing, visit);
    pairing.pop();
    let mut others = rest;
    while others != 0 {
        let other = others.trailing_zeros() as usize;
        others &= others - 1;
        pairing.push((first, Some(other)));
        each_pairing(rest & !(1 << other), pairing, visit);
        pairing.pop();
    }
}

/// The sum in rising order, so that the order of jobs doesn't change it.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.iter().sum()
}
