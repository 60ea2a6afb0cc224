//! The stretch of a longer file in which the job ran.

use serde::{Deserialize, Serialize};

use crate::{Metric, Trace, words};

/// As a share of all cores: idle.
const IDLE_CPU: f64 = 0.03;
/// Idle however many cores there are: on a large node a share of all of them is a busy thread.
const IDLE_CORES: f64 = 0.25;
/// As bytes per second of disk and network: idle.
pub(crate) const IDLE_BYTES_PER_SECOND: f64 = 1e6;
/// How far above the lowest level something happens, as a share of the way to the highest one.
const CPU_RISE: f64 = 0.15;
const IO_RISE: f64 = 0.05;
/// Levels that differ by less than this share of the highest one are the same, up and down.
const LEAST_RISE: f64 = 0.2;
/// Once something happens, it goes on down to this share of that.
const GOES_ON: f64 = 0.5;
/// What is below this quantile, or above its counterpart, isn't taken for the lowest and the highest level.
const LOWEST: f64 = 0.03;
const HIGHEST: f64 = 0.001;
/// Rows that are averaged to tell a level from noise, at most.
const MOST_SMOOTHED: usize = 15;
/// Idle rows before or after the stretch, at least.
const LEAST_ROWS: usize = 3;
/// Idle time before or after the stretch, as a share of it, at least.
const LONG_IDLE: f64 = 0.05;
/// As a share of all work in the file: a blip, such as a nightly job of the system.
const BLIP_WORK: f64 = 0.05;
/// Levels that differ by at most this factor are the same.
const SAME_LEVEL: f64 = 1.5;

/// The metrics that show disk and network at work.
const IO: [Metric; 4] = [
    Metric::DiskReadBytesPerSecond,
    Metric::DiskWriteBytesPerSecond,
    Metric::NetworkReceiveBytesPerSecond,
    Metric::NetworkTransmitBytesPerSecond,
];

/// The stretch of a file in which the job ran: see [`Trace::busy_stretch`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BusyStretch {
    /// Its start, in seconds from the trace's.
    pub from_seconds: f64,
    /// Its end.
    pub to_seconds: f64,
    /// How many stretches of about this much work there are, this one included: the file may hold several runs.
    pub stretches: usize,
    /// Busy cores in it, on average. `None`: not known.
    pub cpu_cores: Option<f64>,
    /// Busy cores before and after it, on average: what else ran on the machine.
    pub idle_cpu_cores: Option<f64>,
    /// Disk and network before and after it, on average.
    pub idle_bytes_per_second: Option<f64>,
    /// Why it is thought to be the job, in words.
    pub reason: String,
}

impl Trace {
    /// The stretch of the trace in which something happens, if what is before or after it is idle: for files that
    /// were recorded for longer than the job ran. A proposal, for [`Trace::crop`] once a person agrees. `None` if
    /// all of it is busy, or nothing is.
    ///
    /// Idle is what lies little above the lowest level of CPU, disk and network. A level that isn't as low as on
    /// an idle machine is taken for the background only where it is there before and after the stretch, for else
    /// it may be a part of the job. Short pauses belong to the stretch, lone blips far from it don't.
    pub fn busy_stretch(&self) -> Option<BusyStretch> {
        let rows = Rows::new(self);
        let runs = rows.runs();
        let most = runs.iter().map(|run| run.work).fold(0.0, f64::max);
        let at = runs.iter().position(|run| run.work >= most)?;
        let stretches = runs.iter().filter(|run| run.work >= most / 4.0).count();
        rows.stretch(&runs, at, stretches)
    }
}

/// Busy cores that any machine has for itself.
pub(crate) fn idle_cpu(trace: &Trace) -> f64 {
    (trace.capacity.cores.unwrap_or(1.0) * IDLE_CPU).min(IDLE_CORES)
}

/// Bytes per second over disk and network, `[time]`; `NaN` where none of them is known.
fn io(trace: &Trace) -> Vec<f64> {
    let mut sum = vec![f64::NAN; trace.time_seconds.len()];
    for values in IO.iter().filter_map(|metric| trace.node(*metric)) {
        for (sum, value) in sum.iter_mut().zip(values).filter(|(_, value)| value.is_finite()) {
            *sum = if sum.is_nan() { *value } else { *sum + value };
        }
    }
    sum
}

/// Rows in which something happens, with what is done in them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    from: usize,
    /// The row after the last one.
    to: usize,
    work: f64,
}

/// A trace row by row.
struct Rows<'a> {
    trace: &'a Trace,
    /// Start and end of each row. After a gap, the part of it that the row speaks of.
    spans: Vec<(f64, f64)>,
    cpu: Vec<f64>,
    io: Vec<f64>,
    /// How much happens: from 1 on something does. `NaN`: not known.
    raw: Vec<f64>,
    /// The same, with less noise.
    smooth: Vec<f64>,
}

