//! What the network reads of a step.

use cotrace_forecast::{Cause, MODELLED, Scene, max_min, share_unit};
use cotrace_trace::Metric;

use super::Ablation;
use crate::features::METRICS;

/// What kind of job it is: mean and 90th percentile of each metric over its solo run, and whether the metric is known.
pub const CONTEXT: usize = 3 * METRICS;

/// Shortages that follow from demands and capacity, see [`TERM_NAMES`].
pub const TERMS: usize = 7;

/// What each term is.
pub const TERM_NAMES: [&str; TERMS] = [
    "CPU asked for over CPU granted, divided max-min",
    "CPU asked for by all beyond capacity",
    "CPU used beside CPU",
    "disk asked for by all beyond capacity",
    "disk used beside disk",
    "waiting for I/O beside disk use",
    "network asked for by all beyond capacity",
];

/// What each term is a shortage of.
pub const TERM_CAUSES: [Cause; TERMS] =
    [Cause::Cpu, Cause::Cpu, Cause::Cpu, Cause::Disk, Cause::Disk, Cause::Disk, Cause::Network];

/// Shares beyond this tell nothing more.
pub(super) const MOST_SHARE: f64 = 4.0;

/// A job holding less than this share of a resource is not held back by it.
const USES: f64 = 0.01;

/// How strongly small shares are told apart: one in so many of the capacity is a visible amount.
const FINE: f64 = 20.0;

/// Shares of each metric that a job asks for.
pub type Shares = [f64; METRICS];

/// What kind of job it is, or what kind several are together: mean and 90th percentile of each metric over the solo run,
/// in shares of capacity. `None`: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kind(pub [Option<[f64; 2]>; METRICS]);

impl Kind {
    /// Several jobs as one: what they ask for adds up, and is known where it is known of all.
    pub fn together<'a>(kinds: impl IntoIterator<Item = &'a Kind>) -> Kind {
        let mut kinds = kinds.into_iter();
        let mut sum = kinds.next().copied().unwrap_or_default();
        for kind in kinds {
            for (sum, part) in sum.0.iter_mut().zip(kind.0) {
                *sum = sum.zip(part).map(|(sum, part)| [sum[0] + part[0], sum[1] + part[1]]);
            }
        }
        sum
    }
}

/// A scene as the network reads it.
#[derive(Clone, Debug)]
pub struct SceneReader<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// What kind of job each is, `[jobs]`.
    pub kinds: Vec<Kind>,
    /// The same as the network reads it, `[jobs]`.
    pub contexts: Vec<[f32; CONTEXT]>,
    units: Shares,
    known: [bool; METRICS],
    without: Ablation,
}

/// What the network reads of one job in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct JobStep {
    /// What the job asks for, compressed.
    pub own: [f32; METRICS],
    /// What the others ask for together, compressed.
    pub others: [f32; METRICS],
    /// Shortages, none of them negative.
    pub terms: [f32; TERMS],
    /// Whether the job runs.
    pub running: bool,
    /// Whether it runs beside another.
    pub beside: bool,
}

