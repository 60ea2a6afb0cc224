//! The metrics of `CloudWatch`, by their names, and how series of them become a trace.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::clock::Stamp;
use crate::formats::{Input, subjects};
use crate::record::{Recorder, Scale, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// A metric's name, what it measures, its unit, and whether a value is what happened in its whole period.
const NAMES: &[(&str, Signal, Unit, bool)] = &[
    ("CPUUtilization", Signal::Busy, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_active", Signal::Busy, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_user", Signal::User, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_nice", Signal::Nice, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_system", Signal::System, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_irq", Signal::Irq, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_softirq", Signal::SoftIrq, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_iowait", Signal::Iowait, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_steal", Signal::Steal, Unit::PERCENT_OF_NODE, false),
    ("cpu_usage_idle", Signal::Idle, Unit::PERCENT_OF_NODE, false),
    ("mem_used", Signal::MemoryUsedWithoutCache, Unit::BYTES, false),
    ("mem_used_percent", Signal::MemoryUsedShare, Unit::PERCENT, false),
    ("mem_total", Signal::MemoryTotal, Unit::BYTES, false),
    ("mem_available", Signal::MemoryAvailable, Unit::BYTES, false),
    ("mem_free", Signal::MemoryFree, Unit::BYTES, false),
    ("mem_cached", Signal::Cached, Unit::BYTES, false),
    ("mem_buffered", Signal::Buffers, Unit::BYTES, false),
    ("EBSReadBytes", Signal::DiskRead, Unit::BYTES_PER_SECOND, true),
    ("EBSWriteBytes", Signal::DiskWrite, Unit::BYTES_PER_SECOND, true),
    ("DiskReadBytes", Signal::DiskRead, Unit::BYTES_PER_SECOND, true),
    ("DiskWriteBytes", Signal::DiskWrite, Unit::BYTES_PER_SECOND, true),
    ("VolumeReadBytes", Signal::DiskRead, Unit::BYTES_PER_SECOND, true),
    ("VolumeWriteBytes", Signal::DiskWrite, Unit::BYTES_PER_SECOND, true),
    ("diskio_read_bytes", Signal::DiskRead, Unit::BYTES_PER_SECOND, true),
    ("diskio_write_bytes", Signal::DiskWrite, Unit::BYTES_PER_SECOND, true),
    ("NetworkIn", Signal::NetworkReceive, Unit::BYTES_PER_SECOND, true),
    ("NetworkOut", Signal::NetworkTransmit, Unit::BYTES_PER_SECOND, true),
    ("net_bytes_recv", Signal::NetworkReceive, Unit::BYTES_PER_SECOND, true),
    ("net_bytes_sent", Signal::NetworkTransmit, Unit::BYTES_PER_SECOND, true),
];

/// Series of one metric.
pub(crate) struct CloudSeries {
    /// Its label.
    pub(crate) label: String,
    /// Its statistic, if the file says it.
    pub(crate) statistic: Option<String>,
    /// Seconds since 1970 at which a period begins, and the value of it.
    pub(crate) points: Vec<(f64, f64)>,
    /// Seconds of a period, if the file says it.
    pub(crate) period: Option<f64>,
}

/// Whether a label has the name of a metric in it.
pub(crate) fn is_known(label: &str) -> bool {
    find(label).is_some()
}

fn find(label: &str) -> Option<&'static (&'static str, Signal, Unit, bool)> {
    label
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .find_map(|word| NAMES.iter().find(|(name, ..)| *name == word))
}

/// What a label says besides its metric: most often an instance.
fn subject<'a>(label: &'a str, metric: &str) -> &'a str {
    let rest = match (label.trim().strip_prefix(metric), label.trim().strip_suffix(metric)) {
        (Some(rest), _) | (None, Some(rest)) => rest,
        // The metric is somewhere between.
        (None, None) => label,
    };
    rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '/' | '|' | '-'))
}

/// Leaves the series of the machine that is meant, where there are several.
fn of_subject<'a>(
    input: &Input,
    options: &ReadOptions,
    known: Vec<(&'a CloudSeries, Signal, Unit, bool)>,
) -> Result<Vec<(&'a CloudSeries, Signal, Unit, bool)>, ReadError> {
    let of = |series: &'a CloudSeries| {
        let metric = find(&series.label).map_or("", |(name, ..)| *name);
        (metric, subject(&series.label, metric))
    };
    // Each machine has one series of its CPU and of its memory, but maybe several disks.
    let is_of_machine = |signal: Signal, sums: bool| !sums || signal == Signal::NetworkReceive;
    let mut by_metric: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (series, signal, _, sums) in &known {
        if is_of_machine(*signal, *sums) {
            let (metric, name) = of(series);
            by_metric.entry(metric).or_default().insert(name);
        }
    }
    let names: BTreeSet<&str> = by_metric.into_values().filter(|names| names.len() > 1).flatten().collect();
    if names.len() < 2 {
        return Ok(known);
    }
    let chosen = subjects::choose(input.file, "machines", &names, options.subject.as_deref())?;
    let is_meant = |series: &'a CloudSeries| {
        let name = of(series).1;
        !names.contains(name) || chosen == Some(name)
    };
    Ok(known.into_iter().filter(|found| is_meant(found.0)).collect())
}

