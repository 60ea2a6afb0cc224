//! `cotrace evaluate --data DIR`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;
use cotrace_dataset::{DataSet, Splits};
use cotrace_evaluate::{
    Conformal, EvaluateError, Evaluation, FitError, FitProgress, Method, Options, Plan, Predictor, Progress,
    Training, baselines, evaluate,
};
use cotrace_model::Forecaster;
use cotrace_train::{CotraceMethod, Ready, ResourceNetMethod};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::load;

/// The seed of what is fitted once.
const FIRST_SEED: u64 = 1;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data set's folder
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    #[arg(long = "model", value_name = "MODEL", help = models_help())]
    models: Vec<String>,
    /// Judge cotrace without each of its parts, too, each fitted with the first seed only
    #[arg(long)]
    ablations: bool,
    /// Judge this split only; may be given several times
    #[arg(long = "split", value_name = "NAME")]
    splits: Vec<String>,
    /// Leave out each job in turn, whatever splits the data set has
    #[arg(long, value_name = "WHAT")]
    cross_validate: Option<CrossValidate>,
    /// How often to fit what chance matters to
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: u64,
    /// Write evaluation.json and report.md with its plots to this folder, and keep finished fits there, so that a run that was stopped
    /// goes on where it was
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum CrossValidate {
    /// Each job, with all its runs.
    Jobs,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let data = DataSet::read(&args.data).map_err(Failure::input)?;
    let (methods, fitted) = methods(args, &data.manifest.name)?;
    let plan = plan(args, &data, fitted)?;
    let methods: Vec<&dyn Method> = methods.iter().map(Box::as_ref).collect();
    let options = Options {
        seeds: (FIRST_SEED..=args.seeds).collect(),
        cache: args.out.as_ref().map(|out| out.join("kept")),
        compare: networks().iter().map(|network| network.name()).collect(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let stop = cotrace_collect::stop_on_signals();
    let mut evaluation = judge(&data, &plan, &methods, &options, &stop)?;
    if args.ablations {
        let names: Vec<String> = ablations().iter().map(Method::name).collect();
        let fitted_once = evaluation.methods.iter_mut().filter(|method| names.contains(&method.name));
        fitted_once.for_each(|method| method.seeds = vec![FIRST_SEED]);
    }
    let json =
        serde_json::to_string_pretty(&evaluation).map_err(|error| Failure::Undone(error.to_string()))?;
    if let Some(out) = &args.out {
        let plots = evaluation.plots().map_err(|error| Failure::Undone(error.to_string()))?;
        write(&out.join("evaluation.json"), &format!("{json}\n"))?;
        write(&out.join("report.md"), &evaluation.page(&plots))?;
        for plot in &plots {
            write(&out.join(&plot.file), &plot.svg)?;
        }
    }
    load::print(&if args.json { format!("{json}\n") } else { evaluation.markdown() })?;
    Ok(ExitCode::SUCCESS)
}

/// Networks that are fitted anew for each training. Ours with intervals, for which it is fitted five times more; the published
/// one takes too long for that.
fn networks() -> [Box<dyn Method>; 2] {
    [Box::new(Conformal(CotraceMethod::default())), Box::new(ResourceNetMethod::default())]
}

/// Our network without each of its parts.
fn ablations() -> Vec<CotraceMethod> {
    CotraceMethod::ablations()
}

/// Everything that has a name, in the order of tables.
fn all() -> Vec<Box<dyn Method>> {
    let ablations = ablations().into_iter().map(|ablation| Box::new(ablation) as Box<dyn Method>);
    networks().into_iter().chain(baselines::all()).chain(ablations).collect()
}

/// The names of [`all`], for people: some have commas.
fn names() -> String {
    all().iter().map(|method| format!("{:?}", method.name())).collect::<Vec<_>>().join("; ")
}

fn models_help() -> String {
    format!(
        "What to judge, fitted for each split: {}; or a model file as it is. May be given several times; without it, the \
         networks and the baselines",
        names()
    )
}

/// What is judged, and whether it is fitted to the data set, which is called `data`.
fn methods(args: &Args, data: &str) -> Result<(Vec<Box<dyn Method>>, bool), Failure> {
    let mut methods: Vec<Box<dyn Method>> = Vec::new();
    let mut files = Vec::new();
    for (at, name) in args.models.iter().enumerate() {
        let is_ablation = || ablations().iter().any(|ablation| ablation.name() == *name);
        if args.models[..at].contains(name) || args.ablations && is_ablation() {
            continue;
        }
        if let Some(method) = all().into_iter().find(|method| method.name() == *name) {
            methods.push(method);
        } else {
            methods.push(Box::new(as_it_is(name, data)?));
            files.push(name);
        }
    }
    if args.models.is_empty() {
        methods.extend(networks().into_iter().chain(baselines::all()));
    }
    if args.ablations {
        for ablation in ablations() {
            // With one seed it is the same as if it were named, and so are the figures that are kept of it.
            methods.push(if args.seeds == 1 { Box::new(ablation) } else { Box::new(Once(ablation)) });
        }
    }
    match files.first() {
        Some(_) if files.len() == methods.len() => Ok((methods, false)),
        Some(file) => Err(Failure::Usage(format!(
            "{file} is judged as it is and the others are fitted to parts of the data set: judge them one after the other"
        ))),
        None => Ok((methods, true)),
    }
}

/// An ablation that is fitted once, however often others are.
struct Once(CotraceMethod);

impl Method for Once {
    fn name(&self) -> String {
        self.0.name()
    }

    fn configuration(&self) -> String {
        format!("{} with seed {FIRST_SEED}", self.0.configuration())
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        self.0.fit(training, FIRST_SEED, stop, progress)
    }
}

/// A model file that is not fitted again.
struct AsItIs {
    name: String,
    forecaster: Forecaster,
}

fn as_it_is(name: &str, data: &str) -> Result<AsItIs, Failure> {
    let path = Path::new(name);
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::Usage(format!("{name} is no model file and none of {}", names()))
        }
        _ => Failure::file(path, &error),
    })?;
    let forecaster =
        Forecaster::from_bytes(&bytes).map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    if forecaster.card().get("data").and_then(|trained| trained.as_str()) == Some(data) {
        return Err(Failure::Input(format!(
            "{name} was trained on the data set {data}, which can't judge it: --model {} fits it anew for each split",
            forecaster.model().name
        )));
    }
    Ok(AsItIs { name: name.to_owned(), forecaster })
}

