//! One number for how differently groups are treated.
//!
//! The paper's averages run over ordered pairs of groups, all classes and all labels:
//! ```text
//! demographic parity  1/(M(M−1)K)  Σ |H[a,k]   − H[a′,k]|
//! equalized odds      1/(M(M−1)K²) Σ |H[a,k⊗y] − H[a′,k⊗y]|
//! equal opportunity   1/(M(M−1))   Σ |H[a,1⊗1] − H[a′,1⊗1]|
//! ```
//! The other family is what most Python users know: largest minus smallest, or smallest over largest, group
//! rate of the positive class; for equalized odds the worse of true and false positive rates. With two groups
//! and two classes the families agree on demographic parity and equal opportunity, and on nothing else.

use crate::criterion::{Proportion, Rate};
use crate::rates::{Joint, Unavailable};
use crate::vocabulary::{Aggregate, Axis, Class, Criterion};

/// A signed gap between two groups in one rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<A> {
    /// The group whose rate is taken first.
    pub a: A,
    /// The group whose rate is subtracted.
    pub b: A,
    /// The rate that is compared.
    pub rate: Proportion,
    /// `H[a] − H[b]`.
    pub difference: f64,
}

/// Measures one criterion on a joint table.
///
/// ```
/// # use fairveil_core::{Aggregate, Criterion, World};
/// # use fairveil_core::counts::View;
/// # use fairveil_core::disparity::measure;
/// # use fairveil_core::rates::Unavailable;
/// # use fairveil_core::vocabulary::Class;
/// let truth = World::symmetric(3, 2, &[0.8; 3], 0.4).truth(View::Predictions);
/// // Selection rates 0.3, 0.5 and 0.7: pairs differ by 0.2, 0.2 and 0.4, in either class.
/// let mean = measure(&truth, Criterion::DemographicParity, Aggregate::MeanPairwise, Class(1))?;
/// assert!((mean - 0.8 / 3.0).abs() < 1e-12);
/// let largest = measure(&truth, Criterion::DemographicParity, Aggregate::Difference, Class(1))?;
/// assert!((largest - 0.4).abs() < 1e-12);
/// let ratio = measure(&truth, Criterion::DemographicParity, Aggregate::Ratio, Class(1))?;
/// assert!((ratio - 3.0 / 7.0).abs() < 1e-12);
/// # Ok::<(), Unavailable>(())
/// ```
pub fn measure<A: Axis>(
    joint: &Joint<A>,
    criterion: Criterion,
    aggregate: Aggregate,
    positive: Class,
) -> Result<f64, Unavailable> {
    match aggregate {
        Aggregate::MeanPairwise => mean_pairwise(joint, criterion, positive),
        Aggregate::Difference => {
            let spread = |rates: Vec<f64>| Ok(largest(&rates) - smallest(&rates));
            worst(joint, criterion, positive, spread, f64::max)
        }
        Aggregate::Ratio => {
            let ratio = |rates: Vec<f64>| {
                let (low, high) = (smallest(&rates), largest(&rates));
                if low < 0.0 || high <= 0.0 { Err(Unavailable::Ratio { low, high }) } else { Ok(low / high) }
            };
            worst(joint, criterion, positive, ratio, f64::min)
        }
    }
}

fn mean_pairwise<A: Axis>(
    joint: &Joint<A>,
    criterion: Criterion,
    positive: Class,
) -> Result<f64, Unavailable> {
    let columns = criterion.spec().compared(joint.classes(), positive);
    let mut sum = 0.0;
    for rate in &columns {
        let mut rates = joint.axis().map(|a| joint.proportion(a, *rate)).collect::<Result<Vec<f64>, _>>()?;
        // Σ over pairs of |x − y| from sorted values; the order of the groups then does not touch the last bit.
        rates.sort_by(f64::total_cmp);
        let groups = rates.len() as f64;
        sum += rates.iter().enumerate().map(|(i, rate)| (2.0 * i as f64 - groups + 1.0) * rate).sum::<f64>();
    }
    let compared = joint.compared();
    let pairs = (compared * (compared - 1) / 2) as f64;
    Ok((sum / pairs / columns.len() as f64).max(0.0))
}

/// The worst number of the rates that a criterion looks at.
fn worst<A: Axis>(
    joint: &Joint<A>,
    criterion: Criterion,
    positive: Class,
    number: impl Fn(Vec<f64>) -> Result<f64, Unavailable>,
    worse: fn(f64, f64) -> f64,
) -> Result<f64, Unavailable> {
    let of =
        |rate: &Rate| number(joint.axis().map(|a| rate.of(joint, a, positive)).collect::<Result<_, _>>()?);
    let numbers = criterion.spec().worst_of.iter().map(of).collect::<Result<Vec<f64>, _>>()?;
    numbers.into_iter().reduce(worse).ok_or(Unavailable::NoLabels)
}

fn smallest(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The signed gaps behind a criterion, for every pair of groups, as far as they have a number. With two
/// classes only those of the positive class: the others are their negatives.
pub fn pairs<A: Axis>(joint: &Joint<A>, criterion: Criterion, positive: Class) -> Vec<Pair<A>> {
    let columns = criterion.spec().compared(joint.classes(), positive);
    let told = columns.into_iter().filter(|rate| joint.classes() > 2 || rate.class == positive);
    let mut found = Vec::new();
    for rate in told {
        let rates: Vec<(A, Option<f64>)> =
            joint.axis().map(|a| (a, joint.proportion(a, rate).ok())).collect();
        for (i, (a, first)) in rates.iter().enumerate() {
            for (b, second) in &rates[i + 1..] {
                if let (Some(first), Some(second)) = (first, second) {
                    found.push(Pair { a: *a, b: *b, rate, difference: first - second });
                }
            }
        }
    }
    found
}

/// How far an estimate is from a known truth (paper, section 5.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorMeasures {
    /// `|estimate − truth|`.
    pub raw: f64,
    /// Raw error over the truth; absent where the truth is zero.
    pub normalized: Option<f64>,
    /// One minus raw error over that of Base: 1 is exact, 0 no better than Base, below 0 worse. Absent where
    /// Base is exact or not known.
    pub improvement: Option<f64>,
}

impl ErrorMeasures {
    /// Compares an estimate with the truth and with what the first proxy says directly.
    ///
    /// ```
    /// # use fairveil_core::disparity::ErrorMeasures;
    /// let errors = ErrorMeasures::of(0.18, 0.24, Some(0.12));
    /// assert!((errors.raw - 0.06).abs() < 1e-12);
    /// assert!((errors.normalized.unwrap() - 0.25).abs() < 1e-12);
    /// assert!((errors.improvement.unwrap() - 0.5).abs() < 1e-12);
    /// ```
    pub fn of(estimate: f64, truth: f64, base: Option<f64>) -> Self {
        let raw = (estimate - truth).abs();
        let base_error = base.map(|base| (base - truth).abs());
        ErrorMeasures {
            raw,
            normalized: (truth > 0.0).then(|| raw / truth),
            improvement: base_error.filter(|error| *error > 0.0).map(|error| 1.0 - raw / error),
        }
    }
}
