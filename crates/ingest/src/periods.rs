//! The periods of a table, all from the first to the last, as a monitor takes them.

use crate::columns::LEAST_SEGMENT;
use crate::period::Every;
use fairveil_core::monitor::Period;
use fairveil_core::segments::Segment;
use fairveil_core::setting::{Refusal, Refuses, Setting};
use fairveil_core::{shows_refusal, text};
use std::collections::BTreeMap;

/// The periods of a table.
#[derive(Debug, Clone)]
pub struct Periods {
    /// In order, those without rows among them.
    pub periods: Vec<Period>,
    /// What is said of those of too few rows.
    pub left_out: Option<String>,
}

/// Why a table has no periods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeriodsError {
    /// None has enough rows.
    TooSmall {
        /// The fewest that are shown.
        least: u64,
    },
    /// More than anyone looks at.
    TooMany {
        /// How long they are.
        every: Every,
        /// The first.
        first: String,
        /// The last.
        last: String,
    },
}

impl Refuses for PeriodsError {
    fn refusal(&self) -> Refusal {
        match self {
            PeriodsError::TooSmall { least } => Refusal::new(format!("no period has {least} rows or more"))
                .needed("periods that can be shown without telling of single people")
                .to_do(text!["longer periods (", Setting::Every, "), or more rows"]),
            PeriodsError::TooMany { every, first, last } => {
                Refusal::new(format!("there are more than 10,000 {every}s between {first} and {last}"))
                    .needed("at most 10,000 periods")
                    .to_do(text!["longer periods (", Setting::Every, "), or look for a date that is wrong"])
            }
        }
    }
}

shows_refusal!(PeriodsError);

impl Periods {
    /// Segments that are files, in the order in which they were named; `names` are the files'.
    pub fn of_files(
        segments: Vec<Segment>,
        names: &[String],
        least: Option<u64>,
    ) -> Result<Periods, PeriodsError> {
        let (left_out, mut known) = Periods::known(segments);
        if known.is_empty() {
            return Err(PeriodsError::TooSmall { least: least.unwrap_or(LEAST_SEGMENT) });
        }
        let period = |(place, name): (usize, &String)| Period {
            name: name.clone(),
            counts: known.remove(&place.to_string()).map(|segment| segment.counts),
        };
        Ok(Periods { periods: names.iter().enumerate().map(period).collect(), left_out })
    }

    /// Segments by name, and what is said of those of too few rows.
    fn known(segments: Vec<Segment>) -> (Option<String>, BTreeMap<String, Segment>) {
        let pooled =
            segments.iter().find_map(|segment| Some((segment.pooled?, segment.counts.intake().rows)));
        let left_out = pooled.map(|(pooled, rows)| {
            let periods = match pooled.segments {
                1 => "1 period".to_owned(),
                periods => format!("{periods} periods"),
            };
            format!("{periods} of fewer than {} rows, {rows} in all", pooled.least)
        });
        let shown = segments.into_iter().filter(|segment| segment.pooled.is_none());
        let named = shown.filter_map(|segment| Some((segment.values.first()?.clone(), segment)));
        (left_out, named.collect())
    }

    /// Segments that are periods, put in order; `least` is the fewest rows of one that is shown by itself.
    pub fn of(segments: Vec<Segment>, every: Every, least: Option<u64>) -> Result<Periods, PeriodsError> {
        let (left_out, mut known) = Periods::known(segments);
        let (Some(first), Some(last)) = (known.keys().next().cloned(), known.keys().next_back().cloned())
        else {
            return Err(PeriodsError::TooSmall { least: least.unwrap_or(LEAST_SEGMENT) });
        };
        let names = every.between(&first, &last);
        let names = names.ok_or(PeriodsError::TooMany { every, first, last })?;
        let period =
            |name: String| Period { counts: known.remove(&name).map(|segment| segment.counts), name };
        Ok(Periods { periods: names.into_iter().map(period).collect(), left_out })
    }
}
