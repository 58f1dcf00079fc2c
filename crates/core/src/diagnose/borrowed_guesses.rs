use super::{Diagnosis, Evidence, Severity};
use crate::counts::{Borrowed, BorrowedGuesses as Guesses, ComparedPairs};
use crate::noise::ProxyNoise;
use crate::vocabulary::{Group, Guess};

#[doc = include_str!("texts/P12.md")]
pub(super) struct BorrowedGuesses {
    /// Proxies whose guesses were lent.
    pub proxies: Vec<String>,
    /// What is known about it; nothing where a table came with lent guesses as columns.
    pub borrowed: Option<Borrowed>,
    /// How often guesses of neighbours would differ if they were of one group and erred as estimated.
    pub expected: Option<f64>,
}

impl BorrowedGuesses {
    /// Pairs of neighbours that differ this much more often than others are no longer alike.
    const NOTABLE: f64 = 0.02;
    /// Standard errors.
    const CLEAR: f64 = 4.0;

    pub(super) fn of(proxies: Vec<String>, borrowed: Option<Borrowed>, noise: Option<&ProxyNoise>) -> Self {
        let expected = noise.map(|noise| {
            let groups = noise.transition.groups();
            let same = |a: usize| -> f64 {
                (0..groups).map(|g| noise.transition[(Group(a), Guess(g))].powi(2)).sum()
            };
            1.0 - (0..groups).map(|a| noise.group_shares[Group(a)] * same(a)).sum::<f64>()
        });
        BorrowedGuesses { proxies, borrowed, expected }
    }

    /// Whether pairs that should differ equally often do not, for any proxy.
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

impl Diagnosis for BorrowedGuesses {
    const CODE: &'static str = "P12";
    const TITLE: &'static str = "guesses are borrowed from nearest neighbours";

    fn severity(&self) -> Severity {
        let unlike = self.borrowed.as_ref().and_then(|b| b.clusterability).is_some_and(|share| share < 0.9);
        if self.borrowed.is_none() || unlike || self.uneven() { Severity::Warning } else { Severity::Info }
    }

    fn message(&self) -> String {
        let mut text = format!(
            "The guesses of {} are compared with those of each row's two nearest neighbours. That is right if neighbours are of \
             one group, and if the proxy's errors do not follow the features by which they are near.",
            self.proxies.join(", ")
        );
        let Some(borrowed) = &self.borrowed else {
            text += " Which rows share a neighbour is not in the table, so intervals are as wide as for neighbours met by chance; \
                     `audit --features` knows better.";
            return text;
        };
        text += &format!(
            " Near is by {} over {} ({} numbers), search {}{}.",
            borrowed.metric,
            borrowed.features,
            borrowed.dimensions,
            borrowed.search,
            borrowed.recall.map_or(String::new(), |recall| format!(" with recall {recall:.3}"))
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
        if let Some(expected) = self.expected {
            text += &format!(
                " If neighbours are of one group and the proxies err as estimated, all of these would be {:.1} %.",
                100.0 * expected
            );
        }
        if borrowed.duplicates > 0 {
            text += &format!(" {} rows have a neighbour with exactly their features.", borrowed.duplicates);
        }
        if let Some(share) = borrowed.clusterability {
            text += &format!(
                " By the true groups, both neighbours are of the row's own for {:.1} % of rows.",
                100.0 * share
            );
        }
        text
    }

    fn advice(&self) -> String {
        "Say beside the number that it rests on neighbours. A proxy that is computed from the same features, without noise of its \
         own, agrees with its neighbours in its mistakes and looks nearly perfect when it is not: nothing in the table can rule that \
         out. Randomising its guesses does not help: the noise is undone, its own mistakes are not. Use features that the proxy does \
         not see, bring two further proxies, or label a few rows (--audit-labels)."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        let borrowed = self.borrowed.as_ref();
        let number = |value: Option<f64>| value.map_or(Evidence::Nothing, Evidence::from);
        vec![
            ("proxies", self.proxies.as_slice().into()),
            ("expected_to_differ", number(self.expected)),
            ("duplicates", number(borrowed.map(|b| b.duplicates as f64))),
            ("recall", number(borrowed.and_then(|b| b.recall))),
            ("clusterability", number(borrowed.and_then(|b| b.clusterability))),
        ]
    }
}
