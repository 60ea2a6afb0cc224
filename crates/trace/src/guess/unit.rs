//! The unit of a column: as its name says, or as its values give away.

use super::columns::{Cells, Seen, short};
use super::rules::Meaning;
use super::words::{Said, Words};
use crate::Metric;

/// Percentages may be a little above 100 by rounding.
const MOST_PERCENT: f64 = 101.0;
/// From here on an amount without a unit is taken for bytes.
const LEAST_BYTES: f64 = 1e6;
/// Likewise for bytes per second: a quiet machine has less at times, but hardly always.
const LEAST_BYTES_PER_SECOND: f64 = 1e4;
/// The values it takes to believe that a column only rises because it counts.
const MANY: usize = 8;

/// What the columns of a table have in common.
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Context {
    /// Whether the figures are those of processes or containers: 100 % is one core there.
    pub(super) is_process: bool,
    /// Whether it has the columns of `ps`, which counts memory in KiB.
    pub(super) is_ps: bool,
    /// Whether it has the columns of `free`.
    pub(super) is_free: bool,
    /// Whether it is a log of Windows' performance counters.
    pub(super) is_perfmon: bool,
}

impl Context {
    pub(super) fn of<'a>(columns: &[Seen], words: impl Iterator<Item = &'a Words>) -> Context {
        let names: Vec<String> =
            columns.iter().map(|column| column.header.trim().to_ascii_lowercase()).collect();
        let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
        let is_ps =
            has(&["%cpu", "pcpu", "vsz", "%mem", "pmem"]) && has(&["rss", "rsz", "vsz", "%mem", "pmem"]);
        let is_process = is_ps
            || has(&["pid", "comm", "command", "cmd", "container", "pod", "real (mb)"])
            || words.into_iter().any(|words| words.has("process") || words.has("rss"));
        Context {
            is_process,
            is_ps,
            is_free: has(&["used"]) && has(&["free"]) && has(&["available", "buff/cache", "cached", "cache"]),
            is_perfmon: names.first().is_some_and(|name| name.starts_with("(pdh-csv")),
        }
    }
}

