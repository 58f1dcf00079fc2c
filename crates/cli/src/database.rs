//! Rows in PostgreSQL: the tally is made there.

use crate::args::{TableArgs, relation};
use anyhow::bail;
use fairveil_ingest::{Address, Database, is_postgres};
use std::time::Duration;

/// The database that was named instead of files.
pub fn named(args: &TableArgs) -> anyhow::Result<Option<Database>> {
    let address = match args.tables.as_slice() {
        [only] => only.to_str().filter(|text| is_postgres(text)),
        tables => {
            if tables.iter().any(|table| table.to_str().is_some_and(is_postgres)) {
                bail!(
                    "a database is named beside other inputs\n  needed: one database, or files\n  to do:  name them apart; tallies of each can be audited together"
                );
            }
            None
        }
    };
    let Some(address) = address else {
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
    if let Some(flag) = args.about_people() {
        bail!(
            "{flag} is given, but a database makes a tally, which does not say which rows belong together\n  needed: the \
             rows themselves\n  to do:  write them to a file, or leave {flag} out"
        );
    }
    Ok(Some(Database {
        address: Address::new(address)?,
        relation: relation(args.from_table.as_deref(), args.query.as_deref())?,
        statement_timeout: args.statement_timeout.map(Duration::from_secs),
    }))
}
