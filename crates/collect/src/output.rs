//! Writes traces and the manifest, each whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use cotrace_dataset::Manifest;
use cotrace_trace::{Trace, canonical};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::CollectError;

/// Writes `trace` as a canonical trace to `path`, compressed if `gzip`.
pub(crate) fn write_trace(trace: &Trace, path: &Path, gzip: bool) -> Result<(), CollectError> {
    let trace = rounded(trace);
    write_whole(path, |mut file| {
        if gzip {
            let mut encoder = GzEncoder::new(file, Compression::new(6));
            canonical::write_csv(&trace, &mut encoder)?;
            encoder.finish()?.flush()
        } else {
            canonical::write_csv(&trace, &mut file)?;
            file.flush()
        }
    })
}

/// Writes `manifest.json` to `path`.
pub(crate) fn write_manifest(manifest: &Manifest, path: &Path) -> Result<(), CollectError> {
    write_whole(path, |mut file| {
        serde_json::to_writer_pretty(&mut file, manifest)?;
        file.write_all(b"\n")?;
        file.flush()
    })
}

/// Writes a file beside `path` and moves it there, so that a reader never sees half a file.
fn write_whole(
    path: &Path,
    write: impl FnOnce(BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), CollectError> {
    let beside = path.with_extension("tmp");
    let written = (|| {
        write(BufWriter::new(File::create(&beside)?))?;
        File::open(&beside)?.sync_all()?;
        fs::rename(&beside, path)
    })();
    written.map_err(CollectError::io("write", path))
}

/// `trace` with the digits that mean something: whole bytes, and six decimals of all else.
fn rounded(trace: &Trace) -> Trace {
    let six = |value: f64| (value * 1e6).round() / 1e6;
    let mut trace = trace.clone();
    for (column, values) in &mut trace.columns {
        let whole = column.metric.unit().starts_with("bytes");
        for value in values {
            *value = if whole { value.round() } else { six(*value) };
        }
    }
    trace.time_seconds.iter_mut().for_each(|seconds| *seconds = six(*seconds));
    trace
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use cotrace_trace::{Capacity, Column, JobSpan, Metric, canonical};
    use flate2::read::GzDecoder;

    use super::*;

    fn trace() -> Trace {
        Trace {
            capacity: Capacity { cores: Some(2.0), memory_bytes: Some(8e9), ..Capacity::default() },
            jobs: vec![JobSpan {
                name: "sort".to_owned(),
                start_seconds: Some(0.25),
                end_seconds: Some(1.5),
            }],
            time_seconds: vec![0.500_000_4, 1.000_1],
            columns: [
                (Column::node(Metric::CpuCores), vec![1.0 / 3.0, f64::NAN]),
                (Column::job("sort", Metric::DiskReadBytesPerSecond), vec![1e9 / 3.0, 0.0]),
            ]
            .into(),
            ..Trace::default()
        }
    }

    const EXPECTED: &str = "# cotrace-trace 1\n# node cores=2 memory_bytes=8000000000\n\
        # job name=sort start_seconds=0.25 end_seconds=1.5\n\
        time_seconds,cpu_cores,job.sort.disk_read_bytes_per_second\n\
        0.5,0.333333,333333333\n1.0001,,0\n";

    #[test]
    fn writes_canonical_traces_plain_and_packed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let plain = folder.path().join("run.csv");
        write_trace(&trace(), &plain, false).expect("written");
        assert_eq!(fs::read_to_string(&plain).expect("read"), EXPECTED);

        let packed = folder.path().join("run.csv.gz");
        write_trace(&trace(), &packed, true).expect("written");
        let mut text = String::new();
        GzDecoder::new(File::open(&packed).expect("open")).read_to_string(&mut text).expect("unpacked");
        assert_eq!(text, EXPECTED);

        let left: Vec<_> = fs::read_dir(folder.path()).expect("list").collect();
        assert_eq!(left.len(), 2, "nothing but the two files may be left: {left:?}");
        assert_eq!(
            canonical::read_csv("run.csv", EXPECTED.as_bytes()).expect("read back").jobs,
            trace().jobs
        );
    }

    #[test]
    fn says_which_file_could_not_be_written() {
        let error = write_trace(&trace(), Path::new("/nowhere/run.csv"), false).expect_err("no such folder");
        assert!(error.to_string().starts_with("cannot write /nowhere/run.csv: "), "{error}");
    }
}
