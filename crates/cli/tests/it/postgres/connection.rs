//! The way to a server: how long to wait, what variables mean, and that no spelling of an address shows its password.
//! The servers here are a few lines on the loopback; no PostgreSQL is needed.

use super::{Seen, without_variables};
use assert_cmd::Command;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How far a server goes before it falls silent.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    /// Takes the connection and says nothing.
    Accepted,
    /// Agrees to encrypt, and stops there.
    Encrypting,
    /// Half a word of the login.
    LoggingIn,
    /// Lets in, and says nothing more.
    LoggedIn,
    /// Half a row of the tally.
    HalfRow,
    /// Rows, but the end of the tally never comes.
    Rows,
    /// All of it.
    Done,
}

/// A server that listens, and what it was told when a connection began.
struct Fake {
    port: u16,
    told: Receiver<String>,
}

impl Fake {
    fn new(until: Until) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, told) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let tell = tell.clone();
                // Whoever is at the other end may go away at any time.
                std::thread::spawn(move || serve(stream.ok()?, until, &tell).ok());
            }
        });
        Fake { port, told }
    }

    /// An address that names host, user and database.
    fn address(&self, settings: &str) -> String {
        format!("postgres://ann@127.0.0.1:{}/loans{settings}", self.port)
    }
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[kind][..], &length, body].concat()
}

/// Columns of text: `y_pred`, `proxy_a`, and the tally's `count`.
fn described(columns: usize) -> Vec<u8> {
    let mut body = (columns as u16).to_be_bytes().to_vec();
    for name in ["y_pred", "proxy_a", "count"].iter().take(columns) {
        body.extend_from_slice(name.as_bytes());
        // No table, the type `text`, any length, as text.
        body.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]);
    }
    message(b'T', &body)
}

fn row(fields: [&str; 3]) -> Vec<u8> {
    let mut body = 3u16.to_be_bytes().to_vec();
    for field in fields {
        body.extend_from_slice(&(field.len() as u32).to_be_bytes());
        body.extend_from_slice(field.as_bytes());
    }
    message(b'D', &body)
}

/// Waits until the other end goes.
fn fall_silent(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).map(drop)
}

fn serve(mut stream: TcpStream, until: Until, tell: &Sender<String>) -> std::io::Result<()> {
    if until == Until::Accepted {
        return fall_silent(&mut stream);
    }
    let mut head = [0; 8];
    stream.read_exact(&mut head)?;
    // 80877103 asks whether the server encrypts.
    if head[4..] == 80_877_103u32.to_be_bytes() {
        if until == Until::Encrypting {
            stream.write_all(b"S")?;
            return fall_silent(&mut stream);
        }
        stream.write_all(b"N")?;
        stream.read_exact(&mut head)?;
    }
    let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
    let mut start = vec![0; length.saturating_sub(8)];
    stream.read_exact(&mut start)?;
    let _ = tell.send(String::from_utf8_lossy(&start).replace('\0', "|"));
    if until == Until::LoggingIn {
        stream.write_all(b"R\0\0")?;
        return fall_silent(&mut stream);
    }
    stream.write_all(&[message(b'R', &[0; 4]), message(b'Z', b"I")].concat())?;
    let (mut columns, mut sets) = (2, false);
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let mut body = vec![0; u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize - 4];
        stream.read_exact(&mut body)?;
        if until == Until::LoggedIn {
            return fall_silent(&mut stream);
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        let rows = [row(["1", "x", "30"]), row(["0", "y", "20"])].concat();
        let answer = match head[0] {
            b'Q' => [message(b'C', b"BEGIN\0"), message(b'Z', b"T")].concat(),
            b'P' => {
                columns = if text.contains("fv_tally") { 3 } else { 2 };
                sets = text.contains("set_config");
                let _ = tell.send(text);
                message(b'1', b"")
            }
            // Two parameters of text, or none.
            b'D' if sets => [message(b't', &[0, 2, 0, 0, 0, 25, 0, 0, 0, 25]), described(columns)].concat(),
            b'D' => [message(b't', &[0, 0]), described(columns)].concat(),
            b'B' => message(b'2', b""),
            b'E' if until == Until::HalfRow => {
                stream.write_all(&rows[..rows.len() - 3])?;
                return fall_silent(&mut stream);
            }
            b'E' if until == Until::Rows => {
                stream.write_all(&rows)?;
                return fall_silent(&mut stream);
            }
            b'E' => [rows, message(b'C', b"SELECT 2\0")].concat(),
            b'C' => message(b'3', b""),
            b'S' => message(b'Z', b"T"),
            b'X' => return stream.shutdown(Shutdown::Both),
            _ => Vec::new(),
        };
        stream.write_all(&answer)?;
    }
}

