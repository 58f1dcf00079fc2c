//! Rows of text from elsewhere than bytes: a database, or the memory of whoever calls.

use crate::columns::Columns;
use crate::error::IngestError;

/// Where rows of text come from, some at a time.
pub trait RowSource: Send {
    /// What messages call it.
    fn name(&self) -> String;

    /// Whether its rows are those of a tally, whatever the table behind it is. No other input can stand beside it then.
    fn makes_tally(&self) -> bool {
        false
    }

    /// The names of its columns, asked for once, before any row. `columns` is what the user said of those of the table.
    fn open(&mut self, columns: &Columns) -> Result<Vec<String>, IngestError>;

    /// Adds some rows; there are no more where it adds none.
    fn next(&mut self, rows: &mut TextRows) -> Result<(), IngestError>;
}

/// Some rows, field after field; what is missing is an empty field.
#[derive(Debug, Clone, Default)]
pub struct TextRows {
    text: String,
    ends: Vec<usize>,
}

impl TextRows {
    /// Adds the next field.
    pub fn push(&mut self, field: &str) {
        self.text.push_str(field);
        self.ends.push(self.text.len());
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One field after the other.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end])
    }
}

/// Rows in memory.
///
/// ```
/// # use fairveil_ingest::{Columns, Input, MemoryRows, Reading, read_table};
/// let rows = [["1", "x", "x"], ["0", "y", ""], ["1", "y", "x"], ["0", "x", "y"]];
/// let rows = MemoryRows::new("people", ["y_pred", "proxy_a", "proxy_b"], rows);
/// let table = read_table(vec![Input::Rows(Box::new(rows))], &Columns::default(), &Reading::default())?;
/// assert_eq!(table.counts.weight(), 4.0);
/// # Ok::<(), fairveil_ingest::IngestError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryRows {
    name: String,
    columns: Vec<String>,
    rows: TextRows,
}

impl MemoryRows {
    /// Takes all rows, each with a field for every column. `name` is what messages call them.
    pub fn new<R, T>(
        name: &str,
        columns: impl IntoIterator<Item = impl Into<String>>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self
    where
        R: IntoIterator<Item = T>,
        T: AsRef<str>,
    {
        let mut taken = TextRows::default();
        rows.into_iter().flatten().for_each(|field| taken.push(field.as_ref()));
        let columns = columns.into_iter().map(Into::into).collect();
        MemoryRows { name: name.to_owned(), columns, rows: taken }
    }

    /// All rows of a source.
    pub(crate) fn of(mut source: Box<dyn RowSource + '_>) -> Result<Self, IngestError> {
        let mut all =
            MemoryRows { name: source.name(), columns: source.open(&Columns::default())?, ..Self::default() };
        loop {
            let mut some = TextRows::default();
            source.next(&mut some)?;
            if some.is_empty() {
                return Ok(all);
            }
            some.fields().for_each(|field| all.rows.push(field));
        }
    }
}

impl RowSource for MemoryRows {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn open(&mut self, _: &Columns) -> Result<Vec<String>, IngestError> {
        Ok(self.columns.clone())
    }

    fn next(&mut self, rows: &mut TextRows) -> Result<(), IngestError> {
        *rows = std::mem::take(&mut self.rows);
        Ok(())
    }
}
