//! The answer, first and short: who is selected less often than whom, by how much and how sure that is, what it rests on and
//! what would settle it. The screen, the page, the printed sheet and Markdown say the same.

use super::words;
use crate::measured::{Measured, origin, ranged, reported, results};
use crate::sentence::{Figure, Sentence, Unit, capital};
use crate::table::{Row, Table};
use crate::words::{CriterionWords, Voice};
use fairveil_core::criterion::Counted;
use fairveil_core::diagnose::Severity;
use fairveil_core::headline::{Answer, ComparedPair, PerThousand, Says, Why};
use fairveil_core::record::{NextStep, Step};
use fairveil_core::{Aggregate, Audit, Basis, Criterion, Finding, Interval};
use std::cmp::Ordering;

/// The answer about one criterion, and its place in the JSON.
pub(crate) struct Answered<'a> {
    audit: &'a Audit,
    answer: &'a Answer,
    path: String,
}

/// What stands where the eye falls first.
pub(crate) enum Big {
    /// A number.
    Number(Figure),
    /// A range without a number inside it.
    Range(Sentence),
    /// Neither, in two words.
    Words(&'static str),
}

/// The criterion that leads, with its answer: the first that was asked for.
pub(crate) fn lead(audit: &Audit) -> Option<Answered<'_>> {
    audit.settings.criteria.first().and_then(|criterion| answered(audit, *criterion))
}

/// The answer about one criterion.
pub(crate) fn answered(audit: &Audit, criterion: Criterion) -> Option<Answered<'_>> {
    let place = audit.answers.iter().position(|answer| answer.criterion == criterion)?;
    Some(Answered { audit, answer: &audit.answers[place], path: format!("/answers/{place}") })
}

impl<'a> Answered<'a> {
    fn criterion(&self) -> Criterion {
        self.answer.criterion
    }

    fn figure(&self, value: Option<f64>, field: &str) -> Figure {
        Figure::new(value, format!("{}/{field}", self.path)).within(self.digits())
    }

    /// The range says how many digits mean anything.
    fn digits(&self) -> Option<(f64, f64)> {
        self.answer.interval.or(self.answer.range).map(|range| (range.low, range.high))
    }

    fn between(&self, range: Option<Interval>, field: &str) -> Sentence {
        let ends = range.map(|range| (range.low, range.high));
        Sentence::range(ends, self.digits(), &format!("{}/{field}", self.path))
    }

