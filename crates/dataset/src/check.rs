//! Whether a data set is whole and agrees with itself: everything that is wrong, not only the first thing.

mod runs;
pub mod sums;
mod traces;

use std::fmt;
use std::path::Path;

use crate::checksums;
use crate::{Counts, DataError, Manifest};

/// The most that a data set may hold, in bytes: it lies in a repository.
const MOST_BYTES: u64 = 60_000_000;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something can't be used or is doubtful.
    Warning,
    /// The data set is broken.
    Error,
}

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where: a file, or `run NAME`.
    pub place: String,
    /// What it is.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}: {}", self.place, self.what)
    }
}

impl Finding {
    fn error(place: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { severity: Severity::Error, place: place.into(), what: what.into() }
    }

    fn warning(place: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, place: place.into(), what: what.into() }
    }

    fn note(place: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { severity: Severity::Note, place: place.into(), what: what.into() }
    }
}

/// Looks a data set over. The worst findings come first, those of one severity in the order of the data set.
///
/// # Errors
/// The manifest can't be read: nothing else can be said then.
pub fn check(folder: &Path) -> Result<Vec<Finding>, DataError> {
    let manifest = Manifest::read(folder)?;
    let mut findings = runs::check(&manifest);
    findings.extend(traces::check(folder, &manifest));
    findings.extend(files(folder, &manifest));
    findings.push(counts(&manifest));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Ok(findings)
}

/// Which kinds of runs are fewer than wanted.
pub fn against(manifest: &Manifest, wanted: &Counts) -> Vec<Finding> {
    let there = Counts::of(manifest, |_| true).lines();
    let lacking = wanted.lines().into_iter().filter_map(|(what, wanted)| {
        let there = there.iter().find(|(other, _)| *other == what).map_or(0, |(_, runs)| *runs);
        (there < wanted)
            .then(|| Finding::warning("manifest.json", format!("{what}: {there} of {wanted} runs")))
    });
    lacking.collect()
}

fn counts(manifest: &Manifest) -> Finding {
    let counts = Counts::of(manifest, |_| true);
    let kinds: Vec<String> = counts.lines().iter().map(|(what, runs)| format!("{runs} {what}")).collect();
    let (runs, disturbed) = (manifest.runs.len(), counts.disturbed);
    let what = format!("{runs} runs ({disturbed} disturbed): {}", kinds.join(", "));
    Finding::note("manifest.json", what)
}

/// The files as such: checksums, and their size in all.
fn files(folder: &Path, manifest: &Manifest) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sums = std::fs::read_to_string(folder.join(checksums::FILE));
    let (sums, bad) = sums.as_ref().map_or_else(|_| Default::default(), |text| checksums::parse(text));
    for line in bad {
        let what = format!("line {line} is no checksum with a file's name");
        findings.push(Finding::error(checksums::FILE, what));
    }
    if sums.is_empty() {
        findings.push(Finding::warning(checksums::FILE, "there are no checksums"));
    }
    let mut bytes_in_all = 0;
    let files = checksums::files(manifest);
    for file in &files {
        // That a file is missing is said where its run is looked at.
        let Ok(bytes) = std::fs::read(folder.join(file)) else { continue };
        bytes_in_all += bytes.len() as u64;
        match sums.get(file) {
            None if sums.is_empty() => {}
            None => findings.push(Finding::warning(*file, format!("is not in {}", checksums::FILE))),
            Some(sum) if sum.eq_ignore_ascii_case(&checksums::sha256(&bytes)) => {}
            Some(_) => findings.push(Finding::error(*file, "its checksum is another: it was changed")),
        }
    }
    for file in sums.keys().filter(|file| !files.contains(file)) {
        if !folder.join(file).exists() {
            findings.push(Finding::error(*file, format!("is in {} but not there", checksums::FILE)));
        }
    }
    let megabytes = bytes_in_all as f64 / 1e6;
    let what = format!("{} files of {megabytes:.1} MB", files.len());
    findings.push(if bytes_in_all > MOST_BYTES {
        Finding::error("runs", format!("{what}: more than {} MB", MOST_BYTES / 1_000_000))
    } else {
        Finding::note("runs", what)
    });
    findings
}

#[cfg(test)]
mod tests;
