//! Files made to break readers: each must be read or refused in words, by every format, in an end.

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use common::assert_sound;
use cotrace_trace::{Format, ReadErrorKind, ReadOptions, read, read_as};
use flate2::Compression;
use flate2::write::GzEncoder;

/// As every format, and without being told.
fn try_all(what: &str, bytes: &[u8]) {
    let options = ReadOptions::default();
    let formats = Format::ALL.iter().map(|format| Some(*format)).chain([None]);
    for format in formats {
        let name = format.map_or("unknown", Format::name);
        let result = match format {
            Some(format) => read_as(format, "hostile", bytes, &options),
            None => read("hostile", bytes, &options),
        };
        match result {
            Ok(trace) => {
                assert_sound(&trace, &format!("{what} as {name}"));
                let said: String = trace.warnings.iter().map(ToString::to_string).collect();
                assert!(!said.contains(|c: char| c.is_control()), "{what} as {name}: {said:?}");
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.starts_with("hostile"), "{what} as {name}: {text}");
                assert!(!text.contains(|c: char| c.is_control()), "{what} as {name}: {text}");
                assert!(text.len() < 20_000, "{what} as {name}: an error of {} bytes", text.len());
            }
        }
    }
}

/// Past findings of `cargo xtask fuzz`.
#[test]
fn what_was_found_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        try_all(&entry.path().display().to_string(), &std::fs::read(entry.path()).unwrap());
    }
}

#[test]
fn each_format_is_fuzzed() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let missing: Vec<&str> = Format::ALL
        .iter()
        .map(|format| format.name())
        .filter(|name| !manifest.contains(&format!("\nname = \"{}\"\n", name.replace('-', "_"))))
        .collect();
    assert!(missing.is_empty(), "no target in fuzz/Cargo.toml for {missing:?}");
}

/// Beginnings that make a format's reader take the rest seriously.
const BEGINNINGS: &[(&str, &str)] = &[
    ("nothing", ""),
    ("canonical CSV", "# cotrace-trace 1\ntime_seconds,cpu_cores\n"),
    ("canonical JSON", "{\"cotrace_trace\":1,\"time_seconds\":[1,2],\"columns\":{\"cpu_cores\":[1,"),
    ("sar's columns", "timestamp,%user,%system,IFACE,rxkB/s\n"),
    (
        "sar",
        "Linux 5.10.0 (node) \t05/01/24 \t_x86_64_\t(2 CPU)\n\n12:00:00  CPU  %user  %nice  %system  %iowait  %steal  %idle\n",
    ),
    ("sadf -d", "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"),
    ("sadf -j", "{\"sysstat\": {\"hosts\": [{\"nodename\": \"node\", \"statistics\": [{\"timestamp\": "),
    ("dstat", "\"pcp-dstat 6.0 CSV Output\"\n\"total usage\",,,\n\"usr\",\"sys\",\"idl\",\"wai\"\n"),
    (
        "vmstat",
        "procs ---memory--- \n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n",
    ),
    ("iostat", "Linux 5.10.0 (node) \t05/01/24 \t_x86_64_\t(2 CPU)\n\nDevice  r/s  rkB/s  w/s  wkB/s\n"),
    ("docker", "CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %   NET I/O   BLOCK I/O   PIDS\n"),
    ("docker as JSON", "{\"Name\":\"web\",\"CPUPerc\":\"1.00%\",\"MemUsage\":\"1MiB / 2GiB\"}\n"),
    ("kubectl", "NAME   CPU(cores)   MEMORY(bytes)\n"),
    (
        "Prometheus",
        "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},\"values\":[",
    ),
    ("CloudWatch", "{\"MetricDataResults\":[{\"Id\":\"a\",\"Label\":\"CPUUtilization\",\"Timestamps\":["),
    (
        "nmon",
        "AAA,progname,nmon\nAAA,interval,1\nCPU_ALL,CPU Total node,User%,Sys%,Wait%,Idle%\nZZZZ,T0001,12:00:01,01-MAY-2024\n",
    ),
    ("collectl", "#Date Time [CPU]User% [CPU]Sys% [MEM]Tot [MEM]Used\n"),
    ("atop", "RESET\nCPU node 1714564801 2024/05/01 12:00:01 1 100 2 1 1 1 1 1 1 1 1 1\n"),
    ("pmrep", "Time,\"kernel.all.cpu.user\",\"mem.util.used\"\n"),
    ("Grafana", "\"Time\",\"CPU\"\n"),
];

