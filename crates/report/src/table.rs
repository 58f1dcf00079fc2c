//! Tables as data: every plot stands beside the one it draws, and Markdown prints them without the plot.

use crate::sentence::Sentence;

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

    pub fn push(&mut self, cells: Vec<Sentence>) {
        self.rows.push(Row { cells, strong: false, segment: None });
    }
}
