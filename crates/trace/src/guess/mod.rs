//! What the columns of a table are taken for, where no format says it.
//!
//! Names are cut into [`words`], [`rules`] say which metric they mean, [`mod@unit`] finds the unit by name and values, and
//! [`columns`] looks at all columns side by side. What a person states goes before all that.

mod columns;
mod rules;
mod time;
mod unit;
mod units;
mod vocabulary;
mod words;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use self::columns::{Cells, Seen, Suffix, guess, is_nvidia_smi};
pub(crate) use self::time::{Moment, moment, stamp};
pub(crate) use self::units::{Conversion, conversion};
use crate::{Metric, ReadError, ReadErrorKind};

/// The reason of a column that a person stated.
pub(crate) const STATED: &str = "as stated";

/// What a column of a table is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "kebab-case")]
pub enum Role {
    /// Of no use.
    Ignored,
    /// The time.
    Time {
        /// The unit, by its name among [`Role::TIME_UNITS`]. Empty in a [`Mapping`]: as the values look.
        unit: String,
    },
    /// A metric of the node. Several columns of one metric are added up.
    Metric {
        /// Which.
        metric: Metric,
        /// The unit of the file, by its name among [`Role::units`]. Empty in a [`Mapping`]: as the name and the
        /// values look.
        unit: String,
    },
}

impl Role {
    /// The units of times: `clock` is a time of day, with a date or without, or seconds since 1970; `date` is a date
    /// alone, beside a clock in another column. The others are numbers: since 1970 if they are large enough, else
    /// since the run began.
    pub const TIME_UNITS: &'static [&'static str] = &["clock", "date", "s", "ms", "us", "ns", "min", "h"];

    /// The units in which a file can have `metric`, by names for people; the first is the metric's own. Some say how
    /// the metric follows from something else: `% of the node idle`, `MiB available`, `bytes, counted up`.
    pub fn units(metric: Metric) -> &'static [&'static str] {
        units::names_of(metric)
    }

    /// A role by the words of [`Mapping::parse`]: `ignored`, `time`, `time:ms`, `cpu_cores`,
    /// `cpu_cores:% of the node`.
    ///
    /// # Errors
    /// What is wrong, as a sentence with what there is to choose from.
    pub fn parse(text: &str) -> Result<Role, String> {
        let (role, unit) = text.split_once(':').unwrap_or((text, ""));
        let (role, unit) = (role.trim().to_ascii_lowercase(), unit.trim());
        let known = |units: &'static [&'static str]| match unit {
            "" => Ok(String::new()),
            _ => units::find(units, unit)
                .map(str::to_owned)
                .ok_or_else(|| format!("\"{unit}\" is no unit of {role}: choose one of {}.", quoted(units))),
        };
        match role.as_str() {
            "ignored" if unit.is_empty() => Ok(Role::Ignored),
            "time" => Ok(Role::Time { unit: known(Role::TIME_UNITS)? }),
            name => {
                let metric = Metric::from_name(name).ok_or_else(|| {
                    let metrics: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
                    let metrics = metrics.join(", ");
                    format!("\"{text}\" is no role: choose one of time, ignored, {metrics}.")
                })?;
                Ok(Role::Metric { metric, unit: known(Role::units(metric))? })
            }
        }
    }

    /// Whether the unit is known, or left open.
    fn check(&self) -> Result<(), &'static [&'static str]> {
        let (unit, units) = match self {
            Role::Ignored => return Ok(()),
            Role::Time { unit } => (unit, Role::TIME_UNITS),
            Role::Metric { metric, unit } => (unit, Role::units(*metric)),
        };
        if unit.is_empty() || units.contains(&unit.as_str()) { Ok(()) } else { Err(units) }
    }
}

