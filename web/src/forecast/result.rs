//! Below the answer: when the jobs run, what the node does, and why.

use std::rc::Rc;

use yew::prelude::*;

use super::strip::StripView;
use crate::app::Shown;
use crate::charts::ChartView;
use crate::charts::layers::{Chart, charts};
use crate::figures::{off_by, reasons};

/// Strip, charts and reasons; nothing before there is a forecast.
#[component]
pub(crate) fn Result(Shown { state }: &Shown) -> Html {
    let forecast = state.forecast.as_ref().map(|(_, forecast)| Rc::clone(forecast));
    let truth = state.comparable_truth().map(Rc::clone);
    let drawn = use_memo((forecast.clone(), truth.clone()), |(forecast, truth)| {
        let charts = forecast.as_ref().map(|forecast| charts(forecast, truth.as_deref())).unwrap_or_default();
        charts.into_iter().map(Rc::new).collect::<Vec<_>>()
    });
    let Some(forecast) = forecast else {
        return html! { <section class="result" /> };
    };
    let names =
        state.slots.clone().map(|slot| slot.trace.map(|trace| trace.name.clone()).unwrap_or_default());
    let (quiet, busy): (Vec<Rc<Chart>>, Vec<Rc<Chart>>) =
        drawn.iter().map(Rc::clone).partition(|chart| chart.quiet && chart.key != "cpu_cores");
    let quiet_names: Vec<&str> = quiet.iter().map(|chart| chart.title).collect();
    let model = format!("{} {}", forecast.model.name, forecast.model.version);
    let why = reasons(&forecast);
    html! {
        <section class="result" aria-label="Forecast in detail" aria-busy={state.is_working().to_string()}>
            <StripView forecast={Rc::clone(&forecast)} truth={truth.clone()} />
            { legend(&names, &drawn) }
            <div class="charts">
                { for busy.into_iter().map(|chart| html! { <ChartView key={chart.key} chart={Rc::clone(&chart)} /> }) }
            </div>
            if !quiet.is_empty() {
                <details class="quiet-charts">
                    <summary>{ format!("Hardly used: {}", quiet_names.join(", ")) }</summary>
                    <div class="charts">
                        { for quiet.into_iter().map(|chart| html! { <ChartView key={chart.key} chart={Rc::clone(&chart)} /> }) }
                    </div>
                </details>
            }
            <div class="below">
                <section class="card">
                    <h2>{ "Why" }</h2>
                    if why.is_empty() {
                        <p class="muted">{ "No resource runs short for long." }</p>
                    } else {
                        <ul class="reasons">{ for why.into_iter().map(|(_, reason)| html! { <li>{ reason }</li> }) }</ul>
                    }
                </section>
                <section class="card">
                    <h2>{ "Model" }</h2>
                    <p data-model={forecast.model.name.clone()}>{ model }</p>
                    <p class="muted">
                        { format!("Distance from what it has learned from: {} (up to 1 is near).", crate::format::digits(forecast.distance.score)) }
                    </p>
                    if let Some(points) = forecast.model.unseen_jobs_slowdown_points {
                        <p class="muted">
                            { off_by(points) }
                        </p>
                    }
                </section>
            </div>
        </section>
    }
}

/// What the colours and lines mean, in words, once for all charts.
fn legend(names: &[String; 2], charts: &[Rc<Chart>]) -> Html {
    let has = |part: fn(&Chart) -> bool| charts.iter().any(|chart| part(chart));
    let entries = [
        (true, "area job-0", format!("A, {}", names[0])),
        (true, "area job-1", format!("B, {}", names[1])),
        (
            has(|chart| chart.layers.iter().any(|layer| layer.job.is_none())),
            "area before",
            "held before any job".to_owned(),
        ),
        (true, "line total", "forecast of the node".to_owned()),
        (has(Chart::has_band), "area band", "90 % band, as wide as errors on unseen jobs".to_owned()),
        (true, "line naive", "traces added up".to_owned()),
        (has(|chart| !chart.truth.is_empty()), "line truth", "measured".to_owned()),
        (has(|chart| chart.capacity.is_some()), "line capacity", "capacity".to_owned()),
    ];
    html! {
        <ul class="legend" aria-label="Legend">
            { for entries.into_iter().filter(|(shown, ..)| *shown).map(|(_, class, text)| html! {
                <li title={text.clone()}>
                    <span class={format!("swatch {class}")} aria-hidden="true"></span><span>{ text }</span>
                </li>
            }) }
        </ul>
    }
}
