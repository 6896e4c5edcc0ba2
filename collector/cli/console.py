"""Prints for all commands: the console, errors, JSON."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from tracegrade.queries.foreign_text import escape_json, one_line, without_controls

__all__ = ["NO_SERVER_RUNNING", "complain", "console", "new_console", "plain", "print_json"]

NO_SERVER_RUNNING = "no server is running; `tracegrade serve` continues with these"
"""Printed when a command ends while scores are missing and no server is running."""

if TYPE_CHECKING:
    from rich.console import Console


@cache
def console() -> Console:
    """Return the console on which commands print."""
    return new_console(soft_wrap=not sys.stdout.isatty())


def new_console(**options: Any) -> Console:
    """Build a console of rich, which is imported on first use.

    All printed text is cleaned by `foreign_text`, so that stored text can never control the terminal.
    """
    from .safe_console import SafeConsole  # noqa: PLC0415 - most commands print plain text

    return SafeConsole(highlight=False, **options)


def complain(text: str) -> None:
    """Write a line to stderr without control characters, since it may quote foreign text."""
    sys.stderr.write(f"{without_controls(text)}\n")


def plain(text: str) -> str:
    """Return foreign text as one line for `console().print`, without styles and control characters."""
    from rich.markup import escape  # noqa: PLC0415 - likewise

    return escape(one_line(text))


def print_json(value: object) -> None:
    """Print `value` as JSON, in which what controls a terminal is escaped."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    sys.stdout.buffer.write(escape_json(text).encode())
