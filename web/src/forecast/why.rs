//! Why: what each job loses its time to, and how far the jobs are from what the model knows.

use std::rc::Rc;

use cotrace_forecast::{Forecast, Verdict};
use yew::prelude::*;

use crate::figures::{Loss, job_colour, losses, off_by, reasons, verdict_text};
use crate::format::{digits, duration};

/// Up to this score the model knows jobs like these, and beyond the other it doesn't: as in `cotrace-model`.
const NEAR: f64 = 1.4;
const FAR: f64 = 2.0;

/// The end of the picture's scale.
const MOST: f64 = 4.0;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct WhyProps {
    pub(super) forecast: Rc<Forecast>,
}

/// The reasons.
#[component]
pub(super) fn Why(WhyProps { forecast }: &WhyProps) -> Html {
    let losses = losses(forecast);
    let stretches = reasons(forecast);
    html! {
        <section class="card why" aria-labelledby="why-title">
            <h2 id="why-title">{ "Why" }</h2>
            { for losses.iter().map(|(job, losses)| {
                let more = job.finish_seconds - job.offset_seconds - job.solo_seconds;
                html! {
                    <div class="loss" data-loss={job.name.clone()}>
                        <p>
                            <span class={classes!("badge", "small", format!("job-{}", job_colour(&job.name)))} aria-hidden="true">{ &job.name }</span>
                            { if more >= 0.05 {
                                format!("{} takes {} longer than alone. It loses", job.name, duration(more))
                            } else {
                                format!("{} is as fast as alone.", job.name)
                            } }
                        </p>
                        if more >= 0.05 { <ul>{ for losses.iter().map(|loss| bar(loss, job_colour(&job.name))) }</ul> }
                    </div>
                }
            }) }
            if stretches.is_empty() && losses.is_empty() {
                <p class="muted">{ "No resource runs short for long." }</p>
            } else {
                <ul class="reasons">{ for stretches.into_iter().map(|(_, reason)| html! { <li>{ reason }</li> }) }</ul>
            }
        </section>
    }
}

fn bar(loss: &Loss, colour: usize) -> Html {
    let text = if loss.seconds >= 0.0 {
        format!("{} to {}", duration(loss.seconds), loss.cause)
    } else {
        format!("less {} by {}", duration(-loss.seconds), loss.cause)
    };
    let class = classes!("loss-bar", format!("job-{colour}"), (loss.seconds < 0.0).then_some("gain"));
    html! {
        <li>
            <span {class} style={format!("width:{:.1}%", loss.share * 100.0)} aria-hidden="true"></span>
            <span>{ text }</span>
        </li>
    }
}

/// Which model it is, how far off it was, and how far these jobs are from what it knows.
#[component]
pub(super) fn ModelPanel(WhyProps { forecast }: &WhyProps) -> Html {
    let model = format!("{} {}", forecast.model.name, forecast.model.version);
    let score = forecast.distance.score;
    let verdict = match forecast.distance.verdict {
        Verdict::Near => "near",
        Verdict::Edge => "edge",
        Verdict::Far => "far",
    };
    let at = |score: f64| format!("{:.1}%", (score / MOST).clamp(0.0, 1.0) * 100.0);
    html! {
        <section class="card about-model" aria-labelledby="model-title">
            <h2 id="model-title">{ "Made by" }</h2>
            <p data-model={forecast.model.name.clone()}>{ model }</p>
            if let Some(points) = forecast.model.unseen_jobs_slowdown_points {
                <p class="muted">{ off_by(points) }</p>
            }
            <p data-distance={verdict}>{ verdict_text(forecast.distance.verdict) }</p>
            <div class="scale" aria-hidden="true">
                <span class="zone near" style={format!("width:{}", at(NEAR))}>{ "near" }</span>
                <span class="zone edge" style={format!("width:{}", at(FAR - NEAR))}>{ "edge" }</span>
                <span class="zone far" style={format!("width:{}", at(MOST - FAR))}>{ "far" }</span>
                <span class="here" style={format!("left:{}", at(score))}></span>
            </div>
            <p class="muted">
                { format!("Distance {}: 1 is usual for two measured jobs; at 2, errors were twice as large.", digits(score)) }
            </p>
        </section>
    }
}
