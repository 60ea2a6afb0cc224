//! What differs between sittings, which may have been on other hosts.

use std::collections::{BTreeMap, BTreeSet};

use plotters::prelude::*;

use super::markdown::{Table, UNKNOWN, number};
use super::solos::by_kind;
use super::{ReportError, Section};
use crate::plot::{Area, Drawn, GRID, INK, colour, text, tick};
use crate::stats::median;
use crate::{Calibration, DataSet, Manifest, Slowdowns, Stats};

const SIZE: (u32, u32) = (820, 340);

pub(super) fn section(data: &DataSet, slowdowns: &Slowdowns<'_>) -> Result<Section, ReportError> {
    let manifest = &data.manifest;
    let mut section = Section::new("Sittings");
    if manifest.sitting_count() == 1 {
        section.say("All runs are of one sitting.");
    } else {
        details(manifest, &mut section);
        section.say("Median seconds of each job alone on the whole node, by sitting:");
        section.table(&solos(data, slowdowns));
    }
    if manifest.calibrations.is_empty() {
        section.say("There are no calibration runs.");
        return Ok(section);
    }
    section.say(
        "The calibration job is the same in every sitting. Median seconds of its parts, with the largest difference from \
         the median in percent:",
    );
    section.table(&parts(manifest));
    let what = "Seconds of the calibration job's parts in percent of their medians, over the runs";
    section.plot("calibrations.svg", what, SIZE, |area| draw(area, manifest))?;
    Ok(section)
}

/// What the machines' descriptions differ in.
fn details(manifest: &Manifest, section: &mut Section) {
    let describe = |sitting: usize| -> BTreeMap<String, String> {
        let node = manifest.node_of(sitting as u32);
        let mut known = node.details.clone();
        known.insert("processor".to_owned(), node.cpu_model.clone());
        known.insert("kernel".to_owned(), node.kernel.clone());
        known.insert("job accounting".to_owned(), node.job_accounting.clone());
        known.insert("boot".to_owned(), manifest.sittings[sitting].boot_id.clone());
        known.insert("cores".to_owned(), number(node.capacity.cores, 0));
        known.insert("memory, GB".to_owned(), number(node.capacity.memory_bytes.map(|bytes| bytes / 1e9), 2));
        let disk = node.capacity.disk_bytes_per_second.map(|bytes| bytes / 1e6);
        known.insert("disk, MB/s".to_owned(), number(disk, 0));
        known
    };
    let described: Vec<BTreeMap<String, String>> = (0..manifest.sittings.len()).map(describe).collect();
    let names: BTreeSet<&String> = described.iter().flat_map(BTreeMap::keys).collect();
    let mut table = Table::new(1 + described.len(), &["what differs"]);
    table.heads((1..=described.len()).map(|sitting| format!("sitting {sitting}")));
    for name in names {
        let values: Vec<String> = described
            .iter()
            .map(|known| known.get(name).cloned().unwrap_or_else(|| UNKNOWN.to_owned()))
            .collect();
        if values.iter().any(|value| *value != values[0]) {
            table.row([name.clone()].into_iter().chain(values));
        }
    }
    if table.is_empty() {
        section.say("The machines' descriptions don't differ.");
    } else {
        section.table(&table);
    }
}

fn solos(data: &DataSet, slowdowns: &Slowdowns<'_>) -> Table {
    let sittings = data.manifest.sitting_count() as u32;
    let mut table = Table::new(1, &["job"]);
    table.heads((1..=sittings).map(|sitting| format!("sitting {sitting}")));
    let mut ratios = vec![Vec::new(); sittings as usize];
    for job in by_kind(data) {
        let Some(spread) = slowdowns.solo_spread(&job.name) else { continue };
        let of = |sitting: u32| spread.sittings.get(&sitting).and_then(|seconds| median(seconds));
        for sitting in 0..sittings {
            if let (Some(seconds), Some(first)) = (of(sitting), of(0)) {
                ratios[sitting as usize].push(seconds / first);
            }
        }
        let cells = (0..sittings).map(|sitting| number(of(sitting), 1));
        table.row([format!("`{}`", job.name)].into_iter().chain(cells));
    }
    let cells = ratios.iter().map(|ratios| number(median(ratios), 3));
    table.row(["median ratio to sitting 1".to_owned()].into_iter().chain(cells));
    table
}

/// A sitting, the runs made before, and percent of the median.
type Point = (usize, f64, f64);

