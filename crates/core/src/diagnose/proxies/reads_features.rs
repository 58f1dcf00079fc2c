use super::borrowed_guesses::share;
use crate::answers::Answers;
use crate::counts::{BorrowedGuesses, Cell, ComparedPairs, Counts, Shades};
use crate::diagnose::{Diagnosis, Evidence, Looked, Severity, finding, lent};
use crate::noise::ProxyNoise;
use crate::uncertainty::agreement;
use crate::vocabulary::{Estimator, ProxyId, Scope};

finding! {
    /// # What it means
    /// Guesses were borrowed from nearest neighbours, and the proxy may compute its guess from the same features, or from what
    ///   they imply. One of five signs was seen: rows with equal features get equal guesses; nearer rows agree more; guesses
    ///   around rows come in all shades, where a few groups would make a few; the proxy comes out as nearly perfect; or two
    ///   proxies agree with their neighbours far more than with each other.
    /// # Why it matters
    /// Nearest neighbours show how a proxy errs only if its errors are noise. A function of the features makes the same mistake
    ///   for a row and its neighbours. They agree, and agreement is taken for skill: on real features a proxy right for 57 and
    ///   63 % came out as right for 94 and 93 %. The calibrated gap then stays where the proxy alone puts it. A proxy that
    ///   truly is nearly perfect looks the same; the table cannot tell the two apart. Shades are also seen where near rows are
    ///   often of different groups; the calibrated gap is then too large, and is not to be relied on either.
    /// # What to do
    /// Ask how the proxy was made. If it reads the features (a face classifier and face embeddings), take other features or
    ///   other proxies, or label a few rows and use `{audit_labels}`. If its guesses were randomised, give the mechanism
    ///   (`{mechanism}`): it shows a proxy that is nearly perfect before, while noise hides all other signs but shades. A function whose
    ///   values are as far apart as the groups, with noise added, may show no sign at all; and shades need some thousand rows.
    struct ReadsFeatures {
        proxy: String,
        sign: Sign,
        observed: f64,
        compared_with: Option<f64>,
    }
}

/// A sign of a proxy that is computed from the features by which neighbours are near.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sign {
    /// Rows with exactly the same features get the same guess more often than other neighbours.
    Duplicates,
    /// The nearer two rows are, the more often they get the same guess.
    Nearness,
    /// The chance of a guess has more values around rows than there are groups.
    Shades,
    /// By its neighbours the proxy hardly ever errs.
    Perfect,
    /// Two proxies agree with their neighbours far more than with each other.
    OtherProxy,
}

impl From<&Sign> for Evidence {
    fn from(sign: &Sign) -> Self {
        let name = match sign {
            Sign::Duplicates => "duplicates",
            Sign::Nearness => "nearness",
            Sign::Shades => "shades",
            Sign::Perfect => "perfect",
            Sign::OtherProxy => "other_proxy",
        };
        Evidence::Text(name.into())
    }
}

/// Standard errors from which a difference is no chance: several are looked at.
const CLEAR: f64 = 3.0;
/// Guesses of the nearest pairs differ at most this share as often as those of the farthest. Where only clusterability
/// fell with distance, seldom below 0.85 on real features; for functions of the features, 0.2 to 0.75.
const NOTABLE: f64 = 0.8;
/// By how much a fourth moment may be larger than groups make it. Where neighbours are of one group for 84 % and more it was 0.2 at most
/// and the number was within a tenth of the gap; functions of features that halved the gap had 0.3 to 1.1.
const SHADED: f64 = 0.25;
/// Standard errors from which shades are not taken for chance: one good table in twenty would show so much. Small tables show shades
/// dimly, and a number that is half the gap does more harm than one that is withheld.
const LIKELY: f64 = 1.645;
/// A proxy that is right this often needs no calibration, and is rare.
const PERFECT: f64 = 0.9;

impl ReadsFeatures {
    /// Proxies that look as if they followed from the features by which neighbours are near.
    fn all(counts: &Counts, noise: Option<&ProxyNoise>) -> Vec<Self> {
        let lent = lent(counts.legend());
        let mut found: Vec<Self> = match &counts.intake().borrowed {
            Some(borrowed) => {
                borrowed.proxies.iter().filter_map(|guesses| Self::of(guesses, noise)).collect()
            }
            None => lent.iter().filter_map(|proxy| Self::by_itself(proxy, noise?)).collect(),
        };
        if !lent.is_empty() {
            found.extend(Self::against_each_other(counts));
        }
        found
    }

