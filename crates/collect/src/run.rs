//! One run: starts the jobs, samples until the last has ended, and puts the samples into a trace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cotrace_trace::dataset::JobRun;
use cotrace_trace::{Capacity, Column, JobSpan, Metric, Trace};

use crate::accounting::{JobGroup, JobUsage};
use crate::node::{NodeReader, NodeSample};
use crate::tree::{KernelThreads, process_stat, ticks_per_second};
use crate::{Accounting, CollectError, JobCommand, Plan, PlanJob, Planned};

/// How often the kernel's own threads are looked at.
const KERNEL_THREADS_EVERY: Duration = Duration::from_secs(2);
/// A last row shorter than this share of the step is joined to the row before it.
const SHORTEST_ROW: f64 = 0.25;

/// What every run of a measurement shares.
pub(crate) struct Bench<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) accounting: &'a Accounting,
    pub(crate) reader: &'a NodeReader,
    pub(crate) capacity: Capacity,
    pub(crate) sample_seconds: f64,
    pub(crate) work: &'a Path,
    pub(crate) stop: &'a AtomicBool,
}

/// A run that came to its end.
pub(crate) struct Finished {
    pub(crate) trace: Trace,
    pub(crate) jobs: Vec<JobRun>,
    pub(crate) started_at: String,
    pub(crate) foreign_cpu_ratio: f64,
    pub(crate) steal_ratio: f64,
    /// This process's own part of `foreign_cpu_ratio`.
    pub(crate) collector_cpu_ratio: f64,
    pub(crate) notes: Vec<String>,
    /// The first job that failed, in words.
    pub(crate) failure: Option<String>,
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

struct Sample {
    node: NodeSample,
    jobs: Vec<JobUsage>,
}

impl Bench<'_> {
    /// Fills `{work}`, `{plan}`, `{scratch}` and `{label}` in.
    fn expand(&self, text: &str, label: &str) -> String {
        text.replace("{work}", &self.work.display().to_string())
            .replace("{plan}", &self.plan.folder.display().to_string())
            .replace("{scratch}", &self.scratch(label).display().to_string())
            .replace("{label}", label)
    }

    fn scratch(&self, label: &str) -> PathBuf {
        self.work.join("scratch").join(label)
    }

    fn log(&self, label: &str) -> PathBuf {
        self.work.join("logs").join(format!("{label}.log"))
    }

    /// A command of a job with its environment, output going to the job's log.
    fn command(&self, job: &PlanJob, what: &JobCommand, label: &str) -> Result<Command, CollectError> {
        let words = what.words(|word| self.expand(word, label));
        let path = self.log(label);
        let log = File::create(&path).map_err(CollectError::io("write", &path))?;
        let errors = log.try_clone().map_err(CollectError::io("write", &path))?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(self.work).stdin(Stdio::null()).stdout(log).stderr(errors);
        command.envs(job.env.iter().map(|(name, value)| (name, self.expand(value, label))));
        Ok(command)
    }