/// The calibration's parts with their seconds.
fn by_part(manifest: &Manifest) -> BTreeMap<&str, Vec<(&Calibration, f64)>> {
    let mut parts: BTreeMap<&str, Vec<(&Calibration, f64)>> = BTreeMap::new();
    for calibration in &manifest.calibrations {
        for (part, seconds) in &calibration.part_seconds {
            parts.entry(part).or_default().push((calibration, *seconds));
        }
    }
    parts
}

fn parts(manifest: &Manifest) -> Table {
    let mut table = Table::new(1, &["part"]);
    let sittings = manifest.sitting_count();
    for sitting in 1..=sittings {
        table.heads([format!("sitting {sitting}, s")]);
        table.heads(["off by, %"]);
    }
    for (part, measured) in by_part(manifest) {
        let mut cells = vec![part.to_owned()];
        for sitting in 0..sittings {
            let seconds: Vec<f64> = measured
                .iter()
                .filter(|(calibration, _)| calibration.sitting as usize == sitting)
                .map(|(_, seconds)| *seconds)
                .collect();
            let middle = median(&seconds);
            let off = middle.and_then(|middle| {
                Stats::of(seconds.iter().map(|seconds| 100.0 * (seconds - middle).abs() / middle))
            });
            cells.push(number(middle, 2));
            cells.push(number(off.map(|off| off.max), 1));
        }
        table.row(cells);
    }
    table
}

fn draw(area: &Area<'_>, manifest: &Manifest) -> Drawn {
    area.draw(&Text::new(
        "Calibration: seconds of its parts, in percent of their medians",
        (10, 8),
        text(15.0),
    ))?;
    // Runs of earlier sittings come first.
    let before: Vec<usize> = (0..=manifest.sitting_count())
        .map(|sitting| manifest.runs.iter().filter(|run| (run.sitting as usize) < sitting).count())
        .collect();
    let parts = by_part(manifest);
    let lines: Vec<(&str, Vec<Point>)> = parts
        .iter()
        .map(|(part, measured)| {
            let seconds: Vec<f64> = measured.iter().map(|(_, seconds)| *seconds).collect();
            let middle = median(&seconds).unwrap_or(f64::NAN);
            let point = |(calibration, seconds): &(&Calibration, f64)| {
                let sitting = calibration.sitting as usize;
                let runs = before.get(sitting).copied().unwrap_or(0) + calibration.after_runs as usize;
                (sitting, runs as f64, 100.0 * seconds / middle)
            };
            (*part, measured.iter().map(point).filter(|(_, _, percent)| percent.is_finite()).collect())
        })
        .collect();
    let percents = lines.iter().flat_map(|(_, points)| points).map(|(_, _, percent)| *percent);
    let (low, high) =
        percents.fold((95.0_f64, 105.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let last = manifest.runs.len().max(1) as f64;
    let place = area.clone().shrink((0, 34), (SIZE.0 - 90, SIZE.1 - 34));
    let mut chart = ChartBuilder::on(&place)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(54)
        .build_cartesian_2d(0.0..1.01 * last, (low - 1.0).floor()..(high + 1.0).ceil())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text(11.0))
        .axis_desc_style(text(12.0))
        .x_desc("runs made before it; upright lines: a new sitting")
        .y_desc("% of the median")
        .x_label_formatter(&|value| tick(*value))
        .y_label_formatter(&|value| tick(*value))
        .draw()?;
    for start in before.iter().skip(1).take(manifest.sitting_count() - 1) {
        let x = *start as f64;
        let upright = [(x, (low - 1.0).floor()), (x, (high + 1.0).ceil())];
        chart.draw_series(LineSeries::new(upright, INK.mix(0.5).stroke_width(1)))?;
    }
    for (index, (part, points)) in lines.iter().enumerate() {
        for of_sitting in points.chunk_by(|a, b| a.0 == b.0) {
            let line = of_sitting.iter().map(|(_, runs, percent)| (*runs, *percent));
            chart.draw_series(LineSeries::new(line.clone(), colour(index).stroke_width(2)))?;
            chart.draw_series(line.map(|point| Circle::new(point, 3, colour(index).filled())))?;
        }
        let (x, y) = (SIZE.0 as i32 - 92, 56 + 18 * index as i32);
        area.draw(&PathElement::new([(x, y), (x + 18, y)], colour(index).stroke_width(2)))?;
        area.draw(&Text::new((*part).to_owned(), (x + 24, y - 6), text(11.0)))?;
    }
    Ok(())
}
