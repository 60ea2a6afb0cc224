//! What the fitted network gets wrong on the co-runs it was fitted to, kept for jobs like these.

use std::collections::BTreeMap;

use argmin::core::{CostFunction, Error, Executor};
use argmin::solver::neldermead::NelderMead;
use burn::tensor::Tensor;
use cotrace_evaluate::{Case, FitError, Training};
use cotrace_model::cotrace::{Ablation, CotraceNet, Experience, KIND, Kernel, Point, Seen};
use cotrace_model::default_device;
use cotrace_model::features::METRICS;
use nalgebra::{Cholesky, DMatrix, DVector};

use super::examples::{Batch, Example, JOBS};

/// Co-runs with less than this share of a solo run beside the other say too little about it.
const LEAST_BESIDE: f64 = 0.1;

/// Differences smaller than this, in shares as the network reads them, are none.
const LEAST_SPREAD: f64 = 0.02;

/// Co-runs at a time.
const BATCH: usize = 32;

/// Kinds that differ by less, as [`Experience::distance`] says, are one: the same solo run on another grid, mostly. A
/// hundredth of what makes errors fade.
const ALIKE: f64 = 1e-4;

/// Evaluations of the likelihood; it hardly changes after these.
const ITERATIONS: u64 = 120;

/// More than these tell hardly more about how errors hang together, but take longer: the cube of their number.
const MOST_FOR_KERNEL: usize = 400;

/// Where the search begins, and around which values it stays. Lengths are those between runs of the same job, and what all
/// errors have in common is little: what holds for other kinds of jobs too is for the network to learn, which sees more of
/// it. Longer ones made forecasts of jobs never seen worse.
const KERNEL_START: Kernel =
    Kernel { common: 0.01, job: 0.08, others: 0.04, length: 0.1, pair: 0.12, pair_length: 0.1, noise: 0.06 };

/// How far the logarithms of a kernel's values may stray from there.
const STRAY: [f64; 7] = [0.5, 1.0, 1.0, 0.3, 1.0, 0.3, 1.0];

/// What one measurement of a job beside another says.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    /// What the co-run has in common with others of the same.
    pub(crate) same: String,
    job: Point,
    others: Point,
    /// Logarithm of measured over forecast time beside the other.
    error: f64,
    /// The share of the job's solo duration that this time is, at most 1.
    weight: f64,
}

/// Experience from a training's pairs; `None` if there is none.
pub(super) fn gather(
    network: &CotraceNet,
    training: &Training<'_>,
    without: Ablation,
) -> Result<Option<Experience>, FitError> {
    let measurements = measure(network, &training.cases, without)?;
    if measurements.is_empty() {
        return Ok(None);
    }
    let nothing = Experience {
        kinds: Vec::new(),
        spreads: spreads(&measurements),
        seen: Vec::new(),
        kernel: KERNEL_START,
    };
    let mut experience = extended(&nothing, &measurements);
    experience.kernel = kernel(&experience)?;
    Ok(Some(experience))
}

/// What the network gets wrong on pairs.
pub(crate) fn measure(
    network: &CotraceNet,
    cases: &[&Case],
    without: Ablation,
) -> Result<Vec<Measurement>, FitError> {
    let pairs = cases.iter().filter(|case| case.jobs.len() == JOBS);
    let pairs: Vec<(&str, Example)> =
        pairs.map(|case| (&*case.same, Example::new(case, &[true; METRICS], without))).collect();
    let mut measurements = Vec::new();
    for pairs in pairs.chunks(BATCH) {
        for ((same, example), paces) in pairs.iter().zip(paces(network, pairs, without)?) {
            let points: Vec<Point> = example.kinds.iter().map(Experience::point).collect();
            for job in 0..JOBS {
                if let Some([error, weight]) = error(example, job, &paces[job]) {
                    let (job, others) = (points[job].clone(), points[1 - job].clone());
                    measurements.push(Measurement { same: (*same).to_owned(), job, others, error, weight });
                }
            }
        }
    }
    Ok(measurements)
}

/// An experience and more measurements: those of the same kinds of jobs become one.
pub(crate) fn extended<'a>(
    experience: &Experience,
    measurements: impl IntoIterator<Item = &'a Measurement>,
) -> Experience {
    let mut extended = experience.clone();
    let mut errors: BTreeMap<(usize, usize), Vec<[f64; 2]>> = BTreeMap::new();
    for seen in &experience.seen {
        errors.entry((seen.job, seen.others)).or_default().push([seen.error, seen.weight]);
    }
    for Measurement { job, others, error, weight, .. } in measurements {
        let pair = [job, others].map(|point| place(&mut extended, point));
        errors.entry((pair[0], pair[1])).or_default().push([*error, *weight]);
    }
    let seen = errors.into_iter().map(|((job, others), errors)| {
        let weight: f64 = errors.iter().map(|[_, weight]| weight).sum();
        let error = errors.iter().map(|[error, weight]| error * weight).sum::<f64>() / weight;
        Seen { job, others, error: rounded(error), weight: rounded(weight) }
    });
    extended.seen = seen.collect();
    extended
}

/// Four decimals: files stay small.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Where a kind stands in the list, at its end if it is new. Kinds of which different things are known are never one.
fn place(experience: &mut Experience, point: &Point) -> usize {
    let same_known = |kind: &Point| kind.iter().zip(point).all(|(a, b)| a.is_some() == b.is_some());
    let alike = |kind: &Point| same_known(kind) && experience.distance(kind, point) < ALIKE;
    experience.kinds.iter().position(alike).unwrap_or_else(|| {
        experience.kinds.push(point.clone());
        experience.kinds.len() - 1
    })
}

