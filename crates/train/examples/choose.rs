//! Compares configurations of our model by fits that see no job of the group that the choice is for.
//!
//! ```text
//! cargo run --release -p cotrace-train --example choose -- models/co-runs [KEY=VALUE,KEY=VALUE] …
//! ```
//! Each argument is a configuration, as changes of the default one.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use cotrace_dataset::{DataSet, Splits};
use cotrace_evaluate::{Figures, Method, Options, Plan, evaluate};
use cotrace_forecast::Baseline;
use cotrace_model::cotrace::Ablation;
use cotrace_train::{CotraceFit, CotraceMethod};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("the data set's folder is missing")?;
    let data = DataSet::read(Path::new(&folder))?;
    let splits = Splits::read(&Path::new(&folder).join(Splits::FILE))?;
    let plan = Plan::for_choices(&data.manifest, &splits)?;
    let options = Options {
        seeds: vec![1],
        cache: Some(Path::new("target/chosen").to_owned()),
        compare: Vec::new(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let show = |what: &str, method: &dyn Method| -> Result<(), Box<dyn std::error::Error>> {
        let evaluation = evaluate(&data, &plan, &[method], &options, &AtomicBool::new(false), &|_| ())?;
        let figures: Vec<&Figures> =
            evaluation.sections.iter().map(|section| &section.rows[0].seeds[0]).collect();
        let points: Vec<f64> =
            figures.iter().filter_map(|figures| Some(figures.slowdown_points?.mean)).collect();
        let footprints: Vec<f64> =
            figures.iter().filter_map(|figures| Some(figures.footprint_step_percent?.mean)).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        println!(
            "{:.2} points {points:.1?}, footprint {:.2} {footprints:.2?}: {what}",
            mean(&points),
            mean(&footprints)
        );
        Ok(())
    };
    show("fair-share", &Baseline::FairShare)?;
    for changes in arguments {
        let mut config = serde_json::to_value(CotraceFit::default())?;
        let mut without = Ablation::Nothing;
        for change in changes.split(',').filter(|change| !change.is_empty()) {
            let (key, value) = change.split_once('=').ok_or("KEY=VALUE is needed")?;
            if key == "without" {
                let part =
                    Ablation::PARTS.into_iter().find(|part| format!("{part:?}").eq_ignore_ascii_case(value));
                without = part.ok_or("there is no such part")?;
                continue;
            }
            config[key] = serde_json::from_str(value)?;
        }
        let config: CotraceFit = serde_json::from_value(config)?;
        show(&changes, &CotraceMethod { config, without })?;
    }
    Ok(())
}