/// Runs the program with these variables and none of the tester's; one that hangs is ended.
fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Seen {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("fairveil").unwrap();
    without_variables(&mut command);
    command.current_dir(home.path()).env("HOME", home.path()).envs(environment.iter().copied());
    let output = command.args(arguments).timeout(Duration::from_secs(20)).output().unwrap();
    Seen {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What the program says when it cannot run.
fn refused(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let seen = run(arguments, environment);
    assert_eq!((seen.code, seen.stdout.as_str()), (2, ""), "{arguments:?} {environment:?}: {}", seen.stderr);
    for part in ["\n  needed: ", "\n  to do:  "] {
        assert!(seen.stderr.contains(part), "{}", seen.stderr);
    }
    seen.stderr
}

fn audit<'a>(address: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["audit", address, "--table", "people"], more].concat()
}

/// An audit that a server answers to the end.
fn works(address: &str, environment: &[(&str, &str)]) {
    let seen = run(&audit(address, &["--n-boot", "0", "--quiet"]), environment);
    assert_eq!(seen.code, 0, "{address} {environment:?}: {}", seen.stderr);
}

#[test]
fn a_server_that_never_answers_while_connecting_is_given_up() {
    for (until, settings, environment) in [
        (Until::Accepted, "?connect_timeout=1", &[][..]),
        (Until::Accepted, "?connect_timeout=1&sslmode=disable", &[]),
        (Until::Accepted, "", &[("PGCONNECT_TIMEOUT", "1")]),
        (Until::Encrypting, "?connect_timeout=1&sslmode=require", &[]),
        (Until::LoggingIn, "?connect_timeout=1", &[]),
        // The address wins over the variable.
        (Until::LoggingIn, "?connect_timeout=1", &[("PGCONNECT_TIMEOUT", "0")]),
    ] {
        let (server, began) = (Fake::new(until), Instant::now());
        let said = refused(&audit(&server.address(settings), &[]), environment);
        assert!(said.contains("the server does not answer within 1 second"), "{said}");
        assert!(said.contains("connect_timeout=SECONDS"), "{said}");
        assert!(began.elapsed() < Duration::from_secs(15));
    }
}

#[test]
fn a_server_that_falls_silent_later_is_given_up_and_half_a_tally_is_not_used() {
    for (until, rows) in
        [(Until::LoggedIn, ""), (Until::HalfRow, " after 1 row"), (Until::Rows, " after 2 rows")]
    {
        let (server, began) = (Fake::new(until), Instant::now());
        let address = server.address("?connect_timeout=1");
        let said = refused(&audit(&address, &["--statement-timeout", "1", "--json", "-"]), &[]);
        assert!(said.contains(&format!("the server sent nothing for 2 seconds{rows}")), "{said}");
        assert!(said.contains("--statement-timeout SECONDS"), "{said}");
        assert!(began.elapsed() < Duration::from_secs(15));
    }
}

#[test]
fn one_silent_host_does_not_keep_the_next_from_its_turn() {
    let (silent, server) = (Fake::new(Until::Accepted), Fake::new(Until::Done));
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", silent.port, server.port);
    works(&format!("postgres://ann@{hosts}/loans?connect_timeout=1"), &[]);
}

#[test]
fn variables_say_what_the_address_does_not() {
    let server = Fake::new(Until::Done);
    let port = server.port.to_string();
    let began = |address: &str, environment: &[(&str, &str)]| {
        works(address, environment);
        let start = server.told.recv().unwrap();
        let statements: Vec<String> = server.told.try_iter().collect();
        (start, statements)
    };
    let place = [("PGHOST", "127.0.0.1"), ("PGPORT", &port), ("PGUSER", "bob"), ("PGDATABASE", "bank")];
    let more = [("PGAPPNAME", "night"), ("PGOPTIONS", "-c work_mem=1MB")];
    let (start, _) = began("postgres://", &[&place[..], &more].concat());
    for pair in ["user|bob|", "database|bank|", "application_name|night|", "options|-c work_mem=1MB|"] {
        assert!(start.contains(pair), "{pair}: {start}");
    }
    // The address wins, part by part; a variable that is empty says nothing.
    let other = [("PGHOST", "nowhere.invalid"), ("PGPORT", "1"), ("PGUSER", "bob"), ("PGAPPNAME", "")];
    let (start, _) = began(&server.address("?application_name=day"), &other);
    assert!(start.contains("user|ann|") && start.contains("database|loans|"), "{start}");
    assert!(start.contains("application_name|day|"), "{start}");
    let (start, _) = began(&server.address(""), &[("PGAPPNAME", "")]);
    assert!(start.contains("application_name|fairveil|"), "{start}");
    // The name is for certificates, the number says where to go.
    let address = format!("postgres://ann@nowhere.invalid:{port}/loans");
    began(&address, &[("PGHOSTADDR", "127.0.0.1")]);
    began(&format!("postgres://ann@127.0.0.1/loans?port={port}"), &[("PGPORT", "1")]);
    // What changes how values become text reaches the server.
    let session = [("PGTZ", "Asia/Tokyo"), ("PGDATESTYLE", "German"), ("PGGEQO", "off")];
    let (_, statements) = began(&server.address(""), &session);
    assert!(statements.iter().any(|statement| statement.contains("set_config")), "{statements:?}");
    // What asks for no more than happens anyway.
    for (name, value) in [
        ("PGGSSENCMODE", "disable"),
        ("PGGSSENCMODE", "prefer"),
        ("PGSSLMINPROTOCOLVERSION", "TLSv1.2"),
        ("PGCLIENTENCODING", "LATIN1"),
        ("PGKRBSRVNAME", "postgres"),
        ("PGSERVICEFILE", "/nowhere"),
        ("PGTARGETSESSIONATTRS", "any"),
        ("PGCHANNELBINDING", "prefer"),
        ("PGREQUIRESSL", "0"),
        ("PGSSLCERT", ""),
        ("PGDATA", "/nowhere"),
    ] {
        began(&server.address(""), &[(name, value)]);
    }
}

#[test]
fn a_variable_that_cannot_be_honoured_is_refused_by_name() {
    let server = Fake::new(Until::Done);
    for (name, value) in [
        ("PGSSLMODE", "verify-fulll"),
        ("PGSSLMODE", ""),
        ("PGSSLMODE", "REQUIRE"),
        ("PGSSLNEGOTIATION", "direct"),
        ("PGSSLNEGOTIATION", "any"),
        ("PGSSLCERT", "me.crt"),
        ("PGSSLKEY", "me.key"),
        ("PGSSLCERTMODE", "require"),
        ("PGSSLCRL", "revoked.crl"),
        ("PGSSLCRLDIR", "revoked"),
        ("PGSSLSNI", "0"),
        ("PGSSLMINPROTOCOLVERSION", "TLSv1.3"),
        ("PGSSLMAXPROTOCOLVERSION", "TLSv1.1"),
        ("PGSSLFROMTHEFUTURE", "1"),
        ("PGREQUIREAUTH", "scram-sha-256"),
        ("PGREQUIREPEER", "postgres"),
        ("PGREQUIREFROMTHEFUTURE", "1"),
        ("PGGSSENCMODE", "require"),
        ("PGSERVICE", "bank"),
        ("PGCHANNELBINDING", "always"),
        ("PGTARGETSESSIONATTRS", "standby"),
        ("PGLOADBALANCEHOSTS", "random"),
        ("PGMINPROTOCOLVERSION", "3.2"),
        ("PGCONNECT_TIMEOUT", "soon"),
        ("PGHOSTADDR", "localhost"),
    ] {
        let said = refused(&audit(&server.address(""), &[]), &[(name, value)]);
        assert!(said.contains(name), "{name}={value}: {said}");
        assert_eq!(server.told.try_iter().count(), 0, "{name}={value} reached the server");
    }
    let said = refused(&audit("postgres://ann@127.0.0.1/d", &[]), &[("PGPORT", "many")]);
    assert!(said.contains("PGPORT"), "{said}");
}

#[test]
fn encryption_that_a_variable_asks_for_is_never_left_out() {
    let server = Fake::new(Until::Done);
    for (environment, why) in [
        (&[("PGSSLMODE", "require")][..], "server does not support TLS"),
        (&[("PGREQUIRESSL", "1")], "server does not support TLS"),
        (&[("PGSSLMODE", "verify-ca")], "root.crt cannot be read"),
        (&[("PGSSLMODE", "verify-full")], "root.crt cannot be read"),
        (&[("PGSSLMODE", "verify-full"), ("PGSSLROOTCERT", "gone.crt")], "gone.crt cannot be read"),
        (&[("PGSSLROOTCERT", "system")], "server does not support TLS"),
        (&[("PGSSLROOTCERT", "system"), ("PGSSLMODE", "require")], "PGSSLMODE"),
        (&[("PGCHANNELBINDING", "require")], "channel binding"),
    ] {
        let said = refused(&audit(&server.address(""), &[]), environment);
        assert!(said.contains(why), "{environment:?}: {said}");
        let asked = server.told.try_iter().any(|told| told.contains("SELECT"));
        assert!(!asked, "{environment:?}: a query went over in the open");
    }
    // The address wins, and PGSSLMODE over the older PGREQUIRESSL.
    works(&server.address("?sslmode=disable"), &[("PGSSLMODE", "require")]);
    works(&server.address(""), &[("PGSSLMODE", "disable"), ("PGREQUIRESSL", "1")]);
}

#[test]
fn a_list_of_revoked_certificates_is_not_passed_over() {
    let (server, home) = (Fake::new(Until::Done), tempfile::tempdir().unwrap());
    let folder = home.path().join(".postgresql");
    std::fs::create_dir(&folder).unwrap();
    let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    std::fs::write(folder.join("root.crt"), certificate).unwrap();
    std::fs::write(folder.join("root.crl"), "").unwrap();
    let home = ("HOME", home.path().to_str().unwrap());
    for mode in ["require", "verify-ca", "verify-full"] {
        let said = refused(&audit(&server.address(""), &[]), &[home, ("PGSSLMODE", mode)]);
        assert!(said.contains("root.crl lists certificates that were revoked"), "{said}");
    }
    // Nobody is asked to vouch.
    works(&server.address(""), &[home]);
}

/// Ways to write a password that an address may come in, right and wrong ones. Of each password `s3` and `cret` are part.
const SPELLINGS: [&str; 34] = [
    "postgres://ann:s3cret@localhost:1/d",
    "postgresql://ann:s3%63ret%40@localhost:1/d",
    "postgres://ann:s3@cret@localhost:1/d",
    "postgres://ann:s3/cret@localhost:1/d",
    "postgres://ann:s3?cret@localhost:1/d",
    "postgres://ann:s3#cret@localhost:1/d",
    "postgres://ann:s3:cret@localhost:1/d",
    "postgres://ann:s3 cret@localhost:1/d",
    "postgres://ann:s3\ncret@localhost:1/d",
    "postgres://ann:s3'\"cret@localhost:1/d",
    "postgres://ann:s3ü☃cret@localhost:1/d",
    "postgres://:s3cret@localhost:1/d",
    "postgres://ann:s3cret",
    "postgres://localhost:1/d?user=ann&password=s3cret",
    "postgres://localhost:1/d?user=ann&password=s3&cret=1",
    "postgres://localhost:1/d?user=ann&pass%77ord=s3cret",
    "postgres://localhost:1/d?user=ann&PASSWORD=s3cret",
    "postgres://localhost:1/d&password=s3cret",
    "postgres://ann@localhost:1/d?application_name=postgres://bob:s3cret@h/d",
    "postgres://ann@localhost:1/d?host=bob:s3cret@h",
    "postgres://ann:s3cret@localhost:1,bob:s3cret@localhost:2/d",
    "postgres://ann:s3cret@localhost:1/d postgres://ann:s3cret@localhost:1/d",
    "POSTGRES://ann:s3cret@localhost:1/d",
    "PostgreSQL://ann:s3cret@localhost:1/d",
    "postgres:/ann:s3cret@localhost:1/d",
    " postgres://ann:s3cret@localhost:1/d",
    "jdbc:postgresql://localhost:1/d?user=ann&password=s3cret",
    "postgresql+psycopg2://ann:s3cret@localhost:1/d",
    "postgres%3A%2F%2Fann%3As3cret%40localhost%2Fd",
    "ann:s3cret@localhost:1/d",
    "//ann:s3cret@localhost:1/d",
    "host=localhost user=ann password=s3cret",
    "host=localhost user=ann password = 's3 \\' cret' dbname=d",
    "PGPASSWORD=s3cret",
];

#[test]
fn no_spelling_of_an_address_shows_its_password() {
    for spelling in SPELLINGS {
        let flag = |name: &str| format!("--{name}={spelling}");
        for words in [
            &["audit", spelling, "--table", "people"][..],
            &["audit", spelling],
            &["audit", spelling, spelling, "--table", "people"],
            &["audit", "x.csv", spelling],
            &["count", spelling, "--table", "people", "-o", "x.csv"],
            &["privatize", spelling, "--proxy", "zip", "--flip", "0.1", "-o", "x.csv"],
            &["audit", "x.csv", "--seed", spelling],
            &["audit", "x.csv", &flag("seed")],
            &["audit", "x.csv", &flag("html")],
            &["audit", "x.csv", &flag("given")],
            &["audit", "x.csv", &flag("estimator")],
            &["sql", &flag("dialect"), "--table", "t"],
            &["explain", spelling],
            &[spelling],
        ] {
            let seen = run(words, &[("PGCONNECT_TIMEOUT", "1")]);
            assert_eq!(seen.code, 2, "{words:?}: {}", seen.stdout);
            let said = seen.stdout + &seen.stderr;
            assert!(!said.contains("cret") && !said.contains("s3"), "{words:?}: {said}");
            assert!(!said.contains("panicked"), "{words:?}: {said}");
        }
    }
}

#[test]
fn no_report_repeats_a_password_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, html, markdown) = (file("t.csv"), file("t.html"), file("t.md"));
    let rows = "1,x,x,y\n0,y,y,y\n1,x,y,x\n0,y,x,x\n".repeat(20);
    std::fs::write(&table, format!("y_pred,proxy_a,proxy_b,proxy_c\n{rows}")).unwrap();
    for spelling in SPELLINGS {
        let audit = ["audit", &table, "--n-boot", "0", "--missing", spelling];
        let seen = run(&[&audit[..], &["--html", &html, "--markdown", &markdown]].concat(), &[]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        for text in [
            seen.stdout,
            std::fs::read_to_string(&html).unwrap(),
            std::fs::read_to_string(&markdown).unwrap(),
        ] {
            assert!(!text.contains("cret") && !text.contains("s3ü") && !text.contains("s3 "), "{spelling}");
        }
    }
    // What is no address stays as it was typed.
    let query = "SELECT a::text FROM t WHERE mail LIKE '%@x'";
    let plain = ["audit", &table, "--n-boot", "0", "--missing", query, "--markdown", &markdown];
    assert_eq!(run(&plain, &[]).code, 0);
    let text = std::fs::read_to_string(&markdown).unwrap();
    assert!(text.contains("SELECT a::text FROM t"), "{text}");
}

#[test]
fn a_variable_with_an_address_in_it_is_refused_and_not_repeated() {
    for name in ["PGHOST", "PGDATABASE", "PGUSER", "PGAPPNAME", "PGOPTIONS"] {
        let said = refused(&audit("postgres:///?port=1", &[]), &[(name, "postgres://ann:s3cret@h/d")]);
        assert!(said.contains(name) && !said.contains("cret"), "{said}");
    }
}
