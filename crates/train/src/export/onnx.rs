//! A rule as an ONNX model, in double precision.
//!
//! ```text
//! inputs     one [N, 1] for each column of the rule: numbers as doubles (NaN where missing), categories as strings ("" where missing)
//! outputs    margin [N, 1], NaN without a decision; decision [N, 1]: 1 positive, 0 not, -1 none
//! ```
//! Categories are looked up, not made into columns: `LabelEncoder` gives the place of a level, `Gather` its coefficient, so that
//! thousands of levels cost a look-up each. What the rule was not shown has the place past the last, and no decision.

use super::protobuf::Message;
use crate::aim::log_odds;
use crate::rule::{Eta, Scale};
use crate::{EncodedFeature, Model, Rule};

const DOUBLE: i64 = 11;
const STRING: i64 = 8;
const INT64: i64 = 7;

impl Rule {
    /// The rule as an ONNX file.
    pub fn onnx(&self) -> Vec<u8> {
        let mut graph = Graph::default();
        let read: Vec<Read> = self.encoding.features().iter().map(|feature| graph.read(feature)).collect();
        let margin = match &self.model {
            Model::Logistic { model } => {
                let logit = graph.affine(&read, &[model.intercept], |column, _| model.coefficients[column]);
                graph.less(&logit, log_odds(self.cut))
            }
            Model::Mlp { model } => {
                let units = graph.affine(&read, &model.biases, |column, unit| model.weights[column][unit]);
                let above = graph.node("Relu", &[&units]);
                let weights =
                    graph.doubles(&[model.output.coefficients.len() as i64, 1], &model.output.coefficients);
                let sum = graph.node("MatMul", &[&above, &weights]);
                let intercept = graph.number(model.output.intercept);
                let logit = graph.node("Add", &[&sum, &intercept]);
                graph.less(&logit, log_odds(self.cut))
            }
            Model::PlugIn { eta, tilts } => {
                let chance = match eta {
                    Eta::Score { column, scale, .. } => graph.score(column, scale.as_ref()),
                    Eta::Features { model } => {
                        let logit =
                            graph.affine(&read, &[model.intercept], |column, _| model.coefficients[column]);
                        graph.chance(&logit)
                    }
                };
                let (one, two) = (graph.number(1.0), graph.number(2.0));
                let twice = graph.node("Mul", &[&two, &chance]);
                let about = graph.node("Sub", &[&twice, &one]);
                let mut left = twice;
                let mut moved: Option<String> = None;
                for tilt in tilts {
                    let coefficients = &tilt.weight.coefficients;
                    let weight =
                        graph.affine(&read, &[tilt.weight.intercept], |column, _| coefficients[column]);
                    let last = graph.number(coefficients.last().copied().unwrap_or(0.0));
                    let last = graph.node("Mul", &[&last, &about]);
                    let weight = graph.node("Add", &[&weight, &last]);
                    let weight = match tilt.label {
                        None => weight,
                        Some(true) => graph.node("Mul", &[&chance, &weight]),
                        Some(false) => {
                            let other = graph.node("Sub", &[&one, &chance]);
                            graph.node("Mul", &[&other, &weight])
                        }
                    };
                    let multiplier = graph.number(tilt.multiplier);
                    let by = graph.node("Mul", &[&multiplier, &weight]);
                    moved = Some(match moved {
                        None => by,
                        Some(moved) => graph.node("Add", &[&moved, &by]),
                    });
                }
                if let Some(moved) = moved {
                    left = graph.node("Sub", &[&left, &moved]);
                }
                graph.less(&left, 2.0 * self.cut)
            }
        };
        graph.finish(self, &margin)
    }
}

/// A feature on its way.
enum Read {
    /// Standardised; and which are missing, where those have a place.
    Number { scaled: String, missing: Option<String> },
    /// The place of the level, and how many places there are with that of the unknown.
    Level { place: String, places: usize },
}

impl Read {
    fn columns(&self) -> usize {
        match self {
            Read::Number { missing, .. } => 1 + usize::from(missing.is_some()),
            Read::Level { places, .. } => places - 1,
        }
    }
}

#[derive(Default)]
struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    inputs: Vec<Message>,
    /// Which rows have all that a decision needs.
    valid: Vec<String>,
    names: usize,
}

impl Graph {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn doubles(&mut self, dims: &[i64], values: &[f64]) -> String {
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(dims, DOUBLE, &raw)
    }

    fn constant(&mut self, dims: &[i64], kind: i64, raw: &[u8]) -> String {
        let name = self.name();
        let tensor = Message::default().each(dims, |tensor, dim| tensor.int(1, *dim));
        self.constants.push(tensor.int(2, kind).text(8, &name).bytes(9, raw));
        name
    }

