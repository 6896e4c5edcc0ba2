"""`tracegrade sql`: one SELECT over the store, whether a server holds it or not."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from tracegrade.queries.result import terminal_table

from ..settings import load
from .console import Config, Server, Store, console, given
from .source import opened

__all__ = ["sql"]


class Form(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"


def sql(
    query: Annotated[str, typer.Argument(help="A SELECT; - reads it from standard input.")],
    store: Store = None,
    config: Config = None,
    server: Server = None,
    form: Annotated[Form, typer.Option("--format", help="Form of the answer.")] = Form.TABLE,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows to answer with at most.")] = 10_000,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds the query may take.")] = 30.0,
) -> int:
    """Answer one SELECT."""
    text = sys.stdin.read() if query == "-" else query
    settings = load(config, **given(store=store))
    with opened(settings, server, max_rows=max_rows, timeout_s=timeout) as source:
        if form is not Form.TABLE:
            sys.stdout.buffer.write(source.render(text, form.value))
            return 0
        result = source.read(text)
    console.print(terminal_table(result))
    if result.truncated:
        console.print(f"… and more: the answer is cut after {len(result.rows)} rows (--max-rows)")
    return 0
