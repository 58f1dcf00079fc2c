//! Where decisions are cut.
//!
//! ```text
//! a chance t     decided positive above t                               costs c of a false yes and d of a false no: t = c/(c + d)
//! a share p      decided positive above the value that leaves p above   the cut follows from the rows
//! ```
//! A share is kept as near as rows allow: rows with one value go together, and the cut lies half-way to the next.

/// Where decisions are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// Above this chance of a positive label.
    Chance(f64),
    /// Where this share of the rows is decided positive.
    Share(f64),
}

impl Default for Aim {
    fn default() -> Self {
        Aim::Chance(0.5)
    }
}

impl Aim {
    /// The place above which log odds are decided positive.
    pub(crate) fn on_log_odds(self, values: &[f64], weight: impl Fn(usize) -> f64) -> f64 {
        match self {
            Aim::Chance(chance) => log_odds(chance),
            Aim::Share(share) => place(values, weight, share),
        }
    }
}

/// `ln(t/(1 − t))`; 0 for one half.
pub(crate) fn log_odds(chance: f64) -> f64 {
    (chance / (1.0 - chance)).ln()
}

/// The place above which the weighted share of values is nearest to the one that is wanted.
pub(crate) fn place(values: &[f64], weight: impl Fn(usize) -> f64, share: f64) -> f64 {
    let mut pairs: Vec<(f64, f64)> =
        values.iter().enumerate().map(|(row, value)| (*value, weight(row))).collect();
    let total: f64 = pairs.iter().map(|pair| pair.1).sum();
    let Some(middle) = reached(&mut pairs, share * total) else { return 0.0 };
    // The value at which the share is reached: with the rows that have it, or without.
    let (mut above, mut with) = (0.0, 0.0);
    let (mut higher, mut lower) = (f64::INFINITY, f64::NEG_INFINITY);
    for (value, weight) in pairs {
        if value > middle {
            above += weight;
            with += weight;
            higher = higher.min(value);
        } else if value == middle {
            with += weight;
        } else {
            lower = lower.max(value);
        }
    }
    let between = |low: f64, high: f64| match (low.is_finite(), high.is_finite()) {
        (true, true) => low + (high - low) / 2.0,
        // Nobody above the highest, everybody above what is below the lowest.
        (true, false) => low,
        _ => high - 1.0,
    };
    if (above - share * total).abs() <= (with - share * total).abs() {
        between(middle, higher)
    } else {
        between(lower, middle)
    }
}

/// The value at which the weights of the highest values reach what is wanted. Halves are left out in turn, so that all is
/// looked at about twice.
fn reached(pairs: &mut [(f64, f64)], wanted: f64) -> Option<f64> {
    let mut rest = pairs;
    let mut above = 0.0;
    while rest.len() > 1 {
        let half = rest.len() / 2;
        rest.select_nth_unstable_by(half, |a, b| b.0.total_cmp(&a.0));
        let (high, low) = rest.split_at_mut(half);
        let weight: f64 = high.iter().map(|pair| pair.1).sum();
        if above + weight >= wanted {
            rest = high;
        } else {
            above += weight;
            rest = low;
        }
    }
    rest.first().map(|pair| pair.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_above_the_place_is_as_near_as_rows_allow() {
        let values: Vec<f64> = (0..1000).map(|row| f64::from((row * 617) % 1000) / 1000.0).collect();
        for share in [0.0, 0.001, 0.25, 0.4995, 0.9, 1.0] {
            let at = place(&values, |_| 1.0, share);
            let above = values.iter().filter(|value| **value > at).count() as f64 / 1000.0;
            assert!((above - share).abs() <= 0.0005 + 1e-12, "{share}: {above}");
            // Between two values, not on one: the next row of a kind is not left to rounding.
            assert!(share == 0.0 || values.iter().all(|value| *value != at), "{share}: {at}");
        }
    }

    #[test]
    fn rows_with_one_value_go_together_and_weights_count() {
        let values = [0.1, 0.1, 0.1, 0.8, 0.8];
        // Two of five or all five: 0.4 is nearer to 0.6, and 1 nearer to 0.8.
        assert!((place(&values, |_| 1.0, 0.6) - 0.45).abs() < 1e-12);
        assert!(place(&values, |_| 1.0, 0.8) < 0.1);
        let weight = |row: usize| if row < 3 { 1.0 } else { 6.0 };
        assert!((place(&values, weight, 0.75) - 0.45).abs() < 1e-12);
    }
}
