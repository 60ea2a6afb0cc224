//! The places for traces.

mod card;
mod columns;
mod gallery;
mod health;
mod paste;
mod plot;
mod said;
mod trouble;

use yew::prelude::*;

use crate::actions::Actions;
use crate::app::Shown;
use crate::icons::{Icon, icon};
use crate::state::{Action, PLACES};
use card::JobCard;
use gallery::Gallery;

/// A and B, and more on demand.
#[component]
pub(crate) fn Jobs(Shown { state }: &Shown) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let swap = {
        let actions = actions.clone();
        move |_| actions.dispatch(Action::Swapped)
    };
    let add = move |_| actions.dispatch(Action::Added);
    let takes_more = state.models.chosen().takes(state.shown + 1);
    html! {
        <section class="jobs" aria-labelledby="jobs-title">
            <div class="section-head">
                <h2 id="jobs-title">{ "Jobs" }</h2>
                <button type="button" class="quiet-button" onclick={swap} aria-label="Swap A and B">
                    { icon(Icon::Swap) }<span>{ "swap" }</span>
                </button>
            </div>
            { for state.places().map(|place| html! { <JobCard key={place.letter()} state={state.clone()} {place} /> }) }
            <Gallery state={state.clone()} />
            if state.shown < PLACES {
                <button type="button" class="button add-job" onclick={add} disabled={!takes_more}>
                    { if takes_more { "Add a job" } else { "This model takes two jobs" } }
                </button>
            }
        </section>
    }
}
