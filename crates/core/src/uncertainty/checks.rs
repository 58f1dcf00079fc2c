//! What the proxies can and cannot tell, measured on the table.

use super::draws::{chi_square_tail, wald};
use crate::counts::{Cell, Frequencies};
use crate::criterion::Among;
use crate::estimate::Moments;
use crate::noise::ProxyNoise;
use crate::privacy::{Alike, Told};
use crate::vocabulary::{Axis, Class, Criterion, Group, Guess, Stratum};
use nalgebra::{DMatrix, DVector};

/// How far the proxies' agreement stands out from chance, in standard errors: `z = φ_min·√(pairs·N)`, with
/// `φ_min` the smallest agreement beyond chance over all ways to split the groups in two,
/// ```text
/// φ_min = min over x of  xᵀ(m₂ − m₁m₁ᵀ)x / xᵀ(diag m₁ − m₁m₁ᵀ)x
/// ```
/// For two groups `φ_min` is the correlation between proxies. Below 4 the size of a gap cannot be told, only its
/// direction; from 10 on the usual approximations hold (`docs/methods/uncertainty.md`).
pub(crate) fn informativeness(groups: usize, cells: &[(Cell, f64)], rows: f64) -> Option<f64> {
    let (first, second) = match Moments::of(groups, cells, &Told::default()) {
        Some(moments) => (moments.first.clone(), DMatrix::from_fn(groups, groups, |v, w| moments.pair(v, w))),
        None => pair_moments(groups, cells)?,
    };
    let least = least_agreement(&first, &second)?;
    let total: f64 = cells.iter().map(|(_, share)| share).sum();
    let answered = |cell: &Cell| cell.guesses.iter().flatten().count();
    let pairs: f64 = cells
        .iter()
        .map(|(cell, share)| share / total * (answered(cell) * (answered(cell).max(1) - 1) / 2) as f64)
        .sum();
    Some(least * (pairs * rows).sqrt())
}

/// The same of the agreement between sources: every two of them count once, however many proxies they have, since what
/// proxies of one source agree on says nothing.
pub(crate) fn informativeness_between(seen: &Frequencies, rows: f64) -> Option<f64> {
    let groups = seen.groups();
    let mut together: DMatrix<f64> = DMatrix::zeros(groups, groups);
    let mut pairs = 0.0;
    for (cell, share) in seen.cells() {
        let mut votes = vec![DVector::<f64>::zeros(groups); seen.sources.views()];
        for (c, guess) in cell.guesses.iter().enumerate() {
            guess.iter().for_each(|guess| votes[seen.sources.view(c)][guess.0] += 1.0);
        }
        votes.retain(|votes| votes.sum() > 0.0);
        let shares: Vec<DVector<f64>> = votes.iter().map(|votes| votes / votes.sum()).collect();
        for (i, first) in shares.iter().enumerate() {
            for second in &shares[..i] {
                together.ger(share / 2.0, first, second, 1.0);
                together.ger(share / 2.0, second, first, 1.0);
                pairs += share;
            }
        }
    }
    let total = together.sum();
    let second = (total > 0.0).then(|| together / total)?;
    let first: Vec<f64> = second.row_iter().map(|row| row.sum()).collect();
    Some(least_agreement(&first, &second)? * (pairs * rows).sqrt())
}

/// `φ_min` of first and second moments.
pub(crate) fn least_agreement(first: &[f64], second: &DMatrix<f64>) -> Option<f64> {
    let groups = first.len();
    let roots = DVector::from_iterator(groups, first.iter().map(|share| share.sqrt()));
    if roots.min() <= 0.0 {
        return None;
    }
    // On the complement of √m₁ the denominator is the identity; the constant direction is moved out of the way.
    let scaled =
        DMatrix::from_fn(groups, groups, |v, w| second[(v, w)] / (roots[v] * roots[w]) + roots[v] * roots[w]);
    scaled.symmetric_eigenvalues().iter().copied().min_by(f64::total_cmp)
}

