//! Which trainings there are, and on which co-runs each is judged.

use std::collections::BTreeSet;

use cotrace_dataset::{Manifest, Run, RunKind, Shape, Splits, SplitsError};

/// The trainings of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// One after the other.
    pub trainings: Vec<TrainingPlan>,
    /// The sections that tests are judged in, in the order of the report: name and what it is, in words.
    pub sections: Vec<(String, String)>,
}

/// One training and what it is judged on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingPlan {
    /// Its name: a file name too.
    pub name: String,
    /// Ids of the runs that it may see, solo runs too.
    pub runs: BTreeSet<String>,
    /// What it is judged on.
    pub tests: Vec<Test>,
}

/// A run that a training is judged on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The section it counts in.
    pub section: String,
    /// The run's id.
    pub run: String,
    /// The jobs whose slowdowns and finish times count.
    pub jobs: Vec<usize>,
    /// Whether its footprint counts.
    pub footprint: bool,
}

/// The section of jobs never seen, in which all trainings without some jobs are judged together.
const UNSEEN_JOBS: &str = "unseen-jobs";
/// Of it, the co-runs in which one job started later.
const UNSEEN_JOBS_LATER: &str = "unseen-jobs-later";
/// The section of every co-run.
const ALL: &str = "all";
/// The training that most splits share.
const USUAL: &str = "usual";

impl Plan {
    /// The trainings of a data set's splits. Splits that train on the same runs share one training.
    ///
    /// # Errors
    /// The splits are of another data set.
    pub fn of_splits(manifest: &Manifest, splits: &Splits) -> Result<Plan, SplitsError> {
        let mut plan = Plan::default();
        for name in splits.names(manifest) {
            let split = splits.runs(manifest, &name)?;
            let groups = groups_of(&name);
            let section = if groups == 0 { name.clone() } else { UNSEEN_JOBS.to_owned() };
            plan.section(&section, describe(&section));
            let mut tests = Vec::new();
            for judged in split.test {
                let Some(run) = manifest.runs.iter().find(|run| run.id == judged.run) else { continue };
                let whole = judged.jobs.len() == run.jobs.len();
                // Jobs count once, by the training without their own group; pairs by the one that saw neither job.
                let jobs = if groups <= 1 { judged.jobs } else { Vec::new() };
                let test = |section: &str| Test {
                    section: section.to_owned(),
                    run: run.id.clone(),
                    jobs: jobs.clone(),
                    footprint: whole,
                };
                if groups > 0 && run.shape() == Shape::OffsetPair {
                    plan.section(UNSEEN_JOBS_LATER, describe(UNSEEN_JOBS_LATER));
                    tests.push(test(UNSEEN_JOBS_LATER));
                }
                tests.push(test(&section));
            }
            let runs: BTreeSet<String> = split.train.into_iter().collect();
            if let Some(training) = plan.trainings.iter_mut().find(|training| training.runs == runs) {
                training.tests.extend(tests);
            } else {
                let name = if groups == 0 && name != "unseen-size" { USUAL.to_owned() } else { name };
                plan.trainings.push(TrainingPlan { name, runs, tests });
            }
        }
        // A training that nothing is judged on tells nothing.
        plan.trainings.retain(|training| !training.tests.is_empty());
        Ok(plan)
    }

    /// Leaves each job out in turn: its training sees no run with it, nor with another size of it, and is judged on the
    /// co-runs that have it. The footprint of a pair counts for each of its jobs.
    pub fn leaving_out_jobs(manifest: &Manifest) -> Plan {
        let mut plan = Plan::default();
        let what = "Co-runs with a job that was left out of the training, each job in turn.";
        plan.section(UNSEEN_JOBS, what);
        for job in manifest.jobs.iter().filter(|job| job.size_of.is_none()) {
            let has = |run: &Run| run.jobs.iter().any(|other| manifest.base_job(&other.name) == job.name);
            let calm = |run: &&Run| !run.disturbed && run.cut.is_none() && run.jobs.len() <= 2;
            let of_job = |run: &Run| -> Vec<usize> {
                (0..run.jobs.len()).filter(|&j| manifest.base_job(&run.jobs[j].name) == job.name).collect()
            };
            let tests: Vec<Test> = manifest
                .runs
                .iter()
                .filter(calm)
                .filter(|run| run.kind == RunKind::Corun && has(run))
                .map(|run| Test {
                    section: UNSEEN_JOBS.to_owned(),
                    run: run.id.clone(),
                    jobs: of_job(run),
                    footprint: true,
                })
                .collect();
            let runs = manifest.runs.iter().filter(calm).filter(|run| !has(run)).map(|run| run.id.clone());
            if !tests.is_empty() {
                plan.trainings.push(TrainingPlan {
                    name: format!("without-{}", job.name),
                    runs: runs.collect(),
                    tests,
                });
            }
        }
        plan
    }

