use crate::diagnose::{Diagnosis, Looked, Severity, finding};
use crate::labels::chosen::{REJECTED, Said};
use crate::labels::short;

finding! {
    /// # What it means
    /// Labelled rows stand for the whole table only if they were drawn from it at random, or with known chances. These rows
    ///   differ from the others in something visible: the decision, the label or the guesses.
    /// # Why it matters
    /// Labels on people who were selected say nothing about those who were not. In a simulation 200 labels, all on selected
    ///   people, turned a gap of .257 into .381.
    /// # What to do
    /// Draw the rows to be labelled at random from the whole table. If some kinds of rows were labelled more often on purpose,
    ///   give the chance of each row with {label_probability}. Until then no number uses these labels.
    struct LabelsNotRandom {
        p_value: f64,
        most: String,
        among_labelled: f64,
        among_all: f64,
    }
}

impl Diagnosis<Looked<'_>> for LabelsNotRandom {
    const CODE: &'static str = "D13";
    const TITLE: &'static str = "the labelled rows are not a random sample of the table";
    const ADVICE: &'static str = "Label rows drawn at random from the whole table, or state each row's chance of being labelled with {label_probability}.";
    const SEVERITY: Severity = Severity::Serious;

    fn look(at: &Looked) -> Option<Self> {
        let labels = at.answers.iter().find_map(|answers| answers.labels.as_ref())?;
        let chosen = labels.chosen.as_ref().filter(|chosen| chosen.p_value < REJECTED)?;
        let legend = at.legend();
        let (said, among_labelled, among_all) = chosen.most;
        let most = match said {
            Said::Stratum(stratum) => legend.stratum(stratum),
            Said::Guess(c, guess) => {
                let name = &legend.proxies[c].name;
                guess.map_or(format!("{name} silent"), |guess| format!("{name} = {}", legend.group(guess)))
            }
        };
        Some(LabelsNotRandom { p_value: chosen.p_value, most, among_labelled, among_all })
    }

    fn message(&self) -> String {
        format!(
            "{:.0} % of labelled rows have {}, but {:.0} % of all rows do (p = {} if rows were labelled at random). No number uses these labels.",
            100.0 * self.among_labelled,
            self.most,
            100.0 * self.among_all,
            short(self.p_value)
        )
    }
}
