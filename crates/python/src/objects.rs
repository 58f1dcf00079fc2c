//! Python objects as guesses, classes and other names.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use hashbrown::HashMap;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyString};
use std::sync::Arc;

/// The most objects that are known by where they lie: a few names repeat, and numbers are each their own.
const KNOWN: usize = 1 << 16;

/// The objects' names, each held once.
pub fn dictionary(objects: &Bound<PyList>) -> PyResult<ArrayRef> {
    // Objects live as long as their list: no two lie in one place.
    let mut by_place: HashMap<usize, Option<i32>> = HashMap::new();
    let mut by_name: HashMap<String, i32> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    let mut codes: Vec<Option<i32>> = Vec::with_capacity(objects.len());
    for object in objects.iter() {
        let place = object.as_ptr() as usize;
        if let Some(code) = by_place.get(&place) {
            codes.push(*code);
            continue;
        }
        let code = match name(&object)? {
            None => None,
            Some(name) => Some(match by_name.get(&name) {
                Some(code) => *code,
                None => {
                    let code = i32::try_from(names.len())
                        .map_err(|_| PyOverflowError::new_err("more values than can be told apart"))?;
                    names.push(name.clone());
                    by_name.insert(name, code);
                    code
                }
            }),
        };
        if by_place.len() < KNOWN {
            by_place.insert(place, code);
        }
        codes.push(code);
    }
    of_codes(codes, Arc::new(StringArray::from_iter_values(names)))
}

/// Codes, and the objects that they stand for.
pub fn coded(codes: Vec<Option<i32>>, objects: &Bound<PyList>) -> PyResult<ArrayRef> {
    let names = objects.iter().map(|object| name(&object)).collect::<PyResult<Vec<_>>>()?;
    of_codes(codes, Arc::new(StringArray::from(names)))
}

fn of_codes(codes: Vec<Option<i32>>, values: ArrayRef) -> PyResult<ArrayRef> {
    let dictionary = DictionaryArray::<Int32Type>::try_new(Int32Array::from(codes), values);
    Ok(Arc::new(dictionary.map_err(|error| PyTypeError::new_err(error.to_string()))?))
}

/// An object as the readers would find it in a file; nothing where it means nothing.
fn name(object: &Bound<PyAny>) -> PyResult<Option<String>> {
    if object.is_none() {
        return Ok(None);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Some(text.to_cow()?.into_owned()));
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Some(truth.is_true().to_string()));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Some(object.str()?.to_cow()?.into_owned()));
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        let number = number.value();
        return Ok((!number.is_nan()).then(|| number.to_string()));
    }
    if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>() {
        return Err(PyTypeError::new_err("bytes are no names: decode them first"));
    }
    let class = object.get_type().name()?;
    if ["NAType", "NaTType"].iter().any(|nothing| class == *nothing) {
        return Ok(None);
    }
    // Scalars of numpy know what they are in Python.
    if let Ok(item) = object.call_method0("item") {
        return if item.get_type().is(object.get_type()) { shown(object) } else { name(&item) };
    }
    shown(object)
}

fn shown(object: &Bound<PyAny>) -> PyResult<Option<String>> {
    let text = object.str()?.to_cow()?.into_owned();
    Ok((text != "NaT").then_some(text))
}
