//! The flow, from a tally to all that a report may say.
//!
//! ```text
//! Counts ──► refuse                         a table or settings that make no sense
//!    │ Answers::of_views
//! Answers ── readings, explanations         what the proxies say, and what must be true to explain it
//!    │ tests, Relied::on
//! Relied                                    the estimator to rely on, and why
//!    │ Measuring::measure
//! Measurement ◄── doubt, truth              one number, whole
//!    │ advise, examine
//! Audit
//! ```
//! [`Audit`] is plain data. Where no number can be given it holds the reason in its place and carries on with
//! the rest.

mod beside;
mod input;
mod measure;
mod noise;
mod refuse;
mod tests;

use crate::advise::{Facts, Relied, ReliedOn, advise};
use crate::answers::Answers;
use crate::bounds::in_audit::bounds;
use crate::bounds::known_errors::known_errors;
use crate::counts::Counts;
use crate::diagnose::{Looked, examine};
use crate::headline::{Answer, Grounds, Reason};
use crate::outcome;
use crate::pairwise::pairwise;
use crate::record::{Audit, Measurement, SettingsRecord};
use crate::settings::{AuditError, Settings};
use crate::vocabulary::{Aggregate, Criterion};
use crate::world::Truth;
use beside::Weights;
use measure::{Measured, Measuring};

/// An audit, what it relies on in each view, and all that is known about their rows.
pub(crate) struct Audited {
    pub audit: Audit,
    pub relied_on: Vec<ReliedOn>,
    pub answers: Vec<Answers>,
}

impl Audit {
    /// The whole flow. The truth, where given, is only compared against.
    ///
    /// ```
    /// # use fairveil_core::{Aggregate, Audit, Criterion, Settings, World};
    /// let (counts, truth) = World::lending().sample(20_000, 0)?;
    /// let audit = Audit::run(&counts, Some(&truth), &Settings::default())?;
    /// let parity = audit.recommended(Criterion::DemographicParity, Aggregate::Difference).unwrap();
    /// // The proxies read directly show about 0.13 of a true gap of 0.25.
    /// assert!((parity.value.unwrap() - 0.25).abs() < 0.03);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(counts: &Counts, truth: Option<&Truth>, settings: &Settings) -> Result<Audit, AuditError> {
        run(counts, truth, settings).map(|audited| audited.audit)
    }

    /// What may be said about a criterion; nothing where it was not measured.
    pub fn answer(&self, criterion: Criterion) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.criterion == criterion)
    }

    /// The number to report for a criterion, if there is one.
    pub fn recommended(&self, criterion: Criterion, aggregate: Aggregate) -> Option<&Measurement> {
        self.results.iter().find(|r| r.recommended && r.criterion == criterion && r.aggregate == aggregate)
    }
}

pub(crate) fn run(
    counts: &Counts,
    truth: Option<&Truth>,
    settings: &Settings,
) -> Result<Audited, AuditError> {
    let criteria = refuse::refuse(counts, settings)?;
    // The order of the columns must not touch a digit.
    let (sorted, places) = counts.in_name_order();
    let (counts, legend, sorted) = (counts, counts.legend(), &sorted);

    let all_answers = Answers::of_views(sorted, &places, settings);
    let answers = &all_answers;
    let tests = tests::tests(legend, answers, &criteria);
    let relied = Relied::on(sorted, answers, settings);
    let reference = beside::reference(legend, settings, answers, &relied);
    let measuring = Measuring {
        legend,
        settings,
        criteria: &criteria,
        answers,
        relied: &relied,
        tests: &tests,
        reference,
        weights: Weights::of(counts),
    };
    let Measured { results, withheld, measures, rates, truth: true_values, plausible } =
        measuring.measure(truth);

    let (agreement, noise) = (pairwise(sorted, &places), noise::records(sorted.legend(), answers));
    let facts = Facts {
        legend,
        answers,
        results: &results,
        tests: &tests,
        withheld: &withheld,
        agreement: &agreement,
        noise: &noise,
        settings,
    };
    let advice = advise(&facts, &relied, &criteria)?;
    let estimator = advice.estimator;
    let findings = examine(&Looked {
        counts: sorted,
        answers,
        tests: &tests,
        results: &results,
        plausible: &plausible,
        settings,
        relied: &relied,
        estimator,
    });
    let evidence = Grounds {
        legend,
        settings,
        answers,
        relied: &relied,
        results: &results,
        tests: &tests,
        findings: &findings,
    };
    let of_decisions = withheld.iter().find(|(criterion, _)| *criterion == Criterion::DemographicParity);
    let doubts: Vec<Reason> = match of_decisions {
        Some((_, reasons)) => reasons.clone(),
        None => relied.veto().into_iter().collect(),
    };
    let answers_on_top: Vec<Answer> =
        withheld.into_iter().map(|(criterion, reasons)| evidence.answer(criterion, reasons)).collect();
    let relied_on = relied.explanations(answers);
    let outcome = outcome::Asked {
        counts: sorted,
        answers,
        relied_on: &relied_on,
        reference,
        doubts: &doubts,
        settings,
    }
    .record();
    let known_errors = known_errors(legend, sorted, &places, truth, &relied_on, &criteria);
    let audit = Audit {
        input: input::record(counts),
        bounds: bounds(legend, answers, &tests, &criteria, settings),
        shared_error: tests::what_if(legend, answers, &results),
        settings: SettingsRecord {
            population: counts.stated_population(),
            ..settings.record(criteria, reference.map(|group| legend.group(group).to_owned()))
        },
        answers: answers_on_top,
        results,
        measures,
        outcome,
        rates,
        noise,
        agreement,
        tests,
        truth: true_values,
        known_errors,
        findings,
        advice,
    };
    Ok(Audited { audit, relied_on, answers: all_answers })
}
