//! One run: starts the jobs and samples until the last has ended.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cotrace_dataset::{Cut, JobRun};
use cotrace_trace::Trace;

use crate::accounting::JobGroup;
use crate::bench::Bench;
use crate::record::{Sample, join_short_last_row, microseconds, rfc3339, trace};
use crate::stage::Stage;
use crate::tree::{KernelThreads, process_stat, ticks_per_second};
use crate::{CollectError, PlanJob, Planned};

/// How often the kernel's own threads are looked at.
const KERNEL_THREADS_EVERY: Duration = Duration::from_secs(2);

/// A run that came to its end.
pub(crate) struct Finished {
    pub(crate) trace: Trace,
    pub(crate) jobs: Vec<JobRun>,
    pub(crate) started_at: String,
    pub(crate) foreign_cpu_ratio: f64,
    pub(crate) steal_ratio: f64,
    /// This process's own part of `foreign_cpu_ratio`.
    pub(crate) collector_cpu_ratio: f64,
    pub(crate) cut: Option<Cut>,
    pub(crate) notes: Vec<String>,
    /// The first job that failed, in words.
    pub(crate) failure: Option<String>,
}

/// CPU seconds of a run that are no job's.
struct Outside {
    /// The kernel's own threads.
    kernel_seconds: f64,
    /// This process.
    own_seconds: f64,
}

struct Running {
    child: Child,
    start: Instant,
    end: Option<(Instant, ExitStatus)>,
    /// Whether it was killed for taking too long.
    overdue: bool,
}

struct Slot<'a> {
    job: &'a PlanJob,
    label: String,
    offset: f64,
    group: JobGroup,
    running: Option<Running>,
}

