//! What `sadf -j` writes. The figures were looked up in the fixtures by hand.

mod common;

use common::fixture;
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, WarningKind, read};

#[test]
fn figures_are_those_of_the_file() {
    use Metric as M;
    const KIB: f64 = 1024.0;
    let cases = [
        ("several.json", M::CpuCores, 2.0 * (0.2189 + 0.6965 + 0.0821 + 0.0025)),
        ("several.json", M::CpuUserCores, 2.0 * (0.2189 + 0.6965)),
        ("several.json", M::CpuIowaitCores, 0.0),
        ("several.json", M::ContextSwitchesPerSecond, 1308.5),
        ("several.json", M::DiskReadBytesPerSecond, 0.0),
        ("several.json", M::DiskWriteBytesPerSecond, 61_856.0 * 512.0),
        ("several.json", M::MemoryBytes, 1_151_256.0 * KIB),
        ("several.json", M::PageCacheBytes, (279_792.0 + 1_826_340.0) * KIB),
        ("several.json", M::LoopbackBytesPerSecond, 7967.41 * KIB),
        ("several.json", M::NetworkReceiveBytesPerSecond, 0.0),
        ("several.json", M::CpuPressureRatio, 0.9579),
        ("several.json", M::IoPressureRatio, 0.03),
        ("several.json", M::MemoryPressureRatio, 0.0),
        ("commas-cut.json", M::CpuCores, 2.0 * (0.2239 + 0.7015 + 0.0746)),
        ("commas-cut.json", M::DiskWriteBytesPerSecond, 123_712.0 * 512.0),
    ];
    let mut wrong = Vec::new();
    for (name, metric, wanted) in cases {
        let trace = read(name, &fixture(&format!("sadf-json/{name}")), &ReadOptions::default()).unwrap();
        let value = trace.node(metric).map_or(f64::NAN, |values| values[0]);
        if value.is_nan() || (value - wanted).abs() > 1e-9 * wanted.abs() {
            wrong.push(format!("{name}, {}: {value}, not {wanted}", metric.name()));
        }
        assert_eq!(trace.start_unix_seconds, Some(1_796_073_487.0), "{name}");
        assert_eq!((trace.capacity.cores, trace.cores_assumed()), (Some(2.0), false), "{name}");
        let kinds: Vec<WarningKind> = trace.warnings.iter().map(|warning| warning.kind).collect();
        let broken: &[WarningKind] = &[WarningKind::CutOff, WarningKind::Mended];
        assert_eq!(kinds, if name == "several.json" { &[] } else { broken }, "{name}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn host(name: &str, samples: &str, restarts: &str) -> String {
    format!(
        "{{\"nodename\": \"{name}\", \"number-of-cpus\": 4, \"file-date\": \"2024-05-01\", \
         \"statistics\": [{samples}], \"restarts\": [{restarts}]}}"
    )
}

fn file(hosts: &str) -> String {
    format!("{{\"sysstat\": {{\"hosts\": [{hosts}]}}}}")
}

fn sample(second: u32, figures: &str) -> String {
    format!(
        "{{\"timestamp\": {{\"date\": \"2024-05-01\", \"time\": \"10:00:{second:02}\", \"utc\": 1, \"interval\": 1}},\
         \n{figures}}}"
    )
}

const ALL: &str = "\"cpu-load\": [{\"cpu\": \"all\", \"user\": 50.00, \"system\": 0.00}]";

#[test]
fn restarts_change_cores_and_brackets_may_be_wrong() {
    let restart =
        "{\"boot\": {\"date\": \"2024-05-01\", \"time\": \"10:00:05\", \"utc\": 1, \"cpu_count\": 8}}";
    let samples = [sample(1, ALL), sample(2, ALL), sample(7, ALL)].join(", ,");
    let trace =
        read("x", file(&host("node", &samples, restart)).as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(trace.node(Metric::CpuCores).unwrap(), [2.0, 2.0, 4.0]);
    let kinds: Vec<WarningKind> = trace.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::Restart, WarningKind::CoresChanged]);

    // A bracket too few in the middle, and per-core figures alone.
    let cores = "\"cpu-load\": [{\"cpu\": \"0\", \"user\": 50.00}, {\"cpu\": \"1\", \"user\": 25.00]";
    let samples = [sample(1, cores), sample(2, cores)].join(",");
    let trace = read("x", file(&host("node", &samples, "")).as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(trace.node(Metric::CpuCores).unwrap(), [0.75, 0.75]);
    let kinds: Vec<WarningKind> = trace.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::Mended, WarningKind::Other]);
}

#[test]
fn broken_files_are_named() {
    use ReadErrorKind as K;
    let fan = "\"power-management\": {\"fan-speed\": [{\"number\": 1, \"rpm\": 900}]}";
    let cases = [
        (
            file(&host("node", &sample(1, &ALL.replace("50.00", "many")), "")),
            K::BadNumber,
            "x, line 2, column user: expected a number, saw \"many\"",
        ),
        (
            file(&host("node", &sample(1, ALL).replace("10:00:01", "10"), "")),
            K::BadTime,
            "x, line 1, column timestamp: expected a date and a time, saw \"2024-05-01 10\"",
        ),
        (
            file(&host("node", &sample(1, &ALL.replace("\"user\":", "user")), "")),
            K::BadJson,
            "x, line 2: something that JSON doesn't have there, saw \"user\"",
        ),
        (
            file(&host("node", &sample(1, &"[".repeat(100)), "")),
            K::BadJson,
            "x, line 2: brackets in too many brackets",
        ),
        (
            file(&host("node", &sample(1, fan), "{\"boot\": {\"cpu_count\": 4}}")),
            K::BadHeader,
            "x: no figure in it that Cotrace can use. It has power-management, fan-speed. Record at least CPU.",
        ),
        (file(&host("node", "{}", "")), K::NoRows, "x: no samples in it"),
        (
            file(&[host("node", &sample(1, ALL), ""), host("other", &sample(1, ALL), "")].join(",")),
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
