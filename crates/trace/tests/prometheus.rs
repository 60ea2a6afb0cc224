//! Answers of Prometheus as JSON and as its console shows them. The fixtures are real.

mod common;
#[path = "common/figures.rs"]
mod figures;

use cotrace_trace::{Column, Metric as M, ReadErrorKind, WarningKind};
use figures::{check, of_subject, plain, read_fixture, refused};

#[test]
fn rows_are_mapped_by_hand() {
    let cache = 2_072_793_088.0 + 286_572_544.0 + 281_587_712.0;
    check(&[
        ("prometheus-json/node.json", 0, M::CpuCores, f64::NAN),
        ("prometheus-json/node.json", 5, M::CpuUserCores, 0.42 + 0.54 + 0.69 + 0.12),
        ("prometheus-json/node.json", 5, M::CpuSystemCores, 0.04 + 0.18 + 0.01),
        ("prometheus-json/node.json", 5, M::CpuCores, 2.0),
        ("prometheus-json/node.json", 5, M::CpuIowaitCores, 0.0),
        ("prometheus-json/node.json", 5, M::MemoryBytes, 25_276_510_208.0 - 21_548_081_152.0 - cache),
        ("prometheus-json/node.json", 5, M::PageCacheBytes, cache),
        ("prometheus-json/node.json", 5, M::DiskReadBytesPerSecond, 4_018_176.0),
        ("prometheus-json/node.json", 5, M::DiskWriteBytesPerSecond, 97_878_016.0),
        ("prometheus-json/node.json", 5, M::NetworkReceiveBytesPerSecond, 0.0),
        ("prometheus-json/node.json", 5, M::NetworkTransmitBytesPerSecond, 0.0),
        ("prometheus-json/node.json", 5, M::ContextSwitchesPerSecond, 1810.0),
        ("prometheus-json/node.json", 5, M::CpuPressureRatio, 0.908_124),
        ("prometheus-json/node.json", 5, M::IoPressureRatio, 0.033_103),
        ("prometheus-json/node.json", 5, M::MemoryPressureRatio, 0.0),
        // The recording rule is a share of two cores. Its first row is the third.
        ("prometheus-json/answers.jsonl", 1, M::CpuCores, f64::NAN),
        ("prometheus-json/answers.jsonl", 7, M::CpuCores, 0.99125 * 2.0),
        ("prometheus-json/answers.jsonl", 5, M::MemoryBytes, 25_276_510_208.0 - 23_862_571_008.0),
        ("prometheus-json/array.json", 6, M::CpuUserCores, 0.85 + 0.8175),
        ("prometheus-json/array.json", 6, M::DiskWriteBytesPerSecond, 8_956_252_160.0 - 8_893_091_840.0),
        ("prometheus-json/promtool.json", 5, M::CpuCores, 2.0),
        ("prometheus-json/two-instances.json", 1, M::MemoryBytes, 19_738_624.0),
        ("prometheus-text/range.txt", 5, M::CpuCores, 2.0),
        ("prometheus-text/range.txt", 5, M::MemoryBytes, 25_276_510_208.0 - 23_862_571_008.0),
        ("prometheus-text/rates.txt", 4, M::CpuUserCores, 0.175 + 0.69 + 0.6925 + 0.2075),
        ("prometheus-text/instant-range.txt", 5, M::CpuUserCores, 0.49 + 0.29 + 0.80 + 0.04),
    ]);
}

#[test]
fn capacity_time_and_warnings() {
    let node = read_fixture("prometheus-json/node.json");
    assert_eq!((node.capacity.cores, node.capacity.memory_bytes), (Some(2.0), Some(25_276_510_208.0)));
    assert_eq!((node.start_unix_seconds, node.time_seconds[0]), (Some(1_796_073_496.0), 1.0));
    assert!(node.warnings.is_empty(), "{:?}", node.warnings);
    let source = &node.provenance[&Column::node(M::DiskReadBytesPerSecond)];
    assert!(source.contains("node_disk_read_bytes_total") && source.contains("without zram0"), "{source}");
    let array = read_fixture("prometheus-json/array.json");
    assert_eq!(array.capacity.cores, Some(2.0));
    // The disk's series begin before the CPU's, which come first in the file.
    assert!(array.warnings.is_empty(), "{:?}", array.warnings);
    assert_eq!(array.time_seconds.len(), 30);
    let answers = read_fixture("prometheus-json/answers.jsonl");
    assert_eq!(answers.warnings.len(), 1);
    assert_eq!((answers.warnings[0].kind, answers.warnings[0].line), (WarningKind::ColumnLeftOut, Some(2)));
}

fn answer(series: &[(&str, &[f64])]) -> String {
    let series: Vec<String> = series
        .iter()
        .map(|(labels, values)| {
            let points: Vec<String> = values
                .iter()
                .enumerate()
                .map(|(at, value)| format!("[{},\"{value}\"]", 1_700_000_000 + at))
                .collect();
            format!("{{\"metric\":{{{labels}}},\"values\":[{}]}}", points.join(","))
        })
        .collect();
    format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}",
        series.join(",")
    )
}

