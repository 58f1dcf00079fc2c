//! A number of every person (a price, an amount, a score) by group: means, and what they are beside a reference group.
//!
//! With `R[g,a]` what a row's guesses say about group `a`, the proxies' errors undone (`undo`), and `o` the outcome:
//! ```text
//! m[a] = Σ R·o / Σ R          s²[a] = Σ R·o² / Σ R − m[a]²
//! difference                        m[a] − m[b]
//! ratio                             m[a] / m[b]
//! standardized mean difference      (m[a] − m[b]) / s          s² = (n[a]·s²[a] + n[b]·s²[b]) / (n[a] + n[b])
//! ```
//! All of it is linear in sums over the cells of the tally: the weight of the rows that have an outcome, its sum and that of its
//! squares. Assumes that guesses do not go with the outcome inside a group (and a decision, where errors are learned for each): a
//! surname that is guessed better where prices are high breaks it, and nothing in the table shows it.
//!
//! What chance leaves open: rows drawn anew, errors learned anew from them, and within every cell the mean moved by a normal of its
//! own spread. Intervals are normal ones around the number (around its logarithm for a ratio); groups beside one reference hold at
//! once (Bonferroni). The spread `s` of a standardized difference is taken as known. The honest interval is the hull over errors
//! that may be true too, as that of a period is.

mod totals;

use crate::advise::ReliedOn;
use crate::answers::Answers;
use crate::counts::{Counts, Frequencies, View};
use crate::headline::{Reason, range_stands};
use crate::measures::Estimate;
use crate::record::Origin;
use crate::redrawn::{Redrawn, Scale};
use crate::settings::Settings;
use crate::uncertainty::checks::{WEAK, informativeness};
use crate::uncertainty::{draw_in_order, draws};
use crate::undo::{self, Undo};
use crate::vocabulary::{Group, Legend};
use serde::{Deserialize, Serialize};
use totals::{Means, Totals};

/// An outcome by group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRecord {
    /// Its column.
    pub column: String,
    /// Rows that have none, or none that is finite: they are left out here.
    pub rows_without: u64,
    /// The mean over all rows that have one.
    pub mean: Option<f64>,
    /// Its standard deviation.
    pub standard_deviation: Option<f64>,
    /// The group that the others stand beside.
    pub reference: Option<String>,
    /// What errors were undone by.
    pub rests_on: Option<Origin>,
    /// One row for each group, the reference among them.
    pub groups: Vec<GroupOutcome>,
    /// Why there are no numbers.
    pub unavailable: Option<String>,
}

/// The outcome of one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupOutcome {
    /// The group.
    pub group: String,
    /// Its people who have an outcome, by weight.
    pub people: Option<f64>,
    /// Their mean.
    pub mean: Estimate,
    /// Their standard deviation.
    pub standard_deviation: Option<f64>,
    /// The mean less that of the reference.
    pub difference: Estimate,
    /// The mean over that of the reference.
    pub ratio: Estimate,
    /// The difference over the standard deviation within the two groups.
    pub standardized_mean_difference: Estimate,
    /// The difference over its standard error.
    pub z: Option<f64>,
    /// The chance of a `z` so far from 0 if there is no difference and the method's assumptions hold.
    pub p_value: Option<f64>,
}

/// So many tables are drawn anew: a standard error is then known to 5 %.
const REDRAWN: usize = 200;

/// Why a number has no interval.
pub(crate) const UNASKED: &str = "no draws were asked for, so that there is no interval";

/// A spread so small beside the mean is rounding.
const CONSTANT: f64 = 1e-7;

/// What is asked.
pub(crate) struct Asked<'a> {
    /// The tally, its proxies in the order of their names.
    pub counts: &'a Counts,
    pub answers: &'a [Answers],
    pub relied_on: &'a [ReliedOn],
    pub reference: Option<Group>,
    /// What speaks against a number by group.
    pub doubts: &'a [Reason],
    pub settings: &'a Settings,
}