    /// The measurement that the number or the range is taken from.
    fn result(&self) -> Option<Measured<'a>> {
        reported(self.audit, self.criterion()).or_else(|| ranged(self.audit, self.criterion()))
    }

    pub fn big(&self) -> Big {
        match self.answer.says {
            Says::Number => Big::Number(self.figure(self.answer.value, "value")),
            Says::Range => Big::Range(self.between(self.answer.range, "range")),
            Says::Direction => Big::Words("direction only"),
            Says::Nothing => Big::Words("no number"),
        }
    }

    /// `Among people with repaid = 1, `.
    fn among(&self, label: Option<&str>) -> Sentence {
        match label {
            Some(class) => Sentence::of("among people with ")
                .then(words::part(self.audit, self.criterion(), class))
                .text(", "),
            None => Sentence::default(),
        }
    }

    /// Who is selected less often than whom, without a number.
    fn who(&self, more: &str, less: &str) -> Sentence {
        let often = |one: &str, how: &str, other: &str| {
            Sentence::named(one)
                .text(" ")
                .then(words::does(self.audit, self.criterion()))
                .text(how)
                .name(other)
        };
        if Voice::of(self.audit).more_first() {
            return often(more, " more often than ", less);
        }
        often(less, " less often than ", more)
    }

    /// The finding in a sentence, the sampling interval left to the detail.
    pub fn headline(&self) -> Sentence {
        let pair = self.answer.pair.as_ref();
        let direction = self.answer.direction.as_ref();
        match (self.answer.says, pair) {
            (Says::Number, Some(pair)) => self.number(pair).capital(),
            (Says::Number, None) => {
                Sentence::of("The gap is about ").number(self.figure(self.answer.value, "value")).text(".")
            }
            (Says::Range, Some(pair)) if direction.is_some() => self
                .among(pair.label.as_deref())
                .then(self.who(&pair.more, &pair.less))
                .text(", by ")
                .then(self.between(self.answer.range, "range"))
                .text(". No number inside this range can be picked out.")
                .capital(),
            (Says::Range, _) => Sentence::of("The gap is ")
                .then(self.between(self.answer.range, "range"))
                .text(". No number inside this range can be picked out."),
            (Says::Direction | Says::Nothing, _) => words::direction(self.audit, self.criterion()),
        }
        .even()
    }

    fn number(&self, pair: &ComparedPair) -> Sentence {
        let value = || self.figure(self.answer.value, "value");
        let ComparedPair { more, less, label, more_rate, less_rate } = pair;
        let rates = [self.figure(*more_rate, "pair/more_rate"), self.figure(*less_rate, "pair/less_rate")];
        let [high, low] = rates;
        let (first, second) = if Voice::of(self.audit).more_first() { (high, low) } else { (low, high) };
        let sentence = self.among(label.as_deref());
        // Without intervals nobody asked how sure it is.
        if self.answer.direction.is_some() || self.answer.range.is_none() {
            return sentence
                .then(self.who(more, less))
                .text(": ")
                .number(first)
                .text(" against ")
                .number(second)
                .text(", a gap of about ")
                .number(value())
                .text(".");
        }
        sentence
            .text("the rates of ")
            .name(more)
            .text(" and ")
            .name(less)
            .text(" differ by about ")
            .number(value())
            .text(", but the honest range starts at zero: there may be no gap.")
    }

    /// `0.22 to 0.37`, where there is a range.
    pub fn honest(&self) -> Sentence {
        self.between(self.answer.range, "range")
    }

    /// What the honest range allows for, as a sentence goes on after it.
    pub fn allows(&self) -> String {
        let reach = self.result().and_then(|result| result.honest_interval.clone());
        match reach {
            Some(reach) => words::shared(&reach),
            None if self.answer.range.is_some() => ", allowing for chance alone".into(),
            None => String::new(),
        }
    }

    /// What chance alone leaves open.
    pub fn sampling(&self) -> Sentence {
        let Some(interval) = self.answer.interval else { return Sentence::default() };
        let confidence = 100.0 * self.audit.settings.confidence;
        Sentence::of(format!("Sampling error alone ({confidence:.0} % interval): "))
            .then(self.between(Some(interval), "interval"))
    }

    /// `The ratio of their rates is 0.63 (0.44 to 0.68).`
    pub fn ratio(&self) -> Sentence {
        let range = self.answer.ratio_range.map(|range| (range.low, range.high));
        let ratio = Figure::new(self.answer.ratio, format!("{}/ratio", self.path)).within(range);
        let ends = Sentence::range(range, range, &format!("{}/ratio_range", self.path));
        match (self.answer.ratio, ends.0.is_empty()) {
            (None, true) => Sentence::default(),
            (None, false) => Sentence::of("The lower rate is ").then(ends).text(" of the higher one."),
            (Some(_), true) => Sentence::of("The lower rate is ").number(ratio).text(" of the higher one."),
            (Some(_), false) => Sentence::of("The lower rate is ")
                .number(ratio)
                .text(" of the higher one (")
                .then(ends)
                .text(")."),
        }
        .even()
    }

    fn ratio_figure(&self) -> Sentence {
        let range = self.answer.ratio_range.map(|range| (range.low, range.high));
        match self.answer.ratio {
            Some(_) => Figure::new(self.answer.ratio, format!("{}/ratio", self.path)).within(range).into(),
            None => Sentence::range(range, range, &format!("{}/ratio_range", self.path)),
        }
    }

    /// `Of 1,000 people in each group, about 250 more are selected in blue (220 to 370).`
    pub fn people(&self) -> Sentence {
        let (Some(people), Some(pair)) = (self.answer.per_thousand, self.answer.pair.as_ref()) else {
            return Sentence::default();
        };
        let PerThousand { value, low, high } = people;
        let count = |value: Option<f64>, field: &str| {
            Figure::new(value, format!("{}/per_thousand/{field}", self.path)).unit(Unit::Count)
        };
        let of = match &pair.label {
            Some(class) => Sentence::of("Of 1,000 people with ")
                .then(words::part(self.audit, self.criterion(), class))
                .text(" in each of the two groups, "),
            None => Sentence::of("Of 1,000 people in each of the two groups, "),
        };
        let selected = Voice::of(self.audit).selected();
        let does = match self.criterion().spec().within.counted() {
            Counted::Decisions => Sentence::of(format!(" more are {selected} in ")),
            Counted::Labels => {
                Sentence::of(" more have ").then(words::labelled_positive(self.audit)).text(" in ")
            }
            Counted::Misses => Sentence::of(format!(" more are not {selected} in ")),
            Counted::Hits => Sentence::of(" more get the decision that matches the label in "),
        };
        let ends = Sentence::from(count(low, "low")).text(" to ").number(count(high, "high"));
        let sentence = match (value, low.and(high)) {
            (Some(_), Some(_)) => {
                let range = Sentence::of(" (honest range ").then(ends).text(")");
                of.text("about ").number(count(value, "value")).then(does).name(&pair.more).then(range)
            }
            (Some(_), None) => of.text("about ").number(count(value, "value")).then(does).name(&pair.more),
            (None, _) => of.then(ends).then(does).name(&pair.more),
        };
        sentence.text(".")
    }

    /// Why no number stands on top, and why one that does is to be read with its range.
    pub fn reasons(&self) -> Sentence {
        let told = |reasons: &[fairveil_core::headline::Reason]| {
            reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join("; ")
        };
        let Answer { says, reasons, cautions, .. } = self.answer;
        match says {
            Says::Number if cautions.is_empty() => Sentence::default(),
            Says::Number => {
                Sentence::of(format!("Read the range, not the number alone: {}.", told(cautions)))
            }
            Says::Range => Sentence::of(format!("Why there is no number: {}.", told(reasons))),
            _ if reasons.iter().any(|reason| reason.why == Why::NoNumber) => {
                Sentence::of(format!("Why no size can be given: {}.", told(reasons)))
            }
            _ => Sentence::of(format!("Why no size is given: {}.", told(reasons))),
        }
    }

    /// Groups that are compared with no other.
    pub fn left_out(&self) -> Sentence {
        match self.answer.left_out.as_slice() {
            [] => Sentence::default(),
            groups => Sentence::of("Not compared, because too little is known of them: ")
                .name(groups.join(", "))
                .text("."),
        }
    }

    /// What the proxies show if their guesses are taken for the group.
    pub fn direct(&self) -> Sentence {
        let mut known = results(self.audit, self.criterion(), Aggregate::Difference);
        known.retain(|result| result.origin.basis == Basis::Proxy && result.value.is_some());
        known.sort_by(|a, b| a.value.partial_cmp(&b.value).unwrap_or(Ordering::Equal));
        match (known.first(), known.last()) {
            (Some(one), Some(_)) if known.len() == 1 => one.value().into(),
            (Some(low), Some(high)) => Sentence::from(low.value()).text(" to ").number(high.value()).even(),
            _ => Sentence::of("no number"),
        }
    }

    /// `Equalized odds (repaid = 1)`.
    fn title(&self) -> Sentence {
        let title = Sentence::of(capital(self.criterion().words()));
        match self.answer.pair.as_ref().and_then(|pair| pair.label.as_ref()) {
            Some(class) => title.text(" (").then(words::part(self.audit, self.criterion(), class)).text(")"),
            None => title,
        }
    }
}

