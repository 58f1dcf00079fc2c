//! `fairveil demo`: simulate, audit, show the answer beside the truth.

use super::simulate::{self, TRUTH};
use crate::args::DemoArgs;
use crate::dialect::Flags;
use crate::output::{OutputFile, print, style};
use crate::provenance::{Made, digest};
use anyhow::Context;
use fairveil_core::{Audit, Settings, World};
use fairveil_ingest::{Columns, Delimiter, Table};
use fairveil_report::{AuditReport, Report, Style};

pub fn run(args: &DemoArgs) -> anyhow::Result<()> {
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("{}: cannot make this folder", args.out.display()))?;
    let path = |name: &str| args.out.join(name);
    let mut table_file = OutputFile::reserve(&path("lending.csv"), None)?;
    let text_file = OutputFile::reserve(&path("audit.txt"), None)?;
    let json_file = OutputFile::reserve(&path("audit.json"), None)?;
    let html_file = OutputFile::reserve(&path("report.html"), None)?;

    let world = World::lending();
    simulate::write(&world, args.rows, args.seed, b',', table_file.writer())?;
    table_file.commit()?;

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
    let Table { counts, truth, .. } =
        fairveil_ingest::read_file(&path("lending.csv"), &columns, Delimiter::Detect)?;
    let audit = Audit::run(&counts, truth.as_ref(), &Settings::default())?.spelled(&Flags);
    let name = path("lending.csv").display().to_string();
    let proxies: Vec<String> = columns.proxies.iter().map(|proxy| format!("--proxy {proxy}")).collect();
    let by_hand = format!(
        "fairveil audit {name} --y-pred {} --y-true {} {} --truth {TRUTH}",
        legend.prediction,
        legend.label.as_deref().unwrap_or_default(),
        proxies.join(" ")
    );
    let made = Made::by(by_hand.clone(), digest(&path("lending.csv")));
    let report = AuditReport::new(&audit, made.about(&name));
    text_file.commit_bytes(report.text(Style::Plain).as_bytes())?;
    json_file.commit_bytes(report.json()?.as_bytes())?;
    html_file.commit_bytes(report.html().as_bytes())?;
    print(&report.text(style()))?;
    print(&format!(
        "\nSimulated loans, so the truth is known; two of the three proxies share a little error.\n\
         The same by hand:\n  {by_hand}\nFiles: {name}, {}, {}\nThe page to hand over: {}\n",
        path("audit.txt").display(),
        path("audit.json").display(),
        path("report.html").display()
    ))
}
