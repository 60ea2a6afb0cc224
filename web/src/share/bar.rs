//! Undo, copying a link, saving, opening, exporting.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::{ADDRESS_ROWS, FILE_ROWS, MOST_LETTERS, address, can_pack, copy, fragment, json, save, save_png};
use crate::actions::Actions;
use crate::app::Shown;
use crate::charts::layers::charts;
use crate::export::{csv, svg};
use crate::forecast::ProblemBox;
use crate::icons::{Icon, icon};
use crate::messages::Problem;
use crate::scene::written;
use crate::state::{Action, State};
use crate::worker::{plain, problem};

/// What exported files are called, but for their endings.
const NAME: &str = "cotrace-forecast";

/// Pixels of a picture for each of its drawing.
const PNG_SCALE: f64 = 2.0;

/// The buttons at the top of the page.
#[component]
pub(crate) fn ShareBar(Shown { state }: &Shown) -> Html {
    let told = use_state_eq(String::new);
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let (can_undo, can_redo) = state.history.can();
    let plain_action = |action: Action| {
        let actions = actions.clone();
        move |_: MouseEvent| actions.dispatch(action.clone())
    };
    let nothing = state.filled().is_empty();
    let link = {
        let (actions, state, told) = (actions.clone(), state.clone(), told.clone());
        move |_| {
            let (actions, state, told) = (actions.clone(), state.clone(), told.clone());
            spawn_local(async move {
                match copy_link(&actions, &state).await {
                    Ok(said) => told.set(said),
                    Err(problem) => {
                        told.set(String::new());
                        actions.dispatch(Action::ShareFailed(Some(problem)));
                    }
                }
            });
        }
    };
    let save_all = {
        let (actions, state, told) = (actions.clone(), state.clone(), told.clone());
        move |_| {
            let (actions, state, told) = (actions.clone(), state.clone(), told.clone());
            spawn_local(async move {
                let (scene, traces) = written(&state);
                match actions.fill(scene, &traces, Some(FILE_ROWS)).await {
                    Ok(scene) => {
                        save("cotrace-scene.json", "application/json", &json(&plain(&scene)));
                        told.set("Saved, traces and all. Drop the file here to open it again.".to_owned());
                    }
                    Err(problem) => actions.dispatch(Action::ShareFailed(Some(problem))),
                }
            });
        }
    };
    let open = {
        let (actions, state) = (actions.clone(), state.clone());
        move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            if let (Some(files), Ok(samples)) = (input.files(), &state.samples) {
                actions.read_files(state.free_place(), &files, samples);
            }
            input.set_value("");
        }
    };
    html! {
        <div class="share">
            <div class="share-buttons">
                <button type="button" class="quiet-button" disabled={!can_undo} onclick={plain_action(Action::Undone)}
                    aria-keyshortcuts="Control+Z">{ icon(Icon::Undo) }<span>{ "undo" }</span></button>
                <button type="button" class="quiet-button" disabled={!can_redo} onclick={plain_action(Action::Redone)}
                    aria-keyshortcuts="Control+Shift+Z">{ icon(Icon::Redo) }<span>{ "redo" }</span></button>
                <button type="button" class="quiet-button" disabled={nothing} onclick={link}>
                    { icon(Icon::Link) }<span>{ "copy link" }</span></button>
                <details class="menu">
                    <summary class="quiet-button">{ "file" }</summary>
                    <div class="menu-body">
                        <span class="file">
                            <input type="file" id="open-file" multiple=true onchange={open} />
                            <label for="open-file" class="quiet-button">{ "open …" }</label>
                        </span>
                        <button type="button" class="quiet-button" disabled={nothing} onclick={save_all}>{ "save all as one file" }</button>
                        <Exports state={state.clone()} />
                        <button type="button" class="quiet-button" onclick={plain_action(Action::Cleared)}>{ "start empty" }</button>
                    </div>
                </details>
            </div>
            <p class="share-told" role="status">{ &*told }</p>
            if let Some(problem) = &state.share_problem {
                <ProblemBox problem={problem.clone()}>
                    <button type="button" class="quiet-button dismiss" onclick={plain_action(Action::ShareFailed(None))}>
                        { icon(Icon::Cross) }{ "Dismiss" }
                    </button>
                </ProblemBox>
            }
        </div>
    }
}

/// Puts a link to what is on the page on the clipboard, and says what it holds.
async fn copy_link(actions: &Actions, state: &State) -> Result<String, Problem> {
    if !can_pack() {
        return Err(Problem::new("scene", "This browser is too old to make links. Save a file instead."));
    }
    let (scene, traces) = written(state);
    let rows: &[u32] = if traces.is_empty() { &ADDRESS_ROWS[..1] } else { &ADDRESS_ROWS };
    for rows in rows {
        let filled = actions.fill(scene.clone(), &traces, Some(*rows)).await?;
        let fragment = fragment(&filled).await?;
        if fragment.len() > MOST_LETTERS {
            continue;
        }
        copy(&format!("{}{fragment}", address())).await.map_err(|error| Problem {
            hint: Some("The browser may ask for permission to use the clipboard.".into()),
            ..Problem::new("scene", format!("The link can't be copied: {}", problem(&error).message))
        })?;
        return Ok(if traces.is_empty() {
            "Link copied.".to_owned()
        } else {
            format!(
                "Link copied. It contains your traces, in at most {rows} rows each: whoever has the link can read them."
            )
        });
    }
    Err(Problem {
        hint: Some("Use “file”, “save all as one file”, and pass that on.".into()),
        ..Problem::new("scene", "These traces are too large for a link.")
    })
}

/// The forecast as a table, as JSON, and as a picture.
#[component]
fn Exports(Shown { state }: &Shown) -> Html {
    let Some((_, forecast)) = &state.forecast else {
        return html! {};
    };
    let actions = use_context::<Actions>();
    let truth = state.comparable_truth().map(Rc::clone);
    let drawing = {
        let (forecast, state) = (Rc::clone(forecast), state.clone());
        move || svg::page(&forecast, &charts(&forecast, truth.as_deref()), &svg::names(&state))
    };
    let as_csv = {
        let forecast = Rc::clone(forecast);
        move |_| save(&format!("{NAME}.csv"), "text/csv", &csv::table(&forecast))
    };
    let as_json = {
        let forecast = Rc::clone(forecast);
        move |_| save(&format!("{NAME}.json"), "application/json", &json(&plain(forecast.as_ref())))
    };
    let as_svg = {
        let drawing = drawing.clone();
        move |_| save(&format!("{NAME}.svg"), "image/svg+xml", &drawing())
    };
    let as_png = move |_| {
        let (svg, actions) = (drawing(), actions.clone());
        spawn_local(async move {
            if let (Err(error), Some(actions)) =
                (save_png(&format!("{NAME}.png"), &svg, PNG_SCALE).await, actions)
            {
                actions.dispatch(Action::ShareFailed(Some(problem(&error))));
            }
        });
    };
    html! {
        <>
            <button type="button" class="quiet-button" onclick={as_csv}>{ "export CSV" }</button>
            <button type="button" class="quiet-button" onclick={as_json}>{ "export JSON" }</button>
            <button type="button" class="quiet-button" onclick={as_svg}>{ "export SVG" }</button>
            <button type="button" class="quiet-button" onclick={as_png}>{ "export PNG" }</button>
        </>
    }
}
