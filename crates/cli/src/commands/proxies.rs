//! `fairveil proxies`: a table with what names and places say of each person's group beside it, and without them.
//!
//! The one command that writes an inferred group of a person (ARCHITECTURE, invariant 1). `audit` needs no such file, so it is
//! written only for who says `--plain`, or told by randomised response.

use crate::args::{ProxiesArgs, flag};
use crate::chance::generator;
use crate::intake::Source;
use crate::looking::{Looking, percent};
use crate::output::{Outputs, Shown, is_standard, safe_format, table_format, tell, tell_of_formulas};
use crate::telling::{self, Copying, Teller};
use anyhow::{anyhow, bail};
use fairveil_core::counts::Randomized;
use fairveil_core::privacy::{Epsilon, RandomizedResponse};
use fairveil_core::setting::visible;
use fairveil_core::vocabulary::Guess;
use fairveil_ingest::tables_of_names::{Attribute, BISG_GROUPS, Bisg, Field};
use fairveil_ingest::{
    Copied, Edit, IngestError, NameColumn, NameSource, NamesAsked, RewritePlan, Rows, canonical,
};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn run(args: &ProxiesArgs) -> anyhow::Result<()> {
    refuse(args)?;
    let output = &args.output;
    let format = safe_format(table_format(output)?, args.safe_csv, output)?;
    let source = Source::of_rows(&args.tables)?;
    let columns = columns(args)?;
    let mut shown: Vec<String> = Vec::new();
    for NameColumn { column, .. } in &columns {
        if !shown.contains(column) {
            shown.push(column.clone());
        }
    }
    let mut look = LookUp::new(args, columns, &shown)?;
    let inputs = source.files().iter().cloned().chain(args.names.files()).chain(args.earlier.clone());
    let mut outputs = Outputs::beside(inputs);
    let slot = if is_standard(output) { None } else { Some(outputs.reserve(output)?) };
    let plan = RewritePlan {
        dropped: shown.clone(),
        shown,
        added: look.sources.iter().map(Looking::column).collect(),
        numbers: look.numbers(),
        missing: args.missing.clone(),
        rows_are_single: args.count.is_some(),
        ..RewritePlan::default()
    };
    let reading = args.text.reading();
    let copying = Copying { source: &source, plan: &plan, reading: &reading, format, output };
    let mut told = Vec::new();
    let Copied { rows, formulas } = match args.epsilon {
        None => {
            let (copied, _) = copying.write(&mut outputs, slot, |rows| look.edit(rows))?;
            outputs.commit()?;
            copied
        }
        Some(epsilon) => {
            telling::refuse_forgotten(&args.earlier, &source)?;
            let path = telling::mechanism_path(args.mechanism.as_ref(), output)?;
            let mechanism_slot = outputs.reserve(&path)?;
            let mut mechanism = telling::begun(args.date.as_deref(), args.seed, &args.earlier)?;
            mechanism.columns = look.randomized(epsilon)?;
            let teller = |columns: &[Randomized]| -> anyhow::Result<Teller> {
                let random = generator(args.seed, &purpose(columns))?;
                Ok(Teller { columns: columns.to_vec(), random, missing: 0 })
            };
            look.teller = Some(teller(&mechanism.columns)?);
            let (copied, digest) = copying.write(&mut outputs, slot, |rows| look.edit(rows))?;
            mechanism.table_sha256 = Some(digest);
            outputs.write(mechanism_slot, mechanism.to_json(VERSION).as_bytes())?;
            outputs.commit()?;
            let missing = look.teller.as_ref().map_or(0, |teller| teller.missing);
            told = telling::promised(&mechanism, copied.rows, missing, &path);
            told.push(audit_line(&look, output, Some(&path)));
            telling::warn(&mechanism, args.seed);
            copied
        }
    };
    tell_of_formulas(formulas, args.safe_csv);
    if !args.quiet {
        look.coverage(rows).iter().for_each(|line| tell(line));
        tell(&format!(
            "left out of the copy: {}; all other columns stay as they are",
            plan.dropped.join(", ")
        ));
        let plain = || {
            vec![
                format!("{rows} rows written, with a guessed group of each person whose name or place is known: keep the file as you \
                         keep the names"),
                "fairveil audit with the same columns of names needs no such file, and knows whose names the tables counted".to_owned(),
                audit_line(&look, output, None),
            ]
        };
        if told.is_empty() { plain() } else { told }.iter().for_each(|line| tell(line));
    }
    // Both parts of a whole name have the same doubt.
    let mut doubts: Vec<String> = look.sources.iter().filter_map(|one| one.doubt(rows)).collect();
    doubts.dedup();
    doubts.iter().for_each(|doubt| tell(doubt));
    Ok(())
}

