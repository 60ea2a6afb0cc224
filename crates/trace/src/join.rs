//! Several files of one run as one trace.

use std::collections::BTreeMap;

use crate::runs::same_node;
use crate::{Column, Metric, MetricKind, RunsError, Trace, Warning, WarningKind, words};

/// Steps that differ by less than this share are the same.
const SAME_STEP: f64 = 0.1;
/// A step this many times the finest one is too long to be divided into such steps.
const MOST_TIMES_FINER: f64 = 1000.0;
/// The most rows of a joined trace.
const MAX_ROWS: usize = 1 << 22;
/// Memory sizes that differ by less than this share are the same, said in other units.
const SAME_MEMORY: f64 = 0.05;

/// Why files can't be joined. `first` and `second` are the names of the traces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// There are none.
    #[error("no traces to join")]
    None,
    /// Two have the same column.
    #[error("both {first} and {second} have {}: leave one of them out", column.header())]
    SameColumn {
        /// What both have.
        column: Column,
        /// One trace.
        first: String,
        /// The other one.
        second: String,
    },
    /// They were recorded at different times.
    #[error(
        "{first} and {second} share no time, {} lie between them: they are no files of one run, or one says its \
         times in another time zone",
        words::duration(*apart_seconds)
    )]
    Apart {
        /// One trace.
        first: String,
        /// The other one.
        second: String,
        /// The time between them.
        apart_seconds: f64,
    },
    /// At least one says no dates, and they don't take the same time either.
    #[error(
        "{first} takes {} and {second} takes {}, and not both say when they started: how they lie to each other \
         is not known",
        words::duration(*first_seconds),
        words::duration(*second_seconds)
    )]
    Unaligned {
        /// One trace.
        first: String,
        /// The other one.
        second: String,
        /// How long the one takes.
        first_seconds: f64,
        /// How long the other one takes.
        second_seconds: f64,
    },
    /// They were recorded on different nodes.
    #[error("{first} is of a node with {first_cores} cores and {second} of one with {second_cores}")]
    Cores {
        /// One trace.
        first: String,
        /// The other one.
        second: String,
        /// The node of the one.
        first_cores: f64,
        /// The node of the other.
        second_cores: f64,
    },
    /// The result would be too long.
    #[error("{first} and {second} hardly share a time: the trace would have too many rows")]
    TooManyRows {
        /// One trace.
        first: String,
        /// The other one.
        second: String,
    },
}

/// Joins traces of the same run with different metrics: one metric a file, as a cloud's monitor has it, or the reports of
/// `sar -u` and `sar -r`.
///
/// They are laid over each other by the dates in them; where one has none, by their starts, if they take the same
/// time to within a step. The rows are those of the trace with the finest step, and where it has none, those of the
/// others. A value of another trace is the mean over the time of the row; of a trace with a longer step that means
/// that its values hold over their interval. Where a trace has no samples, its metrics aren't known. What the
/// traces know of the node is put together.
///
/// # Errors
/// [`JoinError`] if two have the same column, or they don't belong together.
pub fn join(mut traces: Vec<Trace>) -> Result<Trace, JoinError> {
    if traces.len() < 2 {
        return traces.pop().ok_or(JoinError::None);
    }
    no_column_twice(&traces)?;
    same_node(&mut traces).map_err(|error| match error {
        RunsError::Cores { first, second, first_cores, second_cores } => {
            JoinError::Cores { first, second, first_cores, second_cores }
        }
        _ => JoinError::None,
    })?;
    let (shifts, origin) = shifts(&traces)?;
    let parts: Vec<Part> =
        traces.iter().zip(&shifts).map(|(trace, &shift)| Part::new(trace, shift)).collect();
    let rows = rows(&parts)?;
    let mut joined = frame(&traces, &shifts, origin);
    let finest = parts.iter().map(|part| part.step).fold(f64::INFINITY, f64::min);
    for part in &parts {
        let places = part.places(&rows);
        for (column, values) in &part.trace.columns {
            let is_level = column.metric.kind() == MetricKind::Level;
            joined
                .columns
                .insert(column.clone(), places.iter().map(|place| place.value(values, is_level)).collect());
            let mut source = part.trace.provenance.get(column).cloned().unwrap_or_default();
            if !source.is_empty() {
                source.push_str(", ");
            }
            source.push_str(&format!("from {}", part.trace.name));
            if part.step > finest * (1.0 + SAME_STEP) {
                source.push_str(&format!(", each value held over its {}", words::duration(part.step)));
            }
            joined.provenance.insert(column.clone(), source);
        }
    }
    joined.time_seconds = rows.iter().map(|(_, end)| *end).collect();
    drop_warnings_that_no_longer_hold(&mut joined);
    Ok(joined)
}

fn no_column_twice(traces: &[Trace]) -> Result<(), JoinError> {
    let mut seen: BTreeMap<&Column, &str> = BTreeMap::new();
    for trace in traces {
        for column in trace.columns.keys() {
            if let Some(first) = seen.insert(column, &trace.name) {
                let (first, second) = (first.to_owned(), trace.name.clone());
                return Err(JoinError::SameColumn { column: column.clone(), first, second });
            }
        }
    }
    Ok(())
}

