use super::{Diagnosis, Evidence, Severity};
use crate::noise::{Fit, ProxyNoise, Stopped};
use crate::vocabulary::Group;

#[doc = include_str!("texts/N05.md")]
pub(super) struct Boundary {
    pub place: String,
    pub group: String,
    pub guess: String,
    pub misfit: f64,
}

impl Diagnosis for Boundary {
    const CODE: &'static str = "N05";
    const TITLE: &'static str = "a probability was estimated as zero";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn message(&self) -> String {
        format!(
            "Among {}, the best explanation says that group {} is never guessed as {}; without the bound at zero it \
             would go below.",
            self.place, self.group, self.guess
        )
    }

    fn advice(&self) -> String {
        "With few rows this is chance. With many it says that the proxies do not err independently and alike."
            .into()
    }

    fn evidence(&self) -> Vec<(&'static str, Evidence)> {
        vec![
            ("place", self.place.as_str().into()),
            ("group", self.group.as_str().into()),
            ("guess", self.guess.as_str().into()),
            ("misfit", self.misfit.into()),
        ]
    }
}

/// The solver works on logits, where zero is far away: entries below this are on their way there.
const ZERO: f64 = 1e-5;
/// Below this misfit the moments are matched: a zero is then the answer and not a bound.
const MATCHED: f64 = 1e-9;

/// An entry of `T` that the bound at zero holds back.
pub(super) fn at_zero(fit: &Fit<ProxyNoise>) -> Option<(Group, usize)> {
    let t = &fit.value.transition;
    let entries = (0..t.groups()).flat_map(|a| (0..t.groups()).map(move |g| (a, g)));
    let bound = fit.stopped != Stopped::ClosedForm && fit.misfit > MATCHED;
    entries.filter(|_| bound).find(|(a, g)| t.rows()[*a][*g] < ZERO).map(|(a, g)| (Group(a), g))
}
