//! A list to choose from that always shows what the page knows.

use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// One of the things to choose.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    value: AttrValue,
    text: AttrValue,
}

impl Choice {
    pub(crate) fn new(value: &str, text: impl Into<String>) -> Choice {
        Choice { value: value.to_owned().into(), text: text.into().into() }
    }
}

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct SelectProps {
    #[prop_or_default]
    pub(crate) id: Option<String>,
    /// What it is for, where no label says it.
    #[prop_or_default]
    pub(crate) label: Option<String>,
    /// What says more about it, by its id.
    #[prop_or_default]
    pub(crate) described_by: Option<String>,
    #[prop_or_default]
    pub(crate) disabled: bool,
    pub(crate) value: AttrValue,
    pub(crate) choices: Vec<Choice>,
    pub(crate) onchange: Callback<String>,
}

/// The list.
#[component]
pub(crate) fn Select(props: &SelectProps) -> Html {
    let SelectProps { id, label, described_by, disabled, value, choices, onchange } = props.clone();
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
        <select ref={select} {id} class="button" aria-label={label} aria-describedby={described_by} {disabled} {onchange}>
            { for choices.iter().map(|choice| html! {
                <option value={choice.value.clone()} selected={choice.value == value}>{ &choice.text }</option>
            }) }
        </select>
    }
}
