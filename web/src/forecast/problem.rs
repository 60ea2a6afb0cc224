//! What went wrong, beside where it went wrong.

use yew::prelude::*;

use crate::icons::{Icon, icon};
use crate::messages::Problem;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct ProblemProps {
    pub(crate) problem: Problem,
    /// What can be done about it here.
    #[prop_or_default]
    pub(crate) children: Children,
}

/// Place, what is wrong, and what to do.
#[component]
pub(crate) fn ProblemBox(ProblemProps { problem, children }: &ProblemProps) -> Html {
    let tried = &problem.details.tried;
    html! {
        <div class="problem">
            { icon(Icon::Stop) }
            <div class="problem-body">
                <div role="alert">
                    if let Some(kind) = problem.kind_text() { <p class="problem-kind">{ kind }</p> }
                    if let Some(place) = problem.place() { <p class="problem-place">{ place }</p> }
                    <p class="problem-message">{ &problem.message }</p>
                    if let Some(hint) = problem.hint.as_deref().filter(|hint| !hint.is_empty()) {
                        <p class="muted">{ hint }</p>
                    }
                </div>
                if !tried.is_empty() {
                    <details class="tried">
                        <summary>{ format!("Formats tried ({})", tried.len()) }</summary>
                        <ul>{ for tried.iter().map(|tried| html! { <li>{ tried }</li> }) }</ul>
                    </details>
                }
                { children.clone() }
            </div>
        </div>
    }
}
