//! Our model on a data set made by a rule: what it must learn, and what must hold whatever it learned.

#[path = "../../evaluate/tests/made/mod.rs"]
mod made;

use std::sync::atomic::AtomicBool;

use cotrace_dataset::{DataSet, Splits};
use cotrace_evaluate::{Case, Conformal, Evaluation, Figures, Method, Options, Plan, Training, evaluate};
use cotrace_forecast::Baseline;
use cotrace_train::{CotraceFit, CotraceMethod};

/// Few steps are enough for a rule.
fn method() -> CotraceMethod {
    let config = CotraceFit { steps: 150, batch: 16, variants: 2, ..CotraceFit::default() };
    CotraceMethod { config, ..CotraceMethod::default() }
}

fn figures<'a>(evaluation: &'a Evaluation, section: &str, method: &str) -> &'a Figures {
    let section = evaluation.sections.iter().find(|other| other.name == section).expect("a section");
    &section.rows.iter().find(|row| row.method == method).expect("a row").seeds[0]
}

#[test]
fn learns_how_jobs_share_and_says_how_sure_it_is() {
    let folder = tempfile::tempdir().unwrap();
    made::write(folder.path());
    let data = DataSet::read(folder.path()).unwrap();
    let mut plan = Plan::of_splits(&data.manifest, &Splits::draw(&data.manifest, 1)).unwrap();
    plan.only(|section| section == "unseen-pairs");
    let methods: [&dyn Method; 2] = [&Conformal(method()), &Baseline::ClippedSum];
    let options = Options { seeds: vec![1], cache: None, compare: Vec::new(), threads: 1 };
    let evaluation = evaluate(&data, &plan, &methods, &options, &AtomicBool::new(false), &|_| ()).unwrap();
    let points = |method: &str| figures(&evaluation, "unseen-pairs", method).slowdown_points.unwrap().mean;
    assert!(
        points("cotrace") < points("clipped-sum") / 2.0,
        "{} {}",
        points("cotrace"),
        points("clipped-sum")
    );
    let coverage = figures(&evaluation, "unseen-pairs", "cotrace").slowdown_coverage.expect("intervals");
    // Intervals are made for jobs never seen, and there are eight slowdowns.
    assert!(coverage.share >= 0.5 && coverage.width > 0.0, "{coverage:?}");
}

#[test]
fn the_same_seed_gives_the_same_forecast() {
    let folder = tempfile::tempdir().unwrap();
    made::write(folder.path());
    let data = DataSet::read(folder.path()).unwrap();
    let (cases, _) = Case::all(&data);
    let runs = data.manifest.runs.iter().map(|run| run.id.clone()).collect();
    let training = Training::of("all", &data, &cases, &runs);
    let finish = |seed: u64| -> Vec<f64> {
        let short = CotraceFit { steps: 20, batch: 8, variants: 1, ..CotraceFit::default() };
        let method = CotraceMethod { config: short, ..CotraceMethod::default() };
        let predictor = method.fit(&training, seed, &AtomicBool::new(false), &|_, _, _| ()).unwrap();
        let questions: Vec<_> = cases.iter().map(Case::question).collect();
        let predictions = predictor.predict(&questions).into_iter().flatten();
        predictions.flat_map(|prediction| prediction.outcome.finish_seconds).collect()
    };
    let (first, again, other) = (finish(5), finish(5), finish(6));
    let worst = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst(&first, &again) < 1e-6, "off by {}", worst(&first, &again));
    assert!(worst(&first, &other) > 1e-6, "seeds make no difference");
}
