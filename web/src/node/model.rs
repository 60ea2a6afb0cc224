//! Which model forecasts.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::actions::Actions;
use crate::app::Shown;
use crate::figures::off_by;
use crate::forecast::ProblemBox;
use crate::messages::Problem;
use crate::models::{Model, Models};
use crate::select::{Choice, Select};

/// The models to choose from, and what the chosen one is.
#[component]
pub(crate) fn ModelChoice(Shown { state }: &Shown) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let models = &state.models;
    let own = models.info(Model::Own);
    let shown: Vec<Model> = Model::SHIPPED.into_iter().chain(own.map(|_| Model::Own)).collect();
    let title = |model: Model| match (model, own) {
        (Model::Own, Some(own)) => format!("your own: {} {}", own.name, own.version),
        _ => model.name().to_owned(),
    };
    let choices: Vec<Choice> = shown.iter().map(|model| Choice::new(model.name(), title(*model))).collect();
    let onchange = {
        let actions = actions.clone();
        let loaded: Vec<_> = shown.iter().map(|model| (*model, models.info(*model).is_some())).collect();
        Callback::from(move |name: String| {
            if let Some((model, is_loaded)) = loaded.iter().find(|(model, _)| model.name() == name) {
                actions.choose_model(*model, *is_loaded);
            }
        })
    };
    let onfile = {
        let actions = actions.clone();
        move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                actions.bring_model(file);
            }
            input.set_value("");
        }
    };
    let back = move |_| actions.choose_model(Model::default(), true);
    html! {
        <section class="card model">
            <div class="field">
                <label for="model">{ "Model" }</label>
                <Select id="model" described_by="model-note" value={models.chosen().name()} {choices} {onchange} />
                <p id="model-note" class="note">{ note(models) }</p>
            </div>
            <div class="ways">
                <span class="file">
                    <input type="file" id="file-model" accept=".cotrace" onchange={onfile} />
                    <label for="file-model" class="button">
                        { "Your own model" }<span class="visually-hidden">{ ", choose its file" }</span>
                    </label>
                </span>
                if models.forecasting() == Some(Model::Own) {
                    <button type="button" class="button" onclick={back}>{ "Back to cotrace" }</button>
                }
            </div>
            if let Some(problem) = models.problem().filter(|_| models.failure().is_none()) {
                <ProblemBox problem={with_hint(models, problem)} />
            }
        </section>
    }
}

/// What the chosen model is; while it is on its way, that.
fn note(models: &Models) -> String {
    if let Some(model) = models.awaited() {
        return match models.used() {
            Some(used) => format!("Fetching {}. Until it is there, {} forecasts.", model.name(), used.name),
            None => format!("Fetching {}.", model.name()),
        };
    }
    let Some(used) = models.used() else {
        return "No model is there.".to_owned();
    };
    let about = models.chosen().about();
    let error =
        used.unseen_jobs_slowdown_points.map_or_else(String::new, |points| format!(" {}", off_by(points)));
    format!("{about}; version {}.{error}", used.version)
}

/// The problem with what it means for forecasts.
fn with_hint(models: &Models, problem: &Problem) -> Problem {
    let goes_on = models.used().map(|used| format!("Forecasts are made by {}.", used.name).into());
    Problem { hint: problem.hint.clone().or(goes_on), ..problem.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::ModelInfo;

    #[test]
    fn the_note_says_what_forecasts_and_what_is_on_its_way() {
        let info = |model: Model, unseen_jobs_slowdown_points| ModelInfo {
            name: model.name().to_owned(),
            version: "2".to_owned(),
            unseen_jobs_slowdown_points,
            ..ModelInfo::default()
        };
        let mut models = Models::default();
        assert_eq!(note(&models), "Fetching cotrace.");
        models.arrived(Model::Cotrace, Ok(info(Model::Cotrace, Some(14.6))));
        let said = note(&models);
        assert!(said.contains("version 2. On jobs it had never seen") && said.contains("0.15×"), "{said}");
        models.ask(Model::ResourceNet);
        assert_eq!(note(&models), "Fetching resourcenet. Until it is there, cotrace forecasts.");

        let mut failed = models.clone();
        let problem = Problem::new("fetch", "It can't be fetched: status 404.");
        failed.arrived(Model::ResourceNet, Err(problem.clone()));
        assert_eq!(note(&failed), said);
        let hinted = with_hint(&failed, &problem);
        assert_eq!(hinted.hint.as_deref(), Some("Forecasts are made by cotrace."));

        models.arrived(Model::ResourceNet, Ok(info(Model::ResourceNet, None)));
        assert_eq!(note(&models), "The published network, arXiv 2006.14429; version 2.");
    }
}
