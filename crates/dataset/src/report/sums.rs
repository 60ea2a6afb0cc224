//! What the jobs of each run used, against its node.

use super::Section;
use super::markdown::{STATS, Table, number};
use crate::check::sums::{self, METRICS, RunSums, agree, worst};
use crate::{DataSet, Stats};

/// The file with every run.
const FILE: &str = "sums.csv";
/// How many of the worst runs are shown.
const NAMED: usize = 5;

pub(super) fn section(data: &DataSet) -> Section {
    let all = sums::of(data);
    let mut section = Section::new("Jobs against the node");
    section.say(&format!(
        "The jobs' sum in percent of the node's, means over each run. To the jobs' memory is added what was \
         in use by nobody in the median run of the sitting. Runs with less than 1 MB/s of a kind of disk traffic are left \
         out there. Disk writes of a job \
         may be counted when it asks for them, those of the node when they happen. Every run is in [{FILE}]({FILE})."
    ));
    let mut table = Table::new(1, &["metric"]);
    table.heads(STATS);
    table.heads(["smallest"]);
    table.heads(["within 5 % of the node"]);
    let mut named = Table::new(3, &["metric", "run", "jobs in % of the node"]);
    for metric in METRICS {
        let runs = worst(&all, metric);
        let percents = || runs.iter().map(|(_, percent)| *percent);
        let stats = super::markdown::stats(Stats::of(percents()).as_ref(), 1);
        let smallest = number(percents().reduce(f64::min), 1);
        let within = percents().filter(|percent| agree(*percent)).count();
        let cells = stats.into_iter().chain([smallest, within.to_string()]);
        table.row([format!("`{}`", metric.name())].into_iter().chain(cells));
        for (run, percent) in runs.iter().filter(|(_, percent)| !agree(*percent)).take(NAMED) {
            named.row([format!("`{}`", metric.name()), run.id.clone(), number(*percent, 1)]);
        }
    }
    section.table(&table);
    if !named.is_empty() {
        section.say("The worst:");
        section.table(&named);
    }
    section.files.push((FILE.to_owned(), csv(&all)));
    section
}

fn csv(all: &[RunSums]) -> String {
    let heads = METRICS.iter().map(|metric| format!("node_{0},jobs_{0}", metric.name()));
    let mut text = format!("run,sitting,{}\n", heads.collect::<Vec<_>>().join(","));
    for run in all {
        text.push_str(&format!("{},{}", run.id, run.sitting + 1));
        for metric in METRICS {
            match run.means.get(&metric) {
                Some(means) => text.push_str(&format!(",{:.3},{:.3}", means.node, means.jobs)),
                None => text.push_str(",,"),
            }
        }
        text.push('\n');
    }
    text
}
