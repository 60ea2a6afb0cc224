//! Turns the readings of a run into a trace.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use cotrace_dataset::JobRun;
use cotrace_trace::{Capacity, Column, JobSpan, Metric, Trace};

use crate::accounting::JobUsage;
use crate::node::{NodeReader, NodeSample};

/// A last row shorter than this share of the step is joined to the row before it.
const SHORTEST_ROW: f64 = 0.25;

/// What the node and each job had used at one moment.
pub(crate) struct Sample {
    pub(crate) node: NodeSample,
    pub(crate) jobs: Vec<JobUsage>,
}

/// The trace of a run from its readings; `jobs` in the order in which the readings have them.
pub(crate) fn trace(reader: &NodeReader, capacity: Capacity, samples: &[Sample], jobs: &[JobRun]) -> Trace {
    let mut columns: BTreeMap<Column, Vec<f64>> = BTreeMap::new();
    let rows = samples.len() - 1;
    let mut put = |row: usize, column: Column, value: f64| {
        columns.entry(column).or_insert_with(|| vec![f64::NAN; rows])[row] = value;
    };
    for (row, pair) in samples.windows(2).enumerate() {
        let (before, after) = (&pair[0], &pair[1]);
        for (metric, value) in reader.metrics(&before.node, &after.node) {
            put(row, Column::node(metric), value);
        }
        let seconds = after.node.at.duration_since(before.node.at).as_secs_f64();
        for ((job, before), after) in jobs.iter().zip(&before.jobs).zip(&after.jobs) {
            for (metric, value) in job_metrics(before, after, seconds) {
                put(row, Column::job(&job.label, metric), value);
            }
        }
    }
    // A job metric that is nowhere known has no column.
    columns.retain(|_, values| values.iter().any(|value| !value.is_nan()));
    let start = samples[0].node.at;
    Trace {
        capacity,
        jobs: jobs
            .iter()
            .map(|job| JobSpan {
                name: job.label.clone(),
                start_seconds: Some(job.start_seconds),
                end_seconds: Some(job.end_seconds),
            })
            .collect(),
        time_seconds: samples[1..]
            .iter()
            .map(|sample| sample.node.at.duration_since(start).as_secs_f64())
            .collect(),
        columns,
        ..Trace::default()
    }
}

/// The metrics of one job over the `seconds` between two readings.
pub(crate) fn job_metrics(before: &JobUsage, after: &JobUsage, seconds: f64) -> [(Metric, f64); 7] {
    // A comparison would turn NaN, unknown, into 0.
    let rate = |from: f64, to: f64| {
        if seconds > 0.0 { ((to - from) / seconds).clamp(0.0, f64::MAX) } else { f64::NAN }
    };
    [
        (Metric::CpuCores, rate(before.cpu_seconds, after.cpu_seconds)),
        (Metric::CpuUserCores, rate(before.user_seconds, after.user_seconds)),
        (Metric::CpuSystemCores, rate(before.system_seconds, after.system_seconds)),
        (Metric::MemoryBytes, after.memory_bytes),
        (Metric::PageCacheBytes, after.page_cache_bytes),
        (Metric::DiskReadBytesPerSecond, rate(before.read_bytes, after.read_bytes)),
        (Metric::DiskWriteBytesPerSecond, rate(before.written_bytes, after.written_bytes)),
    ]
}

/// Counters tick in hundredths of a second: over a few of them a rate is mostly rounding.
pub(crate) fn join_short_last_row(samples: &mut Vec<Sample>, sample_seconds: f64) {
    if let [_, .., before, last] = &samples[..]
        && last.node.at.duration_since(before.node.at).as_secs_f64() < SHORTEST_ROW * sample_seconds
    {
        samples.remove(samples.len() - 2);
    }
}

pub(crate) fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// A time as RFC 3339 in UTC, to the second.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01 of the Gregorian calendar, counted in eras of 400 years: the leap day comes last.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_as_rfc_3339() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        let wrong: Vec<_> = cases
            .iter()
            .map(|&(seconds, expected)| (expected, rfc3339(UNIX_EPOCH + Duration::from_secs(seconds))))
            .filter(|(expected, got)| expected != got)
            .collect();
        assert!(wrong.is_empty(), "expected and got: {wrong:?}");
    }

    #[test]
    fn unknown_usage_stays_unknown() {
        let before = JobUsage { page_cache_bytes: f64::NAN, read_bytes: f64::NAN, ..JobUsage::NOTHING };
        let after = JobUsage { cpu_seconds: 1.5, memory_bytes: 7.0, ..before };
        let values: BTreeMap<Metric, f64> = job_metrics(&before, &after, 0.5).into_iter().collect();
        assert_eq!(values[&Metric::CpuCores], 3.0);
        assert_eq!(values[&Metric::MemoryBytes], 7.0);
        assert!(values[&Metric::DiskReadBytesPerSecond].is_nan());
        assert!(values[&Metric::PageCacheBytes].is_nan());
        // A counter that falls, as after a process vanished unseen, is no negative work.
        assert_eq!(job_metrics(&after, &JobUsage::NOTHING, 0.5)[0], (Metric::CpuCores, 0.0));
    }
}
