//! When the jobs run: alone in grey, together in the job's colour.

use std::rc::Rc;

use cotrace_forecast::Forecast;
use yew::prelude::*;

use crate::figures::{Stretch, StripRow, strip, the};
use crate::state::{Truth, letter};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct StripProps {
    pub(super) forecast: Rc<Forecast>,
    pub(super) truth: Option<Rc<Truth>>,
}

/// The strip. Its time axis is the charts' too.
#[component]
pub(super) fn StripView(StripProps { forecast, truth }: &StripProps) -> Html {
    let strip = strip(forecast, truth.as_deref());
    html! {
        <section class="card strip" aria-labelledby="strip-title">
            <div class="strip-head">
                <h2 id="strip-title">{ "When" }</h2>
                <p class="muted">
                    { "Grey: alone. Colour: together, dotted below where a resource is short." }
                    if truth.is_some() { { " Dot: the measured end." } }
                </p>
            </div>
            <div class="strip-rows">
                { for strip.rows.iter().enumerate().map(|(index, row)| strip_row(index, row)) }
                <div class="strip-axis" aria-hidden="true">
                    { for strip.ticks.iter().map(|(at, text)| html! {
                        <span class="tick" style={left(*at)}>{ text }</span>
                    }) }
                </div>
                <div class="strip-cursor" aria-hidden="true"></div>
            </div>
        </section>
    }
}

fn strip_row(index: usize, row: &StripRow) -> Html {
    let bar = |class: &str, stretch: Stretch, text: &str| {
        html! { <div class={format!("bar {class}")} style={span(stretch)}><span>{ text.to_owned() }</span></div> }
    };
    html! {
        <div class="strip-row">
            <span class={classes!("badge", "small", format!("job-{index}"))} aria-hidden="true">{ letter(index) }</span>
            <p class="visually-hidden">{ &row.text }</p>
            <div class="strip-lane" aria-hidden="true">
                { bar("alone", row.alone, &row.alone_text) }
                { bar(&format!("together job-{index}"), row.together, &row.together_text) }
                { for row.limits.iter().map(|(stretch, resource)| html! {
                    <div class="limit" style={span(*stretch)} title={format!("held back by {}", the(*resource))}></div>
                }) }
                if let Some(at) = row.measured_end {
                    <div class="measured-end" style={left(at)} title="measured end"></div>
                }
            </div>
        </div>
    }
}

fn left(at: f64) -> String {
    format!("left:{:.3}%", at * 100.0)
}

fn span(stretch: Stretch) -> String {
    format!("left:{:.3}%;width:{:.3}%", stretch.from * 100.0, (stretch.to - stretch.from) * 100.0)
}
