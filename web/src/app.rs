//! The page as a whole.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ClipboardEvent, DragEvent, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::actions::{Actions, Source};
use crate::forecast::{Answer, Result};
use crate::help::Help;
use crate::jobs::Jobs;
use crate::node::{ModelChoice, NodeSettings};
use crate::share::{self, Keeper, ShareBar, use_keeper};
use crate::state::{Action, State};
use crate::theme::ThemeSwitch;
use crate::update::Update;

/// What parts of the screen are given.
#[derive(Clone, PartialEq, Properties)]
pub struct Shown {
    /// The page's state.
    pub state: UseReducerHandle<State>,
}

/// The page.
#[component]
pub fn App() -> Html {
    let state = use_reducer(State::default);
    let actions = use_memo((), |()| Actions::new(state.dispatcher()));
    let help = use_state_eq(|| false);

    use_begin(&actions);
    use_window_gifts(&actions, &state);
    use_keys(&actions, &help);
    use_addresses(&actions, &state);
    use_questions(&actions, &state);
    use_keeper(&actions, &state);

    let ask_help = {
        let help = help.clone();
        move |_| help.set(true)
    };
    let close_help = {
        let help = help.clone();
        Callback::from(move |()| help.set(false))
    };
    html! {
        <ContextProvider<Actions> context={(*actions).clone()}>
            <a class="skip" href="#main">{ "Skip to the forecast" }</a>
            <header class="top">
                <h1 class="wordmark">{ "Cotrace" }<span class="wordmark-place">{ "Playground" }</span></h1>
                <ShareBar state={state.clone()} />
                <div class="top-end">
                    <ThemeSwitch />
                    <button type="button" class="quiet-button icon-only" onclick={ask_help} aria-label="Help: keys and gestures"
                        aria-keyshortcuts="?">{ "?" }</button>
                </div>
            </header>
            <main id="main" class={classes!("page", state.beginning.then_some("beginning"))}>
                <Answer state={state.clone()} />
                <div class="side">
                    <Jobs state={state.clone()} />
                    <NodeSettings state={state.clone()} />
                    <ModelChoice state={state.clone()} />
                </div>
                <Result state={state.clone()} />
            </main>
            <footer class={classes!("foot", state.beginning.then_some("beginning"))}>
                { "Traces are read and forecast in this page. Nothing is sent anywhere." }
                <Keeper state={state.clone()} />
                <Update />
            </footer>
            if *help { <Help close={close_help} /> }
        </ContextProvider<Actions>>
    }
}

/// Loads a model and the samples, once.
#[hook]
fn use_begin(actions: &Actions) {
    let actions = actions.clone();
    use_effect_with((), move |()| actions.begin());
}

/// Whether something is being typed into.
fn is_typed_into(event: &web_sys::Event) -> bool {
    event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok())
        .is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"))
}

/// Takes files dropped and text pasted beside the places, so that the browser does not leave the page for them.
#[hook]
fn use_window_gifts(actions: &Actions, state: &UseReducerHandle<State>) {
    let samples = state.samples.clone().unwrap_or_default();
    use_effect_with((actions.clone(), state.free_place(), samples), |(actions, place, samples)| {
        let window = gloo::utils::window();
        let (actions, place, samples) = (actions.clone(), *place, Rc::clone(samples));
        let ours = EventListenerOptions::enable_prevent_default();
        let over =
            EventListener::new_with_options(&window, "dragover", ours, web_sys::Event::prevent_default);
        let (dropping, dropping_samples) = (actions.clone(), Rc::clone(&samples));
        let dropped = EventListener::new_with_options(&window, "drop", ours, move |event| {
            let handled = event.default_prevented();
            event.prevent_default();
            let files =
                event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer).and_then(|data| data.files());
            if let (false, Some(files)) = (handled, files) {
                dropping.read_files(place, &files, &dropping_samples);
            }
        });
        let pasted = EventListener::new_with_options(&window, "paste", ours, move |event| {
            let Some(data) = event.dyn_ref::<ClipboardEvent>().and_then(ClipboardEvent::clipboard_data)
            else {
                return;
            };
            if is_typed_into(event) {
                return;
            }
            match (data.files(), data.get_data("text/plain")) {
                (Some(files), _) if files.length() > 0 => actions.read_files(place, &files, &samples),
                (_, Ok(text)) if !text.trim().is_empty() => actions.read(place, Source::Text(text)),
                _ => return,
            }
            event.prevent_default();
        });
        move || drop((over, dropped, pasted))
    });
}

/// Keys that work everywhere but in fields, which have their own.
#[hook]
fn use_keys(actions: &Actions, help: &UseStateHandle<bool>) {
    let (actions, help) = (actions.clone(), help.clone());
    use_effect_with((), move |()| {
        let window = gloo::utils::window();
        let ours = EventListenerOptions::enable_prevent_default();
        let keys = EventListener::new_with_options(&window, "keydown", ours, move |event| {
            let Some(pressed) = event.dyn_ref::<KeyboardEvent>() else { return };
            if is_typed_into(event) {
                return;
            }
            let command = pressed.ctrl_key() || pressed.meta_key();
            match (command, pressed.shift_key(), pressed.key().as_str()) {
                (true, false, "z") => actions.dispatch(Action::Undone),
                (true, true, "Z" | "z") | (true, false, "y") => actions.dispatch(Action::Redone),
                (false, _, "?") => help.set(true),
                (false, false, "x") => actions.dispatch(Action::Swapped),
                _ => return,
            }
            event.prevent_default();
        });
        move || drop(keys)
    });
}

/// Opens what an address holds that is put into this very page.
#[hook]
fn use_addresses(actions: &Actions, state: &UseReducerHandle<State>) {
    let samples = state.samples.clone().unwrap_or_default();
    use_effect_with((actions.clone(), samples), |(actions, samples)| {
        let (actions, samples) = (actions.clone(), Rc::clone(samples));
        let window = gloo::utils::window();
        let changed = EventListener::new(&window, "hashchange", move |_| {
            let (actions, samples) = (actions.clone(), Rc::clone(&samples));
            spawn_local(async move {
                let fragment = gloo::utils::window().location().hash().unwrap_or_default();
                match share::in_address(&fragment).await {
                    Ok(Some(scene)) => actions.open(&scene, &samples, false),
                    Ok(None) if fragment == share::EMPTY => actions.dispatch(Action::Cleared),
                    Ok(None) => {}
                    Err(problem) => actions.dispatch(Action::ShareFailed(Some(problem))),
                }
            });
        });
        move || drop(changed)
    });
}

/// Asks the worker what the state wants to know, and lets it forget what the state has given up.
#[hook]
fn use_questions(actions: &Actions, state: &UseReducerHandle<State>) {
    let asking = actions.clone();
    use_effect_with(state.next_question(), move |request| {
        if let Some(request) = request.clone() {
            asking.forecast(request);
        }
    });
    let asking = actions.clone();
    use_effect_with(state.wanted_truth(), move |request| {
        if let Some(request) = request.clone() {
            asking.truth(request);
        }
    });
    let asking = actions.clone();
    use_effect_with(state.released.clone(), move |released| {
        if !released.is_empty() {
            asking.free(released.clone());
        }
    });
}
