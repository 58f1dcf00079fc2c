use crate::diagnose::{Diagnosis, Looked, finding};
use crate::vocabulary::Criterion;

finding! {
    /// # What it means
    /// Sampling error leaves more than half of all possible rates of a group open, or its estimate fits no population. The
    ///   group is not compared, and the headline is about the other groups.
    /// # Why it matters
    /// The largest gap is the largest over all groups. A group that is small, or that the proxies can hardly tell from the
    ///   others, would set it by chance. Nothing is said about how its people are treated.
    /// # What to do
    /// Use more rows, label rows of people of that group, or add a proxy that recognises it. Merge it with another group only
    ///   where that answers a question.
    struct GroupLeftOut {
        group: String,
        criteria: String,
    }
}

impl Diagnosis<Looked<'_>> for GroupLeftOut {
    const CODE: &'static str = "U06";
    const TITLE: &'static str = "a group cannot be compared";
    const ADVICE: &'static str = "Use more rows, label rows ({audit_labels}) of people of this group, or add a proxy that tells it from the others.";

    fn look(at: &Looked) -> Vec<Self> {
        let of_group = |group: &String| {
            let without = |criterion: &Criterion| {
                let mut mine = at.results.iter().filter(|result| result.criterion == *criterion);
                mine.any(|result| result.left_out.contains(group))
            };
            let criteria: Vec<&str> =
                Criterion::ALL.iter().filter(|one| without(one)).map(|one| one.words()).collect();
            let criteria = criteria.join(", ");
            (!criteria.is_empty()).then(|| GroupLeftOut { group: group.clone(), criteria })
        };
        at.legend().groups.iter().filter_map(of_group).collect()
    }

    fn message(&self) -> String {
        format!(
            "Too little is known about the rates of group {} to compare it in {}; the numbers are about the other groups.",
            self.group, self.criteria
        )
    }
}
