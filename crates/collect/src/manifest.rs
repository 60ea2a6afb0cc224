//! Goes on with a data set that is there already.

use std::fs;
use std::path::Path;

use cotrace_dataset::Manifest;

use crate::{Accounting, CollectError, Plan};

/// The manifest in the output folder, if there is one that this measurement may add to.
pub(crate) fn read_manifest(
    path: &Path,
    plan: &Plan,
    sample_seconds: f64,
    accounting: &Accounting,
) -> Result<Option<Manifest>, CollectError> {
    if !path.exists() {
        return Ok(None);
    }
    let unfit = |problem: String| CollectError::DataSet { path: path.to_owned(), problem };
    let text = fs::read_to_string(path).map_err(CollectError::io("read", path))?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| unfit(format!("is no manifest: {error}")))?;
    let other = |what: &str, there: &str, here: &str| {
        Err(unfit(format!("{what} there is {there}, here {here}; measure into another folder")))
    };
    if manifest.cotrace_dataset != 1 {
        return other("the version", &manifest.cotrace_dataset.to_string(), "1");
    }
    if manifest.name != plan.name {
        return other("the plan", &manifest.name, &plan.name);
    }
    if manifest.sample_seconds != sample_seconds {
        return other("the sampling step", &manifest.sample_seconds.to_string(), &sample_seconds.to_string());
    }
    if manifest.node.job_accounting != accounting.name() {
        return other("the job accounting", &manifest.node.job_accounting, accounting.name());
    }
    for job in &manifest.jobs {
        if let Some(planned) = plan.job(&job.name)
            && planned.command.display() != job.command
            && manifest.runs.iter().any(|run| run.jobs.iter().any(|in_run| in_run.name == job.name))
        {
            return other(
                &format!("the command of job {}", job.name),
                &job.command,
                &planned.command.display(),
            );
        }
    }
    Ok(Some(manifest))
}
