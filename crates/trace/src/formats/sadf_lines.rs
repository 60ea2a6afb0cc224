//! What `sadf` writes without a choice of format, or with `-p`: one figure a line, between tabs the host, the interval,
//! the time, the device (`-` for the node, `all` and `cpu0` for processors), the name of the figure, the figure.

use std::collections::BTreeSet;

use super::clock::{self, Stamp};
use super::lines::{is_of_terminal, lines, number};
use super::sar_report::{Cores, LeftOut, choose_host, cores_in, explain};
use super::{Input, sar_names};
use crate::record::{FieldId, Recorder, Scale, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// The cells of a line.
struct Line<'t> {
    host: &'t str,
    interval: &'t str,
    time: &'t str,
    device: &'t str,
    /// Empty in a remark.
    name: &'t str,
    value: &'t str,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Option<Line<'t>> {
        let mut cells = line.split('\t');
        let mut next = || cells.next();
        let (host, interval, time, device) = (next()?, next()?, next()?, next()?);
        let (name, value) = (next().unwrap_or_default(), next().unwrap_or_default());
        interval.parse::<i64>().ok()?;
        (cells.next().is_none()).then_some(Line { host, interval, time, device, name, value })
    }

    fn is_restart(&self) -> bool {
        self.device == "LINUX-RESTART"
    }

    /// The processor that the line is about.
    fn core(&self) -> Option<&'t str> {
        self.device.strip_prefix("cpu").filter(|core| core.parse::<u32>().is_ok())
    }
}

/// Whether the start of a file is of this layout.
pub(crate) fn recognise(head: &str) -> bool {
    let mut lines = head.lines().filter(|line| !line.trim().is_empty() && !is_of_terminal(line));
    let first = lines.next().and_then(Line::of);
    first.is_some_and(|line| {
        clock::stamp(line.time).is_some()
            && (line.is_restart() || !line.value.is_empty())
            && head.lines().filter_map(Line::of).any(|line| sar_names::signal(line.name).is_some())
    })
}

/// What a name stands for.
struct Known<'t> {
    name: &'t str,
    is_of_core: bool,
    /// Its field, if it is of use, and whether it is a share of the processors' time.
    field: Option<(FieldId, bool)>,
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut hosts = BTreeSet::new();
    let mut last_host = "";
    for host in input.text.lines().filter_map(Line::of).map(|line| line.host) {
        if host != last_host {
            hosts.insert(host);
            last_host = host;
        }
    }
    let host = choose_host(input.file, &hosts, options.subject.as_deref())?;
    let mut recorder = Recorder::new(input.file, input.text, options);
    let is_all =
        |line: &str| Line::of(line).is_some_and(|line| line.device == "all" && sar_names::is_cpu(line.name));
    let mut cores = Cores::new(input.text, is_all);
    let (mut left_out, mut last_line, mut restarted, mut node_cores) = (LeftOut::default(), 0, None, None);
    // Figures by their place in a list of few names, so that no line looks up more than these.
    let mut known: Vec<Known> = Vec::new();
    let (mut open, mut last) = ("", None::<Stamp>);
    for (number_of_line, text) in lines(input.text) {
        if text.is_empty() || is_of_terminal(text) {
            continue;
        }
        last_line = number_of_line;
        let Some(line) = Line::of(text) else {
            left_out.row(number_of_line);
            continue;
        };
        if host.is_some_and(|host| host != line.host) {
            continue;
        }
        if line.is_restart() {
            if let Some(cores) = cores_in(line.name) {
                node_cores = Some(cores);
                recorder.cores(cores);
            }
            if recorder.samples() > 0 {
                restarted.get_or_insert(number_of_line);
            }
            continue;
        }
        let core = line.core();
        let is_of_core = core.is_some();
        let there = known.iter().find(|known| known.name == line.name && known.is_of_core == is_of_core);
        let field = if let Some(known) = there {
            known.field
        } else {
            const MOST: usize = 1000;
            let field = sar_names::signal(line.name).map(|(signal, unit)| {
                let is_cpu = unit.scale == Scale::OfNode;
                let unit = if is_cpu && is_of_core { Unit::PERCENT_OF_CORE } else { unit };
                (recorder.field(signal, line.name, unit), is_cpu)
            });
            if known.len() < MOST {
                known.push(Known { name: line.name, is_of_core, field });
            }
            field
        };
        let Some((field, is_cpu)) = field else { continue };
        if line.value.is_empty() {
            left_out.row(number_of_line);
            continue;
        }
        if let Some(core) = core.filter(|_| is_cpu)
            && !cores.count(core)
        {
            continue;
        }
        if open != line.time || last.is_none() {
            let stamp = clock::stamp(line.time).ok_or_else(|| {
                ReadError::new(
                    ReadErrorKind::BadTime,
                    input.file,
                    "expected a time such as 2024-05-01 13:05:09 UTC",
                )
                .at_line(number_of_line)
                .seeing(line.time)
            })?;
            let is_back = last.is_some_and(|last| stamp.seconds < last.seconds);
            if is_back {
                recorder.pass();
            }
            let interval = line.interval.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
            if let Some(interval) = interval.filter(|_| is_back || last.is_none())
                && interval < stamp.seconds
            {
                recorder.start(Stamp { seconds: stamp.seconds - interval, ..stamp });
            }
            recorder.sample(number_of_line, stamp, line.time);
            (open, last) = (line.time, Some(stamp));
        }
        let value = number(line.value).ok_or_else(|| {
            ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                .at_line(number_of_line)
                .in_column(line.name)
                .seeing(line.value)
        })?;
        match line.device {
            "-" => recorder.put(field, value),
            "all" if is_cpu => recorder.put(field, value),
            device => recorder.put_of(field, device, value),
        }
    }
    if let Some(line) = restarted {
        let message = "The node started anew in the middle: it did something else than before then.";
        recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
    }
    left_out.warn(last_line, &mut recorder);
    cores.check(node_cores, &mut recorder);
    let names: Vec<&str> = known.iter().map(|known| known.name).collect();
    let is_used = known.iter().any(|known| known.field.is_some());
    recorder.finish().map_err(|error| explain(error, is_used, &names))
}
