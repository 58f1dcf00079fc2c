//! The sentences that every report shares. They can be repeated without being wrong: each number with its interval,
//! each interval with what it assumes, and no verdict.

use super::front;
use crate::measured::{self, measured};
use crate::sentence::{Figure, Sentence, Unit, capital};
use crate::words::{BY_SOURCE, DIRECT, EstimatorWords, LENT, Rate, Voice};
use fairveil_core::criterion::Counted;
use fairveil_core::headline::Direction;
use fairveil_core::record::{
    Assumption, BoundRecord, ErrorModel, HonestRecord, LearnedFrom, NoiseRecord, Premise, RatesRecord,
    SharedErrorRecord, Test, TestRecord,
};
use fairveil_core::{Audit, Criterion, Estimator};

/// `approved = 1`.
pub(crate) fn selected(audit: &Audit) -> Sentence {
    Sentence::named(&audit.input.prediction).text(" = ").name(&audit.input.positive)
}

/// `repaid = 1`.
pub(crate) fn labelled_positive(audit: &Audit) -> Sentence {
    let input = &audit.input;
    let place = input.classes.iter().position(|class| *class == input.positive);
    let named = input.label_classes.as_ref().zip(place).and_then(|(names, place)| names.get(place));
    labelled(audit, named.unwrap_or(&input.positive))
}

/// `repaid = 0`.
pub(crate) fn labelled(audit: &Audit, class: &str) -> Sentence {
    Sentence::named(audit.input.label.as_deref().unwrap_or("label")).text(" = ").name(class)
}

/// `is selected`, or `has repaid = 1` where labels are counted.
pub(crate) fn does(audit: &Audit, criterion: Criterion) -> Sentence {
    let selected = Voice::of(audit).selected();
    match criterion.spec().within.counted() {
        Counted::Decisions => Sentence::of(format!("is {selected}")),
        Counted::Labels => Sentence::of("has ").then(labelled_positive(audit)),
        Counted::Misses => Sentence::of(format!("is not {selected}")),
        Counted::Hits => Sentence::of("gets the decision that matches the label"),
    }
}

/// The part of the people that a rate is taken in: `repaid = 0`, or `approved = 1` where labels are counted.
pub(crate) fn part(audit: &Audit, criterion: Criterion, class: &str) -> Sentence {
    if criterion.spec().within.counted() != Counted::Labels {
        return labelled(audit, class);
    }
    Sentence::named(&audit.input.prediction).text(" = ").name(class)
}

/// What calibrated numbers rest on, or what the absence of one means.
pub(crate) fn caution(audit: &Audit) -> &'static str {
    let each = relied(audit).iter().any(|(_, record)| record.proxy.is_some()).then_some(ErrorModel::Own);
    // A range rests on an estimator too, though none is advised.
    let on_top = audit.answers.iter().find_map(|answer| answer.rests_on.as_ref());
    let assumed = on_top.and_then(|origin| origin.assumption).or(each);
    let estimator = audit.advice.estimator.or_else(|| on_top?.estimator);
    caution_of(estimator, borrows(audit), assumed)
}

/// The same by estimator, by whether guesses were borrowed, and by who errs at rates of their own.
pub(crate) fn caution_of(
    estimator: Option<Estimator>,
    borrows: bool,
    errors: Option<ErrorModel>,
) -> &'static str {
    match estimator.map(EstimatorWords::of) {
        None => DIRECT,
        Some(words) if words.by_agreement && borrows => LENT,
        Some(_) if errors == Some(ErrorModel::BySource) => BY_SOURCE,
        Some(EstimatorWords { assumes_of_each: Some(assumes), .. }) if errors == Some(ErrorModel::Own) => {
            assumes
        }
        Some(words) => words.assumes,
    }
}

/// Words of a list with what they mean in this audit.
pub(crate) fn filled<const N: usize>(
    audit: &Audit,
    words: &'static str,
    more: [(&str, Sentence); N],
) -> Sentence {
    let parts = [("selected", selected(audit)), ("label", labelled_positive(audit))];
    Sentence::filled(words, &parts.into_iter().chain(more).collect::<Vec<_>>())
}

