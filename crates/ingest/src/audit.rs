//! A table read into what an audit takes: the one function that all front ends call.
//!
//! ```text
//! inputs ──read_table──────────────────────────► Table { counts, truth, segments }
//!        └─read_rows─► neighbours ─► borrowed ─┘    │ again    what its probabilities are sure of
//!                                                   │ sample   rows of another table whose groups are known
//!                                                   ▼ with_mechanisms   how its guesses were randomised
//! ```
//! Inputs are files, bytes in memory, Arrow record batches, rows of text or a database; no front end has a way of its own.
//!
//! ```
//! # use fairveil_ingest::{AuditTable, Columns, Input, Reading};
//! let bytes = "y_pred,proxy_a,proxy_b\n1,x,x\n0,y,\n1,y,x\n0,x,y\n";
//! let input = Input::Memory { name: "people".into(), bytes: bytes.into() };
//! let table = AuditTable::new(Columns::default()).read(vec![input], &Reading::default())?;
//! assert_eq!(table.counts.legend().groups, ["x", "y"]);
//! # Ok::<(), fairveil_ingest::IngestError>(())
//! ```

use crate::borrow::read_rows;
use crate::columns::Columns;
use crate::error::{IngestError, Place, Problem, said};
use crate::evidence::EvidenceFile;
use crate::features::FeatureProblem;
use crate::feed::{Input, Reading};
use crate::read::{read_confident, read_labels, read_table, read_with_evidence};
use crate::tally::Table;
use fairveil_core::counts::{MechanismError, Randomized};
use fairveil_core::segments::Segment;
use fairveil_core::setting::{Refusal, Refuses, Setting};
use fairveil_core::{AuditError, Counts, Settings, shows_refusal, text};
use fairveil_neighbors::{Metric, SearchMethod};
use std::path::Path;

/// What an audit asks of a table.
pub struct AuditTable<'a> {
    /// Which columns mean what.
    pub columns: Columns,
    /// Rows borrow the guesses of their nearest neighbours.
    pub near: Option<Near<'a>>,
    /// The same inputs once more, for what the probabilities of each row are sure of: estimator confident-joint asks for it.
    pub again: Option<Vec<Input<'a>>>,
    /// Rows of another population, whose groups are known in [`Columns::audit_labels`].
    pub sample: Option<Vec<Input<'a>>>,
    /// The evidence that was written beside the tally. Its proxies and groups are the default for those of the columns.
    pub evidence: Option<EvidenceFile>,
}

/// How neighbours are looked for. The columns of their features are named by [`Columns::features`].
#[derive(Clone, Copy)]
pub struct Near<'a> {
    /// An array of features in place of columns.
    pub array: Option<&'a Path>,
    /// What is near.
    pub metric: Metric,
    /// Whether features are put on one scale first.
    pub scale: bool,
    /// How to look.
    pub search: SearchMethod,
    /// Each row keeps a random three of its own and borrowed guesses, by this seed.
    pub triple_seed: Option<u64>,
    /// Told how many rows' worth of the search is done, and of how many, from any thread; first of none.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl<'a> AuditTable<'a> {
    /// Asks for these columns, and for nothing else.
    pub fn new(columns: Columns) -> Self {
        AuditTable { columns, near: None, again: None, sample: None, evidence: None }
    }

    /// Reads the table. Neighbours are looked for on the threads of the `rayon` pool it is called in.
    pub fn read(self, inputs: Vec<Input>, reading: &Reading) -> Result<Table, IngestError> {
        let AuditTable { columns, near, again, sample, evidence } = self;
        let refuse =
            |problem| Err(IngestError { place: Place::default(), problem: Problem::Features(problem) });
        if near.is_some() && sample.is_some() {
            return refuse(FeatureProblem::Sample);
        }
        if near.is_some() && columns.label_probability.is_some() {
            return Err(IngestError { place: Place::default(), problem: Problem::LabelProbabilityOfRows });
        }
        if near.is_some() && columns.outcome.is_some() {
            return Err(IngestError { place: Place::default(), problem: Problem::OutcomeBorrowed });
        }
        if near.is_some_and(|near| near.triple_seed.is_some()) && again.is_some() {
            return refuse(FeatureProblem::Triples);
        }
        if near.is_some() && evidence.is_some() {
            return refuse(FeatureProblem::RowsNeeded);
        }
        let columns = match &evidence {
            Some(evidence) => evidence.completed(columns),
            None => columns,
        };
        // With a table of another population, the known groups are there.
        let labels = columns.audit_labels.clone();
        let audit_labels = labels.clone().filter(|_| sample.is_none());
        let columns = Columns { audit_labels, ..columns };
        let plain = Columns { features: Vec::new(), ..columns.clone() };
        let mut table = match (near, evidence) {
            (None, None) => read_table(inputs, &plain, reading)?,
            (None, Some(evidence)) => read_with_evidence(inputs, &plain, reading, evidence)?,
            (Some(near), _) => {
                let rows = read_rows(inputs, &columns, near.array, reading)?;
                let rows = if near.scale { rows.scaled() } else { rows };
                reading.note(rows.unscaled());
                (near.progress)(0, rows.searched());
                let found = rows.find_neighbors(near.metric, near.search, near.progress)?;
                found.table(near.triple_seed)?
            }
        };
        // Guesses without probabilities are sure of themselves: there is nothing to read again.
        if let Some(again) = again.filter(|_| !plain.proxy_probs.is_empty()) {
            let sure = read_confident(again, &plain, &table.counts, reading)?;
            table.counts = table.counts.with_confident_tally(sure);
        }
        if let (Some(sample), Some(column)) = (sample, labels) {
            let labels = read_labels(sample, &plain, &column, table.counts.legend(), reading)?;
            table.counts = table.counts.with_audit_labels(labels);
        }
        Ok(table)
    }
}

