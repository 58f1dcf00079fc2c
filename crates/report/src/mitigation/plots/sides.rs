//! Before and after: the gap on every basis, how often decisions are right, and the rates of every group.

use super::paired::{MOST, Pair, RANGE, draw, held};
use crate::measured::Measured;
use crate::mitigation::words::{self, Side, labelled, selected, sides};
use crate::plot::Plot;
use crate::plot::rows::Estimate;
use crate::sentence::{Figure, Sentence, capital};
use crate::svg::Scale;
use crate::table::{Row, Table};
use crate::words::{CriterionWords, Rate};
use fairveil_core::mitigate::MitigationRecord;
use fairveil_core::{Aggregate, Basis};

/// The gap that was computed from the same.
fn same<'a>(gaps: &'a [Measured<'a>], basis: &Measured) -> Option<&'a Measured<'a>> {
    gaps.iter().find(|gap| gap.same_origin(basis))
}

/// `0.24 → 0.02`.
fn change(before: Option<&Figure>, after: Option<&Figure>) -> String {
    let shown = |figure: Option<&Figure>| figure.map_or("–".into(), Figure::shown);
    format!("{} → {}", shown(before), shown(after))
}

/// The largest gap on every basis.
pub(super) fn gaps(record: &MitigationRecord) -> Plot {
    let [before, after] = sides(record);
    let (was, is) = (before.gaps(), after.gaps());
    // Every basis of either side, in the order in which they stand in the record.
    let mut bases: Vec<&Measured> = was.iter().collect();
    bases.extend(is.iter().filter(|gap| same(&was, gap).is_none()));
    let beside = |estimate: Option<Estimate>, side: Side| Estimate {
        truth: side.side.true_gap,
        ..estimate.unwrap_or_default()
    };
    let mut table = gap_table(record);
    let mut pairs = Vec::new();
    for basis in &bases {
        let both = [same(&was, basis), same(&is, basis)];
        let bold = both.iter().flatten().any(|gap| gap.recommended);
        for (side, gap) in [before, after].into_iter().zip(&both) {
            let Some(gap) = gap else { continue };
            let names = [gap.origin(), Sentence::of(side.name)];
            let cells = names.into_iter().chain([gap.value().into(), gap.sampling(), gap.honest()]).collect();
            table.rows.push(Row { cells, strong: gap.recommended, segment: None });
        }
        let [first, second] = both;
        pairs.push(Pair {
            label: capital(&basis.short_origin().plain()),
            note: change(first.map(Measured::value).as_ref(), second.map(Measured::value).as_ref()),
            before: beside(first.map(Estimate::of), before),
            after: beside(second.map(Estimate::of), after),
            alike: None,
            bold,
        });
    }
    if let (Some((first, _)), Some((second, _))) = (before.binned(), after.binned()) {
        pairs.push(Pair {
            label: capital(words::BINNED),
            note: change(Some(&first), Some(&second)),
            before: beside(Some(Estimate::shown(&first)), before),
            after: beside(Some(Estimate::shown(&second)), after),
            alike: None,
            bold: false,
        });
    }
    for side in [before, after] {
        let Some((figure, range)) = side.binned() else { continue };
        let names = [Sentence::of(words::BINNED), Sentence::of(side.name)];
        table.push(names.into_iter().chain([figure.into(), range, Sentence::default()]).collect());
    }
    for side in [before, after] {
        let Some(truth) = side.truth() else { continue };
        let none = Sentence::default;
        table.push(vec![Sentence::of("truth"), Sentence::of(side.name), truth.into(), none(), none()]);
    }
    // Where there are too many to draw, single proxies are left to the table.
    if pairs.len() > MOST {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        let direct = |i: usize| bases.get(i).is_some_and(|basis| basis.origin.basis == Basis::Proxy);
        order.sort_by_key(|i| (!pairs[*i].bold, direct(*i)));
        let mut taken: Vec<Option<Pair>> = pairs.into_iter().map(Some).collect();
        pairs = order.into_iter().filter_map(|i| taken[i].take()).collect();
    }
    let scale = Scale::around(held(&pairs), RANGE);
    let unit = crate::audit::plots::UNIT;
    Plot {
        id: "gap".into(),
        title: Sentence::of(capital(record.criterion.words()) + ": the gap on every basis"),
        reading: reading(record),
        key: key(record),
        canvas: draw(&pairs, unit, &scale),
        table: table.trimmed().even(),
    }
}

