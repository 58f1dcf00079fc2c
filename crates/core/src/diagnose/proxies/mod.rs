//! The proxies: too few, too weak, too much alike, and all that is assumed of them.

mod borrowed_guesses;
mod contradicted;
mod foreign_mechanism;
mod identical_pair;
mod independence_assumed;
mod labels_show_sharing;
mod lone_source;
mod not_testable;
mod other_people;
mod randomized_guesses;
mod reads_features;
mod same_source;
mod shares_apart;
mod sources_disagree;
mod sources_together;
mod too_few_proxies;
mod two_proxies;
mod unequal_proxies;
mod uninformative;
mod weak_agreement;

use super::{OfAudit, kinds};
pub(crate) use reads_features::reads_features;

pub(super) const KINDS: &[OfAudit] = kinds![
    uninformative::Uninformative,
    independence_assumed::IndependenceAssumed,
    too_few_proxies::TooFewProxies,
    same_source::SameSource,
    identical_pair::IdenticalPair,
    weak_agreement::WeakAgreement,
    unequal_proxies::UnequalProxies,
    not_testable::NotTestable,
    labels_show_sharing::LabelsShowSharing,
    two_proxies::TwoProxies,
    randomized_guesses::RandomizedGuesses,
    borrowed_guesses::BorrowedGuesses,
    reads_features::ReadsFeatures,
    contradicted::Contradicted,
    sources_disagree::SourcesDisagree,
    sources_together::SourcesTogether,
    shares_apart::SharesApart,
    lone_source::LoneSource,
    other_people::OtherPeople,
    foreign_mechanism::ForeignMechanism,
];
