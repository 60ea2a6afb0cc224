//! The series of a file as they come: values of a field, by device and row.

use std::collections::HashMap;

use super::{Signal, Unit};

/// A series of a file: a signal, the file's name for it, its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldId(pub(super) usize);

/// What a file calls by one name.
pub(super) struct Field {
    pub(super) signal: Signal,
    pub(super) source: String,
    pub(super) unit: Unit,
    pub(super) is_counter: bool,
    pub(super) series: Vec<Series>,
    /// Where the series of a device is.
    pub(super) by_device: HashMap<u32, usize>,
    /// The series after the one last used: devices come in the same order each time.
    pub(super) next: usize,
}

impl Field {
    /// The file's name, its unit, and whether it counts up.
    pub(super) fn described(&self) -> String {
        let mut source = self.source.clone();
        if !self.unit.name.is_empty() {
            source.push_str(&format!(" ({})", self.unit.name));
        }
        if self.is_counter {
            source.push_str(", change over time");
        }
        source
    }
}

/// The values of one device, or of the node if it has none.
pub(super) struct Series {
    pub(super) device: Option<u32>,
    pub(super) rows: Rows,
    pub(super) values: Vec<f64>,
}

/// Which rows the values of a series are in.
pub(super) enum Rows {
    /// This one and those after it.
    From(u32),
    /// These.
    Listed(Vec<u32>),
}

impl Series {
    /// Puts a value into a row. `false`: there is one already.
    pub(super) fn put(&mut self, row: u32, value: f64) -> bool {
        let (last, next) = match &self.rows {
            Rows::From(first) => (None, first + self.values.len() as u32),
            Rows::Listed(rows) => (rows.last().copied(), 0),
        };
        match &mut self.rows {
            Rows::From(_) if row == next => {}
            Rows::From(first) if (*first..next).contains(&row) => return false,
            Rows::From(first) => {
                let rows = (*first..next).chain([row]).collect();
                self.rows = Rows::Listed(rows);
            }
            Rows::Listed(_) if last == Some(row) => return false,
            // Times may come out of order in a later pass; what is there twice shows when they are sorted.
            Rows::Listed(rows) => rows.push(row),
        }
        self.values.push(value);
        true
    }

    pub(super) fn is_in_order(&self) -> bool {
        match &self.rows {
            Rows::From(_) => true,
            Rows::Listed(rows) => rows.is_sorted(),
        }
    }

    /// The row of each value.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        let (from, listed) = match &self.rows {
            Rows::From(first) => (*first..first + self.values.len() as u32, [].as_slice()),
            Rows::Listed(rows) => (0..0, rows.as_slice()),
        };
        from.chain(listed.iter().copied())
    }
}
