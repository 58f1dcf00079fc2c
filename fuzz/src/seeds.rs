//! Writes the seeds: small tables in every format, by the project's own writers and by those of other programs.

use arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use arrow::datatypes::Int32Type;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use fairveil_ingest::{Columns, Input, Reading, TallyFormat, count_table};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Tables as text, each with the bytes that choose how it is read.
const TABLES: [(&[u8], &str); 8] = [
    (&[0, 8, 0x90], "y_pred,y_true,proxy_a,proxy_b\n1,1,x,x\n0,0,y,x\n1,0,x,y\n0,1,,y\n1,1,y,y\n,0,x,y\n"),
    (&[1, 9, 0x91], "y_pred,a,b,w\n1,x,x,0.1\n0,y,y,2.5\n1,x,y,1e3\n0,y,x,0.2\n"),
    (&[2, 10], "y_pred,p_x,p_y\n1,0.25,0.75\n0,1,0\n1,,\n0,0.5,0.5\n1,0.9,0.1\n"),
    (&[3], "y_pred,y_true,proxy_a,proxy_b,s\n1,1,x,x,north\n0,0,y,x,south\n1,0,x,y,\n0,1,y,y,north\n"),
    (&[4, 12], "y_pred,proxy_a,proxy_b,t\n1,x,x,x\n0,y,x,y\n1.0,x,y,x\n0,y,y,y\n"),
    (
        &[5, 13, 0x95],
        "y_pred,a,p_x,p_y,q_x,q_y,weight\n1,x,0.25,0.75,1,0,3\n0,y,0,1,,,0.1\n1,y,,,0.5,0.5,0.2\n0,x,1,0,1,0,1\n",
    ),
    (
        &[6],
        "y_pred,p,n,rows,squared_weight,soft_x,soft_y,soft_weight,rest\n1,x,2.5,3,2.25,2,0.5,2.5,count=1e-17;soft0=1e-18\n0,y,1,2,0.5,0.25,0.75,1,\n",
    ),
    (&[7, 15], "y_pred,proxy_a,proxy_b,t\nyes,x,NA,x\n1,y,x,\n0,x,y,y\n1,\"x\",\"y\",\n0,y,x,\n"),
];

/// Writes them below a folder, one for each target.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let put = |target: &str, name: &str, byte: u8, file: &[u8]| -> std::io::Result<()> {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{name}-{byte:02x}")), [&[byte], file].concat())
    };
    for (number, (bytes, text)) in TABLES.iter().enumerate() {
        let name = format!("table{number}");
        let rows = rows(text);
        for byte in *bytes {
            let target = if byte & 7 == 6 { "tally" } else { "csv" };
            put(target, &name, *byte, text.as_bytes())?;
            put("rows", &name, *byte, text.as_bytes())?;
            put("rows", &format!("{name}-json"), *byte, objects(&rows, "\n").as_bytes())?;
            put("json", &name, *byte, objects(&rows, "\n").as_bytes())?;
            put("json", &format!("{name}-array"), *byte, format!("[{}]", objects(&rows, ",\n")).as_bytes())?;
        }
        let byte = bytes[0];
        put("csv", &format!("{name}-tabs"), byte, text.replace(',', "\t").as_bytes())?;
        put("csv", &format!("{name}-returns"), byte, text.replace('\n', "\r\n").as_bytes())?;
        put("csv", &format!("{name}-quotes"), byte, quoted(&rows).as_bytes())?;
        put("csv", &format!("{name}-gzip"), byte, &gzip(text.as_bytes())?)?;
        put("csv", &format!("{name}-zstd"), byte, &zstd::encode_all(text.as_bytes(), 3)?)?;
        for (kind, file) in parquet_files(&rows)? {
            put("parquet", &format!("{name}-{kind}"), byte, &file)?;
        }
        put("arrow", &format!("{name}-file"), byte, &arrow_file(&rows)?)?;
        put("arrow", &format!("{name}-stream"), byte, &arrow_stream(&rows)?)?;
        if byte & 7 != 6 {
            for (kind, file) in tallies(text, byte)? {
                let target = if kind == "parquet" { "parquet" } else { "tally" };
                (0..4).try_for_each(|format| {
                    put(target, &format!("{name}-{kind}"), byte | format << 5, &file)
                })?;
            }
        }
    }
    Ok(())
}

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').map(|field| field.trim_matches('"')).collect()).collect()
}

