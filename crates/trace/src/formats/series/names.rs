//! The metrics of Prometheus' exporters, by their names.

use crate::record::{Signal, Unit};

/// Whose a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Node,
    Container,
    Process,
}

/// What a metric is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Signal(Signal, Unit),
    /// The number of cores.
    Cores,
    /// The most memory it may have.
    MemoryLimit,
}

/// A metric that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) family: Family,
    pub(super) kind: Kind,
    pub(super) is_counter: bool,
    /// The number of cores that its values give away.
    pub(super) cores: Option<f64>,
}

impl Known {
    pub(super) fn new(family: Family, signal: Signal, unit: Unit, is_counter: bool) -> Known {
        Known { family, kind: Kind::Signal(signal, unit), is_counter, cores: None }
    }

    pub(super) fn signal(&self) -> Option<Signal> {
        if let Kind::Signal(signal, _) = self.kind { Some(signal) } else { None }
    }

    pub(super) fn is_cpu(&self) -> bool {
        matches!(
            self.signal(),
            Some(
                Signal::User
                    | Signal::Nice
                    | Signal::System
                    | Signal::Irq
                    | Signal::SoftIrq
                    | Signal::Iowait
                    | Signal::Steal
                    | Signal::Idle
            )
        )
    }

    /// Whether it speaks of the machine below all containers.
    pub(super) fn is_of_all(&self) -> bool {
        self.family == Family::Container
            && matches!(self.kind, Kind::Cores | Kind::Signal(Signal::MemoryTotal, _))
    }
}

use Family::{Container, Node, Process};

/// Names of counters, without `_total`, with what they count.
const COUNTERS: &[(&str, Family, Signal, Unit)] = &[
    ("node_disk_read_bytes", Node, Signal::DiskRead, Unit::BYTES),
    ("node_disk_bytes_read", Node, Signal::DiskRead, Unit::BYTES),
    ("node_disk_written_bytes", Node, Signal::DiskWrite, Unit::BYTES),
    ("node_disk_bytes_written", Node, Signal::DiskWrite, Unit::BYTES),
    ("node_network_receive_bytes", Node, Signal::NetworkReceive, Unit::BYTES),
    ("node_network_receive_bytes_excluding_lo", Node, Signal::NetworkReceive, Unit::BYTES),
    ("node_network_transmit_bytes", Node, Signal::NetworkTransmit, Unit::BYTES),
    ("node_network_transmit_bytes_excluding_lo", Node, Signal::NetworkTransmit, Unit::BYTES),
    ("node_context_switches", Node, Signal::ContextSwitches, Unit::PER_SECOND),
    ("node_pressure_cpu_waiting_seconds", Node, Signal::CpuPressure, Unit::ONE),
    ("node_pressure_io_waiting_seconds", Node, Signal::IoPressure, Unit::ONE),
    ("node_pressure_memory_waiting_seconds", Node, Signal::MemoryPressure, Unit::ONE),
    ("container_cpu_usage_seconds", Container, Signal::Busy, Unit::CORES),
    ("container_cpu_user_seconds", Container, Signal::User, Unit::CORES),
    ("container_cpu_system_seconds", Container, Signal::System, Unit::CORES),
    ("container_fs_reads_bytes", Container, Signal::DiskRead, Unit::BYTES),
    ("container_fs_writes_bytes", Container, Signal::DiskWrite, Unit::BYTES),
    ("container_network_receive_bytes", Container, Signal::NetworkReceive, Unit::BYTES),
    ("container_network_transmit_bytes", Container, Signal::NetworkTransmit, Unit::BYTES),
    ("container_pressure_cpu_waiting_seconds", Container, Signal::CpuPressure, Unit::ONE),
    ("container_pressure_io_waiting_seconds", Container, Signal::IoPressure, Unit::ONE),
    ("container_pressure_memory_waiting_seconds", Container, Signal::MemoryPressure, Unit::ONE),
    ("process_cpu_seconds", Process, Signal::Busy, Unit::CORES),
    ("namedprocess_namegroup_read_bytes", Process, Signal::DiskRead, Unit::BYTES),
    ("namedprocess_namegroup_write_bytes", Process, Signal::DiskWrite, Unit::BYTES),
];

/// Names of values that are what they are.
const GAUGES: &[(&str, Family, Signal)] = &[
    ("node_memory_MemTotal", Node, Signal::MemoryTotal),
    ("node_memory_MemFree", Node, Signal::MemoryFree),
    ("node_memory_MemAvailable", Node, Signal::MemoryAvailable),
    ("node_memory_Buffers", Node, Signal::Buffers),
    ("node_memory_Cached", Node, Signal::Cached),
    ("node_memory_SReclaimable", Node, Signal::Reclaimable),
    ("container_memory_working_set", Container, Signal::MemoryUsedWithoutCache),
    ("container_memory_cache", Container, Signal::Cached),
    ("machine_memory", Container, Signal::MemoryTotal),
    ("process_resident_memory", Process, Signal::MemoryUsedWithoutCache),
];

