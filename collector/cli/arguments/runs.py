"""Arguments of `tracegrade runs`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["runs"]

_SORTS = ("-started_at", "started_at", "-duration", "duration", "-cost", "cost", "-tokens", "tokens", "-calls", "calls")


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument(
    "words",
    nargs=-1,
    metavar="[FILTER]",
    help="A filter, such as 'agent:checkout is:failing cost>0.1', without which all runs are listed.",
)
@click.option("--since", help="Runs that began since then: 24h (ago), yesterday, 2026-11-22 or 2026-11-22T12:00, UTC.")
@click.option("--until", help="Runs that began before then; default: now.")
@click.option(
    "--sort",
    type=click.Choice([*_SORTS, "worst"]),
    default="-started_at",
    help="Order; with a minus the greatest first. worst: the lowest score first.",
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="Most runs to list.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "jsonl", "csv", "markdown"]),
    default="table",
    help="Format of the answer. json, jsonl and csv have all columns.",
)
@store_option
@config_option
@server_option
def runs(**options: Any) -> int:
    """List the runs that a filter selects."""
    from ..runs import runs as run

    return run(**options)
