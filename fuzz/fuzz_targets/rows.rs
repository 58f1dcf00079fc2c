#![no_main]

// For its ceiling on memory.
use fairveil_fuzz as _;

use fairveil_ingest::{Edit, Input, Reading, RewritePlan, TableFormat, each_rows, rewrite};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((format, bytes)) = data.split_first() else { return };
    let names = ["t.csv", "t.tsv", "t.jsonl", "t.parquet"];
    let format = TableFormat::of_name(names[usize::from(format % 4)]).expect("a format");
    let plan = RewritePlan { added: vec!["added by us".into()], rows_are_single: true, ..RewritePlan::default() };
    let input = || vec![Input::Bytes { name: "fuzz".into(), bytes: Box::new(bytes) }];
    let mut seen = 0;
    let looked = each_rows(input(), &plan, &Reading::default(), |rows| {
        seen += rows.rows() as u64;
        Ok(())
    });
    let mut out = Vec::new();
    let copied = rewrite(input(), &plan, &Reading::default(), format, &mut out, |rows| {
        Ok(Edit { added: vec![vec![Some("1".into()); rows.rows()]], ..Edit::default() })
    });
    // As many rows are copied as are seen, and the copy can be read.
    if let (Ok(looked), Ok(copied)) = (looked, copied) {
        assert_eq!((looked, copied.rows), (seen, seen));
        let copy = || vec![Input::Memory { name: "copy".into(), bytes: out.clone().into() }];
        let again = RewritePlan { rows_are_single: true, ..RewritePlan::default() };
        if seen > 0 {
            let mut read = 0;
            each_rows(copy(), &again, &Reading::default(), |rows| {
                read += rows.rows() as u64;
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read, seen);
        }
    }
});
