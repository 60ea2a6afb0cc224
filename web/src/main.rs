//! The page's entry.

fn main() {
    yew::Renderer::<cotrace_web::app::App>::new().render();
}
