//! The models that JavaScript calls by name.

use cotrace_model::{Forecaster, ModelError};

use crate::answers::ModelInfo;
use crate::error::ApiError;

/// Models by their names, in the order in which they were loaded. The first is meant where none is named.
#[derive(Debug, Default)]
pub struct Models {
    models: Vec<(String, Forecaster)>,
}

impl Models {
    /// Loads one, to be `called` so, or by its own name. One that was called the same is replaced.
    ///
    /// # Errors
    /// See [`ModelError`]. What was loaded before is still there.
    pub fn add(&mut self, weights: &[u8], called: Option<&str>) -> Result<ModelInfo, ModelError> {
        let model = Forecaster::from_bytes(weights)?;
        let info = ModelInfo::of(&model);
        let called = called.unwrap_or(&info.name);
        match self.models.iter_mut().find(|(other, _)| other == called) {
            Some((_, before)) => *before = model,
            None => self.models.push((called.to_owned(), model)),
        }
        Ok(info)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Forecaster> {
        self.models.iter().map(|(_, model)| model)
    }

    /// The model of this name, or the first.
    ///
    /// # Errors
    /// `no-such-model`, with the names that there are.
    pub fn get(&self, name: Option<&str>) -> Result<&Forecaster, ApiError> {
        let named = match name {
            None => self.models.first(),
            Some(name) => self.models.iter().find(|(called, _)| called == name),
        };
        named.map(|(_, model)| model).ok_or_else(|| {
            let names: Vec<String> = self.models.iter().map(|(called, _)| called.clone()).collect();
            ApiError::no_such_model(name, &names)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COTRACE: &[u8] = include_bytes!("../../../models/cotrace/cotrace.cotrace");
    const RESOURCENET: &[u8] = include_bytes!("../../../models/resourcenet/resourcenet.cotrace");

    fn names(models: &Models) -> Vec<String> {
        models.models.iter().map(|(called, _)| called.clone()).collect()
    }

    #[test]
    fn the_first_is_meant_and_others_are_named() {
        let mut models = Models::default();
        assert_eq!(models.get(None).unwrap_err().message, "No model is loaded.");
        models.add(COTRACE, None).unwrap();
        assert_eq!(models.add(RESOURCENET, None).unwrap().name, "resourcenet");
        for (name, wanted) in
            [(None, "cotrace"), (Some("cotrace"), "cotrace"), (Some("resourcenet"), "resourcenet")]
        {
            assert_eq!(models.get(name).unwrap().model().name, wanted, "{name:?}");
        }
        let error = models.get(Some("oracle")).unwrap_err();
        assert_eq!(error.kind, "no-such-model");
        for part in ["oracle", "cotrace", "resourcenet"] {
            assert!(error.message.contains(part), "{error}");
        }
    }

    #[test]
    fn one_of_the_same_name_is_replaced_and_a_broken_one_changes_nothing() {
        let mut models = Models::default();
        for weights in [RESOURCENET, COTRACE, RESOURCENET, COTRACE] {
            models.add(weights, None).unwrap();
        }
        assert!(models.add(b"not weights", None).is_err());
        assert_eq!(names(&models), ["resourcenet", "cotrace"]);
        // A model of one's own may be of the same kind as another.
        assert_eq!(models.add(COTRACE, Some("own")).unwrap().name, "cotrace");
        assert_eq!(names(&models), ["resourcenet", "cotrace", "own"]);
        assert_eq!(models.get(Some("own")).unwrap().model().name, "cotrace");
    }

    #[test]
    fn a_model_says_what_it_has_learned_from() {
        let mut models = Models::default();
        let published = models.add(RESOURCENET, None).unwrap();
        let ours = models.add(COTRACE, None).unwrap();
        for model in [&published, &ours] {
            assert_eq!((model.data.as_deref(), model.held_out_pairs.len()), (Some("co-runs"), 0));
        }
        let points = [ours, published].map(|model| model.unseen_jobs_slowdown_points.expect("it was judged"));
        assert!(points[0] < points[1], "{points:?}");
    }
}
