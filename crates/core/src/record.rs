//! The second waist: an audit as plain data, all that a report may say. No report computes a number of its own.

use crate::bounds::MaxProxyError;
use crate::diagnose::Finding;
use crate::headline::Answer;
use crate::measures::MeasuresRecord;
use crate::named::named;
use crate::outcome::OutcomeRecord;
use crate::setting::{Dialect, Text};
use crate::settings::{EstimatorChoice, ScopeChoice};
use crate::uncertainty::{Interval, interval};
use crate::vocabulary::{Aggregate, Basis, Criterion, Estimator, Scope, SelectedIs};
use serde::{Deserialize, Serialize};

named! {
    /// How an interval was made.
    pub enum IntervalMethod {
        /// From the profile of the likelihood of one difference.
        ProfileLikelihood = "profile-likelihood",
        /// From draws of several differences, down to 0 only where a test accepts that all are alike.
        Gated = "gated",
        /// Percentiles of draws of one difference.
        Bootstrap = "bootstrap",
    }

    /// Which rows error rates were learned from.
    pub enum LearnedFrom {
        /// All of them.
        All = "all",
        /// Those that have a label.
        Labelled = "labelled",
    }

    /// What the groups behind known errors are known from.
    pub enum KnownFrom {
        /// The true groups of all rows.
        Truth = "truth",
        /// Rows labelled with their group.
        AuditLabels = "audit_labels",
    }

    /// Why a solver stopped.
    pub enum SolverEnd {
        /// There was nothing to search for.
        ClosedForm = "closed_form",
        /// The last step moved nothing.
        Converged = "converged",
        /// It ran out of steps.
        IterationLimit = "iteration_limit",
    }

    /// What an explanation by likelihood takes for granted about the proxies.
    pub enum ErrorModel {
        /// All err by one table of error rates.
        Alike = "alike",
        /// Each errs by a table of its own.
        Own = "own",
        /// Proxies of one source are one view, and sources err independently.
        BySource = "by_source",
    }

    /// A test that needs no calibration.
    pub enum Test {
        /// The groups are treated alike; valid whatever mistakes the proxies share.
        NoGap = "no_gap",
        /// The proxies err alike.
        Exchangeable = "exchangeable",
        /// The proxies err alike in all strata.
        SameNoise = "same_noise",
        /// Guesses do not shift with the decision: inside every group the selected are guessed like the others.
        Shift = "shift",
        /// Proxies that err independently, each in its own way and alike in all strata, can give this table.
        Fit = "fit",
        /// The labelled rows are a random part of the table, or were drawn as stated.
        LabelsAtRandom = "labels_at_random",
        /// The audit sample's model of errors agrees with labels that need none.
        LabelsAgree = "labels_agree",
        /// Sources of evidence say the same of the rates of every group.
        SourcesAgree = "sources_agree",
        /// Sources of evidence say the same of the shares of the groups.
        SharesAgree = "shares_agree",
        /// Sources of evidence are independent inside the groups.
        SourcesIndependent = "sources_independent",
    }

    /// Something to do next.
    pub enum Step {
        /// Report who is selected more often, and no size.
        ReportDirection = "report_direction",
        /// Report the range, and no number without it.
        ReportRange = "report_range",
        /// Report the calibrated number.
        Calibrate = "calibrate",
        /// Reading the proxies directly says as much.
        TrustProxies = "trust_proxies",
        /// Label rows with their group.
        LabelRows = "label_rows",
        /// Replace a proxy.
        ReplaceProxy = "replace_proxy",
        /// Look at what a proxy is made from.
        CheckFeatures = "check_features",
    }

    /// What an honest interval takes for granted.
    pub enum Premise {
        /// The proxies share no more error than stated.
        SharedError = "shared_error",
        /// The labelled rows were drawn as stated; nothing about the proxies.
        LabelsAsDrawn = "labels_as_drawn",
        /// Of the sources of evidence, one at least does not go with the decision inside the groups.
        OneSource = "one_source",
        /// Decisions go with the group and with its probability in the same direction.
        Bracket = "bracket",
    }

    /// What a bound takes for granted.
    pub enum Assumption {
        /// The shares of the groups.
        KnownShares = "known_shares",
        /// These, and how often a proxy errs at most.
        MaxProxyError = "max_proxy_error",
        /// The proxy's errors do not go with the decision.
        NonDifferential = "non_differential",
        /// The probabilities of the groups are right at every point of the evidence.
        RightProbabilities = "right_probabilities",
    }
}

