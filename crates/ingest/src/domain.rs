//! Every value that the columns of a tally may hold, said before a row is read.
//!
//! A tally with noise hides a row only if its lines do not come from the rows: where a line stands for every combination that
//! was *said*, no value shows by standing there that somebody has it.

use crate::columns::{Header, SEGMENT};
use crate::error::{IngestError, Place, Problem};
use crate::plan::Role;
use crate::tally::MOST_SEGMENTS;
use crate::value::canonical;
use fairveil_core::setting::Setting;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// More text than this is no list of segments.
const MOST_BYTES: u64 = 16 << 20;

/// What the columns of a tally may hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Domain {
    /// What proxies may guess.
    pub groups: Vec<String>,
    /// What models may decide, and labels may be.
    pub classes: Vec<String>,
    /// The values of each column that makes segments.
    pub segments: BTreeMap<String, Vec<String>>,
    /// Columns in which a row may have nothing.
    pub may_be_missing: BTreeSet<String>,
}

impl Domain {
    /// Takes the values of columns that make segments from a CSV text with a column for each of them. Values of several columns
    /// need not stand on one line: every combination gets a cell.
    pub fn read_segments(
        &mut self,
        name: &str,
        text: impl Read,
        columns: &[String],
    ) -> Result<(), IngestError> {
        let refused = |problem| {
            let place = Place { file: name.to_owned(), ..Place::default() };
            IngestError { place, problem }
        };
        let broken = |error: csv::Error| refused(Problem::Unreadable(std::io::Error::other(error)));
        let mut reader = csv::Reader::from_reader(text.take(MOST_BYTES));
        let names: Vec<String> =
            reader.headers().map_err(broken)?.iter().map(|name| name.trim().into()).collect();
        if names.iter().all(String::is_empty) {
            return Err(refused(Problem::EmptyFile));
        }
        let header = Header { file: name, names: &names };
        let places =
            columns.iter().map(|column| header.named(column, SEGMENT)).collect::<Result<Vec<_>, _>>()?;
        let mut rows = 0;
        for record in reader.records() {
            let record = record.map_err(broken)?;
            rows += 1;
            for column in &places {
                let value = record.get(column.position).map(canonical).unwrap_or_default();
                if !value.is_empty() {
                    self.segments.entry(column.name.clone()).or_default().push(value.into_owned());
                }
            }
        }
        if reader.into_inner().limit() == 0 {
            return Err(refused(Problem::TooManyCells { limit: MOST_SEGMENTS }));
        }
        if rows == 0 {
            return Err(refused(Problem::NoRows));
        }
        Ok(())
    }

    /// The values that a column may hold, as they are read, in order; nothing stands first where it may be missing.
    pub(crate) fn of_column(&self, name: &str, role: Role) -> Result<Vec<String>, Problem> {
        let setting = setting_of(role);
        let stated = match setting {
            Setting::Classes => Some(&self.classes),
            Setting::Groups => Some(&self.groups),
            _ => self.segments.get(name),
        };
        let stated = stated.filter(|stated| !stated.is_empty()).ok_or(Problem::Domain { setting })?;
        let mut values: BTreeSet<String> = stated.iter().map(|value| canonical(value).into_owned()).collect();
        if self.may_be_missing.contains(name) {
            values.insert(String::new());
        }
        Ok(values.into_iter().collect())
    }
}

/// The setting that says what a column may hold.
pub(crate) fn setting_of(role: Role) -> Setting {
    match role {
        Role::Prediction | Role::Label => Setting::Classes,
        Role::Guess | Role::KnownGroup | Role::TrueGroup => Setting::Groups,
        Role::Segment
        | Role::Period(_)
        | Role::Bin
        | Role::Control
        | Role::Cluster
        | Role::Split
        | Role::Category => Setting::Segments,
    }
}
