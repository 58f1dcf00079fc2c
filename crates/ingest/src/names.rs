//! Columns of names and places: what a table says of each, as a guess and as evidence.
//!
//! A name is looked up when its row is read and forgotten with it. What is kept is the group that it is likeliest in, by odds
//! against the table's own people (not by one half, which sees few of a small group), and its point of evidence.

use crate::evidence::{JOINT_STEPS, half, point_hash};
use fairveil_core::evidence::{EvidenceSource, FINEST, LEAST_ROOT, nearest_point};
use fairveil_names::{
    Attribute, Entry, Field, Found, Grouping, NamesError, Silence, Table, built_in, canonical_groups,
    looks_like_whole_name,
};
use std::sync::{Arc, OnceLock};

/// The most groups that tables of names may tell apart: a point is kept in one number.
pub const MOST_NAMED_GROUPS: usize = 16;

/// A column of names or places, and what is known of them.
#[derive(Debug, Clone, PartialEq)]
pub struct NameColumn {
    /// The column.
    pub column: String,
    /// What is known.
    pub source: Arc<NameSource>,
}

/// A source of evidence: a table of names or places, for the groups of an audit.
pub struct NameSource {
    /// What it is called: that of the proxy.
    name: String,
    table: Arc<Table>,
    /// The groups that are compared.
    groups: Vec<String>,
    /// Whether someone named them.
    stated: bool,
    /// For each group of the table the one that it belongs to.
    of: Vec<usize>,
    /// For each entry the group that it is likeliest in; `groups.len()` for a tie. Here and in what it says there is one more, for
    /// silence, so that no row asks whether its name was found.
    guesses: Vec<u8>,
    /// What entries say, once it is asked for.
    said: OnceLock<Said>,
}

/// What every entry of a table says, as evidence.
struct Said {
    /// For each entry its point on the finest grid.
    points: Vec<u128>,
    /// For each entry its point where all sources stand side by side.
    joint_points: Vec<u128>,
    /// And a hash of it.
    joint_hashes: Vec<u64>,
    /// For each entry and group of the table, the root of the likelihood, none of which rules a group out.
    roots: Vec<f32>,
}

impl Said {
    fn of(table: &Table) -> Self {
        let (population, fine, entries) = (table.population(), table.groups().len(), table.len() + 1);
        let (mut points, mut roots) = (Vec::with_capacity(entries), Vec::with_capacity(entries * fine));
        let (mut root, mut point) = (vec![0.0; fine], vec![0u8; fine]);
        for entry in table.entries() {
            let said = table.probabilities(entry);
            for (a, root) in root.iter_mut().enumerate() {
                *root = if population[a] > 0.0 { (f64::from(said[a]) / population[a]).sqrt() } else { 0.0 };
            }
            nearest_point(&root, FINEST, &mut point);
            points.push(packed(&point));
            roots.extend(root.iter().map(|root| root.max(LEAST_ROOT) as f32));
        }
        points.push(0);
        roots.resize(entries * fine, 1.0);
        let joint_points: Vec<u128> = points.iter().map(|point| coarse(*point, JOINT_STEPS)).collect();
        let joint_hashes = joint_points.iter().map(|point| point_hash(*point)).collect();
        Said { points, joint_points, joint_hashes, roots }
    }
}

impl PartialEq for NameSource {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.table.name(), &self.groups) == (&other.name, other.table.name(), &other.groups)
    }
}

impl Eq for NameColumn {}

impl std::fmt::Debug for NameSource {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("NameSource").field("name", &self.name).field("table", &self.table.name()).finish()
    }
}

