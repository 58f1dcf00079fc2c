//! The theorems on random populations. Errors are counted from the table itself, apart from the code they check.

use super::*;
use crate::calibrate::unmix;
use crate::counts::View;
use crate::noise::TransitionMatrix;
use crate::rates::{Shares, base};
use crate::vocabulary::{Class, Criterion, Group, Guess, ProxyId, Stratum};
use crate::world::{World, uniform};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// Sums of up to twenty shares, divided by no less than 0.002, and bounds of the order of one.
const ROUNDING: f64 = 1e-11;

/// Weights by stratum, group and guess.
struct Population {
    groups: usize,
    classes: usize,
    cells: Vec<(Stratum, Group, Guess, f64)>,
}

/// A column that a criterion compares.
type Asked = (Option<usize>, usize);

impl Population {
    fn random(random: &mut Pcg64, groups: usize, classes: usize, differential: bool) -> Self {
        let everywhere = random_matrix(random, groups);
        let mut cells = Vec::new();
        for s in 0..classes * classes {
            let own = random_matrix(random, groups);
            let noise =
                if differential { blend(&everywhere, &own, uniform(random)) } else { everywhere.clone() };
            let stratum = Stratum { label: Some(Class(s / classes)), prediction: Class(s % classes) };
            for (a, row) in noise.iter().enumerate() {
                let size = 0.02 + uniform(random).powi(2);
                cells.extend(row.iter().enumerate().map(|(g, t)| (stratum, Group(a), Guess(g), size * t)));
            }
        }
        Population { groups, classes, cells }
    }

    /// Two groups of equal size if asked, two classes, one matrix, rates that may be small.
    fn binary(random: &mut Pcg64, equal: bool) -> Self {
        let noise = random_matrix(random, 2);
        let share = if equal { 0.5 } else { 0.05 + 0.9 * uniform(random) };
        let mut cells = Vec::new();
        for (a, row) in noise.iter().enumerate() {
            let size = if a == 0 { share } else { 1.0 - share };
            let repays = 0.2 + 0.6 * uniform(random);
            for y in 0..2 {
                let size = size * if y == 1 { repays } else { 1.0 - repays };
                let rate = 0.001 + 0.998 * uniform(random).powi(2);
                for k in 0..2 {
                    let stratum = Stratum { label: Some(Class(y)), prediction: Class(k) };
                    let here = size * if k == 1 { rate } else { 1.0 - rate };
                    cells.extend((0..2).map(|g| (stratum, Group(a), Guess(g), here * row[g])));
                }
            }
        }
        Population { groups: 2, classes: 2, cells }
    }

    fn known(&self) -> KnownProxy {
        KnownProxy::new(self.classes, self.groups, self.cells.iter().copied()).unwrap()
    }

    fn asked(&self, criterion: Criterion) -> Vec<Asked> {
        let classes = self.classes;
        match criterion {
            Criterion::DemographicParity => (0..classes).map(|k| (None, k)).collect(),
            Criterion::EqualizedOdds => {
                (0..classes * classes).map(|s| (Some(s / classes), s % classes)).collect()
            }
            Criterion::EqualOpportunity => vec![(Some(classes - 1), classes - 1)],
            Criterion::FalsePositiveParity => (0..classes - 1).map(|y| (Some(y), classes - 1)).collect(),
            // About labels, or of several strata at once: the theorems refuse them.
            Criterion::PredictiveParity | Criterion::FalseNegativeParity | Criterion::AccuracyParity => {
                Vec::new()
            }
        }
    }

    fn positive(&self) -> Class {
        Class(self.classes - 1)
    }

    /// Weight of the people with a label, prediction, group and guess, as far as these are given.
    fn weigh(&self, y: Option<usize>, k: Option<usize>, a: Option<usize>, g: Option<usize>) -> f64 {
        let is = |asked: Option<usize>, found: usize| asked.is_none_or(|asked| asked == found);
        let cells = self.cells.iter().filter(|(stratum, group, guess, _)| {
            is(y, stratum.label.unwrap().0) && is(k, stratum.prediction.0) && is(a, group.0) && is(g, guess.0)
        });
        cells.map(|cell| cell.3).sum()
    }

