use crate::counts::{Borrowed, BorrowedGuesses as Guesses, ComparedPairs};
use crate::diagnose::{Diagnosis, Looked, Severity, finding, lent};
use crate::setting::{Setting, Text};
use crate::text;
use crate::vocabulary::{Group, Guess};

finding! {
    /// # What it means
    /// There are fewer than three proxies, so each row borrowed the guesses of its two nearest neighbours (Algorithm 2 of the
    ///   paper). Three guesses about what is taken to be one group then show how the proxy errs.
    /// # Why it matters
    /// Two things must hold. Neighbours must be of the same group (clusterability): where 10, 20 and 36 % of rows had a
    ///   neighbour of another group, error rates came out .04, .07 and .13 off. And the proxy's mistakes must not follow the
    ///   features: a proxy computed from the same features makes the same mistake for a row and its neighbours, agrees with
    ///   itself, and looks nearly perfect. A proxy right for 57 and 63 % was estimated at 94 and 93 %. No table without known
    ///   groups can rule that out. If neighbours were alike, a row and its nearest, a row and its second, and the two
    ///   neighbours would differ equally often; where they do not, clusterability fails.
    /// # What to do
    /// Use neighbours for proxies whose mistakes are noise, or that see other data than the features. Randomising a proxy that
    ///   reads the features does not help: what was added is undone, and the proxy's own mistakes stay shared. Otherwise bring
    ///   two more proxies, or label a few hundred rows. Say beside the number that it rests on neighbours.
    struct BorrowedGuesses {
        /// Proxies whose guesses were lent.
        proxies: Vec<String>,
        /// How often guesses of neighbours would differ if they were of one group and erred as estimated.
        expected_to_differ: Option<f64>,
        duplicates: Option<f64>,
        recall: Option<f64>,
        clusterability: Option<f64>,
    } with {
        /// Nothing where a table came with lent guesses as columns.
        borrowed: Option<Borrowed>,
    }
}

impl BorrowedGuesses {
    /// Pairs of neighbours that differ this much more often than others are no longer alike.
    const NOTABLE: f64 = 0.02;
    /// Standard errors.
    const CLEAR: f64 = 4.0;

    /// Pairs that should differ equally often do not, for some proxy.
    fn uneven(&self) -> bool {
        let uneven = |proxy: &Guesses| {
            let shares: Vec<(f64, f64)> = proxy.pairs.iter().filter_map(share).collect();
            let most = shares.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0));
            let least = shares.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0));
            most.zip(least).is_some_and(|((most, error), (least, other))| {
                most - least > Self::NOTABLE && most - least > Self::CLEAR * error.hypot(other)
            })
        };
        self.borrowed.iter().flat_map(|borrowed| &borrowed.proxies).any(uneven)
    }
}

/// The share of pairs that differ, with its standard error.
pub(super) fn share(pairs: &ComparedPairs) -> Option<(f64, f64)> {
    let (compared, differ) = (pairs.compared as f64, pairs.differ as f64);
    let share = differ / compared;
    (compared > 0.0).then(|| (share, (share * (1.0 - share) / compared).sqrt()))
}

impl Diagnosis<Looked<'_>> for BorrowedGuesses {
    const CODE: &'static str = "P12";
    const TITLE: &'static str = "guesses are borrowed from nearest neighbours";
    const ADVICE: &'static str = "Say beside the number that it rests on neighbours. A proxy that is computed from the same features, without noise of its \
             own, agrees with its neighbours in its mistakes and looks nearly perfect when it is not: nothing in the table can rule that \
             out. Randomising its guesses does not help: the noise is undone, its own mistakes are not. Use features that the proxy does \
             not see, bring two further proxies, or label a few rows ({audit_labels}).";

    fn look(at: &Looked) -> Option<Self> {
        let mut proxies = lent(at.legend());
        proxies.sort();
        proxies.dedup();
        let expected_to_differ = at.by_moments().map(|noise| {
            let groups = noise.transition.groups();
            let same = |a: usize| -> f64 {
                (0..groups).map(|g| noise.transition[(Group(a), Guess(g))].powi(2)).sum()
            };
            1.0 - (0..groups).map(|a| noise.group_shares[Group(a)] * same(a)).sum::<f64>()
        });
        let borrowed = at.intake().borrowed.as_ref();
        (!proxies.is_empty()).then(|| BorrowedGuesses {
            proxies,
            expected_to_differ,
            duplicates: borrowed.map(|borrowed| borrowed.duplicates as f64),
            recall: borrowed.and_then(|borrowed| borrowed.recall),
            clusterability: borrowed.and_then(|borrowed| borrowed.clusterability),
            borrowed: borrowed.cloned(),
        })
    }

    fn severity(&self) -> Severity {
        let unlike = self.clusterability.is_some_and(|share| share < 0.9);
        if self.borrowed.is_none() || unlike || self.uneven() { Severity::Warning } else { Severity::Info }
    }

    fn message(&self) -> Text {
        let mut text = format!(
            "The guesses of {} are compared with those of each row's two nearest neighbours. That works if neighbours belong to one group, and if the proxy's errors do not follow the features that make them near.",
            self.proxies.join(", ")
        );
        let Some(borrowed) = &self.borrowed else {
            let unknown = " The table does not say which rows share a neighbour, so intervals are as wide as for random neighbours; `audit ";
            return text![text, unknown, Setting::Features, "` does better."];
        };
        text += &format!(
            " Distance: {} over {} ({} numbers); search: {}{}.",
            borrowed.metric,
            borrowed.features,
            borrowed.dimensions,
            borrowed.search,
            self.recall.map_or(String::new(), |recall| format!(" with recall {recall:.3}"))
        );
        for proxy in &borrowed.proxies {
            let percent = |pairs: &ComparedPairs| {
                share(pairs).map_or("no".to_string(), |(share, _)| format!("{:.1}", 100.0 * share))
            };
            let [first, second, between] = proxy.pairs.each_ref().map(percent);
            text += &format!(
                " {}: a row differs from its nearest neighbour on {first} % of pairs, from its second on {second} %, and these \
                 two from each other on {between} %.",
                proxy.proxy
            );
        }
        if let Some(expected) = self.expected_to_differ {
            text += &format!(
                " If neighbours belonged to one group and the proxies erred as estimated, all of these would be {:.1} %.",
                100.0 * expected
            );
        }
        if borrowed.duplicates > 0 {
            text += &format!(" {} rows have a neighbour with exactly their features.", borrowed.duplicates);
        }
        if let Some(share) = self.clusterability {
            text +=
                &format!(" For {:.1} % of rows, both neighbours are of the row's true group.", 100.0 * share);
        }
        text.into()
    }
}
