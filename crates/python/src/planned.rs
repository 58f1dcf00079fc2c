//! Rows or labels for a wanted half-width.

use crate::audited::{Audited, written};
use crate::keywords::Keywords;
use crate::refused::{of_setting, to_setting};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::plan::{Plan, PlanError, Situation};
use fairveil_core::privacy::{Epsilon, PrivacyError, RandomizedResponse};
use fairveil_core::setting::Refusal;
use fairveil_report::{PlanReport, Style};
use pyo3::prelude::*;

/// What is supposed where no audit tells: two groups and their proxies.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Supposed {
    accuracy: Vec<f64>,
    share: f64,
    rate: f64,
    gap: f64,
}

/// Plans; gives JSON, a text and a plot.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what the package passes, one by one")]
pub fn plan(
    py: Python,
    audited: Option<&Audited>,
    supposed: Supposed,
    copying: f64,
    half_width: f64,
    confidence: f64,
    rows: Option<u64>,
    epsilon: Option<f64>,
) -> PyResult<(String, String, String)> {
    let impossible = |error: PlanError| of_setting(py, &Refusal::new(error.to_string()));
    let (situation, there) = match audited {
        Some(audited) => {
            let situation = Situation::of_audit(audited.audit());
            let situation = situation.map_err(to_setting(py))?;
            (situation, Some(audited.audit().input.rows))
        }
        None => {
            let Supposed { accuracy, share, rate, gap } = supposed;
            let proxies = accuracy.iter().map(|right| TransitionMatrix::symmetric(2, *right)).collect();
            let (shares, rates) = (vec![1.0 - share, share], vec![rate - gap / 2.0, rate + gap / 2.0]);
            (Situation::new(shares, rates, proxies).map_err(impossible)?, None)
        }
    };
    let situation = situation.with_copying(copying).map_err(impossible)?;
    let situation = match epsilon {
        None => situation,
        Some(epsilon) => {
            let response = Epsilon::new(epsilon)
                .and_then(|epsilon| RandomizedResponse::with_epsilon(situation.groups(), epsilon));
            let refused = |error: PrivacyError| of_setting(py, &Refusal::new(error.to_string()));
            situation.randomized(&response.map_err(refused)?).map_err(impossible)?
        }
    };
    let plan = Plan::of(&situation, half_width, confidence, rows.or(there));
    let report = PlanReport { plan: &plan, version: env!("CARGO_PKG_VERSION"), dialect: &Keywords };
    Ok((written(report.json())?, report.text(Style::Plain), report.svg()))
}
