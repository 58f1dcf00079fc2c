"""Writes what the program is made of as CycloneDX 1.5: python3 supply/sbom.py TARGET PROGRAM > sbom.json

No date and no chance: the same program has the same list, to the byte.
"""

import hashlib
import json
import re
import subprocess
import sys
import uuid
from pathlib import Path
from urllib.parse import quote

from made_of import PROGRAM, MadeOf


def component(package, checksum, kind="library"):
    name, version = package["name"], package["version"]
    address = f"pkg:cargo/{name}@{quote(version, safe='.-')}"
    written = {
        "type": kind,
        "bom-ref": address,
        "name": name,
        "version": version,
        # An old `/` means OR.
        "licenses": [{"expression": package["license"].replace("/", " OR ")}],
        "purl": address,
    }
    if package["description"]:
        written["description"] = " ".join(package["description"].split())
    if checksum:
        written["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return written


def toolchain():
    """The standard library, which is in the program too."""
    version = re.search(r"release: (\S+)", subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout)[1]
    package = {"name": "rust-std", "version": version, "license": "MIT OR Apache-2.0", "description": "Rust's standard library"}
    address = f"pkg:generic/rust-std@{version}"
    return component(package, None) | {"bom-ref": address, "purl": address}


def bom(made_of, digest):
    refs, components = {}, []
    for key in sorted(made_of.packages):
        is_program = key[0] == PROGRAM
        checksum = digest if is_program else made_of.checksums[key]
        one = component(made_of.packages[key], checksum, "application" if is_program else "library")
        refs[key] = one["bom-ref"]
        if is_program:
            program = one
        else:
            # CycloneDX calls excluded what is not there when the program runs: macros and build scripts.
            components.append(one | {"scope": "required" if key in made_of.linked else "excluded"})
    library = toolchain()
    components.append(library | {"scope": "required"})
    dependencies = [{"ref": refs[key], "dependsOn": [refs[k] for k in under]} for key, under in sorted(made_of.under.items())]
    dependencies.append({"ref": library["bom-ref"], "dependsOn": []})
    body = {"metadata": {"component": program}, "components": components, "dependencies": dependencies}
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(body, sort_keys=True))
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}", "version": 1, **body}


def faults(bom):
    """What the specification demands of the fields that are written here, and is not so."""
    if (bom.get("bomFormat"), bom.get("specVersion")) != ("CycloneDX", "1.5"):
        yield "bomFormat and specVersion are CycloneDX and 1.5"
    if not re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bom.get("serialNumber", "")):
        yield "serialNumber is a UUID"
    if not (isinstance(bom.get("version"), int) and bom["version"] >= 1):
        yield "version is a whole number from 1"
    everything = [bom["metadata"]["component"], *bom["components"]]
    for one in everything:
        name = one.get("name") or "a component"
        if one.get("type") not in ("application", "library"):
            yield f"{name}: a component has a type"
        if not one.get("name") or not one.get("version") or not one.get("bom-ref"):
            yield f"{name}: a component has a name, a version and a bom-ref"
        if not re.fullmatch(r"pkg:(cargo|generic)/[A-Za-z0-9_-]+@[A-Za-z0-9.%-]+", one.get("purl", "")):
            yield f"{name}: a purl has a type, a name and a version"
        if one.get("scope", "required") not in ("required", "optional", "excluded"):
            yield f"{name}: a scope is one of three"
        if len(one.get("licenses", [])) != 1 or not one["licenses"][0].get("expression"):
            yield f"{name}: there is one expression of licences"
        for digest in one.get("hashes", []):
            if digest.get("alg") != "SHA-256" or not re.fullmatch(r"[0-9a-f]{64}", digest.get("content", "")):
                yield f"{name}: a SHA-256 has 64 digits"
    refs = [one.get("bom-ref") for one in everything]
    if len(set(refs)) < len(refs):
        yield "every bom-ref is there once"
    nodes = [node["ref"] for node in bom["dependencies"]]
    if sorted(nodes) != sorted(refs):
        yield "dependencies tell of every component once"
    for node in bom["dependencies"]:
        if len(set(node["dependsOn"])) < len(node["dependsOn"]) or not set(node["dependsOn"]) <= set(refs):
            yield f"{node['ref']}: depends on components of this list, on each once"


def main(target, program):
    digest = hashlib.sha256(Path(program).read_bytes()).hexdigest()
    written = bom(MadeOf(target), digest)
    found = list(faults(written))
    if found:
        sys.exit("\n".join(f"sbom: needed: {fault}" for fault in found))
    print(json.dumps(written, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
