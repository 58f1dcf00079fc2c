//! Error rates as a file states them: one matrix, a list of them, or a whole audit as it was written.

use super::{Given, GivenNoise};
use crate::noise::{NoiseError, TransitionMatrix};
use crate::rates::Shares;
use crate::record::{LearnedFrom, StratumRecord};
use crate::setting::{Refusal, Refuses};
use crate::shows_refusal;
use crate::vocabulary::{Class, Estimator, Group, Legend, Scope, Stratum};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Error rates from a file, in its own words. [`given`](Self::given) puts them into those of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedNoise {
    parts: Vec<Part>,
    /// What an audit relied on, where it is one.
    relied_on: Option<ReliedOn>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Part {
    estimator: Option<Estimator>,
    scope: Option<Scope>,
    rows: Option<LearnedFrom>,
    stratum: Option<StratumRecord>,
    proxy: Option<String>,
    groups: Option<Vec<String>>,
    transition: Option<Vec<Vec<f64>>>,
    group_shares: Option<Vec<f64>>,
    // Names that mean the same elsewhere.
    shares: Option<Present>,
    priors: Option<Present>,
    p: Option<Present>,
}

/// A part of the table: a matrix for all proxies, or one for each.
struct Known {
    stratum: Option<Stratum>,
    matrices: Vec<TransitionMatrix>,
    shares: Option<Shares<Group>>,
}

/// Something is there.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Present;

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Present)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
struct ReliedOn {
    estimator: Option<Estimator>,
    scope: Option<Scope>,
}

#[derive(Deserialize)]
struct Document {
    noise: Option<Vec<Part>>,
    advice: Option<ReliedOn>,
    #[serde(flatten)]
    alone: Part,
}

impl<'de> Deserialize<'de> for StatedNoise {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Forms;
        impl<'de> Visitor<'de> for Forms {
            type Value = StatedNoise;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object with a `transition` matrix, a list of them, or an audit")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<StatedNoise, A::Error> {
                let parts = Vec::deserialize(value::SeqAccessDeserializer::new(list))?;
                Ok(StatedNoise { parts, relied_on: None })
            }
            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<StatedNoise, A::Error> {
                let Document { noise, advice, alone } =
                    Document::deserialize(value::MapAccessDeserializer::new(object))?;
                let none = ReliedOn { estimator: None, scope: None };
                Ok(match noise {
                    Some(parts) => StatedNoise { parts, relied_on: Some(advice.unwrap_or(none)) },
                    None => StatedNoise { parts: vec![alone], relied_on: None },
                })
            }
        }
        deserializer.deserialize_any(Forms)
    }
}

impl StatedNoise {
    /// What is stated, in the words of a table.
    ///
    /// ```
    /// # use fairveil_core::estimate::StatedNoise;
    /// # use fairveil_core::vocabulary::Legend;
    /// let file = r#"{"groups": ["group 2", "group 1"], "transition": [[0.9, 0.1], [0.3, 0.7]]}"#;
    /// let stated: StatedNoise = serde_json::from_str(file)?;
    /// let given = stated.given(&Legend::plain(2, 2, 3, false))?;
    /// assert_eq!(given.noise[0].transition.rows()[0], [0.7, 0.3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn given(&self, legend: &Legend) -> Result<Given, StatedError> {
        let known = self.used();
        let named: Vec<&String> = known.iter().filter_map(|part| part.proxy.as_ref()).collect();
        let unknown = legend.proxies.iter().find(|proxy| !named.is_empty() && !named.contains(&&proxy.name));
        if let Some(proxy) = unknown {
            let known = named.into_iter().cloned().collect();
            return Err(StatedError::UnknownProxy { known, proxy: proxy.name.clone() });
        }
        // Each proxy's own matrix, of those that the table has.
        let of_table = |part: &&&Part| {
            part.proxy.as_ref().is_none_or(|name| legend.proxies.iter().any(|proxy| proxy.name == *name))
        };
        let mut strata: Vec<Known> = Vec::new();
        for part in known.iter().filter(of_table) {
            let stratum = part.stratum.as_ref().map(|stratum| of_legend(stratum, legend)).transpose()?;
            let order = part.order(legend)?;
            let (matrix, shares) = (part.matrix(&order)?, part.shares(&order)?);
            match strata.iter_mut().find(|known| known.stratum == stratum) {
                Some(known) => known.matrices.push(matrix),
                None => strata.push(Known { stratum, matrices: vec![matrix], shares }),
            }
        }
        if strata.is_empty() {
            return Err(StatedError::Nothing);
        }
        let noise = strata.into_iter().map(|Known { stratum, matrices, shares }| {
            Ok(GivenNoise { stratum, transition: TransitionMatrix::mean(&matrices)?, group_shares: shares })
        });
        Ok(Given { noise: noise.collect::<Result<_, NoiseError>>().map_err(StatedError::Noise)? })
    }

    /// The parts with a matrix; of an audit those of the method and rows that it relied on, else those of its first.
    fn used(&self) -> Vec<&Part> {
        let known = || self.parts.iter().filter(|part| part.transition.is_some());
        let Some(relied_on) = self.relied_on else { return known().collect() };
        let by = |part: &Part, estimator, scope| (part.estimator, part.scope) == (estimator, scope);
        let relied = known().find(|part| by(part, relied_on.estimator, relied_on.scope));
        let Some(first) = relied.or_else(|| known().next()) else { return Vec::new() };
        // One estimator may offer one matrix for all proxies and one for each; they are not to be mixed.
        let alike = |part: &Part| part.proxy.is_some() == first.proxy.is_some();
        known()
            .filter(|part| {
                by(part, first.estimator, first.scope)
                    && alike(part)
                    && (part.rows == first.rows || part.stratum.is_some())
            })
            .collect()
    }
}

