//! The price of an epsilon: how wide the interval of a gap becomes when guesses are told by randomised response.

use super::{Epsilon, PrivacyError, RandomizedResponse};
use crate::plan::{FromAuditError, PlanError, Situation};
use crate::record::Audit;
use crate::setting::{Job, Refusal, Refuses};
use crate::vocabulary::{Aggregate, Criterion};
use crate::{shows_refusal, text};
use serde::{Deserialize, Serialize};

/// From privacy that leaves next to nothing to privacy that costs next to nothing; 0.41 is the paper's.
const EPSILONS: [f64; 11] = [0.1, 0.2, 0.41, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0];
const CONFIDENCE: f64 = 0.95;

/// The half-width of a gap's interval over epsilon, for one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivacyCurve {
    /// What the table is called.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Its proxies, all of which would be randomised.
    pub proxies: Vec<String>,
    /// How many groups they guess.
    pub groups: usize,
    /// The calibrated gap in demographic parity.
    pub gap: f64,
    /// How often the interval should hold.
    pub confidence: f64,
    /// The planned half-width without randomisation.
    pub in_the_clear: f64,
    /// Whether nobody's guesses are behind it: proxies, rows and gap were supposed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supposed: bool,
    /// The curve, from much privacy to little.
    pub points: Vec<PrivacyPoint>,
}

/// The price of one epsilon.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrivacyPoint {
    /// What each told guess spends.
    pub epsilon: f64,
    /// What all of a row's told guesses spend together.
    pub epsilon_per_row: f64,
    /// How often another group is told than the guess.
    pub flip: f64,
    /// The planned half-width; nothing where nothing could be told.
    pub half_width: Option<f64>,
    /// Whether the proxies' agreement would not stand out enough from chance for an audit to give more than a direction.
    pub direction_only: bool,
}

/// A reason why no price can be planned.
#[derive(Debug, Clone, PartialEq)]
pub enum CostError {
    /// In the clear there is no calibrated gap.
    NoGap(FromAuditError),
    /// In the clear the gap is not known to anything.
    NoWidth,
    /// An epsilon that is none.
    Epsilon(PrivacyError),
    /// Nothing can be planned of what would be told.
    Plan(PlanError),
}

impl Refuses for CostError {
    fn refusal(&self) -> Refusal {
        match self {
            CostError::NoGap(reason) => {
                Refusal::new("no report: even without noise these proxies give no calibrated gap")
                    .needed("three proxies whose agreement shows how they err")
                    .to_do(text![Job::Audit, " says why: ", reason.refusal().found])
            }
            CostError::NoWidth => {
                Refusal::new("even without noise, these proxies and rows do not measure the gap")
                    .to_do(text!["{!audit} says why"])
            }
            CostError::Epsilon(error) => Refusal::new(error.to_string()),
            CostError::Plan(error) => Refusal::new(error.to_string()),
        }
    }
}

shows_refusal!(CostError);

impl PrivacyCurve {
    /// The curve of a table, planned from its audit in the clear; `also` is one more epsilon to look at.
    pub fn of_audit(
        audit: &Audit,
        table: &str,
        proxies: &[String],
        also: Option<f64>,
    ) -> Result<PrivacyCurve, CostError> {
        let situation = Situation::of_audit(audit).map_err(CostError::NoGap)?;
        let gap = audit.recommended(Criterion::DemographicParity, Aggregate::Difference);
        let gap = gap.and_then(|result| result.value).unwrap_or_default();
        let curve = Self::of_situation(&situation, audit.input.rows, gap, table, proxies, also)?;
        Ok(PrivacyCurve { supposed: false, ..curve })
    }

    /// The curve of what is supposed: who has no decisions supposes a rate, who has no guesses supposes how often they are right.
    pub fn of_situation(
        situation: &Situation,
        rows: u64,
        gap: f64,
        table: &str,
        proxies: &[String],
        also: Option<f64>,
    ) -> Result<PrivacyCurve, CostError> {
        let groups = situation.groups();
        // A gap is at most one: past that nothing is known.
        let half_width = |situation: &Situation| {
            situation.half_width(rows as f64, 0.0, CONFIDENCE).filter(|half| *half <= 1.0)
        };
        let in_the_clear = half_width(situation).ok_or(CostError::NoWidth)?;
        let mut epsilons = EPSILONS.to_vec();
        epsilons.extend(also);
        epsilons.sort_by(f64::total_cmp);
        epsilons.dedup();
        let point = |epsilon: f64| {
            let response = Epsilon::new(epsilon).and_then(|e| RandomizedResponse::with_epsilon(groups, e));
            let response = response.map_err(CostError::Epsilon)?;
            let told = situation.randomized(&response).map_err(CostError::Plan)?;
            Ok(PrivacyPoint {
                epsilon,
                epsilon_per_row: epsilon * proxies.len() as f64,
                flip: 1.0 - response.rows()[0][0],
                half_width: half_width(&told),
                direction_only: told.direction_only(rows as f64),
            })
        };
        Ok(PrivacyCurve {
            table: table.to_owned(),
            rows,
            proxies: proxies.to_vec(),
            groups,
            gap,
            confidence: CONFIDENCE,
            in_the_clear,
            supposed: true,
            points: epsilons.into_iter().map(point).collect::<Result<_, _>>()?,
        })
    }
}
