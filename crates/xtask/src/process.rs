//! Runs other programs, and says which one failed and what to do about it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow};

/// Runs a command to its end with its output shown. `advice` says what to do when it fails.
pub(crate) fn run(command: &mut Command, advice: &str) -> Result<()> {
    println!("  > {}", shown(command));
    let status = command.status().map_err(|error| not_started(command, &error, advice))?;
    if status.success() {
        return Ok(());
    }
    Err(anyhow!("this command failed ({status}): {}\n  What to do: {advice}", shown(command)))
}

/// Runs a command and returns what it printed, without the white space around it.
pub(crate) fn output(command: &mut Command, advice: &str) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| not_started(command, &error, advice))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(anyhow!(
            "this command failed ({}): {}\n{}\n  What to do: {advice}",
            output.status,
            shown(command),
            said.trim()
        ));
    }
    let text =
        String::from_utf8(output.stdout).with_context(|| format!("odd output of {}", shown(command)))?;
    Ok(text.trim().to_string())
}

/// What a command prints, or `None` if it can't be run or fails: for finding out what is there.
pub(crate) fn probe(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    output(Command::new(program).args(arguments), "").ok()
}

fn not_started(command: &Command, error: &std::io::Error, advice: &str) -> anyhow::Error {
    anyhow!("cannot start {}: {error}\n  What to do: {advice}", command.get_program().display())
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let mut text = program_name(Path::new(command.get_program()));
    for argument in command.get_args() {
        let argument = argument.to_string_lossy();
        let plain =
            !argument.is_empty() && !argument.contains(|c: char| c.is_whitespace() || c == '"' || c == '\'');
        let _ = if plain { write!(text, " {argument}") } else { write!(text, " '{argument}'") };
    }
    text
}

fn program_name(program: &Path) -> String {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// The first program of this name on the search path.
pub(crate) fn find_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The search path with `folders` before everything else.
pub(crate) fn path_with(folders: &[PathBuf]) -> Result<std::ffi::OsString> {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&rest));
    std::env::join_paths(all)
        .context("a tool's folder has a ':' in its name; set COTRACE_TOOLS to one without")
}

/// The cargo that runs this program, or the one on the search path.
pub(crate) fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// See [`cargo_program`].
pub(crate) fn cargo() -> Command {
    Command::new(cargo_program())
}

/// Whether this runs as root on a system with apt: then packages can be installed without asking.
pub(crate) fn can_apt() -> bool {
    let root = std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    root && find_on_path("apt-get").is_some()
}

/// Installs Debian packages where that can be done without asking; elsewhere says what to install.
pub(crate) fn apt_install(packages: &[&str], what_for: &str) -> Result<()> {
    let list = packages.join(" ");
    if !can_apt() {
        return Err(anyhow!("{what_for} missing. On Debian: sudo apt-get install {list}"));
    }
    println!("Installing {list} ({what_for}).");
    let advice = format!("install {list} by hand ({what_for})");
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        command
    };
    run(apt().args(["update", "-qq"]), &advice)?;
    run(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages), &advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_and_the_advice() {
        let error = run(Command::new("false").args(["a b", "c"]), "try again").unwrap_err().to_string();
        assert!(error.contains("false 'a b' c") && error.contains("try again"), "{error}");
        let error = run(&mut Command::new("no-such-program-here"), "install it").unwrap_err().to_string();
        assert!(
            error.contains("cannot start no-such-program-here") && error.contains("install it"),
            "{error}"
        );
    }

    #[test]
    fn output_is_trimmed_and_errors_are_passed_on() {
        assert_eq!(output(Command::new("echo").arg("hello"), "").unwrap(), "hello");
        let error =
            output(Command::new("sh").args(["-c", "echo broken >&2; exit 3"]), "mend it").unwrap_err();
        assert!(error.to_string().contains("broken") && error.to_string().contains("mend it"), "{error}");
        assert_eq!(probe("false", &[]), None);
    }
}
