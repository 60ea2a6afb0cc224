//! The model file and the forecaster, on a network with random weights: what must hold whatever was learned.

use std::collections::BTreeMap;

use burn::module::Param;
use burn::tensor::{Device, Tensor};
use cotrace_forecast::{Bands, Forecast, MODELLED, Verdict};
use cotrace_model::cotrace::{CotraceNet, CotraceNetConfig};
use cotrace_model::features::Scales;
use cotrace_model::resourcenet::ResourceNetConfig;
use cotrace_model::{
    DistanceReference, ForecastError, Forecaster, Header, Job, ModelError, ModelFile, Network, Options,
};
use cotrace_trace::{Capacity, Column, Metric, Trace};

/// What a file is called here, its bytes, and what must be said of it.
type BadFile<'a> = (&'a str, &'a [u8], fn(&ModelError) -> bool);

fn model(seed: u64) -> ModelFile {
    let device = Device::flex();
    device.seed(seed);
    let network = ResourceNetConfig::new().with_hidden(12).init(&device);
    let scales: Scales = MODELLED.into_iter().map(|metric| (metric, 0.5)).collect();
    let bands = Bands {
        metrics: BTreeMap::from([(Metric::CpuCores, 0.1)]),
        slowdown_ratio: Some(1.2),
        slowdown: None,
        distance: None,
    };
    let header = Header {
        name: "resourcenet".to_owned(),
        version: "test".to_owned(),
        hidden: 12,
        scales,
        bands,
        distance: DistanceReference::default(),
        experience: None,
        card: serde_json::json!({ "title": "for tests" }),
    };
    ModelFile { header, network: Network::ResourceNet(network) }
}

fn trace(seconds: usize, cores: f64) -> Trace {
    let wave = |k: usize, mean: f64| mean * (1.0 + 0.3 * (k as f64 * 0.7).sin());
    let series = |mean: f64| (0..seconds).map(|k| wave(k, mean)).collect::<Vec<f64>>();
    Trace {
        capacity: Capacity {
            cores: Some(4.0),
            memory_bytes: Some(16e9),
            disk_bytes_per_second: Some(500e6),
            network_bytes_per_second: None,
        },
        time_seconds: (1..=seconds).map(|k| k as f64).collect(),
        columns: BTreeMap::from([
            (Column::node(Metric::CpuCores), series(cores)),
            (Column::node(Metric::MemoryBytes), series(2e9)),
            (Column::node(Metric::DiskReadBytesPerSecond), series(20e6)),
        ]),
        ..Trace::default()
    }
}

fn forecast(forecaster: &Forecaster, a: &Trace, b: &Trace, offset_seconds: f64) -> Forecast {
    let jobs = [
        Job { name: "a".to_owned(), trace: a, offset_seconds: 0.0 },
        Job { name: "b".to_owned(), trace: b, offset_seconds },
    ];
    forecaster.forecast(&jobs, &Options::default()).expect("two good traces")
}

#[test]
fn a_model_file_gives_the_same_forecast_again() {
    let device = Device::flex();
    let ours =
        ModelFile::from_bytes(&pointers(CotraceNetConfig::new().with_hidden(6).init(&device), 6), &device);
    for file in [model(1), ours.expect("a model")] {
        let name = file.header.name.clone();
        let before =
            Forecaster::from_parts(file.header.clone(), file.network.clone(), &device).expect("a model");
        let bytes = file.to_bytes().expect("it can be written");
        let after = Forecaster::from_bytes(&bytes).expect("it can be read");
        let (a, b) = (trace(40, 1.5), trace(30, 2.5));
        let [before, after] = [before, after].map(|forecaster| forecast(&forecaster, &a, &b, 3.0));
        // Weights are rounded to 16 bits once.
        for (metric, before) in &before.metrics {
            let capacity = before.capacity.expect("it is known");
            let pairs = before.total.iter().zip(&after.metrics[metric].total);
            let off: Vec<f64> = pairs.map(|(a, b)| (a - b).abs() / capacity).collect();
            let mean = off.iter().sum::<f64>() / off.len() as f64;
            assert!(mean < 1e-3, "{name}, {}: off by {mean} of capacity", metric.title());
        }
        let again = ModelFile::from_bytes(&bytes, &device).expect("a model").to_bytes().expect("a file");
        let again = Forecaster::from_bytes(&again).expect("a model");
        assert_eq!(after, forecast(&again, &a, &b, 3.0), "{name}");
    }
    let card = Forecaster::from_bytes(&model(1).to_bytes().expect("a file")).expect("a model");
    assert_eq!(card.card()["title"], "for tests");
}

