"""Group disparities of a model, estimated from weak proxies only.

>>> import fairveil
>>> fairveil.explain("P02").splitlines()[0]
'P02 · independent errors are assumed, not shown'
"""

from __future__ import annotations

from fairveil._audit import audit
from fairveil._compare import Comparison, compare
from fairveil._copies import Told, neighbors, privatize, proxies
from fairveil._counts import Counts
from fairveil._curve import Along, Curve, curve
from fairveil._explain import explain
from fairveil._intersect import Intersection, Pair, intersect
from fairveil._mitigate import Decided, GapWeights, Mitigation, Rule, gap_weights, mitigate
from fairveil._monitor import Alarm, Gap, Monitor, monitor
from fairveil._native import __version__
from fairveil._plan import Cost, Plan, plan
from fairveil._result import Audit, Plot, Verdict
from fairveil._simulate import simulate
from fairveil._values import Advice, Answer, Estimate, Finding, GroupMeasures, GroupOutcome, GroupRates, Interval
from fairveil.errors import EstimateError, FairveilError, FairveilWarning, SettingError, TableError

__all__ = [
    "Advice",
    "Alarm",
    "Along",
    "Answer",
    "Audit",
    "Comparison",
    "Cost",
    "Counts",
    "Curve",
    "Decided",
    "Estimate",
    "EstimateError",
    "FairveilError",
    "FairveilWarning",
    "Finding",
    "Gap",
    "GapWeights",
    "GroupMeasures",
    "GroupOutcome",
    "GroupRates",
    "Intersection",
    "Interval",
    "Mitigation",
    "Monitor",
    "Pair",
    "Plan",
    "Plot",
    "Rule",
    "SettingError",
    "TableError",
    "Told",
    "Verdict",
    "__version__",
    "audit",
    "compare",
    "curve",
    "explain",
    "gap_weights",
    "intersect",
    "mitigate",
    "monitor",
    "neighbors",
    "plan",
    "privatize",
    "proxies",
    "simulate",
]
