//! The answer: one sentence, the figures, and what to know before relying on them.

use cotrace_forecast::{Forecast, Verdict};
use cotrace_trace::Format;
use yew::prelude::*;

use super::ProblemBox;
use crate::actions::{Actions, Source};
use crate::app::Shown;
use crate::figures::{Tile, comparison, headline, tiles, verdict_text};
use crate::format::{duration, percent};
use crate::icons::{Icon, icon};
use crate::messages::Problem;
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
            { shown }
            if let Some(problem) = state.models.failure() {
                <ProblemBox problem={Problem {
                    hint: Some(problem.hint.clone().unwrap_or_else(|| "Reload the page to try again.".into())),
                    ..problem.clone()
                }} />
            }
            if let Some(problem) = &state.forecast_problem {
                <ProblemBox problem={problem.clone()} />
            }
        </section>
    }
}

fn forecast_answer(state: &State, forecast: &Forecast, truth: Option<&Truth>) -> Html {
    let (together, slowed) = headline(forecast);
    let stale = !state.forecast_is_current() && state.asked.is_none() && state.forecast_problem.is_some();
    html! {
        <>
            <div role="status">
                <p class="headline">{ together }{ " " }<span class="headline-more">{ slowed }</span></p>
            </div>
            if stale {
                <p class="note wrong">{ "This is the last forecast that could be made. What went wrong since stands below." }</p>
            }
            if forecast.distance.verdict == Verdict::Far {
                <p class="alarm" role="alert">
                    { icon(Icon::Warning) }<strong>{ verdict_text(Verdict::Far) }</strong>
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
    let class = classes!("tile", tile.job.map(|job| format!("of-job-{job}")));
    html! {
        <div {class} data-figure={tile.key}>
            <dt>{ tile.label }</dt>
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
    let offset = truth.offset_seconds();
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
        actions.dispatch(Action::OffsetTyped(format!("{}", (seconds * 10.0).round() / 10.0)));
    };
    html! { <button type="button" class="link" {onclick}>{ "Start B then" }</button> }
}

/// What to know before relying on the forecast.
fn cautions(forecast: &Forecast) -> Html {
    let mut cautions: Vec<(bool, String)> = Vec::new();
    if let Some(fits) = forecast.memory_fits.filter(|fits| fits.probability < FITS) {
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

/// What to do while there is no forecast.
#[component]
fn Invitation(Shown { state }: &Shown) -> Html {
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let filled: Vec<Place> =
        Place::ALL.into_iter().filter(|place| state.slot(*place).trace.is_some()).collect();
    let reading = state.slots.iter().any(|slot| slot.reading.is_some());
    let (headline, more) = match (filled.as_slice(), reading) {
        ([], false) => (
            "How much do two jobs slow each other on one machine?".to_owned(),
            "Give a resource trace of each job, recorded while it ran alone, and see the two together."
                .to_owned(),
        ),
        ([place], false) => {
            let other = place.other().letter();
            (format!("One more: the trace of job {other}."), "Then the forecast stands here.".to_owned())
        }
        ([_, _], false) if state.models.failure().is_some() => {
            ("No forecast can be made.".to_owned(), "The forecaster did not start.".to_owned())
        }
        ([_, _], false) if state.wanted_forecast().is_none() && state.models.awaited().is_none() => {
            ("A field holds no number.".to_owned(), "Mend it, and the forecast stands here.".to_owned())
        }
        ([_, _], false) if state.forecast_problem.is_some() => {
            ("No forecast can be made from these two.".to_owned(), "The reason stands below.".to_owned())
        }
        _ => ("One moment.".to_owned(), "The forecast is being made.".to_owned()),
    };
    let pair = match &state.samples {
        Ok(samples) if filled.is_empty() && !reading => samples.first_pair(),
        _ => None,
    };
    let try_pair = pair.map(|(a, b)| {
        let find = |name: &str| {
            let solos = state.samples.as_ref().map(|samples| samples.solo.as_slice()).unwrap_or_default();
            solos.iter().find(|solo| solo.name == name).cloned()
        };
        let both = [(Place::A, find(a)), (Place::B, find(b))];
        let onclick = move |_| {
            for (place, solo) in both.clone() {
                if let Some(solo) = solo {
                    actions.read(place, Source::Sample(solo));
                }
            }
        };
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
                    <li>{ "A trace is what the whole machine used, sample by sample: CPU, memory, disk, network." }</li>
                    <li>{ format!("Files that can be read: {}, packed with gzip, zstd, or not at all.", formats()) }</li>
                    <li>{ "The forecast: how much slower each job gets, when both are done, and what the machine does meanwhile." }</li>
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
