//! What `atop -P` writes: a line for each figure's label with the host, the time, and how many seconds it speaks
//! of; `SEP` after each sample, `RESET` before one that speaks of all the time since boot.
//!
//! ```text
//! CPU node 1796073470 2026/11/30 21:17:50 1 100 2 46 95 59 0 0 0 0 1 0 5586 100 0 0
//! ```
//!
//! What follows has no names; newer versions only add fields at the end. Figures count what happened in the
//! sample's time: clock ticks, sectors of 512 bytes, bytes, microseconds.

use super::clock::Stamp;
use super::lines::lines;
use super::{Input, Recognition, clock};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// The labels that the tool knows, to recognise it by.
const LABELS: &[&str] = &[
    "CPU", "cpu", "CPL", "GPU", "MEM", "SWP", "PAG", "PSI", "LVM", "MDD", "DSK", "NFM", "NFC", "NFS", "NET",
    "IFB", "LLC", "NUM", "NUC", "NUMA", "NUMC", "PRG", "PRC", "PRE", "PRM", "PRD", "PRN",
];
/// The labels that are used.
const USED: &[&str] = &["CPU", "CPL", "MEM", "PSI", "DSK", "NET"];
/// Where the fields after label, host, epoch, date, time and interval begin.
const HEAD: usize = 6;
/// The CPU line's parts of all ticks: place, name, what it is. Guests are in the user's part already.
const TICKS: &[(usize, &str, Signal)] = &[
    (2, "CPU system", Signal::System),
    (3, "CPU user", Signal::User),
    (4, "CPU nice", Signal::Nice),
    (5, "CPU idle", Signal::Idle),
    (6, "CPU wait", Signal::Iowait),
    (7, "CPU irq", Signal::Irq),
    (8, "CPU softirq", Signal::SoftIrq),
    (9, "CPU steal", Signal::Steal),
];
/// The MEM line's sizes in pages.
const PAGES: &[(usize, &str, Signal)] = &[
    (1, "MEM physical", Signal::MemoryTotal),
    (2, "MEM free", Signal::MemoryFree),
    (3, "MEM page cache", Signal::Cached),
    (4, "MEM buffer cache", Signal::Buffers),
    (7, "MEM reclaimable slab", Signal::Reclaimable),
];
/// The PSI line's microseconds in which some task waited.
const PRESSURE: &[(usize, &str, Signal)] = &[
    (4, "PSI cpu some", Signal::CpuPressure),
    (8, "PSI memory some", Signal::MemoryPressure),
    (16, "PSI io some", Signal::IoPressure),
];
/// Microseconds in a second, as a share of it.
const MICROSECONDS: Unit = Unit::ONE.times(1e-6, "microseconds/s");

pub(crate) fn recognise(head: &str) -> Recognition {
    let is_ours = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().take(HEAD).collect();
        let [label, _, epoch, date, _, interval] = fields[..] else { return false };
        LABELS.contains(&label)
            && epoch.len() >= 9
            && date.len() == 10
            && date.contains('/')
            && [epoch, interval].iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if head.lines().any(is_ours) {
        Recognition::Yes
    } else {
        Recognition::No("no line such as CPU host 1714567890 2024/05/01 12:51:30 1 …")
    }
}

struct Reader<'a> {
    file: &'a str,
    recorder: Recorder<'a>,
    node: Vec<FieldId>,
    disks: [FieldId; 2],
    interfaces: [FieldId; 2],
    /// The sample that is read speaks of all the time since boot.
    since_boot: bool,
    /// A sample without figures of its time was said to be there.
    said: bool,
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut recorder = Recorder::new(input.file, input.text, options);
    let disks = [
        recorder.field(Signal::DiskRead, "DSK sectors read", Unit::SECTORS_PER_SECOND),
        recorder.field(Signal::DiskWrite, "DSK sectors written", Unit::SECTORS_PER_SECOND),
    ];
    let interfaces = [
        recorder.field(Signal::NetworkReceive, "NET bytes received", Unit::BYTES_PER_SECOND),
        recorder.field(Signal::NetworkTransmit, "NET bytes sent", Unit::BYTES_PER_SECOND),
    ];
    let mut node = Vec::new();
    for (fields, unit) in [(TICKS, Unit::SHARE_OF_NODE), (PAGES, Unit::BYTES), (PRESSURE, MICROSECONDS)] {
        node.extend(fields.iter().map(|(_, name, signal)| recorder.field(*signal, name, unit)));
    }
    node.push(recorder.field(Signal::ContextSwitches, "CPL context switches", Unit::PER_SECOND));
    let mut reader =
        Reader { file: input.file, recorder, node, disks, interfaces, since_boot: false, said: false };
    let mut all = lines(input.text).filter(|(_, line)| !line.is_empty()).peekable();
    let mut left_out: Option<(u64, usize)> = None;
    let mut words = Vec::new();
    while let Some((line, text)) = all.next() {
        let is_last = all.peek().is_none();
        match reader.line(line, text, &mut words) {
            Ok(()) => {}
            Err(_) if is_last => {
                let message = "The last line is cut off; it was left out.";
                reader.recorder.warnings.push(Warning::new(WarningKind::CutOff, message).at_line(line));
            }
            // A line with too few fields: the log is garbled there.
            Err(error) if error.kind == ReadErrorKind::RaggedRow => {
                left_out.get_or_insert((line, 0)).1 += 1;
            }
            Err(error) => return Err(error),
        }
    }
    if let Some((line, count)) = left_out {
        let them = if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
        let message = format!("Left out {them} with too few fields.");
        reader.recorder.warnings.push(Warning::new(WarningKind::RowsLeftOut, message).at_line(line));
    }
    reader.recorder.finish()
}

