"""What an audit says, how it refuses, and how it is stopped."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import people, run_cli

import fairveil

PROXIES = ["proxy_1", "proxy_2", "proxy_3"]


@pytest.fixture(scope="module")
def audit(loans: dict[str, list[str]]) -> fairveil.Audit:
    table = {name: values for name, values in loans.items() if name != "group"}
    return fairveil.audit(table, proxies=PROXIES, n_boot=200)


def test_every_number_is_that_of_the_record(audit: fairveil.Audit) -> None:
    record = json.loads(audit.to_json())
    assert record == audit.to_dict()
    top = record["answers"][0]
    answer = audit.answer["demographic_parity"]
    assert (answer.says, answer.difference.value) == (top["says"], top["value"])
    assert answer.difference.range == fairveil.Interval(top["range"]["low"], top["range"]["high"])
    for criterion in record["settings"]["criteria"]:
        for aggregate in ("mean_pairwise", "difference", "ratio"):
            wanted = [
                one
                for one in record["results"]
                if (one["criterion"], one["aggregate"], one["recommended"]) == (criterion, aggregate, True)
            ]
            found = audit.disparity(criterion, aggregate=aggregate)
            assert found.value == wanted[0]["value"]
            assert found.interval is not None
            assert found.interval.low == wanted[0]["interval"]["low"]
    assert audit.difference() == audit.disparity(aggregate="difference")
    assert audit.ratio().value == audit.disparity(aggregate="ratio").value
    rates = {group: rate.selection_rate.value for group, rate in audit.by_group.items()}
    assert audit.group_max().value == max(rates.values())
    assert rates[audit.group_min().group] == min(rates.values())
    assert len(audit.to_frame(backend="polars")) == len(record["results"])
    assert [finding.code for finding in audit.findings] == [one["code"] for one in record["findings"]]
    assert len(audit.bounds) == len(record["bounds"])
    assert set(audit.sensitivity) == {one["criterion"] for one in record["shared_error"]}


def test_proxies_err_as_they_were_made_to(audit: fairveil.Audit) -> None:
    matrix = audit.transition_
    assert isinstance(matrix, np.ndarray)
    # One guess in five is wrong; 3,000 rows leave a standard error of about 0.02.
    np.testing.assert_allclose(np.diag(matrix), 0.8, atol=0.08)
    assert audit.group_shares_ is not None
    assert sum(audit.group_shares_.values()) == pytest.approx(1)


def test_nothing_changes_an_audit(audit: fairveil.Audit) -> None:
    with pytest.raises(AttributeError, match="does not change"):
        audit.answer = None
    with pytest.raises(TypeError):
        audit.answer["demographic_parity"] = None
    with pytest.raises(AttributeError):
        audit.difference().value = 0.0
    audit.to_dict()["answers"].clear()
    assert audit.answer


def test_it_travels_between_processes(audit: fairveil.Audit) -> None:
    back = pickle.loads(pickle.dumps(audit))
    assert back.to_json() == audit.to_json()
    assert str(back) == str(audit)


def test_pages_are_those_of_the_report(audit: fairveil.Audit, tmp_path: Path) -> None:
    audit.save_html(tmp_path / "page.html")
    audit.save_markdown(tmp_path / "page.md")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "--audit-labels" not in page
    assert (tmp_path / "page.md").read_text().startswith("#")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "page.md"]
    shown = audit._repr_html_()
    assert 'sandbox="allow-same-origin"' in shown
    assert "allow-scripts" not in shown
    assert "<script" not in shown
    assert audit.plot().svg.startswith("<svg")
    with pytest.raises(fairveil.SettingError, match="no plot"):
        audit.plot("nothing")


def test_segments_are_audits_of_their_own(loans: dict[str, list[str]]) -> None:
    table = pd.DataFrame(loans).drop(columns="group")
    table["region"] = ["north", "south"] * (len(table) // 2)
    audit = fairveil.audit(table, control_features="region", n_boot=0)
    north = audit.segments[("north",)]
    assert isinstance(north, fairveil.Audit)
    alone = fairveil.audit(table[table["region"] == "north"].drop(columns="region"), n_boot=0)
    assert north.difference().value == alone.difference().value


@pytest.mark.parametrize(
    ("words", "kind", "found", "keyword"),
    [
        ({"y_pred": "hird", "proxies": PROXIES}, fairveil.TableError, "there is no such column", None),
        ({"proxies": PROXIES, "confidence": 2}, fairveil.SettingError, "confidence is 2", "confidence="),
        ({"proxies": PROXIES, "estimator": "magic"}, fairveil.SettingError, "estimator=", None),
        ({"proxies": PROXIES, "criteria": "justice"}, fairveil.SettingError, "criteria=", None),
        (
            {"proxies": PROXIES, "estimator": "audit"},
            fairveil.SettingError,
            "no row has a known group",
            "audit_labels=",
        ),
        ({"proxies": PROXIES[:1], "estimator": "hoc"}, fairveil.EstimateError, "estimator hoc", "estimator="),
        ({"proxies": PROXIES, "known_shares": {"nobody": 0.5}}, fairveil.SettingError, "`nobody`", None),
        ({"proxies": PROXIES, "sources": ["census"]}, fairveil.SettingError, "sources= has 1", None),
    ],
)
def test_a_refusal_says_found_needed_and_to_do(
    loans: dict[str, list[str]], words: dict, kind: type, found: str, keyword: str | None
) -> None:
    table = {name: values for name, values in loans.items() if name != "group"}
    with pytest.raises(kind) as refused:
        fairveil.audit(table, **words, n_boot=0)
    error = refused.value
    assert isinstance(error, fairveil.FairveilError)
    assert found in error.found
    assert "--" not in str(error)
    if keyword is not None:
        assert keyword in (error.to_do or "")
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back)) == (type(error), str(error))


def test_arrays_that_do_not_fit_are_refused(loans: dict[str, list[str]]) -> None:
    with pytest.raises(fairveil.TableError, match="`proxy_2` has 10 values"):
        fairveil.audit(y_pred=loans["y_pred"], proxies={"proxy_1": loans["proxy_1"], "proxy_2": loans["proxy_2"][:10]})
    with pytest.raises(fairveil.TableError, match="3 dimensions"):
        fairveil.audit(y_pred=np.zeros((3, 3, 3)), proxies={"proxy_1": ["a", "b", "a"]})
    with pytest.raises(fairveil.TableError, match="decode"):
        fairveil.audit(y_pred=[b"a", b"b"], proxies={"proxy_1": ["a", "b"]})
    with pytest.raises(fairveil.SettingError, match="no table"):
        fairveil.audit(y_pred="y_pred", proxies=["proxy_1"])
    with pytest.raises(fairveil.SettingError, match="neither"):
        fairveil.audit()
    with pytest.raises(fairveil.TableError, match="of type int"):
        fairveil.audit(3, y_pred="y_pred")


def test_findings_are_warnings_once_for_each_code(loans: dict[str, list[str]]) -> None:
    twins = {**{name: loans[name] for name in PROXIES}, "proxy_4": loans["proxy_1"], "proxy_5": loans["proxy_2"]}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        audit = fairveil.audit(y_pred=loans["y_pred"], proxies=twins, n_boot=0)
    codes = [one.message.code for one in told if isinstance(one.message, fairveil.FairveilWarning)]
    wanted = {finding.code for finding in audit.findings if finding.severity != "info"}
    assert sorted(codes) == sorted(wanted)
    assert wanted
    assert {Path(one.filename).name for one in told} == {"test_audit.py"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", fairveil.FairveilWarning)
        with pytest.raises(fairveil.FairveilWarning):
            fairveil.audit(y_pred=loans["y_pred"], proxies=twins, n_boot=0)


def test_error_rates_that_are_given_are_used(loans: dict[str, list[str]]) -> None:
    words = {
        "y_pred": loans["y_pred"],
        "proxies": {"known": loans["group"]},
        "estimator": "given",
        "n_boot": 0,
        "groups": ["g0", "g1"],
    }
    audit = fairveil.audit(**words, given=np.eye(2))
    table = pd.DataFrame(loans)
    rates = (table["y_pred"] == "1").groupby(table["group"]).mean()
    assert audit.difference().value == pytest.approx(rates.max() - rates.min(), abs=1e-12)
    learned = fairveil.audit(y_pred=loans["y_pred"], proxies={name: loans[name] for name in PROXIES}, n_boot=0)
    assert fairveil.audit(**words, given=learned).difference().value != audit.difference().value


def test_rows_of_another_population_show_how_proxies_err(loans: dict[str, list[str]]) -> None:
    table = {name: loans[name] for name in ("y_pred", *PROXIES)}
    sample = pd.DataFrame(people(400, 11))[[*PROXIES, "group"]]
    audit = fairveil.audit(
        table, proxies=PROXIES, audit_labels="group", audit_table=sample, estimator="audit", n_boot=0
    )
    assert audit.advice.estimator == "audit"


def test_other_threads_run_meanwhile(loans: dict[str, list[str]]) -> None:
    import threading

    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    fairveil.audit(y_pred=loans["y_pred"], proxies={name: loans[name] for name in PROXIES}, n_boot=2000)
    during = ticks - before
    done.set()
    thread.join()
    assert during > 5


def test_the_command_comes_with_the_package(tmp_path: Path) -> None:
    told = run_cli("simulate", "--rows", 50, "-o", tmp_path / "people.csv")
    assert told.returncode == 0, told.stderr
    here = fairveil.simulate(rows=50, backend="polars")
    assert here.equals(pl.read_csv(tmp_path / "people.csv", infer_schema=False))
    assert run_cli("audit", tmp_path / "none.csv").returncode == 2
    assert run_cli("--version").stdout == f"fairveil {fairveil.__version__}\n"
    assert run_cli("magic").returncode == 2


def test_models_are_compared_as_by_the_command_line(loans: dict[str, list[str]], tmp_path: Path) -> None:
    table = pd.DataFrame(loans).drop(columns="group").rename(columns={"y_pred": "old"})
    table["new"] = table["y_true"]
    table.to_csv(tmp_path / "people.csv", index=False)
    flags = [part for name in PROXIES for part in ("--proxy", name)]
    told = run_cli(
        "compare", tmp_path / "people.csv", "--y-pred", "old", "--y-pred", "new", *flags, "--n-boot", 100, "--json", "-"
    )
    assert told.returncode == 0, told.stderr
    words = {"proxies": PROXIES, "n_boot": 100}
    both = fairveil.compare(table, y_preds=["old", "new"], **words)
    assert both.to_json(words="flags") == told.stdout
    arrays = {name: table[name] for name in ("old", "new")}
    others = table[["y_true", *PROXIES]]
    assert fairveil.compare(others, y_preds=arrays, **words).to_json(words="flags") == told.stdout
    assert list(both.models) == ["old", "new"]
    assert len(both.to_frame(backend="pandas")) == len(both.pairs)
    with pytest.raises(fairveil.SettingError, match="1 model"):
        fairveil.compare(table, y_preds=["old"], **words)


def test_a_plan_is_that_of_the_command_line(audit: fairveil.Audit, tmp_path: Path) -> None:
    (tmp_path / "audit.json").write_text(audit.to_json())
    told = json.loads(run_cli("plan", "--from", tmp_path / "audit.json", "--half-width", 0.03, "--json", "-").stdout)
    plan = fairveil.plan(audit, half_width=0.03)
    assert plan.rows_without_labels == told["rows_without_labels"]
    assert plan.labels_beside_rows == told["labels_beside_rows"]
    assert [dict(point) for point in plan.curve] == told["curve"]
    told = json.loads(run_cli("plan", "--accuracy", 0.8, "--gap", 0.1, "--json", "-").stdout)
    assert fairveil.plan(accuracy=0.8, gap=0.1).labels_alone == told["labels_alone"]
