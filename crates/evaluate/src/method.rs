//! What is judged: methods that are fitted to measured co-runs and then forecast others.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::atomic::AtomicBool;

use cotrace_dataset::{DataSet, JobRun, Run, RunKind};
use cotrace_forecast::{Baseline, Outcome, Scene};
use cotrace_trace::{Metric, Trace};

use crate::Case;

/// What a method is fitted to.
#[derive(Clone, Debug)]
pub struct Training<'a> {
    /// Its name, for people and for files.
    pub name: &'a str,
    /// Co-runs that may be seen.
    pub cases: Vec<&'a Case>,
    /// The same as they were measured, in the same order.
    pub coruns: Vec<Measured<'a>>,
    /// Solo runs that may be seen, on the whole node.
    pub solos: Vec<Measured<'a>>,
    /// Of jobs that are another size of one, that one, by name.
    pub bases: BTreeMap<&'a str, &'a str>,
}

/// A measured run.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its trace.
    pub trace: &'a Trace,
}

/// What a forecast is asked of.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Solo traces, node and offsets.
    pub scene: &'a Scene,
    /// The names of the jobs. Only the noise floor goes by names: to all others a job is its trace.
    pub jobs: &'a [String],
    /// What measurements of the same have in common: see [`Case::same`].
    pub same: &'a str,
}

impl<'a> Training<'a> {
    /// What may be seen of a data set if `runs` are the ids of the runs that may. `cases` are those of the data set.
    pub fn of(name: &'a str, data: &'a DataSet, cases: &'a [Case], runs: &BTreeSet<String>) -> Training<'a> {
        let cases: Vec<&Case> = cases.iter().filter(|case| runs.contains(&case.run)).collect();
        let seen = data.runs().filter(|(run, _)| runs.contains(&run.id));
        let measured: Vec<Measured<'a>> = seen.map(|(run, trace)| Measured { run, trace }).collect();
        let of_case = |case: &&Case| measured.iter().find(|measured| measured.run.id == case.run).copied();
        let sizes = data.manifest.jobs.iter().filter_map(|job| Some((&*job.name, job.size_of.as_deref()?)));
        Training {
            name,
            // Cases are made of the same runs.
            coruns: cases.iter().filter_map(of_case).collect(),
            cases,
            solos: measured.iter().filter(|measured| measured.run.kind == RunKind::Solo).copied().collect(),
            bases: sizes.collect(),
        }
    }

    /// The job of which a job is another size, or the job itself.
    pub fn base<'b>(&'b self, job: &'b str) -> &'b str {
        self.bases.get(job).copied().unwrap_or(job)
    }

    /// Whether a job, in whatever size, is one of some.
    pub fn is_of(&self, job: &str, jobs: &BTreeSet<String>) -> bool {
        jobs.contains(self.base(job))
    }

    /// Whether a case has one of some jobs.
    pub fn has(&self, case: &Case, jobs: &BTreeSet<String>) -> bool {
        case.jobs.iter().any(|job| self.is_of(job, jobs))
    }

    /// The training without any run of some jobs.
    #[must_use]
    pub fn without(&self, jobs: &BTreeSet<String>) -> Training<'a> {
        let fits = |measured: &Measured<'a>| !measured.run.jobs.iter().any(|job| self.is_of(&job.name, jobs));
        Training {
            name: self.name,
            cases: self.cases.iter().filter(|case| !self.has(case, jobs)).copied().collect(),
            coruns: self.coruns.iter().filter(|corun| fits(corun)).copied().collect(),
            solos: self.solos.iter().filter(|solo| fits(solo)).copied().collect(),
            bases: self.bases.clone(),
        }
    }

    /// The training without any run of some co-runs, which are named by [`Case::same`].
    #[must_use]
    pub fn without_coruns(&self, same: &BTreeSet<&str>) -> Training<'a> {
        let kept: Vec<(&'a Case, Measured<'a>)> =
            self.cases.iter().copied().zip(self.coruns.iter().copied()).collect();
        let kept = kept.into_iter().filter(|(case, _)| !same.contains(&*case.same));
        let (cases, coruns) = kept.unzip();
        Training { cases, coruns, ..self.clone() }
    }

    /// The solo runs of each job of a co-run that were measured in its sitting, `[jobs]` of at least one each. `None`: a
    /// job has none.
    pub fn solos_of(&self, run: &Run) -> Option<Vec<Vec<Measured<'a>>>> {
        let of_job = |job: &JobRun| -> Vec<Measured<'a>> {
            let fits = |solo: &&Measured<'a>| {
                solo.run.sitting == run.sitting && solo.run.cut.is_none() && solo.run.jobs[0].name == job.name
            };
            self.solos.iter().filter(fits).copied().collect()
        };
        let solos: Vec<Vec<Measured<'a>>> = run.jobs.iter().map(of_job).collect();
        solos.iter().all(|solos| !solos.is_empty()).then_some(solos)
    }
}

impl Case {
    /// The case without its answer.
    pub fn question(&self) -> Question<'_> {
        Question { scene: &self.scene, jobs: &self.jobs, same: &self.same }
    }
}

/// A forecast and how sure it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// What happens.
    pub outcome: Outcome,
    /// 90 % intervals, if the method gives any.
    pub intervals: Option<Intervals>,
    /// How many times farther off it may be than on what the method has seen much of, as the method reckons it, if it does.
    pub distance: Option<f64>,
}

/// 90 % intervals around a forecast.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// Of the slowdowns, `[jobs]`.
    pub slowdowns: Vec<[f64; 2]>,
    /// Half-widths around the means over tenths of the makespan, in the metric's unit.
    pub tenth_half_widths: BTreeMap<Metric, f64>,
}

impl From<Outcome> for Prediction {
    fn from(outcome: Outcome) -> Prediction {
        Prediction { outcome, intervals: None, distance: None }
    }
}

/// Forecasts scenes.
pub trait Predictor {
    /// A forecast of each question; `None` where the method has nothing to say.
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>>;
}

/// Told how far a fit is: steps done, of how many, in words what they are.
pub type FitProgress<'a> = &'a (dyn Fn(usize, usize, &str) + Sync);

/// Why a fit gave nothing.
pub type FitError = Box<dyn Error + Send + Sync>;

/// Something that can be fitted and judged.
pub trait Method: Sync {
    /// Its name in tables and files.
    fn name(&self) -> String;

    /// Everything that its forecasts depend on besides the data and the seed: what is kept of another configuration is
    /// not gone on with.
    fn configuration(&self) -> String {
        self.name()
    }

    /// Whether seeds make a difference.
    fn is_seeded(&self) -> bool {
        false
    }

    /// Whether its predictions have a distance.
    fn reckons_distances(&self) -> bool {
        false
    }

    /// Fits to a training. Where `stop` is set it gives up as soon as it can.
    ///
    /// # Errors
    /// Whatever kept it from a fit.
    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError>;
}

impl Predictor for Baseline {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        questions.iter().map(|question| Some(self.run(question.scene).into())).collect()
    }
}

/// Rules need no fit.
impl Method for Baseline {
    fn name(&self) -> String {
        Baseline::name(*self).to_owned()
    }

    fn fit(
        &self,
        _: &Training<'_>,
        _: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        Ok(Box::new(*self))
    }
}
