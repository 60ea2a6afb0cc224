//! Small drawings. They never stand alone: words say the same.

use yew::prelude::*;

/// What is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Icon {
    Check,
    Warning,
    Stop,
    Cross,
    Swap,
    Sun,
    Moon,
    Half,
    Undo,
    Redo,
    Link,
    Mute,
    Copy,
}

/// The drawing, in the colour and size of the text around it.
pub(crate) fn icon(icon: Icon) -> Html {
    let path = match icon {
        Icon::Check => "M3 8.5l3.2 3.2L13 4.8",
        Icon::Warning => "M8 2.2L14.6 13.6H1.4L8 2.2M8 6.4v3.4M8 11.4v.4",
        Icon::Stop => "M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3zM8 4.8v3.8M8 10.8v.4",
        Icon::Cross => "M4 4l8 8M12 4l-8 8",
        Icon::Swap => "M5 2.5v10.2M2.6 10.4L5 12.8l2.4-2.4M11 13.5V3.3M8.6 5.6L11 3.2l2.4 2.4",
        Icon::Sun => {
            "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M13 3l-1.2 1.2M4.2 11.8L3 13"
        }
        Icon::Moon => "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8 5.6 5.6 0 1 0 13.2 9.6",
        Icon::Undo => "M6 3L3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6",
        Icon::Redo => "M10 3l3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H10",
        Icon::Link => {
            "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.8-.8"
        }
        Icon::Mute => "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M4 4l8 8",
        Icon::Copy => "M5.5 5.5h7.3v7.3H5.5zM10.5 3.2H3.2v7.3",
        Icon::Half => "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zV13.8M8 5.6l3 0M8 8h4.6M8 10.4h3.6",
    };
    html! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
            <path d={path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
        </svg>
    }
}
