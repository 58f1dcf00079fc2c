//! Tables of names that someone brings, and what is refused of any table of names.

use crate::error::said;
use crate::names::{MOST_NAMED_GROUPS, NameProblem};
use fairveil_core::setting::{Refusal, Refuses, Setting};
use fairveil_core::text;
use fairveil_names::{Field, NamesError, Table, from_dir};
use std::path::{Path, PathBuf};

/// The most that the files of a folder may hold together; in memory they take several times as much.
const MOST_BYTES: u64 = 256 << 20;

/// What a folder of tables needs, in every refusal of it.
const A_FOLDER: &str = "a folder with one CSV file for each kind of column";

/// The tables of a folder, one for each kind of column. A folder that would be passed over in silence is refused.
pub fn tables_in(folder: &Path) -> Result<Vec<Table>, NameProblem> {
    can_be_read(folder)?;
    let tables = from_dir(folder)?;
    let shown = || folder.display().to_string();
    if tables.is_empty() {
        return Err(NameProblem::NoFiles { folder: shown() });
    }
    for field in Field::ALL {
        let same = tables.iter().filter(|table| table.field() == field).map(|table| table.name().to_owned());
        let same: Vec<String> = same.collect();
        if same.len() > 1 {
            return Err(NameProblem::SeveralTables { folder: shown(), field, tables: same });
        }
    }
    Ok(tables)
}

/// The files of a folder, which must not be written over.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten();
    files.filter_map(|file| Some(file.ok()?.path())).collect()
}

/// Tables are read whole: what has no end or is larger than any is refused before.
fn can_be_read(folder: &Path) -> Result<(), NameProblem> {
    let mut bytes = 0;
    for path in files_in(folder) {
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let Some(about) = std::fs::metadata(&path).ok().filter(|about| is_csv && !about.is_dir()) else {
            continue;
        };
        bytes += about.len();
        if !about.is_file() {
            return Err(NameProblem::NoFile { path: path.display().to_string() });
        }
    }
    match bytes > MOST_BYTES {
        true => Err(NameProblem::TooLarge { folder: folder.display().to_string(), bytes }),
        false => Ok(()),
    }
}

/// The setting that names a column of this kind.
fn setting(field: Field) -> Setting {
    match field {
        Field::FirstName => Setting::FirstName,
        Field::Surname => Setting::Surname,
        Field::Zip => Setting::Zip,
    }
}

impl Refuses for NameProblem {
    fn refusal(&self) -> Refusal {
        let of_folder =
            |folder: &String, found: String| text![Setting::Tables, format!(" {folder}: {found}")];
        match self {
            NameProblem::Table(NamesError::NoTable { field, attribute, known }) => said(
                format!("no built-in table goes from {field} to {attribute}"),
                known,
                text!["leave out ", setting(*field), ", or give a table of your own with ", Setting::Tables],
            ),
            NameProblem::Table(NamesError::Csv { table, place, found, needed, advice }) => {
                said(text![Setting::Tables, format!(", {table}.csv, {place}: found {found}")], needed, advice)
            }
            NameProblem::Table(NamesError::Unreadable { path, cause }) => said(
                text![Setting::Tables, format!(": cannot read {path} ({cause})")],
                A_FOLDER,
                "check the name",
            ),
            NameProblem::Table(error) => Refusal::new(error.to_string()),
            NameProblem::UnknownGroups { table, found, known } => {
                let left = found.iter().all(|group| known.contains(group));
                let what =
                    if left { "and no name for the other groups of" } else { "which are no groups of" };
                said(
                    text![Setting::Groups, format!(" lists {}, {what} table {table}", found.join(", "))],
                    format!(
                        "all of {}; or some of them, and one more name that takes in the rest",
                        known.join(", ")
                    ),
                    text!["correct ", Setting::Groups],
                )
            }
            NameProblem::OneGroup { group, .. } => said(
                text![Setting::Groups, format!(" lists {group} alone")],
                "two groups or more",
                "add one, such as `other` for all others",
            ),
            NameProblem::TooManyGroups { table, found } => said(
                format!("table {table} tells {found} groups apart"),
                format!("at most {MOST_NAMED_GROUPS}"),
                "put groups together in the table",
            ),
            NameProblem::NoFiles { folder } => {
                said(of_folder(folder, "no file ends in .csv".into()), A_FOLDER, "name another folder")
            }
            NameProblem::SeveralTables { folder, field, tables } => said(
                of_folder(folder, format!("{} are tables of {field}", tables.join(" and "))),
                A_FOLDER,
                "keep one of them, and the others in a folder of their own",
            ),
            NameProblem::NoFile { path } => said(
                text![Setting::Tables, format!(", {path}: this is a pipe or a device")],
                A_FOLDER,
                "copy what it gives into a file",
            ),
            NameProblem::TooLarge { folder, bytes } => said(
                of_folder(folder, format!("{} MiB of tables", bytes >> 20)),
                format!("at most {} MiB, which are millions of names", MOST_BYTES >> 20),
                "leave out the rarest names",
            ),
        }
    }
}
