//! Text for people: the answer first, then every number with its meaning, then what to doubt.

use crate::Subject;
use anstyle::{AnsiColor, Style as Ansi};
use comfy_table::{CellAlignment, Table};
use fairveil_core::{
    Aggregate, Audit, Basis, Criterion, Entry, Measurement, NoiseRecord, RatesRecord, Scope, Severity,
};
use std::fmt::Write;

/// Whether text may use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No escape codes.
    Plain,
    /// Bold heads and coloured severities.
    Colour,
}

impl Style {
    /// Turns marks into escape codes, or leaves them out. Names in a table may hold control characters that
    /// would command a terminal: they are shown as a replacement mark instead.
    fn finish(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for letter in text.chars() {
            match MARKS.iter().find(|(mark, _)| *mark == letter) {
                Some((_, style)) if self == Style::Colour => out += &style().to_string(),
                Some(_) => {}
                None if letter == END && self == Style::Colour => out += &anstyle::Reset.to_string(),
                None if letter == END => {}
                None if letter.is_control() && letter != '\n' => out.push(char::REPLACEMENT_CHARACTER),
                None => out.push(letter),
            }
        }
        out
    }
}

/// Private-use characters that stand for a style until the text is finished.
const HEAD: char = '\u{f0001}';
const WARNING: char = '\u{f0002}';
const SERIOUS: char = '\u{f0003}';
const END: char = '\u{f0004}';
type Mark = (char, fn() -> Ansi);
const MARKS: [Mark; 3] = [
    (HEAD, || Ansi::new().bold()),
    (WARNING, || AnsiColor::Yellow.on_default()),
    (SERIOUS, || AnsiColor::Red.on_default().bold()),
];

fn head(text: &str) -> String {
    format!("{HEAD}{text}{END}")
}

const WIDTH: usize = 100;
/// Past this a table is for machines.
const MOST_ROWS: usize = 30;

/// The whole audit as text.
pub fn text(subject: &Subject, style: Style) -> String {
    let audit = subject.audit;
    let mut out = String::new();
    let _ = writeln!(out, "{}", head(&format!("fairveil {} · audit of {}", subject.version, subject.table)));
    out += &wrapped(&input(audit), "", WIDTH);
    out += "\n";
    out += &answer(audit);
    for criterion in &audit.settings.criteria {
        out += "\n";
        out += &criterion_section(audit, *criterion);
    }
    out += "\n";
    out += &rates_section(audit);
    out += &noise_section(audit);
    out += &findings_section(audit);
    style.finish(&out)
}

/// The full text of a finding.
pub fn explanation(entry: &Entry, style: Style) -> String {
    let mut out = head(&format!("{} · {}", entry.code, entry.title)) + "\n";
    for line in entry.text.lines() {
        match line.strip_prefix("# ") {
            Some(title) => out += &format!("\n{}\n", head(title)),
            None => out += &wrapped(line, "  ", WIDTH),
        }
    }
    style.finish(&out)
}

/// `approved = 1`.
fn selected(audit: &Audit) -> String {
    format!("{} = {}", audit.input.prediction, audit.input.positive)
}

/// `repaid = 1`.
fn labelled_positive(audit: &Audit) -> String {
    format!("{} = {}", audit.input.label.as_deref().unwrap_or("label"), audit.input.positive)
}

fn input(audit: &Audit) -> String {
    let input = &audit.input;
    let weight = match input.weight == input.rows as f64 {
        true => String::new(),
        false => format!(" of total weight {}", thousands(input.weight)),
    };
    let source = |p: &fairveil_core::ProxyRecord| match &p.source {
        Some(source) => format!("{} ({source})", p.name),
        None => p.name.clone(),
    };
    let proxies: Vec<String> = input.proxies.iter().map(source).collect();
    format!(
        "{} rows{weight} · groups {} · selected means {} · {} {}: {}",
        thousands(input.rows as f64),
        list(&input.groups),
        selected(audit),
        input.proxies.len(),
        if input.proxies.len() == 1 { "proxy" } else { "proxies" },
        list(&proxies),
    )
}

