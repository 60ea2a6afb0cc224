//! What `collectl -P` writes.

mod common;

use common::{assert_values, fixture, read_text, warnings};
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, Trace, read};

fn read_fixture(name: &str) -> Trace {
    let trace = read(name, &fixture(&format!("collectl/{name}")), &ReadOptions::default()).unwrap();
    assert_eq!(trace.format, "collectl");
    trace
}

const KIB: f64 = 1024.0;

#[test]
fn figures_are_those_of_the_file() {
    use Metric as M;
    let terminal = read_fixture("terminal.txt");
    let cases = [
        (0, M::CpuCores, 1.98),
        (0, M::CpuUserCores, 1.14),
        (0, M::CpuSystemCores, 0.84),
        (0, M::CpuIowaitCores, 0.0),
        (0, M::ContextSwitchesPerSecond, 9086.0),
        (
            0,
            M::MemoryBytes,
            (24_684_092.0 - 21_545_788.0 - 275_116.0 - 1_582_220.0 - (296_972.0 - 33_620.0)) * KIB,
        ),
        (0, M::PageCacheBytes, (275_116.0 + 1_582_220.0 + 296_972.0 - 33_620.0) * KIB),
        (0, M::DiskReadBytesPerSecond, 13_889.0 * KIB),
        (0, M::DiskWriteBytesPerSecond, 28.0 * KIB),
        (0, M::NetworkReceiveBytesPerSecond, 0.0),
    ];
    assert_values("terminal.txt", &terminal, &cases);
    assert_eq!(terminal.time_seconds, (1..=25).map(f64::from).collect::<Vec<_>>());
    assert_eq!(terminal.capacity.memory_bytes, Some(24_684_092.0 * KIB));
    assert_eq!(terminal.warnings.len(), 1, "{:?}", terminal.warnings);
    assert!(terminal.cores_assumed());

    let devices = read_fixture("devices.csv");
    let cases = [
        (6, M::LoopbackBytesPerSecond, 18_665.0 * KIB),
        (6, M::DiskReadBytesPerSecond, 1067.0 * KIB),
        (6, M::DiskWriteBytesPerSecond, 64_089.0 * KIB),
        (6, M::NetworkTransmitBytesPerSecond, 0.0),
        (6, M::CpuCores, 2.0),
    ];
    assert_values("devices.csv", &devices, &cases);
    assert_eq!(devices.capacity.cores, Some(2.0));
    assert!((devices.time_seconds[1] - devices.time_seconds[0] - 1.001).abs() < 1e-6);
    assert!(devices.warnings.is_empty(), "{:?}", devices.warnings);

    // Of single devices only: the cores add up.
    let details = read_fixture("details-utc.txt");
    let cases = [
        (0, M::CpuCores, 2.0),
        (0, M::CpuUserCores, 1.94),
        (0, M::CpuSystemCores, 0.06),
        (1, M::DiskReadBytesPerSecond, 24.0 * KIB),
        (1, M::DiskWriteBytesPerSecond, 122_888.0 * KIB),
        (2, M::LoopbackBytesPerSecond, 38_298.0 * KIB),
    ];
    assert_values("details-utc.txt", &details, &cases);
    assert_eq!(details.time_seconds[..3], [0.5, 1.0, 1.502]);
    assert_eq!(details.capacity.cores, Some(2.0));

    let file = read_fixture("file.tab");
    assert_eq!((file.capacity.cores, file.capacity.memory_bytes), (Some(2.0), Some(24_684_092.0 * KIB)));
    assert_values("file.tab", &file, &[(1, M::DiskWriteBytesPerSecond, 60_870.0 * KIB)]);
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
}

const COMMENTS: &str = "################\n# Collectl:   V4.3.1-1  HiRes: 1  Options: -sc \n\
    # SubSys:     c Options:  Interval: 5:60 NumCPUs: 8  NumBud: 0 Flags: i\n################\n";
const HEAD: &str =
    "#Date Time [CPU]User% [CPU]Sys% [DSK:sda]Name [DSK:sda]RKBytes [DSK:dm-0]Name [DSK:dm-0]RKBytes\n";