    fn disparity(&self, criterion: Criterion, rate: impl Fn(Asked, usize) -> f64) -> f64 {
        let asked = self.asked(criterion);
        let mut sum = 0.0;
        for column in &asked {
            let rates: Vec<f64> = (0..self.groups).map(|a| rate(*column, a)).collect();
            sum += rates.iter().flat_map(|x| rates.iter().map(move |y| (x - y).abs())).sum::<f64>();
        }
        sum / (self.groups * (self.groups - 1) * asked.len()) as f64
    }

    fn true_disparity(&self, criterion: Criterion) -> f64 {
        let rate = |(y, k), a| self.weigh(y, Some(k), Some(a), None) / self.weigh(y, None, Some(a), None);
        self.disparity(criterion, rate)
    }

    fn raw_error(&self, criterion: Criterion) -> f64 {
        let rate = |(y, k), g| self.weigh(y, Some(k), None, Some(g)) / self.weigh(y, None, None, Some(g));
        (self.disparity(criterion, rate) - self.true_disparity(criterion)).abs()
    }

    /// The error of `Ĥ = Λ_p̂⁻¹ T̂⁻ᵀ Q`.
    fn calibrated_error(&self, criterion: Criterion, guessed: &Guessed) -> f64 {
        let mut rates: BTreeMap<Asked, Vec<f64>> = BTreeMap::new();
        for (y, k) in self.asked(criterion) {
            let whole = self.weigh(y, None, None, None);
            let seen: Vec<f64> =
                (0..self.groups).map(|g| self.weigh(y, Some(k), None, Some(g)) / whole).collect();
            let joint = unmix(&Shares::new(seen), &guessed.matrices[&(y, k)]).unwrap();
            let rate = |(j, p): (&f64, &f64)| j / p;
            rates.insert((y, k), joint.as_slice().iter().zip(&guessed.shares[&y]).map(rate).collect());
        }
        (self.disparity(criterion, |column, a| rates[&column][a]) - self.true_disparity(criterion)).abs()
    }

    /// The truth moved towards something else by `weight`, for every column that the criterion compares.
    fn guess(&self, random: &mut Pcg64, criterion: Criterion, weight: f64) -> Guessed {
        let mut guessed = Guessed::default();
        for (y, k) in self.asked(criterion) {
            let row = |a: usize| {
                let people = self.weigh(y, Some(k), Some(a), None);
                (0..self.groups).map(|g| self.weigh(y, Some(k), Some(a), Some(g)) / people).collect()
            };
            let truth: Vec<Vec<f64>> = (0..self.groups).map(row).collect();
            let matrix = blend(&truth, &random_matrix(random, self.groups), weight);
            guessed.matrices.insert((y, k), TransitionMatrix::new(matrix).unwrap());
            let people = self.weigh(y, None, None, None);
            let shares: Vec<f64> =
                (0..self.groups).map(|a| self.weigh(y, None, Some(a), None) / people).collect();
            let other = random_row(random, self.groups);
            guessed.shares.entry(y).or_insert_with(|| blend(&[shares], &[other], weight).remove(0));
        }
        guessed
    }
}

/// `T̂` by column and `p̂` by label.
#[derive(Default)]
struct Guessed {
    matrices: BTreeMap<Asked, TransitionMatrix>,
    shares: BTreeMap<Option<usize>, Vec<f64>>,
}

impl Guessed {
    fn belief(&self) -> Belief {
        let stratum = |(y, k): &Asked| Stratum { label: y.map(Class), prediction: Class(*k) };
        Belief::new(
            self.matrices.iter().map(|(column, matrix)| (stratum(column), matrix.clone())),
            self.shares.iter().map(|(y, shares)| (y.map(Class), Shares::new(shares.clone()))),
        )
    }
}

