//! The address of a database: taken apart as libpq does, and shown without its password.

use super::problem::DatabaseProblem;
use super::tls::{Roots, TlsMode};
use crate::error::IngestError;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// Settings that the driver reads itself.
const DRIVERS: [&str; 16] = [
    "host",
    "hostaddr",
    "port",
    "user",
    "password",
    "dbname",
    "options",
    "application_name",
    "connect_timeout",
    "tcp_user_timeout",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "target_session_attrs",
    "channel_binding",
];
/// How long to wait for a server when the address does not say.
const PATIENCE: Duration = Duration::from_secs(15);

/// An address of which nothing can be shown.
const HIDDEN: &str = "postgres://…";

/// Whether a text is the address of a PostgreSQL database.
pub fn is_postgres(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// An address as a report may show it: host and database, and nothing of user, password and settings.
///
/// ```
/// # use fairveil_ingest::shown;
/// assert_eq!(shown("postgres://ann:secret@db.example:5433/loans?sslmode=require"), "postgres://db.example:5433/loans");
/// assert_eq!(shown("postgres://ann:sec/ret@db.example/loans"), "postgres://…");
/// ```
pub fn shown(address: &str) -> String {
    Address::parse(address).map_or_else(|_| HIDDEN.into(), |address| address.to_string())
}

/// An address as a command may repeat it: all but the password. Where it is not plain what the password is, nothing.
pub fn without_password(address: &str) -> String {
    let Ok(Parts { scheme, user, host, params }) = Parts::of(address) else { return HIDDEN.into() };
    let user = user.map_or(String::new(), |user| format!("{}@", user.split(':').next().unwrap_or_default()));
    let kept: Vec<&str> = params.into_iter().filter(|pair| !pair.starts_with("password=")).collect();
    let params = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    match Address::parse(address) {
        Ok(_) => format!("{scheme}{user}{host}{params}"),
        Err(_) => HIDDEN.into(),
    }
}

/// The pieces of an address, as they are written.
struct Parts<'a> {
    scheme: &'static str,
    /// User and password.
    user: Option<&'a str>,
    /// Host, port and database.
    host: &'a str,
    /// Each `name=value`.
    params: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(address: &'a str) -> Result<Self, DatabaseProblem> {
        let scheme = SCHEMES.into_iter().find(|scheme| address.starts_with(scheme));
        let scheme = scheme.ok_or(DatabaseProblem::Address)?;
        let rest = &address[scheme.len()..];
        let authority = &rest[..rest.find(['/', '?']).unwrap_or(rest.len())];
        let (before, params) = rest.split_once('?').unwrap_or((rest, ""));
        // An @ in a strange place means that a password holds a letter that ends it, and what follows is not a host.
        let strange = authority.matches('@').count() > 1
            || before[authority.len().min(before.len())..].contains('@')
            || (!authority.contains('@') && params.contains('@'));
        if strange {
            return Err(DatabaseProblem::Address);
        }
        let (user, host) = match before.split_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, before),
        };
        Ok(Parts { scheme, user, host, params: params.split('&').filter(|pair| !pair.is_empty()).collect() })
    }
}

/// Where a database is and how to reach it. Neither `Display` nor `Debug` shows the password.
#[derive(Clone)]
pub struct Address {
    pub(super) config: Config,
    pub(super) tls: TlsMode,
    pub(super) roots: Roots,
    pub(super) passfile: Option<PathBuf>,
}

impl Address {
    /// Reads an address: `postgres://user:password@host:port/database?sslmode=…`.
    pub fn new(address: &str) -> Result<Self, IngestError> {
        Address::parse(address).map_err(|problem| super::refused(HIDDEN, problem))
    }