impl<'a> SceneReader<'a> {
    /// Reads a scene. `known` says which metrics may be used: all that the traces have, or fewer.
    pub fn new(scene: &'a Scene, known: &[bool; METRICS], without: Ablation) -> SceneReader<'a> {
        let units = MODELLED.map(|metric| share_unit(metric, &scene.node));
        let mut reader =
            SceneReader { scene, kinds: Vec::new(), contexts: Vec::new(), units, known: *known, without };
        reader.kinds = (0..scene.jobs.len()).map(|job| reader.kind(job)).collect();
        reader.contexts = reader.kinds.iter().map(context).collect();
        reader
    }

    fn kind(&self, job: usize) -> Kind {
        let mut kind = Kind::default();
        for (m, metric) in MODELLED.iter().enumerate().filter(|(m, _)| self.known[*m]) {
            let Some(values) = self.scene.jobs[job].demand.get(metric) else { continue };
            let mut shares: Vec<f64> =
                values.iter().filter(|value| value.is_finite()).map(|value| value / self.units[m]).collect();
            shares.sort_by(f64::total_cmp);
            let Some(last) = shares.len().checked_sub(1) else { continue };
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            kind.0[m] = Some([mean, shares[(last as f64 * 0.9).round() as usize]]);
        }
        kind
    }

    /// What a job asks for between two moments of its solo run, in shares of capacity; nothing of what isn't known.
    pub fn shares(&self, job: usize, from_seconds: f64, to_seconds: f64) -> Shares {
        let mut shares = [0.0; METRICS];
        let job = &self.scene.jobs[job];
        for (m, metric) in MODELLED.iter().enumerate() {
            if self.known[m] && job.demand.contains_key(metric) {
                let demand = job.mean_demand(*metric, from_seconds, to_seconds) / self.units[m];
                shares[m] = demand.clamp(0.0, MOST_SHARE);
            }
        }
        shares
    }

    /// What the network reads of a step in which jobs have got so far, `[jobs]`.
    pub fn step(&self, progress_seconds: &[f64], running: &[bool]) -> Vec<JobStep> {
        let step = self.scene.step_seconds;
        let asked: Vec<Shares> = progress_seconds
            .iter()
            .zip(running)
            .enumerate()
            .map(|(job, (&at, &runs))| match (runs, self.without) {
                (false, _) => [0.0; METRICS],
                (true, Ablation::Pointers) => self.shares(job, 0.0, self.scene.jobs[job].solo_seconds),
                (true, _) => self.shares(job, at, at + step),
            })
            .collect();
        let granted_cpu = max_min(&asked.iter().map(|shares| shares[CPU]).collect::<Vec<_>>());
        (0..asked.len())
            .map(|job| {
                let mut others = [0.0; METRICS];
                for (_, shares) in asked.iter().enumerate().filter(|(other, _)| *other != job) {
                    others.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
                }
                JobStep {
                    own: asked[job].map(compress),
                    others: others.map(compress),
                    terms: match self.without {
                        Ablation::Terms => [0.0; TERMS],
                        _ => terms(&asked[job], &others, granted_cpu[job]).map(|term| term as f32),
                    },
                    running: running[job],
                    beside: running[job]
                        && running.iter().enumerate().any(|(other, &runs)| other != job && runs),
                }
            })
            .collect()
    }
}

fn context(kind: &Kind) -> [f32; CONTEXT] {
    let mut context = [0.0; CONTEXT];
    for (m, [mean, high]) in kind.0.iter().enumerate().filter_map(|(m, known)| Some((m, (*known)?))) {
        context[m] = compress(mean);
        context[METRICS + m] = compress(high);
        context[2 * METRICS + m] = 1.0;
    }
    context
}

/// A share as the network reads it: 0 is none and 1 the whole capacity; steps near none are wide.
pub fn compress(share: f64) -> f32 {
    ((FINE * share.clamp(0.0, MOST_SHARE)).ln_1p() / FINE.ln_1p()) as f32
}

const CPU: usize = place(Metric::CpuCores);
const IOWAIT: usize = place(Metric::CpuIowaitCores);
const READ: usize = place(Metric::DiskReadBytesPerSecond);
const WRITE: usize = place(Metric::DiskWriteBytesPerSecond);
const RECEIVE: usize = place(Metric::NetworkReceiveBytesPerSecond);
const TRANSMIT: usize = place(Metric::NetworkTransmitBytesPerSecond);

/// The channel of a metric.
const fn place(metric: Metric) -> usize {
    let mut m = 0;
    while MODELLED[m] as usize != metric as usize {
        m += 1;
    }
    m
}

fn terms(own: &Shares, others: &Shares, granted_cpu: f64) -> [f64; TERMS] {
    let disk = [own[READ] + own[WRITE], others[READ] + others[WRITE]];
    let beyond = |own: f64, others: f64| if own > USES { (own + others - 1.0).max(0.0) } else { 0.0 };
    let short = if own[CPU] > USES { own[CPU] / granted_cpu.max(1e-9) - 1.0 } else { 0.0 };
    [
        short.clamp(0.0, MOST_SHARE),
        beyond(own[CPU], others[CPU]),
        own[CPU].min(1.0) * others[CPU].min(1.0),
        beyond(disk[0], disk[1]),
        disk[0].min(1.0) * disk[1].min(1.0),
        own[IOWAIT].min(1.0) * disk[1].min(1.0),
        beyond(own[RECEIVE], others[RECEIVE]).max(beyond(own[TRANSMIT], others[TRANSMIT])),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(of: &[(usize, f64)]) -> Shares {
        let mut shares = [0.0; METRICS];
        for &(m, share) in of {
            shares[m] = share;
        }
        shares
    }

    #[test]
    fn terms_known_by_hand() {
        let half = shares(&[(CPU, 0.5)]);
        let whole = shares(&[(CPU, 1.0)]);
        let reads = shares(&[(READ, 0.6), (IOWAIT, 0.5)]);
        let writes = shares(&[(WRITE, 0.8)]);
        let cases = [
            ("room for both", &half, &half, 0.5, [0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0]),
            ("too much", &whole, &whole, 0.5, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
            ("less than a fair share", &half, &whole, 0.5, [0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0]),
            ("disk", &reads, &writes, 0.0, [0.0, 0.0, 0.0, 0.4, 0.48, 0.4, 0.0]),
            ("nothing in common", &whole, &reads, 1.0, [0.0; TERMS]),
        ];
        let mut wrong = Vec::new();
        for (what, own, others, granted, wanted) in cases {
            let found = terms(own, others, granted);
            if found.iter().zip(wanted).any(|(found, wanted)| (found - wanted).abs() > 1e-9) {
                wrong.push(format!("{what}: {found:?}, should be {wanted:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn compressed_shares_keep_their_order_and_ends() {
        assert_eq!(compress(-0.1), 0.0);
        assert!((compress(1.0) - 1.0).abs() < 1e-6);
        let grows = [0.0, 0.001, 0.01, 0.1, 0.5, 1.0, 2.0].map(compress);
        assert!(grows.windows(2).all(|pair| pair[0] < pair[1]), "{grows:?}");
    }
}
