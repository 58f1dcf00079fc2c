//! What to rely on, and what to do next.

use crate::answers::{Answers, Explanation};
use crate::calibrate::calibrate;
use crate::counts::{Counts, View};
use crate::diagnose::reads_features;
use crate::estimate::{Explained, Hoc, NoiseEstimator};
use crate::headline::{Reason, Why, cautions, range_stands};
use crate::labels::{Needed, Unusable};
use crate::noise::NoiseModel;
use crate::plan::{LabelsByDecision, Situation};
use crate::record::{
    Advice, AgreementRecord, ErrorModel, Measurement, NextStep, NoiseRecord, Origin, Step, TestRecord,
};
use crate::setting::{Setting, Text};
use crate::settings::{AuditError, EstimatorChoice, ScopeChoice, Settings};
use crate::text;
use crate::uncertainty::{Interval, agreement, without_copying};
use crate::vocabulary::{Aggregate, Basis, Criterion, Estimator, Legend, Proxy, Scope, Stratum};
use std::sync::Arc;

/// The method to rely on in one view, and why.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub estimator: Estimator,
    pub scope: Scope,
    /// Which of several explanations by the estimator.
    pub assumption: Option<ErrorModel>,
    pub reason: String,
}

/// What is relied on in each view.
pub(crate) struct Relied {
    choices: Vec<(View, Choice)>,
    /// Why no number that agreement gives can be relied on.
    veto: Option<String>,
    /// Someone asked for the method.
    insisted: bool,
}

impl Relied {
    pub fn on(counts: &Counts, answers: &[Answers], settings: &Settings) -> Self {
        let of_view = |answers: &Answers| (answers.view, choice(answers, settings));
        let choices: Vec<(View, Choice)> = answers.iter().map(of_view).collect();
        // A proxy that follows from the features has no number to rely on, unless someone insists.
        let by_agreement = answers.iter().zip(&choices).any(|(answers, (_, chosen))| {
            let explanation = answers.by_scope(chosen.estimator, chosen.scope);
            explanation.is_some_and(|explanation| explanation.estimator.trusts_agreement())
        });
        let about_all = answers.iter().find(|answers| answers.view == View::Predictions);
        let insisted = settings.estimator != EstimatorChoice::Auto;
        let doubtful = !insisted && by_agreement;
        let veto = doubtful.then(|| reads_features(counts, about_all)).flatten();
        Relied { choices, veto, insisted }
    }

    /// This is what is relied on in a view.
    pub fn is_on(&self, view: View, origin: &Origin) -> bool {
        self.veto.is_none() && self.chose(view, origin)
    }

    /// This is what would be relied on in a view, were there no reason against it.
    pub fn chose(&self, view: View, origin: &Origin) -> bool {
        let Origin { basis, estimator, scope, assumption, proxy } = origin;
        let chosen = |one: &Choice| {
            (Some(one.estimator), one.assumption) == (*estimator, *assumption)
                && scope.is_none_or(|scope| scope == one.scope)
                && (basis.is_inferred() && proxy.is_none())
        };
        self.in_view(view).is_some_and(chosen)
    }

    /// Why a number that was chosen rests on the agreement of proxies that declare one source; nothing where it does not, or
    /// someone insists on the method.
    pub fn despite_sources(&self, answers: &Answers) -> Option<String> {
        let chosen = answers.explanations.iter().find(|one| self.chose(answers.view, &one.origin));
        let trusting = chosen.is_some_and(|one| one.estimator.trusts_agreement());
        if self.insisted || !trusting { None } else { answers.sources_left() }
    }

    /// Proxies of one source count as one view in what is relied on.
    pub fn by_source(&self) -> bool {
        self.choices.iter().any(|(_, choice)| choice.assumption == Some(ErrorModel::BySource))
    }

    /// Why nothing that agreement gives can be relied on.
    pub fn veto(&self) -> Option<Reason> {
        self.veto.clone().map(|text| Reason::new(Why::ReadsFeatures, text))
    }

    fn in_view(&self, view: View) -> Option<&Choice> {
        self.choices.iter().find(|(other, _)| *other == view).map(|(_, choice)| choice)
    }
}

