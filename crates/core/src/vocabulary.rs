//! The words of the domain as types: what is seen and what is inferred cannot be mixed up.
//!
//! A tilde in the paper is a [`Guess`] here; its absence is a [`Group`].

pub use crate::criterion::Criterion;
pub use crate::named::{Choice, UnknownName};

use crate::named::named;
use crate::setting::visible;

/// A group as it truly is (`A` in the paper). Never observed, except in simulated worlds and labelled samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group(pub usize);

/// What a proxy guessed (`Ã` in the paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guess(pub usize);

/// A class of the audited model: a prediction `f(X)` or a label `Y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(pub usize);

/// Which proxy: its position among the proxies of one [`Legend`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProxyId(pub usize);

/// What a table of shares or rates is split by: the true [`Group`], or a proxy's [`Guess`] of it.
pub trait Axis: Copy + Ord + std::fmt::Debug {
    /// The member at position `index`.
    fn at(index: usize) -> Self;
    /// The position of this member.
    fn index(self) -> usize;
}

impl Axis for Group {
    fn at(index: usize) -> Self {
        Group(index)
    }
    fn index(self) -> usize {
        self.0
    }
}

impl Axis for Guess {
    fn at(index: usize) -> Self {
        Guess(index)
    }
    fn index(self) -> usize {
        self.0
    }
}

/// One cell of prediction and label (`k ⊗ y` in the paper). The label is absent where none was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stratum {
    /// The label `Y`, if the row has one.
    pub label: Option<Class>,
    /// The prediction `f(X)`.
    pub prediction: Class,
}

named! {
    /// How the gaps between groups become one number. The same words mean different numbers elsewhere, so
    /// a disparity always names its aggregate.
    pub enum Aggregate {
        /// The paper's: mean absolute gap over all pairs of groups and all classes (and labels). 0 is no gap.
        MeanPairwise = "mean_pairwise",
        /// Largest minus smallest group rate of the positive class; for equalized odds the worse of the gaps in
        /// true and false positive rates. 0 is no gap.
        Difference = "difference",
        /// Smallest over largest group rate of the positive class, never inverted. 1 is no gap.
        Ratio = "ratio",
    }

    /// What being selected means to a person: words and colours of reports follow it.
    pub enum SelectedIs {
        /// A loan, a job: who is selected less often is worse off.
        Good = "good",
        /// A fraud alarm, a high risk: who is selected more often is worse off.
        Adverse = "adverse",
    }

    /// One transition matrix for all strata, or one for each (Global and Local in the paper).
    pub enum Scope {
        /// The proxies err alike whatever the model decided: one `T`.
        Global = "global",
        /// The proxies may err differently where the model decided differently: one `T` for each stratum.
        Local = "local",
    }

    /// What a disparity was computed from.
    pub enum Basis {
        /// One proxy's guesses taken at their word (Base in the paper).
        Proxy = "proxy",
        /// All proxies' guesses as weights (Soft in the paper).
        Soft = "soft",
        /// The proxies' error estimated and undone.
        Calibrated = "calibrated",
        /// The same, with rows whose group is known.
        AuditSample = "audit_sample",
        /// Rows whose group is known, read directly.
        LabelledRows = "labelled_rows",
    }

    /// How the proxies' error was learned.
    pub enum Estimator {
        /// Moments of proxies that err independently ([`Hoc`](crate::estimate::Hoc)).
        Hoc = "hoc",
        /// Maximum likelihood of latent classes ([`LatentClass`](crate::estimate::LatentClass)).
        LatentClass = "latent-class",
        /// Rows whose group is known ([`AuditSample`](crate::estimate::AuditSample)).
        Audit = "audit",
        /// Error rates from elsewhere ([`Given`](crate::estimate::Given)).
        Given = "given",
        /// How sure probabilities are ([`ConfidentJoint`](crate::estimate::ConfidentJoint)).
        ConfidentJoint = "confident-joint",
        /// Rows whose group is known, and no model of errors ([`labels`](crate::labels)).
        Regression = "regression",
        /// Probabilities as evidence of the group ([`evidence`](crate::evidence)).
        Evidence = "evidence",
        /// Decisions regressed on probabilities ([`evidence`](crate::evidence)).
        Linear = "linear",
    }
}

impl Estimator {
    /// The name in running text.
    pub fn words(self) -> &'static str {
        match self {
            Estimator::Hoc => "HOC",
            Estimator::LatentClass => "latent class",
            Estimator::Audit => "the audit sample",
            Estimator::Given => "given error rates",
            Estimator::ConfidentJoint => "confident joint",
            Estimator::Regression => "the regression on labelled rows",
            Estimator::Evidence => "probabilities as evidence",
            Estimator::Linear => "the regression on probabilities",
        }
    }
}

