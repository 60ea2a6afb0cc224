//! Reading, checking, cutting and joining traces as people do it.

use std::path::Path;
use std::process::{Command, Output};

fn cotrace(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotrace"));
    command.current_dir(folder).args(args).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(folder: &Path, name: &str, content: &str) {
    std::fs::write(folder.join(name), content).expect("written");
}

/// A canonical trace of one-second samples: CPU, each level for so many seconds.
fn levels(parts: &[(u32, f64)]) -> String {
    let mut out =
        "# cotrace-trace 1\n# node cores=2 memory_bytes=8000000000\ntime_seconds,cpu_cores\n".to_owned();
    let mut second = 0;
    for (count, level) in parts {
        for _ in 0..*count {
            second += 1;
            // Rates of a real job vary.
            out.push_str(&format!("{second},{}\n", level * (1.0 + 0.01 * f64::from(second % 7))));
        }
    }
    out
}

/// What `vmstat -t 1` prints, or without its times.
fn vmstat(timed: bool, rows: u32) -> String {
    let mut out =
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----".to_owned();
    out.push_str(if timed { " -----timestamp-----\n" } else { "\n" });
    out.push_str(" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st");
    out.push_str(if timed { "                 UTC\n" } else { "\n" });
    for row in 0..rows {
        out.push_str(&format!(
            " 1  0      0 763388 147216 819640    0    0   {}     0   57   96 {}  1 49  0  0",
            100 + row,
            40 + row % 9
        ));
        out.push_str(&if timed {
            format!(" 2024-05-01 12:{:02}:{:02}\n", row / 60, row % 60)
        } else {
            "\n".to_owned()
        });
    }
    out
}

#[test]
fn check_says_which_part_is_the_job() {
    let folder = folder();
    write(folder.path(), "long.csv", &levels(&[(60, 0.0), (100, 1.5), (60, 0.0)]));
    let out = cotrace(folder.path(), &["check", "long.csv"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stdout);
    for needed in [
        "Nothing of the job happens in the 60 s at the start.",
        "--busy",
        "--from 60s --to 160s",
        "CPU is at 1.55 cores in it",
    ] {
        assert!(said.contains(needed), "{needed:?} is not in\n{said}");
    }

    let out = cotrace(folder.path(), &["check", "long.csv", "--json"]);
    let reports: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(reports[0]["health"]["suggestion"]["from_seconds"], 60.0);
    assert_eq!(reports[0]["health"]["suggestion"]["to_seconds"], 160.0);

    for cut in [&["--busy"][..], &["--trim"], &["--from", "60s", "--to", "2m40s"]] {
        let mut args = vec!["check", "long.csv"];
        args.extend(cut);
        let out = cotrace(folder.path(), &args);
        let said = text(&out.stdout);
        assert_eq!(out.status.code(), Some(0), "{cut:?}: {said}");
        assert!(said.contains("100 samples over 1 min 40 s"), "{cut:?}: {said}");
    }
}

#[test]
fn parts_by_time_and_by_the_clock() {
    let folder = folder();
    write(folder.path(), "vmstat.txt", &vmstat(true, 120));
    write(folder.path(), "undated.csv", &levels(&[(100, 1.0)]));
    let rows = |args: &[&str]| {
        let out = cotrace(folder.path(), &[&["convert"], args].concat());
        let lines = text(&out.stdout).lines().filter(|line| !line.starts_with('#')).count();
        (out.status.code(), lines.saturating_sub(1), text(&out.stderr))
    };
    // The first line of vmstat is an average since boot, so samples begin at 12:00:01.
    for (args, wanted) in [
        (&["vmstat.txt", "--from", "12:00:10", "--to", "12:00:30"][..], 20),
        (&["vmstat.txt", "--from", "12:01"], 59),
        (&["vmstat.txt", "--from", "2024-05-01 12:01:30"], 29),
        (&["vmstat.txt", "--to", "30s"], 30),
        (&["undated.csv", "--from", "1m30s"], 10),
    ] {
        let (code, found, said) = rows(args);
        assert_eq!((code, found), (Some(0), wanted), "{args:?}: {said}");
    }
    for (args, wanted) in [
        (&["undated.csv", "--from", "12:00:10"][..], "undated.csv says no dates"),
        (&["vmstat.txt", "--from", "12:99:10"], "12:99:10 is no time"),
        (&["vmstat.txt", "--from", "soon"], "12:30:05 by the file's clock"),
        (
            &["undated.csv", "--from", "200s"],
            "undated.csv has nothing from 200s to 100s: it goes from 0s to 100s",
        ),
        (&["undated.csv", "--from", "1s", "--busy"], "--busy"),
    ] {
        let (code, _, said) = rows(args);
        assert!(code == Some(2) && said.contains(wanted), "{args:?}: {code:?}, {said}");
    }
}

#[test]
fn a_file_without_times_needs_a_step() {
    let folder = folder();
    write(folder.path(), "vmstat.txt", &vmstat(false, 30));
    let out = cotrace(folder.path(), &["check", "vmstat.txt"]);
    let said = text(&out.stdout);
    assert!(said.contains("--step SECONDS"), "{said}");
    assert!(said.contains("--cores N"), "{said}");
    let out = cotrace(folder.path(), &["check", "vmstat.txt", "--step", "5", "--cores", "4", "--verbose"]);
    let said = text(&out.stdout);
    assert!(!said.contains("--step") && !said.contains("--cores"), "{said}");
    assert!(said.contains("one every 5.00 s"), "{said}");
    // Where the columns came from.
    assert!(said.contains("\n  cpu_cores: "), "{said}");
    // What was said once need not be said again.
    for args in [&["vmstat.txt", "-o", "1.csv", "--step", "5"][..], &["vmstat.txt", "-o", "2.csv"]] {
        assert!(cotrace(folder.path(), &[&["convert"], args].concat()).status.success());
    }
    assert!(cotrace(folder.path(), &["convert", "2.csv", "-o", "3.csv", "--step", "5"]).status.success());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    assert_eq!(read("1.csv"), read("3.csv"));
}

#[test]
fn converting_what_was_converted_changes_nothing() {
    let folder = folder();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/tests/fixtures");
    write(folder.path(), "vmstat.txt", &vmstat(true, 30));
    for file in
        ["cotrace-csv/solo.csv", "cotrace-csv/corun.csv", "cotrace-json/solo.json", "sar-csv/sar-new.csv"]
    {
        let name = file.replace('/', "-");
        std::fs::copy(fixtures.join(file), folder.path().join(name)).expect("copied");
    }
    let files = [
        "vmstat.txt",
        "cotrace-csv-solo.csv",
        "cotrace-csv-corun.csv",
        "cotrace-json-solo.json",
        "sar-csv-sar-new.csv",
    ];
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("written");
    for file in files {
        for ending in ["csv", "json"] {
            // The same stem: a trace that names no job is called by its file.
            let (once, twice) = (format!("once.{ending}"), format!("twice/once.{ending}"));
            std::fs::create_dir_all(folder.path().join("twice")).expect("a folder");
            for (from, to) in [(file, once.as_str()), (&once, &twice)] {
                let out = cotrace(folder.path(), &["convert", from, "-o", to]);
                assert!(out.status.success(), "{file}: {}", text(&out.stderr));
            }
            assert_eq!(read(&once), read(&twice), "{file} as {ending}");
            // In place, too.
            assert!(cotrace(folder.path(), &["convert", &once, "-o", &once]).status.success());
            assert_eq!(read(&once), read(&twice), "{file} as {ending}, in place");
        }
    }
}

#[test]
fn several_files_of_one_run_are_joined() {
    let folder = folder();
    write(
        folder.path(),
        "cpu.csv",
        "# cotrace-trace 1\n# node cores=2\ntime_seconds,cpu_cores\n1,1\n2,2\n3,1\n",
    );
    write(
        folder.path(),
        "mem.csv",
        "# cotrace-trace 1\ntime_seconds,memory_bytes\n1,100\n2,200\n3,300\n4,400\n",
    );
    write(
        folder.path(),
        "long.csv",
        "# cotrace-trace 1\ntime_seconds,memory_bytes\n1,100\n2,200\n3,300\n4,400\n30,500\n",
    );
    let out = cotrace(folder.path(), &["convert", "cpu.csv", "mem.csv", "--verbose"]);
    assert_eq!(
        text(&out.stdout),
        "# cotrace-trace 1\n# node cores=2\ntime_seconds,cpu_cores,memory_bytes\n1,1,100\n2,2,200\n3,1,300\n4,,400\n"
    );
    assert!(text(&out.stderr).contains("memory_bytes: from mem.csv"), "{}", text(&out.stderr));
    for (second, wanted) in
        [("cpu.csv", "both cpu.csv and cpu.csv have cpu_cores"), ("long.csv", "long.csv takes 30 s")]
    {
        let out = cotrace(folder.path(), &["convert", "cpu.csv", second]);
        assert_eq!(out.status.code(), Some(3));
        assert!(text(&out.stderr).contains(wanted), "{}", text(&out.stderr));
    }
}

#[test]
fn several_runs_become_their_mean() {
    let folder = folder();
    write(folder.path(), "sort-1.csv", &levels(&[(40, 1.0)]));
    write(folder.path(), "sort-2.csv", &levels(&[(44, 1.2)]));
    let out = cotrace(folder.path(), &["convert", "--runs", "sort-1.csv", "sort-2.csv", "-o", "mean.csv"]);
    assert!(out.status.success());
    let said = text(&out.stderr);
    assert!(said.contains("The mean of 2 runs, 40 s to 44 s, CPU ±9 %."), "{said}");
    let out = cotrace(folder.path(), &["check", "mean.csv"]);
    assert!(text(&out.stdout).contains("44 samples over 42.0 s"), "{}", text(&out.stdout));
}

#[test]
fn formats_are_listed_and_forced() {
    let folder = folder();
    write(folder.path(), "a.csv", &levels(&[(40, 1.0)]));
    let list = text(&cotrace(folder.path(), &["formats"]).stdout);
    assert!(list.lines().any(|line| line == "vmstat           vmstat"), "{list}");
    let page = cotrace(folder.path(), &["formats", "vmstat"]);
    assert!(text(&page.stdout).contains("## Record"), "{}", text(&page.stdout));
    for (args, code, wanted) in [
        (&["formats", "vmstats"][..], 2, "no format is called vmstats"),
        (&["check", "a.csv", "--format", "vmstats"], 2, "cotrace formats"),
        (&["convert", "a.csv", "--format", "vmstat"], 3, "a.csv"),
        (&["convert", "a.csv", "--map", "cpu=nonsense"], 2, "--map"),
    ] {
        let out = cotrace(folder.path(), args);
        let said = text(&out.stderr);
        assert!(
            out.status.code() == Some(code) && said.contains(wanted),
            "{args:?}: {:?}, {said}",
            out.status
        );
    }
    assert!(cotrace(folder.path(), &["convert", "a.csv", "--format", "cotrace-csv"]).status.success());
}
