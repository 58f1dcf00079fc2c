//! PostgreSQL: the tally is made there, and only the tally comes over.
//!
//! ```text
//! connect ──► prepare SELECT * (not run): the columns ──► Layout ──► the tally's query ──► its rows, as text
//! ```
//! In one transaction that can only read. A connection that breaks off or falls silent gives an error, never half a tally.

mod address;
mod connect;
mod password;
mod problem;
mod secret;
mod settings;
mod tls;

pub use address::{Address, is_postgres, shown, without_password};
pub use problem::DatabaseProblem;
pub use settings::StatedBy;

use crate::columns::{Columns, Layout};
use crate::error::{IngestError, Place, Problem};
use crate::source::{RowSource, TextRows};
use crate::sql::{Dialect, Relation, error as sql_error, tally_columns, tally_query};
use address::PATIENCE;
use connect::{connect, within};
use futures_util::TryStreamExt;
use std::error::Error as _;
use std::pin::Pin;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, RowStream};

/// How long a server may send nothing when nobody says how long a statement may take.
const SILENCE: Duration = Duration::from_secs(15 * 60);

/// Rows in a PostgreSQL database.
#[derive(Debug, Clone)]
pub struct Database {
    /// Where it is.
    pub address: Address,
    /// What to read in it.
    pub relation: Relation,
    /// How long the server may work on one statement; what it allows by itself where this is absent, but no more than
    /// 15 minutes without a word.
    pub statement_timeout: Option<Duration>,
}

impl Database {
    /// How long to wait for the server's next word: until it should have given up by itself, and said so.
    fn silence(&self) -> Duration {
        let way = self.address.connect_timeout.unwrap_or(PATIENCE);
        self.statement_timeout.map_or(SILENCE, |timeout| timeout.saturating_add(way))
    }

    /// The rows of the tally that it makes; `warn` is told what is worth knowing.
    pub fn rows<'a>(self, warn: impl FnMut(&str) + Send + 'a) -> TallyRows<'a> {
        TallyRows { database: self, warn: Box::new(warn), stage: Stage::Closed }
    }
}

/// The rows of a tally that a database makes, as they arrive. Every value is text.
pub struct TallyRows<'a> {
    database: Database,
    warn: Box<dyn FnMut(&str) + Send + 'a>,
    stage: Stage,
}

/// How far it is.
enum Stage {
    Closed,
    /// The columns of the table are known.
    Ready(Runtime, Session, Box<Layout>),
    /// Rows arrive; so many did.
    Running(Runtime, Session, Pin<Box<RowStream>>, u64),
}

impl RowSource for TallyRows<'_> {
    fn name(&self) -> String {
        self.database.address.to_string()
    }

    fn makes_tally(&self) -> bool {
        true
    }

    fn open(&mut self, columns: &Columns) -> Result<Vec<String>, IngestError> {
        let (name, database) = (self.name(), &self.database);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime =
            runtime.map_err(|error| refused(&name, DatabaseProblem::Other { why: error.to_string() }))?;
        let session = match runtime.block_on(Session::open(database, &mut self.warn)) {
            Ok(session) => session,
            Err(problem) => {
                // A look-up of a name cannot be stopped, and nobody waits for it.
                runtime.shutdown_background();
                return Err(refused(&name, problem));
            }
        };
        let header = runtime.block_on(session.columns(database))?;
        let layout = columns.resolve(&name, &header)?;
        if layout.tallied.is_some() {
            return Err(refused(&name, DatabaseProblem::Tally));
        }
        let names = tally_columns(&layout);
        self.stage = Stage::Ready(runtime, session, Box::new(layout));
        Ok(names)
    }

    fn next(&mut self, rows: &mut TextRows) -> Result<(), IngestError> {
        const SOME: usize = 1024;
        let name = self.name();
        let (runtime, session, mut stream, mut arrived) =
            match std::mem::replace(&mut self.stage, Stage::Closed) {
                Stage::Closed => return Ok(()),
                Stage::Ready(runtime, session, layout) => {
                    let tally = tally_query(&layout, &self.database.relation, Dialect::Postgres)?;
                    let query = as_text(&tally, &tally_columns(&layout));
                    let stream = session.heard(0, session.client.query_raw(&query, [""; 0]));
                    let stream = runtime.block_on(stream).map_err(|problem| refused(&name, problem))?;
                    (runtime, session, Box::pin(stream), 0)
                }
                Stage::Running(runtime, session, stream, arrived) => (runtime, session, stream, arrived),
            };
        for _ in 0..SOME {
            let row = runtime.block_on(session.heard(arrived, stream.try_next()));
            let Some(row) = row.map_err(|problem| refused(&name, problem))? else {
                drop(stream);
                runtime.block_on(session.close());
                return Ok(());
            };
            arrived += 1;
            for place in 0..row.len() {
                let field: Option<&str> =
                    row.try_get(place).map_err(|error| refused(&name, running(&error, arrived)))?;
                rows.push(field.unwrap_or_default());
            }
        }
        self.stage = Stage::Running(runtime, session, stream, arrived);
        Ok(())
    }
}

