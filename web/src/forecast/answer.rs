//! The answer: one sentence, the figures, and what to know before relying on them.

use cotrace_forecast::{Forecast, Verdict};
use cotrace_trace::Format;
use yew::prelude::*;

use super::ProblemBox;
use crate::actions::Actions;
use crate::app::Shown;
use crate::figures::{Tile, comparison, far_text, headline, memory_alarm, tiles, verdict_text};
use crate::format::{duration, percent};
use crate::icons::{Icon, icon};
use crate::messages::Problem;
use crate::share::{EMPTY, show_fragment};
use crate::state::{Action, Place, State, Truth};

/// Memory that fits with less than this probability is worth a warning.
const FITS: f64 = 0.95;

/// The answer, or the way to one.
#[component]
pub(crate) fn Answer(Shown { state }: &Shown) -> Html {
    let working = state.is_working();
    let truth = state.comparable_truth();
    let shown = match &state.forecast {
        Some((_, forecast)) => forecast_answer(state, forecast, truth.map(AsRef::as_ref)),
        None => html! { <Invitation state={state.clone()} /> },
    };
    html! {
        <section class="answer" aria-label="Answer" aria-busy={working.to_string()}>
            <div class={classes!("progress", working.then_some("on"))} role="presentation"></div>
            if state.beginning || state.example || state.filled().is_empty() { { lead() } }
            if state.beginning {
                <p class="headline-more" role="status">{ "One moment: a forecast is being made." }</p>
            } else {
                { shown }
            }
            if let Some(problem) = state.models.failure() {
                <ProblemBox problem={Problem {
                    hint: Some(problem.hint.clone().unwrap_or_else(|| "Reload the page to try again.".into())),
                    ..problem.clone()
                }} />
            }
            if let Some(problem) = state.forecast_problem() {
                <ProblemBox problem={problem.clone()} />
            }
        </section>
    }
}

/// What the page is for, in the words that `index.html` shows before the page is there.
const LEAD: [&str; 2] = [
    "How much do two jobs slow each other on one machine?",
    "Cotrace forecasts it from a trace of each job alone: what the machine used of CPU, memory, disk and network, \
     sample by sample. When both are done, how much slower each gets, and what holds it back. All of it is computed in \
     this page: nothing is sent anywhere.",
];

fn lead() -> Html {
    let [title, more] = LEAD;
    html! {
        <div class="lead">
            <p class="lead-title">{ title }</p>
            <p>{ more }</p>
        </div>
    }
}

fn forecast_answer(state: &UseReducerHandle<State>, forecast: &Forecast, truth: Option<&Truth>) -> Html {
    let (together, slowed) = headline(forecast);
    let stale = !state.forecast_is_current() && state.asked.is_none() && state.forecast_problem().is_some();
    html! {
        <>
            if state.example { <Example state={state.clone()} /> }
            if let Some(alarm) = memory_alarm(forecast) {
                <p class="alarm" role="alert" data-alarm="memory">{ icon(Icon::Warning) }<strong>{ alarm }</strong></p>
            }
            <div role="status">
                <p class="headline">{ together }{ " " }<span class="headline-more">{ slowed }</span></p>
            </div>
            if stale {
                <p class="note wrong">{ "This is the last forecast that could be made. What went wrong since stands below." }</p>
            }
            if forecast.distance.verdict == Verdict::Far {
                <p class="alarm" role="alert" data-alarm="far">
                    { icon(Icon::Warning) }<strong>{ far_text(forecast) }</strong>
                </p>
            }
            <dl class="tiles">{ for tiles(forecast, truth).iter().map(tile) }</dl>
            if let Some(truth) = truth {
                <p class="compared">{ comparison(forecast, truth, state.has_learned(truth)) }</p>
            } else if let Some(truth) = &state.truth {
                { other_offset(state, truth) }
            }
            if let Some(problem) = &state.truth_problem {
                <p class="note wrong">{ format!("The measured co-run can't be shown. {problem}") }</p>
            }
            { cautions(forecast) }
        </>
    }
}

fn tile(tile: &Tile) -> Html {
    let class = classes!("tile", tile.job.map(|job| format!("job-{job}")));
    html! {
        <div {class} data-figure={tile.key.clone()}>
            <dt>{ &tile.label }</dt>
            <dd class="value">{ &tile.value }</dd>
            <dd class="detail">{ &tile.detail }</dd>
            if let Some(measured) = &tile.measured {
                <dd class="measured">{ "measured " }<b>{ measured }</b></dd>
            }
        </div>
    }
}