fn random_row(random: &mut Pcg64, length: usize) -> Vec<f64> {
    let row: Vec<f64> = (0..length).map(|_| 0.05 + uniform(random)).collect();
    let sum: f64 = row.iter().sum();
    row.iter().map(|x| x / sum).collect()
}

/// Rows between a perfect proxy and any other, so that good and bad proxies are met.
fn random_matrix(random: &mut Pcg64, groups: usize) -> Vec<Vec<f64>> {
    let weight = uniform(random);
    let perfect: Vec<Vec<f64>> =
        (0..groups).map(|a| (0..groups).map(|g| f64::from(u8::from(a == g))).collect()).collect();
    let any: Vec<Vec<f64>> = (0..groups).map(|_| random_row(random, groups)).collect();
    blend(&perfect, &any, weight)
}

fn blend(one: &[Vec<f64>], other: &[Vec<f64>], weight: f64) -> Vec<Vec<f64>> {
    let mix = |(x, y): (&f64, &f64)| (1.0 - weight) * x + weight * y;
    one.iter().zip(other).map(|(x, y)| x.iter().zip(y).map(mix).collect()).collect()
}

/// Two or three groups and classes in turn.
fn shape(world: usize) -> (usize, usize) {
    (2 + world % 2, 2 + world / 2 % 2)
}

#[test]
fn the_raw_error_never_exceeds_theorem_3_2() {
    let mut random = Pcg64::seed_from_u64(32);
    for criterion in Criterion::USUAL {
        let mut tightest = 0.0f64;
        for world in 0..10_000 {
            let (groups, classes) = shape(world);
            let population = Population::random(&mut random, groups, classes, world % 8 < 4);
            let bound = RawErrorBound::of(&population.known(), criterion, population.positive()).unwrap();
            let error = population.raw_error(criterion);
            assert!(error <= bound.value() + ROUNDING, "{world} {criterion:?}: {error} {bound:?}");
            tightest = tightest.max(error / bound.value());
        }
        println!("{criterion:?}: 10000 worlds, error up to {tightest:.3} of the bound");
        assert!(tightest > 0.9, "{criterion:?}: {tightest}");
    }
}

#[test]
fn the_calibrated_error_never_exceeds_theorem_4_5() {
    let mut random = Pcg64::seed_from_u64(45);
    for criterion in Criterion::USUAL {
        let (mut worlds, mut tightest) = (0, 0.0f64);
        while worlds < 10_000 {
            let (groups, classes) = shape(worlds);
            let population = Population::random(&mut random, groups, classes, worlds % 8 < 4);
            let weight = uniform(&mut random).powi(2);
            let guessed = population.guess(&mut random, criterion, weight);
            // Undoing a nearly singular matrix is rounding alone; the theorem holds there too, unlike arithmetic.
            if guessed.matrices.values().any(|matrix| matrix.condition() > 1e4) {
                continue;
            }
            let positive = population.positive();
            let bound = CalibratedErrorBound::of(&population.known(), &guessed.belief(), criterion, positive)
                .unwrap();
            let error = population.calibrated_error(criterion, &guessed);
            // Rounding is magnified by the condition.
            assert!(error <= bound.value() + 1e4 * ROUNDING, "{worlds} {criterion:?}: {error} {bound:?}");
            tightest = tightest.max(error / bound.value());
            worlds += 1;
        }
        println!("{criterion:?}: {worlds} worlds, error up to {tightest:.3} of the bound");
        assert!(tightest > 0.7, "{criterion:?}: {tightest}");
    }
}

