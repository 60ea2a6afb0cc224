//! CPU shares become busy cores.

use super::sums::{Sums, Total, at_least_zero, put_values};
use super::{Scale, Signal};
use crate::formats::ticks;
use crate::trace::is_plausible_cores;
use crate::{Metric, Resource, Trace, Warning, WarningKind};

/// The number of cores that is assumed where nothing tells.
const DEFAULT_CORES: f64 = 2.0;
/// Steal above this share of the node on average is worth a warning.
const MAX_STEAL: f64 = 0.02;

const USER: &[Signal] = &[Signal::User, Signal::Nice, Signal::Guest, Signal::GuestNice];
const SYSTEM: &[Signal] = &[Signal::System, Signal::Irq, Signal::SoftIrq];
const NOT_BUSY: &[Signal] = &[Signal::Iowait, Signal::Steal, Signal::Idle];

impl Sums<'_> {
    pub(super) fn cpu(&mut self, trace: &mut Trace) {
        let mut parts: Vec<(Signal, Total)> = Vec::new();
        for signal in [&[Signal::Busy][..], USER, SYSTEM, NOT_BUSY].concat() {
            if let Some(total) = self.all(trace, signal) {
                parts.push((signal, total));
            }
        }
        if parts.is_empty() {
            self.said_cores(trace);
            return;
        }
        // Parts of two scales can't be added up: those of the first are used.
        let scale = parts[0].1.scale;
        parts.retain(|(_, total)| total.scale == scale);
        let cores = match scale {
            Scale::OfNode => Some(self.cores_of_rows(trace, &parts)),
            Scale::Plain => {
                self.said_cores(trace);
                None
            }
        };
        let sum = |signals: &[Signal]| -> Option<(Vec<f64>, String)> {
            let there: Vec<&Total> = signals
                .iter()
                .filter_map(|signal| parts.iter().find(|part| part.0 == *signal))
                .map(|p| &p.1)
                .collect();
            let first = there.first()?;
            let sums = (0..first.values.len())
                .map(|row| {
                    let sum: f64 = there.iter().map(|total| total.values[row]).sum();
                    sum * cores.as_ref().map_or(1.0, |cores| cores[row])
                })
                .collect();
            Some((sums, there.iter().map(|total| total.source.as_str()).collect::<Vec<_>>().join(" + ")))
        };
        let times_cores = match (&cores, trace.capacity.cores) {
            (Some(_), Some(cores)) => format!(" x {cores} cores"),
            _ => String::new(),
        };
        let with_cores =
            |source: String| if times_cores.is_empty() { source } else { format!("({source}){times_cores}") };
        let busy = sum(&[Signal::Busy]).or_else(|| sum(&[USER, SYSTEM].concat())).or_else(|| {
            // All that is known is what was not done.
            let (idle, source) = sum(NOT_BUSY)?;
            parts.iter().any(|part| part.0 == Signal::Idle).then_some(())?;
            let node = match &cores {
                Some(cores) => cores.clone(),
                None => vec![trace.capacity.cores?; idle.len()],
            };
            let busy = idle.iter().zip(node).map(|(idle, node)| at_least_zero(node - idle)).collect();
            Some((busy, format!("all but {source}")))
        });
        if let Some((values, source)) = busy {
            put_values(trace, Metric::CpuCores, values, with_cores(source));
        }
        for (metric, signals) in [
            (Metric::CpuUserCores, USER),
            (Metric::CpuSystemCores, SYSTEM),
            (Metric::CpuIowaitCores, &[Signal::Iowait]),
        ] {
            if let Some((values, source)) = sum(signals) {
                put_values(trace, metric, values, with_cores(source));
            }
        }
        steal(trace, &parts);
    }

    /// The number of cores in each row, for shares of the node; the node's own into the trace.
    fn cores_of_rows(&mut self, trace: &mut Trace, parts: &[(Signal, Total)]) -> Vec<f64> {
        let rows = trace.time_seconds.len();
        if self.said_cores(trace) {
            let said = &self.recorder.cores;
            let mut of_rows = vec![said[0].1; rows];
            for (from, cores) in said {
                let from = match &self.moved {
                    Some(moved) => moved.get(*from as usize).map_or(rows, |row| *row as usize),
                    None => *from as usize,
                };
                of_rows[from.min(rows)..].fill(*cores);
            }
            return of_rows;
        }
        let cores = self.unsaid_cores(trace, parts);
        trace.capacity.cores = Some(cores);
        vec![cores; rows]
    }

    /// The number of cores that the file says, into the trace. `false`: it says none.
    fn said_cores(&self, trace: &mut Trace) -> bool {
        let said = &self.recorder.cores;
        let Some(&(_, last)) = said.last() else { return false };
        trace.capacity.cores = Some(last);
        if said.len() > 1 {
            let numbers: Vec<String> = said.iter().map(|(_, cores)| cores.to_string()).collect();
            let message = format!("The node's number of cores changed: {}.", numbers.join(", then "));
            let hint = "The forecast takes the last one.";
            trace.warnings.push(Warning::new(WarningKind::CoresChanged, message).hinting(hint));
        }
        true
    }

    /// The number of cores that the caller says, or else what the percentages give away, or else an assumption.
    fn unsaid_cores(&self, trace: &mut Trace, parts: &[(Signal, Total)]) -> f64 {
        if let Some(cores) = self.recorder.options.capacity.cores.filter(|cores| is_plausible_cores(*cores)) {
            return cores;
        }
        // Back to percentages as they were printed.
        let percent = |share: f64| (share * 1e4).round() / 1e2;
        let samples = (0..trace.time_seconds.len())
            .map(|row| parts.iter().map(|(_, total)| percent(total.values[row])).collect());
        let found =
            (!self.recorder.is_grainless).then(|| ticks::cores(samples, trace.step_seconds())).flatten();
        trace.assumed.insert(Resource::Cpu);
        let cores = found.unwrap_or(DEFAULT_CORES);
        let (message, hint) = match found {
            Some(_) => (
                format!("The graininess of its percentages fits {cores}, which is assumed."),
                "Say so if it is another number.",
            ),
            None => (format!("{cores} are assumed, without evidence."), "Say how many it has."),
        };
        let message = format!("The file doesn't say how many cores the node has. {message}");
        trace.warnings.push(Warning::new(WarningKind::CoresAssumed, message).hinting(hint));
        cores
    }
}

fn steal(trace: &mut Trace, parts: &[(Signal, Total)]) {
    let Some((_, total)) = parts.iter().find(|part| part.0 == Signal::Steal) else { return };
    let known: Vec<f64> = total.values.iter().copied().filter(|value| value.is_finite()).collect();
    let mut share = known.iter().sum::<f64>() / known.len() as f64;
    if total.scale == Scale::Plain {
        let Some(cores) = trace.capacity.cores else { return };
        share /= cores;
    }
    if share > MAX_STEAL {
        let message = format!(
            "The hypervisor took {:.1} % of the CPU time on average: the run was disturbed by other machines.",
            share * 100.0
        );
        trace.warnings.push(Warning::new(WarningKind::Steal, message));
    }
}
