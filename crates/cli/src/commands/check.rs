//! `cotrace check FILES`.

use std::path::PathBuf;
use std::process::ExitCode;

use cotrace_forecast::format_duration;
use cotrace_trace::{Finding, FindingKind, Health, Severity, Status, Trace, check};

use crate::failure::Failure;
use crate::load::{self, PartArgs, ReadArgs, Unread};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Traces to check
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    part: PartArgs,
    /// Say where each column came from
    #[arg(short, long)]
    verbose: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut worst = Status::Ok;
    let mut reports = Vec::new();
    for path in &args.files {
        let file = path.display().to_string();
        let trace = match load::whole(path, &args.read) {
            Ok(trace) => load::part(trace, &file, &args.read, &args.part)?,
            Err(Unread::Failed(Failure::Input(message))) => {
                worst = Status::Unusable;
                reports.push(serde_json::json!({ "file": file, "error": message }));
                if !args.json {
                    load::print(&format!("{file}: can't be read\n  {message}\n"))?;
                }
                continue;
            }
            Err(Unread::Failed(other)) => return Err(other),
            Err(Unread::Error(error)) => {
                worst = Status::Unusable;
                reports.push(serde_json::json!({
                    "file": file, "error": error.to_string(), "kind": error.kind, "choices": error.choices,
                    "tried": error.tried,
                }));
                if !args.json {
                    let message = load::explained(&error).replace('\n', "\n  ");
                    // The line above says which file.
                    let message = message.strip_prefix(&error.file).unwrap_or(&message);
                    let message = message.trim_start_matches([',', ':', ' ']);
                    load::print(&format!("{file}: can't be read\n  {message}\n"))?;
                }
                continue;
            }
        };
        let health = check(&trace);
        worst = worst.max(health.status);
        if args.json {
            let columns: serde_json::Map<String, serde_json::Value> = trace
                .columns
                .keys()
                .map(|column| {
                    (
                        column.header(),
                        trace.provenance.get(column).map(String::as_str).unwrap_or_default().into(),
                    )
                })
                .collect();
            reports.push(serde_json::json!({
                "file": file, "format": trace.format, "health": health, "columns": columns,
            }));
        } else {
            let mut text = readable(&file, &trace, &health);
            if args.verbose {
                text.push_str(&provenance(&trace));
            }
            load::print(&text)?;
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

fn readable(file: &str, trace: &Trace, health: &Health) -> String {
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
        let hint = hint(finding, trace);
        if !hint.is_empty() {
            text.push_str(&format!(" {hint}"));
        }
        text.push('\n');
    }
    if let Some(stretch) = &health.suggestion {
        text.push_str(&format!(
            "  to cut it to the job: --busy, which is --from {} --to {}; {}\n",
            load::seconds(stretch.from_seconds),
            load::seconds(stretch.to_seconds),
            stretch.reason
        ));
    }
    text
}

/// What to do about a finding, with the option that does it.
fn hint(finding: &Finding, trace: &Trace) -> String {
    let option = match finding.kind {
        FindingKind::UnknownCapacity if finding.severity == Severity::Warning => "--cores N",
        FindingKind::UnknownCapacity if trace.capacity.memory_bytes.is_none() => "--memory SIZE",
        _ => return finding.hint.clone(),
    };
    format!("{} ({option})", finding.hint)
}

/// Where each column came from, a line each.
pub(crate) fn provenance(trace: &Trace) -> String {
    let mut text = String::new();
    for column in trace.columns.keys() {
        let source = trace.provenance.get(column).map_or("as in the file", String::as_str);
        text.push_str(&format!("  {}: {source}\n", column.header()));
    }
    text
}
