//! Intervals that hold what they promise, for any method.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use cotrace_dataset::Random;
use cotrace_forecast::{Bands, DistanceScale, share_unit};
use cotrace_trace::Metric;

use crate::errors::{forecast_minus_measured, tenths};
use crate::method::{FitError, FitProgress};
use crate::{Case, Intervals, Method, Prediction, Predictor, Question, Training};

/// Groups of jobs that are left out in turn.
const GROUPS: usize = 5;

/// Fits: those, one without some pairs, and one to everything.
const FITS: usize = GROUPS + 2;

/// One in so many pairs is left out to see what distances mean; with fewer than twice as many there is nothing to see.
const PAIRS: usize = 5;

/// The share of what is measured that intervals are to hold.
const HELD: f64 = 0.9;

/// A method with 90 % intervals: it is fitted once more without each of five groups of jobs, and its errors on the jobs
/// that it had not seen say how wide the intervals must be (split conformal prediction, Vovk, Gammerman, Shafer 2005,
/// with whole jobs held out: what is asked of it later are jobs it has not seen either). If it reckons distances, it is
/// fitted once more without some pairs of jobs, and errors on those and on jobs not seen say what distances mean.
///
/// Forecasts are those of a fit to everything.
#[derive(Clone, Debug)]
pub struct Conformal<M>(pub M);

struct WithIntervals {
    predictor: Box<dyn Predictor>,
    bands: Bands,
}

impl<M: Method> Method for Conformal<M> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn configuration(&self) -> String {
        format!(
            "{} with intervals from {GROUPS} groups and distances from a {PAIRS}th",
            self.0.configuration()
        )
    }

    fn is_seeded(&self) -> bool {
        self.0.is_seeded()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let bands = bands(&self.0, training, seed, stop, progress)?;
        let tell = |step: usize, steps: usize, what: &str| {
            progress((FITS - 1) * steps + step, FITS * steps, what);
        };
        let predictor = self.0.fit(training, seed, stop, &tell)?;
        Ok(Box::new(WithIntervals { predictor, bands }))
    }
}

/// How wide the intervals of a method must be that is fitted to a training. Metrics' are for means over tenths of the
/// makespan.
///
/// # Errors
/// Whatever kept the method from a fit.
pub fn bands<M: Method>(
    method: &M,
    training: &Training<'_>,
    seed: u64,
    stop: &AtomicBool,
    progress: FitProgress<'_>,
) -> Result<Bands, FitError> {
    let mut errors = Errors::default();
    let groups = groups(training, seed);
    for (index, group) in groups.iter().enumerate() {
        let rest = training.without(group);
        if rest.cases.is_empty() {
            continue;
        }
        let tell = |step: usize, steps: usize, what: &str| {
            let what = format!("group {} of {}: {what}", index + 1, groups.len());
            progress(index * steps + step, FITS * steps, &what);
        };
        let predictor = method.fit(&rest, seed, stop, &tell)?;
        let unseen: Vec<&Case> =
            training.cases.iter().filter(|case| training.has(case, group)).copied().collect();
        let questions: Vec<Question<'_>> = unseen.iter().map(|case| case.question()).collect();
        for (case, prediction) in unseen.iter().zip(predictor.predict(&questions)) {
            if let Some(prediction) = prediction {
                errors.add(case, &prediction, |job| training.is_of(job, group));
            }
        }
    }
    let mut bands = errors.bands();
    let held = held_pairs(training, seed);
    if !held.is_empty() && method.reckons_distances() {
        let rest = training.without_coruns(&held);
        let tell = |step: usize, steps: usize, what: &str| {
            progress(GROUPS * steps + step, FITS * steps, &format!("without some pairs: {what}"));
        };
        let predictor = method.fit(&rest, seed, stop, &tell)?;
        let unseen: Vec<&Case> =
            training.cases.iter().filter(|case| held.contains(&*case.same)).copied().collect();
        let questions: Vec<Question<'_>> = unseen.iter().map(|case| case.question()).collect();
        let mut pairs = Errors::default();
        for (case, prediction) in unseen.iter().zip(predictor.predict(&questions)) {
            if let Some(prediction) = prediction {
                pairs.add(case, &prediction, |_| true);
            }
        }
        bands.distance = distance_scale(&pairs.reckoned, &errors.reckoned);
    }
    Ok(bands)
}

/// Pairs of jobs to leave out, by what measurements of the same have in common.
fn held_pairs<'a>(training: &Training<'a>, seed: u64) -> BTreeSet<&'a str> {
    let pairs: BTreeSet<&str> = training.cases.iter().map(|case| &*case.same).collect();
    let mut pairs: Vec<&str> = pairs.into_iter().collect();
    Random::of(seed, "conformal pairs").shuffle(&mut pairs);
    let enough = pairs.len() >= 2 * PAIRS;
    pairs.into_iter().step_by(PAIRS).filter(|_| enough).collect()
}

