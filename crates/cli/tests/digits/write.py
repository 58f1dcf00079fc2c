"""Writes scikit-learn's digits as CSV: 64 pixels p00 to p63 and the digit."""

import csv
import sys

from sklearn.datasets import load_digits

images, digits = load_digits(return_X_y=True)
with open(sys.argv[1], "w", newline="") as file:
    table = csv.writer(file)
    table.writerow([f"p{i:02}" for i in range(64)] + ["digit"])
    table.writerows([*(int(pixel) for pixel in image), digit] for image, digit in zip(images, digits))
