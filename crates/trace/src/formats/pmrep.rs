//! The CSV that `pmrep -o csv` and `pcp2csv` write: a header with the names of metrics, each with its instance
//! after a hyphen, and a row a sample.
//!
//! ```text
//! Time,"kernel.all.cpu.user","mem.util.free","disk.dev.read_bytes-sda"
//! 2026-11-30 21:21:38,,18856412,
//! 2026-11-30 21:21:39,648.895,18690104,83.857
//! ```
//!
//! Counters are rates per second already, and empty in the first row, which only says when the run began; `--raw`
//! writes the counters themselves. The file says no units: they are the metrics' own, milliseconds for CPU time and
//! KiB for memory and disks. Options may change them; where that shows the file is refused.

use super::table::Table;
use super::{Input, Recognition, clock};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace};

/// How many rows are looked at to tell counters from rates.
const LOOK_ROWS: usize = 50;
/// No machine has less memory.
const LEAST_MEMORY_KIB: f64 = 65_536.0;
/// No core has less time in a second, all it does and doesn't do together.
const LEAST_CPU_MS: f64 = 500.0;
/// What a core does and doesn't do.
const CPU_PARTS: [&str; 5] = [
    "kernel.all.cpu.user",
    "kernel.all.cpu.nice",
    "kernel.all.cpu.sys",
    "kernel.all.cpu.wait.total",
    "kernel.all.cpu.idle",
];

/// What is in a metric, and how it counts.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// It is what it is at the time.
    Instant,
    /// It counts up, and is printed as a rate unless the tool was told otherwise.
    Counter,
    /// It is worked out of counters, and a mean since the sample before.
    Mean,
}
use Kind::{Counter, Instant, Mean};

/// Milliseconds of CPU time in a second.
const CPU: Unit = Unit::CORES.times(1e-3, "ms/s");
const MICROSECONDS: Unit = Unit::ONE.times(1e-6, "microseconds/s");

/// Metrics by their names. Where two say the same, the first one there is taken.
const METRICS: &[(&str, Signal, Unit, Kind)] = &[
    ("kernel.all.cpu.user", Signal::User, CPU, Counter),
    ("kernel.all.cpu.nice", Signal::Nice, CPU, Counter),
    ("kernel.all.cpu.sys", Signal::System, CPU, Counter),
    ("kernel.all.cpu.irq.hard", Signal::Irq, CPU, Counter),
    ("kernel.all.cpu.irq.soft", Signal::SoftIrq, CPU, Counter),
    ("kernel.all.cpu.intr", Signal::Irq, CPU, Counter),
    ("kernel.all.cpu.wait.total", Signal::Iowait, CPU, Counter),
    ("kernel.all.cpu.steal", Signal::Steal, CPU, Counter),
    ("kernel.all.cpu.idle", Signal::Idle, CPU, Counter),
    ("kernel.percpu.cpu.user", Signal::User, CPU, Counter),
    ("kernel.percpu.cpu.nice", Signal::Nice, CPU, Counter),
    ("kernel.percpu.cpu.sys", Signal::System, CPU, Counter),
    ("kernel.percpu.cpu.irq.hard", Signal::Irq, CPU, Counter),
    ("kernel.percpu.cpu.irq.soft", Signal::SoftIrq, CPU, Counter),
    ("kernel.percpu.cpu.intr", Signal::Irq, CPU, Counter),
    ("kernel.percpu.cpu.wait.total", Signal::Iowait, CPU, Counter),
    ("kernel.percpu.cpu.steal", Signal::Steal, CPU, Counter),
    ("kernel.percpu.cpu.idle", Signal::Idle, CPU, Counter),
    ("kernel.cpu.util.user", Signal::User, Unit::PERCENT_OF_NODE, Mean),
    ("kernel.cpu.util.nice", Signal::Nice, Unit::PERCENT_OF_NODE, Mean),
    ("kernel.cpu.util.sys", Signal::System, Unit::PERCENT_OF_NODE, Mean),
    ("kernel.cpu.util.intr", Signal::Irq, Unit::PERCENT_OF_NODE, Mean),
    ("kernel.cpu.util.wait", Signal::Iowait, Unit::PERCENT_OF_NODE, Mean),
    ("kernel.cpu.util.steal", Signal::Steal, Unit::PERCENT_OF_NODE, Mean),
    ("kernel.cpu.util.idle", Signal::Idle, Unit::PERCENT_OF_NODE, Mean),
    ("kernel.all.pswitch", Signal::ContextSwitches, Unit::PER_SECOND, Counter),
    ("mem.physmem", Signal::MemoryTotal, Unit::KIB, Instant),
    ("mem.util.free", Signal::MemoryFree, Unit::KIB, Instant),
    ("mem.freemem", Signal::MemoryFree, Unit::KIB, Instant),
    ("mem.util.available", Signal::MemoryAvailable, Unit::KIB, Instant),
    ("mem.util.used", Signal::MemoryUsed, Unit::KIB, Instant),
    ("mem.util.cached", Signal::Cached, Unit::KIB, Instant),
    ("mem.util.bufmem", Signal::Buffers, Unit::KIB, Instant),
    ("mem.util.slabReclaimable", Signal::Reclaimable, Unit::KIB, Instant),
    ("disk.dev.read_bytes", Signal::DiskRead, Unit::KIB_PER_SECOND, Counter),
    ("disk.dev.write_bytes", Signal::DiskWrite, Unit::KIB_PER_SECOND, Counter),
    ("disk.all.read_bytes", Signal::DiskRead, Unit::KIB_PER_SECOND, Counter),
    ("disk.all.write_bytes", Signal::DiskWrite, Unit::KIB_PER_SECOND, Counter),
    ("network.interface.in.bytes", Signal::NetworkReceive, Unit::BYTES_PER_SECOND, Counter),
    ("network.interface.out.bytes", Signal::NetworkTransmit, Unit::BYTES_PER_SECOND, Counter),
    ("network.all.in.bytes", Signal::NetworkReceive, Unit::BYTES_PER_SECOND, Counter),
    ("network.all.out.bytes", Signal::NetworkTransmit, Unit::BYTES_PER_SECOND, Counter),
    ("kernel.all.pressure.cpu.some.total", Signal::CpuPressure, MICROSECONDS, Counter),
    ("kernel.all.pressure.io.some.total", Signal::IoPressure, MICROSECONDS, Counter),
    ("kernel.all.pressure.memory.some.total", Signal::MemoryPressure, MICROSECONDS, Counter),
];
/// The number of cores.
const CORES: &str = "hinv.ncpu";

