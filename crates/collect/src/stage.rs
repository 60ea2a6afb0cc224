//! The node that a run sees: the whole one, or what a cut leaves of it.

use std::fs;
use std::path::PathBuf;
use std::process;
use std::thread;
use std::time::Duration;

use cotrace_dataset::Cut;
use cotrace_trace::Capacity;

use crate::node::NodeReader;
use crate::{Accounting, CollectError, PlanCut};

/// What a run is made on.
pub(crate) struct Stage {
    pub(crate) accounting: Accounting,
    pub(crate) reader: NodeReader,
    pub(crate) capacity: Capacity,
    /// The jobs may use the node's first cores, this many.
    pub(crate) cores: Option<u32>,
    pub(crate) cut: Option<Cut>,
    /// Held for its end: it is removed when the run is over.
    limit: Option<MemoryLimit>,
}

impl Stage {
    /// The whole node.
    pub(crate) fn whole(accounting: &Accounting, capacity: Capacity) -> Stage {
        Stage {
            accounting: accounting.clone(),
            reader: NodeReader::new(None),
            capacity,
            cores: None,
            cut: None,
            limit: None,
        }
    }

    /// What `cut` leaves of a node with `capacity`.
    pub(crate) fn cut(
        cut: &PlanCut,
        accounting: &Accounting,
        capacity: Capacity,
    ) -> Result<Stage, CollectError> {
        let mut stage = Stage::whole(accounting, capacity);
        let mut made = Cut { name: cut.name.clone(), cores: None, memory_bytes: None };
        if let Some(cores) = cut.cores {
            stage.cores = Some(cores);
            stage.reader = NodeReader::new(Some(cores));
            stage.capacity.cores = Some(f64::from(cores));
            made.cores = stage.capacity.cores;
        }
        if let (Some(share), Some(memory)) = (cut.memory, capacity.memory_bytes) {
            let bytes = (memory * share / 4096.0).floor() * 4096.0;
            let (accounting, limit) = MemoryLimit::make(accounting, bytes)?;
            stage.accounting = accounting;
            stage.limit = Some(limit);
            stage.capacity.memory_bytes = Some(bytes);
            made.memory_bytes = Some(bytes);
        }
        stage.cut = Some(made);
        Ok(stage)
    }
}

/// A control group around those of the jobs, which limits what they use together. Removed at the end.
struct MemoryLimit {
    folder: PathBuf,
}

impl MemoryLimit {
    /// The limit, and how jobs are told apart below it.
    fn make(accounting: &Accounting, bytes: f64) -> Result<(Accounting, MemoryLimit), CollectError> {
        let (parent, file) = match accounting {
            Accounting::CgroupV2 { parent } => (parent, "memory.max"),
            Accounting::CgroupV1 { memory, .. } => (memory, "memory.limit_in_bytes"),
            Accounting::ProcessTree => {
                return Err(CollectError::Options(
                    "memory can't be cut without control groups; leave the cut's jobs out or run as root"
                        .to_owned(),
                ));
            }
        };
        if let Accounting::CgroupV2 { parent } = accounting {
            // Fails harmlessly where it is shared out already.
            let _ = fs::write(parent.join("cgroup.subtree_control"), "+memory");
        }
        let folder = parent.join(format!("cotrace-{}-node", process::id()));
        let _ = fs::remove_dir(&folder);
        fs::create_dir(&folder).map_err(CollectError::io("make the control group", &folder))?;
        let limit = MemoryLimit { folder };
        // Version 1 counts what is below a group only if told so, before there is anything.
        let _ = fs::write(limit.folder.join("memory.use_hierarchy"), "1");
        let path = limit.folder.join(file);
        fs::write(&path, format!("{bytes:.0}")).map_err(CollectError::io("limit memory by", &path))?;
        let folder = limit.folder.clone();
        let below = match accounting {
            Accounting::CgroupV1 { cpuacct, .. } => {
                Accounting::CgroupV1 { cpuacct: cpuacct.clone(), memory: folder }
            }
            _ => Accounting::CgroupV2 { parent: folder },
        };
        Ok((below, limit))
    }
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        for _ in 0..50 {
            if fs::remove_dir(&self.folder).is_ok() || !self.folder.exists() {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}
