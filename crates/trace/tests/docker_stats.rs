//! What docker stats prints. The fixtures are written from its published format.

mod common;
#[path = "common/figures.rs"]
mod figures;

use cotrace_trace::{Metric as M, ReadErrorKind, WarningKind};
use figures::{check, of_subject, plain, read_fixture, refused};

const HEADER: &str = "CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %   NET I/O   BLOCK I/O   PIDS\n";

fn row(name: &str, cpu: &str) -> String {
    format!("abc123   {name}   {cpu}   1GiB / 2GiB   50%   0B / 0B   0B / 0B   3\n")
}

#[test]
fn rows_are_mapped_by_hand() {
    let mib = 1_048_576.0;
    check(&[
        ("docker-stats/one.log", 0, M::CpuCores, 1.8123),
        ("docker-stats/one.log", 1, M::MemoryBytes, 331.7 * mib),
        ("docker-stats/one.log", 0, M::NetworkReceiveBytesPerSecond, f64::NAN),
        ("docker-stats/one.log", 1, M::NetworkReceiveBytesPerSecond, 689e3 / 2.012),
        ("docker-stats/one.log", 1, M::NetworkTransmitBytesPerSecond, 4440.0 / 2.012),
        ("docker-stats/one.log", 1, M::DiskReadBytesPerSecond, 43e6 / 2.012),
        ("docker-stats/one.log", 1, M::DiskWriteBytesPerSecond, 0.83e6 / 2.012),
        ("docker-stats/two.log", 0, M::CpuCores, 2.5158),
        ("docker-stats/lines.json", 1, M::CpuCores, 1.6468),
        ("docker-stats/lines.json", 2, M::DiskReadBytesPerSecond, (151e6 - 93.1e6) / 2.0),
        ("docker-stats/no-times.txt", 1, M::CpuCores, 0.4219),
        ("docker-stats/screen.log", 19, M::CpuCores, 0.6776),
    ]);
}

#[test]
fn times_and_capacity_are_found() {
    let one = read_fixture("docker-stats/one.log");
    // An empty block says when the first sample's time began; midnight is passed; the empty last block adds nothing.
    assert_eq!((one.time_seconds[0], one.time_seconds.len()), (2.012, 19));
    assert_eq!(one.capacity.memory_bytes, Some(15.5 * 1_073_741_824.0));
    assert!(one.warnings.is_empty(), "{:?}", one.warnings);
    assert_eq!(read_fixture("docker-stats/no-times.txt").time_seconds[..2], [2.0, 4.0]);
    assert_eq!(read_fixture("docker-stats/screen.log").time_seconds[..2], [1.0, 2.0]);
}

#[test]
fn a_time_may_stand_before_after_or_nowhere() {
    let (a, b, c) = (row("web", "10%"), row("web", "20%"), row("web", "30%"));
    let before = format!("1700000000\n{HEADER}{a}1700000002\n{HEADER}{b}1700000004\n{HEADER}{c}");
    let after = format!("{HEADER}{a}1700000000\n{HEADER}{b}1700000002\n{HEADER}{c}1700000004\n");
    let none = format!("{HEADER}{a}{HEADER}{HEADER}{b}{c}");
    for (text, times) in [(before, [2.0, 4.0, 6.0]), (after, [2.0, 4.0, 6.0]), (none, [1.0, 3.0, 4.0])] {
        let trace = plain(&text).unwrap();
        assert_eq!(trace.time_seconds, times, "{text}");
        assert_eq!(trace.node(M::CpuCores).unwrap(), [0.1, 0.2, 0.3], "{text}");
    }
}

#[test]
fn a_container_is_chosen() {
    let block = format!("{HEADER}{}{}", row("web", "1%"), row("db", "2%"));
    let text = format!("1700000000\n{block}1700000001\n{block}");
    let error = plain(&text).unwrap_err();
    assert_eq!((error.kind, error.choices.join(" ")), (ReadErrorKind::Several, "db web".to_owned()));
    assert_eq!(error.to_string(), "x: 2 containers in one file. Say which one.");
    assert_eq!(of_subject(&text, "web").unwrap().node(M::CpuCores).unwrap(), [0.01, 0.01]);
    assert!(of_subject(&text, "cache").unwrap_err().to_string().contains("is called so, saw \"cache\""));
}

