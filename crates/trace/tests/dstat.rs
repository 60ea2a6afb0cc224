//! The CSV of dstat and dool.

mod common;

use common::{assert_figures, fixture};
use cotrace_trace::Metric::{
    ContextSwitchesPerSecond, CpuCores, CpuIowaitCores, CpuSystemCores, CpuUserCores, DiskReadBytesPerSecond,
    DiskWriteBytesPerSecond, LoopbackBytesPerSecond, MemoryBytes, NetworkReceiveBytesPerSecond,
    NetworkTransmitBytesPerSecond, PageCacheBytes,
};
use cotrace_trace::{ReadError, ReadOptions, Trace, read};

const ABOUT: &str = "\"Dstat 0.7.3 CSV output\"\n\"Author:\",\"A\",,,,\"URL:\",\"u\"\n\
    \"Host:\",\"node\",,,,\"User:\",\"root\"\n\
    \"Cmdline:\",\"dstat -tcd --output x\",,,,\"Date:\",\"31 Dec 2024 23:59:58 UTC\"\n\n";
const HEADER: &str = "\"system\",\"total cpu usage\",,,,,,\"dsk/sda\",,\"dsk/sda1\",\n\
    \"time\",\"usr\",\"sys\",\"idl\",\"wai\",\"hiq\",\"siq\",\"dsk/sda:read\",\"dsk/sda:writ\",\"dsk/sda1:read\",\"dsk/sda1:writ\"\n";

fn read_text(text: &str) -> Result<Trace, ReadError> {
    read("x", text.as_bytes(), &ReadOptions::with_cores(4.0))
}

fn row(time: &str, usr: u32) -> String {
    format!("{time},{usr},5,80,10,3,2,1.5e3,200,1.5e3,200\n")
}

#[test]
fn figures_by_hand() {
    assert_figures(
        "dstat-csv",
        &[
            ("dstat.csv", CpuUserCores, 0, 0.90594 * 2.0),
            ("dstat.csv", CpuSystemCores, 0, 0.09406 * 2.0),
            ("dstat.csv", ContextSwitchesPerSecond, 0, 1395.0),
            ("dstat.csv", MemoryBytes, 0, 2_239_885_312.0),
            ("dstat.csv", PageCacheBytes, 0, 59_039_744.0 + 3_260_067_840.0),
            ("dstat-full.csv", CpuCores, 0, (0.90099 + 0.09901) * 2.0),
            ("dstat-full.csv", LoopbackBytesPerSecond, 0, 19225.0),
            ("dstat-full.csv", DiskReadBytesPerSecond, 0, 8192.0),
            ("dstat-twice.csv", DiskWriteBytesPerSecond, 3, 3_198_976.0),
            ("dstat-twice.csv", MemoryBytes, 4, 2_346_852_352.0),
            ("dstat-untimed.csv", DiskWriteBytesPerSecond, 0, 24576.0),
            // dool writes bits, unless it was told to write bytes.
            ("dool.csv", DiskReadBytesPerSecond, 0, 131_072.0 / 8.0),
            ("dool-more.csv", DiskReadBytesPerSecond, 0, 17_104_896.0 / 8.0),
            ("dool-more.csv", CpuUserCores, 0, 0.92611 * 2.0),
            ("dool-epoch.csv", DiskReadBytesPerSecond, 0, 16384.0),
            ("dool-epoch.csv", MemoryBytes, 0, 2_146_725_888.0),
        ],
    );
}

#[test]
fn times_come_with_the_year_of_the_head() {
    for (name, rows, first, start) in [
        ("dstat.csv", 14, 1.0, 1_796_073_723.0),
        ("dool.csv", 11, 1.0, 1_796_073_724.0),
        ("dool-more.csv", 9, 1.0, 1_796_073_724.0),
        ("dool-epoch.csv", 9, 1.006, 1_796_073_724.805),
    ] {
        let trace = read("x", &fixture(&format!("dstat-csv/{name}")), &ReadOptions::default()).unwrap();
        assert_eq!(trace.time_seconds.len(), rows, "{name}");
        assert_eq!(trace.time_seconds[0], first, "{name}");
        assert_eq!(trace.start_unix_seconds, Some(start), "{name}");
    }
}