impl Asked<'_> {
    /// Nothing where the tally has no outcome.
    pub fn record(&self) -> Option<OutcomeRecord> {
        let intake = self.counts.intake().outcome.as_ref()?;
        let totals = Totals::of(self.counts);
        let overall = totals.overall();
        let mut record = OutcomeRecord {
            column: intake.column.clone(),
            rows_without: intake.missing,
            mean: overall.map(|(mean, _)| mean),
            standard_deviation: overall.map(|(_, spread)| spread),
            reference: self.reference.map(|group| self.counts.legend().group(group).to_owned()),
            rests_on: None,
            groups: Vec::new(),
            unavailable: None,
        };
        match self.means(&totals, overall) {
            Ok(told) => {
                record.rests_on = Some(told.relied.origin.clone());
                record.groups = told.groups(self.counts.legend());
            }
            Err(reason) => record.unavailable = Some(reason),
        }
        Some(record)
    }

    fn means<'a>(&'a self, totals: &'a Totals, overall: Option<(f64, f64)>) -> Result<Told<'a>, String> {
        let (mean, spread) = overall.ok_or("no row has an outcome")?;
        if spread <= CONSTANT * mean.abs() {
            return Err(format!(
                "the outcome is {mean} on every row that has one: there is nothing to compare"
            ));
        }
        let reasons: Vec<&str> = self.doubts.iter().map(|reason| reason.text.as_str()).collect();
        let withheld = (!reasons.is_empty()).then(|| reasons.join("; "));
        if let Some(reason) = withheld.clone().filter(|_| !range_stands(self.doubts)) {
            return Err(reason);
        }
        let view = View::Predictions;
        let relied = self.relied_on.iter().find(|relied| relied.view == view);
        let relied = relied
            .ok_or("means by group need errors of the proxies, learned or given, and there are none")?;
        let answers = self.answers.iter().find(|answers| answers.view == view).ok_or("there are no rows")?;
        let seen = &answers.seen;
        let known = informativeness(seen.groups(), seen.cells(), answers.rows);
        if relied.estimator.trusts_agreement() && known.is_none_or(|known| known < WEAK) {
            return Err("the proxies agree too little beyond chance to learn their errors from".into());
        }
        let undo = Undo::of(&relied.found.noise, seen.proxies())
            .ok_or("some errors of the proxies cannot be undone")?;
        let found = totals.means(seen, &undo).ok_or("a group has no people of whom a mean could be taken")?;
        let draws = self.settings.n_boot.min(REDRAWN);
        let learns = relied.estimator.learns_from_guesses_alone();
        let drawn = match learns {
            true => draw_in_order(draws, |index| self.drawn(totals, relied, answers, index)),
            false => Vec::new(),
        };
        let undrawn = match learns {
            _ if self.settings.n_boot == 0 => Some(UNASKED),
            false => Some("this method learns from labels, of which no interval of a mean is made"),
            true => None,
        };
        let others = undo::others(relied, answers, self.settings);
        let others = others.iter().filter_map(|undo| totals.means(seen, undo)).collect();
        let means = Redrawn { found, drawn, others, withheld, undrawn };
        Ok(Told { asked: self, relied, means, weight: totals.weight() })
    }

    /// The means of rows drawn anew, with errors learned from them.
    fn drawn(&self, totals: &Totals, relied: &ReliedOn, answers: &Answers, index: u64) -> Option<Means> {
        let (seen, moved): (Frequencies, Totals) =
            totals.redrawn(&answers.seen, answers.rows, self.settings.seed, index);
        let explained = relied.estimator.explain(&seen, relied.view).ok()?;
        moved.means(&seen, &Undo::of(&explained.noise, seen.proxies())?)
    }
}

/// Means by group and what is left open of them.
struct Told<'a> {
    asked: &'a Asked<'a>,
    relied: &'a ReliedOn,
    means: Redrawn<Means>,
    /// Of all rows that have an outcome.
    weight: f64,
}

impl Told<'_> {
    fn groups(&self, legend: &Legend) -> Vec<GroupOutcome> {
        legend.all_groups().map(|a| self.group(a, legend)).collect()
    }

    fn group(&self, a: Group, legend: &Legend) -> GroupOutcome {
        let beside = self.asked.reference;
        let others = legend.groups.len().saturating_sub(1).max(1);
        let confidence = self.asked.settings.confidence;
        let at_once = 1.0 - (1.0 - confidence) / others as f64;
        let estimate = |scale: Scale, missing: &str, of: &dyn Fn(&Means, Group) -> Option<f64>| match beside {
            None => Estimate::none("no group is larger than the others"),
            Some(beside) if beside == a => Estimate::none("this is the reference group"),
            Some(beside) => self.means.estimate(at_once, scale, missing, &|means: &Means| of(means, beside)),
        };
        let difference = estimate(Scale::Plain, "a mean of both groups is needed", &|means, b| {
            Some(means.mean(a) - means.mean(b))
        });
        let error = beside.and_then(|b| {
            self.means.error(Scale::Plain, &|means: &Means| Some(means.mean(a) - means.mean(b)))
        });
        let z = difference.value.zip(error).map(|(difference, error)| difference / error);
        GroupOutcome {
            group: legend.group(a).to_owned(),
            people: Some(self.means.found.share(a) * self.weight).filter(|_| self.means.stands()),
            mean: self.means.estimate(confidence, Scale::Plain, "", &|means: &Means| Some(means.mean(a))),
            standard_deviation: self.means.found.spread(a).filter(|_| self.means.stands()),
            ratio: estimate(Scale::Log, "a ratio needs means above 0", &|means, b| means.ratio(a, b)),
            standardized_mean_difference: estimate(
                Scale::Plain,
                "the spread within the groups would be that of no population",
                &|means, b| means.standardized(a, b),
            ),
            z,
            p_value: z.map(|z| draws::chi_square_tail(z * z, 1)),
            difference,
        }
    }
}
