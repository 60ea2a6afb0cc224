//! The frame of the JSON that iostat and mpstat write: hosts, and for each its statistics, one element a sample.
//!
//! An element is read and handed on before the next one, so that a file of any length needs no more memory than one
//! sample, and one that is cut off gives what was in it before.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::record::Recorder;
use crate::{ReadError, ReadErrorKind, Warning, WarningKind};

/// What the file says, in its order.
pub(crate) enum Said<'a, E> {
    /// Another host begins, or the same one again.
    Host,
    /// The number of CPUs of the host to come.
    Cores(f64),
    /// The date of the host's first sample.
    Date(Cow<'a, str>),
    /// A sample.
    Element(E),
}

/// How the text ended.
pub(crate) enum End {
    Whole,
    CutOff,
    Broken { line: u64, problem: String },
}

/// Goes through the documents in `text`, one after the other, and tells `hear` what they say.
pub(crate) fn walk<'a, E: Deserialize<'a>>(text: &'a str, hear: &mut dyn FnMut(Said<'a, E>)) -> End {
    let mut rest = text;
    while !rest.trim().is_empty() {
        let mut json = serde_json::Deserializer::from_str(rest);
        let result =
            Frame { depth: Depth::File, hear: &mut *hear, element: PhantomData }.deserialize(&mut json);
        let end = json.into_iter::<IgnoredAny>().byte_offset();
        match result {
            Ok(()) => rest = rest.get(end..).unwrap_or_default(),
            Err(error) if error.is_eof() => return End::CutOff,
            Err(error) => {
                let before = &text[..text.len() - rest.len()];
                let lines = before.bytes().filter(|byte| *byte == b'\n').count();
                return End::Broken { line: (lines + error.line()) as u64, problem: error.to_string() };
            }
        }
    }
    End::Whole
}

/// Makes an error or a warning of the end.
pub(crate) fn tell_end(end: End, file: &str, recorder: &mut Recorder) -> Result<(), ReadError> {
    match end {
        End::Whole => Ok(()),
        End::CutOff => {
            let message = "The file ends in the middle: the last sample was left out.";
            recorder.warnings.push(Warning::new(WarningKind::CutOff, message));
            Ok(())
        }
        End::Broken { line, problem } => {
            Err(ReadError::new(ReadErrorKind::BadJson, file, problem).at_line(line))
        }
    }
}

/// Where in the frame: `{"sysstat": {"hosts": [{"statistics": [element]}]}}`.
#[derive(Clone, Copy)]
enum Depth {
    File,
    Sysstat,
    Hosts,
    Host,
    Statistics,
}

struct Frame<'h, 'a, E> {
    depth: Depth,
    hear: &'h mut dyn FnMut(Said<'a, E>),
    element: PhantomData<E>,
}

impl<'a, E: Deserialize<'a>> Frame<'_, 'a, E> {
    fn inner(&mut self, depth: Depth) -> Frame<'_, 'a, E> {
        Frame { depth, hear: &mut *self.hear, element: PhantomData }
    }
}

impl<'a, E: Deserialize<'a>> DeserializeSeed<'a> for Frame<'_, 'a, E> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<(), D::Error> {
        match self.depth {
            Depth::Hosts | Depth::Statistics => json.deserialize_seq(self),
            _ => json.deserialize_map(self),
        }
    }
}

impl<'a, E: Deserialize<'a>> Visitor<'a> for Frame<'_, 'a, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.depth {
            Depth::Hosts => "the list of hosts",
            Depth::Statistics => "the list of samples",
            _ => "an object",
        })
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        if matches!(self.depth, Depth::Host) {
            (self.hear)(Said::Host);
        }
        while let Some(key) = map.next_key::<Text<'a>>()? {
            match (self.depth, &*key.0) {
                (Depth::File, "sysstat") => map.next_value_seed(self.inner(Depth::Sysstat))?,
                (Depth::Sysstat, "hosts") => map.next_value_seed(self.inner(Depth::Hosts))?,
                (Depth::Host, "statistics") => map.next_value_seed(self.inner(Depth::Statistics))?,
                (Depth::Host, "number-of-cpus") => (self.hear)(Said::Cores(map.next_value()?)),
                (Depth::Host, "date") => (self.hear)(Said::Date(map.next_value::<Text>()?.0)),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut seq: A) -> Result<(), A::Error> {
        if matches!(self.depth, Depth::Hosts) {
            while seq.next_element_seed(self.inner(Depth::Host))?.is_some() {}
        } else {
            while let Some(element) = seq.next_element::<E>()? {
                (self.hear)(Said::Element(element));
            }
        }
        Ok(())
    }
}

/// A string, borrowed where it can be.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A row of a table: its cells by name.
#[derive(Default)]
pub(crate) struct Row<'a> {
    /// What it is of: the device, the CPU.
    pub(crate) name: Cow<'a, str>,
    /// The figures.
    pub(crate) cells: Vec<(Cow<'a, str>, f64)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Row<'a> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Row<'a>, D::Error> {
        struct Cells;
        impl<'de> Visitor<'de> for Cells {
            type Value = Row<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of figures")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row<'de>, A::Error> {
                let mut row = Row::default();
                while let Some(Text(key)) = map.next_key()? {
                    match map.next_value()? {
                        Cell::Number(value) => row.cells.push((key, value)),
                        Cell::Text(text) => row.name = text,
                        Cell::Other => {}
                    }
                }
                Ok(row)
            }
        }
        json.deserialize_map(Cells)
    }
}

enum Cell<'a> {
    Number(f64),
    Text(Cow<'a, str>),
    Other,
}

impl<'de> Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Cell<'de>, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Cell<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a figure or a name")
            }

            fn visit_f64<X>(self, value: f64) -> Result<Cell<'de>, X> {
                Ok(Cell::Number(value))
            }

            fn visit_u64<X>(self, value: u64) -> Result<Cell<'de>, X> {
                Ok(Cell::Number(value as f64))
            }

            fn visit_i64<X>(self, value: i64) -> Result<Cell<'de>, X> {
                Ok(Cell::Number(value as f64))
            }

            fn visit_borrowed_str<X>(self, value: &'de str) -> Result<Cell<'de>, X> {
                Ok(Cell::Text(Cow::Borrowed(value)))
            }

            fn visit_str<X>(self, value: &str) -> Result<Cell<'de>, X> {
                Ok(Cell::Text(Cow::Owned(value.to_owned())))
            }

            fn visit_unit<X>(self) -> Result<Cell<'de>, X> {
                Ok(Cell::Number(f64::NAN))
            }

            fn visit_bool<X>(self, _: bool) -> Result<Cell<'de>, X> {
                Ok(Cell::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cell<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Cell::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Cell::Other)
            }
        }
        json.deserialize_any(Any)
    }
}
