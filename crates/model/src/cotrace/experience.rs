//! What was measured of jobs like these: a correction that fades with distance.
//!
//! Traces don't show everything that makes a job sensitive to others. But jobs come again, and of a job that was measured
//! beside others it is known how far the network was off. [`Experience`] holds those errors, as logarithms of measured over
//! forecast time beside others, and a Gaussian process over the kinds of jobs (Rasmussen, Williams: Gaussian Processes for
//! Machine Learning, 2006, algorithm 2.1) turns them into a correction for any job beside any others. Of jobs like those
//! measured it says what was measured; far from all of them it says the mean of what was measured, and that it knows little:
//! its deviation says how far off a forecast may be, in the intervals and as the distance from what training saw.

use nalgebra::{Cholesky, DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::features::{Kind, compress};
use crate::features::METRICS;

/// Numbers that describe a kind of job: mean and 90th percentile of each metric.
pub const KIND: usize = 2 * METRICS;

/// A kind as it is compared: shares compressed as the network reads them; `None` is not known.
pub type Point = Vec<Option<f32>>;

/// Errors of the network on measured co-runs, and how like to like is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experience {
    /// Kinds of jobs, `[kinds][KIND]`.
    pub kinds: Vec<Point>,
    /// What differences of each number are measured in, `[KIND]`.
    pub spreads: Vec<f32>,
    /// What was measured.
    pub seen: Vec<Seen>,
    /// How errors of like jobs hang together.
    pub kernel: Kernel,
}

/// The error of one kind of job beside another, mean over its measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The kind of the job.
    pub job: usize,
    /// The kind of what ran beside it.
    pub others: usize,
    /// Logarithm of measured over forecast time beside the other.
    pub error: f64,
    /// How much it is worth: 1 for a whole solo run's length beside the other.
    pub weight: f64,
}

/// Standard deviations of the parts of an error, and lengths over which they fade.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// What all errors have in common.
    pub common: f64,
    /// What errors of the same job have in common, whatever it runs beside.
    pub job: f64,
    /// What errors beside the same others have in common, whatever runs beside them.
    pub others: f64,
    /// Distance over which these two fade.
    pub length: f64,
    /// What only errors of the same job beside the same others have in common.
    pub pair: f64,
    /// Distance over which that fades.
    pub pair_length: f64,
    /// What a measurement differs by from another of the same.
    pub noise: f64,
}

/// What experience says of a job beside others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recalled {
    /// Logarithm of the factor on the time that the network forecasts.
    pub error: f64,
    /// Standard deviation of the error of what is forecast with it, in the same terms.
    pub deviation: f64,
}

/// Experience that can be asked.
#[derive(Clone, Debug)]
pub struct Recall {
    experience: Experience,
    /// Inverse of the covariance of what was seen.
    inverse: DMatrix<f64>,
    /// Its product with what was seen.
    weights: DVector<f64>,
    /// Deviation of a forecast of a pair of which both jobs were measured with others: the median of what was seen, each
    /// from the rest.
    usual: f64,
}

impl Kernel {
    /// Covariance of the errors of two pairs whose jobs are so far apart, and what runs beside them so far.
    pub fn covariance(&self, jobs: f64, others: f64) -> f64 {
        let [jobs, others] = [self.fade(jobs), self.fade(others)];
        self.combine(jobs, others)
    }

    /// What is left at a distance: of what a job or what runs beside it brings, and of what both together do.
    fn fade(&self, distance: f64) -> [f64; 2] {
        [self.length, self.pair_length].map(|length| (-0.5 * distance / length.powi(2)).exp())
    }

    fn combine(&self, jobs: [f64; 2], others: [f64; 2]) -> f64 {
        self.common.powi(2)
            + self.job.powi(2) * jobs[0]
            + self.others.powi(2) * others[0]
            + self.pair.powi(2) * jobs[1] * others[1]
    }

    fn values(&self) -> [f64; 7] {
        [self.common, self.job, self.others, self.length, self.pair, self.pair_length, self.noise]
    }
}

impl Experience {
    /// A kind as it is compared.
    pub fn point(kind: &Kind) -> Point {
        let of = |at: usize| kind.0.iter().map(move |known| known.map(|shares| compress(shares[at])));
        // Rounded, so that model files stay small.
        of(0).chain(of(1)).map(|value| value.map(|value| (value * 1e4).round() / 1e4)).collect()
    }

