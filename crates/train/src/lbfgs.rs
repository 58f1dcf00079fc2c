//! Limited-memory BFGS: the smallest value of a smooth function.
//!
//! ```text
//! x ← x + α·p,   p = -H·∇f(x)
//! H   from the last ten pairs s = x' - x, y = ∇f(x') - ∇f(x), by the two-loop recursion
//! α   f(x + α·p) ≤ f(x) + 10⁻⁴·α·∇f·p   and   |∇f(x + α·p)·p| ≤ 0.9·|∇f·p|    (strong Wolfe)
//! ```
//! Where an approximate inverse Hessian is known it is the middle of the recursion, and few steps are needed. Assumes a
//! gradient; finds a point where it is small, which is the smallest value if the function is convex. Nocedal and
//! Wright, *Numerical Optimization*, algorithms 7.4, 3.5 and 3.6.

use crate::ordered::{add_times, dot, largest};
use std::collections::VecDeque;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LbfgsSettings {
    /// Pairs that are remembered.
    pub memory: usize,
    /// Steps at most.
    pub iterations: usize,
    /// Done when no part of the gradient is larger.
    pub gradient: f64,
}

impl Default for LbfgsSettings {
    fn default() -> Self {
        LbfgsSettings { memory: 10, iterations: 100, gradient: 1e-6 }
    }
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The gradient is small.
    Converged {
        /// Steps taken.
        iterations: usize,
    },
    /// The steps were used up.
    IterationLimit,
    /// No step along the direction makes the function smaller: the end of the machine's precision, or a wrong gradient.
    LineSearch,
}

/// Turns a gradient into a direction: multiplies by an approximate inverse Hessian, in place.
pub type Precondition<'a> = &'a dyn Fn(&mut [f64]);

/// Evaluations of the function that one step may take.
const TRIES: usize = 20;
const DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;
/// Differences of the function below this share of it are rounding.
const ROUNDING: f64 = 1e-14;

/// Moves `x` to where `f`, which writes its gradient, is smallest.
pub fn minimise(
    x: &mut [f64],
    settings: &LbfgsSettings,
    precondition: Option<Precondition<'_>>,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Ended {
    let mut gradient = vec![0.0; x.len()];
    let mut value = f(x, &mut gradient);
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    for iteration in 0..settings.iterations {
        if largest(&gradient) <= settings.gradient {
            return Ended::Converged { iterations: iteration };
        }
        let mut direction = direction(&gradient, &pairs, precondition);
        let slope = dot(&direction, &gradient);
        if slope >= 0.0 || slope.is_nan() {
            // What is remembered is of no use here.
            pairs.clear();
            direction = self::direction(&gradient, &pairs, precondition);
        }
        // Nothing is known of the scale yet, unless there is a Hessian: a first step of length 1 at most.
        let first = match (pairs.is_empty(), precondition) {
            (true, None) => (1.0 / dot(&direction, &direction).sqrt()).min(1.0),
            _ => 1.0,
        };
        let start = Point { step: 0.0, value, slope: dot(&direction, &gradient) };
        let mut line =
            Line { x, direction: &direction, f: &mut f, at: x.to_vec(), gradient: gradient.clone() };
        let Some(found) = line.search(start, first) else { return Ended::LineSearch };
        let (at, new) = (line.at, line.gradient);
        let s: Vec<f64> = at.iter().zip(&*x).map(|(new, old)| new - old).collect();
        let y: Vec<f64> = new.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let sy = dot(&s, &y);
        // A pair without curvature, which only rounding can give after a Wolfe step, would spoil the memory.
        if sy > f64::EPSILON * dot(&y, &y) {
            if pairs.len() == settings.memory {
                pairs.pop_front();
            }
            pairs.push_back(Pair { s, y, sy });
        }
        x.copy_from_slice(&at);
        (value, gradient) = (found.value, new);
    }
    if largest(&gradient) <= settings.gradient {
        Ended::Converged { iterations: settings.iterations }
    } else {
        Ended::IterationLimit
    }
}

struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    sy: f64,
}

/// `-H·gradient`.
fn direction(gradient: &[f64], pairs: &VecDeque<Pair>, precondition: Option<Precondition<'_>>) -> Vec<f64> {
    let mut out: Vec<f64> = gradient.iter().map(|part| -part).collect();
    let mut factors = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let factor = dot(&pair.s, &out) / pair.sy;
        add_times(&mut out, -factor, &pair.y);
        factors.push(factor);
    }
    match (precondition, pairs.back()) {
        (Some(solve), _) => solve(&mut out),
        (None, Some(last)) => {
            let scale = last.sy / dot(&last.y, &last.y);
            out.iter_mut().for_each(|part| *part *= scale);
        }
        (None, None) => {}
    }
    for (pair, factor) in pairs.iter().zip(factors.into_iter().rev()) {
        let back = dot(&pair.y, &out) / pair.sy;
        add_times(&mut out, factor - back, &pair.s);
    }
    out
}

/// The function along a direction.
#[derive(Clone, Copy)]
struct Point {
    step: f64,
    value: f64,
    slope: f64,
}