impl Method for AsItIs {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn fit(
        &self,
        _: &Training<'_>,
        _: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        Ok(Box::new(Ready(self.forecaster.clone())))
    }
}

fn plan(args: &Args, data: &DataSet, fitted: bool) -> Result<Plan, Failure> {
    let file = args.data.join(Splits::FILE);
    let mut plan = if !fitted {
        Plan::as_it_is(&data.manifest)
    } else if args.cross_validate == Some(CrossValidate::Jobs) || !file.exists() {
        Plan::leaving_out_jobs(&data.manifest)
    } else {
        let splits = Splits::read(&file).map_err(Failure::input)?;
        Plan::of_splits(&data.manifest, &splits).map_err(Failure::input)?
    };
    let known: Vec<String> = plan.sections.iter().map(|(name, _)| name.clone()).collect();
    if let Some(unknown) = args.splits.iter().find(|split| !known.contains(split)) {
        return Err(Failure::Usage(format!("there is no split {unknown}; there are {}", known.join(", "))));
    }
    if !args.splits.is_empty() {
        plan.only(|section| args.splits.iter().any(|split| split == section));
    }
    Ok(plan)
}

fn judge(
    data: &DataSet,
    plan: &Plan,
    methods: &[&dyn Method],
    options: &Options,
    stop: &AtomicBool,
) -> Result<Evaluation, Failure> {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent} % {eta} {msg}") {
        bar.set_style(style);
    }
    let show = |progress: &Progress| {
        let Progress { training, method, seed, done, of, fit: (step, steps, what) } = progress;
        if bar.is_hidden() {
            if step == steps || *step == 0 {
                eprintln!("[{}/{of}] {method}, training {training}, seed {seed} {what}", done + 1);
            }
        } else {
            // Fits are of very different lengths; their number alone says too little.
            let parts = 1000;
            bar.set_length((of * parts) as u64);
            bar.set_position((done * parts + step * parts / (*steps).max(1)) as u64);
            bar.set_message(format!("{method}, training {training} {what}"));
        }
    };
    let evaluation = evaluate(data, plan, methods, options, stop, &show);
    bar.finish_and_clear();
    evaluation.map_err(|error| match error {
        EvaluateError::NoCases { .. } | EvaluateError::Fit { .. } => Failure::Input(error.to_string()),
        EvaluateError::Cache { .. } | EvaluateError::Stopped { .. } => Failure::Undone(error.to_string()),
    })
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
    }
    std::fs::write(path, text).map_err(|error| Failure::file(path, &error))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    /// What is judged, and whether it is fitted with every seed.
    fn chosen(arguments: &[&str]) -> Vec<(String, bool)> {
        let usual = ["evaluate", "--data", "nowhere", "--seeds", "3"];
        let command = Command::parse_from(usual.iter().chain(arguments));
        let (methods, fitted) = methods(&command.args, "some").expect("methods");
        assert!(fitted);
        methods.iter().map(|method| (method.name(), method.is_seeded())).collect()
    }

    #[test]
    fn methods_are_chosen_by_name() {
        let usual = chosen(&[]);
        assert_eq!(usual.len(), 2 + baselines::all().len());
        assert!(
            usual.contains(&("cotrace".to_owned(), true))
                && usual.contains(&("fair-share".to_owned(), false))
        );
        let with_parts = chosen(&["--ablations"]);
        let parts = &with_parts[usual.len()..];
        assert_eq!(with_parts[..usual.len()], usual);
        assert_eq!(parts.len(), ablations().len());
        assert!(parts.iter().all(|(name, seeded)| name.starts_with("cotrace, ") && !seeded), "{parts:?}");
        for part in parts {
            let named = ["--model", &part.0, "--model", "fair-share", "--model", &part.0];
            let both = [(part.0.clone(), true), ("fair-share".to_owned(), false)];
            assert_eq!(chosen(&named), both, "named twice it is judged once, with every seed");
            let named = chosen(&["--ablations", "--model", &part.0]);
            assert_eq!(named, parts, "{part:?} is among them once");
        }
    }
}
