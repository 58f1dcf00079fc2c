"""fairlearn's metrics with proxies in place of the group: change ``sensitive_features=`` to ``proxies=``.

The numbers are calibrated: what explains how the proxies agree, not what they guess. With the group itself as the proxy, and
``estimator="given"`` with an identity matrix, they are fairlearn's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fairveil._counts import Counts
from fairveil._libraries import library
from fairveil._values import Estimate, Interval
from fairveil._words import CountWords, Values, kept
from fairveil.errors import EstimateError, SettingError

if TYPE_CHECKING:
    from fairveil._result import Audit
    from fairveil._values import GroupRates

__all__ = [
    "Gap",
    "ProxyMetricFrame",
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equal_opportunity_difference",
    "equal_opportunity_ratio",
    "equalized_odds_difference",
    "equalized_odds_ratio",
    "make_scorer",
]

_DRAWS = 2000


class Gap(float):
    """A gap as a number, which any code takes that takes fairlearn's; its interval is made when it is asked for."""

    _counts: Counts
    _asked: tuple[str, str]
    _settings: Mapping[str, Any]

    def __new__(cls, value: float, counts: Counts, asked: tuple[str, str], settings: Mapping[str, Any]) -> Gap:  # noqa: PYI034 no children
        """Take a number and the tally that it was made from."""
        gap = super().__new__(cls, value)
        gap._counts, gap._asked, gap._settings = counts, asked, settings
        return gap

    @cached_property
    def audit(self) -> Audit:
        """All that is known: the audit of the same tally, with intervals."""
        words: dict[str, Any] = {"n_boot": _DRAWS, **self._settings}
        return self._counts.audit(**words)

    @property
    def estimate(self) -> Estimate:
        """The number with its intervals."""
        criterion, aggregate = self._asked
        return self.audit.disparity(criterion, aggregate=aggregate)

    @property
    def interval(self) -> Interval | None:
        """What chance alone leaves open."""
        return self.estimate.interval

    @property
    def range(self) -> Interval | None:
        """The same with errors that the proxies share."""
        return self.estimate.range

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        """Travel between processes as the number alone."""
        return float, (float(self),)


def _classes(values: Any) -> tuple[set[Any], bool] | None:
    """Give the one or two numbers that decisions are, and whether they are truths; nothing where they are something else."""
    if values is None or isinstance(values, str):
        return None
    array = np.asarray(values).ravel()
    if array.dtype.kind not in "biuf" or not array.size:
        return None
    low, high = array.min(), array.max()
    if not ((array == low) | (array == high)).all():
        return None
    return {low.item(), high.item()}, array.dtype.kind == "b"


def _positive(pos_label: Any, *decisions: Any) -> Any:
    """Give the class that counts as selected: the one said, or 1 of 0 and 1, or of -1 and 1, whether or not it occurs."""
    if pos_label is not None:
        return pos_label
    known = [classes for classes in map(_classes, decisions) if classes is not None]
    met: set[Any] = {one for classes, _ in known for one in classes}
    if met and (met <= {0, 1} or met <= {-1, 1}):
        return any(truths for _, truths in known) or 1
    return None


def _sorted(settings: Mapping[str, Any]) -> tuple[Any, Any]:
    """Tell what is said of a table from what is asked of an audit; a keyword that is neither is the audit's to refuse."""
    of_table = kept(settings, CountWords)
    return of_table, {name: value for name, value in settings.items() if name not in of_table}


def _gap(
    criterion: str,
    aggregate: str,
    y_true: Values,
    y_pred: Values,
    *,
    proxies: Values,
    proxy_probs: Values,
    sample_weight: Values,
    method: str,
    agg: str,
    pos_label: Any,
    settings: dict[str, Any],
) -> Gap:
    if method != "between_groups":
        raise SettingError(f"method={method!r}", "'between_groups': how far each group is from all is not estimated")
    if agg != "worst_case":
        raise SettingError(f"agg={agg!r}", "'worst_case'", "fairveil.audit has the mean over pairs and labels")
    label = None if criterion == "demographic_parity" else y_true
    of_table, of_audit = _sorted(settings)
    counts = Counts.from_frame(
        y_pred=y_pred,
        y_true=label,
        proxies=proxies,
        proxy_probs=proxy_probs,
        sample_weight=sample_weight,
        positive=_positive(pos_label, y_pred, label),
        **of_table,
    )
    asked: dict[str, Any] = {**of_audit, "criteria": criterion}
    alone: dict[str, Any] = {**asked, "n_boot": 0}
    found = counts.audit(**alone).disparity(criterion, aggregate=aggregate)
    if found.value is None:
        raise EstimateError(
            f"there is no {criterion.replace('_', ' ')} {aggregate}: {found.unavailable}",
            "proxies that tell it",
            "see what fairveil.audit says of the same data",
        )
    return Gap(found.value, counts, (criterion, aggregate), asked)


