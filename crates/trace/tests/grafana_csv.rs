//! Exports of Grafana's panels. The fixtures are written from its published format.

mod common;
#[path = "common/figures.rs"]
mod figures;

use cotrace_trace::{Metric as M, ReadErrorKind, WarningKind};
use figures::{check, of_subject, plain, read_fixture, refused};

#[test]
fn rows_are_mapped_by_hand() {
    let mib = 1_048_576.0;
    check(&[
        ("grafana-csv/no-legend.csv", 1, M::CpuUserCores, 5.44 / 15.0),
        ("grafana-csv/no-legend.csv", 1, M::CpuSystemCores, 0.2 / 15.0),
        ("grafana-csv/no-legend.csv", 1, M::MemoryBytes, 8_254_390_272.0 - 5_730_051_168.0),
        // Two cores are assumed.
        ("grafana-csv/legend-units.csv", 0, M::CpuUserCores, 0.627 * 2.0),
        ("grafana-csv/legend-units.csv", 1, M::CpuCores, 0.545 * 2.0),
        ("grafana-csv/legend-units.csv", 1, M::CpuIowaitCores, 0.02),
        ("grafana-csv/legend-units.csv", 1, M::MemoryBytes, 996.0 * mib),
        ("grafana-csv/legend-units.csv", 0, M::DiskReadBytesPerSecond, 0.0),
        ("grafana-csv/legend-units.csv", 1, M::DiskReadBytesPerSecond, 483e6),
        ("grafana-csv/legend-units.csv", 1, M::NetworkReceiveBytesPerSecond, 20.5e6 / 8.0),
        ("grafana-csv/legend-units.csv", 3, M::NetworkReceiveBytesPerSecond, f64::NAN),
        ("grafana-csv/series-as-rows.csv", 1, M::CpuCores, 0.3506 * 2.0),
        ("grafana-csv/series-as-rows.csv", 0, M::MemoryBytes, 3_917_868_993.0),
    ]);
    let trace = read_fixture("grafana-csv/legend-units.csv");
    assert_eq!(trace.capacity.memory_bytes, Some(15.5 * 1024.0 * mib));
    assert_eq!(read_fixture("grafana-csv/series-as-rows.csv").start_unix_seconds, Some(1_714_557_585.0));
}

#[test]
fn what_is_unclear_is_said() {
    let text =
        "\"Time\",\"CPU busy %\",\"CPU busy % b\",\"web\"\n1714564800000,10,20,1\n1714564815000,30,40,2\n";
    let trace = plain(text).unwrap();
    assert_eq!(trace.node(M::CpuCores).unwrap(), [0.2, 0.6]);
    assert_eq!(trace.time_seconds, [15.0, 30.0]);
    let left: Vec<_> = trace
        .warnings
        .iter()
        .filter(|warning| warning.kind == WarningKind::ColumnLeftOut)
        .map(|w| w.column.clone())
        .collect();
    assert_eq!(left, [Some("CPU busy % b".to_owned()), Some("web".to_owned())]);
    let cut = plain(&format!("{text}1714564830000,5")).unwrap();
    assert!(
        cut.warnings.iter().any(|warning| warning.kind == WarningKind::CutOff && warning.line == Some(4))
    );
    refused(&[
        ("\"Time\",\"web\"\n1714564800000,1\n", "no series in it says what it is, saw \"web\""),
        ("\"Time\",\"CPU busy %\"\nnoon,1\n", "line 2, column Time: expected a date and time, saw \"noon\""),
        (
            "sep=,\n\"Time\",\"CPU busy %\"\n1714564800000,x\n",
            "line 3, column CPU busy %: expected a number, saw \"x\"",
        ),
        (&text.replace("1714564800000,10,20,1", "1714564800000,10"), "line 2: a row with too few cells"),
    ]);
}

#[test]
fn one_of_several_machines_is_chosen() {
    let files = [
        "\"Time\",\"node1 CPU\",\"node2 CPU\",\"node2 RAM used\"\n1714564800000,45%,20%,1 GiB\n1714564815000,46%,30%,2 GiB\n",
        "\"Time\",\"CPU % {instance=\"\"node1\"\"}\",\"CPU % {instance=\"\"node2\"\"}\",\"RAM used\"\n\
         1714564800000,45,20,1 GiB\n1714564815000,46,30,2 GiB\n",
    ];
    for text in files {
        let error = plain(text).expect_err(text);
        assert_eq!(
            (error.kind, error.choices.join(" ")),
            (ReadErrorKind::Several, "node1 node2".to_owned()),
            "{text}"
        );
        let trace = of_subject(text, "node2").unwrap();
        assert_eq!(trace.node(M::CpuCores).unwrap(), [0.4, 0.6], "{text}");
        assert_eq!(trace.node(M::MemoryBytes).unwrap()[1], 2_147_483_648.0, "{text}");
    }
}

#[test]
fn times_may_be_those_of_a_locale() {
    let file = |a: &str, b: &str| {
        format!(
            "\"Time\",\"CPU Busy\",\"RAM Used\"\n\"{a}\",\"45%\",\"1.20 GiB\"\n\"{b}\",\"46.5%\",\"1.25 GiB\"\n"
        )
    };
    let cases = [
        ("05/01/2024, 11:59:55 AM", "05/01/2024, 12:00:10 PM", 1_714_564_780.0),
        ("5/1/2024, 11:59:55 PM", "5/2/2024, 12:00:10 AM", 1_714_607_980.0),
        ("01/05/2024, 23:59:55", "02/05/2024, 00:00:10", 1_714_607_980.0),
        ("13/05/2024 23:59:45", "14/05/2024 00:00:00", 1_715_644_770.0),
        ("01.05.2024, 23:59:55", "02.05.2024, 00:00:10", 1_714_607_980.0),
    ];
    for (a, b, start) in cases {
        let trace = plain(&file(a, b)).unwrap_or_else(|error| panic!("{a}: {error}"));
        assert_eq!(trace.time_seconds, [15.0, 30.0], "{a}");
        assert_eq!(trace.start_unix_seconds, Some(start), "{a}");
        assert_eq!(trace.node(M::MemoryBytes).unwrap()[0], 1.2 * 1_073_741_824.0);
    }
}
