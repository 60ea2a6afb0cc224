//! What sar's reports and sadf's have in common: activities, each with a header and rows of figures, of the node or
//! of one of its devices.

use std::collections::BTreeSet;

use super::lines::number;
use super::sar_names;
use crate::record::{FieldId, Recorder, Unit};
use crate::{ReadError, ReadErrorKind, Warning, WarningKind};

/// The sizes after numbers that are made for people, in bytes. sar means 1024 by k.
const SIZES: &[(u8, f64)] = &[
    (b'B', 1.0),
    (b'k', 1024.0),
    (b'K', 1024.0),
    (b'M', 1_048_576.0),
    (b'G', 1_073_741_824.0),
    (b'T', 1_099_511_627_776.0),
    (b'P', 1_125_899_906_842_624.0),
];

/// An activity, such as CPU or network: its columns.
pub(crate) struct Activity<'t> {
    /// The names of the columns, without those of the time.
    pub(crate) names: Vec<&'t str>,
    /// The column that says which device the row is about.
    device: Option<usize>,
    /// Whether devices are processors.
    is_cpu: bool,
    figures: Vec<Figure>,
    /// The same for a single core.
    of_core: Vec<Figure>,
}

struct Figure {
    column: usize,
    field: FieldId,
    factor: f64,
}

impl<'t> Activity<'t> {
    pub(crate) fn new(names: &[&'t str], recorder: &mut Recorder) -> Activity<'t> {
        let device = names.iter().position(|name| is_device(name));
        let is_cpu = device.is_some_and(|index| names[index] == "CPU");
        let (mut figures, mut of_core) = (Vec::new(), Vec::new());
        for (column, name) in names.iter().enumerate() {
            let Some((signal, unit)) = sar_names::signal(name) else { continue };
            let mut figure = |unit: Unit| Figure {
                column,
                field: recorder.field(signal, name, unit),
                factor: unit.factor,
            };
            figures.push(figure(unit));
            if is_cpu {
                of_core.push(figure(Unit::PERCENT_OF_CORE));
            }
        }
        Activity { names: names.to_vec(), device, is_cpu, figures, of_core }
    }

    /// Whether there is anything of use in it.
    pub(crate) fn is_used(&self) -> bool {
        !self.figures.is_empty()
    }

    /// Puts the figures of a row with as many cells as there are names into the open sample.
    ///
    /// # Errors
    /// The column of a cell that is no number.
    pub(crate) fn put(
        &self,
        cells: &[&str],
        recorder: &mut Recorder,
        cores: &mut Cores,
    ) -> Result<(), usize> {
        let device = self.device.and_then(|column| cells.get(column).copied());
        let (figures, device) = match device {
            Some("all" | "-1") if self.is_cpu => {
                cores.has_all();
                (&self.figures, None)
            }
            Some(core) if self.is_cpu => {
                if !cores.count(core) {
                    return Ok(());
                }
                (&self.of_core, Some(core))
            }
            _ => (&self.figures, device),
        };
        for figure in figures {
            let cell = cells.get(figure.column).copied().unwrap_or_default();
            let value = value(cell, figure.factor).ok_or(figure.column)?;
            match device {
                Some(device) => recorder.put_of(figure.field, device, value),
                None => recorder.put(figure.field, value),
            }
        }
        Ok(())
    }

    /// What to say of a cell that is no number.
    pub(crate) fn not_a_number(&self, file: &str, line: u64, column: usize, cells: &[&str]) -> ReadError {
        ReadError::new(ReadErrorKind::BadNumber, file, "expected a number")
            .at_line(line)
            .in_column(self.names.get(column).copied().unwrap_or_default())
            .seeing(cells.get(column).copied().unwrap_or_default())
    }
}

/// Whether a column says which device a row is about.
pub(crate) fn is_device(name: &str) -> bool {
    matches!(name, "CPU" | "DEV" | "IFACE")
}

/// A number, or a size such as `1.5M` in the unit that is so many bytes.
fn value(cell: &str, factor: f64) -> Option<f64> {
    let Some(end) = cell.bytes().last().filter(|byte| !byte.is_ascii_digit()) else {
        return number(cell);
    };
    let Some(digits) = cell.get(..cell.len() - 1).filter(|digits| !digits.is_empty()) else {
        return number(cell);
    };
    if end == b'%' {
        return number(digits);
    }
    match SIZES.iter().find(|(letter, _)| *letter == end) {
        Some((_, bytes)) => Some(number(digits)? * bytes / factor),
        None => number(cell),
    }
}

/// The processors whose figures are used: the row of all of them, or else each.
pub(crate) struct Cores<'t> {
    text: &'t str,
    /// Whether a line is about all processors together.
    is_all: fn(&str) -> bool,
    has_all: Option<bool>,
    seen: BTreeSet<u32>,
}

impl<'t> Cores<'t> {
    pub(crate) fn new(text: &'t str, is_all: fn(&str) -> bool) -> Cores<'t> {
        Cores { text, is_all, has_all: None, seen: BTreeSet::new() }
    }

    /// There are figures of all of them together.
    pub(crate) fn has_all(&mut self) {
        self.has_all = Some(true);
    }

    /// Whether the figures of a single core are to be used.
    pub(crate) fn count(&mut self, core: &str) -> bool {
        // Most often the row of all came before, and this is not asked.
        let has_all = *self.has_all.get_or_insert_with(|| self.text.lines().any(self.is_all));
        if !has_all && let Ok(core) = core.parse() {
            self.seen.insert(core);
            return true;
        }
        false
    }

    /// Says so if some cores are missing.
    pub(crate) fn check(&self, of: Option<f64>, recorder: &mut Recorder) {
        let Some(of) = of.filter(|of| !self.seen.is_empty() && (self.seen.len() as f64) < *of) else {
            return;
        };
        let message = format!("It has figures of {} of the node's {of} cores only.", self.seen.len());
        recorder.warnings.push(
            Warning::new(WarningKind::Other, message).hinting("Record them all together: leave -P out."),
        );
    }
}

/// The number in `(4 CPU)`.
pub(crate) fn cores_in(line: &str) -> Option<f64> {
    let end = line.rfind(" CPU)")?;
    let start = line[..end].rfind('(')?;
    line[start + 1..end].trim().parse::<u32>().ok().map(f64::from)
}

/// Says what is in a file in which nothing is of use. `is_used`: some of it was meant to be.
pub(crate) fn explain(mut error: ReadError, is_used: bool, columns: &[&str]) -> ReadError {
    const SHOWN: usize = 6;
    if columns.is_empty() || (is_used && error.kind != ReadErrorKind::BadHeader) {
        return error;
    }
    if !is_used {
        error.kind = ReadErrorKind::BadHeader;
        error.problem = "no figure in it that Cotrace can use".into();
    }
    let mut shown: Vec<&str> = columns.iter().take(SHOWN).copied().collect();
    if columns.len() > SHOWN {
        shown.push("…");
    }
    let shown = crate::error::excerpt(&shown.join(", "), 120);
    error.hinting(format!("It has {shown}. Record at least CPU."))
}

/// What to say of rows that are left out.
#[derive(Default)]
pub(crate) struct LeftOut {
    rows: usize,
    first: Option<u64>,
    last: u64,
}

impl LeftOut {
    pub(crate) fn row(&mut self, line: u64) {
        self.rows += 1;
        self.first.get_or_insert(line);
        self.last = line;
    }

