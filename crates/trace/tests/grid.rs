//! Even grids: means over time, nothing lost, nothing made up.

mod common;

use common::{Numbers, trace_of};
use cotrace_trace::{Column, JobSpan, Metric, Trace};

const CPU: Metric = Metric::CpuCores;
const NAN: f64 = f64::NAN;

fn regridded(times: &[f64], values: &[f64], step: f64) -> Vec<f32> {
    trace_of(times, CPU, values).regrid(step).values.remove(&CPU).unwrap()
}

/// What, times, values, step, means wanted.
type Case = (&'static str, &'static [f64], &'static [f64], f64, &'static [f32]);

#[test]
fn means_are_weighted_by_time() {
    const NONE: f32 = f32::NAN;
    let cases: &[Case] = &[
        ("same step", &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], 1.0, &[1.0, 2.0, 3.0]),
        ("two in one", &[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 3.0, 5.0], 2.0, &[1.5, 4.0]),
        ("one in two", &[2.0, 4.0], &[1.0, 3.0], 1.0, &[1.0, 1.0, 3.0, 3.0]),
        ("across", &[2.0, 4.0, 6.0], &[1.0, 3.0, 5.0], 3.0, &[5.0 / 3.0, 13.0 / 3.0]),
        ("last step in part", &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], 2.0, &[1.5, 3.0]),
        ("longer than all", &[1.0, 2.0], &[1.0, 2.0], 100.0, &[1.5]),
        ("uneven", &[0.5, 1.5, 2.0], &[4.0, 1.0, 2.0], 1.0, &[2.5, 1.5]),
        ("starts at zero", &[0.0, 1.0, 2.0], &[9.0, 1.0, 2.0], 1.0, &[1.0, 2.0]),
        ("a value missing", &[1.0, 2.0, 3.0], &[1.0, NAN, 3.0], 1.0, &[1.0, NONE, 3.0]),
        ("half covered", &[1.0, 2.0, 3.0, 4.0], &[1.0, NAN, NAN, 4.0], 2.0, &[1.0, 4.0]),
        ("under half covered", &[1.0, 2.0, 3.0], &[1.0, NAN, NAN], 3.0, &[NONE]),
        (
            "a gap",
            &[1.0, 2.0, 3.0, 6.0, 7.0],
            &[1.0, 1.0, 1.0, 8.0, 2.0],
            1.0,
            &[1.0, 1.0, 1.0, NONE, NONE, NONE, 2.0],
        ),
        ("no gap yet", &[1.0, 2.0, 3.0, 5.5, 6.5], &[1.0, 1.0, 1.0, 8.0, 2.0], 5.5, &[23.0 / 5.5, 2.0]),
        ("a late start", &[5.0, 6.0, 7.0], &[1.0, 2.0, 3.0], 1.0, &[NONE, NONE, NONE, NONE, 1.0, 2.0, 3.0]),
        ("one row", &[4.0], &[3.0], 2.0, &[3.0, 3.0]),
        ("nothing", &[], &[], 1.0, &[]),
    ];
    for (what, times, values, step, wanted) in cases {
        let found = regridded(times, values, *step);
        let same = |(a, b): (&f32, &f32)| (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-6;
        assert!(
            found.len() == wanted.len() && found.iter().zip(*wanted).all(same),
            "{what}: {found:?}, not {wanted:?}"
        );
    }
}

