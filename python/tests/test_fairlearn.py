"""fairlearn's numbers, where the group itself is the proxy and error rates are none; and its habits, where proxies stand in."""

from __future__ import annotations

import fairlearn.metrics as theirs
import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import people
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, precision_score
from sklearn.model_selection import GridSearchCV

import fairveil
from fairveil import metrics as ours

METRICS = [
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equalized_odds_difference",
    "equalized_odds_ratio",
    "equal_opportunity_difference",
    "equal_opportunity_ratio",
]
RATES = {
    "selection_rate": theirs.selection_rate,
    "true_positive_rate": theirs.true_positive_rate,
    "false_positive_rate": theirs.false_positive_rate,
    "false_negative_rate": theirs.false_negative_rate,
    "accuracy": accuracy_score,
    "precision": lambda *rows, **weight: precision_score(*rows, zero_division=0, **weight),
}


def table(seed: int) -> dict:
    """Give a random table: two to five groups, names or numbers, weights or none, classes that some groups lack."""
    rng = np.random.default_rng(seed)
    rows, groups = int(rng.integers(60, 400)), int(rng.integers(2, 6))
    group = rng.choice(groups, rows)
    group[:groups] = np.arange(groups)
    names = np.array([f"group {place}" for place in range(groups)]) if rng.random() < 0.5 else np.arange(groups) * 3
    y_true = (rng.random(rows) < rng.uniform(0.1, 0.9, groups)[group]).astype(int)
    y_pred = (rng.random(rows) < rng.uniform(0.05, 0.95, groups)[group]).astype(int)
    kind = seed % 5
    if kind == 1:
        y_pred[group == 0] = 0  # nobody of a group is selected
    if kind == 2:
        y_true[group == 1] = 1  # a group without a negative label
    if seed % 40 == 3:
        y_pred[:] = 1  # a decision that is never made
    weight = rng.choice([0.25, 1.0, 3.5], rows) if rng.random() < 0.5 else None
    return {"y_true": y_true, "y_pred": y_pred, "group": names[group], "weight": weight}


def known(group: np.ndarray) -> dict:
    """Give the settings that take the group for granted."""
    groups = np.unique(group).tolist()
    return {"proxies": {"group": group}, "estimator": "given", "given": np.eye(len(groups)), "groups": groups}


def rates(one: dict) -> pd.DataFrame:
    params = {} if one["weight"] is None else {name: {"sample_weight": one["weight"]} for name in RATES}
    return theirs.MetricFrame(
        metrics=RATES, y_true=one["y_true"], y_pred=one["y_pred"], sensitive_features=one["group"], sample_params=params
    )


@pytest.mark.parametrize("seed", range(200))
def test_with_the_group_itself_the_numbers_are_fairlearns(seed: int) -> None:
    one = table(seed)
    words = known(one["group"])
    weight = one["weight"]
    if one["y_pred"].min() == one["y_pred"].max():
        with pytest.raises(fairveil.TableError, match="fewer than two classes"):
            ours.demographic_parity_difference(one["y_true"], one["y_pred"], sample_weight=weight, **words)
        return
    groups = pd.Series(one["y_true"]).groupby(one["group"])
    everyone_has_both = groups.nunique().min() == 2
    for name in METRICS:
        wanted = getattr(theirs, name)(
            one["y_true"], one["y_pred"], sensitive_features=one["group"], sample_weight=weight
        )
        mine = getattr(ours, name)
        if "demographic" not in name and not everyone_has_both:
            # A rate among nobody: fairlearn takes it for 0, and nobody can know it.
            if name.startswith("equalized_odds"):
                with pytest.raises(fairveil.EstimateError):
                    mine(one["y_true"], one["y_pred"], sample_weight=weight, **words)
            continue
        if np.isnan(wanted) or (name.endswith("ratio") and one["y_pred"].max() == 0):
            with pytest.raises(fairveil.EstimateError):
                mine(one["y_true"], one["y_pred"], sample_weight=weight, **words)
            continue
        found = mine(one["y_true"], one["y_pred"], sample_weight=weight, **words)
        assert found == pytest.approx(wanted, abs=1e-12), name
    frame = ours.ProxyMetricFrame(
        metrics=list(RATES), y_true=one["y_true"], y_pred=one["y_pred"], sample_weight=weight, n_boot=0, **words
    )
    theirs_frame = rates(one)
    by_group = frame.by_group.loc[[str(group) for group in theirs_frame.by_group.index]]
    there = by_group.notna().to_numpy()
    difference = np.abs(by_group.to_numpy() - theirs_frame.by_group.to_numpy(dtype=float))
    assert difference[there].max() < 1e-12
    # What is absent is a rate among nobody.
    assert (theirs_frame.by_group.to_numpy(dtype=float)[~there] == 0).all()
    for name in RATES:
        if frame.overall[name] is not None and not np.isnan(frame.overall[name]):
            assert frame.overall[name] == pytest.approx(theirs_frame.overall[name], abs=1e-12)
    if there.all():
        pd.testing.assert_series_equal(
            frame.difference(),
            theirs_frame.difference()[list(RATES)].astype(float),
            check_names=False,
            rtol=0,
            atol=1e-12,
        )
        pd.testing.assert_series_equal(
            frame.group_max(), theirs_frame.group_max()[list(RATES)].astype(float), check_names=False
        )


