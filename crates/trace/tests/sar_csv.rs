//! CSV with sar's columns. The values in the fixtures are invented.

mod common;

use common::fixture;
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, Trace, read};

fn read_fixture(name: &str, options: &ReadOptions) -> Trace {
    let trace = read(name, &fixture(&format!("sar-csv/{name}")), options).unwrap();
    assert_eq!(trace.format, "sar-csv");
    trace
}

#[test]
fn a_row_is_mapped_by_hand() {
    let trace = read_fixture("sar-old.csv", &ReadOptions::with_cores(4.0));
    assert_eq!(trace.name, "sar-old");
    assert_eq!(trace.time_seconds.len(), 24);
    // The first row speaks of the 5 s before it.
    assert_eq!(trace.time_seconds[..3], [5.0, 10.0, 15.0]);
    assert_eq!(trace.capacity.cores, Some(4.0));
    assert_eq!(trace.capacity.memory_bytes, Some(8_000_000.0 * 1024.0));
    let cases = [
        (Metric::CpuCores, 2.6),
        (Metric::CpuUserCores, 2.44),
        (Metric::CpuSystemCores, 0.16),
        (Metric::CpuIowaitCores, 0.1),
        (Metric::DiskReadBytesPerSecond, 128_000.0),
        (Metric::DiskWriteBytesPerSecond, 512_000.0),
        (Metric::MemoryBytes, (3_000_000.0 - 40_000.0 - 1_640_000.0) * 1024.0),
        (Metric::PageCacheBytes, 1_680_000.0 * 1024.0),
        (Metric::LoopbackBytesPerSecond, 65_536.0),
        (Metric::ContextSwitchesPerSecond, 2750.0),
    ];
    for (metric, wanted) in cases {
        let value = trace.node(metric).unwrap_or_else(|| panic!("no {}", metric.name()))[7];
        assert!((value - wanted).abs() <= 1e-9 * wanted, "{}: {value}, not {wanted}", metric.name());
        assert!(!trace.provenance[&cotrace_trace::Column::node(metric)].is_empty());
    }
    assert_eq!(trace.columns.len(), cases.len());
    // Only loopback: what went over the wire isn't known, and that is said.
    assert_eq!(trace.node(Metric::NetworkReceiveBytesPerSecond), None);
    assert_eq!(trace.warnings.len(), 1, "{:?}", trace.warnings);
    assert!(trace.warnings[0].message.contains("loopback"));
}

