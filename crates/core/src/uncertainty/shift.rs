//! Errors that shift with the decision, up to a stated size.
//!
//! Inside every group, guesses of one group are `δ(1−P)` more frequent among the selected and `δP` less frequent among the
//! others, `P` being the selected share; the others are as much less and more frequent. On average over the rows nothing
//! moves, so `T` is learned as before, and what must be true of stratum `s` moves along a line:
//! ```text
//! J_s(δ) = J_s − δ·w_s·q_s·d·T⁻¹       w_s = 1−P or −P,   q_s = P(s),   d = e_g − mean of the other e
//! ```
//! For two groups and three proxies that is `J1 = [q1 − (u0 + δ(1−P))·q]/(u1 − u0)` of the selected, and likewise with `−δP`
//! of the others.

use super::interval::Interval;
use crate::disparity::measure;
use crate::noise::{NoiseModel, TransitionMatrix};
use crate::rates::{Joint, Shares};
use crate::vocabulary::{Aggregate, Class, Criterion, Group, Stratum};
use nalgebra::{DMatrix, RowDVector};

/// Shifts tried from the largest towards one group to the largest away from it.
const STEPS: usize = 21;

/// What must be true of a table whose guesses shift with the decision.
pub(crate) struct Shifted<'a> {
    pub joint: &'a Joint<Group>,
    pub noise: &'a NoiseModel,
    pub positive: Class,
}

impl Shifted<'_> {
    /// An interval of one number, widened by all that shifts up to `most` could have done to it. `None` where that
    /// cannot be told.
    pub fn widened(
        &self,
        criterion: Criterion,
        aggregate: Aggregate,
        ends: Interval,
        most: f64,
    ) -> Option<Interval> {
        let value = |joint: &Joint<Group>| measure(joint, criterion, aggregate, self.positive).ok();
        let wide = self.moved(value, ends, most)?;
        Some(Interval { low: wide.low.max(0.0), high: wide.high.min(1.0) })
    }

    /// The same of any number of the table, as far as it goes.
    pub fn moved(
        &self,
        value: impl Fn(&Joint<Group>) -> Option<f64>,
        ends: Interval,
        most: f64,
    ) -> Option<Interval> {
        let found = value(self.joint)?;
        let mut wide = ends;
        for toward in (0..self.joint.members()).map(Group) {
            for step in 0..STEPS {
                let part = 2.0 * step as f64 / (STEPS - 1) as f64 - 1.0;
                let moved = value(&self.by(toward, part * most)?)? - found;
                wide = wide.and(Interval { low: ends.low + moved, high: ends.high + moved });
            }
        }
        Some(wide)
    }

    /// The table that explains the same guesses if those of one group shift by `delta`.
    pub fn by(&self, toward: Group, delta: f64) -> Option<Joint<Group>> {
        let mut strata = Vec::new();
        for (stratum, shares) in self.joint.strata() {
            let moved = match shares {
                Some(shares) => Some(self.stratum(stratum, shares, toward, delta)?),
                None => None,
            };
            strata.push((stratum, moved));
        }
        let joint = Joint::new(self.joint.view(), self.joint.classes(), self.joint.members(), strata);
        Some(joint.comparing(self.joint))
    }

    fn stratum(
        &self,
        stratum: Stratum,
        shares: &Shares<Group>,
        toward: Group,
        delta: f64,
    ) -> Option<Shares<Group>> {
        let groups = self.joint.members();
        let elsewhere = -1.0 / (groups - 1) as f64;
        let direction = RowDVector::from_fn(groups, |_, g| if g == toward.0 { 1.0 } else { elsewhere });
        let turned = direction * inverse(self.errors(stratum)?)?;
        let selected = self.selected(stratum.label)?;
        let weight = if stratum.prediction == self.positive { 1.0 - selected } else { -selected };
        let size = delta * weight * shares.total();
        let moved = shares.as_slice().iter().zip(turned.iter()).map(|(share, turn)| share - size * turn);
        Some(Shares::new(moved.collect::<Vec<_>>()))
    }

    /// How the proxies err in a stratum.
    fn errors(&self, stratum: Stratum) -> Option<&TransitionMatrix> {
        match self.noise {
            NoiseModel::Global(fit) => Some(&fit.value.transition),
            NoiseModel::Local(fits) => fits.get(&stratum)?.as_ref().ok().map(|fit| &fit.value.transition),
        }
    }

    /// The selected share of people with a label.
    fn selected(&self, label: Option<Class>) -> Option<f64> {
        let mine = || self.joint.strata().filter(|(stratum, _)| stratum.label == label);
        let total = |(_, shares): (Stratum, Option<&Shares<Group>>)| shares.map_or(0.0, Shares::total);
        let all: f64 = mine().map(total).sum();
        let selected: f64 =
            mine().filter(|(stratum, _)| stratum.prediction == self.positive).map(total).sum();
        (all > 0.0).then_some(selected / all)
    }
}