    fn number(&mut self, value: f64) -> String {
        self.doubles(&[1, 1], &[value])
    }

    fn node(&mut self, kind: &str, inputs: &[&str]) -> String {
        self.node_with(kind, "", inputs, Vec::new())
    }

    fn node_with(&mut self, kind: &str, domain: &str, inputs: &[&str], attributes: Vec<Message>) -> String {
        let name = self.name();
        let node = Message::default().each(inputs, |node, input| node.text(1, input)).text(2, &name);
        let node = node.text(3, &format!("n_{name}")).text(4, kind);
        let node = node.each(attributes, |node, attribute| node.message(5, &attribute));
        self.nodes.push(if domain.is_empty() { node } else { node.text(7, domain) });
        name
    }

    fn input(&mut self, column: &str, kind: i64) -> String {
        self.inputs.push(value_info(column, kind));
        column.to_owned()
    }

    /// Between two numbers, NaN being between none.
    fn within(&mut self, value: &str, low: f64, high: f64) -> String {
        let (low, high) = (self.number(low), self.number(high));
        let above = self.node("GreaterOrEqual", &[value, &low]);
        let below = self.node("LessOrEqual", &[value, &high]);
        self.node("And", &[&above, &below])
    }

    fn read(&mut self, feature: &EncodedFeature) -> Read {
        match feature {
            EncodedFeature::Number { name, mean, deviation, missing, .. } => {
                let value = self.input(name, DOUBLE);
                let most = f64::from(f32::MAX);
                let inside = self.within(&value, -most, most);
                let nothing = missing.then(|| self.node("IsNaN", &[&value]));
                let valid = match &nothing {
                    Some(nothing) => self.node("Or", &[&inside, nothing]),
                    None => inside.clone(),
                };
                self.valid.push(valid);
                let (mean_of, by) = (self.number(*mean), self.number(*deviation));
                // Nothing that is not finite goes on: 0 times it would not be 0.
                let value = self.node("Where", &[&inside, &value, &mean_of]);
                let above = self.node("Sub", &[&value, &mean_of]);
                Read::Number { scaled: self.node("Div", &[&above, &by]), missing: nothing }
            }
            EncodedFeature::Category { name, levels, others, missing, .. } => {
                let value = self.input(name, STRING);
                let places = feature.columns() + 1;
                let unknown = places - 1;
                let mut keys: Vec<(&str, usize)> =
                    levels.iter().enumerate().map(|(place, level)| (level.as_str(), place)).collect();
                let nothing = if *missing { unknown - 1 } else { unknown };
                keys.push(("", nothing));
                let keys_of = Message::default().text(1, "keys_strings");
                let keys_of = keys_of.each(&keys, |all, (key, _)| all.text(9, key)).int(20, 8);
                let places_of = Message::default().text(1, "values_int64s");
                let places_of = places_of.each(&keys, |all, (_, place)| all.int(8, *place as i64)).int(20, 7);
                let other = if *others { levels.len() } else { unknown };
                let other = Message::default().text(1, "default_int64").int(3, other as i64).int(20, 2);
                let attributes = vec![keys_of, places_of, other];
                let place = self.node_with("LabelEncoder", "ai.onnx.ml", &[&value], attributes);
                let limit = self.constant(&[1, 1], INT64, &(unknown as i64).to_le_bytes());
                let valid = self.node("Less", &[&place, &limit]);
                self.valid.push(valid);
                let flat = self.constant(&[1], INT64, &(-1i64).to_le_bytes());
                Read::Level { place: self.node("Reshape", &[&place, &flat]), places }
            }
        }
    }

    /// `start + Σ coefficient·x`, as many sums side by side as there are starts.
    fn affine(&mut self, read: &[Read], start: &[f64], coefficient: impl Fn(usize, usize) -> f64) -> String {
        let width = start.len();
        let mut sum = self.doubles(&[1, width as i64], start);
        let mut first = 0;
        for feature in read {
            let of = |column: usize| {
                (0..width).map(|place| coefficient(first + column, place)).collect::<Vec<f64>>()
            };
            let term = match feature {
                Read::Number { scaled, missing } => {
                    let by = self.doubles(&[1, width as i64], &of(0));
                    let term = self.node("Mul", &[&by, scaled]);
                    match missing {
                        None => term,
                        Some(missing) => {
                            let instead = self.doubles(&[1, width as i64], &of(1));
                            self.node("Where", &[missing, &instead, &term])
                        }
                    }
                }
                Read::Level { place, places } => {
                    let mut table: Vec<f64> = (0..places - 1).flat_map(of).collect();
                    table.extend(vec![0.0; width]);
                    let table = self.doubles(&[*places as i64, width as i64], &table);
                    self.node("Gather", &[&table, place])
                }
            };
            sum = self.node("Add", &[&sum, &term]);
            first += feature.columns();
        }
        sum
    }