struct Line<'a, F> {
    x: &'a [f64],
    direction: &'a [f64],
    f: &'a mut F,
    at: Vec<f64>,
    gradient: Vec<f64>,
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Line<'_, F> {
    fn point(&mut self, step: f64) -> Point {
        for ((at, x), direction) in self.at.iter_mut().zip(self.x).zip(self.direction) {
            *at = x + step * direction;
        }
        let value = (self.f)(&self.at, &mut self.gradient);
        Point { step, value, slope: dot(&self.gradient, self.direction) }
    }

    /// A step that meets both conditions; `at` and `gradient` are then those of the step. None where there is none.
    fn search(&mut self, start: Point, first: f64) -> Option<Point> {
        let slack = ROUNDING * (1.0 + start.value.abs());
        let low_enough =
            |point: &Point| point.value <= start.value + DECREASE * point.step * start.slope + slack;
        let flat_enough = |point: &Point| point.slope.abs() <= CURVATURE * start.slope.abs();
        let (mut low, mut high): (Point, Option<Point>) = (start, None);
        let mut step = first;
        for _ in 0..TRIES {
            let point = self.point(step);
            // Also where the value is not finite.
            if !(low_enough(&point) && (low.step == 0.0 || point.value <= low.value + slack)) {
                high = Some(point);
            } else if flat_enough(&point) {
                return Some(point);
            } else {
                // The smallest value lies behind this point if the function falls there, otherwise before it.
                match high {
                    None if point.slope >= 0.0 => high = Some(low),
                    Some(high_) if point.slope * (high_.step - point.step) >= 0.0 => high = Some(low),
                    _ => {}
                }
                low = point;
            }
            step = match high {
                None => step * 4.0,
                Some(high) => between(low, high),
            };
        }
        // Good enough to go on from, if it is lower at all.
        if low.value < start.value { Some(self.point(low.step)) } else { None }
    }
}

/// Where the cubic through two points with their slopes is smallest, kept away from both ends; the middle if there is
/// no such cubic.
fn between(low: Point, high: Point) -> f64 {
    let length = high.step - low.step;
    let a = low.slope + high.slope - 3.0 * (low.value - high.value) / (low.step - high.step);
    let root = a * a - low.slope * high.slope;
    let b = root.sqrt() * length.signum();
    let share = 1.0 - (high.slope + b - a) / (high.slope - low.slope + 2.0 * b);
    let share = if share.is_finite() { share.clamp(0.1, 0.9) } else { 0.5 };
    low.step + share * length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient[0] = -2.0 * a - 400.0 * x[0] * b;
        gradient[1] = 200.0 * b;
        a * a + 100.0 * b * b
    }

    #[test]
    fn the_bent_valley_is_followed_to_its_end() {
        let mut x = [-1.2, 1.0];
        let mut calls = 0;
        let settings = LbfgsSettings { gradient: 1e-9, ..LbfgsSettings::default() };
        let ended = minimise(&mut x, &settings, None, |x, gradient| {
            calls += 1;
            rosenbrock(x, gradient)
        });
        assert!(matches!(ended, Ended::Converged { .. }), "{ended:?}");
        // The smallest eigenvalue at the end is 0.4: a gradient of 1e-9 leaves 2.5e-9.
        assert!((x[0] - 1.0).abs() < 1e-8 && (x[1] - 1.0).abs() < 1e-8, "{x:?}");
        assert!(calls < 80, "{calls}");
    }

    #[test]
    fn a_quadratic_with_its_own_hessian_takes_one_step() {
        // Curvatures from 1 to 10⁶.
        let curvature = |index: usize| 10f64.powi(index as i32);
        let f = |x: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for (index, (x, gradient)) in x.iter().zip(gradient).enumerate() {
                *gradient = curvature(index) * (x - 1.0);
                value += 0.5 * *gradient * (x - 1.0);
            }
            value
        };
        let solve = |v: &mut [f64]| v.iter_mut().enumerate().for_each(|(index, v)| *v /= curvature(index));
        let mut x = [0.0; 7];
        let ended = minimise(&mut x, &LbfgsSettings::default(), Some(&solve), f);
        assert_eq!(ended, Ended::Converged { iterations: 1 });
        let mut x = [0.0; 7];
        assert!(matches!(minimise(&mut x, &LbfgsSettings::default(), None, f), Ended::Converged { .. }));
    }

    #[test]
    fn the_reason_of_the_end_is_told() {
        let few = LbfgsSettings { iterations: 3, ..LbfgsSettings::default() };
        assert_eq!(minimise(&mut [-1.2, 1.0], &few, None, rosenbrock), Ended::IterationLimit);
        let uphill = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            x[0]
        };
        assert_eq!(minimise(&mut [0.0], &LbfgsSettings::default(), None, uphill), Ended::LineSearch);
        assert_eq!(
            minimise(&mut [1.0, 1.0], &LbfgsSettings::default(), None, rosenbrock),
            Ended::Converged { iterations: 0 }
        );
    }

    #[test]
    fn a_wall_of_infinities_is_walked_around() {
        // -ln x + x has its smallest value at 1 and none below 0; the first steps from 0.01 go far.
        let f = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0 - 1.0 / x[0];
            if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY }
        };
        let mut x = [0.01];
        let ended = minimise(&mut x, &LbfgsSettings::default(), None, f);
        assert!(matches!(ended, Ended::Converged { .. }), "{ended:?}");
        assert!((x[0] - 1.0).abs() < 1e-5, "{x:?}");
    }
}
