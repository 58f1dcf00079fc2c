"""Measures by name, outcomes and the gap by period: those of other libraries where proxies are right, and of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import fairlearn.metrics as theirs
import numpy as np
import pandas as pd
import pytest
from conftest import people, run_cli

import fairveil

RIGHT = {"estimator": "given", "n_boot": 100}


def rows(seed: int, count: int = 900) -> pd.DataFrame:
    """Give rows of three groups with decisions, labels, and a price that follows the group."""
    rng = np.random.default_rng(seed)
    group = rng.choice(3, count, p=[0.2, 0.5, 0.3])
    price = rng.lognormal(5 + 0.2 * group, 0.5)
    decided = (rng.random(count) < np.array([0.3, 0.6, 0.5])[group]).astype(int)
    label = (rng.random(count) < np.array([0.5, 0.4, 0.7])[group]).astype(int)
    names = np.array(["a", "b", "c"])[group]
    return pd.DataFrame({"y_pred": decided, "y_true": label, "proxy_group": names, "price": price})


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_those_of_fairlearn_where_proxies_are_right(seed: int) -> None:
    table = rows(seed)
    found = fairveil.audit(table, given=np.eye(3), groups=["a", "b", "c"], reference="b", **RIGHT).measures(
        "demographic_parity"
    )
    frame = theirs.MetricFrame(
        metrics=theirs.selection_rate, y_true=table.y_true, y_pred=table.y_pred, sensitive_features=table.proxy_group
    )
    rate = frame.by_group
    for group in ("a", "c"):
        one = found[group]
        assert one.reference == "b"
        assert float(one.difference) == pytest.approx(rate[group] - rate["b"], abs=1e-12)
        assert float(one.adverse_impact_ratio) == pytest.approx(rate[group] / rate["b"], abs=1e-12)
        assert float(one.impact_ratio) == pytest.approx(rate[group] / rate.max(), abs=1e-12)
        short = (rate["b"] - rate[group]) * (table.proxy_group == group).sum()
        assert float(one.shortfall) == pytest.approx(short, abs=1e-9)
    smallest = min(float(one.impact_ratio) for one in found.values())
    assert smallest == pytest.approx(frame.ratio(), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_means_are_those_of_numpy_where_proxies_are_right(seed: int) -> None:
    table = rows(seed)
    table.loc[::17, "price"] = np.nan
    table.loc[5, "price"] = np.inf
    audit = fairveil.audit(table, given=np.eye(3), groups=["a", "b", "c"], reference="b", outcome="price", **RIGHT)
    found = audit.outcome
    assert found is not None
    known = table[np.isfinite(table.price)]
    of = {name: part.price for name, part in known.groupby("proxy_group")}
    for group in ("a", "c"):
        own, beside = of[group], of["b"]
        assert float(found[group].mean) == pytest.approx(own.mean(), rel=1e-12)
        assert float(found[group].difference) == pytest.approx(own.mean() - beside.mean(), rel=1e-10)
        assert float(found[group].ratio) == pytest.approx(own.mean() / beside.mean(), rel=1e-12)
        within = (own.var(ddof=0) * len(own) + beside.var(ddof=0) * len(beside)) / (len(own) + len(beside))
        standardized = (own.mean() - beside.mean()) / np.sqrt(within)
        assert float(found[group].standardized_mean_difference) == pytest.approx(standardized, rel=1e-9)
        assert found[group].mean.interval is not None
    assert audit.to_dict()["outcome"]["rows_without"] == len(table) - len(known)
    assert fairveil.audit(rows(seed), **RIGHT, given=np.eye(3), groups=["a", "b", "c"]).outcome is None


def test_outcomes_scores_and_periods_are_those_of_the_command_line(tmp_path: Path) -> None:
    table = pd.DataFrame(people(3000, 3))
    rng = np.random.default_rng(1)
    table["price"] = np.round(rng.lognormal(4, 0.5, 3000), 3)
    table["score"] = np.round(rng.random(3000), 4)
    table["applied"] = [f"2024-{1 + place % 4:02d}-{1 + place % 27:02d}" for place in range(3000)]
    table.to_csv(tmp_path / "people.csv", index=False)
    proxies = ["proxy_1", "proxy_2", "proxy_3"]
    audit = fairveil.audit(
        table, score="score", threshold=0.5, y_true="y_true", proxies=proxies, outcome="price", n_boot=100
    )
    words = ["audit", "people.csv", "--score", "score", "--threshold", "0.5", "--outcome", "price", "--n-boot", "100"]
    said = run_cli(*words, "--json", "-", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert json.loads(audit.to_json(words="flags")) == json.loads(said.stdout)
    series = fairveil.monitor(table, y_pred="y_pred", proxies=proxies, date="applied", limit=0.05, n_boot=100)
    # The command line has draws of its own number.
    said = run_cli("monitor", "people.csv", "--date", "applied", "--limit", "0.05", "--json", "-", cwd=tmp_path)
    assert said.returncode in {0, 1}, said.stderr
    assert [one.period for one in series.gaps] == ["2024-01", "2024-02", "2024-03", "2024-04"]
    theirs_found = [one["gaps"][0]["difference"]["value"] for one in json.loads(said.stdout)["periods"]]
    assert [one.difference.value for one in series.gaps] == theirs_found
    assert "2024-03" in str(series)
    assert "<svg" in series.plot().svg
    assert len(series.to_frame()) == 4


def test_gates_on_ratios_are_held_crossed_or_undecided(loans: dict[str, list[str]]) -> None:
    audit = fairveil.audit(loans, y_pred="y_pred", proxies=["proxy_1", "proxy_2", "proxy_3"], n_boot=200)
    states = [audit.gate("impact_ratio", below=value).state for value in (0.05, 0.999)]
    assert states[0] == "held"
    assert states[1] in {"crossed", "undecided"}
    assert audit.gate("demographic_parity", 0.9).state == "held"
    with pytest.raises(fairveil.SettingError):
        audit.gate("demographic_parity")
    with pytest.raises(fairveil.SettingError):
        audit.gate("odds", below=0.5)


def test_what_makes_no_sense_is_refused_in_words(loans: dict[str, list[str]]) -> None:
    roles = {"y_pred": "y_pred", "proxies": ["proxy_1", "proxy_2", "proxy_3"], "n_boot": 0}
    with pytest.raises(fairveil.SettingError, match="threshold"):
        fairveil.audit(loans, score="y_true", proxies=roles["proxies"])
    with pytest.raises(fairveil.SettingError, match="both given"):
        fairveil.audit(loans, **roles, score="y_true", threshold=0.5)
    with pytest.raises(fairveil.TableError, match="outcome"):
        fairveil.audit(loans, **roles, outcome="group")
    with pytest.raises(fairveil.SettingError, match="no proxy guesses it"):
        fairveil.audit(loans, **roles, reference="purple")
    with pytest.raises(fairveil.TableError, match="date"):
        fairveil.monitor(loans, **roles, date="group")
    same = {**loans, "fee": [1.5] * len(loans["y_pred"])}
    with pytest.raises(fairveil.EstimateError, match="on every row"):
        _ = fairveil.audit(same, **roles, outcome="fee").outcome


def scored(count: int = 3000) -> pd.DataFrame:
    """Give people with a score and a price, some of whom have none, and proxies of two attributes."""
    rng = np.random.default_rng(2)
    first, second = rng.random(count) < 0.4, rng.random(count) < 0.5
    table = {"score": np.clip(rng.normal(np.where(first, 0.45, 0.55), 0.15), 0, 1).round(4)}
    table["y_pred"] = (table["score"] >= 0.5).astype(int)
    table["y_true"] = (rng.random(count) < table["score"]).astype(int)
    price = rng.lognormal(np.where(first, 5.2, 5.0), 0.4).round(2)
    table["price"] = np.where(rng.random(count) < 0.03, np.nan, price)
    for at, right in enumerate((0.85, 0.8, 0.75)):
        table[f"proxy_{at + 1}"] = np.where((rng.random(count) < right) == first, "x", "z")
        table[f"sex_{at + 1}"] = np.where((rng.random(count) < right) == second, "f", "m")
    return pd.DataFrame(table)


PROXIES = ["proxy_1", "proxy_2", "proxy_3"]


def test_curves_are_those_of_the_command_line(tmp_path: Path) -> None:
    table = scored()
    table.to_csv(tmp_path / "people.csv", index=False)
    for words, flags in (
        ({"score": "score", "y_true": "y_true"}, ["--score", "score"]),
        ({"outcome": "price", "bins": "20:400:20", "y_true": "y_true"}, ["--outcome", "price", "--bins", "20:400:20"]),
        (
            {"score": "score", "bins": [0.3, 0.5, 0.7], "y_pred": "y_pred", "y_true": "y_true"},
            ["--score", "score", "--bins", "0.3,0.5,0.7", "--y-pred", "y_pred"],
        ),
    ):
        found = fairveil.curve(table, proxies=PROXIES, **words)
        said = run_cli("curve", "people.csv", "--proxy", ",".join(PROXIES), *flags, "--json", "-", cwd=tmp_path)
        assert said.returncode == 0, said.stderr
        assert json.loads(found.to_json(words="flags")) == json.loads(said.stdout)
    assert {one.at for one in found.thresholds} == {0.3, 0.5, 0.7}
    assert found.calibration
    assert found.quantiles[0].at == 0.1
    assert "<svg" in found.plot().svg
    assert len(found.to_frame()) == 6


def test_curves_are_exact_where_proxies_are_right() -> None:
    table = scored()
    right = {"estimator": "given", "given": np.eye(2), "groups": ["x", "z"], "reference": "z", "n_boot": 0}
    found = fairveil.curve(table, score="score", bins=[0.25, 0.5, 0.75], proxies=["proxy_1"], **right)
    for one in found.thresholds:
        rate = (table.score[table.proxy_1 == one.group] >= one.at).mean()
        assert one.value.value == pytest.approx(rate, abs=1e-12)


def test_two_attributes_are_those_of_the_command_line(tmp_path: Path) -> None:
    table = scored()
    table.to_csv(tmp_path / "people.csv", index=False)
    attributes = {"race": PROXIES, "sex": ["sex_1", "sex_2", "sex_3"]}
    found = fairveil.intersect(table, y_pred="y_pred", attributes=attributes, reference=("z", "m"))
    words = [f"--attribute={name}={','.join(columns)}" for name, columns in attributes.items()]
    said = run_cli("intersect", "people.csv", *words, "--reference", "z,m", "--json", "-", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert json.loads(found.to_json(words="flags")) == json.loads(said.stdout)
    assert found.reference == ("z", "m")
    assert list(found.to_frame().columns)[:2] == ["race", "sex"]
    with pytest.raises(fairveil.SettingError, match="in common"):
        fairveil.intersect(table, attributes={"race": PROXIES, "sex": ["sex_1", "proxy_1"]})
    with pytest.raises(fairveil.SettingError, match="two attributes"):
        fairveil.intersect(table, attributes={"race": PROXIES})


def test_an_engine_sums_outcomes_as_rows_do() -> None:
    table = scored()
    table.loc[7, "price"] = np.inf
    table["w"] = np.where(np.arange(len(table)) % 3 == 0, 0.5, 2.0)
    import duckdb
    import polars as pl

    roles = {"y_pred": "y_pred", "y_true": "y_true", "proxies": PROXIES, "outcome": "price"}
    connection = duckdb.connect()
    connection.register("people", table)
    for engine in (pl.from_pandas(table, nan_to_null=False).lazy(), connection.sql("SELECT * FROM people")):
        for more in ({}, {"sample_weight": "w"}):
            here = fairveil.audit(table, **roles, **more, n_boot=100).to_dict()["outcome"]
            there = fairveil.audit(engine, **roles, **more, n_boot=100).to_dict()["outcome"]
            assert there["rows_without"] == here["rows_without"]
            for one, other in zip(here["groups"], there["groups"], strict=True):
                assert other["mean"]["value"] == pytest.approx(one["mean"]["value"], rel=1e-11)
                assert other["mean"]["interval"]["low"] == pytest.approx(one["mean"]["interval"]["low"], rel=1e-9)


def test_a_number_that_cannot_be_cut_is_refused_in_words() -> None:
    table = scored(300)
    with pytest.raises(fairveil.SettingError, match="one number"):
        fairveil.curve(table, proxies=PROXIES)
    with pytest.raises(fairveil.SettingError, match="bins"):
        fairveil.curve(table, outcome="price", proxies=PROXIES)
    with pytest.raises(fairveil.SettingError, match="above the one before"):
        fairveil.curve(table, score="score", bins=[0.5, 0.2], proxies=PROXIES)
