"""Writes the licences of all that is in the program, each text once: python3 supply/licences.py TARGET > texts.txt

Texts are those that lie in the packages. What the compiler adds, its library and musl, comes with its own.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import check
from made_of import ROOT, MadeOf

TEXT = re.compile(r"(un)?licen[cs]e|copying|notice|copyright", re.IGNORECASE)
CODE = {".rs", ".py", ".c", ".h", ".toml", ".json"}


def text(path):
    return path.read_text(errors="replace").replace("\r\n", "\n").strip() + "\n"


def of_package(package):
    """A package's own texts, those of the C in it too; where it has none, the Apache licence if it may be chosen."""
    folder = Path(package["manifest_path"]).parent
    found = sorted(p for p in folder.rglob("*") if TEXT.match(p.name) and p.suffix not in CODE and p.is_file())
    if not found and check.meets(package["license"], {"Apache-2.0"}):
        found = [ROOT / "LICENSE-APACHE"]
    return [text(path) for path in found]


def of_toolchain(target):
    doc = Path(subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True).stdout.strip())
    yield "the Rust standard library", doc / "share/doc/rust/COPYRIGHT-library.html"
    if target.endswith("-musl"):
        yield "musl", Path("/usr/share/doc/musl/copyright")


def main(target):
    made_of = MadeOf(target)
    texts, missing = {}, []
    for key in sorted(made_of.linked):
        package = made_of.packages[key]
        if package["source"] is None:
            continue
        label = f"{package['name']} {package['version']} ({package['license']})"
        its = of_package(package)
        if not its:
            missing.append(label)
        for one in its:
            texts.setdefault(hashlib.sha256(one.encode()).digest(), (one, []))[1].append(label)
    for label, path in of_toolchain(target):
        if path.is_file():
            texts[label] = (text(path), [label])
        else:
            missing.append(f"{label}: {path.name} is absent")
    if missing:
        sys.exit("\n".join(f"licences: no text: {label}" for label in missing))
    print("The program fairveil has parts that others wrote. Their licences, each followed by its text:")
    for one, labels in texts.values():
        print("\n" + "=" * 100)
        print("\n".join(dict.fromkeys(labels)))
        print("-" * 100)
        print(one, end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
