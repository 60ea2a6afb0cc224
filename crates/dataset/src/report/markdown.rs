//! Tables in Markdown, and numbers in them.

use std::fmt;

use crate::Stats;

/// What stands where nothing is known.
pub(super) const UNKNOWN: &str = "–";

/// A table.
pub(super) struct Table {
    heads: Vec<String>,
    /// So many columns from the left hold text, the others numbers.
    text_columns: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(text_columns: usize, heads: &[&str]) -> Table {
        Table { heads: heads.iter().map(|head| (*head).to_owned()).collect(), text_columns, rows: Vec::new() }
    }

    /// Adds columns.
    pub(super) fn heads(&mut self, heads: impl IntoIterator<Item = impl Into<String>>) {
        self.heads.extend(heads.into_iter().map(Into::into));
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |", cells.join(" | "))
        };
        writeln!(f, "{}", line(&self.heads))?;
        let rule =
            (0..self.heads.len()).map(|index| if index < self.text_columns { "---|" } else { "---:|" });
        writeln!(f, "|{}", rule.collect::<String>())?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}

/// A number with so many digits after the point, or a dash.
pub(super) fn number(value: impl Into<Option<f64>>, digits: usize) -> String {
    match value.into() {
        Some(value) if value.is_finite() => format!("{value:.digits$}"),
        _ => UNKNOWN.to_owned(),
    }
}

/// Mean, median, 90th percentile, largest and count in five cells.
pub(super) fn stats(stats: Option<&Stats>, digits: usize) -> [String; 5] {
    let cell = |of: fn(&Stats) -> f64| number(stats.map(of), digits);
    [
        cell(|stats| stats.mean),
        cell(|stats| stats.median),
        cell(|stats| stats.p90),
        cell(|stats| stats.max),
        stats.map_or(0, |stats| stats.count).to_string(),
    ]
}

/// The heads of [`stats`].
pub(super) const STATS: [&str; 5] = ["mean", "median", "90th percentile", "largest", "count"];