/// Paces that the network gives where the pointers stood, `[examples][jobs][steps]`.
fn paces(
    network: &CotraceNet,
    pairs: &[(&str, Example)],
    without: Ablation,
) -> Result<Vec<Vec<Vec<f32>>>, FitError> {
    let examples: Vec<&Example> = pairs.iter().map(|(_, example)| example).collect();
    let batch = Batch::new(&examples, &default_device());
    let pace: Tensor<4> = network.paces(&batch.steps, without).pace;
    let time = pace.dims()[2];
    let values = pace.try_into_vec_as::<f32>().map_err(|error| format!("{error:?}"))?;
    let of_job = |steps: &[f32]| steps.to_vec();
    Ok(values
        .chunks_exact(JOBS * time)
        .map(|example| example.chunks_exact(time).map(of_job).collect())
        .collect())
}

/// Logarithm of the time that a job took beside the other over the time that it should have taken, and the share of its
/// solo duration that this time is. `None`: it hardly ran beside the other.
fn error(example: &Example, job: usize, paces: &[f32]) -> Option<[f64; 2]> {
    let (mut took, mut should) = (0.0, 0.0);
    for k in example.beside() {
        let [spent, done] = example.took(job, k);
        took += spent;
        should += done * f64::from(paces[k]);
    }
    let share = took / example.solo_seconds(job);
    (share >= LEAST_BESIDE && should > 0.0).then(|| [(took / should).ln(), share.min(1.0)])
}

/// Standard deviation of each number over the kinds of jobs and of what ran beside them, `[KIND]`.
fn spreads(measurements: &[Measurement]) -> Vec<f32> {
    let spread = |at: usize| {
        let kinds = measurements.iter().flat_map(|measurement| [&measurement.job, &measurement.others]);
        let values: Vec<f64> = kinds.filter_map(|kind| kind[at].map(f64::from)).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let variance =
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len().max(1) as f64;
        rounded(variance.sqrt().max(LEAST_SPREAD)) as f32
    };
    (0..KIND).map(spread).collect()
}

/// The likelihood of what was seen, by a kernel's logarithms.
struct Likelihood {
    experience: Experience,
    distances: DMatrix<f64>,
    errors: DVector<f64>,
}

/// The kernel under which what was seen is most likely, not too far from where the search begins.
fn kernel(experience: &Experience) -> Result<Kernel, FitError> {
    let mut experience = experience.clone();
    let every = experience.seen.len().div_ceil(MOST_FOR_KERNEL);
    experience.seen = experience.seen.into_iter().step_by(every).collect();
    let likelihood = Likelihood {
        distances: experience.distances(),
        errors: DVector::from_iterator(experience.seen.len(), experience.seen.iter().map(|seen| seen.error)),
        experience,
    };
    let start = logarithms(&KERNEL_START);
    let corners = (0..=start.len()).map(|corner| {
        let mut corner_of_start = start.clone();
        if let Some(value) = corner_of_start.get_mut(corner) {
            *value += 0.5 * STRAY[corner];
        }
        corner_of_start
    });
    let solver = NelderMead::new(corners.collect());
    let found = Executor::new(likelihood, solver)
        .configure(|state| state.max_iters(ITERATIONS))
        .run()
        .map_err(|error| format!("how errors hang together was not found: {error}"))?;
    let best = found.state.best_param.unwrap_or(start);
    Ok(from_logarithms(&best, rounded))
}

impl CostFunction for Likelihood {
    type Param = Vec<f64>;
    type Output = f64;

    /// Negative logarithm of the likelihood (Rasmussen, Williams 2006, equation 2.30, without its constant) and of a normal
    /// distribution around the start.
    fn cost(&self, logarithms_of_kernel: &Vec<f64>) -> Result<f64, Error> {
        let kernel = from_logarithms(logarithms_of_kernel, |value| value);
        let Some(cholesky) = Cholesky::new(self.experience.covariance(&kernel, &self.distances)) else {
            return Ok(f64::MAX);
        };
        let fit = 0.5 * self.errors.dot(&cholesky.solve(&self.errors));
        let volume: f64 = cholesky.l_dirty().diagonal().iter().map(|value| value.ln()).sum();
        let strays: f64 = logarithms_of_kernel
            .iter()
            .zip(logarithms(&KERNEL_START))
            .zip(STRAY)
            .map(|((value, start), stray)| 0.5 * ((value - start) / stray).powi(2))
            .sum();
        Ok(fit + volume + strays)
    }
}

fn logarithms(kernel: &Kernel) -> Vec<f64> {
    let Kernel { common, job, others, length, pair, pair_length, noise } = *kernel;
    [common, job, others, length, pair, pair_length, noise].iter().map(|value| value.ln()).collect()
}

fn from_logarithms(values: &[f64], finish: fn(f64) -> f64) -> Kernel {
    let value = |at: usize| finish(values[at].exp());
    Kernel {
        common: value(0),
        job: value(1),
        others: value(2),
        // A length or a noise of zero would be none.
        length: value(3).max(1e-3),
        pair: value(4),
        pair_length: value(5).max(1e-3),
        noise: value(6).max(1e-3),
    }
}
