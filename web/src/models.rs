//! The models that come with the page: which are loaded, which one forecasts, and which one is on its way.

use gloo::storage::{LocalStorage, Storage};

use crate::messages::{ModelInfo, Problem};

/// Where the choice is kept.
const KEY: &str = "cotrace-model";

/// A model that comes with the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Our own.
    #[default]
    Cotrace,
    /// The published one.
    ResourceNet,
    /// One that the person brought.
    Own,
}

impl Model {
    /// Those that come with the page, the one to begin with first.
    pub const SHIPPED: [Model; 2] = [Model::Cotrace, Model::ResourceNet];

    /// What the worker calls it.
    pub fn name(self) -> &'static str {
        match self {
            Model::Cotrace => "cotrace",
            Model::ResourceNet => "resourcenet",
            Model::Own => "own",
        }
    }

    /// The model that the worker calls so.
    pub fn named(name: &str) -> Option<Model> {
        Model::SHIPPED.into_iter().chain([Model::Own]).find(|model| model.name() == name)
    }

    /// How many jobs it forecasts together, at least and at most.
    pub fn takes(self, jobs: usize) -> bool {
        self != Model::ResourceNet || jobs == 2
    }

    /// Its file, relative to the page.
    pub fn file(self) -> String {
        format!("models/{}.cotrace", self.name())
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Model::Cotrace => "Cotrace’s own, which follows each job along its trace",
            Model::ResourceNet => "The published network, arXiv 2006.14429",
            Model::Own => "The file that you gave",
        }
    }

    /// The model that takes its place where it can't be had at first.
    pub fn instead(self) -> Option<Model> {
        (self != Model::default()).then(Model::default)
    }

    /// What was chosen before.
    pub fn stored() -> Model {
        let stored = LocalStorage::get::<String>(KEY).ok().and_then(|name| Model::named(&name));
        stored.filter(|model| *model != Model::Own).unwrap_or_default()
    }

    /// Keeps the choice. A browser that keeps nothing only forgets it.
    pub fn remember(self) {
        if self == Model::Own {
            // It is gone with the page.
        } else if self == Model::default() {
            LocalStorage::delete(KEY);
        } else {
            drop(LocalStorage::set(KEY, self.name()));
        }
    }
}

/// Which models there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Models {
    /// Those that the worker holds.
    loaded: Vec<(Model, ModelInfo)>,
    /// The one that forecasts. `None`: none can.
    used: Option<Model>,
    /// The one that is to forecast as soon as it is there.
    awaited: Option<Model>,
    /// Why the last one that was asked for can't be had.
    problem: Option<Problem>,
}

impl Default for Models {
    /// Before anything was fetched.
    fn default() -> Models {
        Models { loaded: Vec::new(), used: None, awaited: Some(Model::default()), problem: None }
    }
}

impl Models {
    /// The model that forecasts.
    pub fn used(&self) -> Option<&ModelInfo> {
        self.info(self.used?)
    }

    /// The one that forecasts, as the worker calls it.
    pub fn forecasting(&self) -> Option<Model> {
        self.used
    }

    /// The one that was chosen: on its way, or in use.
    pub fn chosen(&self) -> Model {
        self.awaited.or(self.used).unwrap_or_default()
    }

    /// The one that is on its way.
    pub fn awaited(&self) -> Option<Model> {
        self.awaited
    }

    /// Why the last one that was asked for can't be had.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// Why nothing can be forecast, if no model could be had.
    pub fn failure(&self) -> Option<&Problem> {
        self.problem.as_ref().filter(|_| self.used.is_none() && self.awaited.is_none())
    }

    /// What a model says of itself. `None`: it is not loaded.
    pub fn info(&self, model: Model) -> Option<&ModelInfo> {
        self.loaded.iter().find(|(loaded, _)| *loaded == model).map(|(_, info)| info)
    }

    /// `model` was chosen: it is used at once if it is loaded, and awaited else.
    pub fn ask(&mut self, model: Model) {
        self.problem = None;
        self.awaited = Some(model);
        self.settle();
    }

    /// `model` was given anew: it is awaited even if one of that name is loaded.
    pub fn bring(&mut self, model: Model) {
        self.problem = None;
        self.awaited = Some(model);
    }

    /// What came of fetching `model`.
    pub fn arrived(&mut self, model: Model, answer: Result<ModelInfo, Problem>) {
        match answer {
            Ok(info) => {
                self.loaded.retain(|(loaded, _)| *loaded != model);
                self.loaded.push((model, info));
                self.settle();
            }
            // Nobody waits for it any more.
            Err(_) if self.awaited != Some(model) => {}
            Err(problem) => {
                // What forecasts goes on; where nothing does yet, the model to begin with is fetched.
                self.awaited = model.instead().filter(|_| self.used.is_none());
                self.problem = Some(problem);
            }
        }
    }