/// The names at the start of a metric's.
const FAMILIES: &[&str] =
    &["kernel.", "mem.", "disk.", "network.", "hinv.", "proc.", "swap.", "filesys.", "cgroup."];

pub(crate) fn recognise(head: &str) -> Recognition {
    let header = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut names = header.split(char::from(delimiter(head))).map(|name| name.trim().trim_matches('"'));
    let is_metric = |name: &str| FAMILIES.iter().any(|family| name.starts_with(family));
    if names.next() == Some("Time") && names.any(is_metric) {
        Recognition::Yes
    } else {
        Recognition::No("the first line isn't Time and names such as kernel.all.cpu.user")
    }
}

/// What is between cells: what `-l` said.
fn delimiter(text: &str) -> u8 {
    let header = text.trim_start().trim_start_matches('"');
    let after = header.strip_prefix("Time").map(|rest| rest.strip_prefix('"').unwrap_or(rest));
    let delimiter = after.and_then(|rest| rest.bytes().next());
    delimiter.filter(|byte| matches!(byte, b';' | b'\t' | b'|')).unwrap_or(b',')
}

/// A column whose values are used.
struct Column {
    index: usize,
    metric: usize,
    device: Option<String>,
    field: FieldId,
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut table = Table::open_with(input.file, input.text, 1, delimiter(input.text))?;
    if !matches!(recognise(&format!("{}\n", table.header.join(","))), Recognition::Yes) {
        return Err(ReadError::new(
            ReadErrorKind::BadHeader,
            input.file,
            "no columns Time and kernel.all.cpu.user or the like",
        )
        .at_line(table.header_line)
        .seeing(&table.header.join(",")));
    }
    let mut found: Vec<(usize, usize, Option<String>)> = Vec::new();
    for (index, name) in table.header.iter().enumerate().skip(1) {
        let (name, device) = split(name);
        if let Some(metric) = METRICS.iter().position(|metric| metric.0 == name) {
            found.push((metric, index, device.map(str::to_owned)));
        }
    }
    // In the order of the metrics, so that the better of two that say the same comes first.
    found.sort_by_key(|(metric, index, _)| (*metric, *index));
    let cores = table.column(CORES);
    let look = look(input, &found)?;