fn quoted(rows: &[Vec<&str>]) -> String {
    let row = |row: &Vec<&str>| row.iter().map(|field| format!("\"{field}\"")).collect::<Vec<_>>().join(",");
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn objects(rows: &[Vec<&str>], between: &str) -> String {
    let value = |field: &str| match field {
        "" => "null".to_owned(),
        number if number.parse::<f64>().is_ok() => number.to_owned(),
        text => format!("\"{text}\""),
    };
    let object = |row: &Vec<&str>| {
        let pairs = rows[0].iter().zip(row).map(|(name, field)| format!("\"{name}\":{}", value(field)));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
    };
    rows[1..].iter().map(object).collect::<Vec<_>>().join(between)
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes)?;
    packed.finish()
}

/// The tally of a table in every format that tallies are written in.
fn tallies(text: &str, byte: u8) -> Result<Vec<(&'static str, Vec<u8>)>, Box<dyn Error>> {
    let columns: Columns = crate::claims::Asked::by(byte).columns;
    let input = vec![Input::Bytes { name: "seed".into(), bytes: Box::new(text.as_bytes()) }];
    let mut tally = count_table(input, &columns, &Reading::default())?;
    if byte == 0 {
        tally.hide_below(2);
    }
    let formats = [
        ("csv", TallyFormat::Csv),
        ("tsv", TallyFormat::Tsv),
        ("json", TallyFormat::JsonLines),
        ("parquet", TallyFormat::Parquet),
    ];
    let mut files = Vec::new();
    for (name, format) in formats {
        let mut file = Vec::new();
        tally.write(format, &mut file)?;
        files.push((name, file));
    }
    Ok(files)
}

/// Columns as numbers where all of their values are, every other column of text as a dictionary.
fn batch(rows: &[Vec<&str>]) -> Result<RecordBatch, Box<dyn Error>> {
    let column = |place: usize| {
        let cells: Vec<Option<&str>> =
            rows[1..].iter().map(|row| row.get(place).copied().filter(|field| !field.is_empty())).collect();
        let whole = |cell: &Option<&str>| cell.is_none_or(|text| text.parse::<i64>().is_ok());
        let number = |cell: &Option<&str>| cell.is_none_or(|text| text.parse::<f64>().is_ok());
        let array: ArrayRef = if place == 0 && cells.iter().all(|cell| matches!(cell, Some("0" | "1"))) {
            Arc::new(BooleanArray::from(
                cells.iter().map(|cell| cell.map(|text| text == "1")).collect::<Vec<_>>(),
            ))
        } else if cells.iter().all(whole) {
            Arc::new(cells.iter().map(|cell| cell.and_then(|text| text.parse().ok())).collect::<Int64Array>())
        } else if cells.iter().all(number) {
            Arc::new(
                cells.iter().map(|cell| cell.and_then(|text| text.parse().ok())).collect::<Float64Array>(),
            )
        } else if place % 2 == 0 {
            Arc::new(cells.into_iter().collect::<StringArray>())
        } else {
            Arc::new(cells.into_iter().collect::<DictionaryArray<Int32Type>>())
        };
        (rows[0][place], array)
    };
    Ok(RecordBatch::try_from_iter((0..rows[0].len()).map(column))?)
}

fn parquet_files(rows: &[Vec<&str>]) -> Result<Vec<(&'static str, Vec<u8>)>, Box<dyn Error>> {
    let batch = batch(rows)?;
    let plain = || WriterProperties::builder().set_dictionary_enabled(false);
    let kinds = [
        ("plain", plain().build()),
        (
            "two",
            plain()
                .set_writer_version(WriterVersion::PARQUET_2_0)
                .set_max_row_group_row_count(Some(2))
                .build(),
        ),
        ("dictionary", WriterProperties::builder().set_dictionary_enabled(true).build()),
        ("snappy", WriterProperties::builder().set_compression(Compression::SNAPPY).build()),
        ("gzip", plain().set_compression(Compression::GZIP(Default::default())).build()),
        ("zstd", plain().set_compression(Compression::ZSTD(Default::default())).build()),
        ("lz4", plain().set_compression(Compression::LZ4_RAW).build()),
    ];
    let mut files = Vec::new();
    for (name, kind) in kinds {
        let mut file = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(kind))?;
        writer.write(&batch)?;
        writer.close()?;
        files.push((name, file));
    }
    Ok(files)
}

fn arrow_file(rows: &[Vec<&str>]) -> Result<Vec<u8>, Box<dyn Error>> {
    let batch = batch(rows)?;
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(&batch)?;
    writer.write(&batch.slice(1, 1))?;
    Ok(writer.into_inner()?)
}

fn arrow_stream(rows: &[Vec<&str>]) -> Result<Vec<u8>, Box<dyn Error>> {
    let batch = batch(rows)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(&batch)?;
    writer.write(&batch.slice(1, 1))?;
    Ok(writer.into_inner()?)
}
