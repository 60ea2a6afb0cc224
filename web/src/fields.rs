//! Number fields: what a person typed, what it means, and what is wrong with it.

use cotrace_trace::Capacity;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
const MEGABYTE: f64 = 1e6;

/// What a person typed. Untouched and emptied fields are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field(String);

impl Field {
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
