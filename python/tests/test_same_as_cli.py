"""Digit for digit: the record from Python is the one that the command line writes."""

from __future__ import annotations

import csv
import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import people, run_cli
from hypothesis import given, settings
from hypothesis import strategies as st

import fairveil

FRAMES = {
    "pandas": pd.DataFrame,
    "categories": lambda table: pd.DataFrame(table).astype({name: "category" for name in table if name != "weight"}),
    "objects": lambda table: pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in table.items()}),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "stream": lambda table: pa.RecordBatchReader.from_batches(
        pa.table(table).schema, pa.table(table).to_batches(max_chunksize=100)
    ),
    "mapping": lambda table: table,
    "numpy": lambda table: {name: np.array(values, dtype=object) for name, values in table.items()},
}


def _beside(draw: st.DrawFn, table: dict[str, list], words: dict, flags: list, groups: int) -> None:
    """Put in what is said of people and of values."""
    if draw(st.booleans()):
        table["person"] = (np.arange(len(table["y_pred"])) // 3).astype(str).tolist()
        role = draw(st.sampled_from(["cluster", "id"]))
        words[role] = "person"
        flags += [f"--{role}", "person"]
    if draw(st.booleans()):
        words |= {"groups": [f"g{place}" for place in reversed(range(groups))], "selected_is": "adverse"}
        flags += ["--groups", ",".join(words["groups"]), "--selected-is", "adverse"]
    if groups > 2 and "truth" not in words and draw(st.booleans()):
        words |= {"missing": "g0", "shared_error": 0.25, "max_shift": 0.02}
        flags += ["--missing", "g0", "--shared-error", "0.25", "--max-shift", "0.02"]


@st.composite
def asked(draw: st.DrawFn) -> tuple[dict[str, list], dict, list[str], str]:
    """Give a table with some of all roles, the keywords, the flags, and a library to hold it."""
    rows = draw(st.integers(200, 900))
    groups = draw(st.sampled_from([2, 2, 3]))
    seed = draw(st.integers(0, 10_000))
    table: dict[str, list] = dict(people(rows, seed, groups=groups, proxies=draw(st.integers(1, 4))))
    rng = np.random.default_rng(seed)
    proxies = [name for name in table if name.startswith("proxy_")]
    group = table.pop("group")
    words: dict = {"proxies": proxies, "y_pred": "y_pred"}
    flags = [part for name in proxies for part in ("--proxy", name)]
    if draw(st.booleans()):
        words["sources"] = {proxies[0]: "census"}
        flags = ["--proxy", f"{proxies[0]}:census", *flags[2:]]
    if draw(st.booleans()):
        words["y_true"] = "y_true"
    else:
        del table["y_true"]
    if draw(st.booleans()):
        table["weight"] = rng.choice([0.5, 1.0, 2.25], rows).tolist()
    if draw(st.booleans()):
        table["known"] = [one if rng.random() < 0.3 else None for one in group]
        words["audit_labels"] = "known"
        flags += ["--audit-labels", "known"]
        if draw(st.booleans()):
            table["drawn"] = rng.choice([0.25, 0.5], rows).tolist()
            words["label_probability"] = "drawn"
            flags += ["--label-probability", "drawn"]
    if draw(st.booleans()):
        table["group"] = group
        words["truth"] = "group"
        flags += ["--truth", "group"]
    if draw(st.booleans()):
        table["region"] = rng.choice(["north", "south"], rows).tolist()
        words["control_features"] = "region"
        flags += ["--by", "region"]
    if draw(st.booleans()):
        sure = rng.dirichlet(np.ones(groups), rows)
        for place in range(groups):
            table[f"model_g{place}"] = sure[:, place].tolist()
        words["proxy_probs"] = ["model_"]
        flags += ["--proxy-probs", "model_"]
    _beside(draw, table, words, flags, groups)
    n_boot, state = draw(st.sampled_from([0, 100])), draw(st.integers(0, 5))
    words |= {"n_boot": n_boot, "random_state": state, "confidence": draw(st.sampled_from([0.9, 0.95]))}
    flags += ["--n-boot", n_boot, "--seed", state, "--confidence", words["confidence"]]
    return table, words, flags, draw(st.sampled_from(sorted(FRAMES)))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(asked())
def test_the_record_is_the_one_that_the_command_line_writes(case: tuple) -> None:
    table, words, flags, library = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(
                ["" if one is None else repr(one) if isinstance(one, float) else one for one in row]
                for row in zip(*table.values(), strict=True)
            )
        told = run_cli("audit", path, "--json", "-", *flags)
    try:
        audit = fairveil.audit(FRAMES[library](table), **words)
    except fairveil.FairveilError as error:
        assert told.returncode == 2, told.stderr
        found = error.found.replace("table, ", "").replace("table: ", "")
        assert found.split("`")[0] in told.stderr
        return
    assert told.returncode == 0, told.stderr
    assert audit.to_json(words="flags") == told.stdout
    # In the words of Python nothing but words differs.
    assert _numbers(json.loads(audit.to_json())) == _numbers(json.loads(told.stdout))


def _numbers(part: object) -> object:
    if isinstance(part, dict):
        return {name: _numbers(one) for name, one in part.items() if name not in {"message", "advice", "text"}} | {
            name: _numbers(one) for name, one in part.items() if name == "advice" and isinstance(one, dict)
        }
    return [_numbers(one) for one in part] if isinstance(part, list) else part


def test_arrays_give_what_a_table_gives(loans: dict[str, list[str]]) -> None:
    proxies = {name: loans[name] for name in ("proxy_1", "proxy_2", "proxy_3")}
    of_table = fairveil.audit(
        pd.DataFrame(loans).drop(columns="group"), y_pred="y_pred", y_true="y_true", proxies=list(proxies), n_boot=100
    )
    y_pred, y_true = np.array(loans["y_pred"]).astype(int), pd.Series(loans["y_true"]).astype("Int64")
    for guesses in (
        proxies,
        pd.DataFrame(proxies),
        pl.DataFrame(proxies),
        pa.table(proxies),
        np.array(list(proxies.values()), dtype=object).T,
        list(proxies.values()),
        [pd.Series(one) for one in proxies.values()],
        [pl.Series(one) for one in proxies.values()],
        [pd.Categorical(one) for one in proxies.values()],
    ):
        of_arrays = fairveil.audit(y_pred=y_pred, y_true=y_true, proxies=guesses, n_boot=100)
        assert of_arrays.to_json() == of_table.to_json(), type(guesses)


@pytest.mark.parametrize(
    "nothing",
    [None, float("nan"), np.nan, pd.NA, pd.NaT, "", "null", np.float64("nan"), np.datetime64("NaT")],
    ids=repr,
)
def test_nothing_of_every_kind_is_no_guess(loans: dict[str, list[str]], nothing: object) -> None:
    guesses = {
        name: [nothing if one is None else one for one in loans[name]] for name in ("proxy_1", "proxy_2", "proxy_3")
    }
    audit = fairveil.audit(y_pred=loans["y_pred"], proxies=guesses, n_boot=0)
    silent = [proxy["abstained"] for proxy in audit.to_dict()["input"]["proxies"]]
    assert silent == [sum(one is None for one in loans[name]) for name in guesses]


def test_numbers_of_every_type_are_the_same_names(loans: dict[str, list[str]]) -> None:
    def codes(name: str) -> list[int | None]:
        return [None if one is None else int(one[1]) for one in loans[name]]

    names = ("proxy_1", "proxy_2", "proxy_3")
    y_pred = [int(one) for one in loans["y_pred"]]
    wanted = fairveil.audit(y_pred=y_pred, proxies={name: codes(name) for name in names}, n_boot=100).to_json()
    float_codes = {name: np.array(codes(name), dtype=float) for name in names}
    nullable = {name: pd.array(codes(name), dtype="Int8") for name in names}
    masked = {
        name: np.ma.masked_array([one or 0 for one in codes(name)], [one is None for one in codes(name)])
        for name in names
    }
    polars = {name: pl.Series(codes(name), dtype=pl.Int16) for name in names}
    arrow = {name: pa.array(codes(name), type=pa.uint8()) for name in names}
    for decisions in (
        np.array(y_pred, dtype=np.uint8),
        np.array(y_pred, dtype=">i4"),
        np.array(y_pred, dtype=np.float16),
    ):
        for guesses in (float_codes, nullable, masked, polars, arrow):
            assert fairveil.audit(y_pred=decisions, proxies=guesses, n_boot=100).to_json() == wanted
