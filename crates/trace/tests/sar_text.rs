//! What sar prints. The figures were looked up in the fixtures by hand.

mod common;

use common::{fixture, read_text};
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, WarningKind, read};

type Figures = &'static [(&'static str, usize, Metric, f64)];

#[test]
fn figures_are_those_of_the_file() {
    use Metric as M;
    const KIB: f64 = 1024.0;
    let cases: Figures = &[
        ("several.txt", 0, M::CpuCores, 2.0 * (0.2239 + 0.7015 + 0.0746)),
        ("several.txt", 2, M::CpuUserCores, 2.0 * (0.4498 + 0.4258)),
        ("several.txt", 3, M::CpuSystemCores, 2.0 * 0.245),
        ("several.txt", 0, M::CpuIowaitCores, 0.0),
        // The disk's own figure, not the node's 268880 sectors.
        ("several.txt", 3, M::DiskReadBytesPerSecond, 134_440.0 * KIB),
        ("several.txt", 2, M::DiskWriteBytesPerSecond, 59_883.5 * KIB),
        ("several.txt", 1, M::MemoryBytes, 1_151_256.0 * KIB),
        ("several.txt", 1, M::PageCacheBytes, (279_792.0 + 1_826_340.0) * KIB),
        ("several.txt", 0, M::LoopbackBytesPerSecond, 0.1 * KIB),
        ("several.txt", 0, M::NetworkReceiveBytesPerSecond, 0.0),
        ("several.txt", 0, M::NetworkTransmitBytesPerSecond, 0.0),
        ("several.txt", 2, M::ContextSwitchesPerSecond, 2160.19),
        ("several.txt", 3, M::IoPressureRatio, 0.2368),
        ("several.txt", 3, M::MemoryPressureRatio, 0.0),
        ("twelve-hours.txt", 1, M::CpuSystemCores, 2.0 * (0.0896 + 0.005)),
        ("twelve-hours.txt", 1, M::CpuCores, 2.0 * (0.2139 + 0.6915 + 0.0896 + 0.005)),
        ("cores-only.txt", 1, M::CpuUserCores, 0.0198 + 0.9208 + 0.41 + 0.46),
        ("german.txt", 1, M::CpuCores, 2.0 * (0.2139 + 0.6915 + 0.0945)),
        ("french.txt", 1, M::DiskReadBytesPerSecond, 132_453.2 * 512.0),
        ("french.txt", 1, M::CpuIowaitCores, 0.0),
        ("japanese.txt", 1, M::CpuSystemCores, 2.0 * 0.1809),
        ("korean.txt", 1, M::CpuSystemCores, 2.0 * 0.1809),
        ("human.txt", 1, M::CpuSystemCores, 2.0 * 0.181),
        ("human.txt", 1, M::DiskReadBytesPerSecond, 64.7 * KIB * KIB),
        ("human.txt", 1, M::MemoryBytes, 957.6 * KIB * KIB),
        ("human.txt", 0, M::LoopbackBytesPerSecond, 7.8 * KIB * KIB),
        ("no-decimals.txt", 1, M::CpuCores, 2.0 * 0.99),
        ("live.txt", 0, M::CpuUserCores, 2.0 * (0.899 + 0.0354)),
        ("all-activities.txt", 2, M::CpuUserCores, 2.0 * (0.4498 + 0.4258)),
        ("all-activities.txt", 2, M::DiskWriteBytesPerSecond, 59_883.5 * KIB),
    ];
    let mut wrong = Vec::new();
    for &(name, row, metric, wanted) in cases {
        let trace = read(name, &fixture(&format!("sar-text/{name}")), &ReadOptions::default()).unwrap();
        let value = trace.node(metric).map_or(f64::NAN, |values| values[row]);
        if value.is_nan() || (value - wanted).abs() > 1e-9 * wanted.abs() {
            wrong.push(format!("{name}, row {row}, {}: {value}, not {wanted}", metric.name()));
        }
        if trace.capacity.cores != Some(2.0) || trace.cores_assumed() || !trace.warnings.is_empty() {
            wrong.push(format!("{name}: {:?} {:?}", trace.capacity, trace.warnings));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn times_are_those_of_the_file() {
    // 2026-11-30 21:18:07 in seconds since 1970, as date -u says.
    let start = 1_796_073_487.0;
    let cases = [
        ("several.txt", start, 23, 1.0),
        ("twelve-hours.txt", start, 23, 1.0),
        ("german.txt", start, 23, 1.0),
        ("french.txt", start, 11, 2.0),
        ("japanese.txt", start, 11, 2.0),
        ("korean.txt", start, 11, 2.0),
        ("live.txt", start + 26.0 * 60.0 + 11.0, 8, 1.0),
    ];
    for (name, start, rows, step) in cases {
        let trace = read(name, &fixture(&format!("sar-text/{name}")), &ReadOptions::default()).unwrap();
        assert_eq!(trace.start_unix_seconds, Some(start), "{name}");
        let wanted: Vec<f64> = (1..=rows).map(|row| f64::from(row) * step).collect();
        assert_eq!(trace.time_seconds, wanted, "{name}");
    }
}

const HEAD: &str = "Linux 6.1.0 (node)\t12/31/23\t_x86_64_\t(4 CPU)\n\n";
const CPU: &str = "  CPU  %user  %nice  %system  %iowait  %steal  %idle\n";

#[test]
fn midnight_passes_live_and_from_a_file() {
    let disk = "  DEV  tps  rd_sec/s  wr_sec/s\n";
    let live = format!(
        "{HEAD}23:59:58{CPU}23:59:59 all 10 0 0 0 0 90\n\n23:59:58{disk}23:59:59 sda 1 2 4\n\n\
         23:59:59{CPU}00:00:00 all 20 0 0 0 0 80\n\n23:59:59{disk}00:00:00 sda 1 4 8\n\n\
         00:00:00{CPU}00:00:01 all 30 0 0 0 0 70\n\n00:00:00{disk}00:00:01 sda 1 6 8\n\n\
         Average:{CPU}Average: all 20 0 0 0 0 80\n"
    );
    let stacked = format!(
        "{HEAD}23:59:58{CPU}23:59:59 all 10 0 0 0 0 90\n00:00:00 all 20 0 0 0 0 80\n\n\
         00:00:00{CPU}00:00:01 all 30 0 0 0 0 70\nAverage: all 20 0 0 0 0 80\n\n\
         23:59:58{disk}23:59:59 sda 1 2 4\n00:00:00 sda 1 4 8\n00:00:01 sda 1 6 8\nAverage: sda 1 4 7\n"
    );
    // Without averages, as a run that was killed or a report that someone filtered leaves it.
    let filtered: String = stacked
        .lines()
        .filter(|line| !line.starts_with("Average"))
        .fold(String::new(), |text, line| text + line + "\n");
    for text in [live, stacked, filtered] {
        let trace = read_text(&text);
        assert_eq!(trace.time_seconds, [1.0, 2.0, 3.0], "{text}");
        let cpu = trace.node(Metric::CpuCores).unwrap();
        assert!(cpu.iter().zip([0.4, 0.8, 1.2]).all(|(a, b)| (a - b).abs() < 1e-9), "{cpu:?}\n{text}");
        assert_eq!(trace.node(Metric::DiskReadBytesPerSecond).unwrap(), [1024.0, 2048.0, 3072.0], "{text}");
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
        // 2023-12-31 23:59:58.
        assert_eq!(trace.start_unix_seconds, Some(1_704_067_198.0));
    }
}

#[test]
fn days_follow_one_another_in_any_order_of_day_and_month() {
    // Only the second date shows that the day is first.
    let day = |date: &str| {
        format!("Linux 6.1.0 (node) \t{date}\t_x86_64_\t(4 CPU)\n\n23:00:00{CPU}23:30:00 all 1 0 0 0 0 99\n")
    };
    for dates in [["12/11/23", "13/11/23"], ["11/12/23", "11/13/23"], ["2023-11-12", "2023-11-13"]] {
        let trace = read_text(&format!("{}{}", day(dates[0]), day(dates[1])));
        assert_eq!(trace.time_seconds, [1800.0, 1800.0 + 86_400.0], "{dates:?}");
    }
}

#[test]
fn restarts_change_cores() {
    let text = format!(
        "{HEAD}10:00:00{CPU}10:00:01 all 50 0 0 0 0 50\n10:00:02 all 50 0 0 0 0 50\nAverage: all 50 0 0 0 0 50\n\n\
         10:00:05  LINUX RESTART\t(8 CPU)\n10:00:06  COM a remark of 3 words\n\n\
         10:00:06{CPU}10:00:07 all 50 0 0 0 0 50\n"
    );
    let trace = read_text(&text);
    assert_eq!(trace.node(Metric::CpuCores).unwrap(), [2.0, 2.0, 4.0]);
    assert_eq!(trace.capacity.cores, Some(8.0));
    let kinds: Vec<WarningKind> = trace.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::Restart, WarningKind::CoresChanged]);
    assert_eq!(trace.warnings[0].line, Some(8));
}

#[test]
fn old_names_and_other_clocks() {
    let text = "Linux 2.6.9 (node)\t05/01/2008\n\n11:59:59 AM PST  CPU  %user  %nice  %system  %idle\n\
                12:00:00 PM PST  all  10,5  0,0  4,5  85,0\n01:00:00 PM PST  all  1  0  0  99\n\n\
                11:59:59 AM PST  IFACE  rxpck/s  txpck/s  rxbyt/s  txbyt/s\n\
                12:00:00 PM PST  eth0  1  1  300  200\n01:00:00 PM PST  eth0  1  1  3e2  200\n";
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(4.0)).unwrap();
    assert_eq!(trace.time_seconds, [1.0, 3601.0]);
    assert!((trace.node(Metric::CpuCores).unwrap()[0] - 0.6).abs() < 1e-9);
    assert_eq!(trace.node(Metric::NetworkReceiveBytesPerSecond).unwrap(), [300.0, 300.0]);
    assert_eq!(trace.node(Metric::NetworkTransmitBytesPerSecond).unwrap(), [200.0, 200.0]);
}