/// All that a report may say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// What was read.
    pub input: Input,
    /// What was asked.
    pub settings: SettingsRecord,
    /// What may be said about each criterion.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// Every disparity, on every basis that the input allows.
    pub results: Vec<Measurement>,
    /// Every group beside a reference, under the names of rules and practice.
    #[serde(default)]
    pub measures: Vec<MeasuresRecord>,
    /// An outcome by group, where the table has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeRecord>,
    /// Rates by group, on every basis.
    pub rates: Vec<RatesRecord>,
    /// How the proxies err.
    pub noise: Vec<NoiseRecord>,
    /// How often proxies guess the same, pair by pair.
    pub agreement: Vec<AgreementRecord>,
    /// What is known without calibration.
    pub bounds: Vec<BoundRecord>,
    /// What if the proxies share mistakes.
    pub shared_error: Vec<SharedErrorRecord>,
    /// Tests that need no calibration.
    pub tests: Vec<TestRecord>,
    /// The true disparities, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Vec<TrueValue>>,
    /// How each proxy truly errs and what that does to a gap, where groups are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_errors: Vec<KnownErrorsRecord>,
    /// What to doubt, most serious first.
    pub findings: Vec<Finding>,
    /// What to report.
    pub advice: Advice,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Rows counted.
    pub rows: u64,
    /// Their weight.
    pub weight: f64,
    /// Rows left out because they had no prediction.
    pub rows_without_prediction: u64,
    /// Rows counted that have no label; `None` where the table has no label column.
    pub rows_without_label: Option<u64>,
    /// Rows whose group is known and used: the audit sample; `None` where there is none.
    pub rows_with_known_group: Option<u64>,
    /// The column of predictions.
    pub prediction: String,
    /// The column of labels, if there is one.
    pub label: Option<String>,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Name of the positive class.
    pub positive: String,
    /// What labels call the classes, in their order, where that differs from the names of decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_classes: Option<Vec<String>>,
    /// The proxies.
    pub proxies: Vec<ProxyRecord>,
}

/// One proxy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProxyRecord {
    /// Its column.
    pub name: String,
    /// Its source, if the user said it.
    pub source: Option<String>,
    /// The weight of the rows on which it gives no guess.
    pub abstained: f64,
    /// The proxy whose guesses these are, where nearest neighbours lent them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lent_by: Option<String>,
    /// How its guesses were randomised before they were counted, where they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<MechanismRecord>,
}

/// A mechanism that was applied to a proxy's guesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MechanismRecord {
    /// `P(told | guess)`, a row for each guess.
    pub matrix: Vec<Vec<f64>>,
    /// What one told guess spends; nothing where it can rule a guess out and there is no guarantee.
    pub epsilon: Option<f64>,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingsRecord {
    /// Criteria measured.
    pub criteria: Vec<Criterion>,
    /// Estimator asked for.
    pub estimator: EstimatorChoice,
    /// Scope asked for.
    pub scope: ScopeChoice,
    /// Shares of the groups known from elsewhere.
    pub known_shares: Option<Vec<f64>>,
    /// The shares of the groups among the people whom a proxy's probabilities were made for, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<Vec<f64>>,
    /// How often proxies are wrong at most.
    pub max_proxy_error: Vec<MaxProxyError>,
    /// The group that others stand beside in measures by name: as asked for, else the largest.
    #[serde(default)]
    pub reference: Option<String>,
    /// How often an interval should hold.
    pub confidence: f64,
    /// The share of the proxies' agreement that may be shared error in honest intervals.
    pub shared_error: f64,
    /// How far guesses may shift with the decision, inside every group, in honest intervals.
    #[serde(default)]
    pub max_shift: f64,
    /// Draws behind intervals.
    pub n_boot: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// What being selected means to a person, where that was said.
    #[serde(default)]
    pub selected_is: Option<SelectedIs>,
}