/// As [`Role::parse`] reads it.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit) = match self {
            Role::Ignored => ("ignored", ""),
            Role::Time { unit } => ("time", unit.as_str()),
            Role::Metric { metric, unit } => (metric.name(), unit.as_str()),
        };
        f.write_str(name)?;
        if unit.is_empty() { Ok(()) } else { write!(f, ":{unit}") }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// What a person, or an earlier guess, says the columns of a table are. Columns go by their names in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// Name and role of each column; those not named are guessed.
    pub columns: Vec<(String, Role)>,
}

impl Mapping {
    /// A mapping from lines like `COLUMN=ROLE` or `COLUMN=ROLE:UNIT`. The role is `time`, `ignored`, or the name of a
    /// metric; the unit is one of [`Role::TIME_UNITS`] or [`Role::units`], and left out it is guessed. The last `=`
    /// counts, so that names may have some.
    ///
    /// ```
    /// use cotrace_trace::{Mapping, Metric, Role};
    ///
    /// let mapping = Mapping::parse("ts=time:ms\ncpu=cpu_cores:% of the node\nnote=ignored")?;
    /// let unit = "% of the node".to_owned();
    /// assert_eq!(mapping.columns[1], ("cpu".to_owned(), Role::Metric { metric: Metric::CpuCores, unit }));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn parse(text: &str) -> Result<Mapping, String> {
        let mut mapping = Mapping::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (column, role) = line.rsplit_once('=').ok_or_else(|| {
                format!("\"{}\" isn't COLUMN=ROLE or COLUMN=ROLE:UNIT.", crate::error::excerpt(line, 80))
            })?;
            let column = column.trim();
            if column.is_empty() {
                return Err(format!("\"{}\" names no column.", crate::error::excerpt(line, 80)));
            }
            mapping.set(column, Role::parse(role)?);
        }
        Ok(mapping)
    }

    /// The role of the column called `header`.
    pub fn role(&self, header: &str) -> Option<&Role> {
        self.columns.iter().find(|(name, _)| name == header).map(|(_, role)| role)
    }

    /// Says what the column called `header` is; what was said before is forgotten.
    pub fn set(&mut self, header: &str, role: Role) {
        match self.columns.iter_mut().find(|(name, _)| name == header) {
            Some((_, before)) => *before = role,
            None => self.columns.push((header.to_owned(), role)),
        }
    }
}

/// As [`Mapping::parse`] reads it: a line for each column.
impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.columns.iter().try_for_each(|(name, role)| writeln!(f, "{name}={role}"))
    }
}

/// A column of a table and what it was taken for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuessedColumn {
    /// Its name in the header; `column 3` if it has none.
    pub header: String,
    /// The first few cells, as they are.
    pub examples: Vec<String>,
    /// What it was taken for.
    #[serde(flatten)]
    pub role: Role,
    /// Why, in a few words. Said by a person: so.
    pub reason: String,
}

impl GuessedColumn {
    /// Whether a person said so, so that nothing was guessed.
    pub fn is_stated(&self) -> bool {
        self.reason == STATED
    }
}

/// What a table's columns were taken for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guess {
    /// Each column, in the order of the file.
    pub columns: Vec<GuessedColumn>,
}

impl Guess {
    /// All of it as a mapping: read with it, the same table gives the same trace, and nothing is guessed.
    pub fn mapping(&self) -> Mapping {
        let columns = self.columns.iter().map(|column| (column.header.clone(), column.role.clone()));
        Mapping { columns: columns.collect() }
    }

    /// A key under which to remember a mapping: the same for all tables whose columns have the same names in the same
    /// order.
    pub fn header_key(&self) -> String {
        self.columns.iter().map(|column| column.header.as_str()).collect::<Vec<_>>().join("\t")
    }
}

/// Whether a column called so may well be a metric.
pub(crate) fn is_metric(name: &str) -> bool {
    use rules::Meaning;
    matches!(
        rules::meaning(name).0,
        Meaning::Metric(..) | Meaning::CpuIdle | Meaning::MemoryAvailable | Meaning::MemoryTotal
    )
}

