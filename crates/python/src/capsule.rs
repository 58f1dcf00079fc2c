//! Arrow's C interface: streams and arrays of other libraries, taken over without a copy.
#![allow(
    unsafe_code,
    reason = "the interface is made of pointers, which a capsule hands over together with what they point to"
)]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, RecordBatchStreamReader};
use arrow_array::{ArrayRef, make_array};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

fn told(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A pointer that a capsule of this name holds.
fn held<T>(capsule: &Bound<PyAny>, name: &CStr) -> PyResult<*mut T> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast::<T>().as_ptr())
}

/// The batches of what has `__arrow_c_stream__` and is a frame.
pub fn batches(frame: &Bound<PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = frame.call_method0("__arrow_c_stream__")?;
    // SAFETY: a capsule of this name holds such a stream. It is moved out, and what is left behind is marked as released: it has
    // one owner.
    unsafe { RecordBatchStreamReader::from_raw(held(&capsule, STREAM)?) }.map_err(told)
}

/// The chunks of a column: of what has `__arrow_c_stream__`, or of the one array of what has `__arrow_c_array__`.
pub fn chunks(column: &Bound<PyAny>) -> PyResult<Vec<ArrayRef>> {
    if column.hasattr("__arrow_c_stream__")? {
        let capsule = column.call_method0("__arrow_c_stream__")?;
        // SAFETY: as in `batches`.
        let chunks = unsafe { ArrayStreamReader::from_raw(held(&capsule, STREAM)?) }.map_err(told)?;
        return chunks.collect::<Result<_, _>>().map_err(told);
    }
    let pair = column.call_method0("__arrow_c_array__")?;
    let (schema, array) = pair.extract::<(Bound<PyAny>, Bound<PyAny>)>()?;
    // SAFETY: capsules of these names hold such structures. Both are moved out, which leaves them released behind: each has one
    // owner. That the schema describes the array is what the interface demands of whoever made them.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(held(&schema, SCHEMA)?);
        from_ffi(FFI_ArrowArray::from_raw(held(&array, ARRAY)?), &schema)
    };
    Ok(vec![data.map(make_array).map_err(told)?])
}