/// The answer to one criterion in words that can be repeated: the finding, its range and why it is not more.
pub(crate) fn answer(audit: &Audit, criterion: Criterion) -> Sentence {
    let sentence = Sentence::of(capital(criterion.words()) + ": ");
    let Some(answered) = front::answered(audit, criterion) else { return sentence };
    let range = match answered.honest() {
        none if none.0.is_empty() => Sentence::default(),
        range => Sentence::of("Honest range ").then(range).text(answered.allows() + "."),
    };
    let sampling = match answered.sampling() {
        none if none.0.is_empty() => none,
        sampling => sampling.text("."),
    };
    let direct = Sentence::of("Read directly, the proxies show ").then(answered.direct()).text(".");
    let parts = [answered.headline(), range, sampling, answered.reasons(), answered.left_out(), direct];
    let parts = parts.into_iter().filter(|part| !part.0.is_empty());
    parts.reduce(|all, part| all.text(" ").then(part)).map_or(sentence.clone(), |all| sentence.then(all))
}

/// What the wider interval allows for.
pub(crate) fn shared(reach: &HonestRecord) -> String {
    if reach.is_by_labels() {
        return " whatever mistakes the proxies make, if the labelled rows were chosen at random".into();
    }
    match reach.premise {
        Premise::OneSource => {
            return " if at least one source is unrelated to the decision inside the groups".into();
        }
        Premise::Bracket => {
            return " if decisions follow the group and its probability in the same direction".into();
        }
        Premise::SharedError | Premise::LabelsAsDrawn => {}
    }
    let shift = format!("guesses differ by up to {} between decisions inside a group", reach.max_shift);
    let sharing = format!("up to {:.0} % of the proxies' agreement is shared error", 100.0 * reach.reached);
    let what = match (reach.reached > 0.0, reach.max_shift > 0.0) {
        (_, false) => sharing,
        (true, true) => format!("{sharing} and {shift}"),
        (false, true) => shift,
    };
    let less = if reach.reached < reach.shared_error { ", the most this table permits" } else { "" };
    let strata = if reach.by_stratum { ", whether or not errors differ between decisions" } else { "" };
    format!(" if {what}{less}{strata}")
}

/// What the wider intervals of evidence allow for, where there are any.
pub(crate) fn of_evidence(audit: &Audit, criterion: Criterion) -> Option<String> {
    let mut reaches =
        audit.results.iter().filter(|r| r.criterion == criterion).filter_map(|r| r.honest_interval.as_ref());
    let reach = reaches.find(|reach| matches!(reach.premise, Premise::OneSource | Premise::Bracket))?;
    Some(format!("of evidence,{}", shared(reach)))
}

/// Why a basis has no number, each reason once.
pub(crate) fn reasons(audit: &Audit, criterion: Criterion) -> Vec<(Sentence, &str)> {
    measured::reasons(measured(&audit.results, "").filter(|result| result.criterion == criterion))
}

/// What the number to report was computed from.
pub(crate) fn advised(audit: &Audit) -> Option<Sentence> {
    measured(&audit.results, "").find(|result| result.recommended).map(|result| result.origin())
}

/// The usual rates of every group on the basis to report, and their place in the JSON.
pub(crate) fn usual_rates(audit: &Audit) -> Option<(usize, &RatesRecord)> {
    let rests_on = audit.answers.iter().find_map(|answer| answer.rests_on.as_ref());
    let wanted = |(_, r): &(usize, &RatesRecord)| match rests_on {
        Some(origin) => r.origin == *origin,
        None => {
            r.origin.estimator.is_some()
                && (r.origin.estimator, r.origin.scope) == (audit.advice.estimator, audit.advice.scope)
        }
    };
    let records = || audit.rates.iter().enumerate();
    records().find(wanted).or_else(|| records().next())
}

/// What rates are, by the names that `called` gives them.
pub(crate) fn meaning(audit: &Audit, rates: &[Rate], called: fn(&Rate) -> &'static str) -> Sentence {
    let silent = audit.input.proxies.iter().any(|proxy| proxy.abstained > 0.0);
    let rows = Sentence::of(if silent { "given guesses" } else { "all rows" });
    let one = |rate: &Rate| {
        Sentence::of(format!("{}: ", called(rate))).then(filled(
            audit,
            rate.meaning,
            [("rows", rows.clone())],
        ))
    };
    rates.iter().map(one).reduce(|all, one| all.text("; ").then(one)).unwrap_or_default()
}

/// What the errors are where the truth is known.
pub(crate) const ERRORS: &str = "Errors are of the mean gap: raw is the distance to the truth, normalised is that over the truth, \
     improvement is how much of the first proxy's error is gone.";

/// The test of no gap for a criterion and where it stands in the JSON.
pub(crate) fn no_gap(audit: &Audit, criterion: Criterion) -> Option<(String, &TestRecord)> {
    let same =
        |(_, test): &(usize, &TestRecord)| test.test == Test::NoGap && test.criterion == Some(criterion);
    audit.tests.iter().enumerate().find(same).map(|(i, test)| (format!("/tests/{i}"), test))
}

