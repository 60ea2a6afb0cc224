//! A list to choose from that always shows what the page knows.

use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// One of the things to choose.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Choice {
    value: AttrValue,
    text: AttrValue,
}

impl Choice {
    pub(super) fn new(value: &str, text: impl Into<String>) -> Choice {
        Choice { value: value.to_owned().into(), text: text.into().into() }
    }
}

#[derive(Clone, PartialEq, Properties)]
pub(super) struct SelectProps {
    #[prop_or_default]
    pub(super) id: Option<String>,
    /// What it is for, where no label says it.
    #[prop_or_default]
    pub(super) label: Option<String>,
    #[prop_or_default]
    pub(super) disabled: bool,
    pub(super) value: AttrValue,
    pub(super) choices: Vec<Choice>,
    pub(super) onchange: Callback<String>,
}

/// The list.
#[component]
pub(super) fn Select(props: &SelectProps) -> Html {
    let SelectProps { id, label, disabled, value, choices, onchange } = props.clone();
    let select = use_node_ref();
    {
        // Once a person has chosen, the list no longer follows its options: a read that failed would leave the
        // choice standing.
        let (select, value) = (select.clone(), value.clone());
        use_effect(move || {
            if let Some(select) = select.cast::<HtmlSelectElement>() {
                select.set_value(&value);
            }
        });
    }
    let onchange = move |event: Event| {
        if let Some(select) = event.target().and_then(|target| target.dyn_into::<HtmlSelectElement>().ok()) {
            onchange.emit(select.value());
        }
    };
    html! {
        <select ref={select} {id} class="button" aria-label={label} {disabled} {onchange}>
            { for choices.iter().map(|choice| html! {
                <option value={choice.value.clone()} selected={choice.value == value}>{ &choice.text }</option>
            }) }
        </select>
    }
}
