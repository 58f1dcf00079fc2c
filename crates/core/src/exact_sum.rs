//! Sums that do not depend on the order of their terms.
//!
//! Floating-point addition is not associative, so a plain sum of row weights changes in its last digits when
//! rows are shuffled or a file is read in blocks. An [`ExactSum`] keeps the sum as non-overlapping parts that
//! add up to it exactly (Shewchuk 1997, "Adaptive precision floating-point arithmetic", grow-expansion) and
//! rounds once, at the end.

/// An exact running sum of finite numbers.
///
/// ```
/// # use fairveil_core::counts::ExactSum;
/// let mut forward = ExactSum::default();
/// let mut backward = ExactSum::default();
/// let weights = [0.25, 1e16, 0.5, -1e16, 0.125];
/// weights.iter().for_each(|&w| forward.add(w));
/// weights.iter().rev().for_each(|&w| backward.add(w));
/// assert_eq!(forward.value(), backward.value());
/// assert_eq!(forward.value(), 0.875); // added one after the other they give 1.125 or 0
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExactSum {
    /// Non-overlapping, increasing in magnitude; their mathematical sum is the sum of all terms.
    parts: Vec<f64>,
}

impl ExactSum {
    /// Adds one finite term.
    pub fn add(&mut self, term: f64) {
        debug_assert!(term.is_finite());
        // A zero is kept without its sign, or the sum of none but zeros would depend on how each was written.
        let mut carry = term + 0.0;
        let mut kept = 0;
        for i in 0..self.parts.len() {
            let part = self.parts[i];
            let (large, small) = if carry.abs() >= part.abs() { (carry, part) } else { (part, carry) };
            let sum = large + small;
            let lost = small - (sum - large);
            if lost != 0.0 {
                self.parts[kept] = lost;
                kept += 1;
            }
            carry = sum;
        }
        self.parts.truncate(kept);
        self.parts.push(carry);
    }

    /// Adds everything another sum holds.
    pub fn merge(&mut self, other: &ExactSum) {
        other.parts.iter().for_each(|&part| self.add(part));
    }

    /// What rounding leaves: numbers that add up, with [`value`](Self::value), to the sum.
    ///
    /// ```
    /// # use fairveil_core::counts::ExactSum;
    /// let mut sum = ExactSum::default();
    /// (0..3).for_each(|_| sum.add(0.1));
    /// let mut again = ExactSum::default();
    /// again.add(sum.value());
    /// sum.rest().into_iter().for_each(|part| again.add(part));
    /// assert_eq!(again, sum);
    /// assert_eq!(sum.rest().len(), 1); // three tenths, as they are held, sum to no number
    /// ```
    pub fn rest(&self) -> Vec<f64> {
        // Each is the nearest number to what is left, so that equal sums leave the same, however they came about.
        let mut left = self.clone();
        left.add(-self.value());
        let mut rest = Vec::new();
        while left.value() != 0.0 {
            rest.push(left.value());
            left.add(-left.value());
        }
        rest
    }

    /// The sum, rounded once to the nearest number (ties to even).
    pub fn value(&self) -> f64 {
        let mut parts = self.parts.iter().rev().copied();
        let Some(mut high) = parts.next() else { return 0.0 };
        let mut low = 0.0;
        let mut rest = parts.clone();
        for part in parts {
            rest.next();
            let sum = high + part;
            low = part - (sum - high);
            high = sum;
            if low != 0.0 {
                break;
            }
        }
        // `low` was rounded away. If it is exactly half a unit and the next part points the same way, the
        // true sum lies beyond the tie and rounds away from `high`.
        let next = rest.next().unwrap_or(0.0);
        if (low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0) {
            let doubled = low * 2.0;
            let rounded = high + doubled;
            if doubled == rounded - high {
                return rounded;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_order_and_any_split_give_the_same_bits(
            mut terms in prop::collection::vec(-1e18f64..1e18, 0..40), cut in 0usize..40, tiny in 0.0..1e-12f64
        ) {
            terms.push(tiny);
            let sum = |terms: &[f64]| {
                let mut sum = ExactSum::default();
                terms.iter().for_each(|&t| sum.add(t));
                sum
            };
            let whole = sum(&terms);
            let (left, right) = terms.split_at(cut.min(terms.len()));
            let mut merged = sum(right);
            merged.merge(&sum(left));
            prop_assert_eq!(whole.value().to_bits(), merged.value().to_bits());
            terms.reverse();
            prop_assert_eq!(whole.value().to_bits(), sum(&terms).value().to_bits());
        }
    }

    #[test]
    fn small_terms_survive_a_large_one() {
        let mut sum = ExactSum::default();
        sum.add(1e100);
        (0..10).for_each(|_| sum.add(0.1));
        sum.add(-1e100);
        assert_eq!(sum.value(), 1.0);
    }
}