/// `p = 0.0213`, `p below 0.0001`.
pub(crate) fn p_value(path: &str, test: &TestRecord) -> Sentence {
    let figure = Figure::new(Some(test.p_value), format!("{path}/p_value")).unit(Unit::PValue);
    Sentence::of(if test.p_value < 1e-4 { "p " } else { "p = " }).number(figure)
}

/// The test of no gap, in a sentence.
pub(crate) fn test(audit: &Audit, criterion: Criterion) -> Option<Sentence> {
    let (path, test) = no_gap(audit, criterion)?;
    let statistic = Figure::new(Some(test.statistic), format!("{path}/statistic"));
    let sentence = Sentence::of("test of no gap ").then(p_value(&path, test)).text(" (χ² ").number(statistic);
    Some(sentence.text(format!(
        " on {} df). It holds whatever mistakes the proxies share, if their errors are unrelated to the decision.",
        test.degrees_of_freedom
    )))
}

/// What can be said without the size: whether there is a gap, and who is selected more often.
pub(crate) fn direction(audit: &Audit, criterion: Criterion) -> Sentence {
    let voice = Voice::of(audit);
    let direction = audit.answer(criterion).and_then(|answer| answer.direction.as_ref());
    match (no_gap(audit, criterion), direction) {
        (test, Some(Direction { more, less, .. })) => {
            let sentence = Sentence::named(more).text(" ").then(does(audit, criterion)).text(" more often");
            let sentence = match less {
                Some(less) => sentence.text(" than ").name(less),
                None => sentence.text(" than the others"),
            };
            let sentence = match test {
                Some((path, test)) => sentence.text(", beyond chance (").then(p_value(&path, test)).text(")"),
                None => sentence,
            };
            sentence
                .text(", if the proxies' errors are unrelated to the decision. By how much cannot be said.")
        }
        (None, None) => Sentence::of(format!(
            "Whether groups are {} at different rates cannot be said from this table.",
            voice.selected()
        )),
        (Some((path, test)), None) if test.p_value < 1.0 - audit.settings.confidence => {
            if test.favoured.is_none() {
                return Sentence::of("There is a gap beyond chance (")
                    .then(p_value(&path, test))
                    .text("), but no one direction of it.");
            }
            Sentence::of("What the proxies say is related to the decision (")
                .then(p_value(&path, test))
                .text("), but so are their errors: no direction can be given.")
        }
        (Some((path, test)), None) => Sentence::of("No gap shows beyond chance (")
            .then(p_value(&path, test))
            .text("), which does not mean that there is none."),
    }
}

/// What if the proxies share mistakes, in a sentence. `path` is where the record stands in the JSON.
pub(crate) fn what_if(audit: &Audit, path: &str, what_if: &SharedErrorRecord) -> Sentence {
    let percent = |value, place: &str| Figure::new(value, format!("{path}/{place}")).unit(Unit::Percent);
    let sentence = match what_if.doubles_at {
        Some(r) => Sentence::of("the mean gap would double if ")
            .number(percent(Some(r), "doubles_at"))
            .text(" of the proxies' agreement were shared error"),
        None => {
            let last = what_if.curve.iter().rposition(|point| point.value.is_some()).unwrap_or_default();
            let most = what_if.curve.get(last).map(|point| point.shared_error);
            Sentence::of("even at ")
                .number(percent(most, &format!("curve/{last}/shared_error")))
                .text(" shared error, the most this table permits, the mean gap would not double")
        }
    };
    match what_if.zero_needs {
        None => sentence.text("."),
        // Of the size of a gap: three decimals, as in its interval.
        Some(shift) => sentence
            .text(". For there to be no gap, the guesses would have to differ by ")
            .number(Figure::new(Some(shift), format!("{path}/zero_needs")).within(Figure::GAP))
            .text(format!(" between {} people and others of the same group.", Voice::of(audit).selected())),
    }
}

/// What is known without calibration about a criterion, a sentence each.
pub(crate) fn bounds(audit: &Audit, criterion: Criterion) -> Vec<Sentence> {
    let of_it = audit.bounds.iter().enumerate().filter(|(_, bound)| bound.criterion == criterion);
    of_it.map(|(i, one)| bound(audit, i, one)).collect()
}

