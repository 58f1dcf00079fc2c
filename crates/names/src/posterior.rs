//! Surname and place together: BISG as the CFPB publishes it, and BIFSG, which adds the first name.
//!
//! ```text
//! P(r | surname, place)         ∝  P(r | surname) · P(r | place) / national(r)
//! P(r | surname, place, first)  ∝  P(r | surname) · P(r | place) / national(r) · P(r | first) / π_first(r)
//! ```
//! Assumes that within a group, names say nothing of places or of each other. `national` are the shares among the people
//! the places were counted from, `π_first` those among the people the first names were counted from. Refuses to answer
//! where no group is possible under all of the tables.

use crate::{Entry, Field, Found, NamesError, Silence, Table, built_in_named};
use std::sync::Arc;

/// The six groups of the CFPB. `mult_other` are people of several races, and of other ones where a table has them.
pub const BISG_GROUPS: [&str; 6] = ["white", "black", "hispanic", "api", "aian", "mult_other"];

/// Why there is no posterior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PosteriorProblem {
    /// A table is silent.
    #[error("nothing is known of the {field}: {silence}")]
    Silent {
        /// What was looked up.
        field: Field,
        /// Why nothing was found.
        silence: Silence,
    },
    /// The tables contradict each other, or a share is no share.
    #[error("no group is possible under all tables")]
    Impossible,
    /// Numbers of groups differ.
    #[error("shares of {found} groups beside shares of {needed}")]
    Groups {
        /// Of one input.
        found: usize,
        /// Of the first.
        needed: usize,
    },
}

/// P(group | surname, place): probabilities by surname and by place, and the groups' shares among all people the places
/// were counted from.
///
/// ```
/// use fairveil_names::bisg;
/// // A name as common in both groups, in a place with three times as many of the second as the nation has.
/// let posterior = bisg(&[0.5, 0.5], &[0.4, 0.6], &[0.8, 0.2])?;
/// assert!((posterior[1] - 1.5 / (0.25 + 1.5)).abs() < 1e-12);
/// # Ok::<(), fairveil_names::PosteriorProblem>(())
/// ```
///
/// # Errors
/// If no group is possible, or the numbers of groups differ.
pub fn bisg(surname: &[f64], place: &[f64], national: &[f64]) -> Result<Vec<f64>, PosteriorProblem> {
    combine(surname, &[(place, national)])
}

/// P(group | surname, place, first name): as [`bisg`], and probabilities by first name with the groups' shares among all
/// people the first names were counted from.
///
/// # Errors
/// If no group is possible, or the numbers of groups differ.
pub fn bifsg(
    surname: &[f64],
    place: &[f64],
    national: &[f64],
    first: &[f64],
    first_population: &[f64],
) -> Result<Vec<f64>, PosteriorProblem> {
    combine(surname, &[(place, national), (first, first_population)])
}

fn combine(surname: &[f64], evidence: &[(&[f64], &[f64])]) -> Result<Vec<f64>, PosteriorProblem> {
    let mut posterior = surname.to_vec();
    for (shares, population) in evidence {
        for other in [shares, population] {
            if other.len() != surname.len() {
                return Err(PosteriorProblem::Groups { found: other.len(), needed: surname.len() });
            }
        }
        for (value, (share, population)) in posterior.iter_mut().zip(shares.iter().zip(*population)) {
            // A group that a table does not have at all cannot be excluded by it, nor can it be supported.
            *value *= if *share > 0.0 { share / population } else { 0.0 };
        }
    }
    let total: f64 = posterior.iter().sum();
    if !(total.is_finite() && total > 0.0) || posterior.iter().any(|&value| value < 0.0) {
        return Err(PosteriorProblem::Impossible);
    }
    posterior.iter_mut().for_each(|value| *value /= total);
    Ok(posterior)
}

/// BISG and BIFSG from tables.
#[derive(Debug, Clone)]
pub struct Bisg {
    surnames: Source,
    places: Source,
    first_names: Option<Source>,
}

/// A table and, for each group of [`BISG_GROUPS`], which groups of the table it is made of.
#[derive(Debug, Clone)]
struct Source {
    table: Arc<Table>,
    made_of: [Vec<usize>; 6],
}

impl Bisg {
    /// Surnames of the 2010 census, as the CFPB uses them; places and first names of the 2020 census.
    ///
    /// # Errors
    /// If the program's own bytes are damaged.
    pub fn new() -> Result<Self, NamesError> {
        Self::with(
            built_in_named("census_2010_surnames")?,
            built_in_named("census_2020_zips")?,
            Some(built_in_named("census_2020_first_names")?),
        )
    }

