//! The models that can be shipped, and the fits that one of them takes.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow};
use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::tensor::Tensor;
use cotrace_evaluate::{FitError, FitProgress, Method, Prediction, Predictor, Question, Training, bands};
use cotrace_forecast::Bands;
use cotrace_model::cotrace::{CotraceNetConfig, Experience};
use cotrace_model::features::Scales;
use cotrace_model::{Network, default_device};

use crate::checkpoints::Checkpoints;
use crate::cotrace::CotraceMethod;
use crate::examples::scales;
use crate::fit::Stopped;
use crate::ready::Ready;
use crate::resourcenet::ResourceNetMethod;

/// A model that can be shipped, and how it is fitted.
#[derive(Clone, Debug)]
pub enum Recipe {
    /// Ours.
    Cotrace(CotraceMethod),
    /// The published one.
    ResourceNet(ResourceNetMethod),
}

/// The ids of the runs that a training sees.
pub(crate) type Runs = BTreeSet<String>;

impl Recipe {
    /// The same as something that can be judged.
    pub fn method(&self) -> &dyn Method {
        match self {
            Recipe::Cotrace(method) => method,
            Recipe::ResourceNet(method) => method,
        }
    }

    /// Everything that a fit to a training depends on.
    pub(crate) fn configuration(&self, training: &Training<'_>, seed: u64) -> String {
        let mut hasher = DefaultHasher::new();
        for measured in training.coruns.iter().chain(&training.solos) {
            (&measured.run.id, &measured.run.started_at).hash(&mut hasher);
            for job in &measured.run.jobs {
                (job.start_seconds.to_bits(), job.end_seconds.to_bits()).hash(&mut hasher);
            }
        }
        format!("{}, seed {seed}, runs {:016x}", self.method().configuration(), hasher.finish())
    }

    /// Fits a network to a training, from where the checkpoints are.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was set, else whatever kept it from a fit.
    pub(crate) fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        checkpoints: &Checkpoints,
        stop: &AtomicBool,
        progress: FitProgress<'_>,
    ) -> Result<Network> {
        match self {
            Recipe::ResourceNet(method) => {
                method.network(training, seed, checkpoints, stop, progress).map(Network::ResourceNet)
            }
            // Its fits are short: only finished ones are kept.
            Recipe::Cotrace(method) => {
                let config = &method.config;
                if let Some(saved) = checkpoints.load()? {
                    let network = CotraceNetConfig::new().with_hidden(config.hidden).init(&default_device());
                    let network = network.try_load_record(saved.network);
                    return Ok(Network::Cotrace(
                        network.context("the checkpoint does not fit this network")?,
                    ));
                }
                let network = method.network(training, seed, stop, progress).map_err(plain)?;
                checkpoints.save(config.steps, || network.clone().into_record(), None)?;
                Ok(Network::Cotrace(network))
            }
        }
    }

    /// What a network gets wrong on the training that it was fitted to, if it is corrected by that.
    ///
    /// # Errors
    /// None that is known.
    pub(crate) fn experience(
        &self,
        network: &Network,
        training: &Training<'_>,
    ) -> Result<Option<Experience>> {
        match (self, network) {
            (Recipe::Cotrace(method), Network::Cotrace(network)) => {
                method.experience(network, training).map_err(plain)
            }
            _ => Ok(None),
        }
    }

    /// What a network fitted to a training divides shares by.
    pub(crate) fn scales(&self, training: &Training<'_>) -> Scales {
        match self {
            Recipe::Cotrace(_) => Scales::new(),
            Recipe::ResourceNet(_) => scales(&training.coruns),
        }
    }

    /// The trainings whose fits say how wide the bands must be.
    ///
    /// # Errors
    /// None that is known.
    pub(crate) fn trainings_of_bands(&self, training: &Training<'_>, seed: u64) -> Result<Vec<Runs>> {
        let asked = Asked { method: self.method(), trainings: Mutex::default() };
        bands(&asked, training, seed, &AtomicBool::new(false), &|_, _, _| ()).map_err(plain)?;
        Ok(asked.trainings.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// How wide the bands must be, by fits that were made.
    ///
    /// # Errors
    /// One of them is missing.
    pub(crate) fn bands(
        &self,
        training: &Training<'_>,
        seed: u64,
        fits: &BTreeMap<Runs, Ready>,
    ) -> Result<Bands> {
        let finished = Finished { method: self.method(), fits };
        bands(&finished, training, seed, &AtomicBool::new(false), &|_, _, _| ()).map_err(plain)
    }
}

/// The runs of a training.
pub(crate) fn runs_of(training: &Training<'_>) -> Runs {
    training.coruns.iter().chain(&training.solos).map(|measured| measured.run.id.clone()).collect()
}

/// Fits nothing, but remembers what it was asked to fit to: so fits can be made at the same time, and kept.
struct Asked<'a> {
    method: &'a dyn Method,
    trainings: Mutex<Vec<Runs>>,
}

/// Says nothing.
struct Silent;

/// Fits that were made before.
struct Finished<'a> {
    method: &'a dyn Method,
    fits: &'a BTreeMap<Runs, Ready>,
}

impl Method for Asked<'_> {
    fn name(&self) -> String {
        self.method.name()
    }

    fn reckons_distances(&self) -> bool {
        self.method.reckons_distances()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        self.trainings.lock().unwrap_or_else(PoisonError::into_inner).push(runs_of(training));
        Ok(Box::new(Silent))
    }
}

impl Predictor for Silent {
    fn predict(&self, questions: &[Question<'_>]) -> Vec<Option<Prediction>> {
        vec![None; questions.len()]
    }
}

impl Method for Finished<'_> {
    fn name(&self) -> String {
        self.method.name()
    }

    fn reckons_distances(&self) -> bool {
        self.method.reckons_distances()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        _: &AtomicBool,
        _: FitProgress<'_>,
    ) -> Result<Box<dyn Predictor>, FitError> {
        let ready = self.fits.get(&runs_of(training)).ok_or("a fit that the bands need was not made")?;
        Ok(Box::new(ready.clone()))
    }
}

/// An error that can be told from others by what it is.
fn plain(error: FitError) -> anyhow::Error {
    match error.downcast::<Stopped>() {
        Ok(stopped) => (*stopped).into(),
        Err(error) => anyhow!(error),
    }
}

/// Numbers a network's parameters in order. Burn numbers them at random, and the same fit is to give the same file.
pub(crate) fn numbered(network: Network) -> Network {
    match network {
        Network::Cotrace(network) => Network::Cotrace(network.map(&mut Numbered(0))),
        Network::ResourceNet(network) => Network::ResourceNet(network.map(&mut Numbered(0))),
    }
}

/// How many parameters a network has.
pub(crate) fn parameters(network: &Network) -> usize {
    match network {
        Network::Cotrace(network) => network.num_params(),
        Network::ResourceNet(network) => network.num_params(),
    }
}

struct Numbered(u64);

impl ModuleMapper for Numbered {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        self.0 += 1;
        let (_, value, mapper) = param.consume();
        Param::from_mapped_value(ParamId::from(self.0), value, mapper)
    }
}