/// What an audit relies on in one view, to be asked about other rows.
#[derive(Clone)]
pub(crate) struct ReliedOn {
    pub view: View,
    pub origin: Origin,
    pub estimator: Arc<dyn NoiseEstimator>,
    /// What it made of the audited rows, near which that of rows drawn anew lies.
    pub found: Explained,
}

impl Relied {
    /// What is relied on in each view that has a number.
    pub fn explanations(&self, answers: &[Answers]) -> Vec<ReliedOn> {
        let of_view = |answers: &Answers| {
            let mut explanations = answers.explanations.iter();
            let chosen = explanations.find(|one| self.is_on(answers.view, &one.origin))?;
            let estimator = chosen.estimator.clone();
            let origin = chosen.origin.clone();
            Some(ReliedOn { view: answers.view, origin, estimator, found: chosen.explained()? })
        };
        answers.iter().filter_map(of_view).collect()
    }
}

/// The method that was asked for, or the best that the table allows (`docs/methods/uncertainty.md`).
fn choice(answers: &Answers, settings: &Settings) -> Choice {
    let (scope, why_scope) = match settings.scope {
        ScopeChoice::Fixed(scope) => (scope, "the scope is as asked for".to_string()),
        ScopeChoice::Auto => suggested_scope(answers),
    };
    let by = |estimator, scope, reason: &str| {
        let assumption = answers.by_scope(estimator, scope).and_then(|one| one.origin.assumption);
        Choice { estimator, scope, assumption, reason: reason.to_string() }
    };
    if let (EstimatorChoice::Auto, Some(choice)) = (settings.estimator, by_labels(answers)) {
        return choice;
    }
    let evidence = by_evidence(answers).filter(|_| settings.given.is_none());
    if let (EstimatorChoice::Auto, Some(choice)) = (settings.estimator, evidence) {
        return choice;
    }
    let (audited, given) =
        (answers.number_by(Estimator::Audit).is_some(), answers.number_by(Estimator::Given));
    match settings.estimator {
        EstimatorChoice::Fixed(estimator) => {
            let mut scopes = answers.by(estimator).filter_map(|explanation| explanation.origin.scope);
            match (scopes.next(), scopes.next()) {
                (Some(only), None) => by(estimator, only, "as asked for"),
                (None, _) => by(estimator, scope, "as asked for"),
                _ => by(estimator, scope, &format!("estimator as asked for; {why_scope}")),
            }
        }
        EstimatorChoice::Auto if audited && scope == Scope::Global => by(
            Estimator::Audit,
            Scope::Global,
            "rows whose group is known: they show how the proxies err, whatever mistakes these share",
        ),
        EstimatorChoice::Auto if audited => by(
            Estimator::Hoc,
            scope,
            "the proxies err differently from stratum to stratum, which one table of errors learned from labels cannot follow; each stratum has its own instead",
        ),
        EstimatorChoice::Auto if given.is_some() => {
            by(Estimator::Given, given.unwrap_or(scope), "error rates were given")
        }
        EstimatorChoice::Auto if answers.seen.proxies() == 2 => by(
            Estimator::LatentClass,
            Scope::Global,
            "two proxies show their errors only where strata differ, and only by likelihood",
        ),
        EstimatorChoice::Auto => {
            let chosen = by(Estimator::LatentClass, scope, "");
            let offers = |wanted| {
                let mut offered = answers.by(Estimator::LatentClass).filter(|one| one.joint.is_ok());
                offered.any(|one| (one.origin.scope, one.origin.assumption) == (Some(scope), Some(wanted)))
            };
            let own = chosen.assumption == Some(ErrorModel::Own);
            let unfit = own && scope == Scope::Global && answers.nothing_fits() && offers(ErrorModel::Alike);
            let assumption = if unfit { Some(ErrorModel::Alike) } else { chosen.assumption };
            let errors = match assumption {
                _ if unfit => {
                    "independent errors do not explain this table, so skill cannot be separated from shared mistakes; one table of errors for all proxies is misled less by them"
                }
                Some(ErrorModel::BySource) => {
                    "proxies of one source count as one view, whatever mistakes they share; different sources err independently"
                }
                Some(ErrorModel::Own) => {
                    "each proxy has its own errors: that fits the table enough better to justify the extra parameters"
                }
                _ => "one table of errors for all proxies: nothing shows that they differ",
            };
            Choice { reason: format!("{errors}; {why_scope}"), assumption, ..chosen }
        }
    }
}

