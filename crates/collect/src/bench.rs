//! What every run of a measurement shares, and the steps before one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::accounting::JobGroup;
use crate::stage::Stage;
use crate::{Accounting, CollectError, JobCommand, Plan, PlanJob, Planned};

/// What every run of a measurement shares.
pub(crate) struct Bench<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) whole: &'a Stage,
    pub(crate) sample_seconds: f64,
    pub(crate) work: &'a Path,
    pub(crate) stop: &'a AtomicBool,
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
    pub(crate) fn command(
        &self,
        job: &PlanJob,
        what: &JobCommand,
        label: &str,
    ) -> Result<Command, CollectError> {
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
        group.enter_on_exec(&mut command, None);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        group.started(child.id().cast_signed());
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

    /// How long the parts of a job took that it printed as lines `part NAME SECONDS`.
    pub(crate) fn parts(&self, label: &str) -> BTreeMap<String, f64> {
        let log = fs::read_to_string(self.log(label)).unwrap_or_default();
        log.lines()
            .filter_map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["part", name, seconds] => Some((name.to_owned(), seconds.parse().ok()?)),
                _ => None,
            })
            .collect()
    }

    /// The end of a job's output, for messages.
    pub(crate) fn log_end(&self, label: &str) -> String {
        let bytes = fs::read(self.log(label)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let end = &lines[lines.len().saturating_sub(5)..];
        if end.is_empty() {
            String::new()
        } else {
            format!("; its output ended with:\n  {}", end.join("\n  "))
        }
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
}
