//! A second look at the rows: what the probabilities of each are sure of.

use crate::columns::{Columns, Layout, ProxyKind};
use crate::error::{IngestError, Place, Problem};
use crate::tally::{most_likely, probabilities};
use crate::value::{canonical, is_missing};
use fairveil_core::{ConfidentTally, Counts, ProxyId};

/// Rows on their way to a confident joint.
pub(crate) struct ConfidentCounter<'a> {
    file: &'a str,
    columns: &'a Columns,
    layout: Layout,
    counts: &'a Counts,
    thresholds: Vec<f64>,
    tally: ConfidentTally,
}

impl<'a> ConfidentCounter<'a> {
    pub fn new(
        file: &'a str,
        columns: &'a Columns,
        header: &[String],
        counts: &'a Counts,
    ) -> Result<Self, IngestError> {
        let layout = columns.resolve(file, header)?;
        let groups = counts.legend().groups.len();
        let proxy = ProxyId(0);
        let thresholds = ConfidentTally::thresholds(counts, proxy).ok_or_else(|| IngestError {
            place: Place { file: file.into(), line: None, column: Some(layout.proxies[0].name.clone()) },
            problem: Problem::NoProbabilities,
        })?;
        let tally = ConfidentTally { proxy, sure: vec![vec![0.0; groups]; groups] };
        Ok(ConfidentCounter { file, columns, layout, counts, thresholds, tally })
    }

    /// Counts one row, if it is sure of a group. The table was read before: what it holds is known to make sense.
    pub fn add(&mut self, line: u64, record: &csv::ByteRecord) -> Result<(), IngestError> {
        let (file, missing) = (self.file, &self.columns.missing);
        let place = |column: &str| Place { file: file.into(), line: Some(line), column: Some(column.into()) };
        let text = |position: usize| std::str::from_utf8(&record[position]).unwrap_or_default();
        let legend = self.counts.legend();
        let group_at = |name: &str| legend.groups.iter().position(|group| group == name);
        let (mut mean, mut given) = (vec![0.0; legend.groups.len()], 0.0);
        let mut first = None;
        for (c, proxy) in self.layout.proxies.iter().enumerate() {
            match &proxy.kind {
                ProxyKind::Guess(column) if c == 0 => {
                    let text = text(column.position);
                    first = (!is_missing(text, missing)).then(|| group_at(&canonical(text))).flatten();
                }
                ProxyKind::Guess(_) => {}
                ProxyKind::Probabilities(columns) => {
                    let row = probabilities(&proxy.name, columns, missing, &place, record)?;
                    if !row.is_empty() {
                        for ((group, _), p) in columns.iter().zip(&row) {
                            if let Some(a) = group_at(group) {
                                mean[a] += p;
                            }
                        }
                        given += 1.0;
                        if c == 0 {
                            first = columns
                                .get(most_likely(&row) as usize)
                                .and_then(|(group, _)| group_at(group));
                        }
                    }
                }
            }
        }
        let Some(guess) = first.filter(|_| given > 0.0) else { return Ok(()) };
        mean.iter_mut().for_each(|p| *p /= given);
        let weight = self
            .layout
            .weight
            .as_ref()
            .map_or(1.0, |column| text(column.position).trim().parse().unwrap_or(0.0));
        if let Some(sure) = ConfidentTally::sure_of(&mean, &self.thresholds) {
            self.tally.sure[guess][sure.0] += weight;
        }
        Ok(())
    }

    pub fn finish(self) -> ConfidentTally {
        self.tally
    }
}
