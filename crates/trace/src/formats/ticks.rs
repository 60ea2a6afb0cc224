//! How many cores a node has, from the graininess of its CPU percentages.
//!
//! Linux counts CPU time in ticks of 10 ms, so that a sample of `t` seconds on `c` cores has about `100 t c` ticks,
//! and each percentage is a whole number of them: on 2 cores and 1 s in steps of 0.5 %, on 4 cores of 0.25 %. As
//! the total varies by a few ticks from sample to sample, a number of cores is believed if in nearly every sample
//! some total close to its own explains all percentages, and half as many cores can't.

/// Ticks in a second, the same on every Linux as far as programs see it.
const TICKS_PER_SECOND: f64 = 100.0;
/// How far the total of a sample may be from what is expected.
const SLACK: std::ops::RangeInclusive<f64> = 0.97..=1.02;
/// Beyond this many ticks nearly every percentage of two decimals fits.
const MAX_TICKS: f64 = 5000.0;
/// Samples needed, and samples looked at.
const SAMPLES: std::ops::RangeInclusive<usize> = 8..=200;
/// The share of samples that must have a second decimal: without, they were rounded and their grain is of that.
const MIN_FINE: f64 = 0.2;
/// The share of samples that must fit.
const MIN_FIT: f64 = 0.9;
/// The share of samples that may fit half as many cores.
const MAX_FIT_OF_HALF: f64 = 0.6;

/// The number of cores (1, 2, 4, 8, …), if it shows. `samples` has all parts of the CPU time of each sample in
/// percent, of two decimals, over `seconds`.
pub(crate) fn cores(samples: impl Iterator<Item = Vec<f64>>, seconds: f64) -> Option<f64> {
    // 0 and 100 fit any number of cores, and one part alone is one of these.
    let telling = samples
        .map(|mut parts| {
            parts.retain(|&part| part > 0.0 && part < 100.0);
            parts
        })
        .filter(|parts| parts.len() >= 2);
    let mut samples: Vec<Vec<f64>> = telling.take(*SAMPLES.end()).collect();
    // The same sample again says nothing new.
    samples.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    samples.dedup();
    let is_whole = |value: f64| (value - value.round()).abs() < 1e-6;
    let fine = samples.iter().filter(|parts| !parts.iter().all(|part| is_whole(part * 10.0))).count();
    if samples.len() < *SAMPLES.start()
        || !samples.iter().flatten().all(|part| is_whole(part * 100.0))
        || (fine as f64) < samples.len() as f64 * MIN_FINE
    {
        return None;
    }
    let mut fit_of_half = 0.0;
    let mut cores = 1.0;
    while cores * seconds * TICKS_PER_SECOND <= MAX_TICKS {
        let ticks = cores * seconds * TICKS_PER_SECOND;
        let fitting = samples.iter().filter(|parts| fits(parts, ticks)).count();
        let fit = fitting as f64 / samples.len() as f64;
        if fit >= MIN_FIT {
            return (fit_of_half <= MAX_FIT_OF_HALF).then_some(cores);
        }
        fit_of_half = fit;
        cores *= 2.0;
    }
    None
}

/// Whether some total near `ticks` explains all parts.
fn fits(parts: &[f64], ticks: f64) -> bool {
    let totals = (ticks * SLACK.start()) as u32..=(ticks * SLACK.end()) as u32;
    totals.map(f64::from).any(|total| {
        parts.iter().all(|part| {
            let exact = part * total / 100.0;
            // Rounding to two decimals moves a percentage by 0.005 at most.
            (exact - exact.round()).abs() <= 0.00501 * total / 100.0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of a node with `cores` cores: a few ticks more or fewer each time, three parts.
    fn samples(cores: u32, seconds: u32, count: u32) -> impl Iterator<Item = Vec<f64>> {
        (0..count).map(move |i| {
            let total = (100 * cores * seconds).saturating_sub(i % 3);
            let user = (i * 7919 + 13) % (total / 2);
            let system = (i * 104_729 + 3) % (total / 3);
            let percent = |ticks: u32| (f64::from(ticks) * 10_000.0 / f64::from(total)).round() / 100.0;
            vec![percent(user), percent(system), percent(total - user - system)]
        })
    }

    #[test]
    fn cores_show_in_the_grain() {
        let cases = [
            (1, 1, 60, Some(1.0)),
            (2, 1, 60, Some(2.0)),
            (4, 1, 60, Some(4.0)),
            (8, 1, 60, Some(8.0)),
            (16, 1, 60, Some(16.0)),
            (2, 5, 60, Some(2.0)),
            (4, 5, 60, Some(4.0)),
            // Not a power of two, too coarse, too few: not known rather than wrong.
            (6, 1, 60, None),
            (64, 1, 60, None),
            (2, 60, 60, None),
            (2, 1, 7, None),
        ];
        for (cores_there, seconds, count, wanted) in cases {
            let found = cores(samples(cores_there, seconds, count), f64::from(seconds));
            assert_eq!(found, wanted, "{cores_there} cores, {seconds} s, {count} samples");
        }
    }

    #[test]
    fn rounded_or_repeated_percentages_say_nothing() {
        let to = |decimals: f64| {
            move |parts: Vec<f64>| parts.iter().map(|part| (part * decimals).round() / decimals).collect()
        };
        assert_eq!(cores(samples(8, 1, 60).map(to(1.0)), 1.0), None);
        assert_eq!(cores(samples(8, 5, 60).map(to(10.0)), 5.0), None);
        let shifted = samples(2, 1, 60).map(|parts| parts.iter().map(|part| part + 0.001).collect());
        assert_eq!(cores(shifted, 1.0), None);
        assert_eq!(cores(std::iter::repeat_n(vec![100.0, 0.0], 60), 1.0), None);
        assert_eq!(cores(std::iter::repeat_n(vec![20.0, 5.25, 74.75], 60), 1.0), None);
    }
}