    fn of(guesses: &BorrowedGuesses, noise: Option<&ProxyNoise>) -> Option<Self> {
        let less = |few: &ComparedPairs, many: &ComparedPairs| {
            let ((few, error), (many, other)) = (share(few)?, share(many)?);
            (few < NOTABLE * many && many - few > CLEAR * error.hypot(other).max(1e-9)).then_some((few, many))
        };
        let all = guesses.pairs[..2].iter().fold(ComparedPairs::default(), |sum, pairs| ComparedPairs {
            compared: sum.compared + pairs.compared,
            differ: sum.differ + pairs.differ,
        });
        // None of many duplicates differing has no error of its own: that of the others decides.
        let duplicates = share(&guesses.duplicates).zip(share(&all)).and_then(|((among, _), (others, _))| {
            let error = (others * (1.0 - others) / guesses.duplicates.compared as f64).sqrt();
            (among < NOTABLE * others && others - among > CLEAR * error).then_some((among, others))
        });
        let [near, _, far] = &guesses.by_distance;
        let proxy = guesses.proxy.clone();
        if let Some((observed, others)) = duplicates {
            Some(ReadsFeatures { proxy, sign: Sign::Duplicates, observed, compared_with: Some(others) })
        } else if let Some((observed, far)) = less(near, far) {
            Some(ReadsFeatures { proxy, sign: Sign::Nearness, observed, compared_with: Some(far) })
        } else if let Some(observed) = Self::shaded(guesses, noise) {
            Some(ReadsFeatures { proxy, sign: Sign::Shades, observed, compared_with: None })
        } else {
            Self::by_itself(&proxy, noise?)
        }
    }

    /// By how much the chance of a guess around rows varies beyond what groups explain, if clearly.
    fn shaded(guesses: &BorrowedGuesses, noise: Option<&ProxyNoise>) -> Option<f64> {
        let beyond = |shades: &Shades| {
            let explained = match noise {
                Some(noise) => of_groups(noise, shades.group)?,
                None if guesses.shades.len() == 1 => 0.0,
                None => return None,
            };
            let beyond = shades.excess - explained;
            (beyond > SHADED.max(LIKELY * shades.error)).then_some(beyond)
        };
        guesses.shades.iter().filter_map(beyond).max_by(f64::total_cmp)
    }

    /// All that a table with lent guesses as columns can show.
    fn by_itself(proxy: &str, noise: &ProxyNoise) -> Option<Self> {
        // Before any randomisation, about the group that it knows least.
        let rows = noise.unrandomized.first().map_or(noise.transition.rows(), Vec::as_slice);
        let observed = rows.iter().enumerate().map(|(a, row)| row[a]).min_by(f64::total_cmp)?;
        let proxy = proxy.to_owned();
        (observed >= PERFECT).then_some(ReadsFeatures {
            proxy,
            sign: Sign::Perfect,
            observed,
            compared_with: None,
        })
    }

    /// Proxies whose errors are noise agree with each other as the geometric mean of their agreement with themselves:
    /// all of it is the group. Exact for two groups.
    fn against_each_other(counts: &Counts) -> Option<Self> {
        let legend = counts.legend();
        let own: Vec<ProxyId> =
            legend.all_proxies().filter(|id| legend.proxies[id.0].lent_by.is_none()).collect();
        let [first, second] = own[..] else { return None };
        let name = |id: ProxyId| legend.proxies[id.0].name.clone();
        let lent = |of: ProxyId| {
            legend.all_proxies().find(|id| legend.proxies[id.0].lent_by.as_ref() == Some(&name(of)))
        };
        let seen = counts.frequencies();
        let between = |a: ProxyId, b: ProxyId| {
            let pair = |(cell, share): &(Cell, f64)| {
                (Cell { guesses: [cell.guesses[a.0], cell.guesses[b.0]].into(), ..cell.clone() }, *share)
            };
            agreement(&seen.of_proxies(seen.cells().iter().map(pair).collect(), &[a, b]))
        };
        let itself = [between(first, lent(first)?)?, between(second, lent(second)?)?];
        let within = (itself[0].max(0.0) * itself[1].max(0.0)).sqrt();
        let between = between(first, second)?;
        let clearly = (within - between) * counts.effective_rows().sqrt() > 5.0;
        let proxy = name(if itself[0] >= itself[1] { first } else { second });
        (clearly && between < NOTABLE * within).then_some(ReadsFeatures {
            proxy,
            sign: Sign::OtherProxy,
            observed: within,
            compared_with: Some(between),
        })
    }
}

