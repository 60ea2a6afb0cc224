//! The page as a whole.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, HtmlElement};
use yew::prelude::*;

use crate::actions::{Actions, Source};
use crate::forecast::{Answer, Result};
use crate::jobs::Jobs;
use crate::node::{ModelChoice, NodeSettings};
use crate::state::State;
use crate::theme::ThemeSwitch;

/// How long typing has to pause before a new forecast is asked for.
const TYPING_MS: u32 = 180;

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

    use_begin(&actions);
    use_window_gifts(&actions, state.free_place());
    use_questions(&actions, &state);

    html! {
        <ContextProvider<Actions> context={(*actions).clone()}>
            <a class="skip" href="#main">{ "Skip to the forecast" }</a>
            <header class="top">
                <h1 class="wordmark">{ "Cotrace" }<span class="wordmark-place">{ "Playground" }</span></h1>
                <ThemeSwitch />
            </header>
            <main id="main" class="page">
                <Answer state={state.clone()} />
                <div class="side">
                    <Jobs state={state.clone()} />
                    <NodeSettings state={state.clone()} />
                    <ModelChoice state={state.clone()} />
                </div>
                <Result state={state.clone()} />
            </main>
            <footer class="foot">
                { "Traces are read and forecast in this page. Nothing is sent anywhere." }
            </footer>
        </ContextProvider<Actions>>
    }
}

/// Loads a model and the samples, once.
#[hook]
fn use_begin(actions: &Actions) {
    let actions = actions.clone();
    use_effect_with((), move |()| actions.begin());
}

/// Takes files dropped and text pasted beside the places, so that the browser does not leave the page for them.
#[hook]
fn use_window_gifts(actions: &Actions, place: crate::state::Place) {
    use_effect_with((actions.clone(), place), |(actions, place)| {
        let window = gloo::utils::window();
        let (actions, place) = (actions.clone(), *place);
        let ours = EventListenerOptions::enable_prevent_default();
        let over =
            EventListener::new_with_options(&window, "dragover", ours, web_sys::Event::prevent_default);
        let dropping = actions.clone();
        let dropped = EventListener::new_with_options(&window, "drop", ours, move |event| {
            let handled = event.default_prevented();
            event.prevent_default();
            let files =
                event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer).and_then(|data| data.files());
            if let (false, Some(files)) = (handled, files) {
                dropping.read_files(place, &files);
            }
        });
        let pasted = EventListener::new_with_options(&window, "paste", ours, move |event| {
            let typing = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()).is_some_and(
                |element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"),
            );
            let Some(data) = event.dyn_ref::<ClipboardEvent>().and_then(ClipboardEvent::clipboard_data)
            else {
                return;
            };
            if typing {
                return;
            }
            match (data.files(), data.get_data("text/plain")) {
                (Some(files), _) if files.length() > 0 => actions.read_files(place, &files),
                (_, Ok(text)) if !text.trim().is_empty() => actions.read(place, Source::Text(text)),
                _ => return,
            }
            event.prevent_default();
        });
        move || drop((over, dropped, pasted))
    });
}

/// Asks the worker what the state wants to know, and lets it forget what the state has given up.
#[hook]
fn use_questions(actions: &Actions, state: &UseReducerHandle<State>) {
    let on_show = state.forecast.is_some();
    let asking = actions.clone();
    use_effect_with(state.wanted_forecast(), move |request| {
        let timeout = request.clone().map(|request| {
            // The first forecast comes at once; later ones wait until typing pauses.
            Timeout::new(if on_show { TYPING_MS } else { 0 }, move || {
                asking.forecast(request);
            })
        });
        move || drop(timeout)
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
