//! Which runs a plan asks for, in order of worth.

use std::collections::BTreeSet;

use cotrace_dataset::{Counts, Cut, JobRun, Random, Run, RunKind};

use crate::{Plan, PlanCut, Which};

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
    /// Which of [`Planned::jobs`] starts late, and when: as a share of how long the other takes alone. Its offset is
    /// set when the run is made.
    pub late: Option<(usize, f64)>,
    /// The smaller node it is made on, an index in [`Plan::cuts`].
    pub cut: Option<usize>,
}

/// Every run of the plan's jobs for which `included` holds, in order of worth: each job alone once; all pairs, with
/// those of a job and its copy; then, one after the other, pairs again with a late start, repetitions and triples;
/// jobs in another size; smaller nodes; the rest of the solo runs. Random within each part, and drawn from the plan's
/// seed, so that leaving jobs out changes nothing for the others.
pub fn schedule(plan: &Plan, included: impl Fn(usize) -> bool) -> Vec<Planned> {
    let pairs = pairs(plan);
    let mut runs = solos(plan, 0..plan.solo_repeats.min(1));
    runs.extend(at_offsets(plan, &pairs));
    runs.extend(spread(vec![late(plan, &pairs), repeated(plan, &pairs), triples(plan)]));
    runs.extend(other_sizes(plan));
    runs.extend((0..plan.cuts.len()).flat_map(|cut| on_cut(plan, cut)));
    runs.extend(solos(plan, plan.solo_repeats.min(1)..plan.solo_repeats));
    let mut ids = BTreeSet::new();
    runs.retain(|run| run.jobs.iter().all(|(job, ..)| included(*job)) && ids.insert(run.id.clone()));
    runs
}

/// How many runs of each kind `runs` are.
pub fn counts(plan: &Plan, runs: &[Planned]) -> Counts {
    let job_run = |planned: &Planned, place: usize| {
        let (job, label, offset) = &planned.jobs[place];
        // When a late job starts is not known yet, only that it is late.
        let late = planned.late.is_some_and(|(late, _)| late == place);
        JobRun {
            name: plan.jobs[*job].name.clone(),
            label: label.clone(),
            offset_seconds: if late { f64::INFINITY } else { *offset },
            start_seconds: f64::NAN,
            end_seconds: f64::NAN,
            exit_code: 0,
        }
    };
    let run = |planned: &Planned| Run {
        id: planned.id.clone(),
        kind: planned.kind,
        repeat: planned.repeat,
        file: String::new(),
        jobs: (0..planned.jobs.len()).map(|place| job_run(planned, place)).collect(),
        started_at: String::new(),
        foreign_cpu_ratio: 0.0,
        steal_ratio: 0.0,
        disturbed: false,
        sitting: 0,
        cut: planned.cut.map(|cut| Cut {
            name: plan.cuts[cut].name.clone(),
            cores: None,
            memory_bytes: None,
        }),
    };
    Counts::of_runs(&runs.iter().map(run).collect::<Vec<_>>(), |name| {
        plan.job(name).is_some_and(|job| job.size_of.is_some())
    })
}

/// A job alone.
pub(crate) fn solo(plan: &Plan, job: usize, repeat: u32, cut: Option<usize>) -> Planned {
    together(plan, &[job], 0.0, repeat, cut)
}

/// Jobs that are not another size of one.
fn bases(plan: &Plan) -> Vec<usize> {
    plan.measured().filter(|&job| plan.jobs[job].size_of.is_none()).collect()
}

fn solos(plan: &Plan, repeats: std::ops::Range<u32>) -> Vec<Planned> {
    let mut random = Random::of(plan.seed, "solos");
    let mut solos: Vec<Planned> = repeats
        .flat_map(|repeat| bases(plan).into_iter().map(move |job| (job, repeat)))
        .map(|(job, repeat)| solo(plan, job, repeat, None))
        .collect();
    random.shuffle(&mut solos);
    solos
}

/// The pairs that the plan names, as indices; the second is the one that starts late, where one does.
fn pairs(plan: &Plan) -> Vec<[usize; 2]> {
    let jobs = bases(plan);
    let mut pairs: Vec<[usize; 2]> = match &plan.pairs.which {
        Which::All => (0..jobs.len())
            .flat_map(|a| (a + 1..jobs.len()).map(move |b| (a, b)))
            .map(|(a, b)| [jobs[a], jobs[b]])
            .collect(),
        Which::List(list) => {
            let index = |name: &str| plan.jobs.iter().position(|job| job.name == name);
            list.iter().filter_map(|(a, b)| Some([index(a)?, index(b)?])).collect()
        }
    };
    if plan.pairs.self_pairs {
        pairs.extend(jobs.iter().map(|&job| [job, job]));
    }
    pairs
}

fn at_offsets(plan: &Plan, pairs: &[[usize; 2]]) -> Vec<Planned> {
    let mut random = Random::of(plan.seed, "pairs");
    let mut runs = Vec::new();
    for pair in pairs {
        for &offset in &plan.pairs.offsets {
            runs.push(together(
                plan,
                &in_drawn_order(plan, *pair, offset > 0.0, &mut random),
                offset,
                0,
                None,
            ));
        }
    }
    random.shuffle(&mut runs);
    runs
}

/// Unless the plan lists the pair in an order, who starts late is drawn.
fn in_drawn_order(plan: &Plan, [first, second]: [usize; 2], late: bool, random: &mut Random) -> [usize; 2] {
    if late && plan.pairs.which == Which::All && random.below(2) == 1 {
        [second, first]
    } else {
        [first, second]
    }
}

