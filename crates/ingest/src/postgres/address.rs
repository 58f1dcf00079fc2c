//! The address of a database: taken apart as libpq does, and shown without its password.

use super::problem::DatabaseProblem;
use super::secret::{self, HIDDEN};
use super::settings::{Stated, StatedBy, Variables};
use super::tls::{Roots, TlsMode};
use crate::error::IngestError;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// Where servers are.
const PLACE: [&str; 3] = ["host", "hostaddr", "port"];
/// Settings that are the same for all of them, which the driver reads itself.
const SHARED: [&str; 11] = [
    "user",
    "dbname",
    "options",
    "application_name",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "keepalives_retries",
    "target_session_attrs",
    "channel_binding",
];
/// How long to wait for a connection when nobody says.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

/// Whether a text is the address of a PostgreSQL database, rightly written or not.
pub fn is_postgres(text: &str) -> bool {
    let text = text.trim_start();
    matches!(secret::address_in(text), Some(at) if at == 0 || text[..at].eq_ignore_ascii_case("jdbc:"))
}

/// An address as a report may show it: host and database, and nothing of user, password and settings.
///
/// ```
/// # use fairveil_ingest::shown;
/// assert_eq!(shown("postgres://ann:secret@db.example:5433/loans?sslmode=require"), "postgres://db.example:5433/loans");
/// assert_eq!(shown("postgres://ann:sec/ret@db.example/loans"), "postgres://…");
/// ```
pub fn shown(address: &str) -> String {
    let address = Address::parse(address, &Variables::of_process());
    address.map_or_else(|_| HIDDEN.into(), |address| address.to_string())
}

/// A text as a command may repeat it: an address goes without its password, and as nothing where it is not plain what
/// the password is. Any other text ends where it may tell one.
///
/// ```
/// # use fairveil_ingest::without_password;
/// assert_eq!(without_password("postgres://ann:secret@db/loans"), "postgres://ann@db/loans");
/// assert_eq!(without_password("POSTGRES://ann:secret@db/loans"), "postgres://…");
/// assert_eq!(without_password("host=db password=secret"), "host=db password=…");
/// ```
pub fn without_password(text: &str) -> String {
    let Some(at) = secret::address_in(text) else { return secret::hide(text) };
    let (before, address) = text.split_at(at);
    let hidden = secret::hide(before);
    if hidden != before {
        return hidden;
    }
    let bare = SCHEMES.contains(&address);
    let address = if bare { address.to_owned() } else { open(address).unwrap_or_else(|| HIDDEN.into()) };
    format!("{before}{address}")
}

/// An address without its password, where it can be read.
fn open(address: &str) -> Option<String> {
    Address::parse(address, &Variables::of_process()).ok()?;
    let Parts { scheme, user, hosts, database, params } = Parts::of(address).ok()?;
    let user = user.map_or(String::new(), |user| format!("{}@", user.split(':').next().unwrap_or_default()));
    let secret = |pair: &&str| decoded(pair.split('=').next().unwrap_or_default()) == b"password";
    let kept: Vec<&str> = params.into_iter().filter(|pair| !secret(pair)).collect();
    let params = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    Some(format!("{scheme}{user}{hosts}{database}{params}"))
}

