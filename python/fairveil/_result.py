"""An audit as Python sees it: all from the record that every front end writes."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, TypedDict, cast

import numpy as np

from fairveil import _native
from fairveil._frames import frame_of
from fairveil._values import (
    MEASURES,
    Advice,
    Answer,
    Estimate,
    Finding,
    GroupMeasures,
    GroupOutcome,
    GroupRates,
    interval,
)
from fairveil.errors import EstimateError, SettingError, TableError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray
    from typing_extensions import Unpack

_RATES = (
    "share",
    "selection_rate",
    "true_positive_rate",
    "false_positive_rate",
    "false_negative_rate",
    "precision",
    "accuracy",
    "base_rate",
)


class Identity(TypedDict, total=False):
    """What a report is about and whose it is, in the words of who makes it."""

    title: str | None
    model: str | None
    author: str | None
    purpose: str | None
    note: str | None


class Audit:
    """What the proxies say, what explains how they agree, how sure that is, what to doubt and what to do next.

    Nothing changes it. Every number is that of :meth:`to_json`, which is what the command line writes.
    """

    _audited: _native.Audited

    def __init__(self, audited: _native.Audited) -> None:
        """Take an audit that was made; :func:`fairveil.audit` makes one."""
        self.__dict__["_audited"] = audited

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: an audit is what it is."""
        raise AttributeError(f"an audit does not change: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        """Travel between processes as JSON."""
        return _read, (self.to_json(), self._audited.table)

    @property
    def native(self) -> _native.Audited:
        """The audit as the core holds it."""
        return self._audited

    @cached_property
    def _record(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.to_json()))

    @classmethod
    def from_json(cls, text: str, *, table: str = "table") -> Audit:
        """Read an audit that Python or the command line wrote."""
        try:
            return cls(_native.Audited.from_json(text, table))
        except ValueError as error:
            raise TableError(str(error), "what Audit.to_json() or the command line wrote", "check the text") from error

    # What may stand on top.

    @property
    def answer(self) -> Mapping[str, Answer]:
        """What may be said about each criterion: a number with its range, a range, a direction, or nothing and why."""
        return MappingProxyType({one["criterion"]: self._answer(one) for one in self._record["answers"]})

    def _answer(self, one: Mapping[str, Any]) -> Answer:
        direction: Mapping[str, Any] = one["direction"] or {}
        reasons = tuple(reason["text"] for reason in one["reasons"])
        why = "; ".join(reasons) or None
        return Answer(
            criterion=one["criterion"],
            says=one["says"],
            difference=Estimate(one["value"], interval(one["interval"]), interval(one["range"]), self._confidence, why),
            ratio=Estimate(one["ratio"], None, interval(one["ratio_range"]), self._confidence, why),
            more=direction.get("more"),
            less=direction.get("less"),
            reasons=reasons,
            cautions=tuple(reason["text"] for reason in one.get("cautions", [])),
        )

    @property
    def _confidence(self) -> float:
        return cast("float", self._record["settings"]["confidence"])

    # Disparities.

    def disparity(
        self,
        criterion: str | None = None,
        *,
        aggregate: str = "mean_pairwise",
        basis: str | None = None,
        estimator: str | None = None,
        scope: str | None = None,
        proxy: str | None = None,
    ) -> Estimate:
        """Give a disparity with its intervals: the recommended one, or that of another basis.

        ``aggregate`` is ``"mean_pairwise"`` (the mean over pairs of groups), ``"difference"`` (largest minus smallest rate) or
        ``"ratio"`` (smallest over largest). ``basis`` is ``"proxy"``, ``"soft"``, ``"calibrated"`` or ``"audit_sample"``.
        """
        wanted = {"criterion": self._criterion(criterion), "aggregate": aggregate}
        chosen = {"basis": basis, "estimator": estimator, "scope": scope, "proxy": proxy}
        chosen = {name: value for name, value in chosen.items() if value is not None}
        results: list[dict[str, Any]] = self._record["results"]
        of_criterion = [one for one in results if all(one[name] == value for name, value in wanted.items())]
        found = [one for one in of_criterion if all(one[name] == value for name, value in chosen.items())]
        best = [one for one in found if one["recommended"]] or ([] if not chosen else found[:1])
        if not best:
            if not chosen and of_criterion:
                why = self._record["advice"]["reason"]
                return Estimate(None, confidence=self._confidence, unavailable=why)
            there = sorted({f"{one['basis']}" for one in of_criterion})
            raise SettingError(
                f"there is no disparity with {_said({**wanted, **chosen})}", f"a basis of {', '.join(there) or 'none'}"
            )
        one = best[0]
        return Estimate(
            one["value"],
            interval(one["interval"]),
            interval(one["honest_interval"]),
            self._confidence,
            one["unavailable"],
        )

    def _criterion(self, criterion: str | None) -> str:
        measured: list[str] = self._record["settings"]["criteria"]
        if criterion is None:
            return measured[0]
        if criterion not in measured:
            raise SettingError(f"criterion {criterion!r} was not measured", f"one of {', '.join(measured)}")
        return criterion

    def difference(self, criterion: str | None = None) -> Estimate:
        """Give the largest minus the smallest rate of the groups."""
        return self.disparity(criterion, aggregate="difference")

    def ratio(self, criterion: str | None = None) -> Estimate:
        """Give the smallest over the largest rate of the groups; never above 1."""
        return self.disparity(criterion, aggregate="ratio")

    def gate(self, name: str, above: float | None = None, *, below: float | None = None) -> Verdict:
        """Say whether a value is kept to, shared error included, as ``--fail-above`` and ``--fail-below`` do.

        With ``above``, ``name`` is a criterion whose largest gap must be at most the value; with ``below`` it is
        ``"adverse_impact_ratio"`` (to the reference group) or ``"impact_ratio"`` (to the most selected group), which must be at least
        the value for every group. ``"held"`` and ``"crossed"`` are about the whole range; where the value lies in it, or there is
        none, it is ``"undecided"``.
        """
        if (above is None) == (below is None):
            raise SettingError("a gate needs one value", "above= for a gap, or below= for a ratio")
        if above is not None:
            return Verdict(*self._audited.gate_above(name, float(above)))
        return Verdict(*self._audited.gate_below(name, float(cast("float", below))))

    # Beside a reference.

    def measures(self, criterion: str | None = None, *, label: str | None = None) -> Mapping[str, GroupMeasures]:
        """Give every group beside the reference group by the measures that rules name, each with its intervals.

        For equalized odds, which tells a rate for each label, ``label`` says which.
        """
        wanted = self._criterion(criterion)
        records: list[dict[str, Any]] = [one for one in self._record["measures"] if one["criterion"] == wanted]
        found = [one for one in records if label is None or one["label"] == label]
        if not found:
            there = ", ".join(str(one["label"]) for one in records)
            raise SettingError(f"label {label!r} has no rates in {wanted}", f"one of {there}")
        reference: str | None = found[0]["reference"]
        return MappingProxyType({one["group"]: self._beside(one, reference) for one in found[0]["groups"]})

    def _beside(self, one: Mapping[str, Any], reference: str | None) -> GroupMeasures:
        def estimate(name: str) -> Estimate:
            found: Mapping[str, Any] = one[name]
            ends, honest = interval(found["interval"]), interval(found["honest_interval"])
            return Estimate(found["value"], ends, honest, self._confidence, found.get("unavailable"), one["group"])

        difference, adverse_impact_ratio, odds_ratio, impact_ratio, shortfall = map(estimate, MEASURES)
        return GroupMeasures(
            group=one["group"],
            reference=reference,
            rate=one["rate"],
            people=one["people"],
            difference=difference,
            adverse_impact_ratio=adverse_impact_ratio,
            odds_ratio=odds_ratio,
            impact_ratio=impact_ratio,
            shortfall=shortfall,
            z=one["z"],
            p_value=one["p_value"],
        )

    @property
    def outcome(self) -> Mapping[str, GroupOutcome] | None:
        """The outcome of every group beside the reference group; nothing where none was asked for.

        :raises EstimateError: where there is one, and no mean can be given.
        """
        record: dict[str, Any] | None = self._record.get("outcome")
        if record is None:
            return None
        if record["unavailable"] is not None:
            raise EstimateError(record["unavailable"])
        reference: str | None = record["reference"]
        return MappingProxyType({one["group"]: self._of_outcome(one, reference) for one in record["groups"]})

    def _of_outcome(self, one: Mapping[str, Any], reference: str | None) -> GroupOutcome:
        def estimate(name: str) -> Estimate:
            found: Mapping[str, Any] = one[name]
            ends, honest = interval(found["interval"]), interval(found["honest_interval"])
            return Estimate(found["value"], ends, honest, self._confidence, found.get("unavailable"), one["group"])

        return GroupOutcome(
            group=one["group"],
            reference=reference,
            people=one["people"],
            mean=estimate("mean"),
            standard_deviation=one["standard_deviation"],
            difference=estimate("difference"),
            ratio=estimate("ratio"),
            standardized_mean_difference=estimate("standardized_mean_difference"),
            z=one["z"],
            p_value=one["p_value"],
        )

    # Rates.

    @property
    def by_group(self) -> Mapping[str, GroupRates]:
        """The usual rates of every group on the basis that is relied on, each with its interval."""
        return MappingProxyType({one.group: one for one in self._rates()})

    def _rates(self) -> list[GroupRates]:
        advice = self._record["advice"]
        records: list[dict[str, Any]] = self._record["rates"]
        relied = [
            one
            for one in records
            if (one["estimator"], one["scope"]) == (advice["estimator"], advice["scope"])
            and one["estimator"] is not None
        ]
        rates = relied or [one for one in records if one["basis"] == "proxy"]
        return [self._of_group(one) for one in rates[0]["groups"]] if rates else []

    def _of_group(self, one: Mapping[str, Any]) -> GroupRates:
        ends: Mapping[str, Any] = one["intervals"] or {}
        why = "there are no labels, or nobody in the group has what the rate is among"

        def estimate(rate: str) -> Estimate:
            value: float | None = one[rate]
            missing = why if value is None else None
            return Estimate(value, interval(ends.get(rate)), None, self._confidence, missing, one["group"])

        return GroupRates(one["group"], *(estimate(rate) for rate in _RATES))

    def _extreme(self, rate: str, largest: bool) -> Estimate:
        if rate not in _RATES:
            raise SettingError(f"there is no rate {rate!r}", f"one of {', '.join(_RATES)}")
        rates: list[Estimate] = [getattr(one, rate) for one in self._rates()]
        known = [one for one in rates if one.value is not None]
        if not known:
            return Estimate(None, confidence=self._confidence, unavailable="no group has this rate")
        return (max if largest else min)(known, key=lambda one: cast("float", one.value))

    def group_min(self, rate: str = "selection_rate") -> Estimate:
        """Give the smallest rate of a group, and whose it is."""
        return self._extreme(rate, largest=False)

    def group_max(self, rate: str = "selection_rate") -> Estimate:
        """Give the largest rate of a group, and whose it is."""
        return self._extreme(rate, largest=True)

    # How the proxies err.

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups, in the order of matrices and shares."""
        return tuple(self._record["input"]["groups"])

    def _noise(self) -> list[dict[str, Any]]:
        advice = self._record["advice"]
        records: list[dict[str, Any]] = self._record["noise"]
        wanted = (advice["estimator"], advice["scope"])
        relied = [
            one for one in records if (one["estimator"], one["scope"]) == wanted and one["transition"] is not None
        ]
        relied = [one for one in relied if one["rows"] == "all"] or relied
        # One table of errors for all proxies, or one for each: what the recommended number takes for granted.
        results: list[dict[str, Any]] = self._record["results"]
        own = any(one["recommended"] and one.get("assumption") == "own" for one in results)
        return [one for one in relied if (one["proxy"] is not None) == own] or relied

    @property
    def transition_(self) -> NDArray[np.float64] | Mapping[str, NDArray[np.float64]] | None:
        """How the proxies err: row the group, column the guess; one matrix, or one for each proxy (or stratum) by name.

        Nothing where no estimator is relied on.
        """
        noise = self._noise()
        if not noise:
            return None
        if len(noise) == 1:
            return np.array(noise[0]["transition"])
        return MappingProxyType({_noise_name(one): np.array(one["transition"]) for one in noise})

    @property
    def group_shares_(self) -> Mapping[str, float] | None:
        """The shares of the groups; nothing where no estimator is relied on."""
        for one in self._noise():
            if one["group_shares"] is not None and one["stratum"] is None:
                return MappingProxyType(dict(zip(one["groups"], one["group_shares"], strict=True)))
        shares = {group: rates.share.value for group, rates in self.by_group.items()}
        known = {group: share for group, share in shares.items() if share is not None}
        return MappingProxyType(known) if self._noise() and len(known) == len(shares) else None

    # Doubt.

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to doubt, most serious first."""
        return tuple(_finding(one) for one in self._record["findings"])

    @property
    def advice(self) -> Advice:
        """What to rely on and what to do next."""
        one = self._record["advice"]
        steps = tuple(step["text"] for step in one["next"])
        return Advice(one["estimator"], one["scope"], one["reason"], one["direction_only"], steps)

    @property
    def bounds(self) -> tuple[Mapping[str, Any], ...]:
        """What is known of a gap without calibration, and what each bound takes for granted."""
        return tuple(MappingProxyType(one) for one in self._record["bounds"])

    @property
    def sensitivity(self) -> Mapping[str, Mapping[str, Any]]:
        """What if the proxies share mistakes: the gap over the share of their agreement that is shared error, by criterion."""
        return MappingProxyType({one["criterion"]: MappingProxyType(one) for one in self._record["shared_error"]})

    @property
    def segments(self) -> Mapping[tuple[str | None, ...], Audit | str]:
        """The audits of the segments that ``control_features`` make, by their values; a text where there is none."""
        made: dict[tuple[str | None, ...], Audit | str] = {}
        for one in self._record.get("segments", []):
            key = tuple(one["values"]) or (f"{one.get('pooled')} small segments together",)
            audit: dict[str, Any] | None = one["audit"]
            made[key] = one["unavailable"] if audit is None else _read(json.dumps(audit), self._audited.table)
        return MappingProxyType(made)

    @property
    def together(self) -> Mapping[str, Any] | None:
        """The segments side by side in the first criterion: intervals that hold for all at once, and gaps drawn towards their mean.

        Nothing without segments, or without draws.
        """
        record: dict[str, Any] | None = self._record.get("together")
        return None if record is None else MappingProxyType(record)

    # All of it.

    def to_dict(self) -> dict[str, Any]:
        """Give the record as plain data, as in :meth:`to_json`."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def to_json(self, *, words: Literal["keywords", "flags"] = "keywords") -> str:
        """Give the record as JSON, digit for digit what the command line writes.

        Advice names settings as Python spells them; with ``words="flags"`` as the command line does, which makes the same bytes.
        """
        return self._audited.json(words)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Give every disparity as a row of a frame: pandas, polars or pyarrow, whichever ``backend`` says or is installed."""
        rows: list[dict[str, Any]] = []
        for one in self._record["results"]:
            ends, honest = interval(one["interval"]), interval(one["honest_interval"])
            names = ("criterion", "aggregate", "basis", "estimator", "scope", "proxy", "recommended", "value")
            row = {name: one[name] for name in names}
            row |= {"low": ends and ends.low, "high": ends and ends.high}
            row |= {"range_low": honest and honest.low, "range_high": honest and honest.high}
            rows.append({**row, "unavailable": one["unavailable"]})
        return frame_of(rows, backend)

    def save_html(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write one page that needs nothing else, to hand over.

        ``title``, ``model``, ``author``, ``purpose`` and ``note`` say on it what it is about, and whose it is.
        """
        write(path, self._audited.html, identity)

    def save_brief(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write the first sheet of that page alone: the answer, its range, what to doubt and what would settle it."""
        write(path, self._audited.brief, identity)

    def save_markdown(self, path: str | os.PathLike[str], **identity: Unpack[Identity]) -> None:
        """Write the same as Markdown."""
        write(path, self._audited.markdown, identity)

    def plot(self, name: str | None = None) -> Plot:
        """Give a plot of the page as SVG, which notebooks show: the first, or the one of this name."""
        plots = {file.removesuffix(".svg"): svg for file, svg in self._audited.plots()}
        if name is None:
            name = next(iter(plots), "")
        if name not in plots:
            raise SettingError(f"there is no plot {name!r}", f"one of {', '.join(plots)}")
        return Plot(name, plots[name])

    def __str__(self) -> str:
        """Give what the command line prints."""
        return self._audited.text()

    def __repr__(self) -> str:
        """Give what may stand on top."""
        return "\n".join(["Audit:", *(f"  {one}" for one in self.answer.values())])

    def _repr_html_(self) -> str:
        """Give the page, in a frame of its own: its style is not the notebook's, and no script runs in it."""
        page = self._audited.html(made({})).replace("&", "&amp;").replace('"', "&quot;")
        # Without an origin Chromium 148 leaves a frame of this size blank.
        frame = 'sandbox="allow-same-origin" style="width:100%;height:42em;border:0" title="fairveil"'
        return f'<iframe {frame} srcdoc="{page}"></iframe>'


class Verdict(NamedTuple):
    """What became of a gate: ``"held"``, ``"crossed"`` or ``"undecided"``, and why."""

    state: str
    text: str


class Plot:
    """A plot as SVG."""

    def __init__(self, name: str, svg: str) -> None:
        """Take a plot that was drawn."""
        self.name = name
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file."""
        whole(path, self.svg)


def _read(text: str, table: str) -> Audit:
    return Audit.from_json(text, table=table)


def _finding(one: dict[str, Any]) -> Finding:
    evidence: dict[str, Any] = one["evidence"]
    return Finding(
        one["code"], one["severity"], one["title"], one["message"], one["advice"], MappingProxyType(evidence)
    )


def _noise_name(one: Mapping[str, Any]) -> str:
    stratum: Mapping[str, Any] | None = one["stratum"]
    parts = (
        []
        if stratum is None
        else [f"{stratum['prediction']}/{stratum['label']}" if stratum["label"] else stratum["prediction"]]
    )
    return " ".join([*([one["proxy"]] if one["proxy"] else []), *parts]) or "all"


def _said(wanted: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in wanted.items())


def made(identity: Identity, date: str | None = None) -> dict[str, str | None]:
    """Give what a report says of itself as the core takes it."""
    for name, said in identity.items():
        if name not in Identity.__annotations__:
            raise SettingError(f"there is no {name}= of a report", f"one of {', '.join(Identity.__annotations__)}")
        if said is not None and not isinstance(said, str):
            raise SettingError(f"{name}= is of type {type(said).__name__}", "a text")
    return {"date": date, **dict.fromkeys(Identity.__annotations__), **cast("dict[str, str | None]", identity)}


def write(path: str | os.PathLike[str], page: Callable[[_native.Made], str], identity: Identity) -> None:
    """Write what is made today: a whole file or none."""
    whole(path, page(made(identity, dt.datetime.now(dt.timezone.utc).date().isoformat())))


def whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a whole file or none."""
    target = Path(path)
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
