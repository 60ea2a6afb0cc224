//! Slowdowns: of whom beside whom, and how they are distributed.

use std::collections::BTreeMap;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::markdown::{STATS, Table, stats};
use super::solos::by_kind;
use super::{ReportError, Section};
use crate::plot::{Area, Drawn, GRID, INK, colour, text, text_at, tick};
use crate::stats::median;
use crate::{DataSet, Job, Run, Shape, Slowdowns, Stats};

/// Sizes of the matrix in pixels.
const CELL: (i32, i32) = (34, 22);
const NAMES: (i32, i32) = (180, 150);
const TITLE: i32 = 34;
/// The slowdown at which a cell is darkest.
const DARKEST: f64 = 2.5;
/// Width of a bar in the distribution.
const BIN: f64 = 0.1;

/// Slowdowns of a job beside a partner, by both names.
type Cells<'a> = BTreeMap<(&'a str, &'a str), Vec<f64>>;

pub(super) fn section(data: &DataSet, slowdowns: &Slowdowns<'_>) -> Result<Section, ReportError> {
    let mut section = Section::new("Slowdowns");
    section.say(
        "A job's duration beside others over its median duration alone in the same sitting and on the same node. Where \
         the sitting has no such run, the slowdown is not known.",
    );
    let groups = groups(data, slowdowns);
    let mut table = Table::new(1, &["runs"]);
    table.heads(STATS);
    for (what, values) in &groups {
        let stats = stats(Stats::of(values.iter().copied()).as_ref(), 2);
        table.row([what.clone()].into_iter().chain(stats));
    }
    section.table(&table);

    let jobs: Vec<&Job> = by_kind(data).into_iter().filter(|job| job.size_of.is_none()).collect();
    let cells = cells(data, slowdowns);
    let width = NAMES.0 + CELL.0 * (jobs.len() as i32 + 1) + 24;
    let height = TITLE + NAMES.1 + CELL.1 * (jobs.len() as i32 + 1) + 24;
    section.say(
        "From the same moment on the whole node; the median where it was measured more than once. Read along a row: how \
         much slower the job of the row was beside the job of the column. Last in each row and column is the mean. An \
         empty cell was not measured.",
    );
    let what = "Matrix of slowdowns: jobs in rows, partners in columns, numbers in the cells";
    section.plot("slowdown-matrix.svg", what, (width as u32, height as u32), |area| {
        draw_matrix(area, &jobs, &cells)
    })?;

    let shown: Vec<_> = groups.iter().filter(|(_, values)| !values.is_empty()).collect();
    if !shown.is_empty() {
        let height = 30 + 150 * shown.len() as u32 + 26;
        let what = "Distribution of slowdowns by kind of run";
        section
            .plot("slowdown-distribution.svg", what, (640, height), |area| draw_distribution(area, &shown))?;
    }
    Ok(section)
}

/// Slowdowns by kind of run, in words.
fn groups(data: &DataSet, slowdowns: &Slowdowns<'_>) -> Vec<(String, Vec<f64>)> {
    let known = |included: &dyn Fn(&Run) -> bool| -> Vec<f64> {
        let runs = data.manifest.runs.iter().filter(|run| !run.disturbed && included(run));
        runs.flat_map(|run| slowdowns.of_run(run)).flatten().collect()
    };
    let has_size = |run: &Run| run.jobs.iter().any(|job| data.manifest.is_size(&job.name));
    let mut groups: Vec<(String, Vec<f64>)> = Shape::ALL
        .into_iter()
        .filter(|shape| *shape != Shape::Solo)
        .map(|shape| {
            let included = |run: &Run| run.shape() == shape && run.cut.is_none() && !has_size(run);
            (shape.title().to_owned(), known(&included))
        })
        .collect();
    let together = |run: &Run| run.shape() != Shape::Solo;
    let sizes = known(&|run| together(run) && run.cut.is_none() && has_size(run));
    groups.push(("with a job of another input size".to_owned(), sizes));
    let mut cuts: Vec<&str> = data.manifest.runs.iter().filter_map(Run::cut_name).collect();
    cuts.sort_unstable();
    cuts.dedup();
    for cut in cuts {
        let of_cut = known(&|run| together(run) && run.cut_name() == Some(cut));
        groups.push((format!("on the node cut to {cut}"), of_cut));
    }
    groups.retain(|(_, values)| !values.is_empty());
    groups
}