impl Estimator {
    /// It learns how the proxies err, and not only what the groups are.
    pub fn learns_errors(self) -> bool {
        !matches!(self, Estimator::Regression | Estimator::Evidence | Estimator::Linear)
    }
}

impl Basis {
    /// Whether a number is inferred about groups, and not read from what was guessed.
    pub fn is_inferred(self) -> bool {
        matches!(self, Basis::Calibrated | Basis::AuditSample | Basis::LabelledRows)
    }
}

/// A proxy: the column it came from and where its knowledge came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// The name of the column.
    pub name: String,
    /// The source of its knowledge (`census`, `ssa`), if the user said it.
    pub source: Option<String>,
    /// The proxy whose guesses these are, where they were lent by the rows' nearest neighbours.
    pub lent_by: Option<String>,
}

/// The names behind the numbers of one table: groups, classes and proxies, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// Names of the groups; a [`Group`] or [`Guess`] is a position here.
    pub groups: Vec<String>,
    /// Names of the classes; a [`Class`] is a position here.
    pub classes: Vec<String>,
    /// The class that counts as selected, granted, positive.
    pub positive: Class,
    /// The name of the column of predictions.
    pub prediction: String,
    /// The name of the column of labels, if the table has one.
    pub label: Option<String>,
    /// What labels call the classes, where that differs from the names of decisions (repaid and not approved).
    pub label_classes: Option<Vec<String>>,
    /// The proxies; a [`ProxyId`] is a position here.
    pub proxies: Vec<Proxy>,
}

impl Legend {
    /// The same with names as they may be shown, whatever stands in them ([`visible`]).
    #[must_use]
    pub fn visible(&self) -> Legend {
        let shown = |name: &String| visible(name).into_owned();
        let proxy = |proxy: &Proxy| Proxy {
            name: shown(&proxy.name),
            source: proxy.source.as_ref().map(shown),
            lent_by: proxy.lent_by.as_ref().map(shown),
        };
        Legend {
            groups: self.groups.iter().map(shown).collect(),
            classes: self.classes.iter().map(shown).collect(),
            positive: self.positive,
            prediction: shown(&self.prediction),
            label: self.label.as_ref().map(shown),
            label_classes: self.label_classes.as_ref().map(|names| names.iter().map(shown).collect()),
            proxies: self.proxies.iter().map(proxy).collect(),
        }
    }

    /// A legend with made-up names (`group 1`, `class 0`, `proxy_1`), positive class last.
    pub fn plain(groups: usize, classes: usize, proxies: usize, labelled: bool) -> Self {
        let proxy = |c| Proxy { name: format!("proxy_{}", c + 1), source: None, lent_by: None };
        Legend {
            groups: (0..groups).map(|a| format!("group {}", a + 1)).collect(),
            classes: (0..classes).map(|k| k.to_string()).collect(),
            positive: Class(classes.saturating_sub(1)),
            prediction: "y_pred".into(),
            label: labelled.then(|| "y_true".into()),
            label_classes: None,
            proxies: (0..proxies).map(proxy).collect(),
        }
    }

    /// The name of a group, or of the group that a guess names.
    pub fn group<A: Axis>(&self, a: A) -> &str {
        &self.groups[a.index()]
    }

    /// The name of a class.
    pub fn class(&self, class: Class) -> &str {
        &self.classes[class.0]
    }

    /// All groups in order.
    pub fn all_groups(&self) -> impl Iterator<Item = Group> + Clone + use<> {
        (0..self.groups.len()).map(Group)
    }

    /// All proxies in order.
    pub fn all_proxies(&self) -> impl Iterator<Item = ProxyId> + Clone + use<> {
        (0..self.proxies.len()).map(ProxyId)
    }

    /// A stratum in words: `approved = 1, repaid = 0`.
    pub fn stratum(&self, stratum: Stratum) -> String {
        let prediction = self.decision(stratum.prediction);
        match stratum.label {
            Some(label) => format!("{prediction}, {}", self.label(label)),
            None => prediction,
        }
    }

    /// A decision in words: `approved = 1`.
    pub fn decision(&self, prediction: Class) -> String {
        format!("{} = {}", self.prediction, self.class(prediction))
    }

    /// A label in words: `repaid = 0`.
    pub fn label(&self, label: Class) -> String {
        format!("{} = {}", self.label.as_deref().unwrap_or("label"), self.label_class(label))
    }

    /// The name of a class among labels.
    pub fn label_class(&self, class: Class) -> &str {
        self.label_classes.as_ref().map_or_else(|| self.class(class), |names| &names[class.0])
    }
}
