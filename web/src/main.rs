//! The page's entry.

/// The element that the page is drawn into, in place of what `index.html` shows until then.
const ROOT: &str = "app";

fn main() {
    let root = gloo::utils::document().get_element_by_id(ROOT);
    let root = root.unwrap_or_else(|| gloo::utils::body().into());
    yew::Renderer::<cotrace_web::app::App>::with_root(root).render();
}