#[test]
fn new_year_and_the_disk_that_partitions_repeat() {
    let rows = [row("31-12 23:59:58", 90), row("31-12 23:59:59", 20), row("01-01 00:00:01", 40)].concat();
    // With the year of the head, and without a head.
    for (text, start) in [
        (format!("{ABOUT}{HEADER}{rows}"), Some(1_735_689_598.0)),
        (format!("{HEADER}{rows}"), None),
        (format!("{HEADER}{}", rows.replace("31-12", "Dec-31").replace("01-01", "Jan-01")), None),
    ] {
        let trace = read_text(&text).unwrap();
        assert_eq!(trace.time_seconds, [1.0, 3.0]);
        assert_eq!(trace.start_unix_seconds, start);
        for (metric, wanted) in [
            (CpuCores, 4.0 * 0.30),
            (CpuIowaitCores, 0.4),
            (DiskReadBytesPerSecond, 1500.0),
            (DiskWriteBytesPerSecond, 200.0),
        ] {
            assert!((trace.node(metric).unwrap()[0] - wanted).abs() < 1e-9, "{metric:?}");
        }
    }
}

#[test]
fn interfaces_without_a_total() {
    let text = "\"Dstat 0.8.0 CSV output\"
\"epoch\",\"cpu0 usage\",,,\"cpu1 usage\",,,\"net/eth0\",,\"net/lo\",\n\
        \"epoch\",\"usr\",\"sys\",\"idl\",\"usr\",\"sys\",\"idl\",\"recv\",\"send\",\"recv\",\"send\"\n\
        1700000000.1,0,0,0,0,0,0,9,9,9,9\n1700000001.1,50,0,50,25,25,50,100,200,7,7\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
    for (metric, wanted) in [
        (CpuCores, 1.0),
        (CpuSystemCores, 0.25),
        (NetworkReceiveBytesPerSecond, 100.0),
        (NetworkTransmitBytesPerSecond, 200.0),
        (LoopbackBytesPerSecond, 7.0),
    ] {
        assert_eq!(trace.node(metric).unwrap(), [wanted], "{metric:?}");
    }
}

