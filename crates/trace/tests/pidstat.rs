//! What pidstat prints.

mod common;

use common::{assert_figures, fixture};
use cotrace_trace::Metric::{
    ContextSwitchesPerSecond, CpuCores, CpuSystemCores, CpuUserCores, DiskReadBytesPerSecond,
    DiskWriteBytesPerSecond, MemoryBytes,
};
use cotrace_trace::{ReadError, ReadErrorKind, ReadOptions, Trace, read};

const BANNER: &str = "Linux 6.1.0 (node) \t11/30/26 \t_x86_64_\t(4 CPU)\n\n";
const NAMES: &str =
    "UID       PID    %usr %system  %guest   %wait    %CPU   CPU     RSS   kB_rd/s   kB_wr/s  Command";

fn read_of(text: &str, subject: Option<&str>) -> Result<Trace, ReadError> {
    let options = ReadOptions { subject: subject.map(str::to_owned), ..ReadOptions::default() };
    read("x", text.as_bytes(), &options)
}

fn row(time: &str, pid: u32, usr: u32, rss: u32, command: &str) -> String {
    format!("{time} 0 {pid} {usr}.00 0.00 0.00 0.00 {usr}.00 1 {rss} 2.00 -1.00 {command}\n")
}

#[test]
fn figures_by_hand() {
    assert_figures(
        "pidstat",
        &[
            ("pidstat-hurd.txt", CpuUserCores, 1, 0.1078),
            ("pidstat-hurd.txt", CpuSystemCores, 1, 0.1373),
            ("pidstat-hurd.txt", CpuCores, 1, 0.2451),
            ("pidstat-hurd.txt", MemoryBytes, 1, 34056.0 * 1024.0),
            ("pidstat-hurd.txt", DiskWriteBytesPerSecond, 4, 29013.86 * 1024.0),
            ("pidstat-hH.txt", ContextSwitchesPerSecond, 0, 1.96 + 22.55),
            ("pidstat-blocks-de.txt", CpuCores, 1, 0.24),
            ("pidstat-blocks-de.txt", ContextSwitchesPerSecond, 0, 1.96 + 22.55),
            ("pidstat-blocks-12h.txt", MemoryBytes, 0, 14524.0 * 1024.0),
            // The process, not its threads besides.
            ("pidstat-ht.txt", CpuCores, 2, 0.3465),
            ("pidstat-ht.txt", MemoryBytes, 2, 34056.0 * 1024.0),
            ("pidstat-blocks-t.txt", CpuCores, 2, 0.35),
            // -I divides %CPU only, which isn't used.
            ("pidstat-I.txt", CpuCores, 1, 0.1078 + 0.1373),
            // Four processes of one command.
            ("pidstat-several.txt", CpuUserCores, 0, 0.0485 + 0.068 + 0.068 + 0.0485),
            ("pidstat-several.txt", MemoryBytes, 0, (14524.0 + 21760.0 + 21652.0 + 13292.0) * 1024.0),
            ("pidstat-several.txt", DiskReadBytesPerSecond, 0, 3.88 * 1024.0),
        ],
    );
}

#[test]
fn times_and_cores() {
    for name in ["pidstat-hurd.txt", "pidstat-hH.txt", "pidstat-blocks-12h.txt", "pidstat-blocks-de.txt"] {
        let trace = read("x", &fixture(&format!("pidstat/{name}")), &ReadOptions::default()).unwrap();
        assert_eq!(trace.time_seconds[..3], [1.0, 2.0, 3.0], "{name}");
        assert_eq!(trace.start_unix_seconds, Some(1_796_073_544.0), "{name}");
        assert_eq!(trace.capacity.cores, Some(2.0), "{name}");
        assert!(trace.warnings.is_empty(), "{name}: {:?}", trace.warnings);
    }
}

fn two_commands() -> String {
    let rows = [
        row("10:00:01", 7, 10, 1000, "sort"),
        row("10:00:01", 8, 20, 2000, "my job"),
        row("10:00:02", 8, 30, 2000, "my job"),
        row("10:00:03", 7, 50, 1500, "sort"),
        row("10:00:04", 9, 60, 500, "sort"),
    ];
    format!("{BANNER}# Time  {NAMES}\n{}", rows.concat())
}

#[test]
fn one_of_several_is_chosen() {
    let text = two_commands();
    for (subject, problem) in [
        (None, "x: 2 commands in one file. Say which one."),
        (Some("grep"), "x: no command grep in the file. Say which one."),
    ] {
        let error = read_of(&text, subject).unwrap_err();
        assert_eq!((error.kind, error.to_string().as_str()), (ReadErrorKind::Several, problem));
        assert_eq!(error.choices, ["all", "my job", "sort"]);
    }
    // A process without a line did nothing and holds what it held, until its last line.
    let cases: &[(&str, &[f64], &[f64])] = &[
        ("sort", &[0.1, 0.0, 0.5, 0.6], &[1000.0, 1000.0, 1500.0, 500.0]),
        ("my job", &[0.2, 0.3], &[2000.0, 2000.0]),
        ("7", &[0.1, 0.0, 0.5], &[1000.0, 1000.0, 1500.0]),
        ("all", &[0.3, 0.3, 0.5, 0.6], &[3000.0, 3000.0, 1500.0, 500.0]),
    ];
    for (subject, cpu, memory) in cases {
        let trace = read_of(&text, Some(subject)).unwrap();
        let seen: Vec<f64> =
            trace.node(CpuCores).unwrap().iter().map(|cores| (cores * 1e6).round() / 1e6).collect();
        assert_eq!(seen, *cpu, "{subject}");
        let memory: Vec<f64> = memory.iter().map(|kib| kib * 1024.0).collect();
        assert_eq!(trace.node(MemoryBytes).unwrap(), memory, "{subject}");
        // Less than nothing is not known.
        assert_eq!(trace.node(DiskWriteBytesPerSecond), None, "{subject}");
    }
}