#[test]
fn corollary_3_3_is_an_equality_up_to_the_point_where_guesses_turn_around() {
    let mut random = Pcg64::seed_from_u64(33);
    let (mut usual, mut turned) = (0, 0);
    for world in 0..12_000 {
        let population = Population::binary(&mut random, false);
        // Every fourth proxy says the opposite of what it believes.
        let cells = population.cells.iter().map(|(s, a, g, w)| (*s, *a, Guess(1 - g.0), *w)).collect();
        let population = if world % 4 == 0 { Population { cells, ..population } } else { population };
        // Within a label alone the proxy errs by one matrix; over labels the mixture does as well.
        for criterion in Criterion::USUAL {
            let error = BinaryRawError::of(&population.known(), criterion, Class(1)).unwrap();
            let raw = population.raw_error(criterion);
            assert!((raw - error.exact()).abs() < ROUNDING, "{criterion:?}: {raw} {error:?}");
            assert!(raw <= error.bound() + ROUNDING);
            if error.parts.iter().all(|part| part.mistakes() <= 1.0) {
                usual += 1;
                assert!((raw - error.bound()).abs() < ROUNDING, "{criterion:?}: {raw} {error:?}");
            } else {
                turned += 1;
                assert!(raw < error.bound());
            }
        }
    }
    println!("{usual} equalities, {turned} with e1+e2 > 1");
    assert!(usual > 20_000 && turned > 2_000, "{usual} {turned}");
}

#[test]
fn calibration_within_the_corrected_threshold_is_never_worse_than_the_proxy() {
    let mut random = Pcg64::seed_from_u64(47);
    for criterion in Criterion::USUAL {
        let (mut tried, mut qualified, mut nearest, mut worse_beyond) = (0, 0, 0.0f64, 0);
        while qualified < 10_000 {
            tried += 1;
            assert!(tried < 200_000, "only {qualified} of {tried} worlds qualify");
            let population = Population::binary(&mut random, false);
            let threshold = CalibrationThreshold::of(&population.known(), criterion, Class(1)).unwrap();
            // ε grows about linearly with the weight, so this falls on either side of γ.
            let weight = (threshold.gamma * 0.2 * 100f64.powf(uniform(&mut random))).min(1.0);
            let guessed = population.guess(&mut random, criterion, weight);
            let bound = CalibratedErrorBound::of(&population.known(), &guessed.belief(), criterion, Class(1));
            let Ok(bound) = bound else { continue };
            let (raw, calibrated) =
                (population.raw_error(criterion), population.calibrated_error(criterion, &guessed));
            if bound.largest_epsilon() > threshold.gamma {
                worse_beyond += usize::from(calibrated > raw + ROUNDING);
                continue;
            }
            qualified += 1;
            assert!(calibrated <= raw + ROUNDING, "{criterion:?}: {calibrated} {raw} {threshold:?}");
            nearest = nearest.max(calibrated / raw);
        }
        println!(
            "{criterion:?}: {qualified} of {tried} qualify, calibrated up to {nearest:.3} of raw; worse in \
             {worse_beyond} of the others"
        );
        // The populations can tell a threshold that is too high.
        assert!(worse_beyond > 100, "{criterion:?}: {worse_beyond}");
    }
}

#[test]
fn corollary_4_7_as_printed_fails_where_the_smallest_over_classes_holds() {
    let mut random = Pcg64::seed_from_u64(147);
    let (mut within_printed, mut refuted, mut within_smallest) = (0, 0, 0);
    let criterion = Criterion::DemographicParity;
    for _ in 0..60_000 {
        let population = Population::binary(&mut random, true);
        let threshold = CalibrationThreshold::of(&population.known(), criterion, Class(1)).unwrap();
        let (Some(printed), Some(smallest)) = (threshold.as_printed(), threshold.smallest()) else {
            continue;
        };
        assert!(smallest <= threshold.gamma + ROUNDING && threshold.gamma <= printed + ROUNDING);
        let reach = if uniform(&mut random) < 0.5 { printed } else { smallest };
        let weight = reach * uniform(&mut random);
        let guessed = population.guess(&mut random, criterion, weight);
        let bound = CalibratedErrorBound::of(&population.known(), &guessed.belief(), criterion, Class(1));
        let Ok(bound) = bound else { continue };
        let worse =
            population.calibrated_error(criterion, &guessed) > population.raw_error(criterion) + ROUNDING;
        if bound.largest_epsilon() <= printed {
            within_printed += 1;
            refuted += usize::from(worse);
        }
        if bound.largest_epsilon() <= smallest {
            within_smallest += 1;
            assert!(!worse, "{threshold:?}");
        }
    }
    println!("printed: {refuted} worse of {within_printed}; smallest: 0 worse of {within_smallest}");
    assert!(refuted > 100 && within_smallest > 10_000, "{refuted} {within_smallest}");
}

