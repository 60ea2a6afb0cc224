//! The measured jobs that come with the page, to choose from.

use std::rc::Rc;

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::card::sparkline;
use crate::actions::{Actions, Source};
use crate::app::Shown;
use crate::format::duration;
use crate::messages::{Samples, SoloSample};
use crate::state::{Place, State};

/// The button, and the gallery that it opens.
#[component]
pub(super) fn Gallery(Shown { state }: &Shown) -> Html {
    let open = use_state_eq(|| false);
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let Some(samples) = state.samples.as_ref().ok().filter(|samples| !samples.solo.is_empty()).map(Rc::clone)
    else {
        return html! {};
    };
    let show = {
        let (open, samples, state) = (open.clone(), Rc::clone(&samples), state.clone());
        move |_| {
            let missing = samples.solo.iter().filter(|solo| !state.thumbnails.contains_key(&solo.name));
            actions.draw_thumbnails(missing.cloned().collect());
            open.set(true);
        }
    };
    let close = {
        let open = open.clone();
        Callback::from(move |()| open.set(false))
    };
    html! {
        <>
            <button type="button" class="button" onclick={show} aria-haspopup="dialog">{ "Gallery of measured jobs" }</button>
            if *open { <Sheet state={state.clone()} {samples} {close} /> }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SheetProps {
    state: UseReducerHandle<State>,
    samples: Rc<Samples>,
    close: Callback<()>,
}

#[component]
fn Sheet(SheetProps { state, samples, close }: &SheetProps) -> Html {
    let dialog = use_node_ref();
    let told = use_state_eq(String::new);
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
                // It can't be open yet: it was just made.
                dialog.show_modal().ok();
            }
        });
    }
    let onclose = close.reform(|_: Event| ());
    let onclick = close.reform(|_: MouseEvent| ());
    html! {
        <dialog ref={dialog} class="sheet gallery" aria-labelledby="gallery-title" {onclose}>
            <div class="gallery-head">
                <h2 id="gallery-title">{ "Measured jobs" }</h2>
                <button type="button" class="button" {onclick}>{ "Done" }</button>
            </div>
            <p class="muted">{ "Each was recorded alone on a machine of two cores. The line is its CPU over time." }</p>
            <p role="status">{ &*told }</p>
            { for kinds(samples).into_iter().map(|kind| html! {
                <>
                    <h2>{ kind }</h2>
                    <ul>
                        { for samples.solo.iter().filter(|solo| solo.kind == kind).map(|solo| html! {
                            <Entry key={solo.name.clone()} state={state.clone()} solo={solo.clone()} told={told.setter()} />
                        }) }
                    </ul>
                </>
            }) }
        </dialog>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct EntryProps {
    state: UseReducerHandle<State>,
    solo: SoloSample,
    told: UseStateSetter<String>,
}

#[component]
fn Entry(EntryProps { state, solo, told }: &EntryProps) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let take = |place: Place| {
        let (actions, solo, told) = (actions.clone(), solo.clone(), told.clone());
        move |_| {
            told.set(format!("{} is job {} now.", solo.name, place.letter()));
            actions.read(place, Source::Sample(solo.clone()));
        }
    };
    html! {
        <li data-job={solo.name.clone()}>
            <h3>{ &solo.name }</h3>
            <p>{ &solo.description }{ ", " }{ duration(solo.seconds) }</p>
            { sparkline(state.thumbnails.get(&solo.name).map(|values| &values[..]).unwrap_or_default(), None) }
            <div class="ways">
                { for state.places().map(|place| html! {
                    <button key={place.letter()} type="button" class="button" onclick={take(place)}>
                        { "as " }{ place.letter() }<span class="visually-hidden">{ format!(": {}", solo.name) }</span>
                    </button>
                }) }
            </div>
        </li>
    }
}

/// The kinds of work, in the order in which they first appear.
pub(super) fn kinds(samples: &Samples) -> Vec<&str> {
    let mut kinds: Vec<&str> = Vec::new();
    for solo in &samples.solo {
        if !kinds.contains(&solo.kind.as_str()) {
            kinds.push(&solo.kind);
        }
    }
    kinds
}