@pytest.mark.parametrize("seed", range(10))
def test_labels_that_are_names_are_taken_too(seed: int) -> None:
    one = table(5 * seed)
    word = np.array(["no", "yes"])
    y_true, y_pred = word[one["y_true"]], word[one["y_pred"]]

    def selected_yes(y_true: np.ndarray, y_pred: np.ndarray) -> float:
        return theirs.selection_rate(y_true, y_pred, pos_label="yes")

    selected = theirs.MetricFrame(
        metrics=selected_yes,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=one["group"],
    )
    found = ours.demographic_parity_difference(y_true, y_pred, pos_label="yes", **known(one["group"]))
    assert found == pytest.approx(selected.difference(), abs=1e-12)


def test_a_gap_is_a_number_whose_interval_is_made_when_asked_for() -> None:
    loans = people(3000, 7)
    proxies = pd.DataFrame(loans)[["proxy_1", "proxy_2", "proxy_3"]]
    y_true, y_pred = np.array(loans["y_true"]).astype(int), np.array(loans["y_pred"]).astype(int)
    gap = ours.demographic_parity_difference(y_true, y_pred, proxies=proxies)
    naive = theirs.demographic_parity_difference(y_true, y_pred, sensitive_features=proxies["proxy_1"].fillna("none"))
    assert isinstance(gap, float)
    assert gap.interval is not None
    assert float(gap) in gap.interval
    assert gap.range.high >= gap.interval.high
    assert gap != naive
    whole = fairveil.audit(y_pred=y_pred, proxies=proxies, n_boot=0)
    assert float(gap) == whole.difference("demographic_parity").value


@pytest.mark.parametrize("words", [{"method": "to_overall"}, {"agg": "mean"}])
def test_what_is_not_estimated_is_refused(words: dict) -> None:
    one = table(0)
    with pytest.raises(fairveil.SettingError):
        ours.equalized_odds_difference(one["y_true"], one["y_pred"], **known(one["group"]), **words)


def test_one_proxy_alone_tells_no_number() -> None:
    loans = people(1000, 3)
    with pytest.raises(fairveil.EstimateError, match="demographic parity"):
        ours.demographic_parity_difference(None, loans["y_pred"], proxies={"one": loans["proxy_1"]})


def test_segments_are_rows_of_the_frame() -> None:
    loans = pd.DataFrame(people(2000, 5))
    loans["region"] = np.where(np.arange(2000) % 2, "north", "south")
    frame = ours.ProxyMetricFrame(
        metrics="selection_rate",
        y_true=loans["y_true"],
        y_pred=loans["y_pred"],
        proxies=loans[["proxy_1", "proxy_2", "proxy_3"]],
        control_features=loans["region"],
        n_boot=100,
    )
    assert sorted(frame.by_group.index) == [(region, group) for region in ("north", "south") for group in ("g0", "g1")]
    assert frame.difference().index.tolist() == ["north", "south"]
    low, high = frame.by_group_ci
    assert ((low <= frame.by_group) & (frame.by_group <= high)).all()


def search(scorer: object, routed: bool) -> GridSearchCV:
    rng = np.random.default_rng(1)
    rows = 3000
    group = rng.integers(0, 2, rows)
    features = pd.DataFrame(
        {"a": rng.normal(size=rows) + group, "b": rng.normal(size=rows)}, index=np.arange(rows) + 10
    )
    y = (features["a"] + features["b"] + rng.normal(size=rows) > 0.5).astype(int)
    guesses = {f"proxy_{i}": np.where(rng.random(rows) < 0.2, 1 - group, group) for i in range(3)}
    proxies = pd.DataFrame(guesses, index=features.index)
    grid = {"C": [0.001, 1.0]}
    if routed:
        with sklearn.config_context(enable_metadata_routing=True):
            found = GridSearchCV(LogisticRegression(), grid, scoring=scorer.set_score_request(proxies=True), cv=3)
            return found.fit(features, y, proxies=proxies)
    found = GridSearchCV(LogisticRegression(), grid, scoring=scorer(proxies), cv=3)
    return found.fit(features, y)


