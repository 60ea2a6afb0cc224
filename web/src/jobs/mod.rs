//! The two places for traces.

mod card;
mod columns;
mod health;
mod paste;
mod plot;
mod said;
mod trouble;

use yew::prelude::*;

use crate::actions::Actions;
use crate::app::Shown;
use crate::fields::parse_offset;
use crate::forecast::typed;
use crate::icons::{Icon, icon};
use crate::state::{Action, Place};
use card::JobCard;

/// A and B, and when B starts.
#[component]
pub(crate) fn Jobs(Shown { state }: &Shown) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let problem = parse_offset(state.offset.text()).err();
    let swap = {
        let actions = actions.clone();
        move |_| actions.dispatch(Action::Swapped)
    };
    let oninput = typed(&actions, Action::OffsetTyped);
    html! {
        <section class="jobs" aria-labelledby="jobs-title">
            <div class="section-head">
                <h2 id="jobs-title">{ "Jobs" }</h2>
                <button type="button" class="quiet-button" onclick={swap} aria-label="Swap A and B">
                    { icon(Icon::Swap) }<span>{ "swap" }</span>
                </button>
            </div>
            { for Place::ALL.map(|place| html! { <JobCard key={place.letter()} state={state.clone()} {place} /> }) }
            <div class="field offset">
                <label for="offset">{ "B starts after" }</label>
                <span class="with-unit">
                    <input id="offset" type="text" inputmode="decimal" autocomplete="off" placeholder="0" size="7"
                        value={state.offset.raw().to_owned()} {oninput}
                        aria-invalid={problem.is_some().to_string()} aria-describedby="offset-note" />
                    <span class="unit">{ "s" }</span>
                </span>
                <p id="offset-note" class={classes!("note", problem.is_some().then_some("wrong"))}>
                    { problem.unwrap_or_default() }
                </p>
            </div>
        </section>
    }
}
