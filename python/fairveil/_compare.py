"""Several models on the same people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from fairveil import _native
from fairveil._audit import noting
from fairveil._frames import frame_of
from fairveil._progress import told
from fairveil._result import Audit, Identity, write
from fairveil._table import gather, named_columns
from fairveil._words import CompareWords, Values, question, settings_told, takes, values_told
from fairveil.errors import SettingError

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack


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

    def save_html(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write one page that needs nothing else."""
        write(path, self._compared.html, identity)

    def save_markdown(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write the same as Markdown."""
        write(path, self._compared.markdown, identity)

    def __str__(self) -> str:
        """Give what the command line prints."""
        return self._compared.text()


@takes(CompareWords)
def compare(table: Any = None, *, y_preds: Values, **words: Unpack[CompareWords]) -> Comparison:
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
    beside: dict[str, Values] = {}
    models = named_columns("y_preds", y_preds, table, beside)
    if len(models) < 2:  # noqa: PLR2004 one and another
        raise SettingError(f"{len(models)} model is named", "two or more", "fairveil.audit takes one")
    gathered = gather(table, {**words, "y_pred": models[0]}, other_preds=models[1:], beside=beside)
    columns = {**gathered.columns, **values_told(words)}
    asked = question(gathered.name, [gathered.table], columns, settings_told(words), told(), noting(3))
    return Comparison(_native.compare(asked))
