use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::privacy::Epsilon;
use crate::vocabulary::ProxyId;

finding! {
    /// # What it means
    /// The table's proxies were randomised on purpose (`{!privatize}`): each guess was replaced by another with stated
    ///   probabilities, so what is written about a person is only weak evidence: it changes the odds by at most a factor of e
    ///   to the epsilon. The audit was given the mechanism file and undoes exactly what it says.
    /// # Why it matters
    /// The probabilities of the mechanism are known, so nothing about them is estimated. How the original guesses err remains
    ///   to be learned, from weaker evidence. Numbers read directly from randomised proxies are far too small, and mean little.
    ///   An epsilon belongs to the mechanism that was applied; it says nothing about how good the proxies are.
    /// # What to do
    /// Report the calibrated number with its interval. Where a probability of the proxies' own errors comes out far outside 0
    ///   to 1, the mechanism file may belong to another table, or the proxies do not err independently.
    struct RandomizedGuesses {
        proxies: Vec<String>,
        /// Spent by all together.
        epsilon: Epsilon,
        /// How far outside 0 to 1 the entry of `T` before lies that is farthest.
        outside: Option<f64>,
    } with {
        /// Spent by each.
        spent: Vec<Epsilon>,
    }
}

/// Past this chance alone does not make an impossible probability in a table that says anything.
const FAR: f64 = 0.05;

impl Diagnosis<Looked<'_>> for RandomizedGuesses {
    const CODE: &'static str = "P11";
    const TITLE: &'static str = "guesses were randomised before they were counted";
    const ADVICE: &'static str = "Report the calibrated number. Its interval is wider than that of the same guesses in the clear; \
             `{!privatize} {report}` shows by how much for other values of epsilon.";

    fn look(at: &Looked) -> Option<Self> {
        let legend = at.legend();
        let own = legend.all_proxies().filter(|id| legend.proxies[id.0].lent_by.is_none());
        let spent =
            |id: ProxyId| Some((legend.proxies[id.0].name.clone(), at.counts.mechanism(id)?.epsilon()));
        let (proxies, spent): (Vec<String>, Vec<Epsilon>) = own.filter_map(spent).unzip();
        let noise = at.by_moments().into_iter();
        let entries = noise.flat_map(|noise| noise.unrandomized.iter().flatten().flatten());
        let outside = entries.map(|p| (-p).max(p - 1.0)).filter(|off| *off > 0.0).max_by(f64::total_cmp);
        let epsilon = spent.iter().copied().sum();
        (!proxies.is_empty()).then_some(RandomizedGuesses { proxies, epsilon, outside, spent })
    }

    fn severity(&self) -> Severity {
        if self.outside.is_some_and(|off| off > FAR) { Severity::Warning } else { Severity::Info }
    }

    fn message(&self) -> String {
        let each = self.proxies.iter().zip(&self.spent);
        let each: Vec<String> = each.map(|(proxy, epsilon)| format!("{proxy} (epsilon {epsilon})")).collect();
        let together = match each.len() {
            1 => String::new(),
            _ => format!(" Together they spend an epsilon of {} on each person.", self.epsilon),
        };
        let outside = match self.outside {
            Some(off) => format!(
                " After undoing it, an error probability is {off:.3} outside 0 to 1. That may be chance, proxies that do not err as assumed, or the mechanism of another table."
            ),
            None => String::new(),
        };
        format!(
            "According to the mechanism file, randomised response was applied to {}. Its probabilities are known, so they are undone, not estimated. Numbers read directly from these proxies show less of a gap than the original guesses did.{together}{outside}",
            each.join(", ")
        )
    }
}
