"""The whole flow, from a table to an audit."""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from fairveil import _native
from fairveil._progress import told
from fairveil._result import Audit
from fairveil._table import Roles, Values, gather, is_lazy
from fairveil.errors import FairveilWarning, SettingError

Criterion: TypeAlias = str
Scope: TypeAlias = Literal["auto", "global", "local"]


def settings(
    *,
    criteria: str | Sequence[str] | None = None,
    estimator: str = "auto",
    scope: str = "auto",
    given: Any = None,
    mechanism: Any = None,
    known_shares: Mapping[str, float] | None = None,
    max_proxy_error: float | Mapping[str, float] | None = None,
    shared_error: float = 0.5,
    max_shift: float = 0.0,
    confidence: float = 0.95,
    n_boot: int = 2000,
    random_state: int | np.random.RandomState | np.random.Generator | None = 0,
    audit_table: _native.Table | None = None,
    groups: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """Give what is asked of an audit as the core takes it."""
    bounds = {None: max_proxy_error} if isinstance(max_proxy_error, (int, float)) else max_proxy_error or {}
    return {
        "criteria": [criteria] if isinstance(criteria, str) else list(criteria or []),
        "estimator": estimator.replace("_", "-"),
        "scope": scope,
        "given": None if given is None else _given(given, groups),
        "mechanism": [] if mechanism is None else _mechanisms(mechanism),
        "known_shares": [(str(group), float(share)) for group, share in (known_shares or {}).items()],
        "max_proxy_error": list(bounds.items()),
        "confidence": float(confidence),
        "shared_error": float(shared_error),
        "max_shift": float(max_shift),
        "n_boot": _whole("n_boot", n_boot),
        "random_state": seed_of(random_state),
        "audit_table": audit_table,
    }


def _whole(name: str, value: Any) -> int:
    number = int(value)
    if number < 0 or number != value:
        raise SettingError(f"{name} is {value}", "a whole number from 0")
    return number


def seed_of(state: Any) -> int:
    """Give the seed: of a generator, one that it draws."""
    if isinstance(state, np.random.RandomState):
        return int(state.randint(0, 2**31 - 1))
    if isinstance(state, np.random.Generator):
        return int(state.integers(0, 2**63 - 1))
    if state is None:
        return int(np.random.default_rng().integers(0, 2**63 - 1))
    return _whole("random_state", state)


def _given(given: Any, groups: Sequence[Any] | None) -> str:
    """Give error rates as JSON: a matrix in the order of ``groups``, a record of one, an audit, or the text of either."""
    if isinstance(given, Audit):
        return given.to_json()
    if isinstance(given, Path):
        return given.read_text(encoding="utf-8")
    if isinstance(given, str):
        return given if given.lstrip().startswith(("{", "[")) else Path(given).read_text(encoding="utf-8")
    if isinstance(given, Mapping):
        return json.dumps(given, default=_plain)
    matrix = np.asarray(given, dtype=float)
    if matrix.ndim != 2:  # noqa: PLR2004 rows and columns
        raise SettingError(f"given= has {matrix.ndim} dimensions", "a matrix: row the group, column the guess")
    named = {} if groups is None else {"groups": [_name(group) for group in groups]}
    return json.dumps({"transition": matrix.tolist(), **named})


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return cast("Any", value).tolist()
    raise SettingError(f"given= holds a {type(value).__name__}", "numbers, texts and lists of them")


def _mechanisms(mechanism: Any) -> list[str]:
    several = cast("Sequence[Any]", mechanism) if isinstance(mechanism, (list, tuple)) else [mechanism]
    return [_mechanism(one) for one in several]


def _mechanism(one: Any) -> str:
    if isinstance(one, Mapping):
        return json.dumps(one)
    text = str(one)
    return text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8")


def column_settings(
    *,
    groups: Sequence[Any] | None = None,
    positive: Any = None,
    missing: Any = (),
    min_segment: int | None = None,
    lenient: bool = False,
    show_values: bool = False,
    count: str | None = None,
) -> dict[str, Any]:
    """Give what is said of values as the readers take it."""
    if isinstance(missing, (str, int, float)):
        missing = [missing]
    return {
        "groups": None if groups is None else [_name(group) for group in groups],
        "positive": None if positive is None else _name(positive),
        "missing": [_name(value) for value in missing],
        "min_segment": min_segment,
        "lenient": lenient,
        "show_values": show_values,
        "count": count,
        "features": [],
    }


def _name(value: Any) -> str:
    """Give a value as the readers find it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value)


def warn(audit: Audit, stacklevel: int) -> None:
    """Warn of every finding that is more than good to know, once for each code."""
    told_of: set[str] = set()
    for finding in audit.findings:
        if finding.severity != "info" and finding.code not in told_of:
            told_of.add(finding.code)
            warnings.warn(FairveilWarning(finding.code, finding.message), stacklevel=stacklevel + 1)


def audit(
    table: Any = None,
    *,
    y_pred: Values = None,
    y_true: Values = None,
    proxies: Values = None,
    proxy_probs: Values = None,
    sources: Mapping[str, str] | Sequence[str | None] | None = None,
    sample_weight: Values = None,
    control_features: Values = None,
    audit_labels: Values = None,
    truth: Values = None,
    cluster: Values = None,
    id: Values = None,  # noqa: A002 the name of the setting
    label_probability: Values = None,
    audit_table: Any = None,
    groups: Sequence[Any] | None = None,
    positive: Any = None,
    missing: Any = (),
    criteria: Criterion | Sequence[Criterion] | None = None,
    estimator: str = "auto",
    scope: Scope = "auto",
    given: Any = None,
    mechanism: Any = None,
    known_shares: Mapping[str, float] | None = None,
    max_proxy_error: float | Mapping[str, float] | None = None,
    shared_error: float = 0.5,
    max_shift: float = 0.0,
    confidence: float = 0.95,
    n_boot: int = 2000,
    random_state: int | np.random.RandomState | np.random.Generator | None = 0,
    min_segment: int | None = None,
    lenient: bool = False,
    name: str | None = None,
) -> Audit:
    """Estimate how differently a model treats groups, from proxies that guess them.

    With a table (a frame of pandas, polars, pyarrow or modin, an Arrow stream, or a mapping), roles are names of its columns:
    ``audit(people, y_pred="hired", proxies=["surname", "zip"])``. Without one they are arrays, series or lists with a value for
    each row, and ``proxies`` is a frame, a mapping of names to values, an array with a column for each or a list of them.

    :param y_pred: the model's decisions.
    :param y_true: what they should have been; needed for equalized odds and equal opportunity.
    :param proxies: guesses of the group; nothing (None, NaN, a null) is no guess.
    :param proxy_probs: proxies that give probabilities: prefixes of the table's columns, or a mapping of proxies to frames with a
        column for each group.
    :param sources: what each proxy is made from; proxies of one source count as one view.
    :param control_features: what cuts the rows into segments, each audited on its own.
    :param audit_labels: the true group of a few rows, used.
    :param truth: the true group of all rows, only compared against.
    :param given: error rates from elsewhere: a matrix with a row for each of ``groups``, a mapping with ``transition`` and
        ``groups``, or another audit.
    :param n_boot: draws behind intervals; 0 for none.
    :param random_state: the seed of the draws: the same seed, the same digits.
    :raises FairveilError: where no number can be given.

    >>> import fairveil
    >>> people = fairveil.simulate(rows=4000, lending=True)
    >>> audit = fairveil.audit(people, y_pred="approved", proxies=["surname", "first_name", "zip"], n_boot=200)
    >>> audit.answer["demographic_parity"].says
    'number'
    """
    singles = {
        "y_pred": y_pred,
        "y_true": y_true,
        "sample_weight": sample_weight,
        "truth": truth,
        "audit_labels": audit_labels,
        "label_probability": label_probability,
        "cluster": cluster,
        "id": id,
    }
    roles = Roles(
        single=singles, proxies=proxies, proxy_probs=proxy_probs, sources=sources, control_features=control_features
    )
    if table is not None and is_lazy(table):
        alone = {"cluster": cluster, "id": id, "label_probability": label_probability, "audit_table": audit_table}
        told_apart = [keyword for keyword, value in alone.items() if value is not None]
        if told_apart:
            raise SettingError(
                f"{told_apart[0]}= beside an engine, which gives a tally and no rows",
                "rows that are here",
                "collect them first",
            )
        counts: Any = importlib.import_module("fairveil._counts").Counts
        tally = counts.from_engine(
            table,
            y_pred=y_pred,
            y_true=y_true,
            proxies=proxies,
            proxy_probs=proxy_probs,
            sources=sources,
            sample_weight=sample_weight,
            control_features=control_features,
            audit_labels=audit_labels,
            truth=truth,
            groups=groups,
            positive=positive,
            missing=missing,
        )
        return cast(
            "Audit",
            tally.audit(
                criteria=criteria,
                estimator=estimator,
                scope=scope,
                given=given,
                mechanism=mechanism,
                known_shares=known_shares,
                max_proxy_error=max_proxy_error,
                shared_error=shared_error,
                max_shift=max_shift,
                confidence=confidence,
                n_boot=n_boot,
                random_state=random_state,
                min_segment=min_segment,
                name=name or "table",
            ),
        )
    gathered = gather(table, roles, name)
    sample = None if audit_table is None else gather(audit_table, roles, "audit_table").table
    asked = settings(
        criteria=criteria,
        estimator=estimator,
        scope=scope,
        given=given,
        mechanism=mechanism,
        known_shares=known_shares,
        max_proxy_error=max_proxy_error,
        shared_error=shared_error,
        max_shift=max_shift,
        confidence=confidence,
        n_boot=n_boot,
        random_state=random_state,
        audit_table=sample,
        groups=groups,
    )
    about = column_settings(groups=groups, positive=positive, missing=missing, min_segment=min_segment, lenient=lenient)
    made = Audit(_native.audit(gathered.name, [gathered.table], {**gathered.columns, **about}, asked, told()))
    warn(made, stacklevel=2)
    return made
