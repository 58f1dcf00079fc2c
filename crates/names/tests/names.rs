//! What is written and what is found; what the built-in tables hold.

#![allow(clippy::unwrap_used, clippy::panic)] // tests may stop at the first surprise

use fairveil_names::{
    Attribute, Entry, Field, Found, NamesError, Silence, Table, built_in, built_in_named, built_in_tables,
    canonical_groups, looks_like_whole_name, normalise, split_whole_name,
};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use sha2::{Digest, Sha256};
use std::path::Path;

fn found(table: &Table, raw: &str) -> String {
    match table.find(raw) {
        Found::Known(entry) => table.spelling(entry).to_owned(),
        Found::Silent(silence) => silence.to_string(),
    }
}

fn share(table: &Table, raw: &str, group: &str) -> f32 {
    let Found::Known(entry) = table.find(raw) else { panic!("{raw} is unknown to {}", table.name()) };
    table.probabilities(entry)[table.groups().iter().position(|other| other == group).unwrap()]
}

#[test]
fn surnames_are_found_as_people_write_them() {
    // A larger table knows some of the joined forms too.
    let table = built_in_named("census_2010_surnames").unwrap();
    for (raw, spelling) in [
        ("Smith", "SMITH"),
        ("  sMITH\t", "SMITH"),
        ("Nuñez", "NUNEZ"),
        ("Nun\u{303}ez", "NUNEZ"),
        ("Groß", "GROSS"),
        ("Nguyễn", "NGUYEN"),
        ("Sørensen", "SORENSEN"),
        ("O'Brien", "OBRIEN"),
        ("O’Brien", "OBRIEN"),
        ("O Brien", "OBRIEN"),
        ("D Angelo", "DANGELO"),
        ("Garcia-Lopez", "GARCIALOPEZ"),
        ("GARCIA LOPEZ", "GARCIALOPEZ"),
        ("Garcia-Xqzwv", "GARCIA"),
        ("Xqzwv-Lopez", "LOPEZ"),
        ("García y López", "GARCIALOPEZ"),
        ("de la Cruz", "DELACRUZ"),
        ("Garcia de la Cruz", "GARCIA"),
        ("Xqzwv de la Cruz", "DELACRUZ"),
        ("Van der Berg", "VANDERBERG"),
        ("van den Xqzwv Smith", "SMITH"),
        ("de Washington", "WASHINGTON"),
        ("Mc Donald", "MCDONALD"),
        ("St. John", "STJOHN"),
        ("Smith Jr", "SMITH"),
        ("Smith, Jr.", "SMITH"),
        ("SMITH III", "SMITH"),
        ("Smith 2nd", "SMITH"),
        ("Smith J", "SMITH"),
        ("Dr. Smith", "SMITH"),
        ("Smith (Jones)", "SMITH"),
        ("\"Smith\"", "SMITH"),
        ("Smith, John", "SMITH"),
        ("Smith Jr., John", "SMITH"),
        ("LE", "LE"),
        ("Xqzwv", "unknown"),
        ("ALLOTHERNAMES", "unknown"),
        ("", "empty"),
        ("  ", "empty"),
        ("-", "empty"),
        ("N/A", "empty"),
        ("n.a.", "empty"),
        ("nan", "empty"),
        ("NULL", "empty"),
        ("None", "empty"),
        ("Unknown", "empty"),
        ("LNU", "empty"),
        ("not available", "empty"),
        ("S", "not_a_name"),
        ("J. R.", "not_a_name"),
        ("Smith2", "not_a_name"),
        ("12345", "not_a_name"),
        ("smith@example.org", "not_a_name"),
        ("Smith & Sons", "not_a_name"),
        ("李", "not_a_name"),
        ("Иванов", "not_a_name"),
        ("Smith 李", "not_a_name"),
        ("a name of so many words that it is a note", "not_a_name"),
    ] {
        assert_eq!(found(&table, raw), spelling, "{raw}");
    }
    assert_eq!(found(&table, &"ab".repeat(40)), "not_a_name");
}

#[test]
fn first_names_are_found_as_people_write_them() {
    let table = built_in(Field::FirstName, Attribute::Race).unwrap();
    for (raw, spelling) in [
        ("mary", "MARY"),
        ("José", "JOSE"),
        ("Łukasz", "LUKASZ"),
        ("Mary J", "MARY"),
        ("Mary J.", "MARY"),
        ("J. Robert", "ROBERT"),
        ("Mary Ann", "MARYANN"),
        ("Jean-Pierre", "JEANPIERRE"),
        ("De Andre", "DEANDRE"),
        ("D'Angelo", "DANGELO"),
        ("La Toya Marie", "LATOYA"),
        ("Mary Xqzwv", "MARY"),
        ("Robert \"Bob\"", "ROBERT"),
        ("Robert (Bob) Jr", "ROBERT"),
        ("Mrs. Mary", "MARY"),
        ("Miss", "MISS"),
        ("Lopez, Maria J.", "MARIA"),
        ("J", "not_a_name"),
        ("J.R.", "not_a_name"),
        ("FNU", "empty"),
    ] {
        assert_eq!(found(&table, raw), spelling, "{raw}");
    }
}

