//! What was counted of evidence, and what its points mean.

use super::points::Points;
use super::{Kind, Several};
use crate::cells::Key;
use crate::names::NameSource;
use crate::plan::Plan;
use fairveil_core::counts::NameRows;
use fairveil_core::evidence::{EvidenceSource, EvidenceTally};
use fairveil_core::setting::visible;
use fairveil_core::vocabulary::{Group, Stratum};
use serde::{Deserialize, Serialize};

/// Rows by points, and what the points mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    pub by_point: ByPoint,
    pub told: Told,
}

/// All counts of the same rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ByPoint {
    /// By the point of each source.
    pub alone: Vec<Points<1>>,
    /// By what several say.
    pub several: Option<Several>,
    /// For each source, rows by what the look-up gave: known, empty, no name, unknown, a whole name.
    pub looked: Vec<[u64; 5]>,
}

impl ByPoint {
    /// Takes other rows; `places` are the places here of the places there.
    pub fn merge(&mut self, other: ByPoint, places: &[u32]) {
        for (mine, theirs) in self.alone.iter_mut().zip(other.alone) {
            mine.merge(theirs, places);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.several, other.several) {
            mine.together.merge(theirs.together, places);
            mine.jointly.merge(theirs.jointly, places);
        }
        for (mine, theirs) in self.looked.iter_mut().zip(other.looked) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
    }

    /// The same counts of no rows.
    pub fn emptied(&self) -> ByPoint {
        let several = self.several.as_ref();
        ByPoint {
            alone: self.alone.iter().map(Points::emptied).collect(),
            several: several.map(|several| Several {
                together: several.together.emptied(),
                jointly: several.jointly.emptied(),
            }),
            looked: vec![[0; 5]; self.looked.len()],
        }
    }

    /// Cells in all of them.
    pub fn cells(&self) -> usize {
        let several = self.several.iter();
        let several = several.map(|several| several.together.cells.len() + several.jointly.cells.len());
        self.alone.iter().map(|alone| alone.cells.len()).chain(several).sum()
    }
}

/// Groups and sources: what has to be known of points to use them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    /// The groups that the sources tell apart.
    pub groups: Vec<String>,
    /// The groups that are compared.
    pub compared: Vec<String>,
    /// Whether someone named these, and so their order.
    pub stated: bool,
    /// For each that is told apart the one that it belongs to.
    pub of: Vec<usize>,
    pub sources: Vec<SourceTold>,
}

/// One source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceTold {
    /// That of the proxy which guesses from it.
    pub name: String,
    /// Its table of names or places; nothing where it gives probabilities.
    pub table: Option<String>,
    /// Whom that is about.
    pub about: Option<String>,
    /// What its points take the shares of the groups to be; nothing for their mean.
    pub reference: Option<Vec<f64>>,
    /// The shares of the groups in the population that its table is about.
    pub population: Option<Vec<f64>>,
}

impl Told {
    /// What a plan knows of its evidence.
    pub fn of(plan: &Plan) -> Option<Self> {
        match plan.evidence()? {
            Kind::Names(sources) => {
                let first = sources.first()?;
                Some(Told {
                    groups: first.fine().to_vec(),
                    compared: first.groups().to_vec(),
                    stated: first.is_stated(),
                    of: first.of().to_vec(),
                    sources: sources.iter().map(|source| SourceTold::of_names(source)).collect(),
                })
            }
            Kind::Probabilities { groups } => {
                let (key, _) = plan.probabilities.first()?;
                let name = visible(&plan.keys[*key].name).into_owned();
                let source = SourceTold { name, table: None, about: None, reference: None, population: None };
                let groups: Vec<String> = plan.score_groups.iter().take(groups).cloned().collect();
                Some(Told {
                    of: (0..groups.len()).collect(),
                    compared: groups.clone(),
                    stated: false,
                    groups,
                    sources: vec![source],
                })
            }
        }
    }
}

impl SourceTold {
    fn of_names(source: &NameSource) -> Self {
        let EvidenceSource { name, about, reference, population } = source.evidence();
        SourceTold { name, table: Some(source.table().name().to_owned()), about, reference, population }
    }

    fn evidence(&self) -> EvidenceSource {
        EvidenceSource {
            name: self.name.clone(),
            about: self.about.clone(),
            reference: self.reference.clone(),
            population: self.population.clone(),
        }
    }
}

/// A place in the words of the audit: its stratum, and which value of what is controlled for.
pub(crate) type Placed = (Stratum, u32);

/// Evidence in raw values.
pub(crate) struct RawEvidence {
    /// The raw codes of each place.
    pub keys: Vec<Key>,
    pub counted: Evidence,
}

impl RawEvidence {
    /// The evidence about the rows of some places; nothing where a group that it tells is none of the audit's.
    pub fn tally(&self, groups: &[String], placed: impl Fn(&Key) -> Option<Placed>) -> Option<EvidenceTally> {
        let Evidence { by_point: ByPoint { alone, several, .. }, told } = &self.counted;
        let places: Vec<Option<Placed>> = self.keys.iter().map(placed).collect();
        let place = |at: &usize| groups.iter().position(|group| *group == told.compared[*at]).map(Group);
        let several = several.as_ref();
        Some(EvidenceTally {
            groups: told.groups.clone(),
            of: told.of.iter().map(place).collect::<Option<_>>()?,
            sources: told.sources.iter().map(SourceTold::evidence).collect(),
            alone: alone.iter().map(|points| points.tally(1, &places)).collect(),
            together: several.map(|several| several.together.tally(1, &places)),
            jointly: several.map(|several| several.jointly.tally(told.sources.len(), &places)),
        })
    }

    /// How many names of each source were found; nothing for one that gives probabilities.
    pub fn looked(&self) -> Vec<NameRows> {
        let counts = |(source, looked): (&SourceTold, &[u64; 5])| {
            let [known, empty, not_a_name, unknown, whole_name] = *looked;
            let (table, about) = (source.table.clone()?, source.about.clone().unwrap_or_default());
            let source = source.name.clone();
            Some(NameRows { source, table, about, known, empty, not_a_name, unknown, whole_name })
        };
        self.counted.told.sources.iter().zip(&self.counted.by_point.looked).filter_map(counts).collect()
    }
}
