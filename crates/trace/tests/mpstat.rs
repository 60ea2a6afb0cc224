//! What mpstat prints, and its JSON.

mod common;

use common::assert_figures;
use cotrace_trace::Metric::{CpuCores, CpuIowaitCores, CpuSystemCores, CpuUserCores};
use cotrace_trace::{ReadErrorKind, ReadOptions, Trace, read};

const BANNER: &str = "Linux 6.1.0 (node) \t11/30/26 \t_x86_64_\t(4 CPU)\n\n";
const NAMES: &str = "CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle";

fn read_text(text: &str) -> Result<Trace, cotrace_trace::ReadError> {
    read("x", text.as_bytes(), &ReadOptions::default())
}

#[test]
fn figures_by_hand() {
    assert_figures(
        "mpstat",
        &[
            ("mpstat.txt", CpuUserCores, 1, (0.37 + 0.5) * 2.0),
            ("mpstat.txt", CpuSystemCores, 1, (0.12 + 0.005) * 2.0),
            ("mpstat.txt", CpuIowaitCores, 1, 0.005 * 2.0),
            ("mpstat.txt", CpuCores, 3, (0.46 + 0.44 + 0.095 + 0.005) * 2.0),
            // All CPUs, not the single ones besides.
            ("mpstat-A.txt", CpuCores, 0, (0.2079 + 0.5891 + 0.2030) * 2.0),
            ("mpstat-NALL.txt", CpuCores, 0, (0.2069 + 0.5911 + 0.2020) * 2.0),
            ("mpstat-PALL-12h.txt", CpuIowaitCores, 1, 0.005 * 2.0),
            ("mpstat-de.txt", CpuUserCores, 0, (0.2886 + 0.5448) * 2.0),
            // The sum of both.
            ("mpstat-P01.txt", CpuUserCores, 0, 0.2376 + 0.604 + 0.1765 + 0.5784),
            ("mpstat.json", CpuIowaitCores, 1, 0.005 * 2.0),
            ("mpstat-A.json", CpuUserCores, 0, (0.2069 + 0.5911) * 2.0),
        ],
    );
}

#[test]
fn the_header_says_when_the_run_began() {
    for (name, rows, seconds) in
        [("mpstat.txt", 10, 10.0), ("mpstat-de.txt", 5, 10.0), ("mpstat-A.txt", 4, 4.0)]
    {
        let trace = read("x", &common::fixture(&format!("mpstat/{name}")), &ReadOptions::default()).unwrap();
        assert_eq!((trace.time_seconds.len(), trace.duration_seconds()), (rows, seconds), "{name}");
        assert_eq!(trace.start_unix_seconds, Some(1_796_073_544.0), "{name}");
        assert_eq!(trace.capacity.cores, Some(2.0), "{name}");
        assert!(trace.warnings.is_empty(), "{name}: {:?}", trace.warnings);
    }
}

#[test]
fn some_cpus_are_not_the_node() {
    let row = |time, cpu| format!("{time} {cpu} 10.0 0.0 5.0 0.0 0.0 0.0 0.0 0.0 0.0 85.0\n");
    let text = format!(
        "{BANNER}23:59:58 {NAMES}\n{}{}\n23:59:59 {NAMES}\n{}{}\nAverage: {NAMES}\n{}",
        row("23:59:59", 1),
        row("23:59:59", 3),
        row("00:00:00", 1),
        row("00:00:00", 3),
        row("Average:", 1)
    );
    let trace = read_text(&text).unwrap();
    assert_eq!(trace.time_seconds, [1.0, 2.0]);
    assert!((trace.node(CpuCores).unwrap()[1] - 0.3).abs() < 1e-9);
    assert_eq!(trace.warnings[0].message, "Only 2 of the node's 4 CPUs are in the file.");
}

#[test]
fn topology_moves_the_columns() {
    let names = NAMES.replace("CPU", "CPU CORE SOCK NODE");
    let text = format!(
        "{BANNER}10:00:00 {names}\n10:00:01 all          25.0 0 0 0 0 0 0 0 0 75.0\n\
         10:00:01   0    0    0    0 99.0 0 0 0 0 0 0 0 0 1.0\n10:00:02 all          50.0 0 0 0 0 0 0 0 0 50.0\n"
    );
    assert_eq!(read_text(&text).unwrap().node(CpuCores).unwrap(), [1.0, 2.0]);
}

#[test]
fn sar_is_not_taken_for_it() {
    let sar = format!(
        "{BANNER}10:00:00        CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    \
         %gnice     %idle\n10:00:01        all 1 0 0 0 0 0 0 0 0 99\n10:00:02        all 1 0 0 0 0 0 0 0 0 99\n"
    );
    assert_ne!(read_text(&sar).map(|trace| trace.format).unwrap_or_default(), "mpstat");
}

#[test]
fn broken_files_are_named() {
    let head = format!("{BANNER}10:00:00 {NAMES}\n");
    let error = read_text(&format!("{head}10:00:01 all 1 0 x 0 0 0 0 0 0 99\n")).unwrap_err();
    assert_eq!(error.to_string(), "x, line 4, column %sys: expected a number, saw \"x\"");
    let text = format!(
        "{head}10:00:01 all 1 0 0 0 0 0 0 0 0 99\nlost\n10:00:02 all 1 0 0 0 0 0 0 0 0 99\n10:00:03 all 1"
    );
    let trace = read_text(&text).unwrap();
    assert_eq!(trace.time_seconds, [1.0, 2.0]);
    assert_eq!(trace.warnings[0].to_string(), "line 5: Left out 2 lines that can't be read.");
    let json = r#"{"sysstat": {"hosts": [{"statistics": [{"timestamp": "10:00:00", "cpu-load": []}]}]}}"#;
    let error = read_text(json).unwrap_err();
    assert_eq!((error.kind, error.to_string().as_str()), (ReadErrorKind::NoRows, "x: no samples in it"));
}

