//! A data set shown to people: one page of Markdown with plots beside it.
//!
//! The same data set gives the same bytes.

// Pixels and numbers of jobs are small.
#![allow(clippy::cast_possible_wrap)]

mod markdown;
mod noise;
mod sittings;
mod slowdowns;
mod solos;
mod splits;
mod summary;
mod sums;

use std::path::{Path, PathBuf};

use crate::plot;
use crate::{DataError, DataSet, Noise, Slowdowns, Splits, SplitsError};

/// What the page is called.
pub const PAGE: &str = "report.md";

/// Why a report can't be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file can't be written.
    #[error("{0}")]
    File(#[from] DataError),
    /// The splits are of another data set.
    #[error("{0}")]
    Splits(#[from] SplitsError),
    /// A plot can't be drawn.
    #[error("{plot}: {what}")]
    Plot {
        /// The plot's file.
        plot: String,
        /// Why.
        what: String,
    },
}

/// A part of the report: text, and the files it shows by their names.
struct Section {
    text: String,
    files: Vec<(String, String)>,
}

impl Section {
    fn new(title: &str) -> Section {
        Section { text: format!("## {title}\n\n"), files: Vec::new() }
    }

    /// Adds a paragraph.
    fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    /// Adds a table.
    fn table(&mut self, table: &markdown::Table) {
        self.text.push_str(&table.to_string());
        self.text.push('\n');
    }

    /// Adds a plot; `what` says in words what it shows.
    fn plot(
        &mut self,
        file: &str,
        what: &str,
        size: (u32, u32),
        draw: impl FnOnce(&plot::Area<'_>) -> plot::Drawn,
    ) -> Result<(), ReportError> {
        let svg = plot::svg(size, draw)
            .map_err(|error| ReportError::Plot { plot: file.to_owned(), what: error.to_string() })?;
        self.files.push((file.to_owned(), svg));
        self.say(&format!("![{what}]({file})"));
        Ok(())
    }
}

/// Writes the report of a data set into a folder. Gives the files written, the page first.
///
/// # Errors
/// See [`ReportError`].
pub fn write(data: &DataSet, splits: &Splits, out: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let slowdowns = Slowdowns::of(&data.manifest);
    let noise = Noise::of(data);
    let sections = [
        summary::section(data),
        solos::section(data, &slowdowns)?,
        slowdowns::section(data, &slowdowns)?,
        noise::section(&noise)?,
        sittings::section(data, &slowdowns)?,
        sums::section(data),
        splits::section(data, splits)?,
    ];
    let mut page = format!("# Data set {}\n\n", data.manifest.name);
    let mut files = Vec::new();
    for section in sections {
        page.push_str(&section.text);
        files.extend(section.files);
    }
    files.insert(0, (PAGE.to_owned(), format!("{}\n", page.trim_end())));
    std::fs::create_dir_all(out).map_err(DataError::file(out))?;
    let mut written = Vec::new();
    for (name, content) in files {
        let path = out.join(name);
        std::fs::write(&path, content).map_err(DataError::file(&path))?;
        written.push(path);
    }
    Ok(written)
}

#[cfg(test)]
mod tests;
