//! The likelihood of proxies that err independently and in all strata alike, and its profile.
//!
//! ```text
//! P(s, g₁ … g_C) = Σₐ J[a,s] · Π_m Πᵥ T_m[a,v]^{n_mv(g)}     n_mv(g): how many proxies with matrix m say v
//! ```
//! One matrix `m` for all proxies that err alike, else one for each. Fitted by Fisher scoring on logits, damped as in
//! Levenberg–Marquardt. With `q[a]` the term of class `a` and `n_m` guesses by matrix `m`,
//! ```text
//! ∂P/∂logit T_m[a,x] = q[a]·(n_mx − n_m·T_m[a,x])        ∂P/∂logit J[a,s′] = 1[s′=s]·q[a] − J[a,s′]·P
//! ```
//! A proxy that abstains does so with a chance of its own in each group, `σ_c[a]`, a parameter like the others:
//! `∂P/∂logit σ_c[a] = q[a]·(1[c silent] − σ_c[a])`.
//!
//! The profile of a contrast `f` is traced by a penalty: the maximiser of `ℓ(θ) − κ/2·(f(θ) − d)²` is the
//! constrained maximum at its own value of `f`, so `(f, ℓ)` lies on the profile whatever `κ` is.
//!
//! Where a known mechanism `R` randomised all proxies alike, what is told has `S = T·R` in place of `T`, and
//! ```text
//! ∂P/∂logit T[a,x] = q[a]·T[a,x]·(Σ_w R[x,w]·n_w/S[a,w] − C)
//! ```
//!
//! Proxies of one source are one view with a free matrix of its own, whose columns are what they say together, silences
//! included ([`Letters`]): `T_m[a, letter]` in place of `T_m[a,v]`, and no `σ`.
//!
//! The information is the expected one, over all that proxies can say; where that is too much to go through, the sum
//! of squared scores of what they said.

use super::bootstrap::normal_draws;
use super::draws::chi_square_tail;
use crate::calibrate::calibrate;
use crate::counts::{Cell, Frequencies, Letters, View};
use crate::criterion::Proportion;
use crate::estimate::{Errors, Explained, Hoc, NoiseEstimator};
use crate::linalg::best_assignment;
use crate::noise::{NoiseModel, ProxyNoise};
use crate::privacy::Alike;
use crate::rates::{Joint, Shares};
use crate::vocabulary::{Class, Group, Guess, ProxyId, Scope, Stratum};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// The table as the likelihood sees it: how many rows of a stratum have how many proxies saying what.
#[derive(Debug, Clone)]
pub(crate) struct Likelihood {
    groups: usize,
    /// Proxies.
    guesses: usize,
    rows: f64,
    /// For each matrix of errors `R`, where guesses were randomised.
    responses: Vec<Option<DMatrix<f64>>>,
    /// Columns of the widest matrix; those that another has fewer are nothing.
    width: usize,
    /// What sources say, where they are the views.
    letters: Option<Letters>,
    /// The proxies that abstain on some row.
    silent: Vec<usize>,
    strata: Vec<Stratum>,
    /// Every stratum with every way to vote, or those that were seen.
    cells: Vec<Votes>,
    /// Whether the cells are all that can be.
    whole: bool,
}

#[derive(Debug, Clone)]
struct Votes {
    stratum: usize,
    /// How often each guess was given, by matrix and column.
    said: Vec<f64>,
    /// How many guesses were given, by matrix.
    answered: Vec<f64>,
    /// Which of the proxies that may abstain do.
    silences: Vec<bool>,
    /// In how many orders the proxies can say it.
    orders: f64,
    rows: f64,
}

/// Shares `J[a,s]` and rows of `T`, always distributions.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    /// Group × stratum.
    pub joint: DMatrix<f64>,
    /// Group × guess (or letter), one matrix below the other.
    pub rows: DMatrix<f64>,
    /// Proxies that may abstain × group: the chance that they do.
    pub silence: DMatrix<f64>,
}

/// How far a table is from what a model expects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fitness {
    /// `G² = 2 Σ n·ln(n/expected)`.
    pub statistic: f64,
    pub freedom: usize,
}

impl Fitness {
    /// The chance of more, if the model holds.
    pub fn p_value(&self) -> f64 {
        chi_square_tail(self.statistic, self.freedom)
    }
}

/// A maximum of the likelihood.
#[derive(Debug, Clone)]
pub(crate) struct Maximum {
    pub parameters: Parameters,
    pub log_likelihood: f64,
}

/// A rate of one group minus that of another, or the logarithm of their ratio.
#[derive(Debug, Clone)]
pub(crate) struct Contrast {
    plus: Group,
    /// Nothing for the rate of one group alone.
    minus: Option<Group>,
    /// Strata within which the rate is taken, and those of them that count.
    within: Vec<bool>,
    counted: Vec<bool>,
    logarithm: bool,
}

/// For each contrast, how far a row in each cell moves it, and the variance of that over rows.
#[derive(Debug, Clone)]
pub(crate) struct Influence(Vec<(Vec<f64>, f64)>);

impl Influence {
    pub fn by_contrast(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.0.iter().map(|(cells, own)| (cells.as_slice(), *own))
    }
}

const ITERATIONS: usize = 200;
/// What a logit is known by must be worth more than this many rows to be drawn.
const HALF_A_ROW: f64 = 0.5;
/// Twice the log-likelihood that errors of one kind gain over none: past it the table leaves no islands.
const TOLD: f64 = 40.0;
/// Values tried between a limit and the estimate.
const ISLANDS: usize = 60;
/// A parameter of which the others leave less than this share of the information is not told from them.
const UNTOLD: f64 = 1e-6;
/// The chi-square test of one contrast allows half of this drop in log-likelihood.
const SOLVED: f64 = 1e-10;

/// Past this many cells only those that were seen are gone through.
const MOST_CELLS: usize = 40_000;
/// Multiplications that one look at the information may take: half a second.
const MOST_WORK: usize = 2_000_000_000;
/// The same for an explanation that is not preferred.
const WORK_BESIDE: usize = 100_000_000;

/// Whether the likelihood of a table is climbed soon enough for an explanation beside the preferred one.
pub(crate) fn affordable_beside(seen: &Frequencies, errors: Errors) -> bool {
    work(seen, errors) <= WORK_BESIDE
}

fn work(seen: &Frequencies, errors: Errors) -> usize {
    let (groups, strata) = (seen.groups(), seen.strata().count());
    let columns = match errors {
        Errors::Own => seen.proxies() * groups,
        Errors::BySource => Letters::of(seen).sizes().iter().sum(),
        Errors::Alike | Errors::Free => groups,
    };
    let size = groups * strata + groups * columns;
    seen.cells().len().saturating_mul(size).saturating_mul(size)
}

impl Likelihood {
    /// Of proxies that err alike. `None` where one abstains, or they were randomised differently. `rows` is the effective
    /// number of rows.
    pub fn new(seen: &Frequencies, rows: f64) -> Option<Self> {
        let answers = |(cell, _): &(Cell, f64)| cell.guesses.iter().all(Option::is_some);
        seen.cells().iter().all(answers).then(|| Likelihood::of(seen, rows, Errors::Alike))?
    }

