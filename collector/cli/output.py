"""Prints answers, on a terminal within its width; omitted columns are reported on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from tracegrade.queries.foreign_text import one_line
from tracegrade.queries.result import Column, Result, plain_rows
from tracegrade.queries.terminal import expanded_rows, terminal_table

from .console import complain, console, new_console

__all__ = ["LAID_OUT", "print_plain_rows", "print_remark", "print_rows", "write_portions"]

LAID_OUT: Final = ("table", "markdown")
"""The formats for people: laid out as a whole, with the beginnings of texts. Of the others any size is written."""

_NAMES: Final = 8
"""The number of omitted columns that are named."""


def print_rows(result: Result, *, expanded: bool = False) -> None:
    """Print rows as a table, or one column per line. On a terminal it fits the width; elsewhere nothing is wrapped."""
    print_plain_rows(
        result.columns, list(plain_rows(result)), expanded=expanded, remedy="`tracegrade sql --expanded` shows all"
    )


def print_plain_rows(columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, expanded: bool, remedy: str) -> None:
    """Print plain rows as `print_rows` does. `remedy` says how to see columns for which the terminal is too narrow."""
    width = console().width if console().is_terminal else None
    if expanded:
        for line in expanded_rows(columns, rows):
            console().print(line, soft_wrap=width is None)
        return
    fitted = terminal_table(columns, rows, width=width)
    if width is None:
        new_console(width=fitted.width).print(fitted.table)
        return
    console().print(fitted.table)
    if fitted.left_out:
        names = _list_names(fitted.left_out)
        print_remark(f"columns omitted at a width of {width}: {names}; {remedy}")


def print_remark(text: str) -> None:
    """Print a remark to stderr."""
    complain(f"tracegrade: {text}")


def write_portions(portions: Iterable[bytes]) -> bool:
    """Write portions to standard output; return False if its reader closed it."""
    out = sys.stdout.buffer
    try:
        for portion in portions:
            out.write(portion)
        out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest at exit
        return False
    return True


def _list_names(columns: Sequence[str]) -> str:
    names = ", ".join(map(one_line, columns[:_NAMES]))
    return f"{names} and {len(columns) - _NAMES} more" if len(columns) > _NAMES else names
