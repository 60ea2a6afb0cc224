//! The traces that JavaScript holds numbers for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cotrace_forecast::Forecast;
use cotrace_model::{Forecaster, Job, Options};
use cotrace_trace::canonical::write_csv;
use cotrace_trace::{Capacity, Format, ReadOptions, Trace, read, read_as};
use serde::Deserialize;

use crate::answers::{Measured, Overview, TraceInfo};
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
    /// How many times as much it has to do as in its trace: it uses the same for so many times as long.
    #[serde(default = "once")]
    pub size: f64,
}

fn once() -> f64 {
    1.0
}

/// How a file is to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadRequest {
    /// As what. `None`: its content says.
    pub format: Option<Format>,
    /// What the file may leave open.
    pub options: ReadOptions,
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
    /// With the place in the file, if it is no trace; `usage` if a number in `request` makes no sense.
    pub fn read(&mut self, name: &str, bytes: &[u8], request: &ReadRequest) -> Result<TraceInfo, ApiError> {
        sensible(&request.options.capacity)?;
        positive("step_seconds", request.options.step_seconds)?;
        let trace = match request.format {
            Some(format) => read_as(format, name, bytes, &request.options)?,
            None => read(name, bytes, &request.options)?,
        };
        Ok(self.keep(trace))
    }

    fn keep(&mut self, trace: Trace) -> TraceInfo {
        self.last += 1;
        let info = TraceInfo::new(self.last, &trace);
        self.traces.insert(self.last, trace);
        info
    }

    /// Keeps the part of a trace between two times, in seconds from its start, as a trace of its own.
    ///
    /// # Errors
    /// `no-such-trace`; `usage` if the times are none, or there are no samples between them.
    pub fn crop(&mut self, handle: u32, from_seconds: f64, to_seconds: f64) -> Result<TraceInfo, ApiError> {
        let whole = self.get(handle)?;
        if !(from_seconds.is_finite()
            && to_seconds.is_finite()
            && 0.0 <= from_seconds
            && from_seconds < to_seconds)
        {
            return Err(ApiError::usage(format!(
                "A stretch must end after it starts, at 0 s or later: not {from_seconds} to {to_seconds}."
            )));
        }
        let cropped = whole.crop(from_seconds, to_seconds);
        if cropped.time_seconds.is_empty() {
            let message = format!("There are no samples between {from_seconds} s and {to_seconds} s.");
            return Err(ApiError::usage(message));
        }
        Ok(self.keep(cropped))
    }

    /// Puts a trace on a coarse grid to plot, see [`Overview::new`].
    ///
    /// # Errors
    /// `no-such-trace`; `usage` if `points` is not at least 1.
    pub fn overview(&self, handle: u32, points: f64) -> Result<Overview, ApiError> {
        if !(1.0..=1e5).contains(&points) {
            return Err(ApiError::usage(format!("points must be from 1 to 100000, not {points}.")));
        }
        Ok(Overview::new(self.get(handle)?, points))
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
        let traces = self.sized(requests)?;
        Ok(forecaster.forecast(&jobs(requests, &traces), &Options { node })?)
    }

    /// When jobs end for each of some starts of one of them, `[starts][jobs]`.
    ///
    /// # Errors
    /// As for [`Traces::forecast`].
    pub fn finishes(
        &self,
        forecaster: &Forecaster,
        requests: &[JobRequest],
        node: Capacity,
        moved: usize,
        offsets_seconds: &[f64],
    ) -> Result<Vec<Vec<f64>>, ApiError> {
        sensible(&node)?;
        if moved >= requests.len() {
            return Err(ApiError::usage(format!("There is no job {moved}: jobs are counted from 0.")));
        }
        if offsets_seconds.len() > MOST_STARTS {
            return Err(ApiError::usage(format!("At most {MOST_STARTS} starts are tried at once.")));
        }
        let traces = self.sized(requests)?;
        Ok(forecaster.finishes(&jobs(requests, &traces), &Options { node }, moved, offsets_seconds)?)
    }

    /// The traces that are asked for, as long as they are asked for.
    fn sized(&self, requests: &[JobRequest]) -> Result<Vec<Cow<'_, Trace>>, ApiError> {
        let sized = |request: &JobRequest| {
            let trace = self.get(request.handle)?;
            positive("size", Some(request.size))?;
            let as_it_is = request.size == 1.0;
            Ok(if as_it_is { Cow::Borrowed(trace) } else { Cow::Owned(trace.stretched(request.size)) })
        };
        requests.iter().map(sized).collect()
    }

    /// A trace as canonical CSV, in at most `rows` rows: to keep it, or to hand it on.
    ///
    /// # Errors
    /// `no-such-trace`; `usage` if `rows` is not at least 1.
    pub fn write(&self, handle: u32, rows: Option<f64>) -> Result<String, ApiError> {
        let trace = self.get(handle)?;
        let trace = match rows {
            None => Cow::Borrowed(trace),
            Some(rows) if rows >= 1.0 => Cow::Owned(trace.coarser(rows as usize)),
            Some(rows) => return Err(ApiError::usage(format!("rows must be at least 1, not {rows}."))),
        };
        let mut csv = Vec::new();
        let written = write_csv(&trace, &mut csv).map_err(|error| error.to_string());
        let text = written.and_then(|()| String::from_utf8(csv).map_err(|error| error.to_string()));
        text.map_err(|why| ApiError::new("internal", format!("The trace can't be written: {why}")))
    }
}

