//! Tables of outside data sets, with errors that name the cell.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::DataError;

/// Why an outside data set can't be put into this layout.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] DataError),
    /// A file is no table.
    #[error("{}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and in which line.
        source: csv::Error,
    },
    /// A column is missing.
    #[error("{}, line 1: there is no column {column}", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A cell doesn't hold what it should.
    #[error("{}, line {line}, column {column}: expected {expected}, found {seen:?}", path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        seen: String,
    },
}

/// A table in memory.
pub(super) struct Table {
    path: PathBuf,
    columns: BTreeMap<String, usize>,
    rows: Vec<csv::StringRecord>,
}

/// A row of a table.
pub(super) struct Row<'a> {
    table: &'a Table,
    record: &'a csv::StringRecord,
}

impl Table {
    pub(super) fn read(path: &Path) -> Result<Table, ImportError> {
        let bytes = std::fs::read(path).map_err(DataError::file(path))?;
        let wrong = |source| ImportError::Table { path: path.to_owned(), source };
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let heads = reader.headers().map_err(wrong)?.iter().map(str::to_owned);
        let columns = heads.enumerate().map(|(index, head)| (head, index)).collect();
        let rows = reader.records().collect::<Result<_, _>>().map_err(wrong)?;
        Ok(Table { path: path.to_owned(), columns, rows })
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|record| Row { table: self, record })
    }
}

impl Row<'_> {
    /// The text of a cell.
    pub(super) fn text(&self, column: &str) -> Result<&str, ImportError> {
        let Some(index) = self.table.columns.get(column) else {
            return Err(ImportError::Column { path: self.table.path.clone(), column: column.to_owned() });
        };
        Ok(self.record.get(*index).unwrap_or_default().trim())
    }

    /// The number in a cell; `NaN` where it is empty, which means unknown.
    pub(super) fn number(&self, column: &str) -> Result<f64, ImportError> {
        let text = self.text(column)?;
        if text.is_empty() || text.eq_ignore_ascii_case("nan") {
            return Ok(f64::NAN);
        }
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| self.wrong(column, "a number"))
    }

    /// The number in a cell that must have one.
    pub(super) fn known(&self, column: &str) -> Result<f64, ImportError> {
        let number = self.number(column)?;
        if number.is_nan() { Err(self.wrong(column, "a number")) } else { Ok(number) }
    }

    /// The error that a cell is not what it should be.
    pub(super) fn wrong(&self, column: &str, expected: &'static str) -> ImportError {
        ImportError::Cell {
            path: self.table.path.clone(),
            line: self.record.position().map_or(0, csv::Position::line),
            column: column.to_owned(),
            expected,
            seen: self.text(column).unwrap_or_default().to_owned(),
        }
    }
}