fn cells<'a>(data: &'a DataSet, slowdowns: &Slowdowns<'_>) -> Cells<'a> {
    let mut cells = Cells::new();
    for (run, _) in data.coruns(Shape::Pair).chain(data.coruns(Shape::SelfPair)) {
        for (index, slowdown) in slowdowns.of_run(run).into_iter().enumerate() {
            let (victim, partner) = (&run.jobs[index].name, &run.jobs[1 - index].name);
            cells.entry((victim, partner)).or_default().extend(slowdown);
        }
    }
    cells
}

fn draw_matrix(area: &Area<'_>, jobs: &[&Job], cells: &Cells<'_>) -> Drawn {
    let value = |victim: &Job, partner: &Job| median(cells.get(&(&*victim.name, &*partner.name))?);
    let (left, top) = (NAMES.0, TITLE + NAMES.1);
    let corner = |column: usize, row: usize| (left + CELL.0 * column as i32, top + CELL.1 * row as i32);
    let count = jobs.len();
    area.draw(&Text::new(
        "Slowdown of the job of the row beside the job of the column",
        (10, 10),
        text(15.0),
    ))?;
    for (index, job) in jobs.iter().enumerate() {
        let (x, y) = corner(index, index);
        let name = text_at(11.0, HPos::Right, VPos::Center);
        area.draw(&Text::new(job.name.clone(), (left - 6, y + CELL.1 / 2), name))?;
        let upright = text_at(11.0, HPos::Left, VPos::Center).transform(FontTransform::Rotate270);
        area.draw(&Text::new(job.name.clone(), (x + CELL.0 / 2, top - 6), upright))?;
        let first_of_kind = index == 0 || jobs[index - 1].kind != job.kind;
        if first_of_kind {
            area.draw(&Text::new(job.kind.clone(), (8, y + CELL.1 / 2 - 5), text(10.0)))?;
        }
    }
    for (row, victim) in jobs.iter().enumerate() {
        for (column, partner) in jobs.iter().enumerate() {
            if let Some(value) = value(victim, partner) {
                draw_cell(area, corner(column, row), value, true)?;
            }
        }
        let mean = |values: Vec<f64>| Stats::of(values).map(|stats| stats.mean);
        if let Some(suffered) = mean(jobs.iter().filter_map(|partner| value(victim, partner)).collect()) {
            draw_cell(area, corner(count, row), suffered, false)?;
        }
        if let Some(caused) = mean(jobs.iter().filter_map(|other| value(other, victim)).collect()) {
            draw_cell(area, corner(row, count), caused, false)?;
        }
    }
    draw_rules(area, jobs, &corner)?;
    let means = text_at(11.0, HPos::Right, VPos::Center);
    area.draw(&Text::new("mean caused", (left - 6, corner(0, count).1 + CELL.1 / 2), means))?;
    let upright = text_at(11.0, HPos::Left, VPos::Center).transform(FontTransform::Rotate270);
    area.draw(&Text::new("mean suffered", (corner(count, 0).0 + CELL.0 / 2, top - 6), upright))?;
    Ok(())
}

/// Lines between the kinds and around all.
fn draw_rules(area: &Area<'_>, jobs: &[&Job], corner: &dyn Fn(usize, usize) -> (i32, i32)) -> Drawn {
    let count = jobs.len();
    for index in 0..=count {
        let between_kinds = index == 0 || index == count || jobs[index - 1].kind != jobs[index].kind;
        let style = if between_kinds { INK.stroke_width(1) } else { GRID.stroke_width(1) };
        let (start, end) = (corner(index, 0), corner(index, count));
        area.draw(&PathElement::new([start, end], style))?;
        let (start, end) = (corner(0, index), corner(count, index));
        area.draw(&PathElement::new([start, end], style))?;
    }
    Ok(())
}

