//! Why a database gives no tally. No message holds a password: addresses are shown without it, and of what was typed
//! nothing else is repeated but the names of settings.

use crate::error::said;
use fairveil_core::setting::{Refusal, Setting};
use fairveil_core::text;
use std::path::PathBuf;

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
    /// A setting of the address that is not known here.
    Setting {
        /// Its name.
        name: String,
    },
    /// A value of `sslmode` that does not go.
    SslMode {
        /// What is wrong with it.
        why: &'static str,
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
    /// No answer within the time.
    NoAnswer,
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
                "write @ : / ? # and % in a name or password as %40 %3A %2F %3F %23 %25, or leave the password to \
                 PGPASSWORD or ~/.pgpass",
            ),
            P::Tally => said(
                "the table has a column `count` and may be a tally",
                "a table of which each row is one person",
                text![
                    "say ",
                    Setting::Count.to("none"),
                    " if each row is one person; export a tally and audit the file"
                ],
            ),
            P::NoHost => said(
                "the address names no host",
                ADDRESS,
                "name it; a socket is named with ?host=/var/run/postgresql",
            ),
            P::Setting { name } => said(
                format!("the address has the setting `{name}`, which is not known here"),
                "settings such as sslmode, sslrootcert, connect_timeout, application_name, options",
                "leave it out",
            ),
            P::SslMode { why } => said(
                format!("the sslmode of the address {why}"),
                "one of disable, allow, prefer, require, verify-ca, verify-full",
                "correct it",
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
            P::NoAnswer => said(
                "the server does not answer in time",
                SERVER,
                "check host, port and firewall; connect_timeout=SECONDS in the address waits longer",
            ),
            P::Tls { why } => said(
                format!("no encrypted connection: {why}"),
                "encryption as the sslmode of the address asks for it",
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
                text![
                    "correct ",
                    Setting::Table,
                    "; a table outside the search path needs its schema: schema.table"
                ],
            ),
            P::NoColumn { server } | P::Server { server } => said(
                format!("the server says: {server}"),
                "a query that the server can run, and that only reads",
                text!["correct ", Setting::Query, " or ", Setting::Table, ", or try the query in psql"],
            ),
            P::NotAllowed { server } => said(
                format!("the server does not allow it: {server}"),
                "the right to read the table",
                "ask for GRANT SELECT, or connect as another user",
            ),
            P::Stopped { server } => said(
                format!("the server stopped the query: {server}"),
                text![
                    "a query that ends in the time that the server or ",
                    Setting::StatementTimeout,
                    " allows"
                ],
                text!["allow more with ", Setting::StatementTimeout.to("SECONDS"), ", or query fewer rows"],
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
