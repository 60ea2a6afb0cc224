//! The forecast against a measured co-run: one that the person brings, or one that comes with the page.

use web_sys::{DragEvent, HtmlInputElement};
use yew::prelude::*;

use super::ProblemBox;
use crate::actions::Actions;
use crate::app::Shown;
use crate::compare::{finish_errors, metric_errors};
use crate::format::{clock, duration, percent};
use crate::icons::{Icon, icon};
use crate::state::{Action, State};

/// The place to drop it, and what the forecast is off by.
#[component]
pub(super) fn Check(Shown { state }: &Shown) -> Html {
    let over = use_state_eq(|| false);
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let drag = |is_over: bool| {
        let over = over.clone();
        move |event: DragEvent| {
            event.prevent_default();
            over.set(is_over);
        }
    };
    let ondrop = {
        let (actions, over) = (actions.clone(), over.clone());
        move |event: DragEvent| {
            event.prevent_default();
            over.set(false);
            if let Some(file) =
                event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0))
            {
                actions.bring_truth(file);
            }
        }
    };
    let onchange = {
        let actions = actions.clone();
        move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                actions.bring_truth(file);
            }
            input.set_value("");
        }
    };
    let drop_it = move |_| actions.dispatch(Action::TruthDropped);
    html! {
        <section class={classes!("card", "check", over.then_some("over"))} aria-labelledby="check-title" data-check="true"
            ondragenter={drag(true)} ondragover={drag(true)} ondragleave={drag(false)} {ondrop}>
            <h2 id="check-title">{ "Against a measured co-run" }</h2>
            if let Some(own) = &state.own_truth {
                <p>
                    { format!("{}, {}. ", own.name, duration(own.health.duration_seconds)) }
                    <button type="button" class="link" onclick={drop_it}>{ "Take it away" }</button>
                </p>
            }
            { errors(state) }
            if let Some(problem) = &state.truth_problem { <ProblemBox problem={problem.clone()} /> }
            <div class="ways">
                <span class="file">
                    <input type="file" id="file-truth" {onchange} />
                    <label for="file-truth" class="button">
                        { "Choose file" }<span class="visually-hidden">{ " of a measured co-run" }</span>
                    </label>
                </span>
                <p class="note">{ "Have these jobs run together? Drop the trace of that here: it is laid over the forecast." }</p>
            </div>
        </section>
    }
}

/// What the forecast is off by, in a table.
fn errors(state: &State) -> Html {
    let (Some((_, forecast)), Some(truth)) = (&state.forecast, state.comparable_truth()) else {
        return html! {};
    };
    let metrics = metric_errors(forecast, truth);
    let finishes = finish_errors(forecast, truth);
    let makespan = truth.makespan_seconds();
    html! {
        <>
        <table class="errors">
            <caption>{ if truth.is_own() { "The forecast is off by" } else { "This pair was measured; the forecast is off by" } }</caption>
            <tbody>
                <tr data-error="makespan">
                    <th scope="row">{ "all done" }</th>
                    <td>{ percent((forecast.makespan_seconds / makespan - 1.0).abs()) }</td>
                    <td class="muted">{ format!("{}, measured {}", duration(forecast.makespan_seconds), duration(makespan)) }</td>
                </tr>
                { for finishes.iter().map(|finish| html! {
                    <tr data-error={format!("finish-{}", finish.name.to_lowercase())}>
                        <th scope="row">{ format!("end of {}", finish.name) }</th>
                        <td>{ percent((finish.forecast_seconds / finish.measured_seconds - 1.0).abs()) }</td>
                        <td class="muted">{ format!("{}, measured {}", clock(finish.forecast_seconds), clock(finish.measured_seconds)) }</td>
                    </tr>
                }) }
                { for metrics.iter().map(|error| html! {
                    <tr data-error={error.metric.name()}>
                        <th scope="row">{ error.metric.title() }</th>
                        <td>{ percent(error.share) }</td>
                        <td class="muted">{ if error.of_capacity { "of capacity, on average" } else { "of the mean, on average" } }</td>
                    </tr>
                }) }
            </tbody>
        </table>
        if finishes.is_empty() {
            <p class="note">{ icon(Icon::Warning) }{ " The file doesn’t say when each job ran: only its whole length is compared." }</p>
        }
        </>
    }
}
