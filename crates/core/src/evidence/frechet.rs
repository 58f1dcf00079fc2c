//! Bounds without an assumption about how decisions go with groups (Kallus, Mao and Zhou 2022).
//!
//! Where the probability `b_a(z)` of each group is right at every point `z` of the evidence, and `f(z)` of the people there are
//! selected, the selected of group `a` among them are at least `max(0, f + b_a − 1)` and at most `min(f, b_a)`. A gap is largest
//! where as many of the one group and as few of the other as can be are selected, and both can be at once: what group `a`
//! leaves goes to third groups first, and to `a'` last, which then has `max(0, f + b_a' − 1)`. So
//! ```text
//! P(f=1 | a) − P(f=1 | a')  ≤  E[min(f, b_a)]/p_a − E[max(0, f + b_a' − 1)]/p_a'          p_a = E[b_a]
//! ```
//! for any number of groups, and the lower bound is the same with the groups exchanged. Points are put together into bins of
//! enough rows: with few rows at a point `f` is nearly 0 or 1 by chance, and the bounds would look tighter than they are. A
//! bin is a coarser `z`, for which the bounds hold as well.

use super::estimate::Weighted;
use crate::uncertainty::Interval;
use crate::vocabulary::{Class, Group};

/// A bin has at least this share of the rows, and this many.
const LEAST_SHARE: f64 = 1.0 / 40.0;
const LEAST_ROWS: f64 = 200.0;

/// What is known of the gap between `a` and `b` among people with one label, or all; nothing where one of them is nobody.
pub(super) fn gap(
    cells: &[Weighted],
    rows: f64,
    label: Option<Class>,
    positive: Class,
    (a, b): (Group, Group),
) -> Option<Interval> {
    struct Bin {
        share: f64,
        selected: f64,
        first: f64,
        second: f64,
    }
    let mut mine: Vec<&Weighted> =
        cells.iter().filter(|cell| label.is_none() || cell.stratum.label == label).collect();
    let order = |cell: &Weighted| cell.probabilities[a.0] - cell.probabilities[b.0];
    let by_point = |x: &Weighted, y: &Weighted| {
        let points = || x.probabilities.iter().zip(&y.probabilities);
        points().map(|(p, q)| p.total_cmp(q)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    mine.sort_by(|x, y| order(x).total_cmp(&order(y)).then_with(|| by_point(x, y)));
    let total: f64 = mine.iter().map(|cell| cell.share).sum();
    let enough = (LEAST_SHARE * total).max(LEAST_ROWS / rows.max(1.0));
    let nobody = || Bin { share: 0.0, selected: 0.0, first: 0.0, second: 0.0 };
    let mut bins = vec![nobody()];
    let mut last: Option<&Weighted> = None;
    for cell in mine {
        // People at one point stay together, whatever was decided.
        let apart = last.is_some_and(|last| last.probabilities != cell.probabilities);
        if apart && bins.last().is_some_and(|bin| bin.share >= enough) {
            bins.push(nobody());
        }
        last = Some(cell);
        if let Some(bin) = bins.last_mut() {
            bin.share += cell.share;
            bin.selected += if cell.stratum.prediction == positive { cell.share } else { 0.0 };
            bin.first += cell.share * cell.probabilities[a.0];
            bin.second += cell.share * cell.probabilities[b.0];
        }
    }
    let sum = |of: &dyn Fn(&Bin) -> f64| -> f64 { bins.iter().map(of).sum() };
    let (people_a, people_b) = (sum(&|bin| bin.first), sum(&|bin| bin.second));
    if people_a <= 0.0 || people_b <= 0.0 {
        return None;
    }
    // Every number is a share of all rows, so that "one" is the bin's own share.
    let most = |bin: &Bin, people: f64| bin.selected.min(people);
    let least = |bin: &Bin, people: f64| (bin.selected + people - bin.share).max(0.0);
    let high = sum(&|bin| most(bin, bin.first)) / people_a - sum(&|bin| least(bin, bin.second)) / people_b;
    let low = sum(&|bin| least(bin, bin.first)) / people_a - sum(&|bin| most(bin, bin.second)) / people_b;
    Some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Stratum;
    use proptest::prelude::*;

    fn cell(prediction: usize, b: &[f64], share: f64) -> Weighted {
        let stratum = Stratum { label: None, prediction: Class(prediction) };
        Weighted { stratum, probabilities: b.to_vec(), share }
    }

    #[test]
    fn probabilities_that_know_leave_nothing_open() {
        let cells = [
            cell(0, &[1.0, 0.0], 0.3),
            cell(1, &[1.0, 0.0], 0.1),
            cell(1, &[0.0, 1.0], 0.4),
            cell(0, &[0.0, 1.0], 0.2),
        ];
        let found = gap(&cells, 1e6, None, Class(1), (Group(1), Group(0))).unwrap();
        let truth = 0.4 / 0.6 - 0.1 / 0.4;
        assert!((found.low - truth).abs() < 1e-12 && (found.high - truth).abs() < 1e-12, "{found:?}");
    }

    proptest! {
        /// Every way to share out the selected among the groups of each bin gives a gap inside, and some reach the ends.
        #[test]
        fn no_population_with_these_probabilities_lies_outside(
            bins in prop::collection::vec((0.05f64..0.95, prop::collection::vec(0.05f64..1.0, 3), prop::collection::vec(0.0f64..1.0, 3)), 1..6),
        ) {
            let share = 1.0 / bins.len() as f64;
            let mut cells = Vec::new();
            let (mut selected, mut people) = ([0.0; 3], [0.0; 3]);
            for (f, raw, order) in &bins {
                let total: f64 = raw.iter().sum();
                let b: Vec<f64> = raw.iter().map(|x| x / total).collect();
                cells.push(cell(1, &b, share * f));
                cells.push(cell(0, &b, share * (1.0 - f)));
                // Some are selected first.
                let mut places = [0usize, 1, 2];
                places.sort_by(|x, y| order[*x].total_cmp(&order[*y]));
                let mut left = *f;
                for a in places {
                    let taken = left.min(b[a]);
                    selected[a] += share * taken;
                    people[a] += share * b[a];
                    left -= taken;
                }
            }
            let truth = selected[0] / people[0] - selected[1] / people[1];
            let found = gap(&cells, 1e9, None, Class(1), (Group(0), Group(1))).unwrap();
            prop_assert!(found.low - 1e-9 <= truth && truth <= found.high + 1e-9, "{found:?} {truth}");
        }
    }
}