    /// Runs a job's setup or prepare command to its end. It can be stopped.
    pub(crate) fn step(
        &self,
        job: &PlanJob,
        what: &JobCommand,
        label: &str,
        step: &'static str,
    ) -> Result<(), CollectError> {
        let failed = |problem: String| CollectError::Step { job: job.name.clone(), step, problem };
        let mut group = JobGroup::create(&Accounting::ProcessTree, label)?;
        let mut command = self.command(job, what, label)?;
        group.enter_on_exec(&mut command);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        group.started(child.id() as i32);
        loop {
            if let Some(status) = child.try_wait().map_err(CollectError::io("wait for", Path::new(step)))? {
                if status.success() {
                    return Ok(());
                }
                return Err(failed(format!("{status}{}", self.log_end(label))));
            }
            if self.stop.load(Ordering::SeqCst) {
                group.kill();
                let _ = child.wait();
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The end of a job's output, for messages.
    fn log_end(&self, label: &str) -> String {
        let bytes = fs::read(self.log(label)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let end = &lines[lines.len().saturating_sub(5)..];
        if end.is_empty() { String::new() } else { format!("; its output ended with:\n  {}", end.join("\n  ")) }
    }

    /// Empties the scratch folder of each label and runs the jobs' prepare commands.
    pub(crate) fn prepare(&self, planned: &Planned) -> Result<(), CollectError> {
        let scratch = self.work.join("scratch");
        let _ = fs::remove_dir_all(&scratch);
        for folder in [&scratch, &self.work.join("logs")] {
            fs::create_dir_all(folder).map_err(CollectError::io("make", folder))?;
        }
        for (job, label, _) in &planned.jobs {
            let folder = self.scratch(label);
            fs::create_dir_all(&folder).map_err(CollectError::io("make", &folder))?;
            let job = &self.plan.jobs[*job];
            if let Some(prepare) = &job.prepare {
                self.step(job, prepare, label, "prepare")?;
            }
        }
        Ok(())
    }

    /// Runs the jobs of `planned` together. `None`: it was stopped, and nothing is left of it.
    pub(crate) fn run(&self, planned: &Planned) -> Result<Option<Finished>, CollectError> {
        let mut slots = Vec::new();
        for (job, label, offset) in &planned.jobs {
            slots.push(Slot {
                job: &self.plan.jobs[*job],
                label: label.clone(),
                offset: *offset,
                group: JobGroup::create(self.accounting, label)?,
                running: None,
            });
        }
        let outcome = self.run_slots(&mut slots);
        // Whatever happened, nothing of this run may stay behind.
        for slot in &mut slots {
            if let Some(Running { child, end: None, .. }) = &mut slot.running {
                slot.group.kill();
                let _ = child.wait();
            }
        }
        outcome
    }

    fn run_slots(&self, slots: &mut [Slot]) -> Result<Option<Finished>, CollectError> {
        let (sender, exits) = mpsc::channel();
        let mut notes = Vec::new();
        let mut threads = KernelThreads::default();
        threads.update();
        let mut threads_seen = Instant::now();
        let own_before = own_cpu_seconds();
        let started_at = rfc3339(SystemTime::now());
        let mut samples = vec![self.sample(slots)?];
        let start = samples[0].node.at;
        let step = Duration::from_secs_f64(self.sample_seconds);
        let mut tick = 1u32;
        loop {
            for (index, slot) in slots.iter_mut().enumerate() {
                if slot.running.is_none() && start.elapsed().as_secs_f64() >= slot.offset {
                    self.start(slot, index, &sender)?;
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
                        let status = running.child.wait().map_err(CollectError::io("wait for", Path::new("a job")))?;
                        running.end = Some((at, status));
                    }
                    match slot.group.kill() {
                        (0, _) => {}
                        (killed, 0) => {
                            notes.push(format!("{}: killed {killed} processes it left behind", slot.label));
                        }
                        (_, left) => notes.push(format!("{}: {left} processes could not be killed", slot.label)),
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if Instant::now() >= next_sample {
                        samples.push(self.sample(slots)?);
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
        samples.push(self.sample(slots)?);
        let kernel_seconds = threads.update();
        let own_seconds = own_cpu_seconds() - own_before;
        join_short_last_row(&mut samples, self.sample_seconds);
        Ok(Some(self.finish(slots, &samples, started_at, kernel_seconds, own_seconds, notes)))
    }

    fn start(&self, slot: &mut Slot, index: usize, sender: &Sender<(usize, Instant)>) -> Result<(), CollectError> {
        let mut command = self.command(slot.job, &slot.job.command, &slot.label)?;
        slot.group.enter_on_exec(&mut command);
        let start = Instant::now();
        let child = command.spawn().map_err(|error| CollectError::Step {
            job: slot.job.name.clone(),
            step: "start",
            problem: error.to_string(),
        })?;
        let pid = child.id();
        slot.group.started(pid as i32);
        slot.running = Some(Running { child, start, end: None, overdue: false });
        let sender = sender.clone();
        thread::spawn(move || {
            wait_unreaped(pid);
            let _ = sender.send((index, Instant::now()));
        });
        Ok(())
    }

    fn sample(&self, slots: &mut [Slot]) -> Result<Sample, CollectError> {
        let node = self.reader.sample()?;
        let jobs = slots
            .iter_mut()
            .map(|slot| if slot.running.is_some() { slot.group.read() } else { JobUsage::NOTHING })
            .collect();
        Ok(Sample { node, jobs })
    }

    fn finish(
        &self,
        slots: &[Slot],
        samples: &[Sample],
        started_at: String,
        kernel_seconds: f64,
        own_seconds: f64,
        notes: Vec<String>,
    ) -> Finished {
        let start = samples[0].node.at;
        let since = |at: Instant| at.saturating_duration_since(start).as_secs_f64();
        let mut jobs = Vec::new();
        let mut failure = None;
        for slot in slots {
            let Some(Running { start: from, end: Some((to, status)), .. }) = &slot.running else { continue };
            let exit_code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            if !status.success() && failure.is_none() {
                failure = Some(format!("job {} ended with {status}{}", slot.label, self.log_end(&slot.label)));
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
        let cores = self.capacity.cores.unwrap_or(1.0);
        let node_seconds = since(last.node.at) * cores;
        let job_seconds: f64 = last.jobs.iter().map(|usage| usage.cpu_seconds).filter(|seconds| seconds.is_finite()).sum();
        let foreign = self.reader.busy_seconds(&samples[0].node, &last.node) - job_seconds - kernel_seconds;
        let round = |ratio: f64| (ratio * 1e5).round() / 1e5;
        let steal = last.node.cpu.steal - samples[0].node.cpu.steal;
        Finished {
            trace: self.trace(slots, samples, &jobs),
            jobs,
            started_at,
            foreign_cpu_ratio: round(share(foreign, node_seconds)),
            steal_ratio: round(share(steal, ticks)),
            collector_cpu_ratio: round(share(own_seconds, node_seconds)),
            notes,
            failure,
        }
    }

    fn trace(&self, slots: &[Slot], samples: &[Sample], jobs: &[JobRun]) -> Trace {
        let mut columns: BTreeMap<Column, Vec<f64>> = BTreeMap::new();
        let rows = samples.len() - 1;
        let mut put = |row: usize, column: Column, value: f64| {
            columns.entry(column).or_insert_with(|| vec![f64::NAN; rows])[row] = value;
        };
        for (row, pair) in samples.windows(2).enumerate() {
            let (before, after) = (&pair[0], &pair[1]);
            for (metric, value) in self.reader.metrics(&before.node, &after.node) {
                put(row, Column::node(metric), value);
            }
            let seconds = after.node.at.duration_since(before.node.at).as_secs_f64();
            for ((slot, before), after) in slots.iter().zip(&before.jobs).zip(&after.jobs) {
                for (metric, value) in job_metrics(before, after, seconds) {
                    put(row, Column::job(&slot.label, metric), value);
                }
            }
        }
        // A job metric that is nowhere known has no column.
        let unknown: BTreeSet<Column> = columns
            .iter()
            .filter(|(_, values)| values.iter().all(|value| value.is_nan()))
            .map(|(column, _)| column.clone())
            .collect();
        columns.retain(|column, _| !unknown.contains(column));
        let start = samples[0].node.at;
        Trace {
            capacity: self.capacity,
            jobs: jobs
                .iter()
                .map(|job| JobSpan {
                    name: job.label.clone(),
                    start_seconds: Some(job.start_seconds),
                    end_seconds: Some(job.end_seconds),
                })
                .collect(),
            time_seconds: samples[1..].iter().map(|sample| sample.node.at.duration_since(start).as_secs_f64()).collect(),
            columns,
            ..Trace::default()
        }
    }
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

/// The metrics of one job over the `seconds` between two readings.
fn job_metrics(before: &JobUsage, after: &JobUsage, seconds: f64) -> [(Metric, f64); 7] {
    // A comparison would turn NaN, unknown, into 0.
    let rate = |from: f64, to: f64| if seconds > 0.0 { ((to - from) / seconds).clamp(0.0, f64::MAX) } else { f64::NAN };
    [
        (Metric::CpuCores, rate(before.cpu_seconds, after.cpu_seconds)),
        (Metric::CpuUserCores, rate(before.user_seconds, after.user_seconds)),
        (Metric::CpuSystemCores, rate(before.system_seconds, after.system_seconds)),
        (Metric::MemoryBytes, after.memory_bytes),
        (Metric::PageCacheBytes, after.page_cache_bytes),
        (Metric::DiskReadBytesPerSecond, rate(before.read_bytes, after.read_bytes)),
        (Metric::DiskWriteBytesPerSecond, rate(before.written_bytes, after.written_bytes)),
    ]
}

/// Counters tick in hundredths of a second: over a few of them a rate is mostly rounding.
fn join_short_last_row(samples: &mut Vec<Sample>, sample_seconds: f64) {
    if let [_, .., before, last] = &samples[..]
        && last.node.at.duration_since(before.node.at).as_secs_f64() < SHORTEST_ROW * sample_seconds
    {
        samples.remove(samples.len() - 2);
    }
}

fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
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
    process_stat(std::process::id() as i32).map_or(0.0, |stat| stat.own / ticks_per_second())
}

/// A time as RFC 3339 in UTC, to the second.
fn rfc3339(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01 of the Gregorian calendar, counted in eras of 400 years: the leap day comes last.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_rfc_3339() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        let wrong: Vec<_> = cases
            .iter()
            .map(|&(seconds, expected)| (expected, rfc3339(UNIX_EPOCH + Duration::from_secs(seconds))))
            .filter(|(expected, got)| expected != got)
            .collect();
        assert!(wrong.is_empty(), "expected and got: {wrong:?}");
    }

    #[test]
    fn unknown_usage_stays_unknown() {
        let before = JobUsage { page_cache_bytes: f64::NAN, read_bytes: f64::NAN, ..JobUsage::NOTHING };
        let after = JobUsage { cpu_seconds: 1.5, memory_bytes: 7.0, ..before };
        let values: BTreeMap<Metric, f64> = job_metrics(&before, &after, 0.5).into_iter().collect();
        assert_eq!(values[&Metric::CpuCores], 3.0);
        assert_eq!(values[&Metric::MemoryBytes], 7.0);
        assert!(values[&Metric::DiskReadBytesPerSecond].is_nan());
        assert!(values[&Metric::PageCacheBytes].is_nan());
        // A counter that falls, as after a process vanished unseen, is no negative work.
        assert_eq!(job_metrics(&after, &JobUsage::NOTHING, 0.5)[0], (Metric::CpuCores, 0.0));
    }
}
