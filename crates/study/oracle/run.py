"""Our own claims, computed again by a second implementation, and the program's numbers beside it.

Usage: run.py FAIRVEIL SHARED. Nothing of the program is used here but its output: the formulas are those of the paper and of docs/methods/,
in numpy (`algorithms` of the paper's study, and below).

Three kinds of line: the program and the oracle agree to 1e-8 on what is deterministic; a document states what the oracle finds, to its
printed digits; and what is drawn agrees within three standard errors.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent / "paper"))
from algorithms import closed_form, disparity, rates, symmetric  # noqa: E402
from compas import MODELS, solve, tally  # noqa: E402
from rows import Program, found, truth  # noqa: E402

METRICS = ("dp", "eod", "eop")
PROXIES = ["census_2", "fl_2", "nc_2"]
GROUPS = ["black", "nonblack"]


class Ledger:
    """What was compared, and what did not agree."""

    def __init__(self):
        self.kinds = {}
        self.wrong = []

    def agree(self, kind, what, ours, theirs, within):
        """Two numbers that must agree."""
        count, most = self.kinds.get(kind, (0, 0.0))
        far = abs(ours - theirs)
        self.kinds[kind] = (count + 1, max(most, far / within))
        if not far <= within:
            self.wrong.append(f"{kind}: {what}: oracle {ours:.10g}, other {theirs:.10g}, allowed {within:g}")


def gap(metric, joint):
    """The paper's average of J[a, y, k]."""
    of_metric = joint.sum(1, keepdims=True) if metric == "dp" else joint
    return disparity(metric, of_metric / of_metric.sum(2, keepdims=True))


def latent_class(counted, *, own, strata):
    """Maximum likelihood by plain EM: P(s, g) = P(s) sum_a pi[s, a] prod_c T_c[a, g_c]. Gives J[a, s]."""
    weights = counted.reshape(strata, 2, 2, 2)
    shares = weights.sum((1, 2, 3)) / weights.sum()
    pi = np.full((strata, 2), 0.5)
    tables = np.array([[[0.75, 0.25], [0.25, 0.75]]] * 3)
    last = -np.inf
    for _ in range(200_000):
        each = np.einsum("sa,ai,aj,ak->saijk", pi, *tables)
        whole = each.sum(1)
        posterior = each / whole[:, None] * weights[:, None]
        pi = posterior.sum((2, 3, 4))
        pi /= pi.sum(1, keepdims=True)
        of_proxy = [posterior.sum((0, *[axis for axis in (2, 3, 4) if axis != 2 + c])) for c in range(3)]
        if not own:
            of_proxy = [sum(of_proxy)] * 3
        tables = np.array([one / one.sum(1, keepdims=True) for one in of_proxy])
        likelihood = (weights * np.log(whole)).sum()
        if abs(likelihood - last) < 1e-13 * abs(likelihood):
            break
        last = likelihood
    # One group is the one that its guess names.
    if sum(table[0, 0] + table[1, 1] for table in tables) < len(tables):
        pi = pi[:, ::-1]
    return (pi * shares[:, None]).T


def with_labels(counted, known, random, sample):
    """The audit sample by EM: labelled rows speak for P(g | a), whatever proxies share, and for pi. Gives J[a, y, k]."""
    strata = counted.reshape(4, 8)
    labelled = np.zeros((2, 4, 8))
    rows = random.choice(len(known[0]), sample, replace=False)
    np.add.at(labelled, tuple(part[rows] for part in known), 1)
    rest = strata - labelled.sum(0)
    emission = (labelled.sum(1) + 0.5) / (labelled.sum(1) + 0.5).sum(1, keepdims=True)
    pi = np.full((4, 2), 0.5)
    for _ in range(3_000):
        each = pi[:, :, None] * emission[None]
        share = each / each.sum(1, keepdims=True) * rest[:, None]
        whole = share + labelled.transpose(1, 0, 2)
        before = pi
        pi = whole.sum(2) / whole.sum((1, 2))[:, None]
        emission = whole.sum(0) / whole.sum((0, 2))[:, None]
        if np.abs(pi - before).max() < 1e-10:
            break
    return (pi * strata.sum(1)[:, None] / strata.sum()).T.reshape(2, 2, 2)


