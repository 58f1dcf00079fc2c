//! Columns of names and places.

use super::TextArgs;
use super::value::one_of;
use clap::Args;
use fairveil_ingest::tables_of_names::{Attribute, Field};
use fairveil_ingest::{Columns, FORMATS, NamesAsked, files_in, tables_in};
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
    /// What to look up for names and places [default: race].
    #[arg(long = "for", value_name = "ATTRIBUTE", value_parser = one_of::<Attribute>(Attribute::ALL.map(Attribute::word)), help_heading = "Names")]
    pub attribute: Option<Attribute>,
    /// A folder of tables of your own, as CSV, in place of the built-in ones for the same kind of column.
    #[arg(long = "tables", value_name = "DIR", help_heading = "Names")]
    pub own_tables: Option<PathBuf>,
}

impl NameArgs {
    /// A column of names or places is named.
    pub fn is_given(&self) -> bool {
        self.first_name.is_some() || self.surname.is_some() || self.zip.is_some()
    }

    /// Flags that say something of names, and no name.
    pub fn idle(&self) -> Option<&'static str> {
        let flags = [(self.attribute.is_some(), "--for"), (self.own_tables.is_some(), "--tables")];
        flags.into_iter().find_map(|(is, flag)| (is && !self.is_given()).then_some(flag))
    }

    /// The columns that were named, and where their tables come from.
    pub fn asked(&self) -> anyhow::Result<NamesAsked> {
        Ok(NamesAsked {
            first_name: self.first_name.clone(),
            surname: self.surname.clone(),
            zip: self.zip.clone(),
            attribute: self.attribute,
            tables: self.own_tables.as_deref().map(tables_in).transpose()?.unwrap_or_default(),
        })
    }

    /// The same columns with those of names, each with what is known of them.
    pub fn columns(&self, columns: Columns) -> anyhow::Result<Columns> {
        let names = self.asked()?.sources(columns.groups.as_deref())?;
        Ok(Columns { names, ..columns })
    }

    /// The files of the user's own tables, which must not be written over.
    pub fn files(&self) -> Vec<PathBuf> {
        self.own_tables.as_deref().map(files_in).unwrap_or_default()
    }
}

/// The flag that names a column.
pub fn flag(field: Field) -> &'static str {
    match field {
        Field::FirstName => "--first-name",
        Field::Surname => "--surname",
        Field::Zip => "--zip",
    }
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("as_what").args(["plain", "epsilon"]))]
pub struct ProxiesArgs {
    #[arg(required = true, value_name = "TABLE", help = format!(
        "Files that make up the table, or - for standard input: {FORMATS}"
    ))]
    pub tables: Vec<PathBuf>,

    #[command(flatten)]
    pub names: NameArgs,
    /// Column of whole names, written "Last, First": in place of --first-name and --surname.
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["first_name", "surname"], help_heading = "Names")]
    pub name: Option<String>,

    /// The groups in order, separated by commas; one that no table knows takes in all that are not listed [default: all that
    /// tables tell apart].
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Values")]
    pub groups: Vec<String>,
    /// A value that means "nothing", beside the empty field, null and NaN; repeatable.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = "Values")]
    pub missing: Vec<String>,
    #[command(flatten)]
    pub text: TextArgs,
    /// With none, every row is one person although there is a column `count`.
    #[arg(long, value_name = "none", value_parser = ["none"], help_heading = "Values")]
    pub count: Option<String>,

    /// Writes guesses and probabilities as they are. Whoever has the file has a guessed group of every person in it.
    #[arg(long, help_heading = "Mechanism")]
    pub plain: bool,
    /// Tells every guess by randomised response before it is written: its odds change by at most a factor of e^E.
    #[arg(long, value_name = "E", allow_negative_numbers = true, help_heading = "Mechanism")]
    pub epsilon: Option<f64>,
    /// With --epsilon: the mechanism of an earlier release of the same rows, whose epsilon adds up; repeatable.
    #[arg(long, value_name = "FILE", requires = "epsilon", help_heading = "Mechanism")]
    pub earlier: Vec<PathBuf>,
    /// With --epsilon: makes the draw repeatable; anyone who knows the seed can undo it [default: seeded by the operating
    /// system].
    #[arg(long, value_name = "N", requires = "epsilon", help_heading = "Mechanism")]
    pub seed: Option<u64>,

    /// Where to write the table: .csv, .tsv, .jsonl (with .gz compressed) or .parquet, or - for CSV on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    /// With --plain: adds the CFPB's BISG posteriors, from surname and ZIP code, as columns `bisg_<group>`.
    #[arg(long, help_heading = "Output")]
    pub bisg: bool,
    /// With --plain: adds BIFSG posteriors, from surname, ZIP code and first name, as columns `bifsg_<group>`.
    #[arg(long, help_heading = "Output")]
    pub bifsg: bool,
    /// Where to write the mechanism [default: the name of the table and .mechanism.json].
    #[arg(long, value_name = "FILE", requires = "epsilon", help_heading = "Output")]
    pub mechanism: Option<PathBuf>,
    /// The date in the mechanism, YYYY-MM-DD [default: today].
    #[arg(long, value_name = "DATE", value_parser = crate::provenance::date, requires = "epsilon", help_heading = "Output")]
    pub date: Option<String>,
    /// Writes an apostrophe before what a spreadsheet would take for a formula, in CSV and TSV; no reader takes it off again.
    #[arg(long, help_heading = "Output")]
    pub safe_csv: bool,
    /// Prints warnings only.
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}
