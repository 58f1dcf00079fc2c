//! `fairveil intersect`: two attributes at once.

use crate::args::IntersectArgs;
use crate::dialect::Flags;
use crate::intake::Source;
use crate::places::Places;
use crate::provenance::Made;
use crate::threads::with_threads;
use anyhow::{Context, bail};
use fairveil_core::intersect::{Attributes, Intersection, Pattern};
use fairveil_ingest::AuditTable;
use fairveil_report::IntersectionReport;

pub fn run(args: &IntersectArgs) -> anyhow::Result<()> {
    refuse(args)?;
    let [first, second] = args.attributes()?;
    let reference = args.reference()?;
    let source = Source::new(&args.table)?;
    if !source.can_be_read_again() {
        bail!(
            "{}: two attributes need the table twice\n  needed: files\n  to do:  write it to a file and name that",
            source.name()
        );
    }
    let places = Places::reserve(&args.forms(), source.files())?;
    let read = |proxies: &[String], cut: &[String]| {
        let asked = AuditTable::new(args.columns(proxies, cut));
        source.read(&args.table.reading(), places.shown(), |inputs, reading| {
            with_threads(args.table.threads, || asked.read(inputs, reading)).map_err(anyhow::Error::from)
        })
    };
    let (by_first, sha256) = read(&first.proxies, &second.proxies)?;
    let (by_second, _) = read(&second.proxies, &[])?;
    let patterns: Vec<Pattern> = by_first.segments.into_iter().map(Pattern::from).collect();
    let asked = Attributes {
        names: [&first.name, &second.name],
        counts: [&by_first.counts, &by_second.counts],
        proxies: &second.proxies,
        patterns: &patterns,
        reference,
    };
    let name = source.name();
    let intersection = with_threads(args.table.threads, || Intersection::run(&asked, &args.settings()))
        .with_context(|| name.clone())?
        .spelled(&Flags);
    let made = Made::new(None, sha256);
    places.commit(&IntersectionReport { intersection: &intersection, about: made.about(&name) }, &[])
}

/// What an audit takes and this does not.
fn refuse(args: &IntersectArgs) -> anyhow::Result<()> {
    let table = &args.table;
    if table.y_pred.len() > 1 {
        bail!("{} columns of decisions are named\n  needed: one", table.y_pred.len());
    }
    let given = [
        (!table.proxy.is_empty(), "--proxy"),
        (!table.proxy_probs.is_empty(), "--proxy-probs"),
        (!table.by.is_empty(), "--by"),
        (!table.groups.is_empty(), "--groups"),
        (table.audit_labels.is_some(), "--audit-labels"),
        (table.truth.is_some(), "--truth"),
        (table.cluster.is_some(), "--cluster"),
        (table.id.is_some(), "--id"),
    ];
    match given.iter().find(|(is, _)| *is) {
        Some((_, flag)) => {
            bail!(
                "{flag} is for an audit\n  needed: proxies by --attribute\n  to do:  leave it out, or use fairveil audit"
            )
        }
        None => Ok(()),
    }
}
