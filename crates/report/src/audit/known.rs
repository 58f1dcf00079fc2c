//! How proxies truly err beside what was estimated, and the parts of the error, where groups are known.

use super::measures::Told;
use crate::sentence::{Figure, Sentence, capital};
use crate::table::Table;
use crate::text::{WIDTH, columns, head, wrapped};
use fairveil_core::Audit;
use fairveil_core::record::{KnownErrorsRecord, KnownFrom};

/// What the columns of the matrices mean.
const MATRICES: &str = "Of people who truly are in a group, the share that a proxy guesses to be in each; estimated is what the method that is \
     relied on says without knowing any group. Nothing that is estimated uses the truth.";
/// The same, of labelled rows.
const LABELLED: &str = "Of the labelled people of a group, the share that a proxy guesses to be in each: an estimate from these rows. Estimated is \
     what the method that is relied on says of everyone; where it learns from labels, it learned from these.";
/// What the columns of the parts mean.
const PARTS: &str = "About the paper's mean gap. Off by: how far the proxy read directly is from the truth. At most: what Theorem 3.2 allows, the sum of \
     errors that depend on the decision and of erring at all. Calibrated: what Theorem 4.5 allows after calibration, the sum of wrong \
     group shares and of wrong error rates. These are limits that need the truth, and no intervals.";

/// The same, of labelled rows.
const PARTS_LABELLED: &str = "About the paper's mean gap, among the labelled rows. Off by: how far the proxy read directly is from what they show. At \
     most: what Theorem 3.2 allows, the sum of errors that depend on the decision and of erring at all. Calibrated: what Theorem 4.5 allows, \
     the sum of wrong group shares and of wrong error rates. Few rows make every part too large, by chance alone: so they do not show that errors \
     depend on the decision.";

/// For a screen.
pub(super) fn text(audit: &Audit) -> String {
    let told = told(audit).into_iter().map(|told| {
        let out = format!("\n{}\n{}", head(&told.heading.in_columns()), columns(&told.table, 2));
        let reasons = told.reasons.iter().map(|reason| wrapped(&reason.in_columns(), "  ", WIDTH));
        out + &reasons.collect::<String>() + &wrapped(told.meaning, "  ", WIDTH)
    });
    told.collect()
}

/// Both tables; none where no group is known.
pub(super) fn told(audit: &Audit) -> Vec<Told> {
    let Some(first) = audit.known_errors.first() else { return Vec::new() };
    let whose = match first.from {
        KnownFrom::Truth => "by the true groups",
        KnownFrom::AuditLabels => "by the labelled rows",
    };
    let labelled = first.from == KnownFrom::AuditLabels;
    let estimated = audit.known_errors.iter().any(|known| known.estimated.is_some());
    let beside = if estimated { ", and as estimated" } else { "" };
    let matrices = Told {
        heading: Sentence::of(format!("How the proxies err {whose}{beside}")),
        table: matrices(audit),
        reasons: Vec::new(),
        meaning: if labelled { LABELLED } else { MATRICES },
    };
    let parts = Told {
        heading: Sentence::of("What the error is made of"),
        table: parts(audit),
        reasons: reasons(audit),
        meaning: if labelled { PARTS_LABELLED } else { PARTS },
    };
    vec![matrices, parts]
}

fn share(value: Option<f64>, path: String) -> Sentence {
    Figure::new(value, path).within(Figure::GAP).into()
}

/// A row for each proxy and group: for each guess the true share, and the estimated one.
fn matrices(audit: &Audit) -> Table {
    let mut table = Table::with_head(["proxy", "of group"]);
    for group in &audit.input.groups {
        table.head.push(Sentence::of("guessed ").name(group));
        table.head.push(Sentence::of("estimated"));
    }
    for (i, known) in audit.known_errors.iter().enumerate() {
        for (a, group) in known.groups.iter().enumerate() {
            let mut cells = vec![Sentence::named(&known.proxy), Sentence::named(group)];
            for g in 0..known.groups.len() {
                let truth = known.transition[a].as_ref().map(|row| row[g]);
                cells.push(share(truth, format!("/known_errors/{i}/transition/{a}/{g}")));
                cells.push(match &known.estimated {
                    Some(rows) => share(Some(rows[a][g]), format!("/known_errors/{i}/estimated/{a}/{g}")),
                    None => Sentence::default(),
                });
            }
            table.push(cells);
        }
    }
    table.trimmed().even()
}

/// A row for each criterion and proxy.
fn parts(audit: &Audit) -> Table {
    let mut table = Table::with_head([
        "criterion",
        "proxy",
        "off by",
        "at most",
        "decision",
        "erring",
        "calibrated",
        "shares",
        "rates",
    ]);
    for (i, known) in audit.known_errors.iter().enumerate() {
        for (j, parts) in known.parts.iter().enumerate() {
            let mut cells =
                vec![Sentence::of(capital(parts.criterion.words())), Sentence::named(&known.proxy)];
            let root = format!("/known_errors/{i}/parts/{j}");
            let raw = parts.read_directly.map(|raw| {
                [
                    ("error", raw.error),
                    ("bound", raw.bound),
                    ("dependence", raw.dependence),
                    ("proxy_error", raw.proxy_error),
                ]
            });
            let calibrated = parts
                .calibrated
                .map(|part| [("bound", part.bound), ("shares", part.shares), ("matrix", part.matrix)]);
            let cell =
                |of: &str, (name, value): &(&str, f64)| share(Some(*value), format!("{root}/{of}/{name}"));
            match &raw {
                Some(raw) => cells.extend(raw.iter().map(|one| cell("read_directly", one))),
                None => cells.extend(vec![Sentence::default(); 4]),
            }
            match &calibrated {
                Some(part) => cells.extend(part.iter().map(|one| cell("calibrated", one))),
                None => cells.extend(vec![Sentence::default(); 3]),
            }
            table.push(cells);
        }
    }
    table.rows.sort_by_key(|row| {
        let criterion = row.cells[0].plain();
        audit.settings.criteria.iter().position(|one| capital(one.words()) == criterion)
    });
    table.trimmed().even()
}

/// Why something is missing, each reason once with the proxies it is about.
fn reasons(audit: &Audit) -> Vec<Sentence> {
    let of_proxy = |known: &KnownErrorsRecord| {
        let reasons = known.parts.iter().flat_map(|parts| [&parts.no_read_directly, &parts.no_calibrated]);
        reasons.flatten().map(|reason| (known.proxy.clone(), reason.clone())).collect::<Vec<_>>()
    };
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (proxy, reason) in audit.known_errors.iter().flat_map(of_proxy) {
        match all.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, proxies)) if proxies.contains(&proxy) => {}
            Some((_, proxies)) => proxies.push(proxy),
            None => all.push((reason, vec![proxy])),
        }
    }
    let sentence = |(reason, proxies): (String, Vec<String>)| {
        let mut names = Sentence::default();
        for (i, proxy) in proxies.into_iter().enumerate() {
            names = if i == 0 { names } else { names.text(", ") }.name(proxy);
        }
        names.text(format!(": {reason}."))
    };
    all.into_iter().map(sentence).collect()
}
