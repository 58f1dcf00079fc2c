//! The sentences about a mitigation that every report shares: each number with its interval, and no verdict.

use crate::audit::words;
use crate::measured::{self, Measured, measured};
use crate::sentence::{Figure, Sentence, Unit, capital};
use fairveil_core::diagnose::Severity;
use fairveil_core::mitigate::{
    CriterionChange, DriftBin, MeasuredOn, Method, MitigatedSide, MitigationRecord, Multiplier,
    OperatingPoint, RateRecord, Target,
};
use fairveil_core::record::{ErrorModel, Measurement};
use fairveil_core::{Aggregate, Basis};

/// Before or after: what was measured, and where it stands in the JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    /// `before` or `after`.
    pub name: &'static str,
    pub side: &'a MitigatedSide,
}

/// Before, then after.
pub(crate) fn sides(record: &MitigationRecord) -> [Side<'_>; 2] {
    [Side { name: "before", side: &record.before }, Side { name: "after", side: &record.after }]
}

impl<'a> Side<'a> {
    /// The largest gap on every basis.
    pub fn gaps(self) -> Vec<Measured<'a>> {
        self.of(Aggregate::Difference)
    }

    /// One aggregate on every basis.
    pub fn of(self, aggregate: Aggregate) -> Vec<Measured<'a>> {
        let root = format!("/{}", self.name);
        measured(&self.side.results, &root).filter(|result| result.aggregate == aggregate).collect()
    }

    /// The largest gap to report.
    pub fn gap(self) -> Option<Measured<'a>> {
        self.gaps().into_iter().find(|gap| gap.recommended && gap.value.is_some())
    }

    /// The share of rows decided as they should be.
    pub fn accuracy(self) -> Figure {
        share(&self.side.accuracy, &format!("/{}/accuracy", self.name))
    }

    pub fn accuracy_range(self) -> Sentence {
        range(&self.side.accuracy, &format!("/{}/accuracy", self.name))
    }

    /// The gap with error rates of their own in every bin of the score, and its interval in words.
    pub fn binned(self) -> Option<(Figure, Sentence)> {
        let (gap, path) = (self.side.binned_gap.as_ref()?, format!("/{}/binned_gap", self.name));
        Some((share(gap, &path), range(gap, &path)))
    }

    /// The share of rows decided positive.
    pub fn positive(self) -> Figure {
        share(&self.side.positive_rate, &format!("/{}/positive_rate", self.name))
    }

    pub fn positive_range(self) -> Sentence {
        range(&self.side.positive_rate, &format!("/{}/positive_rate", self.name))
    }

    pub fn truth(self) -> Option<Figure> {
        self.side.true_gap.map(|_| precise(self.side.true_gap, format!("/{}/true_gap", self.name)))
    }

    /// Why there is no gap to report.
    fn why_not(self) -> String {
        let calibrated = |gap: &Measured| gap.origin.basis == Basis::Calibrated;
        let reason = self.gaps().into_iter().filter(calibrated).find_map(|gap| gap.unavailable.clone());
        reason.unwrap_or_else(|| "none of those that could be computed can be relied on".into())
    }
}

/// Ends that are numbers.
fn finite(low: f64, high: f64) -> Option<(f64, f64)> {
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

fn ends(rate: &RateRecord) -> Option<(f64, f64)> {
    finite(rate.interval.low, rate.interval.high)
}

fn share(rate: &RateRecord, path: &str) -> Figure {
    Figure::new(Some(rate.value), format!("{path}/value")).within(ends(rate))
}

fn range(rate: &RateRecord, path: &str) -> Sentence {
    Sentence::range(ends(rate), ends(rate), path)
}

/// A number without an interval that is of the size of a gap: three decimals.
pub(crate) fn precise(value: Option<f64>, path: impl Into<String>) -> Figure {
    Figure::new(value, path).within(Figure::GAP)
}

/// A number that was asked for: as many decimals as it has, from two to four.
pub(crate) fn setting(value: f64, path: impl Into<String>) -> Figure {
    let exact = |decimals: i32| {
        let scaled = value * 10f64.powi(decimals);
        (scaled - scaled.round()).abs() < 1e-6
    };
    let ends = match (exact(2), exact(3)) {
        (true, _) => None,
        (false, true) => Figure::GAP,
        (false, false) => Some((0.0, 0.000_2)),
    };
    Figure::new(Some(value), path).within(ends)
}

/// `approved = 1`.
pub(crate) fn selected(record: &MitigationRecord) -> Sentence {
    match &record.input.prediction {
        Some(column) => Sentence::named(column).text(" = ").name(&record.input.positive),
        None => Sentence::of("a decision of ").name(&record.input.positive),
    }
}

/// `repaid = 1`.
pub(crate) fn labelled(record: &MitigationRecord, class: &str) -> Sentence {
    Sentence::named(record.input.label.as_deref().unwrap_or("label")).text(" = ").name(class)
}

/// Whether decisions are compared with those before, for want of labels.
pub(crate) fn imitates(record: &MitigationRecord) -> bool {
    record.input.target == Target::Decision
}

/// What is shown as accuracy.
pub(crate) fn accuracy(record: &MitigationRecord) -> &'static str {
    if imitates(record) { "agreement with the decisions before" } else { "accuracy" }
}

