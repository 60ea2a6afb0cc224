//! Forecasts that need no training: what any model has to beat.

use cotrace_trace::Metric;

use crate::{Moment, Outcome, Scene, max_min};

/// A job holding less than this share of a resource is not held back by it.
const USES: f64 = 0.01;

/// A forecast by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The solo traces added up and clipped at capacity; nobody is slowed.
    ClippedSum,
    /// The sum with time stretched so that clipped work is conserved: while a resource is asked for more than it
    /// has, every job that uses it advances at capacity over demand; a job's rate is that of its scarcest resource.
    ConservedSum,
    /// The same with each resource divided fairly (max-min): who asks for less than an equal share gets all of it, and
    /// the others divide the rest.
    FairShare,
}

impl Baseline {
    /// Every rule.
    pub const ALL: [Baseline; 3] = [Baseline::ClippedSum, Baseline::ConservedSum, Baseline::FairShare];

    /// The name in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Baseline::ClippedSum => "clipped-sum",
            Baseline::ConservedSum => "conserved-sum",
            Baseline::FairShare => "fair-share",
        }
    }

    /// The rule of this name.
    pub fn named(name: &str) -> Option<Baseline> {
        Baseline::ALL.into_iter().find(|baseline| baseline.name() == name)
    }

    /// Runs the rule.
    pub fn run(self, scene: &Scene) -> Outcome {
        match self {
            Baseline::ClippedSum => Outcome::simulate(scene, |moment| vec![1.0; moment.running.len()]),
            Baseline::ConservedSum => Outcome::simulate(scene, |moment| rates(moment, proportional)),
            Baseline::FairShare => Outcome::simulate(scene, |moment| rates(moment, max_min)),
        }
    }
}

/// Metrics that share one capacity. Network directions do not: each has its own.
const CONTENDED: [&[Metric]; 4] = [
    &[Metric::CpuCores],
    &[Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond],
    &[Metric::NetworkReceiveBytesPerSecond],
    &[Metric::NetworkTransmitBytesPerSecond],
];

/// Each job's rate: what it gets of its scarcest resource over what it asks for. `divide` turns asked shares of a
/// capacity into granted ones.
fn rates(moment: &Moment<'_>, divide: fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut rates = vec![1.0; moment.running.len()];
    for metrics in CONTENDED {
        let Some(capacity) = metrics[0].capacity(&moment.scene.node).filter(|&capacity| capacity > 0.0)
        else {
            continue;
        };
        let asked: Vec<f64> = (0..rates.len())
            .map(|job| metrics.iter().map(|&metric| moment.demand(job, metric)).sum::<f64>() / capacity)
            .collect();
        for ((rate, granted), asked) in rates.iter_mut().zip(divide(&asked)).zip(asked) {
            if asked > USES {
                *rate = f64::min(*rate, granted / asked);
            }
        }
    }
    rates
}

/// Everyone gets the same part of what it asks for.
fn proportional(asked: &[f64]) -> Vec<f64> {
    let sum = asked.iter().sum::<f64>().max(1.0);
    asked.iter().map(|asked| asked / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_granted() {
        type Divide = fn(&[f64]) -> Vec<f64>;
        let cases: [(Divide, &[f64], &[f64]); 8] = [
            (proportional, &[0.5, 0.25], &[0.5, 0.25]),
            (proportional, &[1.0, 1.0], &[0.5, 0.5]),
            (proportional, &[1.5, 0.5], &[0.75, 0.25]),
            (max_min, &[0.5, 0.25], &[0.5, 0.25]),
            (max_min, &[1.0, 1.0], &[0.5, 0.5]),
            (max_min, &[1.0, 0.25], &[0.75, 0.25]),
            (max_min, &[0.25, 1.0, 0.5], &[0.25, 0.375, 0.375]),
            (max_min, &[], &[]),
        ];
        let mut wrong = Vec::new();
        for (divide, asked, expected) in cases {
            let granted = divide(asked);
            if granted.len() != expected.len()
                || granted.iter().zip(expected).any(|(is, should)| (is - should).abs() > 1e-12)
            {
                wrong.push(format!("{asked:?}: {granted:?}, should be {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
