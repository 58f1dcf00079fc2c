"""Every file that two builds of the program write on the same tables, byte by byte: what a change of shape must not move.

    bytes.py OLD NEW              all cases; OLD and NEW are two programs
    bytes.py OLD NEW --only sql   cases whose name holds a word
    bytes.py OLD OLD              nothing may differ: what does is a clock or a generator without a seed
    bytes.py OLD NEW --reworded 'can not=cannot' --without 'EXPRESSION'
                                  files that differ in nothing but words replaced in the old ones, where lines then break, and
                                  what an expression takes out of both are counted as meant

A case is a few commands in an empty folder, with the same relative names for both programs; its files are all that they left, and
for each command what it printed, what it complained of and how it ended. Tables are made here from fixed seeds, and from COMPAS
where ../shared/data (or FAIRVEIL_SHARED) has it. Files that differ are told line by line: numbers of JSON by key, other text with
digits masked, each kind of difference once with how often it was seen. Temporary folders only; a command may take two minutes.
Exits 1 where something differs that was not meant.
"""

import argparse
import collections
import concurrent.futures
import csv
import difflib
import gzip
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("FAIRVEIL_SHARED", ROOT.parent / "shared" / "data"))
SECONDS = 120  # that a command may take
SHOWN = 400  # kinds of difference at most
FEW = 20  # files of a kind that differ are named up to here
DATE = "2026-01-01"
TABLES = "../../in"  # seen from a case's folder

# ---- the tables ------------------------------------------------------------------------------------


def people(seed, rows=2000, groups=("a", "b"), right=(0.75, 0.8, 0.7), classes=("0", "1"), gap=0.25, silent=0.0, copying=0.0):
    """Rows with a group, a decision, a label, and proxies that are right as often as said."""
    rng = random.Random(seed)
    for number in range(rows):
        place = rng.randrange(len(groups))
        lean = 0.35 + gap * place / (len(groups) - 1)
        label = 1 if rng.random() < lean else 0
        decided = label if rng.random() < 0.7 else rng.randrange(2)
        if decided and len(classes) > 2:
            decided = rng.randrange(1, len(classes))
        shared = rng.choice(groups)
        row = {"id": str(number), "truth": groups[place], "y_pred": classes[decided], "y_true": classes[label]}
        for name, accuracy in zip(("name", "place", "device", "school", "habit"), right):
            others = [group for group in groups if group != groups[place]]
            guess = groups[place] if rng.random() < accuracy else rng.choice(others)
            guess = shared if rng.random() < copying else guess
            row[f"proxy_{name}"] = "" if rng.random() < silent else guess
        row["weight_of"] = f"{rng.choice([0.5, 1, 1.5, 3]):g}"
        row["branch"] = rng.choice(["north", "south", "west"])
        row["known"] = groups[place] if rng.random() < 0.15 else ""
        row["x_0"], row["x_1"] = (f"{rng.gauss(place, 1):.4f}" for _ in range(2))
        row["score"] = f"{1 / (1 + math.exp(-(rng.gauss(2 * label - 1, 1)))):.5f}"
        row["other_pred"] = row["y_pred"] if rng.random() < 0.8 else classes[rng.randrange(2)]
        sure = [rng.random() + (2 if group == groups[place] else 0) for group in groups]
        row |= {f"p_{group}": f"{part / sum(sure):.6f}" for group, part in zip(groups, sure)}
        yield row


def write(file, rows, delimiter=",", columns=None):
    """As CSV, JSON lines or a JSON array by the name; compressed with .gz."""
    rows = [{key: row[key] for key in columns} if columns else row for row in rows]
    name = file.name.removesuffix(".gz")
    if name.endswith(".jsonl"):
        text = "".join(json.dumps(row) + "\n" for row in rows)
    elif name.endswith(".json"):
        text = json.dumps(rows)
    else:
        quote = lambda cell: f'"{cell}"' if delimiter in cell else cell
        lines = [list(rows[0])] + [list(row.values()) for row in rows]
        text = "".join(delimiter.join(map(quote, line)) + "\n" for line in lines)
    file.write_bytes(gzip.compress(text.encode(), mtime=0) if file.name.endswith(".gz") else text.encode())


