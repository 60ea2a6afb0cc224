//! Middle and spread of numbers.

/// Figures about some numbers that are not negative, such as differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// How many there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// Nine in ten are not above it.
    pub p90: f64,
    /// The largest.
    pub max: f64,
}

impl Stats {
    /// Figures about `values`; those that are not known (`NaN`) are left out. `None`: none is known.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Stats> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        Some(Stats {
            count: values.len(),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            median: quantile(&values, 0.5)?,
            p90: quantile(&values, 0.9)?,
            max: *values.last()?,
        })
    }
}

/// The median. `None`: there are no values.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5)
}

/// A quantile of ascending values, between neighbours in proportion.
pub(crate) fn quantile(ascending: &[f64], share: f64) -> Option<f64> {
    let place = share * ascending.len().checked_sub(1)? as f64;
    let (low, high) = (ascending[place.floor() as usize], ascending[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

/// Largest minus smallest, in percent of the median. `None`: fewer than two values.
pub(crate) fn spread_percent(values: &[f64]) -> Option<f64> {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
    (values.len() > 1).then_some(())?;
    Some(100.0 * (high - low) / median(values)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_numbers() {
        let cases: [(&[f64], Option<[f64; 4]>); 4] = [
            (&[], None),
            (&[f64::NAN], None),
            (&[3.0], Some([3.0, 3.0, 3.0, 3.0])),
            // The 0.9 quantile of five numbers lies 3.6 steps above the first.
            (&[5.0, 1.0, f64::NAN, 2.0, 4.0, 3.0], Some([3.0, 3.0, 4.6, 5.0])),
        ];
        for (values, wanted) in cases {
            let stats = Stats::of(values.iter().copied());
            let figures = stats.map(|stats| [stats.mean, stats.median, stats.p90, stats.max]);
            assert_eq!(figures.is_some(), wanted.is_some(), "{values:?}");
            for (figure, wanted) in figures.iter().flatten().zip(wanted.iter().flatten()) {
                assert!((figure - wanted).abs() < 1e-12, "{values:?}: {figure} is not {wanted}");
            }
        }
    }

    #[test]
    fn spread_is_relative_to_the_median() {
        assert_eq!(spread_percent(&[10.0]), None);
        assert_eq!(spread_percent(&[12.0, 10.0, 8.0]), Some(40.0));
    }
}
