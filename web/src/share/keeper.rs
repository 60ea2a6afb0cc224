//! Keeps what a person made in the browser, and, where that holds no traces of theirs, in the address.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::{FILE_ROWS, can_pack, fragment, json, show_fragment};
use crate::actions::Actions;
use crate::app::Shown;
use crate::scene::written;
use crate::state::State;
use crate::worker::plain;

/// How long the page must be left alone before it is kept.
const PAUSE_MS: u32 = 600;

/// Keeps the page whenever it was changed and then left alone.
#[hook]
pub(crate) fn use_keeper(actions: &Actions, state: &UseReducerHandle<State>) {
    let scene = use_memo(state.clone(), |state| written(state));
    let reading = state.slots.iter().any(|slot| slot.reading.is_some());
    let example = state.example;
    let actions = actions.clone();
    use_effect_with((scene, reading, example), move |(scene, reading, example)| {
        let (scene, example) = (Rc::clone(scene), *example);
        let timeout = (!*reading && !scene.0.jobs.is_empty()).then(|| {
            Timeout::new(PAUSE_MS, move || {
                spawn_local(async move { keep_all(&actions, &scene, example).await });
            })
        });
        move || drop(timeout)
    });
}

type Written = (crate::scene::Scene, Vec<(usize, u32)>);

async fn keep_all(actions: &Actions, written: &Written, example: bool) {
    let (scene, traces) = written;
    // An address with someone's traces is made only when they ask for it.
    if scene.is_of_samples() && can_pack() {
        if let Ok(fragment) = fragment(scene).await {
            show_fragment(&fragment);
        }
    } else {
        show_fragment("");
    }
    if example {
        return;
    }
    // A browser that keeps nothing only forgets it.
    if let Ok(scene) = actions.fill(scene.clone(), traces, Some(FILE_ROWS)).await {
        super::keep(&json(&plain(&scene))).await.ok();
    }
}

/// Says that the work is kept, and forgets it on demand.
#[component]
pub(crate) fn Keeper(Shown { state }: &Shown) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    if state.example || state.filled().is_empty() {
        return html! {};
    }
    let onclick = move |_| {
        let actions = actions.clone();
        spawn_local(async move {
            super::forget().await.ok();
            show_fragment("");
            actions.dispatch(crate::state::Action::Cleared);
        });
    };
    html! {
        <>
            { " What is on the page is kept in this browser until you come back. " }
            <button type="button" class="link" {onclick}>{ "Clear the page and forget it" }</button>
        </>
    }
}