/// What labelled rows of the table itself decide: the audit sample where the labels agree with its model of errors, the
/// regression where they do not, and no number where they are too few. Nothing where they are no random part of the table: then
/// they are set aside.
fn by_labels(answers: &Answers) -> Option<Choice> {
    let labels = answers.labels.as_ref()?;
    let by = |estimator, reason: String| {
        Some(Choice { estimator, scope: Scope::Global, assumption: None, reason })
    };
    match (&labels.unusable, &labels.reason) {
        (Some(Unusable::NotRandom { .. }), _) => None,
        (_, Some(reason)) => by(Estimator::Regression, reason.clone()),
        _ if labels.disagree() => by(
            Estimator::Regression,
            "labelled rows contradict one table of errors for all decisions; the regression needs none"
                .into(),
        ),
        _ if answers.number_by(Estimator::Audit).is_none() => by(
            Estimator::Regression,
            "rows whose group is known, without a model of how the proxies err".into(),
        ),
        _ => by(
            Estimator::Audit,
            "rows whose group is known: they show how the proxies err, whatever mistakes these share".into(),
        ),
    }
}

/// Evidence, where there is any that tells the groups apart: it knows how telling each name or place is, which agreement would
/// have to learn.
fn by_evidence(answers: &Answers) -> Option<Choice> {
    let evidence = answers.evidence.as_ref().filter(|evidence| evidence.together().joint.is_ok())?;
    let reason = if evidence.is_lone() {
        "one source of probabilities, used as evidence: how much likelier each is in one group than in another"
    } else {
        "several sources of probabilities, used together as evidence; each alone is in the range"
    };
    let reason = reason.to_string();
    Some(Choice { estimator: Estimator::Evidence, scope: Scope::Global, assumption: None, reason })
}

/// Local where strata err in ways of their own that look like nothing else, and each says enough to learn its own errors;
/// Global otherwise (docs/methods/uncertainty.md).
fn suggested_scope(answers: &Answers) -> (Scope, String) {
    let differ = answers.strata_err_apart();
    let each = answers.by_scope(Estimator::LatentClass, Scope::Local);
    let (scope, reason) = if differ && each.is_some_and(explains_every_stratum) {
        let reason = "every stratum has its own error rates: they differ by more than chance, and every stratum is large enough";
        (Scope::Local, reason)
    } else {
        let reason = "all strata share one set of error rates: nothing shows clearly that they differ, shared mistakes would look the same, or the strata are too small";
        (Scope::Global, reason)
    };
    (scope, reason.into())
}

fn explains_every_stratum(explanation: &Explanation) -> bool {
    let found = explanation.joint.as_ref();
    found.is_ok_and(|joint| joint.strata().all(|(_, shares)| shares.is_some()))
}

/// What there is to advise from.
pub(crate) struct Facts<'a> {
    pub legend: &'a Legend,
    pub answers: &'a [Answers],
    pub results: &'a [Measurement],
    pub tests: &'a [TestRecord],
    /// Why numbers may not stand on top.
    pub withheld: &'a [(Criterion, Vec<Reason>)],
    pub agreement: &'a [AgreementRecord],
    pub noise: &'a [NoiseRecord],
    pub settings: &'a Settings,
}

/// What to report and what to do next; an error where an estimator was asked for that gives no number.
pub(crate) fn advise(facts: &Facts, relied: &Relied, criteria: &[Criterion]) -> Result<Advice, AuditError> {
    let labelled = criteria.iter().all(|criterion| criterion.needs_labels());
    let chosen = relied.in_view(if labelled { View::Labelled } else { View::Predictions });
    let calibrated = facts.results.iter().any(|result| result.recommended);
    let next = next_steps(facts, relied.veto.is_some(), calibrated);
    if let Some(chosen) = chosen.filter(|_| calibrated) {
        let scope = Some(chosen.scope).filter(|_| chosen.estimator.learns_errors());
        let estimator = Some(chosen.estimator);
        return Ok(Advice { estimator, scope, reason: chosen.reason.clone(), direction_only: false, next });
    }
    let about = facts.withheld.iter().find_map(|(_, reasons)| reasons.first());
    let withheld = about.filter(|reason| reason.why != Why::NoNumber).map(|reason| reason.text.clone());
    let none = withheld.is_none();
    let reason = withheld.unwrap_or_else(|| why_none(facts.noise, chosen));
    match (facts.settings.estimator, chosen) {
        (EstimatorChoice::Fixed(_), Some(&Choice { estimator, scope, .. })) if none => {
            Err(AuditError::Estimator { estimator, scope, reason })
        }
        _ => Ok(Advice { estimator: None, scope: None, reason, direction_only: true, next }),
    }
}

