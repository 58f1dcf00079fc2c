//! Segments side by side: what each one's gap is when all are looked at.
//!
//! Errors of the proxies are learned once, from all rows, as for periods ([`monitor`](crate::monitor)). Intervals hold for all
//! segments at once (Bonferroni: each at `1 − (1 − confidence)/segments`). Beside each segment's own gap stands the one drawn
//! towards the mean of all ([`shrink`]), so that small segments do not shout.

use super::Segment;
use super::shrink::{Shrunk, shrink};
use crate::counts::Counts;
use crate::measures::Estimate;
use crate::monitor::{Gap, Look, Watch, Watching};
use crate::record::Origin;
use crate::settings::{AuditError, Settings};
use crate::uncertainty::{Interval, normal_quantile};
use crate::vocabulary::Criterion;
use serde::{Deserialize, Serialize};

/// Segments side by side, in the rates of one criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TogetherRecord {
    /// Whose rates are compared.
    pub criterion: Criterion,
    /// The group that others stand beside.
    pub reference: Option<String>,
    /// What errors were learned by.
    pub rests_on: Option<Origin>,
    /// How many segments were looked at.
    pub segments: usize,
    /// How often each interval holds by itself, so that all of them do as often as was asked for.
    pub confidence_of_each: f64,
    /// One for each group but the reference, and each rate.
    pub gaps: Vec<TogetherGap>,
    /// Why nothing can be said.
    pub unavailable: Option<String>,
}

/// The gap of one group to the reference, segment by segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TogetherGap {
    /// The group.
    pub group: String,
    /// The label, or the decision, among whose people rates are taken.
    pub label: Option<String>,
    /// The mean gap of the segments, each counted by what is known of it; nothing where they are too few.
    pub mean: Option<Estimate>,
    /// The standard deviation of their gaps around it.
    pub spread: Option<f64>,
    /// The segments, in order.
    pub segments: Vec<SegmentGap>,
}

/// The gap in one segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentGap {
    /// The value of each column that makes segments; empty for those put together.
    pub values: Vec<Option<String>>,
    /// Its rows.
    pub rows: u64,
    /// By its own rows.
    pub own: Estimate,
    /// Drawn towards the mean of all.
    pub pooled: Estimate,
}

impl TogetherRecord {
    /// The same where intervals were asked for and there are segments to put side by side.
    pub fn of(
        counts: &Counts,
        segments: &[Segment],
        criteria: &[Criterion],
        settings: &Settings,
    ) -> Option<TogetherRecord> {
        let several = segments.iter().filter(|segment| segment.is_shown()).count() > 1;
        let criterion = criteria.first().filter(|_| several && settings.n_boot > 0)?;
        // What can be refused of the table was, before its segments.
        TogetherRecord::run(counts, segments, *criterion, settings).ok()
    }

    /// Segments of a table in one criterion. `counts` holds the rows of all of them, in the words of which theirs are.
    pub fn run(
        counts: &Counts,
        segments: &[Segment],
        criterion: Criterion,
        settings: &Settings,
    ) -> Result<TogetherRecord, AuditError> {
        let shown: Vec<&Segment> = segments.iter().filter(|segment| segment.is_shown()).collect();
        let each = 1.0 - (1.0 - settings.confidence) / shown.len().max(1) as f64;
        let mut record = TogetherRecord {
            criterion,
            reference: None,
            rests_on: None,
            segments: shown.len(),
            confidence_of_each: each,
            gaps: Vec::new(),
            unavailable: None,
        };
        let watch = Watch::of(counts, criterion, settings)?;
        record.reference.clone_from(&watch.reference);
        match watch.watching() {
            Ok(watching) => {
                record.rests_on = Some(watching.origin().clone());
                let looks: Vec<Option<Look>> = shown
                    .iter()
                    .map(|segment| watching.look(&segment.counts.in_name_order().0).ok())
                    .collect();
                record.gaps = Side { watching: &watching, shown: &shown, looks: &looks, each }.gaps();
            }
            Err(reason) => record.unavailable = Some(reason),
        }
        Ok(record)
    }
}

/// Segments beside each other.
struct Side<'a> {
    watching: &'a Watching<'a>,
    shown: &'a [&'a Segment],
    looks: &'a [Option<Look>],
    /// How often each interval holds.
    each: f64,
}

/// What chance adds to a gap: by the rows of the segment, and by not knowing the errors.
struct Known {
    gap: f64,
    rows: f64,
    errors: f64,
}

