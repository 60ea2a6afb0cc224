//! A solo trace in a few numbers.

use cotrace_forecast::{MODELLED, Scene, SoloJob, share_unit};

/// Numbers for each metric.
const PER_METRIC: usize = 3;

/// Numbers for a job.
pub(super) const COUNT: usize = PER_METRIC * MODELLED.len() + 1;

/// Mean, 90th percentile and standard deviation of each metric as shares of the node's capacity, and the logarithm of
/// the duration; `None` where the trace doesn't know the metric.
pub(super) fn features(scene: &Scene, job: &SoloJob) -> [Option<f64>; COUNT] {
    let mut features = [None; COUNT];
    for (m, metric) in MODELLED.into_iter().enumerate() {
        let unit = share_unit(metric, &scene.node);
        let mut shares: Vec<f64> = job
            .demand
            .get(&metric)
            .into_iter()
            .flatten()
            .filter(|value| value.is_finite())
            .map(|value| value / unit)
            .collect();
        if shares.is_empty() {
            continue;
        }
        shares.sort_by(f64::total_cmp);
        let count = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / count;
        let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
        let high = shares[((count - 1.0) * 0.9).round() as usize];
        features[PER_METRIC * m..PER_METRIC * (m + 1)].copy_from_slice(&[
            Some(mean),
            Some(high),
            Some(variance.sqrt()),
        ]);
    }
    features[COUNT - 1] = Some(job.solo_seconds.ln());
    features
}
