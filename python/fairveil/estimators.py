"""The plug-in rule as a classifier of scikit-learn: ``fit(X, y, proxies=guesses)``, and no proxy when it decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairveil import _native
from fairveil._libraries import library
from fairveil._mitigate import Rule, rows_asked
from fairveil.errors import SettingError

__all__ = ["PlugInClassifier"]

_base: Any = library("sklearn.base")
_Classifier: Any = _base.ClassifierMixin
_Estimator: Any = _base.BaseEstimator
_validation: Any = library("sklearn.utils.validation")
_multiclass: Any = library("sklearn.utils.multiclass")


class PlugInClassifier(_Classifier, _Estimator):
    """Decisions of two classes with a small gap between groups that nobody recorded.

    Features are numbers. All rows are learned from; measure on others, with :func:`fairveil.audit` or a scorer of
    :mod:`fairveil.metrics`. :func:`fairveil.mitigate` also takes categories, holds rows out and reports before and after.

    :param criterion: whose gap is made small.
    :param tolerance: the gap that may stay.
    :param noise_estimator: how the proxies' errors are learned, as ``estimator`` of :func:`fairveil.audit`.
    :param given: error rates from elsewhere.
    :param groups: the groups, in the order of ``given``.
    """

    def __init__(
        self,
        *,
        criterion: str = "demographic_parity",
        tolerance: float = 0.0,
        noise_estimator: str = "auto",
        given: Any = None,
        groups: Any = None,
        folds: int = 5,
        random_state: Any = 0,
    ) -> None:
        """Take settings as they are; ``fit`` looks at them."""
        self.criterion = criterion
        self.tolerance = tolerance
        self.noise_estimator = noise_estimator
        self.given = given
        self.groups = groups
        self.folds = folds
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Say that there are two classes."""
        tags: Any = _Estimator.__sklearn_tags__(self)
        tags.estimator_type = "classifier"
        tags.classifier_tags = library("sklearn.utils").ClassifierTags(multi_class=False)
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, proxies: Any = None, sample_weight: Any = None) -> PlugInClassifier:
        """Learn a rule from features, labels and guesses."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        features, labels = _validation.validate_data(self, X, y)
        _multiclass.check_classification_targets(labels)
        self.classes_: Any = np.unique(labels)
        if len(self.classes_) != 2:  # noqa: PLR2004 selected, or not
            found = f"{len(self.classes_)} class" + ("es" if len(self.classes_) > 1 else "")
            raise ValueError(f"Only binary classification is supported. The type of the target is of {found}.")
        if proxies is None:
            raise SettingError("no proxies are given", "proxies= in fit", "give guesses of the group for every row")
        if sample_weight is not None:
            sample_weight = _validation._check_sample_weight(sample_weight, features)  # noqa: SLF001 theirs for estimators
        names = [f"x{place}" for place in range(features.shape[1])]
        beside = {name: features[:, place] for place, name in enumerate(names)}
        coded = (labels == self.classes_[1]).astype(np.int64)
        words = {
            "y_true": coded,
            "positive": 1,
            "proxies": proxies,
            "sample_weight": sample_weight,
            "groups": self.groups,
            "criteria": self.criterion,
            "estimator": self.noise_estimator,
            "given": self.given,
            "n_boot": 0,
            "random_state": self.random_state,
            "tolerance": self.tolerance,
            "folds": self.folds,
            "curve": False,
        }
        #: The rule, as :func:`fairveil.mitigate` gives it.
        self.rule_ = Rule(_native.learn(*rows_asked(None, words, names, beside)))
        return self

    def predict(self, X: Any) -> Any:
        """Decide on each row; no proxy is needed."""
        _validation.check_is_fitted(self)
        features = _validation.validate_data(self, X, reset=False)
        decided = self.rule_.predict({f"x{place}": features[:, place] for place in range(features.shape[1])})
        return self.classes_[(decided == self.rule_.positive).astype(int)]