/// How far each trace starts after the first one, and when that was.
fn shifts(traces: &[Trace]) -> Result<(Vec<f64>, Option<f64>), JoinError> {
    let origin = traces.iter().filter_map(|trace| trace.start_unix_seconds).reduce(f64::min);
    let dated = |trace: &&Trace| trace.start_unix_seconds.is_some();
    // What isn't dated starts with what is, if that all starts at once.
    let guide = traces.iter().find(dated).or(traces.first()).ok_or(JoinError::None)?;
    let guide_shift = shift_of(guide, origin);
    let mut shifts = Vec::with_capacity(traces.len());
    for trace in traces {
        if trace.start_unix_seconds.is_some() {
            shifts.push(shift_of(trace, origin));
            continue;
        }
        let (first_seconds, second_seconds) = (guide.duration_seconds(), trace.duration_seconds());
        let step = guide.step_seconds().max(trace.step_seconds());
        if (first_seconds - second_seconds).abs() > step * (1.0 + 1e-6) {
            let (first, second) = (guide.name.clone(), trace.name.clone());
            return Err(JoinError::Unaligned { first, second, first_seconds, second_seconds });
        }
        shifts.push(guide_shift);
    }
    // Each must share some time with the first one.
    let span = |index: usize| (shifts[index], shifts[index] + traces[index].duration_seconds());
    let (start, end) = span(0);
    for (index, trace) in traces.iter().enumerate().skip(1) {
        let (other_start, other_end) = span(index);
        let apart_seconds = (other_start - end).max(start - other_end);
        if apart_seconds >= 0.0 {
            let (first, second) = (traces[0].name.clone(), trace.name.clone());
            return Err(JoinError::Apart { first, second, apart_seconds });
        }
    }
    Ok((shifts, origin))
}

fn shift_of(trace: &Trace, origin: Option<f64>) -> f64 {
    let shift = trace.start_unix_seconds.zip(origin).map_or(0.0, |(start, origin)| start - origin);
    (shift * 1e6).round() / 1e6
}

/// A trace in its place.
struct Part<'a> {
    trace: &'a Trace,
    step: f64,
    /// The time that each row speaks of; none at all if it follows a gap.
    spans: Vec<(f64, f64)>,
}

impl Part<'_> {
    fn new(trace: &Trace, shift: f64) -> Part<'_> {
        let at = |seconds: f64| ((seconds + shift) * 1e6).round() / 1e6;
        let spans = trace.intervals().into_iter().zip(&trace.time_seconds).map(|(interval, &end)| {
            let (from, to) = interval.unwrap_or((end, end));
            (at(from), at(to))
        });
        Part { trace, step: trace.step_seconds(), spans: spans.collect() }
    }

    /// Where each of `rows` lies in this trace. Both rise.
    fn places(&self, rows: &[(f64, f64)]) -> Vec<At<'_>> {
        let mut first = 0;
        rows.iter()
            .map(|&(from, to)| {
                while self.spans.get(first).is_some_and(|(_, end)| *end <= from) {
                    first += 1;
                }
                let rest = &self.spans[first..];
                let count = rest.iter().take_while(|(start, _)| *start < to).count();
                At { from, to, first, spans: &rest[..count] }
            })
            .collect()
    }
}

/// The rows of a trace that a span of time touches.
struct At<'a> {
    from: f64,
    to: f64,
    first: usize,
    spans: &'a [(f64, f64)],
}

impl At<'_> {
    /// The mean over the time, weighted by it, or of a level what it is at the end. `NaN` if less than half of the
    /// time is known.
    fn value(&self, values: &[f64], is_level: bool) -> f64 {
        let (mut area, mut time, mut last) = (0.0, 0.0, f64::NAN);
        let mut only = true;
        for (row, (start, end)) in (self.first..).zip(self.spans) {
            let Some(value) = values.get(row) else { continue };
            let overlap = end.min(self.to) - start.max(self.from);
            if overlap > 0.0 && value.is_finite() {
                only = time == 0.0;
                area += value * overlap;
                time += overlap;
                last = *value;
            }
        }
        if time < (self.to - self.from) * 0.5 * (1.0 - 1e-9) {
            f64::NAN
        } else if only || is_level {
            // Exactly as it is in the file.
            last
        } else {
            area / time
        }
    }
}

