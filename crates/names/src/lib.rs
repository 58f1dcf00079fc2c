//! What names and places say of groups of people: published tables, looked up as people write.
//!
//! ```
//! use fairveil_names::{Attribute, Field, Found, Silence, built_in};
//! let surnames = built_in(Field::Surname, Attribute::Race)?;
//! let Found::Known(entry) = surnames.find("García-López") else { panic!("a common name") };
//! let hispanic = surnames.groups().iter().position(|group| group == "hispanic").unwrap();
//! assert!(surnames.probabilities(entry)[hispanic] > 0.8);
//! // Silence has a reason, and is never filled with a default.
//! assert_eq!(surnames.find("n/a"), Found::Silent(Silence::Empty));
//! assert_eq!(surnames.find("李"), Found::Silent(Silence::NotAName));
//! assert_eq!(surnames.find("Xqzwv"), Found::Silent(Silence::Unknown));
//! # Ok::<(), fairveil_names::NamesError>(())
//! ```
//!
//! A [`Table`] holds, for each entry, P(group | entry) among the people it was counted from, and the shares of the
//! groups among them, [`Table::population`]. Whoever audits other people needs both: how often a bearer of a name is of
//! a group depends on how large the group is, so divide by the table's shares and multiply by one's own.
//!
//! | [built in](built_in_tables) | people | groups |
//! |---|---|---|
//! | `rosenman_first_names`, `rosenman_surnames` | voters of six southern states of the US | white, black, hispanic, asian, other |
//! | `census_2010_surnames`, `census_2020_surnames`, `census_2020_first_names` | residents of the US | white, black, hispanic, api, aian, multi |
//! | `census_2020_zips` | adults of the US and Puerto Rico by ZIP code tabulation area | the same and other |
//! | `census_2020_first_names_sex` | residents of the US | male, female |
//!
//! Sources, licences, digests and what was rounded are in `tables/README.md` of this crate. A user's own table is a CSV
//! file: [`from_csv`]. Tables with different groups are brought to common ones by [`canonical_groups`] and
//! [`Table::regrouped`]. [`Bisg`] joins a surname and a place as the CFPB does.
//!
//! # Names
//! Tables spell names with the letters A to Z alone. So does the look-up:
//!
//! | written | looked up | rule |
//! |---|---|---|
//! | `smith`, ` Smith ` | `SMITH` | case and blanks do not matter |
//! | `José`, `Nuñez`, `Groß`, `Nguyễn`, `Łukasz` | `JOSE`, `NUNEZ`, `GROSS`, `NGUYEN`, `LUKASZ` | marks are dropped; ß is SS, æ AE, œ OE, þ TH, ø O, ł L, đ D |
//! | `O'Brien`, `O’Brien`, `O Brien` | `OBRIEN` | apostrophes are dropped; O, D and L before a surname belong to it |
//! | `Garcia-Lopez`, `Garcia Lopez` | `GARCIALOPEZ`, else `GARCIA`, else `LOPEZ` | the whole, then its parts from the left |
//! | `de la Cruz`, `Van der Berg`, `Mc Donald` | `DELACRUZ`, `VANDERBERG`, `MCDONALD` | particles belong to the word after them; without them if that is unknown |
//! | `Smith Jr.`, `Smith, III`, `Smith 2nd` | `SMITH` | suffixes are dropped |
//! | `Mary J`, `J. Robert` | `MARY`, `ROBERT` | initials are dropped |
//! | `Dr. Mary`, `Robert (Bob)` | `MARY`, `ROBERT` | titles and asides are dropped |
//! | `Lopez, Maria` | surname `LOPEZ`, first name `MARIA` | a comma tells which is which |
//! | `J.`, `J. R.` | silent: [`NotAName`](Silence::NotAName) | initials only |
//! | `Smith2`, `a@b.org`, `A & B`, more than 64 letters or 8 words, a script other than Latin | silent: `NotAName` | |
//! | blank, `-`, `N/A`, `NA`, `NaN`, `null`, `None`, `unknown`, `missing`, `FNU`, `LNU` | silent: [`Empty`](Silence::Empty) | also for those whose name it is |
//!
//! # ZIP codes
//! | written | looked up |
//! |---|---|
//! | `02139`, `2139`, `2139.0` | `02139`: a number lost its zeros |
//! | `02139-4307`, `02139 4307`, `021394307` | `02139` |
//! | `SW1A 1AA`, `12`, `1234567` | silent: `NotAName` |
//! | `75008` of Paris | silent: [`Unknown`](Silence::Unknown), if no such area is in the US; it cannot be told from one that is |
//!
//! A ZIP code for post boxes or one building has no area of its own in the census and is `Unknown`.