impl Bench<'_> {
    /// Runs the jobs of `planned` together. `None`: it was stopped, and nothing is left of it.
    pub(crate) fn run(&self, planned: &Planned) -> Result<Option<Finished>, CollectError> {
        let cut = match planned.cut {
            None => None,
            Some(cut) => {
                let whole = self.whole;
                Some(Stage::cut(&self.plan.cuts[cut], &whole.accounting, whole.capacity)?)
            }
        };
        let stage = cut.as_ref().unwrap_or(self.whole);
        let mut slots = Vec::new();
        for (job, label, offset) in &planned.jobs {
            slots.push(Slot {
                job: &self.plan.jobs[*job],
                label: label.clone(),
                offset: *offset,
                group: JobGroup::create(&stage.accounting, label)?,
                running: None,
            });
        }
        let outcome = self.run_slots(stage, &mut slots);
        // Whatever happened, nothing of this run may stay behind.
        for slot in &mut slots {
            if let Some(Running { child, end: None, .. }) = &mut slot.running {
                slot.group.kill();
                let _ = child.wait();
            }
        }
        outcome
    }

    fn run_slots(&self, stage: &Stage, slots: &mut [Slot]) -> Result<Option<Finished>, CollectError> {
        let (sender, exits) = mpsc::channel();
        let mut notes = Vec::new();
        let mut threads = KernelThreads::default();
        threads.update();
        let mut threads_seen = Instant::now();
        let own_before = own_cpu_seconds();
        let started_at = rfc3339(SystemTime::now());
        let mut samples = vec![sample(stage, slots)?];
        let start = samples[0].node.at;
        let step = Duration::from_secs_f64(self.sample_seconds);
        let mut tick = 1u32;
        loop {
            for (index, slot) in slots.iter_mut().enumerate() {
                if slot.running.is_none() && start.elapsed().as_secs_f64() >= slot.offset {
                    self.start(stage, slot, index, &sender)?;
                }
            }
            if slots.iter().all(|slot| slot.running.as_ref().is_some_and(|running| running.end.is_some())) {
                break;
            }
            let next_start = slots
                .iter()
                .filter(|slot| slot.running.is_none())
                .map(|slot| start + Duration::from_secs_f64(slot.offset))
                .min();
            let next_sample = start + step * tick;
            let until = next_start.map_or(next_sample, |next| next.min(next_sample));
            match exits.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((index, at)) => {
                    let slot: &mut Slot = &mut slots[index];
                    // What the ended process read and wrote is lost once it is waited for.
                    slot.group.read();
                    if let Some(running) = &mut slot.running {
                        let status =
                            running.child.wait().map_err(CollectError::io("wait for", Path::new("a job")))?;
                        running.end = Some((at, status));
                    }
                    match slot.group.kill() {
                        (0, _) => {}
                        (killed, 0) => {
                            notes.push(format!("{}: killed {killed} processes it left behind", slot.label));
                        }
                        (_, left) => {
                            notes.push(format!("{}: {left} processes could not be killed", slot.label));
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if Instant::now() >= next_sample {
                        samples.push(sample(stage, slots)?);
                        // On an absolute schedule: a sample that came late doesn't shift those after it.
                        tick = (start.elapsed().as_secs_f64() / self.sample_seconds).floor() as u32 + 1;
                        if threads_seen.elapsed() > KERNEL_THREADS_EVERY {
                            threads.update();
                            threads_seen = Instant::now();
                        }
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(CollectError::Options("a thread that waits for jobs ended early".to_owned()));
                }
            }
            if self.stop.load(Ordering::SeqCst) {
                return Ok(None);
            }
            kill_overdue(slots, &mut notes);
        }
        samples.push(sample(stage, slots)?);
        let outside =
            Outside { kernel_seconds: threads.update(), own_seconds: own_cpu_seconds() - own_before };
        join_short_last_row(&mut samples, self.sample_seconds);
        Ok(Some(self.finish(stage, slots, &samples, started_at, &outside, notes)))
    }

    fn start(
        &self,
        stage: &Stage,
        slot: &mut Slot,
        index: usize,
        sender: &Sender<(usize, Instant)>,
    ) -> Result<(), CollectError> {
        let mut command = self.command(slot.job, &slot.job.command, &slot.label)?;
        slot.group.enter_on_exec(&mut command, stage.cores);
        let start = Instant::now();
        let child = command.spawn().map_err(|error| CollectError::Step {
            job: slot.job.name.clone(),
            step: "start",
            problem: error.to_string(),
        })?;
        let pid = child.id();
        slot.group.started(pid.cast_signed());
        slot.running = Some(Running { child, start, end: None, overdue: false });
        let sender = sender.clone();
        thread::spawn(move || {
            wait_unreaped(pid);
            let _ = sender.send((index, Instant::now()));
        });
        Ok(())
    }

    fn finish(
        &self,
        stage: &Stage,
        slots: &[Slot],
        samples: &[Sample],
        started_at: String,
        outside: &Outside,
        notes: Vec<String>,
    ) -> Finished {
        let start = samples[0].node.at;
        let since = |at: Instant| at.saturating_duration_since(start).as_secs_f64();
        let mut jobs = Vec::new();
        let mut failure = None;
        for slot in slots {
            let Some(Running { start: from, end: Some((to, status)), .. }) = &slot.running else {
                continue;
            };
            let exit_code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            if !status.success() && failure.is_none() {
                failure =
                    Some(format!("job {} ended with {status}{}", slot.label, self.log_end(&slot.label)));
            }
            jobs.push(JobRun {
                name: slot.job.name.clone(),
                label: slot.label.clone(),
                offset_seconds: slot.offset,
                start_seconds: microseconds(since(*from)),
                end_seconds: microseconds(since(*to)),
                exit_code,
            });
        }
        let last = &samples[samples.len() - 1];
        let ticks = last.node.cpu.total() - samples[0].node.cpu.total();
        let share = |part: f64, whole: f64| if whole > 0.0 { (part / whole).max(0.0) } else { 0.0 };
        let cores = stage.capacity.cores.unwrap_or(1.0);
        let node_seconds = since(last.node.at) * cores;
        let job_seconds: f64 =
            last.jobs.iter().map(|usage| usage.cpu_seconds).filter(|seconds| seconds.is_finite()).sum();
        let foreign =
            stage.reader.busy_seconds(&samples[0].node, &last.node) - job_seconds - outside.kernel_seconds;
        let round = |ratio: f64| (ratio * 1e5).round() / 1e5;
        let steal = last.node.cpu.steal - samples[0].node.cpu.steal;
        Finished {
            trace: trace(&stage.reader, stage.capacity, samples, &jobs),
            jobs,
            started_at,
            foreign_cpu_ratio: round(share(foreign, node_seconds)),
            steal_ratio: round(share(steal, ticks)),
            collector_cpu_ratio: round(share(outside.own_seconds, node_seconds)),
            cut: stage.cut.clone(),
            notes,
            failure,
        }
    }
}

fn sample(stage: &Stage, slots: &mut [Slot]) -> Result<Sample, CollectError> {
    let node = stage.reader.sample()?;
    let jobs = slots
        .iter_mut()
        .map(|slot| if slot.running.is_some() { slot.group.read() } else { slot.group.nothing() })
        .collect();
    Ok(Sample { node, jobs })
}

/// Kills jobs that take longer than their limit; their end is then noticed like any other.
fn kill_overdue(slots: &mut [Slot], notes: &mut Vec<String>) {
    for slot in slots {
        if let Some(Running { start, end: None, overdue, .. }) = &mut slot.running
            && !*overdue
            && start.elapsed().as_secs_f64() > slot.job.limit_seconds
        {
            *overdue = true;
            notes.push(format!("{}: killed after its limit of {} s", slot.label, slot.job.limit_seconds));
            slot.group.kill();
        }
    }
}

/// Waits until a child has ended, leaving it to be read and waited for.
fn wait_unreaped(pid: u32) {
    loop {
        // SAFETY: siginfo_t is plain data for the kernel to fill; the pid is a child of ours that nobody reaps before
        // this has returned.
        let result = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, pid, &raw mut info, libc::WEXITED | libc::WNOWAIT)
        };
        if result == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return;
        }
    }
}

fn own_cpu_seconds() -> f64 {
    process_stat(std::process::id().cast_signed()).map_or(0.0, |stat| stat.own / ticks_per_second())
}
