//! When to raise an alarm: evidence that keeps its error rate however often one looks.
//!
//! For one stretch of periods with mean gap `D` and variance `V`, a normal mixture over what the gap may be (sd `τ`),
//! ```text
//! no gap, no change   e = (1 + τ²/V)^−½ · exp(½ · D²/V · q)                      q = (τ²/V) / (1 + τ²/V)
//! beyond a limit L    e = ½·e₊(D − L) + ½·e₊(−D − L)     e₊(x) = 2·(1 + τ²/V)^−½ · exp(½ · x²/V · q) · Φ(x·√(q/V))
//! ```
//! has mean one at most, period after period, where what is tested holds. So has the mean over stretches that begin at any period
//! `s`, weighted by `1/(s·(s+1))`: a gap that opens late is found by a stretch that begins there. By Ville's inequality it passes
//! `1/α` at any time with a chance of `α` at most. A change is taken against the first period, whose variance joins `V`.

use crate::named::named;
use statrs::function::erf::erfc;

named! {
    /// What an alarm speaks against.
    pub enum Null {
        /// Groups are treated alike in every period.
        NoGap = "no_gap",
        /// The gap stays within a limit.
        Limit = "limit",
        /// The gap stays what it was in the first period.
        Baseline = "baseline",
    }
}

/// How large gaps are that are looked for.
pub const MIXTURE_SD: f64 = 0.05;

/// What is tested of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Against {
    NoGap,
    Limit(f64),
    Baseline,
}

/// A gap of one period and its variance; nothing where there is none.
pub(crate) type Point = Option<(f64, f64)>;

/// The evidence after each period. `common` gives, for a stretch, the variance of its mean that all periods share.
pub(crate) fn evidence(series: &[Point], against: Against, common: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let first = series.iter().flatten().next().copied();
    let begins = series
        .iter()
        .position(Option::is_some)
        .map_or(0, |at| at + usize::from(against == Against::Baseline));
    let after = |end: usize| {
        let mut left = 1.0;
        let mut sum = 0.0;
        for start in begins..=end {
            let s = (start - begins + 1) as f64;
            let weight = 1.0 / (s * (s + 1.0));
            left -= weight;
            sum += weight * stretch(&series[start..=end], against, first, common(start, end));
        }
        sum + left
    };
    (0..series.len()).map(|end| if end < begins { 1.0 } else { after(end) }).collect()
}

/// The evidence of one stretch.
fn stretch(points: &[Point], against: Against, first: Point, common: f64) -> f64 {
    let information: f64 = points.iter().flatten().map(|(_, variance)| 1.0 / variance).sum();
    if information <= 0.0 {
        return 1.0;
    }
    let mean = points.iter().flatten().map(|(gap, variance)| gap / variance).sum::<f64>() / information;
    let variance = 1.0 / information;
    match (against, first) {
        (Against::NoGap, _) => two_sided(mean, variance),
        (Against::Limit(limit), _) => {
            let variance = variance + common;
            (one_sided(mean - limit, variance) + one_sided(-mean - limit, variance)) / 2.0
        }
        (Against::Baseline, Some((before, known))) => two_sided(mean - before, variance + known),
        (Against::Baseline, None) => 1.0,
    }
}

/// `(1 + τ²/V)` and `q`.
fn mixture(variance: f64) -> (f64, f64) {
    let ratio = MIXTURE_SD * MIXTURE_SD / variance;
    (1.0 + ratio, ratio / (1.0 + ratio))
}

fn two_sided(gap: f64, variance: f64) -> f64 {
    let (whole, part) = mixture(variance);
    (0.5 * gap * gap / variance * part).exp() / whole.sqrt()
}

fn one_sided(gap: f64, variance: f64) -> f64 {
    let (_, part) = mixture(variance);
    let below = 0.5 * erfc(-gap * (part / variance).sqrt() / std::f64::consts::SQRT_2);
    2.0 * two_sided(gap, variance) * below
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64;
    use rand_pcg::rand_core::SeedableRng;

    /// The largest evidence of a year of gaps with these means and one variance, tested at every period.
    fn year(means: &[f64], variance: f64, against: Against, random: &mut Pcg64) -> f64 {
        let mut draw = |mean: &f64| {
            let noise: f64 = StandardNormal.sample(random);
            Some((mean + variance.sqrt() * noise, variance))
        };
        let series: Vec<Point> = means.iter().map(&mut draw).collect();
        evidence(&series, against, |_, _| 0.0).into_iter().fold(0.0, f64::max)
    }

    fn alarms(means: &[f64], variance: f64, against: Against) -> f64 {
        let mut random = Pcg64::seed_from_u64(11);
        let years = 2_000;
        let alarm = |_| usize::from(year(means, variance, against, &mut random) >= 20.0);
        (0..years).map(alarm).sum::<usize>() as f64 / years as f64
    }

    #[test]
    fn alarms_without_a_gap_stay_rare_and_gaps_that_open_are_found() {
        let none = [0.0; 24];
        let opens: Vec<f64> = (0..24).map(|t| if t < 12 { 0.02 } else { 0.10 }).collect();
        // The error of 5 % in 2,000 years is half a point: above 6.5 % would be three of them.
        assert!(alarms(&none, 0.0009, Against::NoGap) < 0.05);
        assert!(alarms(&[0.05; 24], 0.0009, Against::Limit(0.05)) < 0.05);
        assert!(alarms(&[0.02; 24], 0.0009, Against::Baseline) < 0.05);
        // A standard error of .03 a month.
        assert!(alarms(&opens, 0.0009, Against::NoGap) > 0.95);
        assert!(alarms(&opens, 0.0009, Against::Limit(0.05)) > 0.6);
    }

    #[test]
    fn evidence_of_one_period_has_mean_one_where_there_is_no_gap() {
        let mut random = Pcg64::seed_from_u64(5);
        let draws = 200_000;
        for against in [Against::NoGap, Against::Limit(0.0)] {
            let one = |_| year(&[0.0], 0.001, against, &mut random);
            let mean = (0..draws).map(one).sum::<f64>() / f64::from(draws);
            // The evidence has a standard deviation of about 1.5: 0.0035 in the mean, three of them.
            assert!((mean - 1.0).abs() < 0.011, "{mean}");
        }
    }

    #[test]
    fn a_period_without_a_gap_known_adds_nothing() {
        let known = [Some((0.1, 0.001)), Some((0.12, 0.001))];
        let with_hole = [known[0], None, known[1]];
        let found = evidence(&with_hole, Against::NoGap, |_, _| 0.0);
        // Both stretches that begin before or at the hole see the same two periods.
        assert!(found[2] > found[0] && found[1] > 1.0);
    }
}
