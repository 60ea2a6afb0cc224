//! A trace over time, and the part of it to keep.

use std::rc::Rc;

use yew::prelude::*;

use crate::actions::Actions;
use crate::charts::SoloView;
use crate::charts::solo::{SoloPlot, panels, times};
use crate::fields::parse_stretch;
use crate::forecast::ProblemBox;
use crate::format::{duration, moment, stretch};
use crate::messages::{Overview, Problem, Stretch};
use crate::state::{Place, State};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct PlotProps {
    pub(super) state: UseReducerHandle<State>,
    pub(super) place: Place,
    /// Whether the plot is shown.
    pub(super) open: UseStateHandle<bool>,
    /// What to mark, in the time of the trace that is forecast.
    pub(super) mark: Option<Stretch>,
}

/// What the worker said of a trace.
type Answer = Option<(u32, Result<Rc<Overview>, Problem>)>;

/// The plot on demand, with the fields to cut the trace.
#[component]
pub(super) fn TracePlot(PlotProps { state, place, open, mark }: &PlotProps) -> Html {
    let place = *place;
    let slot = state.slot(place);
    let answer = use_state(|| Answer::None);
    // The stretch as typed, or as written for the person who drags.
    let typed = use_state_eq(|| (String::new(), String::new()));
    let top = use_node_ref();
    let actions = use_context::<Actions>();
    let whole = slot.whole().map(|whole| whole.handle);
    {
        let (answer, actions) = (answer.clone(), actions.clone());
        let typed = typed.clone();
        use_effect_with((**open, whole), move |(open, whole)| {
            typed.set((String::new(), String::new()));
            if let (true, Some(handle), Some(actions)) = (*open, *whole, actions) {
                actions.overview(handle, move |overview| answer.set(Some((handle, overview.map(Rc::new)))));
            }
        });
    }
    {
        // What is marked has to be seen.
        let top = top.clone();
        use_effect_with(*mark, move |mark| {
            if let (Some(_), Some(element)) = (mark, top.cast::<web_sys::Element>()) {
                element.scroll_into_view_with_bool(true);
            }
        });
    }
    let (Some(actions), Some(whole)) = (actions, slot.whole()) else {
        return html! {};
    };
    let ontoggle = {
        let open = open.clone();
        move |event: Event| {
            if let Some(details) = event.target_dyn_into::<web_sys::HtmlDetailsElement>() {
                open.set(details.open());
            }
        }
    };
    let kept = slot.cut.as_ref().map(|cut| cut.stretch);
    let mark = mark.map(|mark| mark.later(kept.map_or(0.0, |kept| kept.from_seconds)));
    let end = whole.health.duration_seconds;
    let body = match answer.as_ref().filter(|(handle, _)| *handle == whole.handle) {
        _ if !**open => html! {},
        None => html! { <p class="muted">{ "One moment." }</p> },
        Some((_, Err(problem))) => html! { <ProblemBox problem={problem.clone()} /> },
        Some((_, Ok(overview))) => {
            let (from, to) = &*typed;
            let untouched = from.trim().is_empty() && to.trim().is_empty();
            let chosen = parse_stretch(from, to, end);
            let selected = chosen.as_ref().ok().copied().filter(|_| !untouched);
            let plot = SoloPlot {
                job: place.index(),
                end_seconds: overview.duration_seconds,
                time: times(overview),
                panels: panels(overview),
                kept,
                mark,
                selected,
            };
            let on_select = {
                let typed = typed.clone();
                Callback::from(move |selected: Option<Stretch>| {
                    typed.set(selected.map_or_else(Default::default, |stretch| {
                        (moment(stretch.from_seconds), moment(stretch.to_seconds))
                    }));
                })
            };
            let text = format!("Job {} alone over {}", place.letter(), duration(overview.duration_seconds));
            let keep = {
                let handle = whole.handle;
                let (actions, typed) = (actions.clone(), typed.clone());
                move |_| {
                    if let Some(stretch) = selected {
                        actions.cut(place, handle, stretch);
                        typed.set((String::new(), String::new()));
                    }
                }
            };
            let problem = chosen.err().filter(|_| !untouched);
            let note = match (&problem, selected) {
                (Some(problem), _) => problem.clone(),
                (None, Some(selected)) => {
                    let length = duration(selected.to_seconds - selected.from_seconds);
                    format!("{}: {length} of {}.", stretch(selected), duration(end))
                }
                (None, None) => "Drag over the plot, or type from when to when.".to_owned(),
            };
            html! {
                <>
                    <SoloView plot={Rc::new(plot)} {text} {on_select} />
                    <div class="stretch">
                        { moment_field(place, "from", "From", "0:00", from, &typed, problem.is_some()) }
                        { moment_field(place, "to", "to", &moment(end), to, &typed, problem.is_some()) }
                        <button type="button" class="button" disabled={selected.is_none()} onclick={keep}>
                            { "Keep only this" }
                        </button>
                    </div>
                    <p id={format!("stretch-{}-note", place.letter())} aria-live="polite"
                        class={classes!("note", problem.is_some().then_some("wrong"))}>{ note }</p>
                </>
            }
        }
    };
    html! {
        <div class="about" ref={top} data-plot={place.letter()}>
            <details open={**open} {ontoggle}>
                <summary>{ "Over time" }</summary>
                { body }
            </details>
        </div>
    }
}

/// One end of the stretch.
fn moment_field(
    place: Place,
    which: &'static str,
    label: &str,
    placeholder: &str,
    value: &str,
    typed: &UseStateHandle<(String, String)>,
    wrong: bool,
) -> Html {
    let letter = place.letter();
    let oninput = {
        let typed = typed.clone();
        move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() {
                let (from, to) = (*typed).clone();
                typed.set(if which == "from" { (input.value(), to) } else { (from, input.value()) });
            }
        }
    };
    let id = format!("stretch-{letter}-{which}");
    html! {
        <label for={id.clone()}>
            { label }<span class="visually-hidden">{ format!(", stretch of job {letter}") }</span>
            <input {id} type="text" autocomplete="off" size="6" placeholder={placeholder.to_owned()}
                value={value.to_owned()} {oninput} aria-invalid={wrong.to_string()}
                aria-describedby={format!("stretch-{letter}-note")} />
        </label>
    }
}
