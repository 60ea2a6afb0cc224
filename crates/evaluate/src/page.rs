//! An evaluation as a page for people.

use std::fmt::Write as _;

use crate::evaluation::{Evaluation, Row, Section};
use crate::figures::{Coverage, Figures, Spread};
use crate::{Difference, FOOTPRINT, Measure, Plot};

/// What stands where nothing is known.
const UNKNOWN: &str = "–";

impl Evaluation {
    /// As Markdown.
    pub fn markdown(&self) -> String {
        self.page(&[])
    }

    /// As Markdown that shows these plots, which lie beside it.
    pub fn page(&self, plots: &[Plot]) -> String {
        let mut out = format!("# How well forecasts do on the data set {}\n\n", self.data.name);
        let seeds = self.methods.iter().map(|method| method.seeds.len()).max().unwrap_or(0);
        let _ = writeln!(
            out,
            "{} co-runs of {} jobs; {} trainings; methods to which chance matters were fitted {seeds} times.\n",
            self.data.co_runs,
            self.data.jobs,
            self.trainings.len()
        );
        if !self.data.left_out.is_empty() {
            let _ = writeln!(out, "{} co-runs could not be forecast:\n", self.data.left_out.len());
            for left_out in &self.data.left_out {
                let _ = writeln!(out, "- {}: {}", left_out.run, left_out.why);
            }
            out.push('\n');
        }
        out.push_str(
            "Mean absolute errors ± standard deviation over co-runs (footprint) or jobs of co-runs (slowdown, finish \
             time); in parentheses the smallest and the largest mean of the seeds. Footprint: the mean of CPU, memory, disk \
             reads and disk writes, in percent of the node's capacity; *warped*: along the best alignment in time, so \
             the shape alone. Slowdowns in points, 0.01 of the duration alone; *order*: rank correlation of forecast and \
             measured slowdowns; *bias*: mean signed error.\n\n",
        );
        let show = |out: &mut String, plot: &Plot| {
            let _ = writeln!(out, "![{}]({})\n", plot.what, plot.file);
        };
        plots.iter().filter(|plot| plot.section.is_none()).for_each(|plot| show(&mut out, plot));
        for section in &self.sections {
            section.markdown(&mut out);
            let here = plots.iter().filter(|plot| plot.section.as_ref() == Some(&section.name));
            here.for_each(|plot| show(&mut out, plot));
        }
        let mut out = out.trim_end().to_owned();
        out.push('\n');
        out
    }
}

impl Section {
    fn markdown(&self, out: &mut String) {
        let _ = writeln!(out, "## {}\n\n{}\n", self.name, self.description);
        if self.rows.is_empty() {
            out.push_str("Nothing was measured.\n\n");
            return;
        }
        let (runs, jobs) = self.judged();
        let _ = writeln!(out, "{runs} footprints, {jobs} slowdowns.\n");
        out.push_str(
            "| | footprint per step, % | per tenth, % | warped, % | slowdown, points | bias | order | finish time, % |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for row in &self.rows {
            let cells = [
                row.spread(|figures| figures.footprint_step_percent),
                row.spread(|figures| figures.footprint_tenths_percent),
                row.spread(|figures| figures.footprint_warped_percent),
                row.spread(|figures| figures.slowdown_points),
                row.mean(|figures| figures.slowdown_bias_points, 1),
                row.mean(|figures| figures.slowdown_rank_correlation, 2),
                row.spread(|figures| figures.finish_percent),
            ];
            let part = if row.judged() == (runs, jobs) {
                String::new()
            } else {
                let (runs, jobs) = row.judged();
                format!(" (only {runs} and {jobs})")
            };
            let _ = writeln!(out, "| {}{part} | {} |", row.method, cells.join(" | "));
        }
        out.push('\n');
        self.metrics(out);
        self.coverage(out);
        self.distances(out);
        self.differences(out);
    }

    /// The most footprints and slowdowns that a method was judged by.
    fn judged(&self) -> (usize, usize) {
        let all = self.rows.iter().map(Row::judged);
        all.fold((0, 0), |(runs, jobs), (more, others)| (runs.max(more), jobs.max(others)))
    }

    fn metrics(&self, out: &mut String) {
        out.push_str("By metric, per step, % of capacity:\n\n|");
        for metric in FOOTPRINT {
            let _ = write!(out, " | {}", metric.title());
        }
        out.push_str(" |\n|---|---:|---:|---:|---:|\n");
        for row in &self.rows {
            let _ = write!(out, "| {}", row.method);
            for metric in FOOTPRINT {
                let error = row.mean(|figures| Some(figures.metrics.get(&metric)?.mae_step_percent), 1);
                let _ = write!(out, " | {error}");
            }
            out.push_str(" |\n");
        }
        out.push('\n');
    }