/// The rows of the joined trace: those of the finest trace, and those of the others where it has none.
fn rows(parts: &[Part]) -> Result<Vec<(f64, f64)>, JoinError> {
    let mut order: Vec<&Part> = parts.iter().collect();
    // Of two that are as fine, the one with CPU: its values stay as they are.
    let without_cpu = |part: &Part| part.trace.node(Metric::CpuCores).is_none();
    order.sort_by(|a, b| a.step.total_cmp(&b.step).then(without_cpu(a).cmp(&without_cpu(b))));
    let finest = order.first().map_or(1.0, |part| part.step);
    let mut rows: Vec<(f64, f64)> = Vec::new();
    for part in &order {
        let mut added = Vec::new();
        let mut known = rows.iter().copied().peekable();
        for &(from, to) in &part.spans {
            // The parts of this span that no row covers yet.
            let mut start = from;
            while let Some(&(known_from, known_to)) = known.peek() {
                if known_from >= to {
                    break;
                }
                divide(start, known_from.min(to), finest, part.step, &mut added);
                start = start.max(known_to);
                if known_to > to {
                    break;
                }
                known.next();
            }
            divide(start, to, finest, part.step, &mut added);
            if rows.len() + added.len() > MAX_ROWS {
                let (first, second) = (order[0].trace.name.clone(), part.trace.name.clone());
                return Err(JoinError::TooManyRows { first, second });
            }
        }
        drop(known);
        rows.append(&mut added);
        rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    }
    // A row of which nothing is known ends each gap, so that the next one speaks of its own time only.
    let mut whole: Vec<(f64, f64)> = Vec::with_capacity(rows.len());
    for row in rows {
        if whole.last().is_some_and(|last| row.0 - last.1 > finest * 0.5) {
            whole.push((row.0, row.0));
        }
        whole.push(row);
    }
    Ok(whole)
}

/// Adds rows for a span of time, each about as long as the finest step.
fn divide(from: f64, to: f64, finest: f64, step: f64, rows: &mut Vec<(f64, f64)>) {
    let length = to - from;
    // What is shorter than half a step is how two clocks tick, and no row of its own.
    if length <= 0.0 || length < finest * 0.5 {
        return;
    }
    let parts = if step / finest <= MOST_TIMES_FINER { (length / finest).round().max(1.0) } else { 1.0 };
    let mut start = from;
    for part in 1..=parts as u64 {
        let end = if part as f64 == parts { to } else { from + length * part as f64 / parts };
        let end = (end * 1e6).round() / 1e6;
        rows.push((start, end));
        start = end;
    }
}

/// The joined trace without its rows.
fn frame(traces: &[Trace], shifts: &[f64], origin: Option<f64>) -> Trace {
    let mut joined = Trace {
        start_unix_seconds: origin,
        step_assumed: traces.iter().all(|trace| trace.step_assumed),
        guess: traces.iter().find_map(|trace| trace.guess.clone()),
        ..Trace::default()
    };
    let mut formats: Vec<&str> = Vec::new();
    for (trace, shift) in traces.iter().zip(shifts) {
        if joined.name.is_empty() {
            joined.name.clone_from(&trace.name);
        }
        if !formats.contains(&trace.format.as_str()) {
            formats.push(&trace.format);
        }
        for warning in &trace.warnings {
            let message = format!("{}: {}", trace.name, warning.message);
            joined.warnings.push(Warning { message, ..warning.clone() });
        }
        for job in &trace.jobs {
            if joined.jobs.iter().all(|known| known.name != job.name) {
                let mut job = job.clone();
                job.start_seconds = job.start_seconds.map(|seconds| seconds + shift);
                job.end_seconds = job.end_seconds.map(|seconds| seconds + shift);
                joined.jobs.push(job);
            }
        }
        if let (Some(known), Some(memory)) = (joined.capacity.memory_bytes, trace.capacity.memory_bytes)
            && (known - memory).abs() > SAME_MEMORY * known
        {
            let message = format!(
                "{} says that the node has {} of memory, another file says {}: that is taken.",
                trace.name,
                words::amount(memory, "bytes"),
                words::amount(known, "bytes")
            );
            joined.warnings.push(Warning::new(WarningKind::Other, message).hinting("Are both of one node?"));
        }
        joined.capacity = joined.capacity.or(trace.capacity);
        joined.assumed.extend(trace.assumed.iter().copied());
    }
    // What one file assumes another one may know: all have been brought to the same cores.
    joined.assumed.retain(|resource| {
        traces.iter().all(|trace| {
            trace.assumed.contains(resource)
                || Metric::ALL.iter().all(|metric| {
                    metric.resource() != Some(*resource) || metric.capacity(&trace.capacity).is_none()
                })
        })
    });
    joined.format = formats.join("+");
    joined
}

/// What one file lacks another one may have.
fn drop_warnings_that_no_longer_hold(joined: &mut Trace) {
    let has = |metric: Metric| joined.node(metric).is_some();
    let network = has(Metric::NetworkReceiveBytesPerSecond) || has(Metric::NetworkTransmitBytesPerSecond);
    let (memory, cores, step) = (has(Metric::MemoryBytes), !joined.cores_assumed(), !joined.step_assumed);
    joined.warnings.retain(|warning| match warning.kind {
        WarningKind::NetworkUnknown => !network,
        WarningKind::MemoryUnknown => !memory,
        WarningKind::CoresAssumed => !cores,
        WarningKind::StepAssumed => !step,
        _ => true,
    });
}
