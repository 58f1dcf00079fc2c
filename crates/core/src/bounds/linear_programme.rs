//! The bounds without assumptions against the linear programme they solve in closed form.
//!
//! The programme has the eight shares `P(k, g, A)` as unknowns, and a slack for the bound on errors. It is solved
//! by trying every vertex: a vertex solves the equalities with as many unknowns as there are equalities, all
//! others zero. All coefficients are 0 or 1, so determinants are whole numbers and a singular choice is told
//! from a regular one without doubt.

use super::*;
use crate::uncertainty::Interval;
use crate::world::uniform;
use nalgebra::{DMatrix, DVector};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

/// Position of `P(k, g, A=a)` among the unknowns.
fn at(k: usize, g: usize, a: usize) -> usize {
    4 * k + 2 * g + a
}

/// Smallest and largest gap over all vertices of the programme; `None` where it has no solution.
fn solve(seen: [[f64; 2]; 2], share: f64, error: Option<f64>) -> Option<Interval> {
    let unknowns = if error.is_some() { 9 } else { 8 };
    let mut equations: Vec<(Vec<usize>, f64)> = Vec::new();
    let mut gap = vec![0.0; unknowns];
    for (k, row) in seen.iter().enumerate() {
        equations.extend(row.iter().enumerate().map(|(g, q)| (vec![at(k, g, 0), at(k, g, 1)], *q)));
    }
    equations.push((vec![at(0, 0, 1), at(0, 1, 1), at(1, 0, 1), at(1, 1, 1)], share));
    if let Some(error) = error {
        equations.push((vec![at(0, 0, 1), at(1, 0, 1), at(0, 1, 0), at(1, 1, 0), 8], error));
    }
    for g in 0..2 {
        gap[at(1, g, 1)] = 1.0 / share;
        gap[at(1, g, 0)] = -1.0 / (1.0 - share);
    }
    let right = DVector::from_iterator(equations.len(), equations.iter().map(|equation| equation.1));
    let mut ends: Option<Interval> = None;
    for choice in 0u32..1 << unknowns {
        if choice.count_ones() as usize != equations.len() {
            continue;
        }
        let basis: Vec<usize> = (0..unknowns).filter(|j| choice >> j & 1 == 1).collect();
        let entry = |i: usize, j: usize| f64::from(u8::from(equations[i].0.contains(&basis[j])));
        let lu = DMatrix::from_fn(basis.len(), basis.len(), entry).lu();
        if lu.determinant().abs() < 0.5 {
            continue;
        }
        let vertex = lu.solve(&right).unwrap();
        if vertex.min() < -1e-13 {
            continue;
        }
        let value: f64 = basis.iter().zip(vertex.iter()).map(|(j, x)| gap[*j] * x).sum();
        let known = ends.unwrap_or(Interval { low: value, high: value });
        ends = Some(known.with(value));
    }
    ends
}

/// A table of decision, guess and group drawn at random; some cells are empty, some nearly so.
fn random_table(random: &mut Pcg64) -> [f64; 8] {
    let sparse = uniform(random) < 0.3;
    let mut cells: [f64; 8] = std::array::from_fn(|_| {
        let size = uniform(random);
        if sparse && uniform(random) < 0.25 { 0.0 } else { 0.01 + size.powi(3) }
    });
    // Both groups have people.
    cells[at(0, 0, 0)] += 0.05;
    cells[at(0, 1, 1)] += 0.05;
    let sum: f64 = cells.iter().sum();
    cells.map(|cell| cell / sum)
}

/// What is seen of a table, the share of group 1, the share of wrong guesses and the gap.
fn facts(table: &[f64; 8]) -> ([[f64; 2]; 2], f64, f64, f64) {
    let seen = [0, 1].map(|k| [0, 1].map(|g| table[at(k, g, 0)] + table[at(k, g, 1)]));
    let sum = |cells: &[usize]| cells.iter().map(|cell| table[*cell]).sum::<f64>();
    let share = sum(&[1, 3, 5, 7]);
    let wrong = sum(&[at(0, 0, 1), at(1, 0, 1), at(0, 1, 0), at(1, 1, 0)]);
    (seen, share, wrong, sum(&[5, 7]) / share - sum(&[4, 6]) / (1.0 - share))
}

/// Largest difference between the ends of two intervals.
fn apart(a: Interval, b: Interval) -> f64 {
    (a.low - b.low).abs().max((a.high - b.high).abs())
}

