//! Number fields: what a person typed, what it means, and what is wrong with it.

use cotrace_trace::Capacity;

use crate::format::moment;
use crate::messages::Stretch;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
const MEGABYTE: f64 = 1e6;

/// What a person typed. Untouched and emptied fields are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field(String);

impl Field {
    /// A field that says `number`, or nothing.
    pub fn of(number: Option<f64>) -> Field {
        Field(number.map(|number| number.to_string()).unwrap_or_default())
    }

    /// The text, without spaces around it.
    pub fn text(&self) -> &str {
        self.0.trim()
    }

    /// The text as it is in the field.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// Replaces the text.
    pub fn set(&mut self, text: String) {
        self.0 = text;
    }
}

/// The number in `text`; `Ok(None)` if there is none.
///
/// # Errors
///
/// What to tell the person: it is no number, or one that makes no sense here.
pub fn parse_positive(text: &str) -> Result<Option<f64>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.contains(',') {
        return Err(format!("“{text}”: write a point for decimals, and nothing between thousands."));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(Some(value)),
        Ok(_) => Err(format!("“{text}”: give a number above 0, or nothing if it is not known.")),
        Err(_) => Err(format!("“{text}” is not a number.")),
    }
}

/// The start offset in `text`, in seconds; nothing typed is 0.
///
/// # Errors
///
/// What to tell the person.
pub fn parse_offset(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(0.0) => Ok(0.0),
        Ok(value) if value < 0.0 => {
            Err("A starts first: give 0 s or more. To let B start first, swap the jobs.".to_owned())
        }
        _ => parse_positive(text).map(|value| value.unwrap_or(0.0)),
    }
}

/// The point in time in `text`, in seconds: `12:03`, `1:02:03`, `7.5`.
///
/// # Errors
///
/// What to tell the person.
pub fn parse_moment(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let wrong = || format!("“{text}” is no time: write minutes and seconds, as 12:03.");
    let parts: Vec<&str> = text.split(':').collect();
    if text.is_empty() || parts.len() > 3 {
        return Err(wrong());
    }
    parts.iter().try_fold(0.0, |seconds, part| {
        // Not what parse() takes beside it: signs, exponents, names of numbers.
        let plain = part.chars().all(|c| c.is_ascii_digit() || c == '.');
        let value = part.parse::<f64>().ok().filter(|_| plain).ok_or_else(wrong)?;
        Ok(seconds * 60.0 + value)
    })
}

/// The stretch of a trace of `duration_seconds` between two points in time as typed; an empty end is the trace's.
///
/// # Errors
///
/// What to tell the person.
pub fn parse_stretch(from: &str, to: &str, duration_seconds: f64) -> Result<Stretch, String> {
    let or = |text: &str, end: f64| if text.trim().is_empty() { Ok(end) } else { parse_moment(text) };
    let from_seconds = or(from, 0.0)?;
    // What is typed is rounded: a little beyond the end is the end.
    let to_seconds = or(to, duration_seconds)?;
    if to_seconds > duration_seconds + 1.0 {
        return Err(format!("The trace ends at {}.", moment(duration_seconds)));
    }
    let to_seconds = to_seconds.min(duration_seconds);
    if from_seconds < to_seconds {
        Ok(Stretch { from_seconds, to_seconds })
    } else {
        Err("The stretch must end after it starts.".to_owned())
    }
}

/// A part of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeField {
    /// Logical processors.
    Cores,
    /// Memory in GiB.
    Memory,
    /// Disk in MB/s.
    Disk,
    /// Network in MB/s and direction.
    Network,
}

impl NodeField {
    /// All, in the order of the form.
    pub const ALL: [NodeField; 4] =
        [NodeField::Cores, NodeField::Memory, NodeField::Disk, NodeField::Network];

    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            NodeField::Cores => "Cores",
            NodeField::Memory => "Memory",
            NodeField::Disk => "Disk",
            NodeField::Network => "Network",
        }
    }

    /// The unit people type.
    pub fn unit(self) -> &'static str {
        match self {
            NodeField::Cores => "cores",
            NodeField::Memory => "GiB",
            NodeField::Disk | NodeField::Network => "MB/s",
        }
    }

    /// A word for the element's id.
    pub fn id(self) -> &'static str {
        match self {
            NodeField::Cores => "node-cores",
            NodeField::Memory => "node-memory",
            NodeField::Disk => "node-disk",
            NodeField::Network => "node-network",
        }
    }

    /// Base units in one unit of the form.
    fn scale(self) -> f64 {
        match self {
            NodeField::Cores => 1.0,
            NodeField::Memory => GIB,
            NodeField::Disk | NodeField::Network => MEGABYTE,
        }
    }

    /// This part of `capacity`, as the form writes it.
    pub fn text_of(self, capacity: &Capacity) -> Option<String> {
        self.part_of(capacity).map(|value| crate::format::digits(value / self.scale()))
    }

    /// This part of `capacity` with all its digits, in the unit of the form.
    fn exactly(self, capacity: &Capacity) -> Option<String> {
        self.part_of(capacity).map(|value| (value / self.scale()).to_string())
    }

    /// This part of `capacity`, in base units.
    pub fn part_of(self, capacity: &Capacity) -> Option<f64> {
        match self {
            NodeField::Cores => capacity.cores,
            NodeField::Memory => capacity.memory_bytes,
            NodeField::Disk => capacity.disk_bytes_per_second,
            NodeField::Network => capacity.network_bytes_per_second,
        }
    }
}

