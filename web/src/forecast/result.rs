//! Below the answer: when the jobs run, what the node does, and why.

use std::rc::Rc;

use cotrace_forecast::JobForecast;
use yew::prelude::*;

use super::check::Check;
use super::strip::StripView;
use super::why::{ModelPanel, Why};
use crate::app::Shown;
use crate::charts::layers::{Chart, charts};
use crate::charts::{ChartView, show_all};
use crate::figures::job_colour;
use crate::state::Place;

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
    let named = |job: &JobForecast| {
        let trace = Place::named(&job.name).and_then(|place| state.slot(place).trace.clone());
        (
            job_colour(&job.name),
            format!("{}, {}", job.name, trace.map(|trace| trace.name.clone()).unwrap_or_default()),
        )
    };
    let names: Vec<(usize, String)> = forecast.jobs.iter().map(named).collect();
    let (quiet, busy): (Vec<Rc<Chart>>, Vec<Rc<Chart>>) =
        drawn.iter().map(Rc::clone).partition(|chart| chart.quiet && chart.key != "cpu_cores");
    let quiet_names: Vec<&str> = quiet.iter().map(|chart| chart.title).collect();
    html! {
        <section class="result" aria-label="Forecast in detail" aria-busy={state.is_working().to_string()}>
            <StripView state={state.clone()} forecast={Rc::clone(&forecast)} truth={truth.clone()} />
            { legend(&names, &drawn) }
            <p class="zoomed" hidden=true>
                { "Only a part of the time is on show. " }
                <button type="button" class="button" onclick={|_| show_all()}>{ "All of it" }</button>
            </p>
            <p id="chart-live" class="visually-hidden" aria-live="polite"></p>
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
                <Why forecast={Rc::clone(&forecast)} />
                <Check state={state.clone()} />
                <ModelPanel forecast={Rc::clone(&forecast)} />
            </div>
        </section>
    }
}

/// What the colours and lines mean, in words, once for all charts.
fn legend(names: &[(usize, String)], charts: &[Rc<Chart>]) -> Html {
    let has = |part: fn(&Chart) -> bool| charts.iter().any(|chart| part(chart));
    let jobs = names.iter().map(|(colour, name)| (true, format!("area job-{colour}"), name.clone()));
    let rest = [
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
        (has(|chart| !chart.short.is_empty()), "area short", "shaded: the resource is short".to_owned()),
    ];
    let entries = jobs.chain(rest.into_iter().map(|(shown, class, text)| (shown, class.to_owned(), text)));
    html! {
        <ul class="legend" aria-label="Legend">
            { for entries.filter(|(shown, ..)| *shown).map(|(_, class, text)| html! {
                <li title={text.clone()}>
                    <span class={format!("swatch {class}")} aria-hidden="true"></span><span>{ text }</span>
                </li>
            }) }
        </ul>
    }
}
