//! Charts of the node's resources. [`layers`] says what is drawn; `web/js/charts.js` draws it with uPlot.

pub mod layers;

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::Element;
use yew::prelude::*;

use crate::worker::plain;
use layers::Chart;

#[wasm_bindgen(raw_module = "./charts.js")]
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
            <div ref={host} class="chart-host" role="img" aria-label={chart.text.clone()}></div>
        </figure>
    }
}
