//! Every command that a document shows is run, on tables that have the columns it names.

use crate::tables::Dice;
use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use assert_cmd::Command;
use parquet::arrow::ArrowWriter;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// What the three dots of a document stand for.
const USUAL: [&str; 6] = ["--proxy", "surname", "--proxy", "first_name", "--proxy", "zip"];
/// Flags after which a name is that of a file to be written.
const WRITTEN: [&str; 8] = ["-o", "--output", "--html", "--brief", "--json", "--report", "--cost", "--out"];

/// Documents, from the root of the project.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("README.md"), root.join("SECURITY.md"), root.join("CONTRIBUTING.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.extension().is_some_and(|end| end == "md") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// The words of every `$ fairveil …` in the consoles of a document, without comments and quotes.
fn commands(text: &str) -> Vec<Vec<String>> {
    let consoles = text.split("```console\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let joined: Vec<String> = consoles.map(|console| console.replace("\\\n", " ")).collect();
    let lines = joined.iter().flat_map(|console| console.lines());
    lines.filter_map(|line| line.strip_prefix("$ fairveil ")).map(words).collect()
}

fn words(line: &str) -> Vec<String> {
    let (mut out, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => out.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    out.push(word);
    out.retain(|word| !word.is_empty());
    let end = out.iter().position(|word| word == "#").unwrap_or(out.len());
    out.truncate(end);
    out
}

/// With what the three dots stand for.
fn whole(shown: &[String]) -> Vec<String> {
    let mut words: Vec<String> = shown.iter().filter(|word| *word != "…").cloned().collect();
    if words.len() < shown.len() {
        let usual = |flag: &str, column: &str| {
            if words.iter().any(|word| word == flag) {
                Vec::new()
            } else {
                vec![flag.to_owned(), column.to_owned()]
            }
        };
        let (decision, label) = (usual("--y-pred", "approved"), usual("--y-true", "repaid"));
        words.extend(decision.into_iter().chain(label).chain(USUAL.map(str::to_owned)));
    }
    words
}

/// People with every column that a document names. Groups have these names, and `zip` is a ZIP code where the command looks it up.
fn people(groups: [&str; 2], places: bool) -> String {
    let guesses = ["surname", "first_name", "zip", "voice", "face", "a", "b", "c", "d", "e", "f"];
    let decisions = ["y_pred", "approved", "hired", "old", "new", "high_score"];
    let labels = ["y_true", "repaid", "two_year_recid"];
    let numbers = [
        "income",
        "debt",
        "years",
        "rate",
        "p_repaid",
        "age",
        "zip_mean",
        "emb_0",
        "emb_1",
        "embedding_0",
        "embedding_1",
    ];
    let names = [["LATOYA", "JAMAL", "DARNELL", "EBONY"], ["BRETT", "CONNOR", "HEIDI", "GRETCHEN"]];
    let surnames = [["WASHINGTON", "JEFFERSON", "BOOKER", "BANKS"], ["MUELLER", "SCHMIDT", "NOVAK", "OLSON"]];
    let areas = [["30310", "60619", "48205"], ["55410", "04101", "83702"]];
    let head = [&guesses[..], &decisions, &labels, &numbers];
    let mut out = head.concat().join(",") + ",known,applied,customer,region,age_band,first,last\n";
    let mut dice = Dice(7);
    for row in 0..1200 {
        let group = usize::from(dice.chance(45));
        let label = dice.chance(if group == 0 { 65 } else { 50 });
        let decision = dice.chance(if label { 70 } else { 40 } - 20 * group);
        let mut cells = Vec::new();
        for column in guesses {
            let guess = if dice.chance(82) { group } else { 1 - group };
            cells.push(
                if column == "zip" && places { areas[guess][dice.below(3)] } else { groups[guess] }
                    .to_owned(),
            );
        }
        for _ in decisions {
            cells.push(u8::from(if dice.chance(92) { decision } else { !decision }).to_string());
        }
        cells.extend(labels.map(|_| u8::from(label).to_string()));
        for column in numbers {
            // Features go with the group and the label; a probability is one.
            let lean = 0.15 * group as f64 + 0.25 * f64::from(u8::from(label));
            let number = 0.1 + 0.45 * dice.unit() + lean;
            cells.push(if column == "p_repaid" {
                format!("{number:.4}")
            } else {
                format!("{:.4}", 10.0 * number)
            });
        }
        cells.push(if dice.chance(25) { groups[group] } else { "" }.to_owned());
        cells.push(format!("2024-{:02}-15", 1 + row % 6));
        cells.push(format!("{}", 10_000 + row));
        cells.push(["north", "south"][dice.below(2)].to_owned());
        cells.push(["18-39", "40-64", "65+"][dice.below(3)].to_owned());
        let said = |dice: &mut Dice, table: [[&str; 4]; 2]| {
            table[if dice.chance(85) { group } else { 1 - group }][dice.below(4)].to_owned()
        };
        cells.push(said(&mut dice, names));
        cells.push(said(&mut dice, surnames));
        let _ = writeln!(out, "{}", cells.join(","));
    }
    out
}

/// Numbers as a `.npy` file: two for each row of [`people`].
fn embeddings() -> Vec<u8> {
    let mut dice = Dice(11);
    let mut head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1200, 2), }".to_owned();
    head += &" ".repeat(117 - head.len());
    head.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((head.len() as u16).to_le_bytes());
    out.extend(head.bytes());
    out.extend((0..2400).flat_map(|_| (dice.unit() as f32 + 0.1).to_le_bytes()));
    out
}

