"""The command line: ``fairveil …`` and ``python -m fairveil …`` are the same program as the one cargo builds."""

from __future__ import annotations

import signal
import sys

from fairveil._native import run


def main() -> int:
    """Do what the words of the command say and give the exit code."""
    # Ctrl-C ends the program at once, as it does any other: nothing is left half written.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["fairveil", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