/// Why a table of names cannot serve an audit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NameProblem {
    /// More groups than a point has room for.
    #[error("table {table} tells {found} groups apart, at most {MOST_NAMED_GROUPS} are possible")]
    TooManyGroups {
        /// The table.
        table: String,
        /// Its groups.
        found: usize,
    },
    /// Groups that were asked for and that the table does not know.
    #[error("groups {} are none of those that table {table} tells apart ({})", .found.join(", "), .known.join(", "))]
    UnknownGroups {
        /// The table.
        table: String,
        /// What was asked for.
        found: Vec<String>,
        /// What it knows.
        known: Vec<String>,
    },
    /// There is no such table, or it cannot be read.
    #[error(transparent)]
    Table(#[from] NamesError),
    /// Fewer than two groups are left.
    #[error("every group of table {table} belongs to {group}")]
    OneGroup {
        /// The table.
        table: String,
        /// The only group.
        group: String,
    },
    /// A folder without a table.
    #[error("{folder}: no file ends in .csv")]
    NoFiles {
        /// The folder.
        folder: String,
    },
    /// Two tables of a folder tell of the same kind of column.
    #[error("{folder}: {} are tables of {field}", .tables.join(" and "))]
    SeveralTables {
        /// The folder.
        folder: String,
        /// The kind of column.
        field: Field,
        /// The tables.
        tables: Vec<String>,
    },
    /// A pipe or a device in place of a table.
    #[error("{path} is no file")]
    NoFile {
        /// Where.
        path: String,
    },
    /// Tables that do not fit in memory.
    #[error("{folder}: {bytes} bytes of tables")]
    TooLarge {
        /// The folder.
        folder: String,
        /// Their bytes.
        bytes: u64,
    },
}

/// Columns of names and places, as someone named them.
#[derive(Debug, Default)]
pub struct NamesAsked {
    /// The column of first names.
    pub first_name: Option<String>,
    /// The column of surnames.
    pub surname: Option<String>,
    /// The column of ZIP codes.
    pub zip: Option<String>,
    /// What is to be told from them; race where nothing is said.
    pub attribute: Option<Attribute>,
    /// Tables in place of those that are built in.
    pub tables: Vec<Table>,
}

impl NamesAsked {
    /// The columns that were named.
    pub fn columns(&self) -> impl Iterator<Item = (Field, &String)> {
        let named =
            [(Field::FirstName, &self.first_name), (Field::Surname, &self.surname), (Field::Zip, &self.zip)];
        named.into_iter().filter_map(|(field, column)| Some((field, column.as_ref()?)))
    }

    /// Every column with its table, for some of the groups that tables tell apart; all of them where none are named. Tables of race
    /// are brought to the groups that all of them know.
    pub fn sources(self, groups: Option<&[String]>) -> Result<Vec<NameColumn>, NameProblem> {
        let columns: Vec<(Field, String)> =
            self.columns().map(|(field, column)| (field, column.clone())).collect();
        let attribute = self.attribute.unwrap_or(Attribute::Race);
        let mut own: Vec<Arc<Table>> = self.tables.into_iter().map(Arc::new).collect();
        let asked = columns.into_iter().map(|(field, column)| {
            let mine = own.iter().position(|table| table.field() == field).map(|place| own.remove(place));
            (field, column, mine)
        });
        let read = |field: Field, own: Option<Arc<Table>>| {
            let table = match own {
                Some(table) => table,
                None => built_in(field, attribute)?,
            };
            NameSource::new(field.word(), for_audits(table, attribute)?, groups).map(Arc::new)
        };
        // Unpacking a table takes longer than looking up a hundred thousand names: each has a thread, where one can start.
        std::thread::scope(|scope| {
            let read = &read;
            let started: Vec<_> = asked
                .map(|(field, column, own)| {
                    let mine = own.clone();
                    let thread = std::thread::Builder::new().spawn_scoped(scope, move || read(field, mine));
                    (column, thread.map_err(|_| (field, own)))
                })
                .collect();
            let joined = started.into_iter().map(|(column, thread)| {
                let source = match thread {
                    Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    Err((field, own)) => read(field, own),
                };
                source.map(|source| NameColumn { column, source })
            });
            joined.collect()
        })
    }
}

