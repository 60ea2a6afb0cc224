//! The baselines on scenes whose answer is known by hand, and what every outcome must keep.

use cotrace_forecast::{Baseline, Scene, SceneError, SoloInput};
use cotrace_trace::{Capacity, Column, JobSpan, Metric, Trace};

const NODE: Capacity = Capacity {
    cores: Some(2.0),
    memory_bytes: Some(8e9),
    disk_bytes_per_second: Some(100e6),
    network_bytes_per_second: None,
};

/// A trace of one sample a second.
fn trace(columns: &[(Metric, &[f64])]) -> Trace {
    let rows = columns[0].1.len();
    Trace {
        capacity: NODE,
        time_seconds: (1..=rows).map(|row| row as f64).collect(),
        columns: columns.iter().map(|(metric, values)| (Column::node(*metric), values.to_vec())).collect(),
        ..Trace::default()
    }
}

fn scene(a: &Trace, b: &Trace, offset_seconds: f64) -> Scene {
    let inputs = [
        SoloInput { name: "a".to_owned(), trace: a, offset_seconds: 0.0 },
        SoloInput { name: "b".to_owned(), trace: b, offset_seconds },
    ];
    Scene::on_grid(&inputs, Capacity::default(), 1.0).expect("two good traces")
}

#[test]
fn finish_times_known_by_hand() {
    let busy = |cores: f64, seconds: usize| trace(&[(Metric::CpuCores, &vec![cores; seconds])]);
    // (cores and seconds of a, of b, offset of b, finish times of the sum that conserves work)
    let cases = [
        ("room for both", (1.0, 10), (1.0, 10), 0.0, [10.0, 10.0]),
        ("twice too much", (2.0, 10), (2.0, 10), 0.0, [20.0, 20.0]),
        ("half too much", (2.0, 10), (1.0, 10), 0.0, [15.0, 15.0]),
        ("b after a", (2.0, 10), (2.0, 10), 10.0, [10.0, 20.0]),
        // For 5 s a is alone, then both at half speed until a has done its other 5 s, then b alone.
        ("b into a", (2.0, 10), (2.0, 10), 5.0, [15.0, 20.0]),
        ("a short, b long", (2.0, 4), (2.0, 10), 0.0, [8.0, 14.0]),
    ];
    let mut wrong = Vec::new();
    for (name, a, b, offset, expected) in cases {
        let (a, b) = (busy(a.0, a.1), busy(b.0, b.1));
        let outcome = Baseline::ConservedSum.run(&scene(&a, &b, offset));
        let finish = &outcome.finish_seconds;
        if finish.iter().zip(expected).any(|(is, should)| (is - should).abs() > 1e-6) {
            wrong.push(format!("{name}: ends at {finish:?}, should be {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_fair_share_spares_who_asks_for_little() {
    let a = trace(&[(Metric::CpuCores, &[0.5; 10])]);
    let b = trace(&[(Metric::CpuCores, &[2.0; 10])]);
    // b has 1.5 of the 2 cores that it wants until a ends at 10 s, then 2.5 s of its work are left.
    let cases = [(Baseline::FairShare, [10.0, 12.5]), (Baseline::ConservedSum, [12.5, 12.5])];
    for (baseline, expected) in cases {
        let outcome = baseline.run(&scene(&a, &b, 0.0));
        let close =
            outcome.finish_seconds.iter().zip(expected).all(|(is, should)| (is - should).abs() < 1e-6);
        assert!(close, "{}: {:?}, should be {expected:?}", baseline.name(), outcome.finish_seconds);
    }
}

#[test]
fn three_jobs_share_three_ways() {
    let busy = trace(&[(Metric::CpuCores, &[2.0; 4])]);
    let inputs =
        ["a", "b", "c"].map(|name| SoloInput { name: name.to_owned(), trace: &busy, offset_seconds: 0.0 });
    let scene = Scene::on_grid(&inputs, Capacity::default(), 1.0).expect("three good traces");
    for baseline in [Baseline::FairShare, Baseline::ConservedSum] {
        let finish = baseline.run(&scene).finish_seconds;
        assert!(finish.iter().all(|end| (end - 12.0).abs() < 1e-6), "{}: {finish:?}", baseline.name());
    }
}

#[test]
fn clipped_sum_slows_nobody_and_stays_below_capacity() {
    let a = trace(&[(Metric::CpuCores, &[1.5; 8])]);
    let b = trace(&[(Metric::CpuCores, &[1.0; 12])]);
    let outcome = Baseline::ClippedSum.run(&scene(&a, &b, 0.0));
    assert_eq!(outcome.finish_seconds, [8.0, 12.0]);
    let cpu = &outcome.totals[&Metric::CpuCores];
    assert!(cpu[..8].iter().all(|cores| (cores - 2.0).abs() < 1e-9), "{cpu:?}");
    assert!(cpu[8..].iter().all(|cores| (cores - 1.0).abs() < 1e-9), "{cpu:?}");
}

#[test]
fn conserved_sum_conserves_work_on_cpu_and_disk() {
    let a = trace(&[
        (Metric::CpuCores, &[2.0, 2.0, 0.5, 1.0, 2.0, 0.2]),
        (Metric::DiskReadBytesPerSecond, &[0.0, 90e6, 90e6, 10e6, 0.0, 0.0]),
    ]);
    let b = trace(&[
        (Metric::CpuCores, &[0.5, 1.0, 2.0, 2.0, 2.0, 2.0, 1.0]),
        (Metric::DiskReadBytesPerSecond, &[80e6, 80e6, 0.0, 0.0, 0.0, 50e6, 0.0]),
    ]);
    for offset in [0.0, 0.4, 2.0, 3.7] {
        let scene = scene(&a, &b, offset);
        let outcome = Baseline::ConservedSum.run(&scene);
        for metric in [Metric::CpuCores, Metric::DiskReadBytesPerSecond] {
            let alone: f64 = scene.jobs.iter().map(|job| job.work_between(metric, 0.0, 99.0)).sum();
            let together: f64 = (0..2).flat_map(|job| outcome.demand_at_progress(&scene, job, metric)).sum();
            assert!(
                (alone - together).abs() < 1e-6 * alone,
                "{} at offset {offset}: {alone} alone, {together} together",
                metric.name()
            );
        }
        for (job, progress) in outcome.progress_seconds.iter().enumerate() {
            assert!(progress.windows(2).all(|pair| pair[0] <= pair[1]), "job {job} goes back: {progress:?}");
        }
    }
}

#[test]
fn memory_background_counts_once() {
    // Both traces hold 1 GB of system memory; a adds 2 GB, b adds 3 GB.
    let a = trace(&[(Metric::CpuCores, &[1.0; 4]), (Metric::MemoryBytes, &[1e9, 3e9, 3e9, 3e9])]);
    let b = trace(&[(Metric::CpuCores, &[1.0; 4]), (Metric::MemoryBytes, &[1e9, 4e9, 4e9, 4e9])]);
    let sum = scene(&a, &b, 0.0).naive_sum(Metric::MemoryBytes, 4);
    for (is, should) in sum.iter().zip([1e9, 6e9, 6e9, 6e9]) {
        assert!((is - should).abs() < 1e3, "{sum:?}");
    }
}

#[test]
fn a_metric_one_trace_lacks_is_not_forecast() {
    let a = trace(&[(Metric::CpuCores, &[1.0; 4]), (Metric::LoopbackBytesPerSecond, &[1e6; 4])]);
    let b = trace(&[(Metric::CpuCores, &[1.0; 4])]);
    assert_eq!(scene(&a, &b, 0.0).known_metrics(), [Metric::CpuCores]);
}

#[test]
fn a_job_counts_from_its_start_to_its_end() {
    let mut long = trace(&[(Metric::CpuCores, &[0.0, 1.0, 1.0, 1.0, 0.0])]);
    long.jobs = vec![JobSpan { name: "a".to_owned(), start_seconds: Some(1.0), end_seconds: Some(4.0) }];
    let other = trace(&[(Metric::CpuCores, &[1.0; 3])]);
    let scene = scene(&long, &other, 0.0);
    assert!((scene.jobs[0].solo_seconds - 3.0).abs() < 1e-9);
    assert!((scene.jobs[0].mean_demand(Metric::CpuCores, 0.0, 3.0) - 1.0).abs() < 1e-6);
}

#[test]
fn what_makes_no_scene_says_why() {
    let good = trace(&[(Metric::CpuCores, &[1.0; 4])]);
    let empty = Trace::default();
    let make = |trace, offset_seconds| {
        let inputs = [SoloInput { name: "a".to_owned(), trace, offset_seconds }];
        Scene::new(&inputs, Capacity::default(), 64).map(|_| ())
    };
    assert_eq!(make(&empty, 0.0), Err(SceneError::Empty { job: "a".to_owned() }));
    assert_eq!(make(&good, -1.0), Err(SceneError::Offset { job: "a".to_owned(), seconds: -1.0 }));
    assert_eq!(make(&good, 0.0), Ok(()));
    assert_eq!(Scene::new(&[], Capacity::default(), 64).map(|_| ()), Err(SceneError::NoJobs));
}
