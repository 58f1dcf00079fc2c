//! Why a database gives no tally. No message holds a password: addresses are shown without it, and of what was typed
//! nothing else is repeated but the names of settings.

use super::settings::StatedBy;
use crate::error::said;
use fairveil_core::setting::{Job, Refusal};
use fairveil_core::text;
use std::path::PathBuf;
use std::time::Duration;

/// What a database, or the way to it, refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseProblem {
    /// An address that cannot be taken apart.
    Address,
    /// A table that may be a tally itself.
    Tally,
    /// An address without a host.
    NoHost,
    /// A setting of the address that nobody knows; it may be part of a password.
    UnknownSetting,
    /// A variable that asks for a kind of safety that is not known here.
    UnknownVariable {
        /// Its name.
        name: String,
    },
    /// A setting of libpq that is not supported here.
    Setting {
        /// Who made it.
        by: StatedBy,
    },
    /// A value that does not go.
    Value {
        /// Who stated it.
        by: StatedBy,
        /// What it can be.
        needed: &'static str,
    },
    /// There is a list of revoked certificates, which is not supported here.
    Revoked {
        /// Where.
        file: PathBuf,
    },
    /// The certificates to trust cannot be read.
    Roots {
        /// From where.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// Nothing is known under the host's name.
    UnknownHost {
        /// The name.
        host: String,
    },
    /// Nobody listens.
    Refused {
        /// What the system says.
        why: String,
    },
    /// No connection within the time.
    NoAnswer {
        /// How long was waited.
        after: Duration,
    },
    /// The server let us in, and then nothing came for too long.
    Silent {
        /// How long was waited.
        after: Duration,
        /// Rows of the tally that had arrived.
        rows: u64,
    },
    /// The server or its certificate does not allow an encrypted connection.
    Tls {
        /// Why.
        why: String,
    },
    /// The server wants a password and there is none.
    NoPassword,
    /// The server does not let the user in.
    Login {
        /// The server's words.
        server: String,
    },
    /// There is no such database.
    NoDatabase {
        /// The server's words.
        server: String,
    },
    /// There is no such table.
    NoTable {
        /// The server's words.
        server: String,
    },
    /// The query names a column that there is not.
    NoColumn {
        /// The server's words.
        server: String,
    },
    /// The user may not read this.
    NotAllowed {
        /// The server's words.
        server: String,
    },
    /// The server stopped the query.
    Stopped {
        /// The server's words.
        server: String,
    },
    /// The connection broke off before the tally was complete.
    Lost {
        /// What is known about it.
        why: String,
        /// Rows of the tally that had arrived.
        rows: u64,
    },
    /// The server refuses for another reason.
    Server {
        /// The server's words.
        server: String,
    },
    /// The connection cannot be used for another reason.
    Other {
        /// What is known about it.
        why: String,
    },
}

