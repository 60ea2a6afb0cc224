//! What is wrong with a file, and the ways to read it all the same.

use cotrace_trace::Format;
use yew::prelude::*;

use super::columns::FailedColumns;
use super::said::FormatSelect;
use crate::actions::Actions;
use crate::forecast::ProblemBox;
use crate::icons::{Icon, icon};
use crate::messages::Problem;
use crate::state::{Action, Place, State};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct TroubleProps {
    pub(super) state: UseReducerHandle<State>,
    pub(super) place: Place,
    pub(super) problem: Problem,
}

/// The problem; what to choose from, the columns or the format, where saying it may help.
#[component]
pub(super) fn Trouble(TroubleProps { state, place, problem }: &TroubleProps) -> Html {
    let place = *place;
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let slot = state.slot(place);
    let again = slot.failed_again();
    let dismiss = {
        let actions = actions.clone();
        move |_| actions.dispatch(Action::Dismissed(place))
    };
    let ways = problem.details.handle.map(|handle| {
        let choices = problem.details.choices.iter().map(|name| {
            let onclick = {
                let (actions, name, again) = (actions.clone(), name.clone(), again.clone());
                move |_| {
                    let mut reading = again.clone();
                    reading.options.subject = Some(name.clone());
                    actions.read_again(place, handle, reading);
                }
            };
            html! { <button type="button" class="button" {onclick}>{ name }</button> }
        });
        let onchange = {
            let (actions, again) = (actions.clone(), again.clone());
            Callback::from(move |format: Option<Format>| {
                let mut reading = again.clone();
                reading.options.format = format;
                reading.options.mapping = None;
                reading.remembered = false;
                actions.read_again(place, handle, reading);
            })
        };
        let said = again.options.format;
        html! {
            <>
                if !problem.details.choices.is_empty() {
                    <div class="choices" role="group" aria-label={format!("In the file for job {}", place.letter())}>
                        { for choices }
                    </div>
                }
                if problem.details.guess.is_some() {
                    <FailedColumns key={handle} state={state.clone()} {place} />
                }
                if problem.details.choices.is_empty() {
                    <FormatSelect {place} id="failed-format" label="Read it as" recognised={None::<String>} {said} {onchange} />
                }
            </>
        }
    });
    html! {
        <ProblemBox problem={problem.clone()}>
            { ways }
            <button type="button" class="quiet-button dismiss" onclick={dismiss}
                aria-label={format!("Dismiss what is wrong with the file for job {}", place.letter())}>
                { icon(Icon::Cross) }{ "Dismiss" }
            </button>
        </ProblemBox>
    }
}
