//! What iostat prints, and its JSON.

mod common;

use common::assert_figures;
use cotrace_trace::Metric::{
    CpuCores, CpuIowaitCores, CpuSystemCores, CpuUserCores, DiskReadBytesPerSecond, DiskWriteBytesPerSecond,
};
use cotrace_trace::{Metric, ReadErrorKind, ReadOptions, Trace, read};

const BANNER: &str = "Linux 6.1.0 (node) \t11/30/26 \t_x86_64_\t(4 CPU)\n\n";
const CPU: &str = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n";

fn read_text(text: &str) -> Result<Trace, cotrace_trace::ReadError> {
    read("x", text.as_bytes(), &ReadOptions::default())
}

fn values(text: &str, metric: Metric) -> Vec<f64> {
    read_text(text).unwrap().node(metric).unwrap().to_vec()
}

#[test]
fn figures_by_hand() {
    assert_figures(
        "iostat",
        &[
            ("iostat.txt", CpuCores, 0, (0.1932 + 0.5845 + 0.2222) * 2.0),
            ("iostat-xt-12h.txt", CpuUserCores, 0, (0.1942 + 0.5874) * 2.0),
            ("iostat-xt-12h.txt", CpuSystemCores, 0, 0.2184 * 2.0),
            ("iostat-xt-12h.txt", DiskReadBytesPerSecond, 0, 745.63 * 1024.0),
            ("iostat-xt-12h.txt", DiskWriteBytesPerSecond, 0, 3.88 * 1024.0),
            ("iostat-xtk-de.txt", CpuIowaitCores, 0, 0.0025 * 2.0),
            ("iostat-xtk-de.txt", DiskReadBytesPerSecond, 1, 11446.0 * 1024.0),
            ("iostat-xtm-iso.txt", DiskReadBytesPerSecond, 0, 0.74 * 1_048_576.0),
            ("iostat-dty.txt", DiskReadBytesPerSecond, 0, 51390.10 * 1024.0),
            ("iostat-st.txt", DiskReadBytesPerSecond, 0, 764.36 * 1024.0),
            ("iostat-th.txt", DiskReadBytesPerSecond, 0, 780.2 * 1024.0),
            ("iostat-th.txt", CpuCores, 0, (0.202 + 0.586 + 0.212) * 2.0),
            ("iostat-xth.txt", DiskReadBytesPerSecond, 0, 772.5 * 1024.0),
            ("iostat-tpNm.txt", DiskReadBytesPerSecond, 0, 0.76 * 1_048_576.0),
            ("iostat-xt.json", DiskReadBytesPerSecond, 0, 764.36 * 1024.0),
            ("iostat-m.json", DiskWriteBytesPerSecond, 1, 0.01 * 1_048_576.0),
            ("iostat-ct-gb.txt", CpuIowaitCores, 1, 0.005 * 2.0),
        ],
    );
}

#[test]
fn the_cores_and_the_date_are_those_of_the_file() {
    let mut checked = 0;
    for fixture in common::fixtures().iter().filter(|fixture| fixture.format == "iostat") {
        let trace = fixture.read_as_unknown();
        assert_eq!(trace.capacity.cores, Some(2.0), "{}", fixture.name);
        let start = trace.start_unix_seconds;
        assert!(
            start.is_none_or(|start| (start - 1_796_073_545.0).abs() <= 1.0),
            "{}: {start:?}",
            fixture.name
        );
        checked += 1;
    }
    assert!(checked >= 10);
}

#[test]
fn old_tables_and_long_names() {
    let report = |read, user| {
        format!(
            "{CPU}          {user}   0.00    0.00    0.00    0.00  50.00\n\n\
             Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn\n\
             sda               1.00        {read}         8.00          1          1\n\
             sda1              1.00        {read}         8.00          1          1\n\
             a-very-long-name-of-a-volume\n                  1.00        {read}         8.00          1          1\n\n"
        )
    };
    let text = format!("{BANNER}{}{}{}", report(9, "90.0"), report(16, "25.0"), report(32, "50.0"));
    assert_eq!(values(&text, DiskReadBytesPerSecond), [16.0 * 512.0, 32.0 * 512.0]);
    assert_eq!(values(&text, CpuCores), [1.0, 2.0]);
    let sectors = text.replace("Blk_read/s   Blk_wrtn/s", "rsec/s       wsec/s");
    assert_eq!(values(&sectors, DiskWriteBytesPerSecond), [4096.0, 4096.0]);
}

