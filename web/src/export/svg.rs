//! A forecast as a picture: the answer, the legend and the charts, on white, in colours that print.

use std::fmt::Write as _;

use cotrace_forecast::Forecast;

use crate::charts::layers::Chart;
use crate::figures::{headline, ticks};
use crate::format::digits;
use crate::state::State;

/// Width of the picture, and of what is around the charts.
const WIDTH: f64 = 900.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;

/// Height of a chart, and of what is above and below it.
const CHART: f64 = 130.0;
const ABOVE: f64 = 26.0;
const BELOW: f64 = 30.0;

/// Colours of the jobs, as in the style sheet on white.
const JOBS: [&str; 4] = ["#0072b2", "#b84f00", "#007a5a", "#a0447c"];
const INK: &str = "#1d2125";
const MUTED: &str = "#5b6168";
const GRID: &str = "#e3e5e8";

/// What people call the jobs of a forecast: the letter, and the trace's name.
pub fn names(state: &State) -> Vec<(usize, String)> {
    let named = |place: crate::state::Place| {
        let trace = state.slot(place).trace.as_ref()?;
        Some((place.index(), format!("{}, {}", place.letter(), trace.name)))
    };
    state.places().filter(|place| !state.control(*place).muted).filter_map(named).collect()
}

/// The picture.
pub fn page(forecast: &Forecast, charts: &[Chart], jobs: &[(usize, String)]) -> String {
    let shown: Vec<&Chart> = charts.iter().filter(|chart| !chart.quiet || chart.key == "cpu_cores").collect();
    let (together, slowed) = headline(forecast);
    let head = 92.0;
    let height = head + shown.len() as f64 * (ABOVE + CHART + BELOW) + 24.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    text(
        &mut out,
        [20.0, 28.0],
        "start",
        &format!("font-size=\"16\" font-weight=\"600\" fill=\"{INK}\""),
        &together,
    );
    text(&mut out, [20.0, 48.0], "start", &format!("font-size=\"13\" fill=\"{INK}\""), &slowed);
    legend(&mut out, charts, jobs);
    let mut top = head;
    for chart in shown {
        draw(&mut out, chart, top + ABOVE);
        top += ABOVE + CHART + BELOW;
    }
    let made = format!("Forecast by {} {}, Cotrace", forecast.model.name, forecast.model.version);
    text(&mut out, [20.0, height - 10.0], "start", &format!("font-size=\"11\" fill=\"{MUTED}\""), &made);
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String, charts: &[Chart], jobs: &[(usize, String)]) {
    let mut x = 20.0;
    let mut entry = |mark: &str, name: &str| {
        let _ = write!(out, "<g transform=\"translate({x} 66)\">{mark}</g>");
        text(out, [x + 26.0, 74.0], "start", &format!("font-size=\"11\" fill=\"{INK}\""), name);
        // Letters are about half as wide as high.
        x += 40.0 + 6.0 * name.chars().count() as f64;
    };
    for (colour, name) in jobs {
        let colour = JOBS[*colour % JOBS.len()];
        entry(
            &format!(
                "<rect width=\"20\" height=\"10\" fill=\"{colour}\" fill-opacity=\"0.45\" stroke=\"{colour}\"/>"
            ),
            name,
        );
    }
    let line = |style: &str| format!("<path d=\"M0 5H20\" fill=\"none\" {style}/>");
    entry(&line(&format!("stroke=\"{INK}\" stroke-width=\"1.5\"")), "forecast, 90 % band");
    entry(&line(&format!("stroke=\"{MUTED}\" stroke-dasharray=\"2 3\"")), "traces added up");
    if charts.iter().any(|chart| !chart.truth.is_empty()) {
        entry(&line(&format!("stroke=\"{INK}\" stroke-width=\"2\" stroke-dasharray=\"6 4\"")), "measured");
    }
}

/// A place in the picture for a moment and a value.
struct Axes {
    end_seconds: f64,
    top: f64,
    /// The upper edge of the chart.
    y: f64,
}

impl Axes {
    fn x(&self, seconds: f64) -> f64 {
        LEFT + (seconds / self.end_seconds).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        self.y + CHART - (value / self.top).clamp(0.0, 1.0) * CHART
    }

    /// A line through the known values; gaps stay gaps.
    fn line(&self, time: &[f64], values: &[Option<f64>]) -> String {
        let mut path = String::new();
        let mut down = false;
        for (at, value) in time.iter().zip(values) {
            if let Some(value) = value {
                let letter = if down { 'L' } else { 'M' };
                let _ = write!(path, "{letter}{:.1} {:.1}", self.x(*at), self.y(*value));
            }
            down = value.is_some();
        }
        path
    }

