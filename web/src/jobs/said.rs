//! What a person can say about a file that it doesn't say itself: its format, which of several things in it, the
//! cores of its node, the time between its samples.

use cotrace_trace::Format;
use yew::prelude::*;

use super::card::CardProps;
use crate::actions::Actions;
use crate::fields::parse_positive;
use crate::forecast::typed;
use crate::format::{UNKNOWN, digits};
use crate::select::{Choice, Select};
use crate::state::{Action, Place, Reading};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct FormatProps {
    pub(super) place: Place,
    /// Distinguishes the field from others on the same card.
    pub(super) id: &'static str,
    pub(super) label: &'static str,
    /// What the content was recognised as. `None`: as nothing, or it was not asked.
    pub(super) recognised: Option<String>,
    /// What the person said that it is.
    pub(super) said: Option<Format>,
    pub(super) onchange: Callback<Option<Format>>,
}

/// A list of all formats.
#[component]
pub(super) fn FormatSelect(props: &FormatProps) -> Html {
    let by_content = match &props.recognised {
        Some(title) => format!("{title} (auto)"),
        None => "by its content".to_owned(),
    };
    let mut choices = vec![Choice::new("", by_content)];
    choices.extend(Format::ALL.iter().map(|format| Choice::new(format.name(), format.title())));
    let onchange = props.onchange.reform(|name: String| Format::from_name(&name));
    let id = format!("{}-{}", props.id, props.place.letter());
    html! {
        <div class="field">
            <label for={id.clone()}>{ props.label }</label>
            <Select {id} value={props.said.map_or("", Format::name)} {choices} {onchange} />
        </div>
    }
}

/// The format of the trace on the card.
#[component]
pub(super) fn TraceFormat(CardProps { state, place }: &CardProps) -> Html {
    let place = *place;
    let slot = state.slot(place);
    let (Some(actions), Some(whole)) = (use_context::<Actions>(), slot.whole()) else {
        return html! {};
    };
    let said = slot.read.options.format;
    let recognised = said.is_none().then(|| whole.format_title().to_owned());
    let onchange = {
        let (handle, again) = (whole.handle, slot.again());
        Callback::from(move |format: Option<Format>| {
            let mut reading = again.clone();
            reading.options.format = format;
            // Another format has other columns.
            reading.options.mapping = None;
            reading.remembered = false;
            actions.read_again(place, handle, reading);
        })
    };
    html! { <FormatSelect {place} id="format" label="Format" {recognised} {said} {onchange} /> }
}

