use crate::diagnose::{Diagnosis, Looked, Severity, finding};

finding! {
    /// # What it means
    /// Nobody stated their group. It was inferred from names or places with a published table, for all rows together. The
    ///   table, the people it is about and the share of rows that it knows are printed.
    /// # Why it matters
    /// Readers should know what the numbers rest on. A table knows which names were common in which group among its own people.
    /// # What to do
    /// Say in a report that groups were inferred, from what, and for how many rows nothing was known.
    struct NamesLookedUp {
        source: String,
        table: String,
        people: String,
        known: f64,
    }
}

impl Diagnosis<Looked<'_>> for NamesLookedUp {
    const CODE: &'static str = "D17";
    const TITLE: &'static str = "groups were inferred from names or places";
    const SEVERITY: Severity = Severity::Info;
    const ADVICE: &'static str = "Say so in your report, and say whose names the table covers.";

    fn look(at: &Looked) -> Vec<Self> {
        let share = |names: &crate::counts::NameRows| {
            let all = names.known + names.empty + names.not_a_name + names.unknown + names.whole_name;
            names.known as f64 / all.max(1) as f64
        };
        let of = |names: &crate::counts::NameRows| NamesLookedUp {
            source: names.source.clone(),
            table: names.table.clone(),
            people: names.about.clone(),
            known: share(names),
        };
        at.intake().names.iter().map(of).collect()
    }

    fn message(&self) -> String {
        format!(
            "By {}: table {}, which knows {:.1} % of the rows. {}.",
            self.source,
            self.table,
            100.0 * self.known,
            self.people
        )
    }
}
