//! The CSV of pmrep and pcp2csv.

mod common;

use common::{assert_values, fixture, read_text};
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, Trace, read};

fn read_fixture(name: &str) -> Trace {
    let trace = read(name, &fixture(&format!("pmrep-csv/{name}")), &ReadOptions::default()).unwrap();
    assert_eq!(trace.format, "pmrep-csv");
    trace
}

const KIB: f64 = 1024.0;

#[test]
fn figures_are_those_of_the_file() {
    use Metric as M;
    let devices = read_fixture("devices.csv");
    let cases = [
        (0, M::CpuCores, 2.006_583),
        (0, M::CpuUserCores, 1.497_45),
        (0, M::CpuSystemCores, 0.509_133),
        (0, M::CpuIowaitCores, 0.0),
        (0, M::ContextSwitchesPerSecond, 1081.159),
        (0, M::MemoryBytes, (5_993_988.0 - 3_173_228.0 - 57_824.0 - 307_644.0) * KIB),
        (0, M::PageCacheBytes, (3_173_228.0 + 57_824.0 + 307_644.0) * KIB),
        (0, M::DiskReadBytesPerSecond, 83.857 * KIB),
        (0, M::DiskWriteBytesPerSecond, 90_593.763 * KIB),
        (0, M::LoopbackBytesPerSecond, 19_673_029.372),
        (3, M::NetworkReceiveBytesPerSecond, 50_032.506),
        (3, M::NetworkTransmitBytesPerSecond, 4204.907),
    ];
    assert_values("devices.csv", &devices, &cases);
    // The first row has no rates; it says when the run began.
    assert_eq!(devices.time_seconds, (1..=19).map(f64::from).collect::<Vec<_>>());
    assert_eq!(devices.start_unix_seconds, Some(1_796_073_698.0));
    assert_eq!(devices.capacity.cores, Some(2.0));
    assert_eq!(devices.capacity.memory_bytes, Some(24_684_092.0 * KIB));
    assert!(devices.warnings.is_empty(), "{:?}", devices.warnings);

    // Counters as they are.
    let raw = read_fixture("raw.csv");
    let cases = [
        (1, M::CpuCores, 1.99),
        (1, M::CpuSystemCores, 0.31),
        (1, M::DiskWriteBytesPerSecond, 90_748.0 * KIB),
        (1, M::LoopbackBytesPerSecond, 19_706_526.0),
        (1, M::ContextSwitchesPerSecond, 1282.0),
    ];
    assert_values("raw.csv", &raw, &cases);
    assert!(raw.node(M::CpuCores).unwrap()[0].is_nan());

    let per_cpu = read_fixture("per-cpu.csv");
    let cases = [
        (0, M::CpuCores, 1.126_23),
        (0, M::CpuPressureRatio, 0.999_887_367),
        (0, M::IoPressureRatio, 0.045_411_009),
        (0, M::MemoryPressureRatio, 0.0),
        (0, M::DiskReadBytesPerSecond, 111.626 * KIB),
        (0, M::LoopbackBytesPerSecond, 19_640_785.096),
    ];
    assert_values("per-cpu.csv", &per_cpu, &cases);
    assert_eq!(per_cpu.capacity.cores, Some(2.0));

    let half = read_fixture("half-seconds.csv");
    let cases = [(0, M::CpuCores, 1.958_024), (0, M::MemoryBytes, (24_684_092.0 - 22_069_492.0) * KIB)];
    assert_values("half-seconds.csv", &half, &cases);
    assert!((half.time_seconds[0] - 0.510_719).abs() < 1e-6, "{:?}", half.time_seconds);

    assert_values("shares.csv", &read_fixture("shares.csv"), &[(0, M::CpuCores, 1.997_08)]);
    assert_values("clock.csv", &read_fixture("clock.csv"), &[(0, M::CpuUserCores, 1.499_64)]);
    assert_values("pcp2csv.csv", &read_fixture("pcp2csv.csv"), &[(0, M::CpuSystemCores, 0.487_742)]);
}

