//! The traces that JavaScript holds numbers for.

use std::collections::BTreeMap;

use cotrace_forecast::Forecast;
use cotrace_model::{Forecaster, Job, Options};
use cotrace_trace::{Capacity, ReadOptions, Trace, read};
use serde::Deserialize;

use crate::answers::{Measured, TraceInfo};
use crate::error::ApiError;

/// One job of a forecast that is asked for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct JobRequest {
    /// The trace.
    pub handle: u32,
    /// What the forecast shall call it. `None`: as the trace is called.
    #[serde(default)]
    pub name: Option<String>,
    /// When it starts, from the first job's start.
    #[serde(default)]
    pub offset_seconds: f64,
}

/// Traces by their numbers.
#[derive(Debug, Default)]
pub struct Traces {
    traces: BTreeMap<u32, Trace>,
    last: u32,
}

impl Traces {
    /// Reads a file and keeps its trace.
    ///
    /// # Errors
    /// With the place in the file, if it is no trace; `usage` if `capacity` makes no sense.
    pub fn read(&mut self, name: &str, bytes: &[u8], capacity: Capacity) -> Result<TraceInfo, ApiError> {
        sensible(&capacity)?;
        let trace = read(name, bytes, &ReadOptions { capacity, ..ReadOptions::default() })?;
        self.last += 1;
        let info = TraceInfo::new(self.last, &trace);
        self.traces.insert(self.last, trace);
        Ok(info)
    }

    /// The trace of a number.
    ///
    /// # Errors
    /// `no-such-trace`.
    pub fn get(&self, handle: u32) -> Result<&Trace, ApiError> {
        self.traces.get(&handle).ok_or_else(|| ApiError::no_such_trace(handle))
    }

    /// Forgets a trace. Returns whether there was one.
    pub fn free(&mut self, handle: u32) -> bool {
        self.traces.remove(&handle).is_some()
    }

    /// Puts a trace on an even grid, see [`Measured::new`].
    ///
    /// # Errors
    /// `no-such-trace`; `usage` if `step_seconds` is no positive number.
    pub fn measure(&self, handle: u32, step_seconds: f64) -> Result<Measured, ApiError> {
        if !(step_seconds.is_finite() && step_seconds > 0.0) {
            return Err(ApiError::usage(format!(
                "step_seconds must be a positive number, not {step_seconds}."
            )));
        }
        Ok(Measured::new(self.get(handle)?, step_seconds))
    }

    /// Forecasts jobs together.
    ///
    /// # Errors
    /// `no-such-trace`, `usage`, or `forecast` with why the model can't.
    pub fn forecast(
        &self,
        forecaster: &Forecaster,
        requests: &[JobRequest],
        node: Capacity,
    ) -> Result<Forecast, ApiError> {
        sensible(&node)?;
        let job = |request: &JobRequest| -> Result<Job<'_>, ApiError> {
            let trace = self.get(request.handle)?;
            let name = request.name.clone().unwrap_or_else(|| trace.name.clone());
            Ok(Job { name, trace, offset_seconds: request.offset_seconds })
        };
        let jobs: Vec<Job<'_>> = requests.iter().map(job).collect::<Result<_, _>>()?;
        Ok(forecaster.forecast(&jobs, &Options { node })?)
    }
}

/// Every capacity given must be a positive number.
fn sensible(capacity: &Capacity) -> Result<(), ApiError> {
    let parts = [
        ("cores", capacity.cores),
        ("memory_bytes", capacity.memory_bytes),
        ("disk_bytes_per_second", capacity.disk_bytes_per_second),
        ("network_bytes_per_second", capacity.network_bytes_per_second),
    ];
    for (name, value) in parts {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            let message =
                format!("{name} must be a positive number, or null if it is not known, not {value}.");
            return Err(ApiError::usage(message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLO: &str = include_str!("../tests/fixtures/solo.csv");
    const PAIR: &str = include_str!("../tests/fixtures/pair.csv");

    fn read_solo() -> (Traces, TraceInfo) {
        let mut traces = Traces::default();
        let info = traces.read("solo.csv", SOLO.as_bytes(), Capacity::default()).unwrap();
        (traces, info)
    }

    #[test]
    fn a_trace_is_described_as_the_page_expects() {
        let (_, info) = read_solo();
        let mut wanted: serde_json::Value =
            serde_json::from_str(include_str!("../tests/fixtures/trace.json")).unwrap();
        let mut got = serde_json::to_value(&info).unwrap();
        // How health words its findings is its own affair; that it is there, and reads back, is what counts.
        for value in [&mut got, &mut wanted] {
            let health = value["health"].take();
            let health: cotrace_trace::Health = serde_json::from_value(health).unwrap();
            assert_eq!(health.samples, 8);
        }
        assert_eq!(got, wanted, "\n{got:#}");
    }

    #[test]
    fn handles_are_never_given_twice() {
        let (mut traces, first) = read_solo();
        assert!(traces.free(first.handle));
        assert!(!traces.free(first.handle));
        let error = traces.get(first.handle).unwrap_err();
        assert_eq!(error.kind, "no-such-trace");
        let second = traces.read("solo.csv", SOLO.as_bytes(), Capacity::default()).unwrap();
        assert_ne!(first.handle, second.handle);
    }

    #[test]
    fn a_file_that_fails_leaves_the_others() {
        let (mut traces, info) = read_solo();
        let broken = SOLO.replace("1.5", "one");
        let error = traces.read("broken.csv", broken.as_bytes(), Capacity::default()).unwrap_err();
        assert_eq!((error.file.as_deref(), error.line), (Some("broken.csv"), Some(6)), "{error:?}");
        assert_eq!(error.column.as_deref(), Some("cpu_cores"));
        assert!(traces.get(info.handle).is_ok());
    }

    #[test]
    fn a_measurement_starts_with_its_first_job() {
        let mut traces = Traces::default();
        let info = traces.read("pair.csv", PAIR.as_bytes(), Capacity::default()).unwrap();
        let measured = traces.measure(info.handle, 1.0).unwrap();
        let spans: Vec<_> =
            measured.jobs.iter().map(|job| (job.name.as_str(), job.start_seconds, job.end_seconds)).collect();
        assert_eq!(spans, [("sort", Some(0.0), Some(3.0)), ("scan", Some(1.0), Some(4.0))]);
        let cpu = &measured.metrics[&cotrace_trace::Metric::CpuCores];
        assert_eq!(cpu, &[Some(1.0), Some(2.0), None, Some(0.5)]);
    }

    #[test]
    fn numbers_that_make_no_sense_are_wrong_usage() {
        let (mut traces, info) = read_solo();
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(traces.measure(info.handle, step).unwrap_err().kind, "usage", "{step}");
        }
        for cores in [0.0, -2.0, f64::NAN] {
            let capacity = Capacity { cores: Some(cores), ..Capacity::default() };
            let error = traces.read("solo.csv", SOLO.as_bytes(), capacity).unwrap_err();
            assert_eq!(error.kind, "usage", "{cores}");
            assert!(error.message.starts_with("cores must be"), "{error}");
        }
    }
}
