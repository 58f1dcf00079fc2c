"""Holds what the program is made of to deny.toml, without a network and without cargo-deny: python3 supply/check.py

Licences come from `cargo metadata`; sources and duplicates from Cargo.lock, which knows the packages of every system.
Only the settings that deny.toml uses are known. Any other is an error, so that none is believed to hold that does not.
Where cargo-deny is installed it is run as well, and looks at advisories where their database can be had.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

KNOWN = {
    "graph": {"all-features": True},
    "advisories": {"version": 2, "yanked": "deny"},
    "licenses": {"version": 2, "unused-allowed-license": "deny", "allow": list},
    "sources": {"unknown-registry": "deny", "unknown-git": "deny"},
    "bans": {"wildcards": "deny", "multiple-versions": "deny", "multiple-versions-include-dev": True, "deny": list, "skip": list},
}


def unknown_settings(rules):
    for section, settings in rules.items():
        for name, value in settings.items():
            known = KNOWN.get(section, {}).get(name)
            if value != known and not (known is list and isinstance(value, list)):
                yield f"deny.toml: [{section}] {name} = {value!r} is a setting that supply/check.py does not know"


def meets(expression, allowed):
    """Whether the allowed licences meet an SPDX expression. An old `/` means OR."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def one():
        token = tokens.pop(0)
        if token == "(":
            met = any_of()
            if tokens.pop(0) != ")":
                raise ValueError(expression)
            return met
        if token in (")", "AND", "OR", "WITH"):
            raise ValueError(expression)
        if tokens[:1] == ["WITH"]:
            token = f"{token} WITH {tokens[1]}"
            del tokens[:2]
        return token in allowed

    def all_of():
        met = one()
        while tokens[:1] == ["AND"]:
            tokens.pop(0)
            met = one() and met
        return met

    def any_of():
        met = all_of()
        while tokens[:1] == ["OR"]:
            tokens.pop(0)
            met = all_of() or met
        return met

    try:
        met = any_of()
    except IndexError:
        raise ValueError(expression) from None
    if tokens:
        raise ValueError(expression)
    return met


def licences(rules, metadata):
    allowed = set(rules["licenses"]["allow"])
    expressions = set()
    for package in metadata["packages"]:
        name = f"{package['name']} {package['version']}"
        expression = package["license"]
        try:
            if not expression:
                yield f"{name}: states no licence"
            elif not meets(expression, allowed):
                yield f"{name}: its licence {expression!r} is not met by those that deny.toml allows"
            else:
                expressions.add(expression)
        except ValueError:
            yield f"{name}: its licence {expression!r} is no SPDX expression"
    for licence in sorted(allowed):
        if all(meets(expression, allowed - {licence}) for expression in expressions):
            yield f"deny.toml: no package needs the licence {licence}"


def sources(metadata, lock):
    # The default registry is where a dependency of ours comes from that names none.
    ours = [p for p in metadata["packages"] if p["source"] is None]
    default = {d["source"] for p in ours for d in p["dependencies"] if d["source"] and d["registry"] is None}
    default = {source for source in default if source.startswith("registry+")}
    names = {p["name"] for p in ours}
    for package in lock["package"]:
        name = f"{package['name']} {package['version']}"
        source = package.get("source")
        if source is None and package["name"] not in names:
            yield f"{name}: lies in a folder that is no part of the workspace"
        elif source is not None and source not in default:
            yield f"{name}: comes from {source.split('+')[0]}, needed the default registry"
        elif source is not None and not package.get("checksum"):
            yield f"{name}: has no checksum in Cargo.lock"


