//! A second look at the rows: what the probabilities of each are sure of.

use crate::columns::Layout;
use crate::error::{IngestError, Place, Problem};
use crate::fault::Fault;
use crate::plan::Plan;
use crate::value::{Dictionary, canonical};
use crate::worker::{Batch, Codes, Consumer};
use fairveil_core::Counts;
use fairveil_core::counts::ExactSum;
use fairveil_core::estimate::ConfidentTally;
use fairveil_core::setting::visible;
use fairveil_core::vocabulary::{Legend, ProxyId};
use std::collections::BTreeMap;

/// What to be sure of takes.
pub(crate) struct Confidence<'a> {
    legend: &'a Legend,
    thresholds: Vec<f64>,
}

impl<'a> Confidence<'a> {
    pub fn new(counts: &'a Counts, file: &str) -> Result<Self, IngestError> {
        let legend = counts.legend();
        let thresholds = ConfidentTally::thresholds(counts, ProxyId(0)).ok_or_else(|| IngestError {
            place: Place { file: file.into(), spot: None, column: Some(legend.proxies[0].name.clone()) },
            problem: Problem::NoProbabilities,
        })?;
        Ok(Confidence { legend, thresholds })
    }

    fn group_at(&self, name: &str) -> Option<usize> {
        self.legend.groups.iter().position(|group| **group == *visible(name))
    }
}

/// Rows on their way to a confident joint. What a first guess means is known only when all values are.
pub(crate) struct Sure<'a> {
    confidence: &'a Confidence<'a>,
    /// Which key is the first proxy's guess.
    first: usize,
    /// Weight by the code of the first guess and the group that the probabilities are sure of.
    cells: BTreeMap<(u32, usize), ExactSum>,
}

impl<'a> Sure<'a> {
    pub fn new(confidence: &'a Confidence<'a>, plan: &Plan) -> Self {
        let name = &confidence.legend.proxies[0].name;
        let first = plan.roles.guesses.iter().find(|place| *visible(&plan.keys[**place].name) == **name);
        Sure { confidence, first: first.copied().unwrap_or(0), cells: BTreeMap::new() }
    }

    /// The joint in the words of the audited table.
    pub fn finish(self, layout: &Layout, dictionaries: &[Dictionary]) -> ConfidentTally {
        let groups = self.confidence.legend.groups.len();
        let mut tally = ConfidentTally { proxy: ProxyId(0), sure: vec![vec![0.0; groups]; groups] };
        for ((code, sure), weight) in &self.cells {
            let name = match layout.proxies[0].kind.groups() {
                Some(groups) => groups.get(*code as usize).map(|group| (*group).clone()),
                None => dictionaries[self.first].values[*code as usize].canonical.clone(),
            };
            if let Some(guess) = name.and_then(|name| self.confidence.group_at(&canonical(&name))) {
                tally.sure[guess][*sure] += weight.value();
            }
        }
        tally
    }
}

impl Consumer for Sure<'_> {
    fn add(&mut self, batch: &Batch, plan: &Plan) -> Result<(), Fault> {
        let places: Vec<Option<usize>> =
            plan.score_groups.iter().map(|group| self.confidence.group_at(group)).collect();
        let mut mean = vec![0.0; self.confidence.legend.groups.len()];
        for row in 0..batch.rows {
            let left_out = batch.left_out.get(row).is_some_and(|out| *out);
            if left_out || !batch.scored.get(row).is_some_and(|scored| *scored) {
                continue;
            }
            for (place, scores) in places.iter().zip(&batch.scores) {
                if let Some(place) = place {
                    mean[*place] = scores[row];
                }
            }
            let weight = plan.weight.map_or(1.0, |place| batch.numbers[place][row]);
            if let Some(sure) = ConfidentTally::sure_of(&mean, &self.confidence.thresholds) {
                self.cells.entry((batch.codes[self.first][row], sure.0)).or_default().add(weight);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: Self, codes: &Codes) -> Result<(), Problem> {
        for ((code, sure), weight) in other.cells {
            self.cells.entry((codes[self.first][code as usize], sure)).or_default().merge(&weight);
        }
        Ok(())
    }
}