/// The most starts that are tried at once.
const MOST_STARTS: usize = 200;

fn jobs<'a>(requests: &[JobRequest], traces: &'a [Cow<'_, Trace>]) -> Vec<Job<'a>> {
    let job = |(request, trace): (&JobRequest, &'a Cow<'_, Trace>)| Job {
        name: request.name.clone().unwrap_or_else(|| trace.name.clone()),
        trace,
        offset_seconds: request.offset_seconds,
    };
    requests.iter().zip(traces).map(job).collect()
}

/// Every capacity given must be a positive number.
fn sensible(capacity: &Capacity) -> Result<(), ApiError> {
    let parts = [
        ("cores", capacity.cores),
        ("memory_bytes", capacity.memory_bytes),
        ("disk_bytes_per_second", capacity.disk_bytes_per_second),
        ("network_bytes_per_second", capacity.network_bytes_per_second),
    ];
    parts.into_iter().try_for_each(|(name, value)| positive(name, value))
}

fn positive(name: &str, value: Option<f64>) -> Result<(), ApiError> {
    match value.filter(|value| !(value.is_finite() && *value > 0.0)) {
        None => Ok(()),
        Some(value) => Err(ApiError::usage(format!(
            "{name} must be a positive number, or null if it is not known, not {value}."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLO: &str = include_str!("../tests/fixtures/solo.csv");
    const PAIR: &str = include_str!("../tests/fixtures/pair.csv");

    fn read_solo() -> (Traces, TraceInfo) {
        let mut traces = Traces::default();
        let info = traces.read("solo.csv", SOLO.as_bytes(), &ReadRequest::default()).unwrap();
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
        let second = traces.read("solo.csv", SOLO.as_bytes(), &ReadRequest::default()).unwrap();
        assert_ne!(first.handle, second.handle);
    }

    #[test]
    fn a_file_that_fails_leaves_the_others() {
        let (mut traces, info) = read_solo();
        let broken = SOLO.replace("1.5", "one");
        let error = traces.read("broken.csv", broken.as_bytes(), &ReadRequest::default()).unwrap_err();
        assert_eq!((error.file.as_deref(), error.line), (Some("broken.csv"), Some(6)), "{error:?}");
        assert_eq!(error.column.as_deref(), Some("cpu_cores"));
        assert!(traces.get(info.handle).is_ok());
    }

    #[test]
    fn a_measurement_starts_with_its_first_job() {
        let mut traces = Traces::default();
        let info = traces.read("pair.csv", PAIR.as_bytes(), &ReadRequest::default()).unwrap();
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
            let request = ReadRequest { options: ReadOptions::with_cores(cores), ..ReadRequest::default() };
            let error = traces.read("solo.csv", SOLO.as_bytes(), &request).unwrap_err();
            assert_eq!(error.kind, "usage", "{cores}");
            assert!(error.message.starts_with("cores must be"), "{error}");
        }
    }

    #[test]
    fn a_crop_is_a_trace_beside_the_whole() {
        let (mut traces, whole) = read_solo();
        let part = traces.crop(whole.handle, 2.0, 6.0).unwrap();
        assert_ne!(part.handle, whole.handle);
        assert_eq!((part.health.samples, part.health.duration_seconds), (4, 4.0));
        assert_eq!(part.name, whole.name);
        assert_eq!(traces.get(whole.handle).unwrap().duration_seconds(), 8.0);
        // The job is cut with it, so that its run time is that of the stretch.
        assert_eq!((part.jobs[0].start_seconds, part.jobs[0].end_seconds), (Some(0.0), Some(4.0)));
        for (from, to) in
            [(6.0, 2.0), (3.0, 3.0), (-1.0, 4.0), (f64::NAN, 4.0), (0.0, f64::INFINITY), (8.0, 9.0)]
        {
            assert_eq!(traces.crop(whole.handle, from, to).unwrap_err().kind, "usage", "{from} to {to}");
        }
        assert_eq!(traces.crop(99, 0.0, 1.0).unwrap_err().kind, "no-such-trace");
    }

    #[test]
    fn an_overview_has_at_most_the_points_asked_for() {
        let (traces, info) = read_solo();
        let cpu = |points: f64| {
            let overview = traces.overview(info.handle, points).unwrap();
            (overview.step_seconds, overview.metrics[&cotrace_trace::Metric::CpuCores].clone())
        };
        assert_eq!(cpu(4.0), (2.0, vec![Some(1.25), Some(2.0), Some(1.0), Some(0.75)]));
        // Samples are not made up between those that there are.
        assert_eq!(cpu(1000.0).0, 1.0);
        for points in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(traces.overview(info.handle, points).unwrap_err().kind, "usage", "{points}");
        }
    }

    #[test]
    fn a_file_can_be_read_as_a_format_and_with_a_step() {
        let mut traces = Traces::default();
        let vmstat = " r b swpd free buff cache si so bi bo in cs us sy id wa st\n\
                      1 0 0 4000 100 900 0 0 8 16 100 200 50 0 50 0 0\n\
                      2 0 0 4000 100 900 0 0 8 16 100 200 50 0 50 0 0\n\
                      2 0 0 4000 100 900 0 0 8 16 100 200 50 0 50 0 0\n";
        let vmstat = vmstat.as_bytes();
        let info = traces.read("vmstat.txt", vmstat, &ReadRequest::default()).unwrap();
        assert_eq!((info.format.as_str(), info.step_assumed), ("vmstat", true));
        let options = ReadOptions { step_seconds: Some(5.0), ..ReadOptions::default() };
        let said = ReadRequest { options, ..ReadRequest::default() };
        let info = traces.read("vmstat.txt", vmstat, &said).unwrap();
        assert_eq!((info.health.step_seconds, info.step_assumed), (5.0, false));

        let forced = ReadRequest { format: Some(Format::CotraceJson), ..ReadRequest::default() };
        let error = traces.read("vmstat.txt", vmstat, &forced).unwrap_err();
        assert_ne!(error.kind, "not-a-trace", "{error:?}");
        let options = ReadOptions { step_seconds: Some(0.0), ..ReadOptions::default() };
        let nonsense = ReadRequest { options, ..ReadRequest::default() };
        assert_eq!(traces.read("vmstat.txt", vmstat, &nonsense).unwrap_err().kind, "usage");
    }
}
