//! How the proxies err, by every method and in every stratum.

use crate::audit::words;
use crate::plot::Plot;
use crate::plot::matrix::matrix;
use crate::sentence::Sentence;
use fairveil_core::Audit;
use fairveil_core::record::NoiseRecord;

/// The matrices of the method relied on, and all others, which say whose they are.
pub(crate) fn matrices(audit: &Audit) -> (Vec<Plot>, Vec<Plot>) {
    let relied: Vec<usize> = words::relied(audit).into_iter().map(|(i, _)| i).collect();
    let plot = |i: usize, first: bool| {
        let record = audit.noise.get(i)?;
        let plot = matrix(place(audit, record), i, record, record.transition.as_ref()?);
        let whose = format!(" ({}, {})", record.estimator, record.scope.name());
        let title = if first { plot.title } else { plot.title.text(whose) };
        Some(Plot { title, ..plot })
    };
    // Strata of labels answer nobody who did not ask about labels.
    let labels = audit.settings.criteria.iter().any(|criterion| criterion.needs_labels());
    let asked =
        |i: &usize| labels || audit.noise[*i].stratum.as_ref().is_none_or(|stratum| stratum.label.is_none());
    let others = (0..audit.noise.len()).filter(|i| !relied.contains(i)).filter(asked);
    (relied.iter().filter_map(|i| plot(*i, true)).collect(), others.filter_map(|i| plot(i, false)).collect())
}

/// Where a record is about, in words.
pub(crate) fn place(audit: &Audit, record: &NoiseRecord) -> Sentence {
    let Some(stratum) = &record.stratum else {
        return Sentence::of(if record.rows == fairveil_core::record::LearnedFrom::All {
            "all rows"
        } else {
            "all rows with a label"
        });
    };
    let sentence =
        Sentence::of("rows with ").name(&audit.input.prediction).text(" = ").name(&stratum.prediction);
    match &stratum.label {
        Some(label) => sentence.text(", ").then(words::labelled(audit, label)),
        None => sentence,
    }
}
