//! The node that the jobs are to share, and the model that forecasts.

mod model;

pub(crate) use model::ModelChoice;

use cotrace_trace::Capacity;
use yew::prelude::*;

use crate::actions::Actions;
use crate::app::Shown;
use crate::fields::NodeField;
use crate::forecast::typed;
use crate::select::{Choice, Select};
use crate::state::{Action, State};

/// From this width on the settings are open from the start.
const WIDE: &str = "(min-width: 60rem)";

/// The form. What is left alone is what the traces say.
#[component]
pub(crate) fn NodeSettings(Shown { state }: &Shown) -> Html {
    let open = use_memo((), |()| {
        gloo::utils::window().match_media(WIDE).ok().flatten().is_some_and(|query| query.matches())
    });
    html! {
        <section class="card node">
            <details open={*open}>
                <summary><h2>{ "Node" }</h2><span class="muted">{ summary(state) }</span></summary>
                <Presets state={state.clone()} />
                { for NodeField::ALL.map(|field| html! { <Part key={field.id()} state={state.clone()} {field} /> }) }
            </details>
        </section>
    }
}

/// Nodes to choose: cores, and GiB of memory.
const PRESETS: [(f64, f64); 6] =
    [(2.0, 8.0), (4.0, 16.0), (8.0, 32.0), (16.0, 64.0), (32.0, 128.0), (64.0, 256.0)];

/// Common nodes, and the one that the traces were recorded on.
#[component]
fn Presets(Shown { state }: &Shown) -> Html {
    const AS_TRACES: &str = "traces";
    const OTHER: &str = "other";
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let node = |(cores, memory): (f64, f64)| Capacity {
        cores: Some(cores),
        memory_bytes: Some(memory * 1024f64.powi(3)),
        ..Capacity::default()
    };
    let typed = state.node.typed_capacity().ok();
    let name = |index: usize| format!("preset-{index}");
    let value = match typed {
        Some(typed) if typed == Capacity::default() => AS_TRACES.to_owned(),
        Some(typed) => {
            PRESETS.iter().position(|preset| node(*preset) == typed).map_or_else(|| OTHER.to_owned(), name)
        }
        None => OTHER.to_owned(),
    };
    let mut choices = vec![Choice::new(AS_TRACES, "as the traces say")];
    choices.extend(
        PRESETS.iter().enumerate().map(|(index, (cores, memory))| {
            Choice::new(&name(index), format!("{cores} cores, {memory} GiB"))
        }),
    );
    if value == OTHER {
        choices.push(Choice::new(OTHER, "as typed below"));
    }
    let onchange = Callback::from(move |chosen: String| {
        let preset =
            (0..PRESETS.len()).find(|index| name(*index) == chosen).map(|index| node(PRESETS[index]));
        if chosen != OTHER {
            actions.dispatch(Action::NodeChosen(preset.unwrap_or_default()));
        }
    });
    html! {
        <div class="field">
            <label for="node-preset">{ "Machine" }</label>
            <Select id="node-preset" {value} {choices} {onchange} />
        </div>
    }
}

/// The node in a line, for when the form is closed.
fn summary(state: &State) -> String {
    let Ok(typed) = state.node.typed_capacity() else {
        return "not a number".to_owned();
    };
    let node = typed.or(state.traces_capacity());
    let parts: Vec<String> = NodeField::ALL
        .into_iter()
        .filter_map(|field| Some(format!("{}\u{a0}{}", field.text_of(&node)?, field.unit())))
        .take(2)
        .collect();
    if parts.is_empty() { "as the traces say".to_owned() } else { parts.join(", ") }
}

#[derive(Clone, PartialEq, Properties)]
struct PartProps {
    state: UseReducerHandle<State>,
    field: NodeField,
}

#[component]
fn Part(PartProps { state, field }: &PartProps) -> Html {
    let field = *field;
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let from_traces = field.text_of(&state.traces_capacity());
    let typed_text = state.node.typed(field).map(|typed| typed.raw().to_owned());
    let problem = state.node.problem(field);
    let any_trace = state.slots.iter().any(|slot| slot.trace.is_some());
    let is_typed = typed_text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let note = match (&problem, is_typed, &from_traces) {
        (Some(problem), ..) => problem.clone(),
        (None, true, Some(from_traces)) => format!("The traces say {from_traces}."),
        (None, false, Some(from_traces)) if typed_text.is_some() => {
            format!("Left empty: {from_traces}, as the traces say.")
        }
        (None, false, None) if any_trace => "The traces do not say it.".to_owned(),
        _ => String::new(),
    };
    let oninput = typed(&actions, move |text| Action::NodeTyped(field, text));
    let reset = move |_| actions.dispatch(Action::NodeReset(field));
    let note_id = format!("{}-note", field.id());
    html! {
        <div class="field">
            <label for={field.id()}>{ field.label() }</label>
            <span class="with-unit">
                <input id={field.id()} type="text" inputmode="decimal" autocomplete="off" size="7" placeholder="unknown"
                    value={typed_text.clone().or(from_traces.clone()).unwrap_or_default()} {oninput}
                    aria-invalid={problem.is_some().to_string()} aria-describedby={note_id.clone()} />
                <span class="unit">{ field.unit() }</span>
            </span>
            <p id={note_id} class={classes!("note", problem.is_some().then_some("wrong"))}>
                { note }
                if typed_text.is_some() && from_traces.is_some() {
                    { " " }<button type="button" class="link" onclick={reset}>{ "Use that" }</button>
                }
            </p>
        </div>
    }
}
