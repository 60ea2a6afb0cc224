//! CPU time by mode where a function or a sum took the metric's name: the sum of all modes tells what it is.

use std::collections::HashMap;

use super::Series;
use super::names::{Family, Known, mode};
use crate::record::Unit;

/// How far a sum of all modes may be off, as a share of it.
const SAME: f64 = 0.1;

/// The series without a name that belong together: those of the same instance and the same CPU.
#[derive(Default)]
struct Group {
    total: f64,
    growth: f64,
    seconds: f64,
    has_idle: bool,
    has_user: bool,
    has_system: bool,
}

/// All such groups of a file.
pub(super) struct Groups<'a>(HashMap<(Option<&'a str>, Option<&'a str>), Group>);

impl<'a> Groups<'a> {
    pub(super) fn new(all: &'a [Series]) -> Groups<'a> {
        let mut groups: HashMap<_, Group> = HashMap::new();
        for series in all.iter().filter(|series| series.label("__name__").is_none()) {
            let Some(name) = series.label("mode").filter(|name| mode(name).is_some()) else { continue };
            let mut known = series.points.iter().filter(|point| point.1.is_finite());
            let (Some(first), last) = (known.clone().next(), known.clone().next_back()) else { continue };
            let last = last.unwrap_or(first);
            let group = groups.entry(key(series)).or_default();
            let count = known.clone().count() as f64;
            group.total += known.by_ref().map(|point| point.1).sum::<f64>() / count;
            group.growth += last.1 - first.1;
            group.seconds = group.seconds.max(last.0 - first.0);
            group.has_idle |= name == "idle";
            group.has_user |= name == "user";
            group.has_system |= name == "system";
        }
        Groups(groups)
    }

    /// What a series without a name is that has a mode. `None`: that isn't clear.
    pub(super) fn known(&self, series: &Series) -> Option<Known> {
        let signal = mode(series.label("mode")?)?;
        let group = self.0.get(&key(series))?;
        let total = group.total;
        let node = |unit: Unit, is_counter| Known::new(Family::Node, signal, unit, is_counter);
        if group.seconds > 0.0 && group.growth > group.seconds * 0.5 && total > group.seconds {
            // It counts up: a sum of counters.
            return Some(node(Unit::CORES, true));
        }
        if series.label("cpu").is_some() {
            // One core's time can't be more than all of it.
            let unit = match total {
                _ if total <= 1.0 + SAME => Unit::CORES,
                _ if total <= 100.0 * (1.0 + SAME) => Unit::PERCENT_OF_CORE,
                _ => return None,
            };
            return Some(node(unit, false));
        }
        if !(group.has_idle && group.has_user && group.has_system) {
            return None;
        }
        let is = |wanted: f64| (total / wanted - 1.0).abs() < SAME;
        if is(100.0) {
            Some(node(Unit::PERCENT_OF_NODE, false))
        } else if is(1.0) {
            Some(node(Unit::SHARE_OF_NODE, false))
        } else if total >= 1.5 {
            Some(Known { cores: Some(total.round()), ..node(Unit::CORES, false) })
        } else {
            None
        }
    }
}

fn key(series: &Series) -> (Option<&str>, Option<&str>) {
    (series.label("instance"), series.label("cpu"))
}