/// What a seed is for: another mechanism, or other columns, must not be told by the same draws, which would undo both.
fn purpose(columns: &[Randomized]) -> String {
    let each = |column: &Randomized| {
        format!(" {:?} {:?} {:?}", column.column, column.groups, column.response.rows())
    };
    format!("proxies{}", columns.iter().map(each).collect::<String>())
}

/// Combinations that make no sense, or that would write more than was asked for.
fn refuse(args: &ProxiesArgs) -> anyhow::Result<()> {
    let names = &args.names;
    if args.name.is_none() && names.first_name.is_none() && names.surname.is_none() && names.zip.is_none() {
        bail!(
            "no column of names or places is named\n  needed: at least one, better two or three\n  to do:  name columns with \
             --first-name, --surname and --zip, or --name for whole names written \"Last, First\""
        );
    }
    if !args.plain && args.epsilon.is_none() {
        bail!(
            "this would write a guessed group for every person; say how: --plain or --epsilon\n  needed: one of them\n  to do:  \
             better run `fairveil audit` with the same columns of names, which looks them up and writes no guess; else --epsilon 1 \
             tells guesses at random, and --plain writes them as they are"
        );
    }
    let bisg = [(args.bisg, "--bisg"), (args.bifsg, "--bifsg")].into_iter().find(|(asked, _)| *asked);
    let Some((_, which)) = bisg else { return Ok(()) };
    if args.epsilon.is_some() {
        bail!(
            "{which} is given with --epsilon: a posterior reveals the group more exactly than any randomised guess\n  \
             needed: guesses alone\n  to do:  leave out {which}; or write it with --plain, for those who may see the names"
        );
    }
    if names.attribute == Some(Attribute::Sex) {
        bail!("{which} is about race\n  needed: --for race\n  to do:  leave out {which} or --for sex");
    }
    if names.own_tables.is_some() {
        bail!(
            "{which} is what the CFPB computes, from tables of the census, and --tables names others\n  needed: the built-in tables\n  \
             to do:  leave out one of the two"
        );
    }
    let first = names.first_name.is_some() || args.name.is_some();
    let surname = names.surname.is_some() || args.name.is_some();
    let lacking =
        [(surname, "--surname"), (names.zip.is_some(), "--zip"), (first || !args.bifsg, "--first-name")];
    let which = if args.bifsg { "--bifsg" } else { "--bisg" };
    if let Some((_, lacking)) = lacking.into_iter().find(|(there, _)| !there) {
        let needed = if args.bifsg { "surname, ZIP code and first name" } else { "surname and ZIP code" };
        bail!("{which} without {lacking}\n  needed: columns of {needed}\n  to do:  name the column");
    }
    Ok(())
}

