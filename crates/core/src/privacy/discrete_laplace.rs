//! Noise for counts: a whole number that hides whether any one row was counted.
//!
//! ```text
//! P(x) = (1 − q) / (1 + q) · q^|x|,  q = e^−ε          variance 2q / (1 − q)²
//! ```
//! A row more or less moves one count by one, and the chance of any noisy count by a factor of at most `e^ε`.
//!
//! The draw is exact. No logarithm or exponential is computed, so no rounding decides what can come out: only bits of
//! the generator are compared with numbers that floating point holds exactly. A geometric number has independent binary
//! digits, digit `i` being one with odds `e^(−ε·2ⁱ)`; and `ε·2ⁱ` is exact. Digits stop where that is past `e^−256`: what is
//! lost has a probability below 1e-111, and a generator of 256 bits cannot tell it from nothing.

use super::{Epsilon, PrivacyError};
use rand_pcg::rand_core::Rng;

/// Less than this is noise of a million rows on every count.
const LEAST: f64 = 1e-6;
/// What is less likely than `e` to minus this is not drawn.
const FAR: f64 = 256.0;

/// The noise of one count. The generator is the caller's: only one that nobody can guess protects anyone.
///
/// ```
/// # use fairveil_core::privacy::{DiscreteLaplace, Epsilon};
/// let noise = DiscreteLaplace::new(Epsilon::new(2.0_f64.ln())?)?;
/// // q = 1/2: variance 2 · ½ / ¼.
/// assert!((noise.variance() - 4.0).abs() < 1e-12);
/// # Ok::<(), fairveil_core::privacy::PrivacyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscreteLaplace {
    epsilon: Epsilon,
}

impl DiscreteLaplace {
    /// Noise that spends this much privacy; at least one millionth, or nothing but noise would be left.
    pub fn new(epsilon: Epsilon) -> Result<Self, PrivacyError> {
        if epsilon.value() >= LEAST {
            Ok(DiscreteLaplace { epsilon })
        } else {
            Err(PrivacyError::OnlyNoise { epsilon: epsilon.value(), least: LEAST })
        }
    }

    /// What it spends.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// `2q / (1 − q)²`.
    pub fn variance(&self) -> f64 {
        let epsilon = self.epsilon.value();
        let (q, rest) = ((-epsilon).exp(), -(-epsilon).exp_m1());
        2.0 * q / (rest * rest)
    }

    /// One draw.
    pub fn draw(&self, random: &mut impl Rng) -> i64 {
        loop {
            let below = coin(random);
            let size = geometric(self.epsilon.value(), random);
            match (below, size) {
                // Zero has one sign only.
                (true, 0) => {}
                (true, size) => return -size,
                (false, size) => return size,
            }
        }
    }
}

/// A number from 0 on with `P(g) ∝ e^(−εg)`, digit by digit.
fn geometric(epsilon: f64, random: &mut impl Rng) -> i64 {
    let digit = |i: i32, random: &mut _| i64::from(with_odds(epsilon * 2.0_f64.powi(i), random)) << i;
    // At most 28, where epsilon is least.
    let digits = (0..i64::BITS as i32 - 1).take_while(|i| epsilon * 2.0_f64.powi(*i) < FAR).count().max(1);
    (0..digits as i32).map(|i| digit(i, random)).sum()
}

/// True with odds `e^−y`: a fair coin whose heads are kept with that probability, and tossed again if not.
fn with_odds(y: f64, random: &mut impl Rng) -> bool {
    while coin(random) {
        if exponential(y, random) {
            return true;
        }
    }
    false
}

/// True with probability `e^−y`: `e^−1` as often as there are whole ones in `y`, then the rest.
fn exponential(y: f64, random: &mut impl Rng) -> bool {
    // The first that fails ends it, mostly one of the first two.
    let mut whole = y.floor();
    while whole > 0.0 {
        if !small_exponential(1.0, random) {
            return false;
        }
        whole -= 1.0;
    }
    small_exponential(y - y.floor(), random)
}

/// True with probability `e^−y` for `y` from 0 to 1 (von Neumann): successes with probabilities `y/1`, `y/2`, … until one
/// fails; an even number of them has probability `1 − y + y²/2 − …`.
fn small_exponential(y: f64, random: &mut impl Rng) -> bool {
    let mut tried = 1;
    while one_in(tried, random) && below(y, random) {
        tried += 1;
    }
    tried % 2 == 1
}

fn coin(random: &mut impl Rng) -> bool {
    random.next_u64() >> 63 == 1
}

/// True with probability `1/n`.
fn one_in(n: u64, random: &mut impl Rng) -> bool {
    if n == 1 {
        return true;
    }
    // Draws past the last whole multiple of n would favour small remainders.
    let most = u64::MAX - u64::MAX % n;
    loop {
        let drawn = random.next_u64();
        if drawn < most {
            return drawn.is_multiple_of(n);
        }
    }
}

