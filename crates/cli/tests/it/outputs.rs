//! Files of a command appear together or not at all, whatever happens to it; an input is never an output.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(TempDir::new().unwrap());
        assert_eq!(place.run("simulate --rows 3000 --seed 5 -o people.csv").0, Some(0));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("fairveil"));
        command.current_dir(&self.0).args(words.split_whitespace());
        command
    }

    /// The exit code, and what was said.
    fn run(&self, words: &str) -> (Option<i32>, String) {
        let done = self.command(words).output().unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    }

    /// The exit code where nobody reads standard output.
    fn unread(&self, words: &str) -> (Option<i32>, String) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = self.command(words).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    }

    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn data_that_nobody_took_is_no_success_and_leaves_no_file() {
    let place = Place::new();
    let before = place.names();
    for words in [
        "audit people.csv --n-boot 0 --json - --html page.html --svg plots",
        "plan --half-width 0.05 --json - --svg plan.svg",
        "count people.csv -o -",
        "simulate --rows 100000 -o -",
        "privatize people.csv --proxy proxy_1 --epsilon 1 -o - --mechanism m.json",
        "sql --table t --y-pred y --proxy a --proxy b",
    ] {
        let (code, said) = place.unread(words);
        assert_eq!(code, Some(2), "{words}: {said}");
        assert!(said.contains("standard output was closed before all was written"), "{words}: {said}");
        assert_eq!(place.names(), before, "{words}");
    }
}

#[test]
fn text_for_a_person_may_go_unread() {
    let place = Place::new();
    let words = "audit people.csv --n-boot 100 --fail-above demographic_parity=0.01 --html page.html";
    assert_eq!(place.unread(words).0, Some(1));
    assert!(place.names().contains(&"page.html".to_owned()));
    assert_eq!(place.unread("explain").0, Some(0));
}

#[test]
fn where_one_output_fails_there_is_none() {
    let place = Place::new();
    std::fs::write(place.path("kept.json"), "kept").unwrap();
    let before = place.names();
    for words in [
        "audit people.csv --n-boot 0 --json kept.json --markdown a.md --html /dev/full",
        "audit people.csv --n-boot 0 --json kept.json --markdown /dev/full",
        "plan --half-width 0.05 --json kept.json --svg /dev/full",
        "privatize people.csv --proxy proxy_1 --epsilon 1 -o told.csv --mechanism /dev/full",
        "privatize people.csv --proxy proxy_1 --epsilon 1 -o told.csv --report /dev/full.html",
        "count people.csv -o none/tally.csv",
    ] {
        let (code, said) = place.run(words);
        assert_eq!(code, Some(2), "{words}: {said}");
        assert_eq!(place.names(), before, "{words}");
        assert_eq!(std::fs::read_to_string(place.path("kept.json")).unwrap(), "kept");
    }
}

#[test]
fn one_file_is_not_two_outputs_nor_input_and_output_by_whatever_link() {
    let place = Place::new();
    std::fs::hard_link(place.path("people.csv"), place.path("hard.csv")).unwrap();
    std::os::unix::fs::symlink("people.csv", place.path("soft.csv")).unwrap();
    std::fs::write(place.path("one.out"), "old").unwrap();
    std::fs::hard_link(place.path("one.out"), place.path("two.out")).unwrap();
    std::os::unix::fs::symlink("later.out", place.path("link.out")).unwrap();
    let before = place.names();
    let people = std::fs::read(place.path("people.csv")).unwrap();
    for (words, needle) in [
        ("count people.csv -o hard.csv", "would replace the input"),
        ("count people.csv -o soft.csv", "would replace the input"),
        ("count hard.csv -o people.csv", "would replace the input"),
        ("audit people.csv --json one.out --html two.out", "two outputs have this name"),
        ("audit people.csv --json link.out --html later.out", "two outputs have this name"),
        ("audit people.csv --json ./later.out --html later.out", "two outputs have this name"),
        ("audit people.csv hard.csv", "named twice"),
        ("audit people.csv soft.csv", "named twice"),
    ] {
        let (code, said) = place.run(words);
        assert!(code == Some(2) && said.contains(needle), "{words}: {said}");
        assert_eq!(place.names(), before, "{words}");
        assert_eq!(std::fs::read(place.path("people.csv")).unwrap(), people);
    }
}