/// What a number was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Guesses as they are, or what they must mean.
    pub basis: Basis,
    /// The noise estimator, if calibrated.
    pub estimator: Option<Estimator>,
    /// The scope, if calibrated.
    pub scope: Option<Scope>,
    /// Which proxy, if read from one.
    pub proxy: Option<String>,
    /// What is assumed about the proxies' errors, where several explanations by one estimator differ in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumption: Option<ErrorModel>,
}

/// One disparity: its criterion, aggregate and basis, and the rates behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Which disparity.
    pub criterion: Criterion,
    /// How gaps became one number.
    pub aggregate: Aggregate,
    /// What it was computed from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Whether this is the one to report.
    pub recommended: bool,
    /// The number.
    pub value: Option<f64>,
    /// How far chance could have moved it, given the assumptions of the basis.
    pub interval: Option<IntervalRecord>,
    /// The same when the proxies may share mistakes up to a stated share of their agreement; calibrated only.
    pub honest_interval: Option<HonestRecord>,
    /// Why a calibrated number with an interval has no honest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_honest_interval: Option<String>,
    /// Groups of whom too little is known: they are compared with no other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The rates it compares.
    pub groups: Vec<GroupRate>,
    /// The signed gaps behind it.
    pub pairs: Vec<PairGap>,
    /// Why there is no number.
    pub unavailable: Option<String>,
    /// How far off it is, where the truth is known.
    #[serde(flatten)]
    pub errors: Option<ErrorRecord>,
}

/// An interval from chance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalRecord {
    /// Its ends.
    #[serde(flatten)]
    pub ends: Interval,
    /// How it was made.
    pub method: IntervalMethod,
    /// The share of draws that had no estimate; they are kept as the widest values.
    pub draws_without_estimate: f64,
}

/// The union of intervals over shared error from none to a stated share of the proxies' agreement; with labelled rows, over what
/// is said with and without a model of errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HonestRecord {
    /// Its ends.
    #[serde(flatten)]
    pub ends: Interval,
    /// What it takes for granted.
    #[serde(default = "HonestRecord::of_agreement")]
    pub premise: Premise,
    /// The share of the proxies' agreement that may be shared error, as asked for.
    pub shared_error: f64,
    /// The share up to which it reaches: less where the table allows no more.
    pub reached: f64,
    /// How far guesses may shift with the decision, inside every group, as asked for.
    #[serde(default)]
    pub max_shift: f64,
    /// It takes in errors that are alike in all strata as well as errors of every stratum's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_stratum: bool,
}

impl HonestRecord {
    /// What records took for granted before they said it.
    fn of_agreement() -> Premise {
        Premise::SharedError
    }

    /// It rests on labelled rows, whatever the proxies do.
    pub fn is_by_labels(&self) -> bool {
        self.premise == Premise::LabelsAsDrawn
    }
}

/// The error measures of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorRecord {
    /// `|estimate − truth|`. There or not, where the rest is: without it there is no truth to compare with.
    #[serde(deserialize_with = "Option::deserialize")]
    pub raw_error: Option<f64>,
    /// Raw error over the truth.
    pub normalized_error: Option<f64>,
    /// One minus raw error over that of the first proxy.
    pub improvement: Option<f64>,
}

