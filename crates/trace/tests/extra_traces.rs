//! Files from elsewhere, in the folder that `COTRACE_EXTRA_TRACES` names: each is read or refused in words.

mod common;

use std::path::{Path, PathBuf};

use cotrace_trace::{ReadErrorKind as K, ReadOptions, Status, check, read};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The format of the files in a folder, where its name says it.
fn expected(path: &Path) -> Option<&'static str> {
    let folder = path.parent()?.file_name()?.to_str()?;
    let known = [
        ("sar-csv", "sar-csv"),
        ("sar-text", "sar-text"),
        ("sadf-d", "sadf-csv"),
        ("sadf-json", "sadf-json"),
        ("dstat", "dstat-csv"),
        ("vmstat", "vmstat"),
        ("iostat", "iostat"),
        ("mpstat", "mpstat"),
        ("pidstat", "pidstat"),
        ("docker-stats", "docker-stats"),
        ("nmon", "nmon"),
        ("collectl", "collectl"),
        ("atop", "atop"),
    ];
    known.iter().find(|(start, _)| folder.starts_with(start)).map(|(_, format)| *format)
}

#[test]
fn files_from_elsewhere_are_read_or_refused() {
    let Some(folder) = std::env::var_os("COTRACE_EXTRA_TRACES") else {
        println!("skipped: COTRACE_EXTRA_TRACES names no folder");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    assert!(!paths.is_empty(), "no files in {}", Path::new(&folder).display());
    let (mut as_trace, mut refused, mut wrong) = (0, 0, Vec::new());
    for path in &paths {
        let name = path.to_string_lossy();
        let expected = expected(path);
        match read(&name, &std::fs::read(path).unwrap(), &ReadOptions::default()) {
            Ok(trace) => {
                as_trace += 1;
                common::assert_sound(&trace, &name);
                let health = check(&trace);
                println!(
                    "{name}: {}, {} rows, {} s, {:?}",
                    trace.format, health.samples, health.duration_seconds, trace.capacity
                );
                trace.warnings.iter().for_each(|warning| println!("  {warning}"));
                if expected.is_some_and(|format| trace.format != format) {
                    wrong.push(format!("{name}: read as {}", trace.format));
                }
                if name.contains("sar-csv") && health.status == Status::Ok {
                    wrong.push(format!("{name}: nothing is wrong with it, but it doesn't say its cores"));
                }
            }
            Err(error) => {
                refused += 1;
                println!("{error}");
                // What is recognised may lack what a trace needs; then the error says what.
                if expected.is_some()
                    && matches!(error.kind, K::NotATrace | K::Binary | K::WebPage | K::Empty)
                {
                    wrong.push(error.to_string());
                }
            }
        }
    }
    println!("{} files: {as_trace} read, {refused} refused", paths.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