mod builtin;
mod fold;
mod groups;
mod keys;
mod normalise;
mod posterior;
mod table;
mod user;

pub use builtin::{BuiltIn, built_in, built_in_named, built_in_tables};
pub use groups::{CANONICAL_GROUPS, Grouping, canonical_groups};
pub use normalise::{looks_like_whole_name, normalise, split_whole_name};
pub use posterior::{BISG_GROUPS, Bisg, PosteriorProblem, bifsg, bisg};
pub use table::Table;
pub use user::{from_csv, from_dir};

use std::fmt;
use std::str::FromStr;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// First names.
    FirstName,
    /// Surnames.
    Surname,
    /// ZIP codes of the United States.
    Zip,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::FirstName, Self::Surname, Self::Zip];

    /// The word for it in files and on command lines.
    pub fn word(self) -> &'static str {
        match self {
            Self::FirstName => "first_name",
            Self::Surname => "surname",
            Self::Zip => "zip",
        }
    }
}

/// What is guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Attribute {
    /// Race and ethnicity, as the US asks for them.
    Race,
    /// Sex, as the US census asks for it.
    Sex,
}

impl Attribute {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Race, Self::Sex];

    /// The word for it in files and on command lines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Sex => "sex",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.word())
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.word())
    }
}

impl FromStr for Field {
    type Err = NamesError;

    fn from_str(word: &str) -> Result<Self, NamesError> {
        let found = Self::ALL.into_iter().find(|field| field.word() == word);
        found.ok_or_else(|| NamesError::UnknownWord {
            found: word.to_owned(),
            needed: "first_name, surname, zip",
        })
    }
}

impl FromStr for Attribute {
    type Err = NamesError;

    fn from_str(word: &str) -> Result<Self, NamesError> {
        let found = Self::ALL.into_iter().find(|attribute| attribute.word() == word);
        found.ok_or_else(|| NamesError::UnknownWord { found: word.to_owned(), needed: "race, sex" })
    }
}

/// Where an entry is in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry(pub u32);

/// What a look-up gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Found {
    /// The table knows it.
    Known(Entry),
    /// It does not, and why. There is no default.
    Silent(Silence),
}

/// Why a look-up gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Silence {
    /// Nothing was written, or a word for nothing.
    Empty,
    /// What was written is no name, or no ZIP code: digits, an address, initials only, another script.
    NotAName,
    /// It may be one, but the table does not hold it.
    Unknown,
}

impl fmt::Display for Silence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Empty => "empty",
            Self::NotAName => "not_a_name",
            Self::Unknown => "unknown",
        })
    }
}

/// Why a table cannot be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NamesError {
    /// A word is none of a list.
    #[error("found \"{found}\", needed one of {needed}")]
    UnknownWord {
        /// The word.
        found: String,
        /// What there is.
        needed: &'static str,
    },
    /// No built-in table goes from this field to this attribute.
    #[error("no built-in table goes from {field} to {attribute}; there are {known}")]
    NoTable {
        /// What was to be looked up.
        field: Field,
        /// What was to be guessed.
        attribute: Attribute,
        /// The pairs there are.
        known: String,
    },
    /// No built-in table has this name.
    #[error("no built-in table is called \"{found}\"; there are {known}")]
    NoSuchTable {
        /// The name.
        found: String,
        /// The names there are.
        known: String,
    },
    /// The bytes of a built-in table cannot be read: the program is damaged.
    #[error("the built-in table {table} is damaged ({part}); install the program again")]
    Damaged {
        /// Its name.
        table: String,
        /// What could not be read.
        part: &'static str,
    },
    /// A user's table cannot be used.
    #[error("{table}, {place}: found {found}, needed {needed}; {advice}")]
    Csv {
        /// The table's name.
        table: String,
        /// The row and column.
        place: String,
        /// What is there.
        found: String,
        /// What should be.
        needed: String,
        /// What to do.
        advice: String,
    },
    /// A folder or file cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        /// Where.
        path: String,
        /// Why, in the system's words.
        cause: String,
    },
    /// A group of a table has no place among the wanted ones.
    #[error("group \"{found}\" has no known place among {known}; say where it belongs")]
    UnknownGroup {
        /// The group.
        found: String,
        /// The groups or words that would do.
        known: String,
    },
    /// A grouping was made for other groups than the table has.
    #[error("a grouping of {found} groups, but table {table} has {needed}")]
    OtherGroups {
        /// The table's name.
        table: String,
        /// Groups the grouping is for.
        found: usize,
        /// Groups of the table.
        needed: usize,
    },
}
