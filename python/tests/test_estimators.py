"""The plug-in rule as a classifier of scikit-learn."""

from __future__ import annotations

import fairlearn.metrics as theirs
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import _check_sample_weight, validate_data
from test_fairlearn import biased

import fairveil
from fairveil.estimators import PlugInClassifier


class WithGuesses(PlugInClassifier):
    """What scikit-learn's checks need and the contract does not give: they know no proxies, and come with a few rows, where fewer
    than 100 are refused. Guesses are made up, and the checks' rows are repeated."""

    def fit(self, X, y, sample_weight=None):
        if y is None:
            return super().fit(X, y)
        features, labels = validate_data(self, X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, features)
        times = -(-3000 // len(features))
        features, labels = np.tile(features, (times, 1)), np.tile(labels, times)
        if isinstance(X, pd.DataFrame):
            features = pd.DataFrame(features, columns=X.columns)
        if sample_weight is not None:
            sample_weight = np.tile(sample_weight, times)
        rng = np.random.default_rng(0)
        rows = len(labels)
        group = np.where(rng.random(rows) < 0.3, rng.integers(0, 2, rows), labels == np.unique(labels)[-1]).astype(int)
        guesses = {f"proxy_{i}": np.where(rng.random(rows) < 0.1, 1 - group, group) for i in range(3)}
        return super().fit(features, labels, proxies=guesses, sample_weight=sample_weight)


@pytest.mark.filterwarnings("ignore")
def test_it_keeps_scikit_learns_contract() -> None:
    known = {"noise_estimator": "given", "given": 0.8 * np.eye(2) + 0.1, "groups": [0, 1]}
    # A wide tolerance: the checks want accuracy, and a rule that selects everyone is refused.
    checks = check_estimator(WithGuesses(**known, tolerance=0.95), on_fail=None)
    assert [one["check_name"] for one in checks if one["status"] == "failed"] == []
    assert sum(one["status"] == "passed" for one in checks) >= 55


def test_its_decisions_have_a_smaller_gap_than_those_of_a_plain_model() -> None:
    features, y, proxies, _ = biased(6000, 8)
    new, _, _, of_new = biased(6000, 9)
    rule = PlugInClassifier().fit(features, y, proxies=proxies)
    plain = LogisticRegression().fit(features, y)

    def gap(model) -> float:
        decided = model.predict(new)
        return theirs.demographic_parity_difference(decided, decided, sensitive_features=of_new)

    assert gap(rule) < gap(plain) / 3
    assert rule.score(features, y) > max(y.mean(), 1 - y.mean())
    names = np.array(["no", "yes"])[y]
    same = clone(rule).fit(features, names, proxies=proxies).predict(new)
    assert (same == np.array(["no", "yes"])[rule.predict(new)]).all()
    with pytest.raises(fairveil.SettingError, match="no proxies"):
        PlugInClassifier().fit(features, y)
    with pytest.raises(fairveil.SettingError, match="rows take part"):
        PlugInClassifier().fit(features[:50], y[:50], proxies=proxies[:50])