impl DatabaseProblem {
    /// What was found, what was needed, what to do.
    pub fn refusal(&self) -> Refusal {
        use DatabaseProblem as P;
        const ADDRESS: &str = "an address such as postgres://user@host:5432/database";
        const SERVER: &str = "a PostgreSQL server that listens at this address";
        const LOGIN: &str = "a user and password that the server accepts";
        match self {
            P::Address => said(
                "the address cannot be read",
                ADDRESS,
                "begin with postgres:// and write @ : / ? # and % in a name or password as %40 %3A %2F %3F %23 %25, or \
                 leave the password to PGPASSWORD or ~/.pgpass",
            ),
            P::Tally => said(
                "the table has a column `count` and may be a tally",
                "a table of which each row is one person",
                text!["say {count=none} if each row is one person; export a tally and audit the file"],
            ),
            P::NoHost => said(
                "the address names no host",
                ADDRESS,
                "name it there or in PGHOST; a socket is named with ?host=/var/run/postgresql",
            ),
            P::UnknownSetting => said(
                "the address has a setting that is not known here",
                "settings such as sslmode, sslrootcert, connect_timeout, application_name, options",
                "correct its name, or leave it out; write & in a password as %26",
            ),
            P::UnknownVariable { name } => {
                unsupported(&format!("the variable {name}"), format!("unset {name}"))
            }
            P::Setting { by } => unsupported(&by.to_string(), leave_out(*by)),
            P::Value { by, needed } => said(
                format!("{by} has a value that cannot be used"),
                *needed,
                format!("correct it, or {}", leave_out(*by)),
            ),
            P::Revoked { file } => said(
                format!(
                    "{} lists certificates that were revoked, which is not supported here",
                    file.display()
                ),
                "a connection as safe as it was asked for",
                text!["make the tally with psql ({!sql} prints the query), or move the file away"],
            ),
            P::Roots { file, why } => said(
                format!("the certificates to trust in {} cannot be read: {why}", file.display()),
                "a file of certificates in PEM, or sslrootcert=system",
                "name the file of your server's authority with sslrootcert=FILE in the address",
            ),
            P::UnknownHost { host } => {
                said(format!("there is no host `{host}`"), SERVER, "check the spelling and the network")
            }
            P::Refused { why } => said(
                format!("the server cannot be reached: {why}"),
                SERVER,
                "check host and port, and that the server runs",
            ),
            P::NoAnswer { after } => said(
                format!("the server does not answer within {}", seconds(*after)),
                SERVER,
                "check host, port and firewall; connect_timeout=SECONDS in the address or PGCONNECT_TIMEOUT waits longer",
            ),
            P::Silent { after, rows } => said(
                match rows {
                    0 => format!("the server sent nothing for {}", seconds(*after)),
                    1 => format!("the server sent nothing for {} after 1 row of the tally", seconds(*after)),
                    rows => format!(
                        "the server sent nothing for {} after {rows} rows of the tally",
                        seconds(*after)
                    ),
                },
                "a tally that is complete; half of one is not used",
                text![
                    "check that the server runs and the network to it; allow more with {statement_timeout=SECONDS}"
                ],
            ),
            P::Tls { why } => said(
                format!("no encrypted connection: {why}"),
                "encryption as sslmode, in the address or PGSSLMODE, asks for it",
                "check the host's name and sslrootcert; sslmode=require encrypts without checking who answers",
            ),
            P::NoPassword => said(
                "the server asks for a password and none is known",
                LOGIN,
                "set PGPASSWORD, or add the server to ~/.pgpass",
            ),
            P::Login { server } => said(
                format!("the server does not let the user in: {server}"),
                LOGIN,
                "check the user, and the password in the address, PGPASSWORD or ~/.pgpass",
            ),
            P::NoDatabase { server } => said(
                format!("the server says: {server}"),
                "a database of this name",
                "correct the name after the last / of the address",
            ),
            P::NoTable { server } => said(
                format!("the server says: {server}"),
                "a table or view of this name; the case of letters counts",
                text!["correct {table}; a table outside the search path needs its schema: schema.table"],
            ),
            P::NoColumn { server } | P::Server { server } => said(
                format!("the server says: {server}"),
                "a query that the server can run, and that only reads",
                text!["correct {query} or {table}, or try the query in psql"],
            ),
            P::NotAllowed { server } => said(
                format!("the server does not allow it: {server}"),
                "the right to read the table",
                "ask for GRANT SELECT, or connect as another user",
            ),
            P::Stopped { server } => said(
                format!("the server stopped the query: {server}"),
                text!["a query that ends in the time that the server or {statement_timeout} allows"],
                text!["allow more with {statement_timeout=SECONDS}, or query fewer rows"],
            ),
            P::Lost { why, rows } => said(
                match rows {
                    0 => format!("the connection was lost in the middle of the query: {why}"),
                    rows => format!("the connection was lost after {rows} rows of the tally: {why}"),
                },
                "a connection until the tally is complete; half of one is not used",
                "run the audit again; the server's log says why it ended the connection",
            ),
            P::Other { why } => said(
                format!("the connection cannot be used: {why}"),
                "a PostgreSQL server, version 9.6 or later",
                "check that the address is that of a PostgreSQL server",
            ),
        }
    }
}

fn unsupported(what: &str, leave_out: String) -> Refusal {
    said(
        format!("{what} is not supported here"),
        "a connection as it was asked for, and no less safe",
        text!["make the tally with psql (", Job::Sql, " prints the query), or ", leave_out],
    )
}

fn leave_out(by: StatedBy) -> String {
    match by {
        StatedBy::Address(_) => "leave it out".into(),
        StatedBy::Variable(name) => format!("unset {name}"),
    }
}

fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        1 => "1 second".into(),
        seconds => format!("{seconds} seconds"),
    }
}