def test_a_grid_search_looks_at_calibrated_gaps() -> None:
    by_index = search(lambda proxies: ours.make_scorer("demographic_parity_difference", proxies=proxies), routed=False)
    routed = search(ours.make_scorer("demographic_parity_difference"), routed=True)
    scores = by_index.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert (scores < 0).all()
    np.testing.assert_array_equal(scores, routed.cv_results_["mean_test_score"])
    with pytest.raises(fairveil.SettingError, match="no metric"):
        ours.make_scorer("justice")


def biased(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    """Give features that go with the group, labels that follow them, guesses, and the group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, rows)
    features = pd.DataFrame({"a": rng.normal(size=rows) + 1.2 * group, "b": rng.normal(size=rows)})
    y = (features["a"] + features["b"] + 0.5 * rng.normal(size=rows) > 0.6).astype(int).to_numpy()
    guesses = {f"proxy_{i}": np.where(rng.random(rows) < 0.15, 1 - group, group) for i in range(3)}
    return features, y, pd.DataFrame(guesses), group


# fairlearn's own code meets a newer pandas.
@pytest.mark.filterwarnings("ignore:Setting a")
@pytest.mark.filterwarnings("ignore:Setting an")
def test_a_reduction_takes_proxies_in_place_of_the_group() -> None:
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient

    from fairveil.reductions import ProxyDemographicParity

    features, y, proxies, group = biased(4000, 2)

    def true_gap(decided: np.ndarray) -> float:
        return theirs.demographic_parity_difference(y, decided, sensitive_features=group)

    before = true_gap(LogisticRegression().fit(features, y).predict(features))
    reduced = ExponentiatedGradient(LogisticRegression(), ProxyDemographicParity(difference_bound=0.02), max_iter=20)
    reduced.fit(features, y, proxies=proxies)
    after = true_gap(reduced.predict(features, random_state=0))
    with_group = ExponentiatedGradient(LogisticRegression(), DemographicParity(difference_bound=0.02), max_iter=20)
    with_group.fit(features, y, sensitive_features=group)
    best = true_gap(with_group.predict(features, random_state=0))
    assert before > 0.3
    # 4,000 rows leave a standard error of about 0.02 in the gap that the weights know.
    assert after < best + 0.06
    assert reduced.n_oracle_calls_ > 1


def test_the_weights_of_a_reduction_give_the_calibrated_gap() -> None:
    from fairveil.reductions import ProxyDemographicParity

    features, y, proxies, _ = biased(3000, 4)
    moment = ProxyDemographicParity(estimator="hoc")
    moment.load_data(features, y, proxies=proxies)
    gamma = moment.gamma(lambda _: y)
    gap = ours.demographic_parity_difference(y, y, proxies=proxies, estimator="hoc", scope="global")
    assert gamma.abs().max() == pytest.approx(float(gap), abs=1e-9)
    with pytest.raises(fairveil.SettingError, match="proxies"):
        ProxyDemographicParity().load_data(features, y, sensitive_features=proxies["proxy_0"])


def test_a_rule_is_learned_and_decides_without_proxies(tmp_path) -> None:
    import pickle

    from conftest import run_cli

    features, y, proxies, group = biased(3000, 6)
    table = features.assign(y_true=y).join(proxies.astype(str))
    words = {"features": ["a", "b"], "y_true": "y_true", "proxies": list(proxies), "n_boot": 100, "curve": False}
    done = fairveil.mitigate(table, **words)
    decided = done.rule.predict(features)
    selected = pd.Series(decided == done.rule.positive).groupby(group).mean()
    naive = pd.Series(LogisticRegression().fit(features, y).predict(features)).groupby(group).mean()
    assert abs(selected[1] - selected[0]) < abs(naive[1] - naive[0]) / 2
    assert done.rule.features == ("a", "b")
    assert pickle.loads(pickle.dumps(done.rule)).to_json() == done.rule.to_json()
    table.to_csv(tmp_path / "people.csv", index=False)
    flags = [part for name in proxies for part in ("--proxy", name)]
    told = run_cli(
        "mitigate", tmp_path / "people.csv", "--features", "a,b", *flags, "--n-boot", 100, "--no-curve", "--json", "-",
        "-o", tmp_path / "rule.json",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    named = fairveil.mitigate(table, **words, name="people.csv")
    assert named.to_json(words="flags") == told.stdout
    assert (tmp_path / "rule.json").read_text() == done.rule.to_json()
    features.to_csv(tmp_path / "new.csv", index=False)
    run_cli("apply", tmp_path / "rule.json", tmp_path / "new.csv", "-o", tmp_path / "decided.csv")
    assert pd.read_csv(tmp_path / "decided.csv", dtype=str).iloc[:, -1].tolist() == [str(one) for one in decided]
    with pytest.raises(fairveil.TableError):
        done.rule.predict(features[["a"]])
    with pytest.raises(fairveil.SettingError, match="no features"):
        fairveil.mitigate(table, **{**words, "features": []})
