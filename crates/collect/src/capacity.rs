//! What this machine has to give.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::slice;
use std::time::Instant;

use cotrace_dataset::Node;
use cotrace_trace::Capacity;

use crate::Accounting;
use crate::procfs::{default_interface, parse_meminfo};

/// How much is written and read to measure the disk.
const SCRATCH_BYTES: usize = 1 << 30;
/// In blocks of this size.
const BLOCK_BYTES: usize = 4 << 20;

/// This machine, with its disk as measured by writing and reading a file in `folder`, page cache bypassed.
/// What can't be or isn't measured stays unknown.
pub(crate) fn this_node(folder: Option<&PathBuf>, accounting: &Accounting) -> Node {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpu_model = text("/proc/cpuinfo")
        .lines()
        .find_map(|line| Some(line.strip_prefix("model name")?.split_once(':')?.1.trim().to_owned()))
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    // SAFETY: sysconf has no preconditions.
    let cores = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    Node {
        capacity: Capacity {
            cores: (cores > 0).then_some(cores as f64),
            memory_bytes: parse_meminfo(&text("/proc/meminfo")).ok().map(|memory| memory.total),
            disk_bytes_per_second: folder.and_then(|folder| disk_throughput(folder).ok()).map(f64::round),
            network_bytes_per_second: network_throughput(),
        },
        cpu_model,
        kernel: text("/proc/sys/kernel/osrelease").trim().to_owned(),
        job_accounting: accounting.name().to_owned(),
        details: details(),
    }
}

/// The kernel's number for this boot.
pub(crate) fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// What tells one host from another of the same kind, as far as a guest can see it.
fn details() -> BTreeMap<String, String> {
    let text = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let cpuinfo = text("/proc/cpuinfo").unwrap_or_default();
    let cpu = |key: &str| {
        let value = cpuinfo.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim().to_owned())
        });
        (key.replace(' ', "_").to_lowercase(), value)
    };
    let mut details: Vec<(String, Option<String>)> =
        ["vendor_id", "cpu family", "model", "stepping", "microcode", "cpu MHz", "bogomips"].map(cpu).into();
    for index in 0..8 {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let file = |name: &str| text(&format!("{folder}/{name}"));
        if let (Some(level), Some(kind)) = (file("level"), file("type")) {
            details.push((format!("cache_l{level}_{}", kind.to_lowercase()), file("size")));
        }
    }
    for (name, path) in [
        ("hypervisor", "/sys/hypervisor/type"),
        ("system_vendor", "/sys/class/dmi/id/sys_vendor"),
        ("system_product", "/sys/class/dmi/id/product_name"),
        ("sched_autogroup", "/proc/sys/kernel/sched_autogroup_enabled"),
        ("huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled"),
    ] {
        details.push((name.to_owned(), text(path)));
    }
    details
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
        .collect()
}

/// Megabits per second of the interface of the default route, in bytes per second. A virtual one says -1 or nothing.
fn network_throughput() -> Option<f64> {
    let route = fs::read_to_string("/proc/net/route").ok()?;
    let interface = default_interface(&route)?;
    let speed: f64 =
        fs::read_to_string(format!("/sys/class/net/{interface}/speed")).ok()?.trim().parse().ok()?;
    (speed > 0.0).then_some(speed * 1e6 / 8.0)
}

/// The larger of sequential write and read, in bytes per second.
fn disk_throughput(folder: &Path) -> io::Result<f64> {
    let path = folder.join("disk-capacity.tmp");
    let measured = write_and_read(&path);
    let _ = fs::remove_file(&path);
    measured
}

fn write_and_read(path: &Path) -> io::Result<f64> {
    let mut block = vec![Page([0xa5; 4096]); BLOCK_BYTES / 4096];
    // SAFETY: the pages lie side by side, 4096 plain bytes each.
    let bytes = unsafe { slice::from_raw_parts_mut(block.as_mut_ptr().cast::<u8>(), BLOCK_BYTES) };
    // Not all the same, so that a disk that packs zeros does not shine.
    let mut state = 1u64;
    for byte in bytes.iter_mut() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (state >> 56) as u8;
    }
    let open = |options: &mut OpenOptions| options.custom_flags(libc::O_DIRECT).open(path);
    let throughput = |since: Instant| SCRATCH_BYTES as f64 / since.elapsed().as_secs_f64();

    let mut file = open(OpenOptions::new().write(true).create(true).truncate(true))?;
    let since = Instant::now();
    for _ in 0..SCRATCH_BYTES / BLOCK_BYTES {
        file.write_all(bytes)?;
    }
    file.sync_all()?;
    let write = throughput(since);

    let mut file = open(OpenOptions::new().read(true))?;
    let since = Instant::now();
    for _ in 0..SCRATCH_BYTES / BLOCK_BYTES {
        file.read_exact(bytes)?;
    }
    Ok(throughput(since).max(write))
}

/// Memory that direct I/O accepts.
#[derive(Clone)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);
