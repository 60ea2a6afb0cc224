//! Shares of capacity: the unit in which metrics and nodes of different sizes compare.

use cotrace_trace::{Capacity, Metric, Resource};

/// What one share of a metric is where the node's capacity is unknown: an ordinary cloud disk, gigabit Ethernet.
const REFERENCE_DISK: f64 = 500e6;
const REFERENCE_NETWORK: f64 = 125e6;
/// Loopback has no capacity: a gigabyte per second is one share.
const REFERENCE_LOOPBACK: f64 = 1e9;
const REFERENCE_CORES: f64 = 4.0;
const REFERENCE_MEMORY: f64 = 16e9;

/// What a share of 1 of `metric` is on `node`, in the metric's unit: the capacity, else a fixed reference.
pub fn share_unit(metric: Metric, node: &Capacity) -> f64 {
    let reference = match metric.resource() {
        Some(Resource::Cpu) => REFERENCE_CORES,
        Some(Resource::Memory) => REFERENCE_MEMORY,
        Some(Resource::Disk) => REFERENCE_DISK,
        Some(Resource::Network) => REFERENCE_NETWORK,
        None => REFERENCE_LOOPBACK,
    };
    metric.capacity(node).filter(|capacity| *capacity > 0.0).unwrap_or(reference)
}

/// Divides one capacity fairly, in shares of it: everyone gets what it asks for up to one level, the highest at which
/// all is given out. `[jobs]` to `[jobs]`.
pub fn max_min(asked: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..asked.len()).collect();
    order.sort_by(|&a, &b| asked[a].total_cmp(&asked[b]));
    let mut granted = vec![0.0; asked.len()];
    let mut left = 1.0;
    for (served, &job) in order.iter().enumerate() {
        granted[job] = f64::min(asked[job], left / (asked.len() - served) as f64);
        left -= granted[job];
    }
    granted
}
