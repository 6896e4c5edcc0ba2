"""The command `tracegrade`. What a command needs is imported when it runs, so that each starts quickly."""

from __future__ import annotations

import sys

__all__ = ["main"]

_NEEDS_SERVER = {"click", "rich", "duckdb", "grpc", "starlette", "uvicorn", "pyarrow", "structlog", "pydantic_settings"}


def main() -> None:
    """Runs the command and exits with its code: 0 done, 1 no, 2 usage, 3 nothing, 4 unreachable, 130 interrupted."""
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