impl Reader<'_> {
    fn line<'t>(&mut self, line: u64, text: &'t str, words: &mut Vec<&'t str>) -> Result<(), ReadError> {
        words.clear();
        match text.split_ascii_whitespace().next().unwrap_or_default() {
            "RESET" => {
                self.since_boot = true;
                self.said = false;
                return Ok(());
            }
            "SEP" => {
                self.since_boot = false;
                return Ok(());
            }
            // Most lines are of processes.
            label if !USED.contains(&label) => return Ok(()),
            _ => words.extend(text.split_ascii_whitespace()),
        }
        let error = |kind, problem: &str, seen: &str| {
            ReadError::new(kind, self.file, problem).at_line(line).in_column(words[0]).seeing(seen)
        };
        if words.len() < HEAD {
            return Err(error(ReadErrorKind::RaggedRow, "too few fields", text));
        }
        let Some(stamp) = clock::stamp(words[2]).filter(|stamp| stamp.dated) else {
            return Err(error(ReadErrorKind::BadTime, "expected seconds since 1970", words[2]));
        };
        let seconds = self.number(line, words, HEAD - 1)?;
        if words[0] == "CPU" {
            self.recorder.cores(self.number(line, words, HEAD + 1)?);
        }
        if !self.since_boot {
            self.recorder.sample(line, stamp, text);
            return self.fields(line, words, seconds);
        }
        self.restart(line, stamp, text);
        if words[0] == "MEM" { self.fields(line, words, seconds) } else { Ok(()) }
    }

    /// A sample of all the time since boot: at the start it says when the run began. Later something was started
    /// anew, and what happened since the last sample isn't known.
    fn restart(&mut self, line: u64, stamp: Stamp, text: &str) {
        if self.recorder.samples() == 0 {
            self.recorder.start(stamp);
            return;
        }
        self.recorder.sample(line, stamp, text);
        if !self.said {
            self.said = true;
            let message = "atop or the machine was started anew in the middle of the file.";
            self.recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
        }
    }

    fn number(&self, line: u64, words: &[&str], index: usize) -> Result<f64, ReadError> {
        let label = words.first().copied().unwrap_or_default();
        let error = |kind, problem| ReadError::new(kind, self.file, problem).at_line(line).in_column(label);
        let Some(word) = words.get(index) else {
            return Err(error(ReadErrorKind::RaggedRow, "too few fields").seeing(&words.join(" ")));
        };
        let number = word.parse().ok().filter(|value: &f64| value.is_finite());
        number.ok_or_else(|| error(ReadErrorKind::BadNumber, "expected a number").seeing(word))
    }

    fn fields(&mut self, line: u64, words: &[&str], seconds: f64) -> Result<(), ReadError> {
        let seconds = if seconds > 0.0 { seconds } else { f64::NAN };
        let (ticks, rest) = self.node.split_at(TICKS.len());
        let (pages, rest) = rest.split_at(PAGES.len());
        let (pressure, switches) = rest.split_at(PRESSURE.len());
        let mut values: Vec<(FieldId, f64)> = Vec::new();
        let mut device = None;
        match words[0] {
            "CPU" => {
                let of_all: Vec<f64> = TICKS
                    .iter()
                    .map(|(index, ..)| self.number(line, words, HEAD + index))
                    .collect::<Result<_, _>>()?;
                let all: f64 = of_all.iter().sum();
                let share = |ticks: f64| if all > 0.0 { ticks / all } else { f64::NAN };
                values.extend(ticks.iter().copied().zip(of_all.into_iter().map(share)));
            }
            "MEM" => {
                let page = self.number(line, words, HEAD)?;
                for (field, (index, ..)) in pages.iter().zip(PAGES) {
                    // Older versions have no reclaimable slab.
                    if words.len() > HEAD + index || *index < 7 {
                        values.push((*field, self.number(line, words, HEAD + index)? * page));
                    }
                }
            }
            "CPL" => values.push((switches[0], self.number(line, words, HEAD + 4)? / seconds)),
            "PSI" if words.get(HEAD) == Some(&"y") => {
                for (field, (index, ..)) in pressure.iter().zip(PRESSURE) {
                    values.push((*field, self.number(line, words, HEAD + index)? / seconds));
                }
            }
            "DSK" => {
                device = words.get(HEAD);
                for (field, index) in self.disks.iter().zip([3, 5]) {
                    values.push((*field, self.number(line, words, HEAD + index)? / seconds));
                }
            }
            // The line of the upper layers has packets, not bytes.
            "NET" if words.get(HEAD) != Some(&"upper") => {
                device = words.get(HEAD);
                for (field, index) in self.interfaces.iter().zip([2, 4]) {
                    values.push((*field, self.number(line, words, HEAD + index)? / seconds));
                }
            }
            _ => {}
        }
        for (field, value) in values {
            match device {
                Some(device) => self.recorder.put_of(field, device, value),
                None => self.recorder.put(field, value),
            }
        }
        Ok(())
    }
}