fn answer(audit: &Audit) -> String {
    let mut out = head("The answer") + "\n";
    for criterion in &audit.settings.criteria {
        out += &wrapped(&sentence(audit, *criterion), "  ", WIDTH);
    }
    let caution = match audit.advice.scope {
        Some(_) => {
            "Calibrated numbers assume that the proxies err alike, and independently of each other as far as not said \
             otherwise. We estimate; see what to doubt, below."
        }
        None => {
            "Numbers read directly from proxies usually show less than the true gap. See what to doubt, below."
        }
    };
    out + &wrapped(caution, "  ", WIDTH)
}

/// The answer to one criterion in words that can be repeated.
fn sentence(audit: &Audit, criterion: Criterion) -> String {
    let (positive, label) = (selected(audit), labelled_positive(audit));
    let name = capital(criterion.words());
    let direct = direct_range(audit, criterion);
    let Some(result) = audit.recommended(criterion, Aggregate::Difference) else {
        return format!("{name}: {} {} {direct}", why_not(audit, criterion), direction(audit, criterion));
    };
    let gap = number(result.value);
    let about = match criterion {
        Criterion::DemographicParity => format!("a gap of about {gap} in how often groups get {positive}"),
        Criterion::EqualOpportunity => {
            format!("among people with {label}, a gap of about {gap} in how often groups get {positive}")
        }
        Criterion::EqualizedOdds => format!(
            "a gap of about {gap} in how often groups get {positive}, among people with the same label (the worse of \
             those with {label} and those without)"
        ),
    };
    let extremes = match criterion {
        Criterion::EqualizedOdds => String::new(),
        _ => extremes(result),
    };
    format!("{name}: {about}{extremes}{}. {direct}", range(audit, result))
}

/// The interval in words, and the one that allows for shared mistakes.
fn range(audit: &Audit, result: &Measurement) -> String {
    let Some(interval) = &result.interval else { return String::new() };
    let confidence = 100.0 * audit.settings.confidence;
    let sampling = format!(
        "{confidence:.0} % interval {} to {}",
        number(Some(interval.low)),
        number(Some(interval.high))
    );
    match &result.honest_interval {
        Some(honest) => format!(
            " ({sampling}; {} to {} if up to {:.0} % of the proxies' agreement is shared error{})",
            number(Some(honest.low)),
            number(Some(honest.high)),
            100.0 * honest.reached,
            if honest.reached < honest.shared_error { ", more being impossible in this table" } else { "" }
        ),
        None => format!(" ({sampling})"),
    }
}

/// Why there is no number to report.
fn why_not(audit: &Audit, criterion: Criterion) -> String {
    let calibrated = |r: &&Measurement| {
        r.basis == Basis::Calibrated && r.criterion == criterion && r.aggregate == Aggregate::Difference
    };
    let reason = audit.results.iter().find(calibrated).and_then(|r| r.unavailable.clone());
    match reason {
        Some(reason) => format!("no calibrated number: {reason}."),
        None => "no calibrated number to rely on: its rates fall outside 0 to 1 (see N03).".into(),
    }
}

/// What can be said without the size: whether there is a gap, and in whose favour.
fn direction(audit: &Audit, criterion: Criterion) -> String {
    let test = audit.tests.iter().find(|test| test.test == "no_gap" && test.criterion == Some(criterion));
    match test {
        None => String::new(),
        Some(test) if test.p_value < 1.0 - audit.settings.confidence => format!(
            "There is a gap beyond chance ({}), in favour of {}.",
            p_value(test.p_value),
            test.favoured.as_deref().unwrap_or("no group in particular")
        ),
        Some(test) => {
            format!(
                "No gap shows beyond chance ({}), which does not mean that there is none.",
                p_value(test.p_value)
            )
        }
    }
}

fn p_value(p: f64) -> String {
    if p < 1e-4 { "p below 0.0001".into() } else { format!("p = {p:.4}") }
}

/// `: blue 0.67, green 0.39`.
fn extremes(result: &Measurement) -> String {
    let rates = || result.groups.iter().filter_map(|group| Some((group, group.rate?)));
    let low = rates().min_by(|a, b| a.1.total_cmp(&b.1));
    let high = rates().max_by(|a, b| a.1.total_cmp(&b.1));
    match (low, high) {
        (Some((low, low_rate)), Some((high, high_rate))) if low.group != high.group => {
            format!(
                ": {} in {}, {} in {}",
                number(Some(high_rate)),
                high.group,
                number(Some(low_rate)),
                low.group
            )
        }
        _ => String::new(),
    }
}