/// Why the shares of a population cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub enum PopulationProblem {
    /// Of groups that are not there, or several times of one.
    Names(AuditError),
    /// They are not those of a population.
    Sum {
        /// What they make.
        sum: f64,
    },
    /// There is no one proxy that gives probabilities.
    NoProbabilities,
}

impl From<AuditError> for PopulationProblem {
    fn from(error: AuditError) -> Self {
        PopulationProblem::Names(error)
    }
}

impl Refuses for PopulationProblem {
    fn refusal(&self) -> Refusal {
        match self {
            PopulationProblem::Names(error) => error.refusal(),
            PopulationProblem::Sum { sum } => said(
                text![
                    Setting::Population,
                    format!(" gives shares of {sum:.3} in all, or nothing for a group")
                ],
                "a share above 0 for every group, 1 in all",
                "correct them, or put groups together",
            ),
            PopulationProblem::NoProbabilities => said(
                text![
                    "{population} is about the probabilities of one proxy, and there are others, or a tally without them"
                ],
                text!["one {proxy_probs} and no other proxy; with a tally, its {evidence}"],
                "give the rows, or what was written beside the tally",
            ),
        }
    }
}

shows_refusal!(PopulationProblem);

impl Table {
    /// The same, where the probabilities of its one proxy were made for other people, among whom the groups have these shares. One
    /// group may be left out: it is the rest.
    pub fn with_population(self, stated: &[(String, f64)]) -> Result<Self, PopulationProblem> {
        let shares = Settings::shares_by_name(Setting::Population, stated, &self.counts.legend().groups)?;
        let sum: f64 = shares.iter().sum();
        if shares.iter().any(|share| *share <= 0.0) || (sum - 1.0).abs() > 0.01 {
            return Err(PopulationProblem::Sum { sum });
        }
        let with = |counts: Counts| counts.with_population(&shares).ok_or(PopulationProblem::NoProbabilities);
        let of_segment = |segment: Segment| {
            Ok::<_, PopulationProblem>(Segment { counts: with(segment.counts)?, ..segment })
        };
        Ok(Table {
            counts: with(self.counts)?,
            truth: self.truth,
            segments: self.segments.into_iter().map(of_segment).collect::<Result<_, _>>()?,
        })
    }

    /// The same, of guesses that were randomised before they were counted.
    pub fn with_mechanisms(self, told: &[Randomized]) -> Result<Self, MechanismError> {
        let of_segment =
            |segment: Segment| Ok(Segment { counts: segment.counts.with_mechanisms(told)?, ..segment });
        Ok(Table {
            counts: self.counts.with_mechanisms(told)?,
            truth: self.truth,
            segments: self.segments.into_iter().map(of_segment).collect::<Result<_, _>>()?,
        })
    }
}
