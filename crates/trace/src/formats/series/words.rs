//! What a series is, from the words of a free name: of a panel's legend, of a cloud's metric.

use crate::record::{Signal, Unit};

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meaning {
    pub(crate) signal: Signal,
    pub(crate) unit: Unit,
}

/// What a series called `name` is, whose cells have the unit `seen` after them (`%`, `MiB`, `kB/s`), or none.
/// `None`: that isn't clear.
pub(crate) fn meaning(name: &str, seen: Option<&str>) -> Option<Meaning> {
    let words = split(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let signal = if has(&["cpu"]) {
        cpu(&has)?
    } else if has(&["memory", "mem", "ram"]) {
        memory(&has)?
    } else if has(&["network", "net", "traffic"]) {
        if has(&["in", "receive", "received", "rx", "recv", "inbound"]) {
            Signal::NetworkReceive
        } else if has(&["out", "transmit", "transmitted", "sent", "tx", "outbound"]) {
            Signal::NetworkTransmit
        } else {
            return None;
        }
    } else if has(&["disk", "ebs", "io", "block"]) && !has(&["ops", "iops", "time", "queue", "latency"]) {
        if has(&["read", "reads"]) {
            Signal::DiskRead
        } else if has(&["write", "writes", "written"]) {
            Signal::DiskWrite
        } else {
            return None;
        }
    } else if has(&["context"]) && has(&["switches", "switch"]) {
        Signal::ContextSwitches
    } else {
        cpu_mode(&has)?
    };
    let unit = unit(signal, name, seen, &has)?;
    Some(Meaning { signal, unit })
}

fn cpu(has: &impl Fn(&[&str]) -> bool) -> Option<Signal> {
    if has(&[
        "credit",
        "surplus",
        "limit",
        "limits",
        "request",
        "requests",
        "throttled",
        "temperature",
        "frequency",
    ]) {
        return None;
    }
    cpu_mode(has).or_else(|| {
        has(&["utilization", "utilisation", "usage", "used", "busy", "percent", "total", "cpu"])
            .then_some(Signal::Busy)
    })
}

fn cpu_mode(has: &impl Fn(&[&str]) -> bool) -> Option<Signal> {
    Some(match () {
        () if has(&["iowait"]) => Signal::Iowait,
        () if has(&["idle"]) => Signal::Idle,
        () if has(&["steal"]) => Signal::Steal,
        () if has(&["softirq"]) => Signal::SoftIrq,
        () if has(&["user"]) => Signal::User,
        () if has(&["nice"]) => Signal::Nice,
        () if has(&["system", "sys", "kernel"]) => Signal::System,
        () => return None,
    })
}

fn memory(has: &impl Fn(&[&str]) -> bool) -> Option<Signal> {
    if has(&["swap", "limit", "request", "requests"]) {
        return None;
    }
    Some(match () {
        () if has(&["total", "memtotal"]) => Signal::MemoryTotal,
        () if has(&["available", "memavailable"]) => Signal::MemoryAvailable,
        () if has(&["free", "memfree"]) => Signal::MemoryFree,
        () if has(&["cached", "cache"]) => Signal::Cached,
        () if has(&["buffers", "buffered"]) => Signal::Buffers,
        () if has(&["used", "usage", "rss", "working", "utilization"]) => Signal::MemoryUsedWithoutCache,
        () => return None,
    })
}

/// The unit, by what the cells have after them, or else by the name.
fn unit(signal: Signal, name: &str, seen: Option<&str>, has: &impl Fn(&[&str]) -> bool) -> Option<Unit> {
    let is_cpu = matches!(
        signal,
        Signal::Busy
            | Signal::User
            | Signal::Nice
            | Signal::System
            | Signal::SoftIrq
            | Signal::Iowait
            | Signal::Steal
            | Signal::Idle
    );
    let percent = seen == Some("%")
        || (seen.is_none() && (has(&["percent", "pct", "utilization"]) || name.contains('%')));
    if is_cpu {
        return if percent {
            Some(Unit::PERCENT_OF_NODE)
        } else if has(&["cores"]) {
            Some(Unit::CORES)
        } else if has(&["millicores"]) || seen == Some("m") {
            Some(Unit::MILLICORES)
        } else {
            None
        };
    }
    if signal == Signal::ContextSwitches {
        return Some(Unit::PER_SECOND);
    }
    let seen = seen.unwrap_or_default();
    if percent {
        // A share of memory: nothing says of how much.
        return None;
    }
    let (size, per_second) = match seen.strip_suffix("/s") {
        Some(size) => (size, true),
        None => match seen.strip_suffix("ps") {
            Some(size) => (size, true),
            None => (seen, false),
        },
    };
    let is_rate = matches!(
        signal,
        Signal::DiskRead | Signal::DiskWrite | Signal::NetworkReceive | Signal::NetworkTransmit
    );
    Some(match (size, is_rate) {
        ("" | "B", true) => Unit::BYTES_PER_SECOND,
        ("kB" | "KB", true) => Unit::KB_PER_SECOND,
        ("MB", true) => Unit::MB_PER_SECOND,
        ("GB", true) => Unit::MB_PER_SECOND.times(1e3, "GB/s"),
        ("KiB", true) => Unit::KIB_PER_SECOND,
        ("MiB", true) => Unit::MIB_PER_SECOND,
        ("GiB", true) => Unit::MIB_PER_SECOND.times(1024.0, "GiB/s"),
        ("b", true) if per_second => Unit::BITS_PER_SECOND,
        ("kb", true) if per_second => Unit::BITS_PER_SECOND.times(1e3, "kbit/s"),
        ("Mb", true) if per_second => Unit::BITS_PER_SECOND.times(1e6, "Mbit/s"),
        ("Gb", true) if per_second => Unit::BITS_PER_SECOND.times(1e9, "Gbit/s"),
        ("" | "B", false) => Unit::BYTES,
        ("kB" | "KB", false) => Unit::KB,
        ("MB", false) => Unit::MB,
        ("GB", false) => Unit::GB,
        ("KiB", false) => Unit::KIB,
        ("MiB", false) => Unit::MIB,
        ("GiB", false) => Unit::GIB,
        ("TiB", false) => Unit::GIB.times(1024.0, "TiB"),
        _ => return None,
    })
}

/// The words of a name in lower case: `CPUUtilization`, `mem_used`, `Disk read`.
fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts = !before.is_alphanumeric()
            || (c.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_lower)));
        if c.is_alphanumeric() {
            match words.last_mut() {
                Some(word) if !starts => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        before = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_units_are_understood() {
        let percent = Unit::PERCENT_OF_NODE;
        let cases = [
            ("CPUUtilization", None, Some((Signal::Busy, percent))),
            ("CPU Usage", Some("%"), Some((Signal::Busy, percent))),
            ("CPU Usage", None, None),
            ("cpu_usage_iowait", Some("%"), Some((Signal::Iowait, percent))),
            ("Busy User", None, None),
            ("Busy User", Some("%"), Some((Signal::User, percent))),
            ("CPU cores used", None, Some((Signal::Busy, Unit::CORES))),
            ("CPUCreditUsage", None, None),
            ("Memory Used", Some("GiB"), Some((Signal::MemoryUsedWithoutCache, Unit::GIB))),
            ("RAM Total", Some("GB"), Some((Signal::MemoryTotal, Unit::GB))),
            ("Memory usage", Some("%"), None),
            ("Swap memory used", Some("GiB"), None),
            ("Disk read", Some("MB/s"), Some((Signal::DiskRead, Unit::MB_PER_SECOND))),
            ("DiskReadOps", None, None),
            (
                "Network in",
                Some("Mb/s"),
                Some((Signal::NetworkReceive, Unit::BITS_PER_SECOND.times(1e6, "Mbit/s"))),
            ),
            ("NetworkOut", None, Some((Signal::NetworkTransmit, Unit::BYTES_PER_SECOND))),
            ("Network", None, None),
            ("Context switches", None, Some((Signal::ContextSwitches, Unit::PER_SECOND))),
            ("load1", None, None),
            ("", None, None),
        ];
        for (name, seen, wanted) in cases {
            let wanted = wanted.map(|(signal, unit)| Meaning { signal, unit });
            assert_eq!(meaning(name, seen), wanted, "{name} {seen:?}");
        }
    }
}
