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
    let last: BTreeSet<&str> = ids(&runs[18..]).into_iter().collect();
    assert_eq!(last, BTreeSet::from(["pair_a_a_0s_0", "pair_b_b_0s_0", "pair_c_c_0s_0", "pair_d_d_0s_0"]));
    // 8 more solo runs between 6 pairs: neither kind may pile up.
    let middle: Vec<bool> = runs[4..18].iter().map(|run| run.kind == RunKind::Solo).collect();
    assert!(middle.windows(3).all(|three| three.iter().any(|&solo| solo != three[0])), "{middle:?}");

    assert_eq!(runs, schedule(&plan, |_| true), "the order must not change");
    let labels: Vec<&str> = runs[18].jobs.iter().map(|(_, label, _)| label.as_str()).collect();
    assert_eq!(labels[1], format!("{}-2", labels[0]), "the copy in a self-pair has its own label");
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
