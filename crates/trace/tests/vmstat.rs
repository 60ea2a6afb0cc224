//! What vmstat prints.

mod common;

use common::{assert_figures, fixtures};
use cotrace_trace::Metric::{
    ContextSwitchesPerSecond, CpuCores, CpuIowaitCores, CpuSystemCores, CpuUserCores, DiskReadBytesPerSecond,
    DiskWriteBytesPerSecond, MemoryBytes, PageCacheBytes,
};
use cotrace_trace::{Capacity, ReadOptions, Trace, read};

const HEAD: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
    r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";

fn read_text(text: &str) -> Result<Trace, cotrace_trace::ReadError> {
    read("x", text.as_bytes(), &ReadOptions::with_cores(2.0))
}

fn row(busy: u32) -> String {
    format!(" 1  0      0 800000 100000 300000    0    0    10    20  100  200 {busy}  0 {} 0  0", 100 - busy)
}

fn cpu(text: &str) -> Vec<f64> {
    read_text(text).unwrap().node(CpuCores).unwrap().to_vec()
}

#[test]
fn figures_by_hand() {
    assert_figures(
        "vmstat",
        &[
            ("vmstat.txt", CpuUserCores, 1, 0.87 * 2.0),
            ("vmstat.txt", CpuSystemCores, 1, 0.12 * 2.0),
            ("vmstat.txt", CpuCores, 1, 0.99 * 2.0),
            ("vmstat.txt", DiskReadBytesPerSecond, 1, 51872.0 * 1024.0),
            ("vmstat.txt", ContextSwitchesPerSecond, 1, 1842.0),
            ("vmstat.txt", PageCacheBytes, 1, (207_728.0 + 2_676_576.0) * 1024.0),
            // After the second header.
            ("vmstat.txt", ContextSwitchesPerSecond, 20, 2691.0),
            ("vmstat-t.txt", DiskWriteBytesPerSecond, 18, 29304.0 * 1024.0),
            ("vmstat-t.txt", CpuIowaitCores, 1, 0.01 * 2.0),
            ("vmstat-wtn.txt", ContextSwitchesPerSecond, 0, 1596.0),
            ("vmstat-awt.txt", DiskReadBytesPerSecond, 1, 11446.0 * 1024.0),
            ("vmstat-prefixed-clock.txt", ContextSwitchesPerSecond, 1, 1831.0),
            ("vmstat-prefixed-epoch.txt", ContextSwitchesPerSecond, 1, 1844.0),
        ],
    );
}

