//! What went wrong, beside where it went wrong.

use yew::prelude::*;

use crate::icons::{Icon, icon};
use crate::messages::Problem;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct ProblemProps {
    pub(crate) problem: Problem,
}

/// Place, what is wrong, and what to do.
#[component]
pub(crate) fn ProblemBox(ProblemProps { problem }: &ProblemProps) -> Html {
    html! {
        <div class="problem" role="alert">
            { icon(Icon::Stop) }
            <div>
                if let Some(place) = problem.place() { <p class="problem-place">{ place }</p> }
                <p class="problem-message">{ &problem.message }</p>
                if let Some(hint) = problem.hint.as_deref().filter(|hint| !hint.is_empty()) {
                    <p class="muted">{ hint }</p>
                }
            </div>
        </div>
    }
}
