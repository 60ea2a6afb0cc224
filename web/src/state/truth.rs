//! Measured co-runs, to lay over the forecast.

use crate::messages::{Measured, Problem};

/// Where a measured run comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum TruthSource {
    /// It comes with the page: the trace, relative to the samples' index.
    Sample(String),
    /// The person brought it: what the worker calls it, and its name.
    File(u32, String),
}

/// A measured run that is asked for, to lay over the forecast.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthRequest {
    /// Where it comes from.
    pub source: TruthSource,
    /// The names of the jobs of the forecast.
    pub names: Vec<String>,
    /// The forecast's grid.
    pub step_seconds: f64,
}

/// A measured run of the very jobs that are forecast.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// What was asked for.
    pub request: TruthRequest,
    /// The measurement.
    pub measured: Measured,
    /// When each job of the forecast started and ended, from the first one's start. `None`: the file doesn't say.
    pub spans: Vec<Option<(f64, f64)>>,
}

impl Truth {
    /// When B started after A, if that is known. Negative: before A.
    pub fn offset_seconds(&self) -> Option<f64> {
        match self.spans[..] {
            [Some(a), Some(b)] => Some(b.0 - a.0),
            _ => None,
        }
    }

    /// First start to last end.
    pub fn makespan_seconds(&self) -> f64 {
        let ends = self.spans.iter().flatten().map(|(_, end)| *end);
        let all = || {
            let steps = self.measured.metrics.values().map(Vec::len).max().unwrap_or(0);
            steps as f64 * self.measured.step_seconds
        };
        ends.reduce(f64::max).unwrap_or_else(all)
    }

    /// Whether the person brought it.
    pub fn is_own(&self) -> bool {
        matches!(self.request.source, TruthSource::File(..))
    }
}

/// Finds the jobs of a forecast among those of `measured`, whose time counts from the first one's start.
pub(super) fn truth(request: TruthRequest, measured: Measured) -> Result<Truth, Problem> {
    let span = |name: &str| {
        let job = measured.jobs.iter().find(|job| job.name == name)?;
        Some((job.start_seconds?, job.end_seconds?))
    };
    // The second copy of a job has a number.
    let label = |index: usize| {
        let name = &request.names[index];
        let copies = request.names[..index].iter().filter(|other| *other == name).count();
        if copies == 0 { name.clone() } else { format!("{name}-{}", copies + 1) }
    };
    let labels: Vec<String> = (0..request.names.len()).map(label).collect();
    let mut spans: Vec<Option<(f64, f64)>> = labels.iter().map(|label| span(label)).collect();
    let found = spans.iter().all(Option::is_some);
    match &request.source {
        TruthSource::Sample(file) if !found => {
            let message = format!("The measured run does not say when {} ran.", labels.join(" and "));
            return Err(Problem { file: Some(file.clone().into()), ..Problem::new("truth", message) });
        }
        // Files of other tools call jobs as they like: as many jobs as here are taken in their order.
        TruthSource::File(..) if !found && measured.jobs.len() == spans.len() => {
            spans = measured.jobs.iter().map(|job| job.start_seconds.zip(job.end_seconds)).collect();
        }
        _ => {}
    }
    Ok(Truth { request, measured, spans })
}
