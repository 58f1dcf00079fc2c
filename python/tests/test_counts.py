"""Tallies: the same from rows and from engines, added up, and audited."""

from __future__ import annotations

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import people

import fairveil

ROLES = {
    "y_pred": "y_pred",
    "y_true": "y_true",
    "proxies": ["proxy_1", "proxy_2", "proxy_3"],
    "proxy_probs": ["model_"],
    "sample_weight": "w",
    "control_features": ["region"],
}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rows = 2000
    rng = np.random.default_rng(3)
    table = pd.DataFrame(people(rows, 3)).drop(columns="group")
    table["w"] = rng.choice([0.5, 1.0, 2.25], rows)
    table["model_g0"] = rng.random(rows)
    table["model_g1"] = 1 - table["model_g0"]
    table.loc[10:40, ["model_g0", "model_g1"]] = np.nan
    table.loc[50, ["model_g0", "model_g1"]] = 0.5
    table["region"] = rng.choice(["north", "south"], rows)
    return table


def engines(frame: pd.DataFrame) -> dict[str, object]:
    connection = duckdb.connect()
    connection.register("people", pa.Table.from_pandas(frame, preserve_index=False))
    made: dict[str, object] = {
        "polars": pl.from_pandas(frame).lazy(),
        "duckdb": connection.sql("SELECT * FROM people"),
        "ibis": ibis.memtable(pa.Table.from_pandas(frame, preserve_index=False)),
    }
    try:
        import dask.dataframe as dd
    except ImportError:
        return made
    return {**made, "dask": dd.from_pandas(frame, npartitions=3)}


def same(here: fairveil.Counts, there: fairveil.Counts) -> None:
    """Counts agree to the digit, sums of weights to 1e-12 of them."""
    one, other = here.to_frame(backend="pandas"), there.to_frame(backend="pandas")
    sums = [name for name in one.columns if name.startswith(("count", "squared", "soft_"))]
    keys = [name for name in one.columns if name not in {*sums, "rest"}]
    pd.testing.assert_frame_equal(one[keys], other[keys])
    np.testing.assert_allclose(one[sums].astype(float), other[sums].astype(float), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["polars", "duckdb", "ibis", "dask"])
def test_an_engine_counts_what_rows_count_to(frame: pd.DataFrame, name: str) -> None:
    table = engines(frame).get(name)
    if table is None:
        pytest.skip(f"{name} is not installed")
    here, there = fairveil.Counts.from_frame(frame, **ROLES), fairveil.Counts.from_engine(table, **ROLES)
    same(here, there)
    assert there.query
    plain = {**ROLES, "sample_weight": None, "proxy_probs": None, "control_features": None}
    counted = fairveil.Counts.from_frame(frame, **plain)
    assert fairveil.Counts.from_engine(table, **plain) == counted
    audit = fairveil.audit(table, **plain, n_boot=100)
    assert audit.to_json() == fairveil.audit(frame, **plain, n_boot=100).to_json()


@pytest.mark.parametrize("name", ["polars", "duckdb", "ibis"])
def test_rows_that_make_no_sense_are_refused_wherever_they_lie(frame: pd.DataFrame, name: str) -> None:
    for column, value in (("w", -1.0), ("w", np.nan), ("model_g0", 7.0)):
        broken = frame.copy()
        broken.loc[5, column] = value
        with pytest.raises(fairveil.TableError):
            fairveil.Counts.from_frame(broken, **ROLES)
        with pytest.raises(fairveil.TableError):
            fairveil.Counts.from_engine(engines(broken)[name], **ROLES).audit(n_boot=0)


def test_tallies_of_parts_add_up_to_the_tally_of_the_whole(frame: pd.DataFrame) -> None:
    parts = [fairveil.Counts.from_frame(frame.iloc[start::3], **ROLES) for start in range(3)]
    whole = fairveil.Counts.from_frame(frame, **ROLES)
    assert parts[0] + parts[1] + parts[2] == parts[2] + (parts[0] + parts[1])
    assert parts[0] + parts[1] + parts[2] == whole
    assert whole.audit(n_boot=100).to_json() == fairveil.audit(frame, **ROLES, n_boot=100).to_json()


def test_tallies_of_other_roles_are_not_added(frame: pd.DataFrame) -> None:
    one = fairveil.Counts.from_frame(frame, **ROLES)
    other = fairveil.Counts.from_frame(frame, **{**ROLES, "control_features": None})
    with pytest.raises(fairveil.SettingError, match="other roles"):
        _ = one + other


def test_small_cells_are_withheld_and_told(frame: pd.DataFrame) -> None:
    plain = {"y_pred": "y_pred", "proxies": ["proxy_1", "proxy_2", "proxy_3"]}
    counts = fairveil.Counts.from_frame(frame, **plain, min_cell=20)
    table = counts.to_frame(backend="pandas")
    told = table["hidden_rows"].notna()
    assert table.loc[~told, "count"].min() >= 20
    assert table.loc[told, "hidden_rows"].sum() > 0


def test_rows_are_needed_where_a_tally_does_not_tell(frame: pd.DataFrame) -> None:
    with pytest.raises(fairveil.SettingError, match="cluster="):
        fairveil.audit(pl.from_pandas(frame).lazy(), y_pred="y_pred", proxies=["proxy_1"], cluster="region")
