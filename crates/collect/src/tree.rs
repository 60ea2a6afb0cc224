//! What a set of processes has used, from `/proc/PID`, with what processes that ended had used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::procfs::{ProcessStat, keyed, parse_process_stat};

/// Clock ticks per second of `/proc` files.
pub(crate) fn ticks_per_second() -> f64 {
    // SAFETY: sysconf has no preconditions.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    if ticks > 0 { ticks as f64 } else { 100.0 }
}

/// `/proc/PID/stat`, unless the process is gone.
pub(crate) fn process_stat(pid: i32) -> Option<ProcessStat> {
    parse_process_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// All process ids.
pub(crate) fn all_pids() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// What processes used: CPU in seconds, disk in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) user: f64,
    pub(crate) system: f64,
    pub(crate) read: f64,
    pub(crate) written: f64,
}

impl Totals {
    fn plus(self, other: Totals) -> Totals {
        Totals {
            user: self.user + other.user,
            system: self.system + other.system,
            read: self.read + other.read,
            written: self.written + other.written,
        }
    }

    /// Counters never fall; a fall is a process caught between its end and its parent's noticing.
    fn or_before(self, before: Totals) -> Totals {
        Totals {
            user: self.user.max(before.user),
            system: self.system.max(before.system),
            read: self.read.max(before.read),
            written: self.written.max(before.written),
        }
    }
}

#[derive(Clone, Copy)]
struct Seen {
    stat: ProcessStat,
    totals: Totals,
}

/// Sums over a changing set of processes.
///
/// When a process ends, the kernel adds what it used to the parent that waits for it; so only processes whose parent
/// is outside the set have to be remembered.
#[derive(Default)]
pub(crate) struct ProcessSums {
    seen: BTreeMap<i32, Seen>,
    remembered: Totals,
    totals: Totals,
}

impl ProcessSums {
    /// Looks at the processes `members` and returns what they and their ended fellows have used.
    pub(crate) fn update(&mut self, members: &[i32]) -> Totals {
        let now: BTreeMap<i32, Seen> = members.iter().filter_map(|&pid| Some((pid, look(pid)?))).collect();
        for (pid, before) in &self.seen {
            let still_there = now.get(pid).is_some_and(|process| process.stat.started == before.stat.started);
            let parent_in_set = self.seen.contains_key(&before.stat.parent);
            if !still_there && !parent_in_set {
                self.remembered = self.remembered.plus(before.totals);
            }
        }
        let live = now.values().fold(Totals::default(), |sum, process| sum.plus(process.totals));
        self.totals = self.remembered.plus(live).or_before(self.totals);
        self.seen = now;
        self.totals
    }

    /// Memory that the processes seen last hold for themselves, in bytes.
    pub(crate) fn memory_bytes(&self) -> f64 {
        self.seen
            .keys()
            .filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/status")).ok())
            .map(|text| {
                let kib = |key| keyed(&text, key).unwrap_or(0.0);
                (kib("RssAnon") + kib("RssShmem")) * 1024.0
            })
            .sum()
    }
}

fn look(pid: i32) -> Option<Seen> {
    let stat = process_stat(pid)?;
    let ticks = ticks_per_second();
    // Not readable for other users' processes: then nothing is known of their disk.
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let bytes = |key| keyed(&io, key).unwrap_or(0.0);
    let totals = Totals {
        user: stat.user / ticks,
        system: stat.system / ticks,
        read: bytes("read_bytes"),
        written: bytes("write_bytes"),
    };
    Some(Seen { stat, totals })
}

/// The processes of a job that has no control group: its session, and all that descends from processes known.
#[derive(Default)]
pub(crate) struct Tree {
    leader: i32,
    known: BTreeMap<i32, u64>,
}

impl Tree {
    /// The tree of a process that leads its own session.
    pub(crate) fn new(leader: i32) -> Tree {
        Tree { leader, known: BTreeMap::new() }
    }

    /// Process ids of the tree now.
    pub(crate) fn members(&mut self) -> Vec<i32> {
        let all: BTreeMap<i32, ProcessStat> =
            all_pids().into_iter().filter_map(|pid| Some((pid, process_stat(pid)?))).collect();
        let mut members: BTreeSet<i32> = all
            .iter()
            .filter(|(pid, stat)| {
                **pid == self.leader
                    || stat.session == self.leader
                    || self.known.get(pid) == Some(&stat.started)
            })
            .map(|(&pid, _)| pid)
            .collect();
        loop {
            let children: Vec<i32> = all
                .iter()
                .filter(|(pid, stat)| members.contains(&stat.parent) && !members.contains(pid))
                .map(|(&pid, _)| pid)
                .collect();
            if children.is_empty() {
                break;
            }
            members.extend(children);
        }
        self.known = members.iter().filter_map(|pid| Some((*pid, all.get(pid)?.started))).collect();
        members.into_iter().collect()
    }
}

/// CPU seconds of the kernel's own threads, which work for whoever reads, writes and sends.
#[derive(Default)]
pub(crate) struct KernelThreads {
    seen: BTreeMap<(i32, u64), f64>,
    seconds: f64,
}

impl KernelThreads {
    /// Looks again; returns the CPU seconds used since the first look.
    pub(crate) fn update(&mut self) -> f64 {
        const KTHREADD: i32 = 2;
        let first = self.seen.is_empty();
        let mut now = BTreeMap::new();
        for pid in all_pids() {
            if let Some(stat) = process_stat(pid)
                && (pid == KTHREADD || stat.parent == KTHREADD)
            {
                let before = self.seen.get(&(pid, stat.started)).copied();
                // A thread that was not there on the last look has done all its work since.
                let since = if first { 0.0 } else { stat.own - before.unwrap_or(0.0) };
                self.seconds += since.max(0.0) / ticks_per_second();
                now.insert((pid, stat.started), stat.own);
            }
        }
        self.seen = now;
        self.seconds
    }
}

#[cfg(test)]
mod tests;
