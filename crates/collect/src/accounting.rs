//! Tells jobs apart: a control group for each where one can be made, else its process tree.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::CollectError;
use crate::procfs::{cgroup_path, keyed, mount_point, parse_io_stat};
use crate::tree::{ProcessSums, Tree};

/// How jobs are told apart on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accounting {
    /// A version 2 control group per job, made in this folder.
    CgroupV2 {
        /// Where groups are made.
        parent: PathBuf,
    },
    /// A version 1 control group per job in two hierarchies.
    CgroupV1 {
        /// Where groups for CPU time are made.
        cpuacct: PathBuf,
        /// Where groups for memory are made.
        memory: PathBuf,
    },
    /// The job's processes, found through `/proc`.
    ProcessTree,
}

impl Accounting {
    /// The best way that works here. Tries each by running `true` in a new group.
    pub fn detect() -> Accounting {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        Accounting::candidates(&own, &mounts)
            .into_iter()
            .find(|candidate| candidate.works().is_ok())
            .unwrap_or(Accounting::ProcessTree)
    }

    /// What to try, best first, from the texts of `/proc/self/cgroup` and `/proc/self/mounts`.
    fn candidates(own: &str, mounts: &str) -> Vec<Accounting> {
        let mut candidates = Vec::new();
        if let (Some(root), Some(path)) = (mount_point(mounts, "cgroup2", ""), cgroup_path(own, "")) {
            let group = join(root, path);
            // A group with processes of its own can't share out memory below it, so a sister group is tried first.
            if path != "/"
                && let Some(parent) = group.parent()
            {
                candidates.push(Accounting::CgroupV2 { parent: parent.to_owned() });
            }
            candidates.push(Accounting::CgroupV2 { parent: group });
        }
        let v1 = |controller: &str| {
            Some(join(mount_point(mounts, "cgroup", controller)?, cgroup_path(own, controller)?))
        };
        if let (Some(cpuacct), Some(memory)) = (v1("cpuacct"), v1("memory")) {
            candidates.push(Accounting::CgroupV1 { cpuacct, memory });
        }
        candidates
    }

    /// The name in a manifest.
    pub fn name(&self) -> &'static str {
        match self {
            Accounting::CgroupV2 { .. } => "cgroup-v2",
            Accounting::CgroupV1 { .. } => "cgroup-v1",
            Accounting::ProcessTree => "process-tree",
        }
    }

    /// Runs `true` in a new group and reads what it used.
    fn works(&self) -> Result<(), CollectError> {
        let mut group = JobGroup::create(self, "probe")?;
        let mut command = Command::new("true");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        group.enter_on_exec(&mut command, None);
        let mut child =
            command.spawn().map_err(CollectError::io("enter", Path::new("a new control group")))?;
        group.started(child.id().cast_signed());
        child.wait().map_err(CollectError::io("wait for", Path::new("true")))?;
        let usage = group.read();
        if usage.cpu_seconds.is_finite() && usage.memory_bytes.is_finite() {
            Ok(())
        } else {
            Err(CollectError::Kernel {
                file: self.name().to_owned(),
                problem: "a new group tells no CPU time or no memory".to_owned(),
            })
        }
    }
}

fn join(root: &str, path: &str) -> PathBuf {
    Path::new(root).join(path.trim_start_matches('/'))
}

/// What a job has used so far, and holds. `NaN`: not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobUsage {
    pub(crate) cpu_seconds: f64,
    pub(crate) user_seconds: f64,
    pub(crate) system_seconds: f64,
    pub(crate) memory_bytes: f64,
    pub(crate) page_cache_bytes: f64,
    pub(crate) read_bytes: f64,
    pub(crate) written_bytes: f64,
}

impl JobUsage {
    /// A job that has not started.
    pub(crate) const NOTHING: JobUsage = JobUsage {
        cpu_seconds: 0.0,
        user_seconds: 0.0,
        system_seconds: 0.0,
        memory_bytes: 0.0,
        page_cache_bytes: 0.0,
        read_bytes: 0.0,
        written_bytes: 0.0,
    };
}

/// The processes of one job in one run.
pub(crate) struct JobGroup {
    kind: Kind,
    sums: ProcessSums,
}

enum Kind {
    V2 { folder: PathBuf, disks: BTreeSet<String> },
    V1 { cpuacct: PathBuf, memory: PathBuf },
    Tree(Tree),
}