def write_array(file, rows, names):
    """NumPy's format, version 1, single precision."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(names)}), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    cells = [float(row[name]) for row in rows for name in names]
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(cells)}f", *cells))


WORLDS = {
    "plain": dict(seed=1),
    "small": dict(seed=2, rows=60),
    "tiny": dict(seed=3, rows=12),
    "large": dict(seed=4, rows=20000),
    "nogap": dict(seed=5, gap=0.0),
    "widegap": dict(seed=6, gap=0.6),
    "silent": dict(seed=7, silent=0.3),
    "copying": dict(seed=8, copying=0.3),
    "useless": dict(seed=9, right=(0.5, 0.5, 0.5)),
    "sharp": dict(seed=10, right=(0.97, 0.98, 0.99)),
    "perfect": dict(seed=11, right=(1.0, 1.0, 1.0)),
    "mixed": dict(seed=12, right=(0.95, 0.6, 0.55)),
    "against": dict(seed=13, right=(0.8, 0.8, 0.2)),
    "two": dict(seed=14, right=(0.8, 0.75)),
    "one": dict(seed=15, right=(0.8,)),
    "four": dict(seed=16, right=(0.8, 0.7, 0.75, 0.65)),
    "five": dict(seed=17, right=(0.8, 0.7, 0.75, 0.65, 0.9)),
    "three-groups": dict(seed=18, rows=4000, groups=("a", "b", "c"), right=(0.8, 0.75, 0.85)),
    "four-groups": dict(seed=19, rows=4000, groups=("a", "b", "c", "d"), right=(0.85, 0.8, 0.85)),
    "three-classes": dict(seed=20, rows=4000, classes=("no", "later", "now")),
    "names": dict(seed=21, groups=("<b>", "o'k & co"), classes=("reject", "accept")),
    "words": dict(seed=22, classes=("no", "yes")),
    "hollow": dict(seed=23, rows=400, silent=0.85),
}


def tables(folder):
    """All tables, and those of COMPAS where it is."""
    made = {name: list(people(**world)) for name, world in WORLDS.items()}
    for name, rows in made.items():
        write(folder / f"{name}.csv", rows, columns=[key for key in rows[0] if not key.startswith(("p_", "x_", "score", "other_"))])
    plain = made["plain"]
    proxies = [key for key in plain[0] if key.startswith("proxy_")]
    few = ["y_pred", "y_true", *proxies]
    write(folder / "plain.tsv", plain, "\t", few)
    write(folder / "semicolon.csv", plain, ";", few)
    write(folder / "plain.csv.gz", plain, columns=few)
    write(folder / "plain.jsonl", plain, columns=few)
    write(folder / "plain.jsonl.gz", plain, columns=few)
    write(folder / "plain.json", plain, columns=few)
    write(folder / "unlabelled.csv", plain, columns=["y_pred", *proxies])
    write(folder / "part-1.csv", plain[:700], columns=few)
    write(folder / "part-2.csv", plain[700:], columns=few)
    write(folder / "all.csv", plain)
    write(folder / "all-three.csv", made["three-groups"])
    write(folder / "near.csv", made["one"])
    write(folder / "near-two.csv", made["two"][:800])
    write_array(folder / "near.npy", made["one"], ["x_0", "x_1"])
    lists = [{**{key: row[key] for key in ("y_pred", "y_true", "proxy_name")}, "x": [float(row["x_0"]), float(row["x_1"])]} for row in made["one"]]
    write(folder / "near.jsonl", lists)
    write(folder / "constant.csv", [row | {"y_pred": "1"} for row in plain], columns=few)
    write(folder / "never-b.csv", [row | {key: "a" for key in proxies} for row in plain], columns=few)
    write(folder / "same-proxy.csv", [row | {key: row[proxies[0]] for key in proxies} for row in plain], columns=few)
    tally = collections.Counter(tuple(row[key] for key in few) for row in made["large"])
    write(folder / "tally.csv", [dict(zip(few, cell)) | {"count": str(n)} for cell, n in sorted(tally.items())])
    write(folder / "tally-big.csv", [dict(zip(few, cell)) | {"count": str(n * 1000)} for cell, n in sorted(tally.items())])
    bad = {
        "empty.csv": "",
        "header.csv": ",".join(few) + "\n",
        "ragged.csv": "y_pred,proxy_a,proxy_b,proxy_c\n1,a,b\n0,a,b,a\n",
        "long.csv": "y_pred,proxy_a,proxy_b,proxy_c\n1,a,b,a,a\n0,a,b,a\n",
        "no-proxies.csv": "y_pred,y_true\n1,0\n",
        "no-decision.csv": "proxy_a,proxy_b,proxy_c\na,b,a\n",
        "twice.csv": "y_pred,proxy_a,proxy_a\n1,a,b\n",
        "missing.csv": "y_pred,proxy_a,proxy_b,proxy_c\n,a,b,a\n0,a,b,a\n1,b,b,a\n",
        "weights.csv": "y_pred,weight,proxy_a,proxy_b,proxy_c\n1,-2,a,b,a\n0,1,a,b,a\n",
        "weight-word.csv": "y_pred,weight,proxy_a,proxy_b,proxy_c\n1,much,a,b,a\n0,1,a,b,a\n",
        "count-word.csv": "y_pred,proxy_a,proxy_b,proxy_c,count\n1,a,b,a,1.5\n",
        "count-minus.csv": "y_pred,proxy_a,proxy_b,proxy_c,count\n1,a,b,a,-4\n",
        "probs.csv": "y_pred,p_a,p_b\n1,0.9,0.9\n0,0.5,0.5\n",
        "quote.csv": 'y_pred,proxy_a,proxy_b,proxy_c\n1,"a,b,a\n0,a,b,a\n',
        "one-class.csv": "y_pred,proxy_a,proxy_b,proxy_c\n1,a,b,a\n1,b,b,a\n",
        "broken.jsonl": '{"y_pred": 1, "proxy_a": "a"\n',
        "nested.jsonl": '{"y_pred": {"x": 1}, "proxy_a": "a", "proxy_b": "a", "proxy_c": "b"}\n',
        "broken.parquet": "PAR1 and no more PAR1",
        "broken.csv.gz": "\x1f",
        "given.json": json.dumps({"groups": ["a", "b"], "transition": [[0.8, 0.2], [0.25, 0.75]]}),
        "given-sum.json": json.dumps({"groups": ["a", "b"], "transition": [[0.8, 0.3], [0.25, 0.75]]}),
        "given-shape.json": json.dumps({"groups": ["a", "b"], "transition": [[0.8, 0.2]]}),
        "given-groups.json": json.dumps({"groups": ["a", "z"], "transition": [[0.8, 0.2], [0.25, 0.75]]}),
        "given-none.json": "{}",
        "given-text.json": "not JSON",
        "matrix.json": json.dumps({"groups": ["a", "b"], "matrix": [[0.9, 0.1], [0.2, 0.8]]}),
        "matrix-bad.json": json.dumps({"groups": ["a", "b"], "matrix": [[0.9, 0.2], [0.2, 0.8]]}),
        "rule-bad.json": json.dumps({"schema": "fairveil.rule/1"}),
    }
    for name, text in bad.items():
        (folder / name).write_bytes(text.encode("latin-1") if name == "broken.csv.gz" else text.encode())
    (folder / "latin.csv").write_bytes(b"y_pred,proxy_a,proxy_b,proxy_c\n1,\xe9,b,b\n0,b,b,\xe9\n")
    compas = SHARED / "compas" / "compas.csv"
    if compas.exists():
        with compas.open(newline="") as file:
            rows = list(csv.DictReader(file))
        rng = random.Random(2)
        for row in rows:
            row["w"] = rng.choice(["0.5", "1", "2.25"])
            row["known_2"] = row["race_2"] if rng.random() < 0.1 else ""
            row["known_3"] = row["race_3"] if rng.random() < 0.1 else ""
            row["chance"] = f"{int(row['decile_score']) / 11:.4f}"
        write(folder / "compas.csv", rows)
    return compas.exists()


# ---- the cases -------------------------------------------------------------------------------------

PAGES = f"--json a.json --html a.html --markdown a.md --svg plots --date {DATE}"
PAIRS = PAGES.replace("--svg plots ", "")
MODELS = "tree forest boosting svm logit nn compas_score".split()


def cases(compas):
    """Name to commands; `@` stands for the folder of the tables."""
    draws = "--n-boot 200"
    for name, world in WORLDS.items():
        selected = f"--positive {world['classes'][-1]}" if "classes" in world else ""
        yield f"audit/{name}", [f"audit @{name}.csv {selected} {PAGES} {draws}"]
    for name in "constant never-b same-proxy unlabelled tally tally-big".split():
        yield f"audit/{name}", [f"audit @{name}.csv {PAGES} {draws}"]
    for name in "plain.tsv semicolon.csv plain.csv.gz plain.jsonl plain.jsonl.gz plain.json".split():
        yield f"formats/{name}", [f"audit @{name} {PAGES} {draws}", f"count @{name} -o t.csv"]
    yield "formats/parts", [f"audit @part-1.csv @part-2.csv {PAGES} {draws}", "count @part-*.csv -o t.csv"]
    yield "formats/stdin", [f"audit - {PAGES} {draws} < plain.tsv"]
    yield "formats/parquet", ["privatize @plain.csv --proxy proxy_name --epsilon 2 --seed 4 -o t.parquet", f"audit t.parquet {PAGES} {draws}"]

    yield "audit/defaults", ["audit @plain.csv"]
    yield "audit/truth", [f"audit @plain.csv --truth truth {PAGES} {draws}"]
    yield "audit/truth-three", [f"audit @three-groups.csv --truth truth {PAGES} {draws}"]
    yield "audit/weight", [f"audit @plain.csv --weight weight_of {PAGES} {draws}"]
    yield "audit/segments", [f"audit @plain.csv --by branch {PAGES} {draws}", f"audit @three-groups.csv --by branch --json b.json {draws}"]
    yield "audit/probabilities", [f"audit @all.csv --proxy-probs p_ {PAGES} {draws}", f"audit @all-three.csv --proxy-probs p_ --json b.json {draws}"]
    yield "audit/labels", [f"audit @plain.csv --audit-labels known {PAGES} {draws}", f"audit @three-groups.csv --audit-labels known --json b.json {draws}"]
    yield "audit/labels-elsewhere", [f"audit @plain.csv --audit-labels truth --audit-table @small.csv {PAGES} {draws}"]
    yield "audit/given", [f"audit @plain.csv --given @given.json {PAGES} {draws}", f"audit @plain.csv --given @given.json --estimator given --json b.json {draws}"]
    yield "audit/given-by-audit", [f"audit @plain.csv --json a.json {draws}", f"audit @nogap.csv --given a.json --estimator given --json b.json {draws}"]
    yield "audit/shares", [f"audit @plain.csv --known-shares b=0.5 --max-proxy-error 0.3 {PAGES} {draws}", f"audit @three-groups.csv --known-shares a=0.3,b=0.3 --json b.json {draws}"]
    for estimator in "hoc latent-class confident-joint audit".split():
        for scope in "global local auto".split():
            how = f"--audit-labels known --proxy-probs p_ --estimator {estimator} --scope {scope}"
            named = "--proxy proxy_name --proxy proxy_place --proxy proxy_device"
            yield f"estimator/{estimator}-{scope}", [
                f"audit @all.csv {named} {how} {PAGES} {draws}",
                f"audit @all-three.csv {named} {how} --json b.json {draws}",
                f"audit @near-two.csv {how} --json c.json {draws}",
            ]
    for criterion in "demographic_parity equalized_odds equal_opportunity".split():
        gates = [f"audit @plain.csv --criterion {criterion} --fail-above {criterion}={limit} {draws}" for limit in (0.01, 0.2, 0.9)]
        yield f"gate/{criterion}", gates
    yield "settings", [f"audit @plain.csv --confidence 0.8 --shared-error 0.1 --seed 9 --quiet --json a.json {draws}", "audit @plain.csv --n-boot 0 --json b.json"]
    yield "compare/two", [f"compare @all.csv --y-pred y_pred --y-pred other_pred {PAIRS} {draws}"]

    near = f"{PAGES} {draws}"
    yield "neighbors/prefix", [f"audit @near.csv --features x_ {near}", "neighbors @near.csv --features x_ -o n.csv", "neighbors @near.csv --features x_0,x_1 --metric euclidean -o n.jsonl"]
    yield "neighbors/array", [f"audit @near.csv --features @near.npy {near}", "neighbors @near.csv --features @near.npy --search hnsw -o n.tsv"]
    yield "neighbors/two", [f"audit @near-two.csv --features x_ --metric euclidean {near}", "neighbors @near-two.csv --features x_ -o n.parquet"]
    yield "neighbors/triples", [f"audit @near.csv --features x_ --triple-seed 5 {near}"]

    yield "count/formats", [f"count @three-groups.csv -o t.{end}" for end in ("csv", "tsv", "jsonl", "parquet")] + [f"audit t.{end} --json {end}.json {draws}" for end in ("csv", "parquet")]
    yield "count/weights", ["count @plain.csv --weight weight_of -o t.csv", f"audit t.csv --json a.json {draws}"]
    yield "count/probabilities", ["count @all.csv --proxy-probs p_ -o t.csv", f"audit t.csv --proxy-probs p_ --json a.json {draws}"]
    yield "count/segments", ["count @plain.csv --by branch -o t.csv", f"audit t.csv --by branch --json a.json {draws}"]
    yield "count/labels", ["count @plain.csv --audit-labels known --truth truth -o t.csv", "count @all-three.csv -o -"]
    yield "count/models", ["count @all.csv --y-pred y_pred --y-pred other_pred -o t.csv"]
    yield "count/min-cell", ["count @plain.csv --min-cell 20 -o t.csv", f"audit t.csv --json a.json {draws}"]
    yield "count/epsilon", ["count @plain.csv --epsilon 1 --seed 3 -o t.csv", f"audit t.csv --json a.json {draws}"]
    yield "count/added", ["count @part-1.csv -o 1.csv", "count @part-2.csv -o 2.csv", "count 1.csv 2.csv -o t.csv", f"audit 1.csv 2.csv --json a.json {draws}"]

    told = "--proxy proxy_name --proxy proxy_place --proxy proxy_device"
    for name, how in {"epsilon": "--epsilon 1.5", "flip": "--flip 0.1", "matrix": "--matrix @matrix.json"}.items():
        yield f"privatize/{name}", [f"privatize @plain.csv {told} {how} --seed 1 --date {DATE} -o t.csv", f"audit t.csv --mechanism t.csv.mechanism.json {PAGES} {draws}"]
    yield "privatize/again", [f"privatize @three-groups.csv {told} --epsilon 3 --seed 1 --date {DATE} -o t.jsonl --mechanism m.json", f"privatize @three-groups.csv {told} --epsilon 1 --earlier m.json --seed 2 --date {DATE} -o u.csv", f"audit t.jsonl --mechanism m.json --json a.json {draws}"]
    yield "privatize/report", [f"privatize @plain.csv {told} --report r.{end} --date {DATE}" for end in ("html", "svg", "json")]

    learn = f"{PAGES} {draws}"
    yield "mitigate/score", [f"mitigate @all.csv --score score --features x_,branch -o rule.json {learn}", "apply rule.json @all.csv -o d.csv", "apply rule.json @all-three.csv -o d.jsonl"]
    yield "mitigate/logistic", [f"mitigate @all.csv --features x_,branch --method logistic --no-curve -o rule.json {learn}", "apply rule.json @all.csv -o d.csv"]
    yield "mitigate/mlp", [f"mitigate @all.csv --features x_,branch --method mlp --no-curve -o rule.json {learn}"]
    yield "mitigate/odds", [f"mitigate @all.csv --score score --features x_,branch --criterion equalized_odds --tolerance 0.02 --no-curve -o rule.json {learn}"]
    yield "mitigate/three", [f"mitigate @all-three.csv --score score --features x_,branch --criterion equal_opportunity --no-curve -o rule.json {learn}", "apply rule.json @all-three.csv -o d.csv"]
    yield "mitigate/fixed", [f"mitigate @all.csv --score score --features x_,branch --estimator hoc --recalibrate --no-curve -o rule.json {learn}", "apply rule.json @all.csv --column c -o d.tsv"]
    yield "mitigate/given", [f"mitigate @all.csv --score score --features x_,branch --given @given.json --no-curve -o rule.json {learn}", "apply rule.json @all.csv -o d.parquet"]
    yield "mitigate/weights", ["mitigate @all.csv --weights-only -o w.csv", "mitigate @all.csv --weights-only --estimator hoc -o w.jsonl", "mitigate @all.csv --weights-only --given @given.json -o v.csv"]

    yield "plan", ["plan --json p.json --svg p.svg", "plan --rows 5000 --half-width 0.03 --json q.json", "plan --copying 0.2 --accuracy 0.9,0.8,0.7 --share 0.3 --gap 0.1", f"audit @plain.csv --json a.json {draws}", "plan --from a.json --json r.json"]
    yield "simulate/plain", ["simulate --rows 3000 --seed 5 -o s.csv", "simulate --rows 500 --groups 4 --classes 3 --proxies 5 --accuracy 0.9,0.8,0.7,0.6,0.5 --gap 0.1 --copying 0.1 --abstain 0.1 -o s.tsv", "simulate --rows 200"]
    yield "simulate/lending", ["simulate --lending --rows 2000 --seed 1 -o s.csv", f"audit s.csv --y-pred approved --y-true repaid --proxy surname --proxy first_name --proxy zip {PAGES} {draws}"]
    yield "demo", ["demo --out out --rows 2000"]
    dialects = "ansi postgres spark bigquery snowflake duckdb trino".split()
    yield "sql/dialects", [f"sql --dialect {name} --table bank.people --y-pred d --y-true l --proxy a --proxy b --weight w --by s --truth t" for name in dialects]
    yield "sql/query", [f"sql --dialect {name} --query 'SELECT * FROM p' --proxy-probs p_ --groups a,b --y-pred d --y-pred e --audit-labels k" for name in dialects]
    yield "explain/list", ["explain"]
    for letter, most in {"D": 12, "P": 14, "N": 14, "U": 14, "M": 14, "B": 6}.items():
        yield f"explain/{letter}", [f"explain {letter}{number:02}" for number in range(1, most)]

    bad = "empty header ragged long no-proxies no-decision twice missing weights weight-word count-word count-minus quote one-class latin absent"
    yield "refused/tables", [f"audit @{name}.csv --json a.json {draws}" for name in bad.split()]
    yield "refused/count", [f"count @{name}.csv -o t.csv" for name in bad.split()]
    yield "refused/formats", [f"audit @{name} --json a.json" for name in ("broken.jsonl", "nested.jsonl", "near.jsonl --features x", "broken.parquet", "broken.csv.gz")]
    yield "refused/probabilities", ["audit @probs.csv --proxy-probs p_", "audit @plain.csv --proxy-probs nothing_"]
    yield "refused/lenient", [f"audit @{name}.csv --lenient --json {name}.json {draws}" for name in ("ragged", "missing", "weights", "quote", "latin")]
    yield "refused/columns", [f"audit @plain.csv {words} --json a.json {draws}" for words in ("--y-pred nothing", "--y-true nothing", "--proxy nothing", "--proxy proxy_name --proxy proxy_name", "--truth nothing", "--weight branch", "--by nothing", "--groups a", "--groups a,z", "--positive 7", "--audit-labels nothing", "--count nothing")]
    yield "refused/settings", [f"audit @plain.csv {words} --json a.json" for words in ("--confidence 2", "--confidence 0.3", "--shared-error 1", "--n-boot 5", "--estimator best", "--estimator audit", "--estimator given", "--scope wide", "--criterion beauty", "--fail-above beauty=1", "--fail-above demographic_parity", "--known-shares z=0.2", "--known-shares a=0.9,b=0.9", "--max-proxy-error 0.1", "--audit-table @small.csv", "--triple-seed 1", "--features nothing", "--nothing")]
    yield "refused/estimator", [f"audit @{name}.csv --estimator {how} --json a.json {draws}" for name in ("one", "two", "never-b", "tiny") for how in ("hoc", "latent-class", "confident-joint")]
    yield "refused/gate", [f"audit @unlabelled.csv --fail-above equalized_odds=0.1 --json a.json --html a.html --date {DATE} {draws}"]
    yield "refused/given", [f"audit @plain.csv --given @{name}.json --estimator given {draws}" for name in ("given-sum", "given-shape", "given-groups", "given-none", "given-text", "absent")]
    yield "refused/places", ["audit @plain.csv --json none/a.json", "audit @plain.csv --html .", "count @plain.csv -o t.doc", "count @plain.csv -o none/t.csv", "simulate -o s.doc", "neighbors @near.csv --features x_ -o n.doc"]
    yield "refused/privatize", [f"privatize @plain.csv --proxy proxy_name {words} -o t.csv" for words in ("", "--epsilon 0", "--epsilon -1", "--flip 0.7", "--matrix @matrix-bad.json", "--proxy nothing --epsilon 1", "--groups a --epsilon 1", "--epsilon 1 --earlier @given.json")]
    yield "refused/mitigate", [f"mitigate @all.csv {words} -o rule.json {draws}" for words in ("", "--score nothing --features x_", "--score branch --features x_", "--features nothing", "--score score --features x_,branch --tolerance 2", "--score score --features x_,branch --held-out 0", "--score score --features x_,branch --folds 1", "--score score --features x_,branch --noise-bins 0", "--score score --features x_,branch --estimator audit", "--method mlp")]
    yield "refused/apply", ["apply @rule-bad.json @all.csv -o d.csv", "apply @given-text.json @all.csv -o d.csv", "apply @absent.json @all.csv -o d.csv"]
    yield "refused/plan", [f"plan {words}" for words in ("--half-width 0", "--accuracy 2", "--proxies 9", "--from @given-none.json", "--from @given-text.json", "--accuracy 0.5", "--copying 1")]
    yield "refused/sql", ["sql", "sql --table p --query q", "sql --table p", "sql --table p --proxy-probs p_"]
    yield "refused/compare", ["compare @plain.csv", "compare @plain.csv --y-pred y_pred --y-pred nothing", "compare @plain.csv --y-pred y_pred --y-pred y_pred"]
    yield "refused/explain", ["explain X99", "explain p2"]

    if not compas:
        return
    for model in MODELS:
        table = f"audit @compas.csv --y-pred pred_{model}"
        yield f"compas/{model}-two", [f"{table} --proxy census_2 --proxy fl_2 --proxy nc_2 --truth race_2 {PAGES} {draws}", f"{table} --proxy census_2 --proxy fl_2 --proxy nc_2 --estimator hoc --scope global --json b.json {draws}"]
        yield f"compas/{model}-three", [f"{table} --proxy census_3 --proxy fl_3 --proxy nc_3 --truth race_3 {PAGES} {draws}", f"{table} --proxy census_3 --proxy fl_3 --proxy nc_3 --estimator hoc --scope global --json b.json {draws}"]
        yield f"compas/{model}-tally", [f"count @compas.csv --y-pred pred_{model} --proxy census_2 --proxy fl_2 --proxy nc_2 --truth race_2 --by sex -o t.csv", f"count @compas.csv --y-pred pred_{model} --proxy-probs census_soft_ --proxy-probs fl_soft_ --weight w -o t.parquet"]
    two = "--y-pred pred_forest --proxy census_2 --proxy fl_2 --proxy nc_2"
    yield "compas/compare", ["compare @compas.csv --proxy census_2 --proxy fl_2 --proxy nc_2 " + " ".join(f"--y-pred pred_{model}" for model in MODELS) + f" {PAIRS} {draws}"]
    yield "compas/segments", [f"audit @compas.csv {two} --by sex --by c_charge_degree {PAGES} {draws}"]
    yield "compas/age", [f"audit @compas.csv {two} --by age_cat {PAGES} {draws}"]
    yield "compas/weights", [f"audit @compas.csv {two} --weight w {PAGES} {draws}"]
    yield "compas/labels", [f"audit @compas.csv {two} --audit-labels known_2 --truth race_2 {PAGES} {draws}"]
    yield "compas/probabilities", [f"audit @compas.csv --y-pred pred_nn --proxy-probs census_soft_ --proxy-probs fl_soft_ --proxy-probs nc_soft_ --truth race_2 {PAGES} {draws}"]
    yield "compas/neighbours", [f"audit @compas.csv --y-pred pred_nn --proxy census_2 --features priors_count,decile_score {PAGES} {draws}"]
    yield "compas/mechanism", [f"privatize @compas.csv --proxy census_2 --proxy fl_2 --proxy nc_2 --epsilon 2 --seed 7 --date {DATE} -o t.csv", f"audit t.csv {two} --mechanism t.csv.mechanism.json {PAGES} {draws}"]
    yield "compas/mitigation", [f"mitigate @compas.csv {two} --score chance --features priors_count,age_cat,sex --no-curve -o rule.json {learn}", "apply rule.json @compas.csv -o d.csv"]


# ---- running and comparing -------------------------------------------------------------------------


def words(line):
    """A command's words and what goes to its standard input: quoted words hold blanks, `< name` is a table."""
    line, _, entry = line.partition(" < ")
    found = (quoted or plain for quoted, plain in re.findall(r"'([^']*)'|(\S+)", line))
    return [re.sub("^@", f"{TABLES}/", word) for word in found], entry


