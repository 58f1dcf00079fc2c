//! An audit of rows in PostgreSQL: the tally is made there.

use crate::args::{AuditArgs, relation};
use crate::output::tell;
use anyhow::bail;
use fairveil_ingest::{
    Address, Columns, Database, Delimiter, IngestError, Table, each_tally_row, is_postgres,
};
use std::time::Duration;

/// The database that was named instead of a file.
pub fn named(args: &AuditArgs) -> anyhow::Result<Option<Database>> {
    let Some(address) = args.table.to_str().filter(|text| is_postgres(text)) else {
        let flags = [
            (args.from_table.is_some(), "--table"),
            (args.query.is_some(), "--query"),
            (args.statement_timeout.is_some(), "--statement-timeout"),
        ];
        return match flags.iter().find(|(is, _)| *is) {
            Some((_, flag)) => bail!(
                "{flag} is for a database\n  needed: an address such as postgres://user@host/database instead of a file\n  \
                 to do:  leave {flag} out, or name the database"
            ),
            None => Ok(None),
        };
    };
    Ok(Some(Database {
        address: Address::new(address)?,
        relation: relation(args.from_table.as_deref(), args.query.as_deref())?,
        statement_timeout: args.statement_timeout.map(Duration::from_secs),
    }))
}

/// The tally of the database, each of its rows as often as it counts.
pub fn read(database: &Database, columns: &Columns) -> anyhow::Result<Table> {
    let begin = |header: &[String]| -> Result<_, IngestError> { Ok((header.to_vec(), Vec::new())) };
    let mut warn = |warning: &str| tell(&format!("warning: {warning}"));
    let (header, rows) = each_tally_row(database, columns, &mut warn, begin, |(_, rows), _, row| {
        rows.push(row.iter().map(|field| field.unwrap_or_default().to_owned()).collect::<Vec<_>>());
        Ok(())
    })?;
    if header.last().is_none_or(|name| name != "count") {
        bail!(
            "weights and probabilities in a database are not read yet\n  to do:  fairveil sql, and audit its result"
        );
    }
    let keys = header.len() - 1;
    let mut text = csv::Writer::from_writer(Vec::new());
    text.write_record(&header[..keys])?;
    for row in &rows {
        for _ in 0..row[keys].parse::<u64>()? {
            text.write_record(&row[..keys])?;
        }
    }
    let text = text.into_inner()?;
    let name = database.address.to_string();
    Ok(fairveil_ingest::read(text.as_slice(), &name, columns, Delimiter::Byte(b','))?)
}
