//! The same forecasts as the native ones, to 1e-4, in WebAssembly in a browser.

#![cfg(target_arch = "wasm32")]

include!("../../../tests/golden/cases.rs");

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn forecasts_in_webassembly_are_the_native_ones() {
    let mut wrong = Vec::new();
    for case in &CASES {
        let kept: cotrace_forecast::Forecast = serde_json::from_slice(case.golden).expect("a kept forecast");
        match forecast(case) {
            Ok(forecast) => {
                wrong.extend(
                    differences(&forecast, &kept).into_iter().map(|text| format!("{}: {text}", case.name)),
                );
            }
            Err(error) => wrong.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
