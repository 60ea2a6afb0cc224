//! Light, dark, or as the system has it.

use gloo::storage::{LocalStorage, Storage};
use yew::prelude::*;

use crate::icons::{Icon, icon};

/// Where the choice is kept; `index.html` reads it before the first paint.
const KEY: &str = "cotrace-theme";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Theme {
    System,
    Light,
    Dark,
}

impl Theme {
    fn stored() -> Theme {
        match LocalStorage::get::<String>(KEY).as_deref() {
            Ok("light") => Theme::Light,
            Ok("dark") => Theme::Dark,
            _ => Theme::System,
        }
    }

    fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Shows and keeps it. A browser that keeps nothing still shows it.
    fn apply(self) {
        if let Some(root) = gloo::utils::document().document_element() {
            match self {
                Theme::System => root.remove_attribute("data-theme").ok(),
                _ => root.set_attribute("data-theme", self.name()).ok(),
            };
        }
        match self {
            Theme::System => LocalStorage::delete(KEY),
            _ => drop(LocalStorage::set(KEY, self.name())),
        }
    }
}

/// A button that goes round system, light and dark.
#[component]
pub(crate) fn ThemeSwitch() -> Html {
    let theme = use_state_eq(Theme::stored);
    let onclick = {
        let theme = theme.clone();
        move |_| {
            let next = theme.next();
            next.apply();
            theme.set(next);
        }
    };
    let drawing = match *theme {
        Theme::System => Icon::Half,
        Theme::Light => Icon::Sun,
        Theme::Dark => Icon::Moon,
    };
    html! {
        <button type="button" class="quiet-button theme" {onclick}
            aria-label={format!("Theme: {}. Change to {}.", theme.name(), theme.next().name())}>
            { icon(drawing) }<span>{ theme.name() }</span>
        </button>
    }
}