fn direct_range(audit: &Audit, criterion: Criterion) -> String {
    let of_proxy = |r: &&Measurement| {
        r.basis == Basis::Proxy && r.criterion == criterion && r.aggregate == Aggregate::Difference
    };
    let values: Vec<f64> = audit.results.iter().filter(of_proxy).filter_map(|r| r.value).collect();
    let low = values.iter().copied().min_by(f64::total_cmp);
    let high = values.iter().copied().max_by(f64::total_cmp);
    match (low, high) {
        (None, _) | (_, None) => "Read directly, the proxies give no number either.".into(),
        _ if number(low) == number(high) => format!("Read directly, the proxies show {}.", number(low)),
        _ => format!("Read directly, the proxies show {} to {}.", number(low), number(high)),
    }
}

fn criterion_section(audit: &Audit, criterion: Criterion) -> String {
    let (positive, label) = (selected(audit), labelled_positive(audit));
    let question = match criterion {
        Criterion::DemographicParity => format!("is {positive} given to the same share of every group?"),
        Criterion::EqualizedOdds => {
            "are people with the same label treated alike in every group?".to_string()
        }
        Criterion::EqualOpportunity => {
            format!("of those with {label}, does the same share of every group get {positive}?")
        }
    };
    let mut out = wrapped(&format!("{}: {question}", head(&capital(criterion.words()))), "", WIDTH);
    out += &wrapped(
        "Proxies and soft are read directly. Gaps: 0 is none. Ratio: smallest over largest rate, 1 is no gap.",
        "  ",
        WIDTH,
    );

    let rows: Vec<&Measurement> = audit.results.iter().filter(|r| r.criterion == criterion).collect();
    let with_truth = audit.truth.is_some();
    let mut table = plain_table();
    let with_intervals = rows.iter().any(|r| r.interval.is_some());
    let mut head = vec![String::new(), "mean gap".into()];
    if with_intervals {
        head.push(format!("{:.0} % interval", 100.0 * audit.settings.confidence));
        head.push(format!("shared error {:.0} %", 100.0 * audit.settings.shared_error));
    }
    head.extend(["largest", "ratio"].map(String::from));
    if with_truth {
        head.extend(["raw err.", "norm. err.", "improved"].map(String::from));
    }
    table.set_header(head);
    let mut reasons: Vec<String> = Vec::new();
    let of = |aggregate| rows.iter().filter(move |r| r.aggregate == aggregate);
    for ((mean, largest), ratio) in
        of(Aggregate::MeanPairwise).zip(of(Aggregate::Difference)).zip(of(Aggregate::Ratio))
    {
        let mark = if mean.recommended || largest.recommended { "  ◄" } else { "" };
        let mut cells =
            vec![format!("{}{mark}", origin(mean.basis, mean.estimator, mean.scope, mean.proxy.as_deref()))];
        cells.push(number(mean.value));
        if with_intervals {
            let ends = |ends: Option<(f64, f64)>| match ends {
                Some((low, high)) => format!("{} to {}", number(Some(low)), number(Some(high))),
                None => String::new(),
            };
            cells.push(ends(mean.interval.as_ref().map(|i| (i.low, i.high))));
            cells.push(ends(mean.honest_interval.as_ref().map(|i| (i.low, i.high))));
        }
        cells.extend([largest, ratio].map(|r| number(r.value)));
        if let Some(errors) = mean.errors.filter(|_| with_truth) {
            cells.extend([
                number(errors.raw_error),
                percent(errors.normalized_error),
                percent(errors.improvement),
            ]);
        }
        table.add_row(cells);
        for result in [mean, largest, ratio] {
            if let Some(reason) = &result.unavailable {
                let origin = origin(result.basis, result.estimator, result.scope, result.proxy.as_deref());
                let note = format!("– {origin}: {reason}");
                if !reasons.contains(&note) {
                    reasons.push(note);
                }
            }
        }
    }
    if let Some(truth) = &audit.truth {
        let value = |aggregate| {
            let same = |t: &&fairveil_core::TrueValue| t.criterion == criterion && t.aggregate == aggregate;
            number(truth.iter().find(same).and_then(|t| t.value))
        };
        let mut cells = vec!["truth".to_string(), value(Aggregate::MeanPairwise)];
        if with_intervals {
            cells.extend([String::new(), String::new()]);
        }
        cells.extend([value(Aggregate::Difference), value(Aggregate::Ratio)]);
        table.add_row(cells);
    }
    out += &render(table);
    for reason in reasons {
        out += &wrapped(&reason, "  ", WIDTH);
    }
    // What columns mean is said once.
    let first = audit.settings.criteria.first() == Some(&criterion);
    if with_intervals && first {
        let note = format!(
            "Interval: what chance leaves open. Shared error {:.0} %: the same if up to that share of the proxies' agreement \
             is shared error. Intervals are of the mean gap; those of the others are in the JSON.",
            100.0 * audit.settings.shared_error
        );
        out += &wrapped(&note, "  ", WIDTH);
    }
    let test = audit.tests.iter().find(|test| test.test == "no_gap" && test.criterion == Some(criterion));
    if let Some(test) = test {
        let note = format!(
            "Test of no gap, valid whatever mistakes the proxies share if they do not go with the decision: {}, χ² {:.1} on \
             {} df.",
            p_value(test.p_value),
            test.statistic,
            test.degrees_of_freedom
        );
        out += &wrapped(&note, "  ", WIDTH);
    }
    if let Some(what_if) = audit.shared_error.iter().find(|record| record.criterion == criterion) {
        out += &wrapped(&shared_error(what_if), "  ", WIDTH);
    }
    if with_truth && first {
        let note = "Errors are of the mean gap: raw is the distance to the truth, normalised is that over the truth, \
                    improvement is how much of the first proxy's error is gone.";
        out += &wrapped(note, "  ", WIDTH);
    }
    out
}

