//! The page without a network, and a newer version of it.

use js_sys::Function;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

#[wasm_bindgen(raw_module = "./page.js")]
extern "C" {
    /// Lets the browser keep the page's files; `ready` is called with a function that changes over to a newer version.
    #[wasm_bindgen(js_name = keepOffline)]
    fn keep_offline(ready: &Closure<dyn FnMut(Function)>);
}

/// Says when a newer version of the page lies ready.
#[component]
pub(crate) fn Update() -> Html {
    let change = use_state(|| None::<Function>);
    {
        let change = change.clone();
        let ready = use_memo((), |()| {
            Closure::<dyn FnMut(Function)>::new(move |function: Function| change.set(Some(function)))
        });
        use_effect_with((), move |()| keep_offline(&ready));
    }
    let Some(function) = (*change).clone() else {
        return html! {};
    };
    let onclick = move |_: MouseEvent| {
        // The page is loaded anew: there is nobody to tell.
        function.call0(&JsValue::NULL).ok();
    };
    html! {
        <p role="status">
            { "A newer version of this page is ready. " }
            <button type="button" class="link" {onclick}>{ "Load it" }</button>
        </p>
    }
}