#[test]
fn work_is_conserved() {
    let mut numbers = Numbers(3);
    for round in 0..500 {
        let rows = 2 + (numbers.next() * 60.0) as usize;
        let base = 0.01 + numbers.next() * 20.0;
        let mut time = 0.0;
        // Jitter below the limit of gaps, for then all time is covered.
        let times: Vec<f64> = (0..rows)
            .map(|_| {
                time += base * (0.8 + 0.4 * numbers.next());
                time
            })
            .collect();
        let values: Vec<f64> = (0..rows).map(|_| numbers.next() * 16.0).collect();
        let work: f64 = times
            .iter()
            .zip(&values)
            .scan(0.0, |last, (time, value)| {
                let area = value * (time - *last);
                *last = *time;
                Some(area)
            })
            .sum();
        let step = base * (0.05 + 6.0 * numbers.next());
        let trace = trace_of(&times, CPU, &values);
        let grid = trace.regrid(step);
        assert_eq!(grid.steps, (time / step - 1e-9).ceil() as usize);
        let on_grid: f64 = grid.values[&CPU]
            .iter()
            .enumerate()
            .map(|(k, value)| f64::from(*value) * step.min(time - k as f64 * step))
            .sum();
        assert!((work - on_grid).abs() < 1e-5 * work, "round {round}: {work} became {on_grid}");
        // A mean is never beyond what it is the mean of.
        let (low, high) =
            values.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (v.min(low), v.max(high)));
        let within = |v: &f32| f64::from(*v) >= low - 1e-5 && f64::from(*v) <= high + 1e-5;
        assert!(grid.values[&CPU].iter().all(within), "round {round}");
    }
}

#[test]
fn a_grid_of_the_samples_is_the_samples() {
    let mut numbers = Numbers(9);
    for step in [0.1, 0.5, 1.0, 5.0, 60.0, 1.0 / 3.0] {
        let times: Vec<f64> = (1..=500).map(|k| f64::from(k) * step).collect();
        let values: Vec<f64> = times.iter().map(|_| numbers.next()).collect();
        let found = regridded(&times, &values, step);
        assert_eq!(found.len(), 500, "{step}");
        let near = found.iter().zip(&values).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6);
        assert!(near, "{step}");
    }
}

#[test]
fn rounding_makes_no_step_of_its_own() {
    // 3 x 0.1 is a little more than 0.3.
    assert_eq!(regridded(&[0.1, 0.2, 3.0 * 0.1], &[1.0, 2.0, 3.0], 0.1), [1.0, 2.0, 3.0]);
}

#[test]
fn absurd_steps_are_replaced() {
    let trace = trace_of(&[1.0, 2.0, 1e9], CPU, &[1.0, 1.0, 1.0]);
    for step in [0.0, -1.0, NAN, f64::INFINITY, 1e-300] {
        let grid = trace.regrid(step);
        assert!(grid.step_seconds > 0.0 && grid.steps <= 1 << 20 && grid.steps > 0, "{step}: {}", grid.steps);
        assert!(grid.steps as f64 * grid.step_seconds >= 0.999_999 * 1e9, "{step}");
        assert_eq!(grid.values[&CPU].len(), grid.steps);
    }
    assert_eq!(Trace::default().regrid(1.0).steps, 0);
}

#[test]
fn jobs_have_their_own_series() {
    let mut trace = trace_of(&[1.0, 2.0], CPU, &[1.5, 1.5]);
    trace.columns.insert(Column::job("a", CPU), vec![1.0, 0.5]);
    trace.columns.insert(Column::job("b", CPU), vec![0.5, 1.0]);
    let grid = trace.regrid(2.0);
    assert_eq!(grid.node(CPU), Some(&[1.5][..]));
    assert_eq!(grid.job("a", CPU), Some(&[0.75][..]));
    assert_eq!(grid.jobs.len(), 2);
    let lone = trace.regrid_columns(1.0, [&Column::job("b", CPU), &Column::job("c", CPU)]);
    assert_eq!(lone.into_iter().collect::<Vec<_>>(), [(Column::job("b", CPU), vec![0.5, 1.0])]);
}