    /// Of proxies that err alike or each in its own way. `None` where proxies that err alike were randomised differently.
    pub fn of(seen: &Frequencies, rows: f64, errors: Errors) -> Option<Self> {
        let (groups, guesses) = (seen.groups(), seen.proxies());
        if work(seen, errors) > MOST_WORK {
            return None;
        }
        let responses = match (seen.told.alike(), errors) {
            (_, Errors::Free) | (Alike::Differently, Errors::Alike) => return None,
            (Alike::Untouched, Errors::Alike) => vec![None],
            (Alike::All(response), Errors::Alike) => {
                vec![Some(DMatrix::from_fn(groups, groups, |v, w| response.rows()[v][w]))]
            }
            (_, Errors::BySource) => vec![None; seen.sources.views()],
            (_, Errors::Own) => {
                let response = |c: usize| {
                    seen.told.of(ProxyId(c))?;
                    Some(DMatrix::from_fn(groups, groups, |v, w| seen.told.chance(c, v, w)))
                };
                (0..guesses).map(response).collect()
            }
        };
        let letters = (errors == Errors::BySource).then(|| Letters::of(seen));
        let width = letters.as_ref().map_or(groups, |letters| letters.sizes().into_iter().max().unwrap_or(0));
        // Silence is a letter too.
        let is_silent =
            |c: &usize| letters.is_none() && seen.cells().iter().any(|(cell, _)| cell.guesses[*c].is_none());
        let silent: Vec<usize> = (0..guesses).filter(is_silent).collect();
        let matrix_of = |c: usize| if errors == Errors::Own { c } else { 0 };
        let said_in = |cell: &Cell| {
            let mut said = vec![0; responses.len() * width];
            if let Some(letters) = &letters {
                let spelled = letters.spell(&cell.guesses);
                spelled.iter().enumerate().for_each(|(m, letter)| said[m * width + letter] = 1);
                return said;
            }
            for (c, guess) in cell.guesses.iter().enumerate() {
                guess.iter().for_each(|Guess(v)| said[matrix_of(c) * width + v] += 1);
            }
            said
        };
        let mut cells: BTreeMap<(usize, Vec<usize>, Vec<bool>), f64> = BTreeMap::new();
        let mut strata = Vec::new();
        for (stratum, of_stratum) in seen.strata() {
            for (cell, share) in of_stratum {
                let said = said_in(cell);
                let silences = silent.iter().map(|c| cell.guesses[*c].is_none()).collect();
                *cells.entry((strata.len(), said, silences)).or_default() += share * rows;
            }
            strata.push(stratum);
        }
        let votes = |(stratum, said, silences): (usize, Vec<usize>, Vec<bool>), rows: f64| Votes {
            answered: said.chunks(width).map(|said| said.iter().sum::<usize>() as f64).collect(),
            orders: if errors == Errors::Alike { orders(&said) } else { 1.0 },
            said: said.iter().map(|n| *n as f64).collect(),
            stratum,
            silences,
            rows,
        };
        let most = MOST_CELLS / strata.len().max(1);
        let possible = match &letters {
            Some(letters) => all_letters(&letters.sizes(), width, most),
            None => all_votes(groups, guesses, errors, &silent, most),
        };
        let whole = possible.is_some();
        let cells = match possible {
            None => cells.into_iter().map(|(place, rows)| votes(place, rows)).collect(),
            Some(possible) => {
                let all = (0..strata.len()).flat_map(|s| possible.iter().map(move |vote| (s, vote)));
                let vote = |(s, (said, silences)): (usize, &(Vec<usize>, Vec<bool>))| {
                    let place = (s, said.clone(), silences.clone());
                    let rows = cells.get(&place).copied().unwrap_or(0.0);
                    votes(place, rows)
                };
                all.map(vote).collect()
            }
        };
        Some(Likelihood { groups, guesses, rows, responses, width, letters, silent, strata, cells, whole })
    }

    /// How many columns a matrix of errors has.
    fn columns(&self, matrix: usize) -> usize {
        self.letters.as_ref().map_or(self.groups, |letters| letters.view(matrix).len())
    }

    /// Matrices of errors: one for all proxies, or one for each.
    fn matrices(&self) -> usize {
        self.responses.len()
    }

    /// Free parameters: shares of groups and strata, errors, silences.
    pub fn freedom(&self) -> usize {
        self.kept(self.size()).len()
    }

    fn size(&self) -> usize {
        let groups = self.groups;
        groups * self.strata.len() + self.matrices() * groups * self.width + self.silent.len() * groups
    }

    /// A rate of `plus` minus that of `minus`.
    pub fn contrast(&self, plus: Group, minus: Group, rate: Proportion) -> Contrast {
        Contrast { minus: Some(minus), ..self.rate(plus, rate) }
    }

    /// Parameters as a joint table.
    pub fn joint(&self, at: &Parameters, view: View, classes: usize) -> Joint<Group> {
        let shares = |s: usize| Shares::new(at.joint.column(s).iter().copied().collect::<Vec<_>>());
        let strata = self.strata.iter().enumerate().map(|(s, stratum)| (*stratum, Some(shares(s))));
        Joint::new(view, classes, self.groups, strata)
    }

    /// The rate of one group.
    pub fn rate(&self, group: Group, rate: Proportion) -> Contrast {
        Contrast {
            plus: group,
            minus: None,
            within: self.strata.iter().map(|s| rate.among.holds(*s)).collect(),
            counted: self.strata.iter().map(|s| rate.counts(*s)).collect(),
            logarithm: false,
        }
    }