/// A table on the groups that all tables of race know, where it is one that has people of each: of a group that nobody in a table
/// belongs to, its names say nothing.
pub(crate) fn for_audits(table: Arc<Table>, attribute: Attribute) -> Result<Arc<Table>, NamesError> {
    let all = |common: &Grouping| (0..common.groups().len()).all(|place| common.places().contains(&place));
    let common =
        canonical_groups(table.groups()).ok().filter(|common| attribute == Attribute::Race && all(common));
    match common {
        Some(common) if common.groups() != table.groups() => table.regrouped(&common).map(Arc::new),
        _ => Ok(table),
    }
}

impl NameSource {
    /// A source for some of the groups that a table tells apart; all of them where none are named. At most one name that the
    /// table does not know takes in the groups that are not named; so does `other` where every name is known.
    ///
    /// ```
    /// # use fairveil_ingest::NameSource;
    /// # use fairveil_names::{Attribute, Field, built_in};
    /// let table = built_in(Field::Surname, Attribute::Race)?;
    /// let source = NameSource::new("surname", table, Some(&["black".into(), "not black".into()])).unwrap();
    /// assert_eq!(source.groups(), ["black", "not black"]);
    /// # Ok::<(), fairveil_names::NamesError>(())
    /// ```
    pub fn new(name: &str, table: Arc<Table>, asked: Option<&[String]>) -> Result<Self, NameProblem> {
        let known = table.groups();
        let about = || table.name().to_owned();
        if known.len() > MOST_NAMED_GROUPS {
            return Err(NameProblem::TooManyGroups { table: about(), found: known.len() });
        }
        let groups: Vec<String> = match asked {
            Some(asked) => asked.iter().map(|group| group.trim().to_owned()).collect(),
            None => known.to_vec(),
        };
        let strange: Vec<String> = groups.iter().filter(|group| !known.contains(group)).cloned().collect();
        let unnamed = known.iter().any(|group| !groups.contains(group));
        // A group that is nearly one of the table's is one that was misspelt, and not a name for the rest.
        let near = |one: &String| {
            known
                .iter()
                .any(|group| strsim::damerau_levenshtein(&one.to_lowercase(), group) <= 1 + group.len() / 8)
        };
        let rest = match strange.as_slice() {
            [] if !unnamed => None,
            [] => groups.iter().position(|group| group == "other"),
            [one] if unnamed && !near(one) => groups.iter().position(|group| group == one),
            _ => None,
        };
        if unnamed && rest.is_none() || strange.len() > usize::from(rest.is_some()) {
            let found = if strange.is_empty() { groups } else { strange };
            return Err(NameProblem::UnknownGroups { table: about(), found, known: known.to_vec() });
        }
        let of: Vec<usize> = known
            .iter()
            .map(|group| groups.iter().position(|other| other == group).or(rest).unwrap_or(0))
            .collect();
        if groups.len() < 2 {
            return Err(NameProblem::OneGroup { table: about(), group: groups.join(", ") });
        }
        let population = table.population();
        let mut shares = vec![0.0; groups.len()];
        of.iter().zip(population).for_each(|(place, share)| shares[*place] += share);
        let mut odds = vec![0.0; groups.len()];
        let guess = |entry| {
            odds.fill(0.0);
            of.iter().zip(table.probabilities(entry)).for_each(|(place, p)| odds[*place] += f64::from(*p));
            odds.iter_mut().zip(&shares).for_each(|(odds, share)| *odds /= share);
            crate::tally::most_likely(&odds).unwrap_or(groups.len()) as u8
        };
        let guesses: Vec<u8> = table.entries().map(guess).chain([groups.len() as u8]).collect();
        let name = name.to_owned();
        let stated = asked.is_some();
        Ok(NameSource { name, groups, stated, of, guesses, said: OnceLock::new(), table })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The groups that are compared.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Whether someone named them.
    pub(crate) fn is_stated(&self) -> bool {
        self.stated
    }

    /// The groups that the table tells apart.
    pub(crate) fn fine(&self) -> &[String] {
        self.table.groups()
    }

    /// For each of these the one of the groups that it belongs to.
    pub(crate) fn of(&self) -> &[usize] {
        &self.of
    }

    /// One plain word of letters, or five digits, as most fields are, to be looked up with others; nothing where more has to be looked
    /// at.
    #[inline]
    pub(crate) fn plain(&self, raw: &[u8]) -> Option<Unlooked> {
        self.table.plain(raw).map(Unlooked)
    }

    /// Looks up what was put off.
    #[inline]
    pub(crate) fn settle(&self, unlooked: Unlooked) -> Looked {
        match unlooked.0.checked_sub(Unlooked::LOOKED) {
            Some(looked) => Looked(looked as u32),
            // One word is no whole name.
            None => looked(self.table.find_number(unlooked.0), || false),
        }
    }

    /// Looks up what a field says.
    pub fn look_up(&self, raw: &str) -> Looked {
        looked(self.table.find(raw), || looks_like_whole_name(raw))
    }

    /// Whether a field seems to hold more than the part of a name that is needed, whether that is found or not.
    pub fn seems_whole(&self, raw: &str) -> bool {
        let words = || raw.split_whitespace().filter(|word| word.chars().count() > 1).count();
        self.table.field() != Field::Zip && (words() > 1 || looks_like_whole_name(raw))
    }

    /// The group that a name is likeliest in, by odds against the table's own people; nothing where it says nothing.
    pub fn guess(&self, looked: Looked) -> Option<&str> {
        self.groups.get(self.code(looked) as usize).map(String::as_str)
    }

    /// The place of that group; that after the last where there is none.
    #[inline]
    pub(crate) fn code(&self, looked: Looked) -> u32 {
        u32::from(self.guesses[self.place(looked)])
    }

    /// The place of what was found among the entries; that after the last for silence.
    #[inline]
    pub(crate) fn place(&self, looked: Looked) -> usize {
        (looked.0 as usize).min(self.guesses.len() - 1)
    }

    /// Entries and one place for silence.
    pub(crate) fn places(&self) -> usize {
        self.guesses.len()
    }

    #[inline]
    fn said(&self) -> &Said {
        self.said.get_or_init(|| Said::of(&self.table))
    }

    /// The point of evidence on the finest grid; zero where there is none.
    pub(crate) fn point(&self, place: usize) -> u128 {
        self.said().points[place]
    }

    /// The point where all sources stand side by side; zero where there is none.
    pub(crate) fn joint_point(&self, place: usize) -> u128 {
        self.said().joint_points[place]
    }

    /// Its hash.
    #[inline]
    pub(crate) fn joint_hash(&self, place: usize) -> u64 {
        self.said().joint_hashes[place]
    }

    /// Roots of the likelihoods; all one where there are none.
    #[inline]
    pub(crate) fn roots(&self, place: usize) -> &[f32] {
        let fine = self.of.len();
        &self.said().roots[place * fine..(place + 1) * fine]
    }

    /// The probabilities of the groups that are compared, among the people of the table; nothing where it is silent.
    pub fn probabilities(&self, looked: Looked) -> Option<Vec<f64>> {
        looked.is_known().then(|| {
            let mut sums = vec![0.0; self.groups.len()];
            let said = self.table.probabilities(Entry(looked.0));
            self.of.iter().zip(said).for_each(|(place, p)| sums[*place] += f64::from(*p));
            sums
        })
    }

    /// The source as the statistics know it: its points are likelihoods, as if all groups were of one size.
    pub(crate) fn evidence(&self) -> EvidenceSource {
        let fine = self.of.len();
        EvidenceSource {
            name: self.name.clone(),
            about: Some(self.table.about().to_owned()),
            reference: Some(vec![1.0 / fine as f64; fine]),
            population: Some(self.table.population().to_vec()),
        }
    }
}

/// What a look-up gave: an entry of the table, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looked(u32);

impl Looked {
    /// Nothing is written.
    pub const EMPTY: Looked = Looked(u32::MAX);
    /// What is written is no name: digits, an e-mail address, initials, another script.
    pub const NOT_A_NAME: Looked = Looked(u32::MAX - 1);
    /// A name that the table does not know.
    pub const UNKNOWN: Looked = Looked(u32::MAX - 2);
    /// A whole name, where a part of one is needed.
    pub const WHOLE_NAME: Looked = Looked(u32::MAX - 3);

