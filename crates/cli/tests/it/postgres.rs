//! Audits of rows in a real PostgreSQL server, which `make postgres` starts; skipped with a message without it.

mod connection;

use assert_cmd::Command;
use fairveil_ingest::{Address, Columns, Database, Relation, RowSource, TextRows};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// One of the two servers that the script started.
struct Server {
    folder: PathBuf,
    port: String,
    password: String,
}

struct Seen {
    code: i32,
    stdout: String,
    stderr: String,
}

/// The server of this kind, or nothing, with a message, where none was started.
fn server(kind: &str) -> Option<Server> {
    let Some(scratch) = std::env::var_os("FAIRVEIL_POSTGRES").map(PathBuf::from) else {
        static SAID: OnceLock<()> = OnceLock::new();
        SAID.get_or_init(|| {
            let _ = writeln!(std::io::stderr(), "skipped: make postgres starts the servers that this needs");
        });
        return None;
    };
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap().trim().to_owned();
    let folder = scratch.join(kind);
    Some(Server { port: read(folder.join("port")), password: read(scratch.join("password")), folder })
}

/// Takes away what the variables of whoever runs the tests say about databases.
fn without_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
        command.env_remove(name);
    }
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

impl Server {
    /// An address with everything in it.
    fn address(&self, settings: &str) -> String {
        format!("postgres://owner:{}@localhost:{}/postgres{settings}", escaped(&self.password), self.port)
    }

    fn without_password(&self) -> String {
        format!("postgres://owner@localhost:{}/postgres", self.port)
    }

    /// Runs statements with PostgreSQL's own client.
    fn psql(&self, statements: &str) {
        let psql = std::env::var_os("FAIRVEIL_PSQL").unwrap();
        let mut command = std::process::Command::new(psql);
        command.args([
            "-q",
            "-X",
            "-o",
            "/dev/null",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-p",
            &self.port,
        ]);
        command.args(["-U", "owner", "-d", "postgres", "-f", "-"]).env("PGPASSWORD", &self.password);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(statements.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "{statements}");
    }

    /// Runs the program; no message may hold the password.
    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Seen {
        let output = self.command(arguments, environment).output().unwrap();
        let seen = Seen {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        self.refuse_password(&seen.stdout);
        self.refuse_password(&seen.stderr);
        seen
    }

    fn command(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
        let mut command = Command::cargo_bin("fairveil").unwrap();
        without_variables(&mut command);
        // Neither the password file nor the certificates of whoever runs the tests.
        command.args(arguments).env("HOME", &self.folder);
        command.envs(environment.iter().copied());
        command
    }

    fn refuse_password(&self, text: &str) {
        assert!(!text.contains("s3cret"), "{text}");
        assert!(!text.contains(&escaped(&self.password)), "{text}");
    }

    /// What the program says when it cannot run.
    fn refused(&self, arguments: &[&str], environment: &[(&str, &str)]) -> String {
        let seen = self.run(arguments, environment);
        assert_eq!((seen.code, seen.stdout.as_str()), (2, ""), "{}", seen.stderr);
        for part in ["\n  needed: ", "\n  to do:  "] {
            assert!(seen.stderr.contains(part), "{}", seen.stderr);
        }
        seen.stderr
    }

    /// A small table of four people, made once.
    fn people(&self) -> &Self {
        static MADE: OnceLock<()> = OnceLock::new();
        MADE.get_or_init(|| {
            self.psql(
                "CREATE TABLE people (y_pred boolean, proxy_a text, proxy_b char(3));
                 INSERT INTO people VALUES (true, 'x', 'x'), (false, 'y', 'y'), (true, 'y', 'x'), (false, 'x', 'y');",
            );
        });
        self
    }

    fn rows(&self, relation: Relation, columns: &Columns) -> (Vec<String>, Vec<Vec<Option<String>>>) {
        let address = Address::new(&self.address("")).unwrap();
        let database = Database { address, relation, statement_timeout: None };
        let mut source = database.rows(|_| {});
        let header = source.open(columns).unwrap();
        let mut rows = Vec::new();
        loop {
            let mut some = TextRows::default();
            source.next(&mut some).unwrap();
            let fields: Vec<_> =
                some.fields().map(|field| Some(field.to_owned()).filter(|field| !field.is_empty())).collect();
            rows.extend(fields.chunks(header.len()).map(<[_]>::to_vec));
            if some.is_empty() {
                return (header, rows);
            }
        }
    }
}

/// COMPAS, or nothing, with a message, where it is absent.
fn compas() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FAIRVEIL_SHARED").map_or(beside, PathBuf::from);
    let name = "compas/compas.csv";
    let found = [folder.join(name), folder.join("data").join(name)].into_iter().find(|path| path.exists());
    if found.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: {name} is not in {}", folder.display());
    }
    found.map(|path| path.canonicalize().unwrap())
}