def _metric(criterion: str, aggregate: str, about: str) -> Callable[..., Gap]:
    def metric(
        y_true: Values,
        y_pred: Values,
        *,
        proxies: Values = None,
        proxy_probs: Values = None,
        method: str = "between_groups",
        agg: str = "worst_case",
        sample_weight: Values = None,
        pos_label: Any = None,
        **settings: Any,
    ) -> Gap:
        return _gap(
            criterion,
            aggregate,
            y_true,
            y_pred,
            proxies=proxies,
            proxy_probs=proxy_probs,
            sample_weight=sample_weight,
            method=method,
            agg=agg,
            pos_label=pos_label,
            settings=settings,
        )

    metric.__name__ = metric.__qualname__ = f"{criterion}_{aggregate}"
    metric.__doc__ = f"""{about}

    As fairlearn's function of this name, with ``proxies`` in place of ``sensitive_features``. Further keywords are those of
    :func:`fairveil.audit`. The number has its ``.interval`` and ``.range``, made when they are asked for.

    :raises EstimateError: where the proxies tell no number.
    """
    return metric


demographic_parity_difference = _metric(
    "demographic_parity", "difference", "Give the largest minus the smallest selection rate of the groups."
)
demographic_parity_ratio = _metric(
    "demographic_parity", "ratio", "Give the smallest over the largest selection rate of the groups."
)
equalized_odds_difference = _metric(
    "equalized_odds", "difference", "Give the larger of the differences in true and in false positive rates."
)
equalized_odds_ratio = _metric(
    "equalized_odds", "ratio", "Give the smaller of the ratios of true and of false positive rates."
)
equal_opportunity_difference = _metric(
    "equal_opportunity", "difference", "Give the largest minus the smallest true positive rate of the groups."
)
equal_opportunity_ratio = _metric(
    "equal_opportunity", "ratio", "Give the smallest over the largest true positive rate of the groups."
)

_METRICS: dict[str, Callable[..., Gap]] = {
    "demographic_parity_difference": demographic_parity_difference,
    "demographic_parity_ratio": demographic_parity_ratio,
    "equalized_odds_difference": equalized_odds_difference,
    "equalized_odds_ratio": equalized_odds_ratio,
    "equal_opportunity_difference": equal_opportunity_difference,
    "equal_opportunity_ratio": equal_opportunity_ratio,
}


def make_scorer(metric: str | Callable[..., Gap], *, proxies: Any = None, **settings: Any) -> Any:
    """Make a scorer for scikit-learn, so that a grid search looks at calibrated gaps; the smaller gap scores higher.

    With a frame of ``proxies``, rows are found by the index of ``X``. Without one, proxies come by scikit-learn's metadata routing:
    ``make_scorer("demographic_parity_difference").set_score_request(proxies=True)``. Where the rows of a fold tell no number, the
    score is an error, which the search shows as its ``error_score``.
    """
    if isinstance(metric, str):
        if metric not in _METRICS:
            raise SettingError(f"there is no metric {metric!r}", f"one of {', '.join(_METRICS)}")
        metric = _METRICS[metric]
    smaller_is_better = not getattr(metric, "__name__", "").endswith("_ratio")
    if proxies is None:
        return library("sklearn.metrics").make_scorer(metric, greater_is_better=not smaller_is_better, **settings)
    return _Scorer(metric, proxies, -1.0 if smaller_is_better else 1.0, settings)


class _Scorer:
    """Scores by proxies that are found by the index of the rows."""

    def __init__(self, metric: Callable[..., Gap], proxies: Any, sign: float, settings: Mapping[str, Any]) -> None:
        self.metric, self.proxies, self.sign, self.settings = metric, proxies, sign, dict(settings)

    def __call__(self, estimator: Any, X: Any, y_true: Any = None, sample_weight: Any = None) -> float:  # noqa: N803 as theirs
        if not hasattr(X, "index"):
            raise SettingError(
                "X has no index", "a pandas frame, whose index finds the proxies", "use metadata routing"
            )
        of_rows = self.proxies.loc[X.index]
        guess = self.metric(y_true, estimator.predict(X), proxies=of_rows, sample_weight=sample_weight, **self.settings)
        return self.sign * float(guess)


