"""`tracegrade sql`: one SELECT over the store, whether a server holds it or not."""

from __future__ import annotations

import sys
from pathlib import Path

from tracegrade.queries.result import terminal_table

from .console import console
from .source import reading

__all__ = ["sql"]


def sql(
    *, query: str, store: str | None, config: Path | None, server: str | None, form: str, max_rows: int, timeout: float
) -> int:
    text = sys.stdin.read() if query == "-" else query
    with reading(config, store=store, server=server, max_rows=max_rows, timeout_s=timeout) as source:
        if form != "table":
            sys.stdout.buffer.write(source.render(text, form))
            return 0
        result = source.read(text)
    console.print(terminal_table(result))
    if result.truncated:
        console.print(f"… and more: the answer is cut after {len(result.rows)} rows (--max-rows)")
    return 0
