use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Several proxies were given the same `SOURCE` in `{proxy=COLUMN:SOURCE}`.
    /// # Why it matters
    /// Proxies built from the same data share mistakes. Two models of the same surname agree with a correlation of .80 to .88
    ///   given race; a first name and a surname with .04 to .17. If proxies are treated as independent, shared mistakes make
    ///   them look better than they are, and the calibrated gap comes out too small. Where the table allows it, the proxies of
    ///   a source count as one view: whatever they share is learned with it, and what they agree on counts for nothing. That
    ///   needs three sources, or two and decisions that differ between the groups; a proxy without a source is its own. Where
    ///   all proxies have one source, no table can separate what they share from skill. Then there is no headline number, and
    ///   the range holds only if shared error is no more than it allows for.
    /// # What to do
    /// Nothing where they count as one view. Otherwise bring a proxy built from other data, or label a few rows with their
    ///   group.
    struct SameSource {
        proxies: Vec<String>,
        source: String,
    } with {
        taken: Taken,
    }
}

/// What proxies of one source are taken for.
#[derive(Clone, Copy)]
enum Taken {
    /// One view.
    Together,
    /// Independent, by a number that may not stand on top.
    Apart,
    /// Independent, by a method that someone asked for or that does not need it.
    AsAsked,
}

impl Diagnosis<Looked<'_>> for SameSource {
    const CODE: &'static str = "P04";
    const TITLE: &'static str = "proxies have the same source";

    fn look(at: &Looked) -> Vec<Self> {
        // That guesses were lent is a finding of its own.
        let own = || at.legend().proxies.iter().filter(|proxy| proxy.lent_by.is_none());
        let mut sources: Vec<&String> = own().filter_map(|proxy| proxy.source.as_ref()).collect();
        sources.sort();
        sources.dedup();
        let left = at.answers.iter().any(|answers| at.relied.despite_sources(answers).is_some());
        let taken = match (at.relied.by_source(), left) {
            (_, true) => Taken::Apart,
            (true, false) => Taken::Together,
            (false, false) => Taken::AsAsked,
        };
        let of_source = |source: &String| {
            let mine = own().filter(|proxy| proxy.source.as_ref() == Some(source));
            let proxies: Vec<String> = mine.map(|proxy| proxy.name.clone()).collect();
            (proxies.len() > 1).then(|| SameSource { proxies, source: source.clone(), taken })
        };
        sources.into_iter().filter_map(of_source).collect()
    }

    fn severity(&self) -> Severity {
        match self.taken {
            Taken::Together => Severity::Info,
            Taken::Apart => Severity::Serious,
            Taken::AsAsked => Severity::Warning,
        }
    }

    fn message(&self) -> String {
        let (last, first) = self.proxies.split_last().map_or(("", &[][..]), |(last, first)| (last, first));
        let all = if first.len() == 1 { "both" } else { "all" };
        let names = format!("Proxies {} and {last} {all} come from {}", first.join(", "), self.source);
        match self.taken {
            Taken::Together => {
                format!(
                    "{names}: they count as one view, and their agreement with each other is no evidence."
                )
            }
            Taken::Apart | Taken::AsAsked => format!("{names}."),
        }
    }

    fn advice(&self) -> &'static str {
        match self.taken {
            Taken::Together => {
                "Nothing to do: mistakes these proxies share do not reach the number. Mistakes shared between sources do."
            }
            Taken::Apart => {
                "Report the range and no number: what these proxies share looks like skill, and the table cannot separate the two. Bring a proxy built from other data, or label a few rows with their group."
            }
            Taken::AsAsked => {
                "Expect shared mistakes. Treated as independent, these proxies look better than they are, and the calibrated gap comes out too small."
            }
        }
    }
}
