//! The stretch in which the job ran, within a longer file.

mod common;

use common::{Numbers, trace_of};
use cotrace_trace::{Capacity, Column, Metric, Trace};

/// A trace of one-second samples on a node of 4 cores: levels of CPU with their lengths, and some noise.
fn levels(parts: &[(usize, f64)], noise: f64) -> Trace {
    let mut numbers = Numbers(5);
    let values: Vec<f64> = parts
        .iter()
        .flat_map(|(count, level)| std::iter::repeat_n(*level, *count))
        .map(|level| (level + noise * (numbers.next() - 0.5)).max(0.0))
        .collect();
    let times: Vec<f64> = (1..=values.len()).map(|second| second as f64).collect();
    let mut trace = trace_of(&times, Metric::CpuCores, &values);
    trace.capacity = Capacity { cores: Some(4.0), ..Capacity::default() };
    trace
}

/// What, levels with their lengths, noise, the stretch wanted and how many there are of its kind.
type Case<'a> = (&'a str, &'a [(usize, f64)], f64, Option<(f64, f64, usize)>);

#[test]
fn the_job_is_found_in_a_longer_file() {
    let cases: &[Case] = &[
        ("idle, job, idle", &[(60, 0.02), (100, 3.0), (60, 0.02)], 0.02, Some((60.0, 160.0, 1))),
        ("idle, job", &[(60, 0.02), (100, 3.0)], 0.02, Some((60.0, 160.0, 1))),
        ("job, idle", &[(100, 3.0), (60, 0.02)], 0.02, Some((0.0, 100.0, 1))),
        ("short", &[(5, 0.0), (20, 1.0), (5, 0.0)], 0.0, Some((5.0, 25.0, 1))),
        ("a day", &[(40_000, 0.05), (1800, 3.5), (44_600, 0.05)], 0.08, Some((40_000.0, 41_800.0, 1))),
        ("a small job", &[(300, 0.01), (100, 0.4), (300, 0.01)], 0.02, Some((300.0, 400.0, 1))),
        ("a low phase first", &[(60, 0.0), (50, 0.6), (100, 3.8), (60, 0.0)], 0.0, Some((60.0, 210.0, 1))),
        (
            "a short pause",
            &[(60, 0.0), (50, 3.0), (20, 0.0), (50, 3.0), (60, 0.0)],
            0.0,
            Some((60.0, 180.0, 1)),
        ),
        (
            "many pauses",
            &[(60, 0.0), (5, 3.0), (20, 0.0), (5, 3.0), (20, 0.0), (5, 3.0), (20, 0.0), (5, 3.0), (60, 0.0)],
            0.0,
            Some((60.0, 140.0, 1)),
        ),
        (
            "a blip before",
            &[(100, 0.0), (4, 2.0), (100, 0.0), (200, 3.0), (100, 0.0)],
            0.0,
            Some((204.0, 404.0, 1)),
        ),
        (
            "a blip after",
            &[(100, 0.0), (200, 3.0), (100, 0.0), (4, 2.0), (100, 0.0)],
            0.0,
            Some((100.0, 300.0, 1)),
        ),
        (
            "two runs",
            &[(50, 0.0), (90, 3.0), (300, 0.0), (100, 3.0), (50, 0.0)],
            0.0,
            Some((440.0, 540.0, 2)),
        ),
        ("background", &[(100, 0.8), (200, 3.0), (100, 0.8)], 0.2, Some((100.0, 300.0, 1))),
        ("a first phase is no background", &[(100, 0.8), (200, 3.0)], 0.2, None),
        ("unlike levels are no background", &[(100, 0.5), (200, 3.0), (100, 1.2)], 0.0, None),
        ("all busy", &[(300, 3.0)], 0.5, None),
        ("busy, up and down", &[(50, 1.0), (50, 3.0), (50, 1.0), (50, 3.0)], 0.2, None),
        ("nothing", &[(300, 0.02)], 0.02, None),
        ("hardly idle at its ends", &[(2, 0.0), (300, 3.0), (2, 0.0)], 0.0, None),
        ("a little idle at its ends", &[(10, 0.0), (300, 3.0), (10, 0.0)], 0.0, None),
        ("no rows", &[], 0.0, None),
        ("one row", &[(1, 1.0)], 0.0, None),
    ];
    let mut wrong = Vec::new();
    for (what, parts, noise, wanted) in cases {
        let found = levels(parts, *noise).busy_stretch();
        let found = found.map(|found| (found.from_seconds, found.to_seconds, found.stretches));
        let near = match (found, wanted) {
            (Some((from, to, count)), Some((wanted_from, wanted_to, wanted_count))) => {
                (from - wanted_from).abs() <= 1.0 && (to - wanted_to).abs() <= 1.0 && count == *wanted_count
            }
            (None, None) => true,
            _ => false,
        };
        if !near {
            wrong.push(format!("{what}: {found:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn disk_and_network_are_work_too() {
    let with = |metric, values: Vec<f64>| {
        let mut trace = levels(&[(100, 0.02), (100, 3.0), (100, 0.02)], 0.0);
        trace.columns.insert(Column::node(metric), values);
        trace
    };
    let level = |parts: &[(usize, f64)]| -> Vec<f64> {
        parts.iter().flat_map(|(count, level)| std::iter::repeat_n(*level, *count)).collect()
    };
    let reading_first = with(Metric::DiskReadBytesPerSecond, level(&[(40, 0.0), (60, 8e7), (200, 0.0)]));
    let found = reading_first.busy_stretch().unwrap();
    assert_eq!((found.from_seconds, found.to_seconds), (40.0, 200.0));
    // Reading all the time: the job may do so with hardly any CPU.
    let reading = with(Metric::DiskReadBytesPerSecond, level(&[(200, 8e7), (100, 0.0)]));
    assert_eq!(reading.busy_stretch().map(|found| found.from_seconds), Some(0.0));
    // CPU isn't known at all.
    let mut only = with(Metric::NetworkReceiveBytesPerSecond, level(&[(100, 0.0), (60, 8e7), (140, 0.0)]));
    only.columns.remove(&Column::node(Metric::CpuCores));
    let found = only.busy_stretch().unwrap();
    assert_eq!((found.from_seconds, found.to_seconds, found.cpu_cores), (100.0, 160.0, None));
    assert_eq!(found.reason, "disk and network are at work in it and not before and after it");
}

#[test]
fn it_says_what_is_around_the_job() {
    let found = levels(&[(100, 0.8), (200, 3.0), (100, 0.8)], 0.0).busy_stretch().unwrap();
    assert_eq!(found.reason, "CPU is at 3.00 cores in it and at 0.80 cores before and after it");
    let close = |value: Option<f64>, wanted: f64| value.is_some_and(|value| (value - wanted).abs() < 1e-9);
    assert!(close(found.cpu_cores, 3.0) && close(found.idle_cpu_cores, 0.8), "{found:?}");
    assert_eq!(found.idle_bytes_per_second, None);
}

#[test]
fn a_single_thread_on_a_large_node_is_no_idleness() {
    let mut trace = levels(&[(100, 0.1), (100, 1.0), (100, 0.1)], 0.0);
    trace.capacity.cores = Some(128.0);
    let found = trace.busy_stretch().unwrap();
    assert_eq!((found.from_seconds, found.to_seconds), (100.0, 200.0));
}

#[test]
fn holes_and_gaps_do_not_end_a_job() {
    let mut trace = levels(&[(60, 0.0), (100, 3.0), (60, 0.0)], 0.0);
    let cpu = trace.columns.get_mut(&Column::node(Metric::CpuCores)).unwrap();
    cpu[100..110].fill(f64::NAN);
    trace.time_seconds[130..].iter_mut().for_each(|time| *time += 30.0);
    let found = trace.busy_stretch().unwrap();
    assert_eq!((found.from_seconds, found.to_seconds), (60.0, 190.0));
}

#[test]
fn the_part_knows_its_own_start() {
    let mut trace = levels(&[(60, 0.0), (100, 3.0), (60, 0.0)], 0.0);
    trace.start_unix_seconds = Some(1_714_565_000.0);
    trace.provenance.insert(Column::node(Metric::CpuCores), "%usr".to_owned());
    let found = trace.busy_stretch().unwrap();
    let part = trace.crop(found.from_seconds, found.to_seconds);
    assert_eq!(part.start_unix_seconds, Some(1_714_565_060.0));
    assert_eq!(part.time_seconds.len(), 100);
    assert_eq!(part.provenance, trace.provenance);
    assert_eq!(part.busy_stretch(), None);
}

#[test]
fn moments_by_the_clock() {
    // 2024-05-01 12:00:00, 3 hours; and 23:30:00, the same.
    let noon = 19_844.0 * 86_400.0 + 43_200.0;
    let at = |start: Option<f64>, text: &str| {
        let mut trace = trace_of(&[1.0, 10_800.0], Metric::CpuCores, &[1.0, 1.0]);
        trace.start_unix_seconds = start;
        trace.moment(text)
    };
    let cases = [
        (Some(noon), "12:30:05", Some(1805.0)),
        (Some(noon), "12:30", Some(1800.0)),
        (Some(noon), "01:00:00 PM", Some(3600.0)),
        (Some(noon), "11:59:00", Some(-60.0)),
        (Some(noon), "15:01:00", Some(10_860.0)),
        (Some(noon), "2024-05-01 12:00:10", Some(10.0)),
        (Some(noon), "2024-05-01T14:00", Some(7200.0)),
        (Some(noon), "2024-05-02 12:00:00", Some(86_400.0)),
        (Some(noon + 41_400.0), "23:45:00", Some(900.0)),
        (Some(noon + 41_400.0), "00:10:00", Some(2400.0)),
        (Some(noon), "noon", None),
        (Some(noon), "25:00:00", None),
        (None, "12:30:05", None),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(start, text, wanted)| at(*start, text) != *wanted)
        .map(|(start, text, wanted)| format!("{text}: {:?}, not {wanted:?}", at(*start, text)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
