//! What a node has to give.

use serde::{Deserialize, Serialize};

/// One of the four things jobs on a node compete for that have a capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// Processor cores.
    Cpu,
    /// Main memory.
    Memory,
    /// Block devices, reads and writes together.
    Disk,
    /// The network, each direction for itself.
    Network,
}

/// The capacity of a node. `None` means unknown, which is not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Logical processors.
    pub cores: Option<f64>,
    /// Main memory in bytes.
    pub memory_bytes: Option<f64>,
    /// Sequential throughput of the disks in bytes per second.
    pub disk_bytes_per_second: Option<f64>,
    /// Network throughput in bytes per second and direction.
    pub network_bytes_per_second: Option<f64>,
}

impl Capacity {
    /// This capacity, with what it does not know taken from `other`.
    #[must_use]
    pub fn or(self, other: Capacity) -> Capacity {
        Capacity {
            cores: self.cores.or(other.cores),
            memory_bytes: self.memory_bytes.or(other.memory_bytes),
            disk_bytes_per_second: self.disk_bytes_per_second.or(other.disk_bytes_per_second),
            network_bytes_per_second: self.network_bytes_per_second.or(other.network_bytes_per_second),
        }
    }
}
