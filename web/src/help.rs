//! What can be done with keys and gestures.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// Keys, and what they do.
const KEYS: [(&str, &str); 8] = [
    ("?", "this sheet"),
    ("Ctrl Z, Ctrl Shift Z", "undo, redo"),
    ("X", "swap A and B"),
    ("Ctrl V", "paste a trace as text"),
    ("Tab to a slider, then ← →", "start a job earlier or later"),
    ("Tab to a chart, then ← →", "read values step by step"),
    ("+ and −, on a chart", "zoom in and out"),
    ("0, on a chart", "the whole time again"),
];

/// Gestures, and what they do.
const GESTURES: [(&str, &str); 7] = [
    ("Drop files anywhere", "up to four traces; a saved page; a model"),
    ("Drag a job’s bar", "start it earlier or later"),
    ("Drag over a chart", "zoom into that time"),
    ("Ctrl and wheel over a chart", "zoom in and out"),
    ("Shift and drag or wheel", "move along a zoomed chart"),
    ("Two fingers, one finger", "zoom, move along"),
    ("Double click on a chart", "the whole time again"),
];

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct HelpProps {
    pub(crate) close: Callback<()>,
}

/// The sheet.
#[component]
pub(crate) fn Help(HelpProps { close }: &HelpProps) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
                // It can't be open yet: it was just made.
                dialog.show_modal().ok();
            }
        });
    }
    let onclose = close.reform(|_: Event| ());
    let onclick = close.reform(|_: MouseEvent| ());
    let rows = |rows: &'static [(&'static str, &'static str)]| {
        rows.iter().map(|(keys, what)| html! { <><dt>{ *keys }</dt><dd>{ *what }</dd></> }).collect::<Html>()
    };
    html! {
        <dialog ref={dialog} class="sheet help" aria-labelledby="help-title" {onclose}>
            <h2 id="help-title">{ "Keys" }</h2>
            <dl>{ rows(&KEYS) }</dl>
            <h2>{ "Gestures" }</h2>
            <dl>{ rows(&GESTURES) }</dl>
            <button type="button" class="button" {onclick}>{ "Close" }</button>
        </dialog>
    }
}