impl Part {
    /// Where each group of the table stands.
    fn order(&self, legend: &Legend) -> Result<Vec<usize>, StatedError> {
        let needed = || legend.groups.clone();
        let Some(names) = &self.groups else { return Err(StatedError::NoGroups { needed: needed() }) };
        let place = |group: &String| {
            let found = names.iter().position(|name| name == group);
            found.ok_or_else(|| StatedError::UnknownGroup { group: group.clone(), needed: needed() })
        };
        let order: Vec<usize> = legend.groups.iter().map(place).collect::<Result<_, _>>()?;
        if names.len() != order.len() {
            return Err(StatedError::OtherGroups { found: names.len(), needed: needed() });
        }
        Ok(order)
    }

    fn matrix(&self, order: &[usize]) -> Result<TransitionMatrix, StatedError> {
        let rows = self.transition.as_deref().unwrap_or_default();
        if rows.len() != order.len() || rows.iter().any(|row| row.len() != order.len()) {
            return Err(StatedError::Shape { rows: rows.len(), needed: order.len() });
        }
        // Printed digits are rounded; a row may miss 1 by a few in the last of them.
        let row = |a: &usize| {
            let row: Vec<f64> = order.iter().map(|g| rows[*a][*g]).collect();
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() < 1e-6 { row.iter().map(|p| p / sum).collect() } else { row }
        };
        TransitionMatrix::new(order.iter().map(row).collect()).map_err(StatedError::Noise)
    }

    fn shares(&self, order: &[usize]) -> Result<Option<Shares<Group>>, StatedError> {
        let others = [("shares", self.shares), ("priors", self.priors), ("p", self.p)];
        if let Some((key, _)) = others.into_iter().find(|(_, is)| is.is_some()) {
            return Err(StatedError::OtherName { key });
        }
        let Some(shares) = &self.group_shares else { return Ok(None) };
        let sum: f64 = shares.iter().sum();
        let wrong = shares.len() != order.len() || (sum - 1.0).abs() > 1e-3;
        if wrong || shares.iter().any(|share| *share < 0.0) {
            return Err(StatedError::Shares { found: shares.clone(), needed: order.len() });
        }
        Ok(Some(Shares::new(order.iter().map(|a| shares[*a]).collect::<Vec<_>>())))
    }
}

fn of_legend(stratum: &StratumRecord, legend: &Legend) -> Result<Stratum, StatedError> {
    let class = |name: &String| {
        let place = legend.classes.iter().position(|class| class == name).map(Class);
        place
            .ok_or_else(|| StatedError::UnknownClass { class: name.clone(), classes: legend.classes.clone() })
    };
    Ok(Stratum {
        label: stratum.label.as_ref().map(class).transpose()?,
        prediction: class(&stratum.prediction)?,
    })
}

/// A reason why stated error rates are not about a table.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each field is what its message says")]
#[non_exhaustive]
pub enum StatedError {
    /// There is no matrix.
    Nothing,
    /// A proxy of the table has no matrix, and others have.
    UnknownProxy { known: Vec<String>, proxy: String },
    /// Rows and columns are not said to be groups.
    NoGroups { needed: Vec<String> },
    /// A group of the table has no row.
    UnknownGroup { group: String, needed: Vec<String> },
    /// There are groups that the table has not.
    OtherGroups { found: usize, needed: Vec<String> },
    /// A matrix of another size.
    Shape { rows: usize, needed: usize },
    /// Shares under another name.
    OtherName { key: &'static str },
    /// Shares that are none.
    Shares { found: Vec<f64>, needed: usize },
    /// A stratum of a class that the table has not.
    UnknownClass { class: String, classes: Vec<String> },
    /// A matrix that is none.
    Noise(NoiseError),
}

impl Refuses for StatedError {
    fn refusal(&self) -> Refusal {
        match self {
            StatedError::Nothing => Refusal::new("no `transition` matrix is in it")
                .needed("rows for groups, columns for guesses, each row summing to 1"),
            StatedError::UnknownProxy { known, proxy } => {
                Refusal::new(format!("it knows the errors of {}, not of {proxy}", known.join(", ")))
                    .needed("the errors of every proxy of the table, or one matrix for all")
            }
            StatedError::NoGroups { needed } => Refusal::new("it does not say which row is which group")
                .needed(format!("`groups`, such as {needed:?}")),
            StatedError::UnknownGroup { group, needed } => {
                Refusal::new(format!("group {group} is not among its groups"))
                    .needed(format!("the groups {}", needed.join(", ")))
            }
            StatedError::OtherGroups { found, needed } => Refusal::new(format!("it knows {found} groups"))
                .needed(format!("the groups {}", needed.join(", "))),
            StatedError::Shape { rows, needed: n } => Refusal::new(format!("`transition` has {rows} rows"))
                .needed(format!("{n} rows of {n} numbers")),
            StatedError::OtherName { key } => Refusal::new(format!("`{key}` is not known"))
                .needed("shares of the groups are called `group_shares`"),
            StatedError::Shares { found, needed } => Refusal::new(format!("`group_shares` is {found:?}"))
                .needed(format!("{needed} shares that sum to 1")),
            StatedError::UnknownClass { class, classes } => Refusal::new(format!(
                "class {class} does not occur in the table (it has {})",
                classes.join(", ")
            )),
            StatedError::Noise(error) => Refusal::new(error.to_string()),
        }
    }
}

shows_refusal!(StatedError);