/// The columns with their tables, which must tell the same groups apart.
fn columns(args: &ProxiesArgs) -> anyhow::Result<Vec<NameColumn>> {
    let mut asked = args.names.asked()?;
    if let Some(name) = &args.name {
        asked.first_name = Some(name.clone());
        // No published table tells sex from surnames.
        asked.surname = (asked.attribute != Some(Attribute::Sex)).then(|| name.clone());
    }
    let one_for_two = |asked: &NamesAsked| {
        let named: Vec<(Field, String)> =
            asked.columns().map(|(field, name)| (field, name.clone())).collect();
        named.iter().enumerate().find_map(|(i, (field, name))| {
            let (other, _) = named[..i].iter().find(|(_, other)| other == name)?;
            (args.name.as_ref() != Some(name) || *field == Field::Zip).then(|| (*other, *field, name.clone()))
        })
    };
    if let Some((one, other, column)) = one_for_two(&asked) {
        bail!(
            "{} and {} name the same column `{}`\n  needed: a column for each\n  to do:  split it; whole names written \"Last, First\" \
             go with --name",
            flag(one),
            flag(other),
            visible(&column)
        );
    }
    let groups: Vec<String> = args.groups.iter().map(|group| canonical(group).into_owned()).collect();
    if let Some((_, twice)) = groups.iter().enumerate().find(|(i, group)| groups[..*i].contains(group)) {
        bail!(
            "--groups lists `{}` twice\n  needed: each group once\n  to do:  correct --groups",
            visible(twice)
        );
    }
    let columns = asked.sources((!groups.is_empty()).then_some(&groups))?;
    let sorted = |source: &NameSource| {
        let mut groups = source.groups().to_vec();
        groups.sort();
        groups
    };
    if columns.iter().any(|column| sorted(&column.source) != sorted(&columns[0].source)) {
        let told =
            |column: &NameColumn| format!("{} {}", column.source.name(), column.source.groups().join(", "));
        bail!(
            "the tables have different groups: {}\n  needed: the same groups of all\n  to do:  bring the tables in --tables to \
             the same groups, or leave out a column",
            columns.iter().map(told).collect::<Vec<_>>().join("; ")
        );
    }
    Ok(columns)
}

/// Everything that is looked up for a row.
struct LookUp {
    sources: Vec<Looking>,
    /// Posteriors, and how many rows have one.
    posteriors: Vec<Posterior>,
    /// Whether probabilities are written.
    plain: bool,
    teller: Option<Teller>,
}

impl LookUp {
    fn new(args: &ProxiesArgs, columns: Vec<NameColumn>, shown: &[String]) -> anyhow::Result<Self> {
        let looking = |column: NameColumn| {
            let place = shown.iter().position(|name| *name == column.column).unwrap_or(0);
            let whole = args.name.as_deref() == Some(column.column.as_str());
            Looking::new(column, place, whole)
        };
        let sources: Vec<Looking> = columns.into_iter().map(looking).collect();
        let mut posteriors = Vec::new();
        if args.bisg || args.bifsg {
            let bisg = Arc::new(Bisg::new()?);
            let asked = [("bisg", args.bisg), ("bifsg", args.bifsg)];
            for (name, _) in asked.into_iter().filter(|(_, asked)| *asked) {
                posteriors.push(Posterior { name, bisg: Arc::clone(&bisg), known: 0 });
            }
        }
        Ok(LookUp { sources, posteriors, plain: args.plain, teller: None })
    }

    /// The columns of numbers.
    fn numbers(&self) -> Vec<String> {
        let name = |source: &str, group: &str| format!("{source}_{}", canonical(group));
        let of_source = |one: &Looking| {
            let groups = one.source.groups().iter();
            groups.map(|group| name(one.source.name(), group)).collect::<Vec<_>>()
        };
        let mut names = Vec::new();
        if self.plain {
            names.extend(self.sources.iter().flat_map(of_source));
        }
        names.extend(self.posteriors.iter().flat_map(|one| BISG_GROUPS.map(|group| name(one.name, group))));
        names
    }

    /// How each guess is told.
    fn randomized(&self, epsilon: f64) -> anyhow::Result<Vec<Randomized>> {
        let to_do = "to do:  give an --epsilon such as 1";
        let epsilon = Epsilon::new(epsilon).map_err(|error| anyhow!("--epsilon: {error}\n  {to_do}"))?;
        let column = |one: &Looking| {
            let groups = one.source.groups();
            let response = RandomizedResponse::with_epsilon(groups.len(), epsilon);
            Ok(Randomized {
                column: one.column(),
                groups: groups.iter().map(|group| canonical(group).into_owned()).collect(),
                response: response.map_err(|error| anyhow!("--epsilon: {error}\n  {to_do}"))?,
            })
        };
        self.sources.iter().map(column).collect()
    }

