//! Guesses that were randomised before they were counted.

use super::Counts;
use crate::privacy::{RandomizedResponse, Told};
use crate::setting::visible;
use crate::setting::{Refusal, Refuses, Setting};
use crate::{shows_refusal, text};

/// What was done to the guesses of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Randomized {
    /// The column.
    pub column: String,
    /// The groups, in the order of the mechanism's rows.
    pub groups: Vec<String>,
    /// The mechanism.
    pub response: RandomizedResponse,
}

impl Counts {
    /// The same tally, of guesses that were randomised before they were counted: what was done to
    /// each column. Guesses lent by a proxy were randomised as its own.
    pub fn with_mechanisms(mut self, mechanisms: &[Randomized]) -> Result<Self, MechanismError> {
        let mut responses = vec![None; self.legend.proxies.len()];
        for Randomized { column, groups, response } in mechanisms {
            let order = self
                .legend
                .groups
                .iter()
                .map(|name| groups.iter().position(|group| *visible(group) == **name));
            let order: Option<Vec<usize>> = order.collect();
            let Some(order) = order.filter(|order| order.len() == groups.len()) else {
                let (told, found) = (groups.clone(), self.legend.groups.clone());
                return Err(MechanismError::OtherGroups { column: column.clone(), told, found });
            };
            let rows = order.iter().map(|v| order.iter().map(|w| response.rows()[*v][*w]).collect());
            let response = RandomizedResponse::new(rows.collect()).unwrap_or_else(|_| response.clone());
            let mut met = false;
            for (proxy, place) in self.legend.proxies.iter().zip(&mut responses) {
                if *proxy.name == *visible(column) || proxy.lent_by.as_deref() == Some(&*visible(column)) {
                    met = true;
                    if place.replace(response.clone()).is_some() {
                        return Err(MechanismError::Twice { column: column.clone() });
                    }
                }
            }
            if !met {
                let proxies = self.legend.proxies.iter().filter(|proxy| proxy.lent_by.is_none());
                let found = proxies.map(|proxy| proxy.name.clone()).collect();
                return Err(MechanismError::OtherColumn { column: column.clone(), found });
            }
        }
        self.told = Told::new(responses);
        Ok(self)
    }
}

/// A reason why a mechanism is not about a table.
#[derive(Debug, Clone, PartialEq)]
pub enum MechanismError {
    /// It randomised another column.
    OtherColumn {
        /// The column.
        column: String,
        /// The proxies there are.
        found: Vec<String>,
    },
    /// It tells other groups.
    OtherGroups {
        /// The column.
        column: String,
        /// What it tells.
        told: Vec<String>,
        /// What the table has.
        found: Vec<String>,
    },
    /// Two mechanisms for one column.
    Twice {
        /// The column.
        column: String,
    },
}

impl Refuses for MechanismError {
    fn refusal(&self) -> Refusal {
        match self {
            MechanismError::OtherColumn { column, found } => Refusal::new(format!(
                "the mechanism randomised column {column}, and the proxies are {}",
                found.join(", ")
            ))
            .needed("a mechanism of these columns")
            .to_do("name the column as a proxy, or the mechanism file that belongs to this table"),
            MechanismError::OtherGroups { column, told, found } => Refusal::new(format!(
                "the mechanism of column {column} is about the groups {}, and the table's groups are {}",
                told.join(", "),
                found.join(", ")
            ))
            .needed("the same groups")
            .to_do(text![
                "give ",
                Setting::Groups,
                ", or the mechanism file that belongs to this table"
            ]),
            MechanismError::Twice { column } => Refusal::new(format!("column {column} has two mechanisms"))
                .needed("one mechanism that does what both do in turn")
                .to_do("name one of the files"),
        }
    }
}

shows_refusal!(MechanismError);