    /// For choices that must not see what they are judged by: section `choose-2` judges fits that saw neither group 2 nor
    /// another one on the jobs of the other, in co-runs without group 2. What is best there is to be used for jobs of
    /// group 2.
    ///
    /// # Errors
    /// The splits are of another data set.
    pub fn for_choices(manifest: &Manifest, splits: &Splits) -> Result<Plan, SplitsError> {
        let mut plan = Plan::default();
        for group in 1..=splits.groups.len() {
            plan.section(
                &format!("choose-{group}"),
                "Jobs never seen, in co-runs without a job of the group chosen for.",
            );
        }
        for first in 0..splits.groups.len() {
            for second in first + 1..splits.groups.len() {
                let name = format!("unseen-jobs-{}-{}", first + 1, second + 1);
                let runs: BTreeSet<String> = splits.runs(manifest, &name)?.train.into_iter().collect();
                let mut tests = Vec::new();
                for (held, tested) in [(first, second), (second, first)] {
                    let split = splits.runs(manifest, &format!("unseen-jobs-{}", tested + 1))?;
                    for judged in split.test {
                        let Some(run) = manifest.runs.iter().find(|run| run.id == judged.run) else {
                            continue;
                        };
                        let is_held = |job: &cotrace_dataset::JobRun| {
                            splits.group_of(manifest, &job.name) == Some(held)
                        };
                        if !run.jobs.iter().any(is_held) {
                            tests.push(Test {
                                section: format!("choose-{}", held + 1),
                                run: judged.run,
                                jobs: judged.jobs,
                                footprint: true,
                            });
                        }
                    }
                }
                plan.trainings.push(TrainingPlan { name, runs, tests });
            }
        }
        Ok(plan)
    }

    /// Judges what is not fitted to this data set on every co-run.
    pub fn as_it_is(manifest: &Manifest) -> Plan {
        let mut plan = Plan::default();
        plan.section(ALL, "Every co-run. Nothing was fitted to this data set.");
        let coruns = manifest.runs.iter().filter(|run| run.kind == RunKind::Corun && !run.disturbed);
        let test = |run: &Run| Test {
            section: ALL.to_owned(),
            run: run.id.clone(),
            jobs: (0..run.jobs.len()).collect(),
            footprint: true,
        };
        plan.trainings.push(TrainingPlan {
            name: "none".to_owned(),
            runs: BTreeSet::new(),
            tests: coruns.map(test).collect(),
        });
        plan
    }

    /// Keeps the sections for which `keep` holds, and the trainings that are judged in them.
    pub fn only(&mut self, keep: impl Fn(&str) -> bool) {
        for training in &mut self.trainings {
            training.tests.retain(|test| keep(&test.section));
        }
        self.trainings.retain(|training| !training.tests.is_empty());
        self.sections.retain(|(name, _)| keep(name));
    }

    fn section(&mut self, name: &str, what: &str) {
        if !self.sections.iter().any(|(other, _)| other == name) {
            self.sections.push((name.to_owned(), what.to_owned()));
        }
    }
}

/// How many groups of jobs a split leaves out.
fn groups_of(split: &str) -> usize {
    split.strip_prefix("unseen-jobs-").map_or(0, |groups| groups.split('-').count())
}

fn describe(section: &str) -> &'static str {
    match section {
        "seen-pairs" => "Another measurement of pairs that training saw.",
        "unseen-pairs" => "Pairs that training did not see; it saw both jobs, with others.",
        "triples" => "Three jobs together. Training saw pairs.",
        "unseen-size" => "Pairs with a job in another input size than training saw.",
        UNSEEN_JOBS => {
            "Jobs that training had never seen, alone or with others. Slowdowns and finish times: of the unseen job, beside \
             any. Footprints: of pairs of which training saw neither."
        }
        UNSEEN_JOBS_LATER => "Of these, the co-runs in which one job started while the other was running.",
        _ => "Co-runs on a node of which a part was taken away. Training saw the whole node.",
    }
}

#[cfg(test)]
mod tests {
    use cotrace_dataset::{Job, JobRun, Node};

    use super::*;