impl JobGroup {
    /// An empty group for the job `label`.
    pub(crate) fn create(accounting: &Accounting, label: &str) -> Result<JobGroup, CollectError> {
        let name = format!("cotrace-{}-{label}", process::id());
        let make = |parent: &Path| -> Result<PathBuf, CollectError> {
            let folder = parent.join(&name);
            // Left over from a process of the same number: empty, or it can't be removed.
            let _ = fs::remove_dir(&folder);
            fs::create_dir(&folder).map_err(CollectError::io("make the control group", &folder))?;
            Ok(folder)
        };
        let kind = match accounting {
            Accounting::ProcessTree => Kind::Tree(Tree::default()),
            Accounting::CgroupV1 { cpuacct, memory } => {
                let cpu_folder = make(cpuacct)?;
                match make(memory) {
                    Ok(memory) => Kind::V1 { cpuacct: cpu_folder, memory },
                    Err(error) => {
                        let _ = fs::remove_dir(&cpu_folder);
                        return Err(error);
                    }
                }
            }
            Accounting::CgroupV2 { parent } => {
                // Fails harmlessly where they are shared out already or may not be.
                for controller in ["+memory", "+io", "+cpu"] {
                    let _ = fs::write(parent.join("cgroup.subtree_control"), controller);
                }
                let folder = make(parent)?;
                let controllers = fs::read_to_string(folder.join("cgroup.controllers")).unwrap_or_default();
                let has = |name: &str| controllers.split_whitespace().any(|controller| controller == name);
                if !has("memory") {
                    let _ = fs::remove_dir(&folder);
                    return Err(CollectError::Kernel {
                        file: parent.join("cgroup.controllers").display().to_string(),
                        problem: "does not offer the memory controller".to_owned(),
                    });
                }
                let disks = if has("io") { disk_numbers() } else { BTreeSet::new() };
                Kind::V2 { folder, disks }
            }
        };
        Ok(JobGroup { kind, sums: ProcessSums::default() })
    }