/// From distances that were reckoned, each with the error there, of pairs of jobs seen with others, and of jobs not seen.
fn distance_scale(pairs: &[[f64; 2]], jobs: &[[f64; 2]]) -> Option<DistanceScale> {
    /// Errors that grow faster would be said to be anything.
    const MOST_GROWTH: f64 = 8.0;
    let mean = |of: &[[f64; 2]], value: fn(&[f64; 2]) -> f64| {
        of.iter().map(value).sum::<f64>() / of.len().max(1) as f64
    };
    let logarithm = |of: &[[f64; 2]]| mean(of, |[distance, _]| distance.max(1e-6).ln());
    let error = |of: &[[f64; 2]]| mean(of, |[_, error]| *error);
    if pairs.is_empty() || jobs.is_empty() || error(pairs) <= 0.0 || error(jobs) <= 0.0 {
        return None;
    }
    let farther = logarithm(jobs) - logarithm(pairs);
    let worse = (error(jobs) / error(pairs)).ln();
    // Where jobs not seen are not reckoned to be farther, distances mean what they say.
    let growth = if farther > 0.0 { (worse / farther).clamp(1.0, MOST_GROWTH) } else { 1.0 };
    let digits = |value: f64| (value * 1e4).round() / 1e4;
    Some(DistanceScale { usual: digits(logarithm(pairs).exp()), growth: digits(growth) })
}

impl Predictor for WithIntervals {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        let predictions = self.predictor.predict(questions);
        questions
            .iter()
            .zip(predictions)
            .map(|(question, prediction)| {
                let prediction = prediction?;
                let known = self.bands.slowdown.is_some();
                let intervals = known.then(|| intervals(&self.bands, question, &prediction));
                let scale = self.bands.distance;
                let distance =
                    prediction.distance.map(|reckoned| scale.map_or(reckoned, |scale| scale.score(reckoned)));
                Some(Prediction { intervals, distance, ..prediction })
            })
            .collect()
    }
}

/// The jobs of a training in groups of about the same size, each job with its other sizes.
fn groups(training: &Training<'_>, seed: u64) -> Vec<BTreeSet<String>> {
    let jobs: BTreeSet<&str> =
        training.cases.iter().flat_map(|case| &case.jobs).map(|job| training.base(job)).collect();
    let mut jobs: Vec<&str> = jobs.into_iter().collect();
    Random::of(seed, "conformal groups").shuffle(&mut jobs);
    let count = GROUPS.min(jobs.len());
    (0..count)
        .map(|group| jobs.iter().skip(group).step_by(count).map(|job| (*job).to_owned()).collect())
        .collect()
}

/// Absolute errors on what was not seen.
#[derive(Clone, Debug, Default)]
struct Errors {
    /// Of slowdowns, in their scale.
    slowdowns: Vec<f64>,
    /// Distances that were reckoned, each with the error of a slowdown there.
    reckoned: Vec<[f64; 2]>,
    tenths: BTreeMap<Metric, Vec<f64>>,
}

impl Errors {
    fn add(&mut self, case: &Case, prediction: &Prediction, is_unseen: impl Fn(&str) -> bool) {
        let outcome = &prediction.outcome;
        let slowdowns = case.slowdowns_of(&outcome.finish_seconds);
        for (job, (forecast, measured)) in slowdowns.iter().zip(case.slowdowns()).enumerate() {
            if is_unseen(&case.jobs[job]) {
                let error = (measured - forecast).abs();
                self.slowdowns.push(error / outcome.slowdown_scale(job, *forecast));
                self.reckoned.extend(prediction.distance.map(|distance| [distance, error]));
            }
        }
        for &metric in outcome.totals.keys() {
            if let Some(errors) = forecast_minus_measured(case, outcome, metric) {
                self.tenths
                    .entry(metric)
                    .or_default()
                    .extend(tenths(&errors).iter().map(|error| error.abs()));
            }
        }
    }

    fn bands(&self) -> Bands {
        let tenths = self.tenths.clone().into_iter();
        Bands {
            metrics: tenths.filter_map(|(metric, errors)| Some((metric, rounded(held(errors)?)))).collect(),
            slowdown: held(self.slowdowns.clone()).map(rounded),
            slowdown_ratio: None,
            distance: None,
        }
    }
}

/// The value that at least 90 % of further ones lie below, if they are like these. `None`: there are too few to say.
fn held(mut errors: Vec<f64>) -> Option<f64> {
    errors.sort_by(f64::total_cmp);
    let rank = ((errors.len() + 1) as f64 * HELD).ceil() as usize;
    errors.get(rank.checked_sub(1)?).copied()
}

/// Four decimals, upwards: model files stay readable and intervals don't shrink.
fn rounded(width: f64) -> f64 {
    (width * 1e4).ceil() / 1e4
}