    /// Uses the awaited model if it is there.
    fn settle(&mut self) {
        if let Some(model) = self.awaited.filter(|model| self.info(*model).is_some()) {
            (self.used, self.awaited) = (Some(model), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(model: Model) -> ModelInfo {
        ModelInfo { name: model.name().to_owned(), version: "1".to_owned(), ..ModelInfo::default() }
    }

    fn name(models: &Models) -> Option<&str> {
        models.used().map(|info| info.name.as_str())
    }

    fn failed() -> Result<ModelInfo, Problem> {
        Err(Problem::new("fetch", "status 404"))
    }

    #[test]
    fn a_model_forecasts_once_it_is_there_and_the_one_before_until_then() {
        let mut models = Models::default();
        assert_eq!((name(&models), models.chosen()), (None, Model::Cotrace));
        models.arrived(Model::Cotrace, Ok(info(Model::Cotrace)));
        assert_eq!((name(&models), models.awaited()), (Some("cotrace"), None));

        models.ask(Model::ResourceNet);
        assert_eq!((name(&models), models.chosen()), (Some("cotrace"), Model::ResourceNet));
        models.arrived(Model::ResourceNet, Ok(info(Model::ResourceNet)));
        assert_eq!((name(&models), models.awaited()), (Some("resourcenet"), None));

        models.ask(Model::Cotrace);
        assert_eq!((name(&models), models.awaited()), (Some("cotrace"), None), "it is there already");
    }

    #[test]
    fn a_model_that_comes_when_another_is_wanted_is_only_kept() {
        let mut models = Models::default();
        models.arrived(Model::Cotrace, Ok(info(Model::Cotrace)));
        models.ask(Model::ResourceNet);
        models.ask(Model::Cotrace);
        let mut late = models.clone();
        late.arrived(Model::ResourceNet, failed());
        assert_eq!((name(&late), late.problem()), (Some("cotrace"), None));
        models.arrived(Model::ResourceNet, Ok(info(Model::ResourceNet)));
        assert_eq!(name(&models), Some("cotrace"));
        assert!(models.info(Model::ResourceNet).is_some());
    }

    #[test]
    fn a_model_that_can_not_be_had_leaves_the_one_before() {
        let mut models = Models::default();
        models.arrived(Model::Cotrace, Ok(info(Model::Cotrace)));
        models.ask(Model::ResourceNet);
        models.arrived(Model::ResourceNet, failed());
        assert_eq!((name(&models), models.chosen()), (Some("cotrace"), Model::Cotrace));
        assert!(models.problem().is_some());
        assert_eq!(models.failure(), None, "forecasts can still be made");
        models.ask(Model::Cotrace);
        assert_eq!(models.problem(), None);
    }

    #[test]
    fn another_model_of_one_s_own_is_another_one() {
        let mut models = Models::default();
        models.arrived(Model::Cotrace, Ok(info(Model::Cotrace)));
        models.bring(Model::Own);
        models.arrived(Model::Own, Ok(info(Model::Own)));
        models.bring(Model::Own);
        assert_eq!(models.awaited(), Some(Model::Own));
        let mut wrong = models.clone();
        wrong.arrived(Model::Own, failed());
        assert_eq!((wrong.forecasting(), wrong.awaited()), (Some(Model::Own), None), "the first one goes on");
        assert!(wrong.problem().is_some(), "the second one's fault is told");
        models.arrived(Model::Own, Ok(ModelInfo { version: "2".to_owned(), ..info(Model::Own) }));
        assert_eq!(models.used().map(|info| info.version.as_str()), Some("2"));
    }

    #[test]
    fn at_first_the_model_to_begin_with_stands_in() {
        let mut models = Models::default();
        models.ask(Model::ResourceNet);
        models.arrived(Model::ResourceNet, failed());
        assert_eq!((models.awaited(), models.failure()), (Some(Model::Cotrace), None));
        let mut neither = models.clone();
        models.arrived(Model::Cotrace, Ok(info(Model::Cotrace)));
        assert_eq!(name(&models), Some("cotrace"));
        assert!(models.problem().is_some(), "it is still said");

        neither.arrived(Model::Cotrace, failed());
        assert!(neither.failure().is_some());
        assert_eq!((neither.awaited(), name(&neither)), (None, None));
    }

    #[test]
    fn names_are_those_of_files_and_forecasts() {
        for model in Model::SHIPPED {
            assert_eq!(Model::named(model.name()), Some(model));
            assert!(model.file().ends_with(&format!("/{}.cotrace", model.name())));
        }
        assert_eq!(Model::named("oracle"), None);
    }
}