#[test]
fn a_restart_leaves_a_gap() {
    let text = format!(
        "{COMMENTS}{HEAD}20240501 10:00:05 10 5 sda 7 dm-0 7\n20240501 10:00:10 20 5 sda 9 dm-0 9\n\
         {COMMENTS}{HEAD}20240501 11:00:00 50 0 sda 1 dm-0 1\n20240501 11:00:05 50 0 sda 1 dm-0 1\nOuch!\n"
    );
    let trace = read_text(&text);
    assert_eq!(trace.time_seconds, [5.0, 10.0, 3595.0, 3600.0, 3605.0]);
    let cases = [
        (0, Metric::CpuCores, 1.2),
        (3, Metric::CpuCores, 4.0),
        (1, Metric::DiskReadBytesPerSecond, 9.0 * KIB),
    ];
    assert_values("restart", &trace, &cases);
    assert!(trace.node(Metric::CpuCores).unwrap()[2].is_nan());
    assert_eq!(warnings(&trace), ["line 9: collectl was started anew in the middle of the file."]);
}

#[test]
fn broken_rows_are_left_out_or_named() {
    let rows = "20240501 23:59:59 10 5 sda 7 dm-0 7\n20240502 00:00:00 20 5 sda 9 dm-0 9\n";
    let trace = read_text(&format!(
        "waiting for 1 second sample...\n{COMMENTS}{HEAD}20240501 23:59:58 1 5\n{rows}20240502 00"
    ));
    assert_eq!(trace.time_seconds, [1.0, 2.0]);
    let wanted = [
        "line 10: The last line is cut off; it was left out.",
        "line 7: Left out 1 line with fewer cells than the header.",
    ];
    let mut said = warnings(&trace);
    said.sort();
    assert_eq!(said, wanted);

    let cases = [
        (
            "20240501 23:59:58 x 5 sda 7 dm-0 7",
            ReadErrorKind::BadNumber,
            "x, line 2, column [CPU]User%: expected a number, saw \"x\"",
        ),
        (
            "20240501 23:59 1 5 sda 7 dm-0 7",
            ReadErrorKind::BadTime,
            "x, line 2: expected a time such as 20240501 13:05:09, saw \"20240501 23:59\"",
        ),
    ];
    for (row, kind, message) in cases {
        let error =
            read("x", format!("{HEAD}{row}\n{rows}").as_bytes(), &ReadOptions::default()).expect_err(row);
        assert_eq!((error.to_string().as_str(), error.kind), (message, kind), "{row}");
    }
    let error = read("x", COMMENTS.as_bytes(), &ReadOptions::default()).expect_err("no header");
    let wanted = "x: no header line #Date Time [CPU]User% …. Record with collectl -P -scdmn; what -f has recorded, play back with \
         collectl -P -scdmn -p FILE.";
    assert_eq!(error.to_string(), wanted);
    // What collectl prints for people, brief and verbose.
    for text in [
        "waiting for 1 second sample...\n#<--------CPU--------><----------Disks----------->\n#cpu sys inter  ctxsw KBRead\n 1 2 3 4 5\n",
        "\n### RECORD    1 >>> node <<< (1796077835.611) (Mon Nov 30 22:30:35 2026) ###\n\n# CPU SUMMARY\n 1 2 3\n",
    ] {
        let error = read("x", text.as_bytes(), &ReadOptions::default()).expect_err(text);
        assert_eq!(error.to_string(), wanted, "{text}");
    }
}

#[test]
fn dates_without_a_year_have_the_month_first() {
    let rows = "12/05 23:59:59 10 5 sda 7 dm-0 7\n12/06 00:00:00 20 5 sda 9 dm-0 9\n";
    let trace = read_text(&format!("{HEAD}{rows}"));
    assert_eq!((trace.time_seconds.as_slice(), trace.start_unix_seconds), (&[1.0, 2.0][..], None));
    let date = "# Date:       20241205-235950  Secs: 1733443190 TZ: +0000\n";
    let trace = read_text(&format!("# Collectl:   V4\n{date}{HEAD}{rows}"));
    assert_eq!(trace.start_unix_seconds, Some(1_733_443_198.0));
}