/// What stood there before, in words.
pub(crate) fn before(record: &MitigationRecord) -> Sentence {
    match &record.input.prediction {
        Some(column) => Sentence::of("the decisions in ").name(column),
        None => Sentence::of("the same model without the constraint"),
    }
}

/// What the new decisions come from, in words.
pub(crate) fn rule(record: &MitigationRecord) -> &'static str {
    match record.method {
        Method::PlugIn => "plug-in rule",
        Method::Logistic => "logistic regression",
        Method::Mlp => "neural network with one hidden layer",
    }
}

/// How rows can be fitted and measured on.
pub(crate) const CROSS_FITTED: &str = "each decided about by a rule that learned from other rows";

/// Which rows before and after are measured on, in words.
pub(crate) fn measured_on(record: &MitigationRecord) -> Sentence {
    match &record.settings.measured_on {
        MeasuredOn::HeldOut => Sentence::of("a share that was held out"),
        MeasuredOn::Column { name } => Sentence::of("as ").name(name).text(" says"),
        MeasuredOn::CrossFitted { folds } => Sentence::of(format!("all, in {folds} folds, {CROSS_FITTED}")),
    }
}

/// What was gained and what it costs, in words that can be repeated.
pub(crate) fn answer(record: &MitigationRecord) -> Sentence {
    let [before, after] = sides(record);
    let rows = Figure::count(record.input.rows_held_out, "/input/rows_held_out");
    let criterion = Sentence::of(capital(record.criterion.words()) + ": ");
    let kind_of_rows = match &record.settings.measured_on {
        MeasuredOn::CrossFitted { .. } => " cross-fitted rows, ",
        MeasuredOn::HeldOut | MeasuredOn::Column { .. } => " held-out rows, ",
    };
    let start = criterion.text("on ").number(rows).text(kind_of_rows);
    let gap = match (before.gap(), after.gap()) {
        (Some(was), Some(is)) => start
            .text(format!("the {} was ", kind(&was)))
            .then(with_range(record, &was, true))
            .text(" before and is ")
            .then(with_range(record, &is, false))
            .text(" after."),
        (Some(was), None) => start
            .text(format!("the {} was ", kind(&was)))
            .then(with_range(record, &was, true))
            .text(format!(" before; after, there is no number: {}.", after.why_not())),
        (None, Some(is)) => start
            .text(format!("the {} is ", kind(&is)))
            .then(with_range(record, &is, true))
            .text(format!(" after; before, there is no number: {}.", before.why_not())),
        (None, None) => start.text(format!("there is no calibrated gap to report: {}.", after.why_not())),
    };
    let decided = Sentence::of(" Decided positive were ")
        .number(before.positive())
        .text(" and are ")
        .number(after.positive())
        .text("; ")
        .then(cut(record))
        .text(".");
    gap.then(binned(record))
        .text(" ")
        .then(cost(record))
        .then(decided)
        .then(truth(record))
        .then(widened(record))
        .then(serious(record))
}

/// Where decisions are cut, in words.
pub(crate) fn cut(record: &MitigationRecord) -> Sentence {
    let asked = |value: f64, name: &str| setting(value, format!("/operating_point/asked/{name}"));
    match record.operating_point.asked {
        OperatingPoint::Kept if record.input.prediction.is_some() => {
            Sentence::of("the share of the decisions before was to be kept")
        }
        OperatingPoint::Kept => {
            Sentence::of("the share of the same model without the constraint was to be kept")
        }
        OperatingPoint::Rate { share } => {
            Sentence::of("a share of ").number(asked(share, "share")).text(" was asked for")
        }
        OperatingPoint::Threshold { chance } => {
            Sentence::of("the cut is at a chance of ").number(asked(chance, "chance"))
        }
        OperatingPoint::Costs { false_positive, false_negative } => Sentence::of("a false positive costs ")
            .number(asked(false_positive, "false_positive"))
            .text(" and a false negative ")
            .number(asked(false_negative, "false_negative")),
    }
}

