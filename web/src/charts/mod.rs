//! Charts: of the node's resources in a forecast, and of one trace. [`layers`] and [`solo`] say what is drawn;
//! `web/js` draws it with uPlot.

pub mod layers;
pub mod solo;
mod values;

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::Element;
use yew::prelude::*;

use crate::messages::Stretch;
use crate::worker::plain;
use layers::Chart;
use solo::SoloPlot;
use values::Values;

#[wasm_bindgen(raw_module = "./page.js")]
extern "C" {
    /// Draws `chart` into `host`; what comes back is a handle for the other two.
    #[wasm_bindgen(js_name = createChart)]
    fn create_chart(host: &Element, chart: &JsValue) -> JsValue;
    /// Draws other data in the same place.
    #[wasm_bindgen(js_name = updateChart)]
    fn update_chart(handle: &JsValue, chart: &JsValue);
    /// Takes the drawing and its listeners away.
    #[wasm_bindgen(js_name = destroyChart)]
    fn destroy_chart(handle: &JsValue);
    /// Shows the whole time on all charts again.
    #[wasm_bindgen(js_name = showAll)]
    pub(crate) fn show_all();

    /// Draws a trace into `host`; `on_select` is told each stretch that is chosen by dragging: from and to, or nothing.
    #[wasm_bindgen(js_name = createSolo)]
    fn create_solo(
        host: &Element,
        plot: &JsValue,
        on_select: &Closure<dyn FnMut(JsValue, JsValue)>,
    ) -> JsValue;
    /// Draws other data in the same place.
    #[wasm_bindgen(js_name = updateSolo)]
    fn update_solo(handle: &JsValue, plot: &JsValue);
    /// Takes the drawing and its listeners away.
    #[wasm_bindgen(js_name = destroySolo)]
    fn destroy_solo(handle: &JsValue);
}

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct ChartProps {
    pub(crate) chart: Rc<Chart>,
}

/// A chart with its title.
#[component]
pub(crate) fn ChartView(ChartProps { chart }: &ChartProps) -> Html {
    let host = use_node_ref();
    let handle = use_mut_ref(|| JsValue::UNDEFINED);
    {
        let (host, handle) = (host.clone(), Rc::clone(&handle));
        use_effect_with(Rc::clone(chart), move |chart| {
            let Some(host) = host.cast::<Element>() else {
                return;
            };
            let chart = plain(chart.as_ref());
            let mut handle = handle.borrow_mut();
            if handle.is_undefined() {
                *handle = create_chart(&host, &chart);
            } else {
                update_chart(&handle, &chart);
            }
        });
    }
    use_effect_with((), move |()| {
        move || {
            let handle = handle.replace(JsValue::UNDEFINED);
            if !handle.is_undefined() {
                destroy_chart(&handle);
            }
        }
    });
    html! {
        <figure class={classes!("card", "chart", format!("chart-{}", chart.key))} data-chart={chart.key}>
            <figcaption>
                <strong>{ chart.title }</strong>{ ", " }{ chart.unit }
                <span class="muted">{ " " }{ &chart.capacity_text }</span>
            </figcaption>
            <div ref={host} class="chart-host" role="group" tabindex="0" aria-label={chart.text.clone()}
                aria-roledescription="chart" aria-keyshortcuts="ArrowLeft ArrowRight + - 0"></div>
            <Values chart={Rc::clone(chart)} />
        </figure>
    }
}

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct SoloProps {
    pub(crate) plot: Rc<SoloPlot>,
    /// What it shows, in words.
    pub(crate) text: String,
    /// A stretch was chosen on the plot, or none any more.
    pub(crate) on_select: Callback<Option<Stretch>>,
}

/// A trace's plots, one below the other.
#[component]
pub(crate) fn SoloView(SoloProps { plot, text, on_select }: &SoloProps) -> Html {
    let host = use_node_ref();
    let handle = use_mut_ref(|| JsValue::UNDEFINED);
    // The plot keeps the function that it was made with; what that one calls may change.
    let told = use_mut_ref(|| on_select.clone());
    *told.borrow_mut() = on_select.clone();
    let closure = use_memo((), |()| {
        Closure::<dyn FnMut(JsValue, JsValue)>::new(move |from: JsValue, to: JsValue| {
            let stretch = from
                .as_f64()
                .zip(to.as_f64())
                .map(|(from_seconds, to_seconds)| Stretch { from_seconds, to_seconds });
            let told = told.borrow().clone();
            told.emit(stretch);
        })
    });
    {
        let (host, handle) = (host.clone(), Rc::clone(&handle));
        use_effect_with(Rc::clone(plot), move |solo| {
            let Some(host) = host.cast::<Element>() else {
                return;
            };
            let solo = plain(solo.as_ref());
            let mut handle = handle.borrow_mut();
            if handle.is_undefined() {
                *handle = create_solo(&host, &solo, &closure);
            } else {
                update_solo(&handle, &solo);
            }
        });
    }
    use_effect_with((), move |()| {
        move || {
            let handle = handle.replace(JsValue::UNDEFINED);
            if !handle.is_undefined() {
                destroy_solo(&handle);
            }
        }
    });
    html! { <div ref={host} class="solo-host" role="img" aria-label={text.clone()}></div> }
}
