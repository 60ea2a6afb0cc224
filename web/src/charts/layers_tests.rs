use std::collections::BTreeMap;

use super::*;
use crate::fixtures::forecast;
use crate::messages::Measured;
use crate::state::{TruthRequest, TruthSource};

fn truth(values: Vec<Option<f64>>, end: f64) -> Truth {
    let request = TruthRequest {
        source: TruthSource::Sample(String::new()),
        names: vec![String::new(), String::new()],
        step_seconds: 2.0,
    };
    let metrics = BTreeMap::from([(Metric::CpuCores, values)]);
    Truth {
        request,
        measured: Measured { step_seconds: 2.0, metrics, jobs: vec![] },
        spans: vec![Some((0.0, end)), Some((0.0, 1.0))],
    }
}

fn find<'a>(charts: &'a [Chart], key: &str) -> &'a Chart {
    charts.iter().find(|chart| chart.key == key).unwrap_or_else(|| panic!("no chart {key}"))
}

#[test]
fn charts_come_in_order_and_in_the_unit_of_their_axis() {
    let charts = charts(&forecast(), None);
    let titles: Vec<(&str, &str)> = charts.iter().map(|chart| (chart.key, chart.unit)).collect();
    let wanted = [
        ("cpu_cores", "cores"),
        ("memory_bytes", "GiB"),
        ("disk_read_bytes_per_second", "MB/s"),
        ("network_receive_bytes_per_second", "B/s"),
    ];
    assert_eq!(titles, wanted);
    assert!(find(&charts, "memory_bytes").binary);
    assert!(!find(&charts, "disk_read_bytes_per_second").binary);
}

#[test]
fn layers_add_up_to_the_total() {
    let charts = charts(&forecast(), None);
    for chart in &charts {
        let top = &chart.layers.last().expect("a layer").top;
        for (got, wanted) in top.iter().zip(&chart.total) {
            let (got, wanted) = (got.expect("known"), wanted.expect("known"));
            assert!((got - wanted).abs() < 1e-9, "{}: {got} is not {wanted}", chart.key);
        }
        for series in [&chart.total, &chart.lower, &chart.upper, &chart.naive] {
            assert_eq!(series.len(), chart.time.len(), "{}", chart.key);
        }
        assert!(chart.truth.is_empty(), "{}", chart.key);
    }
    let labels =
        |key: &str| find(&charts, key).layers.iter().map(|layer| layer.label.clone()).collect::<Vec<_>>();
    assert_eq!(labels("memory_bytes"), ["before", "A", "B"]);
    assert_eq!(labels("cpu_cores"), ["A", "B"]);
}

#[test]
fn what_is_held_before_any_job_lies_below() {
    let charts = charts(&forecast(), None);
    let memory = find(&charts, "memory_bytes");
    assert_eq!(memory.layers[0].job, None);
    assert_eq!(memory.layers[0].top[0], Some(1.0));
    assert_eq!(memory.layers[1].top[0], Some(2.0));
    assert_eq!(memory.layers[1].own[0], Some(1.0));
}

#[test]
fn a_capacity_far_above_is_told_in_words_only() {
    let mut forecast = forecast();
    assert_eq!(find(&charts(&forecast, None), "cpu_cores").capacity, Some(2.0));
    forecast.metrics.get_mut(&Metric::CpuCores).unwrap().capacity = Some(64.0);
    let charts = charts(&forecast, None);
    let chart = find(&charts, "cpu_cores");
    assert_eq!(chart.capacity, None);
    assert!(chart.top < 3.0, "{}", chart.top);
    assert_eq!(chart.capacity_text.replace('\u{a0}', " "), "of 64 cores");
    assert_eq!(find(&charts, "disk_read_bytes_per_second").capacity_text, "capacity unknown");
}

#[test]
fn hardly_used_metrics_are_quiet_however_wide_the_band() {
    let mut forecast = forecast();
    forecast.metrics.get_mut(&Metric::NetworkReceiveBytesPerSecond).unwrap().upper = vec![1e9; 5];
    let charts = charts(&forecast, None);
    let quiet: Vec<&str> = charts.iter().filter(|chart| chart.quiet).map(|chart| chart.key).collect();
    assert_eq!(quiet, ["network_receive_bytes_per_second"]);
}

#[test]
fn a_longer_measurement_goes_on_past_the_forecast() {
    let values = vec![Some(1.0), None, Some(1.5), Some(1.5), Some(1.0), Some(0.5), Some(0.25)];
    let charts = charts(&forecast(), Some(&truth(values.clone(), 14.0)));
    let cpu = find(&charts, "cpu_cores");
    assert_eq!(cpu.time, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0]);
    assert_eq!(cpu.truth, values);
    assert_eq!(cpu.total[4..], [Some(1.5), None, None]);
    assert_eq!(cpu.end_seconds, 14.0);
    // A metric that was not measured ends with the forecast, on the same axis.
    let memory = find(&charts, "memory_bytes");
    assert!(memory.truth.is_empty());
    assert_eq!((memory.time.len(), memory.end_seconds), (5, 14.0));
}

#[test]
fn a_band_without_width_is_no_band() {
    let mut forecast = forecast();
    let cpu = forecast.metrics.get_mut(&Metric::CpuCores).unwrap();
    cpu.lower.clone_from(&cpu.total);
    cpu.upper.clone_from(&cpu.total);
    let charts = charts(&forecast, None);
    assert!(!find(&charts, "cpu_cores").has_band());
    assert!(find(&charts, "memory_bytes").has_band());
}

#[test]
fn a_chart_says_when_its_resource_is_short_and_when_jobs_are_done() {
    let mut both = forecast();
    let limit = |from_seconds: f64, to_seconds: f64| cotrace_forecast::Limit {
        from_seconds,
        to_seconds,
        ..both.jobs[1].limits[0].clone()
    };
    let limits = [vec![limit(4.0, 7.0), limit(9.0, 9.5)], vec![limit(2.0, 6.0)]];
    for (job, limits) in both.jobs.iter_mut().zip(limits) {
        job.limits = limits;
    }
    let charts = charts(&both, None);
    let disk = find(&charts, "disk_read_bytes_per_second");
    assert_eq!(disk.short, [(2.0, 7.0), (9.0, 9.5)], "of both jobs, what overlaps as one");
    assert!(disk.text.ends_with("short from 0:02 to 0:07 and 0:09 to 0:10"), "{}", disk.text);
    let cpu = find(&charts, "cpu_cores");
    assert!(cpu.short.is_empty() && !cpu.text.contains("short"), "{}", cpu.text);
    let ends: Vec<(&str, f64)> = cpu.ends.iter().map(|end| (end.label.as_str(), end.at)).collect();
    assert_eq!(ends, [("A", 8.0 * 1.2), ("B", 6.0 * 1.6)]);
}