#[test]
fn zip_codes_are_found_as_machines_write_them() {
    let table = built_in(Field::Zip, Attribute::Race).unwrap();
    for (raw, spelling) in [
        ("02139", "02139"),
        (" 02139 ", "02139"),
        ("2139", "02139"),
        ("2139.0", "02139"),
        ("601", "00601"),
        ("90210.00", "90210"),
        ("02139-4307", "02139"),
        ("02139 4307", "02139"),
        ("02139-", "02139"),
        ("021394307", "02139"),
        ("021394307.0", "02139"),
        ("00000", "unknown"),
        ("SW1A 1AA", "not_a_name"),
        ("K1A 0B1", "not_a_name"),
        ("12", "not_a_name"),
        ("1234567", "not_a_name"),
        ("2139.5", "not_a_name"),
        ("-2139", "not_a_name"),
        ("02139-43", "not_a_name"),
        ("", "empty"),
        ("nan", "empty"),
        ("N/A", "empty"),
    ] {
        assert_eq!(found(&table, raw), spelling, "{raw}");
    }
}

#[test]
fn whole_names_are_noticed_and_split_at_a_comma() {
    for raw in ["Lopez, Maria", "LOPEZ,MARIA J", "Maria J. Lopez", "de la Cruz, Ana", "Smith Jr., John"] {
        assert!(looks_like_whole_name(raw), "{raw}");
    }
    for raw in
        ["Lopez", "Garcia Lopez", "Lopez, Jr.", "Smith, III", "Mary J", "Garcia y Lopez", "", ",", "a,b"]
    {
        assert!(!looks_like_whole_name(raw), "{raw}");
    }
    assert_eq!(split_whole_name("Lopez, Maria"), Some(("Maria".to_owned(), "Lopez".to_owned())));
    assert_eq!(split_whole_name("Lopez, Jr."), None);
}

#[test]
fn well_known_names_say_what_is_known_of_them() {
    for (table, raw, group, least) in [
        ("census_2010_surnames", "Washington", "black", 0.85),
        ("census_2020_surnames", "Washington", "black", 0.8),
        ("rosenman_surnames", "Washington", "black", 0.85),
        ("census_2010_surnames", "Garcia", "hispanic", 0.9),
        ("rosenman_surnames", "Garcia", "hispanic", 0.75),
        ("census_2010_surnames", "Nguyen", "api", 0.95),
        ("rosenman_surnames", "Nguyen", "asian", 0.75),
        ("census_2010_surnames", "Begay", "aian", 0.9),
        ("census_2010_surnames", "Yoder", "white", 0.95),
        ("rosenman_first_names", "Lakeisha", "black", 0.9),
        ("rosenman_first_names", "Guadalupe", "hispanic", 0.8),
        ("census_2020_first_names", "Lakeisha", "black", 0.85),
        ("census_2020_first_names_sex", "Mary", "female", 0.99),
        ("census_2020_first_names_sex", "John", "male", 0.99),
        ("census_2020_zips", "00601", "hispanic", 0.99),
        ("census_2020_zips", "30310", "black", 0.6),
    ] {
        let table = built_in_named(table).unwrap();
        let share = share(&table, raw, group);
        assert!(share > least, "{}: {raw} {group} {share}", table.name());
    }
    // Smith of the 2010 file: 70.90, 23.11, 0.50, 0.89, 2.19, 2.40 of 99.99.
    let table = built_in_named("census_2010_surnames").unwrap();
    for (group, percent) in
        [("white", 70.90), ("black", 23.11), ("hispanic", 2.40), ("api", 0.50), ("multi", 2.19)]
    {
        // A step is 1/60,000, and rounding moves the largest share by at most one for each group.
        assert!((share(&table, "Smith", group) - percent / 99.99).abs() < 2.0 / 60_000.0, "{group}");
    }
}

