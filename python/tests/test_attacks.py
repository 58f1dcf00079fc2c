"""Strange tables: the right numbers or an exception that says why, and never a fault of ours."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import people

import fairveil

PROXIES = ["proxy_1", "proxy_2", "proxy_3"]


@pytest.fixture(scope="module")
def table() -> dict[str, list]:
    made: dict[str, list] = dict(people(1200, 21))
    made["y_pred"] = [int(one) for one in made["y_pred"]]
    return {name: made[name] for name in ("y_pred", *PROXIES)}


@pytest.fixture(scope="module")
def wanted(table: dict[str, list]) -> float | None:
    return gap(table["y_pred"], table)


def gap(y_pred: object, table: dict[str, list], **words: object) -> float | None:
    guesses = {name: table[name] for name in PROXIES}
    return fairveil.audit(y_pred=y_pred, proxies=guesses, n_boot=0, **words).difference().value


@pytest.mark.parametrize(
    ("made", "positive"),
    [
        (lambda y: np.array(y, dtype=bool), None),
        (lambda y: np.array(y, dtype=np.int8), None),
        (lambda y: np.array(y, dtype=np.uint64) + np.uint64(2**63), None),
        (lambda y: np.array(y, dtype=np.float16), None),
        (lambda y: np.array(y, dtype=np.longdouble), None),
        (lambda y: [Decimal(one) for one in y], None),
        (lambda y: pa.array([Decimal(one) for one in y], type=pa.decimal128(10, 2)), None),
        (lambda y: [2**70 + one for one in y], None),
        (lambda y: pd.to_datetime(["2026-01-02" if one else "2026-01-01" for one in y]), "2026-01-02 00:00:00"),
        (lambda y: [dt.date(2026, 1, 1 + one) for one in y], "2026-01-02"),
        (lambda y: pl.Series([dt.date(2026, 1, 1 + one) for one in y]), "2026-01-02"),
        (lambda y: ["yes\0" if one else "no\0" for one in y], "yes\0"),
        (lambda y: [True if one else "no" for one in y], True),
        (lambda y: np.array(y).repeat(2)[::2], None),
        (lambda y: np.asfortranarray(np.column_stack([y, y]))[:, 0], None),
        (lambda y: pd.Series(y, index=range(10, 10 + len(y))), None),
        (lambda y: pd.Series(y).sample(frac=1.0, random_state=0).sort_index(), None),
        (lambda y: pa.array([7, 8, *y, 9]).slice(2, len(y)), None),
        (lambda y: pa.chunked_array([y[:100], y[100:]]), None),
        (lambda y: pl.Series([3, *y]).slice(1), None),
        (pd.Categorical, None),
        (lambda y: pd.Series(y, dtype="boolean"), None),
        (lambda y: pd.Series(y, dtype="Int64"), None),
        (lambda y: pd.Series(y, dtype="int64[pyarrow]"), None),
        (lambda y: (one for one in y), None),
        (lambda y: np.array(y)[:, None], None),
    ],
)
def test_decisions_of_every_type_are_the_same_decisions(
    table: dict[str, list], wanted: float | None, made: Callable[[list], object], positive: object
) -> None:
    assert gap(made(table["y_pred"]), table, positive=positive) == wanted


@pytest.mark.parametrize(
    "made",
    [
        lambda guess: np.ma.masked_array(np.array([one or "g1" for one in guess]), [one is None for one in guess]),
        lambda guess: pd.Series(guess, dtype="string"),
        lambda guess: pd.Series(guess, dtype="category"),
        lambda guess: pd.Series(guess, dtype="string[pyarrow]"),
        lambda guess: pd.Series(guess).fillna(np.nan),
        lambda guess: pl.Series(guess, dtype=pl.Categorical),
        lambda guess: pl.Series(guess, dtype=pl.Enum(["g0", "g1"])),
        lambda guess: pa.array(guess).dictionary_encode(),
        lambda guess: pa.array(guess, type=pa.large_string()),
        lambda guess: pa.array(guess, type=pa.string_view()),
        lambda guess: pa.array(["x", *guess, None]).slice(1, len(guess)),
        lambda guess: np.array(guess, dtype=object)[::-1][::-1],
        lambda guess: pd.Series(guess, index=[0] * len(guess)),
    ],
)
def test_guesses_in_every_container_abstain_where_they_are_nothing(
    table: dict[str, list], wanted: float | None, made: Callable[[list], object]
) -> None:
    guesses = {name: made(table[name]) for name in PROXIES}
    audit = fairveil.audit(y_pred=table["y_pred"], proxies=guesses, n_boot=0)
    silent = [proxy["abstained"] for proxy in audit.to_dict()["input"]["proxies"]]
    assert silent == [sum(one is None for one in table[name]) for name in PROXIES]
    assert audit.difference().value == wanted


def test_times_that_are_nothing_abstain(table: dict[str, list]) -> None:
    days = {"g0": "2026-01-01", "g1": "2026-01-02", None: "NaT"}
    guesses = {name: np.array([days[one] for one in table[name]], dtype="datetime64[D]") for name in PROXIES}
    audit = fairveil.audit(y_pred=table["y_pred"], proxies=guesses, n_boot=0)
    assert audit.groups == ("2026-01-01", "2026-01-02")
    silent = [proxy["abstained"] for proxy in audit.to_dict()["input"]["proxies"]]
    assert silent == [sum(one is None for one in table[name]) for name in PROXIES]


def _frame(table: dict[str, list], rows: int) -> pd.DataFrame:
    return pd.DataFrame(table).head(rows)


@pytest.mark.parametrize(
    "made",
    [
        lambda table: _frame(table, 0),
        lambda table: _frame(table, 1),
        lambda table: _frame(table, 2),
        lambda table: _frame(table, 500).assign(y_pred=1),
        lambda table: _frame(table, 500).assign(y_pred=None),
        lambda table: _frame(table, 500).assign(y_pred=np.nan),
        lambda table: _frame(table, 500).assign(proxy_1=None, proxy_2=None, proxy_3=None),
        lambda table: _frame(table, 500).assign(proxy_1="g0", proxy_2="g0", proxy_3="g0"),
        lambda table: _frame(table, 500).assign(proxy_1=np.arange(500)),
        lambda table: _frame(table, 500).assign(y_pred=np.arange(500)),
        lambda table: _frame(table, 500).assign(proxy_1=[[1]] * 500),
        lambda table: _frame(table, 500).assign(proxy_1=[{"a": 1}] * 500),
        lambda table: _frame(table, 500).assign(proxy_1=[b"a"] * 500),
        lambda table: _frame(table, 500).assign(y_pred=[1j] * 500),
        lambda table: _frame(table, 500).assign(weight=-1.0),
        lambda table: _frame(table, 500).assign(weight="heavy"),
        lambda table: _frame(table, 500).assign(weight=np.nan),
        lambda table: pd.concat([_frame(table, 500), _frame(table, 500)[["proxy_1"]]], axis=1),
        lambda table: pa.table([table["y_pred"], table["proxy_1"], table["proxy_1"]], ["y_pred", "proxy_1", "proxy_1"]),
        lambda _: pa.table({"y_pred": pa.nulls(10), "proxy_1": pa.nulls(10)}),
        lambda _: pa.table({"y_pred": [[1], [0]], "proxy_1": ["a", "b"]}),
        lambda table: pl.DataFrame(table).head(0),
        lambda _: pl.DataFrame({"y_pred": [{"a": 1}, {"a": 2}], "proxy_1": ["a", "b"]}),
        lambda _: {"y_pred": [1, 0], "proxy_1": ["a"]},
        lambda _: {"y_pred": [], "proxy_1": []},
        lambda _: {},
        lambda _: pd.DataFrame(),
        lambda _: pd.DataFrame({0: [1, 0], 1: ["a", "b"]}),
        lambda _: "people.csv",
        lambda _: [1, 2, 3],
    ],
)
def test_what_makes_no_sense_is_refused_in_words(table: dict[str, list], made: Callable[[dict], object]) -> None:
    with pytest.raises(fairveil.FairveilError) as refused:
        fairveil.audit(made(table), n_boot=0)
    error = refused.value
    assert error.found
    assert error.needed or error.to_do
    assert "--" not in str(error)


@pytest.mark.parametrize(
    "words",
    [
        {"n_boot": "many"},
        {"n_boot": -1},
        {"n_boot": 1.5},
        {"n_boot": 10**30},
        {"confidence": "high"},
        {"confidence": float("nan")},
        {"random_state": -1},
        {"random_state": "zero"},
        {"min_segment": -3},
        {"groups": "g0"},
        {"groups": ["g0"]},
        {"estimator": 3},
        {"scope": "here"},
        {"criteria": ["demographic_parity", "beauty"]},
        {"known_shares": {"g0": 2.0}},
        {"max_proxy_error": 0.1},
        {"given": np.zeros((2, 2, 2))},
        {"given": "no/such/file.json"},
        {"given": {"transition": [[0.5, 0.6], [0.5, 0.5]]}},
        {"given": np.full((2, 2), np.nan), "groups": ["g0", "g1"]},
        {"mechanism": "{"},
        {"mechanism": "no/such/file.json"},
        {"positive": "maybe"},
        {"y_true": [1, 0]},
        {"control_features": {"y_pred": [1] * 1200}},
        {"proxies": ["nobody"]},
        {"proxies": []},
        {"proxies": 3},
        {"proxy_probs": np.zeros((3, 2))},
        {"sources": {"nobody": "census"}},
        {"tables": "nowhere"},
        {"population": {"g0": 0.5}},
        {"sample_weight": np.full(1200, np.inf)},
        {"sources": object()},
        {"known_shares": 3},
        {"criteria": 3},
        {"missing": None},
        {"lenient": "maybe"},
        {"given": [["a"]]},
        {"evidence": 3},
    ],
    ids=",".join,
)
def test_what_cannot_be_asked_is_refused_in_words(table: dict[str, list], words: dict) -> None:
    with pytest.raises(fairveil.FairveilError) as refused:
        fairveil.audit(table, **{"proxies": PROXIES, "n_boot": 0, **words})
    assert "--" not in str(refused.value)


@pytest.mark.parametrize(
    "asked",
    [
        lambda: fairveil.plan(accuracy=2),
        lambda: fairveil.plan(accuracy=float("nan")),
        lambda: fairveil.plan(half_width=-1),
        lambda: fairveil.plan(gap=3),
        lambda: fairveil.simulate(rows=-1),
        lambda: fairveil.simulate(accuracy=2),
        lambda: fairveil.Audit.from_json("{}"),
        lambda: fairveil.Rule.from_json("{}"),
        lambda: fairveil.Counts.from_csv("a,b\n1,2\n"),
        lambda: fairveil.explain("ZZZ"),
    ],
)
def test_other_functions_refuse_in_words_too(asked: Callable[[], object]) -> None:
    with pytest.raises(fairveil.FairveilError):
        asked()


def test_a_keyword_that_there_is_not_is_python_s_own_error(table: dict[str, list]) -> None:
    with pytest.raises(TypeError, match=r"'proxy'\. Did you mean 'proxies'"):
        fairveil.audit(table, proxy=PROXIES)
    with pytest.raises(TypeError, match=r"audit\(\) got an unexpected keyword argument 'zzzzzz'$"):
        fairveil.audit(table, zzzzzz=1)


def test_two_columns_of_one_name_are_refused_wherever_they_are(table: dict[str, list]) -> None:
    twice = pd.concat([pd.DataFrame(table)[["proxy_1"]]] * 2, axis=1)
    with pytest.raises(fairveil.TableError, match="go by one name"):
        fairveil.audit(y_pred=table["y_pred"], proxies=twice, n_boot=0)
    none = fairveil.audit(table, proxies=PROXIES, control_features=[], n_boot=0)
    assert none.difference().value == gap(table["y_pred"], table)


def test_values_beside_a_table_have_names_of_their_own(table: dict[str, list]) -> None:
    with pytest.raises(fairveil.SettingError, match="another role"):
        fairveil.audit(y_pred=table["y_pred"], proxies={"y_pred": table["proxy_1"]})
    frame = pd.DataFrame(table)
    beside = fairveil.audit(frame[PROXIES], y_pred=frame["y_pred"].to_numpy(), proxies=PROXIES, n_boot=0)
    assert beside.difference().value == gap(table["y_pred"], table)


def test_texts_that_tell_the_machine_stay_texts(table: dict[str, list]) -> None:
    odd = {"g0": "<script>alert(1)</script>", "g1": "a\0b\x1b[2J", None: None}
    guesses = {name: [odd[one] for one in table[name]] for name in PROXIES}
    audit = fairveil.audit(y_pred=table["y_pred"], proxies=guesses, n_boot=0, name="<b>\x1b[2J")
    page = audit._repr_html_()
    assert "<script" not in page
    assert "\x1b" not in str(audit)
    assert "\x1b" not in page