#[test]
fn json_of_some_cpus_is_added_up() {
    let element = |time: &str, usr: [u32; 2]| {
        format!(
            r#"{{"timestamp": "{time}", "cpu-load": [
                {{"cpu": "0", "usr": {}.00, "sys": 5.00, "idle": 0.00}},
                {{"cpu": "1", "usr": {}.00, "sys": 5.00, "idle": 0.00}}]}}"#,
            usr[0], usr[1]
        )
    };
    let text = |cores: u32| {
        format!(
            r#"{{"sysstat": {{"hosts": [{{"nodename": "node", "number-of-cpus": {cores}, "date": "2024-05-01",
                "statistics": [{}, {}]}}]}}}}"#,
            element("10:00:01", [10, 20]),
            element("10:00:02", [30, 40])
        )
    };
    for (cores, warnings) in [(2, 0), (4, 1)] {
        let trace = read_text(&text(cores)).unwrap();
        let cpu = trace.node(CpuCores).unwrap();
        assert!((cpu[0] - 0.4).abs() < 1e-9 && (cpu[1] - 0.8).abs() < 1e-9, "{cpu:?}");
        assert_eq!(trace.time_seconds, [1.0, 2.0]);
        assert_eq!(trace.warnings.len(), warnings, "{:?}", trace.warnings);
    }
}

#[test]
fn one_sample_needs_a_step() {
    let json = r#"{"sysstat": {"hosts": [{"number-of-cpus": 2, "date": "2024-05-01", "statistics": [
        {"timestamp": "10:00:10", "cpu-load": [{"cpu": "all", "usr": 50.00, "idle": 50.00}]}]}]}}"#;
    let error = read_text(json).unwrap_err();
    assert_eq!(&*error.problem, "only one sample in it");
    let options = ReadOptions { step_seconds: Some(10.0), ..ReadOptions::default() };
    let trace = read("x", json.as_bytes(), &options).unwrap();
    assert_eq!((trace.time_seconds.as_slice(), trace.node(CpuCores).unwrap()), (&[10.0][..], &[1.0][..]));
    assert_eq!(trace.start_unix_seconds, Some(1_714_557_600.0));
    // As a text, the header says when it began.
    let text = format!(
        "{BANNER}10:00:00 {NAMES}\n10:00:10 all 25 0 0 0 0 0 0 0 0 75\nAverage: all 25 0 0 0 0 0 0 0 0 75\n"
    );
    assert_eq!(read_text(&text).unwrap().time_seconds, [10.0]);
}

#[test]
fn what_a_terminal_adds_is_no_loss() {
    let rows = "10:00:01 all 25 0 0 0 0 0 0 0 0 75\n10:00:02 all 50 0 0 0 0 0 0 0 0 50\n";
    let text = format!(
        "[user@node runs]$ mpstat 1\n{BANNER}10:00:00 {NAMES}\n{rows}^C\n\nAverage: all 1\n[user@node runs]$ \n"
    );
    let trace = read_text(&text).unwrap();
    assert_eq!(trace.node(CpuCores).unwrap(), [1.0, 2.0]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn clocks_of_any_locale_are_read() {
    for (locale, date, clock) in [
        ("ja_JP", "2024年05月01日", ["22時35分56秒", "22時35分57秒", "22時35分58秒"]),
        ("ko_KR", "2024년 05월 01일", ["22시 35분 56초", "22시 35분 57초", "22시 35분 58초"]),
        ("fi_FI", "01.05.2024", ["22.35.56", "22.35.57", "22.35.58"]),
        ("el_GR", "2024-05-01", ["10:35:56 μμ", "10:35:57 μμ", "10:35:58 μμ"]),
        ("hi_IN", "2024-05-01", ["10:35:56 अपराह्न IST", "10:35:57 अपराह्न IST", "10:35:58 अपराह्न IST"]),
        ("en_IN", "2024-05-01", ["10:35:56 PM IST", "10:35:57 PM IST", "10:35:58 PM IST"]),
    ] {
        let text = format!(
            "Linux 6.1.0 (node) \t{date} \t_x86_64_\t(4 CPU)\n\n{} {NAMES}\n{} all 25,0 0 0 0 0 0 0 0 0 75,0\n{} all 50,0 0 0 0 0 0 0 0 0 50,0\n",
            clock[0], clock[1], clock[2]
        );
        let element = |clock: &str, usr: u32| {
            format!(
                r#"{{"timestamp": "{clock}", "cpu-load": [{{"cpu": "all", "usr": {usr}.00, "idle": 0.00}}]}}"#
            )
        };
        let json = format!(
            r#"{{"sysstat": {{"hosts": [{{"number-of-cpus": 4, "date": "2024-05-01", "statistics": [{}, {}]}}]}}}}"#,
            element(clock[1], 25),
            element(clock[2], 50)
        );
        for text in [text, json] {
            let trace = read_text(&text).unwrap_or_else(|error| panic!("{locale}: {error}"));
            assert_eq!(trace.node(CpuCores).unwrap(), [1.0, 2.0], "{locale}");
            assert_eq!(trace.time_seconds, [1.0, 2.0], "{locale}");
            // 2024-05-01 22:35:56.
            assert_eq!(trace.start_unix_seconds, Some(1_714_602_956.0), "{locale}");
        }
    }
}