#[test]
fn newer_names_and_a_real_network() {
    let trace = read_fixture("sar-new.csv", &ReadOptions::with_cores(2.0));
    assert_eq!(trace.time_seconds[..2], [10.0, 20.0]);
    let cases = [
        // User, guests, kernel, interrupts.
        (Metric::CpuCores, 0.58),
        (Metric::CpuSystemCores, 0.14),
        (Metric::DiskReadBytesPerSecond, 102_400.0),
        (Metric::DiskWriteBytesPerSecond, 307_200.0),
        (Metric::NetworkReceiveBytesPerSecond, 12_800.0),
        (Metric::NetworkTransmitBytesPerSecond, 2560.0),
        // This sar doesn't count the cache as used.
        (Metric::MemoryBytes, 2_300_000.0 * 1024.0),
    ];
    for (metric, wanted) in cases {
        let value = trace.node(metric).unwrap_or_else(|| panic!("no {}", metric.name()))[3];
        assert!((value - wanted).abs() <= 1e-9 * wanted, "{}: {value}, not {wanted}", metric.name());
    }
    assert_eq!(trace.node(Metric::LoopbackBytesPerSecond), None);
    let memory = trace.capacity.memory_bytes.unwrap();
    assert!((memory / (16_000_000.0 * 1024.0) - 1.0).abs() < 0.005, "{memory}");
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn midnight_passes_and_a_second_is_there_twice() {
    let trace = read_fixture("sar-midnight.csv", &ReadOptions::with_cores(2.0));
    assert_eq!(trace.time_seconds.len(), 29);
    assert_eq!(trace.duration_seconds(), 30.0);
    assert_eq!(trace.time_seconds[10..14], [11.0, 12.0, 14.0, 15.0]);
    let warnings = trace.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(warnings.contains("Left out 1 row with the same time"), "{warnings}");
    assert!(warnings.contains("hypervisor took 5.0 %"), "{warnings}");
    assert_eq!(trace.warnings.len(), 2);
}

#[test]
fn cores_are_never_assumed_in_silence() {
    // 4 cores at 5 s and 2 cores at 1 s show in the percentages, round figures don't.
    let cases = [
        ("sar-old.csv", 4.0, "fits 4,"),
        ("sar-midnight.csv", 2.0, "fits 2,"),
        ("sar-new.csv", 2.0, "without evidence"),
    ];
    for (name, cores, words) in cases {
        let trace = read_fixture(name, &ReadOptions::default());
        assert_eq!(trace.capacity.cores, Some(cores), "{name}");
        assert!(trace.cores_assumed(), "{name}");
        assert!(
            trace.warnings.iter().any(|warning| warning.message.contains(words)),
            "{name}: {:?}",
            trace.warnings
        );

        // Stating it later is as good as saying it at once.
        let mut later = trace;
        assert!(later.state_cores(8.0));
        let at_once = read_fixture(name, &ReadOptions::with_cores(8.0));
        assert_eq!(later.warnings, at_once.warnings, "{name}");
        for (column, values) in &at_once.columns {
            for (a, b) in values.iter().zip(&later.columns[column]) {
                assert!((a - b).abs() <= 1e-9 * a.abs(), "{name}: {}", column.header());
            }
        }
    }
}

#[test]
fn memory_is_not_guessed() {
    // Used memory has the cache in it (the total stays), and the cache's size isn't there.
    let text = "timestamp,%user,%system,kbmemfree,kbmemused\n00:00:01,1,1,700,300\n00:00:02,1,1,600,400\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(1.0)).unwrap();
    assert_eq!(trace.node(Metric::MemoryBytes), None);
    assert_eq!(trace.capacity.memory_bytes, Some(1_024_000.0));
    assert!(trace.warnings[0].message.contains("Memory in use is not known"), "{:?}", trace.warnings);
}

#[test]
fn broken_files_are_named() {
    use ReadErrorKind as K;
    let head = "timestamp,%user,%system\n";
    let cases: &[(&str, K, &str)] = &[
        ("", K::NoRows, "x: no samples in it"),
        (
            "00:00:01,1,1\n",
            K::NoRows,
            "x: only one sample in it. At least two are needed to know how long a sample takes. Or say how many seconds.",
        ),
        (
            "00:00:01,1,1\n00:00:61,1,1\n",
            K::BadTime,
            "x, line 3, column timestamp: expected a time of day such as 13:05:09, saw \"00:00:61\"",
        ),
        (
            "00:00:01,1,1\n,1,1\n00:00:03,1,1\n",
            K::BadTime,
            "x, line 3, column timestamp: expected a time of day such as 13:05:09",
        ),
        (
            "00:00:01,1,1\n00:00:02,x,1\n",
            K::BadNumber,
            "x, line 3, column %user: expected a number, saw \"x\". Leave the cell empty if the value isn't known.",
        ),
        (
            "00:00:01,1e25,1\n00:00:02,1,1\n",
            K::BadNumber,
            "x, line 2, column %user: expected a number, saw \"1e25\". Such a value can't be; leave the cell empty if it isn't known.",
        ),
        (
            "00:00:01,1\n00:00:02,1,1\n",
            K::RaggedRow,
            "x, line 2: 2 cells, but the header has 3, saw \"00:00:01,1\". Complete the line or remove it.",
        ),
        (
            "10:00:00,1,1\n09:00:00,1,1\n09:00:01,1,1\n09:00:02,1,1\n09:00:03,1,1\n",
            K::BadTime,
            "x, line 3: time runs backwards, saw \"09:00:00\". If the file holds several runs, cut it there and read each for itself.",
        ),
    ];
    for (rows, kind, message) in cases {
        match read("x", format!("{head}{rows}").as_bytes(), &ReadOptions::default()) {
            Ok(_) => panic!("{rows:?} was read"),
            Err(error) => assert_eq!((error.to_string().as_str(), error.kind), (*message, *kind), "{rows:?}"),
        }
    }
}

#[test]
fn reports_put_together_are_read() {
    let text = "timestamp,%user,%system\n2024-05-01 23:59:59,10,0\n2024-05-02 00:00:00,20,0\n\
                timestamp,%user,%system\n2024-05-02 00:00:01,-,0\nAverage:,15,0\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(10.0)).unwrap();
    assert_eq!(trace.time_seconds, [1.0, 2.0, 3.0]);
    let cpu = trace.node(Metric::CpuCores).unwrap();
    assert_eq!(cpu[..2], [1.0, 2.0]);
    assert!(cpu[2].is_nan());
}

#[test]
fn other_spellings_are_read() {
    let rows = [
        ("2024-04-30", "23:59:59", "all", "5.00", "1.00"),
        ("2024-05-01", "00:00:00", "all", "15.00", "1.00"),
        ("2024-05-03", "00:00:00", "all", "25.00", "1.00"),
    ];
    let table = |separator: &str, quote: &str, percent: &str| {
        let line =
            |cells: [&str; 5]| cells.map(|cell| format!("{quote}{cell}{quote}")).join(separator) + "\n";
        let mut text = line(["Date", "Time", "CPU", "%user", "%system"]);
        for (date, time, cpu, user, system) in rows {
            text += &line([date, time, cpu, &format!("{user}{percent}"), &format!("{system}{percent}")]);
        }
        text
    };
    for (what, text) in [
        ("plain", table(",", "", "")),
        ("quotes", table(",", "\"", "")),
        ("%", table(",", "", "%")),
        ("quotes and %", table(",", "\"", " %")),
        ("tabs", table("\t", "", "")),
        ("semicolons", table(";", "", "")),
        ("semicolons and decimal commas", table(";", "", "").replace('.', ",")),
    ] {
        let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
        assert_eq!(trace.format, "sar-csv", "{what}");
        assert_eq!(
            trace.time_seconds[1..],
            [trace.time_seconds[0] + 1.0, trace.time_seconds[0] + 172_801.0],
            "{what}"
        );
        let cpu = trace.node(Metric::CpuCores).unwrap();
        assert!(cpu.iter().zip([0.12, 0.32, 0.52]).all(|(a, b)| (a - b).abs() < 1e-9), "{what}: {cpu:?}");
    }
}

#[test]
fn rows_of_devices_share_a_time() {
    let head = "timestamp,CPU,%user,%system,kbmemfree,kbmemused,kbcached,DEV,rd_sec/s,IFACE,rxkB/s\n";
    let memory = "1000,3000,2000";
    let of_cores = format!(
        "{head}10:00:01,0,10,5,{memory},sda,2,eth0,1\n10:00:01,1,20,5,{memory},sdb,4,lo,7\n\
         10:00:02,0,30,5,{memory},sda,2,eth0,1\n10:00:02,1,40,5,{memory},sdb,4,lo,7\n"
    );
    let with_all = format!(
        "{head}10:00:01,all,15,5,{memory},sda,2,eth0,1\n10:00:01,all,15,5,{memory},sdb,4,lo,7\n\
         10:00:01,0,99,1,{memory},sda,2,eth0,1\n\
         10:00:02,all,35,5,{memory},sda,2,eth0,1\n10:00:02,all,35,5,{memory},sdb,4,lo,7\n"
    );
    for text in [of_cores, with_all] {
        let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
        let cpu = trace.node(Metric::CpuCores).unwrap();
        assert!((cpu[0] - 0.4).abs() < 1e-9 && (cpu[1] - 0.8).abs() < 1e-9, "{cpu:?}\n{text}");
        assert_eq!(trace.node(Metric::DiskReadBytesPerSecond).unwrap(), [6.0 * 512.0; 2], "{text}");
        assert_eq!(trace.node(Metric::NetworkReceiveBytesPerSecond).unwrap(), [1024.0; 2], "{text}");
        assert_eq!(trace.node(Metric::LoopbackBytesPerSecond).unwrap(), [7168.0; 2], "{text}");
        assert!(trace.warnings.is_empty(), "{:?}\n{text}", trace.warnings);
    }
    // The same device twice at a time is a repeated row.
    let text = "timestamp,CPU,%user,%system\n10:00:01,all,1,1\n10:00:01,all,9,9\n10:00:02,all,1,1\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
    assert_eq!(trace.warnings[0].message, "Left out 1 row with the same time as the row before.");
}