#[test]
fn a_restart_changes_the_columns() {
    let trace = read("x", &fixture("dstat-csv/dstat-twice.csv"), &ReadOptions::with_cores(2.0)).unwrap();
    // Neither of the two averages since boot is a sample.
    assert_eq!(trace.time_seconds, [1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    assert!(trace.node(MemoryBytes).unwrap()[..4].iter().all(|value| value.is_nan()));
    assert!(trace.warnings[0].message.starts_with("The tool was started anew"));
}

#[test]
fn broken_files_are_named() {
    let head = format!("{ABOUT}{HEADER}{}", row("31-12 10:00:00", 1));
    let cases = [
        (
            row("31-12 10:00:01", 1).replace("80", "x"),
            "x, line 9, column total cpu usage:idl: expected a number, saw \"x\"",
        ),
        (
            row("noon", 1),
            "x, line 9, column time: expected a date and time, saw \"noon\". Record with -t or -T, and without DSTAT_TIMEFMT.",
        ),
    ];
    for (rows, wanted) in cases {
        assert_eq!(read_text(&format!("{head}{rows}")).expect_err(wanted).to_string(), wanted);
    }
    let good = format!("{}{}", row("31-12 10:00:01", 1), row("31-12 10:00:02", 1));
    for (rows, wanted) in [
        (format!("{good}31-12 10:00:03,1,5"), "The last line is cut off; it was left out."),
        (format!("31-12,1\n{good}"), "line 9: Left out 1 row with fewer cells than the header has."),
    ] {
        let trace = read_text(&format!("{head}{rows}")).unwrap();
        assert_eq!(trace.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(), [wanted]);
    }
}

#[test]
fn the_tool_of_pcp_has_units_of_its_own() {
    assert_figures(
        "dstat-csv",
        &[
            ("pcp-dstat.csv", CpuUserCores, 0, 0.94328 * 2.0),
            ("pcp-dstat.csv", CpuSystemCores, 0, 0.06354 * 2.0),
            ("pcp-dstat.csv", MemoryBytes, 0, 1_355_440.0 * 1024.0),
            ("pcp-dstat.csv", PageCacheBytes, 0, (107_684.0 + 7_349_540.0) * 1024.0),
            ("pcp-dstat.csv", DiskReadBytesPerSecond, 2, 2527.514 * 1024.0),
            ("pcp-dstat.csv", DiskWriteBytesPerSecond, 2, 39.992 * 1024.0),
            ("pcp-dstat.csv", ContextSwitchesPerSecond, 9, 1122.0),
            ("pcp-dstat-epoch.csv", NetworkReceiveBytesPerSecond, 1, 914.388),
            ("pcp-dstat-epoch.csv", LoopbackBytesPerSecond, 1, 1_037_036.9),
            ("pcp-dstat-full.csv", CpuCores, 2, (0.84101 + 0.14692 + 0.00507) * 2.0),
            ("pcp-dstat-full.csv", MemoryBytes, 0, 2_463_080.0 * 1024.0),
            ("pcp-dstat-full.csv", LoopbackBytesPerSecond, 0, 389.937),
            ("pcp-dstat-untimed.csv", DiskReadBytesPerSecond, 1, 5038.218 * 1024.0),
        ],
    );
    // The first row of rates that aren't known yet is no sample; seconds that are rounded make no two of one.
    for (name, times, start) in [
        ("pcp-dstat.csv", (1..=10).map(f64::from).collect::<Vec<f64>>(), Some(1_796_077_613.0)),
        ("pcp-dstat-epoch.csv", (1..=8).map(f64::from).collect(), Some(1_796_077_373.0)),
        ("pcp-dstat-full.csv", vec![1.0, 2.0, 3.0], None),
        ("pcp-dstat-untimed.csv", vec![2.0, 4.0, 6.0, 8.0, 10.0], None),
    ] {
        let trace = read("x", &fixture(&format!("dstat-csv/{name}")), &ReadOptions::with_cores(2.0)).unwrap();
        assert_eq!((trace.time_seconds, trace.start_unix_seconds), (times, start), "{name}");
        assert!(trace.warnings.is_empty(), "{name}: {:?}", trace.warnings);
    }
    let full = read("x", &fixture("dstat-csv/pcp-dstat-full.csv"), &ReadOptions::default()).unwrap();
    assert_eq!(full.capacity.cores, Some(2.0));
    assert_eq!(full.capacity.memory_bytes, Some(24_684_092.0 * 1024.0));
    // Switches are counted from row to row, and how long that was isn't certain.
    let untimed = read("x", &fixture("dstat-csv/pcp-dstat-untimed.csv"), &ReadOptions::default()).unwrap();
    assert!(untimed.node(ContextSwitchesPerSecond).is_none());
}

#[test]
fn rows_of_pcp_with_a_group_without_figures_are_left_out() {
    let head = "\"pcp-dstat 6.0.3 CSV Output\"\n\"Cmdline:\",\"pcp-dstat -o x -Tnd 1\",,,,\"Date:\",\"30 Nov 2026 22:26:53 UTC\"\n\
        \"epoch\",\"net/total\",,\"dsk/total\",\n\
        \"epoch\",\"net/total:recv\",\"net/total:send\",\"dsk/total:read\",\"dsk/total:writ\"\n";
    let text = format!(
        "{head}1700000000,,\n1700000001,1,2,3,4\n1700000002,,5,6\n1700000003,7,8,9,10,\"missed 2 ticks\"\n"
    );
    let trace = read_text(&text).unwrap();
    assert_eq!(trace.time_seconds, [1.0, 3.0]);
    assert_eq!(trace.node(DiskReadBytesPerSecond).unwrap(), [3072.0, 9216.0]);
    assert_eq!(trace.warnings.len(), 1, "{:?}", trace.warnings);
}

#[test]
fn the_command_line_says_the_step_and_whether_all_cpus_are_there() {
    let cases: &[(&str, f64, Option<f64>)] = &[
        ("dstat -cd --output x", 1.0, None),
        ("dstat -cd --output x 5", 5.0, None),
        ("dstat -cd 5 10 --output x", 1.0, None),
        ("dstat -f --output x 2 100", 2.0, Some(2.0)),
        ("dstat -af --output x 0.5", 0.5, Some(2.0)),
        ("dstat -f -cC 0,1 3", 3.0, None),
        ("dstat -cdC 0 3 4", 3.0, None),
        ("dstat -cdC total,all 3 4", 3.0, Some(2.0)),
        ("dstat --output 7 3", 3.0, None),
        ("/usr/bin/dool --full --bytes 10", 10.0, Some(2.0)),
    ];
    let mut wrong = Vec::new();
    for (command, step, cores) in cases {
        let text = format!(
            "\"Dstat 0.7.2 CSV output\"\n\"Cmdline:\",\"{command}\",,,,\"Date:\",\"31 Dec 2024 23:59:58 UTC\"\n\
            \"cpu0 usage\",,,\"cpu1 usage\",,\n\"usr\",\"sys\",\"idl\",\"usr\",\"sys\",\"idl\"\n\
            0,0,100,0,0,100\n1,0,99,2,0,98\n1,0,99,2,0,98\n"
        );
        let trace = read("x", text.as_bytes(), &ReadOptions::default()).unwrap();
        if trace.time_seconds[0] != *step || trace.step_assumed || trace.capacity.cores != *cores {
            wrong.push((command, trace.time_seconds, trace.capacity.cores));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn both_kinds_of_memory_and_a_second_total_count_once() {
    let text = "\"Dstat 0.8.0 CSV output\"
\"epoch\",\"memory usage\",,,,\"advanced memory usage\",,,,,,,,\"dsk/total\",,\"dsk/total\",\n\
        \"epoch\",\"used\",\"free\",\"buff\",\"cach\",\"total\",\"used\",\"free\",\"buff\",\"cach\",\"dirty\",\"shmem\",\"recl\",\"read\",\"writ\",\"read\",\"writ\"\n\
        1700000000.1,1,2,3,4,90,1,2,3,4,5,6,7,1,1,1,1\n1700000001.1,10,20,30,40,110,10,20,30,40,0,0,10,5,6,7,8\n\
        1700000002.1,10,20,30,40,110,10,20,30,40,0,0,10,5,6,7,8\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(trace.capacity.memory_bytes, Some(110.0));
    for (metric, wanted) in
        [(MemoryBytes, 10.0), (DiskReadBytesPerSecond, 5.0), (DiskWriteBytesPerSecond, 6.0)]
    {
        assert_eq!(trace.node(metric).unwrap(), [wanted; 2], "{metric:?}");
    }
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn a_spreadsheet_may_have_written_it_again() {
    let rows = [row("31-12 10:00:00", 1), row("31-12 10:00:01", 20), row("31-12 10:00:02", 40)].concat();
    let text = format!("{ABOUT}{HEADER}{rows}");
    let (trace, semicolons) =
        (read_text(&text).unwrap(), read_text(&text.replace(',', ";").replace("1.5e3", "1500,0")));
    assert_eq!(common::difference(&trace, &semicolons.unwrap()), None);
    let bare = format!("{HEADER}{rows}").replace('"', "");
    assert_eq!(read_text(&bare).unwrap().format, "dstat-csv");
}

#[test]
fn a_head_without_rows_says_why() {
    let text = "\"Dstat 0.8.0 CSV output\"\n\"Cmdline:\",\"dstat -c 1\",,,,\"Date:\",\"31 Dec 2024 23:59:58 UTC\"\n\
        \"total cpu usage\",,\n\"usr\",\"sys\",\"idl\"\n";
    let error = read_text(text).unwrap_err().to_string();
    assert_eq!(
        error,
        "x: no samples in it. The dstat of some distributions stops before its first row: record with dool or pcp dstat."
    );
    assert_eq!(read_text(&format!("{text}1,1,98\n")).unwrap_err().to_string(), "x: no samples in it");
}
