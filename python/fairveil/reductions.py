"""fairlearn's reductions with proxies in place of the group: ``fit(X, y, proxies=guesses)``.

The gap of decisions ``f`` is the mean of ``weight · f`` over the rows, with a weight for each row and pair of groups that undoes the
proxies' errors. That is all a reduction needs to know of groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairveil import _native
from fairveil._libraries import library
from fairveil._mitigate import rows_asked
from fairveil.errors import SettingError

__all__ = ["ProxyDemographicParity", "ProxyEqualizedOdds", "ProxyMoment", "ProxyTruePositiveRateParity"]

_SIGNS = ("+", "-")
_pd: Any = library("pandas")
_Moment: Any = library("fairlearn.reductions").ClassificationMoment
_ErrorRate: Any = library("fairlearn.reductions").ErrorRate


class _Errors(_ErrorRate):
    """The share of errors, of rows whose group nobody knows."""

    def load_data(self, X: Any, y: Any) -> None:
        _Moment.load_data(self, X, _pd.Series(np.asarray(y).ravel()))
        self._index = ["all"]


class ProxyMoment(_Moment):
    """Calibrated gaps between groups as constraints; give ``proxies=`` to ``fit`` in place of ``sensitive_features=``.

    Further keywords are settings of the error rates, as in :func:`fairveil.audit`: ``estimator``, ``given``, ``groups``.
    """

    short_name = "ProxyGap"

    def __init__(self, criterion: str = "demographic_parity", *, difference_bound: float = 0.01, **words: Any) -> None:
        """Say which gap, and how large it may be."""
        _Moment.__init__(self)
        if not 0 < difference_bound < 1:
            raise SettingError(f"difference_bound is {difference_bound}", "a number above 0 and below 1")
        self.criterion, self.eps, self.words = criterion, difference_bound, words

    def default_objective(self) -> Any:
        """Give what is made small beside: the share of errors."""
        return _Errors()

    @property
    def index(self) -> Any:
        """The gaps and their opposites."""
        return self._index

    def load_data(
        self,
        X: Any,
        y: Any,
        *,
        proxies: Any = None,
        sample_weight: Any = None,
        control_features: Any = None,
        **others: Any,
    ) -> None:
        """Take rows, labels and guesses, and learn the weights of the rows in every gap."""
        if proxies is None or others.get("sensitive_features") is not None:
            raise SettingError("no proxies are given", "proxies= in fit, in place of sensitive_features=")
        if control_features is not None or sample_weight is not None:
            raise SettingError(
                "control_features= or sample_weight= is given", "rows of equal weight, and one constraint for all"
            )
        labels = np.asarray(y).ravel()
        _Moment.load_data(self, X, _pd.Series(labels), sensitive_features=None)
        words = {"y_pred": labels, "y_true": labels, "proxies": proxies, "criteria": self.criterion, "n_boot": 0}
        asked, training = rows_asked(None, {**words, "curve": False, **self.words}, [], {})
        names, values, self.estimator_ = _native.weights(asked, {**training, "weights_only": True})
        self.weights_ = _pd.DataFrame(dict(zip(names, values, strict=True)))
        self._index: Any = _pd.MultiIndex.from_product([_SIGNS, names], names=["sign", "gap"])

    def gamma(self, predictor: Any) -> Any:
        """Give every gap of a predictor's decisions, and its opposite."""
        decided = np.asarray(predictor(self.X), dtype=float).ravel()
        gaps = self.weights_.mul(decided, axis=0).mean().to_numpy()
        return _pd.Series(np.concatenate([gaps, -gaps]), index=self.index)

    def bound(self) -> Any:
        """Give how large each may be."""
        return _pd.Series(self.eps, index=self.index)

    def project_lambda(self, lambda_vec: Any) -> Any:
        """Give multipliers of which of a gap and its opposite one is 0."""
        both = lambda_vec["+"] - lambda_vec["-"]
        return _pd.concat([both.clip(lower=0), (-both).clip(lower=0)], keys=_SIGNS, names=["sign", "gap"])

    def signed_weights(self, lambda_vec: Any) -> Any:
        """Give how much selecting each row makes the gaps smaller."""
        both = (lambda_vec["-"] - lambda_vec["+"])[self.weights_.columns]
        return self.weights_.mul(both, axis=1).sum(axis=1)


class ProxyDemographicParity(ProxyMoment):
    """Selection rates that differ by little between the groups."""

    short_name = "ProxyDemographicParity"

    def __init__(self, *, difference_bound: float = 0.01, **words: Any) -> None:
        """Say how large a gap may be."""
        super().__init__("demographic_parity", difference_bound=difference_bound, **words)


class ProxyEqualizedOdds(ProxyMoment):
    """True and false positive rates that differ by little between the groups."""

    short_name = "ProxyEqualizedOdds"

    def __init__(self, *, difference_bound: float = 0.01, **words: Any) -> None:
        """Say how large a gap may be."""
        super().__init__("equalized_odds", difference_bound=difference_bound, **words)


class ProxyTruePositiveRateParity(ProxyMoment):
    """True positive rates that differ by little between the groups."""

    short_name = "ProxyTruePositiveRateParity"

    def __init__(self, *, difference_bound: float = 0.01, **words: Any) -> None:
        """Say how large a gap may be."""
        super().__init__("equal_opportunity", difference_bound=difference_bound, **words)
