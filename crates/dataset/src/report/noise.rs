//! The noise floor.

use std::collections::BTreeSet;

use cotrace_trace::Metric;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::markdown::{STATS, Table, UNKNOWN, stats};
use super::{ReportError, Section};
use crate::Noise;
use crate::noise::{Between, Footprint, Lay, Sittings};
use crate::plot::{Area, Drawn, GRID, INK, colour, text, text_at, tick};

/// Width and height of the plot in pixels.
const SIZE: (u32, u32) = (560, 560);

pub(super) fn section(noise: &Noise) -> Result<Section, ReportError> {
    let mut section = Section::new("The noise floor");
    section.say(
        "What one measurement says about another of the same: the same jobs with the same offsets on the same node. \
         Every two undisturbed measurements are compared. A forecast that is no farther off can't be told from a second \
         measurement.",
    );

    let mut table = Table::new(1, &["slowdown, difference in points (0.01)"]);
    table.heads(STATS);
    for (what, sittings) in [("one sitting", Sittings::Same), ("two sittings", Sittings::Different)] {
        let stats = stats(noise.slowdown_points(sittings).as_ref(), 1);
        table.row([what.to_owned()].into_iter().chain(stats));
    }
    section.table(&table);
    if noise.twice.is_empty() {
        section.say(
            "No co-run was measured more than once, so the noise of a slowdown is not known from this set.",
        );
    } else {
        let what = "Scatter plot: each slowdown measured first against measured again";
        section.plot("noise-slowdowns.svg", what, SIZE, |area| draw(area, noise))?;
    }

    let mut table = Table::new(1, &["duration, difference in % of the mean of both"]);
    table.heads(STATS);
    for between in Between::ALL {
        let stats = stats(noise.duration_percent(between).as_ref(), 1);
        table.row([between.title().to_owned()].into_iter().chain(stats));
    }
    section.table(&table);

    let lays = [
        (
            Lay::Tenths,
            "Footprints in tenths of the makespan: mean absolute difference, mean over comparisons and 90th \
                       percentile, in percent of the capacity; of metrics without a known one, in percent of the \
                       larger run's mean (marked *).",
        ),
        (Lay::Seconds, "The same in steps of 2 s from the start, as far as both runs go."),
    ];
    for (lay, what) in lays {
        section.say(what);
        section.table(&footprints(noise, lay));
    }
    Ok(section)
}

fn footprints(noise: &Noise, lay: Lay) -> Table {
    let mut table = Table::new(2, &["metric", "of"]);
    table.heads(Between::ALL.map(Between::title));
    for metric in Metric::ALL.iter().copied() {
        for of_job in [false, true] {
            let cells = Between::ALL.map(|between| {
                let stats = noise.footprint_percent(Footprint { metric, of_job, lay, between });
                stats.map_or(UNKNOWN.to_owned(), |stats| format!("{:.1} ({:.1})", stats.mean, stats.p90))
            });
            if cells.iter().all(|cell| cell == UNKNOWN) {
                continue;
            }
            let mark = if metric.resource().is_none() { " *" } else { "" };
            let of = if of_job { "job" } else { "node" };
            table.row([format!("`{}`{mark}", metric.name()), of.to_owned()].into_iter().chain(cells));
        }
    }
    if table.is_empty() {
        table.row(["none".to_owned(), UNKNOWN.to_owned()].into_iter().chain(vec![UNKNOWN.to_owned(); 4]));
    }
    table
}

fn draw(area: &Area<'_>, noise: &Noise) -> Drawn {
    area.draw(&Text::new("Slowdowns, measured again", (10, 8), text(15.0)))?;
    let all = noise.twice.iter().flat_map(|twice| twice.slowdowns);
    let (low, high) = all.fold((1.0_f64, 1.1_f64), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) = ((low * 10.0 - 0.5).floor() / 10.0, (high * 10.0 + 0.5).ceil() / 10.0);
    let place = area.clone().shrink((0, 34), (SIZE.0, SIZE.1 - 34));
    let mut chart = ChartBuilder::on(&place)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(54)
        .build_cartesian_2d(low..high, low..high)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text(11.0))
        .axis_desc_style(text(12.0))
        .x_desc("slowdown, measured first")
        .y_desc("slowdown, measured again")
        .x_label_formatter(&|value| tick(*value))
        .y_label_formatter(&|value| tick(*value))
        .draw()?;
    chart.draw_series(LineSeries::new([(low, low), (high, high)], INK.stroke_width(1)))?;
    // Only against the first of all: every two of many would hide each other.
    let later: BTreeSet<&String> = noise.twice.iter().map(|twice| &twice.runs[1]).collect();
    for twice in noise.twice.iter().filter(|twice| !later.contains(&twice.runs[0])) {
        let point = (twice.slowdowns[0], twice.slowdowns[1]);
        match twice.sittings {
            Sittings::Same => chart.draw_series([Circle::new(point, 3, colour(0).mix(0.6).filled())])?,
            Sittings::Different => chart.draw_series([Circle::new(point, 3, colour(1).stroke_width(1))])?,
        };
    }
    let entries =
        [("both of one sitting", colour(0).filled()), ("of two sittings", colour(1).stroke_width(1))];
    for (index, (what, style)) in entries.into_iter().enumerate() {
        let y = 18 + 16 * index as i32;
        area.draw(&Circle::new((SIZE.0 as i32 - 20, y), 3, style))?;
        let label = text_at(11.0, HPos::Right, VPos::Center);
        area.draw(&Text::new(what, (SIZE.0 as i32 - 30, y), label))?;
    }
    Ok(())
}
