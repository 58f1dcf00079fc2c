//! Error rates from a JSON file: one object with a `transition` matrix, a list of them, or a whole audit as `--json`
//! writes it.

use anyhow::{Context, anyhow, bail};
use fairveil_core::{Class, Given, GivenNoise, Group, Legend, Shares, Stratum, TransitionMatrix};
use serde_json::Value;
use std::path::Path;

/// What is given of one part of the table: a matrix for all proxies, or one for each.
struct Part {
    stratum: Option<Stratum>,
    matrices: Vec<TransitionMatrix>,
    shares: Option<Shares<Group>>,
}

/// Reads the file in the words of the audited table.
pub fn read(path: &Path, legend: &Legend) -> anyhow::Result<Given> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        anyhow!(
            "{name} is no JSON: {error}\n  needed: an object with a `transition` matrix, or what --json wrote"
        )
    })?;
    given(&value, legend).with_context(|| name.to_string())
}

fn given(value: &Value, legend: &Legend) -> anyhow::Result<Given> {
    let records: Vec<&Value> = match value {
        Value::Array(records) => records.iter().collect(),
        Value::Object(object) => match object.get("noise").and_then(Value::as_array) {
            Some(records) => relied_on(records, value),
            None => vec![value],
        },
        _ => bail!(
            "found {}\n  needed: an object with a `transition` matrix, or what --json wrote",
            kind(value)
        ),
    };
    let mut parts: Vec<Part> = Vec::new();
    let known = |record: &&&Value| !record["transition"].is_null();
    let named: Vec<&str> =
        records.iter().filter(known).filter_map(|record| record["proxy"].as_str()).collect();
    let unknown =
        legend.proxies.iter().find(|proxy| !named.is_empty() && !named.contains(&proxy.name.as_str()));
    if let Some(proxy) = unknown {
        bail!(
            "it knows the errors of {}, not of {}\n  needed: the errors of every proxy of the table, or one matrix for all",
            named.join(", "),
            proxy.name
        );
    }
    // Each proxy's own matrix, of those that the table has.
    let of_table = |record: &&&Value| match record["proxy"].as_str() {
        Some(name) => legend.proxies.iter().any(|proxy| proxy.name == name),
        None => true,
    };
    for record in records.iter().filter(known).filter(of_table) {
        let stratum = stratum(record, legend)?;
        let order = order(record, legend)?;
        let transition = transition(record, &order)?;
        let shares = shares(record, &order)?;
        match parts.iter_mut().find(|part| part.stratum == stratum) {
            Some(part) => part.matrices.push(transition),
            None => parts.push(Part { stratum, matrices: vec![transition], shares }),
        }
    }
    let mut noise = Vec::with_capacity(parts.len());
    for Part { stratum, matrices, shares } in parts {
        noise.push(GivenNoise {
            stratum,
            transition: TransitionMatrix::mean(&matrices)?,
            group_shares: shares,
        });
    }
    if noise.is_empty() {
        bail!(
            "no `transition` matrix is in it\n  needed: rows for groups, columns for guesses, each row summing to 1"
        );
    }
    Ok(Given { noise })
}

/// The records of the method and rows that the audit relied on, else those of its first.
fn relied_on<'v>(records: &'v [Value], audit: &Value) -> Vec<&'v Value> {
    let known = || records.iter().filter(|record| !record["transition"].is_null());
    let same = |a: &Value, b: &Value| ["estimator", "scope"].iter().all(|key| a[*key] == b[*key]);
    let Some(first) = known().find(|record| same(record, &audit["advice"])).or_else(|| known().next()) else {
        return Vec::new();
    };
    known()
        .filter(|record| {
            same(record, first) && (record["rows"] == first["rows"] || !record["stratum"].is_null())
        })
        .collect()
}

/// Where each group of the table stands in the record.
fn order(record: &Value, legend: &Legend) -> anyhow::Result<Vec<usize>> {
    let Some(names) = record["groups"].as_array() else {
        bail!("it does not say which row is which group\n  needed: `groups`, such as {:?}", legend.groups);
    };
    let place = |group: &String| {
        names.iter().position(|name| name.as_str() == Some(group)).ok_or_else(|| {
            anyhow!(
                "group {group} is not among its groups\n  needed: the groups {}",
                legend.groups.join(", ")
            )
        })
    };
    let order: Vec<usize> = legend.groups.iter().map(place).collect::<anyhow::Result<_>>()?;
    match names.len() == order.len() {
        true => Ok(order),
        false => bail!("it knows {} groups\n  needed: the groups {}", names.len(), legend.groups.join(", ")),
    }
}

fn numbers(value: &Value, what: &str) -> anyhow::Result<Vec<f64>> {
    let list = value
        .as_array()
        .with_context(|| format!("{what} is {}, a list of numbers is needed", kind(value)))?;
    let number =
        |value: &Value| value.as_f64().with_context(|| format!("{what} holds {value}, a number is needed"));
    list.iter().map(number).collect()
}

fn transition(record: &Value, order: &[usize]) -> anyhow::Result<TransitionMatrix> {
    let rows = record["transition"].as_array().context("`transition` is no list of rows")?;
    let rows: Vec<Vec<f64>> =
        rows.iter().map(|row| numbers(row, "a row of `transition`")).collect::<anyhow::Result<_>>()?;
    if rows.len() != order.len() || rows.iter().any(|row| row.len() != order.len()) {
        bail!("`transition` has {} rows\n  needed: {n} rows of {n} numbers", rows.len(), n = order.len());
    }
    // Printed digits are rounded; a row may miss 1 by a few in the last of them.
    let row = |a: &usize| {
        let row: Vec<f64> = order.iter().map(|g| rows[*a][*g]).collect();
        let sum: f64 = row.iter().sum();
        if (sum - 1.0).abs() < 1e-6 { row.iter().map(|p| p / sum).collect() } else { row }
    };
    Ok(TransitionMatrix::new(order.iter().map(row).collect())?)
}

fn shares(record: &Value, order: &[usize]) -> anyhow::Result<Option<Shares<Group>>> {
    if let Some(key) = ["shares", "priors", "p"].iter().find(|key| !record[**key].is_null()) {
        bail!("`{key}` is not known\n  needed: shares of the groups are called `group_shares`");
    }
    if record["group_shares"].is_null() {
        return Ok(None);
    }
    let shares = numbers(&record["group_shares"], "`group_shares`")?;
    let sum: f64 = shares.iter().sum();
    if shares.len() != order.len() || (sum - 1.0).abs() > 1e-3 || shares.iter().any(|share| *share < 0.0) {
        bail!("`group_shares` is {shares:?}\n  needed: {} shares that sum to 1", order.len());
    }
    Ok(Some(Shares::new(order.iter().map(|a| shares[*a]).collect::<Vec<_>>())))
}

fn stratum(record: &Value, legend: &Legend) -> anyhow::Result<Option<Stratum>> {
    let stratum = &record["stratum"];
    if stratum.is_null() {
        return Ok(None);
    }
    let class = |value: &Value| {
        let name = value
            .as_str()
            .with_context(|| format!("a stratum holds {value}, the name of a class is needed"))?;
        let place = legend.classes.iter().position(|class| class == name);
        let classes = legend.classes.join(", ");
        place
            .map(Class)
            .with_context(|| format!("class {name} does not occur in the table (it has {classes})"))
    };
    let label = match &stratum["label"] {
        Value::Null => None,
        value => Some(class(value)?),
    };
    Ok(Some(Stratum { label, prediction: class(&stratum["prediction"])? }))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
