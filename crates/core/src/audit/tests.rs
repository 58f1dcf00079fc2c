//! What can be told without calibration, and what if the proxies share mistakes.

use crate::answers::Answers;
use crate::counts::View;
use crate::record::{Measurement, SharedErrorRecord, Test, TestRecord};
use crate::uncertainty::checks::{exchangeability, zero_test};
use crate::uncertainty::draws::chi_square_tail;
use crate::uncertainty::likelihood::Fitness;
use crate::uncertainty::what_if::shared_error;
use crate::vocabulary::{Aggregate, Criterion, Estimator, Legend, Scope};

/// The curve over shared error for every criterion that has a global number.
pub(super) fn what_if(
    legend: &Legend,
    answers: &[Answers],
    results: &[Measurement],
) -> Vec<SharedErrorRecord> {
    let known = |r: &&Measurement| {
        r.aggregate == Aggregate::MeanPairwise
            && (r.origin.estimator, r.origin.scope) == (Some(Estimator::Hoc), Some(Scope::Global))
            && r.value.is_some()
    };
    let about = |criterion: Criterion| answers.iter().find(|answers| answers.view == criterion.view());
    let curve = |r: &Measurement| shared_error(about(r.criterion)?, r.criterion, legend.positive);
    results.iter().filter(known).filter_map(curve).collect()
}

/// Tests that need no calibration.
pub(super) fn tests(legend: &Legend, answers: &[Answers], criteria: &[Criterion]) -> Vec<TestRecord> {
    let mut tests = Vec::new();
    for criterion in criteria {
        let Some(answers) = answers.iter().find(|answers| answers.view == criterion.view()) else {
            continue;
        };
        let (own, rows) = answers.own();
        if let Some(test) = zero_test(own, rows, *criterion, legend.positive, answers.score()) {
            tests.push(TestRecord {
                test: Test::NoGap,
                criterion: Some(*criterion),
                statistic: test.statistic,
                degrees_of_freedom: test.freedom,
                p_value: test.p_value,
                favoured: test.favoured.map(|group| legend.group(group).to_owned()),
            });
        }
    }
    let record = |test, criterion, (statistic, degrees_of_freedom): (f64, usize)| TestRecord {
        test,
        criterion,
        statistic,
        degrees_of_freedom,
        p_value: chi_square_tail(statistic, degrees_of_freedom),
        favoured: None,
    };
    let labels = answers.iter().find_map(|answers| answers.labels.as_ref());
    if let Some(chosen) = labels.and_then(|labels| labels.chosen.as_ref()) {
        tests.push(record(Test::LabelsAtRandom, None, (chosen.statistic, chosen.freedom)));
    }
    for answers in answers {
        if let Some(test) = answers.labels.as_ref().and_then(|labels| labels.disagreement) {
            let criterion = Some(answers.view.every_stratum());
            tests.push(record(Test::LabelsAgree, criterion, (test.statistic, test.freedom)));
        }
        if answers.view == View::Predictions
            && let Some((statistic, freedom, _)) = exchangeability(&answers.seen, answers.rows)
        {
            tests.push(record(Test::Exchangeable, None, (statistic, freedom)));
        }
        let found =
            [(Test::SameNoise, answers.own_noise), (Test::Shift, answers.shift), (Test::Fit, answers.fit)];
        for (test, found) in found {
            if let Some(Fitness { statistic, freedom }) = found {
                tests.push(record(test, Some(answers.view.every_stratum()), (statistic, freedom)));
            }
        }
    }
    for answers in answers {
        let Some(evidence) = &answers.evidence else { continue };
        let about = criteria.iter().filter(|criterion| criterion.view() == answers.view);
        for criterion in about {
            if let Some(Fitness { statistic, freedom }) = evidence.differ(*criterion, legend.positive) {
                tests.push(record(Test::SourcesAgree, Some(*criterion), (statistic, freedom)));
            }
        }
        if answers.view == View::Predictions {
            let shares = evidence.shares_differ();
            tests.extend(shares.map(|test| record(Test::SharesAgree, None, (test.statistic, test.freedom))));
            let pairs = &evidence.dependence;
            if let Some(most) = pairs.iter().map(|pair| pair.z * pair.z).reduce(f64::max) {
                tests.push(record(Test::SourcesIndependent, None, (most, 1)));
            }
        }
    }
    tests
}