/// COMPAS in the database, with the types that people give such columns; loaded once.
fn load_compas(server: &Server, file: &Path) {
    static LOADED: OnceLock<()> = OnceLock::new();
    LOADED.get_or_init(|| {
        let text = std::fs::read_to_string(file).unwrap();
        let kind = |name: &str| match name {
            _ if name.contains("_soft_") || name.contains("_pr_") => "double precision",
            "y_true" | "pred_tree" => "integer",
            "decile_score" => "numeric",
            "sex" => "char(10)",
            _ => "text",
        };
        let columns = text.lines().next().unwrap().split(',').map(|name| format!("\"{name}\" {}", kind(name)));
        let columns = columns.collect::<Vec<_>>().join(", ");
        server.psql(&format!(
            "CREATE SCHEMA court; CREATE TABLE court.compas ({columns});\n\\copy court.compas FROM '{}' CSV HEADER\n",
            file.display()
        ));
    });
}

#[test]
fn compas_in_a_database_gives_the_digits_of_compas_in_a_file() {
    let (Some(server), Some(file)) = (server("lasting"), compas()) else { return };
    load_compas(&server, &file);
    let address = server.address("");
    let columns = [
        "--y-pred",
        "pred_tree",
        "--proxy",
        "census_2:census",
        "--proxy",
        "fl_2",
        "--proxy",
        "nc_2",
        "--truth",
        "race_2",
        "--n-boot",
        "200",
        "--json",
        "-",
    ];
    for more in [&[][..], &["--by", "sex"]] {
        let audit = |input: &[&str]| {
            let seen = server.run(&[&["audit"][..], input, &columns, more].concat(), &[]);
            assert_eq!(seen.code, 0, "{}", seen.stderr);
            seen.stdout
        };
        let expected = audit(&[file.to_str().unwrap()]);
        assert!(expected.len() > 1000);
        assert_eq!(audit(&[&address, "--table", "court.compas"]), expected);
        assert_eq!(
            audit(&[&address, "--query", "SELECT * FROM court.compas ORDER BY random(); -- any order"]),
            expected
        );
    }
}

#[test]
fn an_outcome_and_a_score_in_a_database_give_the_digits_of_the_file() {
    let (Some(server), Some(file)) = (server("lasting"), compas()) else { return };
    load_compas(&server, &file);
    let (address, file) = (server.address(""), file.to_str().unwrap().to_owned());
    let proxies = ["--proxy", "census_2,fl_2,nc_2", "--n-boot", "100", "--json", "-"];
    let outcome = ["--y-pred", "pred_tree", "--outcome", "decile_score"];
    let score = ["--score", "decile_score", "--threshold", "5"];
    for asked in [&outcome[..], &score[..]] {
        let audit = |input: &[&str]| {
            let seen = server.run(&[&["audit"][..], input, asked, &proxies].concat(), &[]);
            assert_eq!(seen.code, 0, "{}", seen.stderr);
            seen.stdout
        };
        let expected = audit(&[&file]);
        assert_eq!(expected.contains("\"outcome\": {"), asked == outcome, "{asked:?}");
        assert_eq!(audit(&[&address, "--table", "court.compas"]), expected, "{asked:?}");
    }
    // What is no number is refused there as here.
    let words = "SELECT 'dear' AS price, pred_tree, census_2, fl_2, nc_2 FROM court.compas";
    let refused = ["audit", &address, "--query", words, "--y-pred", "pred_tree", "--outcome", "price"];
    let seen = server.run(&[&refused[..], &proxies].concat(), &[]);
    assert_eq!(seen.code, 2, "{}", seen.stdout);
}

