"""What the commands share: their options, where they print, and how they fail."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.markup import escape

from tracegrade.queries.result import one_line

__all__ = ["NOBODY_AT_WORK", "Config", "Server", "Store", "console", "given", "plain", "print_json"]

NOBODY_AT_WORK = "nobody is at work on these now: `tracegrade serve` is, from its start"
"""What is said of verdicts that are still to come where a command ends and no server goes on."""

Store = Annotated[
    str | None,
    typer.Option("--store", help="Store URL or path of a DuckDB file.", metavar="URL|PATH", show_default=False),
]
Config = Annotated[
    Path | None, typer.Option("--config", help="Configuration file; default: tracegrade.yaml.", show_default=False)
]
Server = Annotated[
    str | None, typer.Option("--server", help="Address of a running server's API.", metavar="URL", show_default=False)
]

console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def plain(text: str) -> str:
    """Text of others for `console.print`: it neither styles, steers the terminal, nor begins another line."""
    return escape(one_line(text))


def print_json(value: object) -> None:
    """`value` as JSON, for a machine to read."""
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}
