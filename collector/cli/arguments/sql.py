"""What `tracegrade sql` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["sql"]


@click.command()
@click.argument("query", help="A SELECT; - reads it from standard input.")
@store_option
@config_option
@server_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "jsonl", "json-table", "csv", "parquet", "arrow"]),
    default="table",
    help="Form of the answer. All but the table have every row.",
)
@click.option("--expanded", "-x", is_flag=True, help="Print a column a line instead of a table.")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Rows to answer with at most; default: 1000 for a table, else all."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=30.0,
    help="Seconds the query may take before it gives rows.",
)
def sql(**options: Any) -> int:
    """Answer one SELECT."""
    from ..sql import sql as run

    return run(**options)
