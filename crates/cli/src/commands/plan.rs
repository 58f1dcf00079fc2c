//! `fairveil plan`: rows or labels for a wanted half-width.

use crate::args::PlanArgs;
use crate::commands::privacy_report::Format;
use crate::dialect::Flags;
use crate::intake::read_stated;
use crate::output::{Outputs, Shown, Slot, is_standard, print, print_data, style};
use crate::provenance::Made;
use anyhow::{Context, anyhow, bail};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::plan::{Plan, Situation};
use fairveil_core::privacy::{Epsilon, PrivacyCurve, RandomizedResponse};
use fairveil_core::record::Audit;
use fairveil_report::{PlanReport, PrivacyReport};
use std::path::Path;

pub fn run(args: &PlanArgs) -> anyhow::Result<()> {
    let json_only = args.json.as_deref().is_some_and(is_standard);
    let mut outputs = Outputs::beside(args.from.as_deref());
    let json = args.json.as_deref().filter(|_| !json_only).map(|path| outputs.reserve(path)).transpose()?;
    let svg = args.svg.as_deref().map(|path| outputs.reserve(path)).transpose()?;
    let cost = args.cost.as_deref().map(|path| cost_page(path, &mut outputs)).transpose()?;
    let (situation, rows) = situation(args)?;
    let clear = situation.with_copying(args.copying)?;
    let situation = match args.epsilon {
        None => clear.clone(),
        Some(epsilon) => randomized(&clear, epsilon)?,
    };
    if let Some((slot, format)) = cost {
        outputs.write(slot, cost_of(args, &clear, args.rows.or(rows), format)?.as_bytes())?;
    }
    let plan = Plan::of(&situation, args.half_width, args.confidence, args.rows.or(rows));
    let report = PlanReport { plan: &plan, version: env!("CARGO_PKG_VERSION"), dialect: &Flags };
    if let Some(slot) = json {
        outputs.write(slot, report.json()?.as_bytes())?;
    }
    svg.map(|slot| outputs.write(slot, report.svg().as_bytes())).transpose()?;
    if json_only {
        print_data(report.json()?.as_bytes())?;
    } else {
        print(&report.text(style()))?;
    }
    outputs.commit()
}

/// The same, each guess randomised.
fn randomized(situation: &Situation, epsilon: f64) -> anyhow::Result<Situation> {
    let response = Epsilon::new(epsilon)
        .and_then(|epsilon| RandomizedResponse::with_epsilon(situation.groups(), epsilon));
    let response =
        response.map_err(|error| anyhow!("--epsilon: {error}\n  to do:  give an --epsilon such as 1"))?;
    Ok(situation.randomized(&response)?)
}

fn cost_page(path: &Path, outputs: &mut Outputs) -> anyhow::Result<(Slot, Format)> {
    let format = Format::of(path)?;
    Ok((outputs.reserve(path)?, format))
}

/// What each epsilon costs, where everything is supposed or an audit found it.
fn cost_of(args: &PlanArgs, clear: &Situation, rows: Option<u64>, format: Format) -> anyhow::Result<String> {
    let Some(rows) = rows else {
        bail!("--cost without rows\n  needed: how many rows there will be\n  to do:  give --rows")
    };
    let plan = Plan::of(clear, args.half_width, args.confidence, None);
    let assumed = plan.assumed.unwrap_or_default();
    let ends =
        assumed.rates.iter().fold((1.0f64, 0.0f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
    let names: Vec<String> = (1..=assumed.accuracy.len()).map(|i| format!("proxy {i}")).collect();
    let name = args.from.as_deref().map_or("a supposed table".to_owned(), |path| path.shown().to_string());
    let curve = PrivacyCurve::of_situation(clear, rows, ends.1 - ends.0, &name, &names, args.epsilon)?;
    let curve = PrivacyCurve { supposed: args.from.is_none(), ..curve };
    let made = Made::new(None, None);
    Ok(format.write(&PrivacyReport { curve: &curve, about: made.about(&name) })?)
}

/// What was said, or what an audit found.
fn situation(args: &PlanArgs) -> anyhow::Result<(Situation, Option<u64>)> {
    if let Some(path) = &args.from {
        let text = read_stated(path)?;
        let audit: Audit = serde_json::from_str(&text).map_err(|error| {
            let what = if error.is_data() { "is no audit" } else { "is no JSON" };
            anyhow!("{} {what}: {error}\n  needed: what fairveil audit --json wrote", path.shown())
        })?;
        let situation = Situation::of_audit(&audit).with_context(|| path.shown())?;
        return Ok((situation, Some(audit.input.rows)));
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
