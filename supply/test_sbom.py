"""The list of supply/sbom.py for made-up packages: it is what CycloneDX demands, and what is not is found."""

import copy
import unittest
from types import SimpleNamespace

import sbom


def package(name, version, licence):
    return {"name": name, "version": version, "license": licence, "description": "two\n lines"}


OURS, LINKED, MACRO = ("fairveil", "0.1.0"), ("left", "1.0.0+c.2"), ("derive", "2.0.0")
MADE_OF = SimpleNamespace(
    linked={OURS, LINKED},
    packages={
        OURS: package(*OURS, "MIT"),
        LINKED: package(*LINKED, "MIT/Apache-2.0"),
        MACRO: package(*MACRO, "MIT"),
    },
    under={OURS: [LINKED], LINKED: [MACRO], MACRO: []},
    checksums={LINKED: "ab" * 32, MACRO: "cd" * 32},
)


class Sbom(unittest.TestCase):
    def setUp(self):
        self.bom = sbom.bom(MADE_OF, "ef" * 32)

    def test_what_is_written_has_no_fault(self):
        self.assertEqual(list(sbom.faults(self.bom)), [])

    def test_packages_have_a_scope_a_licence_and_the_checksum_of_the_lock_file(self):
        by_name = {one["name"]: one for one in self.bom["components"]}
        self.assertEqual(by_name["left"]["scope"], "required")
        self.assertEqual(by_name["derive"]["scope"], "excluded")
        self.assertEqual(by_name["left"]["purl"], "pkg:cargo/left@1.0.0%2Bc.2")
        self.assertEqual(by_name["left"]["licenses"], [{"expression": "MIT OR Apache-2.0"}])
        self.assertEqual(by_name["left"]["hashes"], [{"alg": "SHA-256", "content": "ab" * 32}])
        self.assertEqual(self.bom["metadata"]["component"]["hashes"][0]["content"], "ef" * 32)

    def test_the_same_packages_have_the_same_list_and_others_another(self):
        self.assertEqual(self.bom, sbom.bom(MADE_OF, "ef" * 32))
        self.assertNotEqual(self.bom["serialNumber"], sbom.bom(MADE_OF, "00" * 32)["serialNumber"])

    def test_what_the_specification_does_not_allow_is_found(self):
        def change(path, value):
            broken = copy.deepcopy(self.bom)
            place = broken
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
            return list(sbom.faults(broken))

        first = ("components", 0)
        for path, value in (
            (("specVersion",), "1.4"),
            (("serialNumber",), "1"),
            (("version",), 0),
            ((*first, "type"), "crate"),
            ((*first, "name"), ""),
            ((*first, "purl"), "left"),
            ((*first, "scope"), "build"),
            ((*first, "licenses"), []),
            ((*first, "hashes", 0, "content"), "ab"),
            ((*first, "bom-ref"), "pkg:cargo/left@1.0.0%2Bc.2"),
            (("dependencies", 0, "dependsOn"), ["elsewhere"]),
        ):
            self.assertNotEqual(change(path, value), [], path)


if __name__ == "__main__":
    unittest.main()