#[test]
fn midnight_passes_whatever_the_order_of_day_and_month() {
    let report = |time| format!("{time}\n{CPU}  10.0 0.0 0.0 0.0 0.0 90.0\n\n\n");
    for times in [
        ["12/11/26 23:59:58", "12/11/26 23:59:59", "13/11/26 00:00:01"],
        ["11/30/2026 11:59:58 PM", "11/30/2026 11:59:59 PM", "12/01/2026 12:00:01 AM"],
        ["2026-11-30T23:59:58+0000", "2026-11-30T23:59:59+0000", "2026-12-01T00:00:01+0000"],
        ["31.12.2026 23:59:58", "31.12.2026 23:59:59", "01.01.2027 00:00:01"],
        ["Time: 23:59:58", "Time: 23:59:59", "Time: 00:00:01"],
    ] {
        let text = format!("{BANNER}{}", times.map(report).concat());
        assert_eq!(read_text(&text).unwrap().time_seconds, [1.0, 3.0], "{times:?}");
    }
}

#[test]
fn a_restart_is_no_sample() {
    let report = |user| format!("{CPU}  {user} 0.0 0.0 0.0 0.0 0.0\n\n\n");
    let run = format!("{BANNER}{}{}{}", report(90), report(25), report(50));
    let trace = read_text(&format!("{run}{run}")).unwrap();
    assert_eq!(trace.node(CpuCores).unwrap(), [1.0, 2.0, 1.0, 2.0]);
    assert!(
        trace
            .warnings
            .iter()
            .any(|warning| warning.to_string().starts_with("line 15: iostat was started anew"))
    );
}

#[test]
fn an_average_since_boot_is_no_trace() {
    let one = format!("{BANNER}{CPU}  10.0 0.0 0.0 0.0 0.0 90.0\n");
    let json =
        r#"{"sysstat": {"hosts": [{"number-of-cpus": 2, "statistics": [{"avg-cpu": {"user": 1.0}}]}]}}"#;
    for text in [one.as_str(), json, &format!("{one}{one}{one}")] {
        let error = read_text(text).unwrap_err();
        assert_eq!(error.kind, ReadErrorKind::NoRows);
        assert_eq!(
            error.to_string(),
            "x: its only report is the average since boot. Record with an interval: iostat -xt 1."
        );
    }
}