/// Below this many standard errors of agreement the size of a gap cannot be told.
pub(crate) const WEAK: f64 = 4.0;

/// Agreement of pairs alone, for tables without triples.
fn pair_moments(groups: usize, cells: &[(Cell, f64)]) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let mut pairs: DMatrix<f64> = DMatrix::zeros(groups, groups);
    for (cell, share) in cells {
        let said: Vec<Guess> = cell.guesses.iter().flatten().copied().collect();
        for (i, first) in said.iter().enumerate() {
            for second in &said[..i] {
                pairs[(first.0, second.0)] += share / 2.0;
                pairs[(second.0, first.0)] += share / 2.0;
            }
        }
    }
    let total = pairs.sum();
    (total > 0.0).then(|| {
        let pairs: DMatrix<f64> = pairs / total;
        (pairs.row_iter().map(|row| row.sum()).collect(), pairs)
    })
}

/// How far strata differ in what the proxies say: a χ² of mean votes between strata.
pub(crate) fn strata_differ(seen: &Frequencies, rows: f64) -> f64 {
    let groups = seen.groups();
    let vote = |cell: &Cell| {
        let mut vote = DVector::zeros(groups);
        let said: Vec<Guess> = cell.guesses.iter().flatten().copied().collect();
        said.iter().for_each(|guess| vote[guess.0] += 1.0 / said.len() as f64);
        (!said.is_empty()).then_some(vote)
    };
    let voters: Vec<(Stratum, DVector<f64>, f64)> =
        seen.cells().iter().filter_map(|(cell, share)| Some((cell.stratum, vote(cell)?, *share))).collect();
    let mean = |inside: &dyn Fn(Stratum) -> bool| {
        let mine = || voters.iter().filter(|(stratum, ..)| inside(*stratum));
        let mass: f64 = mine().map(|(_, _, share)| share).sum();
        (mine().map(|(_, vote, share)| vote * *share).fold(DVector::zeros(groups), |a, b| a + b) / mass, mass)
    };
    let (all, mass) = mean(&|_| true);
    let mut spread = DMatrix::zeros(groups, groups);
    for (_, vote, share) in &voters {
        let off = vote - &all;
        spread.ger(share / mass, &off, &off, 1.0);
    }
    let of_stratum = |(stratum, _)| {
        let (mine, share) = mean(&|other| other == stratum);
        let difference: Vec<f64> = (mine - &all).iter().copied().collect();
        if share > 0.0 { wald(&difference, &(&spread / (rows * share))).0 } else { 0.0 }
    };
    seen.strata().map(of_stratum).sum()
}

/// A test of "no gap" that does not need the proxies to err independently of each other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ZeroTest {
    pub statistic: f64,
    pub freedom: usize,
    pub p_value: f64,
    /// The group guessed more often among the selected than among the others by the most.
    pub favoured: Option<Group>,
    /// By how much the share of guesses of a group would have to shift with the decision, inside every true group,
    /// for a table without a gap to look like this one: the largest such shift over groups and labels.
    pub largest_shift: f64,
}

/// What a row's guesses say for each group.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Score<'a> {
    /// The share of proxies that say it.
    Votes,
    /// Its chance given the guesses, by error rates that all strata share: a proxy weighs what it knows.
    Posterior(&'a ProxyNoise),
}

impl Score<'_> {
    /// Nothing for a row on which no proxy speaks.
    fn of(self, groups: usize, cell: &Cell) -> Option<DVector<f64>> {
        if cell.guesses.iter().all(Option::is_none) {
            return None;
        }
        let mut score = match self {
            Score::Votes => DVector::zeros(groups),
            Score::Posterior(noise) => DVector::from_column_slice(noise.group_shares.as_slice()),
        };
        for (c, guess) in cell.guesses.iter().enumerate() {
            let Some(guess) = guess else { continue };
            match self {
                Score::Votes => score[guess.0] += 1.0,
                Score::Posterior(noise) => {
                    let matrix = noise.by_proxy.get(c).unwrap_or(&noise.transition);
                    (0..groups).for_each(|a| score[a] *= matrix[(Group(a), *guess)]);
                }
            }
        }
        let sum = score.sum();
        (sum > 0.0).then(|| score / sum)
    }
}

