//! Why a command failed, and the exit code that says so.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// A failed command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Asked for in a way that can't be: exit code 2.
    Usage(String),
    /// The input can't be used: exit code 3.
    Input(String),
    /// It could not be done (disk, network, interrupted): exit code 4.
    Undone(String),
}

impl Failure {
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Usage(_) => 2,
            Failure::Input(_) => 3,
            Failure::Undone(_) => 4,
        })
    }

    pub(crate) fn input(error: impl fmt::Display) -> Failure {
        Failure::Input(error.to_string())
    }

    /// A file could not be read or written. One that is not there is a wrong input, the rest is not its fault.
    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Failure {
        let text = format!("{}: {error}", path.display());
        match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::IsADirectory => Failure::Input(text),
            _ => Failure::Undone(text),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Usage(text) | Failure::Input(text) | Failure::Undone(text)) = self;
        f.write_str(text)
    }
}
