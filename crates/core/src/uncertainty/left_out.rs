//! Groups of whom too little is known to compare them with the others.
//!
//! A group of a few people, or one that the proxies hardly tell, may have any rate. In a comparison of all groups its noise
//! would be the headline, or take it away; so it is left out of the comparisons, by name, and the others are compared.

use super::attach::Doubts;
use super::interval::Interval;
use crate::criterion::Proportion;
use crate::disparity::{Pair, pairs};
use crate::rates::Joint;
use crate::vocabulary::{Aggregate, Axis, Class, Criterion, Group};
use std::borrow::Cow;

/// For each criterion the groups that are not compared, by place.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftOut(Vec<(Criterion, Vec<usize>)>);

/// A rate of which more than this share of what is possible is left open says nothing.
const OPEN: f64 = 0.5;
/// Fewer groups cannot be compared without one of them.
const LEAST_GROUPS: usize = 3;

/// The place of the largest difference among the aggregates.
const LARGEST: usize = Aggregate::Difference as usize;
/// A group is rare beside the others where it has less than this part of the next one's people.
const RARE: f64 = 0.5;

/// The group of fewest people, if it is rare beside the others.
fn rarest(joint: &Joint<Group>) -> Option<usize> {
    let share = |a: Group| Some((joint.share(a).ok()?, a.index()));
    let mut shares: Vec<(f64, usize)> = joint.axis().map(share).collect::<Option<_>>()?;
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    match shares.as_slice() {
        [(least, place), (next, _), ..] if *least < RARE * next => Some(*place),
        _ => None,
    }
}

impl LeftOut {
    /// The groups of a table whose rates no population can have, of which chance leaves nearly everything open, or whose gap to
    /// every other group may be nearly anything. None where fewer than two would be left, and where all groups are tellable.
    pub fn note(&mut self, criterion: Criterion, joint: &Joint<Group>, positive: Class, doubts: &Doubts) {
        let told = criterion.spec().told(joint.classes(), positive);
        let cannot_be = |a: &Group| {
            let rate = |rate: &Proportion| joint.proportion(*a, *rate);
            told.iter().any(|one| !rate(one).is_ok_and(|rate| (-1e-9..=1.0 + 1e-9).contains(&rate)))
        };
        let doubt = doubts.about(criterion);
        let open = |a: &Group| {
            let ends = doubt.map_or(&[][..], |doubt| &doubt.spread.rates);
            let mut mine = ends.iter().skip(a.index()).step_by(joint.members());
            mine.any(|ends| ends.width() > OPEN)
        };
        let found = pairs(joint, criterion, positive);
        let ranges = doubt.map_or(&[][..], |doubt| match &doubt.honest {
            Some(Ok(range)) => &range.pairs,
            _ => &doubt.spread.pairs,
        });
        let apart = |a: &Group| {
            let all_wide = |rate: &Proportion| {
                let with = |pair: &Pair<Group>| (pair.a == *a || pair.b == *a) && pair.rate == *rate;
                let mut mine = found.iter().zip(ranges).filter(|(pair, _)| with(pair)).peekable();
                mine.peek().is_some() && mine.all(|(_, ends)| ends.width() > OPEN)
            };
            told.iter().any(all_wide)
        };
        let unclear = |a: &Group| cannot_be(a) || open(a) || apart(a);
        let mut places: Vec<usize> = joint.axis().filter(unclear).map(|a| a.index()).collect();
        let nothing = |range: Interval| range.low <= 0.0 && range.width() > OPEN;
        let range = doubt.and_then(|doubt| doubt.honest.as_ref()?.as_ref().ok()?.values[LARGEST]);
        let enough =
            |places: &[usize]| joint.members() >= LEAST_GROUPS && joint.members() - places.len() >= 2;
        if (places.is_empty() || !enough(&places)) && range.is_some_and(nothing) {
            // One group of few people can leave every gap open where mistakes may be shared.
            places = rarest(joint).into_iter().collect();
        }
        if enough(&places) && !places.is_empty() {
            self.0.push((criterion, places));
        }
    }

    /// The criteria in which some group is left out.
    pub fn criteria(&self) -> impl Iterator<Item = Criterion> {
        self.0.iter().map(|(criterion, _)| *criterion)
    }

    /// The groups that are left out of one.
    pub fn of(&self, criterion: Criterion) -> &[usize] {
        self.0.iter().find(|(other, _)| *other == criterion).map_or(&[], |(_, places)| places)
    }

    /// A table that compares the others.
    pub fn table<'j, A: Axis>(&self, joint: &'j Joint<A>, criterion: Criterion) -> Cow<'j, Joint<A>> {
        match self.of(criterion) {
            [] => Cow::Borrowed(joint),
            places => Cow::Owned(joint.clone().leaving_out(places)),
        }
    }
}
