//! An evaluation from data set to page, on a data set made by a rule that one of the methods knows.

mod made;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use cotrace_dataset::{DataSet, RunKind, Splits};
use cotrace_evaluate::{
    EvaluateError, Evaluation, Figures, FitError, FitProgress, Method, Options, Plan, Predictor, Training,
    baselines, evaluate,
};
use cotrace_forecast::Baseline;
use made::write;

fn options(cache: Option<&Path>) -> Options {
    Options {
        seeds: vec![1, 2],
        cache: cache.map(Path::to_owned),
        compare: vec!["fair-share".to_owned()],
        threads: 2,
    }
}

fn run(
    data: &DataSet,
    plan: &Plan,
    methods: &[Box<dyn Method>],
    options: &Options,
) -> Result<Evaluation, EvaluateError> {
    let methods: Vec<&dyn Method> = methods.iter().map(Box::as_ref).collect();
    evaluate(data, plan, &methods, options, &AtomicBool::new(false), &|_| ())
}

/// Figures with the first seed.
fn figures<'a>(evaluation: &'a Evaluation, section: &str, method: &str) -> &'a Figures {
    let section = evaluation.sections.iter().find(|other| other.name == section).expect("a section");
    &section.rows.iter().find(|row| row.method == method).expect("a row").seeds[0]
}

#[test]
fn who_knows_the_rule_wins() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let data = DataSet::read(folder.path()).unwrap();
    let splits = Splits::draw(&data.manifest, 1);
    let plan = Plan::of_splits(&data.manifest, &splits).unwrap();
    let methods = baselines::all();
    let evaluation = run(&data, &plan, &methods, &options(None)).unwrap();

    for section in ["seen-pairs", "unseen-pairs", "unseen-jobs", "unseen-jobs-later"] {
        let points =
            |method: &str| figures(&evaluation, section, method).slowdown_points.expect("judged").mean;
        assert!(points("fair-share") < 0.5, "{section}: {}", points("fair-share"));
        assert!(points("clipped-sum") > 5.0, "{section}: {}", points("clipped-sum"));
        let footprint =
            figures(&evaluation, section, "fair-share").footprint_step_percent.expect("judged").mean;
        assert!(footprint < 0.5, "{section}: {footprint}");
    }
    // A measurement made again without noise is the same.
    let again = figures(&evaluation, "seen-pairs", "repeat");
    assert!(again.slowdown_points.expect("judged").mean < 1e-6, "{again:?}");
    assert!(again.footprint_step_percent.expect("judged").mean < 1e-6, "{again:?}");
    // What saw other pairs of the same jobs does better than the mean of all.
    let points =
        |method: &str| figures(&evaluation, "unseen-jobs", method).slowdown_points.expect("judged").mean;
    assert!(points("neighbours") < points("train-mean"), "{} {}", points("neighbours"), points("train-mean"));
    // Each job of each pair once, by the training that had not seen it.
    assert_eq!(figures(&evaluation, "unseen-jobs", "train-mean").jobs, 2 * coruns(&data));
    let section =
        evaluation.sections.iter().find(|section| section.name == "unseen-jobs").expect("a section");
    let clear = section.differences.iter().filter(|difference| difference.than == "clipped-sum");
    assert!(
        clear.clone().count() > 0 && clear.clone().all(|found| found.mean < 0.0),
        "{:?}",
        section.differences
    );

    let page = evaluation.markdown();
    assert!(page.contains("## unseen-jobs\n") && page.contains("| forest |"), "{page}");
    let plots = evaluation.plots().expect("pictures");
    let files: Vec<&str> = plots.iter().map(|plot| &*plot.file).collect();
    assert_eq!(files, ["errors.svg", "slowdowns-unseen-jobs.svg", "slowdowns-unseen-jobs-later.svg"]);
    assert!(plots.iter().all(|plot| plot.svg.starts_with("<svg") && plot.svg.contains("fair-share")));
    let page = evaluation.page(&plots);
    assert!(files.iter().all(|file| page.contains(&format!("({file})"))), "{page}");
    let json = serde_json::to_value(&evaluation).unwrap();
    assert_eq!(serde_json::from_value::<Evaluation>(json.clone()).unwrap(), evaluation);
    assert_eq!(problem(&json), None);
    let mut broken = json;
    broken["sections"][0]["rows"][0]["seeds"][0]["slowdown_points"] = "small".into();
    assert!(problem(&broken).is_some(), "the schema takes anything");
}

/// What the documented schema has against an evaluation.
fn problem(evaluation: &serde_json::Value) -> Option<String> {
    let text = include_str!("../../../docs/schema/cotrace-evaluation-1.schema.json");
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("evaluation.json", serde_json::from_str(text).unwrap()).unwrap();
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("evaluation.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
    schemas.validate(evaluation, index).err().map(|error| error.to_string())
}

fn coruns(data: &DataSet) -> usize {
    data.manifest.runs.iter().filter(|run| run.kind == RunKind::Corun).count()
}

#[test]
fn leaving_out_each_job_needs_no_splits() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let data = DataSet::read(folder.path()).unwrap();
    let plan = Plan::leaving_out_jobs(&data.manifest);
    let evaluation = run(&data, &plan, &baselines::all(), &options(None)).unwrap();
    let found = figures(&evaluation, "unseen-jobs", "forest");
    assert_eq!(found.jobs, 2 * coruns(&data));
}

/// A method that must not be asked again.
struct Once(AtomicBool);

impl Method for Once {
    fn name(&self) -> String {
        "once".to_owned()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        if self.0.load(Ordering::Relaxed) {
            return Err("fitted again".into());
        }
        Baseline::ClippedSum.fit(training, seed, stop, progress)
    }
}

#[test]
fn finished_fits_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let data = DataSet::read(folder.path()).unwrap();
    let plan = Plan::leaving_out_jobs(&data.manifest);
    let cache = folder.path().join("kept");
    let once = Once(AtomicBool::new(false));
    let evaluate = |method: &Once, stop: bool| {
        evaluate(&data, &plan, &[method], &options(Some(&cache)), &AtomicBool::new(stop), &|_| ())
    };
    let stopped = evaluate(&once, true);
    assert!(matches!(stopped, Err(EvaluateError::Stopped { done: 0, of: 6 })), "{stopped:?}");
    let first = evaluate(&once, false).unwrap();
    once.0.store(true, Ordering::Relaxed);
    assert_eq!(evaluate(&once, true).unwrap(), first, "all is kept, so there is nothing to stop");
    // Half a file is no figures.
    let kept = std::fs::read_dir(cache.join("once")).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&kept).unwrap();
    std::fs::write(&kept, &bytes[..bytes.len() / 2]).unwrap();
    let again = evaluate(&once, false);
    assert!(matches!(again, Err(EvaluateError::Fit { .. })), "{again:?}");
}