    /// `T`, or `T·R` where guesses were randomised.
    pub(super) fn told<'t>(&self, parameters: &'t Parameters) -> std::borrow::Cow<'t, DMatrix<f64>> {
        if self.responses.iter().all(Option::is_none) {
            return std::borrow::Cow::Borrowed(&parameters.rows);
        }
        let mut told = parameters.rows.clone();
        for (m, response) in self.responses.iter().enumerate() {
            if let Some(response) = response {
                let rows = parameters.rows.rows(m * self.groups, self.groups) * response;
                told.rows_mut(m * self.groups, self.groups).copy_from(&rows);
            }
        }
        std::borrow::Cow::Owned(told)
    }

    fn terms(&self, cell: &Votes, at: &Parameters, told: &DMatrix<f64>, terms: &mut [f64]) -> f64 {
        let groups = self.groups;
        for (a, term) in terms.iter_mut().enumerate() {
            let mut chance = 1.0;
            for (place, said) in cell.said.iter().enumerate().filter(|(_, said)| **said > 0.0) {
                let (m, v) = (place / self.width, place % self.width);
                chance *= told[(m * groups + a, v)].powi(*said as i32);
            }
            for (c, silent) in cell.silences.iter().enumerate() {
                let silence = at.silence[(c, a)];
                chance *= if *silent { silence } else { 1.0 - silence };
            }
            *term = at.joint[(a, cell.stratum)] * chance;
        }
        terms.iter().sum()
    }

    pub fn log_likelihood(&self, parameters: &Parameters) -> f64 {
        let mut terms = vec![0.0; self.groups];
        let told = self.told(parameters);
        let seen = self.cells.iter().filter(|cell| cell.rows > 0.0);
        seen.map(|cell| cell.rows * self.terms(cell, parameters, &told, &mut terms).ln()).sum()
    }

    /// Score and information by the logits, first of `J` (group by group), then of `T`, then of silences.
    fn score(&self, parameters: &Parameters) -> (DVector<f64>, DMatrix<f64>) {
        let size = self.size();
        let (mut score, mut information) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let told = self.told(parameters);
        // Summed up a block of cells at a time: products of matrices are far quicker than of vectors.
        for cells in self.cells.chunks(256) {
            let mut slopes = DMatrix::zeros(size, cells.len());
            for (cell, mut slope) in cells.iter().zip(slopes.column_iter_mut()) {
                let chance = self.slope(cell, parameters, &told, slope.as_mut_slice());
                score.axpy(cell.rows / chance, &slope, 1.0);
                let weight =
                    if self.whole { self.rows * cell.orders / chance } else { cell.rows / (chance * chance) };
                slope *= weight.sqrt();
            }
            information.gemm(1.0, &slopes, &slopes.transpose(), 1.0);
        }
        (score, information)
    }

    /// The chance of a cell and its derivative by the logits.
    fn slope(&self, cell: &Votes, at: &Parameters, told: &DMatrix<f64>, slope: &mut [f64]) -> f64 {
        let (groups, strata) = (self.groups, self.strata.len());
        let mut terms = vec![0.0; groups];
        let chance = self.terms(cell, at, told, &mut terms).max(f64::MIN_POSITIVE);
        for a in 0..groups {
            for s in 0..strata {
                let own = if s == cell.stratum { terms[a] } else { 0.0 };
                slope[a * strata + s] = own - at.joint[(a, s)] * chance;
            }
        }
        let errors = groups * strata;
        for (m, response) in self.responses.iter().enumerate() {
            let said = &cell.said[m * self.width..(m + 1) * self.width];
            for (a, term) in terms.iter().enumerate() {
                let place = m * groups + a;
                for x in 0..self.width {
                    let row = at.rows[(place, x)];
                    let said = match response {
                        None => said[x],
                        Some(response) => {
                            let part = |w: usize| response[(x, w)] * said[w] / told[(place, w)];
                            row * (0..groups).map(part).sum::<f64>()
                        }
                    };
                    slope[errors + place * self.width + x] = term * (said - cell.answered[m] * row);
                }
            }
        }
        let silences = errors + self.matrices() * groups * self.width;
        for (c, silent) in cell.silences.iter().enumerate() {
            for a in 0..groups {
                let is = f64::from(u8::from(*silent));
                slope[silences + c * groups + a] = terms[a] * (is - at.silence[(c, a)]);
            }
        }
        chance
    }

    /// Climbs from a start. With a penalty, the contrast is drawn towards its target.
    fn climb(&self, start: &Parameters, penalty: Option<(&Contrast, f64, f64)>) -> Option<Maximum> {
        let mut at = start.clone();
        let objective = |parameters: &Parameters| {
            let pull = penalty.map_or(0.0, |(contrast, target, kappa)| {
                let miss = contrast.value(parameters) - target;
                kappa / 2.0 * miss * miss
            });
            self.log_likelihood(parameters) - pull
        };
        let mut height = objective(&at);
        if !height.is_finite() {
            return None;
        }
        let mut damping = 1e-3;
        for _ in 0..ITERATIONS {
            let (mut score, mut information) = self.score(&at);
            if let Some((contrast, target, kappa)) = penalty {
                let slope = contrast.slope(&at, score.len());
                score.axpy(-kappa * (contrast.value(&at) - target), &slope, 1.0);
                information.ger(kappa, &slope, &slope, 1.0);
            }
            let scale = information.diagonal().max().max(f64::MIN_POSITIVE);
            let mut gained = None;
            while damping < 1e9 {
                let mut damped = information.clone();
                for i in 0..damped.nrows() {
                    damped[(i, i)] += damping * damped[(i, i)].max(1e-9 * scale);
                }
                let step = damped.cholesky().map(|factor| factor.solve(&score));
                if let Some(next) = step.and_then(|step| at.moved(&step)) {
                    let next_height = objective(&next);
                    if next_height > height {
                        gained = Some(next_height - height);
                        (at, height) = (next, next_height);
                        break;
                    }
                }
                damping *= 4.0;
            }
            damping = (damping / 8.0).max(1e-9);
            if gained.is_none_or(|gained| gained < SOLVED * (1.0 + height.abs() * 1e-6)) {
                break;
            }
        }
        Some(Maximum { log_likelihood: self.log_likelihood(&at), parameters: at })
    }

    /// The maximum of the likelihood, its classes named by the largest trace.
    pub fn maximise(&self, seen: &Frequencies, view: View) -> Option<Maximum> {
        let starts = self.starts(seen, view);
        let climbed = starts.iter().filter_map(|start| self.climb(start, None));
        let best = climbed.max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood))?;
        Some(self.named(&best))
    }

    /// The maximum near a start.
    pub fn maximise_from(&self, start: &Parameters) -> Option<Maximum> {
        self.climb(start, None).map(|best| self.named(&best))
    }

    fn named(&self, best: &Maximum) -> Maximum {
        let class_of = self.naming(&best.parameters);
        let Parameters { joint, rows, silence } = &best.parameters;
        let of_matrix = |m: usize| class_of.iter().map(move |a| m * self.groups + a);
        let places: Vec<usize> = (0..self.matrices()).flat_map(of_matrix).collect();
        let parameters = Parameters {
            joint: joint.select_rows(&class_of),
            rows: rows.select_rows(&places),
            silence: silence.select_columns(&class_of),
        };
        Maximum { parameters, ..best.clone() }
    }

    /// The class of each group, by the largest trace of the mean matrix.
    fn naming(&self, at: &Parameters) -> Vec<usize> {
        let votes = |m: usize| at.rows.rows(m * self.groups, self.groups) * self.votes_by_column(m);
        let sum = (0..self.matrices()).map(votes);
        best_assignment(&sum.fold(DMatrix::zeros(self.groups, self.groups), |sum, rows| sum + rows))
    }

    /// What a column of a matrix says for each group: a guess for its own, a letter for those of its proxies' guesses.
    fn votes_by_column(&self, matrix: usize) -> DMatrix<f64> {
        let Some(letters) = &self.letters else { return DMatrix::identity(self.groups, self.groups) };
        let mut votes = DMatrix::zeros(self.width, self.groups);
        for letter in 0..letters.view(matrix).len() {
            let row = letters.votes(matrix, letter, self.groups);
            row.iter().enumerate().for_each(|(g, vote)| votes[(letter, g)] = *vote);
        }
        votes
    }

    /// The parameters of an explanation, as a start.
    pub fn at(&self, explained: &Explained) -> Option<Parameters> {
        let noise = explained.noise.of(*self.strata.first()?)?;
        let share = |a: usize, s: usize| {
            let Stratum { label, prediction } = self.strata[s];
            explained.joint.cell(Group(a), label, prediction).unwrap_or(0.0)
        };
        let joint = DMatrix::from_fn(self.groups, self.strata.len(), share);
        Some(self.interior(&joint, &self.stacked(noise)))
    }

    /// Parameters of a likelihood of the same proxies, as a start.
    pub fn nearest(&self, other: &Likelihood, at: &Parameters) -> Option<Parameters> {
        let strata: Option<Vec<usize>> = (self.strata.iter())
            .map(|stratum| other.strata.iter().position(|known| known == stratum))
            .collect();
        let alike = self.matrices() == other.matrices() && self.silent == other.silent;
        let joint = at.joint.select_columns(&strata.filter(|_| alike)?);
        let inside = self.inside(&joint, &self.aligned(other, &at.rows));
        Some(Parameters { silence: at.silence.clone(), ..inside })
    }

    /// The rows of another likelihood's matrices by the letters of this one: tables that differ little may differ in the
    /// rarest.
    fn aligned<'r>(&self, other: &Likelihood, rows: &'r DMatrix<f64>) -> std::borrow::Cow<'r, DMatrix<f64>> {
        let (Some(mine), Some(known)) = (&self.letters, &other.letters) else {
            return std::borrow::Cow::Borrowed(rows);
        };
        let entry = |place: usize, column: usize| {
            let view = place / self.groups;
            let letter = mine.view(view).get(column);
            let known = letter.and_then(|letter| known.view(view).binary_search(letter).ok());
            known.map_or(0.0, |column| rows[(place, column)])
        };
        std::borrow::Cow::Owned(DMatrix::from_fn(rows.nrows(), self.width, entry))
    }

    /// How far the counted table is from the expected one. Cells that expect less than `LEAST` rows are put together
    /// within their stratum. `None` where nothing is left to contradict the model, or not all cells are gone through.
    pub fn fit(&self, at: &Parameters) -> Option<Fitness> {
        const LEAST: f64 = 1.0;
        let told = self.told(at);
        let mut terms = vec![0.0; self.groups];
        let (mut statistic, mut cells) = (0.0, 0usize);
        let mut part = |rows: f64, expected: f64| {
            statistic += if rows > 0.0 { 2.0 * rows * (rows / expected).ln() } else { 0.0 };
            cells += 1;
        };
        let mut rest = vec![(0.0, 0.0); self.strata.len()];
        for cell in self.cells.iter().filter(|_| self.whole) {
            let expected = self.rows * cell.orders * self.terms(cell, at, &told, &mut terms);
            if expected >= LEAST {
                part(cell.rows, expected);
            } else {
                rest[cell.stratum].0 += cell.rows;
                rest[cell.stratum].1 += expected;
            }
        }
        rest.into_iter()
            .filter(|(_, expected)| *expected > 0.0)
            .for_each(|(rows, expected)| part(rows, expected));
        let (_, information) = self.score(at);
        let freedom =
            cells.checked_sub(1 + self.told_of(&information).len()).filter(|freedom| *freedom > 0)?;
        Some(Fitness { statistic: statistic.max(0.0), freedom })
    }

    /// The matrices of a noise model one below the other, before any mechanism.
    fn stacked(&self, noise: &ProxyNoise) -> DMatrix<f64> {
        if let Some(letters) = &self.letters {
            return self.shared_out(letters, noise);
        }
        let entry = |place: usize, g: usize| {
            let (m, a) = (place / self.groups, place % self.groups);
            match noise.unrandomized.get(m).or(noise.unrandomized.first()) {
                Some(before) => before[a][g],
                None => noise.by_proxy.get(m).unwrap_or(&noise.transition)[(Group(a), Guess(g))],
            }
        };
        DMatrix::from_fn(self.matrices() * self.groups, self.groups, entry)
    }

    /// Each letter shared out among the groups as proxies that err independently would have it.
    fn shared_out(&self, letters: &Letters, noise: &ProxyNoise) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(self.matrices() * self.groups, self.width);
        let mut seen = DMatrix::<f64>::zeros(self.matrices(), self.width);
        for cell in &self.cells {
            for (place, said) in cell.said.iter().enumerate() {
                seen[(place / self.width, place % self.width)] += cell.rows * said;
            }
        }
        for m in 0..self.matrices() {
            for (place, letter) in letters.view(m).iter().enumerate() {
                let chance = |a: usize| -> f64 {
                    let answer = |(c, guess): (&usize, &Option<Guess>)| {
                        let matrix = noise.by_proxy.get(*c).unwrap_or(&noise.transition);
                        guess.map_or(1.0, |guess| matrix[(Group(a), guess)])
                    };
                    let said = letters.members(m).iter().zip(letter).map(answer);
                    noise.group_shares[Group(a)] * said.product::<f64>()
                };
                let parts: Vec<f64> = (0..self.groups).map(chance).collect();
                let sum = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                for (a, part) in parts.iter().enumerate() {
                    rows[(m * self.groups + a, place)] = seen[(m, place)] * part / sum;
                }
            }
        }
        normalised(rows)
    }

    /// Distributions from numbers, kept away from zero, where logits end.
    fn inside(&self, joint: &DMatrix<f64>, rows: &DMatrix<f64>) -> Parameters {
        let mut joint = (joint / joint.sum()).map(|p| p.max(1e-4));
        joint /= joint.sum();
        let mut rows = DMatrix::from_fn(rows.nrows(), self.width, |place, x| {
            if x < self.columns(place / self.groups) { rows[(place, x)].max(1e-4) } else { 0.0 }
        });
        rows.row_iter_mut().for_each(|mut row| row /= row.sum());
        Parameters { joint, rows, silence: DMatrix::zeros(0, 0) }
    }

    /// Parameters away from zero, where logits end; every group as silent as all are.
    fn interior(&self, joint: &DMatrix<f64>, rows: &DMatrix<f64>) -> Parameters {
        let total: f64 = self.cells.iter().map(|cell| cell.rows).sum();
        let silence = |c: usize| {
            let silent = self.cells.iter().filter(|cell| cell.silences[c]).map(|cell| cell.rows);
            (silent.sum::<f64>() / total).clamp(1e-4, 1.0 - 1e-4)
        };
        let silence = DMatrix::from_fn(self.silent.len(), self.groups, |c, _| silence(c));
        Parameters { silence, ..self.inside(joint, rows) }
    }

    fn starts(&self, seen: &Frequencies, view: View) -> Vec<Parameters> {
        let mut starts = Vec::new();
        if let Ok(NoiseModel::Global(fit)) = (Hoc { scope: Scope::Global }).fit(seen) {
            let joint = calibrate(seen, view, &NoiseModel::Global(fit.clone()));
            let cell = |a: usize, s: usize| {
                let Stratum { label, prediction } = self.strata[s];
                joint.cell(Group(a), label, prediction).unwrap_or(0.0)
            };
            let joint = DMatrix::from_fn(self.groups, self.strata.len(), cell);
            starts.push(self.interior(&joint, &self.stacked(&fit.value)));
        }
        let mut seen_joint = DMatrix::zeros(self.groups, self.strata.len());
        let votes: Vec<DMatrix<f64>> = (0..self.matrices()).map(|m| self.votes_by_column(m)).collect();
        let mut by_column = DMatrix::<f64>::zeros(self.matrices(), self.width);
        for cell in &self.cells {
            for (place, said) in cell.said.iter().enumerate().filter(|(_, said)| **said > 0.0) {
                let (m, x) = (place / self.width, place % self.width);
                by_column[(m, x)] += cell.rows * said;
                for g in 0..self.groups {
                    seen_joint[(g, cell.stratum)] += cell.rows * said * votes[m][(x, g)];
                }
            }
        }
        let first: DVector<f64> = seen_joint.column_sum() / seen_joint.sum();
        for diagonal in [0.3, 0.6, 0.85] {
            let rows = DMatrix::from_fn(self.matrices() * self.groups, self.width, |place, x| {
                let (m, a) = (place / self.groups, place % self.groups);
                match &self.letters {
                    None => (1.0 - diagonal) * first[x] + if a == x { diagonal } else { 0.0 },
                    // A group says what names it more often than all do.
                    Some(_) => {
                        by_column[(m, x)]
                            * (1.0 - diagonal + diagonal * votes[m][(x, a)] / first[a].max(1e-3))
                    }
                }
            });
            let rows = if self.letters.is_some() { normalised(rows) } else { rows };
            starts.push(self.interior(&seen_joint, &rows));
        }
        starts
    }

    /// The best log-likelihood of proxies that know nothing: then any contrast is as likely as any other.
    fn without_information(&self) -> f64 {
        let mut by_stratum = vec![0.0; self.strata.len()];
        let mut by_guess = vec![0.0; self.matrices() * self.width];
        let mut by_silence = vec![0.0; self.silent.len()];
        for cell in &self.cells {
            by_stratum[cell.stratum] += cell.rows;
            by_guess.iter_mut().zip(&cell.said).for_each(|(sum, said)| *sum += cell.rows * said);
            for (sum, _) in by_silence.iter_mut().zip(&cell.silences).filter(|(_, silent)| **silent) {
                *sum += cell.rows;
            }
        }
        let entropy = |counts: &[f64]| -> f64 {
            let total: f64 = counts.iter().sum();
            counts.iter().filter(|n| **n > 0.0).map(|n| n * (n / total).ln()).sum()
        };
        let said: f64 = by_guess.chunks(self.width).map(entropy).sum();
        let silent: f64 = by_silence.iter().map(|n| entropy(&[*n, self.rows - n])).sum();
        entropy(&by_stratum) + said + silent
    }

    /// The logits that can move: the last of each distribution is free to be fixed.
    fn kept(&self, size: usize) -> Vec<usize> {
        let (groups, strata) = (self.groups, self.strata.len());
        let silences = groups * strata + self.matrices() * groups * self.width;
        let fixed = |i: usize| {
            if i < groups * strata {
                return i + 1 == groups * strata;
            }
            let place = (i - groups * strata) / self.width;
            i < silences && (i - groups * strata) % self.width + 1 >= self.columns(place / groups)
        };
        (0..size).filter(|i| !fixed(*i)).collect()
    }

    /// Those of them that the table says anything of. A probability at zero, of which not half a row tells, is held there.
    fn told_of(&self, information: &DMatrix<f64>) -> Vec<usize> {
        let mut kept = self.kept(information.nrows());
        kept.retain(|i| information[(*i, *i)] > HALF_A_ROW);
        kept
    }

    /// Parameters drawn around a maximum by their expected information. `None` for a draw too far out to be one, and in all
    /// where not half a row tells of any.
    pub fn draws(&self, at: &Parameters, draws: usize, seed: u64) -> Option<Vec<Option<Parameters>>> {
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.told_of(&information);
        if kept.is_empty() {
            return None;
        }
        let covariance = open_inverse(information.select_rows(&kept).select_columns(&kept));
        let drawn = normal_draws(&vec![0.0; kept.len()], &covariance, draws, seed);
        let moved = |step: Vec<f64>| {
            let mut all = DVector::zeros(size);
            kept.iter().zip(step).for_each(|(place, part)| all[*place] = part);
            at.moved(&all)
        };
        Some(drawn.into_iter().map(moved).collect())
    }

    /// Covariance of contrasts at a maximum, by the delta method.
    pub fn covariance(&self, at: &Parameters, contrasts: &[Contrast]) -> Option<DMatrix<f64>> {
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.told_of(&information);
        let information = information.select_rows(&kept).select_columns(&kept);
        let slopes: Vec<DVector<f64>> =
            contrasts.iter().map(|c| c.slope(at, size).select_rows(&kept)).collect();
        let slopes = DMatrix::from_columns(&slopes);
        let solved = match information.clone().cholesky() {
            Some(factor) => factor.solve(&slopes),
            None => open_inverse(information) * &slopes,
        };
        let covariance = slopes.transpose() * solved;
        covariance.iter().all(|v| v.is_finite()).then_some(covariance)
    }

    /// Whether guesses shift with the decision: a score test of guesses that are more frequent among the selected than among
    /// the others, by as much in every group and for every proxy. `None` where guesses were randomised or several are one
    /// view, or the table does not tell such a shift from anything else.
    ///
    /// ```text
    /// P(g|a) + δ_g·(1 − P_sel) where selected, P(g|a) − δ_g·P_sel elsewhere          U = ∂ℓ/∂δ at δ = 0
    /// χ² = Uᵀ·(I_δδ − I_δθ·I_θθ⁻¹·I_θδ)⁻¹·U
    /// ```
    pub fn shift(&self, at: &Parameters, positive: Class) -> Option<Fitness> {
        if self.letters.is_some() || self.responses.iter().any(Option::is_some) {
            return None;
        }
        let (size, freedom) = (self.size(), self.groups - 1);
        let weights = self.by_decision(at, positive);
        let told = self.told(at);
        let (mut score, mut information) =
            (DVector::zeros(size + freedom), DMatrix::zeros(size + freedom, size + freedom));
        for cells in self.cells.chunks(256) {
            let mut slopes = DMatrix::zeros(size + freedom, cells.len());
            for (cell, mut slope) in cells.iter().zip(slopes.column_iter_mut()) {
                let chance = self.slope(cell, at, &told, &mut slope.as_mut_slice()[..size]);
                for (g, part) in self.shift_slope(cell, at, weights[cell.stratum]).into_iter().enumerate() {
                    slope[size + g] = part;
                }
                score.axpy(cell.rows / chance, &slope, 1.0);
                let weight =
                    if self.whole { self.rows * cell.orders / chance } else { cell.rows / (chance * chance) };
                slope *= weight.sqrt();
            }
            information.gemm(1.0, &slopes, &slopes.transpose(), 1.0);
        }
        let kept = self.told_of(&information.view((0, 0), (size, size)).into_owned());
        let shifts: Vec<usize> = (size..size + freedom).collect();
        let block = |rows: &[usize], columns: &[usize]| information.select_rows(rows).select_columns(columns);
        let own = block(&shifts, &shifts);
        let solved = block(&kept, &kept).cholesky()?.solve(&block(&kept, &shifts));
        let left = &own - block(&shifts, &kept) * &solved;
        // What other parameters can take the place of is no information.
        let lost = (0..freedom).any(|g| left[(g, g)] < UNTOLD * own[(g, g)]);
        let score = score.select_rows(&shifts) - solved.transpose() * score.select_rows(&kept);
        let statistic = left.cholesky().filter(|_| !lost)?.solve(&score).dot(&score);
        Some(Fitness { statistic, freedom }).filter(|fitness| fitness.statistic.is_finite())
    }

    /// For each stratum how far it stands from all with its label in what was decided.
    fn by_decision(&self, at: &Parameters, positive: Class) -> Vec<f64> {
        let held = |s: usize| at.joint.column(s).sum();
        let weight = |stratum: &Stratum| {
            let mine = || (0..self.strata.len()).filter(|s| self.strata[*s].label == stratum.label);
            let selected: f64 = mine().filter(|s| self.strata[*s].prediction == positive).map(held).sum();
            let share = selected / mine().map(held).sum::<f64>();
            if stratum.prediction == positive { 1.0 - share } else { -share }
        };
        self.strata.iter().map(weight).collect()
    }

    /// The derivative of a cell's chance by a shift towards each group but the last.
    fn shift_slope(&self, cell: &Votes, at: &Parameters, weight: f64) -> Vec<f64> {
        let groups = self.groups;
        let mut terms = vec![0.0; groups];
        self.terms(cell, at, &at.rows, &mut terms);
        let elsewhere = -1.0 / (groups - 1) as f64;
        let toward = |g: usize| -> f64 {
            let of_group = |(a, term): (usize, &f64)| -> f64 {
                let said = cell.said.iter().enumerate().filter(|(_, said)| **said > 0.0);
                let parts = said.map(|(place, said)| {
                    let (m, x) = (place / groups, place % groups);
                    let direction = if x == g { 1.0 } else { elsewhere };
                    said * direction / at.rows[(m * groups + a, x)].max(f64::MIN_POSITIVE)
                });
                if *term > 0.0 { term * parts.sum::<f64>() } else { 0.0 }
            };
            weight * terms.iter().enumerate().map(of_group).sum::<f64>()
        };
        (0..groups - 1).map(toward).collect()
    }

    /// How far one more row in a cell would move each contrast.
    pub fn influence(&self, at: &Parameters, contrasts: &[Contrast]) -> Option<Influence> {
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.kept(size);
        // Of one row.
        let information = information.select_rows(&kept).select_columns(&kept) / self.rows;
        let factor = information.cholesky()?;
        let told = self.told(at);
        let mut slope = DVector::zeros(size);
        let mut scores = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let chance = self.slope(cell, at, &told, slope.as_mut_slice());
            scores.push(slope.select_rows(&kept) / chance);
        }
        let of = |contrast: &Contrast| {
            let slope = contrast.slope(at, size).select_rows(&kept);
            let solved = factor.solve(&slope);
            let cells: Vec<f64> = scores.iter().map(|score| solved.dot(score)).collect();
            (cells, slope.dot(&solved))
        };
        let found: Vec<(Vec<f64>, f64)> = contrasts.iter().map(of).collect();
        let possible = |(cells, own): &(Vec<f64>, f64)| *own > 0.0 && cells.iter().all(|phi| phi.is_finite());
        found.iter().all(possible).then_some(Influence(found))
    }

    /// How far one more row in each of some cells would move the shares of groups and strata, by which a maximum is told. `None`
    /// where that cannot be said, or a cell lies in none of the strata or says what no cell of the table does.
    pub fn shares_moved(&self, at: &Parameters, cells: &[Cell]) -> Option<Vec<DMatrix<f64>>> {
        let (groups, strata) = at.joint.shape();
        let (_, information) = self.score(at);
        let size = information.nrows();
        let kept = self.told_of(&information);
        // Of one row.
        let information = information.select_rows(&kept).select_columns(&kept) / self.rows;
        let factor = information.cholesky()?;
        let told = self.told(at);
        let moved = |cell: &Cell| {
            let mut slope = vec![0.0; size];
            let chance = self.slope(&self.vote(cell)?, at, &told, &mut slope);
            let score = DVector::from_iterator(kept.len(), kept.iter().map(|i| slope[*i] / chance));
            let mut step = DVector::zeros(size);
            let solved = factor.solve(&score);
            kept.iter().zip(solved.iter()).for_each(|(place, part)| step[*place] = *part);
            let along: f64 = (0..groups * strata).map(|i| at.joint[(i / strata, i % strata)] * step[i]).sum();
            let moved =
                DMatrix::from_fn(groups, strata, |a, s| at.joint[(a, s)] * (step[a * strata + s] - along));
            moved.iter().all(|part| part.is_finite()).then_some(moved)
        };
        cells.iter().map(moved).collect()
    }

    /// What the proxies say in a cell.
    fn vote(&self, cell: &Cell) -> Option<Votes> {
        let width = self.width;
        let mut said = vec![0.0; self.matrices() * width];
        if let Some(letters) = &self.letters {
            let spelled = letters.known(&cell.guesses)?;
            spelled.iter().enumerate().for_each(|(m, letter)| said[m * width + letter] = 1.0);
        } else {
            for (c, guess) in cell.guesses.iter().enumerate() {
                let matrix = if self.matrices() == 1 { 0 } else { c };
                guess.iter().for_each(|Guess(v)| said[matrix * width + v] += 1.0);
            }
        }
        Some(Votes {
            stratum: self.strata.iter().position(|stratum| *stratum == cell.stratum)?,
            answered: said.chunks(width).map(|said| said.iter().sum()).collect(),
            said,
            silences: self.silent.iter().map(|c| cell.guesses[*c].is_none()).collect(),
            orders: 1.0,
            rows: 0.0,
        })
    }

    /// Stratum and votes of each cell, in order.
    pub(super) fn votes(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        self.cells.iter().map(|cell| (cell.stratum, cell.said.iter().map(|n| *n as usize).collect()))
    }

    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Guesses in a row.
    pub(super) fn guesses(&self) -> usize {
        self.guesses
    }

    pub(super) fn strata(&self) -> &[Stratum] {
        &self.strata
    }

    /// The values of a contrast whose log-likelihood, maximised over all else, is within `drop / 2` of the best.
    pub fn interval(&self, best: &Maximum, contrast: &Contrast, drop: f64) -> (f64, f64) {
        let limit = if contrast.logarithm { 20.0 } else { 1.0 };
        if 2.0 * (best.log_likelihood - self.without_information()) <= drop {
            return (-limit, limit);
        }
        let centre = contrast.value(&best.parameters);
        let variance =
            self.covariance(&best.parameters, std::slice::from_ref(contrast)).map_or(0.01, |v| v[(0, 0)]);
        let error = variance.sqrt().clamp(1e-4, 0.5);
        let end = |side: f64| self.end(best, contrast, drop, side, centre, error, limit);
        let near = (end(-1.0), end(1.0));
        if 2.0 * (best.log_likelihood - self.without_information()) > TOLD || contrast.logarithm {
            return near;
        }
        // Weak proxies leave islands: values further out that the table cannot rule out either.
        let far = |side: f64, found: f64| {
            self.farthest(best, contrast, drop, side * limit, error)
                .map_or(found, |f| if side < 0.0 { f.min(found) } else { f.max(found) })
        };
        (far(-1.0, near.0), far(1.0, near.1))
    }

    /// The value farthest towards a limit that the table does not rule out, looked for from the limit inwards.
    fn farthest(
        &self,
        best: &Maximum,
        contrast: &Contrast,
        drop: f64,
        limit: f64,
        error: f64,
    ) -> Option<f64> {
        let kappa = 400.0 / (error * error);
        let centre = contrast.value(&best.parameters);
        let starts = self.weak_starts(&best.parameters);
        let tried = |target: f64| -> Option<f64> {
            let climbed =
                starts.iter().filter_map(|start| self.climb(start, Some((contrast, target, kappa))));
            let named = climbed.filter(|m| self.naming(&m.parameters).is_sorted());
            let allowed = named.filter(|m| 2.0 * (best.log_likelihood - m.log_likelihood) <= drop);
            let value = |m: Maximum| contrast.value(&m.parameters);
            allowed.map(value).max_by(|a, b| (a - centre).abs().total_cmp(&(b - centre).abs()))
        };
        (0..ISLANDS).find_map(|step| tried(limit + (centre - limit) * step as f64 / ISLANDS as f64))
    }

    /// The same people with other errors: stronger, and shifted towards one guess or the other.
    fn weak_starts(&self, at: &Parameters) -> Vec<Parameters> {
        let mut starts = vec![at.clone()];
        for group in 0..self.groups {
            let votes: Vec<DMatrix<f64>> = (0..self.matrices()).map(|m| self.votes_by_column(m)).collect();
            let rows = DMatrix::from_fn(at.rows.nrows(), self.width, |place, x| {
                let towards = votes[place / self.groups][(x, group)];
                let own = at.rows[(place, x)];
                0.5 * own + 0.5 * if place % self.groups == group { towards } else { own }
            });
            let silence = at.silence.clone();
            starts.push(Parameters { silence, ..self.inside(&at.joint, &rows) });
        }
        starts
    }

    #[allow(clippy::too_many_arguments)] // one caller, one line above
    fn end(
        &self,
        best: &Maximum,
        contrast: &Contrast,
        drop: f64,
        side: f64,
        centre: f64,
        error: f64,
        limit: f64,
    ) -> f64 {
        // Strong enough to bring the contrast most of the way to where it is drawn.
        let kappa = 100.0 / (error * error);
        let fallen = |target: f64, start: &Parameters| -> (f64, f64, Parameters) {
            let starts = [start, &best.parameters];
            let climbed =
                starts.iter().filter_map(|start| self.climb(start, Some((contrast, target, kappa))));
            let named = climbed.filter(|m| self.naming(&m.parameters).is_sorted());
            match named.max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood)) {
                Some(found) => {
                    let fell = 2.0 * (best.log_likelihood - found.log_likelihood);
                    (contrast.value(&found.parameters), fell.max(0.0), found.parameters)
                }
                // Beyond this the classes would have to swap names: past proxies that know nothing.
                None => (target, f64::INFINITY, start.clone()),
            }
        };
        // Where the contrast is drawn to, and the root of the drop there: nearly linear in each other.
        let wanted = drop.sqrt();
        let (mut near, mut near_root, mut from) = (centre, 0.0, best.parameters.clone());
        let mut step = error * wanted;
        let (mut far, mut far_root) = loop {
            let target = (near + side * step).clamp(-limit, limit);
            let (value, fell, at) = fallen(target, &from);
            if fell >= drop {
                break (target, fell.sqrt());
            }
            // A contrast that can go no further is held by its bounds.
            if target.abs() >= limit || (target - value).abs() > 20.0 * error {
                return value;
            }
            (near, near_root, from) = (target, fell.sqrt(), at);
            step *= 1.5;
        };
        let mut found = near;
        for _ in 0..20 {
            let share =
                if far_root.is_finite() { (wanted - near_root) / (far_root - near_root) } else { 0.5 };
            let target = near + (far - near) * share.clamp(0.05, 0.95);
            let (value, fell, at) = fallen(target, &from);
            found = value;
            if (fell.sqrt() - wanted).abs() < 1e-3 || (far - near).abs() < 1e-4 * error {
                break;
            }
            if fell >= drop {
                (far, far_root) = (target, fell.sqrt());
            } else {
                (near, near_root, from) = (target, fell.sqrt(), at);
            }
        }
        found
    }
}

