//! A plan as plain data, and the situation that an audit found.

use super::{LabelsByDecision, PlanError, Situation};
use crate::noise::TransitionMatrix;
use crate::record::{Audit, ErrorModel, LearnedFrom, NoiseRecord};
use crate::setting::{Refusal, Refuses};
use crate::vocabulary::{Criterion, Estimator};
use crate::{shows_refusal, text};
use serde::{Deserialize, Serialize};

/// The cost of a wanted half-width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The wanted half-width of a difference between two groups' rates.
    pub half_width: f64,
    /// How often the interval should hold.
    pub confidence: f64,
    /// Rows without any label, if the proxies err independently.
    pub rows_without_labels: Option<u64>,
    /// Labels without any proxy.
    pub labels_alone: u64,
    /// Rows that are there.
    pub rows: Option<u64>,
    /// Labels beside those rows, taking no independence for granted.
    pub labels_beside_rows: Option<u64>,
    /// Labels beside those rows whatever the proxies do, and where to draw them.
    #[serde(default)]
    pub labels_whatever: Option<LabelsByDecision>,
    /// What is then known of the least rate over the largest, by rows without labels.
    #[serde(default)]
    pub ratio: Option<PlannedRatio>,
    /// Half-widths over rows.
    pub curve: Vec<PlanPoint>,
    /// Why there is no number of rows.
    pub unavailable: Option<String>,
    /// What was assumed.
    #[serde(default)]
    pub assumed: Option<Assumed>,
}

/// What a plan assumes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Assumed {
    /// The share of each group.
    pub shares: Vec<f64>,
    /// How often each group is selected.
    pub rates: Vec<f64>,
    /// How often each proxy is right.
    pub accuracy: Vec<f64>,
    /// How often all proxies repeat one shared guess.
    pub copying: f64,
    /// What each guess spends, where guesses are to be randomised; how often proxies are right is then said of what is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
}

/// The least rate over the largest, and the interval that is to be expected of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlannedRatio {
    /// As assumed.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlanPoint {
    /// Rows.
    pub rows: u64,
    /// The half-width they give without labels.
    pub half_width: Option<f64>,
    /// The half-width they give beside 200 labels.
    pub half_width_with_200_labels: Option<f64>,
}

/// Labels beside which the curve is drawn a second time.
const LABELS: f64 = 200.0;
/// Rows of a curve where nothing says how many are of interest.
const ROWS: f64 = 10_000.0;

impl Plan {
    /// The plan for a half-width, beside rows that are there.
    pub fn of(situation: &Situation, half_width: f64, confidence: f64, rows: Option<u64>) -> Plan {
        let needed = situation.rows_for(half_width, confidence);
        let beside = rows.and_then(|rows| situation.labels_beside(rows as f64, half_width, confidence).ok());
        let base = rows.map_or_else(|| needed.clone().unwrap_or(ROWS), |rows| rows as f64);
        let point = |factor: f64| {
            let rows = (base * factor).round().max(1.0);
            let width = |labels| situation.half_width(rows, labels, confidence);
            PlanPoint { rows: rows as u64, half_width: width(0.0), half_width_with_200_labels: width(LABELS) }
        };
        Plan {
            half_width,
            confidence,
            rows_without_labels: needed.as_ref().ok().map(|rows| rows.ceil() as u64),
            labels_alone: situation.labels_alone(half_width, confidence).ceil() as u64,
            rows,
            labels_beside_rows: beside.map(|labels| labels.ceil() as u64),
            labels_whatever: rows
                .and_then(|rows| situation.labels_whatever(rows as f64, half_width, confidence).ok()),
            ratio: needed.as_ref().ok().and_then(|rows| situation.ratio(*rows, half_width)),
            curve: [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0].into_iter().map(point).collect(),
            unavailable: needed.err().map(|reason| reason.to_string()),
            assumed: Some(situation.assumed()),
        }
    }
}