#[test]
fn a_table_that_the_file_ends_before_is_not_known() {
    let text = format!(
        "{BANNER}10:00:00 UID PID %usr %system %guest %CPU CPU Command\n10:00:01 0 7 10 0 0 10 1 sort\n\n\
         10:00:00 UID PID kB_rd/s kB_wr/s kB_ccwr/s Command\n10:00:01 0 7 4 8 0 sort\n\n\
         10:00:01 UID PID %usr %system %guest %CPU CPU Command\n10:00:02 0 7 20 0 0 10 1 sort\n"
    );
    let trace = read_of(&text, None).unwrap();
    assert_eq!(trace.node(CpuCores).unwrap(), [0.1, 0.2]);
    let writes = trace.node(DiskWriteBytesPerSecond).unwrap();
    assert!(writes[0] == 8192.0 && writes[1].is_nan(), "{writes:?}");
}

#[test]
fn midnight_twelve_hours_and_broken_lines() {
    let text = format!(
        "{BANNER}# Time  {NAMES}\n{}{}cut\n{}",
        row("11:59:59 PM", 7, 10, 1000, "sort"),
        row("12:00:00 AM", 7, 20, 1000, "sort"),
        row("12:00:02 AM", 7, 30, 1000, "sort")
    );
    let trace = read_of(&text, None).unwrap();
    assert_eq!(trace.time_seconds.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>(), [1.0, 2.0]);
    assert_eq!(trace.warnings[0].to_string(), "line 6: Left out 1 line that can't be read.");
    let error = read_of(&text.replace("1000", "1x"), None).unwrap_err();
    assert_eq!(error.to_string(), "x, line 4, column RSS: expected a number, saw \"1x\"");
}

#[test]
fn sizes_for_people_are_read() {
    let text = format!(
        "{BANNER}10:00:00 UID PID minflt/s majflt/s VSZ RSS %MEM Command\n10:00:01 0 7 1.0 0.0 46.6M 1.5M 0.1% job\n\n\
         10:00:01 UID PID minflt/s majflt/s VSZ RSS %MEM Command\n10:00:02 0 7 1.0 0.0 46.6M 15.0k 0.1% job\n"
    );
    assert_eq!(read_of(&text, None).unwrap().node(MemoryBytes).unwrap(), [1.5 * 1_048_576.0, 15.0 * 1024.0]);
}

#[test]
fn old_versions_have_no_user() {
    let text = format!(
        "$ pidstat 1\n{BANNER}10:00:00 AM       PID    %usr %system  %guest    %CPU   CPU  Command\n\
         10:00:01 AM      1234   50.00   10.00    0.00   60.00     3  job\n\
         10:00:02 AM      1234   51.00   10.00    0.00   61.00     3  job\n^C\n\
         Average:         1234   51.00   10.00    0.00   61.00     -  job\n"
    );
    let trace = read_of(&text, None).unwrap();
    assert_eq!(trace.format, "pidstat");
    assert_eq!(trace.node(CpuCores).unwrap(), [0.6, 0.61]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn one_sample_needs_a_step() {
    let text = "Linux 6.1.0 (node) \t11/30/26 \t_x86_64_\t(4 CPU)\n\n# Time UID PID %usr %system RSS Command\n\
                1796077377 0 7 50.0 10.0 2048 job\n";
    assert_eq!(&*read_of(text, None).unwrap_err().problem, "only one sample in it");
    let options = ReadOptions { step_seconds: Some(5.0), ..ReadOptions::default() };
    let trace = read("x", text.as_bytes(), &options).unwrap();
    assert_eq!(
        (trace.time_seconds.as_slice(), trace.start_unix_seconds),
        (&[5.0][..], Some(1_796_077_372.0))
    );
    assert_eq!(trace.node(CpuCores).unwrap(), [0.6]);
}

#[test]
fn clocks_of_any_locale_are_read() {
    for (locale, clock) in [
        ("ja_JP", ["22時35分56秒", "22時35分57秒", "22時35分58秒"]),
        ("ko_KR", ["22시 35분 56초", "22시 35분 57초", "22시 35분 58초"]),
        ("fi_FI", ["22.35.56", "22.35.57", "22.35.58"]),
        ("hi_IN", ["10:35:56 अपराह्न IST", "10:35:57 अपराह्न IST", "10:35:58 अपराह्न IST"]),
    ] {
        let rows = [row(clock[1], 7, 50, 2048, "job"), row(clock[2], 7, 60, 4096, "job")];
        for (text, start) in [
            (
                format!("{BANNER}{} {NAMES}\n{}\n{} {NAMES}\n{}", clock[0], rows[0], clock[1], rows[1]),
                81_356.0,
            ),
            (format!("{BANNER}# Time {NAMES}\n{}{}", rows[0], rows[1]), 81_356.0),
        ] {
            let trace = read_of(&text, None).unwrap_or_else(|error| panic!("{locale}: {error}"));
            assert_eq!(trace.node(CpuCores).unwrap(), [0.5, 0.6], "{locale}");
            assert_eq!(trace.time_seconds, [1.0, 2.0], "{locale}");
            assert_eq!(trace.start_unix_seconds.unwrap() % 86_400.0, start, "{locale}");
        }
    }
}
