"""Tables that are copied with guesses in them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import people

import fairveil

PROXIES = ["proxy_1", "proxy_2", "proxy_3"]


@pytest.fixture(scope="module")
def loans() -> pd.DataFrame:
    table = pd.DataFrame(people(3000, 7))
    table["age"] = np.arange(len(table)) % 60
    return table


def test_told_guesses_are_undone_by_their_mechanism(loans: pd.DataFrame) -> None:
    with pytest.warns(fairveil.FairveilWarning, match="random_state="):
        told = fairveil.privatize(loans, proxies=PROXIES, epsilon=1.5, random_state=4)
    assert told.table.drop(columns=PROXIES).equals(loans.drop(columns=PROXIES))
    assert told.table["proxy_1"].isna().equals(loans["proxy_1"].isna())
    kept = (told.table["proxy_1"] == loans["proxy_1"])[loans["proxy_1"].notna()].mean()
    # e^1.5 / (1 + e^1.5) of the guesses stay; 2,900 leave a standard error below 0.01.
    assert kept == pytest.approx(np.exp(1.5) / (1 + np.exp(1.5)), abs=0.04)
    undone = fairveil.audit(told.table, y_pred="y_pred", proxies=PROXIES, mechanism=told.mechanism, n_boot=0)
    plain = fairveil.audit(loans, y_pred="y_pred", proxies=PROXIES, n_boot=0)
    assert undone.to_dict()["input"]["proxies"][0]["mechanism"]["epsilon"] == pytest.approx(1.5)
    assert undone.difference().value == pytest.approx(plain.difference().value, abs=0.1)


def test_a_matrix_may_be_stated(loans: pd.DataFrame) -> None:
    told = fairveil.privatize(
        pl.from_pandas(loans), proxies="proxy_1", matrix=[[0.9, 0.1], [0.2, 0.8]], groups=["g0", "g1"]
    )
    assert isinstance(told.table, pl.DataFrame)
    assert told.mechanism["columns"][0]["groups"] == ["g0", "g1"]


def test_refusals_name_keywords(loans: pd.DataFrame) -> None:
    with pytest.raises(fairveil.SettingError) as refused:
        fairveil.privatize(loans, proxies=PROXIES)
    assert "epsilon=" in str(refused.value)
    assert "--" not in str(refused.value)
    with pytest.raises(fairveil.TableError, match="no column `nobody`"):
        fairveil.privatize(loans, proxies="nobody", epsilon=1)


def test_neighbours_lend_guesses() -> None:
    rng = np.random.default_rng(0)
    rows = 300
    group = rng.integers(0, 2, rows)
    table = pd.DataFrame({"proxy_1": np.where(rng.random(rows) < 0.1, 1 - group, group).astype(str)})
    for place in range(3):
        table[f"e_{place}"] = group + 0.3 * rng.normal(size=rows)
    lent = fairveil.neighbors(table, proxies="proxy_1", features="e_", metric="euclidean")
    added = [name for name in lent.columns if name not in table.columns]
    assert len(added) == 2
    assert (lent[added[0]] == group.astype(str)).mean() > 0.7
    assert lent[list(table.columns)].equals(table)


def test_names_are_looked_up_and_left_behind() -> None:
    table = pd.DataFrame({"last": ["Garcia", "Nguyen", "Smith", None], "income": [1, 2, 3, 4]})
    told = fairveil.proxies(table, surname="last", plain=True)
    assert "last" not in told.table.columns
    assert told.table["income"].tolist() == [1, 2, 3, 4]
    assert len(told.table.columns) > 1
    with pytest.raises(fairveil.SettingError):
        fairveil.proxies(table)