/// A measured run exists, but B started at another time in it.
fn other_offset(state: &State, truth: &Truth) -> Html {
    if state.wanted_truth().as_ref() != Some(&truth.request) {
        return html! {};
    }
    let Some(offset) = truth.offset_seconds() else {
        return html! {};
    };
    let when = match offset {
        offset if offset < 0.0 => format!("A started {} after B", duration(-offset)),
        offset => format!("B started {} after A", duration(offset)),
    };
    html! {
        <p class="compared">
            { format!("These two were also measured together, but {when} there: with that start, the measurement is laid over the forecast.") }
            if offset >= 0.0 { { " " }<UseOffset seconds={offset} /> }
        </p>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct UseOffsetProps {
    seconds: f64,
}

#[component]
fn UseOffset(UseOffsetProps { seconds }: &UseOffsetProps) -> Html {
    let seconds = *seconds;
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let onclick = move |_| {
        actions.dispatch(Action::OffsetTyped(Place::B, format!("{}", (seconds * 10.0).round() / 10.0)));
    };
    html! { <button type="button" class="link" {onclick}>{ "Start B then" }</button> }
}

/// What to know before relying on the forecast.
fn cautions(forecast: &Forecast) -> Html {
    let mut cautions: Vec<(bool, String)> = Vec::new();
    let no_alarm = memory_alarm(forecast).is_none();
    if let Some(fits) = forecast.memory_fits.filter(|fits| no_alarm && fits.probability < FITS) {
        let text =
            format!("Memory may not suffice: it fits with a probability of {}.", percent(fits.probability));
        cautions.push((true, text));
    }
    cautions.extend(forecast.warnings.iter().map(|warning| (true, warning.clone())));
    if forecast.distance.verdict != Verdict::Far {
        let is_edge = forecast.distance.verdict == Verdict::Edge;
        cautions.push((is_edge, verdict_text(forecast.distance.verdict).to_owned()));
    }
    html! {
        <ul class="cautions">
            { for cautions.into_iter().map(|(warns, text)| html! {
                <li class={if warns { "warned" } else { "fine" }}>
                    { icon(if warns { Icon::Warning } else { Icon::Check }) }<span>{ text }</span>
                </li>
            }) }
        </ul>
    }
}

/// What the page begins with, and the way to begin with one's own.
#[component]
fn Example(Shown { state }: &Shown) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let names: Vec<String> = state
        .filled()
        .into_iter()
        .filter_map(|place| state.slot(place).trace.as_ref().map(|trace| trace.name.clone()))
        .collect();
    let onclick = move |_| {
        show_fragment(EMPTY);
        actions.dispatch(Action::Cleared);
    };
    html! {
        <p class="example">
            { format!("An example: {}, both measured alone. ", names.join(" and ")) }
            <button type="button" class="button" {onclick}>{ "Use your own traces" }</button>
        </p>
    }
}

/// What to do while there is no forecast.
#[component]
fn Invitation(Shown { state }: &Shown) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let filled = state.filled();
    let reading = state.slots.iter().any(|slot| slot.reading.is_some());
    let (headline, more) = match (filled.as_slice(), reading) {
        ([], false) => (
            "Give a trace of each job.".to_owned(),
            "Drop files, paste text, or take measured jobs from the gallery.".to_owned(),
        ),
        ([place], false) => {
            let other = place.partner().letter();
            (format!("One more: the trace of job {other}."), "Then the forecast stands here.".to_owned())
        }
        ([_, _, ..], false) if state.models.failure().is_some() => {
            ("No forecast can be made.".to_owned(), "The forecaster did not start.".to_owned())
        }
        ([_, _, ..], false) if state.wanted_forecast().is_none() && state.models.awaited().is_none() => {
            let all_muted = filled.iter().all(|place| state.control(*place).muted);
            if all_muted {
                (
                    "Every job is left out.".to_owned(),
                    "Let one count again, and its forecast stands here.".to_owned(),
                )
            } else {
                ("A field holds no number.".to_owned(), "Mend it, and the forecast stands here.".to_owned())
            }
        }
        ([_, _, ..], false) if state.forecast_problem().is_some() => {
            ("No forecast can be made from these.".to_owned(), "The reason stands below.".to_owned())
        }
        _ => ("One moment.".to_owned(), "The forecast is being made.".to_owned()),
    };
    let pair = match &state.samples {
        Ok(samples) if filled.is_empty() && !reading => samples.first_pair(),
        _ => None,
    };
    let try_pair = pair.map(|(a, b)| {
        let names = [a.to_owned(), b.to_owned()];
        let samples = state.samples.clone().unwrap_or_default();
        let onclick = move |_| actions.open_samples(&samples, [&names[0], &names[1]]);
        html! { <button type="button" class="button primary try" {onclick}>{ format!("Try {a} with {b}") }</button> }
    });
    html! {
        <>
            <div role="status">
                <p class="headline">{ headline }</p>
                <p class="headline-more">{ more }</p>
            </div>
            { try_pair }
            if filled.is_empty() {
                <ul class="hints">
                    <li>{ format!("Files that can be read: {}, packed with gzip, zstd, or not at all.", formats()) }</li>
                </ul>
            }
        </>
    }
}

/// The formats that can be read, in words.
fn formats() -> String {
    let titles: Vec<&str> = Format::ALL.iter().map(|format| format.title()).collect();
    titles.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_begins_with_the_words_that_stand_there_before_it() {
        let page = include_str!("../../../index.html");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in LEAD {
            assert!(words(page).contains(&words(text)), "index.html does not say: {text}");
        }
    }
}
