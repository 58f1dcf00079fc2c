"""The rules of supply/check.py on packages that are made up: each fault is found, alone, and none where there is none."""

import copy
import unittest

import check

HERE = "registry+https://registry.example/index"
RULES = {
    "licenses": {"version": 2, "unused-allowed-license": "deny", "allow": ["MIT", "Apache-2.0"]},
    "sources": {"unknown-registry": "deny", "unknown-git": "deny"},
    "bans": {
        "wildcards": "deny",
        "multiple-versions": "deny",
        "deny": [{"crate": "banned", "use-instead": "another"}],
        "skip": [{"crate": "old:^1", "reason": "needed by left"}],
    },
}


def package(name, version, licence, needs=(), source=HERE):
    dependencies = [{"name": n, "req": req, "source": HERE, "registry": None} for n, req in needs]
    return {"name": name, "version": version, "license": licence, "source": source, "dependencies": dependencies}


def world():
    """A program with three packages under it, one of them twice, that breaks no rule."""
    return copy.deepcopy(RULES), [
        package("ours", "0.1.0", "Apache-2.0 OR MIT", [("left", "^1"), ("old", "^2")], source=None),
        package("left", "1.0.0", "MIT", [("old", "^1")]),
        package("old", "1.2.3", "MIT/Apache-2.0"),
        package("old", "2.0.0", "Apache-2.0"),
    ]


def faults(rules, packages):
    lock = []
    for p in packages:
        entry = {"name": p["name"], "version": p["version"]}
        if p["source"]:
            entry |= {"source": p["source"], "checksum": p.get("checksum", "00")}
        lock.append(entry)
    return check.faults(rules, {"packages": packages}, {"package": lock})


class Check(unittest.TestCase):
    def finds(self, words, rules, packages):
        found = faults(rules, packages)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_packages_that_break_no_rule_have_no_fault(self):
        self.assertEqual(faults(*world()), [])

    def test_a_licence_that_is_not_allowed_is_a_fault(self):
        for licence in ("GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0 WITH LLVM-exception", "GPL-2.0/LGPL-2.1"):
            rules, packages = world()
            self.finds("new 1.0.0: its licence", rules, [*packages, package("new", "1.0.0", licence)])

    def test_a_choice_of_licences_needs_one_that_is_allowed(self):
        for licence in ("GPL-3.0-only OR MIT", "(MIT OR X) AND Apache-2.0", "MIT AND Apache-2.0 OR GPL-3.0-only"):
            rules, packages = world()
            self.assertEqual(faults(rules, [*packages, package("new", "1.0.0", licence)]), [])

    def test_no_licence_and_a_broken_one_are_faults(self):
        for licence, words in ((None, "no licence"), ("MIT OR", "no SPDX"), ("(MIT", "no SPDX"), ("MIT MIT", "no SPDX")):
            rules, packages = world()
            self.finds(words, rules, [*packages, package("new", "1.0.0", licence)])

    def test_a_licence_that_nothing_needs_is_a_fault(self):
        rules, packages = world()
        rules["licenses"]["allow"].append("Zlib")
        self.finds("needs the licence Zlib", rules, packages)

    def test_a_git_source_is_a_fault(self):
        rules, packages = world()
        source = "git+https://git.example/new?rev=1#1"
        self.finds("comes from git", rules, [*packages, package("new", "1.0.0", "MIT", source=source)])

    def test_another_registry_is_a_fault_even_if_a_manifest_of_ours_names_it(self):
        rules, packages = world()
        other = "registry+https://elsewhere.example/index"
        packages[0]["dependencies"].append({"name": "new", "req": "^1", "source": other, "registry": "https://elsewhere.example/index"})
        self.finds("comes from registry, needed the default", rules, [*packages, package("new", "1.0.0", "MIT", source=other)])

    def test_a_package_without_a_checksum_is_a_fault(self):
        rules, packages = world()
        self.finds("no checksum", rules, [*packages, package("new", "1.0.0", "MIT") | {"checksum": None}])

    def test_a_new_duplicate_is_a_fault(self):
        rules, packages = world()
        self.finds("left: is there 2 times (1.0.0, 1.1.0)", rules, [*packages, package("left", "1.1.0", "MIT")])
        rules, packages = world()
        self.finds("old: is there 2 times (2.0.0, 3.0.0)", rules, [*packages, package("old", "3.0.0", "MIT")])

    def test_a_skip_that_is_no_longer_needed_or_has_no_reason_is_a_fault(self):
        rules, packages = world()
        self.finds("old:^1 is no longer there twice", rules, [p for p in packages if p["version"] != "1.2.3"])
        rules, packages = world()
        del rules["bans"]["skip"][0]["reason"]
        self.finds("without a reason", rules, packages)

    def test_a_banned_package_and_any_version_are_faults(self):
        rules, packages = world()
        self.finds("is banned (use another)", rules, [*packages, package("banned", "1.0.0", "MIT")])
        rules, packages = world()
        packages[1]["dependencies"][0]["req"] = "*"
        self.finds("takes any version of old", rules, packages)

    def test_a_setting_that_is_not_known_is_a_fault(self):
        for section, name, value in (("sources", "unknown-git", "warn"), ("bans", "skip-tree", []), ("output", "x", 1)):
            rules, packages = world()
            rules.setdefault(section, {})[name] = value
            self.finds("does not know", rules, packages)

    def test_a_specification_means_what_cargo_means(self):
        for spec, fit, other in (
            ("a", "7.0.0", None),
            ("a@1.2.3", "1.2.3+build", "1.2.4"),
            ("a:^1.2", "1.9.0", "1.1.9"),
            ("a:^1", "1.0.0", "2.0.0"),
            ("a:^0.2", "0.2.17", "0.3.0"),
            ("a:^0.0.3", "0.0.3", "0.0.4"),
        ):
            self.assertTrue(check.fits(spec, "a", fit), (spec, fit))
            self.assertFalse(check.fits(spec, "b", fit))
            self.assertFalse(other and check.fits(spec, "a", other), (spec, other))
        with self.assertRaises(ValueError):
            check.fits("a:<2", "a", "1.0.0")


if __name__ == "__main__":
    unittest.main()
