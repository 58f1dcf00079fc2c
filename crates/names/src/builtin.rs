//! The tables that come with the crate, each read when it is first asked for.

use crate::{Attribute, Field, NamesError, Table};
use std::sync::{Arc, OnceLock};

/// One of the tables that come with the crate.
#[derive(Debug)]
pub struct BuiltIn {
    /// What it is called.
    pub name: &'static str,
    /// What is looked up in it.
    pub field: Field,
    /// What it guesses.
    pub attribute: Attribute,
    /// Whose people, when, under which licence.
    pub about: &'static str,
    data: &'static [u8],
    table: OnceLock<Arc<Table>>,
}

macro_rules! built_in {
    ($name:literal, $field:ident, $attribute:ident, $about:literal) => {
        BuiltIn {
            name: $name,
            field: Field::$field,
            attribute: Attribute::$attribute,
            about: $about,
            data: include_bytes!(concat!("../tables/", $name, ".bin")),
            table: OnceLock::new(),
        }
    };
}

/// The first of a field and an attribute is its default.
static TABLES: [BuiltIn; 7] = [
    built_in!(
        "rosenman_first_names",
        FirstName,
        Race,
        "Registered voters of AL, FL, GA, LA, NC and SC (Rosenman, Olivella and Imai 2023), CC0"
    ),
    built_in!(
        "rosenman_surnames",
        Surname,
        Race,
        "Registered voters of AL, FL, GA, LA, NC and SC (Rosenman, Olivella and Imai 2023), CC0"
    ),
    built_in!(
        "census_2010_surnames",
        Surname,
        Race,
        "Residents of the US with a surname borne by 100 or more (US Census 2010), public domain"
    ),
    built_in!(
        "census_2020_zips",
        Zip,
        Race,
        "Adults of the US and Puerto Rico (US Census 2020), public domain"
    ),
    built_in!(
        "census_2020_first_names_sex",
        FirstName,
        Sex,
        "Residents of the US with a common first name (US Census 2020), public domain"
    ),
    built_in!(
        "census_2020_surnames",
        Surname,
        Race,
        "Residents of the US with a common surname (US Census 2020), public domain"
    ),
    built_in!(
        "census_2020_first_names",
        FirstName,
        Race,
        "Residents of the US with a common first name (US Census 2020), public domain"
    ),
];

impl BuiltIn {
    /// The table; read at the first call, shared by all later ones.
    ///
    /// # Errors
    /// If the program's own bytes are damaged.
    pub fn table(&self) -> Result<Arc<Table>, NamesError> {
        if let Some(table) = self.table.get() {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(Table::unpack(self.name, self.field, self.about, self.data)?);
        Ok(Arc::clone(self.table.get_or_init(|| table)))
    }

    /// How many bytes it takes in the program.
    pub fn packed_bytes(&self) -> usize {
        self.data.len()
    }
}

/// All built-in tables, without reading any.
pub fn built_in_tables() -> &'static [BuiltIn] {
    &TABLES
}

/// The default table from a field to an attribute.
///
/// # Errors
/// [`NamesError::NoTable`] where there is none: no published table tells sex from surnames or places.
pub fn built_in(field: Field, attribute: Attribute) -> Result<Arc<Table>, NamesError> {
    let found = TABLES.iter().find(|table| table.field == field && table.attribute == attribute);
    let known = || {
        let mut pairs: Vec<String> =
            TABLES.iter().map(|table| format!("{} to {}", table.field, table.attribute)).collect();
        pairs.sort();
        pairs.dedup();
        pairs.join(", ")
    };
    found.ok_or_else(|| NamesError::NoTable { field, attribute, known: known() })?.table()
}

/// The built-in table of a name.
///
/// ```
/// use fairveil_names::built_in_named;
/// assert!(built_in_named("census_2010_surnames")?.len() > 160_000);
/// assert!(built_in_named("phone_book").is_err());
/// # Ok::<(), fairveil_names::NamesError>(())
/// ```
///
/// # Errors
/// [`NamesError::NoSuchTable`], with the names there are.
pub fn built_in_named(name: &str) -> Result<Arc<Table>, NamesError> {
    let found = TABLES.iter().find(|table| table.name == name);
    let known = || TABLES.iter().map(|table| table.name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| NamesError::NoSuchTable { found: name.to_owned(), known: known() })?.table()
}