fn late(plan: &Plan, pairs: &[[usize; 2]]) -> Vec<Planned> {
    let Some(late) = plan.pairs.late else {
        return Vec::new();
    };
    let mut random = Random::of(plan.seed, "late");
    let mut pairs = pairs.to_vec();
    random.shuffle(&mut pairs);
    pairs.truncate((pairs.len() as f64 * late.share).round() as usize);
    pairs
        .into_iter()
        .map(|pair| {
            let [first, second] = in_drawn_order(plan, pair, true, &mut random);
            // In whole percent, so that the run's name says it.
            let percent = (100.0 * (late.from + (late.to - late.from) * random.share())).round();
            let mut run = together(plan, &[first, second], 0.0, 0, None);
            let names = [first, second].map(|job| plan.jobs[job].name.as_str());
            run.id = format!("pair_{}_{percent}pc_0", names.join("_"));
            let position = run.jobs.iter().rposition(|(job, ..)| *job == second).unwrap_or(1);
            run.late = Some((position, percent / 100.0));
            run
        })
        .collect()
}

fn repeated(plan: &Plan, pairs: &[[usize; 2]]) -> Vec<Planned> {
    let Some(repeated) = plan.pairs.repeated else {
        return Vec::new();
    };
    let mut random = Random::of(plan.seed, "repeated");
    let mut pairs = pairs.to_vec();
    random.shuffle(&mut pairs);
    pairs.truncate(repeated.pairs);
    (1..repeated.times)
        .flat_map(|repeat| pairs.iter().map(move |pair| (pair, repeat)))
        .map(|(pair, repeat)| together(plan, pair, 0.0, repeat, None))
        .collect()
}

/// Drawn so that no job is in many more triples than another: the jobs in a random order, three at a time.
fn triples(plan: &Plan) -> Vec<Planned> {
    let mut random = Random::of(plan.seed, "triples");
    let jobs = bases(plan);
    let mut drawn = BTreeSet::new();
    let mut runs = Vec::new();
    // There may be fewer different triples than the plan asks for.
    for _ in 0..(if jobs.len() < 3 { 0 } else { 10 * plan.triples }) {
        let mut order = jobs.clone();
        random.shuffle(&mut order);
        for three in order.chunks_exact(3) {
            let mut three = three.to_vec();
            three.sort_unstable();
            if runs.len() < plan.triples && drawn.insert(three.clone()) {
                runs.push(together(plan, &three, 0.0, 0, None));
            }
        }
    }
    runs
}

/// Each job in another size alone, and beside jobs drawn at random.
fn other_sizes(plan: &Plan) -> Vec<Planned> {
    let mut random = Random::of(plan.seed, "sizes");
    let mut runs = Vec::new();
    for job in plan.measured().filter(|&job| plan.jobs[job].size_of.is_some()) {
        runs.extend((0..plan.sizes.solos).map(|repeat| solo(plan, job, repeat, None)));
        let mut partners = bases(plan);
        random.shuffle(&mut partners);
        runs.extend(
            partners
                .iter()
                .take(plan.sizes.partners)
                .map(|&other| together(plan, &[job, other], 0.0, 0, None)),
        );
    }
    random.shuffle(&mut runs);
    runs
}

fn on_cut(plan: &Plan, cut: usize) -> Vec<Planned> {
    let PlanCut { jobs, self_pairs, .. } = &plan.cuts[cut];
    let jobs: Vec<usize> =
        jobs.iter().filter_map(|name| plan.jobs.iter().position(|job| job.name == *name)).collect();
    let mut runs: Vec<Planned> = jobs.iter().map(|&job| solo(plan, job, 0, Some(cut))).collect();
    for (index, &first) in jobs.iter().enumerate() {
        for &second in &jobs[index + usize::from(!self_pairs)..] {
            runs.push(together(plan, &[first, second], 0.0, 0, Some(cut)));
        }
    }
    Random::of(plan.seed, &plan.cuts[cut].name).shuffle(&mut runs);
    runs
}

/// A run of `jobs`, the last of which starts `offset` seconds after the others.
fn together(plan: &Plan, jobs: &[usize], offset: f64, repeat: u32, cut: Option<usize>) -> Planned {
    let names: Vec<&str> = jobs.iter().map(|&job| plan.jobs[job].name.as_str()).collect();
    let mut planned: Vec<(usize, String, f64)> = Vec::new();
    for (place, &job) in jobs.iter().enumerate() {
        let copies = jobs[..place].iter().filter(|&&other| other == job).count();
        let label =
            if copies == 0 { names[place].to_owned() } else { format!("{}-{}", names[place], copies + 1) };
        planned.push((job, label, if place + 1 == jobs.len() { offset } else { 0.0 }));
    }
    planned.sort_by_key(|(job, ..)| *job);
    let names = names.join("_");
    let id = match jobs.len() {
        1 => format!("solo_{names}_{repeat}"),
        2 => format!("pair_{names}_{offset}s_{repeat}"),
        _ => format!("triple_{names}_{offset}s_{repeat}"),
    };
    Planned {
        id: cut.map_or(id.clone(), |cut| format!("{}_{id}", plan.cuts[cut].name)),
        kind: if jobs.len() == 1 { RunKind::Solo } else { RunKind::Corun },
        repeat,
        jobs: planned,
        late: None,
        cut,
    }
}

/// Lists spread evenly through each other, each in its order.
fn spread(lists: Vec<Vec<Planned>>) -> Vec<Planned> {
    let mut keyed: Vec<(f64, Planned)> = Vec::new();
    for items in lists {
        let count = items.len() as f64;
        keyed.extend(items.into_iter().enumerate().map(|(index, item)| ((index as f64 + 0.5) / count, item)));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    keyed.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests;