    /// Makes `command`'s process a session of its own that joins this group before it becomes the program.
    /// `cores`: it and all its children may use the node's first cores only, this many.
    pub(crate) fn enter_on_exec(&self, command: &mut Command, cores: Option<u32>) {
        let cores = cores.map(first_cores);
        let files: Vec<CString> = self
            .folders()
            .iter()
            .filter_map(|folder| CString::new(folder.join("cgroup.procs").as_os_str().as_bytes()).ok())
            .collect();
        let enter = move || {
            // SAFETY: only system calls that are allowed between fork and exec; the strings were made before.
            unsafe {
                libc::setsid();
                if let Some(cores) = &cores
                    && libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), cores) != 0
                {
                    return Err(std::io::Error::last_os_error());
                }
                for file in &files {
                    let descriptor = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
                    if descriptor < 0 {
                        return Err(std::io::Error::last_os_error());
                    }
                    // "0" is whoever writes.
                    if libc::write(descriptor, c"0".as_ptr().cast(), 1) != 1 {
                        return Err(std::io::Error::last_os_error());
                    }
                    libc::close(descriptor);
                }
            }
            Ok(())
        };
        // SAFETY: see above; the closure neither allocates nor takes locks.
        unsafe {
            command.pre_exec(enter);
        }
    }

    /// Tells the group its first process.
    pub(crate) fn started(&mut self, pid: i32) {
        if let Kind::Tree(tree) = &mut self.kind {
            *tree = Tree::new(pid);
        }
    }

    fn folders(&self) -> Vec<&Path> {
        match &self.kind {
            Kind::V2 { folder, .. } => vec![folder],
            Kind::V1 { cpuacct, memory } => vec![cpuacct, memory],
            Kind::Tree(_) => Vec::new(),
        }
    }

    /// Process ids in the group.
    pub(crate) fn members(&mut self) -> Vec<i32> {
        match &mut self.kind {
            Kind::Tree(tree) => tree.members(),
            Kind::V2 { folder, .. } | Kind::V1 { cpuacct: folder, .. } => {
                fs::read_to_string(folder.join("cgroup.procs"))
                    .unwrap_or_default()
                    .lines()
                    .filter_map(|line| line.trim().parse().ok())
                    .collect()
            }
        }
    }

    /// What the job has used so far. Call it while an ended main process is not yet reaped, too: what that process
    /// read and wrote can't be seen later.
    pub(crate) fn read(&mut self) -> JobUsage {
        let members = self.members();
        match &self.kind {
            Kind::Tree(_) => {
                let totals = self.sums.update(&members);
                JobUsage {
                    cpu_seconds: totals.user + totals.system,
                    user_seconds: totals.user,
                    system_seconds: totals.system,
                    memory_bytes: self.sums.memory_bytes(),
                    page_cache_bytes: f64::NAN,
                    read_bytes: totals.read,
                    written_bytes: totals.written,
                }
            }
            Kind::V1 { cpuacct, memory } => {
                let totals = self.sums.update(&members);
                let (cpu_seconds, user_seconds, system_seconds) =
                    cpu_v1(|file| fs::read_to_string(cpuacct.join(file)).unwrap_or_default());
                let (memory_bytes, page_cache_bytes) =
                    memory_v1(&fs::read_to_string(memory.join("memory.stat")).unwrap_or_default());
                JobUsage {
                    cpu_seconds,
                    user_seconds,
                    system_seconds,
                    memory_bytes,
                    page_cache_bytes,
                    read_bytes: totals.read,
                    written_bytes: totals.written,
                }
            }
            Kind::V2 { folder, disks } => {
                let text = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
                let (read_bytes, written_bytes) = if disks.is_empty() {
                    let totals = self.sums.update(&members);
                    (totals.read, totals.written)
                } else {
                    parse_io_stat(&text("io.stat"), disks)
                };
                usage_v2(&text("cpu.stat"), &text("memory.stat"), read_bytes, written_bytes)
            }
        }
    }

    /// What a job that has not started has used: nothing. What could not be told later is unknown now, too.
    pub(crate) fn nothing(&self) -> JobUsage {
        match self.kind {
            Kind::Tree(_) => JobUsage { page_cache_bytes: f64::NAN, ..JobUsage::NOTHING },
            Kind::V1 { .. } | Kind::V2 { .. } => JobUsage::NOTHING,
        }
    }

    /// Kills what is left of the group. Returns how many processes there were, and how many would not go.
    pub(crate) fn kill(&mut self) -> (usize, usize) {
        let until = Instant::now() + Duration::from_secs(5);
        let mut killed = BTreeSet::new();
        loop {
            let members: Vec<i32> = self.members().into_iter().filter(|&pid| !is_zombie(pid)).collect();
            if members.is_empty() || Instant::now() > until {
                return (killed.len(), members.len());
            }
            for pid in members {
                killed.insert(pid);
                // SAFETY: kill has no preconditions; the pid was in the job's group a moment ago.
                unsafe {
                    libc::kill(pid, libc::SIGKILL);
                }
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for JobGroup {
    fn drop(&mut self) {
        for folder in self.folders() {
            // A group can only be removed once its last process is reaped, which may take the kernel a moment.
            for _ in 0..50 {
                if fs::remove_dir(folder).is_ok() || !folder.exists() {
                    break;
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

fn first_cores(count: u32) -> libc::cpu_set_t {
    // SAFETY: cpu_set_t is a plain array of bits, and CPU_SET ignores numbers beyond it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        (0..count as usize).for_each(|core| libc::CPU_SET(core, &mut set));
        set
    }
}

fn is_zombie(pid: i32) -> bool {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    text.rfind(')')
        .is_none_or(|at| matches!(text[at + 1..].trim_start().as_bytes().first(), None | Some(b'Z' | b'X')))
}

/// CPU seconds: all, in user code, in the kernel. The kernel knows the sum exactly and the parts by sampling.
fn cpu_v1(file: impl Fn(&str) -> String) -> (f64, f64, f64) {
    let seconds =
        |name: &str| file(name).trim().parse::<f64>().map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9);
    let all = seconds("cpuacct.usage");
    let (user, system) = (seconds("cpuacct.usage_user"), seconds("cpuacct.usage_sys"));
    let sampled = user + system;
    if sampled > 0.0 { (all, all * user / sampled, all * system / sampled) } else { (all, user, system) }
}

/// Memory of a version 1 group: what can't be dropped, and page cache, in bytes.
fn memory_v1(stat: &str) -> (f64, f64) {
    let bytes = |key: &str| keyed(stat, key).unwrap_or(f64::NAN);
    // The kernel counts shared memory and tmpfs as cache.
    let shared = keyed(stat, "total_shmem").unwrap_or(0.0);
    (bytes("total_rss") + shared, bytes("total_cache") - shared)
}

/// Usage of a version 2 group from its `cpu.stat` and `memory.stat`.
fn usage_v2(cpu: &str, memory: &str, read_bytes: f64, written_bytes: f64) -> JobUsage {
    let seconds = |key: &str| keyed(cpu, key).map_or(f64::NAN, |microseconds| microseconds / 1e6);
    let bytes = |key: &str| keyed(memory, key).unwrap_or(f64::NAN);
    let shared = keyed(memory, "shmem").unwrap_or(0.0);
    JobUsage {
        cpu_seconds: seconds("usage_usec"),
        user_seconds: seconds("user_usec"),
        system_seconds: seconds("system_usec"),
        memory_bytes: bytes("anon") + shared,
        page_cache_bytes: bytes("file") - shared,
        read_bytes,
        written_bytes,
    }
}

/// `major:minor` of the disks that count.
fn disk_numbers() -> BTreeSet<String> {
    crate::node::whole_disks()
        .iter()
        .filter_map(|name| fs::read_to_string(format!("/sys/block/{name}/dev")).ok())
        .map(|text| text.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests;