#[test]
fn one_population_refutes_corollary_4_7_as_printed() {
    let matrix = |first: f64, second: f64| {
        TransitionMatrix::new(vec![vec![1.0 - first, first], vec![1.0 - second, second]]).unwrap()
    };
    let (noise, believed) = (matrix(0.30, 0.90), matrix(0.26, 0.90));
    let rates = [vec![0.96, 0.04], vec![0.99, 0.01]];
    let (half, shares) = (Shares::new([0.5, 0.5]), [0.49, 0.51]);
    let known = KnownProxy::non_differential(&half, &rates, &noise).unwrap();
    let parity = Criterion::DemographicParity;
    let threshold = CalibrationThreshold::of(&known, parity, Class(1)).unwrap();
    let belief = Belief::global(&believed, Shares::new(shares), 2);
    let epsilon = CalibratedErrorBound::of(&known, &belief, parity, Class(1)).unwrap().largest_epsilon();
    assert!(epsilon <= threshold.as_printed().unwrap(), "{epsilon} {threshold:?}");
    assert!(epsilon > threshold.gamma, "{epsilon} {threshold:?}");

    // By hand. Each class: seen shares by guess, the belief undone, divided by the believed shares.
    let gap = |k: usize| {
        let seen = |g| (0..2).map(|a| 0.5 * rates[a][k] * noise[(Group(a), Guess(g))]).sum::<f64>();
        let joint = unmix(&Shares::new([seen(0), seen(1)]), &believed).unwrap();
        (joint[Group(0)] / shares[0] - joint[Group(1)] / shares[1]).abs()
    };
    let calibrated = ((gap(0) + gap(1)) / 2.0 - 0.03f64).abs();
    // Guessed 0: 0.35 of group 0 and 0.05 of group 1; guessed 1: 0.15 and 0.45.
    let by_guess: [f64; 2] = [(0.35 * 0.04 + 0.05 * 0.01) / 0.40, (0.15 * 0.04 + 0.45 * 0.01) / 0.60];
    let raw = ((by_guess[0] - by_guess[1]).abs() - 0.03).abs();
    println!("epsilon {epsilon:.4}, {threshold:?}, calibrated {calibrated:.5}, raw {raw:.5}");
    assert!((raw - 0.01125).abs() < ROUNDING);
    assert!(calibrated > 2.0 * raw, "calibrated {calibrated}, raw {raw}");
}

#[test]
fn a_proxy_that_says_the_opposite_has_the_same_threshold() {
    // Its mistakes add up to 2 − (e₁+e₂), and it shows the same gap turned around.
    let rates = [vec![0.96, 0.04], vec![0.99, 0.01]];
    let gamma = |noise: [[f64; 2]; 2]| {
        let noise = TransitionMatrix::new(noise.map(|row| row.to_vec()).to_vec()).unwrap();
        let known = KnownProxy::non_differential(&Shares::new([0.5, 0.5]), &rates, &noise).unwrap();
        CalibrationThreshold::of(&known, Criterion::DemographicParity, Class(1)).unwrap().gamma
    };
    let (straight, turned) = (gamma([[0.7, 0.3], [0.1, 0.9]]), gamma([[0.3, 0.7], [0.9, 0.1]]));
    assert!((straight - turned).abs() < ROUNDING, "{straight} {turned}");
}

/// Two groups, half of each selected, and a proxy's matrices among the others and among the selected.
fn half_selected(shares: [f64; 2], noise: [[[f64; 2]; 2]; 2]) -> KnownProxy {
    let weights = (0..8).map(|i| (i >> 2 & 1, i >> 1 & 1, i & 1)).map(|(k, a, g)| {
        (Stratum { label: None, prediction: Class(k) }, Group(a), Guess(g), 0.5 * shares[a] * noise[k][a][g])
    });
    KnownProxy::new(2, 2, weights).unwrap()
}

