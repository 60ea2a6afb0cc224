//! What is shipped: the same file for the same seed, stopped or not; a card that says what it must; what can't be used.

#[path = "../../evaluate/tests/made/mod.rs"]
mod made;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cotrace_dataset::{DataSet, RunKind};
use cotrace_evaluate::{Evaluation, Method, Options, Plan, evaluate};
use cotrace_model::{Forecaster, Job, Options as ForecastOptions};
use cotrace_train::{
    CotraceFit, CotraceMethod, FitConfig, Recipe, ResourceNetMethod, ShipOptions, ShipProgress, Stopped,
    Unusable, ship,
};

const STEPS: usize = 8;

fn published() -> ResourceNetMethod {
    ResourceNetMethod { config: FitConfig { hidden: 6, steps: STEPS, batch: 4, ..FitConfig::default() } }
}

fn ours() -> CotraceMethod {
    let config = CotraceFit { steps: 20, batch: 16, variants: 2, ..CotraceFit::default() };
    CotraceMethod { config, ..CotraceMethod::default() }
}

fn options(folder: &Path, out: &str, recipe: Recipe) -> ShipOptions {
    let (data, out) = (folder.join("data"), folder.join(out));
    ShipOptions { data, out, recipe, seed: 1, figures: None, resume: false }
}

fn shipped(options: &ShipOptions) -> Vec<u8> {
    ship(options, &AtomicBool::new(false), &|_| ()).expect("shipped");
    std::fs::read(options.out.join(format!("{}.cotrace", options.recipe.method().name()))).expect("the model")
}

fn folder_with_data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    made::write(&folder.path().join("data"));
    folder
}

#[test]
fn a_training_that_was_stopped_goes_on_to_the_same_file() {
    let folder = folder_with_data();
    let recipe = || Recipe::ResourceNet(published());
    let straight = shipped(&options(folder.path(), "straight", recipe()));

    let halt = AtomicBool::new(false);
    let finished: Mutex<BTreeSet<usize>> = Mutex::default();
    let stopped = options(folder.path(), "stopped", recipe());
    let error = ship(&stopped, &halt, &|progress: &ShipProgress| {
        if progress.step == progress.steps {
            finished.lock().unwrap().insert(progress.index);
        }
        // By then one fit at least is done, however many are made at a time.
        if progress.index == progress.fits - 1 && progress.step == 3 {
            halt.store(true, Ordering::Relaxed);
        }
    })
    .expect_err("it was stopped");
    assert!(error.is::<Stopped>(), "{error:#}");
    let finished = finished.into_inner().unwrap();
    assert!(!finished.is_empty());

    let resumed = ShipOptions { resume: true, ..stopped };
    let mut larger = published();
    larger.config.hidden += 1;
    let other = ShipOptions { recipe: Recipe::ResourceNet(larger), ..resumed.clone() };
    let error = ship(&other, &AtomicBool::new(false), &|_| ()).expect_err("another configuration");
    assert!(error.to_string().contains("another configuration"), "{error:#}");

    let told: Mutex<Vec<(usize, usize)>> = Mutex::default();
    let card = ship(&resumed, &AtomicBool::new(false), &|progress: &ShipProgress| {
        told.lock().unwrap().push((progress.index, progress.step));
    })
    .expect("shipped");
    let told = told.into_inner().unwrap();
    let again: Vec<_> = told.iter().filter(|(index, _)| finished.contains(index)).collect();
    assert!(again.is_empty(), "finished fits were made again: {again:?}");
    assert!(told.iter().any(|(_, step)| *step == STEPS) && told.len() < 6 * STEPS, "{told:?}");
    let file = std::fs::read(resumed.out.join("resourcenet.cotrace")).expect("the model");
    assert!(straight == file, "stopped and resumed it is another file");
    assert!(!resumed.out.join("checkpoints").exists(), "a finished training leaves no checkpoints");
    assert_eq!(std::fs::read_to_string(resumed.out.join("README.md")).expect("the card"), card);
}

#[test]
fn ours_is_the_same_file_for_the_same_seed_and_forecasts_three_jobs() {
    let folder = folder_with_data();
    let recipe = || Recipe::Cotrace(ours());
    let one = shipped(&options(folder.path(), "one", recipe()));
    let two = shipped(&options(folder.path(), "two", recipe()));
    assert!(one == two, "the same seed gives two files");
    let other = shipped(&ShipOptions { seed: 2, ..options(folder.path(), "other", recipe()) });
    assert!(one != other, "seeds make no difference");

    let forecaster = Forecaster::from_bytes(&one).expect("a model");
    assert_eq!(forecaster.model().name, "cotrace");
    let data = DataSet::read(&folder.path().join("data")).expect("a data set");
    let solos: Vec<_> = ["half", "more", "all"]
        .map(|name| data.median_solo(name, 0, None).expect("a solo run").1)
        .into_iter()
        .collect();
    let jobs: Vec<Job<'_>> = solos
        .iter()
        .enumerate()
        .map(|(index, trace)| Job { name: index.to_string(), trace, offset_seconds: 2.0 * index as f64 })
        .collect();
    let forecast = forecaster.forecast(&jobs, &ForecastOptions::default()).expect("a forecast");
    assert_eq!(forecast.jobs.len(), 3);
    assert!(forecast.jobs.iter().all(|job| job.slowdown > 1.0), "{:?}", forecast.jobs);
    assert!(forecast.jobs.iter().all(|job| job.slowdown_interval[1] > job.slowdown), "{:?}", forecast.jobs);
}