    /// From other tables of race. Each of the six groups takes what a table has of it:
    ///
    /// | group | of a table |
    /// |---|---|
    /// | white, black, hispanic | the same |
    /// | api | `api` or `asian` |
    /// | aian | `aian`; without it, `other` |
    /// | mult_other | `multi`, `2prace`, `mult_other` and `other`, summed |
    ///
    /// A table of first names with the five groups white, black, hispanic, asian, other so serves all six: what matters
    /// of it is P(r | first) / π_first(r), and that of `other` stands for both `aian` and `mult_other`.
    ///
    /// Surnames stand alone in the formula, so theirs need an `aian` of their own.
    ///
    /// # Errors
    /// [`NamesError::UnknownGroup`] if a table lacks one of the six.
    pub fn with(
        surnames: Arc<Table>,
        places: Arc<Table>,
        first_names: Option<Arc<Table>>,
    ) -> Result<Self, NamesError> {
        if !surnames.groups().iter().any(|group| group == "aian") {
            return Err(NamesError::UnknownGroup {
                found: "aian".to_owned(),
                known: surnames.groups().join(", "),
            });
        }
        Ok(Self {
            surnames: Source::new(surnames)?,
            places: Source::new(places)?,
            first_names: first_names.map(Source::new).transpose()?,
        })
    }

    /// P(group | surname, ZIP code, first name), in the order of [`BISG_GROUPS`]. The first name is not used if it is not
    /// given.
    ///
    /// ```
    /// use fairveil_names::Bisg;
    /// let bisg = Bisg::new()?;
    /// let [_, black, ..] = bisg.posterior("Washington", "30310", None)?;
    /// assert!(black > 0.98); // in the south-west of Atlanta
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Which table is silent and why: nothing is left out that was given.
    pub fn posterior(
        &self,
        surname: &str,
        zip: &str,
        first: Option<&str>,
    ) -> Result<[f64; 6], PosteriorProblem> {
        let surname = self.surnames.look_up(surname)?;
        let place = self.places.look_up(zip)?;
        let mut evidence = vec![(place, self.places.population())];
        if let (Some(source), Some(first)) = (&self.first_names, first) {
            evidence.push((source.look_up(first)?, source.population()));
        }
        let evidence: Vec<(&[f64], &[f64])> =
            evidence.iter().map(|(shares, population)| (shares.as_slice(), population.as_slice())).collect();
        let posterior = combine(&surname, &evidence)?;
        posterior.try_into().map_err(|_| PosteriorProblem::Impossible)
    }
}

impl Source {
    fn new(table: Arc<Table>) -> Result<Self, NamesError> {
        let places = |names: &[&str]| {
            let groups = table.groups().iter().enumerate();
            groups
                .filter(|(_, group)| names.contains(&group.as_str()))
                .map(|(place, _)| place)
                .collect::<Vec<_>>()
        };
        let mut aian = places(&["aian"]);
        if aian.is_empty() {
            aian = places(&["other"]);
        }
        let made_of = [
            places(&["white"]),
            places(&["black"]),
            places(&["hispanic"]),
            places(&["api", "asian"]),
            aian,
            places(&["multi", "2prace", "mult_other", "other"]),
        ];
        if let Some(lacking) = made_of.iter().position(Vec::is_empty) {
            let known = table.groups().join(", ");
            return Err(NamesError::UnknownGroup { found: BISG_GROUPS[lacking].to_owned(), known });
        }
        Ok(Self { table, made_of })
    }

    fn look_up(&self, raw: &str) -> Result<[f64; 6], PosteriorProblem> {
        match self.table.find(raw) {
            Found::Known(entry) => Ok(self.shares(entry)),
            Found::Silent(silence) => Err(PosteriorProblem::Silent { field: self.table.field(), silence }),
        }
    }

    fn shares(&self, entry: Entry) -> [f64; 6] {
        let shares = self.table.probabilities(entry);
        std::array::from_fn(|group| self.made_of[group].iter().map(|&place| f64::from(shares[place])).sum())
    }

    fn population(&self) -> [f64; 6] {
        let shares = self.table.population();
        std::array::from_fn(|group| self.made_of[group].iter().map(|&place| shares[place]).sum())
    }
}
