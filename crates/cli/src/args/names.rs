//! Columns of names and places.

use super::value::one_of;
use clap::Args;
use fairveil_ingest::tables_of_names::{Attribute, from_dir};
use fairveil_ingest::{Columns, NamesAsked};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct NameArgs {
    /// Column of first names: looked up in a table of names by group, and kept nowhere.
    #[arg(long, value_name = "COLUMN", help_heading = "Names")]
    pub first_name: Option<String>,
    /// Column of surnames, likewise.
    #[arg(long, value_name = "COLUMN", help_heading = "Names")]
    pub surname: Option<String>,
    /// Column of ZIP codes of the United States, likewise.
    #[arg(long, value_name = "COLUMN", help_heading = "Names")]
    pub zip: Option<String>,
    /// What names and places are to tell [default: race].
    #[arg(long = "for", value_name = "ATTRIBUTE", value_parser = one_of::<Attribute>(Attribute::ALL.map(Attribute::word)), help_heading = "Names")]
    pub attribute: Option<Attribute>,
    /// A folder of tables of your own, as CSV, in place of the built-in ones for the same kind of column.
    #[arg(long = "tables", value_name = "DIR", help_heading = "Names")]
    pub name_tables: Option<PathBuf>,
}

impl NameArgs {
    /// The columns that were named, and where their tables come from.
    pub fn asked(&self) -> anyhow::Result<NamesAsked> {
        Ok(NamesAsked {
            first_name: self.first_name.clone(),
            surname: self.surname.clone(),
            zip: self.zip.clone(),
            attribute: self.attribute,
            tables: self.name_tables.as_deref().map(from_dir).transpose()?.unwrap_or_default(),
        })
    }

    /// The same columns with those of names, each with what is known of them.
    pub fn columns(&self, columns: Columns) -> anyhow::Result<Columns> {
        let names = self.asked()?.sources(columns.groups.as_deref())?;
        Ok(Columns { names, ..columns })
    }
}
