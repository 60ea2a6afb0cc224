//! Plans against rules that any plan keeps, and against another way to try everything.

use cotrace_placement::{
    MAX_JOBS, Objective, PlacementError, Plan, SlowdownMatrix, best_pairing, best_pairing_within, never_share,
};

const OBJECTIVES: [Objective; 3] =
    [Objective::MachineTime, Objective::WorstSlowdown, Objective::MeanSlowdown];

/// Numbers that look random and are the same each time, in 0..1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Solo seconds `[jobs]` and slowdowns `[jobs, jobs]`; a few slowdowns are below 1.
fn invented(jobs: usize, seed: u64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut numbers = Numbers(seed);
    let solo = (0..jobs).map(|_| 10.0 + 300.0 * numbers.next()).collect();
    let slowdown = (0..jobs).map(|_| (0..jobs).map(|_| 0.95 + 1.4 * numbers.next()).collect()).collect();
    (solo, slowdown)
}

fn matrix(jobs: usize, seed: u64) -> SlowdownMatrix {
    let (solo, slowdown) = invented(jobs, seed);
    SlowdownMatrix::new(solo, slowdown).unwrap()
}

fn cases() -> impl Iterator<Item = (usize, u64)> {
    (1..=MAX_JOBS).flat_map(|jobs| (0..20).map(move |seed| (jobs, seed * 31 + jobs as u64)))
}

#[test]
fn every_job_is_placed_once() {
    for (jobs, seed) in cases() {
        for objective in OBJECTIVES {
            let plan = best_pairing(&matrix(jobs, seed), objective).unwrap();
            let mut placed: Vec<usize> = plan.groups.iter().flat_map(|group| group.jobs.clone()).collect();
            assert!(
                plan.groups
                    .iter()
                    .all(|group| group.jobs.len() <= 2 && group.jobs.len() == group.slowdowns.len())
            );
            placed.sort_unstable();
            assert_eq!(placed, (0..jobs).collect::<Vec<_>>(), "{jobs} jobs, seed {seed}, {objective:?}");
        }
    }
}

#[test]
fn sharing_is_never_worse_than_never_to_share() {
    for (jobs, seed) in cases() {
        let matrix = matrix(jobs, seed);
        for objective in OBJECTIVES {
            let plan = best_pairing(&matrix, objective).unwrap();
            assert!(
                plan.value(objective) <= never_share(&matrix).value(objective),
                "{jobs} jobs, seed {seed}"
            );
        }
    }
}

/// Each number below jobs^jobs, written in base jobs, says whom each job runs beside; itself is alone.
fn brute_force(matrix: &SlowdownMatrix, objective: Objective, machines: usize) -> Option<f64> {
    let jobs = matrix.jobs();
    let mut best: Option<f64> = None;
    'next: for code in 0..jobs.pow(jobs as u32) {
        let beside: Vec<usize> = (0..jobs).map(|job| code / jobs.pow(job as u32) % jobs).collect();
        let (mut seconds, mut worst, mut total, mut groups) = (0.0, f64::MIN, 0.0, 0);
        for job in 0..jobs {
            let other = beside[job];
            if beside[other] != job {
                continue 'next;
            }
            let slowdown = if other == job { 1.0 } else { matrix.slowdown(job, other) };
            worst = slowdown.max(worst);
            total += slowdown;
            if job <= other {
                let end = matrix.solo_seconds(job) * slowdown;
                let other_end =
                    if other == job { 0.0 } else { matrix.solo_seconds(other) * matrix.slowdown(other, job) };
                seconds += end.max(other_end);
                groups += 1;
            }
        }
        let value = match objective {
            Objective::MachineTime => seconds,
            Objective::WorstSlowdown => worst,
            Objective::MeanSlowdown => total / jobs as f64,
        };
        if groups <= machines {
            best = Some(best.map_or(value, |best| best.min(value)));
        }
    }
    best
}

#[test]
fn nothing_is_better_than_the_best() {
    for (jobs, seed) in cases().filter(|(jobs, _)| *jobs <= 5) {
        let matrix = matrix(jobs, seed);
        for objective in OBJECTIVES {
            for machines in 0..=jobs {
                let wanted = brute_force(&matrix, objective, machines);
                let found = best_pairing_within(&matrix, objective, machines);
                match wanted {
                    Some(wanted) => {
                        let plan = found.unwrap();
                        let value = plan.value(objective);
                        assert!(
                            (value - wanted).abs() < 1e-9 * wanted,
                            "{jobs} jobs, seed {seed}: {value}, {wanted}"
                        );
                        assert!(plan.groups.len() <= machines);
                    }
                    None => assert_eq!(found, Err(PlacementError::TooFewMachines { jobs, machines })),
                }
            }
        }
    }
}

