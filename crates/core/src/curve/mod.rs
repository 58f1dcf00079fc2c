//! A number of every person cut into bins: the gap along all thresholds, quantiles by group, and how often labels follow within bands.
//!
//! Errors of the proxies are learned once, as an audit does. With `R[g,a]` what a row's guesses say about group `a` (`undo`):
//! ```text
//! S[a](t)  = Σ R·1(number ≥ t) / Σ R                 who would be selected at the threshold t; the gap is S[a](t) − S[b](t)
//! Q[a](q)  = where 1 − S[a] reaches q                 between the ends of a bin in proportion
//! L[a](B)  = Σ R·1(number in B, label) / Σ R·1(number in B)     the label among people of a band: calibration within groups
//! ```
//! Assumes that guesses do not go with the number inside a group; whether the proxies err alike along it is tested where three or more of
//! them speak on every row (`mitigate::drift`).
//!
//! What chance leaves open: rows drawn anew in every bin, and errors learned anew from them. Intervals are normal ones, each for itself.
//! The honest interval is the hull over errors that may be true too, as that of a period is. A quantile in an open bin at either end, and
//! a rate that no population has, are absent with their reason.

mod spread;

use crate::counts::{Counts, Intake, View};
use crate::diagnose::{Finding, SIGNIFICANT, of_curve};
use crate::measures::Estimate;
use crate::mitigate::{ScoreBin, drift};
use crate::monitor::Watch;
use crate::outcome::UNASKED;
use crate::record::{Input, Origin};
use crate::redrawn::{Redrawn, Scale};
use crate::setting::Dialect;
use crate::settings::{AuditError, Settings};
use crate::uncertainty::{Interval, draw_in_order};
use crate::undo;
use crate::vocabulary::{Class, Criterion, Group, Legend, Stratum};
use serde::{Deserialize, Serialize};
use spread::{Bands, Spread, Table};

/// The quantiles that are told.
pub const QUANTILES: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

/// So many tables are drawn anew: a standard error is then known to 5 %.
const REDRAWN: usize = 200;

/// People whose number lies from `low` to below the `low` of the next bin. The first begins at −∞, the last has no end.
#[derive(Debug, Clone)]
pub struct Bin {
    /// Where it begins.
    pub low: f64,
    /// Its rows; nothing where it has none.
    pub counts: Option<Counts>,
}

/// A number by group: thresholds, quantiles, labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// What was read, all bins together.
    pub input: Input,
    /// The number.
    pub column: String,
    /// Rows that have none: they are left out.
    pub rows_without: u64,
    /// How often an interval should hold.
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals.
    pub shared_error: f64,
    /// Seed of the draws.
    pub seed: u64,
    /// The group that others stand beside.
    pub reference: Option<String>,
    /// What errors were learned by.
    pub rests_on: Option<Origin>,
    /// The share of each group that reaches a threshold, at every one, lowest first.
    pub thresholds: Vec<ThresholdRecord>,
    /// Quantiles by group, lowest first.
    pub quantiles: Vec<QuantileRecord>,
    /// How often the label is positive within bands of the number; empty without labels.
    pub calibration: Vec<BandRecord>,
    /// Whether the proxies err alike along the number.
    pub drift: Option<DriftTest>,
    /// What to doubt.
    pub findings: Vec<Finding>,
    /// Why nothing can be said.
    pub unavailable: Option<String>,
}

/// A test of whether the proxies err alike in bands of the number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriftTest {
    /// Twice the log likelihood that one table of errors for each band gains over one for all.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees_of_freedom: usize,
    /// The chance of a larger one if the proxies err alike.
    pub p_value: f64,
    /// How many bands were compared.
    pub bands: usize,
}

/// Who reaches a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThresholdRecord {
    /// From which number on people are selected.
    pub threshold: f64,
    /// The share of all people.
    pub selected: f64,
    /// By group.
    pub groups: Vec<BesideRecord>,
}

/// A quantile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantileRecord {
    /// Which.
    pub quantile: f64,
    /// By group.
    pub groups: Vec<BesideRecord>,
}

/// People whose number lies in a band.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BandRecord {
    /// Where it begins; nothing where it has no lower end.
    pub low: Option<f64>,
    /// Where it ends; nothing where it has no upper end.
    pub high: Option<f64>,
    /// The share of labelled people who are in it.
    pub share: f64,
    /// How often the label is positive, by group.
    pub groups: Vec<BesideRecord>,
}

