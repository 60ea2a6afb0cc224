//! An evaluation in pictures.

// Pixels of a picture are few.
#![allow(clippy::cast_possible_wrap)]

use std::error::Error;

use cotrace_dataset::plot::{Area, Drawn, GRID, INK, colour, svg, text, text_at, tick};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use crate::evaluation::{Evaluation, Row, Section, SlowdownFigures};

/// A picture of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// What its file is called.
    pub file: String,
    /// What is to be seen, for those who can't see it.
    pub what: String,
    /// The section that it belongs to; `None`: the evaluation.
    pub section: Option<String>,
    /// The picture.
    pub svg: String,
}

/// A picture can't be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the plot {file} can't be drawn: {why}")]
pub struct PlotError {
    /// What its file is called.
    pub file: String,
    /// What the library says.
    pub why: String,
}

/// With fewer slowdowns a picture shows nothing.
const LEAST_SLOWDOWNS: usize = 10;

/// Width and height of a panel, in pixels.
const PANEL: (u32, u32) = (420, 440);

/// Width of the comparison, and where its scale begins.
const WIDTH: u32 = 760;
const LABELS: u32 = 190;

/// Height of a method's line, and of what is around all of them.
const LINE: u32 = 24;
const AROUND: u32 = 90;

impl Evaluation {
    /// How methods compare, and of those compared with the others, what they forecast and what was measured.
    ///
    /// # Errors
    /// The library's.
    pub fn plots(&self) -> Result<Vec<Plot>, PlotError> {
        let mut plots = Vec::new();
        let compared: Vec<&Section> = self.sections.iter().filter(|section| enough(section)).collect();
        if !compared.is_empty() && self.methods.len() > 1 {
            let height = AROUND + LINE * self.methods.len() as u32;
            plots.push(plot(
                "errors.svg",
                "Slowdown errors of every method, a dot for each kind of co-runs",
                None,
                (WIDTH, height),
                |area| draw_errors(area, self, &compared),
            )?);
        }
        for section in compared {
            let rows: Vec<&Row> =
                section.rows.iter().filter(|row| row.slowdowns.len() >= LEAST_SLOWDOWNS).collect();
            if rows.is_empty() {
                continue;
            }
            let names: Vec<&str> = rows.iter().map(|row| &*row.method).collect();
            let what = format!("Forecast and measured slowdowns: {}", names.join(", "));
            plots.push(plot(
                &format!("slowdowns-{}.svg", section.name),
                &what,
                Some(&section.name),
                (PANEL.0 * rows.len() as u32, PANEL.1),
                |area| draw_slowdowns(area, &rows),
            )?);
        }
        Ok(plots)
    }
}

/// Whether a section has enough slowdowns for a picture.
fn enough(section: &Section) -> bool {
    section.rows.iter().any(|row| row.seeds.iter().any(|figures| figures.jobs >= LEAST_SLOWDOWNS))
}

