//! What `sadf -d` writes: cells between semicolons, for each activity a header that begins with
//! `# hostname;interval;timestamp`, then a row for each time and device.
//!
//! With `-h` there is one header and one row for each time, with all activities side by side. `[...]` in it says
//! that the activity before is there once for each device, but not how often: the devices' names tell.
//!
//! Without `-d` sadf writes one figure a line, see [`sadf_lines`].
//!
//! People make other tables of it: with commas or tabs between cells, without `#`. They are read as well.

use std::collections::BTreeSet;

use super::clock::{self, Stamp};
use super::lines::{is_of_terminal, lines};
use super::sar_report::{Activity, Cores, LeftOut, choose_host, cores_in, explain, is_device};
use super::{Input, Recognition, sadf_lines};
use crate::record::{Recorder, is_disk_name, is_interface_name};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// How a header begins, and what may be between its cells.
const HEADER: [&str; LEADING] = ["hostname", "interval", "timestamp"];
const SEPARATORS: [char; 3] = [';', ',', '\t'];
/// The cells before the figures.
const LEADING: usize = 3;
/// What follows the last column of an activity that repeats.
const REPEATS: &str = "[...]";

pub(crate) fn recognise(head: &str) -> Recognition {
    if head.lines().any(|line| separator(line).is_some()) || sadf_lines::recognise(head) {
        Recognition::Yes
    } else {
        Recognition::No("no header line # hostname;interval;timestamp;…")
    }
}

/// What is between the cells of a header. `None`: the line is none.
fn separator(line: &str) -> Option<char> {
    let mut rest = line.strip_prefix('#').unwrap_or(line).trim_start_matches(' ').strip_prefix(HEADER[0])?;
    let separator = rest.chars().next().filter(|c| SEPARATORS.contains(c))?;
    for name in &HEADER[1..] {
        rest = rest.strip_prefix(separator)?.strip_prefix(name)?;
    }
    Some(separator)
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let between = input.text.lines().find_map(separator);
    if between.is_none() && sadf_lines::recognise(input.text) {
        return sadf_lines::read(input, options);
    }
    let between = between.unwrap_or(';');
    let mut hosts = BTreeSet::new();
    let mut last_host = None;
    for line in input.text.lines().filter(|line| !line.starts_with('#') && separator(line).is_none()) {
        let host = line.split_once(between).map(|(host, _)| host);
        if host != last_host {
            hosts.extend(host);
            last_host = host;
        }
    }
    let mut reader = Reader {
        file: input.file,
        host: choose_host(input.file, &hosts, options.subject.as_deref())?,
        recorder: Recorder::new(input.file, input.text, options),
        header: "",
        separator: between,
        activities: Vec::new(),
        columns: Vec::new(),
        is_used: false,
        cells: Vec::new(),
        counts: Vec::new(),
        time: "",
        stamp: None,
        last_seconds: f64::NEG_INFINITY,
        cores: Cores::new(input.text, |line| line.split(SEPARATORS).nth(LEADING) == Some("-1")),
        node_cores: None,
        restarted: None,
        left_out: LeftOut::default(),
    };
    let mut last_line = 0;
    for (number, line) in lines(input.text) {
        if let Some(found) = separator(line) {
            reader.header(line, found);
        } else if !line.is_empty() && !line.starts_with('#') && !is_of_terminal(line) {
            last_line = number;
            reader.row(number, line)?;
        }
    }
    reader.finish(last_line)
}

/// An activity in a row, and whether it is there once for each device.
struct Part<'t> {
    activity: Activity<'t>,
    repeats: bool,
}

struct Reader<'t, 'o> {
    file: &'t str,
    /// The host to read, if there are several.
    host: Option<&'t str>,
    recorder: Recorder<'o>,
    header: &'t str,
    /// What is between cells.
    separator: char,
    activities: Vec<Part<'t>>,
    /// The columns of all headers, to say what there is.
    columns: Vec<&'t str>,
    /// Whether any of them is of use.
    is_used: bool,
    cells: Vec<&'t str>,
    /// How often each activity is there in the row.
    counts: Vec<usize>,
    /// The time of the last row, as it is there and as it is.
    time: &'t str,
    stamp: Option<Stamp>,
    last_seconds: f64,
    cores: Cores<'t>,
    node_cores: Option<f64>,
    restarted: Option<u64>,
    left_out: LeftOut,
}