impl Rows<'_> {
    fn new(trace: &Trace) -> Rows<'_> {
        let rows = trace.time_seconds.len();
        let spans = trace
            .intervals()
            .into_iter()
            .zip(&trace.time_seconds)
            .map(|(interval, &end)| interval.unwrap_or((end, end)))
            .collect();
        let mut cpu = trace.node(Metric::CpuCores).unwrap_or_default().to_vec();
        cpu.resize(rows, f64::NAN);
        let io = io(trace);
        let mut raw = vec![f64::NAN; rows];
        let mut smooth = vec![f64::NAN; rows];
        for (values, least, rise) in
            [(&cpu, idle_cpu(trace), CPU_RISE), (&io, IDLE_BYTES_PER_SECOND, IO_RISE)]
        {
            let smoothed = smoothed(values);
            let Some((low, rise)) = levels(&smoothed, least, rise) else {
                continue;
            };
            for (values, out) in [(values, &mut raw), (&smoothed, &mut smooth)] {
                for (out, value) in out.iter_mut().zip(values) {
                    // The larger of the two; `NaN` gives way.
                    *out = out.max((value - low) / rise);
                }
            }
        }
        Rows { trace, spans, cpu, io, raw, smooth }
    }

    /// The stretches in which something happens, each with its short pauses, without blips.
    fn runs(&self) -> Vec<Run> {
        let mut busy: Vec<Run> = Vec::new();
        let mut on = false;
        for (row, &value) in self.smooth.iter().enumerate() {
            // What isn't known changes nothing.
            if !value.is_nan() {
                on = value >= if on { GOES_ON } else { 1.0 };
            }
            if !on {
                continue;
            }
            match busy.last_mut() {
                Some(run) if row < run.to + LEAST_ROWS => run.to = row + 1,
                _ => busy.push(Run { from: row, to: row + 1, work: 0.0 }),
            }
        }
        for run in &mut busy {
            self.fit(run);
        }
        busy.retain(|run| run.from < run.to);
        self.drop_blips(&mut busy);
        self.grouped(&busy)
    }

    /// Moves the ends of a run to where something happens: smoothing has blurred them.
    fn fit(&self, run: &mut Run) {
        let happens = |row: usize| self.raw.get(row).is_some_and(|value| *value >= GOES_ON);
        while run.from < run.to && !happens(run.from) {
            run.from += 1;
        }
        while run.from < run.to && !happens(run.to - 1) {
            run.to -= 1;
        }
        if run.from < run.to {
            while run.from > 0 && happens(run.from - 1) {
                run.from -= 1;
            }
            while happens(run.to) {
                run.to += 1;
            }
        }
        run.work = (run.from..run.to)
            .map(|row| (self.spans[row].1 - self.spans[row].0) * self.raw[row].max(0.0))
            .sum();
    }

    fn start(&self, run: &Run) -> f64 {
        self.spans.get(run.from).map_or(0.0, |span| span.0)
    }

    fn end(&self, run: &Run) -> f64 {
        run.to.checked_sub(1).and_then(|row| self.spans.get(row)).map_or(0.0, |span| span.1)
    }

    fn length(&self, run: &Run) -> f64 {
        self.end(run) - self.start(run)
    }

    /// Drops runs at either end that are short, far from the next one, and do next to nothing.
    fn drop_blips(&self, runs: &mut Vec<Run>) {
        let total: f64 = runs.iter().map(|run| run.work).sum();
        let pause = |a: &Run, b: &Run| self.start(b) - self.end(a);
        let is_blip = |run: &Run, pause: f64| pause > 3.0 * self.length(run);
        let (mut dropped, mut first) = (0.0, 0);
        while let [run, next, ..] = &runs[first..]
            && dropped + run.work < total * BLIP_WORK
            && is_blip(run, pause(run, next))
        {
            dropped += run.work;
            first += 1;
        }
        runs.drain(..first);
        while let [.., before, run] = runs.as_slice()
            && dropped + run.work < total * BLIP_WORK
            && is_blip(run, pause(before, run))
        {
            dropped += run.work;
            runs.pop();
        }
    }

    /// Puts runs together that belong together: a pause ends a job if it is longer than what is before and after
    /// it, and none of many such pauses.
    fn grouped(&self, runs: &[Run]) -> Vec<Run> {
        let pauses: Vec<f64> =
            runs.windows(2).map(|pair| self.start(&pair[1]) - self.end(&pair[0])).collect();
        let usual = if pauses.len() < 3 {
            0.0
        } else {
            let mut sorted = pauses.clone();
            let middle = sorted.len() / 2;
            *sorted.select_nth_unstable_by(middle, f64::total_cmp).1
        };
        let mut groups: Vec<Run> = Vec::new();
        for run in runs {
            groups.push(*run);
            while let [.., before, last] = groups.as_slice() {
                let pause = self.start(last) - self.end(before);
                if pause > self.length(before).max(self.length(last)) && pause > 3.0 * usual {
                    break;
                }
                let joined = Run { from: before.from, to: last.to, work: before.work + last.work };
                groups.pop();
                groups.pop();
                groups.push(joined);
            }
        }
        groups
    }

    /// The run as a stretch, if there is idle time before or after it.
    fn stretch(&self, runs: &[Run], at: usize, stretches: usize) -> Option<BusyStretch> {
        let run = runs.get(at)?;
        let rows = self.raw.len();
        // The idle rows around it: another run is none of them.
        let before = at.checked_sub(1).and_then(|at| runs.get(at)).map_or(0, |run| run.to)..run.from;
        let after = run.to..runs.get(at + 1).map_or(rows, |run| run.from);
        let duration = self.trace.duration_seconds();
        let (start, end) = (self.start(run), self.end(run));
        let long = |rows: usize, seconds: f64| rows >= LEAST_ROWS && seconds > LONG_IDLE * (end - start);
        let head = long(run.from, start).then(|| self.means(std::slice::from_ref(&before)));
        let tail = long(rows - run.to, duration - end).then(|| self.means(std::slice::from_ref(&after)));
        let quiet = idle_cpu(self.trace);
        let is_quiet = |side: &Means| {
            side.cpu.is_none_or(|cpu| cpu <= quiet) && side.io.is_none_or(|io| io <= IDLE_BYTES_PER_SECOND)
        };
        let inside = self.means(std::slice::from_ref(&(run.from..run.to)));
        let is_background = head.as_ref().zip(tail.as_ref()).is_some_and(|(head, tail)| {
            let level =
                |head: Option<f64>, tail: Option<f64>, inside: Option<f64>, quiet: f64| match (head, tail) {
                    (Some(head), Some(tail)) => {
                        let (low, high) = (head.min(tail), head.max(tail));
                        let lower = inside.is_some_and(|inside| high <= inside / 2.0);
                        high <= quiet || (lower && high <= low * SAME_LEVEL)
                    }
                    (None, None) => true,
                    _ => false,
                };
            level(head.cpu, tail.cpu, inside.cpu, quiet)
                && level(head.io, tail.io, inside.io, IDLE_BYTES_PER_SECOND)
        });
        let cut = |side: Option<Means>| side.is_some_and(|side| is_background || is_quiet(&side));
        let (cut_head, cut_tail) = (cut(head), cut(tail));
        if !cut_head && !cut_tail {
            return None;
        }
        let outside =
            self.means(&[if cut_head { before } else { 0..0 }, if cut_tail { after } else { 0..0 }]);
        let from_seconds = if cut_head { start } else { 0.0 };
        let to_seconds = if cut_tail { end } else { duration };
        let sides = match (cut_head, cut_tail) {
            (true, true) => "before and after it",
            (true, false) => "before it",
            _ => "after it",
        };
        let reason = match (inside.cpu, outside.cpu) {
            (Some(inner), Some(outer)) if inner > outer => {
                format!("CPU is at {} in it and at {} {sides}", cores(inner), cores(outer))
            }
            _ => format!("disk and network are at work in it and not {sides}"),
        };
        Some(BusyStretch {
            from_seconds,
            to_seconds,
            stretches,
            cpu_cores: inside.cpu,
            idle_cpu_cores: outside.cpu,
            idle_bytes_per_second: outside.io,
            reason,
        })
    }

    /// Means over rows, weighted by time.
    fn means(&self, ranges: &[std::ops::Range<usize>]) -> Means {
        let mean = |values: &[f64]| {
            let (mut area, mut time) = (0.0, 0.0);
            for row in ranges.iter().cloned().flatten() {
                let (from, to) = self.spans[row];
                if values[row].is_finite() {
                    area += values[row] * (to - from);
                    time += to - from;
                }
            }
            (time > 0.0).then(|| area / time)
        };
        Means { cpu: mean(&self.cpu), io: mean(&self.io) }
    }
}