#[test]
fn some_cores_of_many_are_told() {
    let text = format!("{HEAD}10:00:00{CPU}10:00:01 0 50 0 0 0 0 50\n10:00:02 0 50 0 0 0 0 50\n");
    let trace = read_text(&text);
    assert_eq!(trace.node(Metric::CpuCores).unwrap(), [0.5, 0.5]);
    assert_eq!(trace.warnings.len(), 1);
    assert!(trace.warnings[0].message.contains("1 of the node's 4 cores"), "{:?}", trace.warnings);
}

#[test]
fn what_is_cut_off_or_garbled_is_left_out() {
    let rows = format!("{HEAD}10:00:00{CPU}10:00:01 all 1 0 0 0 0 99\n10:00:02 all 1 0 0 0 0 99\n");
    for (text, kind) in [
        (format!("{rows}10:00:03 all 1 0"), WarningKind::CutOff),
        (format!("{rows}10:0"), WarningKind::CutOff),
        (format!("{rows}10:00:03 all 1 0\n10:00:04 all 1 0 0 0 0 99\n"), WarningKind::RowsLeftOut),
    ] {
        let trace = read_text(&text);
        assert_eq!(trace.warnings.len(), 1, "{text}: {:?}", trace.warnings);
        assert_eq!(trace.warnings[0].kind, kind, "{text}");
        assert_eq!(trace.warnings[0].line, Some(6), "{text}");
    }
    // What a terminal adds is nothing to speak of.
    let trace = read_text(&format!("$ sar -u 1\n{rows}^C\n\nAverage: all 1 0 0 0 0 99\n$ \n"));
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn broken_files_are_named() {
    use ReadErrorKind as K;
    let cases = [
        (
            format!("{HEAD}10:00:00{CPU}10:00:01 all 1 x 0 0 0 99\n"),
            K::BadNumber,
            "x, line 4, column %nice: expected a number, saw \"x\"",
        ),
        (
            format!("{HEAD}10:00:00{CPU}10:00:61 all 1 0 0 0 0 99\n"),
            K::BadTime,
            "x, line 4: expected a time of day such as 13:05:09, saw \"10:00:61\". Correct the line or remove it.",
        ),
        (format!("{HEAD}10:00:00{CPU}"), K::NoRows, "x: no samples in it"),
        (
            format!("{HEAD}10:00:00  FAN  rpm  drpm  DEVICE\n10:00:01  1  900.00  100.00  coretemp\n"),
            K::BadHeader,
            "x: no figure in it that Cotrace can use. It has FAN, rpm, drpm, DEVICE. Record at least CPU.",
        ),
        (
            format!("{HEAD}10:00:00{CPU}10:00:01 all 1 0 0 0 0 99\n{}", HEAD.replace("node", "other")),
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
fn one_of_several_hosts_is_read() {
    let other = HEAD.replace("node", "other");
    let text = format!(
        "{HEAD}10:00:00{CPU}10:00:01 all 50 0 0 0 0 50\n\n{other}10:00:00{CPU}10:00:01 all 10 0 0 0 0 90\n"
    );
    let options = |subject: &str| ReadOptions { subject: Some(subject.into()), ..ReadOptions::default() };
    for (host, cores) in [("node", 2.0), ("other", 0.4)] {
        let trace = read("x", text.as_bytes(), &options(host)).unwrap();
        assert_eq!(trace.node(Metric::CpuCores).unwrap(), [cores], "{host}");
    }
    let error = read("x", text.as_bytes(), &options("third")).unwrap_err();
    assert_eq!(error.choices, ["node", "other"]);
    assert!(error.to_string().contains("saw \"third\""), "{error}");
}

#[test]
fn midnight_after_a_restart() {
    let text = format!(
        "{HEAD}23:30:01{CPU}23:40:01 all 10 0 0 0 0 90\n23:50:01 all 20 0 0 0 0 80\n\n00:04:30  LINUX RESTART\t(4 CPU)\n\n\
         00:10:01{CPU}00:20:01 all 30 0 0 0 0 70\n00:30:01 all 40 0 0 0 0 60\n"
    );
    let trace = read_text(&text);
    assert_eq!(trace.time_seconds, [600.0, 1200.0, 3000.0, 3600.0]);
    let cpu = trace.node(Metric::CpuCores).unwrap();
    assert!(cpu.iter().zip([0.4, 0.8, 1.2, 1.6]).all(|(a, b)| (a - b).abs() < 1e-9), "{cpu:?}");
}