/// Compares the mean score of each group between the selected and the others, within each part that the criterion looks
/// at; within a decision, between those with the label and the others. A score is a function of the guesses alone, so with errors that all strata share its mean is the same in both if
/// and only if the groups are selected alike, whatever mistakes the proxies share.
pub(crate) fn zero_test(
    seen: &Frequencies,
    rows: f64,
    criterion: Criterion,
    positive: Class,
    score: Score,
) -> Option<ZeroTest> {
    let (mut statistic, mut freedom) = (0.0, 0);
    let mut shift = vec![0.0; seen.groups()];
    let mut largest_shift = 0.0f64;
    for among in criterion.spec().parts(seen.classes(), positive) {
        // With several classes every one of them is compared with the rest.
        let several = criterion.spec().every_class && seen.classes() != 2;
        let classes: Vec<Class> =
            if several { (1..seen.classes()).map(Class).collect() } else { vec![positive] };
        let (difference, covariance, of_positive) =
            score_shift(seen, rows, among, &classes, positive, score)?;
        let (part, free) = wald(&difference, &covariance);
        statistic += part;
        freedom += free;
        largest_shift = of_positive.iter().fold(largest_shift, |largest, part| largest.max(part.abs()));
        shift.iter_mut().zip(of_positive).for_each(|(sum, part)| *sum += part);
    }
    let favoured = shift.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(a, _)| Group::at(a));
    (freedom > 0).then(|| ZeroTest {
        statistic,
        freedom,
        p_value: chi_square_tail(statistic, freedom),
        favoured,
        largest_shift,
    })
}

/// For each class the mean score among those counted for it minus that among the others (all groups but the last, which
/// follows), with its covariance; and the same for all groups and the positive class.
#[allow(clippy::type_complexity)] // used once, above
fn score_shift(
    seen: &Frequencies,
    rows: f64,
    among: Among,
    classes: &[Class],
    positive: Class,
    score: Score,
) -> Option<(Vec<f64>, DMatrix<f64>, Vec<f64>)> {
    let groups = seen.groups();
    // Each row that votes: its class, its score, its share.
    let voters: Vec<(Class, DVector<f64>, f64)> = (seen.cells().iter())
        .filter(|(cell, _)| among.holds(cell.stratum))
        .filter_map(|(cell, share)| Some((among.counted(cell.stratum)?, score.of(groups, cell)?, *share)))
        .collect();
    let total: f64 = voters.iter().map(|(_, _, share)| share).sum();
    let mean_of = |inside: &dyn Fn(Class) -> bool| {
        let mass: f64 = voters.iter().filter(|(k, ..)| inside(*k)).map(|(_, _, share)| share).sum();
        let sum = voters.iter().filter(|(k, ..)| inside(*k)).map(|(_, vote, share)| vote * *share);
        (mass > 0.0).then(|| (sum.fold(DVector::zeros(groups), |a, b| a + b) / mass, mass))
    };
    let mut shifts = Vec::new();
    for class in classes {
        let (inside, inside_mass) = mean_of(&|k| k == *class)?;
        let (outside, outside_mass) = mean_of(&|k| k != *class)?;
        shifts.push((*class, inside, inside_mass, outside, outside_mass));
    }
    let kept = groups - 1;
    let size = classes.len() * kept;
    // Influence of each row on every shift, so that shifts of several classes are correlated as they are.
    let mut covariance = DMatrix::zeros(size, size);
    for (k, vote, share) in &voters {
        let mut influence = DVector::zeros(size);
        for (i, (class, inside, inside_mass, outside, outside_mass)) in shifts.iter().enumerate() {
            let pull =
                if k == class { (vote - inside) / *inside_mass } else { (outside - vote) / *outside_mass };
            influence.rows_mut(i * kept, kept).copy_from(&pull.rows(0, kept));
        }
        covariance.ger(*share / rows, &influence, &influence, 1.0);
    }
    let difference: Vec<f64> = shifts
        .iter()
        .flat_map(|(_, inside, _, outside, _)| {
            (inside - outside).iter().take(kept).copied().collect::<Vec<_>>()
        })
        .collect();
    let of_positive = shifts.iter().find(|(class, ..)| *class == positive).or(shifts.last());
    let of_positive =
        of_positive.map(|(_, inside, _, outside, _)| (inside - outside).iter().copied().collect());
    (total > 0.0).then_some((difference, covariance, of_positive.unwrap_or_default()))
}

