//! One place: empty, reading, holding a trace, or telling what is wrong with the last file.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{DragEvent, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::columns::TraceColumns;
use super::gallery::kinds;
use super::health::HealthPanel;
use super::paste::Paste;
use super::plot::TracePlot;
use super::said::{AssumedCores, AssumedStep, TraceFormat, TraceSubject};
use super::trouble::Trouble;
use crate::actions::{Actions, Source};
use crate::forecast::typed;
use crate::format::{cores, digits, duration, stretch};
use crate::icons::{Icon, icon};
use crate::messages::{Samples, SoloSample, Stretch, TraceInfo};
use crate::state::{Action, LEAST_SHOWN, PLACES, Place, Slot, State};

/// What most parts of a card are given.
#[derive(Clone, PartialEq, Properties)]
pub(super) struct CardProps {
    pub(super) state: UseReducerHandle<State>,
    pub(super) place: Place,
}

/// A place and the ways to fill it.
#[component]
pub(super) fn JobCard(CardProps { state, place }: &CardProps) -> Html {
    let place = *place;
    let slot = state.slot(place);
    let over = use_state_eq(|| false);
    let pasting = use_state_eq(|| false);
    let plot_open = use_state_eq(|| false);
    let mark = use_state_eq(|| None::<Stretch>);
    {
        // What was marked was marked on another trace.
        let mark = mark.clone();
        use_effect_with(slot.trace.as_ref().map(|trace| trace.handle), move |_| mark.set(None));
    }
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };

    let samples = state.samples.clone().unwrap_or_default();
    let drag = |is_over: bool| {
        let over = over.clone();
        move |event: DragEvent| {
            event.prevent_default();
            over.set(is_over);
        }
    };
    let ondrop = {
        let (actions, over, samples) = (actions.clone(), over.clone(), Rc::clone(&samples));
        move |event: DragEvent| {
            event.prevent_default();
            over.set(false);
            if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
                actions.read_files(place, &files, &samples);
            }
        }
    };
    let remove = {
        let actions = actions.clone();
        move |_| actions.dispatch(Action::Removed(place))
    };
    let cancel = {
        let actions = actions.clone();
        move |_| actions.dispatch(Action::ReadStopped(place))
    };
    let muted = state.control(place).muted;
    let mute = {
        let actions = actions.clone();
        move |_| actions.dispatch(Action::Muted(place, !muted))
    };
    let can_duplicate = state.filled().len() < PLACES
        && state.models.chosen().takes(state.shown.max(state.filled().len() + 1));
    let duplicate = {
        let actions = actions.clone();
        move |_| actions.dispatch(Action::Duplicated(place))
    };
    let toggle_paste = {
        let pasting = pasting.clone();
        move |_| pasting.set(!*pasting)
    };
    let close_paste = {
        let pasting = pasting.clone();
        Callback::from(move |()| pasting.set(false))
    };
    let show = {
        let (plot_open, mark) = (plot_open.clone(), mark.clone());
        Callback::from(move |stretch: Stretch| {
            plot_open.set(true);
            mark.set(Some(stretch));
        })
    };
    let letter = place.letter();
    html! {
        <article class={classes!("card", "job-card", over.then_some("over"), muted.then_some("muted-job"))} data-place={letter}
            aria-label={format!("Job {letter}")} aria-busy={slot.reading.is_some().to_string()}
            ondragenter={drag(true)} ondragover={drag(true)} ondragleave={drag(false)} {ondrop}>
            <header class="job-head">
                <span class={classes!("badge", format!("job-{}", place.index()))} aria-hidden="true">{ letter }</span>
                { title(slot) }
                if slot.reading.is_some() {
                    <button type="button" class="quiet-button" onclick={cancel} aria-label={format!("Stop reading job {letter}")}>{ "Stop" }</button>
                }
                if slot.trace.is_some() {
                    <button type="button" class="quiet-button icon-only" onclick={mute} aria-pressed={muted.to_string()}
                        aria-label={format!("Leave job {letter} out")} title="Leave out">{ icon(Icon::Mute) }</button>
                    <button type="button" class="quiet-button icon-only" onclick={duplicate} disabled={!can_duplicate}
                        aria-label={format!("Duplicate job {letter}")} title="Duplicate">{ icon(Icon::Copy) }</button>
                }
                if slot.trace.is_some() || state.shown > LEAST_SHOWN {
                    <button type="button" class="quiet-button icon-only" onclick={remove}
                        aria-label={format!("Remove job {letter}")} title="Remove">{ icon(Icon::Cross) }</button>
                }
            </header>
            if let Some(trace) = &slot.trace {
                { trace_lines(trace, place) }
                { cut_line(&actions, slot, place) }
                if muted { <p class="note">{ "Left out of the forecast." }</p> }
                <Size state={state.clone()} {place} />
                <TraceFormat state={state.clone()} {place} />
                if slot.read.choices.len() > 1 {
                    <TraceSubject state={state.clone()} {place} />
                }
                if trace.cores_assumed || trace.capacity.cores.is_none() || !slot.cores.text().is_empty() {
                    <AssumedCores state={state.clone()} {place} />
                }
                if trace.step_assumed || !slot.step.text().is_empty() {
                    <AssumedStep state={state.clone()} {place} />
                }
                if let Some(whole) = slot.whole() {
                    <TraceColumns key={whole.handle} state={state.clone()} {place} />
                }
                <HealthPanel state={state.clone()} {place} trace={Rc::clone(trace)} {show} />
                <TracePlot state={state.clone()} {place} open={plot_open} mark={*mark} />
            }
            if let Some(problem) = &slot.problem {
                <Trouble state={state.clone()} {place} problem={problem.clone()} />
            }
            <div class="ways">
                { file_button(&actions, place, &samples) }
                <SampleChoice state={state.clone()} {place} />
                <button type="button" class="button" onclick={toggle_paste} aria-expanded={pasting.to_string()}
                    aria-label={format!("Paste text for job {letter}")}>{ "Paste" }</button>
            </div>
            if *pasting {
                <Paste {place} close={close_paste} />
            }
        </article>
    }
}

