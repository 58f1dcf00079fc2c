//! From raw values to names: what classes, groups and segments there are, and the tally in their words.

use crate::cells::{Key, RawTally};
use crate::columns::{Column, ColumnProblem, LEAST_SAID, ProxyColumn, ProxyKind};
use crate::error::{IngestError, Problem};
use crate::evidence::RawEvidence;
use crate::fault::Fault;
use crate::tally::{CLUSTERS, RawLabels, RawTable, Table, positions};
use crate::value::{At, Named, look_like_probabilities, sort_names};
use fairveil_core::Counts;
use fairveil_core::counts::{
    Cell, ExactSum, Hidden, Intake, Noised, OutcomeColumn, OutcomeTotals, ScoreTotals, Spelling, Tally,
};
use fairveil_core::estimate::{AuditLabels, Population};
use fairveil_core::labels::Drawn;
use fairveil_core::segments::{Pooled, Segment};
use fairveil_core::setting::visible;
use fairveil_core::vocabulary::{Class, Group, Guess, Legend, Proxy, ProxyId, Stratum};
use fairveil_core::world::Truth;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The names of a table, and where each stands.
#[derive(Clone)]
pub(crate) struct Names {
    pub legend: Legend,
    class_at: HashMap<String, usize>,
    /// The same for labels, which may have names of their own.
    pub label_at: HashMap<String, usize>,
    pub group_at: HashMap<String, usize>,
}

/// Raw codes of a cell, and of a known group.
type Known = (Key, u32);

/// Some of the raw rows: cells, true groups, known groups.
#[derive(Default)]
struct Raw<'r> {
    cells: Vec<(&'r Key, &'r RawTally)>,
    truth: Vec<(&'r Known, &'r ExactSum)>,
    labelled: Vec<(&'r Known, &'r RawLabels)>,
    /// Cells below zero.
    negative: Vec<&'r (Key, u64)>,
    /// Whether these are all.
    whole: bool,
}

