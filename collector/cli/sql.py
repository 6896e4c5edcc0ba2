"""`tracegrade sql`: one SELECT over the store, whether a server holds it or not."""

from __future__ import annotations

import sys
from pathlib import Path

from tracegrade.queries.result import Result

from ..client.answer_stream import stream_answer
from ..client.source import reading
from ..errors import Fault
from .output import print_remark, print_rows, write_portions

__all__ = ["sql"]

_USAGE = 2
_TABLE_ROWS = 1000
"""The default limit of a table, which is laid out as a whole."""


def sql(
    *,
    query: str,
    store: str | None,
    config: Path | None,
    server: str | None,
    form: str,
    expanded: bool,
    limit: int | None,
    timeout: float,
) -> int:
    if expanded and form != "table":
        raise Fault(f"--expanded prints a table; leave out --format {form}", exit_code=_USAGE)
    text = sys.stdin.read() if query == "-" else query
    max_rows = limit if limit is not None else _TABLE_ROWS
    with reading(config, store=store, server=server, max_rows=max_rows, timeout_s=timeout) as source:
        if form != "table":
            with stream_answer(source, text, form, limit=limit, timeout_s=timeout) as stream:
                if write_portions(stream.portions) and stream.truncated:
                    print_remark(_describe_truncation(stream.rows, limit))
            return 0
        result = source.read(text)
    print_rows(result, expanded=expanded)
    if result.truncated:
        print_remark(_describe_shortened(result, max_rows))
    return 0


def _describe_shortened(result: Result, max_rows: int) -> str:
    count = result.table.num_rows
    remedy = "--limit shows more, --format csv writes all" if count == max_rows else "--format csv writes all"
    return f"only the first {count:,} rows are shown: {remedy}"


def _describe_truncation(rows: int | None, limit: int | None) -> str:
    if rows is None or rows == limit:
        return f"only the first {limit:,} rows were written: without --limit all are written"
    return f"a server writes at most these {rows:,} rows with --limit: without it all are written"
