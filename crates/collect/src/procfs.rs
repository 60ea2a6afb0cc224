//! Reads the text of files under `/proc`. Every function here takes text, so that tests can write it themselves.

use std::collections::BTreeSet;

use crate::CollectError;

/// CPU time of the whole node since boot, in clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CpuTicks {
    /// In user code, niced or not. The kernel counts guests of virtual machines in here too.
    pub(crate) user: f64,
    /// In the kernel, with interrupts.
    pub(crate) system: f64,
    pub(crate) idle: f64,
    /// Idle with I/O outstanding.
    pub(crate) iowait: f64,
    /// Taken by the hypervisor.
    pub(crate) steal: f64,
    /// Context switches, counted.
    pub(crate) context_switches: f64,
}

impl CpuTicks {
    /// All time there was.
    pub(crate) fn total(&self) -> f64 {
        self.user + self.system + self.idle + self.iowait + self.steal
    }
}

fn wrong(file: &str, problem: impl Into<String>) -> CollectError {
    CollectError::Kernel { file: file.to_owned(), problem: problem.into() }
}

/// `/proc/stat`: the CPU time of all cores, or of the first `cores`, and `ctxt`, which is of all.
pub(crate) fn parse_stat(text: &str, cores: Option<u32>) -> Result<CpuTicks, CollectError> {
    let names = match cores {
        None => vec!["cpu".to_owned()],
        Some(count) => (0..count).map(|core| format!("cpu{core}")).collect(),
    };
    let mut fields = [0.0; 8];
    for name in names {
        let line = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(&name))
            .ok_or_else(|| wrong("/proc/stat", format!("has no line {name:?}")))?;
        let numbers: Vec<f64> =
            line.split_whitespace().skip(1).map_while(|field| field.parse().ok()).collect();
        if numbers.len() < 4 {
            return Err(wrong("/proc/stat", format!("line {line:?} has fewer than four numbers")));
        }
        fields.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    let field = |index: usize| fields[index];
    let context_switches =
        text.lines().find_map(|line| line.strip_prefix("ctxt ")?.trim().parse().ok()).unwrap_or(f64::NAN);
    Ok(CpuTicks {
        user: field(0) + field(1),
        system: field(2) + field(5) + field(6),
        idle: field(3),
        iowait: field(4),
        steal: field(7),
        context_switches,
    })
}

/// `/proc/zoneinfo`: free pages that wait in the processors' own lists. The kernel does not count them as free, and
/// after a large process has ended they can be some per cent of the memory, for minutes.
pub(crate) fn parse_listed_pages(text: &str) -> f64 {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("count:")?.trim().parse::<f64>().ok()).sum()
}

/// Memory of the node, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MemoryUse {
    pub(crate) total: f64,
    /// In use without the page cache. Files in memory (tmpfs) and shared memory can't be dropped, so they are here.
    pub(crate) used: f64,
    /// File contents and kernel objects that can be dropped.
    pub(crate) page_cache: f64,
}

/// `/proc/meminfo`.
pub(crate) fn parse_meminfo(text: &str) -> Result<MemoryUse, CollectError> {
    let kib = |key: &str| -> Option<f64> {
        let rest = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        rest.split_whitespace().next()?.parse().ok()
    };
    let need = |key: &str| kib(key).ok_or_else(|| wrong("/proc/meminfo", format!("has no number for {key}")));
    let total = need("MemTotal")?;
    let free = need("MemFree")?;
    let cache =
        need("Buffers")? + need("Cached")? + kib("SReclaimable").unwrap_or(0.0) - kib("Shmem").unwrap_or(0.0);
    let bytes = |kib: f64| kib.max(0.0) * 1024.0;
    Ok(MemoryUse { total: bytes(total), used: bytes(total - free - cache), page_cache: bytes(cache) })
}

/// `/proc/diskstats`: bytes read and written by the devices in `whole`, which must hold no partitions.
pub(crate) fn parse_diskstats(text: &str, whole: &BTreeSet<String>) -> (f64, f64) {
    // The kernel counts in sectors of 512 bytes here, whatever the device's own sector is.
    const SECTOR: f64 = 512.0;
    let (mut read, mut written) = (0.0, 0.0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if let [_, _, name, _, _, sectors_read, _, _, _, sectors_written, ..] = fields[..]
            && whole.contains(name)
        {
            read += sectors_read.parse::<f64>().unwrap_or(0.0) * SECTOR;
            written += sectors_written.parse::<f64>().unwrap_or(0.0) * SECTOR;
        }
    }
    (read, written)
}