    /// The area between two lines, where both are known.
    fn area(&self, time: &[f64], lower: &[Option<f64>], upper: &[Option<f64>]) -> String {
        let known: Vec<(f64, f64, f64)> = time
            .iter()
            .zip(lower.iter().zip(upper))
            .filter_map(|(at, (low, high))| Some((self.x(*at), self.y((*low)?), self.y((*high)?))))
            .collect();
        let mut path = String::new();
        for (k, (x, _, high)) in known.iter().enumerate() {
            let letter = if k == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{x:.1} {high:.1}");
        }
        for (x, low, _) in known.iter().rev() {
            let _ = write!(path, "L{x:.1} {low:.1}");
        }
        path
    }
}

fn draw(out: &mut String, chart: &Chart, y: f64) {
    let axes = Axes { end_seconds: chart.end_seconds, top: chart.top, y };
    let title = format!("{}, {} {}", chart.title, chart.unit, chart.capacity_text);
    text(out, [LEFT, y - 8.0], "start", &format!("font-weight=\"600\" fill=\"{INK}\""), title.trim_end());
    let small = format!("font-size=\"10\" fill=\"{MUTED}\"");
    for share in [0.0, 0.5, 1.0] {
        let value = chart.top * share;
        let at = axes.y(value);
        let _ = write!(out, "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"{GRID}\"/>", WIDTH - RIGHT);
        text(out, [LEFT - 6.0, at + 3.0], "end", &small, &digits(value));
    }
    for (share, clock) in ticks(chart.end_seconds) {
        text(out, [axes.x(share * chart.end_seconds), y + CHART + 14.0], "middle", &small, &clock);
    }
    let mut path = |d: &str, style: &str| {
        if !d.is_empty() {
            let _ = write!(out, "<path d=\"{d}\" {style}/>");
        }
    };
    let mut below: Vec<Option<f64>> = vec![Some(0.0); chart.time.len()];
    for layer in &chart.layers {
        let colour = layer.job.map_or(MUTED, |job| JOBS[job % JOBS.len()]);
        path(
            &axes.area(&chart.time, &below, &layer.top),
            &format!("fill=\"{colour}\" fill-opacity=\"0.45\""),
        );
        below.clone_from(&layer.top);
    }
    path(
        &axes.area(&chart.time, &chart.lower, &chart.upper),
        &format!("fill=\"{INK}\" fill-opacity=\"0.08\""),
    );
    let line = |stroke: &str| format!("fill=\"none\" {stroke}");
    path(
        &axes.line(&chart.time, &chart.naive),
        &line(&format!("stroke=\"{MUTED}\" stroke-dasharray=\"2 3\"")),
    );
    path(&axes.line(&chart.time, &chart.total), &line(&format!("stroke=\"{INK}\" stroke-width=\"1.5\"")));
    path(
        &axes.line(&chart.time, &chart.truth),
        &line(&format!("stroke=\"{INK}\" stroke-width=\"2\" stroke-dasharray=\"6 4\"")),
    );
    if let Some(capacity) = chart.capacity {
        let at = axes.y(capacity);
        path(&format!("M{LEFT} {at:.1}H{:.1}", WIDTH - RIGHT), &format!("stroke=\"{INK}\""));
    }
}

fn text(out: &mut String, [x, y]: [f64; 2], anchor: &str, style: &str, words: &str) {
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{}</text>",
        escaped(words)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::layers::charts;
    use crate::fixtures::forecast;

    #[test]
    fn title_legend_and_every_busy_chart_are_in_the_picture() {
        let forecast = forecast();
        let jobs = [(0, "A, sort & <merge>".to_owned()), (1, "B, scan".to_owned())];
        let svg = page(&forecast, &charts(&forecast, None), &jobs);
        for part in [
            "Together they finish in",
            "A, sort &amp; &lt;merge&gt;",
            "CPU, cores",
            "Memory",
            "Disk read",
            JOBS[1],
        ] {
            assert!(svg.contains(part), "{part} is missing");
        }
        assert!(
            !svg.contains("Network receive") && !svg.contains("measured"),
            "what is quiet or unknown is left out"
        );
        assert_eq!(svg.matches("<svg").count(), 1);
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn gaps_stay_gaps() {
        let axes = Axes { end_seconds: 4.0, top: 1.0, y: 0.0 };
        let path = axes.line(&[0.5, 1.5, 2.5, 3.5], &[Some(0.0), None, Some(0.5), Some(1.0)]);
        assert_eq!(path.matches('M').count(), 2, "{path}");
    }
}
