"""Names, places and probabilities as evidence: what the command line says of them, from rows and from tallies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import run_cli
from hypothesis import given, settings
from hypothesis import strategies as st

import fairveil

FIRST = {"black": ["Lakisha", "DeShawn", "Keisha", "Tyrone"], "other": ["Hannah", "Jose", "Wei", "Connor", "Emily"]}
LAST = {"black": ["Washington", "Jefferson", "Booker"], "other": ["Garcia", "Nguyen", "Olson", "Schmidt", "Yang"]}
ZIPS = {"black": ["60619", "60621", "48205"], "other": ["55414", "59718", "94110", "10013"]}
FLAGS = {"first_name": "--first-name", "surname": "--surname", "zip": "--zip"}


def people(rows: int, seed: int) -> pd.DataFrame:
    """Give people whose names follow their group now and then."""
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(rows) < 0.4, "black", "other")
    columns: dict[str, list] = {}
    for column, by_group in (("first", FIRST), ("last", LAST), ("postal", ZIPS)):
        everybody = [name for names in by_group.values() for name in names]
        follows = rng.random(rows) < 0.6
        columns[column] = [
            str(rng.choice(by_group[one] if own else everybody)) for one, own in zip(group, follows, strict=True)
        ]
    table = pd.DataFrame(columns)
    table.loc[rng.random(rows) < 0.05, "first"] = None
    table["band"] = rng.choice(["young", "old"], rows)
    table["region"] = rng.choice(["north", "south"], rows)
    table["hired"] = (rng.random(rows) < np.where(group == "black", 0.3, 0.5)).astype(int)
    table["w"] = rng.choice([0.5, 1.0, 2.25], rows)
    return table


@st.composite
def asked(draw: st.DrawFn) -> tuple[pd.DataFrame, dict, list[str]]:
    """Give people, the keywords and the flags."""
    table = people(draw(st.integers(400, 900)), draw(st.integers(0, 10_000)))
    roles = {"first_name": "first", "surname": "last", "zip": "postal"}
    named = draw(st.lists(st.sampled_from(sorted(roles)), min_size=1, max_size=3, unique=True))
    words: dict = {"y_pred": "hired", **{role: roles[role] for role in named}, "groups": ["black", "other"]}
    flags = ["--y-pred", "hired", "--groups", "black,other"]
    flags += [part for role in named for part in (FLAGS[role], roles[role])]
    if draw(st.booleans()):
        words["sample_weight"] = "w"
        flags += ["--weight", "w"]
    if draw(st.booleans()):
        words["control"] = ["band"]
        flags += ["--control", "band"]
    if draw(st.booleans()):
        words["control_features"] = ["region"]
        flags += ["--by", "region"]
    n_boot = draw(st.sampled_from([0, 100]))
    return table, {**words, "n_boot": n_boot}, [*flags, "--n-boot", str(n_boot)]


@settings(max_examples=4, deadline=None, derandomize=True)
@given(asked())
def test_what_names_say_is_what_the_command_line_says(tmp_path_factory: pytest.TempPathFactory, case: tuple) -> None:
    table, words, flags = case
    folder = tmp_path_factory.mktemp("names")
    table.to_csv(folder / "people.csv", index=False)
    told = run_cli("audit", folder / "people.csv", "--json", "-", *flags)
    assert told.returncode == 0, told.stderr
    assert fairveil.audit(table, **words).to_json(words="flags") == told.stdout
    assert fairveil.audit(pl.from_pandas(table), **words).to_json(words="flags") == told.stdout

    # The same from a tally, and what is written beside it is what the command line writes.
    of_table = {name: value for name, value in words.items() if name != "n_boot"}
    counts = fairveil.Counts.from_frame(table, **of_table)
    written = ("-o", folder / "tally.csv", "--evidence", folder / "said.jsonl", "--quiet")
    assert run_cli("count", folder / "people.csv", *written, *flags[:-2]).returncode == 0
    assert counts.to_csv() == (folder / "tally.csv").read_text()
    assert counts.evidence == (folder / "said.jsonl").read_bytes()
    of_rows, of_tally = fairveil.audit(table, **words).to_dict(), counts.audit(n_boot=words["n_boot"]).to_dict()
    for part in ("results", "noise", "findings", "answers", "bounds"):
        assert of_rows[part] == of_tally[part], part
    parts = [fairveil.Counts.from_frame(table.iloc[start::2], **of_table) for start in range(2)]
    assert (parts[0] + parts[1]).evidence == counts.evidence


def test_a_tally_and_its_evidence_are_read_from_files(tmp_path: Path) -> None:
    table = people(600, 3)
    roles = {"y_pred": "hired", "surname": "last", "groups": ["black", "other"]}
    counts = fairveil.Counts.from_frame(table, **roles)
    (tmp_path / "tally.csv").write_text(counts.to_csv())
    (tmp_path / "said.jsonl").write_bytes(counts.evidence or b"")
    back = fairveil.Counts.from_csv(tmp_path / "tally.csv", evidence=tmp_path / "said.jsonl", y_pred="hired")
    wanted = counts.audit(n_boot=0).difference()
    assert back.audit(n_boot=0).difference() == wanted
    tally = pd.read_csv(tmp_path / "tally.csv")
    of_frame = fairveil.audit(tally, y_pred="hired", evidence=tmp_path / "said.jsonl", n_boot=0)
    assert of_frame.difference() == wanted
    of_bytes = fairveil.audit(tally, y_pred="hired", evidence=[counts.evidence], n_boot=0)
    assert of_bytes.difference() == wanted
    with pytest.raises(fairveil.TableError, match="no evidence"):
        fairveil.audit(tally, y_pred="hired", evidence=b"nothing\n", n_boot=0)
    with pytest.raises(fairveil.SettingError, match="cannot be read"):
        fairveil.audit(tally, y_pred="hired", evidence=tmp_path / "none.jsonl", n_boot=0)
    without = fairveil.Counts.from_frame(table, **roles, min_cell=5)
    assert without.evidence is None


def test_names_may_be_arrays_and_tables_ones_own(tmp_path: Path) -> None:
    table = people(600, 4)
    words = {"groups": ["black", "other"], "n_boot": 0}
    named = fairveil.audit(table, y_pred="hired", surname="last", **words)
    arrays = fairveil.audit(y_pred=table["hired"], surname=table["last"].to_numpy(), **words)
    assert arrays.difference() == named.difference()
    own = tmp_path / "tables"
    own.mkdir()
    with pytest.raises(fairveil.SettingError, match=r"no file ends in \.csv") as refused:
        fairveil.audit(table, y_pred="hired", surname="last", tables=own, **words)
    assert refused.value.found.startswith("tables=")
    with pytest.raises(fairveil.SettingError, match="attribute= is about names"):
        fairveil.audit(table, y_pred="hired", proxies=["region"], attribute="sex", **words)
    with pytest.raises(fairveil.SettingError, match="attribute="):
        fairveil.audit(table, y_pred="hired", surname="last", attribute="age", **words)
    with pytest.raises(fairveil.SettingError, match="groups= lists"):
        fairveil.audit(table, y_pred="hired", surname="last", groups=["blak", "white"], n_boot=0)
    with pytest.raises(fairveil.SettingError, match="beside an engine"):
        fairveil.audit(pl.from_pandas(table).lazy(), y_pred="hired", surname="last", **words)


def test_probabilities_that_were_made_for_other_people(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = 1500
    sure = rng.beta(0.5, 0.5, rows)
    table = pd.DataFrame({"y_pred": (rng.random(rows) < 0.3 + 0.3 * sure).astype(int), "v_a": sure, "v_b": 1 - sure})
    table.to_csv(tmp_path / "people.csv", index=False)
    flags = ("--proxy-probs", "v_", "--n-boot", 0, "--json", "-")
    for population in (None, {"a": 0.7, "b": 0.3}, {"a": 0.7}):
        also = () if population is None else ("--population", ",".join(f"{a}={p}" for a, p in population.items()))
        told = run_cli("audit", tmp_path / "people.csv", *flags, *also)
        assert told.returncode == 0, told.stderr
        audit = fairveil.audit(table, proxy_probs="v_", population=population, n_boot=0)
        assert audit.to_json(words="flags") == told.stdout
    with pytest.raises(fairveil.SettingError, match="shares of") as refused:
        fairveil.audit(table, proxy_probs="v_", population={"a": 0.7, "b": 0.7}, n_boot=0)
    assert refused.value.found.startswith("population=")


def test_rows_borrow_guesses_of_their_neighbours(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = 600
    group = rng.integers(0, 2, rows)
    features = rng.normal(size=(rows, 3)) + 2 * group[:, None]
    table = pd.DataFrame(features, columns=["f_1", "f_2", "f_3"])
    table["y_pred"] = (rng.random(rows) < 0.3 + 0.3 * group).astype(int)
    table["proxy_1"] = np.where(rng.random(rows) < 0.2, 1 - group, group)
    table.to_csv(tmp_path / "people.csv", index=False)
    flags = ("--features", "f_", "--metric", "euclidean", "--n-boot", 0, "--quiet", "--json", "-")
    told = run_cli("audit", tmp_path / "people.csv", *flags)
    assert told.returncode == 0, told.stderr
    audit = fairveil.audit(table, features="f_", metric="euclidean", n_boot=0)
    assert audit.to_json(words="flags") == told.stdout
    with pytest.raises(fairveil.SettingError, match="metric="):
        fairveil.audit(table, features="f_", metric="far", n_boot=0)
    with pytest.raises(fairveil.SettingError, match="without features="):
        fairveil.audit(table, metric="cosine", n_boot=0)