/// The half-width that rows and labels are planned for.
const WANTED: f64 = 0.05;

fn next_steps(facts: &Facts, vetoed: bool, calibrated: bool) -> Vec<NextStep> {
    let mut next = Vec::new();
    let withheld = facts.withheld.iter().filter(|(_, reasons)| range_stands(reasons));
    let ranged: Vec<&str> = withheld.map(|(criterion, _)| criterion.words()).collect();
    if !ranged.is_empty() {
        next.push(NextStep {
            step: Step::ReportRange,
            text: format!("Report the range of {}, without a number inside it.", ranged.join(", ")).into(),
            number: None,
        });
    } else if !calibrated {
        next.push(NextStep {
            step: Step::ReportDirection,
            text: "Report no size. Say whether the test of no gap finds one, and who is selected more often."
                .into(),
            number: None,
        });
    }
    next.extend(directly_or_not(facts));
    let audited = facts.answers.iter().any(|answers| answers.by(Estimator::Audit).next().is_some());
    let about_all = facts.answers.iter().find(|answers| answers.view == View::Predictions);
    if vetoed && !audited {
        next.push(NextStep {
            step: Step::LabelRows,
            text: text![
                "Label a few hundred rows, chosen at random, with their group (",
                Setting::AuditLabels,
                "): they show how the proxy errs, whatever it is made from."
            ],
            number: None,
        });
    }
    if let Some(answers) = about_all.filter(|_| !audited && !vetoed)
        && let Some(LabelsByDecision { labels, selected, others }) = labels_needed(answers, facts)
    {
        let positive = Stratum { label: None, prediction: facts.legend.positive };
        next.push(NextStep {
            step: Step::LabelRows,
            text: text![
                format!("About {labels} rows labelled with their group ("),
                Setting::AuditLabels,
                format!(
                    "), {selected} drawn at random from those with {} and {others} from the others (",
                    facts.legend.stratum(positive)
                ),
                Setting::LabelProbability,
                format!(
                    "), would narrow the gap in demographic parity to ± {WANTED}, whatever the proxies do."
                ),
            ],
            number: Some(labels as f64),
        });
    }
    next.extend(more_labels(facts));
    next.extend(proxy_to_look_at(facts));
    let mut lent: Vec<&str> = facts.legend.proxies.iter().filter_map(|p| p.lent_by.as_deref()).collect();
    lent.dedup();
    if !lent.is_empty() {
        next.push(NextStep {
            step: Step::CheckFeatures,
            text: format!(
                "Make sure that {} is not computed from the features by which neighbours were found: such a proxy repeats its \
                 mistakes among neighbours and looks nearly perfect.",
                lent.join(" or ")
            ).into(),
            number: None,
        });
    }
    next
}

/// Whether reading the proxies directly says as much as calibration does (the paper's guidelines: good proxies, or a
/// small gap).
fn directly_or_not(facts: &Facts) -> Option<NextStep> {
    let same = |r: &&Measurement| r.aggregate == Aggregate::Difference;
    let result = facts.results.iter().filter(same).find(|r| r.recommended)?;
    let interval = result.interval.as_ref()?.ends;
    let direct: Vec<f64> = (facts.results.iter().filter(same))
        .filter(|r| r.origin.basis == Basis::Proxy && r.criterion == result.criterion)
        .filter_map(|r| r.value)
        .collect();
    let shown = direct.iter().sum::<f64>() / direct.len().max(1) as f64;
    let calibrated = result.value?;
    let half = interval.width() / 2.0;
    let (off, name) = (calibrated - shown, result.criterion.words());
    let inside = interval.holds(shown);
    let range = result.honest_interval.as_ref();
    if let (Some(caution), Some(range)) = (cautions(facts.tests, result).first(), range) {
        let Interval { low, high } = range.ends;
        return Some(NextStep {
            step: Step::ReportRange,
            text: format!("Report {name} as {low:.3} to {high:.3}, not as one number: {}.", caution.text)
                .into(),
            number: None,
        });
    }
    // A wide interval holds many numbers; that one of them is the proxies' says nothing for it.
    if direct.is_empty() || inside && half > WANTED {
        return None;
    }
    Some(if inside {
        NextStep {
            step: Step::TrustProxies,
            text: format!(
                "Read directly, the proxies show {shown:.3} in {name}, within sampling error (± {half:.3}) of the calibrated {calibrated:.3}. With proxies this good, or a gap this small, either can be reported."
            ).into(),
            number: Some(off),
        }
    } else {
        NextStep {
            step: Step::Calibrate,
            text: format!(
                "Report the calibrated {name}: read directly, the proxies show {shown:.3} on average, outside its interval of \
                 {:.3} to {:.3}.",
                interval.low, interval.high
            ).into(),
            number: Some(off),
        }
    })
}

