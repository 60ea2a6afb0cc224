//! Looks at a measured data set: `dataset check DATA_DIR`, `dataset report DATA_DIR OUT_DIR`,
//! `dataset splits DATA_DIR SEED`, `dataset sums DATA_DIR`, `dataset import-fair-co2 SOURCE_DIR OUT_DIR`.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use cotrace_dataset::check::Severity;
use cotrace_dataset::{DataSet, Manifest, Splits, check, checksums, import, report};

const USAGE: &str = "usage: dataset check DATA_DIR | report DATA_DIR OUT_DIR | splits DATA_DIR SEED | sums DATA_DIR | \
                     import-fair-co2 SOURCE_DIR OUT_DIR";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match act(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn act(words: &[&str]) -> Result<ExitCode, Box<dyn Error>> {
    match *words {
        ["check", folder] => {
            let findings = check::check(Path::new(folder))?;
            for finding in &findings {
                println!("{finding}");
            }
            let broken = findings.iter().any(|finding| finding.severity == Severity::Error);
            return Ok(ExitCode::from(u8::from(broken)));
        }
        ["report", folder, out] => {
            let folder = Path::new(folder);
            let data = DataSet::read(folder)?;
            let fixed = folder.join(Splits::FILE);
            let splits = if fixed.exists() { Splits::read(&fixed)? } else { Splits::draw(&data.manifest, 1) };
            for file in report::write(&data, &splits, Path::new(out))? {
                println!("{}", file.display());
            }
        }
        ["splits", folder, seed] => {
            let folder = Path::new(folder);
            let manifest = Manifest::read(folder)?;
            let splits = Splits::draw(&manifest, seed.parse()?);
            splits.write(&folder.join(Splits::FILE))?;
            for name in splits.names(&manifest) {
                let runs = splits.runs(&manifest, &name)?;
                println!("{name}: trains on {}, judged on {}", runs.train.len(), runs.test.len());
            }
            for leak in splits.leaks(&manifest)? {
                println!("{}: trains on run {}, which {}", leak.split, leak.run, leak.why);
            }
        }
        ["sums", folder] => checksums::write(Path::new(folder))?,
        ["import-fair-co2", source, out] => {
            let imported = import::fair_co2(Path::new(source), Path::new(out))?;
            for run in &imported.left_out {
                println!("left out {run}");
            }
            let manifest = imported.manifest;
            println!("{} runs of {} jobs", manifest.runs.len(), manifest.jobs.len());
        }
        _ => return Err(USAGE.into()),
    }
    Ok(ExitCode::SUCCESS)
}
