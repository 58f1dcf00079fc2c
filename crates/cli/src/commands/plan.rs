//! `fairveil plan`: rows or labels for a wanted half-width.

use crate::args::PlanArgs;
use crate::dialect::Flags;
use crate::intake::read_stated;
use crate::output::{Outputs, Shown, is_standard, print, print_data, style};
use anyhow::{Context, anyhow, bail};
use fairveil_core::noise::TransitionMatrix;
use fairveil_core::plan::{Plan, Situation};
use fairveil_core::record::Audit;
use fairveil_report::PlanReport;

pub fn run(args: &PlanArgs) -> anyhow::Result<()> {
    let json_only = args.json.as_deref().is_some_and(is_standard);
    let mut outputs = Outputs::beside(args.from.as_deref());
    let json = args.json.as_deref().filter(|_| !json_only).map(|path| outputs.reserve(path)).transpose()?;
    let svg = args.svg.as_deref().map(|path| outputs.reserve(path)).transpose()?;
    let (situation, rows) = situation(args)?;
    let situation = situation.with_copying(args.copying)?;
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
