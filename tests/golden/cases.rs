// Included by the native and the WebAssembly golden tests: a model, measured solo traces, an offset, the forecast kept.

struct Case {
    /// The golden file, below the folder of this file, without its ending.
    name: &'static str,
    model: &'static [u8],
    a: (&'static str, &'static [u8]),
    b: (&'static str, &'static [u8]),
    offset_seconds: f64,
    golden: &'static [u8],
}

macro_rules! in_repository {
    ($($path:tt)+) => { include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../", $($path)+)) };
}

macro_rules! case {
    ($model:literal, $a:literal, $b:literal, $offset:literal) => {
        Case {
            name: concat!($model, "/", $a, "+", $b, "@", stringify!($offset)),
            model: in_repository!("models/", $model, "/", $model, ".cotrace"),
            a: ($a, in_repository!("models/co-runs/runs/solo_", $a, "_0.csv.gz")),
            b: ($b, in_repository!("models/co-runs/runs/solo_", $b, "_0.csv.gz")),
            offset_seconds: $offset as f64,
            golden: in_repository!(
                "tests/golden/", $model, "/", $a, "+", $b, "@", stringify!($offset), ".json"
            ),
        }
    };
}

const CASES: [Case; 12] = [
    case!("cotrace", "duckdb-tpch", "encode-x264", 0),
    case!("cotrace", "compress-7z", "spark-words", 0),
    case!("cotrace", "fio-direct", "spark-terasort", 0),
    case!("cotrace", "build-c", "build-c", 0),
    case!("cotrace", "postgres-bench", "fio-direct", 7),
    case!("cotrace", "memory-bandwidth", "loopback", 12),
    case!("resourcenet", "duckdb-tpch", "encode-x264", 0),
    case!("resourcenet", "compress-7z", "spark-words", 0),
    case!("resourcenet", "fio-direct", "spark-terasort", 0),
    case!("resourcenet", "build-c", "build-c", 0),
    case!("resourcenet", "postgres-bench", "fio-direct", 7),
    case!("resourcenet", "memory-bandwidth", "loopback", 12),
];

/// The forecast of a case, made here and now.
fn forecast(case: &Case) -> Result<cotrace_forecast::Forecast, String> {
    let forecaster = cotrace_model::Forecaster::from_bytes(case.model).map_err(|error| error.to_string())?;
    forecast_by(&forecaster, case)
}

/// The forecast of a case by its model, loaded.
fn forecast_by(forecaster: &cotrace_model::Forecaster, case: &Case) -> Result<cotrace_forecast::Forecast, String> {
    let read = |name: &str, bytes: &[u8]| {
        cotrace_trace::read(&format!("{name}.csv.gz"), bytes, &cotrace_trace::ReadOptions::default())
            .map_err(|error| error.to_string())
    };
    let (a, b) = (read(case.a.0, case.a.1)?, read(case.b.0, case.b.1)?);
    let job = |name: &str, trace, offset_seconds| cotrace_model::Job { name: name.to_owned(), trace, offset_seconds };
    let jobs = [job("A", &a, 0.0), job("B", &b, case.offset_seconds)];
    forecaster.forecast(&jobs, &cotrace_model::Options::default()).map_err(|error| error.to_string())
}

/// What differs between two forecasts by more than 1e-4 of capacity, of a slowdown or of a makespan.
fn differences(is: &cotrace_forecast::Forecast, should: &cotrace_forecast::Forecast) -> Vec<String> {
    const MOST: f64 = 1e-4;
    let mut found = Vec::new();
    let mut compare = |what: String, is: f64, should: f64, unit: f64| {
        if (is - should).abs() > MOST * unit || !is.is_finite() {
            found.push(format!("{what}: {is} where {should} is kept"));
        }
    };
    for (is, should) in is.jobs.iter().zip(&should.jobs) {
        compare(format!("slowdown of {}", is.name), is.slowdown, should.slowdown, 1.0);
        compare(format!("finish of {}", is.name), is.finish_seconds, should.finish_seconds, should.solo_seconds);
    }
    compare("steps".to_owned(), is.time_seconds.len() as f64, should.time_seconds.len() as f64, 1.0);
    compare("metrics".to_owned(), is.metrics.len() as f64, should.metrics.len() as f64, 1.0);
    for (metric, series) in &should.metrics {
        let Some(other) = is.metrics.get(metric) else {
            found.push(format!("{} is missing", metric.name()));
            continue;
        };
        let mut compare = |what: &str, is: &[f64], should: &[f64]| {
            let unit = series.capacity.unwrap_or(1e9);
            for (k, (is, should)) in is.iter().zip(should).enumerate() {
                if (is - should).abs() > MOST * unit || !is.is_finite() {
                    found.push(format!("{} {what} at step {k}: {is} where {should} is kept", metric.name()));
                }
            }
        };
        compare("total", &other.total, &series.total);
        compare("lower", &other.lower, &series.lower);
        compare("upper", &other.upper, &series.upper);
        compare("naive sum", &other.naive_sum, &series.naive_sum);
        for (other, job) in other.jobs.iter().zip(&series.jobs) {
            compare("contribution", &other.contribution, &job.contribution);
        }
    }
    found
}