def fits(spec, name, version):
    """Whether `name`, `name@1.2.3` or `name:^1.2` means this package."""
    match = re.fullmatch(r"([\w-]+)(?:@([\d.]+)|:\^([\d.]+))?", spec)
    if not match:
        raise ValueError(spec)
    wanted, exact, caret = match.groups()
    if wanted != name:
        return False
    plain = version.split("+")[0]
    if exact:
        return plain == exact
    if caret:
        least, found = ([int(part) for part in text.split("-")[0].split(".")] for text in (caret, plain))
        # Up to and with its first part that is not zero, a version may not change.
        fixed = next((i for i, part in enumerate(least) if part), len(least) - 1) + 1
        return found[:fixed] == least[:fixed] and found >= least
    return True


def bans(rules, metadata, lock):
    for package in metadata["packages"]:
        for dependency in package["dependencies"]:
            if dependency["req"] == "*" and dependency["source"] is not None:
                yield f"{package['name']}: takes any version of {dependency['name']}"
    packages = [(p["name"], p["version"]) for p in lock["package"]]
    for rule in rules["bans"]["deny"]:
        why = rule.get("reason") or f"use {rule['use-instead']}"
        yield from (f"{name} {version}: is banned ({why})" for name, version in packages if fits(rule["crate"], name, version))
    versions = defaultdict(list)
    for name, version in packages:
        versions[name].append(version)
    needed = set()
    for name, several in versions.items():
        skipped = {v: rule["crate"] for v in several for rule in rules["bans"]["skip"] if fits(rule["crate"], name, v)}
        if len(several) > 1:
            needed |= set(skipped.values())
        left = [v for v in several if v not in skipped]
        if len(left) > 1:
            yield f"{name}: is there {len(left)} times ({', '.join(left)}); choose one, or say in deny.toml who needs the older"
    for rule in rules["bans"]["skip"]:
        if rule["crate"] not in needed:
            yield f"deny.toml: {rule['crate']} is no longer there twice"
        if not rule.get("reason"):
            yield f"deny.toml: {rule['crate']} is skipped without a reason"


def faults(rules, metadata, lock):
    """Every way in which the packages break the rules, as sentences."""
    unknown = list(unknown_settings(rules))
    return unknown or [*licences(rules, metadata), *sources(metadata, lock), *bans(rules, metadata, lock)]


def read_metadata():
    """`cargo metadata`: of every system where the packages are there or can be had, else of this one."""
    cargo = os.environ.get("CARGO", "cargo")
    base = [cargo, "metadata", "--locked", "--format-version", "1", "--all-features", "--manifest-path", str(ROOT / "Cargo.toml")]
    host = re.search(r"host: (\S+)", subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout)[1]
    for more in (["--offline"], [], ["--offline", "--filter-platform", host]):
        run = subprocess.run(base + more, capture_output=True, text=True, env={**os.environ, "CARGO_NET_RETRY": "0"})
        if run.returncode == 0:
            if "--filter-platform" in more:
                print(f"supply: licences of packages for other systems than {host} were not looked at: they cannot be had here")
            return json.loads(run.stdout)
    sys.exit(f"supply: cargo metadata failed\n{run.stderr}")


def cargo_deny():
    """What cargo-deny says, where it is installed: 0 is nothing."""
    if not shutil.which("cargo-deny"):
        print("supply: cargo-deny is not installed, so advisories were not looked at")
        return 0
    deny = [os.environ.get("CARGO", "cargo"), "deny", "--locked"]
    code = subprocess.run([*deny, "--offline", "check", "bans", "licenses", "sources"], cwd=ROOT).returncode
    if subprocess.run([*deny, "fetch", "db"], cwd=ROOT, capture_output=True).returncode == 0:
        return code or subprocess.run([*deny, "check", "--disable-fetch", "advisories"], cwd=ROOT).returncode
    print("supply: the database of advisories cannot be had here, so advisories were not looked at")
    return code


def main():
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    found = faults(rules, read_metadata(), lock)
    for fault in found:
        print(f"supply: {fault}", file=sys.stderr)
    if found:
        return 1
    print(f"supply: {len(lock['package'])} packages: licences, sources and bans hold")
    return cargo_deny()


if __name__ == "__main__":
    sys.exit(main())
