//! What is said about traces, and what isn't.

mod common;

use common::trace_of;
use cotrace_trace::{
    Capacity, Column, FindingKind, JobSpan, Metric, Severity, Status, Trace, Warning, WarningKind, check,
};

const NAN: f64 = f64::NAN;

/// A trace of 40 s that nothing is wrong with.
fn good() -> Trace {
    let times: Vec<f64> = (1..=40).map(f64::from).collect();
    let values: Vec<f64> = times.iter().map(|time| 1.0 + 0.01 * (time % 7.0)).collect();
    let mut trace = trace_of(&times, Metric::CpuCores, &values);
    trace.capacity = Capacity { cores: Some(2.0), memory_bytes: Some(8e9), ..Capacity::default() };
    for (metric, value) in [
        (Metric::MemoryBytes, 1e9),
        (Metric::DiskReadBytesPerSecond, 0.0),
        (Metric::DiskWriteBytesPerSecond, 0.0),
        (Metric::NetworkReceiveBytesPerSecond, 0.0),
        (Metric::NetworkTransmitBytesPerSecond, 0.0),
    ] {
        trace.columns.insert(Column::node(metric), vec![value; 40]);
    }
    trace
}

fn series(trace: &mut Trace, metric: Metric) -> &mut Vec<f64> {
    trace.columns.get_mut(&Column::node(metric)).unwrap()
}

/// What is wrong, how it gets wrong, what is found, and with which verdict.
type Case = (&'static str, fn(&mut Trace), &'static [FindingKind], Status);

#[test]
fn each_fault_is_found_and_nothing_else() {
    use FindingKind as K;
    let cases: &[Case] = &[
        ("nothing", |_| {}, &[], Status::Ok),
        ("few rows", |t| *t = t.crop(0.0, 9.0), &[K::TooShort], Status::Warnings),
        ("too few rows", |t| *t = t.crop(0.0, 3.0), &[K::TooShort], Status::Unusable),
        (
            "no rows",
            |t| *t = Trace { capacity: t.capacity, ..Trace::default() },
            &[K::TooShort, K::MissingMetric, K::MissingMetric],
            Status::Unusable,
        ),
        (
            "a gap",
            |t| t.time_seconds[20..].iter_mut().for_each(|time| *time += 10.0),
            &[K::Gaps],
            Status::Warnings,
        ),
        (
            "a late start",
            |t| t.time_seconds.iter_mut().for_each(|time| *time += 10.0),
            &[K::Gaps],
            Status::Warnings,
        ),
        (
            "uneven",
            |t| t.time_seconds.iter_mut().step_by(2).for_each(|time| *time -= 0.4),
            &[K::Jitter],
            Status::Ok,
        ),
        (
            "no CPU",
            |t| {
                t.columns.remove(&Column::node(Metric::CpuCores));
            },
            &[K::MissingMetric],
            Status::Unusable,
        ),
        ("no CPU value", |t| series(t, Metric::CpuCores).fill(NAN), &[K::MissingMetric], Status::Unusable),
        (
            "no disk",
            |t| {
                t.columns.remove(&Column::node(Metric::DiskReadBytesPerSecond));
            },
            &[K::MissingMetric],
            Status::Ok,
        ),
        ("holes", |t| series(t, Metric::CpuCores)[5..15].fill(NAN), &[K::MissingValues], Status::Warnings),
        ("stuck", |t| series(t, Metric::CpuCores).fill(1.0), &[K::Constant], Status::Warnings),
        (
            "negative",
            |t| series(t, Metric::DiskReadBytesPerSecond)[3] = -5.0,
            &[K::Negative],
            Status::Warnings,
        ),
        (
            "more than all cores",
            |t| series(t, Metric::CpuCores)[3] = 2.2,
            &[K::AboveCapacity],
            Status::Warnings,
        ),
        ("a little over, as sampling makes it", |t| series(t, Metric::CpuCores)[3] = 2.05, &[], Status::Ok),
        (
            "more than all memory",
            |t| series(t, Metric::MemoryBytes)[3] = 8.1e9,
            &[K::AboveCapacity],
            Status::Warnings,
        ),
        ("cores not known", |t| t.capacity.cores = None, &[K::UnknownCapacity], Status::Warnings),
        ("memory not known", |t| t.capacity.memory_bytes = None, &[K::UnknownCapacity], Status::Ok),
        ("full", |t| series(t, Metric::CpuCores)[5..20].fill(1.99), &[K::Saturated], Status::Ok),
        ("idle first", |t| series(t, Metric::CpuCores)[..6].fill(0.01), &[K::IdleHead], Status::Warnings),
        (
            "reading first",
            |t| {
                series(t, Metric::CpuCores)[..6].fill(0.01);
                series(t, Metric::DiskReadBytesPerSecond)[..6].fill(5e7);
            },
            &[],
            Status::Ok,
        ),
        ("idle last", |t| series(t, Metric::CpuCores)[34..].fill(0.01), &[K::IdleTail], Status::Warnings),
        (
            "idle",
            |t| series(t, Metric::CpuCores).iter_mut().for_each(|v| *v *= 0.01),
            &[K::IdleHead],
            Status::Warnings,
        ),
        (
            "two jobs",
            |t| {
                t.jobs = vec![JobSpan { name: "a".into(), start_seconds: None, end_seconds: None }; 2];
            },
            &[K::SeveralJobs],
            Status::Ok,
        ),
        (
            "a warning of the reader",
            |t| t.warnings.push(Warning::new(WarningKind::Other, "Something.")),
            &[K::Reading],
            Status::Warnings,
        ),
    ];
    for (what, spoil, kinds, status) in cases {
        let mut trace = good();
        spoil(&mut trace);
        let health = check(&trace);
        let found: Vec<FindingKind> = health.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!((found.as_slice(), health.status), (*kinds, *status), "{what}: {:#?}", health.findings);
        assert_eq!(health.samples, trace.time_seconds.len(), "{what}");
        assert!(health.findings.is_sorted_by_key(|finding| std::cmp::Reverse(finding.severity)), "{what}");
        for finding in &health.findings {
            assert!(finding.message.ends_with('.'), "{what}: {}", finding.message);
        }
    }
}

