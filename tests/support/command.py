"""The command `tracegrade`, run as a person or a script would run it."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PROGRAM", "Done", "environment", "tracegrade"]

PROGRAM = str(Path(sysconfig.get_path("scripts")) / "tracegrade")
_TIME_LIMIT_S = 60


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """What it printed."""
        return self.out.decode()


def tracegrade(*arguments: str | Path, at: Path, stdin: str = "", **variables: str) -> Done:
    """Runs `tracegrade ARGUMENTS…` in the folder `at`, with `variables` in its environment."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        cwd=at,
        env=environment(variables),
        input=stdin.encode(),
        capture_output=True,
        timeout=_TIME_LIMIT_S,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without what would steer the program, and with `variables`.

    Wide, since the width of a terminal decides what a table shows of a cell.
    """
    usual = {name: value for name, value in os.environ.items() if not name.startswith(("TRACEGRADE_", "OTEL_"))}
    return {**usual, "PYTHONUNBUFFERED": "1", "COLUMNS": "200", **variables}