#[test]
fn odd_rests_after_every_beginning() {
    let many = |piece: &str, times: usize| piece.repeat(times);
    let rests = [
        ("a NUL", "12:00:01 1\0 2,3\n\0\n".to_owned()),
        ("NULs", many("\0", 5000)),
        ("an open quote", "\"12:00:01, 1,2\n3,4\n".to_owned()),
        ("huge numbers", "1e308,1e400,-1e400\n99999999999999999999999999999999999999,2,3\n".to_owned()),
        ("a long number", format!("{},1,2\n", many("9", 50_000))),
        ("many decimals", format!("1.{},1,2\n", many("3", 50_000))),
        ("no numbers", "inf,-inf,nan\nNaN NaN NaN\nnull,true,0x10\n".to_owned()),
        ("halves of characters", "\\ud800\",\"\\udfff\u{fffd}\u{202e}\u{0}\n".to_owned()),
        ("deep lists", many("[", 50_000)),
        ("deep objects", many("{\"a\":", 50_000)),
        ("empty lines", many("\n", 100_000)),
        ("CRs", many("\r", 100_000)),
        ("commas", many(",", 100_000)),
        ("semicolons", many(";", 100_000)),
        ("colons", many("1:", 50_000)),
        ("a long word", many("x", 100_000)),
        ("a long line of words", many("x ", 50_000)),
        ("other digits", "١٢:٠٠:٠١ ١٢٣ ４５\n".to_owned()),
        ("odd white space", "\u{a0}12:00:01\u{2003}1\u{85}2\u{2028}3\n".to_owned()),
        ("odd times", "99:99:99 1 2\n-1:00:00 1 2\n1e99,1\n12:00:01.9999999999999999 1 2\n".to_owned()),
    ];
    for (start, beginning) in BEGINNINGS {
        for (end, rest) in &rests {
            try_all(&format!("{start}, then {end}"), format!("{beginning}{rest}").as_bytes());
        }
    }
}

#[test]
fn much_of_everything() {
    let rows = |row: &dyn Fn(usize) -> String| (0..20_000).map(row).collect::<String>();
    let names: String = (0..200_000).fold(String::new(), |mut text, index| {
        write!(text, ",job.j{index}.cpu_cores").unwrap();
        text
    });
    let files = [
        ("columns", format!("time_seconds{names}\n1\n2\n")),
        ("unknown columns", format!("time_seconds,cpu_cores{}\n1\n2\n", ",a,b".repeat(100_000))),
        ("sar columns", format!("timestamp,%user,%system{}\n12:00:01\n", ",%user".repeat(200_000))),
        (
            "devices",
            format!(
                "timestamp,%user,%system,IFACE,rxkB/s\n{}",
                rows(&|at| format!("{:02}:{:02}:{:02},1,2,eth{at},3\n", at / 3600, at / 60 % 60, at % 60))
            ),
        ),
        ("backwards", format!("time_seconds,cpu_cores\n{}", rows(&|at| format!("{},1\n", 20_000 - at)))),
        ("the same time", format!("time_seconds,cpu_cores\n{}", "1,1\n".repeat(20_000))),
        ("headers", format!("timestamp,%user,%system\n{}", "timestamp,%user,%system\n".repeat(20_000))),
        ("vmstat headers", " r  b   swpd   free   buff  cache us\n".repeat(20_000)),
        ("nodes", format!("{}time_seconds,cpu_cores\n1,1\n", "# node x=1\n".repeat(20_000))),
        ("a million empty lines", "\n".repeat(1_000_000)),
    ];
    for (what, text) in files {
        try_all(what, text.as_bytes());
    }
}

#[test]
fn bombs_go_off_in_the_box() {
    let zeros = vec![b'0'; 80 << 20];
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&zeros).unwrap();
    let gzip = encoder.finish().unwrap();
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let zstd = ruzstd::encoding::compress_to_vec(zeros.as_slice(), level);
    drop(zeros);
    for (what, bytes) in [("gzip", gzip), ("zstd", zstd)] {
        assert!(bytes.len() < 2 << 20, "{what} is {} bytes", bytes.len());
        let error = read("hostile", &bytes, &ReadOptions::default()).expect_err(what);
        assert_eq!(error.kind, ReadErrorKind::TooLarge, "{what}: {error}");
        assert!(error.to_string().contains("limit of 64 MiB"), "{what}: {error}");
    }
}
