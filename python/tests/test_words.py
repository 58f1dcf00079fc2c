"""What is said of values and reports: keywords that the command line has as flags, and what is refused of them."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import people, run_cli

import fairveil
from fairveil.metrics import ProxyMetricFrame

PROXIES = ["proxy_1", "proxy_2", "proxy_3"]
CODES = {"g0": "1", "g1": "2", None: "9"}


def cli(folder: Path, table: dict[str, list], *flags: object) -> str:
    path = folder / "people.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    told = run_cli("audit", path, "--json", "-", "--n-boot", 0, *flags)
    assert told.returncode == 0, told.stderr
    return told.stdout


@pytest.fixture(scope="module")
def coded() -> dict[str, list]:
    """Give guesses in codes, and labels under names of their own."""
    table = people(800, 3)
    del table["group"]
    table["proxy_1"] = [CODES[one] for one in table["proxy_1"]]
    table["y_true"] = ["repaid" if one == "1" else "lost, all" for one in table["y_true"]]
    return {name: ["" if one is None else one for one in values] for name, values in table.items()}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda table: table])
def test_values_are_named_as_on_the_command_line(tmp_path: Path, coded: dict[str, list], frame: object) -> None:
    expected = cli(
        tmp_path,
        coded,
        *["--map", "proxy_1:1=g0,2=g1,9=", "--positive-label", "repaid", "--selected-is", "adverse"],
    )
    assert '"selected_is": "adverse"' in expected
    maps = {"proxy_1": {1: "g0", "2": "g1", 9: None}}
    words = {"y_pred": "y_pred", "y_true": "y_true", "proxies": PROXIES, "positive_label": "repaid", "n_boot": 0}
    said = {**words, "map": maps, "selected_is": "adverse"}
    assert fairveil.audit(frame(coded), **said).to_json(words="flags") == expected
    others = {**said, "map": {"proxy_1": {1: "g0", 2: "g1", "*": None}}}
    assert fairveil.audit(frame(coded), **others).to_json(words="flags") == expected


@pytest.mark.parametrize(
    "words",
    [
        {"map": {"proxy_1": {1: "g0"}}},
        {"map": {"proxy_1": "1=g0"}},
        {"map": {"proxy_1": {}}},
        {"map": {"nobody": {1: "g0"}}},
        {"map": [("proxy_1", {1: "g0"})]},
        {"map": {"proxy_1": {1: "g0", 2: "g1", 9: None}}, "positive_label": "nobody"},
        {"map": {"proxy_1": {1: "g0", 2: "g1", 9: None}}, "selected_is": "bad"},
        {"map": {"proxy_1": {1: "g0", 2: "g1", 9: None}}, "scale": True},
    ],
    ids=str,
)
def test_what_values_cannot_mean_is_refused_in_words(coded: dict[str, list], words: dict) -> None:
    with pytest.raises(fairveil.FairveilError) as refused:
        fairveil.audit(coded, y_pred="y_pred", y_true="y_true", proxies=PROXIES, n_boot=0, **words)
    assert refused.value.needed or refused.value.to_do


def test_probabilities_are_named_by_pattern_and_by_group(tmp_path: Path) -> None:
    table = people(600, 5)
    del table["group"]
    sure = np.random.default_rng(5).uniform(0.05, 0.95, 600).round(3)
    table |= {"p_w": sure.tolist(), "p_b": (1 - sure).round(3).tolist()}
    table |= {"g0_prob": table["p_w"], "g1_prob": table["p_b"]}
    table = {name: ["" if one is None else one for one in values] for name, values in table.items()}
    expected = cli(tmp_path, table, "--proxy", ",".join(PROXIES), "--proxy-probs", "bisg:vendor=g0:p_w,g1:p_b")
    words = {"y_pred": "y_pred", "proxies": PROXIES, "sources": {"bisg": "vendor"}, "n_boot": 0}
    for probabilities in (
        {"bisg": {"g0": "p_w", "g1": "p_b"}},
        {"bisg": {"g0": "p_w", "g1": None}},
        ["bisg=g0:p_w,g1:p_b"],
        "bisg=*_prob",
    ):
        for frame in (table, pd.DataFrame(table), pl.DataFrame(table)):
            audit = fairveil.audit(frame, proxy_probs=probabilities, **words)
            assert audit.to_json(words="flags") == expected, probabilities
    with pytest.raises(fairveil.SettingError, match="beside an engine"):
        fairveil.audit(pl.DataFrame(table).lazy(), proxy_probs={"bisg": {"g0": "p_w", "g1": "p_b"}}, **words)
    with pytest.raises(fairveil.SettingError, match="no table"):
        fairveil.audit(y_pred=table["y_pred"], proxy_probs={"bisg": {"g0": "p_w", "g1": "p_b"}})


def test_features_on_other_scales_are_noted_and_scaled_where_asked(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table: dict[str, list] = dict(people(400, 1, proxies=1))
    group = np.array(table.pop("group")) == "g1"
    table |= {"age": (group * 3 + rng.normal(size=400)).round(4).tolist()}
    table |= {"income": (rng.normal(size=400) * 1e5).round(1).tolist()}
    table["proxy_1"] = ["" if one is None else one for one in table["proxy_1"]]
    words = {"y_pred": "y_pred", "proxies": ["proxy_1"], "features": ["age", "income"], "n_boot": 0}
    with pytest.warns(fairveil.FairveilWarning, match=r"note: features are used as they are.*scale=") as noted:
        fairveil.audit(table, **words)
    assert noted[0].filename == __file__
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        scaled = fairveil.audit(table, scale=True, **words)
    assert not [one for one in noted if "as they are" in str(one.message)]
    flags = ["--proxy", "proxy_1", "--features", "age,income", "--scale"]
    assert scaled.to_json(words="flags") == cli(tmp_path, table, *flags)


def test_a_tally_of_single_people_is_audited_and_not_handed_out(loans: dict[str, list[str]]) -> None:
    roles = {"y_pred": "y_pred", "proxies": PROXIES, "control_features": "id"}
    table = {**loans, "id": [str(place) for place in range(len(loans["y_pred"]))]}
    counts = fairveil.Counts.from_frame(table, **roles)
    for handed in (counts.to_csv, counts.to_frame, (counts + counts).to_csv):
        with pytest.raises(fairveil.TableError, match="what was guessed about the people") as refused:
            handed()
        assert "min_segment=" in refused.value.to_do
    assert counts.audit(n_boot=0).answer
    assert fairveil.Counts.from_frame(table, min_segment=0, **roles).to_csv()
    assert fairveil.Counts.from_frame(table, min_cell=10, **roles).to_csv()
    table["id"] = ["north" if place % 2 else "south" for place in range(len(loans["y_pred"]))]
    assert fairveil.Counts.from_frame(table, **roles).to_csv()


def test_a_page_says_what_it_is_about_and_its_first_sheet_stands_alone(
    tmp_path: Path, loans: dict[str, list[str]]
) -> None:
    audit = fairveil.audit(loans, y_pred="y_pred", proxies=PROXIES, n_boot=0)
    identity = {
        "title": "Loans <2026>",
        "model": "scorecard 3",
        "author": "R. Reader",
        "purpose": "review",
        "note": "draft",
    }
    for save in (audit.save_html, audit.save_brief, audit.save_markdown):
        save(tmp_path / "page", **identity)
        page = (tmp_path / "page").read_text()
        for said in ("scorecard 3", "R. Reader", "review", "draft"):
            assert said in page, (save, said)
        assert "Loans <2026>" not in page
    audit.save_html(tmp_path / "whole.html")
    audit.save_brief(tmp_path / "brief.html")
    whole, brief = ((tmp_path / name).read_text() for name in ("whole.html", "brief.html"))
    assert "<h1" in brief
    assert len(brief) < 0.5 * len(whole)
    with pytest.raises(fairveil.SettingError, match="titel="):
        audit.save_html(tmp_path / "whole.html", titel="Loans")
    with pytest.raises(fairveil.SettingError, match="type int"):
        audit.save_html(tmp_path / "whole.html", note=1)


def test_gaps_of_rates_have_the_intervals_of_their_criteria(loans: dict[str, list[str]]) -> None:
    table = pd.DataFrame(loans)
    made = {"y_true": table["y_true"], "y_pred": table["y_pred"], "proxies": table[PROXIES], "n_boot": 200}
    frame = ProxyMetricFrame(metrics=["selection_rate", "recall_score", "base_rate"], **made)
    low, high = frame.difference_ci()
    for name, criterion in (("selection_rate", "demographic_parity"), ("true_positive_rate", "equal_opportunity")):
        expected = frame.audit.difference(criterion).interval
        assert (low[name], high[name]) == (expected.low, expected.high)
        assert low[name] <= frame.difference()[name] <= high[name]
    assert np.isnan(low["base_rate"])
    low, high = frame.ratio_ci()
    assert low["selection_rate"] <= frame.ratio()["selection_rate"] <= high["selection_rate"]
    alone = ProxyMetricFrame(metrics="selection_rate", **made)
    assert [low["selection_rate"], high["selection_rate"]] == alone.ratio_ci()
    region = pd.Series(np.where(np.arange(len(table)) % 2, "north", "south"))
    cut = ProxyMetricFrame(metrics=["selection_rate"], control_features={"region": region}, **made)
    low, high = cut.difference_ci()
    assert list(low.index.get_level_values(0)) == ["north", "south"]
    assert (low <= high).all(axis=None)