#[test]
fn what_is_broken_is_said() {
    let starting = "               --     0.00%     0B / 0B             0.00%     0B / 0B   0B / 0B     0\n";
    let good = row("web", "1%");
    let text = format!("1700000000\n{HEADER}{starting}1700000001\n{HEADER}{good}1700000002\n{HEADER}{good}");
    assert!(plain(&text).unwrap().warnings.is_empty());
    let cut = format!("{text}1700000003\n{HEADER}abc123   web   1%   1Gi");
    let warnings = plain(&cut).unwrap().warnings;
    assert_eq!((warnings[0].kind, warnings[0].line), (WarningKind::RowsLeftOut, Some(12)));
    let unknown = format!("{text}1700000003\n{HEADER}{}", row("web", "--"));
    assert!(plain(&unknown).unwrap().node(M::CpuCores).unwrap()[2].is_nan());
    refused(&[
        (
            &format!("{HEADER}{}", row("web", "many")),
            "line 2, column CPU %: expected a number with its unit, saw \"many\"",
        ),
        (HEADER, "no container in it"),
    ]);
}

#[test]
fn rows_of_ones_own_format_need_no_header() {
    let rows = [
        ("web,1.50%,45.5MiB / 1.5GiB", "web,2.50%,46.5MiB / 1.5GiB"),
        ("web;1.50%;45.5MiB / 1.5GiB;2.96%", "web;2.50%;46.5MiB / 1.5GiB;3.03%"),
        (
            "\"web\",\"45.5MiB / 1.5GiB\",\"2.96%\",\"1.50%\"",
            "\"web\",\"46.5MiB / 1.5GiB\",\"3.03%\",\"2.50%\"",
        ),
        ("web\t1.50%\t45.5MiB / 1.5GiB\t1kB / 2kB", "web\t2.50%\t46.5MiB / 1.5GiB\t3kB / 2kB"),
        ("web: 1.50% 45.5MiB / 1.5GiB", "web: 2.50% 46.5MiB / 1.5GiB"),
        ("name,cpu,mem\nweb,1.50%,45.5MiB / 1.5GiB", "web,2.50%,46.5MiB / 1.5GiB"),
    ];
    for (first, second) in rows {
        let trace = plain(&format!("{first}\n{second}\n")).unwrap_or_else(|error| panic!("{first}: {error}"));
        assert_eq!(trace.format, "docker-stats", "{first}");
        assert_eq!(trace.node(M::CpuCores).unwrap(), [0.015, 0.025], "{first}");
        assert_eq!(trace.node(M::MemoryBytes).unwrap()[1], 46.5 * 1_048_576.0, "{first}");
        assert_eq!(trace.capacity.memory_bytes, Some(1536.0 * 1_048_576.0), "{first}");
        assert!(
            trace.node(M::NetworkReceiveBytesPerSecond).is_none(),
            "which of network and disk isn't said"
        );
    }
    let row = |time: &str, net: &str| format!("{time},web,1%,1GiB / 2GiB,50%,{net} / 0B,0B / 4MB,7\n");
    let all =
        row("2024-05-01 10:00:00", "1kB") + &row("2024-05-01 10:00:02", "5kB") + "2024-05-01 10:00:04,we";
    let trace = plain(&all).unwrap();
    assert_eq!(trace.time_seconds, [2.0, 4.0]);
    assert_eq!(trace.node(M::NetworkReceiveBytesPerSecond).unwrap()[1], 2000.0);
}

#[test]
fn podman_prints_a_list() {
    let object = |name: &str, cpu: &str| {
        format!(
            "{{\"id\":\"a1\",\"name\":\"{name}\",\"cpu_time\":\"1.2s\",\"cpu_percent\":\"{cpu}\",\"avg_cpu\":\"9%\",\
             \"mem_usage\":\"45.3MB / 16.5GB\",\"net_io\":\"1kB / 2kB\",\"block_io\":\"-- / --\",\"pids\":\"3\"}}"
        )
    };
    let list = |cpu: &str| format!("[{},{}]\n", object("web", cpu), object("db", "7%"));
    let pretty = |text: String| {
        text.replace('[', "[\n ")
            .replace(']', "\n]")
            .replace('{', "{\n  ")
            .replace('}', "\n }")
            .replace(",\"", ",\n  \"")
            .replace("},{", "},\n {")
    };
    let one_line = list("1%") + &list("3%");
    for text in [pretty(one_line.clone()), one_line] {
        let error = plain(&text).unwrap_err();
        assert_eq!(error.choices.join(" "), "db web", "{text}");
        let trace = of_subject(&text, "web").unwrap();
        assert_eq!(trace.node(M::CpuCores).unwrap(), [0.01, 0.03], "{text}");
        assert_eq!(trace.node(M::MemoryBytes).unwrap(), [45.3e6, 45.3e6]);
        assert_eq!(trace.capacity.memory_bytes, Some(16.5e9));
        assert!(
            trace.warnings.iter().all(|warning| warning.kind != WarningKind::RowsLeftOut),
            "{:?}",
            trace.warnings
        );
    }
}
