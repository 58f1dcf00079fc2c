//! What shells and `man` are told comes from the same words as `--help`.

use assert_cmd::Command;

fn printed(words: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("fairveil").unwrap().args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_shell_completes_commands_and_flags() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, said) = printed(&["completions", shell]);
        assert_eq!((code, said.as_str()), (0, ""), "{shell}");
        for word in ["audit", "mitigate", "explain", "proxy-probs", "shared-error"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

/// Where there is a bash, it reads the script and completes with it.
#[test]
fn bash_completes_a_word_that_was_begun() {
    let (_, script, _) = printed(&["completions", "bash"]);
    let asked = format!(
        "{script}\nCOMP_WORDS=(fairveil au); COMP_CWORD=1; _fairveil fairveil au fairveil; echo \"${{COMPREPLY[@]}}\""
    );
    let Ok(output) = std::process::Command::new("bash").arg("-c").arg(asked).output() else {
        eprintln!("skipped: there is no bash");
        return;
    };
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "audit");
}

#[test]
fn the_manual_has_every_command_and_of_a_command_every_flag() {
    let (code, page, said) = printed(&["man"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(page.contains(".TH fairveil 1"), "{page}");
    for command in ["audit", "compare", "monitor", "count", "mitigate", "explain"] {
        assert!(page.contains(&format!("fairveil\\-{command}(1)")), "{command}");
    }
    let (code, page, _) = printed(&["man", "audit"]);
    assert_eq!(code, 0);
    for flag in ["\\-\\-y\\-pred", "\\-\\-proxy", "\\-\\-shared\\-error"] {
        assert!(page.contains(flag), "{flag}");
    }
}

#[test]
fn a_manual_of_what_is_no_command_is_refused() {
    let (code, page, said) = printed(&["man", "audits"]);
    assert_eq!((code, page.as_str()), (2, ""));
    assert!(
        said.contains("there is no command audits")
            && said.contains("\n  needed: ")
            && said.contains("\n  to do:  "),
        "{said}"
    );
}
