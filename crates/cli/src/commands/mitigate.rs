//! `fairveil mitigate`: decisions with a smaller gap, learned from proxies only, and what became of them on held-out rows.

use crate::args::{MethodName, MitigateArgs};
use crate::dialect::Flags;
use crate::given;
use crate::intake::Source;
use crate::output::{OutputFile, OutputFolder, harmless, is_standard, print, refuse_same, style, tell};
use crate::provenance::{command, today};
use crate::threads::with_threads;
use anyhow::{Context, anyhow, bail};
use fairveil_core::Skipped;
use fairveil_ingest::{
    Place, TableFormat, TrainingFeature, TrainingRows, TrainingValues, read_training_rows, write_weights,
};
use fairveil_report::{
    Provenance, mitigation_html, mitigation_json, mitigation_markdown, mitigation_svg, mitigation_text,
};
use fairveil_train::{
    EncodeError, ExportedWeights, Feature, FeatureValues, MitigateError, MitigateSettings, Rows,
    calibrated_weights, mitigate,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

pub fn run(args: &MitigateArgs) -> anyhow::Result<()> {
    let table = &args.table;
    refuse_of_audits(args)?;
    let source = Source::new(table)?;
    let inputs = || source.files().iter().map(|file| file.as_path()).chain(args.given.as_deref());
    let outputs = [Some(&args.output), args.json.as_ref(), args.html.as_ref(), args.markdown.as_ref()];
    refuse_same(outputs.into_iter().flatten().map(PathBuf::as_path).filter(|path| !is_standard(path)))?;
    let format = weights_format(args)?;
    let mut rule_file = OutputFile::reserve(&args.output, inputs())?;
    let json_only = args.json.as_deref().is_some_and(is_standard);
    let reserve = |path: &Option<PathBuf>| match path {
        Some(path) if !is_standard(path) => OutputFile::reserve(path, inputs()).map(Some),
        Some(path) if !json_only => bail!("{}: this output goes to a file", path.display()),
        _ => Ok(None),
    };
    let json_file = reserve(&args.json)?;
    let (html_file, markdown_file) = (reserve(&args.html)?, reserve(&args.markdown)?);
    let svg_folder = args.svg.as_deref().map(OutputFolder::reserve).transpose()?;

    let shown = args.html.is_some() || args.markdown.is_some();
    let (columns, training) = (args.columns(), args.training());
    let (mut read, sha256) = source.read(&table.reading(), shown, |inputs, reading| {
        read_training_rows(inputs, &columns, &training, reading)
    })?;
    read.intake.skipped.iter().for_each(tell_of_skipped);
    let mut settings = args.settings();
    settings.audit.given = args.given.as_deref().map(|path| given::read(path, &read.legend)).transpose()?;
    let rows = rows_of(&mut read, args);
    if !args.quiet && !args.weights_only {
        tell(&harmless(&features_summary(&rows.features)));
    }
    let name = source.name();
    let placed = |error: MitigateError| told(&error, &read, &name);
    let unlabelled = |labels: &Vec<Option<_>>| labels.iter().filter(|label| label.is_none()).count();

    if let Some(format) = format {
        let weights =
            with_threads(table.threads, || calibrated_weights(&rows, &settings))?.map_err(placed)?;
        let unwritten = || format!("{}: cannot be written", args.output.display());
        let mut out = BufWriter::new(rule_file.writer());
        write_weights(rows.rows, &weights.names, &weights.values, format, &mut out)
            .with_context(unwritten)?;
        out.flush().with_context(unwritten)?;
        drop(out);
        rule_file.commit()?;
        if !args.quiet {
            tell(&harmless(&weights_summary(&weights, rows.rows, &settings)));
            let without = rows.labels.as_ref().map_or(0, unlabelled);
            if settings.criterion.needs_labels() && without > 0 {
                tell(&format!(
                    "{without} rows have no label and weight 0; the mean is over all rows, with them"
                ));
            }
        }
        return Ok(());
    }

    let bar = bar(args.quiet);
    let progress = |message: String| {
        if let Some(bar) = &bar {
            bar.set_message(message);
        }
    };
    let done = with_threads(table.threads, || mitigate(&rows, &settings, &progress));
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let done = done?.map_err(placed)?;
    let (record, version) = (&done.record.spelled(&Flags), env!("CARGO_PKG_VERSION"));
    if record.input.rows_left_out > 0 {
        tell(&format!(
            "left out: {} rows without a label, a decision, a score or weight that is needed",
            record.input.rows_left_out
        ));
    }
    let rule = done.rule.to_json()?;
    if json_only {
        print(&mitigation_json(record, &name, version)?)?;
    } else if !args.quiet {
        print(&mitigation_text(record, &name, version, style()))?;
    }
    // Last, so that a run that fails leaves no file.
    let (command, date) = (command(), args.date.clone().unwrap_or_else(today));
    let provenance = Provenance { command: Some(&command), sha256: sha256.as_deref(), date: Some(&date) };
    if let Some(file) = json_file {
        file.commit_bytes(mitigation_json(record, &name, version)?.as_bytes())?;
    }
    if let Some(file) = html_file {
        file.commit_bytes(mitigation_html(record, &name, version, &provenance).as_bytes())?;
    }
    if let Some(file) = markdown_file {
        file.commit_bytes(mitigation_markdown(record, &name, version, &provenance).as_bytes())?;
    }
    if let Some(folder) = svg_folder {
        folder.commit(&mitigation_svg(record))?;
    }
    rule_file.commit_bytes(rule.as_bytes())
}

/// What only an audit can use.
fn refuse_of_audits(args: &MitigateArgs) -> anyhow::Result<()> {
    let table = &args.table;
    if table.y_pred.len() > 1 {
        bail!(
            "{} columns of decisions are named\n  needed: one, or none\n  to do:  name the model whose gap is to be reduced",
            table.y_pred.len()
        );
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
    if args.score.is_some() && args.method != MethodName::PlugIn {
        bail!(
            "--score is moved by the plug-in rule, and this method trains a model of its own\n  needed: one of the two\n  to do:  \
             leave out --method, or name the score among --features"
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
            "{}: the name does not tell the format of the weights\n  needed: a name that ends in .csv, .tsv, .jsonl (or .gz \
             after it) or .parquet\n  to do:  name another file",
            args.output.display()
        ),
        (false, _) if !named("json") => bail!(
            "{}: a rule is JSON\n  needed: a name that ends in .json\n  to do:  name another file, or give --weights-only for a \
             table of weights",
            args.output.display()
        ),
        (false, _) => Ok(None),
    }
}

/// The rows in the words of what learns from them; where they came from stays behind.
fn rows_of(read: &mut TrainingRows, args: &MitigateArgs) -> Rows {
    let feature = |feature: TrainingFeature| Feature {
        name: feature.name,
        values: match feature.values {
            TrainingValues::Numbers(numbers) => FeatureValues::Numbers(numbers),
            TrainingValues::Categories { levels, codes } => FeatureValues::Categories { levels, codes },
        },
    };
    Rows {
        legend: read.legend.clone(),
        rows: read.rows,
        predictions: read.predictions.take(),
        labels: read.labels.take(),
        guesses: std::mem::take(&mut read.guesses),
        weights: read.weights.take(),
        scores: read.scores.take(),
        score: args.score.clone(),
        truth: read.truth.take(),
        features: std::mem::take(&mut read.features).into_iter().map(feature).collect(),
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
        (Some(place), error) => anyhow!("{place}: {error}"),
        (None, error) => anyhow!("{name}: {error}"),
    }
}

fn tell_of_skipped(skipped: &Skipped) {
    let Skipped { reason, rows, first } = skipped;
    tell(&harmless(&format!("left out: {rows} rows ({reason}); the first is {first}")));
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
    format!("the rule may look at numbers: {}; categories (values): {}", list(&numbers), list(&categories))
}

fn weights_summary(weights: &ExportedWeights, rows: usize, settings: &MitigateSettings) -> String {
    let names = weights.names.join(", ");
    format!(
        "{rows} rows written: {names}\nerror rates by {}; the gap in {} of decisions f is the mean of weight · f over the rows \
         (weighted, where rows have weights)\nthe weights follow from the guesses: keep them as you keep those",
        weights.estimator,
        settings.criterion.words()
    )
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