#[test]
fn places_are_where_it_is() {
    let mut trace = good();
    series(&mut trace, Metric::CpuCores)[9] = 3.5;
    trace.time_seconds[20..].iter_mut().for_each(|time| *time += 10.0);
    let health = check(&trace);
    assert_eq!(health.gap_seconds, 11.0);
    assert_eq!(health.duration_seconds, 50.0);
    assert_eq!(health.step_seconds, 1.0);
    assert_eq!(health.jitter_ratio, 0.0);
    let place =
        |kind| health.findings.iter().find(|finding| finding.kind == kind).unwrap().place.clone().unwrap();
    let gap = place(FindingKind::Gaps);
    assert_eq!((gap.column, gap.from_seconds, gap.to_seconds), (None, 20.0, 31.0));
    let above = place(FindingKind::AboveCapacity);
    assert_eq!(
        (above.column.as_deref(), above.from_seconds, above.to_seconds),
        (Some("cpu_cores"), 9.0, 10.0)
    );
}

#[test]
fn health_is_plain_json() {
    let mut trace = good();
    trace.time_seconds.truncate(2);
    trace.columns.values_mut().for_each(|values| values.truncate(2));
    let json = serde_json::to_value(check(&trace)).unwrap();
    assert_eq!(json["status"], "unusable");
    assert_eq!(json["findings"][0]["kind"], "too-short");
    assert_eq!(json["findings"][0]["severity"], serde_json::to_value(Severity::Unusable).unwrap());
}

#[test]
fn a_trace_that_does_not_fit_together_is_survived() {
    // Columns longer and shorter than the time: no reader makes them, but the fields are public.
    let mut trace = good();
    series(&mut trace, Metric::CpuCores).truncate(5);
    series(&mut trace, Metric::MemoryBytes).extend([9e9, -1.0]);
    assert_eq!(check(&trace).status, Status::Warnings);
}
