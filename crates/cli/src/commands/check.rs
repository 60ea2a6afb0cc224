//! `cotrace check FILES`.

use std::path::PathBuf;
use std::process::ExitCode;

use cotrace_forecast::format_duration;
use cotrace_trace::{Severity, Status, check};

use crate::failure::Failure;
use crate::load::{self, NodeArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Traces to check
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    node: NodeArgs,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut worst = Status::Ok;
    let mut reports = Vec::new();
    for path in &args.files {
        let file = path.display().to_string();
        match load::quiet_trace(path, &args.node) {
            Err(Failure::Input(message)) => {
                worst = Status::Unusable;
                reports.push(serde_json::json!({ "file": file, "error": message }));
                if !args.json {
                    load::print(&format!("{file}: can't be read\n  {message}\n"))?;
                }
            }
            Err(other) => return Err(other),
            Ok(trace) => {
                let health = check(&trace);
                worst = worst.max(health.status);
                if args.json {
                    reports
                        .push(serde_json::json!({ "file": file, "format": trace.format, "health": health }));
                    continue;
                }
                let verdict = match health.status {
                    Status::Ok => "fine",
                    Status::Warnings => "usable, with warnings",
                    Status::Unusable => "unusable",
                };
                let mut text = format!(
                    "{file}: {verdict} ({}, {} samples over {}, one every {})\n",
                    trace.format,
                    health.samples,
                    format_duration(health.duration_seconds),
                    format_duration(health.step_seconds)
                );
                for finding in &health.findings {
                    let mark = match finding.severity {
                        Severity::Info => "note",
                        Severity::Warning => "warning",
                        Severity::Unusable => "unusable",
                    };
                    text.push_str(&format!("  {mark}: {}", finding.message));
                    if !finding.hint.is_empty() {
                        text.push_str(&format!(" {}", finding.hint));
                    }
                    text.push('\n');
                }
                load::print(&text)?;
            }
        }
    }
    if args.json {
        let text =
            serde_json::to_string_pretty(&reports).map_err(|error| Failure::Undone(error.to_string()))?;
        load::print(&format!("{text}\n"))?;
    }
    Ok(ExitCode::from(match worst {
        Status::Ok => 0,
        Status::Warnings => 1,
        Status::Unusable => 3,
    }))
}
