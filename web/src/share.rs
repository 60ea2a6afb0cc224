//! Scenes in addresses, files and the browser's own storage.

mod bar;
mod keeper;

pub(crate) use bar::ShareBar;
pub(crate) use keeper::{Keeper, use_keeper};

use js_sys::{Function, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::File;

use crate::messages::Problem;
use crate::scene::Scene;
use crate::worker::{plain, problem};

#[wasm_bindgen(raw_module = "./page.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    async fn pack(text: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    async fn unpack(packed: &str, most: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = beginning)]
    async fn js_beginning(file: &File, bytes: u32) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = textOf)]
    async fn text_of(file: &File) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    async fn keep(text: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    async fn kept() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    async fn forget() -> Result<JsValue, JsValue>;
    /// Gives the person a file.
    pub(crate) fn save(name: &str, media_type: &str, text: &str);
    /// Gives the person an SVG as a picture.
    #[wasm_bindgen(catch, js_name = savePng)]
    pub(crate) async fn save_png(name: &str, svg: &str, scale: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    async fn copy(text: &str) -> Result<JsValue, JsValue>;
}

/// What the fragment of an address begins with that holds a scene.
const IN_ADDRESS: &str = "#s=";

/// The fragment of an empty page.
pub(crate) const EMPTY: &str = "#new";

/// The longest scene that an address may hold, in letters.
pub(crate) const MOST_LETTERS: usize = 30_000;

/// What an address may unpack to, in bytes: a few letters can stand for any amount.
const MOST_UNPACKED: f64 = 16e6;

/// Rows of a trace in an address: as many as fit. Fewer would change what is forecast.
pub(crate) const ADDRESS_ROWS: [u32; 2] = [600, 300];

/// Rows of a trace in a file, or kept in the browser: more than any model reads.
pub(crate) const FILE_ROWS: u32 = 20_000;

/// How many bytes of a file say what it is.
const BEGINNING: u32 = 256;

/// What the page begins with.
pub enum Beginning {
    /// Something that was saved.
    Scene(Scene),
    /// Nothing.
    Empty,
    /// An example.
    Example,
}

/// What the address says, or what was kept.
///
/// # Errors
/// The address holds something, but no scene.
pub async fn at_first() -> Result<Beginning, Problem> {
    let fragment = gloo::utils::window().location().hash().unwrap_or_default();
    if fragment == EMPTY {
        return Ok(Beginning::Empty);
    }
    if let Some(scene) = in_address(&fragment).await? {
        return Ok(Beginning::Scene(scene));
    }
    // What can't be read any more is as if nothing had been kept.
    let kept = kept().await.ok().and_then(|kept| kept.as_string()).and_then(|text| parsed(&text).ok());
    Ok(kept.map_or(Beginning::Example, Beginning::Scene))
}

/// The scene in the fragment of an address. `None`: it holds none.
///
/// # Errors
/// It is damaged.
pub async fn in_address(fragment: &str) -> Result<Option<Scene>, Problem> {
    let Some(packed) = fragment.strip_prefix(IN_ADDRESS) else { return Ok(None) };
    let damaged = |why: String| Problem {
        hint: Some("Ask for the link again: a part of it is missing, or something was added.".into()),
        ..Problem::new("scene", format!("The address holds a forecast that can't be opened: {why}"))
    };
    let text = unpack(packed, MOST_UNPACKED).await.map_err(|error| damaged(problem(&error).message))?;
    let text = text.as_string().unwrap_or_default();
    parsed(&text).map(Some).map_err(damaged)
}

/// The fragment that holds a scene.
pub(crate) async fn fragment(scene: &Scene) -> Result<String, Problem> {
    let packed = pack(&json(&plain(scene))).await.map_err(|error| problem(&error))?;
    Ok(format!("{IN_ADDRESS}{}", packed.as_string().unwrap_or_default()))
}

/// The scene in a file.
///
/// # Errors
/// It is none.
pub async fn scene_in(file: &File) -> Result<Scene, Problem> {
    let of_file = |problem: Problem| Problem { file: Some(file.name().into()), ..problem };
    let text = text_of(file).await.map_err(|error| of_file(problem(&error)))?;
    parsed(&text.as_string().unwrap_or_default())
        .map_err(|why| of_file(Problem::new("scene", format!("It can't be opened: {why}"))))
}

/// The first bytes of a file; none if it can't be read, which reading it says better.
pub async fn beginning(file: &File) -> String {
    js_beginning(file, BEGINNING).await.ok().and_then(|text| text.as_string()).unwrap_or_default()
}

fn parsed(text: &str) -> Result<Scene, String> {
    let value = js_sys::JSON::parse(text).map_err(|error| problem(&error).message)?;
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}

/// A value as JSON.
pub(crate) fn json(value: &JsValue) -> String {
    js_sys::JSON::stringify(value).map(String::from).unwrap_or_default()
}

/// The page's address without its fragment.
pub(crate) fn address() -> String {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// Puts a fragment into the address bar, without a step in the browser's history.
pub(crate) fn show_fragment(fragment: &str) {
    let window = gloo::utils::window();
    let target = format!("{}{fragment}", address());
    // A page that may not change its address, for example a saved one, goes without.
    if let Ok(history) = window.history() {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&target)).ok();
    }
}

/// Whether the browser can pack text; older ones can't.
pub(crate) fn can_pack() -> bool {
    Reflect::get(&js_sys::global(), &"CompressionStream".into())
        .is_ok_and(|class| class.dyn_into::<Function>().is_ok())
}
