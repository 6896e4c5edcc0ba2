"""Arguments of `tracegrade report`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["report"]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument(
    "words",
    nargs=-1,
    metavar="[NAME] [--PARAMETER VALUE]...",
    help="Name of the report, without which all are listed; and its own parameters, such as --tool book_hotel.",
)
@click.option("--since", help="Runs that began since then: 7d (ago), yesterday, 2026-11-22 or 2026-11-22T12:00, UTC.")
@click.option("--until", help="Runs that began before then; default: now.")
@click.option("--agent", help="Runs of this agent.")
@click.option("--version", help="Runs of this version of the agent.")
@click.option("--environment", help="Runs in this environment.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown", "jsonl", "parquet", "arrow"]),
    default="table",
    help="Format of the answer. Numbers in table and markdown are rounded, and have their unit.",
)
@click.option("--expanded", "-x", is_flag=True, help="Print one column per line instead of a table.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=60.0, help="Time limit in seconds.")
@store_option
@config_option
@server_option
def report(**options: Any) -> int:
    """Answer a question about the stored runs, such as: what failed, what got worse, what does it cost?"""
    from ..report import report as run

    return run(**options)