fn title(slot: &Slot) -> Html {
    let (name, muted) = match (&slot.reading, &slot.trace) {
        (Some((_, reading)), _) => (format!("Reading {} …", reading.name), true),
        (None, Some(trace)) => (trace.name.clone(), false),
        (None, None) => ("Drop a trace here, or".to_owned(), true),
    };
    html! { <h3 class={classes!("job-name", muted.then_some("muted"))} title={name.clone()}>{ name }</h3> }
}

fn trace_lines(trace: &TraceInfo, place: Place) -> Html {
    let on = trace.capacity.cores.map_or_else(|| "a machine of unknown size".to_owned(), cores);
    let rows = match trace.health.samples {
        1 => "1 sample".to_owned(),
        count => format!("{count} samples"),
    };
    let step = digits(trace.health.step_seconds);
    html! {
        <div class="job-facts">
            <p><strong>{ duration(trace.solo_seconds()) }</strong>{ " alone on " }{ on }</p>
            <p class="muted">{ format!("{rows}, every {step}\u{a0}s") }</p>
            { sparkline(&trace.sparkline, Some(place)) }
        </div>
    }
}

/// Which part of its file a trace is, if it isn't all.
fn cut_line(actions: &Actions, slot: &Slot, place: Place) -> Html {
    let Some(cut) = &slot.cut else {
        return html! {};
    };
    let actions = actions.clone();
    let onclick = move |_| actions.dispatch(Action::Uncut(place));
    let whole = duration(cut.whole.health.duration_seconds);
    html! {
        <p class="note cut-note">
            { format!("Only {} of {whole}. ", stretch(cut.stretch)) }
            <button type="button" class="link" {onclick}>{ "Whole trace again" }</button>
        </p>
    }
}

/// CPU over time. A gap in the samples is a gap in the line.
pub(super) fn sparkline(values: &[Option<f64>], place: Option<Place>) -> Html {
    const WIDTH: f64 = 288.0;
    const HEIGHT: f64 = 32.0;
    let top = crate::figures::largest(values.iter().copied().flatten()).max(f64::MIN_POSITIVE);
    let x = |index: usize| index as f64 / (values.len().max(2) - 1) as f64 * WIDTH;
    let y = |value: f64| HEIGHT - 1.0 - value.max(0.0) / top * (HEIGHT - 2.0);
    let mut path = String::new();
    let mut pen_is_down = false;
    for (index, value) in values.iter().enumerate() {
        if let Some(value) = value {
            let command = if pen_is_down { 'L' } else { 'M' };
            path.push_str(&format!("{command}{:.1} {:.1}", x(index), y(*value)));
        }
        pen_is_down = value.is_some();
    }
    html! {
        <svg class={classes!("sparkline", place.map(|place| format!("job-{}", place.index())))} viewBox={format!("0 0 {WIDTH} {HEIGHT}")}
            preserveAspectRatio="none" aria-hidden="true" focusable="false">
            <path d={path} />
        </svg>
    }
}

