//! What a column is by its name: the metric, before its unit is looked at.

use super::words::{Said, Words, words};
use crate::Metric;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    /// The time, or a part of it.
    Time,
    /// A metric; columns of different parts of it are added up.
    Metric(Metric, &'static str),
    /// CPU that was not used.
    CpuIdle,
    /// Memory that programs could still get.
    MemoryAvailable,
    /// Memory of the node.
    MemoryTotal,
    /// Nothing that Cotrace uses, and why.
    Nothing(&'static str),
    /// Nobody knows.
    Unknown,
}

const NO_USE: &str = "Cotrace has no use for it";
const NEUTRAL: &[&str] = &["time", "used", "avg", "process", "counters", "node", "all", "max"];
const TIME_WORDS: &[&str] = &["time", "date", "counters", "all", "in", "avg", "system", "process", "node"];

/// What the column called `name` is.
pub(super) fn meaning(name: &str) -> (Meaning, Words) {
    if name.starts_with("(PDH-CSV") {
        return (Meaning::Time, Words { unit: None, ..words(name) });
    }
    let words = words(name);
    let meaning = match name.trim() {
        // vmstat's names, which say something else elsewhere.
        "us" => Meaning::Metric(Metric::CpuUserCores, "user"),
        "sy" => Meaning::Metric(Metric::CpuSystemCores, "system"),
        "wa" => Meaning::Metric(Metric::CpuIowaitCores, ""),
        // psrecord's name for what is resident.
        "Real (MB)" => Meaning::Metric(Metric::MemoryBytes, ""),
        _ => of(&words),
    };
    (meaning, words)
}

fn of(words: &Words) -> Meaning {
    let is_time_unit = matches!(
        words.unit,
        Some(
            Said::Seconds
                | Said::Milliseconds
                | Said::Microseconds
                | Said::Nanoseconds
                | Said::Minutes
                | Said::Hours
        )
    );
    if words.only(TIME_WORDS) && (words.any(&["time", "date"]) || (is_time_unit && words.words.is_empty())) {
        return Meaning::Time;
    }
    if words.has("nothing") || words.any(&["steal", "guest"]) {
        return Meaning::Nothing(NO_USE);
    }
    pressure(words)
        .or_else(|| rare(words))
        .or_else(|| memory(words))
        .or_else(|| network(words))
        .or_else(|| disk(words))
        .or_else(|| cpu(words))
        .unwrap_or(Meaning::Unknown)
}

// As the functions below return it.
#[allow(clippy::unnecessary_wraps)]
fn metric(metric: Metric) -> Option<Meaning> {
    Some(Meaning::Metric(metric, ""))
}

fn pressure(words: &Words) -> Option<Meaning> {
    if !words.has("pressure") {
        return None;
    }
    if words.has("full") {
        return Some(Meaning::Nothing("the pressure on some tasks is what counts, not that on all"));
    }
    match () {
        () if words.has("cpu") => metric(Metric::CpuPressureRatio),
        () if words.has("mem") => metric(Metric::MemoryPressureRatio),
        () if words.any(&["io", "disk"]) => metric(Metric::IoPressureRatio),
        () => None,
    }
}

fn rare(words: &Words) -> Option<Meaning> {
    if words.has("switches") && words.any(&["context"]) {
        return metric(Metric::ContextSwitchesPerSecond);
    }
    if words.has("bandwidth") && words.has("mem") {
        return metric(Metric::MemoryBandwidthBytesPerSecond);
    }
    if words.has("llc") {
        return if words.any(&["occupancy", "cached"]) { metric(Metric::CacheOccupancyBytes) } else { None };
    }
    let is_energy = matches!(
        words.unit,
        Some(Said::Joules | Said::Microjoules | Said::Milliwatts | Said::Kilowatts | Said::Watts)
    );
    if words.any(&["power", "energy"]) || is_energy {
        return metric(Metric::PowerWatts);
    }
    if words.has("iowait") || (words.has("wait") && words.any(&["io", "cpu"])) {
        return metric(Metric::CpuIowaitCores);
    }
    None
}

fn memory(words: &Words) -> Option<Meaning> {
    let is_memory = words.any(&["mem", "rss", "working"]);
    let cache = match (words.has("cached"), words.has("buffers")) {
        (true, true) => Some("both"),
        (true, false) => Some("cached"),
        (false, true) => Some("buffers"),
        _ => None,
    };
    let cache_words = &["cached", "buffers", "page", "all", "avg", "node"][..];
    if let Some(part) = cache.filter(|_| is_memory || words.only(cache_words)) {
        return Some(Meaning::Metric(Metric::PageCacheBytes, part));
    }
    if !is_memory || words.any(&["read", "write", "rx", "tx"]) {
        return None;
    }
    Some(match () {
        () if words.has("avail") => Meaning::MemoryAvailable,
        () if words.any(&["free", "idle"]) => {
            Meaning::Nothing("free memory leaves out what the page cache would give back")
        }
        () if words.has("all")
            && !words.any(&["used", "rss", "working"])
            && words.unit != Some(Said::Percent) =>
        {
            Meaning::MemoryTotal
        }
        () => Meaning::Metric(Metric::MemoryBytes, ""),
    })
}

fn network(words: &Words) -> Option<Meaning> {
    if words.any(&["disk", "cpu"]) {
        return None;
    }
    let net = words.has("net");
    let receives = words.has("rx") || (net && words.any(&["in", "read"]));
    let sends = words.has("tx") || (net && words.any(&["out", "write"]));
    if words.has("loopback") {
        return if sends && !receives {
            Some(Meaning::Nothing("what is sent over loopback is received there: it would count twice"))
        } else {
            metric(Metric::LoopbackBytesPerSecond)
        };
    }
    match (receives, sends) {
        (true, false) => metric(Metric::NetworkReceiveBytesPerSecond),
        (false, true) => metric(Metric::NetworkTransmitBytesPerSecond),
        _ if net => Some(Meaning::Nothing("it doesn't say which way")),
        _ => None,
    }
}

fn disk(words: &Words) -> Option<Meaning> {
    if words.any(&["cpu", "net"]) {
        return None;
    }
    let disk = words.has("disk");
    let reads = words.has("read") || (disk && words.any(&["in", "rx"]));
    let writes = words.has("write") || (disk && words.any(&["out", "tx"]));
    if words.any(&["time", "wait"]) || matches!(words.unit, Some(Said::Milliseconds | Said::Seconds)) {
        return (disk || reads || writes).then_some(Meaning::Nothing("a time, not bytes"));
    }
    match (reads, writes) {
        (true, false) => metric(Metric::DiskReadBytesPerSecond),
        (false, true) => metric(Metric::DiskWriteBytesPerSecond),
        _ if disk => Some(Meaning::Nothing("it is neither what was read nor what was written")),
        _ => None,
    }
}

fn cpu(words: &Words) -> Option<Meaning> {
    let is_cpu = words.has("cpu");
    let part = |words: &Words, part: &str| {
        words.has(part) && (is_cpu || words.only(&[&[part][..], NEUTRAL].concat()))
    };
    // `system.cpu.total`: the first word says whose, the second what.
    let of_system = words.words.iter().position(|word| *word == "system");
    let of_cpu = words.words.iter().position(|word| *word == "cpu");
    let once = words.words.iter().filter(|word| **word == "system").count() == 1;
    let is_prefix = once && matches!((of_system, of_cpu), (Some(system), Some(cpu)) if system < cpu);
    Some(match () {
        () if part(words, "idle") => Meaning::CpuIdle,
        () if part(words, "user") => Meaning::Metric(Metric::CpuUserCores, "user"),
        () if part(words, "nice") => Meaning::Metric(Metric::CpuUserCores, "nice"),
        () if part(words, "irq") => Meaning::Metric(Metric::CpuSystemCores, "irq"),
        () if part(words, "system") && !is_prefix => Meaning::Metric(Metric::CpuSystemCores, "system"),
        () if words.has("load") && words.unit != Some(Said::Percent) => {
            Meaning::Nothing("a load average is no CPU time")
        }
        () if is_cpu || (is_cores(words) && words.has("used")) => Meaning::Metric(Metric::CpuCores, ""),
        () => return None,
    })
}

fn is_cores(words: &Words) -> bool {
    matches!(words.unit, Some(Said::Cores | Said::Millicores | Said::Nanocores))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_understood() {
        use Meaning::{CpuIdle, MemoryAvailable, MemoryTotal, Time};
        let m = |metric| Meaning::Metric(metric, "");
        let part = Meaning::Metric;
        let nothing = Meaning::Nothing("");
        let cpu = m(Metric::CpuCores);
        let memory = m(Metric::MemoryBytes);
        let (read, write) = (m(Metric::DiskReadBytesPerSecond), m(Metric::DiskWriteBytesPerSecond));
        let (rx, tx) = (m(Metric::NetworkReceiveBytesPerSecond), m(Metric::NetworkTransmitBytesPerSecond));
        let user = part(Metric::CpuUserCores, "user");
        let system = part(Metric::CpuSystemCores, "system");
        let cases: &[(&str, Meaning)] = &[
            ("time", Time),
            ("Time (s)", Time),
            ("timestamp", Time),
            ("ts", Time),
            ("Date", Time),
            ("DateTime", Time),
            ("date time", Time),
            ("elapsed_ms", Time),
            ("seconds", Time),
            ("t", Time),
            ("@timestamp", Time),
            ("Elapsed time [s]", Time),
            ("unix_time", Time),
            ("TimeStamp", Time),
            ("ms", Time),
            ("Time (UTC)", Time),
            ("(PDH-CSV 4.0) (Pacific Standard Time)(420)", Time),
            ("cpu", cpu),
            ("CPU (%)", cpu),
            ("cpu_usage_percent", cpu),
            ("cpuUsage", cpu),
            ("%CPU", cpu),
            ("pcpu", cpu),
            ("Percentage CPU (Avg)", cpu),
            ("CPU utilization [%]", cpu),
            ("cpu_load_percent", cpu),
            ("system.cpu.total.norm.pct", cpu),
            ("process_cpu_seconds_total", cpu),
            ("cores_used", cpu),
            ("CPU time", cpu),
            (r"\\HOST\Processor(_Total)\% Processor Time", cpu),
            ("cpu_user", user),
            ("user", user),
            ("usr %", user),
            ("% User Time", user),
            ("cpu.system", system),
            ("sys", system),
            ("system.cpu.system.pct", system),
            ("cpu nice", part(Metric::CpuUserCores, "nice")),
            ("softirq", part(Metric::CpuSystemCores, "irq")),
            ("iowait", m(Metric::CpuIowaitCores)),
            ("cpu_io_wait_pct", m(Metric::CpuIowaitCores)),
            ("cpu_idle", CpuIdle),
            ("idle (%)", CpuIdle),
            ("memory", memory),
            ("memory.usage", memory),
            ("mem_used_mb", memory),
            ("MemUsed", memory),
            ("RAM [GB]", memory),
            ("rss_kb", memory),
            ("RSS", memory),
            ("%MEM", memory),
            ("container_memory_working_set_bytes", memory),
            ("virtual_memory.percent", memory),
            ("mem_available", MemoryAvailable),
            (r"\\HOST\Memory\Available MBytes", MemoryAvailable),
            ("FreeableMemory", MemoryAvailable),
            ("mem_total_kb", MemoryTotal),
            ("memory size", MemoryTotal),
            ("mem_free", nothing),
            ("buff/cache", part(Metric::PageCacheBytes, "both")),
            ("cached", part(Metric::PageCacheBytes, "cached")),
            ("mem_buffers", part(Metric::PageCacheBytes, "buffers")),
            ("disk read [MiB/s]", read),
            ("diskReadBytes", read),
            ("read_bytes", read),
            ("rkB/s", read),
            ("Disk Read Bytes/sec", read),
            ("sda_read_kbs", read),
            ("io.read", read),
            ("disk_write", write),
            ("wMB/s", write),
            ("bytes_written", write),
            ("nvme0n1 written MB/s", write),
            ("rx KB/s", rx),
            ("rx_bytes_total", rx),
            ("net_in", rx),
            ("bytes_recv", rx),
            ("eth0 received", rx),
            (r"\\HOST\Network Interface(Intel)\Bytes Received/sec", rx),
            ("Network In Total", rx),
            ("tx_mbps", tx),
            ("bytes_sent", tx),
            ("networkOut", tx),
            ("upload (Mbit/s)", tx),
            ("lo rx bytes", m(Metric::LoopbackBytesPerSecond)),
            ("lo tx bytes", nothing),
            ("context_switches", m(Metric::ContextSwitchesPerSecond)),
            ("ctxt", m(Metric::ContextSwitchesPerSecond)),
            ("cpu_pressure_some", m(Metric::CpuPressureRatio)),
            ("psi_io_avg10", m(Metric::IoPressureRatio)),
            ("psi_memory_full", nothing),
            ("power (W)", m(Metric::PowerWatts)),
            ("package energy (J)", m(Metric::PowerWatts)),
            ("mem_bandwidth", m(Metric::MemoryBandwidthBytesPerSecond)),
            ("llc_occupancy", m(Metric::CacheOccupancyBytes)),
            ("gpu_util", nothing),
            ("swap_used", nothing),
            ("load average", nothing),
            ("cpu_temp", nothing),
            ("cpu_freq_mhz", nothing),
            ("disk_usage_percent", nothing),
            ("read_time", nothing),
            ("rx_packets", nothing),
            ("disk_read_iops", nothing),
            ("pid", Meaning::Unknown),
            ("note", Meaning::Unknown),
            ("temperature", nothing),
            ("price", Meaning::Unknown),
        ];
        let kind = |meaning: &Meaning| match meaning {
            Meaning::Nothing(_) => "nothing".to_owned(),
            meaning => format!("{meaning:?}"),
        };
        let wrong: Vec<String> = cases
            .iter()
            .filter_map(|(name, wanted)| {
                let (found, words) = meaning(name);
                (kind(&found) != kind(wanted))
                    .then(|| format!("{name}: {found:?}, not {wanted:?} ({words:?})"))
            })
            .collect();
        assert!(cases.len() >= 60 && wrong.is_empty(), "{wrong:#?}");
    }
}
