//! The units that a table's figures can be in, by the names that a person can choose.

use crate::Metric;
use crate::record::{Signal, Unit};

/// What a figure in some unit is to the recorder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Conversion {
    pub(crate) signal: Signal,
    pub(crate) unit: Unit,
    /// Whether it counts up from some start.
    pub(crate) is_counter: bool,
}

/// Other things than the metric itself from which it follows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// The metric itself.
    It,
    /// The metric itself, counted up.
    Counter,
    /// CPU that was not used.
    Idle,
    /// Memory that programs could still get.
    Available,
    /// Memory of the node.
    Total,
    /// The share of the node's memory in use.
    MemoryShare,
}

type Row = (&'static str, Unit, Of);

const GB_PER_SECOND: Unit = Unit::GB.times(1.0, "GB/s");
const GIB_PER_SECOND: Unit = Unit::GIB.times(1.0, "GiB/s");

/// For CPU and, but for the idle ones at the end, its parts.
const CPU: [Row; 13] = [
    ("cores", Unit::CORES, Of::It),
    ("% of the node", Unit::PERCENT_OF_NODE, Of::It),
    ("% of a core", Unit::PERCENT_OF_CORE, Of::It),
    ("share of the node", Unit::SHARE_OF_NODE, Of::It),
    ("millicores", Unit::MILLICORES, Of::It),
    ("nanocores", Unit::CORES.times(1e-9, "nanocores"), Of::It),
    ("CPU seconds, counted up", Unit::CORES.times(1.0, "CPU seconds"), Of::Counter),
    ("CPU milliseconds, counted up", Unit::CORES.times(1e-3, "CPU milliseconds"), Of::Counter),
    ("CPU microseconds, counted up", Unit::CORES.times(1e-6, "CPU microseconds"), Of::Counter),
    ("CPU nanoseconds, counted up", Unit::CORES.times(1e-9, "CPU nanoseconds"), Of::Counter),
    ("ticks of 10 ms, counted up", Unit::CORES.times(1e-2, "ticks of 10 ms"), Of::Counter),
    ("% of the node idle", Unit::PERCENT_OF_NODE, Of::Idle),
    ("share of the node idle", Unit::SHARE_OF_NODE, Of::Idle),
];

/// For memory and, up to the pages, other amounts of bytes.
const BYTES: [Row; 23] = [
    ("bytes", Unit::BYTES, Of::It),
    ("kB", Unit::KB, Of::It),
    ("KiB", Unit::KIB, Of::It),
    ("MB", Unit::MB, Of::It),
    ("MiB", Unit::MIB, Of::It),
    ("GB", Unit::GB, Of::It),
    ("GiB", Unit::GIB, Of::It),
    ("pages of 4 KiB", Unit::PAGES, Of::It),
    ("% of all memory", Unit::PERCENT, Of::MemoryShare),
    ("bytes available", Unit::BYTES, Of::Available),
    ("kB available", Unit::KB, Of::Available),
    ("KiB available", Unit::KIB, Of::Available),
    ("MB available", Unit::MB, Of::Available),
    ("MiB available", Unit::MIB, Of::Available),
    ("GB available", Unit::GB, Of::Available),
    ("GiB available", Unit::GIB, Of::Available),
    ("bytes in all", Unit::BYTES, Of::Total),
    ("kB in all", Unit::KB, Of::Total),
    ("KiB in all", Unit::KIB, Of::Total),
    ("MB in all", Unit::MB, Of::Total),
    ("MiB in all", Unit::MIB, Of::Total),
    ("GB in all", Unit::GB, Of::Total),
    ("GiB in all", Unit::GIB, Of::Total),
];
/// How many of them are no matter of memory.
const PLAIN_BYTES: usize = 8;

const RATES: [Row; 22] = [
    ("bytes/s", Unit::BYTES_PER_SECOND, Of::It),
    ("kB/s", Unit::KB_PER_SECOND, Of::It),
    ("KiB/s", Unit::KIB_PER_SECOND, Of::It),
    ("MB/s", Unit::MB_PER_SECOND, Of::It),
    ("MiB/s", Unit::MIB_PER_SECOND, Of::It),
    ("GB/s", GB_PER_SECOND, Of::It),
    ("GiB/s", GIB_PER_SECOND, Of::It),
    ("bits/s", Unit::BITS_PER_SECOND, Of::It),
    ("kbit/s", Unit::BITS_PER_SECOND.times(1e3, "kbit/s"), Of::It),
    ("Mbit/s", Unit::BITS_PER_SECOND.times(1e6, "Mbit/s"), Of::It),
    ("Gbit/s", Unit::BITS_PER_SECOND.times(1e9, "Gbit/s"), Of::It),
    ("sectors/s", Unit::SECTORS_PER_SECOND, Of::It),
    ("bytes, counted up", Unit::BYTES, Of::Counter),
    ("kB, counted up", Unit::KB, Of::Counter),
    ("KiB, counted up", Unit::KIB, Of::Counter),
    ("MB, counted up", Unit::MB, Of::Counter),
    ("MiB, counted up", Unit::MIB, Of::Counter),
    ("GB, counted up", Unit::GB, Of::Counter),
    ("GiB, counted up", Unit::GIB, Of::Counter),
    ("bits, counted up", Unit::BITS_PER_SECOND.times(1.0, "bits"), Of::Counter),
    ("sectors, counted up", Unit::SECTORS_PER_SECOND.times(1.0, "sectors of 512 bytes"), Of::Counter),
    ("pages of 4 KiB, counted up", Unit::PAGES, Of::Counter),
];

const EVENTS: [Row; 2] = [("1/s", Unit::PER_SECOND, Of::It), ("counted up", Unit::ONE, Of::Counter)];

const PRESSURE: [Row; 3] = [
    ("ratio", Unit::ONE, Of::It),
    ("%", Unit::PERCENT, Of::It),
    ("microseconds, counted up", Unit::ONE.times(1e-6, "microseconds"), Of::Counter),
];

const POWER: [Row; 5] = [
    ("watts", Unit::ONE, Of::It),
    ("milliwatts", Unit::ONE.times(1e-3, "milliwatts"), Of::It),
    ("kilowatts", Unit::ONE.times(1e3, "kilowatts"), Of::It),
    ("joules, counted up", Unit::ONE.times(1.0, "joules"), Of::Counter),
    ("microjoules, counted up", Unit::ONE.times(1e-6, "microjoules"), Of::Counter),
];

const fn names<const N: usize>(rows: &[Row; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = rows[index].0;
        index += 1;
    }
    names
}

static CPU_NAMES: [&str; 13] = names(&CPU);
static BYTES_NAMES: [&str; 23] = names(&BYTES);
static RATE_NAMES: [&str; 22] = names(&RATES);
static EVENT_NAMES: [&str; 2] = names(&EVENTS);
static PRESSURE_NAMES: [&str; 3] = names(&PRESSURE);
static POWER_NAMES: [&str; 5] = names(&POWER);

/// The units of a metric and the same by their names.
fn table(metric: Metric) -> (&'static [Row], &'static [&'static str]) {
    match metric {
        Metric::CpuCores => (&CPU, &CPU_NAMES),
        Metric::CpuUserCores | Metric::CpuSystemCores | Metric::CpuIowaitCores => {
            (&CPU[..CPU.len() - 2], &CPU_NAMES[..CPU.len() - 2])
        }
        Metric::MemoryBytes => (&BYTES, &BYTES_NAMES),
        Metric::PageCacheBytes | Metric::CacheOccupancyBytes => {
            (&BYTES[..PLAIN_BYTES], &BYTES_NAMES[..PLAIN_BYTES])
        }
        Metric::DiskReadBytesPerSecond
        | Metric::DiskWriteBytesPerSecond
        | Metric::NetworkReceiveBytesPerSecond
        | Metric::NetworkTransmitBytesPerSecond
        | Metric::LoopbackBytesPerSecond
        | Metric::MemoryBandwidthBytesPerSecond => (&RATES, &RATE_NAMES),
        Metric::PowerWatts => (&POWER, &POWER_NAMES),
        Metric::ContextSwitchesPerSecond => (&EVENTS, &EVENT_NAMES),
        Metric::CpuPressureRatio | Metric::IoPressureRatio | Metric::MemoryPressureRatio => {
            (&PRESSURE, &PRESSURE_NAMES)
        }
    }
}

/// The names of the units that `metric` can be in; the metric's own is the first.
pub(super) fn names_of(metric: Metric) -> &'static [&'static str] {
    table(metric).1
}

/// The unit's name as it is written here, for one written in other case.
pub(super) fn find(names: &'static [&'static str], name: &str) -> Option<&'static str> {
    let name = name.trim();
    let exact = names.iter().find(|known| **known == name);
    let alike = || {
        // `mb` could be two of them: only case that makes no difference is overlooked.
        let mut alike = names.iter().filter(|known| known.eq_ignore_ascii_case(name));
        alike.next().filter(|_| alike.next().is_none())
    };
    exact.or_else(alike).copied()
}