/// Which of several things in a file the trace on the card is; and the others, for the other place.
#[component]
pub(super) fn TraceSubject(CardProps { state, place }: &CardProps) -> Html {
    let place = *place;
    let slot = state.slot(place);
    let (Some(actions), Some(whole)) = (use_context::<Actions>(), slot.whole()) else {
        return html! {};
    };
    let (handle, again) = (whole.handle, slot.again());
    let said = again.options.subject.clone().unwrap_or_default();
    let choices: Vec<Choice> = again.choices.iter().map(|name| Choice::new(name, name.as_str())).collect();
    let with = move |name: String, again: bool, reading: &Reading| {
        let mut reading = Reading { again, ..reading.clone() };
        reading.options.subject = Some(name);
        reading
    };
    let onchange = {
        let (actions, again) = (actions.clone(), again.clone());
        Callback::from(move |name: String| actions.read_again(place, handle, with(name, true, &again)))
    };
    let other = place.partner();
    let other_is_free = state.slot(other).trace.is_none() && state.slot(other).reading.is_none();
    let for_other = again.choices.iter().filter(|name| **name != said).map(|name| {
        let onclick = {
            let (actions, again, name) = (actions.clone(), again.clone(), name.clone());
            move |_| actions.read_again(other, handle, with(name.clone(), false, &again))
        };
        html! { <button type="button" class="button" {onclick}>{ name }</button> }
    });
    let id = format!("subject-{}", place.letter());
    html! {
        <>
            <div class="field">
                <label for={id.clone()}>{ "Which one" }</label>
                <Select {id} value={said.clone()} {choices} {onchange} />
            </div>
            if other_is_free {
                <div class="choices" role="group" aria-label={format!("For job {}, from the same file", other.letter())}>
                    <p class="note">{ format!("For job {}, from the same file:", other.letter()) }</p>
                    { for for_other }
                </div>
            }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct NumberProps {
    id: String,
    label: &'static str,
    unit: &'static str,
    placeholder: String,
    value: String,
    note: String,
    oninput: Callback<InputEvent>,
    /// The number, when the person is done with it; `None` for an emptied field.
    onsaid: Callback<Option<f64>>,
}

/// A field for a number that the file does not say.
#[component]
fn NumberField(props: &NumberProps) -> Html {
    let NumberProps { id, label, unit, placeholder, value, note, oninput, onsaid } = props.clone();
    let parsed = parse_positive(&value);
    let problem = parsed.clone().err();
    let onchange = move |_: Event| {
        if let Ok(number) = parsed {
            onsaid.emit(number);
        }
    };
    let note_id = format!("{id}-note");
    html! {
        <div class="field">
            <label for={id.clone()}>{ label }</label>
            <span class="with-unit">
                <input {id} type="text" inputmode="decimal" autocomplete="off" size="5" {placeholder} {value}
                    {oninput} {onchange} aria-invalid={problem.is_some().to_string()} aria-describedby={note_id.clone()} />
                if !unit.is_empty() { <span class="unit">{ unit }</span> }
            </span>
            <p id={note_id} class={classes!("note", problem.is_some().then_some("wrong"))}>
                { problem.unwrap_or(note) }
            </p>
        </div>
    }
}

const AS_SAID: &str = "As you said; the file does not say it.";

/// Asks for the number of cores where the file does not say it.
#[component]
pub(super) fn AssumedCores(CardProps { state, place }: &CardProps) -> Html {
    let place = *place;
    let slot = state.slot(place);
    let (Some(actions), Some(whole)) = (use_context::<Actions>(), slot.whole()) else {
        return html! {};
    };
    let assumed = whole.capacity.cores.map_or_else(|| UNKNOWN.to_owned(), digits);
    let note = match whole.capacity.cores {
        Some(_) if whole.cores_assumed => format!("The file does not say it; {assumed} assumed."),
        Some(_) => AS_SAID.to_owned(),
        None => "The file does not say it.".to_owned(),
    };
    let oninput = typed(&actions, move |text| Action::CoresTyped(place, text));
    let onsaid = {
        // The time stays what it is, so the part that is kept is still there.
        let stretch = slot.cut.as_ref().map(|cut| cut.stretch);
        let (handle, again) = (whole.handle, Reading { stretch, ..slot.again() });
        Callback::from(move |cores| {
            let mut reading = again.clone();
            reading.options.cores = cores;
            actions.read_again(place, handle, reading);
        })
    };
    html! {
        <NumberField id={format!("cores-{}", place.letter())} label="Cores of its node" unit="" placeholder={assumed}
            value={slot.cores.raw().to_owned()} {note} {oninput} {onsaid} />
    }
}

/// Asks for the time between samples where the file does not say it.
#[component]
pub(super) fn AssumedStep(CardProps { state, place }: &CardProps) -> Html {
    let place = *place;
    let slot = state.slot(place);
    let (Some(actions), Some(whole)) = (use_context::<Actions>(), slot.whole()) else {
        return html! {};
    };
    let assumed = digits(whole.health.step_seconds);
    let note = if whole.step_assumed {
        format!("The file says no times; {assumed}\u{a0}s assumed.")
    } else {
        AS_SAID.to_owned()
    };
    let oninput = typed(&actions, move |text| Action::StepTyped(place, text));
    let onsaid = {
        let (handle, again) = (whole.handle, slot.again());
        Callback::from(move |step_seconds| {
            let mut reading = again.clone();
            reading.options.step_seconds = step_seconds;
            actions.read_again(place, handle, reading);
        })
    };
    html! {
        <NumberField id={format!("step-{}", place.letter())} label="Between samples" unit="s" placeholder={assumed}
            value={slot.step.raw().to_owned()} {note} {oninput} {onsaid} />
    }
}