    /// The table knows it.
    pub fn is_known(self) -> bool {
        self.0 < Looked::WHOLE_NAME.0
    }
}

/// A name to be looked up with others, or one that was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unlooked(u64);

impl Unlooked {
    /// Numbers of words are smaller.
    const LOOKED: u64 = 1 << 63;
}

impl From<Looked> for Unlooked {
    fn from(looked: Looked) -> Self {
        Unlooked(Unlooked::LOOKED | u64::from(looked.0))
    }
}

/// Names that one thread met lately, and the place of the group that each is likeliest in: eight bytes for a name, side by side, where
/// the table has a line of memory for each, most of which are far from the processor.
#[derive(Debug)]
pub(crate) enum Lately {
    /// Words as numbers of sixty bits, each followed by its four bits of a place; zero is free.
    Words(Box<[u64]>),
    /// The places of all numbers of five digits.
    Zips(Vec<u8>),
    /// More places than four bits have room for.
    Nothing,
}

impl Lately {
    const BITS: u32 = 14;
    const PLACES: usize = 16;

    pub fn new(source: &NameSource) -> Self {
        match source.table.field() {
            _ if source.groups.len() >= Self::PLACES => Lately::Nothing,
            Field::FirstName | Field::Surname => Lately::Words(vec![0; 1 << Self::BITS].into()),
            Field::Zip => {
                let code = |number| source.code(source.settle(Unlooked(number))) as u8;
                Lately::Zips((0..100_000).map(code).collect())
            }
        }
    }

