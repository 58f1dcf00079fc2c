//! What reports say of each estimator.

use fairveil_core::Estimator;

/// What reports say of an estimator.
pub(crate) struct EstimatorWords {
    /// How error rates come about: `how the proxies err (learned from agreement)`.
    pub how: &'static str,
    /// The same of one matrix: `Learned from agreement (hoc)`.
    pub matrix: &'static str,
    /// The same in whole sentences.
    pub learned: &'static str,
    /// What numbers assume that rest on it.
    pub assumes: &'static str,
    /// The same where each proxy errs at rates of its own, if that differs.
    pub assumes_of_each: Option<&'static str>,
    /// Learned from agreement alone, so that lent guesses stand for it.
    pub by_agreement: bool,
    /// Its line among the words of a page and its paragraph among the methods.
    pub reference: Reference,
}

/// What a page says of a method at its end.
pub(crate) struct Reference {
    pub term: &'static str,
    pub meaning: &'static str,
    pub method: &'static str,
}

/// What numbers assume that rest on guesses lent by nearest neighbours.
pub(crate) const LENT: &str = "This is right if a row and its nearest neighbours belong to one group, and if the proxy's mistakes \
     are unrelated to the features by which neighbours are found.";

/// What numbers assume that rest on sources.
pub(crate) const BY_SOURCE: &str = "This is right if different sources err independently, except where noted. Proxies of one source \
     count as one view and may share any mistake.";

/// What numbers assume that rest on no estimator.
pub(crate) const DIRECT: &str = "Gaps read directly from proxies are usually smaller than the true gap.";

const HOC: EstimatorWords = EstimatorWords {
    how: "learned from agreement",
    matrix: "Learned from agreement (hoc)",
    learned: "Learned from how the proxies agree and disagree. Nobody's group was known.",
    assumes: "This is right if the proxies err alike and independently, except where noted.",
    assumes_of_each: None,
    by_agreement: true,
    reference: Reference {
        term: "hoc",
        meaning: "Error rates that explain how often three proxies guess the same (high-order consensus), solved exactly.",
        method: "High-order consensus (hoc) looks for the error rates and group shares that give the agreement of three proxies \
             exactly as it was counted.",
    },
};

const LATENT_CLASS: EstimatorWords = EstimatorWords {
    matrix: "Learned from agreement (latent-class)",
    assumes_of_each: Some(
        "This is right if the proxies err independently, except where noted, each at rates of its own.",
    ),
    reference: Reference {
        term: "latent-class",
        meaning: "The error rates that make the counted table most likely: for all proxies together, for each, or for each source.",
        method: "Latent class looks for the error rates and group shares that make the counted table most likely, with one table \
             of error rates for all proxies, one for each, or one for each source.",
    },
    ..HOC
};

const AUDIT: EstimatorWords = EstimatorWords {
    how: "learned from labelled rows",
    matrix: "Learned from labelled rows (audit)",
    learned: "Learned from the rows whose group is known, together with what the proxies guess on all others. Any mistake that \
         proxies share shows there.",
    assumes: "This is right if the known groups are right, their rows were chosen at random, and the proxies err alike within a \
     group whatever the decision. Proxies may share any mistake.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Reference {
        term: "audit",
        meaning: "Error rates learned from rows whose group is known (the audit sample). Mistakes that proxies share show there.",
        method: "The audit sample shows how people of a known group are guessed, by all proxies at once and with every mistake \
             they share. The other rows show how such people are mixed. Both together are made most likely.",
    },
};

const GIVEN: EstimatorWords = EstimatorWords {
    how: "as given",
    matrix: "As given",
    learned: "Given from elsewhere. Nothing about the errors was learned from this table.",
    assumes: "This is right if the proxies err here as they did where the rates come from. The interval takes those rates for exact.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Reference {
        term: "given",
        meaning: "Error rates from elsewhere, such as an earlier study. They are undone, not checked.",
        method: "Given error rates are taken as they are and undone by the first equation.",
    },
};

const CONFIDENT_JOINT: EstimatorWords = EstimatorWords {
    how: "counted where probabilities are surest",
    matrix: "Counted where probabilities are surest (confident-joint)",
    learned: "Counted where probabilities are surest: a row whose probability of a group is at least the mean one among rows \
         guessed to be in it counts as in it. Nobody's group was known.",
    assumes: "This is right if a proxy's probabilities know better than its guess. Where both come from one source they do not, \
     and the number stays near what the proxy shows directly.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Reference {
        term: "confident-joint",
        meaning: "Error rates counted on the rows whose probabilities are surest. Shown for comparison.",
        method: "The confident joint counts, among rows guessed to be in one group, those whose probability of another is at \
             least the mean one among rows guessed to be in that one. It is shown for comparison.",
    },
};

const REGRESSION: EstimatorWords = EstimatorWords {
    how: "not estimated",
    matrix: "Not estimated (regression)",
    learned: "Nothing is assumed about the errors: the labelled rows show how far a prediction from the guesses is off.",
    assumes: "This is right if the known groups are right and their rows were chosen at random, or as stated. It assumes nothing \
     about the proxies.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Reference {
        term: "Labelled rows, regression",
        meaning: "What the guesses predict about everyone, corrected by how far they are off on the labelled rows.",
        method: "The regression predicts the group from decision, label and guesses, each labelled row from the others. To the \
             mean prediction over all rows it adds the mean error on labelled ones. A poor prediction makes it less sure, not wrong.",
    },
};

const EVIDENCE: EstimatorWords = EstimatorWords {
    how: "as the tables of the sources say",
    matrix: "As the tables say (evidence)",
    learned: "Nothing is learned from agreement. A table says how much likelier a name, or a probability, is in one group than in \
         another.",
    assumes: "This is right if a name, or a probability, says as much here as among the people it was counted from, and is \
     unrelated to the decision inside a group.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Reference {
        term: "Evidence",
        meaning: "The group shares in each part of the table that make the names, or probabilities, seen there most likely.",
        method: "A table of names says how often a bearer belongs to each group among its own people. Divided by the groups' \
             shares there, that is how much likelier the name is in one group than in another. The group shares among the selected, \
             and among the others, are those that make the names seen there most likely.",
    },
};

const LINEAR: EstimatorWords = EstimatorWords {
    how: "not estimated",
    matrix: "Not estimated (linear)",
    learned: "Nothing is learned about errors: decisions are regressed on the probability of each group.",
    assumes: "This shows too large a gap where people who look like members of a group are treated like them, and the true gap \
     where decisions follow the group alone.",
    assumes_of_each: None,
    by_agreement: false,
    reference: Reference {
        term: "Regression on probabilities",
        meaning: "The rate of decisions where a group is certain, along a straight line through all rows. Usually the upper end.",
        method: "Decisions are regressed on the probabilities of the groups. The rate of a group is the line's value where its \
             probability is one. Weights show too small a gap and this shows too large a one, if decisions follow the group and its \
             probability in the same direction.",
    },
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
