"""The command `tracegrade`. Each command imports its modules when it runs, so that it starts quickly."""

from __future__ import annotations

import gc
import sys

from tracegrade.evaluators.definition.imports import leave_pandas_out

__all__ = ["main"]

_YOUNG, _GENERATIONS = 50_000, 20
"""Thresholds of Python's garbage collector: of the youngest generation, and of both older ones.

Imported modules are never collected, and by default the collector would examine them 160 times before a command runs.
"""

_NEEDS_SERVER = {"click", "rich", "duckdb", "grpc", "starlette", "uvicorn", "pyarrow", "structlog", "pydantic_settings"}


def main() -> None:
    """Run the command and exit with its code.

    The codes are 0 success, 1 check failed, 2 usage, 3 nothing, 4 unreachable, 130 interrupted.
    """
    gc.set_threshold(_YOUNG, _GENERATIONS, _GENERATIONS)
    leave_pandas_out()
    try:
        from .commands import run  # noqa: PLC0415 - the light installation has no command line library

        sys.exit(run(sys.argv[1:]))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDS_SERVER:
            raise
        sys.stderr.write(
            f"tracegrade: this is the light installation, without {error.name}; "
            "the commands need pip install 'tracegrade[server]'\n"
        )
        sys.exit(2)
    finally:
        gc.freeze()  # avoids a last collection: the system frees the memory anyway