/// Means of CPU and of disk and network together. `None`: not known.
struct Means {
    cpu: Option<f64>,
    io: Option<f64>,
}

fn cores(value: f64) -> String {
    words::amount(value, "cores")
}

/// The lowest level of values and how far above it something happens. `None`: nothing ever does.
fn levels(values: &[f64], least: f64, rise: f64) -> Option<(f64, f64)> {
    let mut known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let last = known.len().checked_sub(1)?;
    let low_at = (known.len() as f64 * LOWEST) as usize;
    // The highest one or two are no level.
    let high_at = last.saturating_sub(((known.len() as f64 * HIGHEST) as usize).max(1)).max(low_at);
    let low = *known.select_nth_unstable_by(low_at, f64::total_cmp).1;
    let high = *known.select_nth_unstable_by(high_at, f64::total_cmp).1;
    (high - low > least.max(high * LEAST_RISE)).then(|| (low, least.max((high - low) * rise)))
}

/// Means over a few rows around each, of what is known.
fn smoothed(values: &[f64]) -> Vec<f64> {
    let around = (values.len() / 50).clamp(1, MOST_SMOOTHED) / 2;
    (0..values.len())
        .map(|row| {
            let window = &values[row.saturating_sub(around)..(row + around + 1).min(values.len())];
            let (sum, count) = window
                .iter()
                .filter(|value| value.is_finite())
                .fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
            if count == 0 { f64::NAN } else { sum / f64::from(count) }
        })
        .collect()
}