/// An evaluation of both networks and of a job set, ours first.
fn evaluation(data: &Path) -> Evaluation {
    let data = DataSet::read(data).expect("a data set");
    let (mut ours, mut published) = (ours(), published());
    (ours.config.steps, published.config.steps) = (2, 1);
    let methods: [&dyn Method; 2] = [&ours, &published];
    let options = Options { seeds: vec![1], cache: None, compare: Vec::new(), threads: 1 };
    let plan = Plan::leaving_out_jobs(&data.manifest);
    evaluate(&data, &plan, &methods, &options, &AtomicBool::new(false), &|_| ()).expect("an evaluation")
}

fn write_figures(folder: &Path, name: &str, evaluation: &Evaluation) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, serde_json::to_vec(evaluation).expect("JSON")).expect("written");
    path
}

#[test]
fn the_card_says_what_was_chosen_and_how_well_it_does() {
    let folder = folder_with_data();
    let evaluation = evaluation(&folder.path().join("data"));
    let figures = write_figures(folder.path(), "evaluation.json", &evaluation);
    let mut method = published();
    method.config.steps = 1;
    let options = ShipOptions {
        figures: Some(figures),
        ..options(folder.path(), "model", Recipe::ResourceNet(method))
    };
    let forecaster = Forecaster::from_bytes(&shipped(&options)).expect("a model");
    let card = std::fs::read_to_string(options.out.join("README.md")).expect("the card");
    let judged = &evaluation.sections[0];
    let points = |method: &str| {
        let row = judged.rows.iter().find(|row| row.method == method).expect("a row");
        row.seeds[0].slowdown_points.expect("points").mean
    };
    let missing: Vec<&str> = [
        "made-up",
        "arXiv 2006.14429",
        "What the publication leaves open",
        "Teacher forcing",
        "scaled dot product",
        "Two jobs, no more",
        "| slowdown |",
        "### unseen-jobs",
    ]
    .into_iter()
    .filter(|text| !card.contains(text))
    .collect();
    assert!(missing.is_empty(), "{missing:?} is not in\n{card}");
    assert!(!card.contains("has not been judged"), "{card}");
    assert!((points("cotrace") - points("resourcenet")).abs() > 0.1, "the two can't be told apart");
    assert_eq!(forecaster.model().unseen_jobs_slowdown_points, Some(points("resourcenet")));
}

#[test]
fn what_cannot_be_used_says_why() {
    let folder = folder_with_data();
    let figures = evaluation(&folder.path().join("data"));
    let mut elsewhere = figures.clone();
    "another".clone_into(&mut elsewhere.data.name);
    let mut ours_only = figures;
    ours_only.methods.retain(|method| method.name == "cotrace");
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<html>").expect("written");
    let lonely = folder.path().join("lonely");
    made::write(&lonely);
    let mut manifest = cotrace_dataset::Manifest::read(&lonely).expect("a manifest");
    manifest.runs.retain(|run| run.kind == RunKind::Solo);
    std::fs::write(lonely.join("manifest.json"), serde_json::to_vec(&manifest).expect("JSON"))
        .expect("written");

    let usual = options(folder.path(), "model", Recipe::ResourceNet(published()));
    let with = |path: PathBuf| ShipOptions { figures: Some(path), ..usual.clone() };
    let cases = [
        ("no such figures", with(folder.path().join("nowhere.json")), "nowhere.json"),
        ("no figures", with(page), "page.html: not an evaluation"),
        ("other data", with(write_figures(folder.path(), "a.json", &elsewhere)), "the data set another"),
        (
            "other model",
            with(write_figures(folder.path(), "b.json", &ours_only)),
            "of cotrace, not of resourcenet",
        ),
        ("no co-runs", ShipOptions { data: lonely, ..usual.clone() }, "lonely: no undisturbed co-run"),
    ];
    let mut wrong = Vec::new();
    for (name, options, said) in cases {
        let error = ship(&options, &AtomicBool::new(false), &|_| ()).expect_err("it can't be used");
        if !error.is::<Unusable>() || !format!("{error:#}").contains(said) {
            wrong.push(format!("{name}: {error:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let nowhere = ShipOptions { data: folder.path().join("nowhere"), ..usual };
    let error = ship(&nowhere, &AtomicBool::new(false), &|_| ()).expect_err("there is no data");
    assert!(error.is::<cotrace_dataset::DataError>() && error.to_string().contains("nowhere"), "{error:#}");
}
