"""What the documents show is executed, and the reference is what the docstrings say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient


def documents() -> Path:
    """Find docs/python: FAIRVEIL_DOCS, or beside the package's folder."""
    named = os.environ.get("FAIRVEIL_DOCS")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "docs" / "python"


def test_the_quick_start_runs_as_it_is_written(tmp_path: Path) -> None:
    text = (documents() / "quick-start.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) >= 6
    script = tmp_path / "quick_start.py"
    script.write_text("\n".join(blocks))
    command = [sys.executable, "-W", "ignore", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "demographic parity: a gap of" in done.stdout
    assert (tmp_path / "report.html").exists()


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_and_holds_what_it_says() -> None:
    for path in sorted(documents().glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        shown = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
        assert any("image/svg+xml" in out.get("data", {}) for out in shown)
        assert any("iframe" in str(out.get("data", {}).get("text/html", "")) for out in shown)


def test_the_reference_is_what_the_docstrings_say() -> None:
    sys.path.insert(0, str(documents()))
    try:
        import reference
    finally:
        sys.path.pop(0)
    assert (documents() / "reference.md").read_text() == reference.text(), "run docs/python/reference.py"
