//! Gaps of one period where the errors of the proxies are known from all of them.
//!
//! ```text
//! h[a]   = Σ R·counted / Σ R·among                 a rate; a row moves it by ψ[a] = R·(counted − h·among) / Σ R·among
//! var(h[a] − h[b]) = mean (ψ[a] − ψ[b])² / n
//! ```
//! `R` is what a row's guesses say about a group ([`Undo`]).

use crate::counts::Frequencies;
use crate::criterion::Proportion;
use crate::rates::NOBODY;
use crate::undo::Undo;
use crate::vocabulary::Group;

/// A rate of one group less that of another, and what chance adds to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gap {
    pub rate: f64,
    pub reference_rate: f64,
    pub variance: f64,
}

impl Gap {
    pub fn difference(self) -> f64 {
        self.rate - self.reference_rate
    }
}

/// A cell: its share, whether it is among those looked at and counts, and what its guesses say about each group.
type Said = (f64, f64, f64, Vec<f64>);

/// The gaps of all groups to the reference in one rate, in the order of the groups; that of the reference is nothing.
pub(super) fn gaps(
    seen: &Frequencies,
    rows: f64,
    undo: &Undo,
    rate: Proportion,
    reference: Group,
) -> Vec<Option<Gap>> {
    let groups = seen.groups();
    let said: Vec<Said> = seen
        .cells()
        .iter()
        .filter_map(|(cell, share)| {
            let is = |holds: bool| f64::from(u8::from(holds));
            let (among, counted) = (is(rate.among.holds(cell.stratum)), is(rate.counts(cell.stratum)));
            Some((*share, among, counted, undo.says(cell)?))
        })
        .collect();
    let sum = |of: &dyn Fn(&Said) -> f64| -> f64 { said.iter().map(|one| one.0 * of(one)).sum() };
    let part = |a: usize| {
        let people = sum(&|(_, among, _, about)| among * about[a]);
        let selected = sum(&|(_, _, counted, about)| counted * about[a]);
        (people > NOBODY.max(1.0 / rows)).then(|| (people, selected / people))
    };
    let beside = part(reference.0);
    let gap = |a: usize| {
        let ((people, rate), (others, reference_rate)) = (part(a)?, beside?);
        let moved = |(_, among, counted, about): &Said| {
            let own = about[a] * (counted - rate * among) / people;
            own - about[reference.0] * (counted - reference_rate * among) / others
        };
        let variance = sum(&|one| moved(one).powi(2)) / rows;
        (a != reference.0 && variance > 0.0).then_some(Gap { rate, reference_rate, variance })
    };
    (0..groups).map(gap).collect()
}