def compas(ledger, program, shared):
    """Every deterministic number of the audits of seven models; the means that documents state."""
    path = shared / "compas" / "compas.csv"
    table = pd.read_csv(path)
    code = {group: place for place, group in enumerate(GROUPS)}
    true_group, label = table["race_2"].map(code).to_numpy(), table["y_true"].to_numpy()
    errors = {}
    for model, decision in MODELS.items():
        flags = ["--y-pred", decision, "--y-true", "y_true", "--truth", "race_2", "--groups", ",".join(GROUPS)]
        record = program.audit(path, *flags, "--proxy", ",".join(PROXIES))
        soft = program.audit(path, *flags, *[part for one in ("census", "fl", "nc") for part in ("--proxy-probs", f"{one}_soft_")])
        counted = tally(table, PROXIES, GROUPS, decision)
        decided = table[decision].to_numpy()
        real = np.zeros((2, 2, 2))
        np.add.at(real, (true_group, label, decided), 1)
        probabilities = sum(table[[f"{one}_soft_black", f"{one}_soft_nonblack"]].to_numpy() for one in ("census", "fl", "nc")) / 3
        weighted = np.zeros((2, 2, 2))
        for a in (0, 1):
            np.add.at(weighted[a], (label, decided), probabilities[:, a])
        noise, shares = closed_form(symmetric(counted.sum((0, 1))))
        of_program = next(one for one in record["noise"] if (one["estimator"], one["scope"]) == ("hoc", "global"))
        for a in (0, 1):
            ledger.agree("program to 1e-8", f"{model} share", shares[a], of_program["group_shares"][a], 1e-8)
            for g in (0, 1):
                ledger.agree("program to 1e-8", f"{model} T", noise[a, g], of_program["transition"][a][g], 1e-8)
        for metric in METRICS:
            true = gap(metric, real)
            ledger.agree("program to 1e-8", f"{model} {metric} truth", true, truth(record, metric), 1e-8)
            ledger.agree("program to 1e-8", f"{model} {metric} soft", gap(metric, weighted), found(soft, metric, "soft"), 1e-8)
            for place, proxy in enumerate(PROXIES):
                seen = np.moveaxis(counted.sum(tuple(2 + c for c in range(3) if c != place)), -1, 0)
                ledger.agree("program to 1e-8", f"{model} {metric} {proxy}", gap(metric, seen), found(record, metric, "proxy", proxy=proxy), 1e-8)
                if place == 0:
                    errors.setdefault(("base", metric), []).append(100 * abs(gap(metric, seen) / true - 1))
            of_metric = counted.sum(0, keepdims=True) if metric == "dp" else counted
            local = [[closed_form(symmetric(one))[0] for one in of_label] for of_label in of_metric]
            for scope, tables in (("global", [[noise] * 2] * len(of_metric)), ("local", local)):
                value = disparity(metric, rates(of_metric, tables, None, consistent=True))
                theirs = found(record, metric, "calibrated", estimator="hoc", scope=scope)
                ledger.agree("program to 1e-8", f"{model} {metric} hoc {scope}", value, theirs, 1e-8)
                errors.setdefault((scope, metric), []).append(100 * abs(value / true - 1))
            whole = latent_class(counted, own=False, strata=4).reshape(2, 2, 2)
            errors.setdefault(("joint", metric), []).append(100 * abs(gap(metric, whole) / true - 1))
            printed = solve(counted, metric, "global", lambda part: closed_form(symmetric(part)))
            errors.setdefault(("as printed", metric), []).append(100 * abs(printed / true - 1))
            strata = of_metric.shape[0] * 2
            for own, assumption in ((False, "alike"), (True, "own")):
                joint = latent_class(of_metric, own=own, strata=strata).reshape(2, -1, 2)
                value = disparity(metric, joint / joint.sum(2, keepdims=True))
                theirs = found(record, metric, "calibrated", estimator="latent-class", scope="global", assumption=assumption)
                # Both stop where the likelihood no longer grows in its last digits: the gap is then known to its square root.
                ledger.agree("likelihoods to 1e-5", f"{model} {metric} latent class {assumption}", value, theirs, 1e-5)
                errors.setdefault((assumption, metric), []).append(100 * abs(value / true - 1))
                if (model, metric, own) == ("tree", "dp", True):
                    ledger.agree("documents", "README: calibration gives .165", value, 0.165, 0.0006)
            if (model, metric) == ("tree", "dp"):
                ledger.agree("documents", "README: the true gap of .242", true, 0.242, 0.0006)
                ledger.agree("documents", "README: they show .136", gap("dp", np.moveaxis(counted.sum((3, 4)), -1, 0)), 0.136, 0.0006)
    stated = {
        ("base", "README and estimators.md: read directly 47.8"): (47.8, METRICS),
        ("global", "estimators.md: by agreement 29.6"): (29.6, METRICS),
        ("as printed", "study.md: as printed, dp"): (24.3, ["dp"]),
        ("as printed", "study.md: as printed, eod"): (22.4, ["eod"]),
        ("as printed", "study.md: as printed, eop"): (16.2, ["eop"]),
        ("global", "study.md: ours, dp"): (24.3, ["dp"]),
        ("global", "study.md: ours, eod"): (28.5, ["eod"]),
        ("global", "study.md: ours, eop"): (35.9, ["eop"]),
        ("local", "golden: local, dp"): (39.6, ["dp"]),
        ("local", "golden: local, eod"): (40.8, ["eod"]),
        ("local", "golden: local, eop"): (46.6, ["eop"]),
        ("base", "golden: base, dp"): (43.8, ["dp"]),
        ("base", "golden: base, eod"): (45.7, ["eod"]),
        ("base", "golden: base, eop"): (53.8, ["eop"]),
        ("joint", "golden: latent class, dp"): (25.8, ["dp"]),
        ("joint", "golden: latent class, eod"): (29.3, ["eod"]),
        ("joint", "golden: latent class, eop"): (36.8, ["eop"]),
    }
    for (method, what), (value, metrics) in stated.items():
        ours = np.mean([errors[method, metric] for metric in metrics])
        ledger.agree("documents", what, ours, value, 0.06)
    return table, true_group, label


