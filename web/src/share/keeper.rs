//! Keeps what a person made in the browser, and, where that holds no traces of theirs, in the address.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::{FILE_ROWS, can_pack, fragment, json, show_fragment};
use crate::actions::Actions;
use crate::app::Shown;
use crate::scene::written;
use crate::state::{Action, State};
use crate::worker::plain;

/// How long the page must be left alone before it is kept.
const PAUSE_MS: u32 = 600;

thread_local! {
    /// How often what was kept has been forgotten: what was to be kept before that is not kept after it.
    static FORGOTTEN: Cell<u32> = const { Cell::new(0) };
}

/// Keeps the page whenever it was changed and then left alone.
#[hook]
pub(crate) fn use_keeper(actions: &Actions, state: &UseReducerHandle<State>) {
    let scene = use_memo(state.clone(), |state| written(state));
    let reading = state.slots.iter().any(|slot| slot.reading.is_some());
    let example = state.example;
    // An example as the page began with it is no one's work.
    let untouched = example && !state.history.can().0;
    let actions = actions.clone();
    use_effect_with((scene, reading, example, untouched), move |(scene, reading, example, untouched)| {
        let (scene, example) = (Rc::clone(scene), *example);
        let forgotten = FORGOTTEN.get();
        let timeout = (!*reading && !*untouched && !scene.0.jobs.is_empty()).then(|| {
            Timeout::new(PAUSE_MS, move || {
                spawn_local(async move { keep_all(&actions, &scene, example, forgotten).await });
            })
        });
        move || drop(timeout)
    });
}

type Written = (crate::scene::Scene, Vec<(usize, u32)>);

async fn keep_all(actions: &Actions, written: &Written, example: bool, forgotten: u32) {
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
    let filled = actions.fill(scene.clone(), traces, Some(FILE_ROWS)).await;
    if let (Ok(scene), true) = (filled, forgotten == FORGOTTEN.get()) {
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
        FORGOTTEN.set(FORGOTTEN.get() + 1);
        show_fragment("");
        actions.dispatch(Action::Cleared);
        spawn_local(async {
            super::forget().await.ok();
        });
    };
    html! {
        <>
            { " What is on the page is kept in this browser until you come back. " }
            <button type="button" class="link" {onclick}>{ "Clear the page and forget it" }</button>
        </>
    }
}
