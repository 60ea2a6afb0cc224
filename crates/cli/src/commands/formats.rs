//! `cotrace formats [NAME]`.

use std::process::ExitCode;

use cotrace_trace::Format;

use crate::failure::Failure;
use crate::load;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The format to say all about: how to record it, what is read of it
    name: Option<String>,
}

macro_rules! pages {
    ($($name:literal)*) => {
        /// Each format's page of the documentation, by its name.
        const PAGES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../docs/formats/", $name, ".md"))),)*];
    };
}

pages! {
    "cotrace-csv"
    "cotrace-json"
    "sar-text"
    "sadf-csv"
    "sadf-json"
    "sar-csv"
    "dstat-csv"
    "vmstat"
    "iostat"
    "mpstat"
    "pidstat"
    "docker-stats"
    "kubectl-top"
    "prometheus-json"
    "prometheus-text"
    "cloudwatch-json"
    "cloudwatch-csv"
    "nmon"
    "collectl"
    "atop"
    "pmrep-csv"
    "grafana-csv"
    "table"
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let text = match &args.name {
        None => list(),
        Some(name) => {
            let page = PAGES.iter().find(|(known, _)| known == name);
            let (_, page) = page.ok_or_else(|| {
                Failure::Usage(format!("no format is called {name}; these are:\n{}", list().trim_end()))
            })?;
            (*page).to_owned()
        }
    };
    load::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A line for each format: its name and what people call it.
fn list() -> String {
    let width = Format::ALL.iter().map(|format| format.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for format in Format::ALL {
        text.push_str(&format!("{:<width$}  {}\n", format.name(), format.title()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_its_page() {
        let pages: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        let formats: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        assert_eq!(pages, formats);
        let list = list();
        assert_eq!(list.lines().count(), formats.len());
        assert!(list.contains("sar-text         sar report\n"), "{list}");
    }
}
