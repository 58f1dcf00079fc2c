//! The first waist: people above, tallies below.
//!
//! Every estimator needs only the weighted tally `n[y, k, g₁ … g_C]`. A guess may be absent: the proxy
//! *abstains*, which is a value of its own, counted and never dropped. [`Counts`] is that tally with its names;
//! [`Frequencies`] are its shares without them. Nothing below this module knows a person.

mod builder;
mod frequencies;
mod intake;
mod mechanism;
mod sources;

/// Sums that do not depend on their order.
pub use crate::exact_sum::ExactSum;
pub use builder::{CountsBuilder, Row};
pub use frequencies::{Frequencies, View};
pub use intake::{
    Borrowed, BorrowedGuesses, ComparedPairs, Hidden, Intake, NameRows, Noised, OutcomeColumn, Shades,
    Skipped, Spelling,
};
pub use mechanism::{MechanismError, Randomized};
pub(crate) use sources::{Letters, Sources};

use crate::estimate::{AuditLabels, ConfidentTally};
use crate::evidence::EvidenceTally;
use crate::privacy::{RandomizedResponse, Told};
use crate::vocabulary::{Class, Guess, Legend, ProxyId, Stratum};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One cell of the tally: a stratum and one tuple of guesses, in the order of the proxies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Prediction and label.
    pub stratum: Stratum,
    /// One guess for each proxy; `None` where it abstains.
    pub guesses: Box<[Option<Guess>]>,
}

/// Probabilities that proxies gave to the groups, summed over the rows of one cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreTotals {
    /// `Σ w·P(group)` for each group.
    pub totals: Box<[f64]>,
    /// The weight of the rows that had any probability.
    pub weight: f64,
}

/// A number of every person, summed over the rows of one cell that have one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OutcomeTotals {
    /// The weight of these rows.
    pub weight: f64,
    /// `Σ w·outcome`.
    pub sum: f64,
    /// `Σ w·outcome²`.
    pub squares: f64,
}

impl OutcomeTotals {
    /// Adds what was summed elsewhere.
    pub fn add(&mut self, more: &OutcomeTotals) {
        self.weight += more.weight;
        self.sum += more.sum;
        self.squares += more.squares;
    }
}

/// What was counted in one cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// The rows' weights, summed.
    pub weight: f64,
    /// Their squares, summed, where rows have weights.
    pub squares: Option<f64>,
    /// The weights of the rows in each part of all clusters, where rows belong to such.
    pub clusters: Option<Box<[f64]>>,
    /// Score totals, where probability proxies exist.
    pub scores: Option<ScoreTotals>,
    /// Sums of an outcome, where rows have one.
    pub outcome: Option<OutcomeTotals>,
}

impl Tally {
    /// Rows of this weight in all, about which nothing else is known.
    pub fn of(weight: f64) -> Self {
        Tally { weight, ..Tally::default() }
    }
}

/// Why a tally cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CountsError {
    /// Fewer than two groups.
    #[error("the table has {found} group(s), at least 2 are needed to compare groups")]
    TooFewGroups {
        /// How many there are.
        found: usize,
    },
    /// Fewer than two classes.
    #[error("the table has {found} class(es), at least 2 are needed to compare decisions")]
    TooFewClasses {
        /// How many there are.
        found: usize,
    },
    /// No proxy.
    #[error("the table has no proxy, at least 1 is needed")]
    NoProxies,
    /// Nothing was counted.
    #[error("the rows of the table weigh nothing in total, a positive total weight is needed")]
    Empty,
    /// A weight or score total that is negative or not finite.
    #[error("a cell has weight {weight}, a finite number of at least 0 is needed")]
    Weight {
        /// The weight.
        weight: f64,
    },
    /// A cell names something that the legend does not have.
    #[error("a cell does not fit the legend: {what}")]
    OutOfRange {
        /// What is out of range.
        what: &'static str,
    },
}