#[test]
fn a_curve_of_rows_in_a_database_has_the_digits_of_the_file() {
    let (Some(server), Some(file)) = (server("lasting"), compas()) else { return };
    load_compas(&server, &file);
    let (address, file) = (server.address(""), file.to_str().unwrap().to_owned());
    let asked = [
        "--score",
        "decile_score",
        "--bins",
        "1:10:1",
        "--threshold",
        "5",
        "--proxy",
        "census_2,fl_2,nc_2",
        "--json",
        "-",
    ];
    let curve = |input: &[&str]| {
        let seen = server.run(&[&["curve"][..], input, &asked].concat(), &[]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        seen.stdout
    };
    let expected = curve(&[&file]);
    assert!(expected.contains("\"threshold\": 10"), "{expected}");
    assert_eq!(curve(&[&address, "--table", "court.compas"]), expected);
}

/// Any table: guesses give the same digits, and so do weights and probabilities whose decimals are exact.
#[test]
fn random_tables_give_the_same_json_from_a_database_as_from_a_file() {
    use crate::tables::{Column, Dice, Place, Weights, Wish, table};
    let Some(server) = server("lasting") else { return };
    let place = Place::new();
    let address = server.address("");
    for seed in 0..6 {
        let mut dice = Dice(seed);
        let wish = Wish::any(&mut dice, 150);
        let exact = seed % 2 == 1;
        let weights = exact.then_some(Weights::Eighths);
        let scorers = if exact { wish.scorers.max(1) } else { 0 };
        // A query has no names with line breaks.
        let odd_names = wish.odd_names && !exact;
        let made = Wish { weights, scorers, guessers: 3 - scorers, odd_names, ..wish.clone() };
        let mut table = table(&mut dice, &made);
        table.columns.iter_mut().for_each(|(name, _)| *name = name.replace('\n', " "));
        place.file("t.csv", table.csv(b',', "\n", false));
        let kind =
            |column: &Column| if matches!(column, Column::Text(_)) { "text" } else { "double precision" };
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let columns: Vec<String> =
            table.columns.iter().map(|(name, column)| format!("{} {}", quoted(name), kind(column))).collect();
        server.psql(&format!(
            "CREATE TABLE random{seed} ({});\n\\copy random{seed} FROM '{}' CSV HEADER\n",
            columns.join(", "),
            place.path("t.csv").display()
        ));
        let positive = if wish.classes == 2 { &["--positive", "yes"][..] } else { &[] };
        let flags: Vec<&str> =
            table.flags.iter().map(String::as_str).chain(positive.iter().copied()).collect();
        let audit = |input: &[&str]| {
            let settings = ["--n-boot", "0", "--json", "-"];
            let seen = server.run(&[&["audit"][..], input, &flags, &settings].concat(), &[]);
            assert_eq!(seen.code, 0, "{}", seen.stderr);
            seen.stdout
        };
        let file = place.path("t.csv");
        let expected = audit(&[file.to_str().unwrap()]);
        assert!(audit(&[&address, "--table", &format!("random{seed}")]) == expected, "{seed} {flags:?}");
        let tally = place.path("tally.parquet");
        let tally = tally.to_str().unwrap();
        let count = ["count", &address, "--table", &format!("random{seed}"), "-o", tally];
        let seen = server.run(&[&count[..], &flags[..table.flags.len()]].concat(), &[]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        assert!(audit(&[tally]) == expected, "the tally of {seed} {flags:?}");
    }
}

#[test]
fn sums_of_probabilities_are_those_of_the_file_whatever_the_order() {
    let (Some(server), Some(file)) = (server("lasting"), compas()) else { return };
    load_compas(&server, &file);
    let columns = Columns {
        y_pred: Some("pred_tree".into()),
        proxy_probs: vec!["census_soft_".into(), "nc_soft_".into()],
        ..Columns::default()
    };
    let table = Relation::Table("court.compas".into());
    let (header, rows) = server.rows(table, &columns);
    let expected = [
        "pred_tree",
        "y_true",
        "census_soft",
        "nc_soft",
        "count",
        "soft_black",
        "soft_nonblack",
        "soft_weight",
        "invalid",
    ];
    assert_eq!(header, expected);
    let mut sums: BTreeMap<Vec<String>, (f64, f64, f64)> = BTreeMap::new();
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let names = reader.headers().unwrap().clone();
    let places = [
        "pred_tree",
        "y_true",
        "census_soft_black",
        "census_soft_nonblack",
        "nc_soft_black",
        "nc_soft_nonblack",
    ];
    let places = places.map(|name| names.iter().position(|column| column == name).unwrap());
    for record in reader.records().map(Result::unwrap) {
        let field = |i: usize| record[places[i]].to_owned();
        let number = |i: usize| field(i).parse::<f64>().unwrap();
        let guess = |black: f64, other: f64| match black.total_cmp(&other) {
            std::cmp::Ordering::Greater => "black".to_owned(),
            std::cmp::Ordering::Less => "nonblack".to_owned(),
            std::cmp::Ordering::Equal => String::new(),
        };
        let key = vec![field(0), field(1), guess(number(2), number(3)), guess(number(4), number(5))];
        let cell = sums.entry(key).or_default();
        cell.0 += 1.0;
        cell.1 += (number(2) + number(4)) / 2.0;
        cell.2 += (number(3) + number(5)) / 2.0;
    }
    assert_eq!(rows.len(), sums.len());
    for row in &rows {
        let row: Vec<String> = row.iter().map(|field| field.clone().unwrap_or_default()).collect();
        let (count, black, nonblack) = sums[&row[..4]];
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        assert_eq!((number(4), number(7), number(8)), (count, count, 0.0));
        // Sums in the order of the file err by up to half a unit in the last place for each row: 5,555 × 1e-16.
        assert!((number(5) / black - 1.0).abs() < 1e-12 && (number(6) / nonblack - 1.0).abs() < 1e-12);
    }
    let shuffled = Relation::Query("SELECT * FROM court.compas ORDER BY random()".into());
    let sorted = |mut rows: Vec<Vec<Option<String>>>| {
        rows.sort();
        rows
    };
    assert_eq!(sorted(server.rows(shuffled, &columns).1), sorted(rows));
}

#[test]
fn values_that_make_no_sense_are_counted_and_nan_is_no_probability() {
    let Some(server) = server("lasting") else { return };
    server.psql(
        "CREATE TABLE odd (y_pred boolean, proxy_a text, \"p_x'\" double precision, \"p_\\y\" real, weight double precision);
         INSERT INTO odd VALUES (true, 'x', 0.75, 0.25, 2), (true, 'x', 0.5, 0.5, 0.5), (true, 'x', 'NaN', 'NaN', 1),
           (true, 'x', NULL, 'NaN', 1),
           (false, NULL, 0.75, 0.25, 'NaN'), (false, NULL, 0.75, 0.25, -1), (false, NULL, 0.75, 0.25, NULL),
           (false, NULL, 0.75, 0.25, 'Infinity'), (false, NULL, 0.75, 0.25, 2e12), (false, NULL, 0.75, 0.25, 1),
           (false, 'n', 0.75, NULL, 1), (false, 'n', 'Infinity', 0.25, 1), (false, 'n', 0.75, 0.75, 1);",
    );
    let columns =
        Columns { proxies: vec!["proxy_a".into()], proxy_probs: vec!["p_".into()], ..Columns::default() };
    let (header, mut rows) = server.rows(Relation::Table("odd".into()), &columns);
    assert_eq!(
        header.join(" "),
        "y_pred proxy_a p count rows squared_weight soft_\\y soft_x' soft_weight invalid"
    );
    rows.sort();
    let line = |row: &Vec<Option<String>>| {
        row.iter().map(|field| field.clone().unwrap_or("-".into())).collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "false - x' 1 6 1 0.25 0.75 1 5",
            "false n - 2 2 2 0 0 0 2",
            "false n x' 1 1 1 0 0 0 1",
            "true x - 2.5 3 2.25 0.25 0.25 0.5 0",
            "true x x' 2 1 4 0.5 1.5 2 0"
        ]
    );
}

#[test]
fn nothing_of_the_users_leaves_its_quotes() {
    let Some(server) = server("lasting") else { return };
    server.psql(
        "CREATE TABLE kept (y integer); CREATE SCHEMA \"o.dd\";
         CREATE TABLE \"o.dd\".\"a\"\"b; DROP TABLE kept; --\" (\"y';\" integer, \"p\\\"\"; DROP TABLE kept; --\" text);
         INSERT INTO \"o.dd\".\"a\"\"b; DROP TABLE kept; --\" VALUES (1, 'it''s \\');",
    );
    let columns = Columns {
        y_pred: Some("y';".into()),
        proxies: vec!["p\\\"; DROP TABLE kept; --".into()],
        ..Columns::default()
    };
    let table = Relation::Table("\"o.dd\".\"a\"\"b; DROP TABLE kept; --\"".into());
    let (header, rows) = server.rows(table, &columns);
    assert_eq!(header, ["y';", "p\\\"; DROP TABLE kept; --", "count"]);
    assert_eq!(rows, [[Some("1".into()), Some("it's \\".into()), Some("1".into())]]);
    server.psql("SELECT y FROM kept;");
    // What a query of the user's own may do is the user's right, but it is one statement, and it can only read.
    let address = server.address("");
    let several =
        ["audit", &address, "--query", "SELECT 1 AS y) AS t; DROP TABLE kept; SELECT * FROM (SELECT 1 AS y"];
    assert!(server.refused(&several, &[]).contains("several statements"));
    server.psql("CREATE SEQUENCE numbers;");
    let writes = ["audit", &address, "--query", "SELECT nextval('numbers') AS y_pred, 'a' AS proxy_a"];
    assert!(server.refused(&writes, &[]).contains("read-only"));
}

#[test]
fn what_keeps_the_program_from_the_rows_is_said() {
    let Some(server) = server("lasting") else { return };
    let (port, address) = (&server.port, server.people().address(""));
    let table = ["--table", "people"];
    let refused = |input: &str, more: &[&str]| server.refused(&[&["audit", input][..], more].concat(), &[]);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();

    let said = refused(&address.replace(port, &nobody.to_string()), &table);
    assert!(said.contains("cannot be reached: Connection refused"), "{said}");
    assert!(said.contains(&format!("postgres://localhost:{nobody}/postgres")), "{said}");
    let said = refused(&address.replace("localhost", "nowhere.invalid"), &table);
    assert!(said.contains("there is no host `nowhere.invalid`"), "{said}");
    let said = refused(&format!("postgres://owner:wrong-s3crets@localhost:{port}/postgres"), &table);
    assert!(said.contains("does not let the user in: password authentication failed"), "{said}");
    let said = refused(&server.without_password(), &table);
    assert!(said.contains("asks for a password") && said.contains("PGPASSWORD"), "{said}");
    let said = refused(&address.replace("/postgres", "/nothing"), &table);
    assert!(said.contains("database \"nothing\" does not exist"), "{said}");
    let said = refused(&address, &["--table", "peple"]);
    assert!(said.contains("relation \"peple\" does not exist") && said.contains("--table"), "{said}");
    let said = refused(&address, &["--table", "nowhere.people"]);
    assert!(said.contains("\"nowhere.people\" does not exist"), "{said}");
    let said = refused(&address, &["--table", "people", "--proxy", "proxi_a"]);
    assert!(said.contains("column `proxi_a`: there is no such column"), "{said}");
    assert!(said.contains("did you mean `proxy_a`?"), "{said}");
    let said = refused(&address, &["--query", "SELECT y_prd FROM people"]);
    assert!(said.contains("column \"y_prd\" does not exist"), "{said}");
    let said = refused(&address, &["--query", "SELEC"]);
    assert!(said.contains("syntax error"), "{said}");
    let said = refused(&address, &[]);
    assert!(said.contains("give --table or --query"), "{said}");
    let said = refused("people.csv", &table);
    assert!(said.contains("--table is for a database"), "{said}");
    let said = refused(&format!("{address}?ssl=true"), &table);
    assert!(said.contains("the setting `ssl`"), "{said}");
    let said = refused(&format!("postgres://owner:{}@localhost:{port}/postgres", server.password), &table);
    assert!(said.contains("the address cannot be read") && said.contains("%40"), "{said}");

    let began = Instant::now();
    let slow = "SELECT y_pred, proxy_a FROM people, (SELECT pg_sleep(60)) AS long";
    let said = refused(&address, &["--query", slow, "--statement-timeout", "1"]);
    assert!(said.contains("stopped the query") && said.contains("--statement-timeout SECONDS"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_password_comes_from_the_environment_or_its_file() {
    let Some(server) = server("lasting") else { return };
    let address = server.people().without_password();
    let audit =
        ["audit", &address, "--table", "people", "--n-boot", "0", "--json", "-", "--positive", "true"];
    let works = |environment: &[(&str, &str)]| {
        let seen = server.run(&audit, environment);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        seen
    };
    works(&[("PGPASSWORD", &server.password)]);
    let file = tempfile::NamedTempFile::new().unwrap();
    let kept = server.password.replace('\\', "\\\\").replace(':', "\\:");
    std::fs::write(
        &file,
        format!("# servers\nother:*:*:*:wrong\nlocalhost:{}:*:owner:{kept}\n", server.port),
    )
    .unwrap();
    let path = file.path().to_str().unwrap();
    let seen = works(&[("PGPASSFILE", path)]);
    assert_eq!(seen.stderr, "");
    // The first line that fits counts, as in libpq.
    std::fs::write(&file, format!("*:*:*:*:wrong\nlocalhost:*:*:owner:{kept}\n")).unwrap();
    assert!(server.refused(&audit, &[("PGPASSFILE", path)]).contains("password authentication failed"));
    // The folder of the server's user is another's: the file lies in a home of its own.
    let home = tempfile::tempdir().unwrap();
    let usual = home.path().join(".pgpass");
    std::fs::write(&usual, format!("*:*:*:*:{kept}")).unwrap();
    let home = [("HOME", home.path().to_str().unwrap())];
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&usual, std::fs::Permissions::from_mode(0o600)).unwrap();
    works(&home);
    std::fs::set_permissions(&usual, std::fs::Permissions::from_mode(0o644)).unwrap();
    let said = server.refused(&audit, &home);
    assert!(said.contains("others may read it") && said.contains("asks for a password"), "{said}");
}

#[test]
fn encryption_is_what_sslmode_asks_for() {
    let Some(server) = server("lasting") else { return };
    server.people();
    let works = |settings: &str| {
        let audit = ["audit", &server.address(settings), "--table", "people", "--n-boot", "0", "--quiet"];
        let seen = server.run(&[&audit[..], &["--positive", "true"]].concat(), &[]);
        assert_eq!((seen.code, seen.stderr.as_str()), (0, ""), "{settings}");
    };
    let refuses = |settings: &str, why: &str| server.refuses(settings, why);
    let own = server.folder.join("server.crt");
    let own = own.to_str().unwrap();
    for settings in ["", "?sslmode=disable", "?sslmode=allow", "?sslmode=prefer", "?sslmode=require"] {
        works(settings);
    }
    // Signed by itself: nobody vouches for it, unless it is what is trusted.
    refuses("?sslmode=verify-full", "root.crt cannot be read");
    refuses("?sslrootcert=system", "no encrypted connection: no authority that is trusted");
    refuses("?sslmode=verify-ca&sslrootcert=/nowhere", "/nowhere cannot be read");
    refuses(
        &format!("?sslmode=verify-ca&sslrootcert={}", server.folder.join("port").display()),
        "none in it",
    );
    for mode in ["require", "verify-ca", "verify-full"] {
        works(&format!("?sslmode={mode}&sslrootcert={own}"));
        works(&format!("?sslmode={mode}&sslrootcert={own}&channel_binding=require"));
    }
}

#[test]
fn variables_ask_for_encryption_and_settings_as_the_address_does() {
    let Some(server) = server("lasting") else { return };
    let address = server.people().address("");
    let own = server.folder.join("server.crt");
    let own = ("PGSSLROOTCERT", own.to_str().unwrap());
    let full = ("PGSSLMODE", "verify-full");
    let audit =
        |query| ["audit", &address, "--query", query, "--n-boot", "0", "--quiet", "--positive", "true"];
    let all = "SELECT * FROM people";
    // A query that fails unless the variable reached the session.
    let tokyo = "SELECT * FROM people WHERE 1 / (current_setting('TimeZone') = 'Asia/Tokyo')::int = 1";
    let memory = "SELECT * FROM people WHERE 1 / (current_setting('work_mem') = '1MB')::int = 1";
    for (query, environment) in [
        (all, &[own, full][..]),
        (all, &[own, full, ("PGCHANNELBINDING", "require")]),
        (all, &[own, full, ("PGSSLNEGOTIATION", "postgres")]),
        (all, &[("PGTARGETSESSIONATTRS", "read-write")]),
        (tokyo, &[("PGTZ", "Asia/Tokyo")]),
        (memory, &[("PGOPTIONS", "-c work_mem=1MB")]),
    ] {
        let seen = server.run(&audit(query), environment);
        assert_eq!(seen.code, 0, "{environment:?}: {}", seen.stderr);
    }
    for (query, environment, why) in [
        (all, &[full][..], "root.crt cannot be read"),
        (all, &[("PGSSLROOTCERT", "system")], "no authority that is trusted"),
        (all, &[("PGTARGETSESSIONATTRS", "read-only")], "database is not read only"),
        (all, &[("PGTZ", "Nowhere/Land")], "the variable PGTZ"),
        (tokyo, &[], "division by zero"),
    ] {
        let said = server.refused(&audit(query), environment);
        assert!(said.contains(why), "{environment:?}: {said}");
    }
    let place =
        [("PGHOST", "localhost"), ("PGPORT", &server.port), ("PGUSER", "owner"), ("PGDATABASE", "postgres")];
    let seen = server.run(
        &["audit", "postgres://", "--table", "people", "--n-boot", "0", "--quiet", "--positive", "true"],
        &[&place[..], &[("PGPASSWORD", &server.password), own, full]].concat(),
    );
    assert_eq!(seen.code, 0, "{}", seen.stderr);
}

#[test]
fn a_server_that_does_not_encrypt_is_refused_if_it_must() {
    let Some(server) = server("lasting") else { return };
    // Answers the question for encryption with no, as a server without certificates does.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut question = [0; 8];
        std::io::Read::read_exact(&mut stream, &mut question).unwrap();
        stream.write_all(b"N").unwrap();
    });
    let address = format!("postgres://owner@127.0.0.1:{port}/postgres?sslmode=require");
    let said = server.refused(&["audit", &address, "--table", "people"], &[]);
    assert!(said.contains("server does not support TLS"), "{said}");
}

#[test]
fn the_password_is_in_no_report() {
    let Some(server) = server("lasting") else { return };
    let address = server.people().address("?sslmode=require");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (html, markdown, json) = (file("page.html"), file("page.md"), file("audit.json"));
    let audit = ["audit", &address, "--table", "people", "--n-boot", "0", "--positive", "true"];
    let outputs = ["--html", &html, "--markdown", &markdown, "--json", &json];
    let seen = server.run(&[&audit[..], &outputs].concat(), &[]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(
        seen.stdout.contains(&format!("postgres://localhost:{}/postgres", server.port)),
        "{}",
        seen.stdout
    );
    for file in [html, markdown, json] {
        let text = std::fs::read_to_string(&file).unwrap();
        server.refuse_password(&text);
        assert!(file.ends_with(".json") || text.contains("localhost"), "{file}");
    }
    // Nor where an address stands in the wrong place.
    for wrong in [
        &[address.as_str()][..],
        &["audit", "--seed", &address, "x.csv"],
        &["audit", "x.csv", "--html", &address],
        &["audit", "x.csv", "--given", &address],
        &["compare", &address, "--y-pred", "a", "--y-pred", "b"],
        &["plan", "--from", &address],
    ] {
        assert_eq!(server.run(wrong, &[]).code, 2);
    }
}

/// One test, so that the server is not killed before its certificate was looked at.
#[test]
fn a_server_for_another_host_is_refused_and_one_that_is_killed_is_missed() {
    let (Some(server), Some(lasting)) = (server("doomed"), server("lasting")) else { return };
    a_certificate_for_another_host_does_for_verify_ca_only(&server, &lasting);
    a_server_killed_in_the_middle_of_the_query_gives_exit_2_and_says_so(&server);
}

fn a_certificate_for_another_host_does_for_verify_ca_only(server: &Server, lasting: &Server) {
    let file = |server: &Server, name: &str| server.folder.join(name).to_str().unwrap().to_owned();
    let (authority, other) = (file(server, "ca.crt"), file(lasting, "server.crt"));
    for mode in ["verify-full", "verify-ca", "require"] {
        server
            .refuses(&format!("?sslmode={mode}&sslrootcert={other}"), "no authority that is trusted signed");
    }
    let settings = format!("?sslmode=verify-full&sslrootcert={authority}");
    server.refuses(&settings, "certificate is for elsewhere.example, not for localhost");
    // The connection is there: only the table is not.
    let settings = format!("?sslmode=verify-ca&sslrootcert={authority}");
    server.refuses(&settings, "relation \"people\" does not exist");
}

fn a_server_killed_in_the_middle_of_the_query_gives_exit_2_and_says_so(server: &Server) {
    let query = "SELECT true AS y_pred, 'x' AS proxy_a FROM (SELECT pg_sleep(60)) AS long";
    let address = server.address("");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("fairveil"));
    command.args(["audit", &address, "--query", query, "--json", "-"]).env("HOME", &server.folder);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Until the server works on it.
    let lasting = Instant::now();
    while !server.sleeps() {
        assert!(lasting.elapsed() < Duration::from_secs(60), "the query never started");
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = std::fs::read_to_string(server.folder.join("data/postmaster.pid")).unwrap();
    let pid = pid.lines().next().unwrap();
    // Immediate shutdown: the server and all that work for it stop where they are.
    assert!(std::process::Command::new("kill").args(["-QUIT", pid]).status().unwrap().success());
    let killed = Instant::now();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    server.refuse_password(&said);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{said}");
    assert!(said.contains("the connection was lost in the middle of the query"), "{said}");
    assert!(said.contains("needed: a connection until the tally is complete"), "{said}");
    assert!(killed.elapsed() < Duration::from_secs(20));
}

impl Server {
    /// An audit of the table `people` over an address with these settings is refused, and the reason is said.
    fn refuses(&self, settings: &str, why: &str) {
        let said = self.refused(&["audit", &self.address(settings), "--table", "people"], &[]);
        assert!(said.contains(why), "{settings}: {said}");
    }

    /// Whether a query sleeps on the server.
    fn sleeps(&self) -> bool {
        let columns = Columns { proxies: vec!["proxy_a".into()], ..Columns::default() };
        let query = "SELECT state AS y_pred, 'x' AS proxy_a FROM pg_stat_activity \
                     WHERE wait_event = 'PgSleep' AND application_name = 'fairveil'";
        !self.rows(Relation::Query(query.into()), &columns).1.is_empty()
    }
}

#[test]
fn a_table_without_rows_gives_a_header_and_no_row() {
    let Some(server) = server("lasting") else { return };
    server.psql("CREATE VIEW nobody AS SELECT true AS y_pred, 'x'::text AS proxy_a WHERE false;");
    let (header, rows) = server.rows(Relation::Table("nobody".into()), &Columns::default());
    assert_eq!((header.len(), rows.len()), (3, 0));
}