#[test]
fn times_are_those_of_the_file() {
    let mut wrong = Vec::new();
    for (name, rows, seconds, start) in [
        ("vmstat.txt", 24, 24.0, None),
        ("vmstat-t.txt", 29, 29.0, Some(1_796_073_544.0)),
        // The clock of the place, whatever its zone.
        ("vmstat-wtn.txt", 14, 14.0, Some(1_796_077_144.0)),
        ("vmstat-awt.txt", 7, 14.0, Some(1_796_055_544.0)),
        ("vmstat-prefixed-clock.txt", 11, 11.0, None),
        ("vmstat-prefixed-epoch.txt", 11, 11.0, Some(1_796_073_544.0)),
    ] {
        let fixture = fixtures().into_iter().find(|file| file.name == format!("vmstat/{name}")).unwrap();
        let trace = fixture.read_as_unknown();
        let seen = (trace.time_seconds.len(), trace.duration_seconds(), trace.start_unix_seconds);
        if seen != (rows, seconds, start) {
            wrong.push(format!("{name}: {seen:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_stated_memory_gives_the_memory_in_use() {
    let text = format!("{HEAD}{}\n{}\n{}\n", row(1), row(2), row(3));
    let capacity = Capacity { cores: Some(2.0), memory_bytes: Some(2e6 * 1024.0), ..Capacity::default() };
    let trace = read("x", text.as_bytes(), &ReadOptions { capacity, ..ReadOptions::default() }).unwrap();
    assert_eq!(trace.node(MemoryBytes).unwrap(), [800_000.0 * 1024.0; 2]);
    let without = read_text(&text).unwrap();
    assert_eq!(without.node(MemoryBytes), None);
    assert!(without.warnings.iter().any(|warning| warning.message.starts_with("Memory in use is not known")));
}

#[test]
fn a_header_again_is_a_new_run_or_only_a_header() {
    let rows = |count: usize| (0..count).map(|_| row(10) + "\n").collect::<String>();
    let boot = row(90) + "\n";
    // The text, the samples, whether it was started anew.
    let cases = [
        ("repeated", format!("{HEAD}{boot}{}{HEAD}{}", rows(20), rows(3)), 23, false),
        (
            "repeated on a terminal",
            format!("{HEAD}{boot}{}{HEAD}{}{HEAD}{}", rows(46), rows(47), rows(3)),
            96,
            false,
        ),
        ("started anew", format!("{HEAD}{boot}{}{HEAD}{boot}{}", rows(5), rows(3)), 8, true),
        (
            "started anew twice",
            format!("{HEAD}{boot}{}{HEAD}{boot}{}{HEAD}{boot}{}", rows(4), rows(4), rows(2)),
            10,
            true,
        ),
    ];
    for (what, text, samples, anew) in cases {
        let trace = read_text(&text).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(trace.node(CpuCores).unwrap(), vec![0.2; samples], "{what}");
        let is_said = trace.warnings.iter().any(|warning| warning.message.contains("started anew"));
        assert_eq!(is_said, anew, "{what}: {:?}", trace.warnings);
    }
}

#[test]
fn times_of_other_tools_before_each_line() {
    let rows = |times: &[&str]| -> String {
        let row = row(50);
        times.iter().map(|time| [*time, " ", &row, "\n"].concat()).collect()
    };
    let header = HEAD.lines().nth(1).unwrap();
    let cases = [
        (["Dec 31 23:59:58", "Dec 31 23:59:59", "Jan  1 00:00:01"], [1.0, 3.0]),
        (["2026-11-30 10:00:00", "2026-11-30 10:00:05", "2026-11-30 10:00:10"], [5.0, 10.0]),
        (["23:59:59", "00:00:00", "00:00:02"], [1.0, 3.0]),
    ];
    for (times, wanted) in cases {
        let text = format!("{} {header}\n{}", times[0], rows(&times));
        assert_eq!(read_text(&text).unwrap().time_seconds, wanted, "{times:?}");
    }
}

#[test]
fn lines_that_are_none_are_left_out_and_said() {
    let text =
        format!("started by cron\n{HEAD}{}\n{}\nConnection lost\n{}\n 1  0   0 80", row(1), row(2), row(3));
    let trace = read_text(&text).unwrap();
    assert_eq!(trace.time_seconds.len(), 2);
    let warnings: Vec<String> = trace.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.contains(&"line 6: Left out 2 lines that can't be read.".to_owned()), "{warnings:?}");
}

#[test]
fn units_that_cannot_be_are_said() {
    let small = row(1).replace("800000", "7000").replace("100000", "10").replace("300000", "400");
    let text = format!("{HEAD}{small}\n{small}\n{small}\n");
    let warnings = read_text(&text).unwrap().warnings;
    assert!(warnings.iter().any(|warning| warning.hint.contains("without -S")), "{warnings:?}");
    let usual = read_text(&format!("{HEAD}{}\n{}\n{}\n", row(1), row(1), row(1))).unwrap();
    assert!(!usual.warnings.iter().any(|warning| warning.hint.contains("without -S")));
}

#[test]
fn broken_files_are_named() {
    let cases = [
        (
            format!("{HEAD}{}\n", row(1)),
            "x: no samples in it: the first line of vmstat is an average since boot. Record with an interval: vmstat -t 1.",
        ),
        (
            format!("{HEAD}{}\n{}\n", row(1), row(2).replace("200", "2x0")),
            "x, line 4, column cs: expected a number, saw \"2x0\"",
        ),
        (
            format!("{HEAD}{}\n{} yesterday\n", row(1), row(2)),
            "x, line 4: expected a date and time, saw \"yesterday\"",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(read_text(&text).expect_err(wanted).to_string(), wanted);
    }
    assert_eq!(cpu(&format!("{HEAD}{}\n{}\n", row(1), row(25))), [0.5]);
}

#[test]
fn very_old_layouts_are_read() {
    let text = "   procs                      memory    swap          io     system         cpu\n \
         r  b  w   swpd   free   buff  cache  si  so    bi    bo   in    cs  us  sy  id\n \
         1  0  0   1000  52000  20000 700000   0   0     2     3  104    30   1   0  98\n \
         2  0  0   1000  51000  20000 700000   0   0   200   300  204  1030  50  10  40\n";
    let trace = read_text(text).unwrap();
    assert_eq!(trace.node(CpuCores).unwrap(), [1.2]);
    assert_eq!(trace.node(DiskReadBytesPerSecond).unwrap(), [200.0 * 1024.0]);
    assert_eq!(trace.node(PageCacheBytes).unwrap(), [720_000.0 * 1024.0]);
    assert_eq!(trace.node(ContextSwitchesPerSecond).unwrap(), [1030.0]);
}

#[test]
fn another_unit_of_memory_shows() {
    let file = |rows: [(u64, u64); 3]| {
        let rows = rows
            .map(|(free, cache)| format!(" 1  0      0 {free} 1001 {cache} 0 0 10 20 100 200 50 0 50 0 0\n"));
        format!("{HEAD}{}", rows.concat())
    };
    let cases = [
        ("MiB", file([(13_573, 7002), (13_570, 7001), (13_571, 7001)]), 8002.0 * 1_048_576.0, "vmstat -S M."),
        (
            "kB",
            file([(13_573_001, 700_002), (13_570_003, 700_001), (13_571_002, 700_001)]),
            701_002.0 * 1000.0,
            "vmstat -S k.",
        ),
    ];
    for (unit, text, cache, said) in cases {
        let trace = read_text(&text).unwrap();
        assert_eq!(trace.node(PageCacheBytes).unwrap()[0], cache, "{unit}");
        let message = &trace.warnings[0].message;
        assert!(message.contains(&format!("taken for {unit}")) && message.ends_with(said), "{message}");
    }
    // One broken cell is no evidence.
    let text = format!("{HEAD}{}\n{}\n{}\n", row(1), row(50), row(60).replace("800000", "80001"));
    assert_eq!(read_text(&text).unwrap().node(PageCacheBytes).unwrap()[0], 400_000.0 * 1024.0);
}

#[test]
fn what_a_terminal_adds_is_no_loss() {
    let rows = format!("{HEAD}{}\n{}\n{}\n", row(1), row(50), row(60));
    for text in [
        format!("$ vmstat 1\n{rows}^C\nuser@node:~$ \n"),
        format!(
            "Script started on 2024-05-01 10:00:00+00:00\nuser@node:~$ vmstat 1\n{rows}^C\nuser@node:~$ exit\nexit\n\nScript done on 2024-05-01 10:00:09+00:00\n"
        ),
        format!("starting the job at node 7\n\n{rows}"),
    ] {
        let trace = read_text(&text).unwrap();
        assert_eq!(trace.node(CpuCores).unwrap(), [1.0, 1.2], "{text}");
        let messages: Vec<&str> = trace.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert!(messages.iter().all(|message| !message.contains("Left out")), "{messages:?}\n{text}");
    }
}

#[test]
fn headers_of_any_language_are_read() {
    for (language, header) in [
        (
            "German",
            " r  b   swpd   frei   buff  Cache   si   so    bi    bo   in   cs us sy id wa st                 UTC",
        ),
        (
            "French",
            " r  b   swpd  libre tampon  cache   si   so    bi    bo   in   cs us sy id wa st                 CET",
        ),
        (
            "Korean",
            " r  b 스왑 가용 버퍼 캐시  입  출   입   출   in   cs us sy id wa st                      KST",
        ),
        (
            "Polish",
            "dz bl   swap  wolna  bufor  cache   si   so    bi    bo   in   cs uż sy be io sk                 CET",
        ),
        (
            "Swedish",
            " k  b   växl  fritt   buff  cache   vi   vu    bi    bu  avb ktxb an sy ia vä st                +01",
        ),
        (
            "Chinese",
            " r  b 交换 空闲 缓冲 缓存   si   so    bi    bo   in   cs us sy id wa st                 CST",
        ),
    ] {
        let row = |second: u32| {
            format!(
                " 1  0      0 800000 100000 300000    0    0    10    20  100  200 60 20 10 10  0 2024-05-01 10:00:0{second}\n"
            )
        };
        let text = format!("procs ------ ----\n{header}\n{}{}{}", row(0), row(1), row(2));
        let trace = read_text(&text).unwrap_or_else(|error| panic!("{language}: {error}"));
        assert_eq!(trace.format, "vmstat", "{language}");
        for (metric, wanted) in [
            (CpuCores, 1.6),
            (CpuIowaitCores, 0.2),
            (PageCacheBytes, 400_000.0 * 1024.0),
            (DiskWriteBytesPerSecond, 20.0 * 1024.0),
        ] {
            assert_eq!(trace.node(metric).unwrap(), [wanted; 2], "{language}");
        }
        assert!(trace.warnings.iter().all(|warning| !warning.message.contains("Left out")), "{language}");
    }
    let text = format!(
        "procs ----\n r  b   swpd   frei   inakt aktiv   si   so    bi    bo   in   cs us sy id wa st\n{}\n{}\n",
        row(1),
        row(50)
    );
    let trace = read_text(&text).unwrap();
    assert_eq!((trace.node(PageCacheBytes), trace.node(CpuCores).unwrap()), (None, &[1.0][..]));
}