def labels(ledger, table, true_group, label, drawn=40):
    """The error with some labels, drawn anew: docs/methods/estimators.md has the program's, also drawn."""
    stated = {50: 14.2, 200: 9.0}
    code = {group: place for place, group in enumerate(GROUPS)}
    pattern = sum(table[proxy].map(code).to_numpy() * weight for proxy, weight in zip(PROXIES, (4, 2, 1), strict=True))
    for sample, said in stated.items():
        random = np.random.default_rng(sample)
        means = []
        for _ in range(drawn):
            errors = []
            for decision in MODELS.values():
                counted = tally(table, PROXIES, GROUPS, decision)
                decided = table[decision].to_numpy()
                real = np.zeros((2, 2, 2))
                np.add.at(real, (true_group, label, decided), 1)
                joint = with_labels(counted, (true_group, label * 2 + decided, pattern), random, sample)
                errors += [100 * abs(gap(metric, joint) / gap(metric, real) - 1) for metric in METRICS]
            means.append(np.mean(errors))
        spread = np.std(means, ddof=1) / np.sqrt(drawn)
        print(f"{sample} labels: mean normalised error {np.mean(means):.1f} +- {spread:.1f} %, documents say about {said}")
        # The stated figure is itself of 40 draws.
        ledger.agree("drawn, three standard errors", f"{sample} labels", np.mean(means), said, 3 * np.sqrt(2) * spread)


def by_hand(ledger, shared):
    """Formulas of the documents whose numbers can be redone."""
    example = pd.read_csv(shared / "hoc_example.csv").to_numpy()
    counted = np.zeros((2, 2, 2))
    low = example.min()
    np.add.at(counted, tuple((example - low).T.astype(int)), 1)
    noise, _ = closed_form(symmetric(counted))
    for at, said in zip(((0, 0), (0, 1), (1, 0), (1, 1)), (0.874, 0.126, 0.181, 0.819), strict=True):
        ledger.agree("documents", f"the example of HOC, T{at}", noise[at], said, 0.0006)
    ledger.agree("documents", "privacy: a 40 % flip is ln(.6/.4)", np.log(0.6 / 0.4), 0.405, 0.0006)
    u0, u1, p = 0.2, 0.7, 0.4
    moments = [p * u1**order + (1 - p) * u0**order for order in (1, 2, 3)]
    for ours, said in zip(moments, (0.4, 0.22, 0.142), strict=True):
        ledger.agree("documents", "hoc.md: moments by hand", ours, said, 1e-12)
    for right, phi in ((0.58, 0.0256), (0.65, 0.09), (0.8, 0.36)):
        ledger.agree("documents", f"planning.md: correlation of proxies right {right}", (2 * right - 1) ** 2, phi, 1e-12)
    # Two equal gaps, one known ten times better: how often the noisier looks the smaller, in draws around what was drawn.
    random = np.random.default_rng(0)
    for gap_size, said in ((1.0, 0.42), (0.0, 0.06)):
        sharp, dull = (np.abs(gap_size + scale * random.normal(size=1_000_000)) for scale in (0.1 * np.sqrt(2), np.sqrt(2)))
        ledger.agree("documents", f"planning.md: share of draws at equal gaps of {gap_size}", np.mean(dull < sharp), said, 0.006)


def main():
    program, shared = Program(sys.argv[1]), Path(sys.argv[2])
    if not (shared / "compas").is_dir():
        print(f"skipped: {shared} has no compas/")
        return 0
    ledger = Ledger()
    by_hand(ledger, shared)
    labels(ledger, *compas(ledger, program, shared))
    for kind, (count, most) in ledger.kinds.items():
        print(f"{kind}: {count} figures, the farthest at {most:.2g} of what is allowed")
    print(*ledger.wrong, sep="\n")
    failed = len(ledger.wrong)
    print(f"{sum(count for count, _ in ledger.kinds.values()) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
