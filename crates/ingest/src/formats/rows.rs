//! Rows of text from a source that is no bytes.

use crate::columns::Columns;
use crate::error::Problem;
use crate::fault::Fault;
use crate::formats::Resolve;
use crate::plan::Slots;
use crate::source::{RowSource, TextRows};
use crate::value::At;
use crate::worker::Worker;
use std::sync::Arc;

/// A source on its way to rows.
pub(crate) struct RowFeed<'a> {
    file: u32,
    source: Box<dyn RowSource + 'a>,
    slots: Arc<Slots>,
    row: u64,
}

/// Some rows.
pub(crate) struct RowBlock {
    file: u32,
    slots: Arc<Slots>,
    row: u64,
    rows: TextRows,
}

pub(crate) fn open<'a>(
    file: u32,
    mut source: Box<dyn RowSource + 'a>,
    columns: &Columns,
    header: &mut Resolve,
) -> Result<RowFeed<'a>, Fault> {
    let names = source.open(columns).map_err(|error| Fault::of_header(file, error))?;
    let slots = Arc::new(header(&names)?);
    Ok(RowFeed { file, source, slots, row: 1 })
}

impl RowFeed<'_> {
    pub fn next(&mut self) -> Result<Option<RowBlock>, Fault> {
        let mut rows = TextRows::default();
        self.source.next(&mut rows).map_err(|error| Fault::of_header(self.file, error))?;
        let (width, row) = (self.slots.width.max(1), self.row);
        self.row += rows.len().div_ceil(width) as u64;
        let block = RowBlock { file: self.file, slots: Arc::clone(&self.slots), row, rows };
        Ok(Some(block).filter(|block| !block.rows.is_empty()))
    }
}

impl RowBlock {
    /// Takes the rows.
    pub fn run(self, worker: &mut Worker) -> Result<(), Fault> {
        self.each(|fields, at| {
            let mut put = || {
                for (field, slots) in fields.iter().zip(&self.slots.of) {
                    slots.iter().try_for_each(|slot| worker.put(*slot, field.as_bytes(), at))?;
                }
                Ok(())
            };
            match put() {
                Ok(()) => worker.end_row(at),
                Err(fault) => worker.reject_row(fault),
            }
        })
    }

    /// Hands on each row and where it is.
    pub fn each(&self, mut take: impl FnMut(&[&str], At) -> Result<(), Fault>) -> Result<(), Fault> {
        let fields: Vec<&str> = self.rows.fields().collect();
        for (row, fields) in fields.chunks(self.slots.width.max(1)).enumerate() {
            let at = At { file: self.file, number: self.row + row as u64 };
            if fields.len() < self.slots.width {
                let problem =
                    Problem::FieldCount { found: fields.len() as u64, needed: self.slots.width as u64 };
                return Err(Fault { at, column: None, problem });
            }
            take(fields, at)?;
        }
        Ok(())
    }
}