/// How much the job has to do.
#[component]
fn Size(CardProps { state, place }: &CardProps) -> Html {
    let place = *place;
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let control = state.control(place);
    let problem = control.times().err();
    let times = control.times().unwrap_or(1.0);
    let alone = state.slot(place).trace.as_ref().map_or(0.0, |trace| trace.solo_seconds());
    let note = match &problem {
        Some(problem) => problem.clone(),
        None if times != 1.0 => {
            format!("As much to do as {} times the trace: {} alone.", digits(times), duration(times * alone))
        }
        None => String::new(),
    };
    let oninput = typed(&actions, move |text| Action::SizeTyped(place, text));
    let reset = move |_| actions.dispatch(Action::SizeTyped(place, String::new()));
    let id = format!("size-{}", place.letter());
    let note_id = format!("{id}-note");
    html! {
        <div class="field">
            <label for={id.clone()}>{ "Size" }<span class="visually-hidden">{ format!(" of job {}", place.letter()) }</span></label>
            <span class="with-unit">
                <input {id} type="text" inputmode="decimal" autocomplete="off" size="5" placeholder="1"
                    value={control.size.raw().to_owned()} {oninput}
                    aria-invalid={problem.is_some().to_string()} aria-describedby={note_id.clone()} />
                <span class="unit">{ "×" }</span>
            </span>
            <p id={note_id} class={classes!("note", problem.is_some().then_some("wrong"))}>
                { note }
                if !control.size.text().is_empty() {
                    { " " }<button type="button" class="link" onclick={reset}>{ "As it was" }</button>
                }
            </p>
        </div>
    }
}

fn file_button(actions: &Actions, place: Place, samples: &Rc<Samples>) -> Html {
    let (actions, samples) = (actions.clone(), Rc::clone(samples));
    let onchange = move |event: Event| {
        let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else {
            return;
        };
        if let Some(files) = input.files() {
            actions.read_files(place, &files, &samples);
        }
        // So that choosing the same file again, after mending it, is a change too.
        input.set_value("");
    };
    let id = format!("file-{}", place.letter());
    html! {
        <span class="file">
            <input type="file" id={id.clone()} multiple=true {onchange} />
            <label for={id} class="button">
                { "Choose file" }<span class="visually-hidden">{ format!(" for job {}", place.letter()) }</span>
            </label>
        </span>
    }
}

/// The samples, by kind of work.
#[component]
fn SampleChoice(CardProps { state, place }: &CardProps) -> Html {
    let place = *place;
    let slot = state.slot(place);
    let chosen = slot.sample().unwrap_or_default().to_owned();
    let select = use_node_ref();
    {
        // Once a person has chosen, the list no longer follows its options: a file, or a read that failed, would
        // leave the name of a sample standing.
        let select = select.clone();
        use_effect_with((chosen.clone(), slot.reading.is_some()), move |(chosen, is_reading)| {
            if let (Some(select), false) = (select.cast::<HtmlSelectElement>(), is_reading) {
                select.set_value(chosen);
            }
        });
    }
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let Ok(samples) = &state.samples else {
        return html! {};
    };
    if samples.solo.is_empty() {
        return html! {};
    }
    let other = state.slot(place.partner()).sample().map(str::to_owned);
    let onchange = {
        let samples = Rc::clone(samples);
        move |event: Event| {
            let Some(select) = event.target().and_then(|target| target.dyn_into::<HtmlSelectElement>().ok())
            else {
                return;
            };
            if let Some(solo) = samples.solo.iter().find(|solo| solo.name == select.value()) {
                actions.read(place, Source::Sample(solo.clone()));
            }
        }
    };
    let option = |solo: &SoloSample| {
        let measured = other.as_deref().is_some_and(|other| samples.pair(&solo.name, other, 0.0).is_some());
        let mark = if measured { " · measured together" } else { "" };
        html! {
            <option value={solo.name.clone()} title={solo.description.clone()} selected={solo.name == chosen}>
                { format!("{}, {}{mark}", solo.name, duration(solo.seconds)) }
            </option>
        }
    };
    html! {
        <select ref={select} class="button" aria-label={format!("Sample for job {}", place.letter())} {onchange}>
            <option value="" selected={chosen.is_empty()} disabled=true>{ "Sample" }</option>
            { for kinds(samples).into_iter().map(|kind| html! {
                <optgroup label={kind.to_owned()}>
                    { for samples.solo.iter().filter(|solo| solo.kind == kind).map(option) }
                </optgroup>
            }) }
        </select>
    }
}