    let mut recorder = Recorder::new(input.file, input.text, options);
    let columns: Vec<Column> = found
        .into_iter()
        .map(|(metric, index, device)| {
            let (name, signal, unit, kind) = METRICS[metric];
            let counts = kind == Counter && look.is_raw;
            let field = if counts {
                recorder.counter(signal, name, unit)
            } else {
                recorder.field(signal, name, unit)
            };
            Column { index, metric, device, field }
        })
        .collect();
    let cpus = columns.iter().filter(|column| METRICS[column.metric].0 == "kernel.percpu.cpu.user").count();
    if cpus > 0 && cores.is_none() {
        recorder.cores(cpus as f64);
    }
    while table.next_row()? {
        let cell = table.cell(0);
        // A file that was written on with has its header again.
        if cell == "Time" {
            continue;
        }
        let stamp = clock::stamp(cell).ok_or_else(|| {
            ReadError::new(ReadErrorKind::BadTime, input.file, "expected a time such as 2024-05-01 13:05:09")
                .at_line(table.line())
                .in_column("Time")
                .seeing(cell)
        })?;
        if let Some(index) = cores {
            recorder.cores(table.raw_number(index)?);
        }
        let is_first = recorder.samples() == 0;
        if is_first && !look.is_raw && has_no_rates(&table, &columns) {
            recorder.start(stamp);
            continue;
        }
        recorder.sample(table.line(), stamp, cell);
        for column in &columns {
            let value = table.raw_number(column.index)?;
            match &column.device {
                Some(device) => recorder.put_of(column.field, device, value),
                None => recorder.put(column.field, value),
            }
        }
    }
    if table.cut_off {
        recorder.warnings.push(table.cut_off_warning());
    }
    recorder.finish()
}

/// A metric's name and its instance: `disk.dev.read_bytes-sda`, `disk.dev.read_bytes[sda]`.
fn split(name: &str) -> (&str, Option<&str>) {
    if let Some((name, instance)) = name.split_once('-') {
        return (name, Some(instance));
    }
    match name.split_once('[').and_then(|(name, rest)| Some((name, rest.strip_suffix(']')?))) {
        Some((name, instance)) => (name, Some(instance.trim_matches(['"', '\'']))),
        None => (name, None),
    }
}

/// Whether a row has nothing in the columns that are rates, of which there are some.
fn has_no_rates(table: &Table, columns: &[Column]) -> bool {
    let mut rates = columns.iter().filter(|column| METRICS[column.metric].3 != Instant).peekable();
    rates.peek().is_some() && rates.all(|column| table.cell(column.index).is_empty())
}

/// What only figures tell.
struct Look {
    /// Counters are counters, not rates.
    is_raw: bool,
}

/// Looks at the first rows. An error if figures can't be in the units of their metrics.
fn look(input: &Input, found: &[(usize, usize, Option<String>)]) -> Result<Look, ReadError> {
    let mut table = Table::open_with(input.file, input.text, 1, delimiter(input.text))?;
    let counters: Vec<usize> = found
        .iter()
        .filter(|(metric, ..)| METRICS[*metric].3 == Counter)
        .map(|(_, index, _)| *index)
        .collect();
    let mut before = vec![f64::NEG_INFINITY; counters.len()];
    let (mut rows, mut rises, mut falls) = (0, false, false);
    let cpu: Vec<usize> = CPU_PARTS.iter().filter_map(|name| table.column(name)).collect();
    let memory = table.column("mem.physmem");
    let mut most_cpu = f64::NAN;
    // What is wrong with a row is said when it is read.
    while rows < LOOK_ROWS && table.next_row().unwrap_or(false) {
        rows += 1;
        let value = |index: usize| table.raw_number(index).unwrap_or(f64::NAN);
        for (before, index) in before.iter_mut().zip(&counters) {
            let value = value(*index);
            if value.is_nan() {
                // Counters are there from the first row on.
                falls |= rows == 1;
                continue;
            }
            rises |= value > *before && before.is_finite();
            falls |= value < *before;
            *before = value;
        }
        if let Some(index) = memory.filter(|index| value(*index) < LEAST_MEMORY_KIB) {
            return Err(other_units(&table, index, input.file)
                .at_line(table.line())
                .seeing(table.cell(index)));
        }
        most_cpu = most_cpu.max(cpu.iter().map(|index| value(*index)).sum());
    }
    if most_cpu < LEAST_CPU_MS && cpu.len() == CPU_PARTS.len() {
        return Err(other_units(&table, cpu[0], input.file));
    }
    Ok(Look { is_raw: rises && !falls && rows > 1 })
}

fn other_units(table: &Table, index: usize, file: &str) -> ReadError {
    ReadError::new(ReadErrorKind::BadNumber, file, "the figures are not in the metric's own unit")
        .at_line(table.header_line)
        .in_column(table.header.get(index).map_or("", String::as_str))
        .hinting("Record without the options -b, -B, -q, -Q, -y and -Y.")
}