/// A folder in which the commands of one document run, one after the other.
struct Desk {
    folder: TempDir,
    /// What commands have written.
    made: BTreeSet<PathBuf>,
}

impl Desk {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        put("key", "5".repeat(64).as_bytes());
        put("stated.json", br#"{"groups": ["blue", "green"], "matrix": [[0.9, 0.1], [0.3, 0.7]]}"#);
        put("embeddings.npy", &embeddings());
        Self { folder, made: BTreeSet::new() }
    }

    /// Puts the tables there that a command reads, unless a command has made them.
    fn lay_out(&self, words: &[String]) {
        let line = words.join(" ");
        let groups = if line.contains("white") || line.contains("black") {
            ["black", "white"]
        } else {
            ["blue", "green"]
        };
        let places = words.iter().any(|word| word == "--zip");
        for (i, word) in words.iter().enumerate().skip(1) {
            let table = [".csv", ".parquet"].iter().any(|end| word.ends_with(end));
            let file = self.folder.path().join(word.replace('*', "1"));
            if !table || WRITTEN.contains(&&*words[i - 1]) || self.made.contains(&file) {
                continue;
            }
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let text = people(groups, places);
            let lists = words.iter().any(|word| word == "embedding");
            fs::write(file, if lists { with_lists(&text) } else { text.into_bytes() }).unwrap();
        }
    }

    fn run(&mut self, words: &[String]) -> (Option<i32>, String) {
        self.lay_out(words);
        let before = self.files();
        // The fewest draws there are: whether a command runs does not depend on them, and there are many commands.
        let draws: &[&str] =
            if matches!(&*words[0], "audit" | "compare") { &["--n-boot", "100"] } else { &[] };
        let output = Command::cargo_bin("fairveil")
            .unwrap()
            .args(words)
            .args(draws)
            .current_dir(&self.folder)
            .output()
            .unwrap();
        self.made.extend(self.files().difference(&before).cloned());
        // What is written over was made too.
        for pair in words.windows(2).filter(|pair| WRITTEN.contains(&&*pair[0])) {
            self.made.insert(self.folder.path().join(&pair[1]));
        }
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

/// The decision, a guess and a list of two numbers for each row, as Parquet.
fn with_lists(table: &str) -> Vec<u8> {
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let column = |name: &str| {
        let at = head.iter().position(|column| *column == name).unwrap();
        rows.iter().map(move |cells| cells[at])
    };
    let mut lists = ListBuilder::new(Float64Builder::new());
    for (one, two) in column("emb_0").zip(column("emb_1")) {
        lists.append_value([one, two].map(|number| Some(number.parse::<f64>().unwrap())));
    }
    let text = |name| Arc::new(StringArray::from_iter_values(column(name))) as ArrayRef;
    let columns =
        [("y_pred", text("y_pred")), ("surname", text("surname")), ("embedding", Arc::new(lists.finish()))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// Runs the commands of a document; gives how many ran and what went wrong.
fn tried(document: &Path) -> (usize, Vec<String>) {
    let (mut ran, mut wrong) = (0, Vec::new());
    let mut desk = Desk::new();
    for shown in commands(&fs::read_to_string(document).unwrap()) {
        let words = whole(&shown);
        let (code, said) = desk.run(&words);
        // Nothing listens here: it must get as far as asking.
        let server = words.iter().any(|word| word.starts_with("postgres://"));
        let done = if server {
            code == Some(2) && said.contains("postgres://") && !said.contains("Usage:")
        } else {
            matches!(code, Some(0 | 1 | 3))
        };
        ran += 1;
        if !done {
            wrong.push(format!("{}: fairveil {}\n{said}", document.display(), words.join(" ")));
        }
    }
    (ran, wrong)
}

#[test]
fn every_command_of_the_documents_runs() {
    let documents = documents();
    let half = |skip: usize| {
        documents.iter().skip(skip).step_by(2).map(|document| tried(document)).collect::<Vec<_>>()
    };
    let mut tried = std::thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut all = half(0);
        all.extend(other.join().unwrap());
        all
    });
    let ran: usize = tried.iter().map(|(ran, _)| ran).sum();
    let wrong: Vec<String> = tried.iter_mut().flat_map(|(_, wrong)| std::mem::take(wrong)).collect();
    assert!(wrong.is_empty(), "{} of {ran} commands do not run:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran > 80, "only {ran} commands were found");
}

#[test]
fn a_command_with_a_flag_that_is_not_there_does_not_pass() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.md");
    fs::write(&page, "```console\n$ fairveil audit people.csv … --no-such-flag   # a comment\n$ fairveil explain P02\n```\n").unwrap();
    let (ran, wrong) = tried(&page);
    assert_eq!((ran, wrong.len()), (2, 1), "{wrong:?}");
    assert!(wrong[0].contains("--no-such-flag"), "{wrong:?}");
}