_RATES = {
    "selection_rate": "selection_rate",
    "true_positive_rate": "true_positive_rate",
    "recall_score": "true_positive_rate",
    "false_positive_rate": "false_positive_rate",
    "false_negative_rate": "false_negative_rate",
    "precision": "precision",
    "precision_score": "precision",
    "accuracy": "accuracy",
    "accuracy_score": "accuracy",
    "base_rate": "base_rate",
}
_GAPS = {"selection_rate": "demographic_parity", "true_positive_rate": "equal_opportunity"}
"""The criteria whose gap is that of a rate: these have intervals."""
_ORDER: tuple[str, ...] = (
    "share",
    "selection_rate",
    "true_positive_rate",
    "false_positive_rate",
    "false_negative_rate",
    "precision",
    "accuracy",
    "base_rate",
)


class ProxyMetricFrame:
    """fairlearn's ``MetricFrame`` with proxies in place of the group.

    ``metrics`` are names or functions, alone, in a list or by name: selection rate, true and false positive rate, false negative
    rate, precision, accuracy, base rate. pandas is needed.

    >>> import fairveil
    >>> from fairveil.metrics import ProxyMetricFrame
    >>> people = fairveil.simulate(rows=3000, lending=True, backend="pandas")
    >>> frame = ProxyMetricFrame(
    ...     metrics=["selection_rate", "accuracy"], y_true=people["repaid"], y_pred=people["approved"],
    ...     proxies=people[["surname", "first_name", "zip"]], n_boot=100,
    ... )
    >>> list(frame.by_group.index)
    ['blue', 'green']
    """

    def __init__(
        self,
        *,
        metrics: Any,
        y_true: Values,
        y_pred: Values,
        proxies: Values = None,
        proxy_probs: Values = None,
        control_features: Values = None,
        sample_params: Mapping[str, Any] | None = None,
        sample_weight: Values = None,
        n_boot: int = _DRAWS,
        ci_quantiles: Sequence[float] = (0.025, 0.975),
        random_state: Any = 0,
        pos_label: Any = None,
        **settings: Any,
    ) -> None:
        """Audit once; everything else is looked up."""
        self._names = _named_metrics(metrics)
        self._alone = callable(metrics) or isinstance(metrics, str)
        low, high = ci_quantiles
        if not np.isclose(low + high, 1.0) or not low < high:
            raise SettingError(f"ci_quantiles={tuple(ci_quantiles)}", "two that leave as much on either side")
        if sample_params:
            sample_weight = _weight(sample_params) if sample_weight is None else sample_weight
        of_table, of_audit = _sorted(settings)
        counts = Counts.from_frame(
            y_pred=y_pred,
            y_true=y_true,
            proxies=proxies,
            proxy_probs=proxy_probs,
            control_features=control_features,
            sample_weight=sample_weight,
            positive=_positive(pos_label, y_pred, y_true),
            **of_table,
        )
        #: The audit behind it.
        self.audit = counts.audit(n_boot=n_boot, confidence=high - low, random_state=random_state, **of_audit)
        self._controlled = control_features is not None
        self._overall: dict[str, float | None] = dict(zip(_ORDER, counts.overall(), strict=True))

    @property
    def overall(self) -> Any:
        """The metrics over all rows, which need no group."""
        pd = library("pandas")
        values = {name: self._overall[rate] for name, rate in self._names.items()}
        return next(iter(values.values())) if self._alone else pd.Series(values, dtype=float)

    def _table(self, of: Callable[[Estimate], float | None]) -> Any:
        pd = library("pandas")

        def rows(audit: Audit) -> dict[str, dict[str, float | None]]:
            found: Mapping[str, GroupRates] = audit.by_group
            return {
                group: {name: of(getattr(one, rate)) for name, rate in self._names.items()}
                for group, one in found.items()
            }

        if not self._controlled:
            table = pd.DataFrame.from_dict(rows(self.audit), orient="index", columns=list(self._names)).astype(float)
            table.index.name = "group"
        else:
            parts = {
                (*key, group): values
                for key, audit in self.audit.segments.items()
                if not isinstance(audit, str)
                for group, values in rows(audit).items()
            }
            table = pd.DataFrame(list(parts.values()), index=pd.MultiIndex.from_tuples(list(parts)), dtype=float)
        return table[next(iter(self._names))] if self._alone else table

    @property
    def by_group(self) -> Any:
        """The metrics of every group; with control features, of every segment and group."""
        return self._table(lambda one: one.value)

    @property
    def by_group_ci(self) -> list[Any]:
        """The lower and the upper end of every interval."""
        low = self._table(lambda one: None if one.interval is None else one.interval.low)
        return [low, self._table(lambda one: None if one.interval is None else one.interval.high)]

    def _over_groups(self, made: Callable[[Any], Any]) -> Any:
        table = self.by_group
        if self._controlled:
            return made(table.groupby(level=list(range(table.index.nlevels - 1))))
        found = made(table)
        return float(found) if self._alone else found

    def _ends(self, aggregate: str) -> list[Any]:
        """Give the lower and the upper ends of the intervals of a gap; nothing where the core has none for it."""
        pd = library("pandas")

        def gap(audit: Audit, rate: str) -> Interval | None:
            criterion = _GAPS.get(rate)
            measured = criterion in audit.to_dict()["settings"]["criteria"]
            return audit.disparity(criterion, aggregate=aggregate).interval if measured else None

        def ends(audit: Audit) -> dict[str, Interval | None]:
            return {name: gap(audit, rate) for name, rate in self._names.items()}

        def table(at: int) -> Any:
            def row(found: Mapping[str, Interval | None]) -> dict[str, float | None]:
                return {name: None if one is None else (one.low, one.high)[at] for name, one in found.items()}

            if not self._controlled:
                values = row(ends(self.audit))
                return next(iter(values.values())) if self._alone else pd.Series(values, dtype=float)
            rows = {key: row(ends(one)) for key, one in self.audit.segments.items() if not isinstance(one, str)}
            frame = pd.DataFrame(list(rows.values()), index=pd.MultiIndex.from_tuples(list(rows)), dtype=float)
            return frame[next(iter(self._names))] if self._alone else frame

        return [table(0), table(1)]

    def difference_ci(self, method: str = "between_groups") -> list[Any]:
        """Give the lower and the upper ends of the intervals of :meth:`difference`, for rates whose gap is a criterion.

        Unlike percentiles of draws, they hold zero where there is no gap.
        """
        _only_between(method)
        return self._ends("difference")

    def ratio_ci(self, method: str = "between_groups") -> list[Any]:
        """Give the lower and the upper ends of the intervals of :meth:`ratio`, for rates whose gap is a criterion."""
        _only_between(method)
        return self._ends("ratio")

    def group_min(self) -> Any:
        """Give the smallest of every metric over the groups."""
        return self._over_groups(lambda table: table.min())

    def group_max(self) -> Any:
        """Give the largest of every metric over the groups."""
        return self._over_groups(lambda table: table.max())

    def difference(self, method: str = "between_groups") -> Any:
        """Give the largest minus the smallest of every metric."""
        _only_between(method)
        return self._over_groups(lambda table: table.max() - table.min())

    def ratio(self, method: str = "between_groups") -> Any:
        """Give the smallest over the largest of every metric."""
        _only_between(method)
        return self._over_groups(lambda table: table.min() / table.max())


def _weight(sample_params: Mapping[str, Any]) -> Any:
    """Give the weights, which are the same for all metrics."""
    for one in sample_params.values():
        weight: Any = cast("Mapping[str, Any]", one).get("sample_weight") if isinstance(one, Mapping) else one
        if weight is not None:
            return weight
    return None


def _only_between(method: str) -> None:
    if method != "between_groups":
        raise SettingError(f"method={method!r}", "'between_groups': how far each group is from all is not estimated")


def _named_metrics(metrics: Any) -> dict[str, str]:
    """Give which rate of the audit each metric is, by its name."""
    if isinstance(metrics, Mapping):
        return {str(name): _rate(one) for name, one in cast("Mapping[Any, Any]", metrics).items()}
    if isinstance(metrics, (list, tuple)):
        return {_rate(one): _rate(one) for one in cast("Sequence[Any]", metrics)}
    return {_rate(metrics): _rate(metrics)}


def _rate(metric: Any) -> str:
    name = metric if isinstance(metric, str) else getattr(getattr(metric, "func", metric), "__name__", repr(metric))
    if name not in _RATES:
        raise SettingError(
            f"metric {name!r} cannot be told of groups that nobody recorded", f"one of {', '.join(_RATES)}"
        )
    return _RATES[name]
