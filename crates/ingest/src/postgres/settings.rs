//! What can be said about a connection: libpq's settings, each in the address or as a variable, and what becomes of it.
//!
//! The address wins over the variable. What would make the connection safer, or another one, and is not done here is
//! refused: nothing that was asked for is left out in silence.

use super::problem::DatabaseProblem;
use super::secret;
use super::tls::{Roots, TlsMode};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use tokio_postgres::Config;

/// What becomes of a setting.
enum Fate {
    Used,
    /// Refused, but for values that ask for what happens anyway.
    Refused(&'static [&'static str]),
    /// There is nothing here that it could change.
    Idle,
}
use Fate::{Idle, Refused, Used};

/// The setting, its variable, what becomes of it.
const KNOWN: [(&str, &str, Fate); 49] = [
    ("host", "PGHOST", Used),
    ("hostaddr", "PGHOSTADDR", Used),
    ("port", "PGPORT", Used),
    ("dbname", "PGDATABASE", Used),
    ("user", "PGUSER", Used),
    ("password", "PGPASSWORD", Used),
    ("passfile", "PGPASSFILE", Used),
    ("sslmode", "PGSSLMODE", Used),
    ("sslrootcert", "PGSSLROOTCERT", Used),
    ("sslnegotiation", "PGSSLNEGOTIATION", Used),
    ("channel_binding", "PGCHANNELBINDING", Used),
    ("connect_timeout", "PGCONNECT_TIMEOUT", Used),
    ("options", "PGOPTIONS", Used),
    ("application_name", "PGAPPNAME", Used),
    ("target_session_attrs", "PGTARGETSESSIONATTRS", Used),
    ("keepalives", "", Used),
    ("keepalives_idle", "", Used),
    ("keepalives_interval", "", Used),
    ("keepalives_count", "", Used),
    ("keepalives_retries", "", Used),
    ("tcp_user_timeout", "", Used),
    ("service", "PGSERVICE", Refused(&[])),
    ("sslcert", "PGSSLCERT", Refused(&[])),
    ("sslkey", "PGSSLKEY", Refused(&[])),
    ("sslpassword", "", Refused(&[])),
    ("sslcertmode", "PGSSLCERTMODE", Refused(&["disable", "allow"])),
    ("sslcrl", "PGSSLCRL", Refused(&[])),
    ("sslcrldir", "PGSSLCRLDIR", Refused(&[])),
    ("sslsni", "PGSSLSNI", Refused(&["1"])),
    ("sslcompression", "PGSSLCOMPRESSION", Idle),
    ("sslkeylogfile", "", Refused(&[])),
    ("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION", Refused(&["TLSv1", "TLSv1.1", "TLSv1.2"])),
    ("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION", Refused(&["TLSv1.3"])),
    ("min_protocol_version", "PGMINPROTOCOLVERSION", Refused(&["3.0"])),
    ("max_protocol_version", "PGMAXPROTOCOLVERSION", Idle),
    ("requirepeer", "PGREQUIREPEER", Refused(&[])),
    ("require_auth", "PGREQUIREAUTH", Refused(&[])),
    ("scram_client_key", "", Refused(&[])),
    ("scram_server_key", "", Refused(&[])),
    ("gssencmode", "PGGSSENCMODE", Refused(&["disable", "prefer"])),
    ("krbsrvname", "PGKRBSRVNAME", Idle),
    ("gsslib", "PGGSSLIB", Idle),
    ("gssdelegation", "PGGSSDELEGATION", Idle),
    ("load_balance_hosts", "PGLOADBALANCEHOSTS", Refused(&["disable"])),
    ("client_encoding", "PGCLIENTENCODING", Idle),
    ("fallback_application_name", "", Idle),
    ("replication", "", Refused(&["false", "off", "no", "0"])),
    ("requiressl", "", Refused(&["0"])),
    ("ssl", "", Refused(&[])),
];

/// Settings of the server that libpq sets from variables; `default` leaves them alone.
const SESSION: [(&str, &str); 3] = [("PGTZ", "TimeZone"), ("PGDATESTYLE", "DateStyle"), ("PGGEQO", "geqo")];

