use std::collections::BTreeSet;
use std::path::PathBuf;

use super::*;

fn plan(jobs: &[&str], rest: &str) -> Plan {
    let mut text = "name = \"t\"\nsolo_repeats = 3\n".to_owned();
    for name in jobs {
        text += &format!(
            "[[job]]\nname = \"{name}\"\nkind = \"cpu\"\nframework = \"native\"\ncommand = \"true\"\n"
        );
    }
    text += rest;
    Plan::parse(&text, "plan.toml", PathBuf::new()).expect("a plan")
}

fn ids(runs: &[Planned]) -> Vec<&str> {
    runs.iter().map(|run| run.id.as_str()).collect()
}

#[test]
fn runs_come_in_order_of_worth() {
    let plan = plan(&["a", "b", "c", "d"], "[pairs]\nwhich = \"all\"\nself_pairs = true\n");
    let runs = schedule(&plan, |_| true);
    assert_eq!(runs.len(), 4 * 3 + 6 + 4);
    let unique: BTreeSet<&str> = ids(&runs).into_iter().collect();
    assert_eq!(unique.len(), runs.len(), "ids must be unique: {:?}", ids(&runs));

    let first: BTreeSet<&str> = ids(&runs[..4]).into_iter().collect();
    assert_eq!(first, BTreeSet::from(["solo_a_0", "solo_b_0", "solo_c_0", "solo_d_0"]));
    assert!(runs[4..14].iter().all(|run| run.kind == RunKind::Corun), "{:?}", ids(&runs));
    assert!(runs[14..].iter().all(|run| run.kind == RunKind::Solo), "{:?}", ids(&runs));

    assert_eq!(runs, schedule(&plan, |_| true), "the order must not change");
    let own = runs.iter().find(|run| run.id == "pair_c_c_0s_0").expect("a job with its copy");
    let labels: Vec<&str> = own.jobs.iter().map(|(_, label, _)| label.as_str()).collect();
    assert_eq!(labels, ["c", "c-2"], "the copy has its own label");
}

/// Six jobs, one of them another size, with everything a plan can ask for.
fn rich() -> Plan {
    let rest = "size_of = \"e\"\n[pairs]\nself_pairs = true\nlate = { share = 0.4 }\n\
        repeated = { pairs = 3, times = 4 }\n[triples]\ncount = 4\n[sizes]\nsolos = 2\npartners = 3\n\
        [[cut]]\nname = \"one-core\"\ncores = 1\njobs = [\"a\", \"b\", \"c\"]\nself_pairs = true\n\
        [calibration]\nframework = \"native\"\ncommand = \"true\"\n";
    plan(&["a", "b", "c", "d", "e", "e-large"], rest)
}

#[test]
fn every_kind_of_run_is_counted() {
    let runs = schedule(&rich(), |_| true);
    let count = |test: &dyn Fn(&Planned) -> bool| runs.iter().filter(|run| test(run)).count();
    let whole = |run: &Planned| run.cut.is_none();
    let large = |run: &Planned| run.jobs.iter().any(|(job, ..)| *job == 5);
    let cases = [
        ("alone", 5 * 3, count(&|run| whole(run) && !large(run) && run.jobs.len() == 1)),
        (
            "pairs",
            15,
            count(&|run| whole(run) && !large(run) && run.id.ends_with("_0s_0") && run.jobs.len() == 2),
        ),
        ("late", 6, count(&|run| run.late.is_some())),
        ("repeated", 3 * 3, count(&|run| run.jobs.len() == 2 && run.repeat > 0)),
        ("triples", 4, count(&|run| run.jobs.len() == 3)),
        ("other size alone", 2, count(&|run| large(run) && run.jobs.len() == 1)),
        ("other size in pairs", 3, count(&|run| large(run) && run.jobs.len() == 2)),
        ("cut", 3 + 6, count(&|run| run.cut == Some(0) && run.id.starts_with("one-core_"))),
        ("calibration", 0, count(&|run| run.jobs.iter().any(|(job, ..)| *job == 6))),
    ];
    let wrong: Vec<_> = cases.iter().filter(|(_, expected, got)| expected != got).collect();
    assert!(wrong.is_empty(), "expected and got: {wrong:?}");
    assert_eq!(runs.len(), cases.iter().map(|case| case.1).sum::<usize>());
    let counted: usize = counts(&rich(), &runs).lines().iter().map(|(_, count)| count).sum();
    assert_eq!(counted, runs.len(), "{:?}", counts(&rich(), &runs));
    for run in runs.iter().filter(|run| run.late.is_some()) {
        let (late, share) = run.late.expect("late");
        assert!((0.25..=0.75).contains(&share), "{}: {share}", run.id);
        let second = run.id.split('_').nth(2).expect("the second job's name");
        assert_eq!(run.jobs[late].1.trim_end_matches("-2"), second, "{}: the second named is late", run.id);
        assert!(run.id.contains(&format!("_{:.0}pc_", share * 100.0)), "{}: {share}", run.id);
    }
}

#[test]
fn leaving_jobs_out_changes_nothing_for_the_others() {
    let plan = rich();
    let without = schedule(&plan, |job| job != 3);
    let expected: Vec<Planned> = schedule(&plan, |_| true)
        .into_iter()
        .filter(|run| run.jobs.iter().all(|(job, ..)| *job != 3))
        .collect();
    assert_eq!(ids(&without), ids(&expected));
}

#[test]
fn offsets_go_to_the_second_job() {
    let plan = plan(&["a", "b"], "[pairs]\nwhich = [[\"b\", \"a\"]]\noffsets = [0, 2.5]\n");
    let runs = schedule(&plan, |_| true);
    let run = runs.iter().find(|run| run.id == "pair_b_a_2.5s_0").expect("b first");
    let expected = vec![(0, "a".to_owned(), 2.5), (1, "b".to_owned(), 0.0)];
    assert_eq!(run.jobs, expected, "in the plan's order, the second named starts late");
}

#[test]
fn only_included_jobs_run() {
    let plan = plan(&["a", "b", "c"], "[pairs]\n");
    let runs = schedule(&plan, |job| job != 1);
    assert!(runs.iter().all(|run| run.jobs.iter().all(|(job, ..)| *job != 1)));
    assert_eq!(runs.len(), 2 * 3 + 1);
}
