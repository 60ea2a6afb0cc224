//! `evaluation.json`.

use serde::{Deserialize, Serialize};

use crate::{Difference, Figures, LeftOut};

/// How methods did on a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Version of this form: 1.
    pub cotrace_evaluation: u32,
    /// What they were judged on.
    pub data: DataInfo,
    /// The trainings: each method was fitted for each of them.
    pub trainings: Vec<String>,
    /// What was judged.
    pub methods: Vec<MethodInfo>,
    /// Figures, one section after the other.
    pub sections: Vec<Section>,
}

/// A data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataInfo {
    /// Its name.
    pub name: String,
    /// Jobs, without those that are another size of one.
    pub jobs: usize,
    /// Co-runs that can be forecast.
    pub co_runs: usize,
    /// Co-runs that can't, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodInfo {
    /// Its name.
    pub name: String,
    /// The seeds it was fitted with.
    pub seeds: Vec<u64>,
}

/// Figures of one kind of co-run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// What is judged here, in words.
    pub description: String,
    /// One of each method that had a forecast.
    pub rows: Vec<Row>,
    /// Comparisons of methods on the same cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

/// Figures of one method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The method.
    pub method: String,
    /// Its figures with each seed, in the order of [`MethodInfo::seeds`].
    pub seeds: Vec<Figures>,
    /// Slowdown by slowdown, of the first seed, if it is a method that is compared with others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowdowns: Vec<SlowdownFigures>,
}

/// One slowdown, forecast and measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowdownFigures {
    /// The co-run.
    pub run: String,
    /// The job.
    pub job: String,
    /// The slowdown that was forecast.
    pub forecast: f64,
    /// Its 90 % interval, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The slowdown that was measured.
    pub measured: f64,
    /// How many times farther off the forecast may be than others, as the method reckoned it, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
}