#[test]
fn the_bounds_are_the_ends_of_the_linear_programme() {
    let mut random = Pcg64::seed_from_u64(20_240_901);
    let (mut compared, mut narrower, mut worst) = (0, 0, 0.0f64);
    for _ in 0..3_000 {
        let (seen, share, wrong, _) = facts(&random_table(&mut random));
        let needed = (share - seen[0][1] - seen[1][1]).abs();
        let between = needed + uniform(&mut random) * (wrong - needed);
        let beyond = (wrong + uniform(&mut random) * (1.0 - wrong)).min(1.0);
        for error in [None, Some(needed), Some(between), Some(wrong), Some(beyond)] {
            let found = AssumptionFree::new(seen, share, error).unwrap().interval();
            // A vertex may be held feasible at −1e-13, and d divides by a share of 0.005 at least: 1e-10 is room.
            let exact = solve(seen, share, error).unwrap();
            worst = worst.max(apart(found, exact));
            assert!(apart(found, exact) < 1e-10, "{seen:?} {share} {error:?}: {found:?} {exact:?}");
            let wide = AssumptionFree::new(seen, share, None).unwrap().interval();
            narrower += usize::from(found.high - found.low < wide.high - wide.low - 1e-6);
            compared += 1;
        }
    }
    println!("{compared} programmes, {narrower} narrower than from the share alone, worst {worst:.1e}");
    // The bound on errors must matter in a good part of the programmes, or the test shows nothing about it.
    assert!(narrower > compared / 3, "{narrower} of {compared}");
}

#[test]
fn the_programme_and_the_bounds_refuse_the_same_errors() {
    let mut random = Pcg64::seed_from_u64(11);
    for _ in 0..1_000 {
        let (seen, share, ..) = facts(&random_table(&mut random));
        let needed = (share - seen[0][1] - seen[1][1]).abs();
        let short = needed * uniform(&mut random) - 1e-6;
        if short > 0.0 {
            assert!(solve(seen, share, Some(short)).is_none());
            let refused = AssumptionFree::new(seen, share, Some(short));
            assert!(matches!(refused, Err(BoundError::ErrorTooSmall { .. })), "{refused:?}");
        }
    }
}

#[test]
fn the_gap_lies_within_the_bounds_of_every_proxy_and_of_all_together() {
    let mut random = Pcg64::seed_from_u64(12);
    for _ in 0..2_000 {
        // One population, three proxies that err as they like.
        let share = 0.02 + 0.96 * uniform(&mut random);
        let rates = [uniform(&mut random), uniform(&mut random)];
        let truth = rates[1] - rates[0];
        let bounds: Vec<AssumptionFree> = (0..3)
            .map(|_| {
                let mut table = [0.0; 8];
                for k in 0..2 {
                    for a in 0..2 {
                        let size = if a == 1 { share } else { 1.0 - share };
                        let size = size * if k == 1 { rates[a] } else { 1.0 - rates[a] };
                        let right = 1.0 - 0.6 * uniform(&mut random);
                        table[at(k, a, a)] = size * right;
                        table[at(k, 1 - a, a)] = size * (1.0 - right);
                    }
                }
                let (seen, _, wrong, _) = facts(&table);
                AssumptionFree::new(seen, share, Some(wrong)).unwrap()
            })
            .collect();
        let all = intersect(&bounds).unwrap();
        // Rounding only: the truth is one of the populations that the bounds range over.
        assert!(all.low - 1e-10 <= truth && truth <= all.high + 1e-10, "{all:?} {truth}");
        for ends in bounds.iter().map(AssumptionFree::interval) {
            assert!(ends.low <= all.low + 1e-10 && all.high <= ends.high + 1e-10);
        }
    }
}

#[test]
fn inputs_that_cannot_be_are_refused_with_what_was_found() {
    let seen = [[0.40, 0.25], [0.10, 0.25]];
    let refused = |seen, share, error| AssumptionFree::new(seen, share, error).unwrap_err();
    for share in [0.0, 1.0, -0.2, f64::NAN] {
        assert!(matches!(refused(seen, share, None), BoundError::Share { .. }));
    }
    for error in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(refused(seen, 0.5, Some(error)), BoundError::ErrorRange { .. }));
    }
    let message = refused(seen, 0.75, Some(0.2)).to_string();
    assert!(message.contains("at least 0.25 are"), "{message}");
    assert!(matches!(refused([[0.5, 0.5], [0.5, 0.5]], 0.5, None), BoundError::Total { .. }));
    let negative = [[0.5, 0.6], [0.0, -0.1]];
    assert_eq!(refused(negative, 0.5, None), BoundError::NotAShare { decision: 1, guess: 1, value: -0.1 });
}

#[test]
fn bounds_about_different_people_are_not_intersected() {
    let bound = |share| AssumptionFree::new([[0.40, 0.25], [0.10, 0.25]], share, None).unwrap();
    let error = intersect(&[bound(0.5), bound(0.5), bound(0.6)]).unwrap_err();
    assert!(matches!(error, BoundError::DifferentPeople { first: 0, other: 2, .. }), "{error:?}");
    let more = AssumptionFree::new([[0.30, 0.25], [0.20, 0.25]], 0.5, None).unwrap();
    assert!(matches!(intersect(&[bound(0.5), more]), Err(BoundError::DifferentPeople { other: 1, .. })));
    assert_eq!(intersect(&[]), Err(BoundError::NoBounds));
}
