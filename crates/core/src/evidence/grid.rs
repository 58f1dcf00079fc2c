//! Probabilities on a grid, so that rows become cells.
//!
//! A point of the simplex is kept as whole numbers `c` that sum to `G`, on the scale of roots:
//! ```text
//! c ≈ G · √p / Σ √p   (largest remainders)          p = c² / Σ c²
//! ```
//! Roots are close where a probability is small, and there a small change moves the odds most. Where cells grow past a
//! stated number, the grid is made half as fine: what a row then counts as follows from its point on the finest grid alone,
//! whoever counted it and when.

/// Steps of the finest grid. A power of two, so that it can be halved.
pub const FINEST: u8 = 128;
/// Steps of the coarsest grid: below, evidence is hardly more than a guess.
pub const COARSEST: u8 = 8;

/// The point nearest to probabilities whose roots are given, up to a factor; all zero where the roots are.
///
/// ```
/// # use fairveil_core::evidence::{FINEST, nearest_point, probabilities};
/// let mut point = [0; 2];
/// nearest_point(&[0.9f64.sqrt(), 0.1f64.sqrt()], FINEST, &mut point);
/// assert_eq!(point, [96, 32]);
/// // One step is about 0.01 here, and less towards 0 and 1.
/// assert!((probabilities(&point)[0] - 0.9).abs() < 0.005);
/// ```
pub fn nearest_point(roots: &[f64], steps: u8, point: &mut [u8]) {
    // With a known number of groups there is no loop left, and rows are rounded as fast as they are read.
    match roots.len() {
        2 => rounded::<2>(roots, steps, point),
        3 => rounded::<3>(roots, steps, point),
        4 => rounded::<4>(roots, steps, point),
        5 => rounded::<5>(roots, steps, point),
        6 => rounded::<6>(roots, steps, point),
        _ => None,
    }
    .unwrap_or_else(|| rounded_slowly(roots, steps, point));
}

/// The point of so many groups; nothing where the roots are none, or steps are left that one to each group does not use up.
#[inline]
fn rounded<const M: usize>(roots: &[f64], steps: u8, point: &mut [u8]) -> Option<()> {
    let (roots, point) = (roots.first_chunk::<M>()?, point.first_chunk_mut::<M>()?);
    let total: f64 = roots.iter().sum();
    if total <= 0.0 || !total.is_finite() {
        return None;
    }
    let scale = f64::from(steps) / total;
    let exact = roots.map(|root| root * scale);
    let whole = exact.map(|c| c as u8);
    let left = i32::from(steps) - whole.iter().map(|c| i32::from(*c)).sum::<i32>();
    if !(0..=M as i32).contains(&left) {
        return None;
    }
    let rest: [f64; M] = std::array::from_fn(|i| exact[i] - f64::from(whole[i]));
    // A step goes to whoever has fewer than `left` before him; of equal remainders the first comes first.
    for i in 0..M {
        let before = |j: usize| if j < i { rest[j] >= rest[i] } else { rest[j] > rest[i] };
        let ahead: i32 = (0..M).map(|j| i32::from(before(j))).sum();
        point[i] = whole[i] + u8::from(ahead < left);
    }
    Some(())
}

fn rounded_slowly(roots: &[f64], steps: u8, point: &mut [u8]) {
    let total: f64 = roots.iter().sum();
    if total <= 0.0 || !total.is_finite() {
        point.fill(0);
        return;
    }
    let scale = f64::from(steps) / total;
    let mut left = steps;
    for (place, root) in point.iter_mut().zip(roots) {
        *place = ((root * scale) as u8).min(left);
        left -= *place;
    }
    // Of equal remainders the first gets the step.
    let mut taken = 0u64;
    while left > 0 {
        let remainder = |i: usize| roots[i] * scale - f64::from(point[i]);
        let free = (0..roots.len()).filter(|i| taken & (1 << (i % 64)) == 0);
        let next = free.reduce(|a, b| if remainder(b) > remainder(a) { b } else { a });
        let Some(next) = next else {
            taken = 0;
            continue;
        };
        point[next] += 1;
        taken |= 1 << (next % 64);
        left -= 1;
    }
}

/// The same point on a grid that is half as fine.
pub fn halved(point: &mut [u8]) {
    let steps: u32 = point.iter().map(|c| u32::from(*c)).sum();
    // Every odd coordinate has the same remainder: the first of them get what is left.
    let mut left = steps / 2 - point.iter().map(|c| u32::from(c / 2)).sum::<u32>();
    for c in point.iter_mut() {
        let odd = u32::from(*c % 2).min(left);
        *c = *c / 2 + odd as u8;
        left -= odd;
    }
}

/// The probabilities that a point stands for; nothing where it says nothing.
pub fn probabilities(point: &[u8]) -> Vec<f64> {
    let squares: Vec<f64> = point.iter().map(|c| f64::from(*c) * f64::from(*c)).collect();
    let total: f64 = squares.iter().sum();
    if total > 0.0 { squares.into_iter().map(|square| square / total).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn points_sum_to_the_steps_and_are_near(raw in prop::collection::vec(0.0f64..1.0, 2..8)) {
            prop_assume!(raw.iter().sum::<f64>() > 0.0);
            let total: f64 = raw.iter().sum();
            let p: Vec<f64> = raw.iter().map(|x| x / total).collect();
            let roots: Vec<f64> = p.iter().map(|x| x.sqrt()).collect();
            let mut point = vec![0; p.len()];
            nearest_point(&roots, FINEST, &mut point);
            prop_assert_eq!(point.iter().map(|c| u32::from(*c)).sum::<u32>(), u32::from(FINEST));
            // A coordinate is off by less than one step of roots that sum to at most √M.
            let step = (p.len() as f64).sqrt() / f64::from(FINEST);
            for (a, b) in p.iter().zip(probabilities(&point)) {
                prop_assert!((a.sqrt() - b.sqrt()).abs() < 2.5 * step, "{a} {b}");
            }
            let mut steps = FINEST;
            while steps > COARSEST {
                steps /= 2;
                halved(&mut point);
                prop_assert_eq!(point.iter().map(|c| u32::from(*c)).sum::<u32>(), u32::from(steps));
            }
        }
    }

    proptest! {
        #[test]
        fn the_quick_way_is_the_slow_one(raw in prop::collection::vec(0u8..20, 2..9)) {
            // Few different values: remainders are often equal.
            let roots: Vec<f64> = raw.iter().map(|x| f64::from(*x)).collect();
            let (mut quick, mut slow) = (vec![7; roots.len()], vec![7; roots.len()]);
            for steps in [FINEST, 32, COARSEST] {
                nearest_point(&roots, steps, &mut quick);
                rounded_slowly(&roots, steps, &mut slow);
                prop_assert_eq!(&quick, &slow);
            }
        }
    }

    #[test]
    fn nothing_stays_nothing() {
        let mut point = [3, 4];
        nearest_point(&[0.0, 0.0], FINEST, &mut point);
        assert_eq!((point, probabilities(&point)), ([0, 0], vec![]));
        halved(&mut point);
        assert_eq!(point, [0, 0]);
    }
}
