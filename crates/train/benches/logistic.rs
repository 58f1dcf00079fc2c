//! One training for `bench/train.py`: reads the rows, learns once, says how long that took.
//!
//! ```text
//! logistic <rows.npy> <labels.npy> <weights of the constraint.npy> <threads>
//! ```
//! Features and labels are `f32`, weights `f64`, in row order. Printed is one line of JSON with the seconds from rows in
//! memory to a model that meets the constraint with hard decisions, and the model.
#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use fairveil_train::{Aim, Design, LogisticSettings, Problem, logistic};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Read};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [rows, labels, weights, threads] = arguments.as_slice() else {
        println!("run `make bench WHAT=train`");
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let (values, shape) = npy(rows, "<f4", f32::from_le_bytes)?;
    let [rows, columns] = shape[..] else {
        return Err(format!("rows and columns are needed, found {shape:?}").into());
    };
    let features = Design::new(rows, columns, values);
    let labels: Vec<bool> =
        npy(labels, "<f4", f32::from_le_bytes)?.0.iter().map(|&label| label > 0.5).collect();
    let constraints = [npy(weights, "<f8", f64::from_le_bytes)?.0];
    let problem = Problem {
        features: &features,
        labels: &labels,
        weights: None,
        constraints: &constraints,
        targets: &[0.0],
        aim: Aim::default(),
    };
    let settings = LogisticSettings::default();
    let start = Instant::now();
    let found = logistic(&problem, &settings, None, &|_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    let line = serde_json::json!({
        "seconds": seconds,
        "stopped": found.stopped.to_string(),
        "passes": found.passes,
        "rounds": found.rounds,
        "shifts": found.shifts,
        "residual": found.residual,
        "soft": found.soft,
        "hard": found.hard,
        "multipliers": found.multipliers,
        "loss": found.loss,
        "intercept": found.model.intercept,
        "coefficients": found.model.coefficients,
    });
    println!("{line}");
    Ok(())
}

/// The numbers of a file of numpy's format 1 or 2, and its shape.
fn npy<const SIZE: usize, T>(
    path: &str,
    kind: &str,
    number: impl Fn([u8; SIZE]) -> T,
) -> Result<(Vec<T>, Vec<usize>), Box<dyn Error>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut start = [0; 8];
    file.read_exact(&mut start)?;
    let mut length = vec![0; if start[6] == 1 { 2 } else { 4 }];
    file.read_exact(&mut length)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    let mut header = vec![0; length];
    file.read_exact(&mut header)?;
    let header = String::from_utf8(header)?;
    if !header.contains(kind) || !header.contains("'fortran_order': False") {
        return Err(
            format!("{path}: numbers of the kind {kind} in row order are needed, found {header}").into()
        );
    }
    let shape = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes.map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let mut data = Vec::with_capacity(shape.iter().product());
    let mut bytes = [0; SIZE];
    for _ in 0..data.capacity() {
        file.read_exact(&mut bytes)?;
        data.push(number(bytes));
    }
    Ok((data, shape))
}