#[test]
fn a_link_stays_a_link_and_a_replaced_file_keeps_its_permissions() {
    let place = Place::new();
    std::fs::write(place.path("real.csv"), "old").unwrap();
    std::fs::set_permissions(place.path("real.csv"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.csv", place.path("link.csv")).unwrap();
    assert_eq!(place.run("count people.csv -o link.csv").0, Some(0));
    assert!(std::fs::symlink_metadata(place.path("link.csv")).unwrap().is_symlink());
    let about = std::fs::metadata(place.path("real.csv")).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o640);
    assert!(std::fs::read_to_string(place.path("real.csv")).unwrap().starts_with("y_pred,"));
    // A new file is as readable as any.
    assert_eq!(place.run("count people.csv -o new.csv").0, Some(0));
    std::fs::write(place.path("any"), "").unwrap();
    let mode = |name: &str| std::fs::metadata(place.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("new.csv"), mode("any"));
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn who_is_told_to_stop_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;
    let place = Place::new();
    let before = place.names();
    // Long enough to be stopped in the middle.
    let words = "audit people.csv --n-boot 100000 --json a.json --html a.html --svg plots --quiet";
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        // Whoever runs the tests may ignore signals, and what they start would too.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,TERM,HUP").arg(assert_cmd::cargo::cargo_bin("fairveil"));
        command.current_dir(&place.0).args(words.split_whitespace());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, name);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{status}");
        // The folder was made before the work began; it is empty.
        let _ = std::fs::remove_dir(place.path("plots"));
        assert_eq!(place.names(), before, "{name}");
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let place = Place::new();
    assert_eq!(place.run("simulate --rows 200000 --seed 5 -o large.csv").0, Some(0));
    let before = place.names();
    let child = place.command("count large.csv -o tally.csv").stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let done = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| child.wait_with_output().unwrap());
        let until = Instant::now() + Duration::from_secs(30);
        while !waiting.is_finished() && Instant::now() < until {
            let file = std::fs::File::options().append(true).open(place.path("large.csv")).unwrap();
            file.set_modified(std::time::SystemTime::now()).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        waiting.join().unwrap()
    });
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{id}: {said}");
    assert!(said.contains("large.csv: the file changed while it was read"), "{said}");
    assert_eq!(place.names(), before);
}

#[test]
fn threads_that_cannot_start_are_done_without() {
    let place = Place::new();
    // The limit holds for a user of no rights only, who must be let in.
    let program = place.path("program");
    std::fs::copy(assert_cmd::cargo::cargo_bin("fairveil"), &program).unwrap();
    for path in [place.0.path(), &program] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let audit = |before: &str, threads: u32| {
        let words = format!("audit people.csv --n-boot 100 --threads {threads} --quiet --json -");
        let mut words: Vec<&str> =
            before.split_whitespace().chain(["./program"]).chain(words.split(' ')).collect();
        Command::new(words.remove(0)).current_dir(&place.0).args(words).output()
    };
    let nobody = "setpriv --reuid=61234 --regid=61234 --clear-groups prlimit --nproc=";
    if !audit(&format!("{nobody}64"), 1).is_ok_and(|done| done.status.success()) {
        let mut error = std::io::stderr();
        std::io::Write::write_all(&mut error, b"skipped: threads can be limited by the superuser only\n")
            .unwrap();
        return;
    }
    let alone = audit("", 1).unwrap().stdout;
    for limit in 1..6 {
        let done = audit(&format!("{nobody}{limit}"), 8).unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && done.stdout == alone, "{limit} threads: {said}");
    }
}
