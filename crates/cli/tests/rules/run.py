"""Decides about the same rows by `fairveil apply` and by a rule taken elsewhere: no decision may differ."""

import csv
import importlib.util
import json
import math
import os
import random
import subprocess
import sys
import tempfile

fairveil = os.path.abspath(sys.argv[1])
draw = random.Random(5)
ROWS = 12_000
CITIES = ["bath", "ely", "York", "o'hara", "100%", 'say "so"', "back\\slash", "süd"]


def person(new):
    """Features that go with the group, some missing; new people have values that nobody had."""
    group = draw.random() < 0.5
    side = 0.5 if group else -0.5
    income = round(draw.gauss(side, 1) * 21_357.3 + 40_000, 2)
    debt = round(draw.gauss(0, 1), 6)
    city = draw.choice(CITIES[:4] if group else CITIES[3:])
    code = draw.choice([1, 2, 17])
    logit = 0.8 * (income - 40_000) / 21_357.3 + 0.9 * debt + 0.2 * (city == "bath") - 0.3 * (code == 17)
    chance = 1 / (1 + math.exp(-logit))
    guesses = ["b" if (draw.random() < 0.8) == group else "a" for _ in range(3)]
    row = {"income": income, "debt": debt, "city": city, "code": code, "p": round(chance, 5)}
    row |= {"repaid": int(draw.random() < chance), "approved": int(chance > 0.4)}
    row |= {f"proxy_{c}": guess for c, guess in enumerate(guesses)}
    if draw.random() < 0.05:
        row["income"] = None
    if draw.random() < 0.05:
        row["city"] = None
    if new and draw.random() < 0.05:
        row["city"] = "atlantis"
    if new and draw.random() < 0.02:
        row["code"] = 99
    if new and draw.random() < 0.02:
        row["income"] = draw.choice([1e9, -1e12, 0.0])
    return row


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in rows)


