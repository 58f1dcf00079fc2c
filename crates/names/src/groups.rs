//! Tables name groups differently; several can be used together only on common ones.

use crate::NamesError;

/// The groups that all race tables can be brought to.
pub const CANONICAL_GROUPS: [&str; 5] = ["white", "black", "hispanic", "asian", "other"];

/// Which group of a table belongs to which of the wanted groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    groups: Vec<String>,
    places: Vec<usize>,
}

impl Grouping {
    /// Wanted groups, and for each group of the table the name of the wanted group it belongs to.
    ///
    /// ```
    /// use fairveil_names::Grouping;
    /// let black_or_not = Grouping::new(&["black", "nonblack"], &["nonblack", "black", "nonblack"])?;
    /// assert_eq!(black_or_not.places(), [1, 0, 1]);
    /// # Ok::<(), fairveil_names::NamesError>(())
    /// ```
    ///
    /// # Errors
    /// [`NamesError::UnknownGroup`] if a group goes to none of the wanted.
    pub fn new(groups: &[impl AsRef<str>], of_each: &[impl AsRef<str>]) -> Result<Self, NamesError> {
        let groups: Vec<String> = groups.iter().map(|group| group.as_ref().to_owned()).collect();
        let place = |wanted: &str| groups.iter().position(|group| group == wanted);
        let places = of_each.iter().map(|wanted| {
            let wanted = wanted.as_ref();
            place(wanted).ok_or_else(|| NamesError::UnknownGroup {
                found: wanted.to_owned(),
                known: groups.join(", "),
            })
        });
        let places = places.collect::<Result<_, _>>()?;
        Ok(Self { groups, places })
    }

    /// The wanted groups.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// For each group of the table, the place of its wanted group.
    pub fn places(&self) -> &[usize] {
        &self.places
    }
}

/// From the groups of any race table to [`CANONICAL_GROUPS`].
///
/// | common | also called |
/// |---|---|
/// | white, black, hispanic | `latino`, `latinx`, `hispanic_latino` for hispanic |
/// | asian | `api`, `asian_pacific`, `aapi` |
/// | other | `aian`, `multi`, `2prace`, `mult_other`, `multiracial`, `two_or_more`, `nhpi`, `native` |
///
/// Case does not matter. Pacific islanders are with asian where a table counts them together (`api`), and with other
/// where it counts them apart (`nhpi`).
///
/// # Errors
/// [`NamesError::UnknownGroup`] for any other word.
pub fn canonical_groups(table_groups: &[impl AsRef<str>]) -> Result<Grouping, NamesError> {
    let canonical = |group: &str| {
        Ok(match group.to_ascii_lowercase().as_str() {
            "white" => "white",
            "black" => "black",
            "hispanic" | "latino" | "latinx" | "hispanic_latino" => "hispanic",
            "asian" | "api" | "asian_pacific" | "aapi" => "asian",
            "other" | "aian" | "multi" | "2prace" | "mult_other" | "multiracial" | "two_or_more" | "nhpi"
            | "native" => "other",
            _ => {
                let known = CANONICAL_GROUPS.join(", ");
                return Err(NamesError::UnknownGroup { found: group.to_owned(), known });
            }
        })
    };
    let of_each =
        table_groups.iter().map(|group| canonical(group.as_ref())).collect::<Result<Vec<_>, _>>()?;
    Grouping::new(&CANONICAL_GROUPS, &of_each)
}