/// A reason why nothing can be planned from an audit.
#[derive(Debug, Clone, PartialEq)]
pub enum FromAuditError {
    /// It has no calibrated demographic parity.
    NothingRecommended,
    /// A group has no share, or no rate.
    Incomplete(&'static str),
    /// No matrix holds for all rows.
    NoMatrix,
    /// Its numbers make no situation.
    Plan(PlanError),
    /// A matrix of it is none.
    Noise(crate::noise::NoiseError),
}

impl Refuses for FromAuditError {
    fn refusal(&self) -> Refusal {
        match self {
            FromAuditError::NothingRecommended => Refusal::new(
                "it recommends no calibrated demographic parity, so nothing is known about how the proxies err",
            )
            .to_do(text!["plan with {accuracy} instead"]),
            FromAuditError::Incomplete(what) => Refusal::new(format!("a group has no {what}")),
            FromAuditError::NoMatrix => Refusal::new("no transition matrix for all rows is in it")
                .to_do(text!["audit with {scope=global}, or plan with {accuracy}"]),
            FromAuditError::Plan(error) => Refusal::new(error.to_string()),
            FromAuditError::Noise(error) => Refusal::new(error.to_string()),
        }
    }
}

shows_refusal!(FromAuditError);

impl Situation {
    /// What it assumes, as data.
    fn assumed(&self) -> Assumed {
        let right = |proxy: &TransitionMatrix| {
            let of_group = |(g, share): (usize, &f64)| share * proxy.rows()[g][g];
            self.shares.iter().enumerate().map(of_group).sum()
        };
        Assumed {
            shares: self.shares.clone(),
            rates: self.rates.clone(),
            accuracy: self.proxies.iter().map(right).collect(),
            copying: self.copying,
            epsilon: self.epsilon,
        }
    }

    /// Error rates, shares and rates of an audit's answer to demographic parity.
    pub fn of_audit(audit: &Audit) -> Result<Situation, FromAuditError> {
        let parity = |criterion| criterion == Criterion::DemographicParity;
        let result = audit.results.iter().find(|r| r.recommended && parity(r.criterion));
        let result = result.ok_or(FromAuditError::NothingRecommended)?;
        let shares: Option<Vec<f64>> = result.groups.iter().map(|group| group.share).collect();
        let shares = shares.ok_or(FromAuditError::Incomplete("share"))?;
        let rates: Option<Vec<f64>> = result.groups.iter().map(|group| group.rate).collect();
        let rates = rates.ok_or(FromAuditError::Incomplete("rate"))?;
        let total: f64 = shares.iter().sum();
        let shares = shares.iter().map(|share| share / total).collect();
        let same = |record: &&NoiseRecord| {
            let by_labels = result.origin.estimator == Some(Estimator::Regression);
            let relied = if by_labels { Some(Estimator::Audit) } else { result.origin.estimator };
            Some(record.estimator) == relied && record.rows == LearnedFrom::All && record.stratum.is_none()
        };
        // A table of errors for all proxies and one for each may both be told: those of what is relied on count.
        let (mut of_all, mut of_each) = (false, false);
        for record in audit.noise.iter().filter(same) {
            of_all |= record.proxy.is_none();
            of_each |= record.proxy.is_some();
        }
        let alike = matches!(result.origin.assumption, None | Some(ErrorModel::Alike));
        let own = of_each && !(alike && of_all);
        let told = audit.noise.iter().filter(same).filter(|record| record.proxy.is_some() == own);
        let matrices = told.filter_map(|record| record.transition.as_ref());
        // Printed digits are rounded.
        let whole = |row: &Vec<f64>| row.iter().map(|p| p / row.iter().sum::<f64>()).collect();
        let known: Vec<TransitionMatrix> = matrices
            .map(|rows| TransitionMatrix::new(rows.iter().map(whole).collect()))
            .collect::<Result<_, _>>()
            .map_err(FromAuditError::Noise)?;
        let proxies = match known.as_slice() {
            [] => return Err(FromAuditError::NoMatrix),
            [one] => vec![one.clone(); audit.input.proxies.len()],
            _ => known,
        };
        Situation::new(shares, rates, proxies).map_err(FromAuditError::Plan)
    }
}
