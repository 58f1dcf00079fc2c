//! What reports say of each estimator.

use fairveil_core::Estimator;

/// What reports say of an estimator.
pub(crate) struct EstimatorWords {
    /// How error rates come about: `how the proxies err (estimated from agreement)`.
    pub how: &'static str,
    /// The same of one matrix: `Estimated (hoc)`.
    pub matrix: &'static str,
    /// The same in whole sentences.
    pub learned: &'static str,
    /// What numbers assume that rest on it.
    pub assumes: &'static str,
    /// The same where each proxy errs at rates of its own, if that differs.
    pub assumes_of_each: Option<&'static str>,
    /// Learned from agreement alone, so that lent guesses stand for it.
    pub by_agreement: bool,
    /// Its line among the words of a page and its paragraph among the methods; the first method needs neither.
    pub reference: Option<Reference>,
}

/// What a page says of a method at its end.
pub(crate) struct Reference {
    pub term: &'static str,
    pub meaning: &'static str,
    pub method: &'static str,
}

/// What numbers assume that rest on guesses lent by nearest neighbours.
pub(crate) const LENT: &str = "Calibrated numbers assume that a row and its nearest neighbours are of one group, and that the proxy's mistakes do not \
     follow the features by which they are near. We estimate; see what to doubt, below.";

/// What numbers assume that rest on sources.
pub(crate) const BY_SOURCE: &str = "Calibrated numbers assume that different sources err independently of each other as far as not said otherwise. Proxies of \
     one source count as one view and may share any mistakes. We estimate; see what to doubt, below.";

/// What numbers assume that rest on no estimator.
pub(crate) const DIRECT: &str =
    "Numbers read directly from proxies usually show less than the true gap. See what to doubt, below.";

const HOC: EstimatorWords = EstimatorWords {
    how: "estimated from agreement",
    matrix: "Estimated (hoc)",
    learned: "Learned from how the proxies agree and disagree, not from anyone's group.",
    assumes: "Calibrated numbers assume that the proxies err alike, and independently of each other as far as not said \
     otherwise. We estimate; see what to doubt, below.",
    assumes_of_each: None,
    by_agreement: true,
    reference: None,
};

const LATENT_CLASS: EstimatorWords = EstimatorWords {
    matrix: "Estimated (latent-class)",
    assumes_of_each: Some(
        "Calibrated numbers assume that the proxies err independently of each other as far as not said \
         otherwise, each at rates of its own. We estimate; see what to doubt, below.",
    ),
    reference: Some(Reference {
        term: "Latent class",
        meaning: "Error rates by maximum likelihood, for all proxies together, for each alone, or for each source.",
        method: "Latent class looks for the error rates and group shares under which the counted table is most likely, with \
             one table of error rates for all proxies, one for each, or one for each source.",
    }),
    ..HOC
};

const AUDIT: EstimatorWords = EstimatorWords {
    how: "estimated from the audit sample",
    matrix: "Estimated (audit)",
    learned: "Learned from the audit sample, the rows whose group is known, together with what the proxies guess on all \
         others. Whatever mistakes the proxies share show in the sample.",
    assumes: "The audit sample assumes that its labels are right, that its rows were chosen at random, and \
     that within a group the proxies err alike whatever the decision. They may share any mistakes. We estimate; see what to \
     doubt, below.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Some(Reference {
        term: "Audit sample",
        meaning: "Rows whose group is known. They show how the proxies err, whatever mistakes these share.",
        method: "The audit sample says how people of a known group are guessed, by all proxies at once and with every mistake \
             that these share; the other rows say how such people are mixed. Both together are made most likely.",
    }),
};

const GIVEN: EstimatorWords = EstimatorWords {
    how: "as given",
    matrix: "As given",
    learned: "Given from elsewhere: nothing about the errors was learned from this table.",
    assumes: "Numbers from given error rates assume that the proxies err here as they did where the rates come \
     from, and take those rates for exact: how sure they are is not in the interval. We estimate; see what to doubt, below.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Some(Reference {
        term: "Given",
        meaning: "Error rates from elsewhere, such as an earlier study. They are undone, not checked.",
        method: "Given error rates are taken as they are and undone by the first equation.",
    }),
};