fn bound(audit: &Audit, i: usize, bound: &BoundRecord) -> Sentence {
    // Three decimals, as in the interval of a gap.
    let end = |value, name| Figure::new(value, format!("/bounds/{i}/{name}")).within(Figure::GAP);
    let takes = match (bound.assumes, &bound.proxy) {
        (Assumption::NonDifferential, Some(_)) if bound.interval.is_none() => {
            let reason = bound.unavailable.as_deref().unwrap_or("it cannot be computed");
            return Sentence::of(format!("What the proxies show gives no lower limit of the gap: {reason}."));
        }
        (Assumption::NonDifferential, Some(proxy)) => {
            return Sentence::of("If errors are unrelated to the decision, the gap is at least ")
                .number(end(bound.interval.map(|i| i.low), "low"))
                .text(" (what ")
                .name(proxy)
                .text(" shows), ignoring sampling error.");
        }
        (Assumption::RightProbabilities, _) => Sentence::of("If the probabilities of the groups are right"),
        (Assumption::KnownShares, _) => Sentence::of("From the known shares of the groups alone"),
        (_, Some(proxy)) => Sentence::of("With the known shares and the stated error of ").name(proxy),
        (_, None) => Sentence::of("With the known shares and the stated errors of all proxies"),
    };
    match (bound.interval, &bound.unavailable) {
        (Some(_), _) => takes
            .text(": the rate of ")
            .name(bound.a.clone().unwrap_or_default())
            .text(" minus that of ")
            .name(bound.b.clone().unwrap_or_default())
            .text(" is ")
            .number(end(bound.interval.map(|i| i.low), "low"))
            .text(" to ")
            .number(end(bound.interval.map(|i| i.high), "high"))
            .text(", whatever else is true of the proxies."),
        (None, reason) => {
            let reason = reason.as_deref().unwrap_or("no bound can be given");
            takes.text(": no bound on ").then(selected(audit)).text(format!(": {reason}."))
        }
    }
}

/// The matrices of the method relied on, and where they stand in the JSON; of the first that has any where none is
/// relied on. Those of all rows before those of labelled ones, which only repeat them under another condition.
pub(crate) fn relied(audit: &Audit) -> Vec<(usize, &NoiseRecord)> {
    let known = || {
        audit.noise.iter().enumerate().filter(|(_, n)| n.transition.is_some() && n.rows == LearnedFrom::All)
    };
    let method = match (audit.advice.estimator, audit.advice.scope) {
        (Some(estimator), Some(scope)) => Some((estimator, scope)),
        _ => known().next().map(|(_, first)| (first.estimator, first.scope)),
    };
    // An estimator may offer one matrix for all proxies beside one for each.
    let mut origins = audit.answers.iter().filter_map(|answer| answer.rests_on.as_ref());
    let assumed =
        origins.find(|origin| Some(origin.estimator) == method.map(|(estimator, _)| Some(estimator)));
    let apart = assumed.and_then(|origin| origin.assumption).map(|errors| errors != ErrorModel::Alike);
    let mine = |n: &NoiseRecord| apart.is_none_or(|apart| apart == n.proxy.is_some());
    known().filter(|(_, n)| Some((n.estimator, n.scope)) == method && mine(n)).collect()
}

/// Where the error rates that are shown first come from.
pub(crate) fn errors_lead(audit: &Audit) -> String {
    match (audit.advice.estimator, relied(audit).first()) {
        (Some(estimator), _) => EstimatorWords::of(estimator).learned.to_string(),
        (None, Some((_, first))) => {
            format!("No number is calibrated with them. {}", EstimatorWords::of(first.estimator).learned)
        }
        (None, None) => "How the proxies err cannot be estimated here.".to_string(),
    }
}

/// Whether the audit holds something by an estimator.
pub(crate) fn uses(audit: &Audit, estimator: Estimator) -> bool {
    audit.noise.iter().any(|record| record.estimator == estimator)
        || audit.results.iter().any(|result| result.origin.estimator == Some(estimator))
}
/// The proxies that were not lent by neighbours; all, where lent guesses were mixed in at random.
pub(crate) fn own_proxies(audit: &Audit) -> Vec<&fairveil_core::record::ProxyRecord> {
    let all = &audit.input.proxies;
    let own: Vec<_> = all.iter().filter(|proxy| proxy.lent_by.is_none()).collect();
    if own.is_empty() { all.iter().collect() } else { own }
}

/// Whether guesses were lent by nearest neighbours.
pub(crate) fn borrows(audit: &Audit) -> bool {
    audit.input.proxies.iter().any(|proxy| proxy.lent_by.is_some())
}