    fn parse(address: &str) -> Result<Self, DatabaseProblem> {
        let Parts { scheme, user, host, params } = Parts::of(address)?;
        let (mut mode, mut roots, mut passfile, mut kept) = (None, Roots::Default, None, Vec::new());
        for pair in params {
            let (name, value) = pair.split_once('=').ok_or(DatabaseProblem::Address)?;
            let decoded = percent_decode_str(value).decode_utf8().map_err(|_| DatabaseProblem::Address)?;
            match name {
                "sslmode" => mode = Some(TlsMode::parse(&decoded)?),
                "sslrootcert" if decoded == "system" => roots = Roots::System,
                "sslrootcert" => roots = Roots::File(decoded.into_owned().into()),
                "passfile" => passfile = Some(decoded.into_owned().into()),
                _ if DRIVERS.contains(&name) => kept.push(pair),
                _ => {
                    let plain = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
                    let setting = || DatabaseProblem::Setting { name: name.to_owned() };
                    return Err(if plain { setting() } else { DatabaseProblem::Address });
                }
            }
        }
        let tls = match (mode, &roots) {
            (None, Roots::System) => TlsMode::VerifyFull,
            (Some(mode), Roots::System) if mode != TlsMode::VerifyFull => {
                let why = "is too weak for sslrootcert=system, which wants verify-full";
                return Err(DatabaseProblem::SslMode { why });
            }
            (mode, _) => mode.unwrap_or(TlsMode::Prefer),
        };
        let user = user.map_or(String::new(), |user| format!("{user}@"));
        let params = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
        // What the driver says of an address it cannot read may hold any part of it.
        let config = format!("{scheme}{user}{host}{params}").parse::<Config>();
        let mut config = config.map_err(|_| DatabaseProblem::Address)?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(DatabaseProblem::NoHost);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("fairveil");
        }
        let login =
            || ["PGUSER", "USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
        if let Some(user) = config.get_user().is_none().then(login).flatten() {
            config.user(user);
        }
        Ok(Address { config, tls, roots, passfile })
    }

    /// The database's name: that of the user where none is given, as in libpq.
    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().or(self.config.get_user()).unwrap_or_default()
    }

    /// The first host and its port.
    pub(super) fn host(&self) -> (String, u16) {
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => self.config.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
        };
        (host, port)
    }

    /// Whether every host is a socket in a folder: there is nothing to encrypt.
    pub(super) fn only_sockets(&self) -> bool {
        let hosts = self.config.get_hosts();
        !hosts.is_empty() && hosts.iter().all(|host| !matches!(host, Host::Tcp(_)))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (host, port) = self.host();
        let database = self.database();
        if host.starts_with('/') {
            return write!(f, "postgres:///{database}?host={host}");
        }
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        match port {
            5432 => write!(f, "postgres://{host}/{database}"),
            _ => write!(f, "postgres://{host}:{port}/{database}"),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart_and_shown_without_its_password() {
        for (address, seen, repeated) in [
            ("postgres://ann:s3cret@h/d", "postgres://h/d", "postgres://ann@h/d"),
            ("postgresql://ann@h:5433/d", "postgres://h:5433/d", "postgresql://ann@h:5433/d"),
            ("postgres://ann:s%40cret@[::1]:1/d", "postgres://[::1]:1/d", "postgres://ann@[::1]:1/d"),
            ("postgres://ann@h", "postgres://h/ann", "postgres://ann@h"),
            (
                "postgres://h/d?user=ann&password=s3cret&sslmode=require",
                "postgres://h/d",
                "postgres://h/d?user=ann&sslmode=require",
            ),
            (
                "postgres:///d?host=/run/pg&user=ann",
                "postgres:///d?host=/run/pg",
                "postgres:///d?host=/run/pg&user=ann",
            ),
        ] {
            assert_eq!(shown(address), seen);
            assert_eq!(without_password(address), repeated);
            let debug = format!("{:?}", Address::parse(address).unwrap());
            assert!(!debug.contains("cret"), "{debug}");
        }
    }

    #[test]
    fn a_password_with_letters_that_end_it_is_never_shown() {
        for address in [
            "postgres://ann:se@cret@h/d",
            "postgres://ann:se/cret@h/d",
            "postgres://ann:se?cret@h/d",
            "postgres://ann:se?cret=1@h/d",
            "postgres://ann:secret@h:port/d",
            "postgres://ann:secret@h/d?se%cret=1",
            "postgres://ann:secret@h/d?sslmode=secret",
            "postgres://ann:secret@",
        ] {
            let problem = Address::parse(address).unwrap_err();
            let said = format!("{problem:?} {}", problem.refusal().text());
            assert!(!said.contains("cret"), "{said}");
            assert_eq!(shown(address), "postgres://…");
            assert_eq!(without_password(address), "postgres://…");
        }
    }

    #[test]
    fn settings_are_kept_or_refused_by_name() {
        let parse = |params: &str| Address::parse(&format!("postgres://u@h/d?{params}"));
        assert_eq!(parse("sslmode=allow").unwrap().tls, TlsMode::Prefer);
        assert_eq!(parse("sslrootcert=system").unwrap().tls, TlsMode::VerifyFull);
        assert!(parse("sslrootcert=system&sslmode=require").is_err());
        assert_eq!(parse("ssl=true").unwrap_err(), DatabaseProblem::Setting { name: "ssl".into() });
        assert_eq!(Address::parse("postgres:///d").unwrap_err(), DatabaseProblem::NoHost);
        let timeout = parse("connect_timeout=3").unwrap().config.get_connect_timeout().copied();
        assert_eq!(timeout, Some(Duration::from_secs(3)));
    }
}