/// What if the proxies share mistakes, in a sentence.
fn shared_error(what_if: &fairveil_core::SharedErrorRecord) -> String {
    let doubles = match what_if.doubles_at {
        Some(r) => format!(
            "the mean gap would be twice as large if {:.0} % of the proxies' agreement were shared error",
            100.0 * r
        ),
        None => {
            let possible =
                what_if.curve.iter().filter(|point| point.value.is_some()).map(|point| point.shared_error);
            let most = 100.0 * possible.fold(0.0, f64::max);
            format!(
                "the mean gap does not double up to {most:.0} % of shared error, about as much as this table allows"
            )
        }
    };
    let zero = what_if.zero_needs.map_or(String::new(), |shift| {
        format!(
            "; shared error alone never hides that a gap is there: a table like this without one needs guesses that shift \
             with the decision by {shift:.3} inside the groups, or chance"
        )
    });
    format!("What if: {doubles}{zero}.")
}

fn rates_section(audit: &Audit) -> String {
    let wanted = |r: &&RatesRecord| {
        r.scope.is_some() && (r.estimator, r.scope) == (audit.advice.estimator, audit.advice.scope)
    };
    let Some(record) = audit.rates.iter().find(wanted).or(audit.rates.first()) else { return String::new() };
    let origin = origin(record.basis, record.estimator, record.scope, record.proxy.as_deref());
    let mut out = format!("{} ({origin})\n", head("Rates by group"));
    let labelled =
        record.groups.iter().any(|group| group.base_rate.is_some() || group.true_positive_rate.is_some());
    let mut table = plain_table();
    let mut head = vec!["group", "share", "selected"];
    if labelled {
        head.extend(["true pos.", "false pos.", "false neg.", "precision", "accuracy", "base rate"]);
    }
    table.set_header(head);
    for group in record.groups.iter().take(MOST_ROWS) {
        let mut cells = vec![group.group.clone(), number(group.share), number(group.selection_rate)];
        if labelled {
            let rates = [group.true_positive_rate, group.false_positive_rate, group.false_negative_rate];
            cells.extend(
                rates.into_iter().chain([group.precision, group.accuracy, group.base_rate]).map(number),
            );
        }
        table.add_row(cells);
    }
    out += &render(table);
    if record.groups.len() > MOST_ROWS {
        let _ = writeln!(out, "  … and {} more groups, in the JSON", record.groups.len() - MOST_ROWS);
    }
    let (positive, label) = (selected(audit), labelled_positive(audit));
    let silent = audit.input.proxies.iter().any(|proxy| proxy.abstained > 0.0);
    let of_what = if silent { "given guesses" } else { "all rows" };
    let mut meaning = format!("share: of {of_what}; selected: gets {positive}");
    if labelled {
        meaning += &format!(
            "; true pos.: of those with {label}, selected; false pos.: of the others, selected; false neg.: of those with \
             {label}, not selected; precision: of the selected, those with {label}; accuracy: decided as labelled; \
             base rate: those with {label}"
        );
    }
    out + &wrapped(&(meaning + "."), "  ", WIDTH)
}

