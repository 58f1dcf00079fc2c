//! `fairveil explain`: the full text of a finding.

use crate::args::ExplainArgs;
use crate::dialect::Flags;
use crate::output::{print, style};
use anyhow::bail;
use fairveil_core::diagnose::{catalogue, explain};
use fairveil_report::explanation;

pub fn run(args: &ExplainArgs) -> anyhow::Result<()> {
    let Some(code) = &args.code else {
        let lines = catalogue().iter().map(|entry| format!("{}  {}\n", entry.code, entry.title));
        return print(&lines.collect::<String>());
    };
    match explain(code) {
        Some(entry) => print(&explanation(entry, style(), &Flags)),
        None => {
            let codes: Vec<&str> = catalogue().iter().map(|entry| entry.code).collect();
            bail!(
                "there is no finding {code}\n  needed: one of {}\n  to do:  fairveil explain lists them",
                codes.join(", ")
            )
        }
    }
}
