//! Features in columns: numbers, or lists of numbers.

use super::arrow::as_text;
use crate::error::Problem;
use crate::fault::Fault;
use crate::features::FeatureProblem;
use crate::plan::{FeatureUse, Slot};
use crate::value::At;
use crate::worker::Worker;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, GenericListArray, OffsetSizeTrait};
use arrow_cast::cast;
use arrow_schema::DataType;
use std::sync::Arc;

/// Takes the features of some rows; `at` is the first.
pub(crate) fn take_feature(worker: &mut Worker, place: usize, array: &ArrayRef, at: At) -> Result<(), Fault> {
    let name = worker.plan.features[place].clone();
    let (values, ends) = match array.data_type() {
        DataType::List(_) => list_parts(array.as_list::<i32>()),
        DataType::LargeList(_) => list_parts(array.as_list::<i64>()),
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(0);
            let values = Arc::clone(array.as_fixed_size_list().values());
            (values, (1..=array.len()).map(|row| row * size).collect())
        }
        kind if kind.is_numeric() => (Arc::clone(array), Vec::new()),
        _ => return take_texts(worker, place, &as_text(array, at, &name)?, at),
    };
    let of_file = |problem| Fault { at: At { number: 0, ..at }, column: Some(name.clone()), problem };
    let lists = array.data_type().is_nested();
    if lists && worker.plan.feature_use != FeatureUse::Near {
        return Err(of_file(Problem::Type { found: array.data_type().to_string() }));
    }
    if lists && worker.plan.features.len() > 1 {
        return Err(of_file(Problem::Features(FeatureProblem::ListBesideOthers)));
    }
    if !values.data_type().is_numeric() {
        return Err(of_file(Problem::Type { found: array.data_type().to_string() }));
    }
    let numbers = cast(&values, &DataType::Float64)
        .map_err(|error| of_file(Problem::Type { found: error.to_string() }))?;
    let numbers = numbers.as_primitive::<Float64Type>();
    if lists {
        take_lists(worker, place, array, numbers, &ends, at)
    } else {
        take_numbers(worker, place, numbers, at)
    }
}

/// One number of many in the precision of features, or what it is instead.
fn taken(worker: &Worker, numbers: &Float64Array, i: usize) -> Result<f32, String> {
    if numbers.is_valid(i) {
        worker.single(numbers.value(i)).ok_or_else(|| numbers.value(i).to_string())
    } else {
        Err(String::new())
    }
}

fn take_numbers(worker: &mut Worker, place: usize, numbers: &Float64Array, at: At) -> Result<(), Fault> {
    for row in 0..numbers.len() {
        let feature = match taken(worker, numbers, row) {
            Ok(feature) => feature,
            Err(value) => match worker.odd_feature(&value) {
                Ok(feature) => feature,
                Err(problem) => {
                    leave_out_or(worker, place, row, at, problem)?;
                    f32::NAN
                }
            },
        };
        worker.batch.features[place].push(feature);
    }
    Ok(())
}

fn take_texts(worker: &mut Worker, place: usize, texts: &ArrayRef, at: At) -> Result<(), Fault> {
    for (row, text) in texts.as_string::<i32>().iter().enumerate() {
        let raw = text.unwrap_or_default();
        let here = At { number: at.number + row as u64, ..at };
        if let Err(fault) = worker.put(Slot::Feature(place), raw.as_bytes(), here) {
            leave_out_or(worker, place, row, at, fault.problem)?;
            worker.batch.features[place].push(f32::NAN);
        }
    }
    Ok(())
}

/// Takes lists, of which `numbers` are the elements and `ends` say where that of each row ends.
fn take_lists(
    worker: &mut Worker,
    place: usize,
    lists: &ArrayRef,
    numbers: &Float64Array,
    ends: &[usize],
    at: At,
) -> Result<(), Fault> {
    let mut start = 0;
    for (row, end) in ends.iter().enumerate() {
        let mut problem = lists.is_null(row).then(|| FeatureProblem::Value { value: String::new() });
        // Behind a list that is null there may be elements that mean nothing.
        for i in (start..*end).take_while(|_| lists.is_valid(row)) {
            match taken(worker, numbers, i) {
                Ok(feature) => worker.batch.lists.values.push(feature),
                Err(value) => {
                    problem = Some(FeatureProblem::Element { place: i - start + 1, value });
                    break;
                }
            }
        }
        if let Some(problem) = problem {
            leave_out_or(worker, place, row, at, Problem::Features(problem))?;
        }
        worker.batch.lists.ends.push(worker.batch.lists.values.len());
        start = *end;
    }
    Ok(())
}

/// Leaves out the row that comes so many after the first, where that was asked for.
fn leave_out_or(
    worker: &mut Worker,
    place: usize,
    row: usize,
    at: At,
    problem: Problem,
) -> Result<(), Fault> {
    let at = At { number: at.number + row as u64, ..at };
    let column = Some(worker.plan.features[place].clone());
    let fault = Fault { at, column, problem };
    if worker.lenient {
        worker.leave_out(worker.batch.rows + row, fault);
        Ok(())
    } else {
        Err(fault)
    }
}

/// The elements of all lists, and where that of each row ends among them.
fn list_parts<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> (ArrayRef, Vec<usize>) {
    let offsets: Vec<usize> = lists.value_offsets().iter().map(|offset| offset.as_usize()).collect();
    let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
    let ends = offsets.iter().skip(1).map(|end| end - first).collect();
    (lists.values().slice(first, last - first), ends)
}