/// Whether a block device called `name` is hardware whose traffic counts: no RAM disk, no loop device, and nothing
/// built on devices that are counted themselves (`has_slaves`).
pub(crate) fn counts_as_disk(name: &str, has_slaves: bool) -> bool {
    !has_slaves
        && !["loop", "ram", "zram", "sr", "fd"].iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

/// Bytes over the network since boot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NetworkBytes {
    pub(crate) received: f64,
    pub(crate) transmitted: f64,
    pub(crate) loopback: f64,
}

/// `/proc/net/dev`: bytes of the interfaces in `physical`, and of `lo`.
pub(crate) fn parse_net_dev(text: &str, physical: &BTreeSet<String>) -> NetworkBytes {
    let mut bytes = NetworkBytes::default();
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(':') else {
            continue;
        };
        let numbers: Vec<f64> = rest.split_whitespace().map_while(|field| field.parse().ok()).collect();
        let (Some(received), Some(transmitted)) = (numbers.first(), numbers.get(8)) else {
            continue;
        };
        match name.trim() {
            "lo" => bytes.loopback += received,
            name if physical.contains(name) => {
                bytes.received += received;
                bytes.transmitted += transmitted;
            }
            _ => {}
        }
    }
    bytes
}

/// `/proc/pressure/*`: seconds in which some task waited, since boot.
pub(crate) fn parse_pressure(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    let total: f64 = line.split_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()?;
    Some(total / 1e6)
}

/// `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ProcessStat {
    pub(crate) parent: i32,
    pub(crate) session: i32,
    /// Ticks since boot; with the pid it names a process for good.
    pub(crate) started: u64,
    /// Ticks in user code and in the kernel, with children that were waited for.
    pub(crate) user: f64,
    pub(crate) system: f64,
    /// The same for the process alone.
    pub(crate) own: f64,
}

/// `/proc/PID/stat`, whose second field may hold spaces and brackets.
pub(crate) fn parse_process_stat(text: &str) -> Option<ProcessStat> {
    let rest = &text[text.rfind(')')? + 1..];
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // `fields[0]` is the third field of the manual page, the state.
    let number = |index: usize| -> Option<f64> { fields.get(index - 3)?.parse().ok() };
    let (user, system) = (number(14)?, number(15)?);
    Some(ProcessStat {
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        user: user + number(16)?.max(0.0),
        system: system + number(17)?.max(0.0),
        own: user + system,
    })
}

/// The number after `key` in lines of `key number` or `key: number`.
pub(crate) fn keyed(text: &str, key: &str) -> Option<f64> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(key)?;
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        rest.starts_with([' ', '\t']).then(|| rest.split_whitespace().next()?.parse().ok())?
    })
}

/// cgroup v2's `io.stat`: bytes read and written over all devices in `whole`, given as `major:minor`.
pub(crate) fn parse_io_stat(text: &str, whole: &BTreeSet<String>) -> (f64, f64) {
    let (mut read, mut written) = (0.0, 0.0);
    for line in text.lines() {
        let mut fields = line.split_whitespace();
        if !fields.next().is_some_and(|device| whole.contains(device)) {
            continue;
        }
        for field in fields {
            match field.split_once('=') {
                Some(("rbytes", bytes)) => read += bytes.parse::<f64>().unwrap_or(0.0),
                Some(("wbytes", bytes)) => written += bytes.parse::<f64>().unwrap_or(0.0),
                _ => {}
            }
        }
    }
    (read, written)
}

/// The interface of the default route in `/proc/net/route`.
pub(crate) fn default_interface(text: &str) -> Option<&str> {
    text.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (fields.get(1) == Some(&"00000000") && fields.get(7) == Some(&"00000000")).then_some(fields[0])
    })
}

/// Own group's path in `/proc/self/cgroup`: of a version 1 controller, or of version 2 for `""`.
pub(crate) fn cgroup_path<'a>(text: &'a str, controller: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

/// Where `/proc/self/mounts` has a file system of type `kind` mounted with every option of `options`.
pub(crate) fn mount_point<'a>(text: &'a str, kind: &str, option: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, point, of_kind, options, ..] = fields[..] else {
            return None;
        };
        (of_kind == kind && (option.is_empty() || options.split(',').any(|name| name == option)))
            .then_some(point)
    })
}

#[cfg(test)]
mod tests;
