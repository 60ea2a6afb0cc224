//! What is known about a trace: what was noticed, and where its numbers come from.

use std::rc::Rc;

use cotrace_trace::{Finding, Severity, Status};
use yew::prelude::*;

use crate::format::{Quantity, UNKNOWN, clock, percent};
use crate::icons::{Icon, icon};
use crate::messages::{ColumnInfo, TraceInfo};
use crate::state::Place;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct HealthProps {
    pub(super) trace: Rc<TraceInfo>,
    pub(super) place: Place,
}

/// The verdict in a line; all findings and the provenance on demand.
#[component]
pub(super) fn HealthPanel(HealthProps { trace, place }: &HealthProps) -> Html {
    let health = &trace.health;
    let count =
        |severity: Severity| health.findings.iter().filter(|finding| finding.severity == severity).count();
    let (drawing, class, verdict) = match health.status {
        Status::Ok => (Icon::Check, "fine", "Health: fine".to_owned()),
        Status::Warnings => {
            (Icon::Warning, "warned", format!("Health: {}", counted(count(Severity::Warning))))
        }
        Status::Unusable => (Icon::Stop, "wrong", "Health: no forecast can be made from it".to_owned()),
    };
    html! {
        <div class="about" data-health={place.letter()}>
            <details>
                <summary class={class}>{ icon(drawing) }<span>{ verdict }</span></summary>
                if health.findings.is_empty() {
                    <p class="muted">{ "Even samples, no gaps, all values plausible." }</p>
                } else {
                    <ul class="findings">{ for health.findings.iter().map(finding) }</ul>
                }
            </details>
            <details>
                <summary>{ "Where its numbers come from" }</summary>
                <dl class="provenance">{ for trace.columns.iter().map(provenance) }</dl>
            </details>
        </div>
    }
}

fn counted(warnings: usize) -> String {
    match warnings {
        1 => "1 warning".to_owned(),
        count => format!("{count} warnings"),
    }
}

fn finding(finding: &Finding) -> Html {
    let (drawing, class) = match finding.severity {
        Severity::Info => (None, "noted"),
        Severity::Warning => (Some(Icon::Warning), "warned"),
        Severity::Unusable => (Some(Icon::Stop), "wrong"),
    };
    let place = finding.place.as_ref().map(|place| {
        let time = format!("{} to {}", clock(place.from_seconds), clock(place.to_seconds));
        place.column.as_ref().map_or_else(|| time.clone(), |column| format!("{column}, {time}"))
    });
    html! {
        <li {class}>
            if let Some(drawing) = drawing { { icon(drawing) } }
            <span>
                { &finding.message }
                if !finding.hint.is_empty() { <span class="muted">{ format!(" {}", finding.hint) }</span> }
                if let Some(place) = place { <span class="muted">{ format!(" ({place})") }</span> }
            </span>
        </li>
    }
}

fn provenance(column: &ColumnInfo) -> Html {
    let quantity = Quantity::of(column.metric);
    let known = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), |value| quantity.text(value));
    let title = match &column.job {
        None => column.metric.title().to_owned(),
        Some(job) => format!("{} of {job}", column.metric.title()),
    };
    let missing =
        (column.missing_ratio > 0.0).then(|| format!(", {} missing", percent(column.missing_ratio)));
    html! {
        <>
            <dt>{ title }</dt>
            <dd>
                { format!("mean {}, peak {}", known(column.mean), known(column.peak)) }{ missing }
                if !column.provenance.is_empty() { <span class="muted">{ format!("; {}", column.provenance) }</span> }
            </dd>
        </>
    }
}