/// What the metric called `name` is, with the labels that `label` gives.
pub(super) fn known<'a>(name: &str, label: impl Fn(&str) -> Option<&'a str>) -> Option<Known> {
    // A recording rule is called level:metric:operations.
    let (name, operations) = match name.split_once(':') {
        Some((_, rest)) => rest.split_once(':').unwrap_or((rest, "")),
        None => (name, ""),
    };
    let is_rate = ["rate", "irate"].iter().any(|operation| operations.contains(operation));
    let is_counter = operations.is_empty();
    if !is_counter && !is_rate && name != "node_num_cpu" {
        return None;
    }
    let plain = name.strip_suffix("_total").unwrap_or(name);
    let kind = |family, kind| Some(Known { family, kind, is_counter: false, cores: None });
    match plain {
        "node_cpu_seconds" | "node_cpu" => {
            return Some(Known::new(Node, mode(label("mode")?)?, Unit::CORES, is_counter));
        }
        "node_cpu_utilisation" | "node_cpu_utilization" if is_rate => {
            return Some(Known::new(Node, Signal::Busy, Unit::SHARE_OF_NODE, false));
        }
        "namedprocess_namegroup_cpu_seconds" => {
            let signal = match label("mode") {
                Some(text) => mode(text)?,
                None => Signal::Busy,
            };
            return Some(Known::new(Process, signal, Unit::CORES, is_counter));
        }
        "namedprocess_namegroup_memory_bytes" => {
            let resident = label("memtype") == Some("resident");
            let signal = Signal::MemoryUsedWithoutCache;
            return resident.then(|| Known::new(Process, signal, Unit::BYTES, false));
        }
        "machine_cpu_cores" => return kind(Container, Kind::Cores),
        "node_num_cpu" => return kind(Node, Kind::Cores),
        "container_spec_memory_limit_bytes" => return kind(Container, Kind::MemoryLimit),
        _ => {}
    }
    if let Some((_, family, signal, unit)) = COUNTERS.iter().find(|(known, ..)| *known == plain) {
        return Some(Known::new(*family, *signal, *unit, is_counter)).map(|mut known| {
            if let (false, Kind::Signal(signal, Unit::BYTES)) = (is_counter, known.kind) {
                known.kind = Kind::Signal(signal, Unit::BYTES_PER_SECOND);
            }
            known
        });
    }
    let plain = name.strip_suffix("_bytes").unwrap_or(name);
    let (_, family, signal) = GAUGES.iter().find(|(known, ..)| *known == plain)?;
    Some(Known::new(*family, *signal, Unit::BYTES, false))
}

/// The kind of time that a CPU spent. Guests are in user time already.
pub(super) fn mode(mode: &str) -> Option<Signal> {
    Some(match mode {
        "user" => Signal::User,
        "nice" => Signal::Nice,
        "system" => Signal::System,
        "irq" => Signal::Irq,
        "softirq" => Signal::SoftIrq,
        "iowait" => Signal::Iowait,
        "steal" => Signal::Steal,
        "idle" => Signal::Idle,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known() {
        let of = |family, signal, unit, counter| Some(Known::new(family, signal, unit, counter));
        let cases = [
            ("node_cpu_seconds_total", of(Node, Signal::Idle, Unit::CORES, true)),
            ("node_cpu", of(Node, Signal::Idle, Unit::CORES, true)),
            ("node_disk_written_bytes_total", of(Node, Signal::DiskWrite, Unit::BYTES, true)),
            ("node_memory_MemFree_bytes", of(Node, Signal::MemoryFree, Unit::BYTES, false)),
            ("node_memory_MemFree", of(Node, Signal::MemoryFree, Unit::BYTES, false)),
            ("instance:node_cpu_utilisation:rate5m", of(Node, Signal::Busy, Unit::SHARE_OF_NODE, false)),
            (
                "instance:node_network_receive_bytes_excluding_lo:rate5m",
                of(Node, Signal::NetworkReceive, Unit::BYTES_PER_SECOND, false),
            ),
            (
                "node_namespace_pod_container:container_cpu_usage_seconds_total:sum_irate",
                of(Container, Signal::Busy, Unit::CORES, false),
            ),
            ("instance:node_memory_utilisation:ratio", None),
            ("node_load1", None),
            ("container_memory_usage_bytes", None),
            ("", None),
            (":", None),
        ];
        for (name, wanted) in cases {
            assert_eq!(known(name, |key| (key == "mode").then_some("idle")), wanted, "{name}");
        }
        assert_eq!(known("node_cpu_seconds_total", |_| None), None);
        assert_eq!(known("instance:node_num_cpu:sum", |_| None).map(|known| known.kind), Some(Kind::Cores));
    }
}
