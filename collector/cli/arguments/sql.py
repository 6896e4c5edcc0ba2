"""Arguments of `tracegrade sql`."""

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
    help="Format of the answer. All formats except table contain every row.",
)
@click.option("--expanded", "-x", is_flag=True, help="Print one column per line instead of a table.")
@click.option("--limit", type=click.IntRange(min=1), help="Most rows to return; default: 1000 for a table, else all.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=30.0,
    help="Time limit in seconds, until the first rows.",
)
def sql(**options: Any) -> int:
    """Run one SELECT."""
    from ..sql import sql as run

    return run(**options)
