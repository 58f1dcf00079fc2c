"""A decision rule that fairveil wrote. It needs neither a group nor a proxy, and no package.

margin(row)  how far a row is on the positive side; decide(row)  the decision.
A row is a mapping from column names to values: numbers, texts, or None where one is missing.
Both raise ValueError where the rule cannot decide. As a program: python FILE < in.csv > out.csv
"""

import json
import math

RULE = json.loads(r'''@RULE@''')


def _canonical(text):
    text = text.strip()
    whole, point, decimals = text.partition(".")
    digits = whole[1:] if whole.startswith("-") else whole
    if point and decimals and not decimals.strip("0") and digits.isascii() and digits.isdigit():
        return whole
    return text


def _missing(value):
    if value is None:
        return True
    if isinstance(value, str):
        return value.strip().lower() in ("", "null", "nan")
    return value != value


def _number(name, value):
    try:
        number = float(value.strip() if isinstance(value, str) else value)
    except ValueError:
        raise ValueError(f"{name} is no number") from None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        raise ValueError(f"{name} is no number")
    return number


def _encode(row):
    """The encoded numbers that are not 0: where, and how large."""
    first, terms = 0, []
    for feature in RULE["encoding"]["features"]:
        name, value = feature["name"], row[feature["name"]]
        missing = feature["missing"]
        if feature["kind"] == "number":
            width = 2 if missing else 1
            if _missing(value):
                place, x = (1, 1.0) if missing else (None, 0.0)
            else:
                number = _number(name, value)
                if not abs(number) <= 3.4028234663852886e38:
                    raise ValueError(f"{name} is out of range")
                place, x = 0, (number - feature["mean"]) / feature["deviation"]
        else:
            levels, others = feature["levels"], feature.get("others", False)
            width = len(levels) + others + missing
            if _missing(value):
                place = width - 1 if missing else None
            else:
                text = value if isinstance(value, str) else repr(value) if isinstance(value, float) else str(value)
                place = _LEVELS[name].get(_canonical(text), len(levels) if others else -1)
                if place < 0:
                    raise ValueError(f"the rule does not know this value of {name}")
            x = 1.0
        if place is None:
            raise ValueError(f"{name} is missing")
        terms.append((first + place, x))
        first += width
    return terms


_LEVELS = {
    feature["name"]: {level: place for place, level in enumerate(feature["levels"])}
    for feature in RULE["encoding"]["features"]
    if feature["kind"] == "category"
}


def _linear(model, terms):
    total = model["intercept"]
    for column, x in terms:
        total += model["coefficients"][column] * x
    return total


def _chance(logit):
    return 1.0 / (1.0 + math.exp(-logit)) if logit > -700 else 0.0


def _score(eta, row):
    value = row[eta["column"]]
    if _missing(value):
        raise ValueError("the score is missing")
    score, scale = _number(eta["column"], value), eta.get("scale")
    if (scale is None or scale["log_odds"]) and not 0.0 <= score <= 1.0 or not math.isfinite(score):
        raise ValueError("the score is out of range")
    if scale is None:
        return score
    if scale["log_odds"]:
        inside = min(max(score, 1e-6), 1.0 - 1e-6)
        score = math.log(inside / (1.0 - inside))
    return _chance(scale["intercept"] + scale["slope"] * score)


def margin(row):
    """How far a row is on the positive side."""
    terms, cut = _encode(row), RULE.get("cut", 0.5)
    if RULE["method"] == "plug-in":
        eta = RULE["eta"]
        chance = _score(eta, row) if eta["from"] == "score" else _chance(_linear(eta["model"], terms))
        moved = 0.0
        for tilt in RULE["tilts"]:
            weight = _linear(tilt["weight"], terms) + tilt["weight"]["coefficients"][-1] * (2.0 * chance - 1.0)
            within = {None: 1.0, True: chance, False: 1.0 - chance}[tilt["label"]]
            moved += tilt["multiplier"] * (within * weight)
        found = 2.0 * chance - moved - 2.0 * cut
    else:
        model = RULE["model"]
        if RULE["method"] == "mlp":
            units = list(model["biases"])
            for column, x in terms:
                units = [unit + x * weight for unit, weight in zip(units, model["weights"][column])]
            output = model["output"]
            logit = output["intercept"]
            for unit, weight in zip(units, output["coefficients"]):
                logit += max(unit, 0.0) * weight
        else:
            logit = _linear(model, terms)
        found = logit - math.log(cut / (1.0 - cut))
    if not math.isfinite(found):
        raise ValueError("the rule's numbers are past all bounds on this row")
    return found


def decide(row):
    """The decision about a row: the name of the positive class or of the other."""
    return RULE["positive"] if margin(row) > 0.0 else RULE["negative"]


if __name__ == "__main__":
    import csv
    import io
    import sys

    # Spreadsheets write a mark before the first name.
    reader = csv.DictReader(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline=""))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*reader.fieldnames, "decision"])
    for row in reader:
        try:
            decision = decide(row)
        except ValueError:
            decision = ""
        writer.writerow([*(row[name] for name in reader.fieldnames), decision])