fn noise_section(audit: &Audit) -> String {
    let wanted = |r: &&NoiseRecord| r.scope == Scope::Global && r.feasible;
    let Some(record) = audit.noise.iter().find(wanted) else { return String::new() };
    let Some(transition) = &record.transition else { return String::new() };
    let mut out =
        format!("\n{} (estimated from agreement, one for all proxies)\n", head("How the proxies err"));
    let mut table = plain_table();
    let mut head = vec!["of group".to_string()];
    head.extend(audit.input.groups.iter().map(|group| format!("guessed {group}")));
    table.set_header(head);
    for (group, row) in audit.input.groups.iter().zip(transition) {
        let mut cells = vec![group.clone()];
        cells.extend(row.iter().map(|p| number(Some(*p))));
        table.add_row(cells);
    }
    out += &render(table);
    out
}

fn findings_section(audit: &Audit) -> String {
    if audit.findings.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", head("What to doubt"));
    for finding in &audit.findings {
        let tag = match finding.severity {
            Severity::Info => format!("note {}", finding.code),
            Severity::Warning => format!("{WARNING}warning {}{END}", finding.code),
            Severity::Serious => format!("{SERIOUS}serious {}{END}", finding.code),
        };
        let _ = writeln!(out, "  {tag}: {}", finding.title);
        out += &wrapped(&finding.message, "    ", WIDTH);
        out += &wrapped(&finding.advice, "    ", WIDTH);
    }
    let first = audit.findings[0].code;
    out + &format!("  More on each: fairveil explain {first}\n")
}

/// What a number was computed from, in a few words.
fn origin(basis: Basis, estimator: Option<&str>, scope: Option<Scope>, proxy: Option<&str>) -> String {
    let scope = scope.map_or("", Scope::name);
    match (basis, estimator, proxy) {
        (Basis::Proxy, _, Some(proxy)) => format!("proxy {proxy}"),
        (Basis::Proxy, _, None) => "proxy".into(),
        (Basis::Soft, ..) => "soft".into(),
        (Basis::AuditSample, ..) => "audit sample".into(),
        (Basis::Calibrated, Some("hoc") | None, _) => format!("calibrated, {scope}"),
        (Basis::Calibrated, Some(estimator), _) => format!("{}, {scope}", estimator.replace('-', " ")),
    }
}

fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table
}

/// The table with its first column to the left, the others to the right, indented, without trailing blanks.
fn render(mut table: Table) -> String {
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if i == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().map(|line| format!("  {}\n", line.trim_end())).collect()
}

/// Three decimals; a dash where there is no number.
fn number(value: Option<f64>) -> String {
    // `+ 0.0` turns a negative zero into zero.
    value.map_or("–".into(), |value| format!("{:.3}", (value * 1e3).round() / 1e3 + 0.0))
}

fn percent(share: Option<f64>) -> String {
    share.map_or("–".into(), |share| format!("{:.1} %", (share * 1e3).round() / 10.0 + 0.0))
}

fn thousands(value: f64) -> String {
    let whole = format!("{:.0}", value.trunc());
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let rest = value.fract();
    if rest == 0.0 { out } else { out + &format!("{rest:.2}")[1..] }
}

fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    match names.len() {
        n if n > MOST => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
        _ => names.join(", "),
    }
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A paragraph in lines of at most `width`, indented; continuation lines two further.
fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = indent.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && visible(&line) + 1 + visible(word) > width {
            out += &line;
            out += "\n";
            line = format!("{indent}  ");
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    out + &line + "\n"
}

/// Letters of a text without marks.
fn visible(text: &str) -> usize {
    text.chars().filter(|letter| *letter != END && MARKS.iter().all(|(mark, _)| mark != letter)).count()
}