fn decoded(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

/// The pieces of an address, as they are written. The driver's own reader gives a port to every host, so that nobody can
/// tell whether one was named, and knows no other names than its own; each value is left to it.
struct Parts<'a> {
    scheme: &'static str,
    /// User and password.
    user: Option<&'a str>,
    /// Hosts and ports.
    hosts: &'a str,
    /// The database, after its slash.
    database: &'a str,
    /// Each `name=value`.
    params: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(address: &'a str) -> Result<Self, DatabaseProblem> {
        let scheme = SCHEMES.into_iter().find(|scheme| address.starts_with(scheme));
        let scheme = scheme.ok_or(DatabaseProblem::Address)?;
        let (before, params) =
            address[scheme.len()..].split_once('?').unwrap_or((&address[scheme.len()..], ""));
        let (authority, database) = before.split_at(before.find('/').unwrap_or(before.len()));
        // An @ in a strange place means that a password holds a letter that ends it, and what follows is not a host.
        let strange = authority.matches('@').count() > 1
            || database.contains('@')
            || (!authority.contains('@') && params.contains('@'));
        if strange {
            return Err(DatabaseProblem::Address);
        }
        let (user, hosts) = match authority.split_once('@') {
            Some((user, hosts)) => (Some(user), hosts),
            None => (None, authority),
        };
        let params = params.split('&').filter(|pair| !pair.is_empty()).collect();
        Ok(Parts { scheme, user, hosts, database, params })
    }

    /// What the address says, setting by setting.
    fn stated(&self) -> Result<Stated, DatabaseProblem> {
        let mut stated = Stated::default();
        if let Some(user) = self.user {
            let (user, password) =
                user.split_once(':').map_or((user, None), |(user, password)| (user, Some(password)));
            stated.put("user", decoded(user))?;
            password.map_or(Ok(()), |password| stated.put("password", decoded(password)))?;
        }
        if !self.hosts.is_empty() {
            let (mut hosts, mut ports) = (Vec::new(), Vec::new());
            for host in self.hosts.split(',') {
                // An address of version 6 stands in brackets, for its colons.
                let (host, port) = match host.strip_prefix('[') {
                    Some(inner) => inner.split_once(']').ok_or(DatabaseProblem::Address)?,
                    None => host.split_at(host.find(':').unwrap_or(host.len())),
                };
                let port = if port.is_empty() { Some("") } else { port.strip_prefix(':') };
                hosts.push(host);
                ports.push(port.ok_or(DatabaseProblem::Address)?);
            }
            stated.put("host", decoded(&hosts.join(",")))?;
            if ports.iter().any(|port| !port.is_empty()) {
                stated.put("port", decoded(&ports.join(",")))?;
            }
        }
        if self.database.len() > 1 {
            stated.put("dbname", decoded(&self.database[1..]))?;
        }
        for pair in &self.params {
            let (name, value) = pair.split_once('=').ok_or(DatabaseProblem::Address)?;
            let name = String::from_utf8(decoded(name)).map_err(|_| DatabaseProblem::Address)?;
            stated.put(&name, decoded(value))?;
        }
        Ok(stated)
    }
}

/// One place where a server may be.
#[derive(Clone)]
pub(super) struct Server {
    /// Its name, or the folder of its socket.
    pub host: Host,
    /// Where it is, if the name is not to be looked up.
    pub at: Option<IpAddr>,
    pub port: u16,
}

impl Server {
    /// The host as text.
    pub fn name(&self) -> String {
        match &self.host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        }
    }

    /// Whether it is a socket in a folder: there is nothing to encrypt.
    pub fn is_socket(&self) -> bool {
        !matches!(self.host, Host::Tcp(_))
    }
}

/// Where a database is and how to reach it. Neither `Display` nor `Debug` shows the password.
#[derive(Clone)]
pub struct Address {
    /// Without the servers.
    pub(super) config: Config,
    /// Tried in this order; at least one.
    pub(super) servers: Vec<Server>,
    pub(super) tls: TlsMode,
    pub(super) roots: Roots,
    pub(super) passfile: Option<PathBuf>,
    /// How long one server may take until it lets us in; for ever where this is absent.
    pub(super) connect_timeout: Option<Duration>,
    /// Settings of the session, and who made them.
    pub(super) session: Vec<(&'static str, String, StatedBy)>,
}

impl Address {
    /// Reads an address: `postgres://user:password@host:port/database?sslmode=…`. What it leaves open, the variables
    /// that libpq knows may say.
    pub fn new(address: &str) -> Result<Self, IngestError> {
        let address = Address::parse(address, &Variables::of_process());
        address.map_err(|problem| super::refused(HIDDEN, problem))
    }

    pub(super) fn parse(address: &str, variables: &Variables) -> Result<Self, DatabaseProblem> {
        let mut stated = Parts::of(address)?.stated()?;
        stated.fill(variables)?;
        let (tls, roots) = stated.encryption()?;
        let servers = servers(&stated)?;
        let mut config = stated.config(&SHARED)?;
        if let Some(password) = stated.password() {
            config.password(password);
        }
        if config.get_application_name().is_none() {
            config.application_name("fairveil");
        }
        config.ssl_negotiation(stated.config(&["sslnegotiation"])?.get_ssl_negotiation());
        if let Some(milliseconds) = stated.get("tcp_user_timeout") {
            // libpq counts milliseconds, the driver seconds.
            let milliseconds = milliseconds.parse::<u32>();
            let wrong = |_| stated.wrong("tcp_user_timeout", "a whole number of milliseconds");
            match milliseconds.map_err(wrong)? {
                0 => {}
                some => drop(config.tcp_user_timeout(Duration::from_millis(some.into()))),
            }
        }
        let timeout = stated.config(&["connect_timeout"])?.get_connect_timeout().copied();
        let connect_timeout = if stated.get("connect_timeout").is_some() { timeout } else { Some(PATIENCE) };
        let passfile = stated.get("passfile").map(PathBuf::from);
        Ok(Address { config, servers, tls, roots, passfile, connect_timeout, session: stated.session })
    }

