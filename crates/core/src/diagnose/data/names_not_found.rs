use crate::counts::NameRows;
use crate::diagnose::{Diagnosis, Looked, Severity, finding};

/// A source that is silent on more than this share of the rows is told of.
const MUCH: f64 = 0.1;
/// One that knows fewer than this is likely given another column than it should be.
const FEW: f64 = 0.5;

finding! {
    /// # What it means
    /// A table of names or places does not know what a column holds on many rows. The field is empty, or it holds no name
    ///   (digits, an e-mail address, initials, letters of another script). Or it holds a whole name where a part is needed, or a
    ///   name that the table does not have. On these rows the source is silent; nothing is put in its place.
    /// # Why it matters
    /// Shares of the groups are those among people whose name is known. Rare names, and names of people who arrived recently,
    ///   are unknown more often, so a group may come out too small. The rates from one source are right as long as silence
    ///   depends on the group alone; the rates from several together are then slightly off. A table that knows fewer than half
    ///   of the names is likely looking at the wrong column: surnames where first names should be, or a number in place of a
    ///   ZIP code.
    /// # What to do
    /// Look at the column. Give first names with `{first_name}` and surnames with `{surname}`, in columns of their own; a table
    ///   of your own for another country or script goes into `{tables}`.
    struct NamesNotFound {
        source: String,
        known: f64,
        empty: f64,
        not_a_name: f64,
        whole_name: f64,
        unknown: f64,
    }
}

impl NamesNotFound {
    fn of(names: &NameRows) -> Option<Self> {
        let NameRows { known, empty, not_a_name, unknown, whole_name, .. } = names;
        let all = (known + empty + not_a_name + unknown + whole_name) as f64;
        let share = |rows: &u64| *rows as f64 / all;
        (all > 0.0 && share(known) < 1.0 - MUCH).then(|| NamesNotFound {
            source: names.source.clone(),
            known: share(known),
            empty: share(empty),
            not_a_name: share(not_a_name),
            whole_name: share(whole_name),
            unknown: share(unknown),
        })
    }
}

impl Diagnosis<Looked<'_>> for NamesNotFound {
    const CODE: &'static str = "D15";
    const TITLE: &'static str = "a table does not know many of the names or places";
    const ADVICE: &'static str = "Make sure that the column is the right one, with one part of the name. The numbers are about people whose name is found.";

    fn look(at: &Looked) -> Vec<Self> {
        at.intake().names.iter().filter_map(NamesNotFound::of).collect()
    }

    fn severity(&self) -> Severity {
        if self.known < FEW { Severity::Serious } else { Severity::Warning }
    }

    fn message(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let kinds = [
            (self.unknown, "with a name or place that it does not have"),
            (self.empty, "with nothing written"),
            (self.not_a_name, "with something other than a name or place"),
            (self.whole_name, "with a whole name"),
        ];
        let told: Vec<String> = (kinds.iter())
            .filter(|(share, _)| *share >= 0.0005)
            .map(|(share, words)| format!("{} {words}", percent(*share)))
            .collect();
        let wrong = if self.known < FEW { " Is it the right column?" } else { "" };
        format!(
            "The table of {} knows {} of the rows; it is silent on {}.{wrong}",
            self.source,
            percent(self.known),
            told.join(", ")
        )
    }
}
