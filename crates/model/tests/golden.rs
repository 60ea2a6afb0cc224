//! The shipped models' forecasts of measured traces, held to the values kept in `tests/golden`.

include!("../../../tests/golden/cases.rs");

#[test]
fn native_forecasts_are_the_ones_kept() {
    if std::env::var_os("COTRACE_BLESS").is_some() {
        for case in &CASES {
            let path = format!("{}/../../tests/golden/{}.json", env!("CARGO_MANIFEST_DIR"), case.name);
            let forecast = forecast(case).expect("a forecast");
            std::fs::write(path, serde_json::to_vec(&forecast).expect("JSON")).expect("written");
        }
        return;
    }
    assert_kept(forecast);
}

/// burn-ndarray is kept working beside burn-flex.
#[cfg(feature = "ndarray")]
#[test]
fn ndarray_forecasts_are_the_ones_kept() {
    assert_kept(|case| {
        let device = burn::tensor::Device::ndarray();
        let forecaster = cotrace_model::Forecaster::on_device(case.model, &device);
        forecast_by(&forecaster.map_err(|error| error.to_string())?, case)
    });
}

fn assert_kept(forecast: impl Fn(&Case) -> Result<cotrace_forecast::Forecast, String>) {
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
