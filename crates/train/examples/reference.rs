//! Writes the weights and inputs that the reference in PyTorch is given: `tests/reference/README.md` says how.
//!
//! ```text
//! cargo run -p cotrace-train --example reference -- tests/reference
//! ```

use std::path::Path;

use cotrace_forecast::{Scene, SoloInput};
use cotrace_model::default_device;
use cotrace_model::features::{METRICS, SceneFeatures};
use cotrace_model::resourcenet::{FEEDBACK, ResourceNetConfig};
use cotrace_trace::{Capacity, Column, Metric, Trace};
use cotrace_train::to_safetensors;
use serde_json::json;

/// A small network shows the same as a large one.
const HIDDEN: usize = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder to write to is missing")?;
    let folder = Path::new(&folder);
    let device = default_device();
    device.seed(7);
    let network = ResourceNetConfig::new().with_hidden(HIDDEN).init(&device);
    std::fs::write(folder.join("resourcenet.safetensors"), to_safetensors(&network)?)?;
    let scenes: Vec<SceneFeatures> = [(12, 9, 0.0), (7, 15, 3.5)]
        .into_iter()
        .map(|(a, b, offset)| features(&wavy(a, 1.0), &wavy(b, 0.6), offset))
        .collect();
    let scenes: Vec<_> = scenes
        .iter()
        .map(|scene| {
            json!({
                "encoder": scene.encoder,
                "time": scene.time,
                "step_share": scene.step_share,
                "start_steps": scene.start_steps,
            })
        })
        .collect();
    // One step of the decoder, from a feedback that a decoder could have written.
    let feedback: Vec<f32> = (0..FEEDBACK).map(|i| 0.1 * (i as f32 + 1.0) / 2.0).collect();
    let inputs = json!({ "most_steps": 60, "feedback": feedback, "scenes": scenes });
    std::fs::write(folder.join("inputs.json"), serde_json::to_string(&inputs)?)?;
    Ok(())
}

fn features(a: &Trace, b: &Trace, offset_seconds: f64) -> SceneFeatures {
    let inputs = [
        SoloInput { name: "a".to_owned(), trace: a, offset_seconds: 0.0 },
        SoloInput { name: "b".to_owned(), trace: b, offset_seconds },
    ];
    let scene = Scene::on_grid(&inputs, Capacity::default(), 1.0).expect("good traces");
    SceneFeatures::new(&scene, &std::collections::BTreeMap::new(), &[true; METRICS])
}

/// A trace that goes up and down.
fn wavy(seconds: usize, height: f64) -> Trace {
    let wave = |scale: f64| -> Vec<f64> {
        (0..seconds).map(|k| scale * height * (1.0 + (k as f64 * 0.9).sin())).collect()
    };
    Trace {
        capacity: Capacity {
            cores: Some(2.0),
            memory_bytes: Some(8e9),
            disk_bytes_per_second: Some(200e6),
            network_bytes_per_second: None,
        },
        time_seconds: (1..=seconds).map(|row| row as f64).collect(),
        columns: [
            (Metric::CpuCores, 0.8),
            (Metric::MemoryBytes, 1e9),
            (Metric::DiskReadBytesPerSecond, 50e6),
            (Metric::DiskWriteBytesPerSecond, 20e6),
        ]
        .into_iter()
        .map(|(metric, scale)| (Column::node(metric), wave(scale)))
        .collect(),
        ..Trace::default()
    }
}
