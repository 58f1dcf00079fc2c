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

    pub fn push(&mut self, cells: Vec<Sentence>) {
        self.rows.push(Row { cells, strong: false, segment: None });
    }
}