#[test]
fn shares_of_modes_without_a_name() {
    let parts = |k: f64| [0.5 * k, 0.25 * k, 0.25 * k].map(|value| [value; 3]);
    let of = |k: f64, cpu: &str| {
        let [idle, user, system] = parts(k);
        answer(&[
            (&format!("{cpu}\"mode\":\"idle\""), &idle),
            (&format!("{cpu}\"mode\":\"user\""), &user),
            (&format!("{cpu}\"mode\":\"system\""), &system),
        ])
    };
    // What the file says, the cores it gives away, the busy cores.
    let cases = [
        (of(1.0, ""), 2.0, 1.0),
        (of(100.0, ""), 2.0, 1.0),
        (of(4.0, ""), 4.0, 2.0),
        (of(1.0, "\"cpu\":\"0\","), 1.0, 0.5),
        (of(100.0, "\"cpu\":\"0\","), 1.0, 0.5),
    ];
    for (text, cores, busy) in cases {
        let trace = plain(&text).unwrap();
        assert_eq!(trace.capacity.cores, Some(cores), "{text}");
        assert_eq!(trace.node(M::CpuCores).unwrap(), [busy; 3], "{text}");
    }
    let idle_alone = answer(&[("\"mode\":\"idle\"", &[0.5, 0.6])]);
    refused(&[(&idle_alone, "its series have no metric's name")]);
}

#[test]
fn containers_and_pods() {
    let cpu = "\"__name__\":\"container_cpu_usage_seconds_total\",\"namespace\":\"a\"";
    let net = "\"__name__\":\"container_network_receive_bytes_total\",\"namespace\":\"a\"";
    let text = answer(&[
        (&format!("{cpu},\"pod\":\"web\",\"container\":\"main\""), &[0.0, 1.0]),
        (&format!("{cpu},\"pod\":\"web\",\"container\":\"proxy\""), &[0.0, 0.5]),
        // The pod repeats its containers.
        (&format!("{cpu},\"pod\":\"web\""), &[0.0, 1.5]),
        (&format!("{cpu},\"pod\":\"db\",\"container\":\"main\""), &[0.0, 3.0]),
        (&format!("{net},\"pod\":\"web\",\"interface\":\"eth0\""), &[0.0, 100.0]),
        ("\"__name__\":\"machine_cpu_cores\"", &[8.0, 8.0]),
    ]);
    let error = plain(&text).unwrap_err();
    assert_eq!((error.kind, error.choices.join(" ")), (ReadErrorKind::Several, "a/db a/web".to_owned()));
    let web = of_subject(&text, "web").unwrap();
    assert_eq!(web.node(M::CpuCores).unwrap()[1], 1.5);
    assert_eq!(web.node(M::NetworkReceiveBytesPerSecond).unwrap()[1], 100.0);
    assert_eq!(web.capacity.cores, Some(8.0));
}

#[test]
fn a_rate_that_kept_its_name_is_a_rate() {
    let label = "\"__name__\":\"node_disk_read_bytes_total\",\"device\":\"sda\"";
    let trace = plain(&answer(&[(label, &[5.0, 3.0, 4.0, 1.0])])).unwrap();
    assert_eq!(trace.node(M::DiskReadBytesPerSecond).unwrap(), [5.0, 3.0, 4.0, 1.0]);
}

#[test]
fn what_is_no_run_is_explained() {
    let good = answer(&[("\"__name__\":\"process_cpu_seconds_total\"", &[0.0, 1.0])]);
    let cut = format!("{good}\n{}", &good[..good.len() - 9]);
    let trace = plain(&cut).unwrap();
    assert_eq!((trace.warnings[0].kind, trace.warnings[0].line), (WarningKind::CutOff, Some(2)));
    refused(&[
        (&good[..good.len() - 9], "the JSON is cut off"),
        (
            r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"up"},"value":[1,"1"]}]}}"#,
            "one moment, not a run, saw \"resultType vector\". Ask /api/v1/query_range",
        ),
        (
            r#"{"status":"error","errorType":"bad_data","error":"parse error"}"#,
            "with an error, saw \"bad_data: parse error\"",
        ),
        (r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#, "no series with values"),
        (
            &good.replace("\"1\"]", "\"x\"]"),
            "line 1: not an answer of Prometheus (invalid value: string \"x\"",
        ),
        (&good.replace("process_cpu_seconds_total", "up"), "no metric in it that Cotrace knows, saw \"up\""),
        ("node_load1{} => 0.5 @[1700000000]\n", "values of one moment, not of a run"),
        ("a{} =>\n1 @[1700000000]\nrubbish\n2 @[1700000001]\n", "line 3: expected a series or a value"),
    ]);
}

#[test]
fn exports_of_victoria_metrics_are_read() {
    let series = |name: &str, values: &str| {
        format!(
            "{{\"metric\":{{\"__name__\":\"{name}\",\"instance\":\"a:9100\"}},\"values\":[{values}],\"timestamps\":[1714521600000,1714521615000]}}\n"
        )
    };
    let text = series("node_memory_MemAvailable_bytes", "5000000000,null")
        + &series("node_memory_MemTotal_bytes", "8e9,8000000000");
    let trace = plain(&text).unwrap();
    assert_eq!(trace.format, "prometheus-json");
    let memory = trace.node(M::MemoryBytes).unwrap();
    assert!(memory[0] == 3e9 && memory.get(1).is_none_or(|value| value.is_nan()), "{memory:?}");
    assert_eq!(trace.start_unix_seconds, Some(1_714_521_585.0));
    let untimed = text.replace(",\"timestamps\":[1714521600000,1714521615000]", "");
    refused(&[(&untimed, "line 1: a series with fewer times than values. Export \"timestamps\"")]);
}

#[test]
fn series_without_names_are_refused_with_what_to_ask_for() {
    let wanted = "its series have no metric's name, for rate(), sum() and the like take it away. \
        What they measure can't be known. Ask for the metrics as they are, each in a query of its own: node_cpu_seconds_total, ";
    refused(&[
        (
            r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"instance":"a"},"values":[[1,"0.5"],[2,"0.6"]]}]}}"#,
            wanted,
        ),
        (
            r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"0.5"],[2,"0.6"]]}]}}"#,
            wanted,
        ),
        ("{instance=\"a:9100\"} =>\n0.5 @[1714521600]\n0.6 @[1714521615]\n", wanted),
    ]);
}
