"""What the commands share: their options, where they print, and how they fail."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer
from rich.console import Console

__all__ = ["Config", "Fault", "Server", "Store", "console", "given", "log_to_stderr"]

Store = Annotated[
    str | None, typer.Option("--store", help="Store URL or path of a DuckDB file.", metavar="URL|PATH", show_default=False)
]
Config = Annotated[
    Path | None, typer.Option("--config", help="Configuration file; default: tracegrade.yaml.", show_default=False)
]
Server = Annotated[
    str | None, typer.Option("--server", help="Address of a running server's API.", metavar="URL", show_default=False)
]

console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())


class Fault(Exception):
    """A command cannot go on; the message says why and what to do."""

    def __init__(self, message: str, *, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def log_to_stderr() -> None:
    """Our log: a line an event, on stderr, from INFO on."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