def run(program, commands, folder):
    """Runs the commands in a folder and leaves there, beside their files, what they printed and how they ended."""
    folder.mkdir(parents=True)
    surroundings = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    for number, line in enumerate(commands):
        arguments, entry = words(line)
        entry = (folder / TABLES / entry).read_bytes() if entry else b""
        call = [program, *arguments]
        try:
            ended = subprocess.run(call, cwd=folder, input=entry, capture_output=True, timeout=SECONDS, env=surroundings)
            code, printed, complained = ended.returncode, ended.stdout, ended.stderr
        except subprocess.TimeoutExpired:
            code, printed, complained = "too long", b"", b""
        (folder / f"{number}.code").write_text(f"{code}\n")
        (folder / f"{number}.text").write_bytes(printed)
        # How long a search took is told, and is another every time.
        (folder / f"{number}.complaint").write_bytes(re.sub(rb"(search.*), [\d.]+ s\b", rb"\1, some s", complained))


def files(folder):
    return {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*")) if file.is_file()}


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{path}/{key}")
    elif isinstance(value, list):
        yield f"{path}/#", len(value)
        for number, part in enumerate(value):
            yield from leaves(part, f"{path}/{number}")
    else:
        yield path, value


def masked(text):
    return re.sub(r"\d+([.,]\d+)*(e-?\d+)?", "#", text).strip()


def broken(text):
    """Text in lines, with those of a page at its tags."""
    return (text.replace("<", "\n<").replace(">", ">\n") if text.lstrip()[:1] == "<" else text).splitlines()


def differences(kind, old, new):
    """What differs, a line each: masked where only digits would tell two apart."""
    if kind == "json":
        try:
            before, after = dict(leaves(json.loads(old))), dict(leaves(json.loads(new)))
        except ValueError:
            before = after = {}
        if before != after:
            for path in sorted(before.keys() | after.keys()):
                was, now = before.get(path, "(nothing)"), after.get(path, "(nothing)")
                if was != now:
                    both = isinstance(was, (int, float)) and isinstance(now, (int, float)) and not isinstance(was, bool)
                    way = "a number moved" if both else f"{masked(str(was))} -> {masked(str(now))}"
                    yield f"{re.sub('/[0-9]+', '/*', path)}: {way}"
            return
    lines = list(difflib.unified_diff(broken(old), broken(new), n=0, lineterm=""))[2:]
    yield from ("".join((line[0], " ", masked(line[1:]))) for line in lines if line[:1] in "+-" and line[1:].strip())


def kind_of(name):
    return name.rsplit(".", 1)[-1]


class Meant:
    """What was meant to change."""

    def __init__(self, reworded, without):
        self.reworded = [pair.split("=", 1) for pair in reworded]
        self.without = [re.compile(expression, re.S | re.M) for expression in without]

    def old(self, text):
        for was, now in self.reworded:
            # A line may end between two words.
            text = re.sub(re.escape(was).replace("\\ ", r"\s+"), now, text)
        return self.new(text)

    def new(self, text):
        for expression in self.without:
            text = expression.sub("", text)
        return text


def compare(kind, before, after, meant):
    """The differences of a file that were not meant."""
    if before is None or after is None:
        return [f"the file is only in {'new' if before is None else 'old'}"]
    if kind in ("parquet", "gz"):
        return ["bytes"]
    before, after = meant.old(before.decode("utf-8", "replace")), meant.new(after.decode("utf-8", "replace"))
    if before.split() == after.split():
        return []
    return list(differences(kind, before, after)) or ["bytes"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--reworded", action="append", default=[], metavar="OLD=NEW")
    parser.add_argument("--without", action="append", default=[], metavar="EXPRESSION")
    said = parser.parse_args()
    meant = Meant(said.reworded, said.without)
    equal, as_meant, differ = (collections.Counter() for _ in range(3))
    kinds, where, named = collections.Counter(), {}, collections.defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="fairveil-bytes-") as place, concurrent.futures.ThreadPoolExecutor(2) as both:
        place = pathlib.Path(place)
        # Both under one name: the program says its own.
        programs = {side: place / "bin" / side / "fairveil" for side in ("old", "new")}
        for side, program in programs.items():
            program.parent.mkdir(parents=True)
            program.symlink_to(getattr(said, side).resolve(strict=True))
        (place / "in").mkdir()
        compas = tables(place / "in")
        if not compas:
            print(f"COMPAS is not at {SHARED}: its cases are left out")
        chosen = {name: commands for name, commands in cases(compas) if said.only in name}
        for name, commands in chosen.items():
            folders = {side: place / side / name.replace("/", "-") for side in programs}
            list(both.map(lambda side: run(programs[side], commands, folders[side]), programs))
            old, new = files(folders["old"]), files(folders["new"])
            for file in sorted(old.keys() | new.keys()):
                kind = kind_of(file)
                before, after = (side[file].read_bytes() if file in side else None for side in (old, new))
                if before == after:
                    equal[kind] += 1
                    continue
                found = compare(kind, before, after, meant)
                if not found:
                    as_meant[kind] += 1
                    continue
                differ[kind] += 1
                named[kind].append(f"{name} {file}")
                for line in found:
                    kinds[kind, line] += 1
                    where.setdefault((kind, line), f"{name} {file}")
        files_read = len(list((place / "in").iterdir()))

    print(f"{len(chosen)} cases, {sum(map(len, chosen.values()))} commands, {files_read} files to read")
    print(f"{'kind':12} {'files':>6} {'equal':>6} {'meant':>6} {'differ':>6}")
    counted = (equal, as_meant, differ)
    for kind in [*sorted(equal.keys() | as_meant.keys() | differ.keys()), "all"]:
        parts = [part.total() if kind == "all" else part[kind] for part in counted]
        print(f"{kind:12} {sum(parts):6}" + "".join(f" {part:6}" for part in parts))
    for kind, those in named.items():
        if len(those) <= FEW:
            print(f"{kind} differs in {', '.join(those)}")
    rows = sorted(kinds, key=lambda row: (-kinds[row], row))
    for row in rows[:SHOWN]:
        print(f"  {kinds[row]:5} {row[0]:9} {row[1][:300]}   [{where[row]}]")
    if len(rows) > SHOWN:
        print(f"  and {len(rows) - SHOWN} kinds more")
    sys.exit(1 if kinds else 0)


if __name__ == "__main__":
    main()