    /// Mean squared difference of two kinds, each number in its spread, over what is known of both; far apart if that is
    /// nothing.
    pub fn distance(&self, a: &Point, b: &Point) -> f64 {
        const NOTHING_IN_COMMON: f64 = 100.0;
        let numbers = a.iter().zip(b).zip(&self.spreads);
        let squares =
            numbers.filter_map(|((a, b), spread)| Some(f64::from(((*a)? - (*b)?) / spread).powi(2)));
        let (sum, count) = squares.fold((0.0, 0), |(sum, count), square| (sum + square, count + 1));
        if count == 0 { NOTHING_IN_COMMON } else { sum / f64::from(count) }
    }

    /// Distances between all kinds, `[kinds, kinds]`.
    pub fn distances(&self) -> DMatrix<f64> {
        let count = self.kinds.len();
        DMatrix::from_fn(count, count, |a, b| self.distance(&self.kinds[a], &self.kinds[b]))
    }

    /// Covariance of what was seen, noise included, `[seen, seen]`, by the distances between all kinds.
    pub fn covariance(&self, kernel: &Kernel, distances: &DMatrix<f64>) -> DMatrix<f64> {
        let count = self.seen.len();
        let fades = distances.map(|distance| kernel.fade(distance));
        let mut covariance = DMatrix::zeros(count, count);
        for (a, one) in self.seen.iter().enumerate() {
            for (b, other) in self.seen.iter().enumerate().take(a + 1) {
                let value = kernel.combine(fades[(one.job, other.job)], fades[(one.others, other.others)]);
                covariance[(a, b)] = value;
                covariance[(b, a)] = value;
            }
            covariance[(a, a)] += kernel.noise.powi(2) / one.weight;
        }
        covariance
    }

    /// What is wrong with it, if it comes from a damaged file.
    fn check(&self) -> Result<(), String> {
        let count = self.kinds.len();
        let fits =
            |point: &Point| point.len() == KIND && point.iter().flatten().all(|value| value.is_finite());
        // Checked first: distances are taken between all of them.
        if count > 2 * MOST_SEEN {
            return Err(format!("{count} kinds; at most {} make sense", 2 * MOST_SEEN));
        }
        if let Some(kind) = self.kinds.iter().position(|point| !fits(point)) {
            return Err(format!("kind {kind} is not {KIND} numbers"));
        }
        if self.spreads.len() != KIND
            || !self.spreads.iter().all(|spread| *spread > 0.0 && spread.is_finite())
        {
            return Err(format!("spreads are not {KIND} positive numbers"));
        }
        let good = |seen: &Seen| {
            seen.job < count
                && seen.others < count
                && seen.error.is_finite()
                && seen.weight > 0.0
                && seen.weight.is_finite()
        };
        if let Some(at) = self.seen.iter().position(|seen| !good(seen)) {
            return Err(format!("entry {at} of what was seen names no kind or has no number"));
        }
        if self.seen.is_empty() || self.seen.len() > MOST_SEEN {
            return Err(format!("{} entries were seen; 1 to {MOST_SEEN} make sense", self.seen.len()));
        }
        let kernel = self.kernel;
        let positive = kernel.values().iter().all(|value| *value >= 0.0 && value.is_finite());
        if !positive || kernel.length <= 0.0 || kernel.pair_length <= 0.0 || kernel.noise <= 0.0 {
            return Err(format!("no covariance is like that: {kernel:?}"));
        }
        Ok(())
    }
}

/// The most that a file may hold: asking is quadratic in it, loading cubic.
const MOST_SEEN: usize = 2000;

impl Recall {
    /// Prepares to be asked.
    ///
    /// # Errors
    /// In words, what is wrong with the experience.
    pub fn new(experience: Experience) -> Result<Recall, String> {
        experience.check()?;
        let covariance = experience.covariance(&experience.kernel, &experience.distances());
        let inverse = Cholesky::new(covariance).ok_or("its covariance is not positive definite")?.inverse();
        let errors =
            DVector::from_iterator(experience.seen.len(), experience.seen.iter().map(|seen| seen.error));
        let weights = &inverse * errors;
        // The deviation of each entry from what the others say of it: Rasmussen and Williams, equation 5.12.
        let mut left_out: Vec<f64> =
            inverse.diagonal().iter().map(|precision| precision.recip().sqrt()).collect();
        left_out.sort_by(f64::total_cmp);
        let usual = left_out[left_out.len() / 2];
        Ok(Recall { experience, inverse, weights, usual })
    }

    /// What was learned from.
    pub fn experience(&self) -> &Experience {
        &self.experience
    }

