//! What proxies that err independently make of a table: one likelihood for all strata, or one for each.
//!
//! Both scopes are asked the same: the table they find likeliest, tables drawn around it, and the same after a little of
//! the agreement was taken out of the rows. With a likelihood for each stratum its share of the rows is drawn beside it.

use super::bootstrap::multinomial;
use super::intervals::{Asked, Model};
use super::likelihood::Fitness;
use crate::counts::{Cell, Frequencies, View};
use crate::estimate::{Errors, Explained};
use crate::rates::{Joint, Shares};
use crate::vocabulary::{Group, Scope, Stratum};
use nalgebra::DMatrix;

/// An explanation by independent errors, as the maximum of its likelihood.
pub(crate) struct Independent {
    errors: Errors,
    parts: Parts,
}

enum Parts {
    Together(Box<Model>),
    Apart(Vec<Part>),
}

/// A stratum whose errors are its own.
struct Part {
    stratum: Stratum,
    share: f64,
    model: Model,
}

/// Past this fits of every stratum take longer than they are worth.
const MOST_GROUPS_APART: usize = 5;

impl Independent {
    /// The maximum near an explanation. `None` where the likelihood cannot be formed.
    pub fn near(
        seen: &Frequencies,
        rows: f64,
        (errors, scope): (Errors, Scope),
        explained: &Explained,
    ) -> Option<Self> {
        let parts = match scope {
            Scope::Global => Parts::Together(Box::new(Model::near(seen, rows, errors, explained)?)),
            Scope::Local => Parts::Apart(each_stratum(seen, |_, alone, share| {
                Model::near(alone, rows * share, errors, explained)
            })?),
        };
        Some(Independent { errors, parts })
    }

    /// The same of a table that differs little.
    pub fn again(&self, seen: &Frequencies, rows: f64) -> Option<Self> {
        let parts = match &self.parts {
            Parts::Together(model) => Parts::Together(Box::new(model.again(seen, rows, self.errors)?)),
            Parts::Apart(parts) => Parts::Apart(each_stratum(seen, |stratum, alone, share| {
                let part = parts.iter().find(|part| part.stratum == stratum)?;
                part.model.again(alone, rows * share, self.errors)
            })?),
        };
        Some(Independent { errors: self.errors, parts })
    }

    /// The likelihood of all strata together.
    pub fn together(&self) -> Option<&Model> {
        match &self.parts {
            Parts::Together(model) => Some(model),
            Parts::Apart(_) => None,
        }
    }

    /// The likeliest table.
    pub fn joint(&self, view: View, classes: usize) -> Joint<Group> {
        match &self.parts {
            Parts::Together(model) => model.joint(view, classes),
            Parts::Apart(parts) => {
                joint_of(view, classes, parts, |i| (parts[i].share, parts[i].model.shares().clone()))
            }
        }
    }

    /// Tables drawn around the likeliest, with the covariance of the likelihood.
    pub fn draws(
        &self,
        view: View,
        classes: usize,
        asked: Asked,
        rows: f64,
    ) -> Option<Vec<Option<Joint<Group>>>> {
        let parts = match &self.parts {
            Parts::Together(model) => return model.joint_draws(view, classes, asked),
            Parts::Apart(parts) => parts,
        };
        let shares: Vec<f64> = parts.iter().map(|part| part.share).collect();
        // Every stratum has a stream of its own.
        let seed = |i: usize| asked.seed.wrapping_add(0x5151 * (i as u64 + 1));
        let drawn = |(i, part): (usize, &Part)| part.model.shares_drawn(Asked { seed: seed(i), ..asked });
        let drawn: Vec<_> = parts.iter().enumerate().map(drawn).collect::<Option<_>>()?;
        let table = |index: usize| {
            crate::watch::pause();
            let shares = multinomial(&shares, rows, asked.seed, index as u64);
            let within: Option<Vec<&DMatrix<f64>>> = drawn.iter().map(|part| part[index].as_ref()).collect();
            let within = within?;
            Some(joint_of(view, classes, parts, |i| (shares[i], within[i].clone())))
        };
        Some((0..asked.draws).map(table).collect())
    }

    /// The strata, and how far one more row in each of some cells would move the shares of groups in them. With a likelihood for
    /// each stratum a row moves the mix of groups in its own, and the share of all.
    pub fn moved(&self, cells: &[Cell]) -> Option<(Vec<Stratum>, Vec<DMatrix<f64>>)> {
        let parts = match &self.parts {
            Parts::Together(model) => {
                return model.moved(cells).map(|(strata, moved)| (strata.to_vec(), moved));
            }
            Parts::Apart(parts) => parts,
        };
        let groups = parts.first()?.model.shares().nrows();
        let moved = |cell: &Cell| {
            let own = parts.iter().position(|part| part.stratum == cell.stratum)?;
            let (_, within) = parts[own].model.moved(std::slice::from_ref(cell))?;
            Some(DMatrix::from_fn(groups, parts.len(), |a, s| {
                let (mix, share) = (parts[s].model.shares()[(a, 0)], parts[s].share);
                if s == own { mix * (1.0 - share) + within[0][(a, 0)] } else { -mix * share }
            }))
        };
        let strata = parts.iter().map(|part| part.stratum).collect();
        Some((strata, cells.iter().map(moved).collect::<Option<_>>()?))
    }

    /// Twice the gain in log-likelihood of errors that every stratum has for itself over errors that all share. `None`
    /// where there are too few proxies or strata, or too many groups.
    pub fn own_noise(&self, seen: &Frequencies, rows: f64) -> Option<Fitness> {
        let together = self.together()?;
        let views = if self.errors == Errors::BySource { seen.sources.views() } else { seen.proxies() };
        if seen.groups() > MOST_GROUPS_APART || views < 3 {
            return None;
        }
        let parts = each_stratum(seen, |_, alone, share| together.within(alone, rows * share, self.errors))?;
        let of_part = |part: &Part| part.model.log_likelihood() + rows * part.share * part.share.ln();
        let apart: f64 = parts.iter().map(of_part).sum();
        let free: usize = parts.iter().map(|part| part.model.freedom() + 1).sum();
        let freedom = (free - 1).checked_sub(together.freedom()).filter(|freedom| *freedom > 0)?;
        Some(Fitness { statistic: (2.0 * (apart - together.log_likelihood())).max(0.0), freedom })
    }
}

fn each_stratum(
    seen: &Frequencies,
    model: impl Fn(Stratum, &Frequencies, f64) -> Option<Model>,
) -> Option<Vec<Part>> {
    let part = |(stratum, cells): (Stratum, &[(Cell, f64)])| {
        let share: f64 = cells.iter().map(|(_, share)| share).sum();
        Some(Part { stratum, share, model: model(stratum, &seen.only(cells, share), share)? })
    };
    seen.strata().map(part).collect()
}

/// A table of strata, each with its share of the rows and its mix of groups.
fn joint_of(
    view: View,
    classes: usize,
    parts: &[Part],
    of: impl Fn(usize) -> (f64, DMatrix<f64>),
) -> Joint<Group> {
    let groups = parts.first().map_or(0, |part| part.model.shares().nrows());
    let strata = parts.iter().enumerate().map(|(i, part)| {
        let (share, mix) = of(i);
        (part.stratum, Some(Shares::new(mix.iter().map(|p| p * share).collect::<Vec<_>>())))
    });
    Joint::new(view, classes, groups, strata)
}
