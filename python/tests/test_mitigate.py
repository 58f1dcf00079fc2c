"""Rules: which rows they are measured on, several methods, and the ways out of the package."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import run_cli

import fairveil


def people(rows: int = 3000) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    group = rng.integers(0, 2, rows)
    table = pd.DataFrame({"a": group + rng.normal(size=rows), "b": rng.normal(size=rows)})
    chance = 1 / (1 + np.exp(-(table["a"] - 0.5 + table["b"])))
    table["y_true"] = (rng.random(rows) < chance).astype(int)
    table["y_pred"] = (chance > 0.5).astype(int)
    for proxy in (1, 2, 3):
        right = rng.random(rows) < 0.8
        table[f"proxy_{proxy}"] = np.where(right, group, 1 - group).astype(str)
    table["part"] = np.where(np.arange(rows) % 3 == 0, "test", "train")
    return table


def learned(**words: Any) -> fairveil.Mitigation:
    return fairveil.mitigate(people(), features=["a", "b"], n_boot=0, curve=False, **words)


def test_rows_are_cross_fitted_held_out_or_named() -> None:
    few = learned().to_dict()
    assert few["settings"]["measured_on"] == {"by": "cross_fitted", "folds": 5}
    named = learned(split="part").to_dict()
    assert named["settings"]["measured_on"] == {"by": "column", "name": "part"}
    assert named["input"]["rows_held_out"] == 1000
    held_out = learned(held_out=0.4).to_dict()
    assert held_out["settings"]["measured_on"] == {"by": "held_out"}
    assert abs(held_out["input"]["rows_held_out"] - 1200) < 4 * 27
    with pytest.raises(fairveil.SettingError, match="one way to measure"):
        learned(held_out=0.4, cross_fit=True)


def test_each_decision_before_may_have_error_rates_of_its_own() -> None:
    assert learned(local=True).to_dict()["settings"]["local"] is True
    assert "local" not in learned().to_dict()["settings"]
    with pytest.raises(fairveil.SettingError, match="local"):
        learned(local=True, noise_bins=3)


def test_several_methods_are_tried_on_the_same_rows() -> None:
    done = learned(method=["plug_in", "logistic"], cross_fit=True)
    assert [tried["method"] for tried in done.to_dict()["methods"]] == ["plug-in", "logistic"]
    assert "The methods on the same rows" in str(done)


def test_a_rule_goes_where_decisions_are_made(tmp_path: Path) -> None:
    rule = learned().rule
    assert 'FROM "people"' in rule.to_sql("people", dialect="postgres")
    with pytest.raises(fairveil.SettingError, match="no dialect"):
        rule.to_sql("people", dialect="cobol")
    assert rule.to_onnx()[:1] == b"\x08"
    assert "It reads" in str(rule)
    (tmp_path / "decides.py").write_text(rule.to_python())
    sys.path.insert(0, str(tmp_path))
    try:
        decides = importlib.import_module("decides")

        rows = people(50)
        alone = [decides.decide({"a": float(a), "b": float(b)}) for a, b in zip(rows["a"], rows["b"], strict=True)]
        assert alone == [str(one) for one in rule.predict(rows)]
    finally:
        sys.path.remove(str(tmp_path))


def test_a_rule_tells_margins_and_whom_it_was_not_learned_from(tmp_path: Path) -> None:
    rule, new = learned().rule, people(400).assign(id=range(400))
    told = rule.apply(new, review=0.1)
    assert told.decisions.dtype == np.int64
    assert ((told.margins > 0) == (told.decisions == rule.positive)).all()
    assert rule.positive == 1
    assert told.review is not None
    assert (told.review == (np.abs(told.margins) <= 0.1)).all()
    assert not told.doubts
    # As the command line tells it.
    (tmp_path / "rule.json").write_text(rule.to_json())
    new.to_csv(tmp_path / "new.csv", index=False)
    flags = ["--margin", "margin", "--review", 0.1, "-o", tmp_path / "decided.csv"]
    assert run_cli("apply", tmp_path / "rule.json", tmp_path / "new.csv", *flags).returncode == 0
    beside = pd.read_csv(tmp_path / "decided.csv")
    assert (beside["decision"] == told.decisions).all()
    assert (beside["margin"] == told.margins).all()
    assert (beside["review"] == told.review).all()

    far = new.copy()
    far.loc[7, "a"] = 1e6
    with pytest.warns(fairveil.FairveilWarning, match="1 rows are far outside"):
        assert rule.predict(far)[7] in {0, 1}
    with pytest.warns(fairveil.FairveilWarning, match="1 rows have no decision"):
        empty = rule.apply(far, outside="empty")
    assert empty.decisions[7] is None
    assert np.isnan(empty.margins[7])
    with pytest.raises(fairveil.TableError, match="outside"):
        rule.apply(far, outside="refuse")
    far.loc[7, "a"] = np.nan
    with pytest.raises(fairveil.TableError, match="missing"):
        rule.apply(far)
    with pytest.warns(fairveil.FairveilWarning, match="1 rows have no decision"):
        assert rule.apply(far, lenient=True).decisions[7] is None
    with pytest.warns(fairveil.FairveilWarning, match="these people differ"):
        rule.apply(new.assign(a=new["a"] + 2))
    with pytest.raises(fairveil.SettingError, match="tell, empty or refuse"):
        rule.apply(new, outside="ignore")  # type: ignore[arg-type]
    with pytest.raises(fairveil.SettingError, match="review is 0"):
        rule.apply(new, review=0)


def test_weights_are_those_of_the_command_line(tmp_path: Path) -> None:
    table = people()
    table.to_csv(tmp_path / "people.csv", index=False)
    flags = ["--criterion", "equalized_odds", "--weights-only", "-o", tmp_path / "weights.csv"]
    done = run_cli("mitigate", tmp_path / "people.csv", "--proxy", "proxy_1,proxy_2,proxy_3", *flags)
    assert done.returncode == 0, done.stderr
    beside = pd.read_csv(tmp_path / "weights.csv")
    words = {"y_true": "y_true", "proxies": ["proxy_1", "proxy_2", "proxy_3"], "criterion": "equalized_odds"}
    told = fairveil.gap_weights(table, **words)
    assert list(told.pairs) == list(beside.columns[1:])
    assert (told.weights == beside[list(told.pairs)].to_numpy()).all()
    # The gap in equal opportunity is that of an audit with the same errors.
    gap = float(told.weights[:, told.pairs.index("v_1_0_given_1")] @ table["y_pred"].to_numpy()) / len(table)
    asked = {"y_pred": "y_pred", "criteria": "equal_opportunity", "n_boot": 0}
    audit = fairveil.audit(table, **asked, y_true="y_true", proxies=words["proxies"]).to_dict()
    assert abs(abs(gap) - abs(audit["answers"][0]["value"])) < 0.05
    with pytest.raises(TypeError, match="local"):
        fairveil.gap_weights(table, **words, local=True)


def test_one_person_has_one_answer(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("a secret that nobody can guess")
    table = people(400).assign(person=lambda frame: [f"p{place}" for place in range(len(frame))])
    words: dict[str, Any] = {
        "proxies": ["proxy_1"],
        "epsilon": 1.0,
        "groups": ["0", "1"],
        "key_file": key,
        "id": "person",
    }
    first = fairveil.privatize(table, **words)
    second = fairveil.privatize(table.iloc[::-1], **words, earlier=[first.mechanism])
    assert second.table["proxy_1"].iloc[::-1].tolist() == first.table["proxy_1"].tolist()
    assert second.mechanism["epsilon_per_row"] == pytest.approx(1.0)


def test_a_plan_takes_an_epsilon() -> None:
    clear, told = fairveil.plan(accuracy=0.8, gap=0.1), fairveil.plan(accuracy=0.8, gap=0.1, epsilon=1.0)
    assert clear.rows_without_labels is not None
    assert told.rows_without_labels is not None
    assert told.rows_without_labels > 3 * clear.rows_without_labels
    with pytest.raises(fairveil.SettingError):
        fairveil.plan(epsilon=-1.0)


def test_what_an_epsilon_costs_needs_no_table(tmp_path: Path) -> None:
    assert fairveil.plan(accuracy=0.8).cost is None
    cost = fairveil.plan(accuracy=0.8, gap=0.1, rows=20_000, epsilon=0.8).cost
    assert cost is not None
    told = cost.to_dict()
    widths = [point["half_width"] for point in told["points"] if point["half_width"] is not None]
    assert widths == sorted(widths, reverse=True)
    assert 0.8 in [point["epsilon"] for point in told["points"]]
    cost.save_html(tmp_path / "cost.html")
    page = (tmp_path / "cost.html").read_text()
    assert "Nobody's guesses are behind this page" in page
    assert cost.plot().svg.startswith("<svg")
    words = [
        "plan",
        "--accuracy",
        0.8,
        "--gap",
        0.1,
        "--rows",
        20_000,
        "--epsilon",
        0.8,
        "--cost",
        tmp_path / "cost.json",
    ]
    assert run_cli(*words).returncode == 0
    assert json.loads((tmp_path / "cost.json").read_text()) == told
