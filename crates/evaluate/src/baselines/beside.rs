//! How much slower a job is while another runs beside it.

use cotrace_forecast::{Outcome, Scene, SoloJob};

use crate::{Case, Prediction, Predictor, Question};

/// Slowdowns beyond these are not believed: what is left of a run after the time alone is little, and noise large.
const LEAST: f64 = 0.5;
const MOST: f64 = 20.0;

/// A job needs this share of its time beside another to say anything about it.
const LEAST_OVERLAP: f64 = 0.2;

/// Something that says how much slower a job is while another runs.
pub trait Beside {
    /// The slowdown of `job` while `partner` runs on the node of `scene`.
    fn slowdown(&self, scene: &Scene, job: &SoloJob, partner: &SoloJob) -> f64;
}

/// A measured slowdown of a job while another ran.
#[derive(Clone, Copy, Debug)]
pub struct BesideExample<'a> {
    /// The case.
    pub case: &'a Case,
    /// The job.
    pub job: usize,
    /// The other.
    pub partner: usize,
    /// How much slower the job was while both ran.
    pub slowdown: f64,
}

/// Every slowdown beside another that cases of two jobs hold. A job that took `duration` of which it was beside the
/// other for `overlap` had only `solo - (duration - overlap)` seconds of its solo run to do in that time.
pub fn examples<'a>(cases: &[&'a Case]) -> Vec<BesideExample<'a>> {
    let mut examples = Vec::new();
    for case in cases.iter().filter(|case| case.jobs.len() == 2) {
        let starts: Vec<f64> = case.scene.jobs.iter().map(|job| job.offset_seconds).collect();
        let ends = &case.truth.finish_seconds;
        let overlap = f64::min(ends[0], ends[1]) - f64::max(starts[0], starts[1]);
        for job in 0..2 {
            let duration = ends[job] - starts[job];
            if overlap < LEAST_OVERLAP * duration {
                continue;
            }
            let done = case.scene.jobs[job].solo_seconds - (duration - overlap);
            let slowdown = if done > 0.0 { overlap / done } else { MOST };
            let slowdown = slowdown.clamp(LEAST, MOST);
            examples.push(BesideExample { case, job, partner: 1 - job, slowdown });
        }
    }
    examples
}

/// Forecasts by what is known about pairs: a job's solo run takes longer by the slowdown beside each job that runs.
pub(super) struct Stretch<B>(pub(super) B);

impl<B: Beside> Predictor for Stretch<B> {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        questions.iter().map(|question| Some(stretched(&self.0, question.scene).into())).collect()
    }
}

fn stretched(beside: &impl Beside, scene: &Scene) -> Outcome {
    let count = scene.jobs.len();
    let slower: Vec<Vec<f64>> = (0..count)
        .map(|job| {
            let beside =
                |partner: usize| beside.slowdown(scene, &scene.jobs[job], &scene.jobs[partner]) - 1.0;
            (0..count).map(|partner| if partner == job { 0.0 } else { beside(partner) }).collect()
        })
        .collect();
    Outcome::simulate(scene, |moment| {
        (0..count)
            .map(|job| {
                let partners = (0..count).filter(|&partner| moment.running[partner]);
                let sum: f64 = partners.map(|partner| slower[job][partner]).sum();
                1.0 / (1.0 + sum).max(LEAST)
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{case, solo};

    struct Twice;

    impl Beside for Twice {
        fn slowdown(&self, _: &Scene, _: &SoloJob, _: &SoloJob) -> f64 {
            2.0
        }
    }

    #[test]
    fn what_is_learned_from_a_case_forecasts_it() {
        // (solo seconds, offset of the second, measured ends, slowdowns beside)
        let cases = [
            ("all the time", [10.0, 10.0], 0.0, [20.0, 20.0], vec![2.0, 2.0]),
            // 10 s together do 5 s of each; the second has 10 s left.
            ("alone at the end", [5.0, 15.0], 0.0, [10.0, 20.0], vec![2.0, 2.0]),
            // 5 s alone, then 10 s together, then 5 s alone.
            ("later", [10.0, 10.0], 5.0, [15.0, 20.0], vec![2.0, 2.0]),
            ("hardly together", [10.0, 10.0], 9.5, [10.0, 19.5], vec![]),
        ];
        let mut wrong = Vec::new();
        for (what, solos, offset, ends, wanted) in cases {
            let case = case(&[solo(solos[0], 1.0), solo(solos[1], 1.0)], offset, &ends);
            let found: Vec<f64> = examples(&[&case]).iter().map(|example| example.slowdown).collect();
            let close = found.len() == wanted.len()
                && found.iter().zip(&wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-9);
            if !close {
                wrong.push(format!("{what}: learned {found:?}, should be {wanted:?}"));
            }
            let forecast = stretched(&Twice, &case.scene).finish_seconds;
            if !wanted.is_empty() && forecast.iter().zip(ends).any(|(found, end)| (found - end).abs() > 1e-6)
            {
                wrong.push(format!("{what}: forecast {forecast:?}, should be {ends:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
