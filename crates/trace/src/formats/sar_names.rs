//! The names that sysstat's tools give to what they measure.

use crate::record::{Scale, Signal, Unit};

/// Names of sar, by signal. Where a report has two names for the same, the first of this list is taken.
const NAMES: &[(&str, Signal, Unit)] = &[
    ("%user", Signal::User, Unit::PERCENT_OF_NODE),
    ("%usr", Signal::User, Unit::PERCENT_OF_NODE),
    ("%nice", Signal::Nice, Unit::PERCENT_OF_NODE),
    ("%guest", Signal::Guest, Unit::PERCENT_OF_NODE),
    ("%gnice", Signal::GuestNice, Unit::PERCENT_OF_NODE),
    ("%system", Signal::System, Unit::PERCENT_OF_NODE),
    ("%sys", Signal::System, Unit::PERCENT_OF_NODE),
    ("%irq", Signal::Irq, Unit::PERCENT_OF_NODE),
    ("%soft", Signal::SoftIrq, Unit::PERCENT_OF_NODE),
    ("%iowait", Signal::Iowait, Unit::PERCENT_OF_NODE),
    ("%steal", Signal::Steal, Unit::PERCENT_OF_NODE),
    ("%idle", Signal::Idle, Unit::PERCENT_OF_NODE),
    ("rd_sec/s", Signal::DiskRead, Unit::SECTORS_PER_SECOND),
    ("rkB/s", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("bread/s", Signal::DiskRead, Unit::SECTORS_PER_SECOND),
    ("wr_sec/s", Signal::DiskWrite, Unit::SECTORS_PER_SECOND),
    ("wkB/s", Signal::DiskWrite, Unit::KIB_PER_SECOND),
    ("bwrtn/s", Signal::DiskWrite, Unit::SECTORS_PER_SECOND),
    ("rxkB/s", Signal::NetworkReceive, Unit::KIB_PER_SECOND),
    ("txkB/s", Signal::NetworkTransmit, Unit::KIB_PER_SECOND),
    ("rxbyt/s", Signal::NetworkReceive, Unit::BYTES_PER_SECOND),
    ("txbyt/s", Signal::NetworkTransmit, Unit::BYTES_PER_SECOND),
    ("kbmemfree", Signal::MemoryFree, Unit::KIB),
    ("kbavail", Signal::MemoryAvailable, Unit::KIB),
    ("kbmemused", Signal::MemoryUsed, Unit::KIB),
    ("%memused", Signal::MemoryUsedShare, Unit::PERCENT),
    ("kbbuffers", Signal::Buffers, Unit::KIB),
    ("kbcached", Signal::Cached, Unit::KIB),
    ("cswch/s", Signal::ContextSwitches, Unit::PER_SECOND),
    // Pressure since the sample before, not the kernel's means over 10, 60 and 300 s.
    ("%scpu", Signal::CpuPressure, Unit::PERCENT),
    ("%sio", Signal::IoPressure, Unit::PERCENT),
    ("%smem", Signal::MemoryPressure, Unit::PERCENT),
];

/// Whether a figure is a share of the processors' time.
pub(crate) fn is_cpu(name: &str) -> bool {
    signal(name).is_some_and(|(_, unit)| unit.scale == Scale::OfNode)
}

/// The signal that sar calls `name`, and its unit. `None`: nothing that Cotrace uses.
pub(crate) fn signal(name: &str) -> Option<(Signal, Unit)> {
    NAMES.iter().find(|(known, ..)| *known == name).map(|(_, signal, unit)| (*signal, *unit))
}
