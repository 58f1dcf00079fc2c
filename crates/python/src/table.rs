//! A table as Python holds it, on its way to the readers.

use crate::capsule;
use crate::objects;
use crate::refused::{Kind, refused};
use arrow_array::{
    ArrayRef, BooleanArray, NullArray, PrimitiveArray, RecordBatch, RecordBatchOptions, RecordBatchReader,
    new_empty_array, types,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use fairveil_core::setting::Refusal;
use fairveil_ingest::Input;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::{Arc, Mutex, PoisonError};

/// Columns that were put together, or a stream of batches that can be read once.
#[pyclass(module = "fairveil._native", frozen)]
pub struct Table {
    /// What messages call it.
    name: String,
    held: Mutex<Held>,
}

enum Held {
    Columns { names: Vec<String>, arrays: Vec<ArrayRef>, rows: Option<(String, usize)> },
    Stream(Option<Box<dyn RecordBatchReader + Send>>),
    Tally(Bytes),
}

/// What readers take of tables that are one.
pub fn inputs(tables: &[Py<Table>]) -> PyResult<Vec<Input<'static>>> {
    tables.iter().map(|table| table.get().input()).collect()
}

#[pymethods]
impl Table {
    /// An empty table.
    #[new]
    fn new(name: String) -> Self {
        let held = Held::Columns { names: Vec::new(), arrays: Vec::new(), rows: None };
        Table { name, held: Mutex::new(held) }
    }

    /// A table that comes as an Arrow stream. `others` are columns that are there and not asked for.
    #[staticmethod]
    fn of_stream(name: String, frame: &Bound<PyAny>, others: &Bound<PyList>) -> PyResult<Self> {
        let others: Vec<String> = others.extract()?;
        let batches = WithOthers::new(capsule::batches(frame)?, &others);
        Ok(Table { name, held: Mutex::new(Held::Stream(Some(Box::new(batches)))) })
    }

    /// A tally, as it was counted.
    #[staticmethod]
    fn of_tally(name: String, tally: &[u8]) -> Self {
        Table { name, held: Mutex::new(Held::Tally(Bytes::copy_from_slice(tally))) }
    }

    /// Adds the bytes of a numpy array of this type; `missing` has a byte for each row, which is not 0 where it has no value.
    #[pyo3(signature = (name, kind, data, missing=None))]
    fn add_numbers(
        &self,
        py: Python,
        name: String,
        kind: &str,
        data: &[u8],
        missing: Option<&[u8]>,
    ) -> PyResult<()> {
        let nulls = missing.map(|missing| NullBuffer::from_iter(missing.iter().map(|missing| *missing == 0)));
        macro_rules! array {
            ($($kind:literal: $type:ident),* $(,)?) => {
                match kind {
                    $($kind => Arc::new(PrimitiveArray::<types::$type>::try_new(
                        ScalarBuffer::from(Buffer::from(data)), nulls,
                    ).map_err(|error| PyValueError::new_err(error.to_string()))?) as ArrayRef,)*
                    "bool" => Arc::new(BooleanArray::new(BooleanBuffer::from_iter(data.iter().map(|byte| *byte != 0)), nulls)),
                    other => return Err(PyTypeError::new_err(format!("`{other}` is no type of numbers"))),
                }
            };
        }
        let array = array! {
            "int8": Int8Type, "int16": Int16Type, "int32": Int32Type, "int64": Int64Type,
            "uint8": UInt8Type, "uint16": UInt16Type, "uint32": UInt32Type, "uint64": UInt64Type,
            "float32": Float32Type, "float64": Float64Type,
        };
        self.add(py, name, array)
    }

    /// Adds codes, the bytes of an array of 32 bits, and the names they stand for; a code below 0 stands for nothing.
    fn add_codes(&self, py: Python, name: String, codes: &[u8], names: &Bound<PyList>) -> PyResult<()> {
        let codes = ScalarBuffer::<i32>::from(Buffer::from(codes));
        let codes = codes.iter().map(|code| (*code >= 0).then_some(*code)).collect();
        self.add(py, name, objects::coded(codes, names)?)
    }

    /// Adds Python objects.
    fn add_objects(&self, py: Python, name: String, objects: &Bound<PyList>) -> PyResult<()> {
        self.add(py, name, objects::dictionary(objects)?)
    }