/// A number of one group, and the same less that of the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BesideRecord {
    /// The group.
    pub group: String,
    /// Its number.
    pub value: Estimate,
    /// The same less that of the reference.
    pub difference: Estimate,
}

/// What is asked.
pub struct CurveSettings {
    /// What the number is called.
    pub column: String,
    /// Rows that have none.
    pub rows_without: u64,
    /// All that an audit of the rows is asked.
    pub audit: Settings,
}

impl Curve {
    /// Errors from all rows, then the curve. `counts` holds the rows of all bins, in the words of which theirs are; bins are in order.
    pub fn run(counts: &Counts, bins: &[Bin], asked: &CurveSettings) -> Result<Curve, AuditError> {
        let watch = Watch::of(counts, Criterion::DemographicParity, &asked.audit)?;
        let mut curve = Curve {
            input: watch.audit().input.clone(),
            column: asked.column.clone(),
            rows_without: asked.rows_without,
            confidence: asked.audit.confidence,
            shared_error: asked.audit.shared_error,
            seed: asked.audit.seed,
            reference: watch.reference.clone(),
            rests_on: None,
            thresholds: Vec::new(),
            quantiles: Vec::new(),
            calibration: Vec::new(),
            drift: None,
            findings: watch.findings(),
            unavailable: None,
        };
        let table = Table::of(bins);
        match Told::of(&watch, &table, &asked.audit) {
            Err(reason) => curve.unavailable = Some(reason),
            Ok(told) => {
                curve.rests_on = Some(told.origin.clone());
                curve.thresholds = told.thresholds(&table);
                curve.quantiles = told.quantiles();
                curve.calibration = told.calibration(&table);
                curve.drift = along(counts, bins, &table).ok();
                let seen = Along { column: &asked.column, drift: curve.drift.as_ref() };
                curve.findings.extend(of_curve(&seen));
                curve.findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.code.cmp(&b.code)));
            }
        }
        Ok(curve)
    }

    /// The curve in the words of a front end.
    pub fn spelled(mut self, dialect: &dyn Dialect) -> Self {
        self.findings.iter_mut().for_each(|finding| finding.spell(dialect));
        self
    }
}

/// What findings about a curve look at.
pub(crate) struct Along<'a> {
    pub column: &'a str,
    /// Nothing where the test could not be made.
    pub drift: Option<&'a DriftTest>,
}

impl Along<'_> {
    /// The proxies do not err alike along the number, beyond chance.
    pub fn drifts(&self) -> Option<&DriftTest> {
        self.drift.filter(|drift| drift.p_value < SIGNIFICANT)
    }
}

/// Whether the proxies err alike in bands of the number.
fn along(counts: &Counts, bins: &[Bin], table: &Table) -> Result<DriftTest, String> {
    /// Bands of a quarter of the rows have enough of them to learn errors from.
    const BANDS: f64 = 4.0;
    let bands = table.bands(1.0 / BANDS, false);
    let mut legend = counts.legend().clone();
    legend.classes = (0..bands.len().max(2)).map(|band| band.to_string()).collect();
    legend.positive = Class(1);
    let mut cells = Vec::new();
    for (bin, one) in bins.iter().enumerate() {
        let Some(band) = bands.iter().position(|band| band.contains(&bin)) else { continue };
        for (cell, tally) in one.counts.iter().flat_map(Counts::cells) {
            let stratum = Stratum { label: None, prediction: Class(band) };
            cells.push((crate::counts::Cell { stratum, guesses: cell.guesses.clone() }, tally.clone()));
        }
    }
    let scores = bands.iter().map(|band| ScoreBin {
        scores: table.ends(band),
        rows: bins[band.clone()].iter().filter_map(|bin| Some(bin.counts.as_ref()?.intake().rows)).sum(),
    });
    let scores: Vec<ScoreBin> = scores.collect();
    let intake = Intake { rows: counts.intake().rows, ..Intake::default() };
    let banded = Counts::new(legend, intake, cells).map_err(|error| error.to_string())?;
    let found = drift(&banded, &scores)?;
    Ok(DriftTest {
        statistic: found.statistic,
        degrees_of_freedom: found.degrees_of_freedom,
        p_value: found.p_value,
        bands: bands.len(),
    })
}

/// A curve and what is left open of it.
struct Told<'a> {
    legend: &'a Legend,
    origin: Origin,
    reference: Group,
    confidence: f64,
    spread: Redrawn<Spread>,
}