/// All that proxies can say: what is said, by matrix and guess, and who is silent. `None` past `most`.
fn all_votes(
    groups: usize,
    proxies: usize,
    errors: Errors,
    silent: &[usize],
    most: usize,
) -> Option<Vec<(Vec<usize>, Vec<bool>)>> {
    let mut all = Vec::new();
    for set in 0..1usize.checked_shl(u32::try_from(silent.len()).ok()?).filter(|sets| *sets <= most)? {
        let silences: Vec<bool> = (0..silent.len()).map(|i| set >> i & 1 == 1).collect();
        let answer = |c: &usize| !silent.iter().zip(&silences).any(|(other, is)| other == c && *is);
        let speaking: Vec<usize> = (0..proxies).filter(answer).collect();
        let ways = match errors {
            Errors::Own => {
                let patterns = groups.checked_pow(u32::try_from(speaking.len()).ok()?)?;
                (patterns <= most).then(|| own_votes(groups, proxies, &speaking, patterns))?
            }
            _ => {
                // Ways to vote grow as a binomial coefficient.
                let ways =
                    (1..groups).try_fold(1usize, |ways, i| Some(ways.checked_mul(speaking.len() + i)? / i));
                ways.filter(|ways| *ways <= most).map(|_| ways_to_vote(speaking.len(), groups))?
            }
        };
        all.extend(ways.into_iter().map(|said| (said, silences.clone())));
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// All that views can say, each letter in its own matrix. `None` past `most`.
fn all_letters(sizes: &[usize], width: usize, most: usize) -> Option<Vec<(Vec<usize>, Vec<bool>)>> {
    let patterns = sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size))?;
    let pattern = |mut rest: usize| {
        let mut said = vec![0; sizes.len() * width];
        for (m, size) in sizes.iter().enumerate() {
            said[m * width + rest % size] = 1;
            rest /= size;
        }
        (said, Vec::new())
    };
    (patterns <= most).then(|| (0..patterns).map(pattern).collect())
}

