//! Where a password comes from when neither the address nor `PGPASSWORD` has one: the password file, by libpq's rules.

use super::address::{Address, Server};
use std::path::{Path, PathBuf};

/// A password, and what there is to say about a file that was not used.
#[derive(Default)]
pub(super) struct Found {
    pub password: Option<String>,
    pub warning: Option<String>,
}

/// The password for a server whose address has none of its own.
pub(super) fn find(address: &Address, server: &Server) -> Found {
    match address.passfile.clone().or_else(usual) {
        Some(path) => in_file(&path, address, server),
        None => Found::default(),
    }
}

#[cfg(windows)]
fn usual() -> Option<PathBuf> {
    std::env::var_os("APPDATA").map(|folder| PathBuf::from(folder).join("postgresql").join("pgpass.conf"))
}

#[cfg(not(windows))]
fn usual() -> Option<PathBuf> {
    std::env::home_dir().map(|home| home.join(".pgpass"))
}

fn in_file(path: &Path, address: &Address, server: &Server) -> Found {
    let Ok(meta) = std::fs::metadata(path) else { return Found::default() };
    if let Some(why) = distrusted(&meta) {
        let warning = Some(format!("{}: not used for passwords, because {why}", path.display()));
        return Found { password: None, warning };
    }
    // What cannot be read is as good as absent: the server says whether a password is needed.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let user = address.config.get_user().unwrap_or_default();
    let wanted = [&server.name(), &server.port.to_string(), address.database(), user];
    Found { password: text.lines().find_map(|line| matching(line, wanted)), warning: None }
}

fn distrusted(meta: &std::fs::Metadata) -> Option<&'static str> {
    if !meta.is_file() {
        return Some("it is not a plain file");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if meta.permissions().mode() & 0o077 != 0 {
            return Some("others may read it (chmod 600 it)");
        }
    }
    None
}

/// The password of a line `host:port:database:user:password` if it is about this server. `*` is about all, and
/// `\` keeps a colon or a backslash in a field. A socket in a folder is found under its folder or `localhost`.
fn matching(line: &str, wanted: [&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for (i, wanted) in wanted.into_iter().enumerate() {
        let (field, after) = field(rest);
        let socket = i == 0 && wanted.starts_with('/') && field == "localhost";
        // An escaped star is the letter.
        if field != wanted && !rest.starts_with("*:") && !socket {
            return None;
        }
        rest = after?;
    }
    Some(field(rest).0)
}

/// The next field, and what follows its colon.
fn field(text: &str) -> (String, Option<&str>) {
    let (mut field, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => field.extend(letters.next().map(|(_, letter)| letter)),
            ':' => return (field, Some(&text[at + 1..])),
            _ => field.push(letter),
        }
    }
    (field, None)
}

#[cfg(test)]
mod tests {
    use super::super::settings::Variables;
    use super::*;

    #[test]
    fn lines_of_the_password_file_match_as_in_libpq() {
        let wanted = ["h", "5432", "d", "u"];
        for (line, password) in [
            ("h:5432:d:u:secret", Some("secret")),
            ("*:*:*:*:any", Some("any")),
            ("h:5433:d:u:secret", None),
            ("h:5432:d:u", None),
            ("#h:5432:d:u:secret", None),
            ("h:5432:d:u:a\\:b\\\\c", Some("a:b\\c")),
            ("h:5432:d:u:first:rest is ignored", Some("first")),
            ("\\*:5432:d:u:secret", None),
            ("", None),
        ] {
            assert_eq!(matching(line, wanted).as_deref(), password, "{line}");
        }
        assert_eq!(matching("a\\:b:1:d:u:p", ["a:b", "1", "d", "u"]).as_deref(), Some("p"));
        assert_eq!(matching("localhost:1:d:u:p", ["/run/pg", "1", "d", "u"]).as_deref(), Some("p"));
        assert_eq!(matching("localhost:1:d:u:p", ["h", "1", "d", "u"]), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_password_file_that_others_may_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let file = std::env::temp_dir().join(format!("fairveil-pgpass-{}", std::process::id()));
        std::fs::write(&file, "h:*:*:*:secret\n").unwrap();
        let address = Address::parse("postgres://u@h,other/d", &Variables::default()).unwrap();
        for (mode, password, warned) in [(0o600, Some("secret"), false), (0o640, None, true)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            let found = in_file(&file, &address, &address.servers[0]);
            assert_eq!((found.password.as_deref(), found.warning.is_some()), (password, warned));
            // Each server is given its own password.
            assert_eq!(in_file(&file, &address, &address.servers[1]).password, None);
        }
        std::fs::remove_file(&file).unwrap();
    }
}
