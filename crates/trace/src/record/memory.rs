//! Memory in use, without the page cache, from whatever a tool tells.

use super::Signal;
use super::sums::{Sums, at_least_zero, median, put_values};
use crate::{Metric, Trace, Warning, WarningKind};

/// How far two ways of knowing the memory of the node may be apart, as a share of it.
const SAME_TOTAL: f64 = 0.02;
/// How far a sum may vary that is the memory of the node, as a share of it.
const CONSTANT: f64 = 1e-3;

impl Sums<'_> {
    pub(super) fn memory(&mut self, trace: &mut Trace) {
        let mut get = |signal| self.all(trace, signal).map(|total| (total.values, total.source));
        let buffers = get(Signal::Buffers);
        let cached = get(Signal::Cached);
        let reclaimable = get(Signal::Reclaimable);
        let total = get(Signal::MemoryTotal);
        let free = get(Signal::MemoryFree);
        let available = get(Signal::MemoryAvailable);
        let used = get(Signal::MemoryUsed);
        let share = get(Signal::MemoryUsedShare);
        let without_cache = get(Signal::MemoryUsedWithoutCache);
        let share_without_cache = get(Signal::MemoryShareWithoutCache);

        let cache_parts: Vec<&(Vec<f64>, String)> =
            [&cached, &buffers, &reclaimable].into_iter().flatten().collect();
        // Buffers or slabs alone are not the page cache.
        let cache = cached.is_some().then(|| add(&cache_parts));
        if let Some((values, source)) = &cache {
            put_values(trace, Metric::PageCacheBytes, values.clone(), source.clone());
        }
        let most =
            |values: &[f64]| values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
        if let Some((values, _)) = &total {
            trace.capacity.memory_bytes =
                Some(most(values)).filter(|bytes| *bytes > 0.0).or(trace.capacity.memory_bytes);
        }

        if let Some((values, source)) = without_cache {
            put_values(trace, Metric::MemoryBytes, values, source);
            if let (None, Some(free), Some(cache)) = (trace.capacity.memory_bytes, &free, &cache) {
                // All memory is one of the three.
                let used = trace.node(Metric::MemoryBytes).map(<[f64]>::to_vec).unwrap_or_default();
                let all = rows(&[&used, &free.0, &cache.0], |row| row.iter().sum());
                trace.capacity.memory_bytes = constant(&all, SAME_TOTAL);
            }
            return;
        }
        if let (Some(used), Some(free)) = (&used, &free) {
            self_described(trace, used, free, share.as_ref(), cache.as_ref());
            return;
        }
        // What the caller says stands in for what the file doesn't.
        let said = trace.capacity.memory_bytes.or(self.recorder.options.capacity.memory_bytes);
        let known_total = match (&total, said) {
            (Some(total), _) => Some(total.clone()),
            (None, Some(bytes)) => {
                let length = trace.time_seconds.len();
                Some((vec![bytes; length], format!("{bytes} bytes")))
            }
            (None, None) => None,
        };
        let Some(total) = known_total else {
            if [&free, &available, &used, &share_without_cache].iter().any(|known| known.is_some()) {
                let message =
                    "Memory in use is not known: the file doesn't say how much memory the node has.";
                let warning = Warning::new(WarningKind::MemoryUnknown, message);
                trace.warnings.push(warning.hinting("Say how much it has."));
            }
            return;
        };
        if let (Some(free), Some(cache)) = (&free, &cache) {
            let values = rows(&[&total.0, &free.0, &cache.0], |row| at_least_zero(row[0] - row[1] - row[2]));
            put_values(
                trace,
                Metric::MemoryBytes,
                values,
                format!("{} - {} - ({})", total.1, free.1, cache.1),
            );
        } else if let Some(available) = &available {
            let values = rows(&[&total.0, &available.0], |row| at_least_zero(row[0] - row[1]));
            put_values(trace, Metric::MemoryBytes, values, format!("{} - {}", total.1, available.1));
        } else if let Some(share) = &share_without_cache {
            let values = rows(&[&total.0, &share.0], |row| row[0] * row[1]);
            put_values(trace, Metric::MemoryBytes, values, format!("{} of {}", share.1, total.1));
        } else if free.is_some() || used.is_some() {
            let message = "Memory in use is not known: the size of the page cache isn't in the file.";
            trace.warnings.push(Warning::new(WarningKind::MemoryUnknown, message));
        }
    }
}

type Known = (Vec<f64>, String);

/// Older sar counts buffers and page cache as used, newer sar doesn't: the share or a constant total shows which.
fn self_described(
    trace: &mut Trace,
    used: &Known,
    free: &Known,
    share: Option<&Known>,
    cache: Option<&Known>,
) {
    let both = rows(&[&used.0, &free.0], |row| row.iter().sum());
    let Some(both_median) = median(both.iter().copied()) else { return };
    let from_share = share.and_then(|share| {
        let pairs = used.0.iter().zip(&share.0).filter(|(_, share)| **share >= 0.01);
        median(pairs.map(|(used, share)| used / share))
    });
    let said = trace.capacity.memory_bytes;
    let used_has_cache = match from_share.or(said) {
        Some(total) => (both_median / total - 1.0).abs() < SAME_TOTAL,
        None => constant(&both, CONSTANT).is_some(),
    };
    let capacity = if used_has_cache { Some(both_median) } else { from_share };
    trace.capacity.memory_bytes = said.or(capacity.map(f64::round)).filter(|bytes| *bytes > 0.0);
    if !used_has_cache {
        put_values(trace, Metric::MemoryBytes, used.0.clone(), used.1.clone());
    } else if let Some(cache) = cache {
        let values = rows(&[&used.0, &cache.0], |row| at_least_zero(row[0] - row[1]));
        put_values(trace, Metric::MemoryBytes, values, format!("{} - ({})", used.1, cache.1));
    } else {
        let message = format!(
            "Memory in use is not known: {} has the page cache in it, and its size isn't in the file.",
            used.1
        );
        trace.warnings.push(Warning::new(WarningKind::MemoryUnknown, message));
    }
}

/// The median of values that hardly vary.
fn constant(values: &[f64], tolerance: f64) -> Option<f64> {
    let middle = median(values.iter().copied())?;
    let same = |value: &f64| !value.is_finite() || (value / middle - 1.0).abs() < tolerance;
    (middle > 0.0 && values.iter().all(same)).then_some(middle)
}

fn add(parts: &[&Known]) -> Known {
    let values: Vec<&Vec<f64>> = parts.iter().map(|part| &part.0).collect();
    let sources: Vec<&str> = parts.iter().map(|part| part.1.as_str()).collect();
    (rows(&values, |row| row.iter().sum()), sources.join(" + "))
}

/// Row by row over series of the same length.
fn rows(series: &[&Vec<f64>], combine: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let length = series.iter().map(|values| values.len()).min().unwrap_or(0);
    let mut row = vec![0.0; series.len()];
    (0..length)
        .map(|index| {
            for (cell, values) in row.iter_mut().zip(series) {
                *cell = values[index];
            }
            combine(&row)
        })
        .collect()
}