fn inverse(errors: &TransitionMatrix) -> Option<DMatrix<f64>> {
    let groups = errors.groups();
    DMatrix::from_fn(groups, groups, |a, g| errors.rows()[a][g]).try_inverse()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::View;
    use crate::noise::{Fit, ProxyNoise, Stopped};

    fn stratum(prediction: usize) -> Stratum {
        Stratum { label: None, prediction: Class(prediction) }
    }

    /// Half of each of two equal groups is selected; proxies are right for .8 of one and .7 of the other.
    fn table() -> (Joint<Group>, NoiseModel) {
        let strata = [0, 1].map(|k| (stratum(k), Some(Shares::new([0.25, 0.25]))));
        let transition = TransitionMatrix::new(vec![vec![0.8, 0.2], vec![0.3, 0.7]]).unwrap();
        let value = ProxyNoise {
            transition,
            by_proxy: Vec::new(),
            group_shares: Shares::new([0.5, 0.5]),
            unrandomized: Vec::new(),
        };
        let fit = Fit { value, misfit: 0.0, stopped: Stopped::ClosedForm };
        (Joint::new(View::Predictions, 2, 2, strata), NoiseModel::Global(fit))
    }

    #[test]
    fn moves_as_the_closed_form_for_two_groups_says() {
        let (joint, noise) = table();
        let shifted = Shifted { joint: &joint, noise: &noise, positive: Class(1) };
        let moved = shifted.by(Group(1), 0.05).unwrap();
        // Of the selected, half of all: q = .5, mean votes for group 1 q1 = .25·.2 + .25·.7, u0 = .2, u1 = .7.
        let selected = (0.225 - (0.2 + 0.05 * 0.5) * 0.5) / 0.5;
        let others = (0.225 - (0.2 - 0.05 * 0.5) * 0.5) / 0.5;
        assert!((moved.cell(Group(1), None, Class(1)).unwrap() - selected).abs() < 1e-12);
        assert!((moved.cell(Group(1), None, Class(0)).unwrap() - others).abs() < 1e-12);
        // Nobody comes or goes.
        assert!((moved.cell(Group(0), None, Class(1)).unwrap() - (0.5 - selected)).abs() < 1e-12);
    }

    #[test]
    fn a_shift_towards_either_group_widens_what_is_possible() {
        let (joint, noise) = table();
        let shifted = Shifted { joint: &joint, noise: &noise, positive: Class(1) };
        let narrow = Interval { low: 0.0, high: 0.02 };
        let wide = |most| {
            shifted.widened(Criterion::DemographicParity, Aggregate::Difference, narrow, most).unwrap()
        };
        assert_eq!(wide(0.0), narrow);
        // A shift of .05 moves each rate by .05 of its group: .1 between them.
        assert!((wide(0.05).high - 0.12).abs() < 1e-9, "{:?}", wide(0.05));
    }
}
