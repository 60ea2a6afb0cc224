//! Files from elsewhere, in the folder that `COTRACE_EXTRA_TRACES` names: each is read or refused in words.

mod common;

use std::path::{Path, PathBuf};

use cotrace_trace::{ReadErrorKind, ReadOptions, Status, check, read};

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
                if name.contains("sar-csv") && (trace.format != "sar-csv" || health.status == Status::Ok) {
                    wrong.push(format!("{name}: read as {} and {:?}", trace.format, health.status));
                }
            }
            Err(error) => {
                refused += 1;
                println!("{error}");
                if name.contains("sar-csv") && error.kind == ReadErrorKind::NotATrace {
                    wrong.push(error.to_string());
                }
            }
        }
    }
    println!("{} files: {as_trace} read, {refused} refused", paths.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
