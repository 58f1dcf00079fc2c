#!/usr/bin/env bash
# Speed of the Python package against fairlearn, crowd-kit and the command line, in one run. Takes the wheel in dist-python/.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
venv="$root/.venv-bench"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check fairlearn scikit-learn crowd-kit pandas pyarrow
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$root"/dist-python/fairveil-*.whl
"$venv/bin/pip" install --quiet --disable-pip-version-check narwhals
exec "$venv/bin/python" "$root/bench/python.py"