/// The paper's mean gap, the ratio, and how far off the mean gap is where the truth is known.
pub(crate) fn other_aggregates(record: &MitigationRecord) -> Table {
    let heads = ["basis", "when", "mean gap", "interval", "honest range", "ratio", "interval"];
    let errors = ["raw error", "normalised error", "improvement"];
    let mut table = Table::with_head(heads.into_iter().chain(errors));
    for side in sides(record) {
        let ratios = side.of(Aggregate::Ratio);
        for mean in side.of(Aggregate::MeanPairwise) {
            let ratio = same(&ratios, &mean);
            let mut cells = vec![
                mean.origin(),
                Sentence::of(side.name),
                mean.value().into(),
                mean.sampling(),
                mean.honest(),
                ratio.map_or(Sentence::default(), |ratio| ratio.value().into()),
                ratio.map_or(Sentence::default(), Measured::sampling),
            ];
            cells.extend(mean.errors().unwrap_or_default());
            table.rows.push(Row { cells, strong: mean.recommended, segment: None });
        }
    }
    table.trimmed().even()
}

fn gap_table(record: &MitigationRecord) -> Table {
    let (interval, shared) =
        (format!("{:.0} % interval", 100.0 * record.settings.confidence), "honest range".to_owned());
    Table::with_head(["basis", "when", "largest gap", interval.as_str(), shared.as_str()])
}

fn reading(record: &MitigationRecord) -> Sentence {
    let asked = words::setting(record.settings.tolerance, "/settings/tolerance");
    Sentence::of("Before: ")
        .then(words::before(record))
        .text(format!(". After: a {}, asked to leave at most ", words::rule(record)))
        .number(asked)
        .text(". Both on held-out rows.")
}

/// What lines and bars mean, as far as there are any.
fn key(record: &MitigationRecord) -> Sentence {
    let results = || record.before.results.iter().chain(&record.after.results);
    let mut key = if results().any(|r| r.interval.is_some()) {
        format!("Thick bars: sampling error ({:.0} % interval)", 100.0 * record.settings.confidence)
    } else {
        "There are no intervals".into()
    };
    if results().any(|r| r.honest_interval.is_some()) {
        let share = 100.0 * record.settings.shared_error;
        key += &format!(
            "; thin lines: the same if up to {share:.0} % of the proxies' agreement is shared error"
        );
    }
    if record.before.true_gap.is_some() || record.after.true_gap.is_some() {
        key += "; diamonds: the true gap";
    }
    Sentence::of(key + ".")
}