/// What [`Shades`] would be if a guess had one chance for each group.
fn of_groups(noise: &ProxyNoise, guess: usize) -> Option<f64> {
    let chances: Vec<(f64, f64)> = noise
        .group_shares
        .as_slice()
        .iter()
        .zip(noise.transition.rows())
        .map(|(share, row)| Some((*share, *row.get(guess)?)))
        .collect::<Option<_>>()?;
    let mean: f64 = chances.iter().map(|(share, chance)| share * chance).sum();
    let moment =
        |power: i32| chances.iter().map(|(share, chance)| share * (chance - mean).powi(power)).sum::<f64>();
    let second = moment(2);
    (second > 0.0).then(|| moment(4) / second.powi(2) - moment(3).powi(2) / second.powi(3) - 1.0)
}

/// The reason not to rely on anything that agreement says, if a proxy may follow from the features. Any sign will do: six pixels with
/// noise showed only that of a proxy too good to be true, and the number was a fifth of the gap.
pub(crate) fn reads_features(counts: &Counts, about_all: Option<&Answers>) -> Option<String> {
    let noise = about_all.and_then(|answers| answers.by_scope(Estimator::Hoc, Scope::Global)?.one_matrix());
    let found = ReadsFeatures::all(counts, noise);
    let most = found.iter().max_by_key(|found| found.severity())?;
    Some(format!(
        "proxy {} may be a function of the features that make neighbours near (finding P13), so its agreement with them says nothing about its errors",
        most.proxy
    ))
}

impl Diagnosis<Looked<'_>> for ReadsFeatures {
    const CODE: &'static str = "P13";
    const TITLE: &'static str = "the proxy may be a function of the features";
    const ADVICE: &'static str = "Do not rely on this number unless the proxy's noise is known to be independent of the features. Take features that the \
         proxy does not see, bring proxies from other sources, or label a few rows.";

    fn look(at: &Looked) -> Vec<Self> {
        if lent(at.legend()).is_empty() { Vec::new() } else { Self::all(at.counts, at.by_moments()) }
    }

    /// A proxy may be as good as it looks.
    fn severity(&self) -> Severity {
        if self.sign == Sign::Perfect { Severity::Warning } else { Severity::Serious }
    }

    fn message(&self) -> String {
        let (here, there) = (self.observed, self.compared_with.unwrap_or_default());
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let sign = match self.sign {
            Sign::Duplicates => format!(
                "rows with exactly the same features differ in their guess on {}, other neighbours on {}",
                percent(here),
                percent(there)
            ),
            Sign::Nearness => format!(
                "the nearest third of neighbours differ in their guess on {}, the farthest on {}",
                percent(here),
                percent(there)
            ),
            Sign::Shades => format!(
                "around rows the chance of a guess comes in all shades ({here:.2} beyond what the groups explain, where 0.8 is a chance \
                 that is as often one number as another and up to {SHADED} is no sign), or near rows are often of different groups"
            ),
            Sign::Perfect => {
                format!("by its neighbours it is right for at least {} of every group", percent(here))
            }
            Sign::OtherProxy => format!(
                "it agrees with its neighbours ({here:.2} beyond chance) far more than with the other proxy ({there:.2})"
            ),
        };
        format!(
            "Proxy {} seems to compute its guess from the features that make neighbours near: {sign}. It then repeats its \
             mistakes among neighbours, its errors are underestimated, and the calibrated gap is too small, by as much as if \
             nothing had been calibrated.",
            self.proxy
        )
    }
}