/// Who made a setting. Its value is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedBy {
    /// A setting of the address.
    Address(&'static str),
    /// A variable of the environment.
    Variable(&'static str),
}

impl fmt::Display for StatedBy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StatedBy::Address(name) => write!(f, "the setting `{name}` of the address"),
            StatedBy::Variable(name) => write!(f, "the variable {name}"),
        }
    }
}

/// Variables of the environment.
#[derive(Default)]
pub(super) struct Variables(BTreeMap<String, OsString>);

impl Variables {
    /// Those of this process.
    pub fn of_process() -> Self {
        let named = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value));
        Variables(std::env::vars_os().filter_map(named).collect())
    }

    #[cfg(test)]
    pub fn of(pairs: &[(&str, &str)]) -> Self {
        Variables(pairs.iter().map(|(name, value)| (name.to_string(), value.into())).collect())
    }

    fn get(&self, name: &'static str) -> Result<Option<&str>, DatabaseProblem> {
        let by = StatedBy::Variable(name);
        let Some(value) = self.0.get(name) else { return Ok(None) };
        value.to_str().map(Some).ok_or(DatabaseProblem::Value { by, needed: "text in UTF-8" })
    }

    /// The name under which someone logged in to this machine.
    fn login(&self) -> Option<&str> {
        let names = ["USER", "LOGNAME", "USERNAME"];
        names.iter().filter_map(|name| self.0.get(*name)?.to_str()).find(|name| !name.is_empty())
    }
}

/// What was said about a connection.
#[derive(Default)]
pub(super) struct Stated {
    values: BTreeMap<&'static str, (String, StatedBy)>,
    /// The password in the address: any bytes.
    password: Option<Vec<u8>>,
    /// Settings of the session, and the variables that make them.
    pub session: Vec<(&'static str, String, StatedBy)>,
}

impl Stated {
    /// Takes a setting of the address. The last one counts, as in libpq.
    pub fn put(&mut self, name: &str, value: Vec<u8>) -> Result<(), DatabaseProblem> {
        let known = KNOWN.iter().find(|(known, ..)| *known == name);
        // A name that is not known may be part of a password.
        let (name, _, fate) = known.ok_or(DatabaseProblem::UnknownSetting)?;
        if *name == "password" {
            self.password = Some(value);
            return Ok(());
        }
        let by = StatedBy::Address(name);
        let value =
            String::from_utf8(value).map_err(|_| DatabaseProblem::Value { by, needed: "text in UTF-8" })?;
        self.keep(name, value, by, fate)
    }

    /// Adds what variables say and the address does not. One that is empty says nothing.
    pub fn fill(&mut self, variables: &Variables) -> Result<(), DatabaseProblem> {
        for (name, variable, fate) in KNOWN.iter().filter(|(_, variable, _)| !variable.is_empty()) {
            let stated = self.values.contains_key(name) || (*name == "password" && self.password.is_some());
            // An sslmode of nothing is none of those there are: libpq refuses it too.
            let value = variables.get(variable)?.filter(|value| !value.is_empty() || *name == "sslmode");
            let Some(value) = value.filter(|_| !stated) else { continue };
            match *name {
                "password" => self.password = Some(value.into()),
                _ => self.keep(name, value.into(), StatedBy::Variable(variable), fate)?,
            }
        }
        let old = variables.get("PGREQUIRESSL")?;
        if old.is_some_and(|value| value.starts_with('1')) && !self.values.contains_key("sslmode") {
            self.values.insert("sslmode", ("require".into(), StatedBy::Variable("PGREQUIRESSL")));
        }
        for (variable, name) in SESSION {
            let value = variables.get(variable)?.filter(|value| !value.is_empty());
            if let Some(value) = value.filter(|value| !value.eq_ignore_ascii_case("default")) {
                self.session.push((name, value.into(), StatedBy::Variable(variable)));
            }
        }
        // Safety that a later libpq may know.
        let known =
            |name: &str| name == "PGREQUIRESSL" || KNOWN.iter().any(|(_, variable, _)| *variable == name);
        let strict = |name: &str| name.starts_with("PGSSL") || name.starts_with("PGREQUIRE");
        let unknown =
            |(name, value): &(&String, &OsString)| strict(name) && !known(name) && !value.is_empty();
        if let Some((name, _)) = variables.0.iter().find(unknown) {
            return Err(DatabaseProblem::UnknownVariable { name: name.clone() });
        }
        if let Some(user) = variables.login().filter(|_| !self.values.contains_key("user")) {
            self.values.insert("user", (user.into(), StatedBy::Variable("USER")));
        }
        Ok(())
    }