impl<'a> Told<'a> {
    fn of(watch: &'a Watch, table: &Table, settings: &Settings) -> Result<Self, String> {
        let (relied, answers, reference) = watch.learned()?;
        let seen = &answers.seen;
        let undone = undo::Undo::of(&relied.found.noise, seen.proxies())
            .ok_or("some errors of the proxies cannot be undone")?;
        let found = table.spread(&undone).ok_or("a group has no people of whom a rate could be taken")?;
        let learns = relied.estimator.learns_from_guesses_alone();
        let draws = if learns { settings.n_boot.min(REDRAWN) } else { 0 };
        let rows = answers.rows;
        let drawn = draw_in_order(draws, |index| {
            let (drawn, seen) = table.redrawn(seen, rows, settings.seed, index);
            let explained = relied.estimator.explain(&seen, View::Predictions).ok()?;
            drawn.spread(&undo::Undo::of(&explained.noise, seen.proxies())?)
        });
        let undrawn = match learns {
            _ if settings.n_boot == 0 => Some(UNASKED),
            false => Some("this method learns from labels, of which no interval of a curve is made"),
            true => None,
        };
        let others = undo::others(relied, answers, settings);
        let others = others.iter().filter_map(|undo| table.spread(undo)).collect();
        Ok(Told {
            legend: watch.counts().legend(),
            origin: relied.origin.clone(),
            reference,
            confidence: settings.confidence,
            spread: Redrawn { found, drawn, others, withheld: watch.withheld(), undrawn },
        })
    }

    /// A number of every group beside the reference.
    fn groups(
        &self,
        bounds: Option<Interval>,
        missing: &str,
        of: impl Fn(&Spread, Group) -> Option<f64>,
    ) -> Vec<BesideRecord> {
        let possible = |value: f64| bounds.is_none_or(|bounds| bounds.holds(value));
        let told = |a: Group| of(&self.spread.found, a).is_none_or(possible);
        let held = |estimate: Estimate, bounds: Option<Interval>| match bounds {
            Some(bounds) => estimate.within(bounds),
            None => estimate,
        };
        let group = |a: Group| {
            let value = match told(a) {
                true => {
                    let estimate =
                        self.spread.estimate(self.confidence, Scale::Plain, missing, &|s| of(s, a));
                    held(estimate, bounds)
                }
                false => Estimate::none("its rate would be that of no population here"),
            };
            let b = self.reference;
            let difference = match () {
                () if a == b => Estimate::none("this is the reference group"),
                () if !told(a) || !told(b) => Estimate::none("a rate of both groups is needed"),
                () => {
                    let less = |s: &Spread| Some(of(s, a)? - of(s, b)?);
                    let estimate = self.spread.estimate(self.confidence, Scale::Plain, missing, &less);
                    held(estimate, bounds.map(|_| Interval::SIGNED))
                }
            };
            BesideRecord { group: self.legend.group(a).to_owned(), value, difference }
        };
        self.legend.all_groups().map(group).collect()
    }

    fn thresholds(&self, table: &Table) -> Vec<ThresholdRecord> {
        let record = |bin: usize| ThresholdRecord {
            threshold: table.low(bin),
            selected: table.reached(bin),
            groups: self.groups(Some(Interval::UNIT), "", |spread, a| Some(spread.reached(a, bin))),
        };
        table.cuts().map(record).collect()
    }

    fn quantiles(&self) -> Vec<QuantileRecord> {
        let missing = "it lies in a bin without an end: cut further out";
        let record = |quantile: f64| QuantileRecord {
            quantile,
            groups: self.groups(None, missing, |spread, a| spread.quantile(a, quantile)),
        };
        QUANTILES.into_iter().map(record).collect()
    }

    /// Bands of at least a tenth of the labelled rows: fewer tell nothing of a group.
    fn calibration(&self, table: &Table) -> Vec<BandRecord> {
        let bands: Bands = table.bands(0.1, true);
        let record = |band: &std::ops::Range<usize>| {
            let Interval { low, high } = table.ends(band);
            let groups = self.groups(
                Some(Interval::UNIT),
                "too few labelled people of the group are in this band",
                |spread, a| spread.positive(a, band),
            );
            let finite = |end: f64| Some(end).filter(|end| end.is_finite());
            BandRecord { low: finite(low), high: finite(high), share: table.labelled(band), groups }
        };
        bands.iter().map(record).collect()
    }
}