    fn coverage(&self, out: &mut String) {
        let rows: Vec<(&Row, Coverage)> =
            self.rows.iter().filter_map(|row| Some((row, row.seeds.first()?.slowdown_coverage?))).collect();
        if rows.is_empty() {
            return;
        }
        out.push_str("How often what was measured lay in the 90 % interval (first seed), and the interval's mean width:\n\n");
        out.push_str("| | slowdown | width, points |");
        for metric in FOOTPRINT {
            let _ = write!(out, " {} tenths | width, % |", metric.title());
        }
        let _ = writeln!(out, "\n|---|---:|---:|{}", "---:|---:|".repeat(FOOTPRINT.len()));
        let cells = |coverage: Option<Coverage>| match coverage {
            Some(coverage) => {
                format!("{:.1} % of {} | {:.0}", 100.0 * coverage.share, coverage.count, coverage.width)
            }
            None => format!("{UNKNOWN} | {UNKNOWN}"),
        };
        for (row, coverage) in rows {
            let _ = write!(out, "| {} | {} |", row.method, cells(Some(coverage)));
            for metric in FOOTPRINT {
                let tenths =
                    row.seeds.first().and_then(|figures| figures.tenths_coverage.get(&metric).copied());
                let _ = write!(out, " {} |", cells(tenths));
            }
            out.push('\n');
        }
        out.push('\n');
    }

    /// Whether forecasts that call themselves uncertain are.
    fn distances(&self, out: &mut String) {
        const FROM: [f64; 5] = [0.0, 1.0, 1.5, 2.0, f64::INFINITY];
        for row in &self.rows {
            let known: Vec<(f64, f64)> = row
                .slowdowns
                .iter()
                .filter_map(|found| Some((found.distance?, 100.0 * (found.forecast - found.measured).abs())))
                .collect();
            if known.is_empty() {
                continue;
            }
            let _ = writeln!(
                out,
                "Slowdown errors of {} in points by the distance that it named (1: usual for pairs of measured jobs):\n\n\
                 | distance | slowdowns | mean error |\n|---|---:|---:|",
                row.method
            );
            for range in FROM.windows(2) {
                let of_range = known.iter().filter(|(distance, _)| (range[0]..range[1]).contains(distance));
                let errors: Vec<f64> = of_range.map(|(_, error)| *error).collect();
                let mean = Spread::of(&errors);
                let mean = mean.map_or_else(|| UNKNOWN.to_owned(), |spread| format!("{:.1}", spread.mean));
                let name = match range {
                    [from, to] if to.is_infinite() => format!("{from} and more"),
                    range => format!("{} to {}", range[0], range[1]),
                };
                let _ = writeln!(out, "| {name} | {} | {mean} |", errors.len());
            }
            out.push('\n');
        }
    }

    fn differences(&self, out: &mut String) {
        let mut of: Vec<&str> = self.differences.iter().map(|difference| &*difference.of).collect();
        of.dedup();
        for of in of {
            let _ = writeln!(
                out,
                "{of} minus the others on the same co-runs, below zero where {of} does better; in brackets where 95 % of \
                 samples of jobs lie, bold where that leaves no doubt:\n"
            );
            out.push_str("| |");
            for measure in Measure::ALL {
                let _ = write!(out, " {} |", measure.title());
            }
            let _ = writeln!(out, "\n|---|{}", "---:|".repeat(Measure::ALL.len()));
            let mut than: Vec<&str> =
                self.differences.iter().filter(|d| d.of == of).map(|d| &*d.than).collect();
            than.dedup();
            for than in than {
                let _ = write!(out, "| {than} |");
                for measure in Measure::ALL {
                    let found = self
                        .differences
                        .iter()
                        .find(|other| other.of == of && other.than == than && other.measure == measure);
                    let _ = write!(out, " {} |", found.map_or_else(|| UNKNOWN.to_owned(), Difference::cell));
                }
                out.push('\n');
            }
            out.push('\n');
        }
    }
}

impl Difference {
    fn cell(&self) -> String {
        let [low, high] = self.interval;
        let text = format!("{:+.2} [{low:+.2}, {high:+.2}]", self.mean);
        if self.is_clear() { format!("**{text}**") } else { text }
    }
}

impl Row {
    /// Footprints and slowdowns judged.
    fn judged(&self) -> (usize, usize) {
        self.seeds.first().map_or((0, 0), |figures| (figures.runs, figures.jobs))
    }

    /// Mean over seeds of means and of deviations; the range of the means where there are several seeds.
    fn spread(&self, get: impl Fn(&Figures) -> Option<Spread>) -> String {
        let spreads: Vec<Spread> = self.seeds.iter().filter_map(get).collect();
        let over = |value: fn(&Spread) -> f64| Spread::of(&spreads.iter().map(value).collect::<Vec<_>>());
        let (Some(means), Some(deviations)) = (over(|spread| spread.mean), over(|spread| spread.deviation))
        else {
            return UNKNOWN.to_owned();
        };
        let (low, high) = spreads.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), spread| {
            (low.min(spread.mean), high.max(spread.mean))
        });
        let range = if spreads.len() > 1 { format!(" ({low:.1} to {high:.1})") } else { String::new() };
        format!("{:.1} ± {:.1}{range}", means.mean, deviations.mean)
    }

    /// Mean over seeds.
    fn mean(&self, get: impl Fn(&Figures) -> Option<f64>, digits: usize) -> String {
        let values: Vec<f64> = self.seeds.iter().filter_map(get).collect();
        Spread::of(&values).map_or_else(|| UNKNOWN.to_owned(), |spread| format!("{:.digits$}", spread.mean))
    }
}