/// How often decisions are right, beside deciding alike for everyone; the share decided positive.
pub(super) fn accuracy(record: &MitigationRecord) -> Plot {
    let [before, after] = sides(record);
    let interval = format!("{:.0} % interval", 100.0 * record.settings.confidence);
    let what = words::accuracy(record);
    let mut table =
        Table::with_head(["decisions", what, interval.as_str(), "decided positive", interval.as_str()]);
    for side in [before, after] {
        table.push(vec![
            Sentence::of(side.name),
            side.accuracy().into(),
            side.accuracy_range(),
            side.positive().into(),
            side.positive_range(),
        ]);
    }
    let none = Sentence::default;
    let alike = Sentence::of("all get ").name(&record.constant.decision);
    table.push(vec![alike, words::constant(record).into(), none(), none(), none()]);
    let pairs = [Pair {
        label: capital(what),
        note: change(Some(&before.accuracy()), Some(&after.accuracy())),
        before: Estimate::shown(&before.accuracy()),
        after: Estimate::shown(&after.accuracy()),
        alike: words::constant(record).value,
        bold: true,
    }];
    let scale = Scale::near(held(&pairs), RANGE);
    let (title, reading) = if words::imitates(record) {
        (
            "How often decisions are those before",
            Sentence::of(
                "There are no labels: what is counted is how often decisions are those before, on held-out rows.",
            ),
        )
    } else {
        (
            "How often decisions are right",
            Sentence::of("How often decisions are as ")
                .name(record.input.label.as_deref().unwrap_or("the label"))
                .text(" says, on held-out rows."),
        )
    };
    Plot {
        id: "accuracy".into(),
        title: Sentence::of(title),
        reading: reading.text(" Deciding alike for everyone has no gap; it is what a rule must beat."),
        key: Sentence::of("Alike: everyone gets ")
            .name(&record.constant.decision)
            .text(". Bars: sampling error. The scale does not start at 0."),
        canvas: draw(&pairs, "share of held-out rows", &scale),
        table,
    }
}

/// A rate of one group on one side, and its interval in words.
fn rate(side: Side, group: &str, rate: &Rate) -> Option<(Figure, Sentence)> {
    let groups = &side.side.rates.as_ref()?.groups;
    let (i, one) = groups.iter().enumerate().find(|(_, one)| one.group == group)?;
    Some(rate.figure(one, &format!("/{}/rates/groups/{i}", side.name)))
}

/// The rates that the criterion compares, by calibrated group.
pub(super) fn rates(record: &MitigationRecord) -> Option<Plot> {
    let words = CriterionWords::of(record.criterion);
    let compared = Rate::compared(record.criterion);
    let [before, after] = sides(record);
    let interval = format!("{:.0} % interval", 100.0 * record.settings.confidence);
    let mut table = Table::with_head(["group", "rate", "when", "share of people", interval.as_str()]);
    let mut pairs = Vec::new();
    for one in &compared {
        for group in &record.input.groups {
            let both = [rate(before, group, one), rate(after, group, one)];
            if both.iter().flatten().all(|(figure, _)| figure.value.is_none()) {
                continue;
            }
            for (side, found) in [before, after].into_iter().zip(&both) {
                let Some((figure, range)) = found.clone() else { continue };
                let names = [Sentence::named(group), Sentence::of(one.words), Sentence::of(side.name)];
                table.push(names.into_iter().chain([figure.into(), range]).collect());
            }
            let [first, second] = both.each_ref().map(|found| found.as_ref().map(|(figure, _)| figure));
            let estimate = |figure: Option<&Figure>| figure.map(Estimate::shown).unwrap_or_default();
            let name = Sentence::named(group);
            pairs.push(Pair {
                label: match compared.len() {
                    1 => name,
                    _ => name.text(format!(", {}", one.words)),
                }
                .plain(),
                note: change(first, second),
                before: estimate(first),
                after: estimate(second),
                alike: None,
                bold: false,
            });
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let intervals = pairs.iter().any(|pair| pair.before.interval.or(pair.after.interval).is_some());
    let label = labelled(record, &record.input.positive);
    let meaning = Sentence::filled(words.rates, &[("selected", selected(record)), ("label", label)]);
    let scale = Scale::around(held(&pairs), RANGE);
    Some(Plot {
        id: "rates".into(),
        title: Sentence::of("How often groups get ").then(selected(record)),
        reading: meaning.text(" Groups are calibrated, never looked up."),
        key: Sentence::of(if intervals { "Bars: sampling error." } else { "There are no intervals." }),
        canvas: draw(&pairs, "share of people, from 0 to 1", &scale),
        table: table.trimmed().even(),
    })
}
