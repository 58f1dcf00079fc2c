//! From bytes to a tally: the readers of fairveil.
//!
//! The last place that sees a row. What comes out is [`fairveil_core::Counts`], in which a person is one of many
//! in a cell. A table that can not be read, or makes no sense, gives an [`IngestError`] that says where, what was
//! found, what was needed and what to do; nothing is dropped, repaired or guessed without being counted.

mod columns;
mod confident;
mod csv;
mod error;
mod labels;
mod models;
mod naming;
#[cfg(feature = "postgres")]
mod postgres;
mod sql;
mod tally;
mod value;

pub use crate::csv::{Delimiter, read, read_compared_file, read_confident_file, read_file, read_labels_file};
pub use columns::Columns;
pub use error::{IngestError, Place, Problem};
#[cfg(feature = "postgres")]
pub use postgres::{
    Address, Database, DatabaseProblem, each_tally_row, is_postgres, shown, without_password,
};
pub use sql::{Dialect, Relation, SqlProblem, tally_sql};
pub use tally::{Compared, MOST_CLASSES, MOST_GROUPS, Segment, Table};
