//! Rows or labels for a wanted half-width.

use crate::audited::{Audited, Made, written};
use crate::keywords::Keywords;
use crate::refused::{of_setting, to_setting};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::plan::{Plan, PlanError, Situation};
use fairveil_core::privacy::{Epsilon, PrivacyCurve, PrivacyError, RandomizedResponse};
use fairveil_core::setting::Refusal;
use fairveil_report::{PlanReport, PrivacyReport, Style};
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

/// A plan as JSON, as a text and as a plot; and what each epsilon costs as JSON, as a page and as a plot, where rows are known.
type Planned = (String, String, String, Option<(String, String, String)>);

/// Plans.
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
) -> PyResult<Planned> {
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
    let clear = situation.with_copying(copying).map_err(impossible)?;
    let supposed = audited.is_none();
    let cost = rows.or(there).and_then(|rows| {
        let plan = Plan::of(&clear, half_width, confidence, None).assumed.unwrap_or_default();
        let (least, most) =
            plan.rates.iter().fold((1.0f64, 0.0f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
        let names: Vec<String> = (1..=plan.accuracy.len()).map(|i| format!("proxy {i}")).collect();
        let name = if supposed { "a supposed table" } else { "an audited table" };
        // Where nothing can be told even in the clear there is no price.
        let curve = PrivacyCurve::of_situation(&clear, rows, most - least, name, &names, epsilon).ok()?;
        Some((PrivacyCurve { supposed, ..curve }, name))
    });
    let cost = cost.map(|(curve, name)| {
        let made = Made::default();
        let report = PrivacyReport { curve: &curve, about: made.about(name, &Keywords) };
        Ok::<_, PyErr>((written(report.json())?, report.html(), report.svg()))
    });
    let situation = match epsilon {
        None => clear,
        Some(epsilon) => {
            let response = Epsilon::new(epsilon)
                .and_then(|epsilon| RandomizedResponse::with_epsilon(clear.groups(), epsilon));
            let refused = |error: PrivacyError| of_setting(py, &Refusal::new(error.to_string()));
            clear.randomized(&response.map_err(refused)?).map_err(impossible)?
        }
    };
    let plan = Plan::of(&situation, half_width, confidence, rows.or(there));
    let report = PlanReport { plan: &plan, version: env!("CARGO_PKG_VERSION"), dialect: &Keywords };
    Ok((written(report.json())?, report.text(Style::Plain), report.svg(), cost.transpose()?))
}
