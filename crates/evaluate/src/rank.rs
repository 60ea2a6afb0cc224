//! Whether forecasts put things in the right order.

/// Spearman's rank correlation of pairs of numbers; equal numbers share their mean rank. `None`: fewer than two pairs,
/// or all numbers of one side are equal.
pub(crate) fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let a = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let b = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let middle = f64::midpoint(pairs.len() as f64, 1.0);
    let product =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum() };
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    (spread > 0.0).then(|| product(&a, &b) / spread)
}

/// The place of each value in ascending order, from 1.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let equal =
            order[from..].iter().take_while(|&&index| values[index] == values[order[from]]).count().max(1);
        let shared = from as f64 + f64::midpoint(equal as f64, 1.0);
        for &index in &order[from..from + equal] {
            ranks[index] = shared;
        }
        from += equal;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_known_by_hand() {
        type Pairs = &'static [(f64, f64)];
        let cases: [(Pairs, Option<f64>); 6] = [
            (&[], None),
            (&[(1.0, 2.0)], None),
            (&[(1.0, 5.0), (1.0, 6.0)], None),
            (&[(1.0, 10.0), (2.0, 11.0), (9.0, 300.0)], Some(1.0)),
            (&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)], Some(-1.0)),
            // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: product 4.5, spreads 4.5 and 5.
            (&[(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (3.0, 4.0)], Some(4.5 / (4.5f64 * 5.0).sqrt())),
        ];
        for (pairs, wanted) in cases {
            let found = correlation(pairs);
            assert_eq!(found.is_some(), wanted.is_some(), "{pairs:?}");
            assert!((found.unwrap_or(0.0) - wanted.unwrap_or(0.0)).abs() < 1e-12, "{pairs:?}: {found:?}");
        }
    }
}