/// True with probability `p`: whether endless random binary digits make a number below it. As many are drawn as it takes.
fn below(mut p: f64, random: &mut impl Rng) -> bool {
    /// 2⁶⁴, by which a number is multiplied without rounding.
    const SHIFT: f64 = 18_446_744_073_709_551_616.0;
    if p >= 1.0 {
        return true;
    }
    while p > 0.0 {
        let shifted = p * SHIFT;
        let digits = shifted.floor();
        // Below 2⁶⁴ and whole: exact.
        match random.next_u64().cmp(&(digits as u64)) {
            std::cmp::Ordering::Less => return true,
            std::cmp::Ordering::Greater => return false,
            std::cmp::Ordering::Equal => p = shifted - digits,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::chi_square_p_value;
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::SeedableRng;

    fn noise(epsilon: f64) -> DiscreteLaplace {
        DiscreteLaplace::new(Epsilon::new(epsilon).unwrap()).unwrap()
    }

    #[test]
    fn draws_are_as_frequent_as_the_formula_says() {
        let mut random = Pcg64::seed_from_u64(12);
        let draws = 100_000;
        for epsilon in [0.05, 0.3, 1.0, 1.7, 4.0_f64] {
            let q = (-epsilon).exp();
            let chance = |x: i64| (1.0 - q) / (1.0 + q) * q.powi(x.abs() as i32);
            // Values that are expected at least 20 times, and all others together.
            let most = (0..).take_while(|x| draws as f64 * chance(*x) >= 20.0).count() as i64 - 1;
            let mut seen = vec![0.0; (2 * most + 2) as usize];
            for _ in 0..draws {
                let x = noise(epsilon).draw(&mut random);
                let place = if x.abs() <= most { x + most } else { 2 * most + 1 };
                seen[place as usize] += 1.0;
            }
            let inside: Vec<f64> = (-most..=most).map(chance).collect();
            let rest = 1.0 - inside.iter().sum::<f64>();
            let expected: Vec<f64> = inside.into_iter().chain([rest]).map(|p| p * draws as f64).collect();
            // Five tests on one fixed seed: one chance in ten thousand each.
            let p = chi_square_p_value(&seen, &expected);
            assert!(p > 1e-4, "epsilon {epsilon}: p = {p}");
        }
    }

    #[test]
    fn the_variance_is_the_one_of_the_formula_and_the_mean_is_zero() {
        let mut random = Pcg64::seed_from_u64(3);
        for epsilon in [0.01, 0.2, 1.0, 3.0] {
            let draws = 100_000;
            let drawn: Vec<f64> = (0..draws).map(|_| noise(epsilon).draw(&mut random) as f64).collect();
            let mean = drawn.iter().sum::<f64>() / draws as f64;
            let variance = drawn.iter().map(|x| x * x).sum::<f64>() / draws as f64;
            let expected = noise(epsilon).variance();
            assert!(mean.abs() < 5.0 * (expected / draws as f64).sqrt(), "{mean}");
            // The fourth moment of a Laplace number is 6 variances squared, that of rare ±1 is its variance: five standard
            // errors of the mean square.
            let spread = ((5.0 * expected * expected + expected) / draws as f64).sqrt();
            assert!((variance - expected).abs() < 5.0 * spread, "{variance} for {expected}");
        }
    }

    #[test]
    fn building_blocks_have_their_probabilities() {
        let mut random = Pcg64::seed_from_u64(5);
        let draws = 100_000;
        let mut share = |event: &mut dyn FnMut(&mut Pcg64) -> bool| {
            (0..draws).filter(|_| event(&mut random)).count() as f64 / draws as f64
        };
        // Five standard errors of a share.
        let near = |share: f64, p: f64| (share - p).abs() < 5.0 * (p * (1.0 - p) / draws as f64).sqrt();
        for p in [0.0, 1e-3, 0.3, 0.5, 0.999, 1.0] {
            let found = share(&mut |random| below(p, random));
            assert!(near(found, p) || found == p, "{found} for {p}");
        }
        for y in [0.0, 0.1, 1.0, 2.5, 5.0_f64] {
            let found = share(&mut |random| exponential(y, random));
            assert!(near(found, (-y).exp()) || (y == 0.0 && found == 1.0), "{found} for e^-{y}");
        }
        for n in [1, 2, 3, 7] {
            let found = share(&mut |random| one_in(n, random));
            assert!(near(found, 1.0 / n as f64) || (n == 1 && found == 1.0), "{found} for 1/{n}");
        }
    }

    #[test]
    fn an_epsilon_that_leaves_only_noise_is_refused() {
        let refused = DiscreteLaplace::new(Epsilon::new(1e-9).unwrap());
        assert!(matches!(refused, Err(PrivacyError::OnlyNoise { .. })));
        assert_eq!(noise(700.0).draw(&mut Pcg64::seed_from_u64(0)), 0);
    }
}