#[test]
fn json_that_is_cut_off_gives_what_was_there() {
    let element =
        |user| format!(r#"{{"timestamp": "11/30/26 10:00:0{user}", "avg-cpu": {{"user": {user}.0}}}}"#);
    let text = format!(
        r#"{{"sysstat": {{"hosts": [{{"number-of-cpus": 100, "statistics": [{},{},{},{{"avg-cpu": {{"us"#,
        element(1),
        element(2),
        element(3)
    );
    let trace = read_text(&text).unwrap();
    assert_eq!(trace.node(CpuCores).unwrap(), [2.0, 3.0]);
    assert_eq!(trace.warnings[0].message, "The file ends in the middle: the last sample was left out.");
    let whole = text.replace(r#",{"avg-cpu": {"us"#, "]}]}}");
    let twice = read_text(&format!("{whole}\n{}", whole.replace("10:00", "11:00"))).unwrap();
    assert_eq!(twice.node(CpuCores).unwrap(), [2.0, 3.0, 2.0, 3.0]);
    let broken = read_text(&whole.replace("2.0", "x")).unwrap_err();
    assert_eq!((broken.kind, broken.line), (ReadErrorKind::BadJson, Some(1)));
}

#[test]
fn broken_lines() {
    let text = format!("{BANNER}{CPU} 1 0 0 0 0 9\n\n{CPU} 1 x 0 0 0 9\n");
    let error = read_text(&text).unwrap_err();
    assert_eq!(error.to_string(), "x, line 7, column %nice: expected a number, saw \"x\"");
    let text = format!("{BANNER}{CPU} 1 0 0 0 0 9\n\n{CPU} 1 0 0 0 0 9\n\n{CPU} 1 0\n");
    let trace = read_text(&text).unwrap();
    assert!(trace.node(CpuCores).unwrap()[1].is_nan());
    assert!(
        trace
            .warnings
            .iter()
            .any(|warning| warning.to_string() == "line 10: Left out 1 line that can't be read.")
    );
}

#[test]
fn old_names_are_read() {
    let report = |clock: &str, user: u32, sectors: u32| {
        format!(
            "Time: {clock} AM\navg-cpu:  %user   %nice    %sys %iowait   %idle\n {user}.00 0.00 2.00 1.00 0.00\n\n\
             Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s  wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
             cciss/c0d0 0.0 0.0 1.0 1.0 {sectors}.0 8.0 1 1 1 1 1\ncciss/c0d0p1 0.0 0.0 1.0 1.0 {sectors}.0 8.0 1 1 1 1 1\n\
             hda 0.0 0.0 1.0 1.0 {sectors}.0 8.0 1 1 1 1 1\n\n"
        )
    };
    let text = format!(
        "Linux 2.6.9-42.ELsmp (node) \t05/01/2007\n\n{}{}{}^C\n[root@node ~]# \n",
        report("10:00:00", 1, 1),
        report("10:00:01", 50, 100),
        report("10:00:02", 60, 200)
    );
    let trace = read("x", text.as_bytes(), &ReadOptions::with_cores(2.0)).unwrap();
    assert_eq!(trace.node(CpuCores).unwrap(), [1.04, 1.24]);
    assert_eq!(trace.node(DiskReadBytesPerSecond).unwrap(), [200.0 * 512.0, 400.0 * 512.0]);
    assert_eq!(trace.node(DiskWriteBytesPerSecond).unwrap(), [16.0 * 512.0; 2]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn tables_for_people_are_all_known() {
    let report = |second: u32, size: &str| {
        format!(
            "11/30/26 10:00:0{second}\n{CPU} 50.0% 0.0% 10.0% 0.0% 0.0% 40.0%\n\n     r/s     rkB/s Device\n 3.96 {size} vda\n\n\
             d/s     dkB/s   drqm/s  %drqm d_await dareq-sz Device\n 8.91 158.4M 0.00 0.0% 5.11 17.8M vda\n\n\
             f/s f_await  aqu-sz  %util Device\n 4.95 1.00 1.18 16.6% vda\n\n"
        )
    };
    let text = format!("{BANNER}{}{}{}", report(0, "1.0k"), report(1, "2.5M"), report(2, "512.0B"));
    let trace = read_text(&text).unwrap();
    assert_eq!(trace.node(DiskReadBytesPerSecond).unwrap(), [2.5 * 1_048_576.0, 512.0]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn colours_are_no_figures() {
    let row = |user: u32| {
        format!(
            "       \u{1b}[34;1m   {user}.00\u{1b}[0m\u{1b}[34;22m 0.00 10.00 0.00 0.00 1.00\u{1b}[0m\n\n"
        )
    };
    let text = format!(
        "{BANNER}11/30/26 10:00:00\n{CPU}{}11/30/26 10:00:01\n{CPU}{}11/30/26 10:00:02\n{CPU}{}",
        row(1),
        row(40),
        row(65)
    );
    assert_eq!(values(&text, CpuCores), [2.0, 3.0]);
}

#[test]
fn clocks_of_any_locale_are_read() {
    for (locale, clock) in [
        (
            "ja_JP",
            ["2026年11月30日 22時35分56秒", "2026年11月30日 22時35分57秒", "2026年11月30日 22時35分58秒"],
        ),
        (
            "ko_KR",
            [
                "2026년 11월 30일 22시 35분 56초",
                "2026년 11월 30일 22시 35분 57초",
                "2026년 11월 30일 22시 35분 58초",
            ],
        ),
        ("fi_FI", ["30.11.2026 22.35.56", "30.11.2026 22.35.57", "30.11.2026 22.35.58"]),
        ("el_GR", ["30/11/2026 10:35:56 μμ", "30/11/2026 10:35:57 μμ", "30/11/2026 10:35:58 μμ"]),
        (
            "hi_IN",
            ["30/11/26 10:35:56 अपराह्न IST", "30/11/26 10:35:57 अपराह्न IST", "30/11/26 10:35:58 अपराह्न IST"],
        ),
    ] {
        let report = |clock: &str, user: u32| format!("{clock}\n{CPU} {user},0 0,0 10,0 0,0 0,0 1,0\n\n");
        let text = format!("{BANNER}{}{}{}", report(clock[0], 1), report(clock[1], 40), report(clock[2], 65));
        let element = |clock: &str, user: u32| {
            format!(
                r#"{{"timestamp": "{clock}", "avg-cpu": {{"user": {user}.00, "system": 10.00, "idle": 1.00}}}}"#
            )
        };
        let json = format!(
            r#"{{"sysstat": {{"hosts": [{{"number-of-cpus": 4, "date": "2026-11-30", "statistics": [{}, {}, {}]}}]}}}}"#,
            element(clock[0], 1),
            element(clock[1], 40),
            element(clock[2], 65)
        );
        for text in [text, json] {
            let trace = read_text(&text).unwrap_or_else(|error| panic!("{locale}: {error}"));
            assert_eq!(trace.node(CpuCores).unwrap(), [2.0, 3.0], "{locale}");
            assert_eq!(trace.time_seconds, [1.0, 2.0], "{locale}");
            // 2026-11-30 22:35:56.
            assert_eq!(trace.start_unix_seconds, Some(1_796_078_156.0), "{locale}");
            assert!(trace.warnings.is_empty(), "{locale}: {:?}", trace.warnings);
        }
    }
}