    fn run(id: &str, jobs: &[&str], offset: f64) -> Run {
        let part = |index: usize, name: &str| JobRun {
            name: name.to_owned(),
            label: format!("{name}-{index}"),
            offset_seconds: if index == 1 { offset } else { 0.0 },
            start_seconds: if index == 1 { offset } else { 0.0 },
            end_seconds: offset + 10.0,
            exit_code: 0,
        };
        Run {
            id: id.to_owned(),
            kind: if jobs.len() == 1 { RunKind::Solo } else { RunKind::Corun },
            repeat: 0,
            file: format!("runs/{id}.csv"),
            jobs: jobs.iter().enumerate().map(|(index, name)| part(index, name)).collect(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            foreign_cpu_ratio: 0.0,
            steal_ratio: 0.0,
            disturbed: false,
            sitting: 0,
            cut: None,
        }
    }

    /// Five jobs, one to a group: alone, in all pairs, the first two once more later, and three together.
    fn manifest() -> (Manifest, Splits) {
        let names = ["a", "b", "c", "d", "e"];
        let mut runs = Vec::new();
        for (index, a) in names.iter().enumerate() {
            runs.push(run(a, &[a], 0.0));
            runs.extend(names[index + 1..].iter().map(|b| run(&format!("{a}{b}"), &[a, b], 0.0)));
        }
        runs.push(run("ab-2", &["a", "b"], 4.0));
        runs.push(run("abc", &["a", "b", "c"], 0.0));
        let job = |name: &&str| Job {
            name: (*name).to_owned(),
            kind: "cpu".to_owned(),
            framework: "native".to_owned(),
            command: "true".to_owned(),
            description: String::new(),
            size_of: None,
            phases: Vec::new(),
        };
        let manifest = Manifest {
            cotrace_dataset: 1,
            name: "made-up".to_owned(),
            node: Node::default(),
            sample_seconds: 1.0,
            jobs: names.iter().map(job).collect(),
            sittings: Vec::new(),
            calibrations: Vec::new(),
            runs,
        };
        let splits = Splits {
            cotrace_splits: 1,
            data_set: "made-up".to_owned(),
            seed: 1,
            groups: names.iter().map(|name| vec![(*name).to_owned()]).collect(),
            held_pairs: vec![["a".to_owned(), "b".to_owned()]],
        };
        (manifest, splits)
    }

    /// Whether no training sees a run that it is judged on.
    fn is_clean(plan: &Plan) -> bool {
        plan.trainings
            .iter()
            .all(|training| training.tests.iter().all(|test| !training.runs.contains(&test.run)))
    }

    #[test]
    fn splits_share_trainings_and_count_each_thing_once() {
        let (manifest, splits) = manifest();
        let plan = Plan::of_splits(&manifest, &splits).unwrap();
        assert!(is_clean(&plan));
        let names: Vec<&str> = plan.trainings.iter().map(|training| &*training.name).collect();
        // The usual one, five without a group, ten without two.
        assert_eq!(names.len(), 16, "{names:?}");
        assert_eq!(names[..2], ["usual", "unseen-jobs-1"]);
        let unseen: Vec<&Test> = plan
            .trainings
            .iter()
            .flat_map(|training| &training.tests)
            .filter(|test| test.section == UNSEEN_JOBS)
            .collect();
        for run in manifest.runs.iter().filter(|run| run.jobs.len() == 2) {
            let of_run = || unseen.iter().filter(|test| test.run == run.id);
            let mut judged: Vec<usize> = of_run().flat_map(|test| test.jobs.clone()).collect();
            judged.sort_unstable();
            assert_eq!(judged, [0, 1], "{}: each job once", run.id);
            assert_eq!(of_run().filter(|test| test.footprint).count(), 1, "{}: its footprint once", run.id);
        }
        let later: Vec<&Test> = plan
            .trainings
            .iter()
            .flat_map(|training| &training.tests)
            .filter(|test| test.section == UNSEEN_JOBS_LATER)
            .collect();
        assert!(!later.is_empty() && later.iter().all(|test| test.run == "ab-2"), "{later:?}");
    }

    #[test]
    fn each_job_is_left_out_in_turn() {
        let (manifest, _) = manifest();
        let plan = Plan::leaving_out_jobs(&manifest);
        assert!(is_clean(&plan));
        assert_eq!(plan.trainings.len(), 5);
        for (training, job) in plan.trainings.iter().zip(["a", "b", "c", "d", "e"]) {
            let alone = training.runs.iter().all(|run| !run.contains(job));
            assert!(alone, "{}: {:?}", training.name, training.runs);
            let judged = training.tests.iter().all(|test| test.run.contains(job) && test.jobs.len() == 1);
            assert!(judged, "{}: {:?}", training.name, training.tests);
        }
    }

    #[test]
    fn sections_can_be_chosen() {
        let (manifest, splits) = manifest();
        let mut plan = Plan::of_splits(&manifest, &splits).unwrap();
        plan.only(|section| section == "unseen-pairs");
        assert_eq!(plan.trainings.len(), 1);
        assert_eq!(plan.sections.len(), 1);
        let runs: Vec<&str> = plan.trainings[0].tests.iter().map(|test| &*test.run).collect();
        assert_eq!(runs, ["ab", "ab-2"]);
    }
}