impl<'t> Reader<'t, '_> {
    fn header(&mut self, line: &'t str, separator: char) {
        if line == self.header {
            return;
        }
        self.header = line;
        self.separator = separator;
        self.activities.clear();
        let mut names: Vec<&str> = Vec::new();
        for name in line.split(separator).skip(LEADING) {
            // An activity of devices begins with their name; one that repeats ends the one before.
            if is_device(name) && !names.is_empty() {
                self.part(&mut names, false);
            }
            names.push(name.strip_suffix(REPEATS).unwrap_or(name));
            if name.ends_with(REPEATS) {
                self.part(&mut names, true);
            }
        }
        self.part(&mut names, false);
    }

    fn part(&mut self, names: &mut Vec<&'t str>, repeats: bool) {
        if !names.is_empty() {
            const REMEMBERED: usize = 100;
            if self.columns.len() < REMEMBERED {
                self.columns.extend(names.iter());
            }
            let activity = Activity::new(names, &mut self.recorder);
            self.is_used |= activity.is_used();
            self.activities.push(Part { activity, repeats });
            names.clear();
        }
    }

    fn row(&mut self, number: u64, line: &'t str) -> Result<(), ReadError> {
        let mut leading = line.splitn(LEADING + 1, self.separator);
        let (Some(host), Some(interval), Some(time), Some(rest)) =
            (leading.next(), leading.next(), leading.next(), leading.next())
        else {
            self.left_out.row(number);
            return Ok(());
        };
        if self.host.is_some_and(|wanted| wanted != host) {
            return Ok(());
        }
        if rest.starts_with("LINUX-RESTART") {
            if let Some(cores) = cores_in(rest) {
                self.node_cores = Some(cores);
                self.recorder.cores(cores);
            }
            if self.recorder.samples() > 0 {
                self.restarted.get_or_insert(number);
            }
            return Ok(());
        }
        if rest.starts_with("COM") || !self.activities.iter().any(|part| part.activity.is_used()) {
            return Ok(());
        }
        self.cells.clear();
        self.cells.extend(rest.split(self.separator));
        let is_fit = match self.activities.as_slice() {
            [part] if !part.repeats => {
                self.counts.clear();
                self.counts.push(1);
                self.cells.len() == part.activity.names.len()
            }
            parts => count(parts, &self.cells, &mut self.counts),
        };
        if !is_fit {
            self.left_out.row(number);
            return Ok(());
        }
        self.open(number, interval, time)?;
        let mut rest = self.cells.as_slice();
        for (part, count) in self.activities.iter().zip(&self.counts) {
            for _ in 0..*count {
                let (cells, after) = rest.split_at_checked(part.activity.names.len()).unwrap_or_default();
                rest = after;
                part.activity
                    .put(cells, &mut self.recorder, &mut self.cores)
                    .map_err(|column| part.activity.not_a_number(self.file, number, column, cells))?;
            }
        }
        Ok(())
    }

    /// Opens the sample of a row.
    fn open(&mut self, number: u64, interval: &str, time: &'t str) -> Result<(), ReadError> {
        let stamp = match self.stamp.filter(|_| time == self.time) {
            Some(stamp) => stamp,
            None => clock::stamp(time).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadTime, self.file, "expected a time such as 2024-05-01 13:05:09 UTC")
                    .at_line(number)
                    .in_column("timestamp")
                    .seeing(time)
            })?,
        };
        if stamp.seconds < self.last_seconds {
            // The next activity: over time again.
            self.recorder.pass();
        }
        if stamp.seconds < self.last_seconds || self.recorder.samples() == 0 {
            let interval = interval.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds < stamp.seconds);
            if let Some(interval) = interval {
                self.recorder.start(Stamp { seconds: stamp.seconds - interval, ..stamp });
            }
        }
        (self.time, self.stamp, self.last_seconds) = (time, Some(stamp), stamp.seconds);
        self.recorder.sample(number, stamp, time);
        Ok(())
    }

    fn finish(mut self, last_line: u64) -> Result<Trace, ReadError> {
        if let Some(line) = self.restarted {
            let message = "The node started anew in the middle: it did something else than before then.";
            self.recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
        }
        if let Some(line) = self.left_out.first().filter(|_| self.recorder.samples() == 0) {
            let problem = "no row has as many cells as its header";
            return Err(ReadError::new(ReadErrorKind::RaggedRow, self.file, problem)
                .at_line(line)
                .hinting("Record without -h, and fewer activities: sadf -d FILE -- -u ALL -r -d -n DEV."));
        }
        self.left_out.warn(last_line, &mut self.recorder);
        self.cores.check(self.node_cores, &mut self.recorder);
        self.recorder.finish().map_err(|error| explain(error, self.is_used, &self.columns))
    }
}

/// How often each activity is there in a row. `false`: the row doesn't fit.
fn count(parts: &[Part], cells: &[&str], counts: &mut Vec<usize>) -> bool {
    // What is there at least, from each activity on.
    let mut at_least: Vec<usize> = vec![0];
    for part in parts.iter().rev() {
        let names = if part.repeats { 0 } else { part.activity.names.len() };
        at_least.push(at_least.last().copied().unwrap_or(0) + names);
    }
    at_least.pop();
    let mut rest = cells;
    counts.clear();
    for part in parts {
        let (width, after) = (part.activity.names.len(), at_least.pop().unwrap_or(0));
        let mut count = 0;
        let mut last_core = None;
        while rest.len() >= width + if part.repeats { after } else { 0 } && (part.repeats || count == 0) {
            let first = rest.first().copied().unwrap_or_default();
            if part.repeats && !is_item(part.activity.names.first(), first, &mut last_core) {
                break;
            }
            rest = rest.get(width..).unwrap_or_default();
            count += 1;
        }
        if count == 0 && !part.repeats {
            return false;
        }
        counts.push(count);
    }
    rest.is_empty()
}

/// Whether a cell can be the name of one more device of a kind. Cores come in rising order.
fn is_item(kind: Option<&&str>, cell: &str, last_core: &mut Option<i64>) -> bool {
    match kind {
        Some(&"CPU") => {
            let core = cell.parse::<i64>().ok().filter(|core| last_core.is_none_or(|last| *core > last));
            *last_core = core.or(*last_core);
            core.is_some()
        }
        Some(&"DEV") => !is_number(cell) && !is_interface_name(cell),
        Some(&"IFACE") => !is_number(cell) && !is_disk_name(cell),
        _ => !cell.contains(['.', ',']),
    }
}

fn is_number(cell: &str) -> bool {
    cell.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-'))
}
