"""Writes the files of this folder as pandas and pyarrow write them: python3 make.py (pandas 2 or 3, pyarrow)."""

import random

import pandas

random.seed(0)
rows = []
for _ in range(400):
    group = random.choice(["White", "Black"])
    approved = int(random.random() < (0.6 if group == "White" else 0.4))
    other = {"White": "Black", "Black": "White"}
    guess = [group if random.random() < right else other[group] for right in (0.85, 0.8, 0.75)]
    rows.append((approved, *guess))
people = pandas.DataFrame(rows, columns=["y_pred", "proxy_name", "proxy_zip", "proxy_school"])
people.to_csv("people.csv", index=False)
people.to_feather("people.feather")  # lz4, which is the default
people.to_feather("people-zstd.feather", compression="zstd")
people.to_parquet("people-brotli.parquet", compression="brotli", index=False)