/// What became of the gaps by other criteria that are clearly wider: nobody is to look for them in a table.
fn widened(record: &MitigationRecord) -> Sentence {
    let others = record.criteria.iter().enumerate();
    let wider = others.filter(|(_, other)| other.criterion != record.criterion && other.widened());
    wider.fold(Sentence::default(), |said, (i, other)| {
        said.text(format!(" The gap in {} is wider: it was ", other.criterion.words()))
            .number(gap_of(i, other, "before"))
            .text(" and is ")
            .number(gap_of(i, other, "after"))
            .text(".")
    })
}

/// The gap of one criterion, `before` or `after`.
pub(crate) fn gap_of(i: usize, change: &CriterionChange, when: &str) -> Figure {
    let (value, interval) = match when {
        "before" => (change.before, &change.before_interval),
        _ => (change.after, &change.after_interval),
    };
    let ends = interval.as_ref().and_then(|interval| finite(interval.ends.low, interval.ends.high));
    Figure::new(value, format!("/criteria/{i}/{when}")).within(ends)
}

/// What stands against relying on the numbers.
fn serious(record: &MitigationRecord) -> Sentence {
    let against = record.findings.iter().filter(|finding| finding.severity == Severity::Serious);
    let against: Vec<String> =
        against.map(|finding| format!("{} ({})", finding.code, finding.title)).collect();
    if against.is_empty() {
        return Sentence::default();
    }
    Sentence::of(format!(" Do not rely on this before you have dealt with {}.", against.join(", ")))
}

/// The same where every bin of the score has error rates of its own.
fn binned(record: &MitigationRecord) -> Sentence {
    let [before, after] = sides(record);
    let shown = |(gap, range): (Figure, Sentence)| Sentence::from(gap).text(" (").then(range).text(")");
    match (before.binned(), after.binned()) {
        (Some(was), Some(is)) => {
            Sentence::of(" With error rates of its own for each bin of the score, taken as known, it was ")
                .then(shown(was))
                .text(" and is ")
                .then(shown(is))
                .text(".")
        }
        _ => Sentence::default(),
    }
}

/// What a gap by bins is called among the others.
pub(crate) const BINNED: &str = "calibrated, by bins of the score";

fn kind(result: &Measurement) -> &'static str {
    if result.origin.basis == Basis::Calibrated { "calibrated gap" } else { "gap" }
}

/// `0.24 (95 % interval 0.22 to 0.26; 0.20 to 0.31 if …)`; what intervals are is said once.
fn with_range(record: &MitigationRecord, gap: &Measured, first: bool) -> Sentence {
    let sentence = Sentence::from(gap.value());
    if gap.interval.is_none() {
        return sentence;
    }
    let what =
        if first { format!(" ({:.0} % interval ", 100.0 * record.settings.confidence) } else { " (".into() };
    let sentence = sentence.text(what).then(gap.sampling());
    let sentence = match &gap.honest_interval {
        Some(reach) => {
            let meaning = if first { words::shared(reach) } else { String::new() };
            sentence.text("; ").then(gap.honest()).text(meaning)
        }
        None => sentence,
    };
    sentence.text(")")
}

/// Accuracy before, after and of deciding alike.
fn cost(record: &MitigationRecord) -> Sentence {
    let [before, after] = sides(record);
    let shown = |side: Side| Sentence::from(side.accuracy()).text(" (").then(side.accuracy_range()).text(")");
    let sentence = if imitates(record) {
        Sentence::of("There are no labels: the new decisions agree with those before on a share of ")
            .then(shown(after))
            .text(" of the rows")
    } else {
        Sentence::of("Accuracy was ").then(shown(before)).text(" and is ").then(shown(after))
    };
    let sentence = sentence
        .text("; deciding ")
        .name(&record.constant.decision)
        .text(" for everyone would give ")
        .number(constant(record))
        .text(".");
    // A rule that decides alike for everyone has no gap and looks like success.
    if record.after.accuracy.interval.low > record.constant.accuracy {
        return sentence;
    }
    sentence.text(
        " The new decisions are not clearly right more often than one decision for everyone, which has no gap either.",
    )
}

/// How often deciding alike for everyone is right.
pub(crate) fn constant(record: &MitigationRecord) -> Figure {
    Figure::new(Some(record.constant.accuracy), "/constant/accuracy").within(ends(&record.after.accuracy))
}

