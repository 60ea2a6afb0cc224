//! What comes of other starts of a job: the way to the best one.

use crate::messages::ForecastRequest;
use crate::state::Place;

/// Starts that are tried.
const TRIED: usize = 33;

/// A start that makes all done so little later, as a share, is as good: then the one counts that slows the jobs least.
const AS_GOOD: f64 = 0.01;

/// What comes of each of some starts of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Starts {
    /// The job.
    pub place: Place,
    /// What was asked, but for its start.
    pub request: ForecastRequest,
    /// The starts.
    pub offsets_seconds: Vec<f64>,
    /// When all jobs are done, for each start.
    pub makespans_seconds: Vec<f64>,
    /// The best start.
    pub best: usize,
}

/// The starts of a job to try: from the first job's start to the end of all others alone, which is one after the other.
pub fn to_try(others_end_seconds: f64) -> Vec<f64> {
    let end = if others_end_seconds.is_finite() { others_end_seconds.max(0.0) } else { 0.0 };
    let step = end / (TRIED - 1) as f64;
    (0..TRIED).map(|k| k as f64 * step).collect()
}

impl Starts {
    /// What comes of them: finish times of all jobs, `[starts][jobs]`. `None`: there are none.
    pub fn new(
        place: Place,
        request: ForecastRequest,
        offsets_seconds: Vec<f64>,
        finishes: &[Vec<f64>],
    ) -> Option<Starts> {
        let makespan = |finishes: &Vec<f64>| finishes.iter().copied().fold(0.0, f64::max);
        let makespans_seconds: Vec<f64> = finishes.iter().map(makespan).collect();
        let shortest = makespans_seconds.iter().copied().min_by(f64::total_cmp)?;
        // The sum of run times: what all jobs together wait.
        let spent = |start: usize| {
            let own = finishes[start].iter().sum::<f64>();
            own - offsets_seconds.get(start).copied().unwrap_or(0.0)
        };
        let good = (0..makespans_seconds.len().min(offsets_seconds.len()))
            .filter(|&start| makespans_seconds[start] <= shortest * (1.0 + AS_GOOD));
        let best = good.min_by(|&a, &b| spent(a).total_cmp(&spent(b)))?;
        Some(Starts { place, request, offsets_seconds, makespans_seconds, best })
    }

    /// The best start, in whole tenths of a second.
    pub fn best_seconds(&self) -> f64 {
        (self.offsets_seconds[self.best] * 10.0).round() / 10.0
    }

    /// Whether they are still starts in what is asked now.
    pub fn belongs_to(&self, request: &ForecastRequest) -> bool {
        without_start(request, self.place) == self.request
    }
}

/// A request without the start of one job.
pub fn without_start(request: &ForecastRequest, place: Place) -> ForecastRequest {
    let mut request = request.clone();
    for job in request.jobs.iter_mut().filter(|job| job.name == place.letter()) {
        job.offset_seconds = 0.0;
    }
    request
}

#[cfg(test)]
mod tests {
    use cotrace_trace::Capacity;

    use super::*;

    #[test]
    fn of_starts_that_end_as_soon_the_one_that_slows_least() {
        let request = ForecastRequest { jobs: vec![], node: Capacity::default(), model: "cotrace".into() };
        let finishes = [vec![30.0, 30.0], vec![25.0, 30.1], vec![20.0, 33.0], vec![20.0, 40.0]];
        let starts = Starts::new(Place::B, request, vec![0.0, 5.0, 12.0, 20.0], &finishes).unwrap();
        assert_eq!((starts.best, starts.best_seconds()), (1, 5.0));
        assert_eq!(starts.makespans_seconds, [30.0, 30.1, 33.0, 40.0]);
        assert_eq!(Starts::new(Place::B, starts.request.clone(), vec![], &[]), None);
    }

    #[test]
    fn tried_are_starts_up_to_one_after_the_other() {
        let tried = to_try(64.0);
        assert_eq!((tried[0], tried[1], tried[TRIED - 1]), (0.0, 2.0, 64.0));
        assert!(to_try(f64::NAN).iter().all(|start| *start == 0.0));
    }
}
