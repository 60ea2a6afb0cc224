//! Reads the command line: a command, flags, and options with a value.

use anyhow::{Result, bail};

/// What is left of the command line. Each reader takes out what it knows; [`Args::finish`] refuses the rest.
pub(crate) struct Args(Vec<String>);

impl Args {
    pub(crate) fn from_env() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    /// Takes the command: the first word, unless it is an option.
    pub(crate) fn command(&mut self) -> Option<String> {
        (self.0.first().is_some_and(|word| !word.starts_with('-'))).then(|| self.0.remove(0))
    }

    /// Takes a flag; true if it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|word| word != name);
        self.0.len() < before
    }

    /// Takes `--name value` or `--name=value`.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        for i in 0..self.0.len() {
            if self.0[i] == name {
                if i + 1 == self.0.len() {
                    bail!("{name} needs a value");
                }
                self.0.remove(i);
                return Ok(Some(self.0.remove(i)));
            }
            if let Some(value) = self.0[i].strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
                let value = value.to_string();
                self.0.remove(i);
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Refuses what nobody took.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.0.first() {
            Some(word) => bail!("'{word}' means nothing here. Run `cargo xtask` alone to see what does"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args(line.split_whitespace().map(str::to_string).collect())
    }

    #[test]
    fn takes_what_is_asked_for_in_any_order() {
        let mut args = args("serve --no-build --base=/x/ --port 90");
        assert_eq!(args.command().as_deref(), Some("serve"));
        assert_eq!(args.value("--port").unwrap().as_deref(), Some("90"));
        assert_eq!(args.value("--base").unwrap().as_deref(), Some("/x/"));
        assert_eq!(args.value("--dir").unwrap(), None);
        assert!(args.flag("--no-build"));
        assert!(!args.flag("--no-build"));
        args.finish().unwrap();
    }

    #[test]
    fn refuses_what_is_unknown_and_a_missing_value() {
        let mut left = args("build --fast");
        left.command();
        assert!(left.finish().unwrap_err().to_string().contains("--fast"));
        assert!(args("serve --port").value("--port").unwrap_err().to_string().contains("--port"));
        assert_eq!(args("--help").command(), None);
    }
}
