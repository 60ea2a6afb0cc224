//! Judges baselines and our model on a data set, split by split, each fitted for each training.
//!
//! ```text
//! cargo run --release -p cotrace-train --example judge -- models/co-runs [section] [method] …
//! ```
//! prints the page; sections and methods that are named are the only ones. Figures of finished fits are kept in
//! `target/judged`.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use cotrace_dataset::{DataSet, Splits};
use cotrace_evaluate::{Method, Options, Plan, baselines, evaluate};
use cotrace_train::{CotraceMethod, ResourceNetMethod};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("the data set's folder is missing")?;
    let only: Vec<String> = arguments.collect();
    let data = DataSet::read(Path::new(&folder))?;
    let splits = Path::new(&folder).join(Splits::FILE);
    let mut plan = if splits.exists() {
        Plan::of_splits(&data.manifest, &Splits::read(&splits)?)?
    } else {
        Plan::leaving_out_jobs(&data.manifest)
    };
    let sections: Vec<String> = plan.sections.iter().map(|(name, _)| name.clone()).collect();
    if only.iter().any(|name| sections.contains(name)) {
        plan.only(|section| only.iter().any(|name| name == section));
    }
    let mut methods = baselines::all();
    methods.push(Box::new(ResourceNetMethod::default()));
    methods.push(Box::new(CotraceMethod::default()));
    for ablation in CotraceMethod::ablations() {
        methods.push(Box::new(ablation));
    }
    if only.iter().any(|name| !sections.contains(name)) {
        methods.retain(|method| only.contains(&method.name()));
    }
    if methods.is_empty() {
        return Err("no section or method is called that".into());
    }
    let methods: Vec<&dyn Method> = methods.iter().map(Box::as_ref).collect();
    let options = Options {
        seeds: vec![1],
        cache: Some(Path::new("target/judged").to_owned()),
        compare: vec!["cotrace".to_owned()],
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let evaluation = evaluate(&data, &plan, &methods, &options, &AtomicBool::new(false), &|progress| {
        let (step, steps, what) = &progress.fit;
        if step % 100 == 0 {
            eprintln!(
                "{}/{} {}, {}: {step}/{steps} {what}",
                progress.done, progress.of, progress.method, progress.training
            );
        }
    })?;
    println!("{}", evaluation.markdown());
    Ok(())
}