#[test]
fn shares_of_every_entry_and_of_the_population_sum_to_one() {
    for built_in in built_in_tables() {
        let table = built_in.table().unwrap();
        assert!((table.population().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(
            (table.name(), table.field(), table.about()),
            (built_in.name, built_in.field, built_in.about)
        );
        for entry in table.entries() {
            let shares = table.probabilities(entry);
            assert_eq!(shares.len(), table.groups().len());
            let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
            // Seven numbers rounded to 24 bits.
            assert!(
                (sum - 1.0).abs() < 4e-7 && shares.iter().all(|&share| share >= 0.0),
                "{}",
                table.spelling(entry)
            );
            let spelling = table.spelling(entry);
            // Words for nothing, and initials, are silent although somebody bears them.
            match table.find(spelling) {
                Found::Known(same) => assert_eq!(same, entry),
                Found::Silent(silence) => assert_ne!(silence, Silence::Unknown, "{spelling}"),
            }
        }
        assert!(
            table.probabilities(Entry(u32::MAX)).is_empty() && table.spelling(Entry(u32::MAX)).is_empty()
        );
    }
}

#[test]
fn tables_share_groups_after_regrouping() {
    for built_in in built_in_tables().iter().filter(|table| table.attribute == Attribute::Race) {
        let table = built_in.table().unwrap();
        let common = table.regrouped(&canonical_groups(table.groups()).unwrap()).unwrap();
        assert_eq!(common.groups(), fairveil_names::CANONICAL_GROUPS);
        assert!((common.population().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for entry in table.entries().step_by(101) {
            let sum: f32 = common.probabilities(entry).iter().sum();
            assert!((sum - 1.0).abs() < 1e-6);
            assert_eq!(common.spelling(entry), table.spelling(entry));
        }
    }
    let sexes = built_in(Field::FirstName, Attribute::Sex).unwrap();
    assert!(
        matches!(canonical_groups(sexes.groups()), Err(NamesError::UnknownGroup { found, .. }) if found == "male")
    );
    let five = canonical_groups(&["white", "black", "api"]).unwrap();
    assert!(matches!(sexes.regrouped(&five), Err(NamesError::OtherGroups { found: 3, needed: 2, .. })));
}

#[test]
fn what_does_not_exist_is_named_beside_what_does() {
    let error = built_in(Field::Surname, Attribute::Sex).unwrap_err().to_string();
    assert_eq!(
        error,
        "no built-in table goes from surname to sex; there are first_name to race, first_name to sex, surname to race, \
         zip to race"
    );
    assert!(built_in_named("x").unwrap_err().to_string().contains("census_2010_surnames"));
    assert_eq!("surname".parse(), Ok(Field::Surname));
    assert_eq!("sex".parse(), Ok(Attribute::Sex));
    assert!("postcode".parse::<Field>().unwrap_err().to_string().contains("first_name, surname, zip"));
}

#[test]
fn a_table_is_shared_between_threads_and_read_once() {
    fn shareable<T: Send + Sync + 'static>(_: &T) {}
    let table = built_in_named("census_2020_first_names_sex").unwrap();
    shareable(&table);
    assert!(std::sync::Arc::ptr_eq(&table, &built_in(Field::FirstName, Attribute::Sex).unwrap()));
}

/// README.md has a line for each file: name, entries, bytes, digest, digest decompressed.
#[test]
fn built_files_are_those_of_the_readme() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for built_in in built_in_tables() {
        let data = std::fs::read(folder.join(format!("{}.bin", built_in.name))).unwrap();
        let digest: String = Sha256::digest(&data).iter().map(|byte| format!("{byte:02x}")).collect();
        let line = format!(
            "| `{}.bin` | {} | {} | `{digest}` |",
            built_in.name,
            built_in.table().unwrap().len(),
            data.len()
        );
        assert!(readme.contains(&line), "{line}");
        assert_eq!(data.len(), built_in.packed_bytes());
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_what_was_normalised_stays_so(raw in any::<String>()) {
        check(&raw)?;
    }

    #[test]
    fn texts_like_names_too(raw in "([A-Za-zéß'’., \\-\"()0-9]|de |la |O |Jr|II|Dr |N/A|Smith|Garcia|Mary|, ){0,12}") {
        check(&raw)?;
    }
}

fn check(raw: &str) -> Result<(), proptest::test_runner::TestCaseError> {
    let _ = (looks_like_whole_name(raw), split_whole_name(raw));
    for field in Field::ALL {
        let table = built_in(field, Attribute::Race).unwrap();
        let found = table.find(raw);
        match normalise(field, raw) {
            Ok(once) => {
                prop_assert_eq!(normalise(field, &once), Ok(once.clone()));
                prop_assert_eq!(table.find(&once), found);
            }
            Err(silence) => prop_assert_eq!(found, Found::Silent(silence)),
        }
        prop_assert!(!matches!(found, Found::Known(entry) if table.probabilities(entry).is_empty()));
    }
    Ok(())
}
