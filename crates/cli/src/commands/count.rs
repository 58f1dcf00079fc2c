//! `fairveil count`: from a table to its tally.

use crate::args::CountArgs;
use crate::chance::generator;
use crate::intake::Source;
use crate::output::{Outputs, Shown, is_standard, lost, no_formulas, tell, tell_of_formulas};
use crate::provenance::Hashed;
use anyhow::{Context, anyhow, bail};
use fairveil_core::privacy::{DiscreteLaplace, Epsilon};
use fairveil_core::setting::visible;
use fairveil_ingest::{Columns, Domain, TallyFormat, count_table, is_postgres};
use std::io::{BufWriter, Write};
use std::path::Path;

pub fn run(args: &CountArgs) -> anyhow::Result<()> {
    let format = format(&args.output)?;
    let is_text = matches!(format, TallyFormat::Csv | TallyFormat::Tsv);
    if args.safe_csv && !is_text {
        bail!("{}", no_formulas(&args.output));
    }
    if let Some(flag) = args.table.about_people() {
        bail!(
            "{flag} is given, but a tally does not say which rows belong together\n  needed: the rows themselves\n  to do:  \
             audit the table, or leave {flag} out"
        );
    }
    let noise = args.epsilon.map(|epsilon| noise(args, epsilon)).transpose()?;
    let domain = domain(args)?;
    let source = Source::new(&args.table)?;
    let inputs = source.files().iter().map(|file| file.as_path());
    let mut outputs = Outputs::beside(inputs.chain(args.segments.as_deref()));
    let slot = if is_standard(&args.output) { None } else { Some(outputs.reserve(&args.output)?) };
    let beside = args.evidence.as_deref().map(|path| outputs.reserve(path)).transpose()?;
    if args.table.label_probability.is_some() {
        bail!(
            "--label-probability is about single rows, and a tally has none\n  needed: the rows themselves, for fairveil audit\n  \
             to do:  leave it out, and audit the rows where they are"
        );
    }
    let columns = Columns {
        control: args.control.clone(),
        guesses_alone: args.evidence.is_none(),
        ..args.outcome.columns(args.names.columns(args.score.columns(args.table.columns()))?)
    };
    let columns = args.bins.columns(&args.score, &args.outcome, columns)?;
    let (mut tally, _) = source
        .read(&args.table.reading(), false, |inputs, reading| count_table(inputs, &columns, reading))?;
    let least = columns.least_segment();
    let small = if args.min_cell.is_none() && noise.is_none() { tally.small_segments(least) } else { 0 };
    if small > 0 {
        bail!(
            "{}: {small} segments have fewer than {least} rows, and a tally shows what was guessed about the people in them\n  needed: \
             segments of at least {least} rows\n  to do:  cut by another column, withhold small cells with --min-cell, or allow smaller ones with --min-segment or --show-single-people",
            source.name()
        );
    }
    if let Some(least) = args.min_cell {
        if tally.has_noise() {
            bail!(
                "{}: the tally has noise, and its small cells are nothing but noise\n  needed: a tally without noise\n  \
                 to do:  leave --min-cell out",
                source.name()
            );
        }
        tally.hide_below(least);
    }
    if let Some(noise) = &noise {
        // Another table must not get the same noise from the same seed: the difference would tell a row.
        let mut plain = Hashed::new(std::io::sink());
        tally.write(TallyFormat::Csv, &mut plain)?;
        let purpose = format!("count {} {}", noise.epsilon().value(), plain.written());
        tally.add_noise(noise, &domain, &mut generator(args.seed, &purpose)?)?;
    }
    // After the noise is drawn: what is written changes no seed.
    if args.safe_csv {
        tally.guard_formulas();
    }
    if let Some(slot) = beside {
        if tally.rows() == 0 {
            bail!(
                "{}: there is no row, and so no evidence\n  needed: at least one row\n  to do:  check the export that made the file, \
                 or leave out --evidence",
                source.name()
            );
        }
        let evidence = tally.evidence().with_context(|| no_evidence(&source.name()))?;
        let mut out = BufWriter::new(outputs.writer(slot));
        let written = evidence.write(&mut out).and_then(|()| out.flush());
        drop(out);
        written.with_context(|| outputs.unwritten(slot))?;
    }
    match slot {
        None => {
            let mut out = BufWriter::new(std::io::stdout());
            tally.write(format, &mut out).and_then(|()| out.flush()).map_err(|error| lost(error.into()))?;
            drop(out);
            outputs.commit()?;
        }
        Some(slot) => {
            let mut out = BufWriter::new(outputs.writer(slot));
            let written = tally.write(format, &mut out).and_then(|()| out.flush());
            drop(out);
            written.with_context(|| outputs.unwritten(slot))?;
            outputs.commit()?;
        }
    }
    if !args.quiet {
        // Of a tally with noise the exact number of rows is no one's business.
        match &noise {
            None => tell(&format!("{} rows in {} cells", tally.sum(), tally.cells())),
            Some(noise) => {
                say(noise, tally.sum(), tally.cells());
            }
        }
        if let Some(evidence) = tally.evidence().filter(|_| beside.is_some()) {
            tell(&format!(
                "{} cells of evidence; a rare name may have its own cell, which is about one person: protect the file as you protect the table",
                evidence.cells()
            ));
        }
        if let Some((cells, rows)) = tally.hidden() {
            tell(&format!("at most {rows} rows in {cells} cells are withheld; the tally says so"));
            if tally.cells() == 0 {
                tell("warning: no cell is left: count fewer columns, or withhold less");
            }
        }
    }
    if is_text {
        tell_of_formulas(tally.formulas(), args.safe_csv);
    }
    if args.seed.is_some() {
        tell("warning: drawn with --seed: anyone who knows the seed can remove the noise");
    }
    for skipped in tally.skipped() {
        tell(&format!(
            "warning: {} rows left out because of {}; the first is {}",
            skipped.rows, skipped.reason, skipped.first
        ));
    }
    Ok(())
}

