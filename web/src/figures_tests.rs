use std::collections::BTreeMap;

use cotrace_forecast::Verdict;

use super::*;
use crate::fixtures::forecast;
use crate::messages::Measured;
use crate::state::{TruthRequest, TruthSource};

const NBSP: char = '\u{a0}';

fn truth(a: (f64, f64), b: (f64, f64)) -> Truth {
    let request = TruthRequest {
        source: TruthSource::Sample("pair.csv".into()),
        names: vec!["sort".into(), "scan".into()],
        step_seconds: 2.0,
    };
    let cpu = vec![Some(1.0), Some(1.8), None, Some(0.2)];
    let metrics = BTreeMap::from([(Metric::CpuCores, cpu)]);
    Truth {
        request,
        measured: Measured { step_seconds: 2.0, metrics, jobs: vec![] },
        spans: vec![Some(a), Some(b)],
    }
}

#[test]
fn the_headline_comes_in_two_parts() {
    let (together, slowed) = headline(&forecast());
    assert!(together.starts_with("Together they finish in 9.60\u{a0}s, 31\u{a0}% sooner"), "{together}");
    assert!(together.ends_with('.'), "{together}");
    assert!(slowed.starts_with("B is slowed most, 1.60x"), "{slowed}");
}

#[test]
fn figures_carry_units_and_what_to_compare_with() {
    let figures: Vec<(String, String, String)> = tiles(&forecast(), None)
        .into_iter()
        .map(|tile| (tile.key, tile.value.replace(NBSP, " "), tile.detail.replace(NBSP, " ")))
        .collect();
    let wanted = [
        ("slowdown-a", "1.20×", "1.08× to 1.32×"),
        ("slowdown-b", "1.60×", "1.44× to 1.76×"),
        ("makespan", "9.60 s", "in turn 14.0 s"),
        ("peak-cpu", "75 %", "of 2 cores"),
        ("peak-memory", "62 %", "of 4 GiB"),
    ];
    let figures: Vec<(&str, &str, &str)> =
        figures.iter().map(|(key, value, detail)| (key.as_str(), value.as_str(), detail.as_str())).collect();
    assert_eq!(figures, wanted);
}

#[test]
fn what_is_not_known_is_not_zero() {
    let mut forecast = forecast();
    forecast.metrics.remove(&Metric::MemoryBytes);
    forecast.metrics.get_mut(&Metric::CpuCores).unwrap().capacity = None;
    let tiles = tiles(&forecast, None);
    let tile = |key: &str| tiles.iter().find(|tile| tile.key == key).unwrap();
    assert_eq!(tile("peak-memory").value, "unknown");
    assert_eq!(tile("peak-cpu").value.replace(NBSP, " "), "1.5 cores");
    assert_eq!(tile("peak-cpu").detail, "capacity unknown");
}

#[test]
fn measured_figures_stand_beside() {
    let truth = truth((0.0, 10.0), (0.5, 9.5));
    let measured: Vec<Option<String>> = tiles(&forecast(), Some(&truth))
        .into_iter()
        .map(|tile| tile.measured.map(|text| text.replace(NBSP, " ")))
        .collect();
    let wanted = [Some("1.25×"), Some("1.50×"), Some("10.0 s"), Some("90 %"), None];
    assert_eq!(measured, wanted.map(|text| text.map(str::to_owned)));
    for (learned, seen) in [
        (Some(false), " The model cotrace has never seen this run."),
        (Some(true), " The model cotrace has learned from this run."),
        (None, ""),
    ] {
        let text = comparison(&forecast(), &truth, learned).replace(NBSP, " ");
        let wanted = "Measured: 10.0 s (the forecast is 4 % too short), slowdowns A 1.25× and B 1.50×.";
        assert_eq!(text, format!("{wanted}{seen}"));
    }
}

#[test]
fn reasons_name_job_resource_and_time() {
    let reasons: Vec<(usize, String)> =
        reasons(&forecast()).into_iter().map(|(job, text)| (job, text.replace(NBSP, " "))).collect();
    assert_eq!(
        reasons,
        [(1, "B is held back by the disk from 0:02 to 0:06 (98 % of it in use).".to_owned())]
    );
}

#[test]
fn the_strip_spans_whatever_ends_last() {
    let strip_of = |truth: Option<&Truth>| strip(&forecast(), truth);
    let alone = strip_of(None);
    assert_eq!(alone.end_seconds, 9.6);
    assert_eq!(alone.rows[0].together, Stretch { from: 0.0, to: 1.0 });
    assert!((alone.rows[1].alone.to - 6.0 / 9.6).abs() < 1e-12);
    assert_eq!(alone.rows[1].limits.len(), 1);
    assert_eq!(alone.rows[0].measured_end, None);

    let with_truth = strip_of(Some(&truth((0.0, 12.0), (0.0, 6.0))));
    assert_eq!(with_truth.end_seconds, 12.0);
    assert_eq!(with_truth.rows[0].measured_end, Some(1.0));
    assert_eq!(with_truth.rows[1].measured_end, Some(0.5));
    assert!(with_truth.rows[1].text.ends_with("measured 0:06."), "{}", with_truth.rows[1].text);
}

#[test]
fn the_axis_has_few_round_marks() {
    for end in [0.3, 1.0, 9.6, 61.0, 250.0, 4_000.0, 90_000.0, 5e6] {
        let marks = ticks(end);
        assert!((1..=7).contains(&marks.len()), "{end}: {marks:?}");
        assert!(marks.iter().all(|(at, _)| (0.0..=1.0).contains(at)), "{end}: {marks:?}");
        assert_eq!(marks[0], (0.0, "0:00".to_owned()), "{end}");
    }
    let texts: Vec<String> = ticks(250.0).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["0:00", "1:00", "2:00", "3:00", "4:00"]);
}

#[test]
fn only_a_far_verdict_warns_of_guessing() {
    for (verdict, guess) in [(Verdict::Near, false), (Verdict::Edge, false), (Verdict::Far, true)] {
        assert_eq!(verdict_text(verdict).contains("guess"), guess, "{verdict:?}");
    }
}
