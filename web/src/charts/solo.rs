//! One trace over time: small plots of what a job alone used, to look at and to cut.

use cotrace_trace::Metric;
use serde::Serialize;

use crate::figures::largest;
use crate::format::Quantity;
use crate::messages::{Overview, Stretch};

/// What is plotted: one metric, or two that are added up.
const PANELS: [(&str, &str, &[Metric]); 4] = [
    ("cpu", "CPU", &[Metric::CpuCores]),
    ("memory", "Memory", &[Metric::MemoryBytes]),
    ("disk", "Disk", &[Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond]),
    ("network", "Network", &[Metric::NetworkReceiveBytesPerSecond, Metric::NetworkTransmitBytesPerSecond]),
];

/// A small plot. All values are in `unit`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// A word for tests and styles.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The unit of all values.
    pub unit: &'static str,
    /// Steps of the axis are powers of two.
    pub binary: bool,
    /// The top of the value axis.
    pub top: f64,
    /// The values, `[time]`; `None` where not known.
    pub values: Vec<Option<f64>>,
}

/// What `web/js/solo.js` draws.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SoloPlot {
    /// The job it belongs to.
    pub job: usize,
    /// The end of the time axis.
    pub end_seconds: f64,
    /// The middle of each step, in seconds.
    pub time: Vec<f64>,
    /// One below the other.
    pub panels: Vec<Panel>,
    /// The part that is kept, if it isn't all.
    pub kept: Option<Stretch>,
    /// A part to show.
    pub mark: Option<Stretch>,
    /// The part that is chosen.
    pub selected: Option<Stretch>,
}

/// The plots of a trace; what it doesn't have is left out.
pub fn panels(overview: &Overview) -> Vec<Panel> {
    PANELS.iter().filter_map(|(key, title, metrics)| panel(overview, key, title, metrics)).collect()
}

/// The middle of each step. The last step may be shorter.
pub fn times(overview: &Overview) -> Vec<f64> {
    let steps = overview.metrics.values().map(Vec::len).max().unwrap_or(0);
    let step = overview.step_seconds;
    let end = overview.duration_seconds;
    (0..steps).map(|k| k as f64 * step).map(|start| f64::midpoint(start, (start + step).min(end))).collect()
}

fn panel(overview: &Overview, key: &'static str, title: &'static str, metrics: &[Metric]) -> Option<Panel> {
    let known: Vec<(Metric, &Vec<Option<f64>>)> =
        metrics.iter().filter_map(|metric| Some((*metric, overview.metrics.get(metric)?))).collect();
    let (first, values) = *known.first()?;
    // A sum of which a part isn't known isn't known.
    let sums: Vec<Option<f64>> = (0..values.len())
        .map(|k| known.iter().map(|(_, values)| values.get(k).copied().flatten()).sum::<Option<f64>>())
        .collect();
    let highest = largest(sums.iter().copied().flatten()).max(0.0);
    let quantity = Quantity::of(first);
    let (scale, unit) = quantity.axis(highest);
    // Of two metrics only one is there: then it is called by its name.
    let title = if known.len() < metrics.len() { first.title() } else { title };
    Some(Panel {
        key,
        title,
        unit,
        binary: quantity == Quantity::Bytes,
        top: if highest > 0.0 { highest / scale * 1.08 } else { 1.0 },
        values: sums.into_iter().map(|value| value.map(|value| value / scale)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn overview() -> Overview {
        let metrics = BTreeMap::from([
            (Metric::CpuCores, vec![Some(1.0), None, Some(2.0)]),
            (Metric::DiskReadBytesPerSecond, vec![Some(1e6), Some(2e6), None]),
            (Metric::DiskWriteBytesPerSecond, vec![Some(1e6), Some(1e6), Some(1e6)]),
            (Metric::NetworkTransmitBytesPerSecond, vec![Some(0.0); 3]),
            (Metric::PowerWatts, vec![Some(50.0); 3]),
        ]);
        Overview { step_seconds: 2.0, duration_seconds: 5.0, metrics }
    }

    #[test]
    fn what_a_job_uses_in_the_unit_of_its_axis() {
        let panels = panels(&overview());
        let titles: Vec<_> = panels.iter().map(|panel| (panel.key, panel.title, panel.unit)).collect();
        let wanted = [("cpu", "CPU", "cores"), ("disk", "Disk", "MB/s"), ("network", "Network sent", "B/s")];
        assert_eq!(titles, wanted);
        assert_eq!(panels[0].values, [Some(1.0), None, Some(2.0)]);
        assert_eq!(panels[1].values, [Some(2.0), Some(3.0), None], "a sum with an unknown part is not known");
        assert!(panels[1].top > 3.0);
        assert_eq!(panels[2].top, 1.0);
    }

    #[test]
    fn points_stand_in_the_middle_of_their_steps() {
        assert_eq!(times(&overview()), [1.0, 3.0, 4.5]);
        let nothing = Overview { step_seconds: 1.0, duration_seconds: 0.0, metrics: BTreeMap::new() };
        assert!(times(&nothing).is_empty() && panels(&nothing).is_empty());
    }
}