/// How one proxy errs among people whose group is known, beside what was estimated without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownErrorsRecord {
    /// The proxy.
    pub proxy: String,
    /// What the groups are known from.
    pub from: KnownFrom,
    /// The weight of the rows whose group and guess are known.
    pub weight: f64,
    /// The groups, in the order of rows and columns.
    pub groups: Vec<String>,
    /// Row: group; column: guess, where one is given. A group that nobody is in, or with few labelled rows, has no row.
    pub transition: Vec<Option<Vec<f64>>>,
    /// The same as estimated by the method relied on, where it has one matrix for all rows.
    pub estimated: Option<Vec<Vec<f64>>>,
    /// The same for each prediction, with the truth only.
    pub strata: Vec<KnownStratumRecord>,
    /// The parts of the error of the mean gap, by criterion.
    pub parts: Vec<ErrorPartsRecord>,
}

/// How one proxy errs among people with one prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownStratumRecord {
    /// The prediction.
    pub prediction: String,
    /// Row: group; column: guess.
    pub transition: Vec<Option<Vec<f64>>>,
    /// The same as estimated by the method relied on.
    pub estimated: Option<Vec<Vec<f64>>>,
}

/// The parts of the error of one criterion's mean gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorPartsRecord {
    /// Which disparity.
    pub criterion: Criterion,
    /// Of the proxy read directly (Theorem 3.2).
    pub read_directly: Option<RawErrorRecord>,
    /// Why there are none.
    pub no_read_directly: Option<String>,
    /// Of the proxy calibrated with the estimated errors (Theorem 4.5).
    pub calibrated: Option<CalibratedErrorRecord>,
    /// Why there are none.
    pub no_calibrated: Option<String>,
}

/// Theorem 3.2 as two parts, which add up to its bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RawErrorRecord {
    /// How far the mean gap that the proxy shows is from the true one, on rows with a guess.
    pub error: f64,
    /// The largest error that the theorem allows.
    pub bound: f64,
    /// The part that errors add which depend on the decision.
    pub dependence: f64,
    /// The part that being wrong adds.
    pub proxy_error: f64,
}

/// Theorem 4.5 as two parts, which add up to its bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibratedErrorRecord {
    /// The largest error that the theorem allows.
    pub bound: f64,
    /// The part of wrong group shares.
    pub shares: f64,
    /// The part of wrong error rates.
    pub matrix: f64,
}

/// One rate that a criterion compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRate {
    /// The group.
    pub group: String,
    /// The label within which the rate is taken.
    pub label: Option<String>,
    /// The group's share of the rows.
    pub share: Option<f64>,
    /// The rate of the positive class.
    pub rate: Option<f64>,
    /// What chance leaves open of it.
    #[serde(flatten, with = "interval::among_fields")]
    pub interval: Option<Interval>,
}

/// One signed gap between two groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairGap {
    /// The group whose rate comes first.
    pub a: String,
    /// The group whose rate is subtracted.
    pub b: String,
    /// The predicted class.
    pub class: String,
    /// The label within which the rates are taken.
    pub label: Option<String>,
    /// Rate of `a` minus rate of `b`.
    pub difference: f64,
    /// What chance leaves open of it; all pairs of a result hold at once.
    #[serde(flatten, with = "interval::among_fields")]
    pub interval: Option<Interval>,
}

/// The usual rates of every group on one basis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatesRecord {
    /// What they were computed from.
    #[serde(flatten)]
    pub origin: Origin,
    /// One row for each group.
    pub groups: Vec<GroupRatesRecord>,
}