/// Selected people of group 0 are guessed right at 0.9, others at 0.7; group 1 at 0.8 always. Over all decisions the
/// matrix is that of a flip of 0.2.
fn differential() -> KnownProxy {
    half_selected([0.5, 0.5], [[[0.7, 0.3], [0.2, 0.8]], [[0.9, 0.1], [0.2, 0.8]]])
}

#[test]
fn the_parts_of_theorem_3_2_are_those_found_by_hand() {
    let bound = RawErrorBound::of(&differential(), Criterion::DemographicParity, Class(1)).unwrap();
    let part = bound.parts[1];
    // T⁻¹(T₁ − T) = [[8, −8], [−2, 2]] / 60: columns sum to 1/6, rows to 16/60 at most.
    assert!((part.dependence - 1.0 / 6.0).abs() < 1e-12, "{part:?}");
    // T₁ − 1 = [[−0.1, 0.1], [0.2, −0.2]]: columns sum to 0.3, rows to 0.4 at most.
    assert!((part.proxy_error - 0.3).abs() < 1e-12, "{part:?}");
    assert!((part.mean_rate - 0.5).abs() < 1e-12 && part.spread < 1e-12, "{part:?}");
    assert!((bound.value() - 1.0 / 6.0).abs() < 1e-12, "{bound:?}");

    // Shares 0.4 and 0.6, over all decisions T = [[0.8, 0.2], [0.3, 0.7]]: guesses are halves.
    let unequal = half_selected([0.4, 0.6], [[[0.7, 0.3], [0.2, 0.8]], [[0.9, 0.1], [0.4, 0.6]]]);
    let part = RawErrorBound::of(&unequal, Criterion::DemographicParity, Class(1)).unwrap().parts[1];
    // Rows of T⁻¹ sum to one and those of T₁ − T are alike: T⁻¹(T₁ − T) = T₁ − T = [[0.1, −0.1], [0.1, −0.1]].
    assert!((part.dependence - 0.2).abs() < 1e-12, "{part:?}");
    // [[0.36, 0.04], [0.24, 0.36]] / 0.5 − 1: the first column sums to 0.28 + 0.48.
    assert!((part.proxy_error - 0.76).abs() < 1e-12, "{part:?}");
}

#[test]
fn the_parts_of_theorem_4_5_are_those_found_by_hand() {
    // Shares 0.2 and 0.8 held for 0.25 and 0.75; rates 0.5 and 0.25; a perfect proxy held for one.
    let rates = [vec![0.5, 0.5], vec![0.75, 0.25]];
    let known = KnownProxy::non_differential(&Shares::new([0.2, 0.8]), &rates, &TransitionMatrix::flips(0.1))
        .unwrap();
    let belief = Belief::global(&TransitionMatrix::flips(0.1), Shares::new([0.25, 0.75]), 2);
    let part =
        CalibratedErrorBound::of(&known, &belief, Criterion::DemographicParity, Class(1)).unwrap().parts[1];
    // Selected: 0.10 and 0.20 of all; the smallest group is 0.2.
    assert!((part.exposure - 0.20 / 0.2).abs() < 1e-12, "{part:?}");
    // 0.2/0.25 − 1 = −0.2 and 0.8/0.75 − 1 = 1/15.
    assert!((part.share_error - 0.2).abs() < 1e-12, "{part:?}");
    assert!((part.stretch - 1.0).abs() < 1e-12 && part.noise_error < 1e-12, "{part:?}");
    assert!((part.epsilon() - 0.2).abs() < 1e-12);
}