    /// The place of the group of each name, in the order of the names.
    pub fn codes(&mut self, source: &NameSource, names: &[Unlooked], codes: &mut Vec<u32>) {
        let slow = |name: Unlooked| source.code(source.settle(name));
        match self {
            Lately::Words(met) => codes.extend(names.iter().map(|name| {
                let home = (name.0 ^ name.0 >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - Self::BITS);
                match met.get_mut(home as usize) {
                    // What was looked up already has a bit above the sixty: it is never the same.
                    Some(met) if *met >> 4 == name.0 => (*met & 15) as u32,
                    Some(met) => {
                        let code = slow(*name);
                        if name.0 >> 60 == 0 {
                            *met = name.0 << 4 | u64::from(code);
                        }
                        code
                    }
                    None => slow(*name),
                }
            })),
            Lately::Zips(places) => codes.extend(names.iter().map(|name| {
                places.get(name.0 as usize).map_or_else(|| slow(*name), |code| u32::from(*code))
            })),
            Lately::Nothing => codes.extend(names.iter().map(|name| slow(*name))),
        }
    }
}

#[inline]
fn looked(found: Found, is_whole_name: impl Fn() -> bool) -> Looked {
    match found {
        Found::Known(entry) => Looked(entry.0),
        Found::Silent(Silence::Empty) => Looked::EMPTY,
        Found::Silent(_) if is_whole_name() => Looked::WHOLE_NAME,
        Found::Silent(Silence::NotAName) => Looked::NOT_A_NAME,
        Found::Silent(Silence::Unknown) => Looked::UNKNOWN,
    }
}

/// A point of up to sixteen groups in one number.
pub(crate) fn packed(point: &[u8]) -> u128 {
    point.iter().rev().fold(0, |packed, c| packed << 8 | u128::from(*c))
}

/// A point of the finest grid on one of so many steps.
pub(crate) fn coarse(mut point: u128, steps: u8) -> u128 {
    let mut fine = FINEST;
    while fine > steps {
        point = half(point);
        fine /= 2;
    }
    point
}

/// The same as bytes.
pub(crate) fn unpacked(packed: u128, groups: usize) -> impl Iterator<Item = u8> {
    packed.to_le_bytes().into_iter().take(groups)
}
