"""The paper's table of mitigation on the stand-in: a model of smiles, trained with a constraint on guesses, error rates from neighbours.

The paper trains a vision transformer on images. Here a row has eight numbers in place of an image. They tell the label as well as the
paper's model does (about 91 %), and something of the group.
"""

import json
import subprocess

import numpy as np
import pandas as pd

import celeba
from rows import Row, published

NOISE = (0.2, 0.2)
"""The paper does not say which of its five noises; one in the middle, chosen before anything was run."""
APART, LEAN = 1.32, 0.5
"""How far a smile moves the numbers, in standard deviations to either side, and how far a group does."""


def numbers(table, random):
    """What stands for the pixels of a smile."""
    features = random.normal(size=(len(table), 8))
    features[:, 0] += APART * (2 * table["label"] - 1)
    features[:, 1] -= LEAN * (2 * table["group"] - 1)
    features[:, 0] -= 0.3 * (2 * table["group"] - 1)
    return pd.DataFrame(features.round(4), columns=[f"f{place}" for place in range(8)])


def drawn(shares, wrong, kind, seed):
    """Images to learn from or to measure on, with noisy guesses."""
    random = np.random.default_rng(seed)
    table, embedding = celeba.images(shares, wrong, kind, random)
    flips = random.random(len(table)) < np.where(table["guess"] == 0, NOISE[0], NOISE[1])
    table["guess"] = np.where(flips, 1 - table["guess"], table["guess"])
    return table.drop(columns="decision").join(numbers(table, random)), embedding


def given(program, name, transition, shares):
    """A file of error rates."""
    path = program.folder / name
    path.write_text(json.dumps({"groups": ["0", "1"], "transition": transition, "group_shares": shares}))
    return path


def trained(program, table, unseen, column, rates):
    """Learns with a constraint and measures the true gap and the accuracy on images that were not learned from."""
    table.to_csv(program.folder / "smiles.csv", index=False)
    unseen.to_csv(program.folder / "unseen.csv", index=False)
    rule, out = program.folder / "rule.json", program.folder / "decided.csv"
    flags = ["--y-true", "label", "--proxy", column, "--features=" + ",".join(f"f{place}" for place in range(8)), "--given", rates]
    learn = ["mitigate", program.folder / "smiles.csv", *flags, "--method", "logistic", "--no-curve", "--n-boot", "0", "--quiet", "-o", rule]
    for command in (learn, ["apply", rule, program.folder / "unseen.csv", "-o", out, "--quiet"]):
        done = subprocess.run([program.path, *map(str, command)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None, done.stderr.strip().splitlines()[0]
    decided = pd.read_csv(out)["decision"].to_numpy()
    rates = [decided[unseen["group"] == group].mean() for group in (0, 1)]
    return {"test_dp_disparity": abs(rates[0] - rates[1]), "test_accuracy": (decided == unseen["label"]).mean()}, ""


def rows(program, shared):
    """Every figure of the table."""
    said = pd.read_csv(shared / "paper" / "mitigation.csv").set_index("method")
    (shares, wrong), _ = celeba.fitted(
        published(shared / "paper" / "celeba.csv", "features", "noise_12", "noise_21", "metric", "method", "quantity")
    )
    made = []
    for method, figures in said.iterrows():
        kind = method if method in celeba.KINDS else "Facenet"
        table, embedding = drawn(shares, wrong, kind, 100)
        unseen, _ = drawn(shares, wrong, kind, 200)
        column = "group" if method == "Ground-Truth" else "guess"
        if method in celeba.KINDS:
            np.save(program.folder / "embedding.npy", embedding)
            table.to_csv(program.folder / "smiles.csv", index=False)
            flags = ["--y-pred", "label", "--proxy", "guess", "--features", program.folder / "embedding.npy"]
            record = program.audit(program.folder / "smiles.csv", *flags)
            noise = next(n for n in record["noise"] if n["estimator"] == "hoc" and n["scope"] == "global")
            rates = given(program, "given.json", noise["transition"], noise["group_shares"])
        else:
            share = float((table[column] == 1).mean())
            rates = given(program, "given.json", [[1.0, 0.0], [0.0, 1.0]], [1 - share, share])
        ours, why = trained(program, table, unseen, column, rates)
        why = why or f"eight numbers for an image and a logistic model for the transformer; noise {list(NOISE)}; one matrix, where errors go with the label"
        made += [
            Row("Mitigation", method, "dp", "on unseen images", figure, float(value), ours and float(ours[figure]), "stand-in" if ours else "not run", why)
            for figure, value in figures.items()
        ]
    return made