/// Every criterion in one table: the numbers of the headline first.
pub(crate) fn criteria(audit: &Audit) -> Table {
    let all: Vec<Answered> =
        audit.settings.criteria.iter().filter_map(|criterion| answered(audit, *criterion)).collect();
    // Groups that are the headline's in every row are named once, there.
    let groups = |one: &Answered| one.answer.pair.as_ref().map(|pair| (pair.less.clone(), pair.more.clone()));
    let named = !all.windows(2).all(|two| groups(&two[0]).is_some() && groups(&two[0]) == groups(&two[1]));
    let mut heads = vec!["criterion", "gap", "honest range", "ratio"];
    heads.extend(named.then_some("groups"));
    heads.push("proxies show");
    let mut table = Table::with_head(heads);
    for (i, one) in all.iter().enumerate() {
        let gap = match one.big() {
            Big::Number(figure) => figure.into(),
            Big::Range(_) => Sentence::of("range only"),
            Big::Words(words) => Sentence::of(words),
        };
        let groups = match (&one.answer.pair, &one.answer.direction) {
            (Some(pair), _) => Sentence::named(&pair.less).text(" below ").name(&pair.more),
            (None, Some(direction)) => Sentence::named(&direction.more).text(" higher"),
            (None, None) => Sentence::of("–"),
        };
        let mut cells = vec![one.title(), gap, one.honest(), one.ratio_figure()];
        cells.extend(named.then_some(groups));
        cells.push(one.direct());
        table.rows.push(Row {
            cells,
            strong: i == 0 && all.len() > 1 && one.answer.says == Says::Number,
            segment: None,
        });
    }
    table.even()
}