fn intervals(bands: &Bands, question: &Question<'_>, prediction: &Prediction) -> Intervals {
    let scene = question.scene;
    let outcome = &prediction.outcome;
    let interval = |j: usize| {
        let job = &scene.jobs[j];
        let slowdown = (outcome.finish_seconds[j] - job.offset_seconds) / job.solo_seconds;
        bands.slowdown_interval(slowdown, outcome.slowdown_scale(j, slowdown))
    };
    Intervals {
        slowdowns: (0..scene.jobs.len()).map(interval).collect(),
        tenth_half_widths: bands
            .metrics
            .iter()
            .map(|(&metric, share)| (metric, share * share_unit(metric, &scene.node)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use cotrace_forecast::Outcome;

    use super::*;
    use crate::testing::{case, solo};

    #[test]
    fn the_value_that_holds_nine_in_ten() {
        // Of nine values the tenth in ten is the ninth, of nineteen the eighteenth.
        assert_eq!(held((1..=9).map(f64::from).collect()), Some(9.0));
        assert_eq!(held((1..=19).map(f64::from).collect()), Some(18.0));
        assert_eq!(held(Vec::new()), None);
    }

    #[test]
    fn distances_mean_errors() {
        let pairs = [[0.8, 0.05], [1.0, 0.1], [1.25, 0.15]];
        let jobs = [[1.6, 0.1], [2.0, 0.2], [2.5, 0.3]];
        let scale = distance_scale(&pairs, &jobs).unwrap();
        assert!((scale.usual - 1.0).abs() < 1e-3 && (scale.growth - 1.0).abs() < 1e-3, "{scale:?}");
        // Nearer by half, and still twice as far off: small differences count.
        let near = [[1.13, 0.1], [1.414, 0.2], [1.77, 0.3]];
        let scale = distance_scale(&pairs, &near).unwrap();
        assert!((scale.growth - 2.0).abs() < 0.02 && (scale.score(1.414) - 2.0).abs() < 0.02, "{scale:?}");
        assert_eq!(distance_scale(&pairs, &pairs).unwrap().growth, 1.0, "not farther");
        assert_eq!(distance_scale(&[], &jobs), None);
    }

    /// Forecasts every job to be 1.5 times slower, and remembers the jobs that it saw.
    struct Half(std::sync::Mutex<Vec<BTreeSet<String>>>);

    struct Fixed;

    impl Method for Half {
        fn name(&self) -> String {
            "half".to_owned()
        }

        fn fit(
            &self,
            training: &Training<'_>,
            _: u64,
            stop: &AtomicBool,
            _: FitProgress<'_>,
        ) -> Result<Box<dyn Predictor>, FitError> {
            assert!(!stop.load(Ordering::Relaxed));
            let jobs = training.cases.iter().flat_map(|case| case.jobs.clone()).collect();
            self.0.lock().unwrap().push(jobs);
            Ok(Box::new(Fixed))
        }
    }

    impl Predictor for Fixed {
        fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
            let outcome = |question: &Question<'_>| Outcome::simulate(question.scene, |_| vec![1.0 / 1.5; 2]);
            questions.iter().map(|question| Some(outcome(question).into())).collect()
        }
    }

    #[test]
    fn intervals_come_from_jobs_that_were_not_seen() {
        // The pairs of six jobs; measured slowdowns are 1.5 plus or minus up to a quarter.
        let mut cases = Vec::new();
        for a in 0..6usize {
            for b in a + 1..6 {
                let ends =
                    [(a, b), (b, a)].map(|(one, other)| 15.0 + ((one * 3 + other) % 11) as f64 / 2.0 - 2.5);
                let mut made = case(&[solo(10.0, 1.0), solo(10.0, 1.0)], 0.0, &ends);
                made.jobs = vec![a.to_string(), b.to_string()];
                cases.push(made);
            }
        }
        let training = Training {
            name: "all",
            cases: cases.iter().collect(),
            coruns: Vec::new(),
            solos: Vec::new(),
            bases: BTreeMap::new(),
        };
        let half = Conformal(Half(std::sync::Mutex::new(Vec::new())));
        let predictor = half.fit(&training, 1, &AtomicBool::new(false), &|_, _, _| ()).unwrap();
        let seen = half.0.0.lock().unwrap().clone();
        assert_eq!(seen.len(), 6, "five groups and all");
        assert!(seen[..5].iter().all(|jobs| jobs.len() < 6) && seen[5].len() == 6, "{seen:?}");
        let prediction = predictor.predict(&[cases[0].question()]).remove(0).unwrap();
        let [low, high] = prediction.intervals.unwrap().slowdowns[0];
        assert!((low + high - 3.0).abs() < 1e-6, "around 1.5: {low} to {high}");
        let inside =
            cases.iter().flat_map(Case::slowdowns).filter(|slowdown| (low..=high).contains(slowdown)).count();
        assert!((27..=30).contains(&inside), "{inside} of 30 in {low} to {high}");
    }
}