def run(*arguments):
    done = subprocess.run([fairveil, *arguments], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


FEATURES = ["income", "debt", "city", "code"]
# A level that few rows have makes a place for others: with one there is none to refuse, without one there is.
RULES = {
    "plug_in_score": ["--score", "p"],
    "plug_in_scaled": ["--score", "p", "--recalibrate"],
    "plug_in_features": ["--criterion", "equalized_odds"],
    "logistic": ["--method", "logistic", "--threshold", "0.4"],
    "mlp": ["--method", "mlp", "--criterion", "equal_opportunity"],
}


def applied(rule, table):
    run("apply", rule, table, "-o", "decided.csv", "--lenient", "--quiet")
    with open("decided.csv", newline="", encoding="utf-8") as file:
        return [row["decision"] for row in csv.DictReader(file)]


def compare(name, how, expected, found):
    assert len(expected) == len(found), f"{name} {how}: {len(found)} decisions about {len(expected)} rows"
    wrong = [row for row, (a, b) in enumerate(zip(expected, found)) if a != b]
    assert not wrong, f"{name} {how}: {len(wrong)} decisions differ, first in row {wrong[0]}: {expected[wrong[0]]!r} {found[wrong[0]]!r}"
    none = sum(value == "" for value in found)
    print(f"{name:18} {how:10} {len(found)} rows, {none} without a decision, 0 differ")


def by_python(name, rows):
    run("rule", "python", f"{name}.json", "-o", f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def decide(row):
        try:
            return module.decide(row)
        except ValueError:
            return ""

    return [decide(row) for row in rows]


def by_duckdb(name, _):
    import duckdb

    query = run("rule", "sql", f"{name}.json", "--dialect", "duckdb", "--table", "people")
    link = duckdb.connect()
    types = "{'income': 'DOUBLE', 'debt': 'DOUBLE', 'code': 'BIGINT', 'p': 'DOUBLE', 'city': 'VARCHAR'}"
    link.execute(f"CREATE TABLE raw AS SELECT * FROM read_csv('new.csv', types = {types}, header = true)")
    link.execute("CREATE TABLE people AS SELECT row_number() OVER () AS n, * FROM raw")
    found = link.execute(f"SELECT fairveil_decision FROM ({query}) ORDER BY n").fetchall()
    return ["" if value is None else value for (value,) in found]


def by_postgres(name, rows):
    folder = os.environ["FAIRVEIL_POSTGRES"]
    kind = next(kind for kind in sorted(os.listdir(folder)) if os.path.exists(os.path.join(folder, kind, "port")))
    read = lambda *path: open(os.path.join(folder, *path), encoding="utf-8").read().strip()
    environment = {**os.environ, "PGPASSWORD": read("password"), "PGCLIENTENCODING": "UTF8"}
    query = run("rule", "sql", f"{name}.json", "--dialect", "postgres", "--table", "people")
    script = (
        "SET client_min_messages = error; DROP TABLE IF EXISTS people;"
        "CREATE TABLE people (n serial, income float8, debt float8, city text, code bigint, p float8,"
        " repaid int, approved int, proxy_0 text, proxy_1 text, proxy_2 text);\n"
        f"\\copy people (income, debt, city, code, p, repaid, approved, proxy_0, proxy_1, proxy_2) FROM 'new.csv' CSV HEADER\n"
        f"\\pset null ''\nSELECT fairveil_decision FROM ({query}) AS decided ORDER BY n;\n"
    )
    address = ["-h", "localhost", "-p", read(kind, "port"), "-U", "owner", "postgres"]
    psql = ["psql", "-q", "-A", "-t", "-X", "-v", "ON_ERROR_STOP=1", *address]
    done = subprocess.run(psql, input=script, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[: len(rows)]


def by_onnx(name, rows):
    import numpy as np
    import onnx
    import onnxruntime

    run("rule", "onnx", f"{name}.json", "-o", f"{name}.onnx")
    model = onnx.load(f"{name}.onnx")
    onnx.checker.check_model(model, full_check=True)
    about = {entry.key: entry.value for entry in model.metadata_props}
    session = onnxruntime.InferenceSession(f"{name}.onnx")
    inputs = {}
    for value in session.get_inputs():
        column = [row[value.name] for row in rows]
        if value.type == "tensor(string)":
            column = np.array(["" if text is None else str(text) for text in column], dtype=object)
        else:
            column = np.array([math.nan if number is None else number for number in column], dtype=np.float64)
        inputs[value.name] = column.reshape(-1, 1)
    margin, decision = session.run(["margin", "decision"], inputs)
    assert (np.isnan(margin) == (decision < 0)).all()
    words = {1: about["positive"], 0: about["negative"], -1: ""}
    return [words[int(value)] for value in decision[:, 0]]


def there(module):
    return importlib.util.find_spec(module) is not None


WAYS = {"python": (by_python, True), "duckdb": (by_duckdb, there("duckdb"))}
WAYS["onnx"] = (by_onnx, there("onnx") and there("onnxruntime"))
WAYS["postgres"] = (by_postgres, "FAIRVEIL_POSTGRES" in os.environ)
for way, (_, is_there) in WAYS.items():
    if not is_there:
        print(f"skipped: {way} is not there", file=sys.stderr)

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    old, new = [person(False) for _ in range(6_000)], [person(True) for _ in range(ROWS)]
    write("old.csv", old)
    write("new.csv", new)
    for name, more in RULES.items():
        columns = ["--y-true", "repaid", "--y-pred", "approved", "--features", ",".join(FEATURES)]
        settings = ["--categorical", "code", "--impute", "--no-curve", "--n-boot", "0", "--quiet"]
        run("mitigate", "old.csv", *columns, *settings, *more, "-o", f"{name}.json")
        assert "cut" in json.load(open(f"{name}.json", encoding="utf-8"))
        expected = applied(f"{name}.json", "new.csv")
        assert 100 < sum(value == "" for value in expected) < ROWS / 2, "nothing was refused"
        assert set(expected) == {"", "0", "1"}
        for way, (decide, is_there) in WAYS.items():
            if is_there:
                compare(name, way, expected, decide(name, new))