impl RawTable<'_> {
    /// The table in its own words. Names are made sense of here, once.
    pub fn finish(self) -> Result<Table, IngestError> {
        let names = self.names()?;
        self.finish_named(&names)
    }

    /// What decisions are called: a column, or a score from a threshold on.
    fn decisions(&self) -> String {
        let name = &self.layout.prediction.name;
        self.columns.threshold.map_or_else(|| name.clone(), |threshold| format!("{name} ≥ {threshold}"))
    }

    /// The table in the words given.
    pub fn finish_named(self, names: &Names) -> Result<Table, IngestError> {
        let all = Raw {
            whole: true,
            cells: self.cells.iter().collect(),
            truth: self.true_cells.iter().collect(),
            labelled: self.labelled.iter().collect(),
            negative: self.negative.iter().collect(),
        };
        // Of the whole table, and so that of every segment.
        let spellings = self.spellings();
        let (counts, truth) = self.gather(names, &all, &spellings, None)?;
        let counts = self.with_evidence(counts, names, |_| true);
        if let (Some(column), None) = (&self.layout.audit_labels, counts.audit_labels()) {
            return Err(self.error(None, Some(&column.name), Problem::NoAuditLabels));
        }
        let segments = self.segments(names, &counts, &spellings)?;
        Ok(Table { counts, truth, segments })
    }

    pub(crate) fn names(&self) -> Result<Names, IngestError> {
        if self.rows == 0 {
            return Err(self.error(None, None, Problem::NoRows));
        }
        let prediction = self.roles.predictions[0];
        if self.values[prediction].values.iter().all(|value| value.canonical.is_none()) {
            return Err(self.error(None, Some(&self.layout.prediction.name), Problem::NoPredictions));
        }
        let counted = self.counted();
        if counted[prediction].is_empty() {
            let column = self.layout.weight.as_ref().map(|column| column.name.as_str());
            return Err(self.error(None, column, Problem::NoWeight));
        }
        let classes = self.classes(&counted)?;
        let positive = self.positive(&classes)?;
        let label_classes = self.label_classes(&counted, &classes, positive)?;
        let groups = self.groups(&counted)?;
        let proxy = |p: &ProxyColumn| Proxy {
            name: p.name.clone(),
            source: p.source.clone(),
            lent_by: self.lender(&p.name),
        };
        let (class_at, group_at) = (positions(&classes), positions(&groups));
        let legend = Legend {
            positive,
            proxies: self.layout.proxies.iter().map(proxy).collect(),
            prediction: self.decisions(),
            label: self.layout.label.as_ref().map(|column| column.name.clone()),
            label_classes,
            groups,
            classes,
        };
        let label_at = legend.label_classes.as_deref().map_or_else(|| class_at.clone(), positions);
        Ok(Names { legend, class_at, label_at, group_at })
    }

    /// The proxy whose guesses those of this one are, lent by neighbours: `fairveil neighbors` names them so.
    fn lender(&self, name: &str) -> Option<String> {
        let lender = ["_neighbor_1", "_neighbor_2"].iter().find_map(|end| name.strip_suffix(end))?;
        self.layout.proxies.iter().any(|proxy| proxy.name == lender).then(|| lender.to_owned())
    }

    /// The tally of some rows, and their true groups. Of a segment, also which rows were searched for neighbours.
    fn gather(
        &self,
        names: &Names,
        raw: &Raw,
        spellings: &[Spelling],
        searched: Option<&[u32]>,
    ) -> Result<(Counts, Option<Truth>), IngestError> {
        let class = |place: usize, key: &[u32]| {
            names.class_at.get(self.named(place, key[place])?).copied().map(Class)
        };
        let stratum = |key: &[u32]| {
            let label = |place: usize| names.label_at.get(self.named(place, key[place])?).copied().map(Class);
            let label = self.roles.label.and_then(label);
            class(self.roles.predictions[0], key).map(|prediction| Stratum { label, prediction })
        };
        let (groups, group_at) = (&names.legend.groups, &names.group_at);
        let mut intake = Intake {
            spellings: spellings.to_vec(),
            // Of a row that was left out, nobody knows the segment.
            skipped: if raw.whole { self.skipped.clone() } else { Vec::new() },
            rows_per_person: self.rows_per_person.filter(|_| raw.whole),
            hidden: self.withheld().filter(|_| raw.whole),
            borrowed: self.lent.as_ref().map(|lent| lent.borrowed(searched, stratum)),
            noised: self.noised(raw),
            names: self.evidence.iter().filter(|_| raw.whole).flat_map(RawEvidence::looked).collect(),
            ..Intake::default()
        };
        let mut cells: BTreeMap<Cell, RawTally> = BTreeMap::new();
        let mut clusters: BTreeMap<Cell, Vec<ExactSum>> = BTreeMap::new();
        let (mut squares, mut told) = (ExactSum::default(), 0);
        for (key, raw) in &raw.cells {
            let Some(stratum) = stratum(key) else {
                intake.without_prediction += raw.rows;
                continue;
            };
            intake.rows += raw.rows;
            raw.sums.iter().for_each(|sums| squares.merge(&sums.squares));
            told += raw.sums.iter().filter_map(|sums| sums.outcome.as_ref()).map(|one| one.rows).sum::<u64>();
            if self.layout.label.is_some() && stratum.label.is_none() {
                intake.without_label += raw.rows;
            }
            let cell = Cell { stratum, guesses: self.guesses(key, group_at) };
            if let Some(part) = self.part_of(key) {
                let parts =
                    clusters.entry(cell.clone()).or_insert_with(|| vec![ExactSum::default(); CLUSTERS]);
                parts[part].add(raw.weight(self.weighted));
            }
            cells.entry(cell).or_default().merge(raw);
        }
        intake.squared_weights = self.weighted.then(|| squares.value());
        intake.outcome = self
            .outcome
            .clone()
            .map(|column| OutcomeColumn { column, missing: intake.rows.saturating_sub(told) });
        let score_places: Vec<usize> =
            self.score_groups.iter().filter_map(|group| group_at.get(group.as_str()).copied()).collect();
        let tally = |cell: &Cell, raw: RawTally| {
            let weight = raw.weight(self.weighted);
            let squares = raw.sums.as_ref().filter(|_| self.weighted).map(|sums| sums.squares.value());
            let outcome = raw.sums.as_ref().and_then(|sums| sums.outcome.as_ref()).map(|one| OutcomeTotals {
                weight: one.weight(self.weighted),
                sum: one.sum.value(),
                squares: one.squares.value(),
            });
            // Probabilities of rows without weight say nothing, and a tally does not tell them from none.
            let scores = raw.sums.filter(|sums| sums.scored.value() > 0.0).map(|sums| {
                let mut totals = vec![0.0; groups.len()];
                let placed = sums.scores.iter().zip(&score_places);
                placed.for_each(|(sum, place)| totals[*place] = sum.value());
                ScoreTotals { totals: totals.into(), weight: sums.scored.value() }
            });
            let parts = clusters.get(cell).map(|parts| parts.iter().map(ExactSum::value).collect());
            Tally { weight, squares, clusters: parts, scores, outcome }
        };
        let mut sums = BTreeMap::<(Stratum, Group), ExactSum>::new();
        let predicted = |(key, _): &Known| stratum(key).is_some();
        let groups_met = raw.truth.iter().map(|(known, _)| *known).filter(|known| predicted(known));
        self.refuse_unknown(&self.layout.truth, self.roles.truth, groups_met.map(|(_, code)| *code), names)?;
        let groups_met = raw.labelled.iter().map(|(known, _)| *known).filter(|known| predicted(known));
        let (column, place) = (&self.layout.audit_labels, self.roles.known);
        self.refuse_unknown(column, place, groups_met.map(|(_, code)| *code), names)?;
        let mut guessed = BTreeMap::<(ProxyId, Stratum, Group, Guess), ExactSum>::new();
        for ((key, group), weight) in &raw.truth {
            let (Some(stratum), Some(place)) = (stratum(key), self.roles.truth) else { continue };
            let group = self.known_group(&self.layout.truth, place, *group, names)?;
            sums.entry((stratum, group)).or_default().merge(weight);
            for (proxy, guess) in self.guesses(key, group_at).iter().enumerate() {
                if let Some(guess) = guess {
                    guessed.entry((ProxyId(proxy), stratum, group, *guess)).or_default().merge(weight);
                }
            }
        }
        let truth = self.layout.truth.as_ref().map(|_| {
            let mut truth = Truth::default();
            sums.into_iter().for_each(|((stratum, group), sum)| truth.add(stratum, group, sum.value()));
            for ((proxy, stratum, group, guess), sum) in guessed {
                truth.add_guess(proxy, stratum, group, guess, sum.value());
            }
            truth
        });
        // Segments and spellings make many raw cells of one, in no order that means anything.
        let mut known = BTreeMap::<(Stratum, Box<[Option<Guess>]>, Group), RawLabels>::new();
        for ((key, group), labels) in &raw.labelled {
            let (Some(stratum), Some(place)) = (stratum(key), place) else { continue };
            let group = self.known_group(column, place, *group, names)?;
            known.entry((stratum, self.guesses(key, group_at), group)).or_default().merge(labels);
        }
        let mut labels = AuditLabels::new(Population::Same);
        for ((stratum, guesses, group), raw) in known {
            labels.add_drawn(Some(stratum), guesses, group, self.drawn(&raw)?, raw.weight.value());
        }
        let cells = cells.into_iter().map(|(cell, raw)| {
            let tally = tally(&cell, raw);
            (cell, tally)
        });
        let counts = Counts::new(names.legend.visible(), intake, cells)
            .map_err(|error| self.error(None, None, Problem::Counts(error)))?;
        let counts = if labels.rows() > 0 { counts.with_audit_labels(labels) } else { counts };
        Ok((counts, truth))
    }

    /// The same tally with the evidence about the rows of some places.
    fn with_evidence(&self, counts: Counts, names: &Names, mine: impl Fn(&[u32]) -> bool) -> Counts {
        // Where rows borrow guesses, these are what was asked for.
        let Some(evidence) = self.evidence.as_ref().filter(|_| self.lent.is_none()) else { return counts };
        let control = |key: &[u32]| -> Vec<&str> {
            self.roles
                .controls
                .iter()
                .map(|place| self.named(*place, key[*place]).unwrap_or_default())
                .collect()
        };
        let mut values: Vec<Vec<&str>> = evidence.keys.iter().map(|key| control(key)).collect();
        values.sort();
        values.dedup();
        let class = |place: usize, key: &[u32]| {
            names.class_at.get(self.named(place, key[place])?).copied().map(Class)
        };
        let placed = |key: &Key| {
            let label = |place: usize| names.label_at.get(self.named(place, key[place])?).copied().map(Class);
            let label = self.roles.label.and_then(label);
            let prediction = class(self.roles.predictions[0], key)?;
            let at = values.binary_search(&control(key)).ok()? as u32;
            mine(key).then_some((Stratum { label, prediction }, at))
        };
        match evidence.tally(&names.legend.groups, placed) {
            Some(tally) => counts.with_evidence(tally),
            None => counts,
        }
    }

    /// How labelled rows were drawn: with the chances that are told, or all with the same.
    fn drawn(&self, RawLabels { rows, weight, squares, drawn }: &RawLabels) -> Result<Drawn, IngestError> {
        match &self.layout.label_probability {
            None if self.weighted => {
                Ok(Drawn { rows: *rows, design: weight.value(), squares: squares.value() })
            }
            None => Ok(Drawn::alike(*rows, weight.value())),
            Some(column) if drawn.rows < *rows => {
                let problem = Problem::LabelProbabilityMissing { rows: rows - drawn.rows };
                Err(self.error(None, Some(&column.name), problem))
            }
            Some(_) => {
                Ok(Drawn { rows: *rows, design: drawn.weight.value(), squares: drawn.squares.value() })
            }
        }
    }

    /// What was withheld from the tally that was read.
    fn withheld(&self) -> Option<Hidden> {
        let hidden = self.hidden.as_ref()?;
        Some(Hidden { cells: hidden.cells, rows: hidden.rows, weight: hidden.weight.value() })
    }

    /// The noise of the tally that was read, on a cell of the audit.
    fn noised(&self, raw: &Raw) -> Option<Noised> {
        let noise = self.noise.as_ref()?;
        let [whole, segment] = self.noisy_cells;
        Some(Noised {
            epsilon: noise.epsilon,
            variance: if raw.whole { whole } else { segment },
            negative_cells: raw.negative.len() as u64,
            negative_rows: raw.negative.iter().map(|(_, below)| *below as f64).sum::<f64>() + 0.0,
        })
    }

    /// The tally of each segment in the order of its names, in the words of the whole table. Labelled rows are few: all of
    /// them show every segment how the proxies err.
    fn segments(
        &self,
        names: &Names,
        whole: &Counts,
        spellings: &[Spelling],
    ) -> Result<Vec<Segment>, IngestError> {
        if self.roles.segments.is_empty() {
            return Ok(Vec::new());
        }
        let small = self.small_segments();
        let segment_of = |key: &[u32]| Some(self.segment_of(key)).filter(|values| !small.contains(values));
        // Nothing stands for all small segments together.
        let mut parts: BTreeMap<Option<Vec<String>>, Raw> = BTreeMap::new();
        for (key, raw) in &self.cells {
            parts.entry(segment_of(key)).or_default().cells.push((key, raw));
        }
        for below in &self.negative {
            parts.entry(segment_of(&below.0)).or_default().negative.push(below);
        }
        for (place, weight) in &self.true_cells {
            parts.entry(segment_of(&place.0)).or_default().truth.push((place, weight));
        }
        let searched = self.lent.as_ref().map(|lent| lent.by_segment(segment_of));
        let mut segments = Vec::with_capacity(parts.len());
        for (values, raw) in parts {
            // A segment in which nothing is decided has no one to speak of.
            let rows =
                searched.as_ref().map(|parts| parts.get(&values).map(Vec::as_slice).unwrap_or_default());
            if let Ok((counts, truth)) = self.gather(names, &raw, spellings, rows) {
                let counts = self.with_evidence(counts, names, |key| segment_of(key) == values);
                let labels = whole.audit_labels().map(AuditLabels::elsewhere);
                let counts = match labels {
                    Some(labels) => counts.with_audit_labels(labels),
                    None => counts,
                };
                let least = self.columns.least_segment();
                let pooled = values.is_none().then_some(Pooled { segments: small.len(), least });
                segments.push(Segment { values: values.unwrap_or_default(), pooled, counts, truth });
            }
        }
        let mut order: Vec<String> = segments.iter().map(|segment| segment.values.join("\u{1f}")).collect();
        sort_names(&mut order);
        let rank = positions(&order);
        segments.sort_by_key(|segment| {
            (segment.pooled.is_some(), rank.get(&segment.values.join("\u{1f}")).copied())
        });
        for value in segments.iter_mut().flat_map(|segment| &mut segment.values) {
            *value = visible(value).into_owned();
        }
        Ok(segments)
    }

    /// The segments of fewer rows than may be shown by themselves.
    fn small_segments(&self) -> BTreeSet<Vec<String>> {
        let mut rows: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (key, raw) in &self.cells {
            *rows.entry(self.segment_of(key)).or_default() += raw.rows;
        }
        let least = self.columns.least_segment();
        rows.into_iter().filter(|(_, rows)| *rows < least).map(|(values, _)| values).collect()
    }

    /// The part that a row's cluster was put into.
    fn part_of(&self, key: &[u32]) -> Option<usize> {
        let place = self.roles.cluster?;
        self.named(place, key[place])?.parse().ok()
    }

    /// The values that make a row's segment; nothing where a value is missing.
    fn segment_of(&self, key: &[u32]) -> Vec<String> {
        let value = |place: &usize| self.named(*place, key[*place]).unwrap_or_default().to_owned();
        self.roles.segments.iter().map(value).collect()
    }

    /// An error at a place of the input; of the input as a whole where there is none.
    pub(crate) fn error(&self, at: Option<At>, column: Option<&str>, problem: Problem) -> IngestError {
        let at = at.unwrap_or(At { file: 0, number: 0 });
        Fault { at, column: column.map(str::to_owned), problem }.named(&self.files)
    }

    /// For each key that an audit looks at, the raw codes on rows that count: with a prediction and some weight.
    fn counted(&self) -> Vec<BTreeSet<u32>> {
        let prediction = self.roles.predictions[0];
        self.met(|key, raw| {
            self.named(prediction, key[prediction]).is_some() && raw.weight(self.weighted) > 0.0
        })
    }

    /// For each key that an audit looks at, the raw codes of some cells.
    fn met(&self, which: impl Fn(&Key, &RawTally) -> bool) -> Vec<BTreeSet<u32>> {
        let mut met = vec![BTreeSet::new(); self.values.len()];
        for (key, _) in self.cells.iter().filter(|(key, raw)| which(key, raw)) {
            for place in self.roles.audited() {
                met[place].insert(key[place]);
            }
        }
        met
    }

    fn classes(&self, counted: &[BTreeSet<u32>]) -> Result<Vec<String>, IngestError> {
        let names = |place: usize| -> BTreeSet<String> {
            counted[place].iter().filter_map(|code| self.named(place, *code)).map(str::to_owned).collect()
        };
        let predictions = names(self.roles.predictions[0]);
        // Labels with names of their own are told apart by the one that was named.
        let own_names = self.columns.positive_label.is_some();
        let labels = self.roles.label.filter(|_| !own_names).map(names).unwrap_or_default();
        let sorted = |names: BTreeSet<String>| {
            let mut names: Vec<String> = names.into_iter().collect();
            sort_names(&mut names);
            names
        };
        let column = Some(self.layout.prediction.name.as_str());
        if !labels.is_empty() && predictions.is_disjoint(&labels) {
            let label = self.layout.label.as_ref().map(|column| column.name.clone()).unwrap_or_default();
            let (predictions, labels) = (sorted(predictions), sorted(labels));
            let problem = Problem::Disjoint { column: label, predictions, labels };
            return Err(self.error(None, column, problem));
        }
        match predictions.len() {
            0 | 1 => {
                Err(self.error(None, column, Problem::TooFew { what: "classes", found: sorted(predictions) }))
            }
            _ => Ok(sorted(&predictions | &labels)),
        }
    }

    /// What labels call the two classes, where the positive label was named. Labels that say what decisions say need no names of
    /// their own.
    fn label_classes(
        &self,
        counted: &[BTreeSet<u32>],
        classes: &[String],
        positive: Class,
    ) -> Result<Option<Vec<String>>, IngestError> {
        let (Some(asked), Some(place)) = (&self.columns.positive_label, self.roles.label) else {
            return Ok(None);
        };
        let column = self.layout.label.as_ref().map(|column| column.name.as_str());
        let named = |code: &u32| self.named(place, *code).map(str::to_owned);
        let mut labels: Vec<String> =
            counted[place].iter().filter_map(named).collect::<BTreeSet<_>>().into_iter().collect();
        sort_names(&mut labels);
        let value = crate::value::canonical(asked).into_owned();
        let refused = |problem| Err(self.error(None, column, problem));
        if classes.len() != 2 || labels.len() > 2 {
            return refused(Problem::LabelsOfTheirOwn { decisions: classes.to_vec(), labels });
        }
        if !labels.contains(&value) {
            return refused(Problem::UnknownPositiveLabel { value: asked.clone(), labels });
        }
        let other =
            labels.into_iter().find(|label| *label != value).unwrap_or_else(|| format!("not {value}"));
        let names = if positive.0 == 0 { vec![value, other] } else { vec![other, value] };
        Ok((names != classes).then_some(names))
    }

    /// The positive class: the one named, the larger of two numbers, or the one that says yes.
    fn positive(&self, classes: &[String]) -> Result<Class, IngestError> {
        let column = Some(self.layout.prediction.name.as_str());
        let find = |wanted: &dyn Fn(&str) -> bool| classes.iter().position(|class| wanted(class)).map(Class);
        if let Some(asked) = &self.columns.positive {
            let value = crate::value::canonical(asked);
            return find(&|class| class == value).ok_or_else(|| {
                let problem = Problem::UnknownPositive { value: asked.clone(), classes: classes.to_vec() };
                self.error(None, column, problem)
            });
        }
        let numeric = classes.iter().all(|class| class.parse::<f64>().is_ok_and(f64::is_finite));
        let says_yes = |class: &str| ["1", "true", "yes"].iter().any(|yes| class.eq_ignore_ascii_case(yes));
        let found = match (classes.len(), numeric) {
            (2, true) => Some(Class(1)),
            (2, false) => find(&says_yes),
            _ => None,
        };
        found.ok_or_else(|| self.error(None, column, Problem::PositiveNotSaid { classes: classes.to_vec() }))
    }

    /// A value of a column that tells a group, if so many rows have it that it tells nothing about one of them.
    fn said(&self, place: usize, value: &str) -> Option<String> {
        let is = |code: u32| self.named(place, code) == Some(value);
        // Known and true groups are kept apart from the other keys.
        let rows: f64 = if self.roles.known == Some(place) {
            self.labelled
                .iter()
                .filter(|((_, code), _)| is(*code))
                .map(|(_, labels)| labels.rows as f64)
                .sum()
        } else if self.roles.truth == Some(place) {
            self.true_cells.iter().filter(|((_, code), _)| is(*code)).map(|(_, rows)| rows.value()).sum()
        } else {
            self.cells.iter().filter(|(key, _)| is(key[place])).map(|(_, tally)| tally.rows as f64).sum()
        };
        let may = self.columns.show_values || rows >= LEAST_SAID as f64;
        may.then(|| value.to_owned())
    }

    /// The guesses among these that may be said.
    fn heard(&self, guesses: Vec<String>) -> Vec<String> {
        let said = |value: &String| self.roles.guesses.iter().any(|place| self.said(*place, value).is_some());
        guesses.into_iter().filter(said).collect()
    }

    /// What each proxy can guess, with the line on which it first did (the header for probability columns).
    fn known(&self, proxy: usize, counted: &[BTreeSet<u32>]) -> BTreeMap<String, Option<At>> {
        let place = self.roles.guesses[proxy];
        let mut known = BTreeMap::new();
        match &self.layout.proxies[proxy].kind {
            ProxyKind::Guess(_) | ProxyKind::MostLikely(..) => {
                let codes = counted[place].iter();
                for value in codes.filter_map(|code| self.values[place].values.get(*code as usize)) {
                    if let Some(name) = &value.canonical {
                        let first = known.entry(name.clone()).or_insert(Some(value.first));
                        *first = Some(value.first).min(*first);
                    }
                }
            }
            kind @ (ProxyKind::Probabilities(_) | ProxyKind::Names(..)) => {
                known.extend(kind.groups().into_iter().flatten().map(|group| (group.clone(), None)));
            }
        }
        if let ProxyKind::MostLikely(_, groups) = &self.layout.proxies[proxy].kind {
            known.extend(groups.iter().map(|group| (group.clone(), None)));
        }
        // A group that a table tells apart may be nobody's likeliest.
        let named = self.evidence.iter().flat_map(|evidence| &evidence.counted.told.compared);
        named.for_each(|group| {
            known.entry(group.clone()).or_insert(None);
        });
        known
    }

    fn groups(&self, counted: &[BTreeSet<u32>]) -> Result<Vec<String>, IngestError> {
        if self.layout.proxies.is_empty() {
            return Ok(Vec::new());
        }
        let asked: Option<Vec<String>> = (self.columns.groups.as_ref())
            .map(|groups| groups.iter().map(|group| crate::value::canonical(group).into_owned()).collect());
        let twice = |groups: &Vec<String>| {
            let repeated = groups.iter().enumerate().find(|(i, value)| groups[..*i].contains(value));
            repeated.map(|(_, value)| value.clone())
        };
        if let Some(value) = asked.as_ref().and_then(twice) {
            return Err(self.error(None, None, Problem::GroupTwice { value }));
        }
        let known: Vec<BTreeMap<String, Option<At>>> =
            (0..self.layout.proxies.len()).map(|c| self.known(c, counted)).collect();
        let sorted = |names: BTreeSet<String>| {
            let mut names: Vec<String> = names.into_iter().collect();
            sort_names(&mut names);
            names
        };
        self.refuse_probabilities(&known)?;
        let all = sorted(known.iter().flat_map(|known| known.keys().cloned()).collect());
        // A proxy that never varies knows one value and makes those of the others look lonely; the audit names it.
        let all_vary = known.iter().all(|known| known.len() > 1);
        // What neighbours lent is what the lender knows: it confirms nothing, and may miss what is rare.
        let own = |c: &usize| self.lender(&self.layout.proxies[*c].name).is_none();
        let several = (0..known.len()).filter(own).count() > 1;
        let all_known: Vec<(usize, BTreeSet<&String>)> = known
            .iter()
            .enumerate()
            .filter(|(c, _)| own(c))
            .map(|(c, known)| (c, known.keys().collect()))
            .collect();
        for (c, mine) in known.iter().enumerate() {
            let column = Some(self.layout.proxies[c].name.as_str());
            for (value, at) in mine {
                match &asked {
                    Some(groups) if !groups.contains(value) => {
                        let value = self.said(self.roles.guesses[c], value);
                        let problem = Problem::UnknownGroup { value, groups: groups.clone() };
                        return Err(self.error(*at, column, problem));
                    }
                    None if several && all_vary && own(&c) => {
                        let others = known.iter().enumerate().filter(|(other, _)| *other != c && own(other));
                        let others: BTreeSet<String> =
                            others.flat_map(|(_, known)| known.keys().cloned()).collect();
                        if !others.contains(value) {
                            if let Some(problem) = self.codes_beside_names(&all_known) {
                                return Err(self.error(None, None, Problem::Columns(problem)));
                            }
                            let known = self.heard(sorted(others));
                            let value = self.said(self.roles.guesses[c], value);
                            let problem = Problem::LonelyGuess { value, known };
                            return Err(self.error(*at, column, problem));
                        }
                    }
                    _ => {}
                }
            }
        }
        let groups = match &asked {
            Some(groups) => {
                if let Some(value) = groups.iter().find(|group| !all.contains(group)) {
                    let problem = Problem::GroupNeverGuessed { value: value.clone(), known: self.heard(all) };
                    return Err(self.error(None, None, problem));
                }
                groups.clone()
            }
            None => all,
        };
        if groups.len() < 2 {
            let column = Some(self.layout.proxies[0].name.as_str());
            return Err(self.error(
                None,
                column,
                Problem::TooFew { what: "groups", found: self.heard(groups) },
            ));
        }
        Ok(groups)
    }

    /// Columns of guesses that hold probabilities.
    fn refuse_probabilities(&self, known: &[BTreeMap<String, Option<At>>]) -> Result<(), IngestError> {
        let is_guess = |c: &usize| matches!(self.layout.proxies[*c].kind, ProxyKind::Guess(_));
        let holds = |c: &usize| is_guess(c) && look_like_probabilities(known[*c].keys().map(String::as_str));
        let found: Vec<&str> =
            (0..known.len()).filter(holds).map(|c| self.layout.proxies[c].name.as_str()).collect();
        let Some(first) = found.first() else { return Ok(()) };
        let start = first.rfind(['_', '-', '.', ' ']).map(|end| &first[..=end]);
        let alike = |start: &&str| found.iter().filter(|name| name.starts_with(*start)).count() > 1;
        let prefix = start.filter(alike).map(str::to_owned);
        let problem = ColumnProblem::ProbabilitiesAsGuesses { column: (*first).to_owned(), prefix };
        Err(self.error(None, Some(first), Problem::Columns(problem)))
    }

    /// A proxy that writes every group in another way than the others: of several, the one that writes the least.
    fn codes_beside_names(&self, known: &[(usize, BTreeSet<&String>)]) -> Option<ColumnProblem> {
        const MOST: usize = 20;
        let apart = |(c, mine): &&(usize, BTreeSet<&String>)| {
            let others = known.iter().filter(|(other, _)| other != c);
            mine.len() <= MOST
                && others.clone().all(|(_, known)| known.len() <= MOST && known.is_disjoint(mine))
        };
        let length =
            |(_, mine): &&(usize, BTreeSet<&String>)| mine.iter().map(|name| name.len()).sum::<usize>();
        let (c, codes) = known.iter().filter(apart).min_by_key(length)?;
        let names: BTreeSet<&String> =
            known.iter().filter(|(other, _)| other != c).flat_map(|(_, known)| known).copied().collect();
        let said = |names: &BTreeSet<&String>| {
            let mut names: Vec<String> = names.iter().map(|name| (*name).clone()).collect();
            sort_names(&mut names);
            self.heard(names)
        };
        let (codes, names) = (said(codes), said(&names));
        let column = self.layout.proxies[*c].name.clone();
        (!codes.is_empty() && !names.is_empty()).then_some(ColumnProblem::Codes { column, codes, names })
    }

    pub(crate) fn guesses(&self, key: &[u32], group_at: &HashMap<String, usize>) -> Box<[Option<Guess>]> {
        let places = self.roles.guesses.iter().enumerate();
        places.map(|(c, place)| self.guess(c, key[*place], group_at)).collect()
    }

    pub(crate) fn guess(&self, proxy: usize, code: u32, group_at: &HashMap<String, usize>) -> Option<Guess> {
        let name = match &self.layout.proxies[proxy].kind {
            ProxyKind::Guess(_) | ProxyKind::MostLikely(..) => self.named(self.roles.guesses[proxy], code)?,
            ProxyKind::Probabilities(columns) => &columns.get(code as usize)?.0,
            ProxyKind::Names(_, source) => source.groups().get(code as usize)?,
        };
        group_at.get(name).copied().map(Guess)
    }

    /// Refuses the first value of a column of known groups that is none of the groups.
    fn refuse_unknown(
        &self,
        column: &Option<Column>,
        place: Option<usize>,
        codes: impl Iterator<Item = u32>,
        names: &Names,
    ) -> Result<(), IngestError> {
        let Some(place) = place else { return Ok(()) };
        let codes: BTreeSet<u32> = codes.collect();
        let mut codes: Vec<u32> = codes.into_iter().collect();
        codes.sort_by_key(|code| self.values[place].values[*code as usize].first);
        // Where no value is a group, the column is written in another way.
        let met: BTreeSet<&str> = codes.iter().filter_map(|code| self.named(place, *code)).collect();
        let apart = !met.iter().any(|name| names.group_at.contains_key(*name));
        let mut said: Vec<String> = met.iter().filter_map(|name| self.said(place, name)).collect();
        if let (Some(column), true) = (column, apart && !said.is_empty() && met.len() <= 20) {
            sort_names(&mut said);
            let (column, names) = (column.name.clone(), names.legend.groups.clone());
            let problem = ColumnProblem::Codes { column, codes: said, names };
            return Err(self.error(None, None, Problem::Columns(problem)));
        }
        codes.into_iter().try_for_each(|code| self.known_group(column, place, code, names).map(drop))
    }

    /// The group that a value of a column of known groups means.
    fn known_group(
        &self,
        column: &Option<Column>,
        place: usize,
        code: u32,
        names: &Names,
    ) -> Result<Group, IngestError> {
        let value = &self.values[place].values[code as usize];
        let name = value.canonical.as_deref().unwrap_or_default();
        names.group_at.get(name).copied().map(Group).ok_or_else(|| {
            let column = column.as_ref().map(|column| column.name.as_str());
            let groups = names.legend.groups.clone();
            let problem = Problem::UnknownTruth { value: self.said(place, name), groups };
            self.error(Some(value.first), column, problem)
        })
    }

    pub(crate) fn spellings(&self) -> Vec<Spelling> {
        let columns = [&self.layout.prediction].into_iter().chain(&self.layout.label);
        let names =
            columns.map(|column| &column.name).chain(self.layout.proxies.iter().map(|proxy| &proxy.name));
        let mut found = Vec::new();
        // Values of rows that were left out are in the dictionaries too.
        let met = self.met(|_, _| true);
        for (column, place) in names.zip(self.roles.audited()) {
            let mut written: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for value in met[place].iter().filter_map(|code| self.values[place].values.get(*code as usize)) {
                // What a map makes one was asked for.
                if let Some(read_as) = value.canonical.as_ref().filter(|_| value.named != Named::Mapped) {
                    written.entry(read_as).or_default().insert(&value.text);
                }
            }
            found.extend(written.into_iter().filter(|(_, written)| written.len() > 1).map(
                |(read_as, written)| Spelling {
                    column: visible(column).into_owned(),
                    read_as: visible(read_as).into_owned(),
                    written: written.into_iter().map(|text| format!("\"{}\"", visible(text))).collect(),
                },
            ));
        }
        found
    }
}