/// The usual rates of one group. The positive class counts against all others; what has no number is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRatesRecord {
    /// The group.
    pub group: String,
    /// Its share of the rows.
    pub share: Option<f64>,
    /// Share predicted positive.
    pub selection_rate: Option<f64>,
    /// Share predicted positive among those with the positive label.
    pub true_positive_rate: Option<f64>,
    /// Share predicted positive among those with another label.
    pub false_positive_rate: Option<f64>,
    /// Share predicted otherwise among those with the positive label.
    pub false_negative_rate: Option<f64>,
    /// Share with the positive label among those predicted positive.
    pub precision: Option<f64>,
    /// Share whose prediction is their label.
    pub accuracy: Option<f64>,
    /// Share with the positive label.
    pub base_rate: Option<f64>,
    /// What chance leaves open of each; absent without draws.
    pub intervals: Option<RateIntervals>,
}

/// Ends of the intervals of one group's rates, lower and upper; what has no number has no interval.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RateIntervals {
    /// Of the share of the rows.
    #[serde(with = "interval::as_list")]
    pub share: Option<Interval>,
    /// Of the share predicted positive.
    #[serde(with = "interval::as_list")]
    pub selection_rate: Option<Interval>,
    /// Of the true positive rate.
    #[serde(with = "interval::as_list")]
    pub true_positive_rate: Option<Interval>,
    /// Of the false positive rate.
    #[serde(with = "interval::as_list")]
    pub false_positive_rate: Option<Interval>,
    /// Of the false negative rate.
    #[serde(with = "interval::as_list")]
    pub false_negative_rate: Option<Interval>,
    /// Of the precision.
    #[serde(with = "interval::as_list")]
    pub precision: Option<Interval>,
    /// Of the accuracy.
    #[serde(with = "interval::as_list")]
    pub accuracy: Option<Interval>,
    /// Of the base rate.
    #[serde(with = "interval::as_list")]
    pub base_rate: Option<Interval>,
}

/// How the proxies err in all rows or in one stratum, or why that cannot be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseRecord {
    /// The noise estimator.
    pub estimator: Estimator,
    /// One matrix for all rows, or one for each stratum.
    pub scope: Scope,
    /// Which rows it was learned from.
    pub rows: LearnedFrom,
    /// The stratum.
    pub stratum: Option<StratumRecord>,
    /// The proxy the matrix is of; absent where all share it.
    pub proxy: Option<String>,
    /// The groups, in the order of rows and columns.
    pub groups: Vec<String>,
    /// Row: group; column: guess, where one is given.
    pub transition: Option<Vec<Vec<f64>>>,
    /// The same before guesses were randomised, where a known mechanism was folded in; chance may put an entry a little
    /// outside 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_mechanism: Option<Vec<Vec<f64>>>,
    /// Shares of the groups among rows with three guesses.
    pub group_shares: Option<Vec<f64>>,
    /// How much undoing the error magnifies chance.
    pub condition: Option<f64>,
    /// Whether there is an estimate.
    pub feasible: bool,
    /// Why there is none.
    pub reason: Option<String>,
    /// How far the explained moments are from the observed ones.
    pub misfit: Option<f64>,
    /// Why the solver stopped.
    pub stopped: Option<SolverEnd>,
    /// Steps of the solver.
    pub iterations: Option<usize>,
}

/// One cell of prediction and label, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StratumRecord {
    /// The prediction.
    pub prediction: String,
    /// The label, where the stratum has one.
    pub label: Option<String>,
}

/// How often two proxies guess the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgreementRecord {
    /// One proxy.
    pub a: String,
    /// The other.
    pub b: String,
    /// The share of the rows on which both give a guess.
    pub answered: f64,
    /// Among those, the share on which they guess the same.
    pub same: Option<f64>,
    /// How far that is from chance (0) to always (1): Cohen's kappa.
    pub beyond_chance: Option<f64>,
}

