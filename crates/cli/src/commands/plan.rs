//! `fairveil plan`: rows or labels for a wanted half-width.

use crate::args::PlanArgs;
use crate::output::{OutputFile, is_standard, print};
use anyhow::{Context, anyhow, bail};
use fairveil_core::{Situation, TransitionMatrix};
use fairveil_report::{Plan, PlanPoint, plan_json, plan_svg, plan_text};
use serde_json::Value;

pub fn run(args: &PlanArgs) -> anyhow::Result<()> {
    let json_only = args.json.as_deref().is_some_and(is_standard);
    let json_file = match &args.json {
        Some(path) if !json_only => Some(OutputFile::reserve(path, args.from.as_deref())?),
        _ => None,
    };
    let svg_file =
        args.svg.as_ref().map(|path| OutputFile::reserve(path, args.from.as_deref())).transpose()?;
    let (situation, rows) = situation(args)?;
    let situation = situation.with_copying(args.copying)?;
    let plan = plan(args, &situation, args.rows.or(rows));
    let version = env!("CARGO_PKG_VERSION");
    match json_only {
        true => print(&plan_json(&plan, version)?)?,
        false => print(&plan_text(&plan))?,
    }
    if let Some(file) = json_file {
        file.commit_bytes(plan_json(&plan, version)?.as_bytes())?;
    }
    match svg_file {
        Some(file) => file.commit_bytes(plan_svg(&plan).as_bytes()),
        None => Ok(()),
    }
}

fn plan(args: &PlanArgs, situation: &Situation, rows: Option<u64>) -> Plan {
    let (half_width, confidence) = (args.half_width, args.confidence);
    let needed = situation.rows_for(half_width, confidence);
    let beside = rows.map(|rows| situation.labels_beside(rows as f64, half_width, confidence));
    let widths = |rows: f64, labels: f64| situation.half_width(rows, labels, confidence);
    let base = rows.map_or_else(|| needed.clone().unwrap_or(10_000.0), |rows| rows as f64);
    let point = |factor: f64| {
        let rows = (base * factor).round().max(1.0);
        PlanPoint {
            rows: rows as u64,
            half_width: widths(rows, 0.0),
            half_width_with_200_labels: widths(rows, 200.0),
        }
    };
    Plan {
        half_width,
        confidence,
        rows_without_labels: needed.as_ref().ok().map(|rows| rows.ceil() as u64),
        labels_alone: situation.labels_alone(half_width, confidence).ceil() as u64,
        rows,
        labels_beside_rows: beside.as_ref().and_then(|n| n.as_ref().ok()).map(|n| n.ceil() as u64),
        curve: [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0].into_iter().map(point).collect(),
        unavailable: needed.err().map(|reason| reason.to_string()),
    }
}

/// What was said, or what an audit found.
fn situation(args: &PlanArgs) -> anyhow::Result<(Situation, Option<u64>)> {
    if let Some(path) = &args.from {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let audit: Value = serde_json::from_str(&text).map_err(|error| {
            anyhow!("{} is no JSON: {error}\n  needed: what fairveil audit --json wrote", path.display())
        })?;
        return from_audit(&audit).with_context(|| path.display().to_string());
    }
    let proxies = match args.accuracy.len() {
        1 => vec![args.accuracy[0]; args.proxies as usize],
        n if n == args.proxies as usize => args.accuracy.clone(),
        n => bail!("{n} accuracies for {} proxies\n  needed: one for all, or one for each", args.proxies),
    };
    let proxies = proxies.iter().map(|right| TransitionMatrix::symmetric(2, *right)).collect();
    let shares = vec![1.0 - args.share, args.share];
    let rates = vec![args.rate - args.gap / 2.0, args.rate + args.gap / 2.0];
    Ok((Situation::new(shares, rates, proxies)?, None))
}

/// Error rates, shares and rates of the calibrated answer to demographic parity.
pub fn from_audit(audit: &Value) -> anyhow::Result<(Situation, Option<u64>)> {
    let results = audit["results"]
        .as_array()
        .context("it has no `results`\n  needed: what fairveil audit --json wrote")?;
    let parity = |r: &&Value| r["recommended"] == true && r["criterion"] == "demographic_parity";
    let result = results.iter().find(parity).context(
        "it recommends no calibrated demographic parity, so nothing is known about how the proxies err\n  to do:  plan with \
         --accuracy instead",
    )?;
    let groups = result["groups"].as_array().context("its result has no `groups`")?;
    let numbers = |key: &str| -> anyhow::Result<Vec<f64>> {
        groups
            .iter()
            .map(|group| group[key].as_f64().with_context(|| format!("a group has no {key}")))
            .collect()
    };
    let (shares, rates) = (numbers("share")?, numbers("rate")?);
    let total: f64 = shares.iter().sum();
    let shares = shares.iter().map(|share| share / total).collect();
    let same = |n: &&Value| {
        n["estimator"] == result["estimator"]
            && n["rows"] == "all"
            && !n["transition"].is_null()
            && n["stratum"].is_null()
    };
    let noise = audit["noise"].as_array().context("it has no `noise`")?;
    let matrix = |record: &Value| -> anyhow::Result<TransitionMatrix> {
        let rows: Vec<Vec<f64>> = serde_json::from_value(record["transition"].clone())?;
        let whole = |row: &Vec<f64>| row.iter().map(|p| p / row.iter().sum::<f64>()).collect();
        Ok(TransitionMatrix::new(rows.iter().map(whole).collect())?)
    };
    let known: Vec<TransitionMatrix> =
        noise.iter().filter(same).map(matrix).collect::<anyhow::Result<_>>()?;
    let proxies = audit["input"]["proxies"].as_array().map_or(0, Vec::len);
    let matrices = match known.as_slice() {
        [] => bail!(
            "no transition matrix for all rows is in it\n  to do:  audit with --scope global, or plan with --accuracy"
        ),
        [one] => vec![one.clone(); proxies],
        each => each.to_vec(),
    };
    Ok((Situation::new(shares, rates, matrices)?, audit["input"]["rows"].as_u64()))
}
