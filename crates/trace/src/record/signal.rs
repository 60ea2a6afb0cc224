//! What tools measure, and in which units.

/// Something a tool measures. [`Recorder`](super::Recorder) makes [`Metric`](crate::Metric)s of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Signal {
    /// CPU: busy, where the tool doesn't tell its parts apart.
    Busy,
    /// CPU: user code.
    User,
    /// CPU: user code of low priority.
    Nice,
    /// CPU: the kernel, without interrupts if the tool counts them apart.
    System,
    /// CPU: hardware interrupts.
    Irq,
    /// CPU: software interrupts.
    SoftIrq,
    /// CPU: guests, where the tool doesn't count them as user code.
    Guest,
    /// CPU: guests of low priority, likewise.
    GuestNice,
    /// CPU: idle with I/O outstanding.
    Iowait,
    /// CPU: taken by the hypervisor.
    Steal,
    /// CPU: idle.
    Idle,
    /// Memory the node has.
    MemoryTotal,
    /// Memory nobody uses.
    MemoryFree,
    /// Memory programs could still get, with the page cache.
    MemoryAvailable,
    /// Memory in use, where only the figures tell whether the page cache is in it (sar's `kbmemused`).
    MemoryUsed,
    /// Share of all memory that [`Signal::MemoryUsed`] is.
    MemoryUsedShare,
    /// Memory in use without the page cache.
    MemoryUsedWithoutCache,
    /// Share of all memory that is in use without the page cache.
    MemoryShareWithoutCache,
    /// Block device buffers, a part of the page cache.
    Buffers,
    /// Page cache, without buffers.
    Cached,
    /// Kernel memory that can be had back, like page cache (`SReclaimable`).
    Reclaimable,
    /// Read from block devices.
    DiskRead,
    /// Written to block devices.
    DiskWrite,
    /// Received; from the device `lo`: loopback.
    NetworkReceive,
    /// Sent.
    NetworkTransmit,
    /// Loopback, where the tool tells it apart itself.
    Loopback,
    /// Context switches.
    ContextSwitches,
    /// Pressure stall information: some task waits for CPU.
    CpuPressure,
    /// Some task waits for I/O.
    IoPressure,
    /// Some task waits for memory.
    MemoryPressure,
    /// Electrical power.
    Power,
    /// Bytes between memory and processor.
    MemoryBandwidth,
    /// Last-level cache held.
    CacheOccupancy,
}

/// What CPU figures are shares of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scale {
    /// Not CPU, or in cores already: the factor does it.
    Plain,
    /// 1 is all cores of the node busy.
    OfNode,
}

/// A unit of a file: what a value is multiplied with to get the base unit, and what it is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) factor: f64,
    pub(crate) scale: Scale,
    pub(crate) name: &'static str,
}

const fn unit(factor: f64, name: &'static str) -> Unit {
    Unit { factor, scale: Scale::Plain, name }
}

impl Unit {
    /// Whatever the metric's own unit is.
    pub(crate) const ONE: Unit = unit(1.0, "");
    /// 100 is all cores of the node busy.
    pub(crate) const PERCENT_OF_NODE: Unit =
        Unit { factor: 0.01, scale: Scale::OfNode, name: "% of the node" };
    /// 1 is all cores of the node busy.
    pub(crate) const SHARE_OF_NODE: Unit =
        Unit { factor: 1.0, scale: Scale::OfNode, name: "share of the node" };
    /// 100 is one core busy.
    pub(crate) const PERCENT_OF_CORE: Unit = unit(0.01, "% of a core");
    /// Busy cores; also CPU seconds per second.
    pub(crate) const CORES: Unit = unit(1.0, "cores");
    /// Thousandths of a core.
    pub(crate) const MILLICORES: Unit = unit(1e-3, "thousandths of a core");
    /// For shares of something else than CPU.
    pub(crate) const PERCENT: Unit = unit(0.01, "%");
    pub(crate) const BYTES: Unit = unit(1.0, "bytes");
    pub(crate) const KB: Unit = unit(1e3, "kB");
    pub(crate) const MB: Unit = unit(1e6, "MB");
    pub(crate) const GB: Unit = unit(1e9, "GB");
    pub(crate) const KIB: Unit = unit(1024.0, "KiB");
    pub(crate) const MIB: Unit = unit(1_048_576.0, "MiB");
    pub(crate) const GIB: Unit = unit(1_073_741_824.0, "GiB");
    /// Pages of 4 KiB.
    pub(crate) const PAGES: Unit = unit(4096.0, "pages of 4 KiB");
    pub(crate) const BYTES_PER_SECOND: Unit = unit(1.0, "bytes/s");
    pub(crate) const KB_PER_SECOND: Unit = unit(1e3, "kB/s");
    pub(crate) const MB_PER_SECOND: Unit = unit(1e6, "MB/s");
    pub(crate) const KIB_PER_SECOND: Unit = unit(1024.0, "KiB/s");
    pub(crate) const MIB_PER_SECOND: Unit = unit(1_048_576.0, "MiB/s");
    /// Sectors of 512 bytes.
    pub(crate) const SECTORS_PER_SECOND: Unit = unit(512.0, "sectors of 512 bytes/s");
    pub(crate) const BITS_PER_SECOND: Unit = unit(0.125, "bits/s");
    pub(crate) const PER_SECOND: Unit = unit(1.0, "1/s");

    /// This unit, with every value multiplied by `factor` and called `name`.
    pub(crate) const fn times(self, factor: f64, name: &'static str) -> Unit {
        Unit { factor: self.factor * factor, scale: self.scale, name }
    }
}