#[test]
fn a_crop_is_the_part() {
    let mut trace = trace_of(&[1.0, 2.0, 3.0, 4.0, 10.0, 11.0], CPU, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let span = |name: &str, start, end| JobSpan { name: name.into(), start_seconds: start, end_seconds: end };
    trace.jobs =
        vec![span("a", Some(0.5), Some(3.0)), span("b", Some(2.5), None), span("c", Some(0.0), Some(1.0))];

    let cases: &[(f64, f64, &[f64], &[f64])] = &[
        (0.0, 99.0, &[1.0, 2.0, 3.0, 4.0, 10.0, 11.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        (1.0, 3.0, &[1.0, 2.0], &[2.0, 3.0]),
        (1.5, 3.25, &[0.5, 1.5, 1.75], &[2.0, 3.0, 4.0]),
        // A part of a gap stays unknown, however short.
        (3.0, 5.0, &[1.0, 2.0], &[4.0, NAN]),
        (9.5, 11.0, &[0.5, 1.5], &[NAN, 6.0]),
        (20.0, 30.0, &[], &[]),
        (3.0, 1.0, &[], &[]),
    ];
    for (from, to, times, values) in cases {
        let part = trace.crop(*from, *to);
        assert_eq!(part.time_seconds, *times, "{from} to {to}");
        let found = part.node(CPU).unwrap();
        let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
        assert!(
            found.len() == values.len() && found.iter().zip(*values).all(same),
            "{from} to {to}: {found:?}"
        );
    }
    let part = trace.crop(1.0, 3.0);
    assert_eq!(part.jobs, [span("a", Some(0.0), Some(2.0)), span("b", Some(1.5), None)]);
}

#[test]
fn the_step_is_the_median() {
    let cases: &[(&[f64], f64)] = &[
        (&[], 0.0),
        (&[3.0], 3.0),
        (&[1.0, 3.0], 2.0),
        (&[1.0, 2.0, 3.0, 9.0], 1.0),
        (&[0.0, 5.0, 10.0, 11.0], 5.0),
    ];
    for (times, wanted) in cases {
        let values = vec![1.0; times.len()];
        assert_eq!(trace_of(times, CPU, &values).step_seconds(), *wanted, "{times:?}");
    }
}

#[test]
fn the_step_of_a_model_follows_the_samples() {
    // Samples, their step, the most steps wanted, the step.
    let cases: &[(u32, f64, usize, f64)] = &[
        (10, 1.0, 128, 1.0),
        (100, 60.0, 128, 60.0),
        (256, 1.0, 128, 2.0),
        (100, 1.0, 30, 100.0 / 30.0),
        (5000, 1.0, 1_000_000, 5000.0 / 1024.0),
        (10, 1.0, 0, 10.0),
    ];
    for &(samples, step, most, wanted) in cases {
        let times: Vec<f64> = (1..=samples).map(|k| f64::from(k) * step).collect();
        let trace = trace_of(&times, CPU, &vec![1.0; times.len()]);
        let found = trace.model_step_seconds(most);
        assert!((found - wanted).abs() < 1e-9, "{samples} samples, {step} s: {found}");
        assert!(trace.regrid(found).steps <= most.clamp(1, 1024), "{samples} samples, {step} s");
    }
    assert_eq!(Trace::default().model_step_seconds(128), 0.0);
}

#[test]
fn a_million_rows_are_put_on_a_grid() {
    let times: Vec<f64> = (1..=1_000_000).map(|k| f64::from(k) * 0.1).collect();
    let values: Vec<f64> = times.iter().map(|time| if *time <= 50_000.0 { 0.0 } else { 1.0 }).collect();
    let trace = trace_of(&times, CPU, &values);
    let step = trace.model_step_seconds(1024);
    let grid = trace.regrid(step);
    assert_eq!(grid.steps, 1024);
    let mean = grid.values[&CPU].iter().map(|value| f64::from(*value)).sum::<f64>() / 1024.0;
    assert!((mean - 0.5).abs() < 1e-4, "{mean}");
    assert_eq!(trace.busy_stretch().map(|stretch| stretch.from_seconds), Some(50_000.0));
    assert_eq!(cotrace_trace::check(&trace).samples, 1_000_000);
}

#[test]
fn a_crop_that_ends_before_it_starts_is_empty() {
    let mut trace = common::trace_of(&[1.0, 2.0, 3.0], Metric::CpuCores, &[1.0, 2.0, 3.0]);
    let job = |name: &str| JobSpan { name: name.into(), start_seconds: Some(0.5), end_seconds: Some(2.5) };
    trace.jobs = vec![job("a"), JobSpan { start_seconds: None, ..job("b") }];
    for (from, to) in [(3.0, 0.0), (2.0, 1.0), (f64::NAN, f64::NAN), (5.0, f64::NAN)] {
        let part = trace.crop(from, to);
        assert!(
            part.time_seconds.len() <= 3 && from.is_nan() || part.time_seconds.is_empty(),
            "{from}..{to}"
        );
    }
}
