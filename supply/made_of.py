"""What the released program is made of, as cargo builds it for a target."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "fairveil"


def cargo(*arguments):
    command = [os.environ.get("CARGO", "cargo"), *arguments, "--locked", "--offline", "--manifest-path", str(ROOT / "Cargo.toml")]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tree(target, edges):
    """Names and versions under the program. `cargo metadata` would add optional packages that are never built."""
    lines = cargo("tree", "--package", PROGRAM, "--target", target, "--edges", edges, "--prefix", "none").splitlines()
    return {tuple(re.match(r"(\S+) v(\S+)", line).groups()) for line in lines if line.strip()}


class MadeOf:
    """Packages by name and version: those in the program (`linked`) and those that only helped to build it (`built_with`)."""

    def __init__(self, target):
        self.linked = tree(target, "normal,no-proc-macro")
        self.built_with = tree(target, "normal,build") - self.linked
        metadata = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", target))
        by_id = {p["id"]: (p["name"], p["version"]) for p in metadata["packages"]}
        everything = self.linked | self.built_with
        self.packages = {by_id[p["id"]]: p for p in metadata["packages"] if by_id[p["id"]] in everything}
        # Under each package, those that it is built from; what only its tests need is left out.
        self.under = {
            by_id[node["id"]]: sorted(
                by_id[d["pkg"]]
                for d in node["deps"]
                if by_id[d["pkg"]] in everything and any(kind["kind"] != "dev" for kind in d["dep_kinds"])
            )
            for node in metadata["resolve"]["nodes"]
            if by_id[node["id"]] in everything
        }
        lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
        self.checksums = {(p["name"], p["version"]): p.get("checksum") for p in lock["package"]}
