//! What `sadf -d` writes. The figures were looked up in the fixtures by hand.

mod common;

use common::fixture;
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, WarningKind, read};

#[test]
fn figures_are_those_of_the_file() {
    use Metric as M;
    const KIB: f64 = 1024.0;
    let cases = [
        ("several.csv", 1, M::CpuCores, 2.0 * (0.2139 + 0.6915 + 0.0945)),
        ("several.csv", 1, M::ContextSwitchesPerSecond, 998.0),
        ("several.csv", 0, M::DiskWriteBytesPerSecond, 61_856.0 * KIB),
        ("several.csv", 0, M::MemoryBytes, 1_137_508.0 * KIB),
        ("several.csv", 0, M::PageCacheBytes, (279_792.0 + 1_821_292.0) * KIB),
        ("several.csv", 0, M::LoopbackBytesPerSecond, 0.1 * KIB),
        ("cores.csv", 1, M::CpuSystemCores, 2.0 * (0.0896 + 0.005)),
        ("epoch.csv", 1, M::CpuSystemCores, 2.0 * 0.0945),
        ("german-local.csv", 1, M::CpuSystemCores, 2.0 * 0.0945),
        ("german-local.csv", 0, M::DiskWriteBytesPerSecond, 123_712.0 * 512.0),
        ("horizontal.csv", 1, M::CpuSystemCores, 2.0 * (0.0896 + 0.005)),
        ("horizontal.csv", 0, M::DiskWriteBytesPerSecond, 61_856.0 * KIB),
        ("horizontal.csv", 1, M::LoopbackBytesPerSecond, 15_934.71 * KIB),
        ("horizontal.csv", 1, M::MemoryBytes, 1_151_256.0 * KIB),
    ];
    let mut wrong = Vec::new();
    for (name, row, metric, wanted) in cases {
        let trace = read(name, &fixture(&format!("sadf-csv/{name}")), &ReadOptions::with_cores(2.0)).unwrap();
        let value = trace.node(metric).map_or(f64::NAN, |values| values[row]);
        if value.is_nan() || (value - wanted).abs() > 1e-9 * wanted.abs() {
            wrong.push(format!("{name}, row {row}, {}: {value}, not {wanted}", metric.name()));
        }
        // 2026-11-30 21:18:07.
        let is_timed =
            trace.start_unix_seconds == Some(1_796_073_487.0) && trace.time_seconds[..2] == [1.0, 2.0];
        if trace.time_seconds.len() != 23 || !is_timed || !trace.warnings.is_empty() {
            wrong.push(format!("{name}: {:?} {:?}", trace.start_unix_seconds, trace.warnings));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const CPU: &str = "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n";

#[test]
fn restarts_change_cores_and_a_cut_line_is_left_out() {
    let text = format!(
        "node;-1;2024-05-01 09:59:00 UTC;LINUX-RESTART\t(4 CPU)\n{CPU}\
         node;1;2024-05-01 10:00:01 UTC;-1;50;0;0;0;0;50\nnode;1;2024-05-01 10:00:02 UTC;-1;50;0;0;0;0;50\n\
         node;-1;2024-05-01 10:00:05 UTC;LINUX-RESTART\t(8 CPU)\nnode;-1;2024-05-01 10:00:06 UTC;COM a;b\n{CPU}\
         node;1;2024-05-01 10:00:07 UTC;-1;50;0;0;0;0;50\nnode;1;2024-05-01 10:00:08 UTC;-1;50"
    );
    let trace = read("x", text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(trace.node(Metric::CpuCores).unwrap(), [2.0, 2.0, 4.0]);
    assert_eq!(trace.time_seconds, [1.0, 2.0, 7.0]);
    let kinds: Vec<WarningKind> = trace.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::Restart, WarningKind::CutOff, WarningKind::CoresChanged]);
}

#[test]
fn broken_files_are_named() {
    use ReadErrorKind as K;
    let row = "node;1;2024-05-01 10:00:01 UTC;-1;50;0;0;0;0;50\n";
    let cases = [
        (
            format!("{CPU}{}", row.replace(";50\n", ";x\n")),
            K::BadNumber,
            "x, line 2, column %idle: expected a number, saw \"x\"",
        ),
        (
            format!("{CPU}{}", row.replace("10:00:01", "10:00")),
            K::BadTime,
            "x, line 2, column timestamp: expected a time such as 2024-05-01 13:05:09 UTC, saw \"2024-05-01 10:00 UTC\"",
        ),
        (
            "# hostname;interval;timestamp;FAN;DEVICE;rpm;drpm\nnode;46;2024-05-01 10:00:01 UTC;1;f;1283;12\n".into(),
            K::BadHeader,
            "x: no figure in it that Cotrace can use. It has FAN, DEVICE, rpm, drpm. Record at least CPU.",
        ),
        (
            format!("{CPU}{row}{}", row.replace("node", "other")),
            K::Several,
            "x: 2 hosts in one file. Say which one.",
        ),
    ];
    for (text, kind, message) in cases {
        match read("x", text.as_bytes(), &ReadOptions::default()) {
            Ok(_) => panic!("{text:?} was read"),
            Err(error) => assert_eq!((error.to_string().as_str(), error.kind), (message, kind), "{text}"),
        }
    }
}

#[test]
fn other_separators_are_read() {
    let text = format!(
        "{CPU}node;1;2024-05-01 10:00:01 UTC;-1;50.00;0.00;10.00;0.50;0.00;39.50\n\
         node;1;2024-05-01 10:00:02 UTC;-1;60.00;0.00;10.00;0.50;0.00;29.50\n\
         # hostname;interval;timestamp;kbmemfree;kbmemused;%memused;kbbuffers;kbcached\n\
         node;1;2024-05-01 10:00:01 UTC;1000;3000;75.00;500;1500\nnode;1;2024-05-01 10:00:02 UTC;1000;3000;75.00;500;1500\n"
    );
    let wanted = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
    assert_eq!(wanted.node(Metric::CpuCores).unwrap(), [1.2, 1.4]);
    assert_eq!(wanted.node(Metric::MemoryBytes).unwrap(), [1_024_000.0; 2]);
    for (what, text) in [
        ("commas", text.replace(';', ",")),
        ("tabs", text.replace(';', "\t")),
        ("no #", text.replace("# ", "")),
        ("commas, no #", text.replace("# ", "").replace(';', ",")),
        ("decimal commas", text.replace('.', ",")),
    ] {
        let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
        assert_eq!(trace.format, "sadf-csv", "{what}");
        assert_eq!(common::difference(&trace, &wanted), None, "{what}");
        assert_eq!(trace.time_seconds, [1.0, 2.0], "{what}");
    }
}

#[test]
fn rows_that_never_fit_are_said() {
    let text = "# hostname;interval;timestamp;proc/s;cswch/s;INTR;CPU*[...]\nnode;1;2024-05-01 10:00:01 UTC;0.00;1.00;sum\n";
    let error = read("x", text.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert_eq!((error.kind, error.line), (ReadErrorKind::RaggedRow, Some(2)));
    assert_eq!(&*error.problem, "no row has as many cells as its header");
}

#[test]
fn one_figure_a_line_is_read() {
    let line = |second: u32, device: &str, name: &str, value: f64| {
        format!("node\t5\t2024-05-01 10:00:{second:02} UTC\t{device}\t{name}\t{value:.2}\n")
    };
    let cpu = |second: u32, device: &str, user: f64| {
        [("%user", user), ("%system", 10.0), ("%idle", 40.0)]
            .map(|(name, value)| line(second, device, name, value))
            .concat()
    };
    let others = |second: u32| {
        [
            ("-", "kbmemfree", 1000.0),
            ("-", "kbmemused", 3000.0),
            ("-", "%memused", 75.0),
            ("-", "kbbuffers", 500.0),
            ("-", "kbcached", 1500.0),
            ("sda", "rkB/s", 2.0),
            ("sdb", "rkB/s", 3.0),
            ("dm-0", "rkB/s", 3.0),
            ("lo", "rxkB/s", 7.0),
            ("eth0", "rxkB/s", 8.0),
            ("-", "cswch/s", 900.0),
            ("-", "nothing/s", 1.0),
        ]
        .map(|(device, name, value)| line(second, device, name, value))
        .concat()
    };
    let all =
        [cpu(5, "all", 30.0), cpu(5, "cpu0", 50.0), cpu(10, "all", 50.0), others(5), others(10)].concat();
    let cores = [
        cpu(5, "cpu0", 30.0),
        cpu(5, "cpu1", 30.0),
        cpu(10, "cpu0", 50.0),
        cpu(10, "cpu1", 50.0),
        others(5),
        others(10),
    ]
    .concat();
    for text in [
        &all,
        &cores,
        &all.replace('.', ","),
        &format!("node\t-1\t2024-05-01 09:59:59 UTC\tLINUX-RESTART\t(2 CPU)\n{all}"),
    ] {
        let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
        assert_eq!(trace.format, "sadf-csv");
        assert_eq!(
            (trace.time_seconds.as_slice(), trace.start_unix_seconds),
            (&[5.0, 10.0][..], Some(1_714_557_600.0))
        );
        for (metric, wanted) in [
            (Metric::CpuCores, [0.8, 1.2]),
            (Metric::MemoryBytes, [1_024_000.0; 2]),
            (Metric::DiskReadBytesPerSecond, [5120.0; 2]),
            (Metric::NetworkReceiveBytesPerSecond, [8192.0; 2]),
            (Metric::LoopbackBytesPerSecond, [7168.0; 2]),
            (Metric::ContextSwitchesPerSecond, [900.0; 2]),
        ] {
            let values = trace.node(metric).unwrap();
            assert!(
                values.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6),
                "{}: {values:?}\n{text}",
                metric.name()
            );
        }
        assert!(trace.warnings.is_empty(), "{:?}\n{text}", trace.warnings);
    }
    let error = read("x", all.replace("30.00", "x").as_bytes(), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "x, line 1, column %user: expected a number, saw \"x\"");
    let hosts = format!("{all}{}", line(15, "-", "cswch/s", 1.0).replace("node", "other"));
    assert_eq!(read("x", hosts.as_bytes(), &ReadOptions::default()).unwrap_err().choices, ["node", "other"]);
    assert_eq!(
        read("x", format!("{all}node\t5").as_bytes(), &ReadOptions::with_cores(2.0)).unwrap().warnings.len(),
        1
    );
}
