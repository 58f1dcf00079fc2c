"""Long runs say how far they are, where somebody looks, and end at once when they are told to."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import nbformat
import pytest
from nbclient import NotebookClient

import fairveil

LONG = """
import sys, warnings
warnings.simplefilter("ignore")
import fairveil, numpy as np
rng = np.random.default_rng(0)
rows = 20_000
group = rng.integers(0, 4, rows)
guess = lambda: np.where(rng.random(rows) < 0.3, rng.integers(0, 4, rows), group)
asked = dict(y_pred=rng.random(rows) < 0.3 + 0.1 * group, proxies=[guess() for _ in range(5)])
"""
BEGIN = 'print("begun", flush=True)\nfairveil.audit(**asked, n_boot=1_000_000)\n'
posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals")


@pytest.fixture
def run() -> Iterator[subprocess.Popen[str]]:
    """Start a run that takes hours."""
    command = [sys.executable, "-c", LONG + BEGIN]
    work = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert work.stdout is not None
    assert work.stdout.readline() == "begun\n"
    yield work
    work.kill()
    work.wait()


@posix
def test_ctrl_c_stops_a_long_run_within_a_second(run: subprocess.Popen[str]) -> None:
    time.sleep(2.5)
    assert run.poll() is None, "the run was not long enough to be stopped"
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=30)
    took = time.monotonic() - begun
    assert "KeyboardInterrupt" in told
    # The interpreter's own end is in it.
    assert took < 1.0 + 0.5
    # Nobody looks at a pipe.
    assert "█" not in told


@posix
def test_a_terminal_is_told_after_two_seconds_and_is_left_clean() -> None:
    import pty

    inner, outer = pty.openpty()
    command = [sys.executable, "-c", LONG + BEGIN]
    begun = time.monotonic()
    work = subprocess.Popen(command, stdout=outer, stderr=outer, stdin=outer, start_new_session=True)
    os.close(outer)
    # Bytes: a read may end in the middle of a letter.
    raw, started, first, stopped = b"", None, None, None
    while time.monotonic() - begun < 90:
        if select.select([inner], [], [], 0.05)[0]:
            try:
                raw += os.read(inner, 4096)
            except OSError:  # the other side is closed
                break
        now = time.monotonic()
        started = started or (now if b"begun" in raw else None)
        first = first or (now if "█".encode() in raw else None)
        if first is not None and stopped is None and raw.count("███".encode()) > 20:
            work.send_signal(signal.SIGINT)
            stopped = now
    ended = time.monotonic()
    work.kill()
    work.wait()
    os.close(inner)
    seen = raw.decode()
    assert None not in {started, first, stopped}, seen[-400:]
    assert first - started > 1.5, "told before two seconds were over"
    assert ended - stopped < 1.0 + 0.5
    assert max(len(line) for line in seen.partition("Traceback")[0].split("\r\x1b[2K")) < 80
    # The last that the bar does is to take its line away, before the traceback.
    assert "\r\x1b[2K" in seen.rpartition("█")[2].partition("Traceback")[0]
    assert "KeyboardInterrupt" in seen


def test_what_is_soon_done_is_not_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    people = fairveil.simulate(rows=500)
    fairveil.audit(people, n_boot=100)
    assert capfd.readouterr().err == ""


@pytest.mark.filterwarnings("ignore")
def test_a_notebook_is_told_and_can_be_interrupted() -> None:
    stop = "import signal, threading, os\nthreading.Timer(4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
    caught = "try:\n    fairveil.audit(**asked, n_boot=1_000_000)\nexcept KeyboardInterrupt:\n    print('stopped')\n"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LONG + stop + caught)])
    shown: list[str] = []

    client = NotebookClient(notebook, timeout=120, kernel_name="python3")
    original = client.process_message

    def listen(message: dict, *rest: object) -> object:
        data = message.get("content", {}).get("data", {})
        if message["msg_type"] in {"display_data", "update_display_data"}:
            shown.append(data.get("text/plain", ""))
        return original(message, *rest)

    client.process_message = listen
    client.execute()
    assert sum("███" in text for text in shown) > 5
    assert shown[-1] == ""
    texts = [out.get("text", "") for out in notebook.cells[0].outputs]
    assert "stopped\n" in texts
