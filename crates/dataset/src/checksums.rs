//! `SHA256SUMS`: the checksums of a data set's files, as `sha256sum` writes and checks them.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{DataError, Manifest};

/// What the file is called, beside the manifest.
pub const FILE: &str = "SHA256SUMS";

/// The checksum of `bytes`, 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Writes the checksums of the manifest and of every file that it names.
///
/// # Errors
/// A file can't be read, or the checksums can't be written.
pub fn write(folder: &Path) -> Result<(), DataError> {
    let manifest = Manifest::read(folder)?;
    let mut lines = String::new();
    for file in files(&manifest) {
        let path = folder.join(file);
        let bytes = std::fs::read(&path).map_err(DataError::file(&path))?;
        lines.push_str(&format!("{}  {file}\n", sha256(&bytes)));
    }
    let path = folder.join(FILE);
    std::fs::write(&path, lines).map_err(DataError::file(&path))
}

/// Every file of a data set but the checksums, in order.
pub(crate) fn files(manifest: &Manifest) -> Vec<&str> {
    let runs = manifest.runs.iter().map(|run| &*run.file);
    let calibrations = manifest.calibrations.iter().map(|calibration| &*calibration.file);
    let mut files: Vec<&str> = std::iter::once("manifest.json").chain(runs).chain(calibrations).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// The checksums in a `SHA256SUMS`, by file; the lines that are none come second, by number from 1.
pub(crate) fn parse(text: &str) -> (BTreeMap<&str, &str>, Vec<usize>) {
    let mut sums = BTreeMap::new();
    let mut bad = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match line.split_once(' ') {
            Some((sum, file)) if sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                // Two spaces, or ` *` for a binary file; tools write `./` before a name.
                let file = file.trim_start_matches([' ', '*']);
                sums.insert(file.strip_prefix("./").unwrap_or(file), sum);
            }
            _ => bad.push(index + 1),
        }
    }
    (sums, bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        // FIPS 180-2, appendix B.1.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), known);
        let text = format!("{known}  runs/a b.csv\n{known} *./manifest.json\nshort  x\n");
        let (sums, bad) = parse(&text);
        assert_eq!(sums.keys().copied().collect::<Vec<_>>(), ["manifest.json", "runs/a b.csv"]);
        assert_eq!(bad, [3]);
    }
}