/// Labels for the wanted half-width if the stated share of the proxies' agreement is shared error.
fn labels_needed(answers: &Answers, facts: &Facts) -> Option<LabelsByDecision> {
    let (seen, settings) = (&answers.seen, facts.settings);
    let copying = agreement(seen).filter(|phi| *phi > 0.0)? * settings.shared_error;
    // Where the table allows no so much copying, as much as it does.
    let possible = |part: &f64| without_copying(seen, part * copying).map(|undone| (part * copying, undone));
    let (copying, undone) = [1.0, 0.75, 0.5, 0.25, 0.0].iter().find_map(possible)?;
    let model = Hoc { scope: Scope::Global }.fit(&undone).ok()?;
    let joint = calibrate(&undone, answers.view, &model);
    let shares: Vec<f64> = joint.axis().map(|a| joint.share(a).ok()).collect::<Option<_>>()?;
    let total: f64 = shares.iter().sum();
    let shares = shares.iter().map(|share| share / total).collect();
    let rates =
        joint.axis().map(|a| joint.rate(a, None, facts.legend.positive).ok()).collect::<Option<_>>()?;
    let NoiseModel::Global(fit) = model else { return None };
    let proxies = vec![fit.value.transition; seen.proxies()];
    let situation = Situation::new(shares, rates, proxies).ok()?.with_copying(copying).ok()?;
    situation.labels_whatever(answers.rows, WANTED, settings.confidence).ok()
}

/// How many more labels settle the first criterion whose range is wide, and where.
fn more_labels(facts: &Facts) -> Option<NextStep> {
    let wide = |r: &&Measurement| {
        let range = r.honest_interval.as_ref().filter(|range| range.is_by_labels());
        r.recommended
            && r.aggregate == Aggregate::Difference
            && range.is_some_and(|range| range.ends.width() > 2.0 * WANTED)
    };
    let result = facts.results.iter().find(wide)?;
    let answers = facts.answers.iter().find(|answers| answers.view == result.criterion.view())?;
    let confidence = facts.settings.confidence;
    let needed =
        answers.labels.as_ref()?.needed(result.criterion, facts.legend.positive, WANTED, confidence)?;
    let more = |one: &Needed| (one.labels - one.has).max(0.0).ceil();
    let all: f64 = needed.iter().map(more).sum();
    if all < 1.0 || all > answers.rows {
        return None;
    }
    let of = |one: &Needed| format!("{:.0} of rows with {}", more(one), facts.legend.stratum(one.stratum));
    let places: Vec<String> = needed.iter().filter(|one| more(one) >= 1.0).map(of).collect();
    Some(NextStep {
        step: Step::LabelRows,
        text: text![
            format!(
                "About {all:.0} more labels would narrow the gap in {} to ± {WANTED}, whatever the proxies do: {}, drawn at random in \
                 each (",
                result.criterion.words(),
                places.join(", ")
            ),
            Setting::LabelProbability,
            ").",
        ],
        number: Some(all),
    })
}