/// A query whose every column is text.
fn as_text(query: &str, columns: &[String]) -> String {
    let cast = |i: usize| format!("CAST(fv_tally.c{i} AS text)");
    let casts: Vec<String> = (1..=columns.len()).map(cast).collect();
    let names: Vec<String> = (1..=columns.len()).map(|i| format!("c{i}")).collect();
    format!("SELECT {} FROM (\n{query}\n) AS fv_tally({})", casts.join(", "), names.join(", "))
}

fn refused(name: &str, problem: DatabaseProblem) -> IngestError {
    let place = Place { file: name.into(), spot: None, column: None };
    IngestError { place, problem: Problem::Database(problem) }
}

/// An open connection.
struct Session {
    name: String,
    client: Client,
    connection: JoinHandle<()>,
    /// How long the server may send nothing.
    silence: Duration,
}

impl Session {
    async fn open(database: &Database, warn: &mut dyn FnMut(&str)) -> Result<Self, DatabaseProblem> {
        let address = &database.address;
        let (client, connection) = connect(address, warn).await?;
        let session = Session { name: address.to_string(), client, connection, silence: database.silence() };
        // Digits that read back to the same number, and quotes as the standard has them, whatever the server's habits.
        let mut begin = String::from(
            "BEGIN READ ONLY; SET LOCAL extra_float_digits = 3; SET LOCAL standard_conforming_strings = on",
        );
        if let Some(timeout) = database.statement_timeout {
            // 0 would mean no limit; the server counts in milliseconds up to 2³¹ - 1.
            let milliseconds = timeout.as_millis().clamp(1, i32::MAX as u128);
            begin += &format!("; SET LOCAL statement_timeout = {milliseconds}");
        }
        session.heard(0, session.client.batch_execute(&begin)).await?;
        for (name, value, by) in &address.session {
            let parameters: [&(dyn ToSql + Sync); 2] = [name, value];
            let set = session.client.execute("SELECT set_config($1, $2, true)", &parameters);
            session.heard(0, set).await.map_err(|problem| match problem {
                DatabaseProblem::Server { .. } => {
                    DatabaseProblem::Value { by: *by, needed: "a value that the server takes" }
                }
                other => other,
            })?;
        }
        Ok(session)
    }

    /// What the server answers, if it does in time; so many rows of the tally are here.
    async fn heard<T>(
        &self,
        rows: u64,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, DatabaseProblem> {
        let silent = DatabaseProblem::Silent { after: self.silence, rows };
        let answer = within(Some(self.silence), answer).await.ok_or(silent)?;
        answer.map_err(|error| running(&error, rows))
    }

    /// The columns of the rows, without reading one.
    async fn columns(&self, database: &Database) -> Result<Vec<String>, IngestError> {
        let from = database.relation.after_from(Dialect::Postgres, "fv_source");
        let from = from.map_err(|problem| sql_error(None, problem))?;
        let query = format!("SELECT * FROM {from}");
        let prepared = self.heard(0, self.client.prepare(&query)).await;
        let prepared = prepared.map_err(|problem| refused(&self.name, problem))?;
        Ok(prepared.columns().iter().map(|column| column.name().to_owned()).collect())
    }

    /// Says goodbye; all that was wanted is here, so that a server that is gone by now does no harm.
    async fn close(self) {
        drop(self.client);
        let _ = within(Some(PATIENCE), self.connection).await;
    }
}

/// Why a connection that was there gives nothing.
fn running(error: &tokio_postgres::Error, rows: u64) -> DatabaseProblem {
    let broken = error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>());
    match error.as_db_error() {
        Some(said) => said_by_server(said, rows),
        None if broken => DatabaseProblem::Lost { why: reasons(error), rows },
        None => DatabaseProblem::Other { why: reasons(error) },
    }
}

fn said_by_server(said: &DbError, rows: u64) -> DatabaseProblem {
    let more = said.detail().into_iter().chain(said.hint());
    let words = more.fold(said.message().to_owned(), |words, more| format!("{words}; {more}"));
    let server = words.replace('\n', " ");
    match said.code() {
        code if *code == SqlState::INVALID_PASSWORD => DatabaseProblem::Login { server },
        code if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => DatabaseProblem::Login { server },
        code if *code == SqlState::INVALID_CATALOG_NAME => DatabaseProblem::NoDatabase { server },
        code if *code == SqlState::UNDEFINED_TABLE => DatabaseProblem::NoTable { server },
        code if *code == SqlState::INVALID_SCHEMA_NAME => DatabaseProblem::NoTable { server },
        code if *code == SqlState::UNDEFINED_COLUMN => DatabaseProblem::NoColumn { server },
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => DatabaseProblem::NotAllowed { server },
        code if *code == SqlState::QUERY_CANCELED => DatabaseProblem::Stopped { server },
        // The server goes down, or the way to it broke.
        code if code.code().starts_with("57P") || code.code().starts_with("08") => {
            DatabaseProblem::Lost { why: server, rows }
        }
        _ => DatabaseProblem::Server { server },
    }
}

/// An error and its causes, in one line.
fn reasons(error: &tokio_postgres::Error) -> String {
    let mut said = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        let words = error.to_string();
        if !said.contains(&words) {
            said.push(words);
        }
        source = error.source();
    }
    said.join(": ").replace('\n', " ")
}
