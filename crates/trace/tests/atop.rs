//! What `atop -P` writes.

mod common;

use common::{assert_values, fixture, read_text, warnings};
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, Trace, read};

fn read_fixture(name: &str) -> Trace {
    let trace = read(name, &fixture(&format!("atop/{name}")), &ReadOptions::default()).unwrap();
    assert_eq!(trace.format, "atop");
    trace
}

const PAGE: f64 = 4096.0;

#[test]
fn figures_are_those_of_the_file() {
    use Metric as M;
    let devices = read_fixture("devices.txt");
    let cases = [
        (0, M::CpuCores, 2.0 * 200.0 / 201.0),
        (0, M::CpuUserCores, 2.0 * (95.0 + 59.0) / 201.0),
        (0, M::CpuSystemCores, 2.0 * 46.0 / 201.0),
        (0, M::CpuIowaitCores, 0.0),
        (0, M::MemoryBytes, (6_171_023.0 - 5_515_522.0 - 345_931.0 - 68_572.0 - 64_264.0) * PAGE),
        (0, M::PageCacheBytes, (345_931.0 + 68_572.0 + 64_264.0) * PAGE),
        (0, M::DiskReadBytesPerSecond, 15_976.0 * 512.0),
        (0, M::DiskWriteBytesPerSecond, 13_808.0 * 512.0),
        (0, M::NetworkReceiveBytesPerSecond, 3_242_441.0),
        (0, M::NetworkTransmitBytesPerSecond, 2935.0),
        (0, M::CpuPressureRatio, 0.974_567),
        (0, M::IoPressureRatio, 0.023_855),
        (0, M::MemoryPressureRatio, 0.0),
    ];
    assert_values("devices.txt", &devices, &cases);
    // The first sample speaks of all the time since boot; it ends at 2026-11-30 21:17:49.
    assert_eq!(devices.time_seconds, (1..=24).map(f64::from).collect::<Vec<_>>());
    assert_eq!(devices.start_unix_seconds, Some(1_796_073_469.0));
    assert_eq!(devices.capacity.cores, Some(2.0));
    assert_eq!(devices.capacity.memory_bytes, Some(6_171_023.0 * PAGE));
    assert!(devices.warnings.is_empty(), "{:?}", devices.warnings);

    let cpl = read_fixture("cpl.txt");
    assert_values("cpl.txt", &cpl, &[(0, M::ContextSwitchesPerSecond, 8672.0)]);
    let all = read_fixture("all.txt");
    assert_eq!(all.time_seconds, [2.0, 4.0, 6.0, 8.0]);
}

/// A sample of two CPUs and two disks.
fn sample(second: u32, interval: u32, busy: u32) -> String {
    let head = format!("node {} 2024/05/01 10:00:00 {interval}", 1_714_557_600 + second);
    let idle = 200 * interval - busy;
    format!(
        "CPU {head} 100 2 0 {busy} 0 {idle} 0 0 0 0 {busy} 1000 100 0 0\nMEM {head} 4096 1000 400 200 100 50 0\n\
         LVM {head} vg-root 9 9 9999 9 9999\nDSK {head} sda 9 10 400 10 80\nDSK {head} sdb 9 10 200 10 0\nSEP\n"
    )
}

#[test]
fn older_versions_disks_and_guests() {
    let text = format!("{}{}", sample(0, 2, 100), sample(2, 2, 300));
    let trace = read_text(&text);
    let cases = [
        // Guests are user code already.
        (0, Metric::CpuCores, 0.5),
        (1, Metric::CpuCores, 1.5),
        (0, Metric::MemoryBytes, 300.0 * PAGE),
        // 600 sectors in 2 seconds; the volume repeats its disk.
        (0, Metric::DiskReadBytesPerSecond, 300.0 * 512.0),
        (0, Metric::DiskWriteBytesPerSecond, 40.0 * 512.0),
    ];
    assert_values("older", &trace, &cases);
    assert_eq!(trace.time_seconds, [2.0, 4.0]);
}

#[test]
fn a_restart_leaves_a_gap() {
    let text = format!(
        "RESET\n{}{}{}RESET\n{}{}",
        sample(0, 500, 9),
        sample(1, 1, 100),
        sample(2, 1, 100),
        sample(60, 20, 9),
        sample(61, 1, 200)
    );
    let trace = read_text(&text);
    assert_eq!(trace.time_seconds, [1.0, 2.0, 60.0, 61.0]);
    let cpu = trace.node(Metric::CpuCores).unwrap();
    assert!(cpu[2].is_nan() && cpu[3] == 2.0, "{cpu:?}");
    // Memory is what it is at the time.
    assert_values("restart", &trace, &[(2, Metric::MemoryBytes, 300.0 * PAGE)]);
    assert_eq!(
        warnings(&trace),
        ["line 21: atop or the machine was started anew in the middle of the file."]
    );
}

#[test]
fn garbled_lines_are_left_out_and_broken_ones_named() {
    let (first, second) = (sample(0, 1, 100), sample(1, 1, 200));
    let trace = read_text(&format!("{first}CPU node 17145\nError: no such thing\n{second}"));
    assert_eq!(trace.time_seconds.len(), 2);
    assert_eq!(warnings(&trace), ["line 7: Left out 1 line with too few fields."]);
    let trace = read_text(&format!("{first}{second}CPU node 17145"));
    assert_eq!(warnings(&trace), ["line 13: The last line is cut off; it was left out."]);

    let cases = [
        (
            "DSK node 1714557602 2024/05/01 10:00:02 1 sda 9 9 x 9 9",
            ReadErrorKind::BadNumber,
            "x, line 13, column DSK: expected a number, saw \"x\"",
        ),
        (
            "MEM node noon 2024/05/01 10:00:02 1 4096 1 1 1 1",
            ReadErrorKind::BadTime,
            "x, line 13, column MEM: expected seconds since 1970, saw \"noon\"",
        ),
    ];
    for (line, kind, message) in cases {
        let text = format!("{first}{second}{line}\nSEP\n");
        let error = read("x", text.as_bytes(), &ReadOptions::default()).expect_err(line);
        assert_eq!((error.to_string().as_str(), error.kind), (message, kind), "{line}");
    }
}