/// The weighted tally with its names. Sparse and ordered.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    legend: Legend,
    intake: Intake,
    cells: BTreeMap<Cell, Tally>,
    audit_labels: Option<AuditLabels>,
    confident: Option<ConfidentTally>,
    evidence: Option<Arc<EvidenceTally>>,
    told: Told,
}

impl Counts {
    /// Checks a tally once; nothing checks it again. Cells given twice are added.
    pub fn new(
        legend: Legend,
        intake: Intake,
        cells: impl IntoIterator<Item = (Cell, Tally)>,
    ) -> Result<Self, CountsError> {
        let (groups, classes, proxies) = (legend.groups.len(), legend.classes.len(), legend.proxies.len());
        if groups < 2 {
            return Err(CountsError::TooFewGroups { found: groups });
        }
        if classes < 2 {
            return Err(CountsError::TooFewClasses { found: classes });
        }
        if proxies < 1 {
            return Err(CountsError::NoProxies);
        }
        let mut counts = Counts {
            legend,
            intake,
            cells: BTreeMap::new(),
            audit_labels: None,
            confident: None,
            evidence: None,
            told: Told::default(),
        };
        for (cell, tally) in cells {
            check(&cell, &tally, &counts.legend)?;
            let entry = counts.cells.entry(cell).or_default();
            entry.weight += tally.weight;
            entry.squares =
                entry.squares.zip(tally.squares).map(|(a, b)| a + b).or(entry.squares).or(tally.squares);
            entry.clusters = match (entry.clusters.take(), tally.clusters) {
                (Some(mut mine), Some(other)) => {
                    mine.iter_mut().zip(&other).for_each(|(a, b)| *a += b);
                    Some(mine)
                }
                (mine, other) => mine.or(other),
            };
            entry.scores = match (entry.scores.take(), tally.scores) {
                (Some(mut mine), Some(other)) => {
                    mine.totals.iter_mut().zip(&other.totals).for_each(|(a, b)| *a += b);
                    mine.weight += other.weight;
                    Some(mine)
                }
                (mine, other) => mine.or(other),
            };
            if let Some(more) = &tally.outcome {
                entry.outcome.get_or_insert_default().add(more);
            }
        }
        let total = counts.weight();
        if !total.is_finite() {
            return Err(CountsError::Weight { weight: total });
        }
        if total <= 0.0 {
            return Err(CountsError::Empty);
        }
        Ok(counts)
    }

    /// The same tally with rows whose group is known. Those of the same population are among its rows.
    pub fn with_audit_labels(mut self, labels: AuditLabels) -> Self {
        self.audit_labels = Some(labels);
        self
    }

    /// The same tally with what probabilities are sure of.
    pub fn with_confident_tally(mut self, tally: ConfidentTally) -> Self {
        self.confident = Some(tally);
        self
    }

    /// The same tally with what sources say of the groups of its rows, as likelihoods.
    pub fn with_evidence(mut self, evidence: EvidenceTally) -> Self {
        self.evidence = Some(Arc::new(evidence));
        self
    }

    /// The same where the probabilities of its lone source are about other people, among whom the groups have these shares; nothing
    /// where there is no such source.
    pub fn with_population(mut self, shares: &[f64]) -> Option<Self> {
        let mut evidence = EvidenceTally::clone(self.evidence.as_deref()?);
        let [source] = &mut evidence.sources[..] else { return None };
        if source.reference.is_some() || shares.len() != self.legend.groups.len() {
            return None;
        }
        let stated: Vec<f64> = evidence.of.iter().map(|group| shares[group.0]).collect();
        (source.reference, source.population) = (Some(stated.clone()), Some(stated));
        self.evidence = Some(Arc::new(evidence));
        Some(self)
    }

    /// Those shares, where they were stated.
    pub(crate) fn stated_population(&self) -> Option<Vec<f64>> {
        let evidence = self.evidence.as_deref()?;
        let [source] = &evidence.sources[..] else { return None };
        // A table says whom it is about.
        let shares = source.population.as_ref().filter(|_| source.about.is_none())?;
        let mut sums = vec![0.0; self.legend.groups.len()];
        shares.iter().zip(&evidence.of).for_each(|(share, group)| sums[group.0] += share);
        Some(sums)
    }

