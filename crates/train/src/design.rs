//! Features as a table of numbers.

/// The encoded features of all rows: one row of numbers after the other, without a column for the intercept.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Design {
    /// `values` hold `columns` numbers for each of the `rows`; what is too much is cut off, what lacks is 0.
    pub fn new(rows: usize, columns: usize, mut values: Vec<f32>) -> Self {
        values.resize(rows * columns, 0.0);
        Design { rows, columns, values }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many numbers a row has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All numbers, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The numbers of one row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// Some of the rows, in this order.
    pub fn only(&self, rows: &[usize]) -> Design {
        let values = rows.iter().flat_map(|row| self.row(*row)).copied().collect();
        Design { rows: rows.len(), columns: self.columns, values }
    }
}
