//! `fairveil demo`: simulate, audit, show the answer beside the truth.

use super::simulate::{self, TRUTH};
use crate::args::DemoArgs;
use crate::dialect::Flags;
use crate::output::{Outputs, Shown, print, style};
use crate::provenance::{Hashed, Made};
use fairveil_core::{Audit, Settings, World};
use fairveil_ingest::{Columns, Delimiter, Table};
use fairveil_report::{AuditReport, Report, Style};
use std::io::Seek;

pub fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let mut outputs = Outputs::default();
    outputs.folder(&args.out)?;
    let path = |name: &str| args.out.join(name);
    let [table, text, json, html] = ["lending.csv", "audit.txt", "audit.json", "report.html"].map(path);
    let table_slot = outputs.reserve(&table)?;
    let forms = [outputs.reserve(&text)?, outputs.reserve(&json)?, outputs.reserve(&html)?];

    let world = World::lending();
    let mut rows = Hashed::new(outputs.writer(table_slot));
    simulate::write(&world, args.rows, args.seed, b',', &mut rows)?;
    let sha256 = rows.written();

    let legend = world.legend();
    let proxy = |p: &fairveil_core::vocabulary::Proxy| match &p.source {
        Some(source) => format!("{}:{source}", p.name),
        None => p.name.clone(),
    };
    let columns = Columns {
        y_pred: Some(legend.prediction.clone()),
        y_true: legend.label.clone(),
        proxies: legend.proxies.iter().map(proxy).collect(),
        truth: Some(TRUTH.into()),
        ..Columns::default()
    };
    let name = table.shown();
    let file = outputs.writer(table_slot);
    file.rewind()?;
    let Table { counts, truth, .. } = fairveil_ingest::read(file, &name, &columns, Delimiter::Detect)?;
    let audit = Audit::run(&counts, truth.as_ref(), &Settings::default())?.spelled(&Flags);
    let proxies: Vec<String> = columns.proxies.iter().map(|proxy| format!("--proxy {proxy}")).collect();
    let by_hand = format!(
        "fairveil audit {name} --y-pred {} --y-true {} {} --truth {TRUTH}",
        legend.prediction,
        legend.label.as_deref().unwrap_or_default(),
        proxies.join(" ")
    );
    let made = Made::by(by_hand.clone(), Some(sha256));
    let report = AuditReport::new(&audit, made.about(&name));
    for (slot, made) in forms.into_iter().zip([report.full_text(Style::Plain), report.json()?, report.html()])
    {
        outputs.write(slot, made.as_bytes())?;
    }
    outputs.commit()?;
    print(&report.text(style()))?;
    print(&format!(
        "\nSimulated loans, so the truth is known; two of the three proxies share a little error.\n\
         The same by hand:\n  {by_hand}\nFiles: {name}, {}, {}\nThe page to hand over: {}\n",
        text.shown(),
        json.shown(),
        html.shown()
    ))
}