    /// What the rows get, row by row: a seed gives the same table whatever its format.
    fn edit(&mut self, rows: &Rows) -> Result<Edit, IngestError> {
        let mut edit = Edit {
            added: vec![Vec::with_capacity(rows.rows()); self.sources.len()],
            numbers: vec![Vec::with_capacity(rows.rows()); self.numbers().len()],
            ..Edit::default()
        };
        for row in 0..rows.rows() {
            let mut numbers = edit.numbers.iter_mut();
            let mut number = |value: Option<f64>| {
                if let Some(column) = numbers.next() {
                    column.push(value);
                }
            };
            let mut written: [Option<Cow<str>>; 3] = [None, None, None];
            for (column, one) in self.sources.iter_mut().enumerate() {
                let raw = rows.columns.get(one.place).and_then(|values| values[row].as_deref());
                let (part, looked) = one.look(raw);
                let guess = one.source.guess(looked);
                edit.added[column].push(match &mut self.teller {
                    Some(teller) => {
                        let place = |guess: &str| one.source.groups().iter().position(|group| group == guess);
                        teller.tell(column, guess.and_then(place).map(Guess))
                    }
                    None => guess.map(|guess| canonical(guess).into_owned()),
                });
                if self.plain {
                    let probabilities = one.source.probabilities(looked);
                    for group in 0..one.source.groups().len() {
                        number(probabilities.as_ref().map(|all| rounded(all[group])));
                    }
                }
                written[one.source.table().field() as usize] = part;
            }
            let [first, surname, zip] = &written;
            for one in &mut self.posteriors {
                let first = (one.name == "bifsg").then(|| first.as_deref().unwrap_or_default());
                let (surname, zip) = (surname.as_deref(), zip.as_deref());
                let posterior =
                    one.bisg.posterior(surname.unwrap_or_default(), zip.unwrap_or_default(), first).ok();
                one.known += u64::from(posterior.is_some());
                for group in 0..BISG_GROUPS.len() {
                    number(posterior.map(|all| all[group]));
                }
            }
        }
        Ok(edit)
    }

    /// What each source knows.
    fn coverage(&self, rows: u64) -> Vec<String> {
        let mut lines: Vec<String> = self.sources.iter().map(|one| one.told(rows)).collect();
        lines.extend(self.posteriors.iter().map(|one| {
            format!(
                "{}: {} of {rows} rows ({}), those of which every part is known",
                one.name,
                one.known,
                percent(one.known, rows)
            )
        }));
        lines
    }
}

/// Tables hold single precision: more digits would be noise.
fn rounded(share: f64) -> f64 {
    const STEPS: f64 = 1e7;
    (share * STEPS).round() / STEPS
}

/// Posteriors of the CFPB's groups.
struct Posterior {
    name: &'static str,
    bisg: Arc<Bisg>,
    known: u64,
}

/// The command that audits the copy, each proxy with its source.
fn audit_line(look: &LookUp, output: &Path, mechanism: Option<&Path>) -> String {
    let table = if is_standard(output) { "TABLE".to_owned() } else { output.shown() };
    let proxies: Vec<String> =
        (look.sources.iter()).map(|one| format!("--proxy {}:{}", one.column(), one.source.name())).collect();
    // Stated, since a small group may be guessed by one of the sources alone.
    let groups = look.sources.first().map_or(String::new(), |one| one.source.groups().join(","));
    let mechanism = mechanism.map_or(String::new(), |path| format!(" --mechanism {}", path.shown()));
    let proxies = proxies.join(" ");
    format!(
        "audit it, each proxy with its source:  fairveil audit {table} {proxies} --groups {groups}{mechanism}"
    )
}
