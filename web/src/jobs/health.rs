//! What is known about a trace: what was noticed, and where its numbers come from.

use std::rc::Rc;

use cotrace_trace::{Finding, Severity, Status};
use yew::prelude::*;

use crate::actions::Actions;
use crate::format::{Quantity, UNKNOWN, percent, stretch};
use crate::icons::{Icon, icon};
use crate::messages::{ColumnInfo, Stretch, TraceInfo};
use crate::state::{Place, State};

#[derive(Clone, PartialEq, Properties)]
pub(super) struct HealthProps {
    pub(super) state: UseReducerHandle<State>,
    pub(super) trace: Rc<TraceInfo>,
    pub(super) place: Place,
    /// Shows a stretch on the trace's plot.
    pub(super) show: Callback<Stretch>,
}

/// The verdict in a line; all findings and the provenance on demand.
#[component]
pub(super) fn HealthPanel(HealthProps { state, trace, place, show }: &HealthProps) -> Html {
    let place = *place;
    let Some(actions) = use_context::<Actions>() else {
        return html! {};
    };
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
    let slot = state.slot(place);
    let trim = health.suggestion.as_ref().zip(slot.whole()).map(|(busy, whole)| {
        let reason = busy.reason.clone();
        let busy = Stretch { from_seconds: busy.from_seconds, to_seconds: busy.to_seconds };
        // The time of the whole, of which the trace may be a part already.
        let busy = busy.later(slot.cut.as_ref().map_or(0.0, |cut| cut.stretch.from_seconds));
        let handle = whole.handle;
        let onclick = move |_| actions.cut(place, handle, busy);
        let text = format!("Use {} only", stretch(busy));
        let why = format!("The job seems to run from {}: {reason}.", stretch(busy));
        html! {
            <div class="trim">
                <p class="note">{ why }</p>
                <button type="button" class="button" {onclick}>{ text }</button>
            </div>
        }
    });
    html! {
        <div class="about" data-health={place.letter()}>
            { trim }
            <details>
                <summary class={class}>{ icon(drawing) }<span>{ verdict }</span></summary>
                if health.findings.is_empty() {
                    <p class="muted">{ "Even samples, no gaps, all values plausible." }</p>
                } else {
                    <ul class="findings">{ for health.findings.iter().map(|item| finding(item, show)) }</ul>
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

fn finding(finding: &Finding, show: &Callback<Stretch>) -> Html {
    let (drawing, class) = match finding.severity {
        Severity::Info => (None, "noted"),
        Severity::Warning => (Some(Icon::Warning), "warned"),
        Severity::Unusable => (Some(Icon::Stop), "wrong"),
    };
    let place = finding.place.as_ref().map(|place| {
        let at = Stretch { from_seconds: place.from_seconds, to_seconds: place.to_seconds };
        let onclick = show.reform(move |_: MouseEvent| at);
        html! { <button type="button" class="link" {onclick}>{ format!("Show {}", stretch(at)) }</button> }
    });
    html! {
        <li {class}>
            if let Some(drawing) = drawing { { icon(drawing) } }
            <span>
                { &finding.message }
                if !finding.hint.is_empty() { <span class="muted">{ format!(" {}", finding.hint) }</span> }
                if let Some(place) = place { { " " }{ place } }
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
