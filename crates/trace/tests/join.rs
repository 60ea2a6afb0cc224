//! Several files of one run as one trace.

mod common;

use common::trace_of;
use cotrace_trace::{
    Capacity, Column, JobSpan, JoinError, Metric, Resource, Trace, Warning, WarningKind, check, join,
};

const CPU: Metric = Metric::CpuCores;
const MEMORY: Metric = Metric::MemoryBytes;
const READ: Metric = Metric::DiskReadBytesPerSecond;
const NAN: f64 = f64::NAN;
const START: f64 = 1_714_565_000.0;

fn part(name: &str, start: Option<f64>, metric: Metric, times: &[f64], values: &[f64]) -> Trace {
    let mut trace = trace_of(times, metric, values);
    name.clone_into(&mut trace.name);
    "sar-text".clone_into(&mut trace.format);
    trace.start_unix_seconds = start;
    trace.provenance.insert(Column::node(metric), format!("{name}'s column"));
    trace
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

/// What, the two traces, times wanted, CPU wanted, memory wanted.
type Case<'a> = (&'a str, Trace, Trace, &'a [f64], &'a [f64], &'a [f64]);

#[test]
fn metrics_meet_where_they_were_measured() {
    let cpu = |start, times: &[f64], values: &[f64]| part("cpu", start, CPU, times, values);
    let memory = |start, times: &[f64], values: &[f64]| part("mem", start, MEMORY, times, values);
    let some = |seconds: f64| Some(START + seconds);
    let cases: Vec<Case> = vec![
        (
            "the same times",
            cpu(some(0.0), &[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3]),
            memory(some(0.0), &[1.0, 2.0, 3.0], &[1e9, 2e9, 3e9]),
            &[1.0, 2.0, 3.0],
            &[0.1, 0.2, 0.3],
            &[1e9, 2e9, 3e9],
        ),
        (
            "no dates, by their starts",
            cpu(None, &[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3]),
            memory(None, &[1.0, 2.0, 3.0, 4.0], &[1e9, 2e9, 3e9, 4e9]),
            &[1.0, 2.0, 3.0, 4.0],
            &[0.1, 0.2, 0.3, NAN],
            &[1e9, 2e9, 3e9, 4e9],
        ),
        (
            "one of them dated",
            cpu(some(0.0), &[1.0, 2.0], &[0.1, 0.2]),
            memory(None, &[1.0, 2.0], &[1e9, 2e9]),
            &[1.0, 2.0],
            &[0.1, 0.2],
            &[1e9, 2e9],
        ),
        (
            "the second starts later",
            cpu(some(0.0), &[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3]),
            memory(some(1.0), &[1.0, 2.0, 3.0], &[2e9, 3e9, 4e9]),
            &[1.0, 2.0, 3.0, 4.0],
            &[0.1, 0.2, 0.3, NAN],
            &[NAN, 2e9, 3e9, 4e9],
        ),
        (
            "the second starts earlier",
            cpu(some(1.0), &[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3]),
            memory(some(0.0), &[1.0, 2.0, 3.0], &[1e9, 2e9, 3e9]),
            &[1.0, 2.0, 3.0, 4.0],
            &[NAN, 0.1, 0.2, 0.3],
            &[1e9, 2e9, 3e9, NAN],
        ),
        (
            "two clocks that tick apart",
            cpu(some(0.0), &[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3]),
            memory(some(0.25), &[1.0, 2.0, 3.0], &[1e9, 2e9, 3e9]),
            &[1.0, 2.0, 3.0],
            &[0.1, 0.2, 0.3],
            &[1e9, 2e9, 3e9],
        ),
        (
            "a minute and five, which begin earlier and end later",
            cpu(some(240.0), &[60.0, 120.0, 180.0, 240.0], &[0.1, 0.2, 0.3, 0.4]),
            memory(some(0.0), &[300.0, 600.0], &[1e9, 2e9]),
            &[60.0, 120.0, 180.0, 240.0, 300.0, 360.0, 420.0, 480.0, 540.0, 600.0],
            &[NAN, NAN, NAN, NAN, 0.1, 0.2, 0.3, 0.4, NAN, NAN],
            &[1e9, 1e9, 1e9, 1e9, 1e9, 2e9, 2e9, 2e9, 2e9, 2e9],
        ),
        (
            "a gap in both",
            cpu(some(0.0), &[1.0, 2.0, 10.0, 11.0], &[0.1, 0.2, 0.3, 0.4]),
            memory(some(0.0), &[1.0, 2.0, 10.0, 11.0], &[1e9, 2e9, 3e9, 4e9]),
            &[1.0, 2.0, 10.0, 11.0],
            &[0.1, 0.2, NAN, 0.4],
            &[1e9, 2e9, NAN, 4e9],
        ),
    ];
    let mut wrong = Vec::new();
    for (what, a, b, times, cpu, memory) in cases {
        for (order, traces) in [("", vec![a.clone(), b.clone()]), (", the other way round", vec![b, a])] {
            let joined = match join(traces) {
                Ok(joined) => joined,
                Err(error) => {
                    wrong.push(format!("{what}{order}: {error}"));
                    continue;
                }
            };
            let found = (&joined.time_seconds[..], joined.node(CPU).unwrap(), joined.node(MEMORY).unwrap());
            if !(same(found.0, times) && same(found.1, cpu) && same(found.2, memory)) {
                wrong.push(format!("{what}{order}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rates_of_two_clocks_are_means_over_the_row() {
    let cpu = part("cpu", Some(START), CPU, &[1.0, 2.0], &[1.0, 1.0]);
    let read = part("disk", Some(START + 0.25), READ, &[1.0, 2.0], &[100.0, 200.0]);
    let joined = join(vec![cpu, read]).unwrap();
    // The first row knows three quarters of its time, the second a quarter of 100 and three of 200.
    assert_eq!(joined.node(READ), Some(&[100.0, 175.0][..]));
}

#[test]
fn what_each_knows_is_put_together() {
    let mut cpu = part("cpu", Some(START), CPU, &[1.0, 2.0, 3.0], &[0.5, 1.0, 0.5]);
    cpu.capacity.cores = Some(2.0);
    cpu.assumed.insert(Resource::Cpu);
    cpu.warnings.push(Warning::new(WarningKind::CoresAssumed, "2 assumed."));
    cpu.warnings.push(Warning::new(WarningKind::MemoryUnknown, "No memory."));
    cpu.jobs = vec![JobSpan { name: "sort".into(), start_seconds: Some(1.0), end_seconds: None }];
    let mut memory = part("memory", Some(START - 1.0), MEMORY, &[4.0], &[1e9]);
    memory.capacity = Capacity { cores: Some(4.0), memory_bytes: Some(8e9), ..Capacity::default() };
    memory.warnings.push(Warning::new(WarningKind::CutOff, "Cut off.").at_line(7));
    memory.format = "cloudwatch-csv".into();
    let joined = join(vec![cpu, memory]).unwrap();
    assert_eq!(
        joined.capacity,
        Capacity { cores: Some(4.0), memory_bytes: Some(8e9), ..Capacity::default() }
    );
    // The number of cores is known now, so CPU counts in it.
    assert!(!joined.cores_assumed());
    assert!(same(joined.node(CPU).unwrap(), &[NAN, 1.0, 2.0, 1.0]), "{:?}", joined.columns);
    assert_eq!(joined.warnings.len(), 1, "{:?}", joined.warnings);
    assert_eq!(joined.warnings[0].to_string(), "line 7: memory: Cut off.");
    assert_eq!(joined.start_unix_seconds, Some(START - 1.0));
    assert_eq!(joined.jobs[0].start_seconds, Some(2.0));
    assert_eq!((joined.name.as_str(), joined.format.as_str()), ("cpu", "sar-text+cloudwatch-csv"));
    assert_eq!(joined.provenance[&Column::node(CPU)], "cpu's column, from cpu");
    assert_eq!(
        joined.provenance[&Column::node(MEMORY)],
        "memory's column, from memory, each value held over its 4 s"
    );
}

#[test]
fn a_joined_trace_is_sound() {
    let times: Vec<f64> = (1..=600).map(|k| f64::from(k) * 60.0).collect();
    let coarse: Vec<f64> = (1..=120).map(|k| f64::from(k) * 300.0).collect();
    let values: Vec<f64> = times.iter().map(|time| 1.0 + (time / 60.0) % 7.0 / 10.0).collect();
    let mut cpu = part("cpu", Some(START), CPU, &times, &values);
    cpu.capacity.cores = Some(4.0);
    let joined = join(vec![cpu, part("read", Some(START + 120.0), READ, &coarse, &vec![1e6; 120])]).unwrap();
    common::assert_sound(&joined, "joined");
    assert_eq!(joined.step_seconds(), 60.0);
    assert_eq!(joined.node(CPU).unwrap()[..600], values[..]);
    assert_eq!(check(&joined).gap_seconds, 0.0);
    assert_eq!(join(vec![joined.clone()]).unwrap().time_seconds, joined.time_seconds);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let cpu = || part("a.txt", Some(START), CPU, &[1.0, 2.0, 3.0], &[1.0, 1.0, 1.0]);
    let memory =
        |start: Option<f64>, times: &[f64]| part("b.txt", start, MEMORY, times, &vec![1e9; times.len()]);
    let cores = |mut trace: Trace, cores| {
        trace.capacity.cores = Some(cores);
        trace
    };
    let cases = [
        (vec![], "no traces"),
        (vec![cpu(), part("b.txt", Some(START), CPU, &[1.0], &[1.0])], "both a.txt and b.txt have cpu_cores"),
        (
            vec![cpu(), memory(Some(START + 7203.0), &[1.0, 2.0])],
            "a.txt and b.txt share no time, 2 h lie between",
        ),
        (vec![cpu(), memory(Some(START + 3.0), &[1.0, 2.0])], "share no time"),
        (vec![cpu(), memory(None, &[1.0, 2.0, 3.0, 4.0, 5.0])], "a.txt takes 3 s and b.txt takes 5 s"),
        (
            vec![cores(cpu(), 2.0), cores(memory(Some(START), &[1.0]), 4.0)],
            "a.txt is of a node with 2 cores and b.txt of one with 4",
        ),
    ];
    for (traces, wanted) in cases {
        let error: JoinError = join(traces).expect_err(wanted);
        assert!(error.to_string().contains(wanted), "{error}, not {wanted}");
    }
}

#[test]
fn any_two_traces_are_joined_or_refused() {
    let mut traces: Vec<Trace> = common::fixtures().iter().map(common::Fixture::read_as_unknown).collect();
    let lone = |times: &[f64]| part("lone", None, CPU, times, &vec![1.0; times.len()]);
    traces.extend([lone(&[0.0]), lone(&[1e-6, 2e-6]), lone(&[0.0, 1e11]), lone(&[1.0, 2.0, 1e9, 1e9 + 1.0])]);
    let mut joined = 0;
    for a in &traces {
        for b in &traces {
            // Their columns must not meet, nor what they say about time keep them apart.
            let mut b = b.clone();
            b.columns = b
                .columns
                .into_values()
                .zip(Metric::ALL)
                .map(|(values, metric)| (Column::job("other", *metric), values))
                .collect();
            b.start_unix_seconds = a.start_unix_seconds;
            b.capacity.cores = a.capacity.cores;
            b.assumed.clone_from(&a.assumed);
            if let Ok(trace) = join(vec![a.clone(), b]) {
                joined += 1;
                assert!(
                    trace.time_seconds.windows(2).all(|pair| pair[0] < pair[1]),
                    "{:?}",
                    trace.time_seconds
                );
                assert!(trace.columns.values().all(|values| values.len() == trace.time_seconds.len()));
                check(&trace);
            }
        }
    }
    assert!(joined > traces.len(), "{joined} of {} joined", traces.len() * traces.len());
}