/// The columns that a mapping names, by index.
fn stated(file: &str, columns: &[Seen], mapping: &Mapping) -> Result<Vec<(usize, Role)>, ReadError> {
    let mut found = Vec::new();
    for (name, role) in &mapping.columns {
        let Some(index) = columns.iter().position(|column| column.header == *name) else {
            let headers: Vec<String> = columns.iter().map(|column| column.header.clone()).collect();
            let mut error = ReadError::new(
                ReadErrorKind::BadHeader,
                file,
                "the columns stated are not those of the file: there is no such column",
            )
            .seeing(name)
            .hinting(format!("Its columns are {}.", listed(&headers)));
            error.choices = headers;
            return Err(error);
        };
        if let Err(units) = role.check() {
            let mut error =
                ReadError::new(ReadErrorKind::BadHeader, file, "no unit of what the column is stated to be")
                    .in_column(name)
                    .seeing(&role.to_string())
                    .hinting(format!("Choose one of {}.", quoted(units)));
            error.choices = units.iter().map(|unit| (*unit).to_owned()).collect();
            return Err(error);
        }
        found.push((index, role.clone()));
    }
    Ok(found)
}

/// Names of columns, the first of them.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| crate::error::excerpt(name, 140)).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(metric: Metric, unit: &str) -> Role {
        Role::Metric { metric, unit: unit.to_owned() }
    }

    #[test]
    fn mappings_are_read_and_written() {
        let cases = [
            ("cpu=cpu_cores:% of the node", "cpu", metric(Metric::CpuCores, "% of the node")),
            (" cpu = CPU_cores : Cores ", "cpu", metric(Metric::CpuCores, "cores")),
            ("rx=network_receive_bytes_per_second", "rx", metric(Metric::NetworkReceiveBytesPerSecond, "")),
            ("a=b=time", "a=b", Role::Time { unit: String::new() }),
            (r"\\PC\x(c:)\y=time:ms", r"\\PC\x(c:)\y", Role::Time { unit: "ms".to_owned() }),
            ("note=ignored", "note", Role::Ignored),
        ];
        for (text, name, role) in cases {
            let mapping = Mapping::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(mapping.columns, [(name.to_owned(), role)], "{text}");
            assert_eq!(Mapping::parse(&mapping.to_string()), Ok(mapping), "{text}");
        }
        let twice = Mapping::parse("a=time\n\nb=ignored\na=ignored\n").unwrap();
        assert_eq!(twice.columns, [("a".to_owned(), Role::Ignored), ("b".to_owned(), Role::Ignored)]);
        assert_eq!(twice.role("b"), Some(&Role::Ignored));
        let wrong = [
            ("cpu", "isn't COLUMN=ROLE"),
            ("=time", "names no column"),
            ("cpu=cpus", "\"cpus\" is no role: choose one of time, ignored, cpu_cores, "),
            ("cpu=cpu_cores:horses", "\"horses\" is no unit of cpu_cores: choose one of \"cores\", "),
            ("t=time:weeks", "choose one of \"clock\", "),
            ("x=ignored:s", "is no role"),
        ];
        for (text, part) in wrong {
            let error = Mapping::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_guess_can_be_remembered() {
        let column = |header: &str, role| GuessedColumn {
            header: header.to_owned(),
            examples: vec!["1".to_owned()],
            role,
            reason: "its name".to_owned(),
        };
        let columns = vec![
            column("t", Role::Time { unit: "s".to_owned() }),
            column("cpu", metric(Metric::CpuCores, "cores")),
        ];
        let guess = Guess { columns };
        assert_eq!(guess.header_key(), "t\tcpu");
        assert_eq!(guess.mapping(), Mapping::parse("t=time:s\ncpu=cpu_cores:cores").unwrap());
        let json = serde_json::to_value(&guess).unwrap();
        assert_eq!(json["columns"][1]["role"], "metric");
        assert_eq!(json["columns"][1]["metric"], "cpu_cores");
        assert_eq!(serde_json::from_value::<Guess>(json).unwrap(), guess);
    }
}
