//! Every job alone: how long, and what it used over time.

use cotrace_trace::{Column, Metric, Trace};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::markdown::{Table, UNKNOWN, number};
use super::{ReportError, Section};
use crate::plot::{Area, Drawn, GRID, INK, axis_end, colour, text, text_at, tick};
use crate::stats::median;
use crate::{DataSet, Job, Run, Slowdowns};

/// Jobs on one plot.
const JOBS_A_PLOT: usize = 6;
/// Least step of the lines drawn.
const STEP_SECONDS: f64 = 1.0;
/// Most steps of a line.
const MOST_STEPS: f64 = 60.0;
/// Sizes in pixels.
const ROW_HEIGHT: u32 = 130;
const HEAD_HEIGHT: u32 = 58;
const NAME_WIDTH: i32 = 150;
const PANEL_WIDTH: i32 = 300;

/// What is shown of each job: a title with its unit, the metrics that are added up, and what a unit is of theirs.
const PANELS: [(&str, &[Metric], f64); 3] = [
    ("CPU, cores", &[Metric::CpuCores], 1.0),
    ("Memory, GB", &[Metric::MemoryBytes], 1e9),
    ("Disk, read + write, MB/s", &[Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond], 1e6),
];

/// A solo run's values over time on a grid, `[time]`, and its sitting.
struct Line {
    sitting: usize,
    values: Vec<f64>,
}

/// The lines of a job's runs, on one grid.
struct Lines {
    step_seconds: f64,
    lines: Vec<Line>,
}

pub(super) fn section(data: &DataSet, slowdowns: &Slowdowns<'_>) -> Result<Section, ReportError> {
    let mut section = Section::new("Each job alone");
    section.say(
        "Seconds: the median over sittings of each sitting's median. Spread: largest minus smallest in percent of the \
         median, of the runs of one sitting (the median over sittings), and of the sittings' medians.",
    );
    section.table(&table(data, slowdowns));
    section.say(
        "Each thin line is one run, coloured by its sitting; the black line is the median of those that still run, as \
         long as half of them do. CPU and memory are the job's own where they are known, disk is the node's where it \
         is.",
    );
    let jobs: Vec<&Job> =
        by_kind(data).into_iter().filter(|job| data.all_solo_runs(&job.name).next().is_some()).collect();
    for (index, page) in jobs.chunks(JOBS_A_PLOT).enumerate() {
        let height = HEAD_HEIGHT + ROW_HEIGHT * page.len() as u32 + 20;
        let width = NAME_WIDTH + 3 * PANEL_WIDTH + 10;
        let names: Vec<&str> = page.iter().map(|job| &*job.name).collect();
        let what = format!("CPU, memory and disk over time of {}, each run alone", names.join(", "));
        section.plot(&format!("solos-{}.svg", index + 1), &what, (width as u32, height), |area| {
            draw(area, data, page)
        })?;
    }
    Ok(section)
}

/// Jobs in the order of their kinds, sizes behind the job whose size they are.
pub(super) fn by_kind(data: &DataSet) -> Vec<&Job> {
    let mut jobs: Vec<&Job> = data.manifest.jobs.iter().collect();
    jobs.sort_by_key(|job| (&job.kind, data.manifest.base_job(&job.name), job.size_of.is_some(), &job.name));
    jobs
}

fn table(data: &DataSet, slowdowns: &Slowdowns<'_>) -> Table {
    let mut table = Table::new(3, &["job", "kind", "phases", "runs", "seconds"]);
    table.heads(["spread within a sitting, %"]);
    table.heads(["between sittings, %"]);
    for job in by_kind(data) {
        let spread = slowdowns.solo_spread(&job.name);
        let spread = spread.as_ref();
        let phases = if job.phases.is_empty() { UNKNOWN.to_owned() } else { job.phases.join(", ") };
        table.row([
            format!("`{}`", job.name),
            job.kind.clone(),
            phases,
            spread.map_or(0, |spread| spread.sittings.values().map(Vec::len).sum::<usize>()).to_string(),
            number(spread.map(|spread| spread.median_seconds), 1),
            number(spread.and_then(|spread| spread.within_percent), 1),
            number(spread.and_then(|spread| spread.between_percent), 1),
        ]);
    }
    table
}

fn draw(area: &Area<'_>, data: &DataSet, jobs: &[&Job]) -> Drawn {
    area.draw(&Text::new("Each job alone on the whole node", (10, 8), text(15.0)))?;
    legend(area, data)?;
    for (panel, (title, ..)) in PANELS.iter().enumerate() {
        let left = NAME_WIDTH + PANEL_WIDTH * panel as i32;
        area.draw(&Text::new(*title, (left + 45, HEAD_HEIGHT as i32 - 18), text(12.0)))?;
    }
    for (row, job) in jobs.iter().enumerate() {
        let top = HEAD_HEIGHT as i32 + ROW_HEIGHT as i32 * row as i32;
        area.draw(&Text::new(job.name.clone(), (10, top + 40), text(12.0)))?;
        area.draw(&Text::new(job.kind.clone(), (10, top + 57), text(11.0)))?;
        let runs: Vec<(&Run, &Trace)> =
            data.all_solo_runs(&job.name).filter(|(run, _)| run.cut.is_none()).collect();
        for (panel, (_, metrics, unit)) in PANELS.iter().enumerate() {
            let lines = lines(&runs, metrics, *unit);
            let cores = data.manifest.node.capacity.cores.filter(|_| panel == 0);
            let left = NAME_WIDTH + PANEL_WIDTH * panel as i32;
            let place = area.clone().shrink((left, top), (PANEL_WIDTH, ROW_HEIGHT as i32));
            draw_panel(&place, &lines, cores)?;
        }
    }
    let middle = NAME_WIDTH + 3 * PANEL_WIDTH / 2;
    let bottom = HEAD_HEIGHT as i32 + ROW_HEIGHT as i32 * jobs.len() as i32;
    let style = text_at(11.0, HPos::Center, VPos::Top);
    area.draw(&Text::new("seconds from the run's start", (middle, bottom + 2), style))?;
    Ok(())
}