    /// What sources say of the groups of its rows, if that was counted.
    pub fn evidence(&self) -> Option<&EvidenceTally> {
        self.evidence.as_deref()
    }

    /// How a proxy's guesses were randomised before they were counted, if they were.
    pub fn mechanism(&self, proxy: ProxyId) -> Option<&RandomizedResponse> {
        self.told.of(proxy)
    }

    /// What probabilities are sure of, if it was counted.
    pub fn confident_tally(&self) -> Option<&ConfidentTally> {
        self.confident.as_ref()
    }

    /// Rows whose group is known, if there are any.
    pub fn audit_labels(&self) -> Option<&AuditLabels> {
        self.audit_labels.as_ref()
    }

    /// The names.
    pub fn legend(&self) -> &Legend {
        &self.legend
    }

    /// What happened on the way from rows to the tally.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }

    /// The cells in order.
    pub fn cells(&self) -> impl Iterator<Item = (&Cell, &Tally)> {
        self.cells.iter()
    }

    /// The total weight.
    pub fn weight(&self) -> f64 {
        self.cells.values().map(|tally| tally.weight).sum()
    }

    /// How many rows of equal weight would tell as much (Kish 1965): `(Σw)² / Σw²`, or the number of rows. A
    /// table of exact shares, whose rows are not known, counts its weight.
    pub fn effective_rows(&self) -> f64 {
        let weight = self.weight();
        match self.intake.squared_weights {
            Some(squares) if squares > 0.0 => weight * weight / squares,
            _ if self.intake.rows > 0 => self.intake.rows as f64,
            _ => weight,
        }
    }

    /// The weight on which a proxy abstained.
    pub fn abstained(&self, proxy: ProxyId) -> f64 {
        let absent = |(cell, tally): (&Cell, &Tally)| cell.guesses[proxy.0].is_none().then_some(tally.weight);
        // An empty sum is a negative zero.
        self.cells().filter_map(absent).sum::<f64>() + 0.0
    }

    /// The shares of the cells.
    pub fn frequencies(&self) -> Frequencies {
        let total = self.weight();
        let share = |(cell, tally): (&Cell, &Tally)| (cell.clone(), tally.weight / total);
        Frequencies {
            groups: self.legend.groups.len(),
            classes: self.legend.classes.len(),
            proxies: self.legend.proxies.len(),
            told: self.told.clone(),
            sources: Sources::of(&self.legend),
            cells: self.cells().filter(|(_, tally)| tally.weight > 0.0).map(share).collect(),
        }
    }

    /// The same tally with its proxies sorted by name, and for each proxy where it stands now. Sums over cells are
    /// then taken in the same order, to the last bit, whatever the order of the proxies' columns was.
    pub fn in_name_order(&self) -> (Counts, Vec<ProxyId>) {
        let mut order: Vec<ProxyId> = self.legend.all_proxies().collect();
        order.sort_by(|a, b| self.legend.proxies[a.0].name.cmp(&self.legend.proxies[b.0].name));
        let mut legend = self.legend.clone();
        legend.proxies = order.iter().map(|id| self.legend.proxies[id.0].clone()).collect();
        let reorder = |(cell, tally): (&Cell, &Tally)| {
            let guesses = order.iter().map(|id| cell.guesses[id.0]).collect();
            (Cell { stratum: cell.stratum, guesses }, tally.clone())
        };
        let cells = self.cells().map(reorder).collect();
        let mut places = order.clone();
        order.iter().enumerate().for_each(|(place, id)| places[id.0] = ProxyId(place));
        let audit_labels = self.audit_labels.as_ref().map(|labels| labels.with_proxies(&order));
        let confident = self
            .confident
            .as_ref()
            .map(|tally| ConfidentTally { proxy: places[tally.proxy.0], sure: tally.sure.clone() });
        let (told, evidence) = (self.told.reordered(&order), self.evidence.clone());
        (
            Counts { legend, intake: self.intake.clone(), cells, audit_labels, confident, evidence, told },
            places,
        )
    }
}

