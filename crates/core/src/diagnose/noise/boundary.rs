use crate::diagnose::{Diagnosis, Fitted, Looked, finding};
use crate::noise::{Fit, ProxyNoise, Stopped};
use crate::vocabulary::Group;

finding! {
    /// # What it means
    /// With more than two groups, error rates are found by matching the frequencies of pairs and triples as closely as
    ///   probabilities can. The closest match has a probability of zero, and would go below zero if it could: the fit is held
    ///   by that bound.
    /// # Why it matters
    /// Rare mistakes make this happen by chance. With many rows, it shows that the proxies do not err independently and equally
    ///   often. With two groups such a table is refused; with more the bounded fit is given, with this warning.
    /// # What to do
    /// Look at the transition matrix: if the zero is implausible and the table is large, doubt the proxies' independence.
    struct Boundary {
        place: String,
        group: String,
        guess: String,
        misfit: f64,
    }
}

impl Diagnosis<Looked<'_>> for Boundary {
    const CODE: &'static str = "N05";
    const TITLE: &'static str = "a probability was estimated as zero";
    const ADVICE: &'static str = "With few rows this is chance. With many it shows that the proxies do not err independently and equally often.";

    fn look(at: &Looked) -> Vec<Self> {
        let name = |group| at.legend().group(Group(group)).to_owned();
        let held_back = |Fitted { place, fit, .. }: Fitted| {
            let (group, guess) = at_zero(fit)?;
            Some(Boundary { place, group: name(group), guess: name(guess), misfit: fit.misfit })
        };
        at.fits().into_iter().filter_map(held_back).collect()
    }

    fn message(&self) -> String {
        format!(
            "Among {}, the best explanation says that group {} is never guessed as {}; without the bound at zero it \
             would go below.",
            self.place, self.group, self.guess
        )
    }
}

/// The solver works on logits, where zero is far away: entries below this are on their way there.
const ZERO: f64 = 1e-5;
/// Below this misfit the moments are matched: a zero is then the answer and not a bound.
const MATCHED: f64 = 1e-9;

/// An entry of `T` that the bound at zero holds back.
fn at_zero(fit: &Fit<ProxyNoise>) -> Option<(usize, usize)> {
    let t = &fit.value.transition;
    let entries = (0..t.groups()).flat_map(|a| (0..t.groups()).map(move |g| (a, g)));
    let bound = fit.stopped != Stopped::ClosedForm && fit.misfit > MATCHED;
    entries.filter(|_| bound).find(|(a, g)| t.rows()[*a][*g] < ZERO)
}
