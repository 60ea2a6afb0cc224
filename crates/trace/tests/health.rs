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
            "idle first and last",
            |t| {
                series(t, Metric::CpuCores)[..6].fill(0.01);
                series(t, Metric::CpuCores)[30..].fill(0.01);
            },
            &[K::IdleHead, K::IdleTail],
            Status::Warnings,
        ),
        (
            "two runs",
            |t| {
                series(t, Metric::CpuCores)[8..30].fill(0.01);
            },
            &[K::SeveralStretches],
            Status::Warnings,
        ),
        (
            "something else before and after",
            |t| {
                series(t, Metric::CpuCores)[..10].fill(0.2);
                series(t, Metric::CpuCores)[30..].fill(0.2);
            },
            &[K::IdleHead, K::IdleTail, K::Background],
            Status::Warnings,
        ),
        (
            "a floor",
            |t| {
                series(t, Metric::CpuCores)[5..15].fill(0.3);
                series(t, Metric::CpuCores)[30..].fill(0.3);
            },
            &[K::Background],
            Status::Ok,
        ),
        ("pauses are no floor", |t| series(t, Metric::CpuCores)[5..15].fill(0.01), &[], Status::Ok),
        (
            "a day",
            |t| {
                t.time_seconds.iter_mut().for_each(|time| *time *= 2160.0);
                series(t, Metric::CpuCores)[..15].fill(0.01);
                series(t, Metric::CpuCores)[20..].fill(0.01);
            },
            &[K::TooLong],
            Status::Warnings,
        ),
        (
            "a day of work",
            |t| t.time_seconds.iter_mut().for_each(|time| *time *= 2160.0),
            &[K::TooLong],
            Status::Warnings,
        ),
        ("a long job", |t| t.time_seconds.iter_mut().for_each(|time| *time *= 1000.0), &[], Status::Ok),
        (
            "full disks",
            |t| {
                t.capacity.disk_bytes_per_second = Some(2e8);
                series(t, Metric::DiskReadBytesPerSecond)[5..20].fill(1e8);
                series(t, Metric::DiskWriteBytesPerSecond)[5..20].fill(0.95e8);
            },
            &[K::Saturated],
            Status::Ok,
        ),
        (
            "a full network",
            |t| {
                t.capacity.network_bytes_per_second = Some(1e8);
                series(t, Metric::NetworkTransmitBytesPerSecond)[5..20].fill(0.99e8);
            },
            &[K::Saturated],
            Status::Ok,
        ),
        (
            "full memory",
            |t| series(t, Metric::MemoryBytes)[5..20].fill(7.9e9),
            &[K::Saturated],
            Status::Warnings,
        ),
        (
            "waiting for disks",
            |t| {
                t.columns.insert(Column::node(Metric::CpuIowaitCores), vec![0.9; 40]);
            },
            &[K::Saturated],
            Status::Ok,
        ),
        (
            "a counter",
            |t| t.warnings.push(Warning::new(WarningKind::CounterReset, "Anew.")),
            &[K::CounterReset],
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
fn it_suggests_what_to_cut() {
    let mut trace = good();
    series(&mut trace, Metric::CpuCores)[..10].fill(0.2);
    series(&mut trace, Metric::CpuCores)[30..].fill(0.2);
    let health = check(&trace);
    let suggestion = health.suggestion.as_ref().unwrap();
    assert_eq!((suggestion.from_seconds, suggestion.to_seconds), (10.0, 30.0));
    let said = |kind| {
        let finding = health.findings.iter().find(|finding| finding.kind == kind).unwrap();
        (finding.message.as_str(), finding.place.clone().map(|place| (place.from_seconds, place.to_seconds)))
    };
    assert_eq!(
        said(FindingKind::IdleHead),
        ("Nothing of the job happens in the 10 s at the start.", Some((0.0, 10.0)))
    );
    assert_eq!(
        said(FindingKind::IdleTail),
        ("Nothing of the job happens in the 10 s at the end.", Some((30.0, 40.0)))
    );
    assert_eq!(
        said(FindingKind::Background).0,
        "Something else runs on the machine too: without the job, CPU at 0.20 cores, 19 % of what it is with the job."
    );
    // Cut as suggested, it is fine.
    let part = trace.crop(suggestion.from_seconds, suggestion.to_seconds);
    assert_eq!(check(&part).status, Status::Ok, "{:?}", check(&part).findings);
    let json = serde_json::to_value(&health).unwrap();
    assert_eq!(json["suggestion"]["from_seconds"], 10.0);
    let again: cotrace_trace::Health = serde_json::from_value(json).unwrap();
    assert_eq!(again, health);
    // Written before there were suggestions.
    let mut older = serde_json::to_value(check(&good())).unwrap();
    older.as_object_mut().unwrap().remove("suggestion");
    assert_eq!(serde_json::from_value::<cotrace_trace::Health>(older).unwrap().suggestion, None);
}

#[test]
fn what_is_used_up_has_its_place() {
    let mut trace = good();
    let cpu = series(&mut trace, Metric::CpuCores);
    cpu[2..4].fill(2.0);
    cpu[10..20].fill(1.95);
    let health = check(&trace);
    let found = health.findings.iter().find(|finding| finding.kind == FindingKind::Saturated).unwrap();
    assert_eq!(found.message, "The job alone keeps all cores busy for 30 % of the time.");
    let place = found.place.as_ref().unwrap();
    assert_eq!((place.from_seconds, place.to_seconds), (10.0, 20.0));
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
