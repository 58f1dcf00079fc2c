//! Features as a table of numbers, all of them or those that are not 0.
//!
//! ```text
//! dense     columns numbers for each row                                       4 bytes for each column of each row
//! sparse    one number, and its column, for each feature of each row           8 bytes for each feature of each row
//! ```
//! A feature puts one number into one of its columns (a category a 1 into that of its level), whatever its levels. So a table with
//! a few features of thousands of levels is small where all its columns would not fit: nothing is hashed, and no level shares a
//! column with another.

/// The encoded features of all rows, without a column for the intercept.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    rows: usize,
    columns: usize,
    /// Numbers that are held of each row.
    width: usize,
    /// Their columns, ascending in each row; none where all columns are held.
    places: Option<Vec<u32>>,
    values: Vec<f32>,
}

/// The numbers of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DesignRow<'a> {
    /// One for each column.
    Dense(&'a [f32]),
    /// Those that may not be 0.
    Sparse {
        /// Their columns, ascending.
        places: &'a [u32],
        /// The numbers.
        values: &'a [f32],
    },
}

impl<'a> From<&'a [f32]> for DesignRow<'a> {
    fn from(values: &'a [f32]) -> Self {
        DesignRow::Dense(values)
    }
}

impl DesignRow<'_> {
    /// Tells each number that is not 0, with its column.
    pub(crate) fn each(self, mut tell: impl FnMut(usize, f64)) {
        match self {
            DesignRow::Dense(values) => {
                for (column, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    tell(column, f64::from(*value));
                }
            }
            DesignRow::Sparse { places, values } => {
                for (column, value) in places.iter().zip(values) {
                    tell(*column as usize, f64::from(*value));
                }
            }
        }
    }

    /// `Σ x·b` over the columns.
    pub(crate) fn dot(self, b: &[f64]) -> f64 {
        match self {
            DesignRow::Dense(values) => crate::ordered::dot_single(values, b),
            DesignRow::Sparse { places, values } => {
                places.iter().zip(values).map(|(column, value)| f64::from(*value) * b[*column as usize]).sum()
            }
        }
    }

    /// Writes all numbers over `out`, which has one place for each column.
    pub(crate) fn write(self, out: &mut [f64]) {
        if let DesignRow::Dense(values) = self {
            out.iter_mut().zip(values).for_each(|(out, value)| *out = f64::from(*value));
        } else {
            out.fill(0.0);
            self.each(|column, value| out[column] = value);
        }
    }
}

impl Design {
    /// All numbers: `values` hold `columns` of them for each of the `rows`; what is too much is cut off, what lacks is 0.
    pub fn new(rows: usize, columns: usize, mut values: Vec<f32>) -> Self {
        values.resize(rows * columns, 0.0);
        Design { rows, columns, width: columns, places: None, values }
    }

    /// As many numbers for each row as it has features, each with its column. Of each row columns ascend.
    pub(crate) fn sparse(columns: usize, width: usize, places: Vec<u32>, values: Vec<f32>) -> Self {
        let rows = values.len() / width.max(1);
        Design { rows, columns, width, places: Some(places), values }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many numbers are held of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Whether only numbers that may not be 0 are held.
    pub fn is_sparse(&self) -> bool {
        self.places.is_some()
    }

    /// The numbers that are held, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The numbers of one row.
    pub fn row(&self, row: usize) -> DesignRow<'_> {
        let range = row * self.width..(row + 1) * self.width;
        let values = &self.values[range.clone()];
        match &self.places {
            None => DesignRow::Dense(values),
            Some(places) => DesignRow::Sparse { places: &places[range], values },
        }
    }

    /// Some of the rows, in this order.
    pub fn only(&self, rows: &[usize]) -> Design {
        let held = |row: &usize| row * self.width..(row + 1) * self.width;
        Design {
            rows: rows.len(),
            values: rows.iter().flat_map(|row| &self.values[held(row)]).copied().collect(),
            places: self
                .places
                .as_ref()
                .map(|places| rows.iter().flat_map(|row| &places[held(row)]).copied().collect()),
            ..*self
        }
    }

    /// The same with all numbers held.
    #[cfg(test)]
    pub(crate) fn dense(&self) -> Design {
        let mut values = vec![0.0; self.rows * self.columns];
        for row in 0..self.rows {
            self.row(row).each(|column, value| values[row * self.columns + column] = value as f32);
        }
        Design::new(self.rows, self.columns, values)
    }
}