/// Makes a trace of them.
pub(crate) fn read(
    input: &Input,
    options: &ReadOptions,
    mut all: Vec<CloudSeries>,
    warnings: Vec<Warning>,
) -> Result<Trace, ReadError> {
    for series in &mut all {
        series.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let Some(first) = all.iter().find(|series| !series.points.is_empty()) else {
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, "no values in it")
            .hinting("Ask for a time in which the job ran, of an instance that ran then."));
    };
    let known: Vec<(&CloudSeries, Signal, Unit, bool)> = all
        .iter()
        .filter(|series| !series.points.is_empty())
        .filter_map(|series| {
            find(&series.label).map(|(_, signal, unit, sums)| (series, *signal, *unit, *sums))
        })
        .collect();
    if known.is_empty() {
        let problem = "no metric in it that Cotrace knows";
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, problem)
            .seeing(&first.label)
            .hinting("Keep the metric's name in its label, such as CPUUtilization."));
    }
    let known = of_subject(input, options, known)?;
    // All metrics of a file are asked for with one period, mostly; one with a single value has none of its own.
    let periods: Vec<Option<f64>> =
        known.iter().map(|found| found.0.period.or_else(|| spacing(found.0))).collect();
    let Some(usual) = periods.iter().flatten().copied().reduce(f64::min) else {
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, "only one sample in it")
            .hinting("At least two are needed to know how long a period is."));
    };
    let mut recorder = Recorder::new(input.file, input.text, options);
    recorder.warnings = warnings;
    for ((series, signal, unit, sums), period) in known.into_iter().zip(periods) {
        let period = period.unwrap_or(usual);
        let statistic = series.statistic.as_deref();
        if !matches!(statistic, None | Some("Average" | "Sum" | "avg" | "sum")) {
            let message = format!("Its statistic is {}: left out.", statistic.unwrap_or_default());
            let warning = Warning::new(WarningKind::ColumnLeftOut, message).in_column(&series.label);
            recorder.warnings.push(warning.hinting("Ask for Average, or for Sum of bytes."));
            continue;
        }
        if sums && statistic.is_some_and(|name| name.eq_ignore_ascii_case("average")) {
            let message =
                "Its values are averages of what an instance reports, taken for totals of the period.";
            let warning = Warning::new(WarningKind::Guessed, message).in_column(&series.label);
            recorder.warnings.push(warning.hinting("Ask for the statistic Sum."));
        }
        let unit = if sums { unit.times(1.0 / period, "bytes in each period") } else { unit };
        let (signal, unit) = match (signal, options.capacity.memory_bytes) {
            // A share of memory, where a person says how much there is.
            (Signal::MemoryUsedShare, Some(bytes)) => {
                let unit =
                    Unit { factor: bytes / 100.0, scale: Scale::Plain, name: "% of the node's memory" };
                (Signal::MemoryUsedWithoutCache, unit)
            }
            (Signal::MemoryUsedShare, None) => {
                let message = "Memory in use is not known: only its share is in the file.";
                let warning = Warning::new(WarningKind::MemoryUnknown, message).in_column(&series.label);
                recorder
                    .warnings
                    .push(warning.hinting("Say how much memory the node has, or ask for mem_used."));
                continue;
            }
            other => (other.0, unit),
        };
        let field = recorder.field(signal, &series.label, unit);
        recorder.pass();
        for &(seconds, value) in &series.points {
            // A time says when its period begins.
            let Some(stamp) = Stamp::unix(seconds + period) else { continue };
            if recorder.sample(1, stamp, "") {
                recorder.put(field, value);
            }
        }
    }
    if recorder.samples() == 0 {
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, "no metric in it that can be used")
            .seeing(&first.label)
            .hinting("Ask for CPUUtilization at least, and for its Average."));
    }
    recorder.finish()
}

/// The time from one value to the next, mostly.
fn spacing(series: &CloudSeries) -> Option<f64> {
    let mut steps: Vec<f64> =
        series.points.windows(2).map(|pair| pair[1].0 - pair[0].0).filter(|step| *step > 0.0).collect();
    let middle = steps.len() / 2;
    (!steps.is_empty()).then(|| *steps.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_a_machine_in_them() {
        for (label, wanted) in [
            ("CPUUtilization", ""),
            ("i-0abc CPUUtilization", "i-0abc"),
            ("CPUUtilization: web (i-0abc)", "web (i-0abc)"),
            ("AWS/EC2 CPUUtilization i-0abc", "AWS/EC2 CPUUtilization i-0abc"),
        ] {
            assert_eq!(subject(label, "CPUUtilization"), wanted, "{label}");
        }
    }

    #[test]
    fn labels_have_a_metric_in_them() {
        for (label, wanted) in [
            ("CPUUtilization", Some(Signal::Busy)),
            ("i-0abc (web) NetworkIn", Some(Signal::NetworkReceive)),
            ("mem_used_percent", Some(Signal::MemoryUsedShare)),
            ("AWS/EC2:EBSReadBytes", Some(Signal::DiskRead)),
            ("CPUCreditUsage", None),
            ("mem", None),
            ("", None),
        ] {
            assert_eq!(find(label).map(|found| found.1), wanted, "{label}");
        }
    }
}
