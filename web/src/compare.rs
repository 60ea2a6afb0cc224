//! How far a forecast is from a measured co-run.

use cotrace_forecast::Forecast;
use cotrace_trace::Metric;

use crate::state::Truth;

/// What one part of a forecast is off by.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricError {
    /// What.
    pub metric: Metric,
    /// The mean of the absolute differences, step by step, as a share of capacity; of the measured mean where no capacity is
    /// known.
    pub share: f64,
    /// Whether it is of the capacity.
    pub of_capacity: bool,
}

/// When a job ended.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishError {
    /// The job, as the forecast calls it.
    pub name: String,
    /// When it ended in the forecast.
    pub forecast_seconds: f64,
    /// When it did.
    pub measured_seconds: f64,
}

/// Errors of every metric that was forecast and measured. Beyond the forecast's end the node holds what it holds without
/// jobs.
pub fn metric_errors(forecast: &Forecast, truth: &Truth) -> Vec<MetricError> {
    let error = |metric: Metric| {
        let series = forecast.metrics.get(&metric)?;
        let measured = truth.measured.metrics.get(&metric)?;
        let steps = series.total.len().max(measured.len());
        let mut sum = 0.0;
        let mut known = 0usize;
        let mut mean = 0.0;
        for k in 0..steps {
            // Beyond its end nothing was measured, but that the node is idle.
            let value = if k < measured.len() { measured[k] } else { Some(series.background) };
            let Some(value) = value else { continue };
            sum += (series.total.get(k).copied().unwrap_or(series.background) - value).abs();
            mean += value;
            known += 1;
        }
        let unit = series.capacity.unwrap_or(mean / known.max(1) as f64);
        (known > 0 && unit > 0.0).then(|| MetricError {
            metric,
            share: sum / known as f64 / unit,
            of_capacity: series.capacity.is_some(),
        })
    };
    Metric::ALL.iter().copied().filter_map(error).collect()
}

/// Ends of the jobs that the measurement says.
pub fn finish_errors(forecast: &Forecast, truth: &Truth) -> Vec<FinishError> {
    forecast
        .jobs
        .iter()
        .zip(&truth.spans)
        .filter_map(|(job, span)| {
            Some(FinishError {
                name: job.name.clone(),
                forecast_seconds: job.finish_seconds,
                measured_seconds: (*span)?.1,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::fixtures::forecast;
    use crate::messages::Measured;
    use crate::state::{TruthRequest, TruthSource};

    fn truth(cpu: Vec<Option<f64>>) -> Truth {
        Truth {
            request: TruthRequest {
                source: TruthSource::File(1, "run.csv".into()),
                names: vec!["a".into(), "b".into()],
                step_seconds: 2.0,
            },
            measured: Measured {
                step_seconds: 2.0,
                metrics: BTreeMap::from([(Metric::CpuCores, cpu)]),
                jobs: vec![],
            },
            spans: vec![Some((0.0, 10.0)), None],
        }
    }

    #[test]
    fn errors_are_shares_of_capacity_over_the_longer_of_both() {
        // The forecast is 1.5 of 2 cores for five steps.
        let cases = [
            (vec![Some(1.5); 5], 0.0),
            (vec![Some(1.0); 5], 0.25),
            (vec![Some(1.5), None, Some(1.5), Some(1.5), Some(1.5)], 0.0),
            (vec![Some(1.5), Some(1.5), Some(1.5), Some(1.5)], 0.15),
            (vec![Some(1.5); 6], 0.125),
        ];
        for (cpu, wanted) in cases {
            let errors = metric_errors(&forecast(), &truth(cpu.clone()));
            assert_eq!(errors.len(), 1, "only what was measured: {errors:?}");
            assert!((errors[0].share - wanted).abs() < 1e-9 && errors[0].of_capacity, "{cpu:?}: {errors:?}");
        }
        assert_eq!(metric_errors(&forecast(), &truth(vec![None; 5])), [], "nothing is known");
    }

    #[test]
    fn ends_that_are_not_known_are_left_out() {
        let errors = finish_errors(&forecast(), &truth(vec![]));
        assert_eq!(errors.len(), 1);
        assert_eq!((errors[0].name.as_str(), errors[0].measured_seconds), ("A", 10.0));
    }
}