/// The test of "the proxies are distributed alike": in each stratum, every order of the same guesses is equally
/// likely. Shared mistakes do not disturb it.
pub(crate) fn exchangeability(seen: &Frequencies, rows: f64) -> Option<(f64, usize, f64)> {
    use std::collections::BTreeMap;
    // Proxies that were randomised differently are not distributed alike, whatever they were before.
    if seen.told.alike() == Alike::Differently {
        return None;
    }
    let mut orbits: BTreeMap<(Stratum, Vec<Guess>), (f64, f64)> = BTreeMap::new();
    for (cell, share) in seen.cells() {
        let mut said: Vec<Guess> = cell.guesses.iter().copied().collect::<Option<Vec<_>>>()?;
        said.sort_unstable();
        let orbit = orbits.entry((cell.stratum, said)).or_insert((0.0, 0.0));
        orbit.0 += share * rows;
        orbit.1 += (share * rows).powi(2);
    }
    let (mut statistic, mut freedom) = (0.0, 0);
    for ((_, said), (total, squares)) in orbits {
        let orders = orders(&said);
        // A χ² needs about five rows where it expects any.
        if orders > 1.0 && total / orders >= 5.0 {
            statistic += squares * orders / total - total;
            freedom += orders as usize - 1;
        }
    }
    (freedom > 0).then(|| (statistic, freedom, chi_square_tail(statistic, freedom)))
}