/// The proxy that repeats another, else the one that agrees with the others far less than they do; nothing where none does.
/// No proxy is advised to be left out: how the others err might then no longer show.
fn proxy_to_look_at(facts: &Facts) -> Option<NextStep> {
    let step = |text: Text| Some(NextStep { step: Step::ReplaceProxy, text, number: None });
    let rows = facts.answers.first().map_or(0.0, |answers| answers.rows);
    let proxies: Vec<&Proxy> = facts.legend.proxies.iter().filter(|proxy| proxy.lent_by.is_none()).collect();
    let named = |name: &str| proxies.iter().copied().find(|proxy| proxy.name == name);
    let same_source = |a: &Proxy, b: &Proxy| a.source.is_some() && a.source == b.source;
    // What proxies that count as one view agree on is no one's concern.
    let used = facts.answers.iter().any(Answers::uses_sources);
    let mut pairs: Vec<(&Proxy, &Proxy, f64)> = (facts.agreement.iter())
        .filter_map(|pair| Some((named(&pair.a)?, named(&pair.b)?, pair.beyond_chance?)))
        .filter(|(a, b, _)| !(used && same_source(a, b)))
        .collect();
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
    let with_others = |proxy: &Proxy| {
        let mine = pairs.iter().filter(|(a, b, _)| *a == proxy || *b == proxy);
        let found: Vec<f64> = mine.map(|(_, _, beyond)| *beyond).collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    };
    // Of two that say the same the one that agrees less with the rest is missed less.
    let missed_less = |a, b| if with_others(a) < with_others(b) { (a, b) } else { (b, a) };
    if let Some((a, b, beyond)) = pairs.iter().find(|(a, b, _)| same_source(a, b)) {
        let ((one, other), source) = (missed_less(*a, *b), a.source.as_deref().unwrap_or_default());
        return step(
            format!(
                "Replace {} with a proxy from another source: it comes from {source}, as {} does, and agrees with it most \
                 ({beyond:.2} beyond chance). What they share looks like skill.",
                one.name, other.name
            )
            .into(),
        );
    }
    let (first, rest) = pairs.split_first()?;
    let typical = rest.iter().map(|(_, _, beyond)| beyond).sum::<f64>() / rest.len().max(1) as f64;
    if first.2 > REPEATS && first.2 - typical > 0.5 * (1.0 - typical) {
        let (one, other) = missed_less(first.0, first.1);
        return step(text![
            format!(
                "Find out whether {} repeats {}: they agree nearly always ({:.2} beyond chance), other proxies far less \
                 ({typical:.2}). If both are made from the same data, give them one source (",
                one.name, other.name, first.2
            ),
            Setting::Proxy,
            "), so that they count as one view.",
        ]);
    }
    let mut by_agreement: Vec<(&Proxy, f64)> =
        proxies.iter().filter_map(|proxy| Some((*proxy, with_others(proxy)?))).collect();
    by_agreement.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (weakest, strongest) = (by_agreement.first()?, by_agreement.last()?);
    // Each agreement is known to about one over the root of the rows.
    if weakest.1 * rows.sqrt() < -5.0 {
        return step(
            format!(
                "Check how {} codes the groups: it agrees with the others less often than by chance ({:.2}; 0 is chance), as if \
                 its guesses were swapped.",
                weakest.0.name, weakest.1
            )
            .into(),
        );
    }
    let clearly = (strongest.1 - weakest.1) * rows.sqrt() > 5.0;
    if by_agreement.len() < 3 || weakest.1 >= 0.6 * strongest.1 || !clearly {
        return None;
    }
    step(text![
        format!(
            "Look at {}: it agrees with the others far less ({:.2} beyond chance) than they do ({:.2}). Either it is weak, and a \
             better one would help; or the others share what it does not, and belong to one source (",
            weakest.0.name, weakest.1, strongest.1
        ),
        Setting::Proxy,
        ").",
    ])
}

/// Two proxies that agree beyond chance this often are hardly two, unless all agree so.
const REPEATS: f64 = 0.9;

fn why_none(noise: &[NoiseRecord], chosen: Option<&Choice>) -> String {
    if let Some(chosen) = chosen.filter(|chosen| !chosen.estimator.learns_errors()) {
        return chosen.reason.clone();
    }
    let mine = |record: &&NoiseRecord| {
        chosen.is_some_and(|chosen| (record.estimator, record.scope) == (chosen.estimator, chosen.scope))
    };
    let reason = noise.iter().filter(mine).find_map(|record| record.reason.clone());
    reason.unwrap_or_else(|| "no criterion has a calibrated number".to_string())
}
