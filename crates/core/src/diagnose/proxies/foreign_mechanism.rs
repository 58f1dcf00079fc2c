use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::vocabulary::{Group, Guess};

finding! {
    /// # What it means
    /// A mechanism file was given, and the table's guesses cannot have come out of it: a group is guessed less often than the mechanism
    ///   reports it by chance alone, or more often than it ever reports it.
    /// # Why it matters
    /// The mechanism is undone as the file says. If it was applied to other guesses, or never, undoing it makes numbers that mean
    ///   nothing. Files that only changed on their way here (a join, another format, fewer rows) do not show this sign.
    /// # What to do
    /// Give the file that was written beside the randomised table. Leave `{mechanism}` out where guesses were not randomised.
    struct ForeignMechanism {
        proxy: String,
        group: String,
        /// How often the group is guessed.
        share: f64,
        /// The end of what the mechanism can give that it lies beyond.
        possible: f64,
    }
}

/// Standard errors from which it is no chance: every group of every proxy is looked at.
const CLEAR: f64 = 5.0;

impl Diagnosis<Looked<'_>> for ForeignMechanism {
    const CODE: &'static str = "P21";
    const TITLE: &'static str = "the mechanism was not applied to these guesses";
    const ADVICE: &'static str = "Do not use these numbers. Give the mechanism file of this table, or leave {mechanism} out if nothing was randomised.";

    fn look(at: &Looked) -> Vec<Self> {
        let (legend, seen) = (at.legend(), at.counts.frequencies());
        let mut found = Vec::new();
        for id in legend.all_proxies().filter(|id| legend.proxies[id.0].lent_by.is_none()) {
            let Some(response) = at.counts.mechanism(id) else { continue };
            let told = |guess: Option<usize>| -> f64 {
                let is = |g: &Guess| guess.is_none_or(|guess| g.0 == guess);
                let some =
                    seen.cells().iter().filter(|(cell, _)| cell.guesses[id.0].as_ref().is_some_and(is));
                some.map(|(_, share)| share).sum()
            };
            let all = told(None);
            let rows = at.counts.effective_rows() * all;
            if rows <= 0.0 {
                continue;
            }
            for group in 0..legend.groups.len() {
                let share = told(Some(group)) / all;
                let chances = || response.rows().iter().map(|row| row[group]);
                let least = chances().fold(1.0, f64::min);
                let most = chances().fold(0.0, f64::max);
                let reach = |p: f64| CLEAR * (p * (1.0 - p) / rows).sqrt();
                let possible = if share < least - reach(least) {
                    least
                } else if share > most + reach(most) {
                    most
                } else {
                    continue;
                };
                let proxy = legend.proxies[id.0].name.clone();
                found.push(ForeignMechanism {
                    proxy,
                    group: legend.group(Group(group)).to_owned(),
                    share,
                    possible,
                });
                // One group says it all: with two, the other says the same.
                break;
            }
        }
        found
    }

    fn severity(&self) -> Severity {
        Severity::Serious
    }

    fn message(&self) -> String {
        let end = if self.share < self.possible { "at least" } else { "at most" };
        format!(
            "Proxy {} guesses {} on {:.1} % of the rows, and the mechanism that was given reports it on {end} {:.1} %, whatever the guesses \
             were. It belongs to another table, or was never applied.",
            self.proxy,
            self.group,
            100.0 * self.share,
            100.0 * self.possible
        )
    }
}