fn normalised(mut rows: DMatrix<f64>) -> DMatrix<f64> {
    rows.row_iter_mut().for_each(|mut row| row /= row.sum().max(f64::MIN_POSITIVE));
    rows
}

/// Every pattern of guesses of the proxies that speak, each proxy's guess in its own matrix.
fn own_votes(groups: usize, proxies: usize, speaking: &[usize], patterns: usize) -> Vec<Vec<usize>> {
    let pattern = |mut rest: usize| {
        let mut said = vec![0; proxies * groups];
        for c in speaking {
            said[c * groups + rest % groups] = 1;
            rest /= groups;
        }
        said
    };
    (0..patterns).map(pattern).collect()
}

/// All ways in which `proxies` votes fall on `groups`.
pub(super) fn ways_to_vote(proxies: usize, groups: usize) -> Vec<Vec<usize>> {
    if groups == 1 {
        return vec![vec![proxies]];
    }
    let with_first = |first: usize| {
        let rest = ways_to_vote(proxies - first, groups - 1);
        rest.into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..=proxies).flat_map(with_first).collect()
}

/// The multinomial coefficient.
pub(super) fn orders(said: &[usize]) -> f64 {
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    factorial(said.iter().sum()) / said.iter().map(|n| factorial(*n)).product::<f64>()
}

