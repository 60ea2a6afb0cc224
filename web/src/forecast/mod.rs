//! The forecast: its answer in words and figures, when the jobs run, the charts, and why.

mod answer;
mod check;
mod problem;
mod result;
mod strip;
mod why;

pub(crate) use answer::Answer;
pub(crate) use problem::ProblemBox;
pub(crate) use result::Result;

use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::actions::Actions;
use crate::state::Action;

/// Tells the state what is typed into a field.
pub(crate) fn typed(actions: &Actions, action: impl Fn(String) -> Action + 'static) -> Callback<InputEvent> {
    let actions = actions.clone();
    Callback::from(move |event: InputEvent| {
        if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) {
            actions.dispatch(action(input.value()));
        }
    })
}