/// Findings of one kind: the first of them, and the others like it.
pub(crate) struct Alike<'a> {
    pub first: &'a Finding,
    pub more: Vec<&'a Finding>,
}

/// Findings with those of one kind put together: what occurs in six strata is one finding.
pub(crate) fn merged(findings: &[Finding]) -> Vec<Alike<'_>> {
    let mut merged: Vec<Alike> = Vec::new();
    for finding in findings {
        let alike =
            |one: &&mut Alike| (&one.first.code, one.first.severity) == (&finding.code, finding.severity);
        match merged.iter_mut().find(alike) {
            Some(one) => one.more.push(finding),
            None => merged.push(Alike { first: finding, more: Vec::new() }),
        }
    }
    merged
}

/// The findings of one severity.
pub(crate) fn of_severity(findings: &[Finding], severity: Severity) -> Vec<Alike<'_>> {
    merged(findings).into_iter().filter(|alike| alike.first.severity == severity).collect()
}

/// A message that repeats why there is no number.
pub(crate) fn is_said(audit: &Audit, message: &str) -> bool {
    audit
        .answers
        .first()
        .is_some_and(|answer| answer.reasons.iter().any(|reason| message.contains(&reason.text)))
}

/// `1 serious warning, 2 warnings, 3 notes`.
pub(crate) fn doubts(audit: &Audit) -> String {
    let count = |severity, one: &str, several: &str| match of_severity(&audit.findings, severity).len() {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {several}")),
    };
    let counts = [
        count(Severity::Serious, "serious warning", "serious warnings"),
        count(Severity::Warning, "warning", "warnings"),
        count(Severity::Info, "note", "notes"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    if counts.is_empty() { "No warnings".into() } else { counts.join(", ") }
}

/// What the answer rests on: the method in plain words, and what must be true for it.
pub(crate) fn rests_on(audit: &Audit) -> Sentence {
    let caution = words::caution(audit);
    match audit.answers.iter().find_map(|answer| answer.rests_on.as_ref()) {
        Some(on) => origin(on).capital().text(". ").text(caution),
        None if audit.answers.iter().any(|answer| answer.says == Says::Direction) => Sentence::of(
            "The test of no gap. It holds whatever mistakes the proxies share, if their errors are unrelated to the decision.",
        ),
        None => Sentence::of(caution),
    }
}

/// The step that would settle most.
pub(crate) fn settles(audit: &Audit) -> String {
    let acts = |step: &&NextStep| {
        !matches!(step.step, Step::ReportDirection | Step::ReportRange | Step::Calibrate | Step::TrustProxies)
    };
    let step = audit.advice.next.iter().find(acts).map(|step| step.text.to_string());
    let silent = audit.answers.first().is_none_or(|answer| answer.value.is_none());
    step.unwrap_or_else(|| {
        let any = if silent {
            "More rows, proxies that know more, or a few hundred rows whose group is known."
        } else {
            "To narrow the range: a few hundred rows, drawn at random, whose group is known."
        };
        any.into()
    })
}

/// What selected means here, and what it means to a person where that was said.
pub(crate) fn meaning(audit: &Audit) -> Sentence {
    let voice = Voice::of(audit);
    let sentence = Sentence::of(format!("{} means ", capital(voice.selected()))).then(words::selected(audit));
    match voice.worse_is_more(Criterion::DemographicParity) {
        Some(true) => sentence.text(", which is bad for the person."),
        Some(false) => sentence.text(", which is good for the person."),
        None => sentence.text("."),
    }
}

/// What a criterion asks, in a line for each that was asked for.
pub(crate) fn questions(audit: &Audit) -> Vec<Sentence> {
    let one = |criterion: &Criterion| {
        Sentence::of(format!("{}: ", capital(criterion.words()))).then(words::filled(
            audit,
            CriterionWords::of(*criterion).question,
            [],
        ))
    };
    audit.settings.criteria.iter().map(one).collect()
}
