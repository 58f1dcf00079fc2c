//! `fairveil sql`: the query that makes the tally, for a database that is not at hand.

use crate::args::SqlArgs;
use crate::output::{print_data, tell};
use anyhow::bail;

pub fn run(args: &SqlArgs) -> anyhow::Result<()> {
    if args.bins.is_some() && args.threshold.is_none() && args.outcome.is_none() {
        bail!(
            "--bins without a number to cut\n  needed: scores, which --threshold makes of --y-pred, or --outcome\n  to do:  give one of them"
        );
    }
    let query = fairveil_ingest::tally_sql(&args.columns(), &args.relation()?, args.dialect.into())?;
    print_data(format!("{query};\n").as_bytes())?;
    tell(
        "Run this, save the result as tally.csv or tally.parquet, then: fairveil audit tally.csv, naming the columns as here",
    );
    Ok(())
}