fn plot(
    file: &str,
    what: &str,
    section: Option<&str>,
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<Plot, PlotError> {
    let error = |error: Box<dyn Error>| PlotError { file: file.to_owned(), why: error.to_string() };
    Ok(Plot {
        file: file.to_owned(),
        what: what.to_owned(),
        section: section.map(str::to_owned),
        svg: svg(size, draw).map_err(error)?,
    })
}

fn draw_errors(area: &Area<'_>, evaluation: &Evaluation, sections: &[&Section]) -> Drawn {
    area.draw(&Text::new("Mean absolute slowdown error, points", (10, 8), text(15.0)))?;
    let points = |section: &Section, method: &str| -> Vec<f64> {
        let row = section.rows.iter().find(|row| row.method == method);
        let figures = row.into_iter().flat_map(|row| &row.seeds);
        figures.filter_map(|figures| Some(figures.slowdown_points?.mean)).collect()
    };
    let largest = sections
        .iter()
        .flat_map(|section| evaluation.methods.iter().flat_map(|method| points(section, &method.name)))
        .fold(1.0, f64::max);
    let methods = evaluation.methods.len();
    let place = area.clone().shrink((LABELS, 54), (WIDTH - LABELS, AROUND - 54 + LINE * methods as u32));
    let mut chart = ChartBuilder::on(&place)
        .margin_right(16)
        .x_label_area_size(28)
        .build_cartesian_2d(0.0..largest * 1.04, 0.0..methods as f64)?;
    chart
        .configure_mesh()
        .disable_y_axis()
        .disable_y_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text(11.0))
        .x_label_formatter(&|value| tick(*value))
        .draw()?;
    for (at, method) in evaluation.methods.iter().enumerate() {
        // From above, half a line down.
        let y = (methods - at) as f64 - 0.5;
        for (index, section) in sections.iter().enumerate() {
            let of_seeds = points(section, &method.name);
            let low = of_seeds.iter().copied().fold(f64::INFINITY, f64::min);
            let high = of_seeds.iter().copied().fold(0.0, f64::max);
            if of_seeds.is_empty() {
                continue;
            }
            let mean = of_seeds.iter().sum::<f64>() / of_seeds.len() as f64;
            let style = colour(index);
            chart.draw_series([PathElement::new(vec![(low, y), (high, y)], style.stroke_width(2))])?;
            chart.draw_series([Circle::new((mean, y), 4, style.filled())])?;
        }
        let line = 54 + (LINE * at as u32 + LINE / 2) as i32;
        let label = text_at(12.0, HPos::Right, VPos::Center);
        area.draw(&Text::new(method.name.clone(), (LABELS as i32 - 10, line), label))?;
    }
    for (index, section) in sections.iter().enumerate() {
        let x = LABELS as i32 + 150 * index as i32;
        area.draw(&Circle::new((x, 40), 4, colour(index).filled()))?;
        area.draw(&Text::new(section.name.clone(), (x + 10, 40), text_at(12.0, HPos::Left, VPos::Center)))?;
    }
    Ok(())
}

fn draw_slowdowns(area: &Area<'_>, rows: &[&Row]) -> Drawn {
    let all = || rows.iter().flat_map(|row| &row.slowdowns);
    let values = all().flat_map(|found| [found.forecast, found.measured]);
    let (low, high) = values.fold((1.0_f64, 1.1_f64), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) = ((low * 10.0 - 0.5).floor() / 10.0, (high * 10.0 + 0.5).ceil() / 10.0);
    for (row, panel) in rows.iter().zip(area.split_evenly((1, rows.len()))) {
        panel.draw(&Text::new(row.method.clone(), (10, 8), text(15.0)))?;
        let place = panel.clone().shrink((0, 30), (PANEL.0, PANEL.1 - 30));
        let mut chart = ChartBuilder::on(&place)
            .margin(8)
            .x_label_area_size(38)
            .y_label_area_size(50)
            .build_cartesian_2d(low..high, low..high)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(text(11.0))
            .axis_desc_style(text(12.0))
            .x_desc("slowdown, forecast")
            .y_desc("slowdown, measured")
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&|value| tick(*value))
            .draw()?;
        chart.draw_series(LineSeries::new([(low, low), (high, high)], INK.stroke_width(1)))?;
        for found in &row.slowdowns {
            let style = if is_outside(found) { colour(1).filled() } else { colour(0).mix(0.5).filled() };
            chart.draw_series([Circle::new((found.forecast, found.measured), 3, style)])?;
        }
        if row.slowdowns.iter().any(|found| found.interval.is_some()) {
            let label = text_at(11.0, HPos::Right, VPos::Center);
            panel.draw(&Circle::new((PANEL.0 as i32 - 18, 16), 3, colour(1).filled()))?;
            panel.draw(&Text::new("outside its 90 % interval", (PANEL.0 as i32 - 28, 16), label))?;
        }
    }
    Ok(())
}

/// Whether what was measured is not in the forecast's interval.
fn is_outside(found: &SlowdownFigures) -> bool {
    found.interval.is_some_and(|[low, high]| !(low..=high).contains(&found.measured))
}
