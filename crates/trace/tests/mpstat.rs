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
    let json = r#"{"sysstat": {"hosts": [{"statistics": [{"timestamp": "10:00:00", "cpu-load": [{"cpu": "0", "usr": 1}]}]}]}}"#;
    let error = read_text(json).unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::NoRows);
    assert_eq!(error.to_string(), "x: the CPU \"all\" isn't in it. Record all: mpstat -P ALL -o JSON 1.");
}