/// What a figure of `metric` in the unit called `name` is. `None`: no such unit.
pub(crate) fn conversion(metric: Metric, name: &str) -> Option<Conversion> {
    let (_, unit, of) = table(metric).0.iter().find(|row| row.0 == name)?;
    let signal = match of {
        Of::It | Of::Counter => signal(metric),
        Of::Idle => Signal::Idle,
        Of::Available => Signal::MemoryAvailable,
        Of::Total => Signal::MemoryTotal,
        Of::MemoryShare => Signal::MemoryShareWithoutCache,
    };
    Some(Conversion { signal, unit: *unit, is_counter: *of == Of::Counter })
}

fn signal(metric: Metric) -> Signal {
    match metric {
        Metric::CpuCores => Signal::Busy,
        Metric::CpuUserCores => Signal::User,
        Metric::CpuSystemCores => Signal::System,
        Metric::CpuIowaitCores => Signal::Iowait,
        Metric::MemoryBytes => Signal::MemoryUsedWithoutCache,
        Metric::PageCacheBytes => Signal::Cached,
        Metric::DiskReadBytesPerSecond => Signal::DiskRead,
        Metric::DiskWriteBytesPerSecond => Signal::DiskWrite,
        Metric::NetworkReceiveBytesPerSecond => Signal::NetworkReceive,
        Metric::NetworkTransmitBytesPerSecond => Signal::NetworkTransmit,
        Metric::LoopbackBytesPerSecond => Signal::Loopback,
        Metric::MemoryBandwidthBytesPerSecond => Signal::MemoryBandwidth,
        Metric::PowerWatts => Signal::Power,
        Metric::CacheOccupancyBytes => Signal::CacheOccupancy,
        Metric::ContextSwitchesPerSecond => Signal::ContextSwitches,
        Metric::CpuPressureRatio => Signal::CpuPressure,
        Metric::IoPressureRatio => Signal::IoPressure,
        Metric::MemoryPressureRatio => Signal::MemoryPressure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_of_each_metric_is_known_by_its_name() {
        for &metric in Metric::ALL {
            let names = names_of(metric);
            assert_eq!(names.first().copied(), Some(metric.unit()), "{metric:?}");
            for name in names {
                assert!(conversion(metric, name).is_some(), "{metric:?} {name}");
                assert_eq!(find(names, name), Some(*name));
                assert_eq!(names.iter().filter(|other| other == &name).count(), 1, "{metric:?} {name}");
            }
            assert_eq!(conversion(metric, "furlongs"), None);
        }
    }

    #[test]
    fn units_are_what_they_are_called() {
        use Metric as M;
        let cases = [
            (M::CpuCores, "% of a core", Signal::Busy, 0.01, false),
            (M::CpuCores, "millicores", Signal::Busy, 1e-3, false),
            (M::CpuCores, "CPU nanoseconds, counted up", Signal::Busy, 1e-9, true),
            (M::CpuCores, "% of the node idle", Signal::Idle, 0.01, false),
            (M::MemoryBytes, "GiB", Signal::MemoryUsedWithoutCache, 1024.0 * 1024.0 * 1024.0, false),
            (M::MemoryBytes, "MB available", Signal::MemoryAvailable, 1e6, false),
            (M::MemoryBytes, "KiB in all", Signal::MemoryTotal, 1024.0, false),
            (M::DiskReadBytesPerSecond, "sectors/s", Signal::DiskRead, 512.0, false),
            (M::NetworkReceiveBytesPerSecond, "Mbit/s", Signal::NetworkReceive, 125_000.0, false),
            (M::NetworkTransmitBytesPerSecond, "kB, counted up", Signal::NetworkTransmit, 1000.0, true),
            (M::PowerWatts, "joules, counted up", Signal::Power, 1.0, true),
        ];
        for (metric, name, signal, factor, is_counter) in cases {
            let found = conversion(metric, name).unwrap();
            assert_eq!((found.signal, found.is_counter), (signal, is_counter), "{name}");
            assert!((found.unit.factor / factor - 1.0).abs() < 1e-12, "{name}: {}", found.unit.factor);
        }
        assert_eq!(conversion(M::CpuUserCores, "% of the node idle"), None);
        assert_eq!(find(names_of(M::MemoryBytes), "mib"), Some("MiB"));
        assert_eq!(find(names_of(M::MemoryBytes), "Bytes"), Some("bytes"));
    }
}