    /// Adds a column that speaks Arrow.
    fn add_arrow(&self, py: Python, name: String, column: &Bound<PyAny>) -> PyResult<()> {
        let chunks = capsule::chunks(column)?;
        let array = match chunks.as_slice() {
            [] => new_empty_array(&DataType::Null),
            [only] => Arc::clone(only),
            many => arrow_select::concat::concat(&many.iter().map(AsRef::as_ref).collect::<Vec<_>>())
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
        };
        self.add(py, name, array)
    }

    /// Adds the name of a column that is there and not asked for, so that messages can name it.
    fn add_name(&self, name: String) -> PyResult<()> {
        match &mut *self.held() {
            Held::Columns { names, arrays, rows } => {
                let length = rows.as_ref().map_or(0, |(_, rows)| *rows);
                names.push(name);
                arrays.push(Arc::new(NullArray::new(length)));
                Ok(())
            }
            Held::Stream(_) | Held::Tally(_) => Err(PyTypeError::new_err("this takes no columns")),
        }
    }
}

impl Table {
    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, py: Python, name: String, array: ArrayRef) -> PyResult<()> {
        match &mut *self.held() {
            Held::Columns { names, arrays, rows } => {
                match rows {
                    Some((first, rows)) if *rows != array.len() => {
                        let refusal = Refusal::new(format!(
                            "`{name}` has {} values, and `{first}` has {rows}",
                            array.len()
                        ))
                        .needed("a value of each for every row")
                        .to_do("check that all were made from the same rows");
                        return Err(refused(py, Kind::Table, &refusal));
                    }
                    Some(_) => {}
                    none => *none = Some((name.clone(), array.len())),
                }
                names.push(name);
                arrays.push(array);
                Ok(())
            }
            Held::Stream(_) | Held::Tally(_) => Err(PyTypeError::new_err("this takes no columns")),
        }
    }

    /// What readers take.
    pub fn input(&self) -> PyResult<Input<'static>> {
        let name = self.name.clone();
        match &mut *self.held() {
            Held::Columns { names, arrays, rows } => {
                let rows = rows.as_ref().map_or(0, |(_, rows)| *rows);
                let batch =
                    batch(names, arrays, rows).map_err(|error| PyValueError::new_err(error.to_string()))?;
                Ok(Input::of_batches(&name, vec![batch]))
            }
            Held::Tally(bytes) => Ok(Input::Memory { name, bytes: bytes.clone() }),
            Held::Stream(stream) => {
                let gone = || PyRuntimeError::new_err("a stream can be read only once");
                Ok(Input::Batches { name, batches: stream.take().ok_or_else(gone)? })
            }
        }
    }

    /// Keeps a stream, so that it can be read several times.
    pub fn keep(&self) -> PyResult<()> {
        let mut held = self.held();
        let Held::Stream(stream) = &mut *held else { return Ok(()) };
        let Some(stream) = stream.take() else { return Ok(()) };
        let told = |error: ArrowError| PyValueError::new_err(error.to_string());
        let schema = stream.schema();
        let batches = stream.collect::<Result<Vec<_>, _>>().map_err(told)?;
        let whole = arrow_select::concat::concat_batches(&schema, &batches).map_err(told)?;
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let rows = names.first().map(|name| (name.clone(), whole.num_rows()));
        *held = Held::Columns { names, arrays: whole.columns().to_vec(), rows };
        Ok(())
    }
}

fn batch(names: &[String], arrays: &[ArrayRef], rows: usize) -> Result<RecordBatch, ArrowError> {
    let fields = names.iter().zip(arrays);
    let fields = fields.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(
        Arc::new(Schema::new(fields.collect::<Vec<_>>())),
        arrays.to_vec(),
        &options,
    )
}

/// Batches, and columns of nothing for those that are not asked for.
struct WithOthers<R> {
    inner: R,
    schema: SchemaRef,
    others: usize,
}

impl<R: RecordBatchReader> WithOthers<R> {
    fn new(inner: R, others: &[String]) -> Self {
        let mut fields = inner.schema().fields().to_vec();
        fields.extend(others.iter().map(|name| Arc::new(Field::new(name, DataType::Null, true))));
        WithOthers { inner, schema: Arc::new(Schema::new(fields)), others: others.len() }
    }
}

impl<R: RecordBatchReader> Iterator for WithOthers<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.inner.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let rows = batch.num_rows();
        let mut columns = batch.columns().to_vec();
        columns.extend((0..self.others).map(|_| Arc::new(NullArray::new(rows)) as ArrayRef));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Some(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for WithOthers<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
