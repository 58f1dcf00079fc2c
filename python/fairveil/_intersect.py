"""Two attributes at once: how often every pair of groups is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fairveil import _native
from fairveil._frames import frame_of
from fairveil._progress import told
from fairveil._record import Record, columns_of
from fairveil._table import gather
from fairveil._values import Estimate
from fairveil._words import IntersectWords, question, settings_told, takes, values_told
from fairveil.errors import SettingError

if TYPE_CHECKING:
    from typing_extensions import Unpack

_TWO = 2


class Pair(NamedTuple):
    """People of a group of each attribute."""

    groups: tuple[str, str]
    people: float | None
    rate: Estimate
    difference: Estimate
    adverse_impact_ratio: Estimate
    unavailable: str | None


class Intersection(Record):
    """Two attributes at once. Nothing changes it; every number is that of :meth:`to_json`."""

    @property
    def reference(self) -> tuple[str, ...] | None:
        """The pair that others stand beside."""
        found: list[str] | None = self._record["reference"]
        return None if found is None else tuple(found)

    @property
    def unavailable(self) -> str | None:
        """Why nothing can be said."""
        return cast("str | None", self._record["unavailable"])

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of groups."""
        confidence: float = self._record["confidence_of_each"]
        made: list[Pair] = []
        for one in self._record["groups"]:
            names = ("rate", "difference", "adverse_impact_ratio")
            rate, less, ratio = (self._estimate(one[name], confidence, ", ".join(one["groups"])) for name in names)
            first, second = one["groups"]
            made.append(Pair((first, second), one["people"], rate, less, ratio, one["unavailable"]))
        return tuple(made)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Give the pairs as rows of a frame, by the names of the attributes."""
        names: list[str] = [one["name"] for one in self._record["attributes"]]
        rows: list[dict[str, Any]] = []
        for one in self.pairs:
            row: dict[str, Any] = dict(zip(names, one.groups, strict=True))
            row |= {"people": one.people, "rate": one.rate.value}
            rows.append(row | columns_of(one.difference, "difference"))
        return frame_of(rows, backend)


@takes(IntersectWords)
def intersect(
    table: Any,
    *,
    attributes: Mapping[str, Sequence[str]],
    reference: tuple[str, str] | None = None,
    **words: Unpack[IntersectWords],
) -> Intersection:
    """Give how often every pair of groups of two attributes is selected, such as women of one origin.

    The rest is as in :func:`fairveil.audit`.

    :param attributes: the two attributes, each with the columns of its proxies:
        ``{"race": ["surname", "zip"], "sex": ["first", "title"]}``.
    :param reference: the group of each that others stand beside; the largest pair where none is named.

    >>> import fairveil
    >>> people = fairveil.simulate(rows=4000, lending=True)
    >>> other = fairveil.simulate(rows=4000, lending=True, random_state=1)
    >>> for name in ("surname", "first_name", "zip"):
    ...     people[f"{name}_2"] = other[name]
    >>> found = fairveil.intersect(
    ...     people,
    ...     y_pred="approved",
    ...     attributes={
    ...         "race": ["surname", "first_name", "zip"],
    ...         "sex": ["surname_2", "first_name_2", "zip_2"],
    ...     },
    ...     n_boot=100,
    ... )
    >>> len(found.pairs)
    4
    """
    if len(attributes) != _TWO:
        raise SettingError(f"attributes= names {len(attributes)}", "two attributes, each with its proxies")
    (first, of_first), (second, of_second) = ((name, list(columns)) for name, columns in attributes.items())
    common = [proxy for proxy in of_first if proxy in of_second]
    if common:
        raise SettingError(
            f"{first} and {second} have the proxy {common[0]} in common",
            "proxies of its own for each, which err independently of the others'",
            "name it for one of them",
        )
    gathered = gather(table, {**words, "proxies": [*of_first, *of_second]})
    asked = [
        question(
            gathered.name,
            [gathered.table],
            {**gathered.columns, **values_told(words), "proxies": own, "control_features": cut, "min_segment": 0},
            settings_told(words),
            told(),
        )
        for own, cut in ((of_first, of_second), (of_second, []))
    ]
    beside = None if reference is None else list(reference)
    return Intersection(_native.intersect(asked[0], asked[1], [first, second], beside))