fn check(cell: &Cell, tally: &Tally, legend: &Legend) -> Result<(), CountsError> {
    let out_of_range = |what| Err(CountsError::OutOfRange { what });
    let class_exists = |class: Class| class.0 < legend.classes.len();
    if !class_exists(cell.stratum.prediction) || !cell.stratum.label.is_none_or(class_exists) {
        return out_of_range("class");
    }
    if cell.guesses.len() != legend.proxies.len() {
        return out_of_range("number of guesses");
    }
    if !cell.guesses.iter().flatten().all(|guess| guess.0 < legend.groups.len()) {
        return out_of_range("guess");
    }
    let scores = tally.scores.as_ref();
    if scores.is_some_and(|scores| scores.totals.len() != legend.groups.len()) {
        return out_of_range("number of score totals");
    }
    if let Some(OutcomeTotals { weight, sum, squares }) = tally.outcome {
        let wrong = [weight, sum, squares].into_iter().find(|number| !number.is_finite());
        if let Some(wrong) = wrong.or([weight, squares].into_iter().find(|number| *number < 0.0)) {
            return Err(CountsError::Weight { weight: wrong });
        }
    }
    let numbers = scores.into_iter().flat_map(|s| s.totals.iter().copied().chain([s.weight]));
    match numbers.chain([tally.weight]).find(|x| !x.is_finite() || *x < 0.0) {
        Some(weight) => Err(CountsError::Weight { weight }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(label: Option<usize>, prediction: usize, guesses: &[Option<usize>]) -> Cell {
        let stratum = Stratum { label: label.map(Class), prediction: Class(prediction) };
        Cell { stratum, guesses: guesses.iter().map(|g| g.map(Guess)).collect() }
    }

    fn tally(weight: f64) -> Tally {
        Tally::of(weight)
    }

    #[test]
    fn cells_given_twice_are_added_and_shares_sum_to_one() {
        let legend = Legend::plain(2, 2, 2, true);
        let a = cell(Some(0), 1, &[Some(0), None]);
        let b = cell(None, 0, &[Some(1), Some(1)]);
        let cells = [(a.clone(), tally(1.5)), (b, tally(2.0)), (a, tally(0.5))];
        let counts = Counts::new(legend, Intake::default(), cells).unwrap();
        assert_eq!(counts.weight(), 4.0);
        assert_eq!(counts.abstained(ProxyId(1)), 2.0);
        let frequencies = counts.frequencies();
        assert_eq!(frequencies.cells().iter().map(|(_, share)| share).sum::<f64>(), 1.0);
        let labelled = frequencies.view(View::Labelled).unwrap();
        assert_eq!(labelled.cells(), [(cell(Some(0), 1, &[Some(0), None]), 1.0)]);
        assert_eq!(frequencies.view(View::Predictions).unwrap().strata().count(), 2);
    }

    #[test]
    fn a_tally_that_makes_no_sense_is_refused() {
        let legend = Legend::plain(2, 2, 1, false);
        let one = |cell, weight| Counts::new(legend.clone(), Intake::default(), [(cell, tally(weight))]);
        let good = cell(None, 0, &[Some(0)]);
        assert_eq!(one(good.clone(), 0.0), Err(CountsError::Empty));
        assert_eq!(one(good.clone(), -1.0), Err(CountsError::Weight { weight: -1.0 }));
        assert!(matches!(one(good, f64::NAN), Err(CountsError::Weight { .. })));
        assert_eq!(one(cell(None, 2, &[Some(0)]), 1.0), Err(CountsError::OutOfRange { what: "class" }));
        assert_eq!(one(cell(None, 0, &[Some(2)]), 1.0), Err(CountsError::OutOfRange { what: "guess" }));
        let few = Counts::new(Legend::plain(1, 2, 1, false), Intake::default(), []);
        assert_eq!(few, Err(CountsError::TooFewGroups { found: 1 }));
    }
}