/// Why there is no file of it.
fn no_evidence(table: &str) -> String {
    format!(
        "{table}: there is no evidence to be written\n  needed: names or places (--first-name, --surname, --zip), or one proxy that gives \
         probabilities (--proxy-probs) and no other\n  to do:  name their columns, or leave out --evidence"
    )
}

/// Past this a cell has noise once in 10⁸ times: there is nothing to state.
const MOST_EPSILON: f64 = 20.0;

/// The values that were stated, from which the cells of a tally with noise are made.
fn domain(args: &CountArgs) -> anyhow::Result<Domain> {
    let mut domain = Domain {
        groups: args.table.groups.clone(),
        classes: args.classes.clone(),
        may_be_missing: args.may_be_missing.iter().cloned().collect(),
        ..Domain::default()
    };
    // Known before a row is read.
    let stated = [
        (!domain.groups.is_empty(), "--groups"),
        (!domain.classes.is_empty(), "--classes"),
        (args.table.by.is_empty() || args.segments.is_some(), "--segments"),
    ];
    if let Some((_, flag)) = stated.iter().find(|(is, _)| args.epsilon.is_some() && !is) {
        bail!(
            "--epsilon without {flag}: noise hides a row only if every possible cell gets noise, and values taken from the rows would give themselves away\n  needed: all values that may occur, whether or not a row has them\n  to do:  state them \
             with {flag}"
        );
    }
    let nothing = |value: &&String| ["", "nan", "null"].contains(&value.trim().to_lowercase().as_str());
    if let Some(value) =
        domain.groups.iter().chain(&domain.classes).find(nothing).filter(|_| args.epsilon.is_some())
    {
        bail!(
            "--groups or --classes lists `{}`, which means a missing value\n  needed: real values\n  to do:  leave it out, and name \
             the columns in which rows may have nothing with --may-be-missing",
            visible(value)
        );
    }
    if let Some(path) = &args.segments {
        let file = std::fs::File::open(path).with_context(|| {
            format!(
                "cannot read {}\n  needed: a CSV file with a column for each --by\n  to do:  check the name",
                path.shown()
            )
        })?;
        domain.read_segments(&path.shown(), file, &args.table.by)?;
    }
    Ok(domain)
}

/// The noise that was asked for, and what stands against it before a row is read.
fn noise(args: &CountArgs, epsilon: f64) -> anyhow::Result<DiscreteLaplace> {
    let noise = Epsilon::new(epsilon).and_then(DiscreteLaplace::new);
    let noise = noise
        .map_err(|error| anyhow!("--epsilon: {error}\n  to do:  give what the tally may spend, such as 1"))?;
    if epsilon > MOST_EPSILON {
        bail!(
            "--epsilon is {epsilon}, and the noise of every cell would be 0\n  needed: at most {MOST_EPSILON}\n  to do:  give what the \
             tally may spend, such as 1"
        );
    }
    let table = &args.table;
    let flags = [
        (table.truth.is_some(), "--truth", "true groups do not belong in a tally that is shared"),
        (table.audit_labels.is_some(), "--audit-labels", "known groups are counted exactly"),
        (table.weight.is_some(), "--weight", "one person may weigh more than one row"),
        (!table.proxy_probs.is_empty(), "--proxy-probs", "sums of probabilities are no counts"),
        (
            table.tables.iter().any(|table| table.to_str().is_some_and(is_postgres)),
            "postgres://",
            "the database counts, and noise is added to rows that were counted here",
        ),
    ];
    if let Some((_, flag, why)) = flags.iter().find(|(is, ..)| *is) {
        bail!("--epsilon beside {flag}: {why}\n  needed: one of the two\n  to do:  leave the other out");
    }
    Ok(noise)
}

/// Says what the noise does, in plain words.
fn say(noise: &DiscreteLaplace, sum: i64, cells: usize) {
    let epsilon = noise.epsilon().value();
    tell(&format!("{cells} cells, all with noise; their counts sum to {sum}"));
    tell(&format!(
        "epsilon {epsilon}: one row more or less changes the chance of any tally by at most a factor of {:.2}; the \
         noise of a cell has a standard deviation of {:.1} rows",
        epsilon.exp(),
        noise.variance().sqrt()
    ));
    tell("not protected: another tally of the same rows spends its epsilon again");
}

/// The format that a name asks for.
fn format(output: &Path) -> anyhow::Result<TallyFormat> {
    let name = output.to_string_lossy().to_lowercase();
    Ok(match name.rsplit_once('.').map(|(_, end)| end) {
        _ if is_standard(output) => TallyFormat::Csv,
        Some("csv") => TallyFormat::Csv,
        Some("tsv" | "tab") => TallyFormat::Tsv,
        Some("json" | "jsonl" | "ndjson") => TallyFormat::JsonLines,
        Some("parquet") => TallyFormat::Parquet,
        _ => bail!(
            "{}: the file name does not say which format\n  needed: a name that ends in .csv, .tsv, .jsonl or .parquet\n  \
             to do:  name another file, or - for CSV on standard output",
            output.shown()
        ),
    })
}
