"""Several models on the same people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from fairveil import _native
from fairveil._audit import Criterion, Scope, column_settings, settings
from fairveil._frames import frame_of
from fairveil._progress import told
from fairveil._result import Audit, write
from fairveil._table import Roles, Values, gather, named_columns
from fairveil.errors import SettingError

if TYPE_CHECKING:
    import os


class Comparison:
    """Every model's own audit, and for each two of them how likely the first has the smaller gap. Nothing changes it."""

    _compared: _native.Compared

    def __init__(self, compared: _native.Compared) -> None:
        """Take a comparison that was made; :func:`fairveil.compare` makes one."""
        self.__dict__["_compared"] = compared

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a comparison is what it is."""
        raise AttributeError(f"a comparison does not change: {name} cannot be set")

    @cached_property
    def _record(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.to_json()))

    @property
    def models(self) -> Mapping[str, Audit]:
        """Every model's own audit."""
        models: list[dict[str, Any]] = self._record["models"]
        return MappingProxyType({one["model"]: Audit.from_json(json.dumps(one["audit"])) for one in models})

    @property
    def pairs(self) -> tuple[Mapping[str, Any], ...]:
        """Every two models, for each criterion: the difference of their gaps, and P(the first's is smaller)."""
        return tuple(MappingProxyType(one) for one in self._record["pairs"])

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Give the pairs as rows of a frame."""
        plain = [{name: one for name, one in pair.items() if not isinstance(one, (dict, list))} for pair in self.pairs]
        return frame_of(plain, backend)

    def to_dict(self) -> dict[str, Any]:
        """Give the record as plain data."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def to_json(self, *, words: Literal["keywords", "flags"] = "keywords") -> str:
        """Give the record as JSON, digit for digit what the command line writes."""
        return self._compared.json(words)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write one page that needs nothing else."""
        write(path, self._compared.html)

    def save_markdown(self, path: str | os.PathLike[str]) -> None:
        """Write the same as Markdown."""
        write(path, self._compared.markdown)

    def __str__(self) -> str:
        """Give what the command line prints."""
        return self._compared.text()


def compare(
    table: Any = None,
    *,
    y_preds: Values,
    y_true: Values = None,
    proxies: Values = None,
    proxy_probs: Values = None,
    sources: Mapping[str, str] | Sequence[str | None] | None = None,
    sample_weight: Values = None,
    truth: Values = None,
    groups: Sequence[Any] | None = None,
    positive: Any = None,
    missing: Any = (),
    criteria: Criterion | Sequence[Criterion] | None = None,
    estimator: str = "auto",
    scope: Scope = "auto",
    shared_error: float = 0.5,
    confidence: float = 0.95,
    n_boot: int = 2000,
    random_state: Any = 0,
    name: str | None = None,
) -> Comparison:
    """Compare the decisions of several models on the same people.

    ``y_preds`` are names of the table's columns, or a mapping of models to their decisions. The rest is as in
    :func:`fairveil.audit`.

    >>> import fairveil
    >>> people = fairveil.simulate(rows=2000, lending=True)
    >>> noisy = people["repaid"]
    >>> both = fairveil.compare(
    ...     people, y_preds={"model": people["approved"], "ideal": noisy}, proxies=["surname", "first_name", "zip"], n_boot=100
    ... )
    >>> [(pair["a"], pair["b"]) for pair in both.pairs][0]
    ('model', 'ideal')
    """
    given: dict[str, Values] = {}
    models = named_columns("y_preds", y_preds, table, given)
    if len(models) < 2:  # noqa: PLR2004 one and another
        raise SettingError(f"{len(models)} model is named", "two or more", "fairveil.audit takes one")
    singles = {"y_pred": models[0], "y_true": y_true, "sample_weight": sample_weight, "truth": truth}
    empty = dict.fromkeys(("audit_labels", "label_probability", "cluster", "id"))
    roles = Roles(
        single={**singles, **empty},
        proxies=proxies,
        proxy_probs=proxy_probs,
        sources=sources,
        other_preds=models[1:],
        beside=given,
    )
    gathered = gather(table, roles, name)
    asked = settings(
        criteria=criteria,
        estimator=estimator,
        scope=scope,
        shared_error=shared_error,
        confidence=confidence,
        n_boot=n_boot,
        random_state=random_state,
    )
    about = column_settings(groups=groups, positive=positive, missing=missing)
    return Comparison(_native.compare(gathered.name, [gathered.table], {**gathered.columns, **about}, asked, told()))