impl Side<'_> {
    fn gaps(&self) -> Vec<TogetherGap> {
        self.watching.places().map(|place| self.gap(place)).collect()
    }

    fn gap(&self, place: usize) -> TogetherGap {
        let known = |by: &dyn Fn(&Look) -> Option<Gap>| -> Vec<Option<Known>> {
            let one = |look: &Option<Look>| {
                let look = look.as_ref()?;
                let gap = by(look).filter(|gap| Interval::SIGNED.holds(gap.difference()))?;
                Some(Known { gap: gap.difference(), rows: gap.variance, errors: look.of_errors(place) })
            };
            self.looks.iter().map(one).collect()
        };
        let found = known(&|look| look.found[place]);
        let others = self.looks.iter().flatten().map(|look| look.others.len()).min().unwrap_or(0);
        let others: Vec<Vec<Option<Known>>> =
            (0..others).map(|other| known(&|look| look.others[other][place])).collect();
        let drawn = drawn_together(&found);
        let drawn_others: Vec<Option<Shrunk>> = others.iter().map(|known| drawn_together(known)).collect();
        let reach = normal_quantile(self.each);
        let around = |value: f64, variance: f64| {
            let reach = reach * variance.sqrt();
            Interval { low: value - reach, high: value + reach }.within(Interval::SIGNED)
        };
        // The places of those that are known, among all.
        let at = |known: &[Option<Known>], segment: usize| {
            known[..segment].iter().filter(|one| one.is_some()).count()
        };
        let own = |segment: usize| match &found[segment] {
            None => Estimate::none(NOTHING),
            Some(one) => {
                let interval = around(one.gap, one.rows + one.errors);
                let further = others.iter().filter_map(|known| known[segment].as_ref());
                let further = further.map(|other| around(other.gap, other.rows + other.errors));
                let honest = further.fold(interval, Interval::and);
                Estimate {
                    value: Some(one.gap),
                    interval: Some(interval),
                    honest_interval: Some(honest).filter(|_| !others.is_empty()),
                    unavailable: None,
                }
            }
        };
        let pooled = |segment: usize| {
            let (Some(one), Some(drawn)) = (&found[segment], &drawn) else {
                return Estimate::none(if found[segment].is_some() { TOO_FEW } else { NOTHING });
            };
            let (value, variance) = drawn.segments[at(&found, segment)];
            let interval = around(value, variance + one.errors);
            let further = others.iter().zip(&drawn_others).filter_map(|(known, drawn)| {
                let one = known[segment].as_ref()?;
                let (value, variance) = drawn.as_ref()?.segments[at(known, segment)];
                Some(around(value, variance + one.errors))
            });
            let honest = further.fold(interval, Interval::and);
            Estimate {
                value: Some(value),
                interval: Some(interval),
                honest_interval: Some(honest).filter(|_| !others.is_empty()),
                unavailable: None,
            }
        };
        let segment = |place: usize| {
            let segment = self.shown[place];
            SegmentGap {
                values: segment.told_values(),
                rows: segment.counts.intake().rows,
                own: own(place),
                pooled: pooled(place),
            }
        };
        let errors: Vec<f64> = found.iter().flatten().map(|one| one.errors).collect();
        let errors = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        let mean = drawn.as_ref().map(|drawn| {
            let reach = normal_quantile(self.watching.confidence()) * (drawn.variance + errors).sqrt();
            let interval = Interval { low: drawn.mean - reach, high: drawn.mean + reach };
            Estimate {
                value: Some(drawn.mean),
                interval: Some(interval.within(Interval::SIGNED)),
                honest_interval: None,
                unavailable: None,
            }
        });
        let (group, label) = self.watching.named(place);
        TogetherGap {
            group,
            label,
            mean,
            spread: drawn.as_ref().map(|drawn| drawn.spread),
            segments: (0..self.shown.len()).map(segment).collect(),
        }
    }
}

const NOTHING: &str = "too few rows to tell a rate of two groups";
const TOO_FEW: &str = "fewer than three segments have a gap: how much segments differ cannot be told";

/// The segments that have a gap, drawn together.
fn drawn_together(known: &[Option<Known>]) -> Option<Shrunk> {
    let gaps: Vec<(f64, f64)> = known.iter().flatten().map(|one| (one.gap, one.rows)).collect();
    shrink(&gaps)
}