    /// The line of the first.
    pub(crate) fn first(&self) -> Option<u64> {
        self.first
    }

    /// Says so. `last_line`: the last line of the file with something in it.
    pub(crate) fn warn(&self, last_line: u64, recorder: &mut Recorder) {
        let Some(first) = self.first else { return };
        let warning = if self.rows == 1 && self.last == last_line {
            Warning::new(WarningKind::CutOff, "The last line is cut off; it was left out.")
        } else {
            let rows = if self.rows == 1 { "1 line".to_owned() } else { format!("{} lines", self.rows) };
            let message =
                format!("Left out {rows} that can't be read: not as many figures as in the header.");
            Warning::new(WarningKind::RowsLeftOut, message)
        };
        recorder.warnings.push(warning.at_line(first));
    }
}

/// Picks the host to read. `None`: there is one only.
///
/// # Errors
/// [`ReadErrorKind::Several`] if there are several and `subject` names none of them.
pub(crate) fn choose_host<'t>(
    file: &str,
    hosts: &BTreeSet<&'t str>,
    subject: Option<&str>,
) -> Result<Option<&'t str>, ReadError> {
    if hosts.len() < 2 {
        return Ok(None);
    }
    if let Some(host) = subject.and_then(|subject| hosts.get(subject)) {
        return Ok(Some(host));
    }
    let problem = format!("{} hosts in one file", hosts.len());
    let mut error = ReadError::new(ReadErrorKind::Several, file, problem).hinting("Say which one.");
    if let Some(subject) = subject {
        error = error.seeing(subject).hinting("There is none of that name. Say which one.");
    }
    error.choices = hosts.iter().map(|host| (*host).to_owned()).collect();
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_for_people_are_read() {
        let cases = [
            ("1.5M", 1024.0, Some(1536.0)),
            ("1,5M", 1024.0, Some(1536.0)),
            ("0.0B", 1024.0, Some(0.0)),
            ("2k", 512.0, Some(4.0)),
            ("2.0G", 1.0, Some(2_147_483_648.0)),
            ("36.8%", 0.01, Some(36.8)),
            ("12.25", 1024.0, Some(12.25)),
            ("M", 1.0, None),
            ("1.5X", 1.0, None),
            ("é", 1.0, None),
        ];
        for (cell, factor, wanted) in cases {
            assert_eq!(value(cell, factor), wanted, "{cell}");
        }
    }

    #[test]
    fn cores_are_found() {
        for (line, wanted) in [
            ("LINUX RESTART (8 CPU)", Some(8.0)),
            ("x\t(16 CPU)", Some(16.0)),
            ("(x CPU)", None),
            (" CPU)", None),
        ] {
            assert_eq!(cores_in(line), wanted, "{line}");
        }
    }
}
