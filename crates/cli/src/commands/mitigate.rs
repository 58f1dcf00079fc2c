//! `fairveil mitigate`: decisions with a smaller gap, learned from proxies only, and what became of them on held-out rows.

use crate::args::{MethodName, MitigateArgs};
use crate::dialect::Flags;
use crate::intake::Source;
use crate::output::{Outputs, Shown, tell};
use crate::places::Places;
use crate::provenance::Made;
use crate::threads::with_threads;
use anyhow::{Context, anyhow, bail};
use fairveil_core::counts::Skipped;
use fairveil_ingest::{Place, TableFormat, TrainingRows, is_postgres, read_training_rows, write_weights};
use fairveil_report::MitigationReport;
use fairveil_train::{
    EncodeError, ExportedWeights, Feature, FeatureValues, MitigateError, MitigateSettings,
    calibrated_weights, mitigate,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

pub fn run(args: &MitigateArgs) -> anyhow::Result<()> {
    refuse_of_audits(args)?;
    let source = Source::new(&args.table)?;
    let inputs: Vec<PathBuf> = source.files().iter().chain(&args.given).cloned().collect();
    match weights_format(args)? {
        Some(format) => write_weights_of(args, &source, &inputs, format),
        None => learn(args, &source, &inputs),
    }
}

/// A rule, and what it does on held-out rows.
fn learn(args: &MitigateArgs, source: &Source, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let places = Places::reserve(&args.forms(), inputs)?;
    let (read, sha256) = read(args, source, places.shown())?;
    let rows = &read.rows;
    let settings = args.settings_of(&rows.legend)?;
    if !args.quiet {
        tell(&features_summary(&rows.features));
    }
    let bar = bar(args.quiet);
    let progress = |message: String| {
        if let Some(bar) = &bar {
            bar.set_message(message);
        }
    };
    let done = with_threads(args.table.threads, || mitigate(rows, &settings, &progress));
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let name = source.name();
    let done = done.map_err(|error| told(&error, &read, &name))?;
    let record = done.record.spelled(&Flags);
    if record.input.rows_left_out > 0 {
        tell(&format!(
            "left out: {} rows without a label, a decision, a score or weight that is needed",
            record.input.rows_left_out
        ));
    }
    let rule = done.rule.to_json()?;
    let made = Made::new(args.date.as_deref(), sha256);
    places.commit(&MitigationReport { record: &record, about: made.about(&name) }, rule.as_bytes())
}

/// The weight of every row in the gap, for another trainer.
fn write_weights_of(
    args: &MitigateArgs,
    source: &Source,
    inputs: &[PathBuf],
    format: TableFormat,
) -> anyhow::Result<()> {
    let mut outputs = Outputs::beside(inputs);
    let slot = outputs.reserve(&args.output)?;
    let (read, _) = read(args, source, false)?;
    let rows = &read.rows;
    let settings = args.settings_of(&rows.legend)?;
    let weights = with_threads(args.table.threads, || calibrated_weights(rows, &settings))
        .map_err(|error| told(&error, &read, &source.name()))?;
    let unwritten = || format!("{}: cannot be written", args.output.shown());
    let mut out = BufWriter::new(outputs.writer(slot));
    write_weights(rows.rows, &weights.names, &weights.values, format, &mut out).with_context(unwritten)?;
    out.flush().with_context(unwritten)?;
    drop(out);
    outputs.commit()?;
    if args.quiet {
        return Ok(());
    }
    weights_summary(&weights, rows.rows, &settings).iter().for_each(|line| tell(line));
    let unlabelled = |labels: &Vec<Option<_>>| labels.iter().filter(|label| label.is_none()).count();
    let without = rows.labels.as_ref().map_or(0, unlabelled);
    if settings.criterion.needs_labels() && without > 0 {
        tell(&format!("{without} rows have no label and weight 0; the mean is over all rows, with them"));
    }
    Ok(())
}

/// The rows, and the SHA-256 of their bytes where a report will show it.
fn read(args: &MitigateArgs, source: &Source, shown: bool) -> anyhow::Result<(TrainingRows, Option<String>)> {
    let (columns, training) = (args.columns(), args.training());
    let (read, sha256) = source.read(&args.table.reading(), shown, |inputs, reading| {
        read_training_rows(inputs, &columns, &training, reading)
    })?;
    read.intake.skipped.iter().for_each(tell_of_skipped);
    Ok((read, sha256))
}

/// What only an audit can use.
fn refuse_of_audits(args: &MitigateArgs) -> anyhow::Result<()> {
    let table = &args.table;
    if table.tables.iter().any(|table| table.to_str().is_some_and(is_postgres)) {
        bail!(
            "a rule is learned from rows, and a database hands out a tally\n  needed: the rows, in files\n  to do:  write them to a file \
             (psql: \\copy (SELECT …) TO 'rows.csv' CSV HEADER) and name that; `fairveil rule sql` takes the rule back to the database"
        );
    }
    if table.y_pred.len() > 1 {
        bail!(
            "{} columns of decisions are named\n  needed: one, or none\n  to do:  name the model whose gap is to be reduced",
            table.y_pred.len()
        );
    }
    if let Some(flag) = table.about_people() {
        bail!("{flag} is for an audit\n  to do:  leave it out, and audit the new decisions with it");
    }
    if !table.by.is_empty() {
        bail!(
            "--by is for audits\n  needed: one rule for all rows\n  to do:  leave it out, or learn a rule from each segment's own file"
        );
    }
    if args.features.is_empty() && !args.weights_only {
        bail!(
            "no features are named\n  needed: the columns that the rule may look at when it decides\n  to do:  give --features with \
             their names or the start of them, or --features '*' for all that have no other role; look first whether a group, a \
             proxy, a number of the row or a copy of the label is among them"
        );
    }
    if args.score.is_some() && args.method.first().is_some_and(|method| *method != MethodName::PlugIn) {
        bail!(
            "--score is moved by the plug-in rule, and this method trains a model of its own\n  needed: one of the two, or plug-in first \
             and others beside it\n  to do:  leave out --method, name plug-in first, or name the score among --features"
        );
    }
    if args.weights_only && table.lenient {
        bail!(
            "--lenient leaves out rows, and weights are for every row of the table\n  needed: every row\n  to do:  correct the rows"
        );
    }
    if table.audit_labels.is_some() {
        bail!(
            "--audit-labels is for audits\n  needed: what they teach about the proxies\n  to do:  run fairveil audit with them and \
             --json FILE, then give --given FILE --estimator given here"
        );
    }
    Ok(())
}

/// The format of the weights, where those are asked for.
fn weights_format(args: &MitigateArgs) -> anyhow::Result<Option<TableFormat>> {
    let named = |format: &str| args.output.extension().is_some_and(|end| end.eq_ignore_ascii_case(format));
    match (args.weights_only, TableFormat::of_name(&args.output.to_string_lossy())) {
        (true, Some(format)) => Ok(Some(format)),
        (true, None) => bail!(
            "{}: the file name does not say which format the weights have\n  needed: a name that ends in .csv, .tsv, .jsonl (or .gz \
             after it) or .parquet\n  to do:  name another file",
            args.output.shown()
        ),
        (false, _) if !named("json") => bail!(
            "{}: a rule is JSON\n  needed: a name that ends in .json\n  to do:  name another file, or give --weights-only for a \
             table of weights",
            args.output.shown()
        ),
        (false, _) => Ok(None),
    }
}

/// What is wrong, and where in the table where that is known.
fn told(error: &MitigateError, read: &TrainingRows, name: &str) -> anyhow::Error {
    let at = |row: usize, column: Option<&str>| read.place(row, column);
    let place: Option<Place> = match error {
        MitigateError::Encode(EncodeError::Missing { feature, row: Some(row) }) => {
            Some(at(*row, Some(feature)))
        }
        MitigateError::Score { row, column, .. } => Some(at(*row, Some(column))),
        _ => None,
    };
    match (place, error) {
        (Some(place), MitigateError::Encode(_)) => anyhow!(
            "{place}: the feature is missing\n  needed: a value for every feature of every row\n  to do:  give --impute, which \
             gives missing values a place of their own, or leave the column out with --drop"
        ),
        (Some(place), error) => anyhow::Error::from(error.clone()).context(place.to_string()),
        (None, error) => anyhow::Error::from(error.clone()).context(name.to_owned()),
    }
}

fn tell_of_skipped(skipped: &Skipped) {
    let Skipped { reason, rows, first } = skipped;
    tell(&format!("left out: {rows} rows ({reason}); the first is {first}"));
}

/// What the rule may look at: a column taken for the wrong kind shows here.
fn features_summary(features: &[Feature]) -> String {
    let (mut numbers, mut categories) = (Vec::new(), Vec::new());
    for feature in features {
        match &feature.values {
            FeatureValues::Numbers(_) => numbers.push(feature.name.clone()),
            FeatureValues::Categories { levels, .. } => {
                categories.push(format!("{} ({})", feature.name, levels.len()));
            }
        }
    }
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!(
        "the rule may look at numbers: {}; categories (values): {}; values of fewer than 10 rows count as others",
        list(&numbers),
        list(&categories)
    )
}

fn weights_summary(weights: &ExportedWeights, rows: usize, settings: &MitigateSettings) -> [String; 3] {
    [
        format!("{rows} rows written: {}", weights.names.join(", ")),
        format!(
            "error rates by {}; the gap in {} of decisions f is the mean of weight · f over the rows (weighted, where rows have \
             weights)",
            weights.estimator,
            settings.criterion.words()
        ),
        "the weights are computed from the guesses: protect them as you protect those".to_owned(),
    ]
}

fn bar(quiet: bool) -> Option<ProgressBar> {
    (std::io::stderr().is_terminal() && !quiet).then(|| {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    })
}
