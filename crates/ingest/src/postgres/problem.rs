//! Why a database gives no tally. No message holds a password: addresses are shown without it, and of what was typed
//! nothing else is repeated but the names of settings.

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
    /// What was found.
    pub fn found(&self) -> String {
        use DatabaseProblem as P;
        match self {
            P::Address => "the address cannot be read".into(),
            P::Tally => "the table has a column `count` and may be a tally".into(),
            P::NoHost => "the address names no host".into(),
            P::Setting { name } => format!("the address has the setting `{name}`, which is not known here"),
            P::SslMode { why } => format!("the sslmode of the address {why}"),
            P::Roots { file, why } => {
                format!("the certificates to trust in {} cannot be read: {why}", file.display())
            }
            P::UnknownHost { host } => format!("there is no host `{host}`"),
            P::Refused { why } => format!("the server cannot be reached: {why}"),
            P::NoAnswer => "the server does not answer in time".into(),
            P::Tls { why } => format!("no encrypted connection: {why}"),
            P::NoPassword => "the server asks for a password and none is known".into(),
            P::Login { server } => format!("the server does not let the user in: {server}"),
            P::NoDatabase { server } | P::NoTable { server } | P::NoColumn { server } => {
                format!("the server says: {server}")
            }
            P::NotAllowed { server } => format!("the server does not allow it: {server}"),
            P::Stopped { server } => format!("the server stopped the query: {server}"),
            P::Lost { why, rows: 0 } => format!("the connection was lost in the middle of the query: {why}"),
            P::Lost { why, rows } => {
                format!("the connection was lost after {rows} rows of the tally: {why}")
            }
            P::Server { server } => format!("the server says: {server}"),
            P::Other { why } => format!("the connection cannot be used: {why}"),
        }
    }

    /// What was needed.
    pub fn needed(&self) -> String {
        use DatabaseProblem as P;
        match self {
            P::Tally => "a table of which each row is one person".into(),
            P::Address | P::NoHost => "an address such as postgres://user@host:5432/database".into(),
            P::Setting { .. } => {
                "settings such as sslmode, sslrootcert, connect_timeout, application_name, options".into()
            }
            P::SslMode { .. } => "one of disable, allow, prefer, require, verify-ca, verify-full".into(),
            P::Roots { .. } => "a file of certificates in PEM, or sslrootcert=system".into(),
            P::UnknownHost { .. } | P::Refused { .. } | P::NoAnswer => {
                "a PostgreSQL server that listens at this address".into()
            }
            P::Tls { .. } => "encryption as the sslmode of the address asks for it".into(),
            P::NoPassword | P::Login { .. } => "a user and password that the server accepts".into(),
            P::NoDatabase { .. } => "a database of this name".into(),
            P::NoTable { .. } => "a table or view of this name; the case of letters counts".into(),
            P::NoColumn { .. } | P::Server { .. } => {
                "a query that the server can run, and that only reads".into()
            }
            P::NotAllowed { .. } => "the right to read the table".into(),
            P::Stopped { .. } => {
                "a query that ends in the time that the server or --statement-timeout allows".into()
            }
            P::Lost { .. } => "a connection until the tally is complete; half of one is not used".into(),
            P::Other { .. } => "a PostgreSQL server, version 9.6 or later".into(),
        }
    }

    /// What to do.
    pub fn to_do(&self) -> String {
        use DatabaseProblem as P;
        match self {
            P::Address => {
                "write @ : / ? # and % in a name or password as %40 %3A %2F %3F %23 %25, or leave the password to PGPASSWORD \
                 or ~/.pgpass"
                    .into()
            }
            P::Tally => "say --count none if each row is one person; export a tally and audit the file".into(),
            P::NoHost => "name it; a socket is named with ?host=/var/run/postgresql".into(),
            P::Setting { .. } => "leave it out".into(),
            P::SslMode { .. } => "correct it".into(),
            P::Roots { .. } => "name the file of your server's authority with sslrootcert=FILE in the address".into(),
            P::UnknownHost { .. } => "check the spelling and the network".into(),
            P::Refused { .. } => "check host and port, and that the server runs".into(),
            P::NoAnswer => "check host, port and firewall; connect_timeout=SECONDS in the address waits longer".into(),
            P::Tls { .. } => {
                "check the host's name and sslrootcert; sslmode=require encrypts without checking who answers".into()
            }
            P::NoPassword => "set PGPASSWORD, or add the server to ~/.pgpass".into(),
            P::Login { .. } => "check the user, and the password in the address, PGPASSWORD or ~/.pgpass".into(),
            P::NoDatabase { .. } => "correct the name after the last / of the address".into(),
            P::NoTable { .. } => "correct --table; a table outside the search path needs its schema: schema.table".into(),
            P::NoColumn { .. } | P::Server { .. } => "correct --query or --table, or try the query in psql".into(),
            P::NotAllowed { .. } => "ask for GRANT SELECT, or connect as another user".into(),
            P::Stopped { .. } => "allow more with --statement-timeout SECONDS, or query fewer rows".into(),
            P::Lost { .. } => "run the audit again; the server's log says why it ended the connection".into(),
            P::Other { .. } => "check that the address is that of a PostgreSQL server".into(),
        }
    }
}