    fn keep(
        &mut self,
        name: &'static str,
        value: String,
        by: StatedBy,
        fate: &Fate,
    ) -> Result<(), DatabaseProblem> {
        // A whole address in the wrong place would be shown as the name of a host.
        if secret::is_in(&value) {
            return Err(DatabaseProblem::Value {
                by,
                needed: "a value without an address or a password in it",
            });
        }
        match fate {
            Refused(harmless) if !harmless.contains(&value.as_str()) && !value.is_empty() => {
                Err(DatabaseProblem::Setting { by })
            }
            _ => {
                self.values.insert(name, (value, by));
                Ok(())
            }
        }
    }

    pub fn password(&self) -> Option<&[u8]> {
        self.password.as_deref().filter(|password| !password.is_empty())
    }

    /// The value of a setting, where there is one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|(value, _)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// A value that does not go, by whoever stated it.
    pub fn wrong(&self, name: &'static str, needed: &'static str) -> DatabaseProblem {
        let by = self.values.get(name).map_or(StatedBy::Address(name), |(_, by)| *by);
        DatabaseProblem::Value { by, needed }
    }

    /// Settings as the driver reads them.
    pub fn config(&self, names: &[&'static str]) -> Result<Config, DatabaseProblem> {
        let mut all = String::new();
        for name in names {
            let Some(value) = self.get(name) else { continue };
            let driver = if *name == "keepalives_count" { "keepalives_retries" } else { name };
            let one = format!("{driver}='{}' ", value.replace('\\', "\\\\").replace('\'', "\\'"));
            // What the driver says of a value that it cannot read may hold any part of it.
            one.parse::<Config>().map_err(|_| self.wrong(name, needed(name)))?;
            all += &one;
        }
        all.parse().map_err(|_| DatabaseProblem::Address)
    }

    /// How to encrypt, and whom to trust.
    pub fn encryption(&self) -> Result<(TlsMode, Roots), DatabaseProblem> {
        let mode = match self.values.get("sslmode") {
            Some((value, _)) => {
                Some(TlsMode::parse(value).ok_or_else(|| self.wrong("sslmode", needed("sslmode")))?)
            }
            None => None,
        };
        let roots = match self.get("sslrootcert") {
            None => Roots::Default,
            Some("system") => Roots::System,
            Some(file) => Roots::File(file.into()),
        };
        let mode = match (mode, &roots) {
            (None, Roots::System) => TlsMode::VerifyFull,
            (Some(mode), Roots::System) if mode != TlsMode::VerifyFull => {
                return Err(self.wrong("sslmode", "verify-full beside sslrootcert=system"));
            }
            (mode, _) => mode.unwrap_or(TlsMode::Prefer),
        };
        let weak = matches!(mode, TlsMode::Disable | TlsMode::Prefer);
        if weak && self.get("sslnegotiation") == Some("direct") {
            return Err(
                self.wrong("sslnegotiation", "an sslmode of require, verify-ca or verify-full beside direct")
            );
        }
        Ok((mode, roots))
    }
}

/// What a setting can be.
fn needed(name: &str) -> &'static str {
    match name {
        "sslmode" => "one of disable, allow, prefer, require, verify-ca, verify-full",
        "sslnegotiation" => "postgres or direct",
        "channel_binding" => "one of disable, prefer, require",
        "target_session_attrs" => "one of any, read-write, read-only",
        "hostaddr" => "numeric addresses, separated by commas",
        "port" => "numbers up to 65535, separated by commas",
        _ => "a whole number",
    }
}
