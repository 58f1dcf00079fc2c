//! Exact sums of a few thousand numbers of about one size, soon added up.
//!
//! A number is a whole one of 53 bits times a power of two. Within 50 powers of each other, thousands of them are one whole number of 128
//! bits, to which each is added as it is; what lies outside goes the slow way. Nothing is rounded, so the sum is that of
//! [`ExactSum`], to the last digit and in any order.

use fairveil_core::counts::ExactSum;

/// Numbers as a whole one times a power of two.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QuickSum {
    sum: i128,
    /// The exponent, as numbers hold it, of the last bit; nothing before the first number.
    low: i32,
}

/// Numbers below 2⁻⁸²³ go the slow way, so that powers of two are numbers too.
const LEAST: i32 = 200;
/// How far numbers may be apart, in powers of two.
const SPAN: i32 = 50;
/// So many numbers of 53 bits, moved by [`SPAN`], stay below 2¹²⁷.
pub(crate) const MOST: usize = 1 << 23;
const MANTISSA: u64 = (1 << 52) - 1;

impl QuickSum {
    /// Adds a number, or says that it cannot.
    #[inline]
    pub fn add(&mut self, number: f64) -> bool {
        let bits = number.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        if exponent < LEAST || exponent == 0x7ff {
            return number == 0.0;
        }
        if self.low == 0 {
            self.low = exponent - SPAN / 2;
        }
        let moved = exponent - self.low;
        if !(0..=SPAN).contains(&moved) {
            return false;
        }
        let whole = i128::from((bits & MANTISSA) | (1 << 52)) << moved;
        self.sum += if number < 0.0 { -whole } else { whole };
        true
    }

    /// Hands the sum on and begins anew.
    pub fn hand_on(&mut self, sum: &mut ExactSum) {
        let QuickSum { sum: mut left, low } = std::mem::take(self);
        let mut exponent = low - 1075;
        while left != 0 {
            // 52 bits and a sign are a number, and so is it times this power.
            let part = left % (1 << 52);
            if part != 0 {
                sum.add(part as f64 * f64::powi(2.0, exponent));
            }
            left /= 1 << 52;
            exponent += 52;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(numbers: &[f64]) {
        let (mut quick, mut sum, mut plain) = (QuickSum::default(), ExactSum::default(), ExactSum::default());
        for number in numbers {
            plain.add(*number);
            if !quick.add(*number) {
                sum.add(*number);
            }
        }
        quick.hand_on(&mut sum);
        assert_eq!(sum.value().to_bits(), plain.value().to_bits(), "{numbers:?}");
        assert_eq!(sum.rest(), plain.rest(), "{numbers:?}");
    }

    proptest! {
        #[test]
        fn the_sum_is_the_exact_one(numbers in prop::collection::vec(-1e12f64..1e12, 0..60), far in any::<f64>()) {
            check(&numbers);
            let squares: Vec<f64> = numbers.iter().map(|number| number * number).collect();
            check(&squares);
            // One that is far from the others, and may be first.
            let far = if far.is_finite() { far } else { 0.0 };
            check(&[&[far][..], &numbers].concat());
            check(&[&numbers[..], &[far, 1e-300, 5e-324, -0.0]].concat());
        }
    }

    #[test]
    fn zeros_have_no_sign() {
        check(&[-0.0]);
        check(&[0.0, -0.0]);
        check(&[-1.0, 1.0, -0.0]);
    }

    #[test]
    fn as_many_as_are_allowed_do_not_overflow() {
        // The largest that the window takes, which the first number opens.
        let large = f64::from_bits(u64::from((1023 + SPAN as u32) - SPAN as u32 / 2) << 52 | MANTISSA);
        let mut quick = QuickSum::default();
        assert!(quick.add(1.0) && quick.add(large));
        let mut sum = ExactSum::default();
        quick.hand_on(&mut sum);
        let each = (i128::from(MANTISSA | (1 << 52)) << SPAN) as f64;
        assert!(each * (MOST as f64) < i128::MAX as f64);
        assert_eq!(sum.value(), 1.0 + large);
    }
}
