//! Reads versions from `Cargo.lock`.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::repo::Repo;

/// The version of `package` that this workspace is locked to.
pub(crate) fn version(repo: &Repo, package: &str) -> Result<String> {
    let path = repo.path("Cargo.lock");
    let text = fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}; `cargo metadata` writes it", path.display()))?;
    version_in(&text, package)
}

fn version_in(text: &str, package: &str) -> Result<String> {
    let mut versions = Vec::new();
    for entry in text.split("[[package]]").skip(1) {
        let field = |name: &str| {
            entry.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
        };
        if field("name") == Some(package) {
            versions.extend(field("version").map(str::to_string));
        }
    }
    match versions.as_slice() {
        [version] => Ok(version.clone()),
        [] => bail!("Cargo.lock has no package '{package}': is it still a dependency of this workspace?"),
        many => bail!("Cargo.lock has {package} in versions {}; only one can be used", many.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.2.3\"\ndependencies = [\n \"b 2.0.0\",\n]\n\n\
                        [[package]]\nname = \"b\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";

    #[test]
    fn finds_the_one_version() {
        assert_eq!(version_in(LOCK, "a").unwrap(), "1.2.3");
    }

    #[test]
    fn says_when_there_is_none_or_more_than_one() {
        assert!(version_in(LOCK, "c").unwrap_err().to_string().contains("no package 'c'"));
        assert!(version_in(LOCK, "b").unwrap_err().to_string().contains("1.0.0 and 2.0.0"));
    }
}
