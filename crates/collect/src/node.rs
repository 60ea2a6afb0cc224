//! Samples the whole node.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use cotrace_trace::Metric;

use crate::CollectError;
use crate::procfs::{
    CpuTicks, MemoryUse, NetworkBytes, counts_as_disk, parse_diskstats, parse_listed_pages, parse_meminfo,
    parse_net_dev, parse_pressure, parse_stat,
};
use crate::tree::ticks_per_second;

/// The block devices whose traffic counts.
pub(crate) fn whole_disks() -> BTreeSet<String> {
    names_in("/sys/block")
        .into_iter()
        .filter(|name| {
            let slaves = fs::read_dir(format!("/sys/block/{name}/slaves")).map_or(0, Iterator::count);
            counts_as_disk(name, slaves > 0)
        })
        .collect()
}

/// The network interfaces with hardware behind them (a virtual machine's too); bridges and the like would count bytes
/// twice. Where there are none, as in a container, every interface but loopback.
fn physical_interfaces() -> BTreeSet<String> {
    let all: BTreeSet<String> = names_in("/sys/class/net").into_iter().filter(|name| name != "lo").collect();
    let with_device: BTreeSet<String> = all
        .iter()
        .filter(|name| Path::new(&format!("/sys/class/net/{name}/device")).exists())
        .cloned()
        .collect();
    if with_device.is_empty() { all } else { with_device }
}

fn page_bytes() -> f64 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as f64 }
}

fn names_in(folder: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// The node's counters and levels at one moment.
#[derive(Clone, Debug)]
pub(crate) struct NodeSample {
    pub(crate) at: Instant,
    pub(crate) cpu: CpuTicks,
    pub(crate) memory: MemoryUse,
    disk: (f64, f64),
    network: NetworkBytes,
    /// Seconds waited for CPU, I/O and memory, where the kernel tells.
    pressure: [Option<f64>; 3],
}

/// Reads [`NodeSample`]s.
pub(crate) struct NodeReader {
    disks: BTreeSet<String>,
    interfaces: BTreeSet<String>,
    ticks: f64,
    /// CPU time is that of the node's first cores, this many.
    cores: Option<u32>,
}

impl NodeReader {
    /// Finds the disks and interfaces to read.
    pub(crate) fn new(cores: Option<u32>) -> NodeReader {
        NodeReader {
            disks: whole_disks(),
            interfaces: physical_interfaces(),
            ticks: ticks_per_second(),
            cores,
        }
    }

    /// Reads everything now.
    pub(crate) fn sample(&self) -> Result<NodeSample, CollectError> {
        let at = Instant::now();
        let need = |path: &str| fs::read_to_string(path).map_err(CollectError::io("read", Path::new(path)));
        let pressure = ["cpu", "io", "memory"]
            .map(|name| parse_pressure(&fs::read_to_string(format!("/proc/pressure/{name}")).ok()?));
        Ok(NodeSample {
            at,
            cpu: parse_stat(&need("/proc/stat")?, self.cores)?,
            memory: {
                let mut memory = parse_meminfo(&need("/proc/meminfo")?)?;
                let listed = parse_listed_pages(&need("/proc/zoneinfo").unwrap_or_default());
                memory.used = (memory.used - listed * page_bytes()).max(0.0);
                memory
            },
            disk: parse_diskstats(&need("/proc/diskstats").unwrap_or_default(), &self.disks),
            network: parse_net_dev(&need("/proc/net/dev").unwrap_or_default(), &self.interfaces),
            pressure,
        })
    }

    /// The metrics of the time between two samples. A metric that the kernel doesn't tell is left out.
    pub(crate) fn metrics(&self, before: &NodeSample, after: &NodeSample) -> Vec<(Metric, f64)> {
        let seconds = after.at.duration_since(before.at).as_secs_f64();
        let rate = |from: f64, to: f64| {
            if seconds > 0.0 { (to - from).max(0.0) / seconds } else { f64::NAN }
        };
        let cores = |from: f64, to: f64| rate(from, to) / self.ticks;
        let user = cores(before.cpu.user, after.cpu.user);
        let system = cores(before.cpu.system, after.cpu.system);
        let mut metrics = vec![
            (Metric::CpuCores, user + system),
            (Metric::CpuUserCores, user),
            (Metric::CpuSystemCores, system),
            (Metric::CpuIowaitCores, cores(before.cpu.iowait, after.cpu.iowait)),
            (Metric::MemoryBytes, after.memory.used),
            (Metric::PageCacheBytes, after.memory.page_cache),
            (Metric::DiskReadBytesPerSecond, rate(before.disk.0, after.disk.0)),
            (Metric::DiskWriteBytesPerSecond, rate(before.disk.1, after.disk.1)),
            (Metric::NetworkReceiveBytesPerSecond, rate(before.network.received, after.network.received)),
            (
                Metric::NetworkTransmitBytesPerSecond,
                rate(before.network.transmitted, after.network.transmitted),
            ),
            (Metric::LoopbackBytesPerSecond, rate(before.network.loopback, after.network.loopback)),
            (Metric::ContextSwitchesPerSecond, rate(before.cpu.context_switches, after.cpu.context_switches)),
        ];
        let ratios = [Metric::CpuPressureRatio, Metric::IoPressureRatio, Metric::MemoryPressureRatio];
        for (index, metric) in ratios.into_iter().enumerate() {
            if let (Some(from), Some(to)) = (before.pressure[index], after.pressure[index]) {
                metrics.push((metric, rate(from, to).min(1.0)));
            }
        }
        metrics
    }

    /// Seconds of CPU used on the whole node between two samples.
    pub(crate) fn busy_seconds(&self, before: &NodeSample, after: &NodeSample) -> f64 {
        (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / self.ticks
    }
}