/// The groups as sets, in the numbering `names`.
fn named(plan: &Plan, names: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = plan
        .groups
        .iter()
        .map(|group| {
            let mut jobs: Vec<usize> = group.jobs.iter().map(|&job| names[job]).collect();
            jobs.sort_unstable();
            jobs
        })
        .collect();
    groups.sort();
    groups
}

#[test]
fn the_order_of_jobs_changes_nothing() {
    for (jobs, seed) in cases() {
        let (solo, slowdown) = invented(jobs, seed);
        // A shuffle that is the same each time.
        let mut order: Vec<usize> = (0..jobs).collect();
        let mut numbers = Numbers(seed ^ 0x5555);
        for i in (1..jobs).rev() {
            order.swap(i, (numbers.next() * (i + 1) as f64) as usize);
        }
        let shuffled_solo = order.iter().map(|&job| solo[job]).collect();
        let shuffled = order.iter().map(|&i| order.iter().map(|&j| slowdown[i][j]).collect()).collect();
        let straight = SlowdownMatrix::new(solo, slowdown).unwrap();
        let shuffled = SlowdownMatrix::new(shuffled_solo, shuffled).unwrap();
        let identity: Vec<usize> = (0..jobs).collect();
        for objective in OBJECTIVES {
            let (a, b) =
                (best_pairing(&straight, objective).unwrap(), best_pairing(&shuffled, objective).unwrap());
            assert_eq!(a.value(objective), b.value(objective), "{jobs} jobs, seed {seed}, {objective:?}");
            assert_eq!(named(&a, &identity), named(&b, &order), "{jobs} jobs, seed {seed}, {objective:?}");
        }
    }
}

#[test]
fn equals_are_settled_the_same_way_each_time() {
    // Sharing doubles each job's time: as good as never to share, which is the plainer plan.
    let matrix = SlowdownMatrix::new(vec![60.0; 4], vec![vec![2.0; 4]; 4]).unwrap();
    let plan = best_pairing(&matrix, Objective::MachineTime).unwrap();
    assert_eq!(plan, never_share(&matrix));
    assert_eq!(plan.machine_seconds, 240.0);
    // Two machines: all pairings are the same, the first of them is taken.
    let plan = best_pairing_within(&matrix, Objective::WorstSlowdown, 2).unwrap();
    assert_eq!(named(&plan, &[0, 1, 2, 3]), [[0, 1], [2, 3]]);
}

#[test]
fn what_cannot_be_is_named() {
    let nan = f64::NAN;
    let good = || vec![vec![1.0, 1.5], vec![1.5, 1.0]];
    let cases = [
        (vec![], vec![], "there are no jobs to place"),
        (
            vec![1.0, 2.0],
            vec![vec![1.0, 1.0]],
            "the slowdowns of job 1 must be 2 numbers, one for each job, but are 0",
        ),
        (
            vec![1.0, 2.0],
            vec![vec![1.0, 1.0], vec![1.0]],
            "the slowdowns of job 1 must be 2 numbers, one for each job, but are 1",
        ),
        (
            vec![1.0],
            vec![vec![1.0], vec![1.0, 2.0, 3.0]],
            "the slowdowns of job 1 must be 1 numbers, one for each job, but are 3",
        ),
        (vec![1.0, 0.0], good(), "job 1 takes 0 s alone, which is no duration"),
        (vec![nan, 1.0], good(), "job 0 takes NaN s alone, which is no duration"),
        (
            vec![1.0, 1.0],
            vec![vec![1.0, 1.0], vec![0.0, 1.0]],
            "the slowdown of job 1 beside job 0 is 0, which must be a number above 0",
        ),
        (
            vec![1.0, 1.0],
            vec![vec![1.0, f64::INFINITY], vec![1.0, 1.0]],
            "the slowdown of job 0 beside job 1 is inf, which must be a number above 0",
        ),
    ];
    for (solo, slowdown, wanted) in cases {
        assert_eq!(SlowdownMatrix::new(solo, slowdown).unwrap_err().to_string(), wanted);
    }
    // The diagonal isn't used.
    assert!(SlowdownMatrix::new(vec![1.0, 1.0], vec![vec![nan, 1.5], vec![1.5, nan]]).is_ok());
    let error = best_pairing(&matrix(9, 1), Objective::MachineTime).unwrap_err();
    assert_eq!(error.to_string(), "9 jobs are too many, at most 8 can be placed at once");
    let error = best_pairing_within(&matrix(5, 1), Objective::MachineTime, 2).unwrap_err();
    assert_eq!(error.to_string(), "5 jobs, two to a machine at most, don't fit 2 machines");
}