impl Parameters {
    fn moved(&self, step: &DVector<f64>) -> Option<Parameters> {
        if !step.iter().all(|s| s.abs() < 30.0) {
            return None;
        }
        let (groups, strata) = self.joint.shape();
        let mut joint =
            DMatrix::from_fn(groups, strata, |a, s| self.joint[(a, s)] * step[a * strata + s].exp());
        joint /= joint.sum();
        let offset = groups * strata;
        let width = self.rows.ncols();
        let mut rows = DMatrix::from_fn(self.rows.nrows(), width, |place, x| {
            self.rows[(place, x)] * step[offset + place * width + x].exp()
        });
        rows.row_iter_mut().for_each(|mut row| row /= row.sum());
        let offset = offset + self.rows.nrows() * width;
        let silence = DMatrix::from_fn(self.silence.nrows(), self.silence.ncols(), |c, a| {
            let odds = self.silence[(c, a)] * step[offset + c * groups + a].exp();
            odds / (odds + 1.0 - self.silence[(c, a)])
        });
        Some(Parameters { joint, rows, silence })
    }
}

impl Contrast {
    /// The same two groups compared by the logarithm of the ratio of their rates.
    pub fn log_ratio(mut self) -> Self {
        self.logarithm = true;
        self
    }

    fn rate(&self, at: &Parameters, a: Group) -> (f64, f64) {
        let sum = |strata: &[bool]| {
            strata.iter().enumerate().filter(|(_, is)| **is).map(|(s, _)| at.joint[(a.0, s)]).sum::<f64>()
        };
        let whole = sum(&self.within);
        (sum(&self.counted) / whole, whole)
    }

