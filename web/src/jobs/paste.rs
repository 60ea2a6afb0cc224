//! A field to paste a trace's text into.

use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::actions::{Actions, Source};
use crate::state::Place;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct PasteProps {
    pub(super) place: Place,
    pub(super) close: Callback<()>,
}

/// The field with its two buttons.
#[component]
pub(super) fn Paste(PasteProps { place, close }: &PasteProps) -> Html {
    let place = *place;
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with((), move |()| {
            if let Some(area) = field.cast::<HtmlTextAreaElement>() {
                area.focus().ok();
            }
        });
    }
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
    let read = {
        let (field, close) = (field.clone(), close.clone());
        move |_| {
            let Some(area) = field.get().and_then(|node| node.dyn_into::<HtmlTextAreaElement>().ok()) else {
                return;
            };
            if !area.value().trim().is_empty() {
                actions.read(place, Source::Text(area.value()));
                close.emit(());
            }
        }
    };
    let cancel = {
        let close = close.clone();
        move |_| close.emit(())
    };
    let onkeydown = {
        let close = close.clone();
        move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                close.emit(());
            }
        }
    };
    html! {
        <div class="paste">
            <textarea ref={field} rows="5" spellcheck="false" autocomplete="off" {onkeydown}
                aria-label={format!("Text of the trace for job {}", place.letter())}
                placeholder="Paste the whole trace here, header and all." />
            <div class="ways">
                <button type="button" class="button primary" onclick={read}>{ "Read" }</button>
                <button type="button" class="button" onclick={cancel}>{ "Cancel" }</button>
            </div>
        </div>
    }
}
