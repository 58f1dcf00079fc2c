"""Numbers and decisions of several classes with a smaller gap: ``fit`` with proxies, and no proxy when they are applied.

The gap of anything that is predicted, ``f``, is the mean of ``V · f`` over the rows, with a weight ``V`` for each row and pair of
groups that undoes the proxies' errors. What features say about ``V`` is ``w``, and predictions move along it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairveil import _native
from fairveil._libraries import library
from fairveil._mitigate import rows_asked
from fairveil.errors import SettingError

__all__ = ["ClassAdjuster", "ValueAdjuster"]

_base: Any = library("sklearn.base")
_Estimator: Any = _base.BaseEstimator
_linear: Any = library("sklearn.linear_model")
_selection: Any = library("sklearn.model_selection")
_validation: Any = library("sklearn.utils.validation")

_ROUNDS = 1000
_FOLDS = 5


class _Adjuster(_Estimator):
    """What both have in common: weights from guesses, and what features say about them."""

    def __init__(
        self,
        *,
        tolerance: float = 0.0,
        noise_estimator: str = "auto",
        given: Any = None,
        groups: Any = None,
    ) -> None:
        """Take settings as they are; ``fit`` looks at them."""
        self.tolerance = tolerance
        self.noise_estimator = noise_estimator
        self.given = given
        self.groups = groups

    def _learn(self, X: Any, predicted: Any, decided: Any, proxies: Any) -> Any:
        """Learn weights, and give what features say about each of them, by models that have not seen the row."""
        if proxies is None:
            raise SettingError("no proxies are given", "proxies= in fit", "give guesses of the group for every row")
        if not self.tolerance >= 0:
            raise SettingError(f"tolerance is {self.tolerance}", "a number from 0 on")
        features = _validation.validate_data(self, X)
        if len(features) != len(predicted):
            raise SettingError(f"{len(features)} rows of features and {len(predicted)} predictions", "as many of each")
        words = {
            "y_pred": decided.astype(np.int64),
            "positive": 1,
            "proxies": proxies,
            "groups": self.groups,
            "criteria": "demographic_parity",
            "estimator": self.noise_estimator,
            "given": self.given,
            "n_boot": 0,
            "curve": False,
        }
        asked, training = rows_asked(None, words, [], {})
        #: The pairs of groups: the second's mean minus the first's is a gap.
        self.pairs_, values, self.estimator_ = _native.weights(asked, {**training, "weights_only": True})
        self.weights_: Any = np.column_stack(values)
        penalties = np.logspace(-3, 5, 9)
        self.model_: Any = _linear.RidgeCV(penalties).fit(features, self.weights_)
        model = _linear.Ridge(self.model_.alpha_)
        return _selection.cross_val_predict(model, features, self.weights_, cv=_FOLDS).reshape(len(features), -1)

    def _say(self, X: Any) -> Any:
        _validation.check_is_fitted(self)
        features = _validation.validate_data(self, X, reset=False)
        return self.model_.predict(features).reshape(len(features), -1)

    def _gaps(self, predicted: Any) -> Any:
        return self.weights_.T @ predicted / len(predicted)


class ValueAdjuster(_Adjuster):
    """Numbers (a limit, a price, a predicted cost) whose means differ by little between groups that nobody recorded.

    Of all changes along what the features say about the groups, the smallest in squares; the mean of all stays. Measure on other
    rows, with the ``outcome`` of :func:`fairveil.audit`.

    :param tolerance: the gap that may stay, in units of the numbers.
    :param noise_estimator: how the proxies' errors are learned, as ``estimator`` of :func:`fairveil.audit`.
    :param given: error rates from elsewhere.
    :param groups: the groups, in the order of ``given``.
    """

    def fit(self, X: Any, values: Any, proxies: Any = None) -> ValueAdjuster:
        """Learn from features, the numbers as they are, and guesses."""
        values = _validation.column_or_1d(np.asarray(values, dtype=float))
        if not np.isfinite(values).all():
            raise SettingError("a value is missing or not finite", "a number for every row")
        said = self._learn(X, values, values > np.median(values), proxies)
        #: Gaps before and after on these rows, and how far chance moves the first (a standard error).
        self.gaps_before_ = self._gaps(values)
        self.gaps_error_ = (self.weights_ * values[:, None]).std(axis=0) / np.sqrt(len(values))
        among = said.T @ self.weights_ / len(values)
        among = (among + among.T) / 2
        prices = np.zeros(len(self.pairs_))
        # One gap after the other is brought within the tolerance, until none moves (Hildreth's method).
        for _ in range(_ROUNDS):
            start = prices.copy()
            for gap in range(len(prices)):
                left = self.gaps_before_[gap] - among[gap] @ prices
                free = left + among[gap, gap] * prices[gap]
                if among[gap, gap] > 0:
                    prices[gap] = (free - np.clip(free, -self.tolerance, self.tolerance)) / among[gap, gap]
            if np.abs(prices - start).max() <= 1e-12 * max(1.0, np.abs(prices).max()):
                break
        self.prices_ = prices
        #: What all get, so that the mean of all stays as it is.
        self.offset_ = float((said @ prices).mean())
        self.gaps_after_ = self._gaps(values - said @ prices)
        return self

    def adjust(self, X: Any, values: Any) -> Any:
        """Give the numbers of other rows with the smaller gap; no proxy is needed."""
        said = self._say(X)
        return np.asarray(values, dtype=float) - said @ self.prices_ + self.offset_


class ClassAdjuster(_Adjuster):
    """Decisions of several classes whose shares differ by little between groups that nobody recorded.

    Each class has a price along what the features say about the groups; a row gets the class of the highest chance after it.
    Offsets keep the share of every class among all people as it was.
    Measure on other rows, with :func:`fairveil.audit`.

    :param tolerance: the gap that may stay in the share of any class.
    :param noise_estimator: how the proxies' errors are learned, as ``estimator`` of :func:`fairveil.audit`.
    :param given: error rates from elsewhere.
    :param groups: the groups, in the order of ``given``.
    """

    def fit(self, X: Any, chances: Any, proxies: Any = None) -> ClassAdjuster:
        """Learn from features, a chance for each row and class, and guesses."""
        chances = self._chances(chances)
        first = chances.argmax(axis=1)
        said = self._learn(X, chances, first == np.bincount(first).argmax(), proxies)
        classes = np.eye(int(chances.shape[1]))

        def decided(prices: Any, offsets: Any) -> Any:
            return classes[(chances + offsets - said @ prices).argmax(axis=1)]

        prices, offsets = np.zeros((said.shape[1], len(classes))), np.zeros(len(classes))
        shares = decided(prices, offsets).mean(axis=0)
        self.gaps_before_ = self._gaps(decided(prices, offsets))
        best, least = (prices, offsets), np.inf
        for step in range(_ROUNDS):
            now = decided(prices, offsets)
            gaps, moved = self._gaps(now), now.mean(axis=0) - shares
            beyond = gaps - np.clip(gaps, -self.tolerance, self.tolerance)
            off = max(np.abs(beyond).max(), np.abs(moved).max())
            if off < least:
                best, least = (prices, offsets), off
            if least == 0:
                break
            prices, offsets = prices + beyond / (1 + step / 50), offsets - moved / (1 + step / 50)
        #: What a class costs along each weight, what keeps its share, and the gaps on these rows by pair and class.
        self.prices_, self.offsets_ = best
        self.gaps_after_ = self._gaps(decided(*best))
        return self

    def predict(self, X: Any, chances: Any) -> Any:
        """Give the place of each row's class among the columns of chances; no proxy is needed."""
        chances = self._chances(chances)
        return (chances + self.offsets_ - self._say(X) @ self.prices_).argmax(axis=1)

    @staticmethod
    def _chances(chances: Any) -> Any:
        found = np.asarray(chances, dtype=float)
        if found.ndim != 2 or found.shape[1] < 2 or not np.isfinite(found).all():  # noqa: PLR2004 rows and classes
            raise SettingError(f"chances are of shape {found.shape}", "a finite number for each row and class")
        return found
