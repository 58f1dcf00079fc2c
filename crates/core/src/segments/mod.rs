//! Segments of a table, each with an audit of its own.

mod shrink;
mod together;

pub use together::{SegmentGap, TogetherGap, TogetherRecord};

use crate::counts::Counts;
use crate::record::{Audit, SegmentRecord};
use crate::setting::Refuses;
use crate::settings::{AuditError, Settings};
use crate::uncertainty::draw_in_order;
use crate::world::Truth;

/// One segment of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The value of each column that makes segments; empty where it is missing.
    pub values: Vec<String>,
    /// What was put together here because it is about few people; it has no values of its own.
    pub pooled: Option<Pooled>,
    /// The tally.
    pub counts: Counts,
    /// True groups, only to compare against.
    pub truth: Option<Truth>,
}

/// Segments of few rows, put together: numbers about one person tell what was guessed of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pooled {
    /// How many.
    pub segments: usize,
    /// The fewest rows that are shown by themselves.
    pub least: u64,
}

impl Segment {
    /// Its own audit, or why it has none. A criterion that the whole table allows may find no labels here: then the others
    /// are measured.
    pub fn audit(&self, settings: &Settings) -> SegmentRecord {
        let pooled = self.pooled.map(|pooled| pooled.segments);
        if let Some(Pooled { least, .. }) = self.pooled.filter(|_| !self.is_shown()) {
            let reason = format!("together they have fewer than {least} rows");
            return SegmentRecord {
                values: Vec::new(),
                pooled,
                audit: None,
                unavailable: Some(reason.into()),
            };
        }
        let run = |settings: &Settings| Audit::run(&self.counts, self.truth.as_ref(), settings);
        let audit = match run(settings) {
            Err(AuditError::NoLabels { .. }) => run(&Settings { criteria: Vec::new(), ..settings.clone() }),
            other => other,
        };
        let unavailable = audit.as_ref().err().map(|error| error.refusal().text());
        SegmentRecord { values: self.told_values(), pooled, audit: audit.ok(), unavailable }
    }

    /// Whether it is about enough people to be told of.
    fn is_shown(&self) -> bool {
        self.pooled.is_none_or(|pooled| self.counts.intake().rows >= pooled.least)
    }

    /// Its values, as a record has them.
    fn told_values(&self) -> Vec<Option<String>> {
        self.values.iter().map(|value| Some(value.clone()).filter(|value| !value.is_empty())).collect()
    }

    /// Every segment's audit, in order.
    pub fn audits(segments: &[Segment], settings: &Settings) -> Vec<SegmentRecord> {
        draw_in_order(segments.len(), |index| segments[index as usize].audit(settings))
    }
}
