//! What is trained on and what is held out.

use super::markdown::Table;
use super::{ReportError, Section};
use crate::{DataSet, Splits};

pub(super) fn section(data: &DataSet, splits: &Splits) -> Result<Section, ReportError> {
    let manifest = &data.manifest;
    let mut section = Section::new("Splits");
    let leaks = splits.leaks(manifest)?.len();
    section.say(&format!(
        "Drawn from the jobs and seed {}. Runs of a split's training that it is judged on, or that show what it must not \
         see: {leaks}.",
        splits.seed
    ));
    let mut table = Table::new(1, &["split", "runs trained on", "runs judged on", "jobs judged"]);
    for name in splits.names(manifest) {
        let runs = splits.runs(manifest, &name)?;
        let jobs: usize = runs.test.iter().map(|judged| judged.jobs.len()).sum();
        table.row([
            format!("`{name}`"),
            runs.train.len().to_string(),
            runs.test.len().to_string(),
            jobs.to_string(),
        ]);
    }
    section.table(&table);
    let mut groups = Table::new(2, &["group", "jobs"]);
    for (index, group) in splits.groups.iter().enumerate() {
        groups.row([(index + 1).to_string(), group.join(", ")]);
    }
    section.table(&groups);
    let held: Vec<String> = splits.held_pairs.iter().map(|[a, b]| format!("{a} + {b}")).collect();
    section.say(&format!("Pairs held out ({}): {}.", held.len(), held.join(", ")));
    Ok(section)
}
