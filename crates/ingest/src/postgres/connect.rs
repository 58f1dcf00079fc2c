//! From an address to a connection: each server in turn, each address of its name in turn, and for each of these a limit
//! from the first packet until it lets us in.

use super::address::{Address, PATIENCE, Server};
use super::problem::DatabaseProblem;
use super::tls::{self, TlsMode};
use super::{password, reasons, said_by_server};
use std::error::Error as _;
use std::net::IpAddr;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

type Open = (Client, JoinHandle<()>);

/// What comes of it within the time; nothing where it takes longer.
pub(super) async fn within<T>(limit: Option<Duration>, work: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => tokio::time::timeout(limit, work).await.ok(),
        None => Some(work.await),
    }
}

/// A connection to the first server that lets us in. One that wants another password ends the search, as in libpq.
pub(super) async fn connect(address: &Address, warn: &mut dyn FnMut(&str)) -> Result<Open, DatabaseProblem> {
    let mut last = DatabaseProblem::NoHost;
    for server in &address.servers {
        match reach(address, server, warn).await {
            Err(problem @ (DatabaseProblem::Login { .. } | DatabaseProblem::NoPassword)) => {
                return Err(problem);
            }
            Err(problem) => last = problem,
            open => return open,
        }
    }
    Err(last)
}

async fn reach(
    address: &Address,
    server: &Server,
    warn: &mut dyn FnMut(&str),
) -> Result<Open, DatabaseProblem> {
    let mut config = address.config.clone();
    if config.get_password().is_none() {
        let found = password::find(address, server);
        found.warning.iter().for_each(|warning| warn(warning));
        found.password.iter().for_each(|password| {
            config.password(password);
        });
    }
    let mode = if server.is_socket() { TlsMode::Disable } else { address.tls };
    let connector = tls::connector(mode, &address.roots)?;
    let late = || DatabaseProblem::NoAnswer { after: address.connect_timeout.unwrap_or(PATIENCE) };
    config.port(server.port);
    let name = match &server.host {
        Host::Tcp(name) => name,
        #[cfg(unix)]
        Host::Unix(path) => {
            config.host_path(path);
            let open = log_in(config, mode, connector);
            return within(address.connect_timeout, open).await.ok_or_else(late)?;
        }
    };
    config.host(name);
    let places = match server.at {
        Some(at) => vec![at],
        None => within(address.connect_timeout, look_up(name)).await.ok_or_else(late)?,
    };
    let mut last = DatabaseProblem::UnknownHost { host: name.clone() };
    for at in places {
        let mut config = config.clone();
        config.hostaddr(at);
        let open = log_in(config, mode, connector.clone());
        match within(address.connect_timeout, open).await.ok_or_else(late).flatten() {
            Err(problem @ (DatabaseProblem::Login { .. } | DatabaseProblem::NoPassword)) => {
                return Err(problem);
            }
            Err(problem) => last = problem,
            open => return open,
        }
    }
    Err(last)
}

/// Where a name leads; nowhere if nobody knows it.
async fn look_up(name: &str) -> Vec<IpAddr> {
    match tokio::net::lookup_host((name, 0)).await {
        Ok(places) => places.map(|place| place.ip()).collect(),
        Err(_) => Vec::new(),
    }
}

/// Connects to one server: encryption, start, password.
async fn log_in(
    mut config: Config,
    mode: TlsMode,
    connector: MakeRustlsConnect,
) -> Result<Open, DatabaseProblem> {
    config.ssl_mode(match mode {
        TlsMode::Disable => SslMode::Disable,
        TlsMode::Prefer => SslMode::Prefer,
        _ => SslMode::Require,
    });
    match once(&config, connector.clone()).await {
        // What is only preferred may fail.
        Err(DatabaseProblem::Tls { .. }) if mode == TlsMode::Prefer => {
            once(config.ssl_mode(SslMode::Disable), connector).await
        }
        other => other,
    }
}

async fn once(config: &Config, connector: MakeRustlsConnect) -> Result<Open, DatabaseProblem> {
    let (client, connection) = config.connect(connector).await.map_err(|error| connecting(&error))?;
    // Its errors reach the client's next call.
    let connection = tokio::spawn(async move { drop(connection.await) });
    Ok((client, connection))
}

/// Why there is no connection.
fn connecting(error: &tokio_postgres::Error) -> DatabaseProblem {
    if let Some(said) = error.as_db_error() {
        return said_by_server(said, 0);
    }
    let why = reasons(error);
    match error.source().and_then(|source| source.downcast_ref::<std::io::Error>()) {
        // The driver keeps the kind of an error to itself; its words for these are fixed.
        _ if error.to_string().contains("TLS") => {
            DatabaseProblem::Tls { why: error.source().and_then(tls::words).unwrap_or(why) }
        }
        Some(io) => DatabaseProblem::Refused { why: io.to_string() },
        None if why.contains("password missing") => DatabaseProblem::NoPassword,
        None => DatabaseProblem::Other { why },
    }
}
