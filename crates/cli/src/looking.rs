//! What a table knows of a column of names or places: counted, and doubted where the column seems to be another.

use crate::args::flag;
use fairveil_core::setting::visible;
use fairveil_ingest::tables_of_names::{
    Attribute, Field, Found, Table, built_in, built_in_tables, looks_like_whole_name, split_whole_name,
};
use fairveil_ingest::{Looked, NameColumn, NameSource};
use std::borrow::Cow;
use std::sync::Arc;

/// So many values of a column are also looked up as names of the other kind.
const COMPARED: u64 = 10_000;

/// First names for surnames, and the other way around: most surnames are someone's first name too, so that a column under the
/// wrong name has few unknown, but more than in its own table.
fn other_kind(table: &Table) -> Option<Arc<Table>> {
    let other = match table.field() {
        Field::FirstName => Field::Surname,
        Field::Surname => Field::FirstName,
        Field::Zip => return None,
    };
    // A table of one's own, for another country, has no other kind here.
    built_in_tables().iter().find(|known| known.name == table.name())?;
    built_in(other, Attribute::Race).ok()
}

/// A column on its way to its guesses.
pub struct Looking {
    column: String,
    /// Which of the columns that are shown.
    pub place: usize,
    /// Whether the column holds whole names.
    whole: bool,
    pub source: Arc<NameSource>,
    /// A table of the other kind of name.
    other: Option<Arc<Table>>,
    seen: Seen,
}

/// What a source found.
#[derive(Default)]
struct Seen {
    known: u64,
    empty: u64,
    not_a_name: u64,
    whole_name: u64,
    unknown: u64,
    /// Known names that say nothing: a tie.
    tied: u64,
    /// Those that seem to be more than a part of a name, whether found or not.
    several: u64,
    /// Values that were also looked up as the other kind of name; those known as this kind, and as that.
    compared: [u64; 3],
}

impl Seen {
    fn add(&mut self, raw: Option<&str>, looked: Looked, guessed: bool) {
        match looked {
            Looked::EMPTY => self.empty += 1,
            Looked::NOT_A_NAME => self.not_a_name += 1,
            Looked::WHOLE_NAME => self.whole_name += 1,
            Looked::UNKNOWN => self.unknown += 1,
            _ => {
                self.known += 1;
                self.tied += u64::from(!guessed);
            }
        }
        let words = |raw: &str| raw.split_whitespace().filter(|word| word.chars().count() > 1).count();
        self.several += u64::from(raw.is_some_and(|raw| words(raw) > 1 || looks_like_whole_name(raw)));
    }
}

impl Looking {
    pub fn new(NameColumn { column, source }: NameColumn, place: usize, whole: bool) -> Self {
        let other = if whole { None } else { other_kind(source.table()) };
        Looking { column, place, whole, source, other, seen: Seen::default() }
    }

    /// The column of its guesses.
    pub fn column(&self) -> String {
        format!("proxy_{}", self.source.name())
    }

    /// What is written of this part of the name, and what the table says of it, counted.
    pub fn look<'r>(&mut self, raw: Option<&'r str>) -> (Option<Cow<'r, str>>, Looked) {
        let (part, looked) = self.found(raw);
        let guessed = self.source.guess(looked).is_some();
        self.seen.add(raw, looked, guessed);
        self.compare(raw, looked);
        (part, looked)
    }

    fn found<'r>(&self, raw: Option<&'r str>) -> (Option<Cow<'r, str>>, Looked) {
        let Some(raw) = raw else { return (None, Looked::EMPTY) };
        if !self.whole {
            return (Some(raw.into()), self.source.look_up(raw));
        }
        match split_whole_name(raw) {
            Some((first, last)) => {
                let part = if self.source.table().field() == Field::FirstName { first } else { last };
                let looked = self.source.look_up(&part);
                (Some(part.into()), looked)
            }
            // Without a comma nobody knows which is which.
            None if self.source.look_up(raw) == Looked::EMPTY => (None, Looked::EMPTY),
            None => (None, Looked::WHOLE_NAME),
        }
    }

    /// Whether a value is rather a name of the other kind.
    fn compare(&mut self, raw: Option<&str>, looked: Looked) {
        let (Some(other), Some(raw)) = (&self.other, raw) else { return };
        let [all, own, others] = &mut self.seen.compared;
        if *all < COMPARED && looked != Looked::EMPTY {
            *all += 1;
            *own += u64::from(looked.is_known());
            *others += u64::from(matches!(other.find(raw), Found::Known(_)));
        }
    }

    /// What it knows, in numbers alone.
    pub fn told(&self, rows: u64) -> String {
        let Seen { known, empty, not_a_name, whole_name, unknown, tied, .. } = self.seen;
        let kinds = [
            (unknown, "unknown"),
            (empty, "empty"),
            (
                not_a_name,
                if self.source.table().field() == Field::Zip { "no ZIP code" } else { "not a name" },
            ),
            (whole_name, if self.whole { "not \"Last, First\"" } else { "a whole name" }),
            (tied, "known, but as likely in several groups"),
        ];
        let silent: Vec<String> = (kinds.iter())
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count} {kind} ({})", percent(*count, rows)))
            .collect();
        let silent = if silent.is_empty() { String::new() } else { format!("; {}", silent.join(", ")) };
        format!(
            "{}: {known} of {rows} known ({}) to the table {}{silent}",
            self.source.name(),
            percent(known, rows),
            self.source.table().name()
        )
    }

    /// What speaks against the column.
    pub fn doubt(&self, rows: u64) -> Option<String> {
        let (field, column) = (self.source.table().field(), visible(&self.column));
        let written = rows - self.seen.empty;
        if self.whole {
            return (2 * self.seen.whole_name > written).then(|| {
                format!(
                    "warning: most values of `{column}` are not written \"Last, First\": split the column, and name its parts with \
                     --first-name and --surname"
                )
            });
        }
        if field != Field::Zip && 2 * self.seen.several > written {
            return Some(format!(
                "warning: `{column}` seems to hold whole names, and {} needs one part: split the column, or write \"Last, First\" and \
                 name it with --name",
                flag(field)
            ));
        }
        // Of fewer values, one in twenty is chance.
        const FEW: u64 = 20;
        let [all, own, others] = self.seen.compared;
        if all >= FEW && others > own + all / FEW {
            let (other, right) = match field {
                Field::FirstName => ("surnames", "--surname"),
                _ => ("first names", "--first-name"),
            };
            return Some(format!(
                "warning: `{column}` seems to hold {other}: a table of those knows {} of its first {all} values, that of {} {}; name it \
                 with {right}",
                percent(others, all),
                self.source.name(),
                percent(own, all)
            ));
        }
        (2 * self.seen.known < rows).then(|| {
            format!(
                "warning: the table of {} knows {} of the rows: is `{column}` the right column? A table for another country goes \
                 into --tables",
                self.source.name(),
                percent(self.seen.known, rows)
            )
        })
    }
}

pub fn percent(count: u64, rows: u64) -> String {
    format!("{:.1} %", 100.0 * count as f64 / rows.max(1) as f64)
}
