//! The metrics Cotrace knows, by their column names.

use serde::{Deserialize, Serialize};

use crate::{Capacity, Resource};

/// How a metric answers when its job is slowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A rate of work (bytes per second, busy cores): slowed with the job, its area over time is the work done.
    Flow,
    /// An amount held (bytes of memory): as high in a slowed run as alone.
    Level,
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $title:literal, $unit:literal, $kind:ident, $resource:expr;)*) => {
        /// A metric of a node or of a job. Its name carries its unit, as Prometheus names do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Metric {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Metric {
            /// Every metric, in the order in which columns are written.
            pub const ALL: &'static [Metric] = &[$(Metric::$variant,)*];

            /// The column name, for example `cpu_cores`.
            pub const fn name(self) -> &'static str {
                match self { $(Metric::$variant => $name,)* }
            }

            /// What a person calls it, for example `CPU`.
            pub const fn title(self) -> &'static str {
                match self { $(Metric::$variant => $title,)* }
            }

            /// The unit of its values, for example `cores` or `bytes/s`.
            pub const fn unit(self) -> &'static str {
                match self { $(Metric::$variant => $unit,)* }
            }

            /// Whether it is work per time or an amount held.
            pub const fn kind(self) -> MetricKind {
                match self { $(Metric::$variant => MetricKind::$kind,)* }
            }

            /// The part of the node's capacity that bounds it, where one does.
            pub const fn resource(self) -> Option<Resource> {
                match self { $(Metric::$variant => $resource,)* }
            }
        }
    };
}

metrics! {
    /// Busy cores, user and system together: the modelled one.
    CpuCores = "cpu_cores", "CPU", "cores", Flow, Some(Resource::Cpu);
    /// Part of `cpu_cores` spent in user code.
    CpuUserCores = "cpu_user_cores", "CPU in user code", "cores", Flow, Some(Resource::Cpu);
    /// Part of `cpu_cores` spent in the kernel.
    CpuSystemCores = "cpu_system_cores", "CPU in the kernel", "cores", Flow, Some(Resource::Cpu);
    /// Idle cores with I/O outstanding: a signal of its own, never stacked on CPU.
    CpuIowaitCores = "cpu_iowait_cores", "CPU waiting for I/O", "cores", Level, Some(Resource::Cpu);
    /// Memory in use without the page cache.
    MemoryBytes = "memory_bytes", "Memory", "bytes", Level, Some(Resource::Memory);
    /// Memory holding file contents, which the kernel can drop.
    PageCacheBytes = "page_cache_bytes", "Page cache", "bytes", Level, Some(Resource::Memory);
    /// Bytes read from block devices.
    DiskReadBytesPerSecond = "disk_read_bytes_per_second", "Disk read", "bytes/s", Flow, Some(Resource::Disk);
    /// Bytes written to block devices.
    DiskWriteBytesPerSecond = "disk_write_bytes_per_second", "Disk write", "bytes/s", Flow, Some(Resource::Disk);
    /// Bytes received, without loopback.
    NetworkReceiveBytesPerSecond = "network_receive_bytes_per_second", "Network received", "bytes/s", Flow, Some(Resource::Network);
    /// Bytes sent, without loopback.
    NetworkTransmitBytesPerSecond = "network_transmit_bytes_per_second", "Network sent", "bytes/s", Flow, Some(Resource::Network);
    /// Bytes that processes on the node send each other: costs CPU and memory, not the wire.
    LoopbackBytesPerSecond = "loopback_bytes_per_second", "Loopback", "bytes/s", Flow, None;
    /// Bytes moved between memory and processor.
    MemoryBandwidthBytesPerSecond = "memory_bandwidth_bytes_per_second", "Memory bandwidth", "bytes/s", Flow, None;
    /// Electrical power of the node.
    PowerWatts = "power_watts", "Power", "watts", Level, None;
    /// Last-level cache held.
    CacheOccupancyBytes = "cache_occupancy_bytes", "Cache held", "bytes", Level, None;
    /// Context switches.
    ContextSwitchesPerSecond = "context_switches_per_second", "Context switches", "1/s", Flow, None;
    /// Share of time in which some task waited for CPU (pressure stall information).
    CpuPressureRatio = "cpu_pressure_ratio", "CPU pressure", "ratio", Level, None;
    /// Share of time in which some task waited for I/O.
    IoPressureRatio = "io_pressure_ratio", "I/O pressure", "ratio", Level, None;
    /// Share of time in which some task waited for memory.
    MemoryPressureRatio = "memory_pressure_ratio", "Memory pressure", "ratio", Level, None;
}

impl Metric {
    /// The metric with this column name.
    pub fn from_name(name: &str) -> Option<Metric> {
        Metric::ALL.iter().copied().find(|metric| metric.name() == name)
    }

    /// The most this metric can reach on a node of `capacity`, in the metric's own unit. `None`: not known.
    pub fn capacity(self, capacity: &Capacity) -> Option<f64> {
        match self.resource()? {
            Resource::Cpu => capacity.cores,
            Resource::Memory => capacity.memory_bytes,
            Resource::Disk => capacity.disk_bytes_per_second,
            Resource::Network => capacity.network_bytes_per_second,
        }
    }
}
