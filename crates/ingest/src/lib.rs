//! From bytes to a tally: the readers of fairveil.
//!
//! The last place that sees a row. What comes out is [`fairveil_core::Counts`], in which a person is one of many
//! in a cell. A table that cannot be read, or makes no sense, gives an [`IngestError`] that says where, what was
//! found, what was needed and what to do; nothing is dropped, repaired or guessed without being counted.
//!
//! ```
//! use fairveil_ingest::{AuditTable, Columns, Input, Reading};
//!
//! let table = "hired,name_says,place_says\nyes,a,a\nno,b,\nyes,b,a\nno,a,b\n";
//! let columns = Columns {
//!     y_pred: Some("hired".into()),
//!     proxies: vec!["name_says".into(), "place_says".into()],
//!     ..Columns::default()
//! };
//! let input = |columns| {
//!     let input = Input::Memory { name: "people".into(), bytes: table.into() };
//!     AuditTable::new(columns).read(vec![input], &Reading::default())
//! };
//! // Four rows of two groups; a proxy that says nothing abstains.
//! let counts = input(columns.clone())?.counts;
//! assert_eq!((counts.weight(), &counts.legend().groups[..]), (4.0, &["a".to_owned(), "b".to_owned()][..]));
//! // A column that is not there is refused, and the nearest is named.
//! let refused = input(Columns { y_pred: Some("hird".into()), ..columns }).unwrap_err();
//! assert!(refused.to_string().contains("`hired`"), "{refused}");
//! # Ok::<(), fairveil_ingest::IngestError>(())
//! ```
//!
//! Bytes are told apart by what they are, not only by their name, and cut into pieces (`feed`, `formats`); threads turn
//! pieces into rows of codes and numbers (`worker`) and count them (`cells`); names are made sense of once, at the end
//! (`naming`). Memory does not grow with rows.

mod audit;
mod bins;
mod borrow;
mod cells;
mod columns;
mod confident;
mod domain;
mod error;
mod evidence;
mod fault;
mod features;
mod feed;
mod formats;
mod formula;
mod labels;
mod mechanism;
mod models;
mod names;
mod naming;
mod own_tables;
mod people;
mod period;
mod periods;
mod plan;
#[cfg(feature = "postgres")]
mod postgres;
mod problem;
mod quick_sum;
mod read;
mod rewrite;
mod source;
mod sql;
mod tally;
mod tally_file;
mod training;
mod value;
mod worker;

pub use audit::{AuditTable, Near, PopulationProblem};
pub use bins::Bins;
pub use borrow::{FeatureRows, Neighborhood, read_rows};
pub use columns::{ColumnProblem, Columns, Count, Cut, LEAST_SAID, LEAST_SEGMENT};
pub use domain::Domain;
pub use error::{IngestError, Place, Problem, Spot};
pub use evidence::{EvidenceFile, EvidenceProblem};
/// Tables of names and places.
pub use fairveil_names as tables_of_names;
pub use features::FeatureProblem;
pub use feed::{Delimiter, Input, Note, Notes, Progress, Reading, Witness};
pub use formats::{Decimal, Encoding, FORMATS};
pub use formula::is_formula;
pub use mechanism::{EarlierRelease, MECHANISM_SCHEMA, Mechanism, MechanismError, stated_matrix};
pub use names::{Looked, MOST_NAMED_GROUPS, NameColumn, NameProblem, NameSource, NamesAsked};
pub use own_tables::{files_in, tables_in};
pub use period::Every;
pub use periods::{Periods, PeriodsError};
#[cfg(feature = "postgres")]
pub use postgres::{
    Address, Database, DatabaseProblem, StatedBy, TallyRows, is_postgres, shown, without_password,
};
pub use read::{count_table, read, read_compared, read_confident, read_file, read_labels, read_table};
pub use rewrite::{
    Copied, Edit, RewriteError, RewritePlan, Rows, TableFormat, each_rows, header, rewrite, write_weights,
};
pub use source::{MemoryRows, RowSource, TextRows};
pub use sql::{Dialect, Relation, SqlProblem, tally_sql};
pub use tally::{Compared, MOST_CLASSES, MOST_GROUPS, Table};
pub use tally_file::{TallyFormat, TallyTable};
pub use training::{RuleProblem, TrainingColumns, TrainingProblem, TrainingRows, read_training_rows};
pub use value::{canonical, sort_names};