#[test]
fn a_proxy_of_a_world_shows_what_is_counted_there() {
    for seed in 0..50 {
        let silent = vec![vec![0.1, 0.3, 0.0], vec![0.0; 3], vec![0.2; 3]];
        let world = World::random(3, 2, 3, seed % 2 == 1, seed);
        let world = world.with_copying(0.2).unwrap().with_abstention(silent).unwrap();
        for (view, proxy) in [View::Predictions, View::Labelled].into_iter().zip([ProxyId(0), ProxyId(2)]) {
            let known = KnownProxy::of(&world, proxy).unwrap();
            let (seen, counted) = (known.seen(view), base(&world.frequencies().view(view).unwrap(), proxy));
            for ((stratum, ours), (other, theirs)) in seen.strata().zip(counted.strata()) {
                assert_eq!(stratum, other);
                for (x, y) in ours.unwrap().as_slice().iter().zip(theirs.unwrap().as_slice()) {
                    assert!((x - y).abs() < 1e-12, "{x} {y}");
                }
            }
        }
    }
}

#[test]
fn no_gap_is_smaller_than_what_a_proxy_with_non_differential_error_shows() {
    let mut random = Pcg64::seed_from_u64(7);
    for world in 0..2_000 {
        let (groups, classes) = shape(world);
        let population = Population::random(&mut random, groups, classes, false);
        let (known, label) = (population.known(), Some(Class(0)));
        let truth = known.truth(View::Labelled);
        let rates: Vec<f64> = truth.axis().map(|a| truth.rate(a, label, Class(1)).unwrap()).collect();
        let gap = rates.iter().flat_map(|x| rates.iter().map(move |y| x - y)).fold(0.0, f64::max);
        let floor = non_differential_floor(&known.seen(View::Labelled), label, Class(1)).unwrap();
        assert!(floor <= gap + ROUNDING && floor > 0.0, "{floor} {gap}");
    }
    // Without the assumption it is no floor: there is no gap, and the proxy shows 0.1.
    let floor = non_differential_floor(&differential().seen(View::Predictions), None, Class(1)).unwrap();
    assert!((floor - 0.1).abs() < 1e-12, "{floor}");
}

#[test]
fn what_a_theorem_cannot_speak_of_is_refused_with_the_reason() {
    let parity = Criterion::DemographicParity;
    let differs = BinaryRawError::of(&differential(), parity, Class(1));
    assert!(matches!(differs, Err(TheoremError::Differential { .. })), "{differs:?}");
    let unlabelled = RawErrorBound::of(&differential(), Criterion::EqualizedOdds, Class(1));
    assert!(matches!(unlabelled, Err(TheoremError::Rate(_))), "{unlabelled:?}");

    let three = KnownProxy::of(&World::symmetric(3, 2, &[0.8], 0.3), ProxyId(0)).unwrap();
    let many = CalibrationThreshold::of(&three, parity, Class(1));
    assert_eq!(many, Err(TheoremError::NotBinary { groups: 3, classes: 2 }));

    let half = || Shares::new([0.5, 0.5]);
    let rates = [vec![0.5, 0.5], vec![0.2, 0.8]];
    let known = |noise: &TransitionMatrix| KnownProxy::non_differential(&half(), &rates, noise).unwrap();
    let coin = TransitionMatrix::flips(0.5);
    let blind = RawErrorBound::of(&known(&coin), parity, Class(1));
    assert!(matches!(blind, Err(TheoremError::Singular { .. })), "{blind:?}");
    let always = TransitionMatrix::new(vec![vec![1.0, 0.0], vec![1.0, 0.0]]).unwrap();
    let never = RawErrorBound::of(&known(&always), parity, Class(1));
    assert!(matches!(never, Err(TheoremError::NeverGuessed { guess: 1, .. })), "{never:?}");

    let good = known(&TransitionMatrix::flips(0.1));
    let believe = |belief: &Belief| CalibratedErrorBound::of(&good, belief, parity, Class(1)).unwrap_err();
    let singular = Belief::global(&coin, half(), 2);
    assert!(matches!(believe(&singular), TheoremError::Singular { .. }));
    let empty = Belief::global(&TransitionMatrix::flips(0.1), Shares::new([0.0, 1.0]), 2);
    assert!(matches!(believe(&empty), TheoremError::BelievedShare { group: 0, .. }));
    assert!(matches!(believe(&Belief::default()), TheoremError::NoBelief(_)));
}