    pub fn value(&self, at: &Parameters) -> f64 {
        let plus = self.rate(at, self.plus).0;
        match self.minus.map(|minus| self.rate(at, minus).0) {
            Some(minus) if self.logarithm => (plus / minus).ln(),
            Some(minus) => plus - minus,
            None => plus,
        }
    }

    /// Derivative by the logits; those of `T` do not matter.
    fn slope(&self, at: &Parameters, size: usize) -> DVector<f64> {
        let strata = at.joint.ncols();
        let mut slope = DVector::zeros(size);
        for (a, sign) in [(self.plus, 1.0)].into_iter().chain(self.minus.map(|minus| (minus, -1.0))) {
            let (rate, whole) = self.rate(at, a);
            let scale = if self.logarithm { sign / rate } else { sign };
            for s in (0..strata).filter(|s| self.within[*s]) {
                let counts = f64::from(u8::from(self.counted[s]));
                slope[a.0 * strata + s] += scale * at.joint[(a.0, s)] * (counts - rate) / whole;
            }
        }
        slope
    }
}

/// The inverse of an information that may leave some directions open: along these a logit moves by some five either way, which is
/// from hardly ever to nearly always.
fn open_inverse(information: DMatrix<f64>) -> DMatrix<f64> {
    const NOTHING: f64 = 1.0 / 25.0;
    if information.is_empty() {
        return information;
    }
    let eigen = information.symmetric_eigen();
    let inverse = DMatrix::from_diagonal(&eigen.eigenvalues.map(|value| 1.0 / value.max(NOTHING)));
    &eigen.eigenvectors * inverse * eigen.eigenvectors.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::Among;
    use crate::estimate::LatentClass;
    use crate::noise::TransitionMatrix;
    use crate::world::World;
    use crate::world::{Copying, WorldStratum};

    const SELECTED: Proportion = Proportion { class: Class(1), among: Among::Everyone };

    /// `P(Y=1 | f=1, A)` of two groups, by hand: 0.12 of 0.20 and 0.20 of 0.25.
    #[test]
    fn a_contrast_within_a_decision_counts_labels() {
        let seen = World::random(2, 2, 3, true, 1).frequencies().view(View::Labelled).unwrap();
        let likelihood = Likelihood::new(&seen, 500.0).unwrap();
        let share =
            |a: usize, s: usize| match (a, likelihood.strata[s].label, likelihood.strata[s].prediction) {
                (0, Some(Class(1)), Class(1)) => 0.12,
                (0, Some(Class(0)), Class(1)) => 0.08,
                (1, Some(Class(1)), Class(1)) => 0.20,
                (1, Some(Class(0)), Class(1)) => 0.05,
                (0, ..) => 0.15,
                _ => 0.125,
            };
        let joint = DMatrix::from_fn(2, 4, share);
        let rows = DMatrix::from_row_slice(2, 2, &[0.8, 0.2, 0.3, 0.7]);
        let at = Parameters { joint, rows, silence: DMatrix::zeros(0, 2) };
        let precision = Proportion { class: Class(1), among: Among::Decision(Class(1)) };
        let contrast = likelihood.contrast(Group(1), Group(0), precision);
        assert!((contrast.value(&at) - (0.8 - 0.6)).abs() < 1e-12);
        assert!((contrast.clone().log_ratio().value(&at) - (0.8f64 / 0.6).ln()).abs() < 1e-12);
        // ∂/∂logit J[a,s] = J·(counted − rate)/whole within the decision, and nothing elsewhere.
        let slope = contrast.slope(&at, 12);
        for (s, stratum) in likelihood.strata.iter().enumerate() {
            let (first, second) = match (stratum.label, stratum.prediction) {
                (Some(Class(1)), Class(1)) => (-0.12 * 0.4 / 0.2, 0.2 * 0.2 / 0.25),
                (Some(Class(0)), Class(1)) => (0.08 * 0.6 / 0.2, -0.05 * 0.8 / 0.25),
                _ => (0.0, 0.0),
            };
            assert!((slope[s] - first).abs() < 1e-12 && (slope[4 + s] - second).abs() < 1e-12);
        }
    }

    fn likelihood(world: &World, rows: u64, seed: u64) -> (Likelihood, Frequencies) {
        let seen = world.sample(rows, seed).unwrap().0.frequencies().view(View::Predictions).unwrap();
        (Likelihood::new(&seen, rows as f64).unwrap(), seen)
    }

    #[test]
    fn the_score_equals_finite_differences() {
        let (plain, _) = likelihood(&World::random(3, 2, 3, false, 1), 500, 1);
        score_is_right(&plain);
        // The same of guesses that were randomised.
        let told = crate::privacy::RandomizedResponse::new(vec![
            vec![0.7, 0.2, 0.1],
            vec![0.15, 0.8, 0.05],
            vec![0.25, 0.15, 0.6],
        ])
        .unwrap();
        let seen = World::random(3, 2, 3, false, 1).frequencies().view(View::Predictions).unwrap();
        let told = seen.randomized(vec![Some(told); 3]);
        score_is_right(&Likelihood::new(&told, 500.0).unwrap());
        // Proxies that err each in its own way, two of which abstain on some rows.
        let silent = vec![vec![0.1, 0.2, 0.05], vec![0.0; 3], vec![0.3, 0.1, 0.2]];
        let silent = World::random(3, 2, 3, false, 1).with_abstention(silent).unwrap();
        let seen = silent.frequencies().view(View::Predictions).unwrap();
        for errors in [Errors::Own, Errors::Alike] {
            score_is_right(&Likelihood::of(&seen, 500.0, errors).unwrap());
        }
        score_is_right(&Likelihood::of(&told, 500.0, Errors::Own).unwrap());
    }

    fn score_is_right(likelihood: &Likelihood) {
        let at =
            likelihood.starts(&World::random(3, 2, 3, false, 1).frequencies(), View::Predictions).remove(1);
        let (score, _) = likelihood.score(&at);
        let contrast = likelihood.contrast(Group(0), Group(2), SELECTED).log_ratio();
        let slope = contrast.slope(&at, score.len());
        for i in 0..score.len() {
            let moved = |h: f64| {
                let mut step = DVector::zeros(score.len());
                step[i] = h;
                at.moved(&step).unwrap()
            };
            let (up, down) = (moved(1e-5), moved(-1e-5));
            let numeric = (likelihood.log_likelihood(&up) - likelihood.log_likelihood(&down)) / 2e-5;
            // Central differences of a sum of 500 logarithms: about 1e-10·500 from the step, 1e-8 from rounding.
            assert!(
                (numeric - score[i]).abs() < 1e-5 * (1.0 + score[i].abs()),
                "{i}: {numeric} {}",
                score[i]
            );
            let numeric = (contrast.value(&up) - contrast.value(&down)) / 2e-5;
            assert!((numeric - slope[i]).abs() < 1e-8);
        }
    }

    #[test]
    fn the_profile_falls_by_the_drop_at_both_ends() {
        let (likelihood, seen) = likelihood(&World::symmetric(2, 2, &[0.75; 3], 0.25), 4000, 3);
        let best = likelihood.maximise(&seen, View::Predictions).unwrap();
        let contrast = likelihood.contrast(Group(1), Group(0), SELECTED);
        let (low, high) = likelihood.interval(&best, &contrast, 3.841);
        let value = contrast.value(&best.parameters);
        assert!(low < value && value < high && high - low < 0.2, "{low} {value} {high}");
        for end in [low, high] {
            // Refitted with ever stiffer penalties, the end has the drop that defines it.
            let mut held = best.clone();
            for kappa in [1e4, 1e5, 1e6, 1e7, 1e8] {
                held = likelihood.climb(&held.parameters, Some((&contrast, end, kappa))).unwrap();
            }
            assert!((contrast.value(&held.parameters) - end).abs() < 1e-5);
            let fell = 2.0 * (best.log_likelihood - held.log_likelihood);
            assert!((fell - 3.841).abs() < 0.03, "{fell}");
        }
    }

    #[test]
    fn the_fit_of_an_exact_table_is_perfect_and_its_freedom_is_counted() {
        let world = World::symmetric(2, 2, &[0.9, 0.7, 0.6, 0.8], 0.25);
        let seen = world.frequencies().view(View::Predictions).unwrap();
        let explained = LatentClass { scope: Scope::Global, errors: Errors::Own };
        let explained = explained.explain(&seen, View::Predictions).unwrap();
        let likelihood = Likelihood::of(&seen, 20_000.0, Errors::Own).unwrap();
        let best = likelihood.maximise_from(&likelihood.at(&explained).unwrap()).unwrap();
        let fit = likelihood.fit(&best.parameters).unwrap();
        // Two strata of sixteen patterns, less one; four shares less one and four matrices of two.
        assert_eq!(fit.freedom, 31 - (3 + 8));
        assert!(fit.statistic < 1e-6, "{}", fit.statistic);
        // Where mistakes are shared it is not.
        let copied = world.with_copying(0.3).unwrap().frequencies().view(View::Predictions).unwrap();
        let likelihood = Likelihood::of(&copied, 20_000.0, Errors::Own).unwrap();
        let best = likelihood.maximise_from(&best.parameters).unwrap();
        assert!(likelihood.fit(&best.parameters).unwrap().p_value() < 1e-6);
    }

    /// Samples of 20,000 with and without a shift of .05 by the decision.
    #[test]
    fn a_shift_with_the_decision_is_seen_and_chance_is_not() {
        let world = World::symmetric(2, 2, &[0.8, 0.75, 0.7], 0.25);
        let shifted: Vec<WorldStratum> = world
            .strata()
            .iter()
            .map(|part| {
                let by = if part.stratum.prediction == Class(1) { 0.025 } else { -0.025 };
                let moved = |row: &Vec<f64>| vec![row[0] + by, row[1] - by];
                let noise = part.noise.iter();
                let noise = noise
                    .map(|t| TransitionMatrix::new(t.rows().iter().map(moved).collect()).unwrap())
                    .collect();
                WorldStratum { noise, ..part.clone() }
            })
            .collect();
        let copying = Copying { probability: 0.0, proxies: Vec::new() };
        let shifted = World::new(world.legend().clone(), shifted, copying, vec![vec![0.0; 2]; 3]).unwrap();
        let p_value = |world: &World, seed: u64| {
            let seen = world.sample(20_000, seed).unwrap().0.frequencies().view(View::Predictions).unwrap();
            let likelihood = Likelihood::of(&seen, 20_000.0, Errors::Own).unwrap();
            let best = likelihood.maximise(&seen, View::Predictions).unwrap();
            let found = likelihood.shift(&best.parameters, Class(1)).unwrap();
            assert_eq!(found.freedom, 1);
            found.p_value()
        };
        let rejected = |world: &World| (0..40).filter(|seed| p_value(world, *seed) < 0.05).count();
        // Two of forty are expected without a shift; seven or more come once in 290 times.
        assert!(rejected(&world) < 7);
        assert!(rejected(&shifted) > 30);
    }

    #[test]
    fn less_than_a_row_draws_nothing() {
        let seen = World::symmetric(2, 2, &[0.8; 3], 0.2).frequencies().view(View::Predictions).unwrap();
        let likelihood = Likelihood::new(&seen, 1e-3).unwrap();
        let best = likelihood.maximise(&seen, View::Predictions).unwrap();
        assert!(likelihood.draws(&best.parameters, 10, 0).is_none());
    }

    #[test]
    fn proxies_that_know_nothing_allow_any_gap() {
        let (likelihood, seen) = likelihood(&World::symmetric(2, 2, &[0.5; 3], 0.25), 2000, 5);
        let best = likelihood.maximise(&seen, View::Predictions).unwrap();
        let contrast = likelihood.contrast(Group(1), Group(0), SELECTED);
        let (low, high) = likelihood.interval(&best, &contrast, 3.841);
        assert!(high - low > 1.0, "{low} {high}");
    }
}
