//! What was measured, in numbers.

use super::Section;
use super::markdown::{Table, number};
use crate::{Counts, DataSet};

pub(super) fn section(data: &DataSet) -> Section {
    let manifest = &data.manifest;
    let mut section = Section::new("What was measured");
    let rows: usize = data.runs().map(|(_, trace)| trace.time_seconds.len()).sum();
    let hours = manifest.runs.iter().map(crate::Run::makespan_seconds).sum::<f64>() / 3600.0;
    section.say(&format!(
        "{} jobs, {} runs of {hours:.1} hours in all, {rows} samples, one every {} s. A run is disturbed if more than \
         3 % of the node's CPU was used by anything that is no job, or if the hypervisor took more than 2 %; disturbed \
         runs are counted here and used nowhere below.",
        manifest.jobs.len(),
        manifest.runs.len(),
        manifest.sample_seconds,
    ));

    let sittings = manifest.sitting_count();
    let mut kinds = Table::new(1, &["runs"]);
    kinds.heads((1..=sittings).map(|sitting| format!("sitting {sitting}")));
    kinds.heads(["all"]);
    let by_sitting: Vec<Counts> =
        (0..sittings).map(|sitting| Counts::of(manifest, |run| run.sitting as usize == sitting)).collect();
    let all = Counts::of(manifest, |_| true);
    for (what, runs) in all.lines() {
        let of = |counts: &Counts| {
            counts.lines().into_iter().find(|(other, _)| *other == what).map_or(0, |(_, runs)| runs)
        };
        let cells = by_sitting.iter().map(|counts| of(counts).to_string());
        kinds.row([what.clone()].into_iter().chain(cells).chain([runs.to_string()]));
    }
    let each = || by_sitting.iter().chain([&all]);
    let repeats = each().map(|counts| counts.repeats.to_string());
    kinds.row(["of these: repeats of a co-run".to_owned()].into_iter().chain(repeats));
    let disturbed = each().map(|counts| counts.disturbed.to_string());
    kinds.row(["of these: disturbed".to_owned()].into_iter().chain(disturbed));
    section.table(&kinds);

    let mut nodes = Table::new(4, &["sitting", "began (UTC)", "processor", "kernel, accounting"]);
    nodes.heads(["cores", "memory, GB", "disk, MB/s"]);
    for sitting in 0..sittings {
        let node = manifest.node_of(sitting as u32);
        let began = manifest.sittings.get(sitting).map(|sitting| sitting.started_at.as_str());
        let began = began.or_else(|| manifest.runs.first().map(|run| run.started_at.as_str()));
        nodes.row([
            (sitting + 1).to_string(),
            began.unwrap_or_default().to_owned(),
            node.cpu_model.clone(),
            format!("{}, {}", node.kernel, node.job_accounting),
            number(node.capacity.cores, 0),
            number(node.capacity.memory_bytes.map(|bytes| bytes / 1e9), 1),
            number(node.capacity.disk_bytes_per_second.map(|bytes| bytes / 1e6), 0),
        ]);
    }
    section.table(&nodes);
    section
}
