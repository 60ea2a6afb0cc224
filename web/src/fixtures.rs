//! A trace and a forecast for tests.

use std::collections::BTreeMap;

use cotrace_forecast::{
    Contribution, Distance, Forecast, JobForecast, Limit, MemoryFits, MetricForecast, ModelName, Verdict,
};
use cotrace_trace::{Metric, Resource};

use crate::messages::TraceInfo;

/// As the worker describes it: the very file that `crates/wasm` keeps to.
pub(crate) fn trace() -> TraceInfo {
    let json = include_str!("../../crates/wasm/tests/fixtures/trace.json");
    serde_json::from_str(json).expect("the fixture is a TraceInfo")
}

/// Two jobs of 8 s and 6 s on 2 cores, the second slowed by the disk.
pub(crate) fn forecast() -> Forecast {
    let job = |name: &str, solo_seconds: f64, slowdown: f64, limits: Vec<Limit>| JobForecast {
        name: name.to_owned(),
        offset_seconds: 0.0,
        solo_seconds,
        finish_seconds: solo_seconds * slowdown,
        slowdown,
        slowdown_interval: [slowdown * 0.9, slowdown * 1.1],
        limits,
        lost: Vec::new(),
    };
    let disk =
        Limit { from_seconds: 2.0, to_seconds: 6.0, resource: Resource::Disk, share: 0.98, lost_ratio: None };
    let metric = |unit: &str, capacity: Option<f64>, background: f64, a: f64, b: f64| {
        let total = background + a + b;
        let contribution =
            |name: &str, value: f64| Contribution { name: name.to_owned(), contribution: vec![value; 5] };
        MetricForecast {
            unit: unit.to_owned(),
            capacity,
            background,
            total: vec![total; 5],
            lower: vec![total * 0.9; 5],
            upper: vec![total * 1.1; 5],
            jobs: vec![contribution("A", a), contribution("B", b)],
            naive_sum: vec![total * 1.2; 5],
        }
    };
    let gib = 1024f64.powi(3);
    Forecast {
        cotrace_forecast: 1,
        step_seconds: 2.0,
        time_seconds: vec![0.0, 2.0, 4.0, 6.0, 8.0],
        metrics: BTreeMap::from([
            (Metric::CpuCores, metric("cores", Some(2.0), 0.0, 1.0, 0.5)),
            (Metric::MemoryBytes, metric("bytes", Some(4.0 * gib), gib, gib, 0.5 * gib)),
            (Metric::DiskReadBytesPerSecond, metric("bytes/s", None, 0.0, 2e7, 3e7)),
            (Metric::NetworkReceiveBytesPerSecond, metric("bytes/s", None, 0.0, 0.0, 100.0)),
        ]),
        jobs: vec![job("A", 8.0, 1.2, vec![]), job("B", 6.0, 1.6, vec![disk])],
        makespan_seconds: 9.6,
        sequential_seconds: 14.0,
        memory_fits: Some(MemoryFits { probability: 0.99 }),
        distance: Distance { score: 0.4, verdict: Verdict::Near },
        model: ModelName {
            name: "cotrace".to_owned(),
            version: "1".to_owned(),
            unseen_jobs_slowdown_points: Some(16.3),
        },
        warnings: vec![],
    }
}