#[test]
fn files_that_are_no_model_say_so() {
    let good = model(1).to_bytes().expect("it can be written");
    let device = Device::flex();
    let read = |bytes: &[u8]| ModelFile::from_bytes(bytes, &device).map(|_| ());
    assert!(read(&good).is_ok());
    let header_length = u32::from_le_bytes(good[8..12].try_into().expect("four bytes")) as usize;
    let mut other_name = good.clone();
    let at = 12 + good[12..].windows(11).position(|w| w == b"resourcenet").expect("the name");
    other_name[at..at + 11].copy_from_slice(b"transformer");
    let mut broken_header = good.clone();
    broken_header[12] = b'!';
    let cases: [BadFile<'_>; 8] = [
        ("empty", b"", |e| matches!(e, ModelError::NotAModel { .. })),
        ("a csv", b"time_seconds,cpu_cores\n", |e| matches!(e, ModelError::NotAModel { .. })),
        ("cut in the length", &good[..10], |e| matches!(e, ModelError::CutOff { .. })),
        ("cut in the header", &good[..40], |e| matches!(e, ModelError::CutOff { .. })),
        ("cut in the weights", &good[..good.len() - 200], |e| matches!(e, ModelError::Weights(_))),
        ("no weights", &good[..12 + header_length], |e| matches!(e, ModelError::Weights(_))),
        ("broken header", &broken_header, |e| matches!(e, ModelError::Header(_))),
        ("another network", &other_name, |e| matches!(e, ModelError::UnknownNetwork { .. })),
    ];
    let mut wrong = Vec::new();
    for (name, bytes, expected) in cases {
        match read(bytes) {
            Err(error) if expected(&error) => {}
            other => wrong.push(format!("{name}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_forecast_ends_and_adds_up() {
    let mut wrong = Vec::new();
    for seed in 1..6 {
        let file = model(seed);
        let forecaster = Forecaster::from_parts(file.header, file.network, &Device::flex()).expect("a model");
        for (a, b, offset) in [
            (trace(40, 1.5), trace(30, 2.5), 0.0),
            (trace(5, 3.9), trace(300, 0.1), 0.0),
            (trace(60, 2.0), trace(60, 2.0), 45.5),
            (trace(20, 1.0), trace(20, 1.0), 100.0),
        ] {
            let f = forecast(&forecaster, &a, &b, offset);
            let mut must = |what: &str, holds: bool| {
                if !holds {
                    wrong.push(format!("seed {seed}, offset {offset}: {what}"));
                }
            };
            must("b starts at its offset", f.jobs[1].offset_seconds == offset);
            must("jobs end after they start", f.jobs.iter().all(|job| job.slowdown > 0.5));
            must("no job is slower than the slowest rate", f.jobs.iter().all(|job| job.slowdown <= 10.01));
            must(
                "makespan is the last end",
                f.makespan_seconds == f.jobs[0].finish_seconds.max(f.jobs[1].finish_seconds),
            );
            for (metric, series) in &f.metrics {
                let n = f.time_seconds.len();
                must(
                    "series have one length",
                    [&series.total, &series.lower, &series.upper, &series.naive_sum]
                        .iter()
                        .all(|values| values.len() == n),
                );
                for k in 0..n {
                    let sum: f64 = series.jobs.iter().map(|job| job.contribution[k]).sum();
                    let gap = (series.background + sum - series.total[k]).abs();
                    must(
                        &format!("{} contributions add up at {k}: off by {gap}", metric.name()),
                        gap <= 1e-9 * series.total[k].max(1.0),
                    );
                    must(
                        &format!("{} has a negative share at {k}", metric.name()),
                        series.jobs.iter().all(|job| job.contribution[k] >= 0.0),
                    );
                    must(
                        &format!("{} lies in its band at {k}", metric.name()),
                        series.lower[k] <= series.total[k] && series.total[k] <= series.upper[k],
                    );
                }
            }
            let cpu = &f.metrics[&Metric::CpuCores];
            must("CPU stays within the node", cpu.total.iter().all(|cores| (0.0..=4.0).contains(cores)));
            must(
                "a metric that no trace has is not there",
                !f.metrics.contains_key(&Metric::LoopbackBytesPerSecond),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_batch_says_what_its_scenes_say_alone() {
    let file = model(3);
    let forecaster = Forecaster::from_parts(file.header, file.network, &Device::flex()).expect("a model");
    let traces = [trace(40, 1.5), trace(30, 2.5), trace(12, 0.4)];
    let scene = |a: usize, b: usize, offset_seconds: f64| {
        let input = |name: &str, at: usize, offset_seconds| cotrace_forecast::SoloInput {
            name: name.to_owned(),
            trace: &traces[at],
            offset_seconds,
        };
        cotrace_forecast::Scene::new(
            &[input("a", a, 0.0), input("b", b, offset_seconds)],
            Capacity::default(),
            128,
        )
        .expect("two good traces")
    };
    let scenes = [scene(0, 1, 0.0), scene(1, 2, 5.0), scene(2, 2, 0.0)];
    let together = forecaster.run(&scenes.iter().collect::<Vec<_>>());
    for (at, scene) in scenes.iter().enumerate() {
        let alone = forecaster.run(&[scene]).remove(0).outcome;
        let batched = &together[at].outcome;
        for (a, b) in alone.finish_seconds.iter().zip(&batched.finish_seconds) {
            assert!((a - b).abs() < 1e-3, "scene {at}: ends at {a} alone, {b} in a batch");
        }
        for (metric, values) in &alone.totals {
            for (k, (a, b)) in values.iter().zip(&batched.totals[metric]).enumerate() {
                assert!(
                    (a - b).abs() <= 1e-4 * a.abs().max(1.0),
                    "scene {at}, {} at {k}: {a}, {b}",
                    metric.name()
                );
            }
        }
    }
}

#[test]
fn other_than_two_jobs_is_refused() {
    let file = model(1);
    let forecaster = Forecaster::from_parts(file.header, file.network, &Device::flex()).expect("a model");
    let a = trace(10, 1.0);
    let job = Job { name: "a".to_owned(), trace: &a, offset_seconds: 0.0 };
    for given in [0, 1, 3] {
        let jobs = vec![job.clone(); given];
        assert_eq!(forecaster.forecast(&jobs, &Options::default()), Err(ForecastError::TwoJobs { given }));
    }
}

#[test]
fn jobs_unlike_any_other_are_far() {
    let scene = |cores| {
        let trace = trace(30, cores);
        let input = |name: &str| cotrace_forecast::SoloInput {
            name: name.to_owned(),
            trace: &trace,
            offset_seconds: 0.0,
        };
        cotrace_forecast::Scene::new(&[input(&format!("job-{cores}"))], Capacity::default(), 64)
            .expect("good")
    };
    let known = [scene(1.0), scene(2.0), scene(3.0)];
    let reference = DistanceReference::new(&known);
    assert_eq!(reference.score(&scene(2.1), None).verdict, Verdict::Near);
    assert_eq!(reference.score(&scene(0.01), None).verdict, Verdict::Far);
}

#[test]
fn one_metric_out_of_range_is_far_and_named() {
    let with_disk = |cores: f64, bytes_per_second: f64| {
        let mut trace = trace(30, cores);
        let disk = Column::node(Metric::DiskReadBytesPerSecond);
        trace.columns.insert(disk, vec![bytes_per_second; 30]);
        let input =
            cotrace_forecast::SoloInput { name: format!("job-{cores}"), trace: &trace, offset_seconds: 0.0 };
        cotrace_forecast::Scene::new(&[input], Capacity::default(), 64).expect("good")
    };
    let known = [with_disk(1.0, 10e6), with_disk(2.0, 20e6), with_disk(3.0, 15e6)];
    let reference = DistanceReference::new(&known);
    assert_eq!(reference.unfamiliar(&with_disk(2.1, 25e6)), []);
    let far = with_disk(2.1, 450e6);
    assert_eq!(reference.unfamiliar(&far), [Metric::DiskReadBytesPerSecond]);
    assert_eq!(reference.score(&far, None).verdict, Verdict::Far);
}

/// Our own network in a file that says what is given.
fn pointers(network: CotraceNet, hidden: usize) -> Vec<u8> {
    let header = Header {
        name: "cotrace".to_owned(),
        version: "test".to_owned(),
        hidden,
        scales: Scales::default(),
        bands: Bands::default(),
        distance: DistanceReference::default(),
        experience: None,
        card: serde_json::Value::Null,
    };
    ModelFile { header, network: Network::Cotrace(network) }.to_bytes().expect("it can be written")
}

type Damage = fn(&mut CotraceNet, Param<Tensor<1>>);

#[test]
fn damaged_weights_of_our_network_are_not_believed() {
    let device = Device::flex();
    let network = || CotraceNetConfig::new().with_hidden(6).init(&device);
    let (a, b) = (trace(30, 2.0), trace(20, 3.0));
    let jobs = [
        Job { name: "a".to_owned(), trace: &a, offset_seconds: 0.0 },
        Job { name: "b".to_owned(), trace: &b, offset_seconds: 0.0 },
    ];
    let good = Forecaster::from_bytes(&pointers(network(), 6)).expect("a model");
    assert!(good.forecast(&jobs, &Options::default()).is_ok());
    let other = ModelFile::from_bytes(&pointers(network(), 7), &device).map(|_| ());
    assert!(matches!(other, Err(ModelError::Weights(_))), "weights of another size: {other:?}");
    let nothing = |count| Param::from_tensor(Tensor::<1>::full([count], f32::NAN, &device));
    let broken: [(&str, usize, Damage); 2] = [
        ("terms", 7, |network, nothing| network.terms = nothing),
        ("exponents", 9, |network, nothing| network.exponents = nothing),
    ];
    for (what, count, damage) in broken {
        let mut network = network();
        damage(&mut network, nothing(count));
        let forecaster = Forecaster::from_bytes(&pointers(network, 6)).expect("its shapes are right");
        let said = forecaster.forecast(&jobs, &Options::default()).map(|_| ());
        assert_eq!(said, Err(ForecastError::NotANumber), "{what}");
    }
    let mut short = network();
    short.exponents = Param::from_tensor(Tensor::<1>::zeros([4], &device));
    let short = ModelFile::from_bytes(&pointers(short, 6), &device).map(|_| ());
    assert!(matches!(short, Err(ModelError::Weights(_))), "too few exponents: {short:?}");
}