type Unit = Option<(&'static str, String)>;

/// The unit of a column that means `meaning`, and how one can tell. `None`: nobody can.
pub(super) fn unit_of(meaning: Meaning, words: &Words, cells: &Cells, context: &Context) -> Unit {
    match meaning {
        Meaning::CpuIdle => idle(words, cells),
        Meaning::MemoryAvailable => memory(words, cells, context)
            .and_then(|(unit, why)| Some((BYTES.iter().find(|names| names[0] == unit)?[1], why))),
        Meaning::MemoryTotal => memory(words, cells, context)
            .and_then(|(unit, why)| Some((BYTES.iter().find(|names| names[0] == unit)?[2], why))),
        Meaning::Metric(metric, _) => match metric {
            Metric::CpuCores | Metric::CpuUserCores | Metric::CpuSystemCores | Metric::CpuIowaitCores => {
                cpu(words, cells, context)
            }
            Metric::MemoryBytes => memory(words, cells, context),
            Metric::PageCacheBytes | Metric::CacheOccupancyBytes => {
                memory(words, cells, context).filter(|(unit, _)| *unit != "% of all memory")
            }
            Metric::PowerWatts => power(words, cells),
            Metric::ContextSwitchesPerSecond => {
                let counts = !words.is_rate && counts_up(words, cells, 4);
                Some(if counts { ("counted up", RISES.to_owned()) } else { ("1/s", NAME.to_owned()) })
            }
            Metric::CpuPressureRatio | Metric::IoPressureRatio | Metric::MemoryPressureRatio => {
                Some(pressure(words, cells))
            }
            _ => rate(words, cells),
        },
        _ => None,
    }
}

const NAME: &str = "its name";
const RISES: &str = "its name, and that it only rises";

/// The names of sizes: in use, available, in all.
const BYTES: &[[&str; 3]] = &[
    ["bytes", "bytes available", "bytes in all"],
    ["KiB", "KiB available", "KiB in all"],
    ["MiB", "MiB available", "MiB in all"],
    ["GiB", "GiB available", "GiB in all"],
];

fn up_to(cells: &Cells) -> String {
    format!("its name, and its values up to {}", short(cells.most))
}

/// Whether a column counts up from some start. `many`: how many values it takes if its name doesn't say so.
fn counts_up(words: &Words, cells: &Cells, many: usize) -> bool {
    if words.is_total {
        cells.rises > 0 && cells.drops <= 1 + cells.rises / 50
    } else {
        cells.drops == 0 && cells.rises >= 2 && cells.numbers >= many
    }
}

fn cpu(words: &Words, cells: &Cells, context: &Context) -> Unit {
    let is_percent = words.unit == Some(Said::Percent) || (words.unit.is_none() && cells.percent);
    let most = cells.most;
    Some(match words.unit {
        Some(Said::Cores) => ("cores", NAME.to_owned()),
        Some(Said::Millicores) => ("millicores", NAME.to_owned()),
        Some(Said::Nanocores) => ("nanocores", NAME.to_owned()),
        _ if is_percent => match () {
            // `norm.pct` and the like: a percentage by name, a share by value.
            () if words.unit.is_some()
                && most <= 1.0
                && cells.numbers >= MANY
                && !cells.percent
                && most > 0.0
                && has_fractions(cells) =>
            {
                ("share of the node", format!("its values are up to {}", short(most)))
            }
            () if context.is_process => ("% of a core", "a process's or container's by the names".to_owned()),
            () if most > MOST_PERCENT => ("% of a core", up_to(cells)),
            () => ("% of the node", up_to(cells)),
        },
        Some(Said::Share) if most <= 1.01 => ("share of the node", NAME.to_owned()),
        Some(Said::Seconds | Said::Milliseconds | Said::Microseconds | Said::Nanoseconds | Said::Ticks)
            if words.is_rate =>
        {
            return (words.unit == Some(Said::Seconds)).then(|| ("cores", NAME.to_owned()));
        }
        Some(Said::Seconds) if counts_up(words, cells, 2) => ("CPU seconds, counted up", RISES.to_owned()),
        Some(Said::Milliseconds) if counts_up(words, cells, 2) => {
            ("CPU milliseconds, counted up", RISES.to_owned())
        }
        Some(Said::Microseconds) if counts_up(words, cells, 2) => {
            ("CPU microseconds, counted up", RISES.to_owned())
        }
        Some(Said::Nanoseconds) if counts_up(words, cells, 2) => {
            ("CPU nanoseconds, counted up", RISES.to_owned())
        }
        Some(Said::Ticks) if counts_up(words, cells, 2) => ("ticks of 10 ms, counted up", RISES.to_owned()),
        Some(_) => return None,
        None if (words.has("time") || most > MOST_PERCENT) && counts_up(words, cells, 4) => {
            ("CPU seconds, counted up", RISES.to_owned())
        }
        None if words.has("time") && words.is_total => return None,
        None if most <= 1.0 && most > 0.0 && has_fractions(cells) => ("share of the node", up_to(cells)),
        None if context.is_process || most > MOST_PERCENT => ("% of a core", up_to(cells)),
        None => ("% of the node", up_to(cells)),
    })
}

/// A share of the node that is 0 or 1 only would be odd.
fn has_fractions(cells: &Cells) -> bool {
    cells.most < 1.0 || (cells.least > 0.0 && cells.least < 1.0) || cells.rises + cells.drops > 0
}

fn idle(words: &Words, cells: &Cells) -> Unit {
    let most = cells.most;
    match words.unit {
        Some(Said::Percent) if most <= MOST_PERCENT => Some(("% of the node idle", NAME.to_owned())),
        None if cells.drops == 0 && cells.rises >= MANY => None,
        None | Some(Said::Share) if most <= 1.0 => Some(("share of the node idle", up_to(cells))),
        None if most <= MOST_PERCENT => Some(("% of the node idle", up_to(cells))),
        _ => None,
    }
}

fn memory(words: &Words, cells: &Cells, context: &Context) -> Unit {
    Some(match words.unit {
        Some(Said::Bytes) => ("bytes", NAME.to_owned()),
        Some(Said::Kilobytes | Said::Kilobits) => ("KiB", NAME.to_owned()),
        Some(Said::Megabytes | Said::Megabits) => ("MiB", NAME.to_owned()),
        Some(Said::Gigabytes | Said::Gigabits) => ("GiB", NAME.to_owned()),
        Some(Said::Percent) if cells.most <= MOST_PERCENT => ("% of all memory", NAME.to_owned()),
        None if cells.percent => ("% of all memory", "its cells end in %".to_owned()),
        None if context.is_ps => ("KiB", "ps counts in KiB".to_owned()),
        None if context.is_free && cells.most < 5e8 => {
            // A machine of 400 MiB or less is rare, and so is one of 400 TiB.
            if cells.most >= 4e5 {
                ("KiB", "free's names and the size".to_owned())
            } else {
                ("MiB", "free's names and the size".to_owned())
            }
        }
        None if cells.most >= LEAST_BYTES => {
            ("bytes", format!("no unit in its name, and values up to {}", short(cells.most)))
        }
        _ => return None,
    })
}

fn power(words: &Words, cells: &Cells) -> Unit {
    match words.unit {
        None if words.has("energy") => None,
        None | Some(Said::Watts) => Some(("watts", NAME.to_owned())),
        Some(Said::Milliwatts) => Some(("milliwatts", NAME.to_owned())),
        Some(Said::Kilowatts) => Some(("kilowatts", NAME.to_owned())),
        Some(Said::Joules) if counts_up(words, cells, 2) => Some(("joules, counted up", RISES.to_owned())),
        Some(Said::Microjoules) if counts_up(words, cells, 2) => {
            Some(("microjoules, counted up", RISES.to_owned()))
        }
        Some(_) => None,
    }
}

fn pressure(words: &Words, cells: &Cells) -> (&'static str, String) {
    match words.unit {
        Some(Said::Percent) => ("%", NAME.to_owned()),
        Some(Said::Share) => ("ratio", NAME.to_owned()),
        Some(Said::Microseconds) => ("microseconds, counted up", NAME.to_owned()),
        _ if words.is_total && counts_up(words, cells, 2) => ("microseconds, counted up", RISES.to_owned()),
        // The kernel's averages are percentages.
        _ if words.has("some") || cells.most > 1.0 => ("%", up_to(cells)),
        _ => ("ratio", up_to(cells)),
    }
}

fn rate(words: &Words, cells: &Cells) -> Unit {
    // What a cloud's export calls a sum is one of an interval, whose length only the export knows.
    if words.has("sum") && !words.is_rate {
        return None;
    }
    // The names of the rate and of the counter.
    let (rate, counter) = match words.unit {
        Some(Said::Bytes) => ("bytes/s", "bytes, counted up"),
        Some(Said::Kilobytes) => ("KiB/s", "KiB, counted up"),
        Some(Said::Megabytes) => ("MiB/s", "MiB, counted up"),
        Some(Said::Gigabytes) => ("GiB/s", "GiB, counted up"),
        Some(Said::Bits) => ("bits/s", "bits, counted up"),
        Some(Said::Kilobits) => ("kbit/s", ""),
        Some(Said::Megabits) => ("Mbit/s", ""),
        Some(Said::Gigabits) => ("Gbit/s", ""),
        Some(Said::Sectors) => ("sectors/s", "sectors, counted up"),
        Some(_) => return None,
        None => {
            let many = if cells.most >= LEAST_BYTES { 3 } else { MANY };
            return if !words.is_rate && cells.most >= LEAST_BYTES_PER_SECOND && counts_up(words, cells, many)
            {
                Some((
                    "bytes, counted up",
                    format!("no unit in its name, and it only rises, to {}", short(cells.most)),
                ))
            } else {
                (cells.most >= LEAST_BYTES_PER_SECOND).then(|| {
                    ("bytes/s", format!("no unit in its name, and values up to {}", short(cells.most)))
                })
            };
        }
    };
    let is_bytes = words.unit == Some(Said::Bytes);
    // A counter on which nothing happens: no rate is as even as that.
    let stands_still = is_bytes && cells.drops == 0 && cells.numbers >= 3 && cells.least > 0.0;
    let counts = counts_up(words, cells, if is_bytes { 3 } else { MANY }) || stands_still;
    if !words.is_rate && !counter.is_empty() && counts {
        return Some((counter, RISES.to_owned()));
    }
    let why = if words.is_rate { NAME.to_owned() } else { "its name; it doesn't only rise".to_owned() };
    Some((rate, why))
}