fn orders(sorted: &[Guess]) -> f64 {
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    let repeats = sorted.chunk_by(|a, b| a == b).map(|run| factorial(run.len()));
    factorial(sorted.len()) / repeats.product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::View;
    use crate::estimate::{Errors, LatentClass, NoiseEstimator};
    use crate::noise::NoiseModel;
    use crate::vocabulary::Scope;
    use crate::world::World;

    #[test]
    fn what_proxies_of_one_source_agree_on_is_no_information() {
        let mut world = World::symmetric(2, 2, &[0.7; 3], 0.2);
        let apart = informativeness_between(&world.frequencies(), 1000.0).unwrap();
        assert!((apart - 0.16 * 3000f64.sqrt()).abs() < 1e-9);
        world = world.with_sources(&[Some("a"), Some("a"), None]);
        // One pair of sources; halves of a vote agree as votes do.
        let shared = informativeness_between(&world.frequencies(), 1000.0).unwrap();
        assert!((shared - 0.16 * 1000f64.sqrt()).abs() < 1e-9, "{shared}");
    }

    #[test]
    fn informativeness_of_two_groups_is_the_correlation_in_standard_errors() {
        let seen = World::symmetric(2, 2, &[0.7; 3], 0.2).frequencies();
        let z = informativeness(2, seen.cells(), 1000.0).unwrap();
        assert!((z - 0.16 * 3000f64.sqrt()).abs() < 1e-9);
    }

    /// Share of samples in which a test rejects at 5 %.
    fn size(world: &World, rows: u64, samples: u64, test: impl Fn(&Frequencies) -> f64) -> f64 {
        let rejects = (0..samples).filter(|seed| {
            let seen = world.sample(rows, *seed).unwrap().0.frequencies().view(View::Predictions).unwrap();
            test(&seen) < 0.05
        });
        rejects.count() as f64 / samples as f64
    }

    #[test]
    fn the_zero_test_keeps_its_size_under_shared_mistakes_and_sees_a_gap() {
        let p_value = |seen: &Frequencies| {
            zero_test(seen, 1000.0, Criterion::DemographicParity, Class(1), Score::Votes).unwrap().p_value
        };
        for (groups, copying) in [(2, 0.0), (2, 0.5), (3, 0.3)] {
            let world = World::symmetric(groups, 2, &[0.7; 3], 0.0).with_copying(copying).unwrap();
            // 5 % of 1,000 samples, give or take four standard errors of 0.7 %.
            let found = size(&world, 1000, 1000, p_value);
            assert!((0.022..0.078).contains(&found), "{groups} {copying}: {found}");
        }
        let world = World::symmetric(2, 2, &[0.7; 3], 0.3).with_copying(0.3).unwrap();
        assert!(size(&world, 1000, 100, p_value) > 0.9);
    }

    #[test]
    fn votes_within_a_decision_are_those_within_a_label_of_the_exchanged_table() {
        let seen = World::random(3, 2, 3, true, 4).frequencies();
        let exchanged = seen.cells().iter().map(|(cell, share)| {
            let Stratum { label, prediction } = cell.stratum;
            let stratum = Stratum { label: Some(prediction), prediction: label.unwrap() };
            (Cell { stratum, ..cell.clone() }, *share)
        });
        let exchanged = seen.with_cells(exchanged.collect());
        let (one, other) = (Among::Decision(Class(1)), Among::Label(Class(1)));
        let shift = |seen: &Frequencies, among| {
            score_shift(seen, 1000.0, among, &[Class(1)], Class(1), Score::Votes).unwrap()
        };
        assert_eq!(shift(&seen, one), shift(&exchanged, other));
        assert_ne!(shift(&seen, one), shift(&seen, other));
    }

    #[test]
    fn scores_by_what_each_proxy_knows_keep_the_size_and_see_more() {
        let latent = LatentClass { scope: Scope::Global, errors: Errors::Own };
        let by = |seen: &Frequencies, learned: bool| {
            let noise = latent.fit(seen).unwrap();
            let NoiseModel::Global(fit) = &noise else { unreachable!() };
            let score = if learned { Score::Posterior(&fit.value) } else { Score::Votes };
            zero_test(seen, 2000.0, Criterion::DemographicParity, Class(1), score).unwrap().p_value
        };
        let alike = World::symmetric(2, 2, &[0.9, 0.65, 0.6], 0.0);
        // 5 % of 400 samples, give or take four standard errors of 1.1 %.
        let found = size(&alike, 2000, 400, |seen| by(seen, true));
        assert!((0.006..0.094).contains(&found), "{found}");
        let apart = World::symmetric(2, 2, &[0.9, 0.65, 0.6], 0.06);
        let [learned, votes] = [true, false].map(|learned| size(&apart, 2000, 200, |seen| by(seen, learned)));
        // Each is known to 3.5 %.
        assert!(learned > votes + 0.07, "{learned} {votes}");
    }

    #[test]
    fn exchangeability_keeps_its_size_and_sees_unequal_proxies() {
        let p_value = |seen: &Frequencies| exchangeability(seen, 2000.0).unwrap().2;
        let alike = World::symmetric(2, 2, &[0.7; 3], 0.2).with_copying(0.2).unwrap();
        let found = size(&alike, 2000, 500, p_value);
        // 5 % of 500 samples, give or take four standard errors of 1 %.
        assert!((0.011..0.089).contains(&found), "{found}");
        let world = World::symmetric(2, 2, &[0.85, 0.7, 0.6], 0.2);
        let unequal = World::random(2, 2, 3, false, 3);
        assert!(exchangeability(&unequal.frequencies(), 2000.0).unwrap().0 < 1e-6);
        // Symmetric errors keep guesses of one group as frequent in every proxy only if groups are equal in size;
        // here they are, so look at who disagrees: the weakest proxy is the odd one out more often.
        assert!(size(&world, 2000, 50, p_value) > 0.9);
    }
}