/// The mean gap (global scope) over the share of the proxies' agreement that is shared error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedErrorRecord {
    /// Which disparity.
    pub criterion: Criterion,
    /// The proxies' agreement beyond chance (`φ`).
    pub agreement: f64,
    /// The gap over `r`.
    pub curve: Vec<SharedErrorPoint>,
    /// The `r` at which the gap is twice what it is without shared error; absent where no possible `r` doubles it.
    pub doubles_at: Option<f64>,
    /// Copying never makes a gap vanish. For that the guesses would have to shift with the decision, inside the
    /// true groups, by this much.
    pub zero_needs: Option<f64>,
}

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SharedErrorPoint {
    /// The share of the proxies' agreement that is shared error (`r`).
    pub shared_error: f64,
    /// How often all proxies then repeat one shared guess (`ρ`).
    pub copying: f64,
    /// The mean gap; absent where so much copying is impossible.
    pub value: Option<f64>,
}

/// A test and its p-value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestRecord {
    /// What it tests.
    pub test: Test,
    /// The criterion that `no_gap` is about, or the one that looks at all strata that `same_noise` and `fit` are about.
    pub criterion: Option<Criterion>,
    /// The χ² statistic.
    #[serde(deserialize_with = "endless")]
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees_of_freedom: usize,
    /// The chance of a larger one if what is tested holds.
    pub p_value: f64,
    /// For `no_gap`: the group that is selected more often, as far as the proxies tell.
    pub favoured: Option<String>,
}

/// A number that JSON writes as nothing where it has no end.
fn endless<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Option::deserialize(deserializer).map(|number| number.unwrap_or(f64::INFINITY))
}

/// A true disparity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrueValue {
    /// Which disparity.
    pub criterion: Criterion,
    /// How gaps became one number.
    pub aggregate: Aggregate,
    /// The number.
    pub value: Option<f64>,
    /// Why there is none.
    pub unavailable: Option<String>,
}

/// What to report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The estimator to rely on.
    pub estimator: Option<Estimator>,
    /// The scope to rely on.
    pub scope: Option<Scope>,
    /// Why.
    pub reason: String,
    /// Whether only the direction of a gap should be reported, and no size.
    pub direction_only: bool,
    /// What to do next, most useful first.
    pub next: Vec<NextStep>,
}

/// One segment of a table: an audit of its own, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentRecord {
    /// The value of each column that makes segments; absent where it is missing.
    pub values: Vec<Option<String>>,
    /// How many segments of few rows were put together here; absent in a segment of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pooled: Option<usize>,
    /// Its audit.
    pub audit: Option<Audit>,
    /// Why there is none.
    pub unavailable: Option<Text>,
}

/// One thing to do next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NextStep {
    /// What to do.
    pub step: Step,
    /// What and why, with its numbers.
    pub text: Text,
    /// The number in it, where there is one: labels or rows needed.
    pub number: Option<f64>,
}

/// What is known about a gap without calibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoundRecord {
    /// Which disparity.
    pub criterion: Criterion,
    /// What it takes for granted.
    pub assumes: Assumption,
    /// The proxy it is read from; absent for all proxies together.
    pub proxy: Option<String>,
    /// The group whose rate comes first; absent where the sign is not told.
    pub a: Option<String>,
    /// The group whose rate is subtracted.
    pub b: Option<String>,
    /// The gap is at least and at most this.
    #[serde(flatten, with = "interval::among_fields")]
    pub interval: Option<Interval>,
    /// Why there is no number.
    pub unavailable: Option<String>,
}

impl Audit {
    /// The audit in the words of a front end: its settings and jobs are spelled as that says them.
    pub fn spelled(mut self, dialect: &dyn Dialect) -> Self {
        for finding in &mut self.findings {
            finding.spell(dialect);
        }
        for step in &mut self.advice.next {
            step.text.spell(dialect);
        }
        self
    }
}

impl SegmentRecord {
    /// The segment in the words of a front end.
    pub fn spelled(mut self, dialect: &dyn Dialect) -> Self {
        self.audit = self.audit.map(|audit| audit.spelled(dialect));
        self.unavailable.iter_mut().for_each(|reason| reason.spell(dialect));
        self
    }
}