    /// `σ`.
    fn chance(&mut self, logit: &str) -> String {
        let one = self.number(1.0);
        let negative = self.node("Neg", &[logit]);
        let power = self.node("Exp", &[&negative]);
        let below = self.node("Add", &[&one, &power]);
        self.node("Div", &[&one, &below])
    }

    fn score(&mut self, column: &str, scale: Option<&Scale>) -> String {
        let score = self.input(column, DOUBLE);
        let log = scale.is_none_or(|scale| scale.log_odds);
        let (low, high) = if log { (0.0, 1.0) } else { (-f64::MAX, f64::MAX) };
        let valid = self.within(&score, low, high);
        self.valid.push(valid);
        let Some(Scale { log_odds, intercept, slope }) = scale else { return score };
        let regressor = if *log_odds {
            let (least, most, one) = (self.number(1e-6), self.number(1.0 - 1e-6), self.number(1.0));
            let low = self.node("Less", &[&score, &least]);
            let inside = self.node("Where", &[&low, &least, &score]);
            let high = self.node("Greater", &[&inside, &most]);
            let inside = self.node("Where", &[&high, &most, &inside]);
            let rest = self.node("Sub", &[&one, &inside]);
            let odds = self.node("Div", &[&inside, &rest]);
            self.node("Log", &[&odds])
        } else {
            score
        };
        let (intercept, slope) = (self.number(*intercept), self.number(*slope));
        let scaled = self.node("Mul", &[&slope, &regressor]);
        let logit = self.node("Add", &[&intercept, &scaled]);
        self.chance(&logit)
    }

    fn less(&mut self, value: &str, by: f64) -> String {
        let by = self.number(by);
        self.node("Sub", &[value, &by])
    }

    fn finish(mut self, rule: &Rule, margin: &str) -> Vec<u8> {
        // A rule of a constant needs nothing of a row, and no rule is one: there is a feature or a score.
        let valid = std::mem::take(&mut self.valid);
        let all = valid.into_iter().reduce(|all, one| self.node("And", &[&all, &one])).unwrap_or_default();
        let (zero, nothing) = (self.number(0.0), self.number(f64::NAN));
        let above = self.node("Greater", &[margin, &zero]);
        let int = |name: &str, value: i64| Message::default().text(1, name).int(3, value).int(20, 2);
        let whole = self.node_with("Cast", "", &[&above], vec![int("to", INT64)]);
        let none = self.constant(&[1, 1], INT64, &(-1i64).to_le_bytes());
        let output = |name: &str, inputs: [&str; 3]| {
            let node = Message::default().each(inputs, |node, input| node.text(1, input));
            node.text(2, name).text(3, &format!("n_{name}")).text(4, "Where")
        };
        self.nodes.push(output("margin", [&all, margin, &nothing]));
        self.nodes.push(output("decision", [&all, &whole, &none]));
        let graph = Message::default().each(self.nodes, |graph, node| graph.message(1, &node));
        let graph =
            graph.text(2, "fairveil_rule").each(self.constants, |graph, value| graph.message(5, &value));
        let graph = graph.each(self.inputs, |graph, input| graph.message(11, &input));
        let outputs = [value_info("margin", DOUBLE), value_info("decision", INT64)];
        let graph = graph.each(outputs, |graph, output| graph.message(12, &output));
        let opset = |domain: &str, version| Message::default().text(1, domain).int(2, version);
        let entry = |name: &str, value: &str| Message::default().text(1, name).text(2, value);
        let model =
            Message::default().int(1, 8).text(2, "fairveil").text(3, &rule.version).message(7, &graph);
        let model = model.message(8, &opset("", 17)).message(8, &opset("ai.onnx.ml", 3));
        let about =
            [("positive", &rule.positive), ("negative", &rule.negative), ("criterion", &rule.criterion)];
        model.each(about, |model, (name, value)| model.message(14, &entry(name, value))).finish()
    }
}

/// A table of one column and any number of rows.
fn value_info(name: &str, kind: i64) -> Message {
    let rows = Message::default().text(2, "rows");
    let one = Message::default().int(1, 1);
    let shape = Message::default().message(1, &rows).message(1, &one);
    let tensor = Message::default().int(1, kind).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}
