//! `fairveil privatize`: guesses told by randomised response, and the mechanism beside them.

use super::privacy_report;
use crate::args::PrivatizeArgs;
use crate::chance::{KEYED, Key, generator};
use crate::intake::{Source, read_stated};
use crate::output::{Outputs, Shown, is_standard, safe_format, table_format, tell, tell_of_formulas};
use crate::telling::{self, Copying, Teller};
use anyhow::{Context, anyhow, bail};
use fairveil_core::counts::Randomized;
use fairveil_core::privacy::{Epsilon, PrivacyError, RandomizedResponse};
use fairveil_core::setting::visible;
use fairveil_core::vocabulary::Guess;
use fairveil_ingest::{
    Edit, IngestError, Mechanism, Problem, Reading, RewritePlan, Rows, canonical, each_rows, header,
    is_formula, sort_names, stated_matrix,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Past this many distinct values a column holds something else than guesses of a group.
const MOST_GROUPS: usize = 100;
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn run(args: &PrivatizeArgs) -> anyhow::Result<()> {
    let source = Source::of_rows(&args.tables)?;
    let args = &PrivatizeArgs { proxy: columns(args, &source)?, ..args.clone() };
    let mut outputs =
        Outputs::beside(source.files().iter().chain(&args.earlier).chain(&args.matrix).chain(&args.key_file));
    args.report.as_ref().map(|path| privacy_report::make(args, path, &source, &mut outputs)).transpose()?;
    match &args.output {
        Some(output) => release(args, output, &source, outputs),
        None => outputs.commit(),
    }
}

/// The columns to tell: those between commas apart, unless a column has that very name.
fn columns(args: &PrivatizeArgs, source: &Source) -> anyhow::Result<Vec<String>> {
    if !args.proxy.iter().any(|proxy| proxy.contains(',')) {
        return Ok(args.proxy.clone());
    }
    let header = match source.again().into_iter().next() {
        Some(input) if source.can_be_read_again() => header(input, &args.text.reading())?,
        _ => Vec::new(),
    };
    let mut columns = Vec::new();
    for proxy in &args.proxy {
        let named = if header.contains(proxy) {
            vec![proxy.as_str()]
        } else {
            proxy.split(',').map(str::trim).collect()
        };
        if named.contains(&"") {
            bail!(
                "--proxy {} has an empty name between its commas\n  needed: a column's name before and after every comma\n  to do:  \
                 correct --proxy",
                visible(proxy)
            );
        }
        columns.extend(named.into_iter().map(str::to_owned));
    }
    Ok(columns)
}

/// Writes the told table and its mechanism.
fn release(args: &PrivatizeArgs, output: &Path, source: &Source, mut outputs: Outputs) -> anyhow::Result<()> {
    let format = safe_format(table_format(output)?, args.safe_csv, output)?;
    let mechanism_path = telling::mechanism_path(args.mechanism.as_ref(), output)?;
    let asked = Asked::new(args)?;
    telling::refuse_forgotten(&args.earlier, source)?;
    let mut mechanism = telling::begun(args.date.as_deref(), args.seed, &args.earlier)?;
    let slot = if is_standard(output) { None } else { Some(outputs.reserve(output)?) };
    let mechanism_slot = outputs.reserve(&mechanism_path)?;
    let key = args.key_file.as_deref().map(Key::read).transpose()?;
    let plan = RewritePlan {
        // Who a row is about stands last.
        shown: args.proxy.iter().chain(&args.id).cloned().collect(),
        changed: args.proxy.clone(),
        map: args.map.clone(),
        missing: args.missing.clone(),
        rows_are_single: args.count.is_some(),
        ..RewritePlan::default()
    };
    let reading = args.text.reading();
    let from_data = asked.groups.is_none();
    let (groups, response) = asked.with_groups(|| met(source, &plan, &reading))?;
    let column = |name: &String| Randomized {
        column: name.clone(),
        groups: groups.clone(),
        response: response.clone(),
    };
    mechanism.columns = args.proxy.iter().map(column).collect();
    refuse_renamed(args, &groups)?;
    let random = generator(args.seed, &purpose(args, &groups, &response))?;
    if let Some(key) = &key {
        mechanism.generator = Some(KEYED.to_owned());
        mechanism.answers = Some(key.name(&purpose(args, &groups, &response)));
    }
    let mut teller = Teller { columns: mechanism.columns.clone(), random, missing: 0 };
    let copying = Copying { source, plan: &plan, reading: &reading, format, output };
    let (copied, digest) =
        copying.write(&mut outputs, slot, |rows| told(&mut teller, key.as_ref(), &groups, rows))?;
    mechanism.table_sha256 = Some(digest);
    outputs.write(mechanism_slot, mechanism.to_json(VERSION).as_bytes())?;
    outputs.commit()?;
    say(args, &mechanism, copied.rows, teller.missing, from_data, &mechanism_path);
    tell_of_formulas(copied.formulas, args.safe_csv);
    Ok(())
}

/// The mechanism lists columns and groups as an audit will find them in the table.
fn refuse_renamed(args: &PrivatizeArgs, groups: &[String]) -> anyhow::Result<()> {
    let mut named = args.proxy.iter().chain(groups);
    if args.safe_csv && named.any(|name| is_formula(name.trim_start_matches('\''))) {
        bail!(
            "--safe-csv would rename a proxy or a group, which the mechanism lists under its own name\n  needed: names of proxies and \
             groups that begin with no =, +, -, @, tab or line end\n  to do:  rename them in the table, or leave --safe-csv out"
        );
    }
    Ok(())
}

/// What a seed is for: another mechanism, or other columns, must not be told by the same draws, which would undo both.
fn purpose(args: &PrivatizeArgs, groups: &[String], response: &RandomizedResponse) -> String {
    format!("privatize {:?} {groups:?} {:?}", args.proxy, response.rows())
}

const TO_DO: &str = "to do:  give an --epsilon such as 1, or a --flip such as 0.25";

/// What was asked for, before the groups are known.
struct Asked {
    groups: Option<Vec<String>>,
    how: How,
}

enum How {
    Epsilon(Epsilon),
    Flip(f64),
    Matrix(RandomizedResponse),
}

impl Asked {
    fn new(args: &PrivatizeArgs) -> anyhow::Result<Self> {
        let mut groups: Option<Vec<String>> = None;
        if !args.groups.is_empty() {
            let names: Vec<String> = args.groups.iter().map(|group| canonical(group).into_owned()).collect();
            if let Some((_, twice)) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
                bail!(
                    "--groups lists `{}` twice\n  needed: each group once\n  to do:  correct --groups",
                    visible(twice)
                );
            }
            groups = Some(names);
        }
        if let Some((_, twice)) =
            args.proxy.iter().enumerate().find(|(i, name)| args.proxy[..*i].contains(name))
        {
            bail!(
                "--proxy names `{}` twice\n  needed: each column once\n  to do:  leave one out",
                visible(twice)
            );
        }
        if let Some(id) = args.id.as_ref().filter(|id| args.proxy.contains(id)) {
            bail!(
                "--id and --proxy name `{}`\n  needed: a column that says who a row is about\n  to do:  correct --id",
                visible(id)
            );
        }
        let how = match (args.epsilon, args.flip, &args.matrix) {
            (Some(epsilon), ..) => {
                let epsilon = Epsilon::new(epsilon);
                How::Epsilon(epsilon.map_err(|error| anyhow!("--epsilon: {error}\n  {TO_DO}"))?)
            }
            (_, Some(flip), _) => How::Flip(flip),
            (.., Some(path)) => {
                let text = read_stated(path)?;
                let (names, response) = stated_matrix(&text).with_context(|| path.shown())?;
                groups = Some(names);
                How::Matrix(response)
            }
            _ => bail!("no mechanism is stated\n  to do:  give --epsilon, --flip or --matrix"),
        };
        let asked = Asked { groups, how };
        // A mechanism that cannot be had is told before the table is read.
        if let Some(groups) = &asked.groups {
            asked.response(groups.len())?;
        }
        Ok(asked)
    }

    fn response(&self, groups: usize) -> anyhow::Result<RandomizedResponse> {
        let refused = |flag: &'static str| move |error: PrivacyError| anyhow!("{flag}: {error}\n  {TO_DO}");
        match &self.how {
            How::Epsilon(epsilon) => {
                RandomizedResponse::with_epsilon(groups, *epsilon).map_err(refused("--epsilon"))
            }
            How::Flip(flip) => RandomizedResponse::flip(groups, *flip).map_err(refused("--flip")),
            How::Matrix(response) => Ok(response.clone()),
        }
    }

    /// The groups and the mechanism; groups that were not said are looked for.
    fn with_groups(
        self,
        met: impl FnOnce() -> anyhow::Result<Vec<String>>,
    ) -> anyhow::Result<(Vec<String>, RandomizedResponse)> {
        let groups = match &self.groups {
            Some(groups) => groups.clone(),
            None => met()?,
        };
        let response = self.response(groups.len())?;
        Ok((groups, response))
    }
}