fn draw_cell(area: &Area<'_>, (x, y): (i32, i32), value: f64, filled: bool) -> Drawn {
    let strength = ((value - 1.0) / (DARKEST - 1.0)).clamp(0.0, 1.0);
    if filled {
        let shade = |light: f64, dark: f64| (light + (dark - light) * strength).round() as u8;
        let ground = RGBColor(shade(255.0, 165.0), shade(250.0, 50.0), shade(240.0, 20.0));
        area.draw(&Rectangle::new([(x, y), (x + CELL.0, y + CELL.1)], ground.filled()))?;
    }
    let ink = if filled && strength > 0.6 { WHITE } else { INK };
    let style = text_at(10.0, HPos::Center, VPos::Center).color(&ink);
    area.draw(&Text::new(format!("{value:.2}"), (x + CELL.0 / 2, y + CELL.1 / 2), style))?;
    Ok(())
}

fn draw_distribution(area: &Area<'_>, groups: &[&(String, Vec<f64>)]) -> Drawn {
    area.draw(&Text::new("Slowdowns", (10, 8), text(15.0)))?;
    let all = groups.iter().flat_map(|(_, values)| values).copied();
    let (low, high) = all.fold((1.0_f64, 1.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let first = (low / BIN).floor() as i64;
    let bars = ((high / BIN).floor() as i64 - first + 1).clamp(1, 200) as usize;
    let start = first as f64 * BIN;
    for (index, (what, values)) in groups.iter().enumerate() {
        let mut counts = vec![0_usize; bars];
        for value in values {
            let bar = ((value / BIN).floor() as i64 - first).clamp(0, bars as i64 - 1);
            counts[bar as usize] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or(1) as f64;
        let place = area.clone().shrink((0, 30 + 150 * index as i32), (640, 150));
        let mut chart = ChartBuilder::on(&place)
            .margin(6)
            .x_label_area_size(20)
            .y_label_area_size(56)
            .build_cartesian_2d(start..start + bars as f64 * BIN, 0.0..1.25 * most)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(12)
            .y_labels(4)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(text(10.0))
            .y_desc("jobs")
            .axis_desc_style(text(11.0))
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&|value| tick(*value))
            .draw()?;
        chart.draw_series(counts.iter().enumerate().filter(|(_, count)| **count > 0).map(
            |(bar, count)| {
                let from = start + bar as f64 * BIN;
                let corners = [(from + 0.08 * BIN, 0.0), (from + 0.92 * BIN, *count as f64)];
                Rectangle::new(corners, colour(0).filled())
            },
        ))?;
        let style = text_at(11.0, HPos::Right, VPos::Top);
        place.draw(&Text::new(format!("{what} ({})", values.len()), (628, 8), style))?;
    }
    let style = text_at(11.0, HPos::Center, VPos::Top);
    area.draw(&Text::new("duration over duration alone", (345, 32 + 150 * groups.len() as i32), style))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Made, run, solo};

    #[test]
    fn a_cell_is_of_the_job_beside_its_partner() {
        let mut made = Made::new(&["a", "b"], 1);
        made.push(solo("a", 10.0));
        made.push(solo("b", 10.0));
        made.push(run(&[("a", 20.0), ("b", 12.0)]));
        made.push(run(&[("b", 14.0), ("a", 22.0)]).repeat(1));
        made.push(run(&[("a", 15.0), ("a", 16.0)]));
        // Not from the same moment, not on the whole node, not calm.
        made.push(run(&[("a", 40.0), ("b", 40.0)]).offset(3.0));
        made.push(run(&[("a", 40.0), ("b", 40.0)]).cut("one-core"));
        made.push(run(&[("a", 40.0), ("b", 40.0)]).disturbed());
        let folder = tempfile::tempdir().unwrap();
        made.write(folder.path());
        let data = DataSet::read(folder.path()).unwrap();
        let cells = cells(&data, &Slowdowns::of(&data.manifest));
        let wanted =
            [(("a", "a"), vec![1.5, 1.6]), (("a", "b"), vec![2.0, 2.2]), (("b", "a"), vec![1.2, 1.4])];
        assert_eq!(cells, wanted.into());
    }
}
