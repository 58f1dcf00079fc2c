//! The queries that `fairveil sql` prints, and what it refuses.

use assert_cmd::Command;

/// Exit code, standard output and standard error.
fn sql(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("fairveil").unwrap().arg("sql").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sql.md")).unwrap();
    let mut dialects = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let (command, shown) = block.split("\n```").next().unwrap().split_once('\n').unwrap();
        let words: Vec<&str> = command.strip_prefix("$ fairveil sql ").unwrap().split(' ').collect();
        let (code, printed, _) = sql(&words);
        assert_eq!((code, printed.trim_end()), (0, shown), "{command}");
        dialects.push(words[1].to_owned());
    }
    dialects.sort();
    dialects.dedup();
    assert_eq!(dialects, ["ansi", "bigquery", "duckdb", "postgres", "snowflake", "spark", "trino"]);
}

#[test]
fn a_query_of_the_users_own_is_kept_to_the_letter() {
    let query = "SELECT a AS y_pred, 'two\n  lines' AS proxy -- the end";
    let (code, printed, said) =
        sql(&["--query", &format!("{query}\n;"), "--proxy", "proxy", "--weight", "w"]);
    assert_eq!(code, 0, "{said}");
    assert!(printed.contains(&format!("FROM (\n{query}\n) AS fv_source\n)\n")), "{printed}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("fairveil audit tally.csv"), "{said}");
}

#[test]
fn names_of_the_users_and_of_the_query_do_not_meet() {
    let (code, printed, _) = sql(&["--table", "t", "--y-pred", "fv_weight", "--proxy", "p", "--weight", "w"]);
    assert_eq!(code, 0);
    assert!(printed.contains("END AS fvv_weight") && printed.contains("  \"fv_weight\",\n"), "{printed}");
    // A column that makes segments and is a proxy too is there once; a column that begins like probabilities is none.
    let words = "--table t --proxy p --by p --by b_region --proxy-probs b_ --groups x,y";
    let (_, printed, _) = sql(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(printed.matches("\n  \"p\",").count(), 2, "{printed}");
    assert!(printed.contains("\"soft_x\"") && !printed.contains("soft_region"), "{printed}");
}

#[test]
fn what_makes_no_query_is_refused_with_found_needed_and_to_do() {
    for (arguments, found) in [
        (&["--table", "t"][..], "no proxy is named"),
        (&["--table", "a..b", "--proxy", "p"], "a part of the table's name is empty"),
        (&["--table", "t", "--proxy", "a\nb"], "the name holds a line break"),
        (&["--table", "t", "--proxy", "count"], "the tally needs this name"),
        (&["--table", "t", "--proxy", "p", "--proxy", "p"], "asked for as a proxy's guess and as"),
        (&["--query", " ; ", "--proxy", "p"], "the query is empty"),
        (&["--query", "SELECT 1; SELECT 2", "--proxy", "p"], "there are several statements"),
        (&["--table", "t", "--proxy", "${x}", "--dialect", "spark"], "Spark replaces even in quotes"),
        (
            &["--table", "t", "--by", "b", "--proxy-probs", "b_", "--groups", "x,y"],
            "needs this name for another",
        ),
        (&["--table", "t", "--proxy-probs", "b_", "--groups", "weight,x"], "needs this name for another"),
        (&["--table", "t", "--proxy-probs", "b_", "--groups", "x"], "is the only column of probabilities"),
    ] {
        let (code, printed, said) = sql(arguments);
        assert_eq!((code, printed.as_str()), (2, ""), "{arguments:?}");
        assert!(said.contains(found), "{arguments:?}: {said}");
        assert!(said.contains("\n  needed: ") && said.contains("\n  to do:  "), "{said}");
    }
    // Asked for by the command line itself.
    for arguments in [
        &["--proxy", "p"][..],
        &["--table", "t", "--query", "q", "--proxy", "p"],
        &["--table", "t", "--proxy-probs", "b"],
    ] {
        assert_eq!(sql(arguments).0, 2);
    }
}

#[test]
fn probabilities_are_named_by_pattern_by_list_and_as_the_rest() {
    let query = |words: &str| {
        let (code, printed, said) = sql(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 0, "{said}");
        printed
    };
    let listed = query("--table t --proxy-probs bisg=white:w_prob,black:b_prob --proxy a,b");
    assert!(listed.contains("\"w_prob\"") && listed.contains("AS \"soft_white\""), "{listed}");
    assert!(listed.contains("\n  \"a\",\n  \"b\",\n"), "{listed}");
    let pattern = query("--table t --proxy-probs bisg=*_prob --groups w,b --proxy a,b");
    assert!(pattern.contains("\"w_prob\"") && pattern.contains("AS \"soft_w\""), "{pattern}");
    for dialect in ["ansi", "postgres", "spark", "bigquery", "snowflake", "duckdb", "trino"] {
        let rest = query(&format!("--table t --proxy-probs bisg=white:w_prob,black --dialect {dialect}"));
        assert!(
            rest.contains("1 - (") && rest.contains("THEN 'black'") && rest.contains("soft_black"),
            "{rest}"
        );
    }
}