/// The values met in the columns, in the order of an audit.
fn met(source: &Source, plan: &RewritePlan, reading: &Reading) -> anyhow::Result<Vec<String>> {
    if !source.can_be_read_again() {
        bail!(
            "{}: this can be read only once, and the groups are not known\n  needed: the groups\n  \
             to do:  list them with --groups",
            source.name()
        );
    }
    let mut met: BTreeSet<String> = BTreeSet::new();
    let look = |rows: &Rows| -> Result<(), IngestError> {
        for (column, values) in rows.columns.iter().enumerate() {
            for (row, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                let value = canonical(value);
                if !met.contains(value.as_ref()) {
                    if met.len() >= MOST_GROUPS {
                        let problem = Problem::TooManyValues { what: "group", limit: MOST_GROUPS };
                        return Err(rows.error(row, column, problem));
                    }
                    met.insert(value.into_owned());
                }
            }
        }
        Ok(())
    };
    source.read(reading, false, |inputs, reading| each_rows(inputs, plan, reading, look))?;
    let mut groups: Vec<String> = met.into_iter().collect();
    sort_names(&mut groups);
    if groups.len() < 2 {
        bail!(
            "{}: the columns {} hold {} group(s)\n  needed: at least two groups\n  \
             to do:  check that the right columns were named, or list the groups with --groups",
            source.name(),
            plan.shown.join(", "),
            groups.len()
        );
    }
    Ok(groups)
}