fn legend(area: &Area<'_>, data: &DataSet) -> Drawn {
    for sitting in 0..data.manifest.sitting_count() {
        let left = NAME_WIDTH + 300 + 90 * sitting as i32;
        let line = [(left, 16), (left + 18, 16)];
        area.draw(&PathElement::new(line, colour(sitting).stroke_width(2)))?;
        area.draw(&Text::new(format!("sitting {}", sitting + 1), (left + 23, 10), text(11.0)))?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, lines: &Lines, most: Option<f64>) -> Drawn {
    let Lines { step_seconds, lines } = lines;
    let steps = lines.iter().map(|line| line.values.len()).max().unwrap_or(1);
    let largest = lines.iter().flat_map(|line| &line.values).copied().filter(|value| value.is_finite());
    let end = most.map_or_else(|| axis_end(largest.fold(0.0, f64::max)), |most| 1.08 * most);
    let mut chart = ChartBuilder::on(area)
        .margin(4)
        .x_label_area_size(20)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..steps as f64 * step_seconds, 0.0..end)?;
    chart
        .configure_mesh()
        .x_labels(6)
        .y_labels(4)
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text(10.0))
        .x_label_formatter(&|seconds| tick(*seconds))
        .y_label_formatter(&|value| tick(*value))
        .draw()?;
    for line in lines {
        let style = colour(line.sitting).mix(0.45).stroke_width(1);
        for points in pieces(&line.values, *step_seconds) {
            chart.draw_series(LineSeries::new(points, style))?;
        }
    }
    for points in pieces(&middle_line(lines), *step_seconds) {
        chart.draw_series(LineSeries::new(points, INK.stroke_width(2)))?;
    }
    Ok(())
}

fn lines(runs: &[(&Run, &Trace)], metrics: &[Metric], unit: f64) -> Lines {
    let longest = runs.iter().map(|(_, trace)| trace.duration_seconds()).fold(0.0, f64::max);
    let step_seconds = (longest / MOST_STEPS).ceil().max(STEP_SECONDS);
    let line = |(run, trace): &(&Run, &Trace)| line(run, trace, metrics, unit, step_seconds);
    Lines { step_seconds, lines: runs.iter().filter_map(line).collect() }
}

/// The sum of metrics of the job of a solo run on a grid; where the trace has them, CPU and memory of the job itself.
fn line(run: &Run, trace: &Trace, metrics: &[Metric], unit: f64, step_seconds: f64) -> Option<Line> {
    let label = &run.jobs.first()?.label;
    let series: Vec<Vec<f32>> = metrics
        .iter()
        .filter_map(|metric| {
            let (job, node) = (Column::job(label, *metric), Column::node(*metric));
            let of_job = metrics.len() == 1 || !trace.columns.contains_key(&node);
            let column = if of_job && trace.columns.contains_key(&job) { job } else { node };
            trace.regrid_columns(step_seconds, [&column]).into_values().next()
        })
        .collect();
    let first = series.first()?;
    let sum = |step: usize| series.iter().map(|values| f64::from(values[step])).sum::<f64>() / unit;
    Some(Line { sitting: run.sitting as usize, values: (0..first.len()).map(sum).collect() })
}

/// The median of the lines that still run, as long as at least half do.
fn middle_line(lines: &[Line]) -> Vec<f64> {
    let at = |step: usize| -> Vec<f64> {
        lines
            .iter()
            .filter_map(|line| line.values.get(step).copied())
            .filter(|value| value.is_finite())
            .collect()
    };
    let longest = lines.iter().map(|line| line.values.len()).max().unwrap_or(0);
    (0..longest)
        .map(at)
        .take_while(|values| !values.is_empty() && 2 * values.len() >= lines.len())
        .filter_map(|values| median(&values))
        .collect()
}

/// Points in the middle of their steps, in pieces between values that aren't known.
fn pieces(values: &[f64], step_seconds: f64) -> Vec<Vec<(f64, f64)>> {
    let points: Vec<(f64, f64)> =
        values.iter().enumerate().map(|(step, value)| ((step as f64 + 0.5) * step_seconds, *value)).collect();
    points
        .split(|(_, value)| !value.is_finite())
        .filter(|piece| !piece.is_empty())
        .map(<[_]>::to_vec)
        .collect()
}