    /// The database's name: that of the user where none is given, as in libpq.
    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().or(self.config.get_user()).unwrap_or_default()
    }
}

/// The servers that were named.
fn servers(stated: &Stated) -> Result<Vec<Server>, DatabaseProblem> {
    let place = stated.config(&PLACE)?;
    let (hosts, at, ports) = (place.get_hosts(), place.get_hostaddrs(), place.get_ports());
    let count = hosts.len().max(at.len());
    if count == 0 {
        return Err(DatabaseProblem::NoHost);
    }
    if !hosts.is_empty() && !at.is_empty() && at.len() != hosts.len() {
        return Err(stated.wrong("hostaddr", "one numeric address for each host"));
    }
    if ports.len() > 1 && ports.len() != count {
        return Err(stated.wrong("port", "one port, or one for each host"));
    }
    let server = |i: usize| {
        let at = at.get(i).copied();
        let named = hosts.get(i).cloned();
        let host = named.or(at.map(|at| Host::Tcp(at.to_string()))).ok_or(DatabaseProblem::NoHost)?;
        Ok(Server { host, at, port: ports.get(i).or(ports.first()).copied().unwrap_or(5432) })
    };
    (0..count).map(server).collect()
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(server) = self.servers.first() else { return f.write_str(HIDDEN) };
        let (host, port, database) = (server.name(), server.port, self.database());
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

    fn parse(address: &str) -> Result<Address, DatabaseProblem> {
        Address::parse(address, &Variables::default())
    }

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
            let debug = format!("{:?}", parse(address).unwrap());
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
            let problem = parse(address).unwrap_err();
            let said = format!("{problem:?} {}", problem.refusal().text());
            assert!(!said.contains("cret"), "{said}");
            assert_eq!(shown(address), "postgres://…");
            assert_eq!(without_password(address), "postgres://…");
        }
    }

    #[test]
    fn settings_are_kept_or_refused_by_name() {
        let with = |params: &str| parse(&format!("postgres://u@h/d?{params}"));
        let refused = |name| DatabaseProblem::Setting { by: StatedBy::Address(name) };
        assert_eq!(with("sslmode=allow").unwrap().tls, TlsMode::Prefer);
        assert_eq!(with("sslrootcert=system").unwrap().tls, TlsMode::VerifyFull);
        assert!(with("sslrootcert=system&sslmode=require").is_err());
        assert!(with("sslnegotiation=direct").is_err());
        assert!(with("sslnegotiation=direct&sslmode=require").is_ok());
        assert_eq!(with("ssl=true").unwrap_err(), refused("ssl"));
        assert_eq!(with("sslcert=me.crt").unwrap_err(), refused("sslcert"));
        assert_eq!(with("secret=1").unwrap_err(), DatabaseProblem::UnknownSetting);
        assert_eq!(parse("postgres:///d").unwrap_err(), DatabaseProblem::NoHost);
        for (params, timeout) in [("", Some(15)), ("connect_timeout=3", Some(3)), ("connect_timeout=0", None)]
        {
            assert_eq!(with(params).unwrap().connect_timeout, timeout.map(Duration::from_secs));
        }
        let config = with("tcp_user_timeout=1500&keepalives_count=4").unwrap().config;
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_millis(1500)));
        assert_eq!(config.get_keepalives_retries(), Some(4));
    }

    #[test]
    fn the_address_wins_over_the_variable_part_by_part() {
        let variables = [("PGHOST", "v"), ("PGPORT", "7"), ("PGUSER", "bob"), ("PGDATABASE", "bank")];
        for (address, seen, user) in [
            ("postgres://", "postgres://v:7/bank", "bob"),
            ("postgres://h", "postgres://h:7/bank", "bob"),
            ("postgres://ann@h:5432/d", "postgres://h/d", "ann"),
            ("postgres://h/d?port=8&host=x", "postgres://x:8/d", "bob"),
            ("postgres://a:1,b/d", "postgres://a:1/d", "bob"),
        ] {
            let read = Address::parse(address, &Variables::of(&variables)).unwrap();
            assert_eq!((read.to_string().as_str(), read.config.get_user()), (seen, Some(user)), "{address}");
        }
        let several = Address::parse("postgres://a:1,b/d", &Variables::of(&variables)).unwrap();
        assert_eq!(several.servers.iter().map(|server| server.port).collect::<Vec<_>>(), [1, 5432]);
        let password = [("PGPASSWORD", "secret")];
        let read = |address| Address::parse(address, &Variables::of(&password)).unwrap().config;
        assert_eq!(read("postgres://h").get_password(), Some(&b"secret"[..]));
        assert_eq!(read("postgres://ann:own%FF@h").get_password(), Some(&b"own\xff"[..]));
    }
}
