//! A model that is there, taught by a handful of co-runs.

#[path = "../../evaluate/tests/made/mod.rs"]
mod made;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use cotrace_forecast::Bands;
use cotrace_model::cotrace::{CotraceNetConfig, Experience, KIND, Kernel, Seen};
use cotrace_model::resourcenet::ResourceNetConfig;
use cotrace_model::{DistanceReference, Forecaster, Header, ModelFile, Network, default_device};
use cotrace_train::{TuneOptions, Unusable, tune};

/// A network that nothing was learned by, with experience of a job unlike all others.
fn model() -> ModelFile {
    let device = default_device();
    device.seed(1);
    let network = Network::Cotrace(CotraceNetConfig::new().init(&device));
    let kernel = Kernel {
        common: 0.02,
        job: 0.1,
        others: 0.05,
        length: 0.4,
        pair: 0.15,
        pair_length: 0.4,
        noise: 0.03,
    };
    let experience = Experience {
        kinds: vec![vec![Some(1.5); KIND]],
        spreads: vec![0.2; KIND],
        seen: vec![Seen { job: 0, others: 0, error: 0.5, weight: 1.0 }],
        kernel,
    };
    let header = Header {
        name: network.name().to_owned(),
        version: "7".to_owned(),
        hidden: network.hidden(),
        scales: BTreeMap::new(),
        bands: Bands::default(),
        distance: DistanceReference::default(),
        experience: Some(experience),
        card: serde_json::Value::Null,
    };
    ModelFile { header, network }
}

fn taught(data: &Path, out: &Path, model: ModelFile) -> anyhow::Result<cotrace_train::Tuned> {
    let options = TuneOptions { data: data.to_owned(), out: out.to_owned() };
    tune(model, &options, &AtomicBool::new(false), &|_, _| ())
}

#[test]
fn co_runs_of_ones_own_teach_and_it_says_whether_that_helped() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("data"), folder.path().join("out"));
    made::write(&data);
    let tuned = taught(&data, &out, model()).unwrap();
    assert!(tuned.pairs >= 15 && tuned.coruns > tuned.pairs, "{tuned:?}");
    assert!(tuned.after_points < 0.8 * tuned.before_points, "{tuned:?}");
    assert!(tuned.helped() && tuned.card.contains("It helped"), "{}", tuned.card);
    let bytes = std::fs::read(out.join("cotrace.cotrace")).unwrap();
    let forecaster = Forecaster::from_bytes(&bytes).expect("a model");
    assert_eq!(forecaster.model().version, "7+made-up");
    assert_eq!(std::fs::read_to_string(out.join("README.md")).unwrap(), tuned.card);
}

#[test]
fn what_can_not_be_taught_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("data"), folder.path().join("out"));
    made::write(&data);
    let mut published = model();
    published.network = Network::ResourceNet(ResourceNetConfig::new().with_hidden(4).init(&default_device()));
    published.header.name = "resourcenet".to_owned();
    let refused = taught(&data, &out, published).unwrap_err();
    assert!(refused.is::<Unusable>() && refused.to_string().contains("resourcenet"), "{refused}");
    let manifest = data.join("manifest.json");
    let mut few: serde_json::Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    let runs = few["runs"].as_array_mut().unwrap();
    runs.retain(|run| run["kind"] == "solo");
    std::fs::write(&manifest, few.to_string()).unwrap();
    let refused = taught(&data, &out, model()).unwrap_err();
    assert!(refused.is::<Unusable>() && refused.to_string().contains("0 measured pairs"), "{refused}");
    assert!(!out.exists(), "nothing was written");
}