fn truth(record: &MitigationRecord) -> Sentence {
    let [before, after] = sides(record);
    match (before.truth(), after.truth()) {
        (Some(was), Some(is)) => Sentence::of(" The true gap, known here and only compared against, was ")
            .number(was)
            .text(" and is ")
            .number(is)
            .text("."),
        _ => Sentence::default(),
    }
}

/// What the numbers rest on.
pub(crate) fn caution(record: &MitigationRecord) -> String {
    let relied = sides(record).into_iter().rev().find_map(Side::gap);
    let each = record.noise.iter().any(|noise| noise.proxy.is_some()).then_some(ErrorModel::Own);
    // What is marked is what is told of; the rule's own error rates where that says nothing.
    let errors = relied.as_ref().and_then(|gap| gap.origin.assumption).or(each);
    let audit = words::caution_of(relied.and_then(|gap| gap.origin.estimator), false, errors);
    format!(
        "{audit} A rule needs more: inside a group, the proxies' errors must be unrelated to the features that it looks at."
    )
}

/// Why a basis has no number, each reason once: when, which basis, why.
pub(crate) fn reasons<'a>(record: &'a MitigationRecord) -> Vec<(Sentence, &'a str)> {
    let of_side = |side: Side<'a>| {
        let reasons = measured::reasons(measured(&side.side.results, ""));
        reasons
            .into_iter()
            .map(move |(origin, why)| (Sentence::of(format!("{}, ", side.name)).then(origin), why))
    };
    sides(record).into_iter().flat_map(of_side).collect()
}

/// What a gap of zero is, and what it is not.
pub(crate) const ZERO: [&str; 5] = [
    "A calibrated gap of zero on these rows is not a true gap of zero: it is zero as far as the proxies' estimated errors explain.",
    "With one matrix of error rates for all rows, a calibrated gap of zero and a gap of zero by the pooled guesses are the same thing (a \
     theorem: docs/methods/mitigation.md). So calibration does not move the zero. It tells how large the gap is before and \
     after, makes a tolerance mean what it says, and uses all proxies together.",
    "Proxies that err along the score, or along features that the rule looks at, can leave a true gap that neither the calibrated \
     gap nor its interval shows.",
    "Fitted rows are not the held-out ones, and future people are neither.",
    "Equal rates of one criterion say nothing about the others.",
];

/// Past this a test speaks: several are made, so that it must be clearer than usual.
const SPEAKS: f64 = 0.01;

/// Whether the proxies err alike along the score, or why that cannot be told.
pub(crate) fn drift(record: &MitigationRecord) -> Sentence {
    let Some(drift) = &record.drift else {
        let why = record.drift_unavailable.as_deref().unwrap_or("no score was given");
        return Sentence::of(format!(
            "Whether the proxies err alike along the score could not be tested: {why}."
        ));
    };
    let p = Figure::new(Some(drift.p_value), "/drift/p_value").unit(Unit::PValue);
    let statistic = Figure::new(Some(drift.statistic), "/drift/statistic");
    let df = Figure::count(drift.degrees_of_freedom as u64, "/drift/degrees_of_freedom");
    let test = Sentence::of(if drift.p_value < 1e-4 { "p " } else { "p = " })
        .number(p)
        .text(", χ² ")
        .number(statistic)
        .text(" on ")
        .number(df)
        .text(" df");
    let sentence =
        Sentence::of("The rows were cut into bins of the score and the proxies' errors estimated in each: ");
    match drift.p_value {
        p if p < SPEAKS => sentence.text("they err differently at different scores (").then(test).text(
            "). One matrix for all rows does not describe that, and what it leaves can be a true gap that it does not show.",
        ),
        p if p < 1.0 - record.settings.confidence => sentence
            .text("whether they err alike at all scores is not clear (")
            .then(test)
            .text("). If they do not, one matrix for all rows can leave a true gap that it does not show."),
        _ => sentence
            .text("nothing speaks against one matrix for all scores (")
            .then(test)
            .text("), which does not prove that there is one."),
    }
}

/// The scores of a bin, `0.12 to 0.48`.
pub(crate) fn scores(i: usize, bin: &DriftBin) -> Sentence {
    let ends = finite(bin.low, bin.high);
    Sentence::range(ends, ends, &format!("/drift/bins/{i}"))
}

/// The constraint that a multiplier is the price of.
pub(crate) fn constraint(record: &MitigationRecord, multiplier: &Multiplier) -> Sentence {
    let pair = Sentence::named(&multiplier.a).text(" − ").name(&multiplier.b);
    match &multiplier.label {
        Some(label) => pair.text(", ").then(labelled(record, label)),
        None => pair,
    }
}
