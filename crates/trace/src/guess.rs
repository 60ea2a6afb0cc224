//! What the columns of a table are taken for, where no format says it.

use serde::{Deserialize, Serialize};

use crate::Metric;

/// What a column of a table is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "kebab-case")]
pub enum Role {
    /// Of no use.
    Ignored,
    /// The time.
    Time {
        /// The unit, by its name among [`Role::TIME_UNITS`].
        unit: String,
    },
    /// A metric of the node. Several columns of one metric are added up.
    Metric {
        /// Which.
        metric: Metric,
        /// The unit of the file, by its name among [`Role::units`].
        unit: String,
    },
}

/// What a person, or an earlier guess, says the columns of a table are. Columns go by their names in the header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mapping {
    /// Name and role of each column; those not named are guessed.
    pub columns: Vec<(String, Role)>,
}

/// A column of a table and what it was taken for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuessedColumn {
    /// Its name in the header; `column 3` if it has none.
    pub header: String,
    /// The first few cells, as they are.
    pub examples: Vec<String>,
    /// What it was taken for.
    #[serde(flatten)]
    pub role: Role,
    /// Why, in a few words. Said by a person: so.
    pub reason: String,
}

/// What a table's columns were taken for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Guess {
    /// Each column, in the order of the file.
    pub columns: Vec<GuessedColumn>,
}