const CONFIDENT_JOINT: EstimatorWords = EstimatorWords {
    how: "counted where probabilities are sure",
    matrix: "Estimated (confident-joint)",
    learned: "Counted from how sure probabilities are: rows whose probability of a group is no less than the mean one among \
         rows guessed to be of it are taken to be of it. Nobody's group was known.",
    assumes: "The confident joint assumes that a proxy's probabilities know better than its guess. Where \
     both come from one source they do not, and the number stays near what the proxy shows directly. See what to doubt, below.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Some(Reference {
        term: "Confident joint",
        meaning: "Error rates counted from the rows about which probabilities are surest. For comparison.",
        method: "The confident joint counts, among rows guessed to be of one group, those whose probability of another is no \
             less than the mean one among rows guessed to be of that. It is shown for comparison.",
    }),
};

const REGRESSION: EstimatorWords = EstimatorWords {
    how: "not estimated",
    matrix: "Not estimated (regression)",
    learned: "Nothing about the errors is taken for granted: the labelled rows themselves say how far a prediction from the \
         guesses is off.",
    assumes: "The regression assumes that the labels are right and that the labelled rows were chosen at random, or as stated. \
     It assumes nothing about the proxies. We estimate; see what to doubt, below.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Some(Reference {
        term: "Labelled rows, regression",
        meaning: "What the guesses predict about everyone, put right by how far they are off on the labelled rows.",
        method: "The regression predicts the group from decision, label and guesses, each labelled row by the others, and adds \
             to the mean prediction over all rows the mean of what it gets wrong on labelled ones. A poor prediction makes it \
             less sure, not wrong.",
    }),
};

const EVIDENCE: EstimatorWords = EstimatorWords {
    how: "as the tables of the sources say",
    matrix: "As the tables say (evidence)",
    learned: "Nothing about errors is learned from agreement: a table says how much likelier a name, or a probability, is in one \
         group than in another.",
    assumes: "Evidence assumes that a name, or a probability, is as telling here as among the people it was made from, and that inside \
     a group it does not go with the decision. We estimate; see what to doubt, below.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Some(Reference {
        term: "Evidence",
        meaning: "Group shares in every part of the table that make the names, or probabilities, seen there most likely.",
        method: "A table of names says how often a bearer is of each group among its own people. Divided by the groups' shares among \
             these, that is how much likelier the name is in one group than in another, here as there. The shares of the groups \
             among the selected and among the others are those under which the names seen there are most likely.",
    }),
};

const LINEAR: EstimatorWords = EstimatorWords {
    how: "not estimated",
    matrix: "Not estimated (linear)",
    learned: "Nothing about errors is learned: decisions are regressed on the probability of each group.",
    assumes: "The regression on probabilities shows too much of a gap where people who look like members of a group are decided \
     like them, and the true rate where decisions follow the group alone. See what to doubt, below.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Some(Reference {
        term: "Regression on probabilities",
        meaning: "The rate of decisions where a group is certain, along a straight line through all rows. Usually an upper end.",
        method: "Decisions are regressed on the probabilities of the groups; the rate of a group is where its probability is one. \
             Probabilities as weights show too little of a gap and this shows too much, if decisions go with the group and with \
             its probability in the same direction.",
    }),
};

impl EstimatorWords {
    pub fn of(estimator: Estimator) -> &'static Self {
        match estimator {
            Estimator::Hoc => &HOC,
            Estimator::LatentClass => &LATENT_CLASS,
            Estimator::Audit => &AUDIT,
            Estimator::Given => &GIVEN,
            Estimator::ConfidentJoint => &CONFIDENT_JOINT,
            Estimator::Regression => &REGRESSION,
            Estimator::Evidence => &EVIDENCE,
            Estimator::Linear => &LINEAR,
        }
    }
}