#[test]
fn rates_stay_rates_wherever_the_file_begins() {
    let head =
        "Time,\"kernel.all.cpu.user\",\"disk.dev.read_bytes[sda]\",\"disk.all.read_bytes\",hinv.ncpu\n";
    // Rates that only rise need an empty first row to be known from counters.
    let text = format!(
        "{head}10:00:00,,,,4\n10:00:01,100,1,9,4\nTime,a,b,c,d\n10:00:02,200,2,9,4\n10:00:03,300,3,9,4\n"
    );
    let trace = read_text(&text);
    assert_eq!(trace.time_seconds, [1.0, 2.0, 3.0]);
    let cases = [(1, Metric::CpuCores, 0.2), (1, Metric::DiskReadBytesPerSecond, 2.0 * KIB)];
    assert_values("rising", &trace, &cases);
    let text = format!("{head}10:00:01,100,1,9,4\n10:00:02,80,2,9,4\n");
    assert_values("cut at the start", &read_text(&text), &[(1, Metric::CpuCores, 0.08)]);
}

#[test]
fn other_units_and_broken_rows_are_named() {
    use ReadErrorKind as K;
    let all = "kernel.all.cpu.user,kernel.all.cpu.nice,kernel.all.cpu.sys,kernel.all.cpu.wait.total,kernel.all.cpu.idle";
    let units = "the figures are not in the metric's own unit";
    let hint = "Record without the options -b, -B, -q, -Q, -y and -Y.";
    let cases = [
        (
            format!("Time,{all}\n10:00:00,,,,,\n10:00:01,0.72,0,0.42,0,0.86\n10:00:02,0.8,0,0.3,0,0.9\n"),
            K::BadNumber,
            format!("x, line 1, column kernel.all.cpu.user: {units}. {hint}"),
        ),
        (
            "Time,mem.physmem,mem.util.free\n10:00:00,24105.559,18437.637\n10:00:01,24105.559,18437.637\n".to_owned(),
            K::BadNumber,
            format!("x, line 2, column mem.physmem: {units}, saw \"24105.559\". {hint}"),
        ),
        (
            "Time,kernel.all.cpu.user\n10:00:00,\n10:00:01,x\n10:00:02,1\n".to_owned(),
            K::BadNumber,
            "x, line 3, column kernel.all.cpu.user: expected a number, saw \"x\". Leave the cell empty if the value isn't known."
                .to_owned(),
        ),
        (
            "Time,kernel.all.cpu.user\nnoon,1\n10:00:01,1\n".to_owned(),
            K::BadTime,
            "x, line 2, column Time: expected a time such as 2024-05-01 13:05:09, saw \"noon\"".to_owned(),
        ),
    ];
    for (text, kind, message) in cases {
        let error = read("x", text.as_bytes(), &ReadOptions::default()).expect_err(&text);
        assert_eq!((error.to_string(), error.kind), (message, kind), "{text}");
    }
}

#[test]
fn other_delimiters_and_cells_that_are_not_known() {
    for (delimiter, gap) in [(";", "N/A"), ("\t", ""), ("|", "N/A"), (",", "N/A")] {
        let text = "Time,\"kernel.all.cpu.user\",\"mem.physmem\",\"disk.dev.read_bytes-sda\"\n\
            2024-05-01 10:00:00,,1000000,\n2024-05-01 10:00:01,500.5,1000000,3\n2024-05-01 10:00:02,GAP,1000000,1\n"
            .replace(',', delimiter)
            .replace("GAP", gap);
        let trace = read_text(&text);
        assert_eq!(trace.time_seconds, [1.0, 2.0], "{text}");
        let cases = [(0, Metric::CpuCores, 0.5005), (1, Metric::DiskReadBytesPerSecond, KIB)];
        assert_values(&text, &trace, &cases);
        assert!(trace.node(Metric::CpuCores).unwrap()[1].is_nan(), "{text}");
    }
}