    /// What is known of a job beside others.
    pub fn ask(&self, job: &Kind, others: &Kind) -> Recalled {
        let kernel = &self.experience.kernel;
        let of_kinds = |kind: &Kind| -> Vec<[f64; 2]> {
            let point = Experience::point(kind);
            let kinds = self.experience.kinds.iter();
            kinds.map(|other| kernel.fade(self.experience.distance(&point, other))).collect()
        };
        let (jobs, beside) = (of_kinds(job), of_kinds(others));
        let covariance = DVector::from_iterator(
            self.experience.seen.len(),
            self.experience.seen.iter().map(|seen| kernel.combine(jobs[seen.job], beside[seen.others])),
        );
        let known = covariance.dot(&(&self.inverse * &covariance));
        let variance = (kernel.covariance(0.0, 0.0) - known).max(0.0) + kernel.noise.powi(2);
        Recalled { error: covariance.dot(&self.weights), deviation: variance.sqrt() }
    }

    /// How many times farther off a forecast may be than one of a pair whose jobs were both measured with others.
    pub fn score(&self, recalled: Recalled) -> f64 {
        recalled.deviation / self.usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(cpu: f64) -> Kind {
        let mut kind = Kind::default();
        kind.0[0] = Some([cpu, cpu]);
        kind.0[2] = Some([0.1, 0.1]);
        kind
    }

    const KERNEL: Kernel = Kernel {
        common: 0.05,
        job: 0.1,
        others: 0.05,
        length: 0.5,
        pair: 0.1,
        pair_length: 0.5,
        noise: 0.01,
    };

    /// Three kinds of jobs; the first is slowed by the second by a third more than the network thinks.
    fn experience() -> Experience {
        let seen = |job, others, error| Seen { job, others, error, weight: 1.0 };
        Experience {
            kinds: [0.2, 0.6, 1.0].iter().map(|&cpu| Experience::point(&kind(cpu))).collect(),
            spreads: vec![0.1; KIND],
            seen: vec![seen(0, 1, 0.3), seen(1, 0, 0.0), seen(1, 2, 0.1), seen(2, 1, 0.1)],
            kernel: KERNEL,
        }
    }

    #[test]
    fn of_what_was_seen_it_says_what_was_seen() {
        let recall = Recall::new(experience()).unwrap();
        let known = recall.ask(&kind(0.2), &kind(0.6));
        assert!((known.error - 0.3).abs() < 0.01 && known.deviation < 0.02, "{known:?}");
        let other = recall.ask(&kind(0.6), &kind(0.2));
        assert!(other.error.abs() < 0.02, "{other:?}");
    }

    #[test]
    fn far_from_everything_it_says_little_and_that_it_knows_little() {
        let recall = Recall::new(experience()).unwrap();
        let far = recall.ask(&kind(0.0), &kind(0.0));
        let prior = KERNEL.covariance(0.0, 0.0).sqrt();
        assert!(far.error.abs() < 0.1 && far.deviation > 0.8 * prior, "{far:?}, {prior}");
        assert!(recall.score(far) > recall.score(recall.ask(&kind(0.2), &kind(0.6))));
    }

    #[test]
    fn what_is_not_known_does_not_count() {
        let recall = Recall::new(experience()).unwrap();
        let mut half = kind(0.2);
        half.0[2] = None;
        assert!((recall.ask(&half, &kind(0.6)).error - 0.3).abs() < 0.02);
        assert_eq!(Kind::together([&half, &kind(0.6)]).0[2], None);
        let both = Kind::together([&kind(0.2), &kind(0.6)]).0[0].unwrap();
        assert!((both[0] - 0.8).abs() < 1e-12);
    }

    type Damage = fn(&mut Experience);

    #[test]
    fn damaged_experience_is_refused() {
        let cases: [(&str, Damage); 7] = [
            ("no kind", |e| e.seen[1].others = 3),
            ("no number", |e| e.seen[0].error = f64::NAN),
            ("no weight", |e| e.seen[0].weight = 0.0),
            ("too short", |e| e.kinds[2].truncate(3)),
            ("no noise", |e| e.kernel.noise = 0.0),
            ("nothing", |e| e.seen.clear()),
            ("too many kinds", |e| e.kinds.resize(2 * MOST_SEEN + 1, e.kinds[0].clone())),
        ];
        for (what, damage) in cases {
            let mut damaged = experience();
            damage(&mut damaged);
            assert!(Recall::new(damaged).is_err(), "{what}");
        }
    }
}
