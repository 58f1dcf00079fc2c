//! Tables as data: every plot stands beside the one it draws, and Markdown prints them without the plot.

use crate::sentence::{Sentence, even};

/// A table whose first column names its rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub head: Vec<Sentence>,
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub cells: Vec<Sentence>,
    /// The row to report.
    pub strong: bool,
    /// The segment whose numbers it holds, where a table goes across segments.
    pub segment: Option<usize>,
}

impl Row {
    /// It names the rows after it.
    pub fn is_part(&self, table: &Table) -> bool {
        self.cells.len() == 1 && table.head.len() > 1
    }
}

impl Table {
    pub fn with_head<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Table { head: head.into_iter().map(Sentence::of).collect(), rows: Vec::new() }
    }

    /// The same without the columns in which no row says anything.
    pub fn trimmed(mut self) -> Self {
        for column in (1..self.head.len()).rev() {
            let says = |row: &Row| row.cells.get(column).is_some_and(|cell| !cell.0.is_empty());
            if !self.rows.is_empty() && !self.rows.iter().any(says) {
                self.head.remove(column);
                for row in self.rows.iter_mut().filter(|row| row.cells.len() > column) {
                    row.cells.remove(column);
                }
            }
        }
        self
    }

    /// The same number of decimals in every row of a column, and in all columns alike.
    pub fn even(mut self) -> Self {
        even(self.rows.iter_mut().flat_map(|row| &mut row.cells));
        self
    }

    /// What the rows after it have in common, in a row of its own.
    pub fn part(&mut self, name: Sentence) {
        self.push(vec![name]);
    }

    pub fn push(&mut self, cells: Vec<Sentence>) {
        self.rows.push(Row { cells, strong: false, segment: None });
    }
}
