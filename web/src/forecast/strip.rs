//! When the jobs run: alone in grey, together in the job's colour; and when each is to start.

use std::rc::Rc;

use cotrace_forecast::Forecast;
use web_sys::{Element, HtmlInputElement, PointerEvent};
use yew::prelude::*;

use super::typed;
use crate::actions::Actions;
use crate::figures::{Stretch, StripRow, job_colour, strip, the};
use crate::format::{clock, duration};
use crate::starts::Starts;
use crate::state::{Action, Place, State, Truth};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct StripProps {
    pub(super) state: UseReducerHandle<State>,
    pub(super) forecast: Rc<Forecast>,
    pub(super) truth: Option<Rc<Truth>>,
}

/// The strip. Its time axis is the charts' too.
#[component]
pub(super) fn StripView(StripProps { state, forecast, truth }: &StripProps) -> Html {
    let strip = strip(forecast, truth.as_deref());
    // What moves are jobs that are on the strip; the first one's start is where time begins.
    let moved: Vec<Place> = forecast
        .jobs
        .iter()
        .filter_map(|job| Place::named(&job.name))
        .filter(|place| *place != Place::A)
        .collect();
    html! {
        <section class="card strip" aria-labelledby="strip-title">
            <div class="strip-head">
                <h2 id="strip-title">{ "When" }</h2>
                <p class="muted">
                    { "Grey: alone. Colour: together, dotted below where a resource is short. Drag a bar to start it later." }
                    if truth.is_some() { { " Dot: the measured end." } }
                </p>
            </div>
            <div class="strip-rows">
                { for strip.rows.iter().map(|row| html! {
                    <Row key={row.name.clone()} row={row.clone()} end_seconds={strip.end_seconds} />
                }) }
                <div class="strip-axis" aria-hidden="true">
                    { for strip.ticks.iter().map(|(at, text)| html! {
                        <span class="tick" style={left(*at)}>{ text }</span>
                    }) }
                </div>
                <div class="strip-cursor" aria-hidden="true"></div>
            </div>
            { for moved.into_iter().map(|place| html! {
                <Start key={place.letter()} state={state.clone()} forecast={Rc::clone(forecast)} {place} />
            }) }
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RowProps {
    row: StripRow,
    end_seconds: f64,
}

/// A bar that is being dragged: where that began, in pixels and in seconds, and seconds for each pixel.
#[derive(Clone, Copy)]
struct Drag {
    pixels: f64,
    offset_seconds: f64,
    seconds_per_pixel: f64,
}

/// A job's bars. All but A's can be dragged.
#[component]
fn Row(RowProps { row, end_seconds }: &RowProps) -> Html {
    let drag = use_mut_ref(|| None::<Drag>);
    let lane = use_node_ref();
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let place = Place::named(&row.name).unwrap_or(Place::A);
    let can_move = place != Place::A;
    let (offset_seconds, end_seconds) = (row.offset_seconds, *end_seconds);
    let onpointerdown = {
        let (drag, lane) = (Rc::clone(&drag), lane.clone());
        move |event: PointerEvent| {
            let Some(lane) = lane.cast::<Element>().filter(|_| can_move && event.button() == 0) else {
                return;
            };
            let width = f64::from(lane.client_width()).max(1.0);
            // The axis may change while the bar moves; how far a pixel is stays as it was.
            let seconds_per_pixel = end_seconds / width;
            *drag.borrow_mut() =
                Some(Drag { pixels: f64::from(event.client_x()), offset_seconds, seconds_per_pixel });
            lane.set_pointer_capture(event.pointer_id()).ok();
            event.prevent_default();
        }
    };
    let onpointermove = {
        let drag = Rc::clone(&drag);
        move |event: PointerEvent| {
            let Some(Drag { pixels, offset_seconds, seconds_per_pixel }) = *drag.borrow() else { return };
            let by = (f64::from(event.client_x()) - pixels) * seconds_per_pixel;
            actions.dispatch(Action::OffsetTyped(place, written((offset_seconds + by).max(0.0))));
        }
    };
    let end = move |_: PointerEvent| *drag.borrow_mut() = None;
    let bar = |class: &str, stretch: Stretch, text: &str| {
        html! { <div class={format!("bar {class}")} style={span(stretch)}><span>{ text.to_owned() }</span></div> }
    };
    let colour = format!("job-{}", job_colour(&row.name));
    html! {
        <div class="strip-row" data-row={row.name.clone()}>
            <span class={classes!("badge", "small", colour.clone())} aria-hidden="true">{ &row.name }</span>
            <p class="visually-hidden">{ &row.text }</p>
            <div ref={lane} class={classes!("strip-lane", can_move.then_some("movable"))} aria-hidden="true"
                {onpointerdown} {onpointermove} onpointerup={end.clone()} onpointercancel={end}>
                { bar("alone", row.alone, &row.alone_text) }
                { bar(&format!("together {colour}"), row.together, &row.together_text) }
                { for row.limits.iter().map(|(stretch, resource)| html! {
                    <div class="limit" style={span(*stretch)} title={format!("held back by {}", the(*resource))}></div>
                }) }
                if let Some(at) = row.measured_end {
                    <div class="measured-end" style={left(at)} title="measured end"></div>
                }
            </div>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct StartProps {
    state: UseReducerHandle<State>,
    forecast: Rc<Forecast>,
    place: Place,
}

/// When a job starts: a slider, a field, and the best start.
#[component]
fn Start(StartProps { state, forecast, place }: &StartProps) -> Html {
    let place = *place;
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let letter = place.letter();
    let control = state.control(place);
    let problem = control.offset_seconds().err();
    let seconds = control.offset_seconds().unwrap_or(0.0);
    // Up to one after the other.
    let others = forecast.jobs.iter().filter(|job| job.name != letter);
    let others_end = others.map(|job| job.offset_seconds + job.solo_seconds).fold(0.0, f64::max);
    let most = others_end.max(seconds).ceil().max(1.0);
    let oninput = typed(&actions, move |text| Action::OffsetTyped(place, text));
    let onslide = {
        let actions = actions.clone();
        move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                actions.dispatch(Action::OffsetTyped(place, written(input.value_as_number())));
            }
        }
    };
    let request = state.forecast.as_ref().map(|(request, _)| request.clone());
    let starts = state.starts.as_ref().filter(|starts| {
        starts.place == place && request.as_ref().is_some_and(|request| starts.belongs_to(request))
    });
    let best = {
        let actions = actions.clone();
        move |_| {
            if let Some(request) = &request {
                actions.try_starts(request, place, others_end);
            }
        }
    };
    let reset = move |_| actions.dispatch(Action::OffsetTyped(place, String::new()));
    let id = format!("start-{letter}");
    let note = format!("{id}-note");
    let others_name = if forecast.jobs.len() == 2 && place == Place::B { "A" } else { "the first" };
    html! {
        <div class="start" data-start={letter}>
            <label for={id.clone()}>{ format!("{letter} starts after") }</label>
            <input type="range" class={format!("job-{}", place.index())} min="0" max={most.to_string()} step="0.1"
                value={seconds.to_string()} oninput={onslide} aria-label={format!("Start of {letter}, slider")}
                aria-valuetext={format!("{} after {others_name}", duration(seconds))} />
            <span class="with-unit">
                <input {id} type="text" inputmode="decimal" autocomplete="off" placeholder="0" size="6"
                    value={control.offset.raw().to_owned()} {oninput}
                    aria-invalid={problem.is_some().to_string()} aria-describedby={note.clone()} />
                <span class="unit">{ "s" }</span>
            </span>
            <button type="button" class="button" onclick={best}>{ "Best start" }</button>
            if !control.offset.text().is_empty() {
                <button type="button" class="link" onclick={reset}>{ "at once" }</button>
            }
            <div id={note} class={classes!("note", problem.is_some().then_some("wrong"))}>
                { problem.unwrap_or_default() }
                if let Some(starts) = starts { { course(starts, seconds) } }
            </div>
        </div>
    }
}

/// When all are done by the job's start, drawn small.
fn course(starts: &Starts, now_seconds: f64) -> Html {
    const WIDTH: f64 = 160.0;
    const HEIGHT: f64 = 28.0;
    let (low, high) = starts
        .makespans_seconds
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
    let end = starts.offsets_seconds.last().copied().unwrap_or(1.0).max(1e-9);
    let x = |seconds: f64| 1.0 + (seconds / end).clamp(0.0, 1.0) * (WIDTH - 2.0);
    let y = |value: f64| 2.0 + (1.0 - (value - low) / (high - low).max(1e-9)) * (HEIGHT - 4.0);
    let points: Vec<String> = starts
        .offsets_seconds
        .iter()
        .zip(&starts.makespans_seconds)
        .map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value)))
        .collect();
    let best = starts.best_seconds();
    let text = format!(
        "Of {} starts up to {}, {} is best: all done after {}; the worst takes {}.",
        starts.offsets_seconds.len(),
        clock(end),
        if best == 0.0 { "at once".to_owned() } else { format!("{} later", duration(best)) },
        duration(starts.makespans_seconds[starts.best]),
        duration(high),
    );
    html! {
        <span class="course">
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} width={WIDTH.to_string()} height={HEIGHT.to_string()} aria-hidden="true">
                <polyline points={points.join(" ")} />
                <line x1={x(now_seconds).to_string()} x2={x(now_seconds).to_string()} y1="0" y2={HEIGHT.to_string()} />
                <circle cx={x(best).to_string()} cy={y(starts.makespans_seconds[starts.best]).to_string()} r="3" />
            </svg>
            <span>{ text }</span>
        </span>
    }
}

/// A start as a person would type it, in tenths of a second.
fn written(seconds: f64) -> String {
    let tenths = (seconds * 10.0).round() / 10.0;
    if tenths > 0.0 { tenths.to_string() } else { String::new() }
}

fn left(at: f64) -> String {
    format!("left:{:.3}%", at * 100.0)
}

fn span(stretch: Stretch) -> String {
    format!("left:{:.3}%;width:{:.3}%", stretch.from * 100.0, (stretch.to - stretch.from) * 100.0)
}