/// What a person said about the node. A field left alone means what the traces say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeForm {
    typed: [Option<Field>; 4],
}

impl NodeForm {
    /// A form that says what is known of a node.
    pub fn of(node: &Capacity) -> NodeForm {
        NodeForm { typed: NodeField::ALL.map(|field| field.exactly(node).map(Field)) }
    }

    /// What was typed for `field`. `None`: it was left alone.
    pub fn typed(&self, field: NodeField) -> Option<&Field> {
        self.typed[field as usize].as_ref()
    }

    /// Types `text`.
    pub fn set(&mut self, field: NodeField, text: String) {
        self.typed[field as usize] = Some(Field(text));
    }

    /// Leaves `field` to the traces again.
    pub fn reset(&mut self, field: NodeField) {
        self.typed[field as usize] = None;
    }

    /// What is wrong with `field`, if something is.
    pub fn problem(&self, field: NodeField) -> Option<String> {
        parse_positive(self.typed(field)?.text()).err()
    }

    /// What was typed, in base units. Parts that were left alone or emptied are `None`.
    ///
    /// # Errors
    ///
    /// What is wrong with the first field that is no number.
    pub fn typed_capacity(&self) -> Result<Capacity, String> {
        let part = |field: NodeField| -> Result<Option<f64>, String> {
            let text = self.typed(field).map_or("", Field::text);
            Ok(parse_positive(text)?.map(|value| value * field.scale()))
        };
        Ok(Capacity {
            cores: part(NodeField::Cores)?,
            memory_bytes: part(NodeField::Memory)?,
            disk_bytes_per_second: part(NodeField::Disk)?,
            network_bytes_per_second: part(NodeField::Network)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_what_is_wrong_with_them() {
        let cases = [
            ("", Ok(None)),
            ("  ", Ok(None)),
            ("2", Ok(Some(2.0))),
            (" 23.5 ", Ok(Some(23.5))),
            ("1e3", Ok(Some(1000.0))),
            ("0", Err("above 0")),
            ("-4", Err("above 0")),
            ("inf", Err("above 0")),
            ("NaN", Err("above 0")),
            ("25,195", Err("point for decimals")),
            ("two", Err("“two” is not a number")),
        ];
        for (text, wanted) in cases {
            match (parse_positive(text), wanted) {
                (Ok(got), Ok(wanted)) => assert_eq!(got, wanted, "{text:?}"),
                (Err(got), Err(part)) => assert!(got.contains(part), "{text:?}: {got}"),
                (got, _) => panic!("{text:?}: {got:?}, wanted {wanted:?}"),
            }
        }
    }

    #[test]
    fn moments() {
        let cases = [
            ("12:03", Some(723.0)),
            ("1:02:03", Some(3723.0)),
            (" 7.5 ", Some(7.5)),
            ("0", Some(0.0)),
            ("90", Some(90.0)),
            ("", None),
            ("soon", None),
            ("1:2:3:4", None),
            ("-1", None),
            ("1e3", None),
            ("inf", None),
            ("1:", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(parse_moment(text).ok(), wanted, "{text:?}");
            // What is written reads back.
            if let Some(seconds) = wanted {
                assert_eq!(parse_moment(&moment(seconds)), Ok(seconds), "{text:?}");
            }
        }
    }

    #[test]
    fn stretches() {
        let stretch = |from_seconds, to_seconds| Ok(Stretch { from_seconds, to_seconds });
        assert_eq!(parse_stretch("0:10", "1:00", 90.0), stretch(10.0, 60.0));
        assert_eq!(parse_stretch("", "", 90.0), stretch(0.0, 90.0));
        assert_eq!(parse_stretch("10", "1:30", 89.7), stretch(10.0, 89.7));
        for (from, to, told) in [
            ("1:00", "0:10", "end after it starts"),
            ("0:10", "0:10", "end after it starts"),
            ("soon", "", "“soon” is no time"),
            ("", "2:00", "ends at 1:30"),
        ] {
            let problem = parse_stretch(from, to, 90.0).unwrap_err();
            assert!(problem.contains(told), "{from:?} to {to:?}: {problem}");
        }
    }

    #[test]
    fn offsets() {
        assert_eq!(parse_offset(""), Ok(0.0));
        assert_eq!(parse_offset("0"), Ok(0.0));
        assert_eq!(parse_offset("12.5"), Ok(12.5));
        assert!(parse_offset("-1").is_err_and(|message| message.contains("swap")));
        assert!(parse_offset("soon").is_err());
    }

    #[test]
    fn the_form_speaks_in_base_units() {
        let mut form = NodeForm::default();
        assert_eq!(form.typed_capacity(), Ok(Capacity::default()));
        form.set(NodeField::Memory, "2".into());
        form.set(NodeField::Disk, "150".into());
        let typed = form.typed_capacity().unwrap();
        assert_eq!(
            (typed.cores, typed.memory_bytes, typed.disk_bytes_per_second),
            (None, Some(2.0 * GIB), Some(1.5e8))
        );
        assert_eq!(NodeField::Memory.text_of(&typed).as_deref(), Some("2"));
        assert_eq!(NodeField::Network.text_of(&typed), None);

        form.set(NodeField::Disk, "fast".into());
        assert!(form.typed_capacity().is_err());
        assert!(form.problem(NodeField::Disk).is_some());
        assert_eq!(form.problem(NodeField::Memory), None);
        form.reset(NodeField::Disk);
        assert_eq!(form.problem(NodeField::Disk), None);
    }
}
