"""The command `tracegrade`, run as a person or a script would run it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import structlog

from tracegrade.collector.cli.commands import run

__all__ = ["PROGRAM", "Done", "environment", "finished", "inside", "tracegrade"]

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
    return finished(arguments, at=at, stdin=stdin, variables=variables)


def finished(
    arguments: Sequence[str | Path],
    *,
    at: Path,
    variables: Mapping[str, str],
    stdin: str = "",
    within_s: float = _TIME_LIMIT_S,
) -> Done:
    """The same for a command that may take longer."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        cwd=at,
        env=environment(variables),
        input=stdin.encode(),
        capture_output=True,
        timeout=within_s,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def inside(*arguments: str | Path, at: Path, stdin: str = "", **variables: str) -> Done:
    """The same without a process of its own, a second quicker: for all but the few that prove the whole."""
    out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
    with (
        chdir(at),
        mock.patch.dict(os.environ, environment(variables), clear=True),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()))),
        mock.patch.object(sys, "path", list(sys.path)),  # evaluators may add the folder they lie in
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run([str(argument) for argument in arguments])
    structlog.reset_defaults()
    return Done(code, out.buffer.getvalue(), err.getvalue())


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without what would steer the program, and with `variables`."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith(("TRACEGRADE_", "OTEL_"))}
    return {**usual, "PYTHONUNBUFFERED": "1", **variables}
