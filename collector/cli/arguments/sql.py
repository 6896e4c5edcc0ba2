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
    type=click.Choice(["table", "json", "csv", "parquet", "arrow"]),
    default="table",
    help="Form of the answer.",
)
@click.option("--max-rows", type=click.IntRange(min=1), default=10000, help="Rows to answer with at most.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, help="Seconds the query may take.")
def sql(**options: Any) -> int:
    """Answer one SELECT."""
    from ..sql import sql as run

    return run(**options)
