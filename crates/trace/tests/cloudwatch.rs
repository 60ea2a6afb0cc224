//! Answers and exports of `CloudWatch`. The fixtures are written from its published format.

mod common;
#[path = "common/figures.rs"]
mod figures;

use cotrace_trace::{Metric as M, ReadErrorKind, ReadOptions, WarningKind, read};
use figures::{check, of_subject, plain, read_fixture, refused};

#[test]
fn rows_are_mapped_by_hand() {
    // Two cores are assumed.
    check(&[
        ("cloudwatch-json/metric-data.json", 1, M::CpuCores, 0.56939 * 2.0),
        ("cloudwatch-json/metric-data.json", 1, M::NetworkReceiveBytesPerSecond, 28_341_830.0 / 60.0),
        ("cloudwatch-json/metric-data.json", 1, M::NetworkTransmitBytesPerSecond, 6_883_492.0 / 60.0),
        ("cloudwatch-json/metric-data.json", 1, M::DiskReadBytesPerSecond, 20_306_635.0 / 60.0),
        ("cloudwatch-json/metric-data.json", 1, M::DiskWriteBytesPerSecond, 861_958_083.0 / 60.0),
        ("cloudwatch-json/metric-data.json", 0, M::MemoryBytes, 2_595_746_242.0),
        ("cloudwatch-json/statistics.json", 2, M::CpuCores, 0.14318 * 2.0),
        ("cloudwatch-csv/console.csv", 1, M::CpuCores, 0.249_781 * 2.0),
        ("cloudwatch-csv/console.csv", 1, M::NetworkReceiveBytesPerSecond, 33_066_311.0 / 60.0),
        ("cloudwatch-csv/console.csv", 3, M::DiskWriteBytesPerSecond, 730_360_122.0 / 60.0),
        ("cloudwatch-csv/console.csv", 4, M::DiskWriteBytesPerSecond, f64::NAN),
    ]);
    let trace = read_fixture("cloudwatch-json/metric-data.json");
    assert_eq!(trace.capacity.memory_bytes, Some(8_254_390_272.0));
    // A time says when its period begins: 12:00 is the run's start.
    assert_eq!((trace.start_unix_seconds, trace.time_seconds[0]), (Some(1_714_564_800.0), 60.0));
    assert_eq!(read_fixture("cloudwatch-csv/one-metric.csv").time_seconds[1], 600.0);
}

#[test]
fn what_needs_a_word_gets_one() {
    let share =
        "Timestamp,CPUUtilization,mem_used_percent\n2024-05-01T12:00:00Z,10,50\n2024-05-01T12:01:00Z,10,25\n";
    let kinds =
        |text: &str| plain(text).unwrap().warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>();
    assert!(kinds(share).contains(&WarningKind::MemoryUnknown));
    let mut options = ReadOptions::with_cores(4.0);
    options.capacity.memory_bytes = Some(8e9);
    let trace = read("x", share.as_bytes(), &options).unwrap();
    assert_eq!(trace.node(M::MemoryBytes).unwrap(), [4e9, 2e9]);
    assert_eq!(trace.node(M::CpuCores).unwrap(), [0.4, 0.4]);
    let average = r#"{"Label":"NetworkIn","Datapoints":[{"Timestamp":"2024-05-01T12:00:00Z","Average":60.0},{"Timestamp":"2024-05-01T12:01:00Z","Average":120.0}]}"#;
    let trace = plain(average).unwrap();
    assert_eq!(trace.node(M::NetworkReceiveBytesPerSecond).unwrap(), [1.0, 2.0]);
    assert_eq!(trace.warnings[0].kind, WarningKind::Guessed);
    assert!(kinds(&format!("{share}2024-05-")).contains(&WarningKind::CutOff));
    refused(&[
        ("Timestamp,CPUUtilization\n2024-05-01T12:00:00Z,10\n", "only one sample"),
        (
            "Timestamp,CPUUtilization\n2024-05-01T12:00:00Z,x\n",
            "line 2, column CPUUtilization: expected a number, saw \"x\"",
        ),
        (
            &average.replace("NetworkIn", "StatusCheck"),
            "no metric in it that Cotrace knows, saw \"StatusCheck\"",
        ),
        (&average.replace("Average", "Maximum"), "no metric in it that can be used"),
        (
            &average.replace("12:00:00Z", "noon"),
            "column Timestamp: expected a date and time, saw \"2024-05-01Tnoon\"",
        ),
        (&average[..60], "the JSON is cut off"),
        (r#"{"MetricDataResults":[]}"#, "no values in it"),
    ]);
}

#[test]
fn one_of_several_machines_is_chosen() {
    let json = |labels: [&str; 3]| {
        let series = |label: &str, a: f64| {
            format!(
                "{{\"Id\":\"m\",\"Label\":\"{label}\",\"StatusCode\":\"Complete\",\"Timestamps\":\
                 [\"2024-05-01T10:00:00+00:00\",\"2024-05-01T10:01:00+00:00\"],\"Values\":[{a},{}]}}",
                a * 2.0
            )
        };
        format!(
            "{{\"MetricDataResults\":[{},{},{}]}}",
            series(labels[0], 10.0),
            series(labels[1], 30.0),
            series(labels[2], 600.0)
        )
    };
    let files = [
        json(["i-aaa CPUUtilization", "i-bbb CPUUtilization", "i-bbb NetworkIn"]),
        json(["CPUUtilization: i-aaa", "CPUUtilization: i-bbb", "NetworkIn"]),
        "Full label,i-aaa CPUUtilization,i-bbb CPUUtilization,i-bbb NetworkIn\nPeriod,60,60,60\n\
         2024/05/01 10:00:00,10,30,600\n2024/05/01 10:01:00,20,60,1200\n"
            .to_owned(),
        "Full label,i-aaa,i-bbb,i-bbb\nMetricName,CPUUtilization,CPUUtilization,NetworkIn\nPeriod,60,60,60\n\
         2024/05/01 10:00:00,10,30,600\n2024/05/01 10:01:00,20,60,1200\n"
            .to_owned(),
    ];
    for text in files {
        let error = plain(&text).expect_err(&text);
        assert_eq!(
            (error.kind, error.choices.join(" ")),
            (ReadErrorKind::Several, "i-aaa i-bbb".to_owned()),
            "{text}"
        );
        let trace = of_subject(&text, "i-bbb").unwrap();
        assert_eq!(trace.node(M::CpuCores).unwrap(), [0.6, 1.2], "{text}");
        assert_eq!(trace.node(M::NetworkReceiveBytesPerSecond).unwrap(), [10.0, 20.0], "{text}");
    }
}
