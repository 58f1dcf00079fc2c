use crate::diagnose::{Diagnosis, Looked, finding};

finding! {
    /// # What it means
    /// Two proxies were given the same `SOURCE` in `{proxy=COLUMN:SOURCE}`.
    /// # Why it matters
    /// Proxies built from the same data share mistakes. Two models of the same surname agree with a correlation of
    ///   .80 to .88 given race; a first name and a surname with .04 to .17. Shared mistakes make the proxies look
    ///   better than they are and the calibrated gap too small.
    /// # What to do
    /// Replace one of the two by a proxy built from other data.
    struct SameSource {
        proxies: [String; 2],
        source: String,
    }
}

impl Diagnosis<Looked<'_>> for SameSource {
    const CODE: &'static str = "P04";
    const TITLE: &'static str = "proxies have the same source";
    const ADVICE: &'static str = "Expect shared mistakes, which make proxies look better than they are and the calibrated gap too small. Replace \
         one by a proxy built from other data.";

    fn look(at: &Looked) -> Vec<Self> {
        let same = |pair: [usize; 2]| {
            let [first, second] = pair.map(|i| &at.legend().proxies[i]);
            // That guesses were lent is a finding of its own.
            let lent = first.lent_by.is_some() || second.lent_by.is_some();
            let source = first.source.clone().filter(|_| first.source == second.source && !lent)?;
            Some(SameSource { proxies: [first.name.clone(), second.name.clone()], source })
        };
        at.pairs().filter_map(same).collect()
    }

    fn message(&self) -> String {
        format!("Proxies {} and {} both come from {}.", self.proxies[0], self.proxies[1], self.source)
    }
}