/// New values of some rows, row by row, whatever the format makes of rows: a seed gives the same table from a CSV as from a
/// Parquet file.
fn told(teller: &mut Teller, key: Option<&Key>, groups: &[String], rows: &Rows) -> Result<Edit, IngestError> {
    let guesses = teller.columns.len();
    let mut changed: Vec<Vec<Option<String>>> =
        rows.columns[..guesses].iter().map(|values| Vec::with_capacity(values.len())).collect();
    for row in 0..rows.rows() {
        let answers = match key {
            None => None,
            Some(key) => {
                let person = rows.columns.get(guesses).and_then(|ids| ids[row].as_ref());
                let missing = || rows.error(row, guesses, Problem::IdMissing);
                Some((key, canonical(person.ok_or_else(missing)?)))
            }
        };
        for (column, values) in rows.columns[..guesses].iter().enumerate() {
            let place = |value: &String| {
                let name = canonical(value);
                groups.iter().position(|group| *group == name).map(Guess).ok_or_else(|| {
                    rows.error(row, column, Problem::UnknownGroup { value: None, groups: groups.to_vec() })
                })
            };
            let guess = values[row].as_ref().map(place).transpose()?;
            changed[column].push(match &answers {
                None => teller.tell(column, guess),
                Some((key, person)) => teller.tell_by(column, guess, |how, guess| {
                    let purpose = format!("{} {:?} {:?}", how.column, how.groups, how.response.rows());
                    key.uniform(&purpose, person, guess)
                }),
            });
        }
    }
    Ok(Edit { changed, ..Edit::default() })
}

/// Says what was done, and what is not protected.
fn say(args: &PrivatizeArgs, mechanism: &Mechanism, rows: u64, missing: u64, from_data: bool, path: &Path) {
    let mut words = telling::promised(mechanism, rows, missing, path);
    if from_data {
        words.push(
            "not protected: the list of groups, taken from the data; --groups states it instead".into(),
        );
    }
    if args.key_file.is_some() {
        words.push(
            "a person whose guess stays the same has the same answer in every release with this secret: such releases do not add up; a guess \
             that changes is told anew, and that adds to it"
                .into(),
        );
    }
    if !args.quiet {
        words.iter().for_each(|line| tell(line));
    }
    telling::warn(mechanism, args.seed);
}
