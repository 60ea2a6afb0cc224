use std::path::PathBuf;

use super::*;
use crate::schedule;

fn plan(solos_each_sitting: u32) -> Plan {
    let mut text = format!("name = \"t\"\nsolo_repeats = 3\nsolos_each_sitting = {solos_each_sitting}\n");
    for name in ["a", "b", "c", "d", "e"] {
        text += &format!(
            "[[job]]\nname = \"{name}\"\nkind = \"cpu\"\nframework = \"native\"\ncommand = \"true\"\n"
        );
    }
    text += "[pairs]\nself_pairs = true\n[[cut]]\nname = \"one-core\"\ncores = 1\njobs = [\"a\", \"b\"]\n";
    Plan::parse(&text, "plan.toml", PathBuf::new()).expect("a plan")
}

fn sitting<'a>(plan: &'a Plan, made: &'a BTreeSet<String>, seconds: Option<f64>) -> Sitting<'a> {
    Sitting { plan, index: 0, solos_here: BTreeMap::new(), made, seconds }
}

fn cost(run: &Planned) -> f64 {
    run.jobs.len() as f64
}

fn key(run: &Planned) -> SoloKey {
    (run.jobs[0].0, run.cut)
}

/// Every co-run comes after a solo run of each of its jobs on the same node and on the whole one.
fn check_introduced(runs: &[Planned]) {
    let mut seen = BTreeSet::new();
    for run in runs {
        if run.jobs.len() == 1 {
            seen.insert(key(run));
            continue;
        }
        for (job, ..) in &run.jobs {
            for cut in [None, run.cut] {
                assert!(
                    seen.contains(&(*job, cut)),
                    "{}: job {job} on {cut:?} did not run alone before",
                    run.id
                );
            }
        }
    }
}

#[test]
fn without_a_limit_everything_is_measured_once() {
    let plan = plan(2);
    let todo = schedule(&plan, |_| true);
    let made = BTreeSet::new();
    let runs = sitting(&plan, &made, None).runs(&todo, cost);
    let ids = |runs: &[Planned]| runs.iter().map(|run| run.id.clone()).collect::<BTreeSet<_>>();
    assert_eq!(ids(&runs), ids(&todo));
    assert_eq!(runs.len(), todo.len());
    check_introduced(&runs);
    let pairs: Vec<&str> = runs.iter().filter(|run| run.jobs.len() > 1).map(|run| run.id.as_str()).collect();
    let planned: Vec<&str> =
        todo.iter().filter(|run| run.jobs.len() > 1).map(|run| run.id.as_str()).collect();
    assert_ne!(pairs, planned, "co-runs are shuffled");
    assert_eq!(runs, sitting(&plan, &made, None).runs(&todo, cost), "in the same way each time");
}

#[test]
fn what_fits_is_measured_with_its_solo_runs() {
    let plan = plan(2);
    let todo = schedule(&plan, |_| true);
    let made = BTreeSet::new();
    let mut before = 0;
    for seconds in [1.0, 5.0, 9.0, 12.0, 20.0, 30.0, 45.0] {
        let runs = sitting(&plan, &made, Some(seconds)).runs(&todo, cost);
        assert!(runs.iter().map(cost).sum::<f64>() <= seconds, "{seconds}");
        assert!(runs.len() >= before, "more time, no fewer runs: {seconds}");
        before = runs.len();
        check_introduced(&runs);
        for run in runs.iter().filter(|run| run.jobs.len() > 1) {
            for (job, ..) in &run.jobs {
                let alone =
                    runs.iter().filter(|solo| solo.jobs.len() == 1 && key(solo) == (*job, None)).count();
                assert!(alone >= 2, "{seconds} s, {}: job {job} ran alone {alone} times", run.id);
            }
        }
    }
    assert!(before > 15);
}

#[test]
fn a_later_sitting_has_solo_runs_of_its_own() {
    let plan = plan(2);
    let todo = schedule(&plan, |_| true);
    // All that a first sitting made: every solo run of the plan, and some pairs.
    let made: BTreeSet<String> = todo
        .iter()
        .filter(|run| run.jobs.len() == 1 || run.id.as_str() < "pair_b")
        .map(|run| run.id.clone())
        .collect();
    let runs = Sitting { index: 1, ..sitting(&plan, &made, None) }.runs(&todo, cost);
    check_introduced(&runs);
    assert!(runs.iter().all(|run| !made.contains(&run.id)));
    let extra: BTreeSet<&str> =
        runs.iter().filter(|run| run.jobs.len() == 1).map(|run| run.id.as_str()).collect();
    let expected = ["b", "c", "d", "e"].map(|job| [format!("solo_{job}_3"), format!("solo_{job}_4")]);
    let expected: BTreeSet<&str> = expected.iter().flatten().map(String::as_str).collect();
    assert!(expected.is_subset(&extra), "{extra:?}");

    // Gone on with, it does not make them again.
    let here = Sitting {
        index: 1,
        solos_here: (0..5).map(|job| ((job, None), 2)).collect(),
        ..sitting(&plan, &made, None)
    };
    let runs = here.runs(&todo, cost);
    assert!(runs.iter().all(|run| run.jobs.len() > 1 || run.cut.is_some()), "{runs:?}");
}
